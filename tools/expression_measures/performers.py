"""Performers of the shared data: a trained performer's Efforts, and captures of gestures, pantomimes and styles.

Efforts are files of joint positions (omimo/Mova). Captures are those of Carnegie Mellon University: gestures and
pantomimes by themselves, and styles beside the same person's normal take of the same content.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from expression_measures.measuring import measure_take
from expression_measures.takes import Take, take_of
from kinesphere import Motion, Skeleton, load
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats

RATE = 120.0  # by the application that the position files belong to; they say nothing themselves
LABAN = {"punch": "Punch4", "dab": "Dab1", "float": "Float4", "glide": "Glide3"}
# The joints of ecuad1.skel2, in its order; the top of the head is no joint.
ROLES = (
    *("hips", "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"),
    *("rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes", "spine", "upperChest"),
    *("leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "leftMiddleProximal"),
    *("rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand", "rightMiddleProximal"),
    *("neck", "head", "top"),
)
GESTURES = {
    "13_09": "drink", "13_26": "direct traffic, wave", "79_06": "hand shake", "79_33": "chug a beer",
    "79_36": "answer the phone", "79_38": "drink water", "79_41": "sip coffee", "79_44": "wash a window",
    "79_10": "chop onions", "79_20": "hang a picture", "79_88": "swat a fly", "141_16": "wave hello",
    "141_22": "high five", "141_23": "shake hands",
}  # fmt: skip
FORCEFUL = {"02_05": "punch", "79_01": "chop wood", "79_08": "boxing", "141_14": "punch and kick", "144_20": "punches"}
MOODS = {"79_69": "very happy", "79_71": "sad", "79_73": "scared", "79_74": "upset"}
# A style, and the normal take of the same person and content.
STYLES = {
    "strong man, pick up": ("137_40", "137_27"),
    "graceful lady, pick up": ("137_22", "137_27"),
    "graceful lady, coffee mug": ("137_21", "137_26"),
}

Values = dict[str, float]


def data_folder() -> Path:
    """The folder of captures: KINESPHERE_DATA, or the one beside the repository."""
    return Path(os.environ.get("KINESPHERE_DATA") or Path(__file__).parents[3] / "shared" / "data")


def motion_of_points(places: Mapping[str, Floats], rate: float, name: str = "") -> Motion:
    """A motion of loose points, without a bone or a rotation: role to ``(T, 3)``."""
    at = np.stack([np.asarray(own, dtype=np.float64) for own in places.values()], axis=1)
    count = at.shape[1]
    skeleton = Skeleton(
        tuple(places), np.full(count, -1), np.zeros((count, 3)), roles={role: i for i, role in enumerate(places)}
    )
    return Motion(skeleton, rate, rotations.identity(*at.shape[:2]), at, name=name)


def load_positions(file: Path) -> Motion:
    """A motion from a file of 24 joint positions a line, without a header."""
    at = np.loadtxt(file, delimiter=",").reshape(-1, len(ROLES), 3)
    return motion_of_points({role: at[:, i] for i, role in enumerate(ROLES) if role != "top"}, RATE, file.stem)


def laban_takes(folder: Path) -> dict[str, Take]:
    """The performer's Efforts by name."""
    return {name: take_of(load_positions(folder / "laban" / f"{file}.csv"), name) for name, file in LABAN.items()}


def capture(folder: Path, clip: str) -> Take:
    """One clip of Carnegie Mellon's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return take_of(load(folder / "bvh" / "cmu" / f"{clip}.bvh"), clip)


def measure_performers(folder: Path) -> dict[str, dict[str, Values]]:
    """Measures by kind and clip; styles as differences from the normal take. Empty where the folder is absent."""
    if not (folder / "laban").is_dir() or not (folder / "bvh" / "cmu").is_dir():
        return {}
    found = {"efforts": {name: measure_take(take) for name, take in laban_takes(folder).items()}}
    for kind, clips in (("gestures", GESTURES), ("forceful", FORCEFUL), ("moods", MOODS)):
        found[kind] = {f"{clip} {about}": measure_take(capture(folder, clip)) for clip, about in clips.items()}
    styles = {}
    for name, (styled, normal) in STYLES.items():
        with_it, without = (measure_take(capture(folder, clip)) for clip in (styled, normal))
        styles[name] = {key: with_it[key] - without[key] for key in with_it if key in without}
    return found | {"styles": styles}
