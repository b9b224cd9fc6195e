"""Infer a file's unit and up axis from the body in it.

Formats such as BVH record neither. Heads are above feet, and people are between one and a half and two metres tall.
Every answer comes with its evidence as a sentence, and ``load`` has options that override it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, unit
from kinesphere.motion.skeleton import Skeleton

AXES = {
    "x": np.array([1.0, 0.0, 0.0]),
    "y": np.array([0.0, 1.0, 0.0]),
    "z": np.array([0.0, 0.0, 1.0]),
    "-x": np.array([-1.0, 0.0, 0.0]),
    "-y": np.array([0.0, -1.0, 0.0]),
    "-z": np.array([0.0, 0.0, -1.0]),
}
UNITS = {"metres": 1.0, "decimetres": 0.1, "inches": 0.0254, "centimetres": 0.01, "millimetres": 0.001}
CMU_UNIT = 0.0254 / 0.45  # the scale factor in CMU's own skeleton files
SHORTEST, TALLEST, USUAL = 1.35, 2.15, 1.7  # metres
METRIC = ("centimetres", "millimetres")  # in these a child is read as a child; inches would make giants of them
CHILD, GIANT = 0.78, 2.6  # metres
LEG_SHARE = 0.491  # hip to ankle over stature (Winter, Biomechanics and Motor Control of Human Movement)
LARGEST_IN_METRES = 12.0  # up to this size a number is taken for metres when nothing fits a human


@dataclass(frozen=True)
class RawPose:
    """A skeleton and its motion in a file's own units and axes."""

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats  # (J, 3)
    tips: tuple[tuple[int, Floats], ...]
    rotations: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)


def joints_named(names: tuple[str, ...], *words: str) -> list[int]:
    """Joints whose names contain one of the words."""
    return [i for i, name in enumerate(names) if any(word in name.lower() for word in words)]


def find_scale(raw: RawPose) -> tuple[float, str]:
    """Metres in one unit of the file, and why."""
    estimates = _height_estimates(raw)
    if not estimates:
        return 1.0, "the skeleton has no extent: its unit is taken to be the metre"
    human = bool(_leg_length(raw)) and bool(joints_named(raw.names, "head", "neck"))
    size, measure = estimates[0]
    if human and _is_cmu(raw.names) and SHORTEST <= size * CMU_UNIT <= TALLEST:
        return (
            CMU_UNIT,
            f"{measure}; with CMU's joint names and unit (1/0.45 inch) that is {size * CMU_UNIT:.2f} m",
        )
    if human:
        for size_by, measure_by in estimates:
            unit = _unit_of_a_person(size_by)
            if unit:
                return UNITS[unit], f"{measure_by}: in {unit} that is {size_by * UNITS[unit]:.2f} m"
    # From here on nothing is known. Reading a file that was scaled by this choice must choose 1.
    if size <= LARGEST_IN_METRES:
        return 1.0, f"{measure}: no unit makes that a person, so it is taken to be in metres"
    if human:
        return USUAL / size, f"{measure}: no usual unit makes that a person, so it is scaled to {USUAL} m"
    metres = 0.01 if size * 0.01 <= LARGEST_IN_METRES else min(0.001, 10.0 / size)
    return metres, f"{measure}: taken to be in units of {metres:g} m"


def _unit_of_a_person(size: float) -> str:
    """The unit in which a body of this size is an adult, or else a child; empty where there is none."""
    for name, metres in UNITS.items():
        tallest = TALLEST if name != "inches" else 2.0
        if SHORTEST <= size * metres <= tallest:
            return name
    return next((name for name in METRIC if CHILD <= size * UNITS[name] <= GIANT), "")


def find_up(raw: RawPose) -> tuple[str, str, str]:
    """The axis that is up in the motion, the one that is up in the rest pose, and why."""
    heads, feet = _head_and_feet(raw)
    if not heads or not feet:
        return "y", "y", "no head and feet were found, so Y is taken to be up"
    rest_rotations = rotations.identity(len(raw.names))
    rest = kinematics.forward(rest_rotations, raw.offsets, raw.parents)[1]
    frames = np.unique(np.linspace(0, len(raw.rotations) - 1, 64).astype(np.intp))
    posed = kinematics.forward(raw.rotations[frames], raw.translations[frames], raw.parents)[1]
    rest_axis, rest_share = _axis_along(_upright(rest[None], heads[0], feet))
    axis, share = _axis_along(_upright(posed, heads[0], feet))
    observation = f"in the motion the head is above the feet along {axis.upper()} ({share:.0%} of the way)"
    if axis == rest_axis and share > 0.5:
        return axis, rest_axis, f"{observation}, and so it is at rest"
    leg = _leg_length(raw) or float(np.linalg.norm(rest[heads[0]] - rest[feet[0]])) / 2.0
    height = float(np.median(posed[:, 0] @ AXES[axis]))
    if rest_axis == "y" and rest_share > 0.8 and _lies_on_the_floor(posed, leg):
        return "y", "y", f"{observation}, but nothing is below the floor or far above it along Y: the body lies"
    if share > 0.6 and 0.5 * leg < height < 2.0 * leg:
        return axis, rest_axis, f"{observation}, and the root stands a leg's length above zero on it"
    if rest_share > 0.8:
        return rest_axis, rest_axis, f"{observation}, but at rest along {rest_axis.upper()}, which is taken to be up"
    return "y", rest_axis, f"{observation}, which is no clear answer, so Y is taken to be up"


