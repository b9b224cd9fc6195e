"""Walk generation: phrases of a gait become motions, on any body, at any rate, without foot sliding.

Body and arms follow periodic curves over the stride's phase. Overlays of the phrase scale and shift them
(``motion.gait.GAIT_OVERLAYS``), channels are added as they are to gestures. Hips sink where legs would be too short:
no knee locks, and feet stay where they are planted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.hands import palm_frame
from kinesphere.engine.arms import HANGS, ArmPose, ArmTask, pose_arms
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.channels import INDEX, ChannelCurves, add_channels, channel_table, join_channels
from kinesphere.engine.embodiment import embody
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.gait_feet import FootPath, at_phase, foot_path, gait_curve, landing_rise, own_phase, spring_wave
from kinesphere.engine.hands import set_hands
from kinesphere.engine.idle import IDLE_WAVES, breath_over, idle_waves
from kinesphere.engine.legs import leg_overreach, solve_leg
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.pose import SIGN, BatchPose, limb_of, rotation_from_components
from kinesphere.engine.proportions import LEG
from kinesphere.engine.surface_scales import add_breath
from kinesphere.engine.trunk import STEADY, TAKEN_BACK, solve_trunk
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Floats, clip, smootherstep
from kinesphere.motion.gait import Gait
from kinesphere.motion.gesture import Curve, Gesture
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase, Track
from kinesphere.motion.skeleton import Skeleton

SOFT_KNEE = np.radians(7.0)  # of flexion that a knee keeps, or as much as the unedited walk has
LEAST_SOFT = np.radians(1.0)  # of flexion that it keeps on any body
TINY = 1e-6  # metres
SINKS = 0.075, 0.045  # shares of a stride: how long before legs are too short hips sink, and the σ of their path
ARM_ROUND = 0.03  # seconds
INWARD = 0.10  # of its swing ahead that an arm swings inwards
FOREARM_LATE, FOREARM_LOOSE = 0.06, 0.6  # at loose 1: share of a stride that forearms are later, and how much farther
# Channels that an overlay scales, about their mean over a stride.
SCALED = {
    "gait.sway": ("hips.x", "torso.side"),
    "gait.hip_turn": ("hips.turn",),
    "gait.hip_tilt": ("hips.tilt",),
    "gait.turn": ("torso.turn",),
    "gait.nod": ("head.nod", "head.tilt", "torso.forward"),
}
# What a strike adds to channels at 1, and by which share of an unedited step it comes after the strike.
JOLT = {
    "hips.y": (-0.024 * LEG, 0.20),
    "torso.forward": (np.radians(3.5), 0.28),
    "head.nod": (np.radians(3.5), 0.36),
    "left.clavicle.raise": (np.radians(-3.0), 0.30),
    "right.clavicle.raise": (np.radians(-3.0), 0.30),
}
RECOVERED = 0.90  # of a step: when it is over
JOLT_PACES = 0.6, 1.7
# Looking about, at 1 radian: of each channel shares, waves in four strides, and phases.
LOOKS = {
    "head.turn": ((0.80, 2, 0.0), (0.35, 3, 1.1)),
    "head.tilt": ((0.18, 3, 0.4),),
    "head.nod": ((0.16, 2, 2.0), (0.10, 5, 0.3)),
    "torso.turn": ((0.22, 2, -0.5),),
    "eyes.turn": ((0.45, 2, 0.5), (0.20, 4, 0.0)),
    "eyes.lift": ((0.15, 3, 1.0),),
}
LOOK_STRIDES = 4


def generate_walks(phrases: Sequence[Phrase], rate: float) -> list[Motion]:
    """The motions of some phrases with a gait, all of one body."""
    own = embody(phrases[0].body)
    clocks = [GaitClock.of(phrase, rate) for phrase in phrases]
    batch = Batch(tuple(clock.frames + 1 for clock in clocks), tuple(clock.steady for clock in clocks), rate)
    channels = _join([_channels(clock) for clock in clocks])
    pose = BatchPose.of(own.actor, batch)
    way = np.concatenate([_way(clock, pose.skeleton) for clock in clocks])
    feet = {
        side: _join_feet([_wind(clock, foot_path(clock, pose.skeleton, side)) for clock in clocks]) for side in SIGN
    }
    _solve_trunk_and_legs(pose, clocks, channels, way, feet)
    add_breath(pose, channels["torso.breath"], channels.breath)
    _swing_arms(pose, clocks, channels)
    return [own.put_on(motion) for motion in pose.motions([phrase.name for phrase in phrases])]


def _join(rows: Sequence[ChannelCurves]) -> ChannelCurves:
    return join_channels([row.table for row in rows], [row.breath for row in rows])


def _join_feet(paths: Sequence[FootPath]) -> FootPath:
    return paths[0] if len(paths) == 1 else FootPath(*(np.concatenate(rows) for rows in zip(*paths, strict=True)))


# Curves of trunk and head


@memoised
def stride_table(gait: Gait, samples: int) -> Floats:
    """``(samples + 1, C)`` the body's channels over one unedited stride."""
    period = samples / RATE
    curves = {name: Curve(tuple(period * t for t in own.times), own.values) for name, own in gait.curves.items()}
    return channel_table(phrase_of(Gesture(gait.name, period, curves=curves, loop=True), figure_body()))


