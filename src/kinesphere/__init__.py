"""Kinesphere: an open expressive-motion engine.

A movement has a *what* and a *how*; Kinesphere owns the how. ``load`` a motion, change it, ``save`` it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.body.calibration import Calibration, calibrate
    from kinesphere.body.contacts import find_plants
    from kinesphere.body.foot_lock import lock_feet
    from kinesphere.body.ground import find_ground
    from kinesphere.body.limits import clamped, limit_excess
    from kinesphere.body.mass import centre_of_mass
    from kinesphere.body.plants import Plants
    from kinesphere.body.retargeting import retarget
    from kinesphere.body.support import support
    from kinesphere.files.characters import load_character, save_character
    from kinesphere.files.errors import MotionFileError, MotionFileWarning
    from kinesphere.files.keypoints import load_keypoints, save_keypoints
    from kinesphere.files.loading import clips, load, save
    from kinesphere.files.mapping import load_mapping, save_mapping
    from kinesphere.kernels.compiled import warm_up
    from kinesphere.motion.character import Character, Mesh
    from kinesphere.motion.joining import concatenated
    from kinesphere.motion.keypoints import Keypoint, Keypoints
    from kinesphere.motion.motion import Motion
    from kinesphere.motion.retiming import retimed
    from kinesphere.motion.roles import RoleMap, find_roles
    from kinesphere.motion.skeleton import Skeleton, Tip
    from kinesphere.motion.timemap import TimeMap

__version__ = "0.1.0"

# Names are imported when first used, so that `kinesphere --help` need not wait for NumPy.
_WHERE = {
    "Calibration": "kinesphere.body.calibration",
    "Character": "kinesphere.motion.character",
    "Keypoint": "kinesphere.motion.keypoints",
    "Keypoints": "kinesphere.motion.keypoints",
    "Mesh": "kinesphere.motion.character",
    "Motion": "kinesphere.motion.motion",
    "MotionFileError": "kinesphere.files.errors",
    "MotionFileWarning": "kinesphere.files.errors",
    "Plants": "kinesphere.body.plants",
    "RoleMap": "kinesphere.motion.roles",
    "Skeleton": "kinesphere.motion.skeleton",
    "TimeMap": "kinesphere.motion.timemap",
    "Tip": "kinesphere.motion.skeleton",
    "calibrate": "kinesphere.body.calibration",
    "centre_of_mass": "kinesphere.body.mass",
    "clamped": "kinesphere.body.limits",
    "clips": "kinesphere.files.loading",
    "concatenated": "kinesphere.motion.joining",
    "find_ground": "kinesphere.body.ground",
    "find_plants": "kinesphere.body.contacts",
    "find_roles": "kinesphere.motion.roles",
    "limit_excess": "kinesphere.body.limits",
    "load": "kinesphere.files.loading",
    "load_character": "kinesphere.files.characters",
    "load_keypoints": "kinesphere.files.keypoints",
    "load_mapping": "kinesphere.files.mapping",
    "lock_feet": "kinesphere.body.foot_lock",
    "retarget": "kinesphere.body.retargeting",
    "retimed": "kinesphere.motion.retiming",
    "save": "kinesphere.files.loading",
    "save_character": "kinesphere.files.characters",
    "save_keypoints": "kinesphere.files.keypoints",
    "save_mapping": "kinesphere.files.mapping",
    "support": "kinesphere.body.support",
    "warm_up": "kinesphere.kernels.compiled",
}

__all__ = [
    "Calibration",
    "Character",
    "Keypoint",
    "Keypoints",
    "Mesh",
    "Motion",
    "MotionFileError",
    "MotionFileWarning",
    "Plants",
    "RoleMap",
    "Skeleton",
    "TimeMap",
    "Tip",
    "calibrate",
    "centre_of_mass",
    "clamped",
    "clips",
    "concatenated",
    "find_ground",
    "find_plants",
    "find_roles",
    "limit_excess",
    "load",
    "load_character",
    "load_keypoints",
    "load_mapping",
    "lock_feet",
    "retarget",
    "retimed",
    "save",
    "save_character",
    "save_keypoints",
    "save_mapping",
    "support",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'kinesphere' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
