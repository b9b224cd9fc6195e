"""Legs of a performed recording: feet stay where they stand, hips sink where legs would be too short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.joint_subset import SubsetPose, joint_subset
from kinesphere.engine.channels import INDEX
from kinesphere.engine.detail import Detail
from kinesphere.engine.recorded_feet import Leg, Standing, legs_of, place_legs, roll_axes
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.maths import rotations
from kinesphere.maths.filters import frame_count, gaussian, running_maximum, smooth_envelope, widen
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, norms, smoothstep
from kinesphere.motion.memo import memoised

BALANCE = 0.40  # of the upper body's displacement that hips go the other way
SOFT_KNEE = 0.003  # of a leg's length that knees keep, or as much as they were bent: six degrees
LESS = 0.3  # of how far a leg is moved that it is less stretched then
SINK_AHEAD = 0.16  # seconds in which hips sink before a leg is too short
PEEL_SMOOTH = 0.1  # seconds in which the room that it has may change
ROLL_SMOOTH = 0.03  # seconds of σ, over which an ankle's way over its ball is smoothed: feet in the air may tremble
FOOT = 0.18  # leg lengths from ankle to ball, of the longest feet whose heels rise as asked
SLOW, LASTS = 0.2, 0.3  # leg lengths a second, seconds: a foot that is slower for so long stands on something
CLEARS = (0.07, 0.18)  # leg lengths above what it passes over between which a foot comes to bend down freely
FLOOR = 0.35  # seconds to each side, the lowest point in which is what a foot passes over
LANDS = 0.08  # seconds before it stands, and after, in which a foot comes to do so
NOTHING: Mapping[str, Floats] = MappingProxyType({})
LEAST_PEEL = 0.05  # radians that a heel can always rise or fall


def balance_hips(context: PerformanceContext, before: RecordedWorld, after: RecordedWorld) -> Floats:
    """``(T, 3)`` how far hips go back as the upper body goes ahead, so that the body stays above its feet."""
    hips, head, chest = context.roles["hips"], context.roles["head"], before.chest_joint
    upper = np.zeros((context.clock.frames, 3))
    for joint in (head, chest):
        upper += 0.5 * ((after.p(joint) - after.p(hips)) - (before.p(joint) - before.p(hips)))
    share = BALANCE * context.stands * (1.0 - context.flying) * (1.0 - 0.8 * context.walking)
    return np.asarray(-share[:, None] * upper * np.array([1.0, 0.0, 1.0]))


def peel_feet(
    context: PerformanceContext, before: RecordedWorld, feet: dict[str, Floats], table: Floats
) -> dict[str, Floats]:
    """How feet are turned where heels are raised; raised ankles are written into ``feet``."""
    turned: dict[str, Floats] = {}
    for side, leg in legs_of(context.body).items():
        peel = table[:, INDEX[f"{side}.foot.peel"]] * context.stands * _short_foot(context, before, leg, side)
        turned[side] = before.q(leg.limb.end)
        if np.any(peel) and leg.toes >= 0:
            feet[side], turned[side] = _peel(before, leg, feet[side], peel, context.rate)
    return turned


def grounded(context: PerformanceContext, side: str) -> Floats:
    """``(T,)`` from 0 to 1: how far a foot stands at the moments that are shown, on the ground or on anything else."""
    return context.shown(_grounded(context.detail, side))


@memoised
def _grounded(detail: Detail, side: str) -> Floats:
    """``(T,)`` of the recording: where its foot has a contact, is near the ground, or some of its sole hardly moves."""
    poses, contacts, rate = detail.poses, detail.steps.contacts, detail.poses.motion.rate
    count = len(poses.motion)
    own = [] if contacts is None else [i for i, point in enumerate(contacts.points) if point.side == side]
    if contacts is None or not own or not len(contacts.rows) or count < 2:
        return np.ones(count)
    paths = contacts.paths[:, own] - np.reshape(poses.leaps, (-1, 1, 3))
    speeds = norms(np.gradient(paths, axis=0)) * rate
    slow = np.where((speeds < SLOW * poses.leg_length).any(axis=1), 1.0, 0.0)
    lasts = round(0.5 * LASTS * rate)  # a kick turns back where it is farthest, and stands on nothing there
    stands = np.asarray(running_maximum(-running_maximum(-slow, lasts), lasts) > 0.0)
    for point, first, last in contacts.rows.tolist():
        if point in own:
            stands[first : last + 1] = True
    fade = frame_count(LANDS, rate)
    height = contacts.paths[:, own, 1].min(axis=1)
    height = (height + running_maximum(-height, round(FLOOR * rate))) / poses.leg_length
    near = gaussian(
        1.0 - smoothstep((height - CLEARS[0]) / (CLEARS[1] - CLEARS[0])), 0.25 * LANDS * rate, ends="reflect"
    )
    return np.asarray(1.0 - (1.0 - widen(stands, fade, fade)) * (1.0 - near))


def _short_foot(context: PerformanceContext, before: RecordedWorld, leg: Leg, side: str) -> float:
    """How far heels rise of a foot that is longer for its leg than people's: the ankle would go up into the knee."""
    if leg.toes < 0:
        return 1.0
    length = float(norms(before.p(leg.toes) - before.p(leg.limb.end)).mean()) / context.body.lengths[f"{side}Leg"]
    return min(1.0, FOOT / max(length, 1e-6))


