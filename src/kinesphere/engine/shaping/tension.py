"""Tension of joints: loose ones drag behind and swing on after stops, tight ones stop crisply and hold still.

A loose joint is a damped pendulum that is driven by its own turning and by how the joint above it is carried along.
How far it is from the movement without it, e, follows

    ë + 2 ζ ω ė + ω² e = −(acceleration of the movement),

so that nothing swings where nothing moves, and a joint that is neither loose nor tight does what it did. A tight one is
brought nearer to its mean where its limb goes slowly: what settles there settles less.
After Neff and Fiume, "Modeling tension and relaxation for computer animation" (2002).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinesphere.engine.pose import SIGN
from kinesphere.engine.recorded_fingers import approach_shape
from kinesphere.engine.recorded_limbs import turn_joints
from kinesphere.engine.recorded_limits import PARTS, arm_limits
from kinesphere.engine.recorded_poses import body_frame
from kinesphere.engine.recorded_referents import windows
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.asked import AskedShaping, joints_by_role
from kinesphere.engine.shaping.goals import goals_of
from kinesphere.engine.shaping.holds import sunk
from kinesphere.engine.shaping.moments import FIXED
from kinesphere.engine.shaping.tremble import add_tremor
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, clip, norms, smoothstep
from kinesphere.motion.hold import Energy
from kinesphere.motion.humanoid import GROUPS, SIDES
from kinesphere.motion.referent import Kind


class Pendulum(NamedTuple):
    """How a loose joint swings."""

    swings: float  # times a second
    damping: float  # of its swing, 1 where it no longer swings
    own: float  # times that its own turning drives it
    carried: float  # times that the way of the joint above drives it
    most: float  # radians, approached softly


TRUNK = Pendulum(1.5, 0.30, 0.9, 0.0, 0.16)
NECK = Pendulum(1.9, 0.30, 0.8, 0.0, 0.16)
PENDULUMS = {
    "spine": TRUNK,
    "chest": TRUNK,
    "upperChest": TRUNK,
    "neck": NECK,
    "head": NECK,
    "Shoulder": Pendulum(2.2, 0.35, 0.7, 0.0, 0.12),
    "UpperArm": Pendulum(1.5, 0.26, 0.55, 0.25, 0.40),
    "LowerArm": Pendulum(2.0, 0.22, 0.6, 0.35, 0.50),
    "Hand": Pendulum(2.6, 0.18, 0.8, 0.60, 0.65),
}
FINGERS = Pendulum(3.2, 0.3, 0.8, 0.0, 0.4)
LASTS = 7.0  # time constants of a pendulum after which its swing is over
SLOW = 0.55  # arm lengths a second below which a tight limb holds still
CALM, NEAR, WIDE = 0.06, 0.16, 0.7  # seconds of σ: of that speed, of the mean of what settles, of a wrist's
HOLDS_STILL, STIFF = 0.85, 0.5  # of what settles that full tension takes away, and of a wrist's own bends
TREMOR = {"Hand": 0.010, "LowerArm": 0.005, "head": 0.003}  # radians of a body at its tightest
TREMOR_RATE, TREMOR_FROM = 10.5, 0.8  # hertz, and the tension above which it trembles
RAISED, BENT = (0.15, 0.10), (0.16, 0.0)  # radians of shoulders and of hanging elbows, at full tension and when loose
FIST, RELAXED = 0.55, 0.4  # of the way to a fist, and to a relaxed hand
LETS_GO = 0.4  # how loose an arm is, or how much of its way it leaves out, from which on it is not held to point
STOP_LOOSE = 0.7  # how loose a body is that has stopped
LEAPS, LEAST_LEAP, LEAP_AROUND = 4.0, 30.0, 0.1  # times the median, radians a second squared, seconds to either side
TINY = 1e-9


def tense(context: PerformanceContext, asked: AskedShaping, local: Floats, translations: Floats) -> None:
    """Loosen joints, or hold them tight, in poses ``(T, J, 4)`` that are changed in place; legs and hips stay."""
    tensions = _tensions(context, asked)
    if not tensions or context.clock.frames < 3:
        return
    loose = {role: np.maximum(-own, 0.0) for role, own in tensions.items() if np.min(own) < -TINY}
    tight = {role: np.maximum(own, 0.0) for role, own in tensions.items() if np.max(own) > TINY}
    limits = arm_limits(context.body)
    recorded = np.ascontiguousarray(local[:, limits.joints])
    _hold_parts(context, tensions, local)
    if loose:
        _loosen(context, loose, local, translations)
    if tight:
        _tighten(context, tight, local, translations)
    for side in SIDES:
        for part in PARTS:
            if f"{side}{part}" in tensions:
                limits.ease(f"{side}{part}", recorded, local)


def _tensions(context: PerformanceContext, asked: AskedShaping) -> dict[str, Floats]:
    """Role to its tension ``(T,)``, less where the body has stopped."""
    made = {role: own for role, own in asked.by_role("tension").items() if role not in FIXED}
    gone = STOP_LOOSE * stopped(context)
    if gone.any():
        none = np.zeros(len(gone))
        for role in GROUPS["upper_body"]:
            if role in context.roles:
                made[role] = np.maximum(made.get(role, none) - gone, -1.0)
    return made


def goes_on_aiming(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T,)`` how far an arm is held to point where it points: not one that is loose, has stopped, or gives up early.

    A loose one still comes to rest there, because it swings about its own way.
    """
    role = f"{side}UpperArm"
    tension, complete = (
        asked.curve(name, role) if asked.asks(name) else np.full(context.clock.frames, neutral)
        for name, neutral in (("tension", 0.0), ("complete", 1.0))
    )
    left = 1.0 - smoothstep(-tension / LETS_GO), 1.0 - smoothstep((1.0 - complete) / LETS_GO)
    return np.asarray(left[0] * left[1] * (1.0 - stopped(context)))


