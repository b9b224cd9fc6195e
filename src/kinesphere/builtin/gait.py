"""Walk cycle generator: one stride of periodic curves that repeats exactly, without foot sliding.

A foot's phase runs from its heel strike at 0 to the next at 1. From 0 to ``flat`` it turns about its heel, to
``leaves`` it is in contact with its ball, from which it peels, and then it swings. Everything else is a periodic curve
over the stride's phase, that of the left foot; the right side follows half a stride later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from kinesphere.body.hands import palm_frame
from kinesphere.engine.arms import ArmTask, pose_arms
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.channels import ChannelCurves, loop_channels
from kinesphere.engine.hands import set_hands
from kinesphere.engine.legs import solve_leg
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.pose import SIGN, BatchPose, limb_of, rotation_from_components
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.surface_scales import add_breath
from kinesphere.engine.trunk import solve_trunk
from kinesphere.files.gesture_toml import (
    BODY,
    EyesTable,
    HeadTable,
    HipsTable,
    Keys,
    TorsoTable,
    angle,
    metres,
    scaled_curves,
    share,
    table_curves,
)
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import gaussian, monotone_cubic
from kinesphere.maths.vectors import Floats, clip, smoothstep
from kinesphere.motion.document import Flag, Setting, Text, document, error_at, number, read_document
from kinesphere.motion.gesture import Curve, Gesture
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase, Track

FINE = 8  # steps of a foot's path to a frame, before it is rounded
HEEL_BACK = 0.034  # metres behind the ankle: what a landing foot turns about
ROUND = 0.016  # seconds
START = 0.2  # the phase that a walk begins with: one foot flat, the other in the air
ARRIVING = 0.12  # of its mean speed that a swinging foot still has when it lands
ARM = ("swing", "elbow", "bend", "curl")


@dataclass(frozen=True)
class Gait:
    """Numbers of a walk: seconds and metres per stride, strides, and curves over the phase (angles in radians)."""

    name: str
    period: float
    stride: float
    strides: int
    flat: float
    leaves: float
    ahead: float  # metres from the hips to the ankle at heel strike
    apart: float  # metres from the middle to an ankle
    turned_out: float
    in_place: bool
    tracks: Mapping[str, Curve]
    foot: Mapping[str, Curve]
    arm: Mapping[str, Curve]


@document(frozen=True)
class GaitFoot:
    """Curves of a foot over its own phase, from its heel's strike at 0 to the next at 1."""

    pitch: Annotated[Keys, angle("Above zero the heel is up, below zero the toes.")] = None
    lift: Annotated[Keys, metres("How high the ball is above the ground while the foot swings.")] = None
    toes: Annotated[Keys, angle("Above zero the toes bend up.")] = None


@document(frozen=True)
class GaitArm:
    """Curves of an arm over the phase of the foot on its side."""

    swing: Annotated[Keys, angle("Above zero the arm swings ahead.")] = None
    elbow: Annotated[Keys, angle("Above zero the elbow bends.")] = None
    bend: Annotated[Keys, angle("Above zero the wrist bends towards the palm.")] = None
    curl: Annotated[Keys, share("How much of a fist the hand makes.")] = None


