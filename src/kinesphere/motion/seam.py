"""The seam of two motions: the jump across it is added to the second motion and fades out, in pose and in velocity.

Places are not blended with places, so that nothing of the second motion is lost once the jump has faded. Joints' own
rotations would let feet that stand drift; so each ankle's jump fades in the world, and the leg is bent to meet it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, clip, cross, norms, smootherstep, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

VELOCITY_SHARE = 0.6  # of the blend's time within which the difference of velocities fades
TURN = float(np.radians(60.0))  # of the hips across the seam, beyond which feet follow the hips
SLOW, QUICK = 0.2, 0.6  # metres a second of an ankle: below it stands; above it swings, and follows the hips
USUAL = 1.5  # times the changes of steps before and after a cut that a difference across it is put down to
CLEAR_BEND = 0.3  # sine of a knee's angle that shows which way it bends


class _Fade(NamedTuple):
    """Weights ``(T,)`` of the jump and of the difference in velocity, in seconds, after the seam."""

    jump: Floats
    velocity: Floats


def fade_jump(first: Motion, end: int, second: Motion, blend: float) -> tuple[Floats, Floats]:
    """Rotations and translations of the second motion, whose first frame goes on from ``first[end]``.

    The jump and the difference of velocities fade out within ``blend`` seconds by quintics, without a corner in
    velocity at either end. A motion that is cut in two comes out as it was.
    """
    own = slice(0, min(int(np.ceil(blend * second.rate)), len(second)))
    fade = _fade(np.arange(own.stop) / second.rate, blend)
    q, t = second.rotations.copy(), second.translations.copy()
    q[own] = _fade_rotations(first.rotations[: end + 1], q, fade, second.rate)
    t[own] = t[own] + _fade_vectors(first.translations[: end + 1], t, fade, second.rate)
    _place_feet(first[: end + 1], second, q[own], t[own], fade)
    return q, t


def _fade(seconds: Floats, blend: float) -> _Fade:
    brief = VELOCITY_SHARE * blend
    u = clip(seconds / brief, 0.0, 1.0)
    return _Fade(1.0 - smootherstep(seconds / blend), brief * (u - u**3 * (6.0 - u * (8.0 - 3.0 * u))))


def _fade_vectors(before: Floats, after: Floats, fade: _Fade, rate: float) -> Floats:
    """What to add to vectors ``after (T, …, 3)`` so that they go on from ``before``."""
    old, new = np.diff(before[-3:], axis=0), np.diff(after[:3], axis=0)
    across = 0.5 * (_or_zero(old[-1:]) + _or_zero(new[:1]))
    return _faded(before[-1] + across - after[0], rate * _unexplained(old, new), fade)


def _fade_rotations(before: Floats, after: Floats, fade: _Fade, rate: float) -> Floats:
    """Rotations ``after (T, …, 4)`` that go on from ``before``, as many as there are weights."""
    old, new = _turns(before[-3:]), _turns(after[:3])
    across = 0.5 * (_or_zero(old[-1:]) + _or_zero(new[:1]))
    start = rotations.multiply(rotations.from_rotation_vector(across), before[-1])
    jump = rotations.to_rotation_vector(rotations.multiply(start, rotations.conjugate(after[0])))
    turn = rotations.from_rotation_vector(_faded(jump, rate * _unexplained(old, new), fade))
    return rotations.multiply(turn, after[: len(fade.jump)])


def _faded(jump: Floats, velocity: Floats, fade: _Fade) -> Floats:
    """``(T, …, 3)`` a jump and a difference of velocities as they fade."""
    column = (-1, *(1,) * jump.ndim)
    return np.asarray(jump * fade.jump.reshape(column) + velocity * fade.velocity.reshape(column))


def _turns(quaternions: Floats) -> Floats:
    """Rotation vectors from each frame to the next."""
    return rotations.to_rotation_vector(rotations.multiply(quaternions[1:], rotations.conjugate(quaternions[:-1])))


def _or_zero(steps: Floats) -> Floats:
    """The only step; zero where there is none."""
    return steps[0] if len(steps) else np.zeros(steps.shape[1:])


def _unexplained(old: Floats, new: Floats) -> Floats:
    """The difference of the last of steps ``old`` and the first of ``new`` that their own changes don't explain.

    Steps that grow from frame to frame, or that are noisy, differ across any cut.
    """
    apart = _or_zero(old[-1:]) - _or_zero(new[:1])
    usual = norms(_or_zero(np.diff(old, axis=0)[-1:])) + norms(_or_zero(np.diff(new, axis=0)[:1]))
    size = norms(apart)
    return np.asarray(apart * (np.maximum(size - USUAL * usual, 0.0) / np.maximum(size, 1e-12))[..., None])


# Feet


def _place_feet(before: Motion, after: Motion, q: Floats, t: Floats, fade: _Fade) -> None:
    """Bend the legs of a faded pose ``q, t`` in place, so that each foot's own jump fades in the world."""
    roles = after.skeleton.with_found_roles().roles
    legs = _leg_joints(after.skeleton)
    if len(q) == 0 or "hips" not in roles or not legs:
        return
    count = min(len(q) + 2, len(after))
    (ended, ended_at), (later, later_at) = before[-3:].world(), after[:count].world()
    if rotations.angle_between(ended[-1, roles["hips"]], later[0, roles["hips"]]) > TURN:
        return
    parents = after.skeleton.parents
    world, places = kinematics.forward(q, t, parents)
    for upper, lower, foot in legs:
        steps = [np.diff(path, axis=0) for path in (ended_at[-2:, foot], later_at[:2, foot])]
        speed = max(float(norms(step).max(initial=0.0)) for step in steps) * after.rate
        share = 1.0 - smootherstep((speed - SLOW) / (QUICK - SLOW))
        goal = later_at[: len(q), foot] + _fade_vectors(ended_at[:, foot], later_at[:, foot], fade, after.rate)
        goal = places[:, foot] + share * (goal - places[:, foot])
        goal[:, 1] = np.maximum(goal[:, 1], np.minimum(ended_at[-1, foot, 1], later_at[: len(q), foot, 1]))
        heading = _fade_rotations(ended[:, foot], later[:, foot], fade, after.rate)
        heading = rotations.slerp(world[:, foot], heading, np.full(len(q), share))
        _place_foot(q, world, places, parents, (upper, lower, foot), goal, heading)


