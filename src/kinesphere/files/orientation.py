"""Infer a file's unit and up axis from the body in it.

Formats such as BVH record neither. Heads are above feet, and people are between one and a half and two metres tall.
Every answer comes with its evidence as a sentence, and ``load`` has options that override it. What is doubtful, such as
a rest pose that lies while the motion stands, is said as a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.files.landmarks import Landmarks, ancestors
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, unit

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
DOLL, OGRE = 0.5, 3.0  # metres: a person smaller or taller than that is doubted
FEWEST_OF_A_BODY = 12  # joints: what has fewer is a prop, and nobody's height is asked for
USUALLY_UP = ("y", "z")
SCALE_HINT = "scale (--scale) says how many metres a unit is"
UP_HINT = "up (--up) says which axis it is"
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


class Unit(NamedTuple):
    """Metres in one unit of a file, why, and what is doubtful about it, if anything."""

    metres: float
    why: str
    doubt: str = ""


class UpAxis(NamedTuple):
    """The axis that is up in the motion, the one that is up in the rest pose, why, and what is doubtful about it."""

    axis: str
    rest: str
    why: str
    doubt: str = ""


def find_scale(raw: RawPose, marks: Landmarks | None) -> Unit:
    """Metres in one unit of the file. ``marks`` are the landmarks of the person in it."""
    estimates = _height_estimates(raw, marks)
    if not estimates:
        return Unit(1.0, "the skeleton has no extent: its unit is taken to be the metre")
    size, measure = estimates[0]
    if marks is not None:
        if _is_cmu(raw.names) and _is_adult(size * CMU_UNIT):
            return Unit(
                CMU_UNIT, f"{measure}; with CMU's joint names and unit (1/0.45 inch) that is {size * CMU_UNIT:.2f} m"
            )
        for size_by, measure_by in estimates:
            if unit := _unit_of_a_person(size_by):
                why = f"{measure_by}: in {unit} that is {size_by * UNITS[unit]:.2f} m"
                return Unit(UNITS[unit], why, "" if marks.sure else f"{why}, if it is a person")
        if _is_adult(size * CMU_UNIT):
            why = f"{measure}: in CMU's unit (1/0.45 inch) that is {size * CMU_UNIT:.2f} m, in no other a person"
            return Unit(CMU_UNIT, why, why)
    # From here on nothing is known. Reading a file that was scaled by this choice must choose 1.
    if size <= LARGEST_IN_METRES:
        why = f"{measure}: no unit makes that a person, so it is taken to be in metres"
        return Unit(1.0, why, why if marks is not None and not DOLL <= size <= OGRE else "")
    if marks is not None:
        why = f"{measure}: no usual unit makes that a person, so it is scaled to {USUAL} m"
        return Unit(USUAL / size, why, why)
    metres = 0.01 if size * 0.01 <= LARGEST_IN_METRES else min(0.001, 10.0 / size)
    why = f"{measure}: taken to be in units of {metres:g} m"
    doubt = f"no person was found in it, by names or by shape; {why}, and Y to be up"
    return Unit(metres, why, doubt if len(raw.names) >= FEWEST_OF_A_BODY else "")


def _is_adult(height: float) -> bool:
    return SHORTEST <= height <= TALLEST


def _unit_of_a_person(size: float) -> str:
    """The unit in which a body of this size is an adult, or else a child; empty where there is none."""
    for name, metres in UNITS.items():
        tallest = TALLEST if name != "inches" else 2.0
        if SHORTEST <= size * metres <= tallest:
            return name
    return next((name for name in METRIC if CHILD <= size * UNITS[name] <= GIANT), "")


# The vertical axis


class Stance(NamedTuple):
    """How a person is placed in some frames, in the file's units and axes."""

    positions: Floats  # (T, J, 3)
    hips: Floats  # (T, 3) the middle between the beginnings of the legs
    upright: Floats  # (T, 3) unit vectors from the feet to the head
    leg: float

    def share(self, axis: str) -> float:
        """How far the head is above the feet along an axis, on the mean, of their distance."""
        return float(self.upright.mean(axis=0) @ AXES[axis])

    def level(self, axis: str) -> float:
        """The usual lowest place along an axis: the floor's, if that axis is up."""
        return float(np.percentile((self.positions @ AXES[axis]).min(axis=1), 10.0))

    def stands(self, axis: str) -> bool:
        """Whether the head is above the feet along an axis, and the hips are about a leg's length above zero."""
        return self.share(axis) > 0.6 and 0.5 * self.leg < float(np.median(self.hips @ AXES[axis])) < 2.0 * self.leg

    def lies(self, axis: str) -> bool:
        """Whether the lowest joint is about at zero along an axis and all others a little above: a body on the floor.

        Along an axis of depth, joints would be before and behind the hips alike.
        """
        heights, hips = self.positions @ AXES[axis], float(np.median(self.hips @ AXES[axis]))
        near = -0.03 * self.leg < self.level(axis) < 0.16 * self.leg and 0.04 * self.leg < hips < 0.45 * self.leg
        return near and float(np.median(heights.max(axis=1))) < 0.8 * self.leg


def find_stance(positions: Floats, marks: Landmarks) -> Stance:
    """The stance of a person in poses ``(T, J, 3)``."""
    hips, feet = (positions[:, list(joints)].mean(axis=1) for joints in (marks.thighs, marks.feet))
    leg = marks.leg or float(np.median(np.linalg.norm(positions[:, marks.head] - feet, axis=1))) / 2.0
    return Stance(positions, hips, unit(positions[:, marks.head] - feet), leg)


def sample_frames(count: int) -> Ints:
    """Up to 64 frames of so many, evenly spaced."""
    return np.unique(np.linspace(0, count - 1, 64).astype(np.intp))