def _channels(clock: GaitClock) -> ChannelCurves:
    """The body's channels in every frame."""
    table = stride_table(clock.gait, clock.samples)
    made = cubic_rows_at(table, np.mod(clock.phase, 1.0) * clock.samples, True)
    mean = table[:-1].mean(axis=0)
    calm = 1.0 - 0.7 * (1.0 - min(clock.phrase.life, 1.0))
    for name, channels in SCALED.items():
        factor = clock.at_frames(name) * (calm if name == "gait.nod" else 1.0)
        for column in (INDEX[channel] for channel in channels):
            made[:, column] += (factor - 1.0) * (made[:, column] - mean[column])
    _bounce(made, clock, table[:, INDEX["hips.y"]])
    _jolt(made, clock)
    _look(made, clock, calm)
    add_channels(made, clock.phrase.added_channels, clock.own_time, clock.phrase.loop)
    return ChannelCurves(made, _add_idle(made, clock))


def _bounce(made: Floats, clock: GaitClock, height: Floats) -> None:
    """Scale the hips' rise and fall: more goes deeper, less rises less; and spring up from every step.

    Legs that are farther apart carry the hips lower: by the square of a stride's length, as compasses do.
    """
    bounce, column = clock.at_frames("gait.bounce"), INDEX["hips.y"]
    lower = clock.at_frames("gait.stride") ** 2
    made[:, column] *= lower
    pivot = lower * np.where(bounce > 1.0, height.max(), height.min())
    made[:, column] += (bounce - 1.0) * (made[:, column] - pivot)
    spring = clock.at_frames("gait.spring")
    if spring.any():
        both = spring_wave(clock.phase) + spring_wave(clock.phase + 0.5)
        made[:, column] += LEG * spring * both


def _jolt(made: Floats, clock: GaitClock) -> None:
    """Let every strike go through the body: hips drop after it, torso, head and shoulders follow."""
    strike = np.maximum(clock.at_frames("gait.strike"), 0.0)
    if not strike.any():
        return
    step = np.mod(2.0 * clock.phase, 1.0)
    pace = clip(clock.at_frames("gait.cadence"), *JOLT_PACES)  # it takes as long, however quick steps are
    for name, (most, late) in JOLT.items():  # deepest so long after the strike, and gone before the next one
        after = late * pace
        passed = smootherstep(step / after) - smootherstep((step - after) / (RECOVERED - after))
        made[:, INDEX[name]] += most * strike * passed


def _look(made: Floats, clock: GaitClock, calm: float) -> None:
    """Keep the head on the way, or let it look about."""
    steady = clock.at_frames("gait.steady")
    if steady.any():
        hips, torso = made[:, INDEX["hips.turn"]], made[:, INDEX["torso.turn"]]
        left = (1.0 - STEADY[2]) * ((1.0 - TAKEN_BACK[2]) * hips + torso)
        made[:, INDEX["head.turn"]] -= steady * (left + made[:, INDEX["head.turn"]])
    roam = calm * clock.at_frames("gait.roam")
    if not roam.any():
        return
    seed = clock.phrase.seed
    shift = 0.0 if seed is None else float(np.random.default_rng([seed, 3]).uniform(0.0, 2.0 * np.pi))
    passed = (clock.even_phase - clock.start) / clock.strides
    for name, waves in LOOKS.items():
        for share, count, phase in waves:
            whole = max(1, round(count * clock.strides / LOOK_STRIDES))
            made[:, INDEX[name]] += roam * share * np.sin(2.0 * np.pi * whole * passed + phase + shift)


def _add_idle(made: Floats, clock: GaitClock) -> Floats:
    """Add what a restless body does beside walking; gives how full the lungs are ``(T,)``, nothing at ease."""
    phrase, frames = clock.phrase, len(made)
    phases = None if phrase.seed is None else np.random.default_rng(phrase.seed)
    more = max(phrase.life - 1.0, 0.0)
    for kind, gain in (("sway", more), ("fidget", phrase.fidget)):
        if gain > 0.0:
            columns = [INDEX[name] for name in IDLE_WAVES[kind]]
            made[:, columns] += gain * idle_waves(kind, frames, clock.rate, phrase.loop, phases)
    return np.asarray(more * breath_over(frames, clock.rate, phrase.fidget)) if more else np.zeros(frames)


