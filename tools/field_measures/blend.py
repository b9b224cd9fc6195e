"""Blending: the first motion alone, pops between unlike motions, and soles under the ground.

Each clip is blended with a walk of another body, facing the other way, and with its own mirror image.
"""

from __future__ import annotations

from functools import cache

import numpy as np

import kinesphere
from kinesphere import Blend, Motion
from kinesphere.builtin import motion as builtin_motion
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.transform import move_motion

ORDER = 14
SECONDS = 6.0  # of a clip that are blended
FEET = ("leftFoot", "rightFoot", "leftToes", "rightToes")
TURN = rotations.from_rotation_vector(np.array([0.0, np.pi, 0.0]))
Rows = dict[str, dict[str, float]]


@cache
def partner() -> Motion:
    """A walk of a small, round body, the other way and at another rate."""
    walk = kinesphere.retarget(builtin_motion("walk"), kinesphere.mo())
    return move_motion(walk.resampled(24.0), TURN, np.array([1.0, 0.0, -2.0]))


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Millimetres of one clip: off the first motion, and a frame's step and the soles' depth beyond the sources'."""
    performed = motion.performed_frames
    first = motion[int(performed[0]) :][: max(round(SECONDS * motion.rate), 2)]
    alone = Blend([1.0, 0.0])(first, partner())
    count = min(len(alone), len(first))
    numbers = {"first": 1e3 * _apart(alone[:count], first[:count]), "step": 0.0, "depth": 0.0}
    for other in (kinesphere.retarget(partner(), first).resampled(first.rate), first.mirrored()):
        made, sources = Blend([0.5, 0.5])(first, other), (first, other)
        numbers["step"] = max(numbers["step"], 1e3 * (_step(made) - max(_step(one) for one in sources)))
        numbers["depth"] = max(numbers["depth"], 1e3 * (min(_lowest(one) for one in sources) - _lowest(made)))
    return numbers


def summarise(rows: Rows) -> str:
    """Medians and worst clips."""
    parts = []
    for name, said in (("first", "Blend([1, 0]) off the first"), ("step", "step added"), ("depth", "soles sunk")):
        worst = max(rows, key=lambda clip: rows[clip][name])
        median = float(np.median([row[name] for row in rows.values()]))
        parts.append(f"{said}: median {median:.1f}, worst {rows[worst][name]:.1f} mm ({worst})")
    return "; ".join(parts)


def _apart(one: Motion, other: Motion) -> float:
    return float(np.linalg.norm(one.positions_world() - other.positions_world(), axis=-1).max())


def _step(motion: Motion) -> float:
    """The longest way of any joint in a frame, in metres."""
    return float(np.linalg.norm(np.diff(motion.positions_world(), axis=0), axis=-1).max())


def _lowest(motion: Motion) -> float:
    """The lowest that any foot comes to, in metres above the ground that was found."""
    roles = motion.skeleton.with_found_roles().roles
    feet: Floats = motion.positions_world()[:, [roles[role] for role in FEET if role in roles], 1]
    return float(feet.min()) - kinesphere.find_ground(motion).height
