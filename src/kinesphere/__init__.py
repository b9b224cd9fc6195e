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
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import Effort
    from kinesphere.laban.effort_model import EffortModel, effort_model
    from kinesphere.laban.shape import Shape
    from kinesphere.motion.character import Character, Mesh
    from kinesphere.motion.gesture import Gesture
    from kinesphere.motion.joining import concatenated
    from kinesphere.motion.keypoints import Keypoint, Keypoints
    from kinesphere.motion.motion import Motion
    from kinesphere.motion.retiming import retimed
    from kinesphere.motion.roles import RoleMap, find_roles
    from kinesphere.motion.skeleton import Skeleton, Tip
    from kinesphere.motion.timemap import TimeMap
    from kinesphere.score.document import load_score, save_score
    from kinesphere.score.layers import Express, Layer
    from kinesphere.score.perform import perform
    from kinesphere.score.render import render, render_all
    from kinesphere.score.score import Score

__version__ = "0.1.0"

# Names are imported when first used, so that `kinesphere --help` need not wait for NumPy.
_WHERE = {
    "Calibration": "kinesphere.body.calibration",
    "Character": "kinesphere.motion.character",
    "Effort": "kinesphere.laban.effort",
    "EffortModel": "kinesphere.laban.effort_model",
    "Express": "kinesphere.score.layers",
    "Gesture": "kinesphere.motion.gesture",
    "Keypoint": "kinesphere.motion.keypoints",
    "Keypoints": "kinesphere.motion.keypoints",
    "Layer": "kinesphere.score.layers",
    "Mesh": "kinesphere.motion.character",
    "Motion": "kinesphere.motion.motion",
    "MotionFileError": "kinesphere.files.errors",
    "MotionFileWarning": "kinesphere.files.errors",
    "Part": "kinesphere.laban.dials",
    "Plants": "kinesphere.body.plants",
    "RoleMap": "kinesphere.motion.roles",
    "Score": "kinesphere.score.score",
    "Shape": "kinesphere.laban.shape",
    "Skeleton": "kinesphere.motion.skeleton",
    "TimeMap": "kinesphere.motion.timemap",
    "Tip": "kinesphere.motion.skeleton",
    "calibrate": "kinesphere.body.calibration",
    "centre_of_mass": "kinesphere.body.mass",
    "clamped": "kinesphere.body.limits",
    "clips": "kinesphere.files.loading",
    "concatenated": "kinesphere.motion.joining",
    "effort_model": "kinesphere.laban.effort_model",
    "find_ground": "kinesphere.body.ground",
    "find_plants": "kinesphere.body.contacts",
    "find_roles": "kinesphere.motion.roles",
    "limit_excess": "kinesphere.body.limits",
    "load": "kinesphere.files.loading",
    "load_character": "kinesphere.files.characters",
    "load_keypoints": "kinesphere.files.keypoints",
    "load_mapping": "kinesphere.files.mapping",
    "load_score": "kinesphere.score.document",
    "lock_feet": "kinesphere.body.foot_lock",
    "perform": "kinesphere.score.perform",
    "render": "kinesphere.score.render",
    "render_all": "kinesphere.score.render",
    "retarget": "kinesphere.body.retargeting",
    "retimed": "kinesphere.motion.retiming",
    "save": "kinesphere.files.loading",
    "save_character": "kinesphere.files.characters",
    "save_keypoints": "kinesphere.files.keypoints",
    "save_mapping": "kinesphere.files.mapping",
    "save_score": "kinesphere.score.document",
    "support": "kinesphere.body.support",
    "warm_up": "kinesphere.kernels.compiled",
}

__all__ = [
    "Calibration",
    "Character",
    "Effort",
    "EffortModel",
    "Express",
    "Gesture",
    "Keypoint",
    "Keypoints",
    "Layer",
    "Mesh",
    "Motion",
    "MotionFileError",
    "MotionFileWarning",
    "Part",
    "Plants",
    "RoleMap",
    "Score",
    "Shape",
    "Skeleton",
    "TimeMap",
    "Tip",
    "calibrate",
    "centre_of_mass",
    "clamped",
    "clips",
    "concatenated",
    "effort_model",
    "find_ground",
    "find_plants",
    "find_roles",
    "limit_excess",
    "load",
    "load_character",
    "load_keypoints",
    "load_mapping",
    "load_score",
    "lock_feet",
    "perform",
    "render",
    "render_all",
    "retarget",
    "retimed",
    "save",
    "save_character",
    "save_keypoints",
    "save_mapping",
    "save_score",
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