@document(frozen=True)
class GaitFile:
    """A walk as a file has it. Curves run over the phase of the left foot's stride, from 0 to below 1, and repeat."""

    period: Annotated[float, number(0.3, 5.0, "Seconds a stride takes.")]
    stride: Annotated[float, number(0.1, 4.0, "Metres a stride is long.")]
    strides: Annotated[int, number(1, 100, "How many strides the walk has.", whole=True)]
    flat: Annotated[float, number(0.0, 1.0, "Phase when the sole is down.", inside="both")]
    leaves: Annotated[float, number(0.0, 1.0, "Phase when the ball leaves the ground, after flat.", inside="both")]
    ahead: Annotated[float, number(-2.0, 2.0, "Metres from the hips to the ankle when the heel strikes.")]
    apart: Annotated[float, number(-2.0, 2.0, "Metres from the middle to an ankle.")]
    turned_out: Annotated[float, number(-180.0, 180.0, "Degrees by which the feet are turned out.")]
    kind: Annotated[Literal["walk"], Setting("The kind of file.")] = "walk"
    like: Annotated[Text, Setting("A walk that this one has its fields of, but for those that it gives itself.")] = ""
    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    in_place: Annotated[Flag, Setting("Whether it walks on the spot, one stride that loops.")] = False
    foot: Annotated[GaitFoot, Setting("Curves of a foot.")] = GaitFoot()
    arm: Annotated[GaitArm, Setting("Curves of an arm.")] = GaitArm()
    torso: Annotated[TorsoTable, Setting("Curves of the torso.")] = TorsoTable()
    head: Annotated[HeadTable, Setting("Curves of the head.")] = HeadTable()
    eyes: Annotated[EyesTable, Setting("Curves of the eyes.")] = EyesTable()
    hips: Annotated[HipsTable, Setting("Curves of the hips.")] = HipsTable()

    def __post_init__(self) -> None:
        if self.flat >= self.leaves:
            raise error_at(("flat",), f"{self.flat:g} and leaves {self.leaves:g}", "0 < flat < leaves < 1")
        for part in ("foot", "arm", *BODY):
            for name, _, curve in table_curves(getattr(self, part)):
                for i, phase in enumerate(curve.times):
                    if not 0.0 <= phase < 1.0:
                        raise error_at((part, name, i), f"{phase:g}", "phases that increase, from 0 to below 1")

    def gait(self, name: str) -> Gait:
        """The walk in radians and metres."""
        body = {f"{part}.{key}": curve for part in BODY for key, curve in scaled_curves(getattr(self, part)).items()}
        return Gait(
            name,
            self.period,
            self.stride,
            self.strides,
            self.flat,
            self.leaves,
            self.ahead,
            self.apart,
            float(np.radians(self.turned_out)),
            self.in_place,
            body,
            scaled_curves(self.foot),
            scaled_curves(self.arm),
        )


def read_gait(table: Mapping[str, Any], path: Path, name: str) -> Gait:
    """The walk of a file's table."""
    return read_document(GaitFile, table, path).gait(name)


def generate_walk(gait: Gait, height: float = HEIGHT) -> Motion:
    """The walk on a figure of this height: ``strides`` whole strides, or one on the spot.

    A taller figure takes longer strides, and takes longer for them.
    """
    size = height / HEIGHT
    frames = round(gait.period * np.sqrt(size) * RATE)
    strides = 1 if gait.in_place else gait.strides
    pose = BatchPose.at_rest(Batch((strides * frames + 1,), (True,)), height)
    first = round(START * frames)
    phase = (first + np.arange(strides * frames + 1)) / frames
    channels = _channels(gait, frames, pose.batch, first)
    travel = np.zeros((len(phase), 3))
    if not gait.in_place:
        travel[:, 2] = size * gait.stride * (phase - phase[0])
    solve_trunk(pose, channels, travel, np.zeros((len(phase), 2, 2)))
    add_breath(pose, channels["torso.breath"], channels.breath)
    for side, sign in SIGN.items():
        ball, pitch, toes = _foot_path(gait, pose, side, frames, _own_phase(phase, side), phase)
        solve_leg(pose, side, ball, np.full(len(phase), sign * gait.turned_out), pitch, toes)
    _swing_arms(gait, pose, channels, frames, phase)
    return pose.motions([gait.name])[0]


def _channels(gait: Gait, frames: int, batch: Batch, first: int) -> ChannelCurves:
    """The trunk's curves over all strides, without sway or breath of their own."""
    period = frames / RATE
    times = {name: Curve(tuple(period * t for t in track.times), track.values) for name, track in gait.tracks.items()}
    return loop_channels(phrase_of(Gesture(gait.name, period, curves=times, loop=True)), batch, first)


def _curve(track: Curve | None, phase: Floats, frames: int, seconds: float) -> Floats:
    """A periodic curve at any phases, rounded over this many seconds."""
    if track is None:
        return np.zeros(phase.shape)
    fine = np.arange(FINE * frames + 1) / (FINE * frames)
    values = gaussian(monotone_cubic(track.times, track.values, fine, 1.0), RATE * FINE, seconds, True)
    return np.interp(np.mod(phase, 1.0), fine, values)