def _leg_joints(skeleton: Skeleton) -> list[tuple[int, int, int]]:
    """Thigh, shin and foot of the left and the right leg; none of a body that lacks one of them."""
    roles = skeleton.with_found_roles().roles
    legs = [tuple(roles.get(f"{side}{part}", -1) for part in ("UpperLeg", "LowerLeg", "Foot")) for side in SIDES]
    return [] if any(min(leg) < 0 for leg in legs) else [(leg[0], leg[1], leg[2]) for leg in legs]


def _place_foot(
    q: Floats, world: Floats, places: Floats, parents: Ints, leg: tuple[int, int, int], goal: Floats, heading: Floats
) -> None:
    """Bend a leg of local rotations ``q (T, J, 4)`` in place, so that its ankle is at ``goal (T, 3)``.

    The foot's world rotation becomes ``heading (T, 4)``. ``world`` and ``places`` are the joints' before; ``leg`` has
    thigh, shin and foot.
    """
    upper, lower, foot = leg
    bend, swing = _bend_leg(places[:, upper], places[:, lower], places[:, foot], world[:, upper], goal)
    _turn_joint(q, world, parents, lower, bend)
    _turn_joint(q, world, parents, upper, swing)
    above = rotations.multiply(swing, rotations.multiply(bend, world[:, parents[foot]]))
    q[:, foot] = rotations.multiply(rotations.conjugate(above), heading)


def _bend_leg(hip: Floats, knee: Floats, ankle: Floats, thighs: Floats, goal: Floats) -> tuple[Floats, Floats]:
    """Rotations in the world ``(T, 4)``, of the shin and then of the whole leg, that bring an ankle to its goal.

    A knee that is nearly straight bends about the axis, in the frame of its thigh ``(T, 4)``, that it bends about on
    the whole; others about their own.
    """
    thigh, shin, whole = knee - hip, ankle - knee, goal - hip
    own = cross(unit(thigh), unit(shin))
    usual = rotations.rotate(rotations.conjugate(thighs), own).sum(axis=0)
    if np.linalg.norm(usual) < 1e-6:
        usual = rotations.rotate(rotations.conjugate(thighs[0]), rotations.perpendicular(unit(thigh[0])))
    axis = rotations.rotate(thighs, unit(usual))
    share = smootherstep(np.maximum(np.sum(own * axis, axis=-1), 0.0) / CLEAR_BEND)[:, None]
    axis = share * unit(own) + (1.0 - share) * axis
    bend = _flexion(norms(thigh), norms(shin), norms(whole)) - _flexion(norms(thigh), norms(shin), norms(ankle - hip))
    turn = rotations.from_rotation_vector(unit(axis) * bend[:, None])
    return turn, rotations.rotation_between(thigh + rotations.rotate(turn, shin), whole)


def _flexion(upper: Floats, lower: Floats, distance: Floats) -> Floats:
    """The knee's angle ``(T,)`` at which hip and ankle are so far apart, 0 where it is straight."""
    cosine = (distance**2 - upper**2 - lower**2) / np.maximum(2.0 * upper * lower, 1e-12)
    return np.asarray(np.arccos(clip(cosine, -1.0, 1.0)))


def _turn_joint(q: Floats, world: Floats, parents: Ints, joint: int, turn: Floats) -> None:
    """Rotate a joint of local rotations ``q (T, J, 4)`` by rotations in the world ``(T, 4)``, in place."""
    above = rotations.identity() if parents[joint] < 0 else world[:, parents[joint]]
    local = rotations.multiply(rotations.conjugate(above), rotations.multiply(turn, above))
    q[:, joint] = rotations.multiply(local, q[:, joint])