def _head_and_feet(raw: RawPose) -> tuple[list[int], list[int]]:
    """By their names; else, where the skeleton is surely a humanoid's, by their roles."""
    heads, feet = joints_named(raw.names, "head"), _feet(raw.names)
    if heads and feet:
        return heads, feet
    from kinesphere.motion.roles import find_roles  # only for names that say nothing: it takes longer than all the rest
    from kinesphere.motion.roles.rolemap import SURE

    found = find_roles(Skeleton(raw.names, raw.parents, raw.offsets))
    if not found.is_humanoid or found.overall < SURE:
        return [], []
    return [found.roles["head"]], [found.roles["leftFoot"], found.roles["rightFoot"]]


def _lies_on_the_floor(posed: Floats, leg: float) -> bool:
    """Whether the lowest joint is about at zero along Y and the root a little above: a body on the floor.

    Along an axis of depth, joints would be before and behind the root alike.
    """
    lowest = float(np.percentile(posed[..., 1].min(axis=1), 10))
    root, highest = float(np.median(posed[:, 0, 1])), float(np.median(posed[..., 1].max(axis=1)))
    return -0.03 * leg < lowest < 0.16 * leg and 0.04 * leg < root < 0.45 * leg and highest < 0.8 * leg


def rotation_to_y_up(axis: str) -> Floats:
    """The rotation that takes an axis to +Y: for Z up, 90° about X, so that left and right stay."""
    quarter = 0.5 * np.pi
    vectors = {
        "y": [0.0, 0.0, 0.0],
        "z": [-quarter, 0.0, 0.0],
        "-z": [quarter, 0.0, 0.0],
        "-y": [2.0 * quarter, 0.0, 0.0],
        "x": [0.0, 0.0, quarter],
        "-x": [0.0, 0.0, -quarter],
    }
    return rotations.from_rotation_vector(vectors[axis])


def _height_estimates(raw: RawPose) -> list[tuple[float, str]]:
    """Estimates of the body's height in file units, each with its evidence, the better one first."""
    found = []
    leg = _leg_length(raw)
    if leg > 0.0:
        height = leg / LEG_SHARE
        found.append((height, f"thigh and shin are {leg:.4g} units long, a body of about {height:.4g}"))
    rest = kinematics.forward(rotations.identity(len(raw.names)), raw.offsets, raw.parents)[1]
    points = np.concatenate([rest, *(rest[None, joint] + offset for joint, offset in raw.tips)])
    extent = float(np.ptp(points, axis=0).max())
    if extent > 0.0:
        found.append((extent, f"the skeleton is {extent:.4g} units across at rest"))
    return found


def _leg_length(raw: RawPose) -> float:
    """Thigh plus shin: the two bones above a foot. 0 where no foot is found by name."""
    lengths = np.linalg.norm(raw.offsets, axis=1)
    found = []
    for foot in _feet(raw.names)[:2]:
        knee = int(raw.parents[foot])
        if knee >= 0 and raw.parents[knee] >= 0:
            found.append(float(lengths[foot] + lengths[knee]))
    return float(np.median(found)) if found else 0.0


def _feet(names: tuple[str, ...]) -> list[int]:
    return joints_named(names, "foot", "ankle")


def _is_cmu(names: tuple[str, ...]) -> bool:
    return {"LHipJoint", "RHipJoint", "LowerBack"} <= set(names)


def _upright(positions: Floats, head: int, feet: list[int]) -> Floats:
    """Unit vectors from the feet to the head ``(T, 3)``."""
    return unit(positions[:, head] - positions[:, feet].mean(axis=1))


def _axis_along(directions: Floats) -> tuple[str, float]:
    """The coordinate axis nearest to the mean direction, and the mean direction's component along it."""
    mean = directions.mean(axis=0)
    name = max(AXES, key=lambda axis: float(mean @ AXES[axis]))
    return name, float(mean @ AXES[name])