def posed_stance(raw: RawPose, marks: Landmarks) -> Stance:
    """The stance in up to 64 frames of a motion."""
    frames = sample_frames(len(raw.rotations))
    posed = kinematics.forward(raw.rotations[frames], raw.translations[frames], raw.parents)[1]
    return find_stance(posed, marks)


def find_up(raw: RawPose, marks: Landmarks | None) -> UpAxis:
    """The vertical axis. Files are Y- or Z-up; others are considered only where neither fits.

    Where the rest pose and the motion disagree, a body on its feet decides.
    """
    if marks is None:
        return UpAxis("y", "y", "no head and feet were found, so Y is taken to be up")
    rest = kinematics.forward(rotations.identity(len(raw.names)), raw.offsets, raw.parents)[1]
    rest_axis, rest_share = _axis_along(find_stance(rest[None], marks).upright)
    posed = posed_stance(raw, marks)
    axis, share = _axis_along(posed.upright)
    seen = f"in the motion the head is above the feet along {axis.upper()} ({share:.0%} of the way)"
    at_rest = f"at rest along {rest_axis.upper()}"
    if axis == rest_axis and share > 0.5:
        return _agreed(posed, axis, seen)
    if rest_axis == "y" and rest_share > 0.8 and posed.lies("y"):
        return UpAxis("y", "y", f"{seen}, but nothing is below the floor or far above it along Y: the body lies")
    if axis in USUALLY_UP and posed.stands(axis):
        why = f"{seen}, and the hips are a leg's length above zero on it"
        doubt = f"{why}, but {at_rest}: {axis.upper()} is taken to be up" if axis != rest_axis else ""
        return UpAxis(axis, rest_axis, why, doubt)
    for lying in USUALLY_UP:
        if posed.lies(lying):
            why = f"{seen}, but nothing is below the floor or far above it along {lying.upper()}: the body lies"
            return UpAxis(lying, rest_axis, why, "" if lying == rest_axis else f"{why}, {at_rest} it does not")
    return _disagreed(posed, (axis, share), (rest_axis, rest_share), seen)


def _agreed(posed: Stance, axis: str, seen: str) -> UpAxis:
    """Rest pose and motion are upright along the same axis. Only a body that lies makes another one up."""
    why = f"{seen}, and so it is at rest"
    others = [other for other in USUALLY_UP if other != axis and axis != "y" and posed.lies(other)]
    if others and not (axis in USUALLY_UP and posed.stands(axis)):
        lying = f"{why}, but nothing is below the floor or far above it along {others[0].upper()}: the body lies"
        return UpAxis(others[0], axis, lying, lying)
    doubt = "" if axis in USUALLY_UP else f"{why}: {axis.upper()} is taken to be up, where most files have Y or Z"
    return UpAxis(axis, axis, why, doubt)


def _disagreed(posed: Stance, motion: tuple[str, float], rest: tuple[str, float], seen: str) -> UpAxis:
    """The axis where motion and rest pose (each an axis and its share) differ, and the body is not on a floor."""
    (axis, share), (rest_axis, rest_share) = motion, rest
    if axis == rest_axis and rest_share > 0.8:
        return UpAxis(axis, axis, f"{seen}, and clearly so at rest")
    at_rest = f"{seen}, but at rest along {rest_axis.upper()}"
    if axis in USUALLY_UP and share > 0.6 and (rest_axis not in USUALLY_UP or (axis == "y" and share > 0.9)):
        why = f"{at_rest}: {axis.upper()} is taken to be up"
        return UpAxis(axis, rest_axis, why, why)
    if rest_axis in USUALLY_UP and rest_share > 0.8:
        why = f"{at_rest}, which is taken to be up"
        return UpAxis(rest_axis, rest_axis, why, why if share > 0.6 else "")
    if posed.stands(axis):
        why = f"{at_rest}; the hips are a leg's length above zero on {axis.upper()}, which is taken to be up"
        return UpAxis(axis, rest_axis, why, why)
    why = f"{at_rest}, which is no clear answer, so Y is taken to be up"
    return UpAxis("y", rest_axis, why, why)


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


def _height_estimates(raw: RawPose, marks: Landmarks | None) -> list[tuple[float, str]]:
    """Estimates of the body's height in file units, each with its evidence, the better one first."""
    found = []
    if marks is not None and marks.leg > 0.0:
        height = marks.leg / LEG_SHARE
        how = f" ({marks.evidence})" if marks.evidence else ""
        found.append((height, f"thigh and shin are {marks.leg:.4g} units long{how}, a body of about {height:.4g}"))
    rest = kinematics.forward(rotations.identity(len(raw.names)), raw.offsets, raw.parents)[1]
    above = (
        [] if marks is None else ancestors(marks.hips, raw.parents)[1:]
    )  # a root on the floor is no part of the body
    own = np.delete(rest, above, axis=0)
    points = np.concatenate([own, *(rest[None, joint] + offset for joint, offset in raw.tips)])
    extent = float(np.ptp(points, axis=0).max())
    if extent > 0.0:
        found.append((extent, f"the skeleton is {extent:.4g} units across at rest"))
    return found


def _is_cmu(names: tuple[str, ...]) -> bool:
    return {"LHipJoint", "RHipJoint", "LowerBack"} <= set(names)


def _axis_along(directions: Floats) -> tuple[str, float]:
    """The coordinate axis nearest to the mean direction, and the mean direction's component along it."""
    mean = directions.mean(axis=0)
    name = max(AXES, key=lambda axis: float(mean @ AXES[axis]))
    return name, float(mean @ AXES[name])