# Hips and legs


def _way(clock: GaitClock, skeleton: Skeleton) -> Floats:
    """``(T, 3)`` how far the body has come, and how much higher it goes on raised heels."""
    way = np.zeros((len(clock.phase), 3))
    way[:, 1] = landing_rise(clock, skeleton)
    if not clock.gait.in_place:
        way[:, 2] = clock.travel(clock.phase)
    return way


def _solve_trunk_and_legs(
    pose: BatchPose, clocks: Sequence[GaitClock], channels: ChannelCurves, way: Floats, feet: dict[str, FootPath]
) -> None:
    """Write trunk and legs; hips sink as far as legs need to reach their feet with soft knees.

    A knee that is straighter in the unedited walk may stay as straight: that walk is as it was.
    """
    shift, none = np.array(way), np.zeros_like(way)
    _place(pose, clocks, channels, shift, feet)
    allowed = np.concatenate([TINY + _unedited_overreach(clock) for clock in clocks])
    for _ in range(3):
        needed = np.maximum(leg_overreach(pose, none, SOFT_KNEE) - allowed, leg_overreach(pose, none, LEAST_SOFT))
        if not (needed > 0.0).any():
            return
        for frames, clock in zip(pose.batch.slices, clocks, strict=True):
            shift[frames, 1] -= _sink(clock, np.maximum(needed[frames], 0.0))
        _place(pose, clocks, channels, shift, feet)


def _sink(clock: GaitClock, needed: Floats) -> Floats:
    """``(T,)`` metres that hips sink, smoothly and in time, where ``needed (T,)``."""
    if not needed.any():
        return needed
    own = Batch((len(needed),), (clock.steady,), clock.rate)
    ahead, sigma = (share * clock.frames / (clock.strides * clock.rate) for share in SINKS)
    return own.smooth(own.running_maximum(needed, ahead), sigma)


def _unedited_overreach(clock: GaitClock) -> Floats:
    """``(T,)`` metres by which knees of the figure's unedited walk are straighter than soft, at a walk's phases."""
    body = clock.phrase.body
    own = body if embody(body).is_figure else figure_body()
    phases, needed = _stride_overreach(clock.gait, own)
    return np.asarray((clock.size / embody(own).actor.size) * np.interp(clock.phase, phases, needed, period=1.0))


@memoised
def _stride_overreach(gait: Gait, body: Body) -> tuple[Floats, Floats]:
    """Phases of one unedited stride, and that number at each of them."""
    clock = GaitClock.of(phrase_of(replace(gait, strides=1), body), RATE)
    pose = BatchPose.of(embody(body).actor, Batch((clock.frames + 1,), (True,)))
    feet = {side: foot_path(clock, pose.skeleton, side) for side in SIGN}
    _place(pose, [clock], _channels(clock), _way(clock, pose.skeleton), feet)
    needed = leg_overreach(pose, np.zeros((len(pose.batch), 3)), SOFT_KNEE)
    return np.mod(clock.phase[:-1], 1.0), needed[:-1]


def _place(
    pose: BatchPose, clocks: Sequence[GaitClock], channels: ChannelCurves, shift: Floats, feet: dict[str, FootPath]
) -> None:
    """Write trunk and legs with the hips moved by ``shift (F, 3)``, along a way that may wind."""
    solve_trunk(pose, channels, shift, np.zeros((len(shift), 2, 2)))
    for frames, clock in zip(pose.batch.slices, clocks, strict=True):
        if _winds(clock):
            pose.translations[frames, 0], heading = _bend(clock, pose.translations[frames, 0])
            turn = rotation_from_components(y=heading)
            pose.local[frames, 0] = rotations.multiply(turn, pose.local[frames, 0])
    for side in SIGN:
        solve_leg(pose, side, *feet[side])


def _winds(clock: GaitClock) -> bool:
    return not clock.gait.in_place and bool(clock.overlay("gait.weave").any())


def _wind(clock: GaitClock, feet: FootPath) -> FootPath:
    """Feet on a way that may wind: a place goes to a place, so that what stands does not move."""
    if not _winds(clock):
        return feet
    ball, heading = _bend(clock, feet.ball)
    return feet._replace(ball=ball, heading=feet.heading + heading)


def _bend(clock: GaitClock, places: Floats) -> tuple[Floats, Floats]:
    """Places ``(T, 3)`` beside a straight way as they are beside the one that winds, and its heading ``(T,)``."""
    aside, heading = clock.wind(places[:, 2])
    out = places[:, 0]
    made = np.stack([aside + out * np.cos(heading), places[:, 1], places[:, 2] - out * np.sin(heading)], axis=-1)
    return made, heading