def stopped(context: PerformanceContext) -> Floats:
    """``(T,)`` from 0 to 1: how far the body has lost its energy in a stop."""
    held = context.clock.held
    stops = [] if held is None else [own for own in held.holds if own.energy == Energy.GONE]
    if not stops:
        return np.zeros(context.clock.frames)
    return np.asarray(np.max([clip(sunk(own, context.clock.time), 0.0, 1.0) for own in stops], axis=0))


def _hold_parts(context: PerformanceContext, tensions: Mapping[str, Floats], local: Floats) -> None:
    """Hold shoulders higher or lower, hands closed or relaxed, hanging elbows bent, as far as hands keep nothing."""
    for side in SIDES:
        for role, own in ((f"{side}Shoulder", RAISED), (f"{side}LowerArm", BENT)):
            tension = tensions.get(role)
            if tension is None:
                continue
            angle = np.where(tension > 0.0, own[0], own[1]) * tension
            joint = context.roles[role]
            if role.endswith("Shoulder"):
                frame = body_frame(context.body, joint)
                before, arm = local[:, joint].copy(), context.roles[f"{side}UpperArm"]
                turn_joints(np.array([joint]), frame[None], (angle[:, None] * (0.0, 0.0, SIGN[side]))[:, None], local)
                if int(context.body.skeleton.parents[arm]) == joint:  # the arm stays as it is turned
                    back = rotations.multiply(rotations.conjugate(local[:, joint]), before)
                    local[:, arm] = rotations.multiply(back, local[:, arm])
            elif f"{side}Arm" in context.limbs and side in context.hands:
                turns = (context.hands[side].hangs * angle)[:, None] * _hinge(context, side)
                local[:, joint] = rotations.multiply(local[:, joint], rotations.from_rotation_vector(turns))
        tension = tensions.get(f"{side}Hand")
        if tension is not None:
            free = _free(context, side)
            for shape, share in (("fist", FIST * np.maximum(tension, 0.0)), ("relaxed", RELAXED * -tension)):
                approach_shape(context.body.skeleton, side, shape, free * np.maximum(share, 0.0), local)


