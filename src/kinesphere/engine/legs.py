"""Feet on the ground and the legs that reach them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kinesphere.engine.channels import ChannelCurves
from kinesphere.engine.pose import ANKLE_OUT, FEET_AHEAD, SIGN, TURNED_OUT, Pose, figure_limb, rotation_from_components
from kinesphere.engine.proportions import HEIGHT
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.rotations import axis_angle_quaternion, quaternion_product, rotate_vector, write_quaternion
from kinesphere.maths.two_bone import reach_limits_kernel, solve_limb_kernel, solve_limb_rotations
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.gesture import Step
from kinesphere.motion.skeleton import Skeleton

LIFT = 0.16  # of a step's length: how high the foot goes
MOST_LIFT = 0.07  # metres
SOFT = np.radians(4.5)  # of flexion that a standing knee keeps
WORTH = 100  # a leg is far more work than a number of a product
KNEE_OUT = 0.5  # knees point between where the pelvis and where the foot points


def solve_stance(pose: Pose, channels: ChannelCurves, side: str, steps: Sequence[Sequence[Step]]) -> None:
    """Plant feet, let them peel or step, and lay legs between them and the hips: ``steps`` are each performance's."""
    ankle, sole, still = _standing(pose.skeleton, side, pose.size)
    peel = channels[f"{side}.foot.peel"]
    if not any(steps):
        ball = np.broadcast_to(still, (len(peel), 3))
        solve_leg(pose, side, ball, np.full(len(peel), SIGN[side] * TURNED_OUT), peel, np.maximum(peel, 0.0))
        return
    walked = np.zeros((5, len(pose.spans)))
    for frames, own in zip(pose.spans.slices(), steps, strict=True):
        if own:
            walked[:, frames] = _walked(pose.spans.time[frames], own)
    x, z, turn, up, pitch = walked
    heading, peel, moved = SIGN[side] * TURNED_OUT + turn, peel + pitch, np.stack([x, up, z], axis=-1)
    # The foot stands with its ankle where it stood at rest and turns about its ball.
    ball = ankle + pose.size * moved + rotations.rotate(rotation_from_components(y=heading), sole)
    solve_leg(pose, side, ball, heading, peel, np.maximum(peel, 0.0))


@lru_cache(maxsize=32)
def _standing(skeleton: Skeleton, side: str, size: float) -> tuple[Floats, Floats, Floats]:
    """Where an ankle stands, the way from it to the ball of a foot that points ahead, and where the ball stands."""
    place = skeleton.rest_world()[1]
    ankle, ball = (place[skeleton.index(f"{side}{part}")] for part in ("Foot", "Toes"))
    stood = np.array([SIGN[side] * ANKLE_OUT, 0.0, FEET_AHEAD]) * size + [0.0, ankle[1], 0.0]
    sole = ball - ankle
    return stood, sole, stood + rotations.rotate(rotation_from_components(y=SIGN[side] * TURNED_OUT), sole)