# Arms


def _swing_arms(pose: BatchPose, clocks: Sequence[GaitClock], channels: ChannelCurves) -> None:
    """Relaxed arms, swung at the shoulder and bent at the elbow."""
    skeleton = pose.skeleton
    curves = {side: _arm_curves(clocks, side) for side in SIGN}
    fists = {f"{side}.hand.fist": channels[f"{side}.hand.fist"] + curves[side]["curl"] for side in SIGN}
    arms = _hang(pose)
    phrases = [clock.phrase for clock in clocks]
    set_hands(pose, phrases, channels.replace(fists), arms, {side: [None] * len(clocks) for side in SIGN})
    for side, own in curves.items():
        upper, lower, hand = (skeleton.index(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand"))
        inward = INWARD * np.maximum(own["swing"], 0.0)
        swing = rotation_from_components(x=-own["swing"], z=SIGN[side] * (own["out"] - inward))
        if own["across"].any():  # about the upper arm
            bone = skeleton.offsets[lower] / np.linalg.norm(skeleton.offsets[lower])
            across = rotations.from_axis_angle(bone, SIGN[side] * own["across"])
            pose.local[:, upper] = rotations.multiply(pose.local[:, upper], across)
        pose.local[:, upper] = rotations.multiply(swing, pose.local[:, upper])
        hinge = np.cross(skeleton.offsets[lower], skeleton.offsets[hand])
        elbow = rotations.from_axis_angle(hinge, own["elbow"])
        pose.local[:, lower] = rotations.multiply(elbow, pose.local[:, lower])
        palm = palm_frame(skeleton, side)
        bend = rotations.from_axis_angle(np.cross(palm.along, palm.out), own["bend"])
        pose.local[:, hand] = rotations.multiply(pose.local[:, hand], bend)


def _hang(pose: BatchPose) -> ArmPose:
    """Both arms at rest in every frame; they are solved once."""
    limbs = {side: limb_of(pose.skeleton, side, "Arm") for side in SIGN}
    still, both = ArmTask(None, None, Track(), np.zeros(1), True), Batch((1, 1), (True, True), pose.batch.rate)
    arms = pose_arms(limbs, [still, still], both, pose.arm_size, np.zeros((2, 3)), rotations.identity(2))
    rows = {own.name: getattr(arms, own.name) for own in fields(arms) if own.name != "flourishes"}
    repeated = {name: np.repeat(row, len(pose.batch), axis=0) for name, row in rows.items()}
    return ArmPose(**repeated, flourishes=arms.flourishes)


def _arm_curves(clocks: Sequence[GaitClock], side: str) -> dict[str, Floats]:
    """Angles of one side's arms in every frame: swing, elbow, bend of the wrist, curl of the fingers, how far out."""
    made = [_arm_angles(clock, side) for clock in clocks]
    return {name: np.concatenate([own[name] for own in made]) for name in made[0]}


def _arm_angles(clock: GaitClock, side: str) -> dict[str, Floats]:
    part, own = f"{side}_arm", own_phase(clock.phase, side)

    def overlay(name: str) -> Floats:
        return clock.at_frames(f"gait.{name}", part)

    def curve(name: str, late: Floats) -> Floats:
        table = gait_curve(clock.gait, "arm", name, clock.samples, ARM_ROUND)
        return at_phase(table, own - late, clock.samples)

    loose, late = overlay("loose"), overlay("lag")
    trailing = late + FOREARM_LATE * np.maximum(loose, 0.0)
    swing = overlay("swing") * curve("swing", late) + (overlay("ahead") + HANGS * _added_lean(clock))
    elbow, wrist = (curve(name, trailing) * (1.0 + FOREARM_LOOSE * loose) for name in ("elbow", "bend"))
    curl = curve("curl", late)
    return {
        "swing": swing,
        "elbow": np.maximum(elbow + overlay("bend"), -0.05),
        "bend": wrist,
        "curl": clip(curl + overlay("curl"), 0.0, 1.0) if overlay("curl").any() else curl,
        "out": np.broadcast_to(overlay("out"), own.shape),
        "across": np.broadcast_to(overlay("across"), own.shape),
    }


def _added_lean(clock: GaitClock) -> Floats:
    """Radians that overlays pitch the chest forward, ``()`` or ``(T,)``: relaxed arms hang all the same."""
    hips = (1.0 - TAKEN_BACK[0]) * clock.added_at_frames("hips.lean")
    return np.asarray(clock.added_at_frames("torso.forward") + hips)