def _free(context: PerformanceContext, side: str) -> Floats:
    """``(T,)`` how far a hand keeps nothing: it touches, holds and points at nothing."""
    source, free = context.clock.source, np.ones(context.clock.frames)
    for _, window in windows(context.phrase, side, source, (Kind.TOUCH, Kind.PLACE, Kind.AIM)):
        free *= 1.0 - window
    for _, window in goals_of(context, f"{side}Hand"):
        free *= 1.0 - window
    return free


def pendulum_of(role: str) -> Pendulum | None:
    """How a role's joint swings; None: it does not."""
    if role in PENDULUMS:
        return PENDULUMS[role]
    part = role.removeprefix("left").removeprefix("right")
    return PENDULUMS.get(part, FINGERS if role in GROUPS["hands"] else None)


def _loosen(context: PerformanceContext, loose: Mapping[str, Floats], local: Floats, translations: Floats) -> None:
    """Let joints swing, by shares ``(T,)``."""
    owned = joints_by_role(context.body)
    world = context.world(local, translations, part="arms")
    swings: dict[int, Floats] = {}
    for role, share in loose.items():
        own = pendulum_of(role)
        if own is None:
            continue
        for joint in owned[role] if own is FINGERS else [context.roles[role]]:
            driven = own.own * _acceleration(local[:, joint], context.rate)
            if own.carried:
                driven += own.carried * _carried(context, role, world)
            away = swing(own, -driven, context.rate)
            size = np.maximum(norms(away), 1e-12)
            swings[joint] = (share * own.most * np.tanh(size / own.most) / size)[:, None] * away
    for joint, away in swings.items():
        local[:, joint] = rotations.multiply(local[:, joint], rotations.from_rotation_vector(away))


def _acceleration(turns: Floats, rate: float) -> Floats:
    """``(T, 3)`` radians a second squared of a joint's rotations ``(T, 4)``, in its own axes; 0 in the first frame."""
    turns = rotations.continuous(turns)
    speed = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(turns[:-1]), turns[1:])) * rate
    made = np.zeros((len(turns), 3))
    made[1:-1] = np.diff(speed, axis=0) * rate
    return _without_leaps(made, rate)


def _without_leaps(values: Floats, rate: float) -> Floats:
    """Accelerations ``(T, 3)`` without those of frames in which a capture leaps: far more than in the frames around."""
    size, radius = norms(values), max(round(LEAP_AROUND * rate), 2)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(size, radius, mode="reflect"), 2 * radius + 1)
    most = np.maximum(LEAPS * np.median(around, axis=1), LEAST_LEAP)
    return np.asarray(values * np.minimum(most / np.maximum(size, 1e-9), 1.0)[:, None])


def _carried(context: PerformanceContext, role: str, world: RecordedWorld) -> Floats:
    """``(T, 3)`` radians a second squared by which a bone would turn that hangs on its joint's way, in its own axes."""
    side = "left" if role.startswith("left") else "right"
    joint = context.roles[role]
    if role.endswith("Hand"):
        bone = world.p(joint) - world.p(context.roles[f"{side}LowerArm"])
        length = 0.6 * norms(bone)
    else:
        end = context.roles[f"{side}LowerArm" if role.endswith("UpperArm") else f"{side}Hand"]
        bone = world.p(end) - world.p(joint)
        length = norms(bone)
    bone = bone / np.maximum(norms(bone), 1e-9)[:, None]
    pull = np.zeros(bone.shape)
    pull[1:-1] = np.diff(world.p(joint), 2, axis=0) * context.rate**2
    turn = _without_leaps(np.cross(bone, pull) / np.maximum(length, 1e-6)[:, None], context.rate)
    own = rotations.rotate(rotations.conjugate(world.q(joint)), turn)
    if role.endswith("LowerArm"):
        own = _about_hinge(context, side, own)
    return np.asarray(own)


