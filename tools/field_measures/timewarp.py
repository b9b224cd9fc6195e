"""Time warping: accelerations of hands and feet onto another motion's pace, and beats on which nothing arrives."""

from __future__ import annotations

import warnings

import numpy as np

from kinesphere import Motion, Timewarp
from kinesphere.analysis.strokes import find_accents
from kinesphere.builtin import motion as builtin_motion
from kinesphere.motion.character import Character
from kinesphere.motion.errors import MotionFileWarning

ORDER = 15
SECONDS = 8.0  # of a clip that are warped
BPM = 100.0
ON_BEAT = 0.06  # seconds from an accent at which a beat is met
ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
ONTO = ("walk", "punch")
Rows = dict[str, dict[str, float]]


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Metres a second² and times its own at an even pace of one clip; beats, and of them those unmet and unsaid."""
    given = motion[int(motion.performed_frames[0]) :][: max(round(SECONDS * motion.rate), 3)]
    own, numbers = _hardest(given), {"hardest": 0.0, "times": 0.0, "unsaid": 0.0}
    for name in ONTO:
        onto = builtin_motion(name)
        made, said = _warped(Timewarp(onto), given)
        hardest = _hardest(made)
        times = hardest / max(own * max(given.duration / onto.duration, 1.0) ** 2, 10.0)
        numbers["hardest"], numbers["times"] = max(numbers["hardest"], hardest), max(numbers["times"], times)
        numbers["unsaid"] += float(times > 4.0 and not said)
    made, said = _warped(Timewarp(bpm=BPM), given)
    arrivals = np.array([accent.seconds for accent in find_accents(made)])
    beats = np.arange(1, int(made.duration * BPM / 60.0) + 1) * 60.0 / BPM
    unmet = sum(float(np.abs(arrivals - beat).min(initial=np.inf)) > ON_BEAT for beat in beats)
    return numbers | {"beats": float(len(beats)), "unmet": float(unmet), "silent": 0.0 if said else float(unmet)}


def summarise(rows: Rows) -> str:
    """The hardest clip, and all beats."""
    worst = max(rows, key=lambda clip: rows[clip]["times"])
    sums = {name: int(sum(row[name] for row in rows.values())) for name in ("unsaid", "beats", "unmet", "silent")}
    median = float(np.median([row["times"] for row in rows.values()]))
    return (
        f"hardest acceleration, times that of an even pace: median {median:.1f}, worst {rows[worst]['times']:.1f}, "
        f"{rows[worst]['hardest']:.0f} m/s² ({worst}), {sums['unsaid']} above 4 without a word; "
        f"nothing arrives on {sums['unmet']} of {sums['beats']} beats, {sums['silent']} of them without a word"
    )


def _warped(edit: Timewarp, given: Motion) -> tuple[Motion, bool]:
    """The warped motion, and whether anything was said."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", MotionFileWarning)
        made = edit(given)
    return made, bool(told)


def _hardest(motion: Motion) -> float:
    """The greatest acceleration of a hand or foot, in metres a second²."""
    roles = motion.skeleton.with_found_roles().roles
    paths = motion.positions_world()[:, [roles[role] for role in ENDS if role in roles]]
    return float(np.linalg.norm(np.diff(paths, 2, axis=0), axis=-1).max(initial=0.0)) * motion.rate**2