def leg_overreach(pose: Pose) -> Floats:
    """``(F,)`` metres by which the hips would have to sink for both legs to reach their feet with soft knees."""
    skeleton, needed = pose.skeleton, np.zeros(len(pose.spans))
    kernels = compiled.loaded(WORTH * len(needed))
    for side in SIGN:
        upper, lower, foot = (skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
        longest = float(np.cos(0.5 * SOFT) * (skeleton.bone_lengths[lower] + skeleton.bone_lengths[foot]))
        if kernels is not None:
            stood, offset = pose.stood[side], skeleton.offsets[upper]
            kernels.overreach(pose.local, pose.places, stood, offset, longest, needed)
            continue
        way = pose.stood[side] - hip_position(pose, side)
        level = np.hypot(way[:, 0], way[:, 2])
        needed = np.maximum(needed, -way[:, 1] - np.sqrt(np.maximum(longest**2 - level**2, 0.0)))
    return needed


def hip_position(pose: Pose, side: str) -> Floats:
    """``(F, 3)`` where the leg begins."""
    offset = pose.skeleton.offsets[pose.skeleton.index(f"{side}UpperLeg")]
    return np.asarray(pose.places[:, 0] + rotations.rotate(pose.local[:, 0], offset))


def solve_leg(pose: Pose, side: str, ball: Floats, heading: Floats, pitch: Floats, toes: Floats) -> None:
    """The leg to a foot with its ball at ``ball (F, 3)``, pitched about it, heel up above zero, toes bent up."""
    kernels = compiled.loaded(WORTH * len(ball))
    if kernels is None:
        solve_leg_reference(pose, side, ball, heading, pitch, toes)
        return
    pose.stood[side] = np.empty((len(ball), 3))
    rows = [np.ascontiguousarray(row) for row in (ball, heading, pitch, toes)]
    leg = _leg(pose.skeleton, side, pose.size)

    def some(part: slice) -> None:
        own, to = ((row[part] for row in group) for group in (rows, (pose.local, pose.places, pose.stood[side])))
        kernels.lay_legs(*own, *leg, *to)

    compiled.share_frames(len(ball), len(ball) * WORTH, some)


@lru_cache(maxsize=32)
def _leg(skeleton: Skeleton, side: str, size: float) -> tuple[Ints, Floats, Floats, float, float]:
    """Everything about a leg that does not change, as the compiled kernel takes it."""
    joints = np.array([skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot", "Toes")])
    limb = figure_limb(HEIGHT * size, side, "Leg")
    return joints, skeleton.offsets[joints[[0, 3]]], limb.numbers, limb.rest_flexion, KNEE_OUT


def solve_leg_reference(pose: Pose, side: str, ball: Floats, heading: Floats, pitch: Floats, toes: Floats) -> None:
    """The same in plain NumPy."""
    skeleton = pose.skeleton
    upper, lower, foot, toe = (skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot", "Toes"))
    turn = rotations.multiply(rotation_from_components(y=heading), rotation_from_components(x=pitch))
    ankle = ball - rotations.rotate(turn, skeleton.offsets[toe])
    pose.stood[side] = ankle
    root, hips = hip_position(pose, side), pose.local[:, 0]
    pelvis = rotations.rotate(hips, np.array([0.0, 0.0, 1.0]))
    facing = np.arctan2(pelvis[:, 0], pelvis[:, 2])
    facing = facing + KNEE_OUT * (heading - facing)
    ahead = np.stack([np.sin(facing), np.zeros(len(facing)), np.cos(facing)], axis=-1)
    limb = figure_limb(HEIGHT * pose.size, side, "Leg")
    world, flexion, _ = solve_limb_rotations(
        ankle - root, 0.0, limb.upper, limb.lower, limb.hinge, reference=ahead, home=np.array([0.0, -1.0, 0.0])
    )
    bent = limb.bent(flexion)
    pose.local[:, upper] = rotations.multiply(rotations.conjugate(hips), world)
    pose.local[:, lower] = bent
    pose.local[:, foot] = rotations.multiply(rotations.conjugate(rotations.multiply(world, bent)), turn)
    pose.local[:, toe] = rotation_from_components(x=-toes)


def _walked(time: Floats, steps: Sequence[Step]) -> Floats:
    """x, z, heading, height and pitch of a foot that takes steps, from where it stands at rest."""
    x, z, heading, up, pitch = np.zeros((5, len(time)))
    at = np.zeros(3)
    for step in steps:
        to = np.array([step.x, step.z, step.turn])
        length = step.land - step.lift
        going = ramp(time, step.lift + 0.12 * length, step.land)
        x, z, heading = (now + going * change for now, change in zip((x, z, heading), to - at, strict=True))
        u = clip((time - step.lift) / length, 0.0, 1.0)
        far = float(np.hypot(*(to - at)[:2])) + 0.1 * abs(float(to[2] - at[2]))
        up = up + min(LIFT * far, MOST_LIFT) * 64.0 * u**3 * (1.0 - u) ** 3
        pitch = pitch + min(2.2 * far, 0.5) * 64.0 * u**3 * (1.0 - u) ** 3
        at = to
    return np.stack([x, z, heading, up, pitch])


@compile_exact
def solve_leg_kernel(ball, heading, pitch, toes, joints, offsets, limb, rest, out, local, places, ankles):  # type: ignore[no-untyped-def]
    """Legs to feet with their balls at (F, 3); see ``legs.lay_leg``.

    ``joints``: upper and lower leg, foot, toes. ``offsets`` (2, 3) are those of upper leg and toes; ``limb`` (6, 3) is
    as for arms. A knee points ``out`` of the way from where the pelvis to where the foot points.
    """
    bone, fore, hinge = limb[0], limb[1], limb[2]
    frame = limb[3:]
    a = math.sqrt(bone[0] ** 2 + bone[1] ** 2 + bone[2] ** 2)
    b = math.sqrt(fore[0] ** 2 + fore[1] ** 2 + fore[2] ** 2)
    limits, down = reach_limits_kernel(a, b, np.array([0.0, math.pi])), np.array([0.0, -1.0, 0.0])
    ahead, way = np.zeros(3), np.empty(3)
    for i in range(ball.shape[0]):
        h = local[i, 0]
        w, x, y, z = axis_angle_quaternion(0.0, 1.0, 0.0, heading[i])
        pw, px, py, pz = axis_angle_quaternion(1.0, 0.0, 0.0, pitch[i])
        w, x, y, z = quaternion_product(w, x, y, z, pw, px, py, pz)
        u, v, t = rotate_vector(w, x, y, z, offsets[1, 0], offsets[1, 1], offsets[1, 2])
        ankles[i, 0], ankles[i, 1], ankles[i, 2] = ball[i, 0] - u, ball[i, 1] - v, ball[i, 2] - t
        u, v, t = rotate_vector(h[0], h[1], h[2], h[3], offsets[0, 0], offsets[0, 1], offsets[0, 2])
        way[0] = ankles[i, 0] - (places[i, 0, 0] + u)
        way[1] = ankles[i, 1] - (places[i, 0, 1] + v)
        way[2] = ankles[i, 2] - (places[i, 0, 2] + t)
        u, v, t = rotate_vector(h[0], h[1], h[2], h[3], 0.0, 0.0, 1.0)
        facing = math.atan2(u, t)
        facing = facing + out * (heading[i] - facing)
        ahead[0], ahead[2] = math.sin(facing), math.cos(facing)
        uw, ux, uy, uz, flexion, _, _, _ = solve_limb_kernel(way, 0.0, ahead, down, a, b, frame, limits)
        bw, bx, by, bz = axis_angle_quaternion(hinge[0], hinge[1], hinge[2], flexion - rest)
        pw, px, py, pz = quaternion_product(h[0], -h[1], -h[2], -h[3], uw, ux, uy, uz)
        write_quaternion(local, i, joints[0], pw, px, py, pz)
        write_quaternion(local, i, joints[1], bw, bx, by, bz)
        uw, ux, uy, uz = quaternion_product(uw, ux, uy, uz, bw, bx, by, bz)
        w, x, y, z = quaternion_product(uw, -ux, -uy, -uz, w, x, y, z)
        write_quaternion(local, i, joints[2], w, x, y, z)
        w, x, y, z = axis_angle_quaternion(1.0, 0.0, 0.0, -toes[i])
        write_quaternion(local, i, joints[3], w, x, y, z)


@compile_exact
def leg_overreach_kernel(local, places, stood, offset, longest, needed):  # type: ignore[no-untyped-def]
    """How far (F,) hips have to sink for a leg to reach where its ankle stood; the most of that and what is there."""
    for i in range(len(needed)):
        h, at, to = local[i, 0], places[i, 0], stood[i]
        u, v, t = rotate_vector(h[0], h[1], h[2], h[3], offset[0], offset[1], offset[2])
        x, y, z = to[0] - at[0] - u, to[1] - at[1] - v, to[2] - at[2] - t
        needed[i] = max(needed[i], -y - math.sqrt(max(longest * longest - x * x - z * z, 0.0)))