def _about_hinge(context: PerformanceContext, side: str, turns: Floats) -> Floats:
    """What of vectors ``(T, 3)`` in a forearm's axes is about its elbow."""
    if f"{side}Arm" not in context.limbs:
        return np.zeros_like(turns)
    hinge = _hinge(context, side)
    return np.asarray((turns @ hinge)[:, None] * hinge)


def _hinge(context: PerformanceContext, side: str) -> Floats:
    """``(3,)`` the axis about which an elbow bends, in the forearm's own axes."""
    limb = context.limbs[f"{side}Arm"]
    rest = context.body.skeleton.rest_rotations[limb.lower]
    return rotations.rotate(rotations.conjugate(rest), limb.hinge)


def swing(own: Pendulum, driven: Floats, rate: float) -> Floats:
    """``(T, C)`` how far pendulums are away that are driven by accelerations ``(T, C)``, from rest."""
    quick = 2.0 * np.pi * own.swings
    damped = quick * np.sqrt(1.0 - own.damping**2)
    count = min(max(int(np.ceil(LASTS / (own.damping * quick) * rate)), 2), len(driven))
    time = np.arange(count) / rate
    answer = np.exp(-own.damping * quick * time) * np.sin(damped * time) / damped / rate
    size = 1 << int(np.ceil(np.log2(len(driven) + count)))
    spectrum = np.fft.rfft(driven, size, axis=0) * np.fft.rfft(answer, size)[:, None]
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: len(driven)])


def _tighten(context: PerformanceContext, tight: Mapping[str, Floats], local: Floats, translations: Floats) -> None:
    """Hold joints still where their limb goes slowly, wrists stiff, and let them tremble at the extreme."""
    slow = _slowness(context, local, translations)
    turned = {role: rotations.continuous(local[:, context.roles[role]]) for role in tight}
    for role, share in tight.items():
        own = turned[role]
        near = slow[_leader(role)]
        weights = gaussian(near + 1e-6, NEAR * context.rate, ends="reflect")
        mean = gaussian((near + 1e-6)[:, None] * own, NEAR * context.rate, ends="reflect") / weights[:, None]
        held = rotations.slerp(own, rotations.normalise(mean), HOLDS_STILL * share * near)
        if role.endswith("Hand"):
            wide = rotations.normalise(gaussian(own, WIDE * context.rate, ends="reflect"))
            held = rotations.slerp(held, wide, STIFF * share)
        local[:, context.roles[role]] = held
    extreme = {
        role: size * clip((tight[role] - TREMOR_FROM) / (1.0 - TREMOR_FROM), 0.0, 1.0)
        for part, size in TREMOR.items()
        for role in ((part,) if part == "head" else tuple(f"{side}{part}" for side in SIDES))
        if role in tight
    }
    add_tremor(context, extreme, dict.fromkeys(extreme, np.full(len(local), TREMOR_RATE)), local)


def _leader(role: str) -> str:
    return "left" if role.startswith("left") else "right" if role.startswith("right") else "head"


def _slowness(context: PerformanceContext, local: Floats, translations: Floats) -> dict[str, Floats]:
    """How slowly hands and head go ``(T,)``: 1 at rest, nothing in a stroke."""
    world, made = context.world(local, translations), {}
    for name, role in (("left", "leftHand"), ("right", "rightHand"), ("head", "head")):
        path = world.p(context.roles[role]) - (0.0 if name == "head" else world.p(context.roles[f"{name}UpperArm"]))
        speed = norms(np.gradient(path, axis=0)) * context.rate / context.detail.poses.arm_length
        slow = np.exp(-((gaussian(speed, CALM * context.rate, ends="reflect") / SLOW) ** 2))
        made[name] = slow
    return made