def _peel(before: RecordedWorld, leg: Leg, ankle: Floats, peel: Floats, rate: float) -> tuple[Floats, Floats]:
    """The ankle and the foot's rotation when the heel is raised by angles ``(T,)``, as far as it goes."""
    shin, foot, toes = (before.q(joint) for joint in (leg.limb.lower, leg.limb.end, leg.toes))
    left = leg.ankle.greatest - leg.ankle.flexion(shin, foot), leg.ankle.flexion(shin, foot) - leg.ankle.least
    room = np.minimum(left[1], leg.ball.greatest - leg.ball.flexion(foot, toes))
    room = np.maximum(np.where(peel > 0.0, room, left[0]), LEAST_PEEL)
    room = -smooth_envelope(-room, PEEL_SMOOTH, rate)  # a capture's ankle may tremble, a heel does not
    angles = room * np.tanh(peel / room)
    ball = before.p(leg.toes) - before.p(leg.limb.end)
    turn = rotations.from_rotation_vector(angles[:, None] * roll_axes(leg, foot, ball))
    rolled = gaussian(ball - rotations.rotate(turn, ball), ROLL_SMOOTH * rate, ends="point")
    return ankle + rolled, rotations.multiply(turn, foot)


def place_feet(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    feet: Mapping[str, Floats],
    turned: Mapping[str, Floats],
    turns: Mapping[str, Floats],
    local: Floats,
    translations: Floats,
    lifted: Mapping[str, Floats] = NOTHING,
) -> None:
    """Put feet where they stand; knees stay over them as recorded.

    ``turns (T,)`` are radians to the left by which the steps of a side are turned: its leg goes with them. ``lifted
    (T,)`` is how far a foot is in the air that stood.
    """
    body, hips = context.body, context.roles["hips"]
    legs, still = legs_of(body), np.zeros(context.clock.frames)
    standing = {
        side: Standing(
            feet[side],
            turned[side],
            turns.get(side, still),
            grounded(context, side) * (1.0 - lifted.get(side, still)),
        )
        for side in legs
    }
    detached = [leg for leg in legs.values() if leg.is_detached(body)]
    carried = _carried_feet(before, after, detached)
    place_legs(legs, hips, before.pose, carried, standing, context.rate, local, translations)
    for leg in detached:
        _attach(body, before, leg, local, translations)


def _carried_feet(before: RecordedWorld, after: RecordedWorld, detached: Sequence[Leg]) -> SubsetPose:
    """Joints in the world with feet that no leg carries where legs would carry them."""
    if not detached:
        return after.pose
    places = after.pose.p.copy()
    for leg in detached:
        lower = leg.limb.lower
        places[:, after.pose.part.rows[leg.limb.end]] = after.p(lower) + _in_shin(before, leg, after.q(lower))
    return after.pose._replace(p=places)


def _in_shin(before: RecordedWorld, leg: Leg, shin: Floats) -> Floats:
    """``(T, 3)`` from a knee to its ankle as recorded, where the shin is turned by ``shin (T, 4)``."""
    lower, foot = leg.limb.lower, leg.limb.end
    own = rotations.rotate(rotations.conjugate(before.q(lower)), before.p(foot) - before.p(lower))
    return rotations.rotate(shin, own)


def _attach(body: Body, before: RecordedWorld, leg: Leg, local: Floats, translations: Floats) -> None:
    """Bring a foot that its leg does not carry to where the leg ends."""
    foot, lower, above = leg.limb.end, leg.limb.lower, int(body.skeleton.parents[leg.limb.end])
    subset = joint_subset(body.skeleton, [lower, above] if above >= 0 else [lower])
    q, p = forward_some(local, translations, subset.joints, subset.parents)
    row = subset.rows[lower]
    ankle = p[:, row] + _in_shin(before, leg, q[:, row])
    if above >= 0:
        up = subset.rows[above]
        ankle = rotations.rotate(rotations.conjugate(q[:, up]), ankle - p[:, up])
    translations[:, foot] = ankle


def sink_hips(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    shift: Floats,
    feet: Mapping[str, Floats],
) -> Floats:
    """``(T, 3)`` how far hips go that are moved by ``shift (T, 3)`` and sink so that legs reach, smoothly."""
    legs = [_reach(context, side, before, after, shift, feet[side]) for side in legs_of(context.body)]
    sinks = np.zeros(len(shift))
    for _ in range(2):
        needed = np.zeros(len(shift))
        for below, level in legs:
            needed = np.maximum(needed, np.where(below > sinks, below - sinks - level, 0.0))
        if needed.max() < 1e-6:
            break
        sinks += smooth_envelope(needed, SINK_AHEAD, context.rate)
    return np.asarray(shift - sinks[:, None] * np.array([0.0, 1.0, 0.0]))


def _reach(
    context: PerformanceContext, side: str, before: RecordedWorld, after: RecordedWorld, shift: Floats, foot: Floats
) -> tuple[Floats, Floats]:
    """``(T,)`` metres that a foot is below its hip, and that it may be as far aside as it is."""
    hip, ankle = context.roles[f"{side}UpperLeg"], context.roles[f"{side}Foot"]
    recorded, wanted = before.p(ankle) - before.p(hip), foot - after.p(hip) - shift
    # A leg that was stretched may be so again, but not to the last while it is moved: knees would snap straight.
    length = context.body.lengths[f"{side}Leg"]
    stretched = norms(recorded) - np.minimum(LESS * norms(wanted - recorded), SOFT_KNEE * length)
    longest = np.maximum((1.0 - SOFT_KNEE) * length, stretched)
    x, y, z = wanted.T
    return -y, np.sqrt(np.maximum(longest * longest - x * x - z * z, 0.0))