def _foot_path(
    gait: Gait, pose: BatchPose, side: str, frames: int, own: Floats, phase: Floats
) -> tuple[Floats, Floats, Floats]:
    """Ball of the sole ``(T, 3)``, pitch and toes' bend of one foot at its own phases."""
    skeleton, size = pose.skeleton, pose.size
    position = skeleton.rest_world()[1]
    ankle, ball = (position[skeleton.index(f"{side}{part}")] for part in ("Foot", "Toes"))
    long, high = float(ball[2] - ankle[2]), float(ball[1])
    fine = np.arange(FINE * frames + 1) / (FINE * frames)
    pitch = _curve(gait.foot.get("pitch"), fine, frames, 0.020)
    # About the heel: the ball's offset from its position under a flat foot while the foot is pitched up.
    lever = long + HEEL_BACK * size
    early = np.minimum(pitch, 0.0)
    sine, fallen = np.sin(early), 1.0 - np.cos(early)
    rolled = np.stack([high * fallen + lever * sine, lever * fallen - high * sine])
    landing = rolled[:, -1]
    u = clip((fine - gait.leaves) / (1.0 - gait.leaves), 0.0, 1.0)
    ease = smoothstep(u) + ARRIVING * (u**3 - u * u)
    lift = size * _curve(gait.foot.get("lift"), fine, frames, 0.02)
    up = np.where(fine < gait.flat, -rolled[0], np.where(fine < gait.leaves, 0.0, lift - landing[0] * ease))
    far = size * gait.stride
    along = np.where(fine < gait.flat, -rolled[1], np.where(fine < gait.leaves, 0.0, (far - landing[1]) * ease))
    unrolled = np.stack([up, along - far * fine], axis=1)  # without travel it closes, and is rounded as a loop
    unrolled = gaussian(unrolled, RATE * FINE, ROUND, True)
    turn = np.mod(own, 1.0)
    up, behind = (np.interp(turn, fine, unrolled[:, i]) for i in range(2))
    travel = 0.0 if gait.in_place else far * (phase - phase[0])
    sign = SIGN[side]
    out = size * gait.apart * sign + np.sin(sign * gait.turned_out) * long
    start = size * gait.ahead + long * np.cos(gait.turned_out)
    at = np.stack([np.full(len(own), out), high + up, start + behind + travel], axis=-1)
    toes = _curve(gait.foot.get("toes"), turn, frames, 0.02)
    return at, np.interp(turn, fine, pitch), toes


def _own_phase(phase: Floats, side: str) -> Floats:
    """A side's own phase: the right one is half a stride behind."""
    return phase if SIGN[side] > 0.0 else phase + 0.5


def _swing_arms(gait: Gait, pose: BatchPose, channels: ChannelCurves, frames: int, phase: Floats) -> None:
    """Relaxed arms, swung at the shoulder and bent at the elbow."""
    skeleton, count = pose.skeleton, 2 * len(pose.batch)
    curl = gait.arm.get("curl")
    fists = {f"{side}.hand.fist": _curve(curl, _own_phase(phase, side), frames, 0.03) for side in SIGN}
    still = ArmTask(None, None, Track(), pose.batch.time, True)
    limbs = {side: limb_of(pose.skeleton, side, "Arm") for side in SIGN}
    upright = np.zeros((count, 3)), rotations.identity(count)
    arms = pose_arms(limbs, [still, still], pose.batch.both_sides, pose.arm_size, *upright)
    idle = Phrase(gait.name, figure_body(), 1.0, loop=True)
    set_hands(pose, [idle], channels.replace(fists), arms, {side: [None] for side in SIGN})
    for side in SIGN:
        upper, lower, hand = (skeleton.index(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand"))
        curves = {name: _curve(gait.arm.get(name), _own_phase(phase, side), frames, 0.03) for name in ARM}
        swing = rotation_from_components(x=-curves["swing"], z=-SIGN[side] * 0.10 * np.maximum(curves["swing"], 0.0))
        pose.local[:, upper] = rotations.multiply(swing, pose.local[:, upper])
        hinge = np.cross(skeleton.offsets[lower], skeleton.offsets[hand])
        elbow = rotations.from_axis_angle(hinge, curves["elbow"])
        pose.local[:, lower] = rotations.multiply(elbow, pose.local[:, lower])
        palm = palm_frame(skeleton, side)
        bend = rotations.from_axis_angle(np.cross(palm.along, palm.out), curves["bend"])
        pose.local[:, hand] = rotations.multiply(pose.local[:, hand], bend)
