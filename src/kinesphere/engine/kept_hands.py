"""Hands that keep their referents: fingers stay on targets, palms meet, hands stay where they touch the body.

What is kept is how the phrase *as written*, without Effort, Shape or any other edit, has it at the same moment: the
hand as its carrier sees it, both palms as the chest sees them, the hand's tilt against the vertical, a target on the
finger's ray. After trunk, arms and hands are posed, arms and wrists are solved once more for these, as far as each
referent's window says. So it does not matter what moved: shoulders, torso, head, or the hand itself.

Wrists keep within their limits. Where that is not enough, arms go towards how they are written, and so do clavicles
where an arm is too short or too long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from kinesphere import _native
from kinesphere.engine.batch import Batch
from kinesphere.engine.pose import SIGN, BatchPose, joints_with_ancestors, limb_of
from kinesphere.engine.referents import join_meetings, window
from kinesphere.engine.trunk import NECK
from kinesphere.engine.written_pose import UP, ArmModel, WrittenPose, arm_model, heading, palm_position
from kinesphere.maths import rotations, threads
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms, unit
from kinesphere.motion.referent import CARRIERS, Kind, Referent

EASY_REACH, NEAREST = 0.99, 0.8  # of an arm's reach within which hands meet, and of how far they do as written
HANGS, TURNED, LIFTED = np.radians((12.0, 17.0, 60.0))  # that heads still hang and turn, and are held back at most
HELPING = 0.15  # seconds before and after a wrist needs the arm's help, in which it has it
STAYING = 0.05  # seconds before and after a wrist has to be at a place, in which it is left there
FADING = 0.25  # seconds over which a referent fades at least
TRIED, TRIALS = 0.05, 3  # seconds between frames that are tried for the help they need, and how often they are
HELD = 0.99  # of a referent from which on a hand keeps it
FRAME_WORK = 200  # numbers that a hand is worth when frames are shared among threads


# What a performance keeps, and when


@dataclass(frozen=True, eq=False)
class KeptPerformance:
    """What one performance keeps, and when."""

    referents: tuple[Referent, ...]
    times: Mapping[str, Floats]  # of each side, (T,) the phrase's own time
    written: WrittenPose
    fixed: Mapping[str, Floats]  # of each side, (T,) how far the wrist stays where it is, 0 to 1
    rate: float  # frames a second
    thick: bool = False  # whether hands are kept out of a body thicker than any person's
    period: float | None = None  # of a loop

    @cached_property
    def shares(self) -> Mapping[tuple[str, Kind, str | None], Floats]:
        """For side, kind and joint ``(T,)`` how far such referents hold, from 0 to 1."""
        made: dict[tuple[str, Kind, str | None], Floats] = {}
        for own in join_meetings(self.referents):
            share = window(own, self.time(own.kind, own.sides[0]), self.period, FADING * self.rate)
            for side in own.sides:
                key = side, own.kind, own.joint
                made[key] = np.minimum(made[key] + share, 1.0) if key in made else share
        return made

    @cached_property
    def closeness(self) -> Floats:
        """``(T,)`` how far palms are as near to each other as written: 1 where they meet, less between claps."""
        windows = [window(own, self._common_time, self.period) for own in self.referents if own.kind == Kind.MEET]
        return np.asarray(np.minimum(np.sum(windows, axis=0), 1.0))

    @cached_property
    def weights(self) -> Mapping[str, Floats]:
        """Of each side ``(T,)`` how far it keeps anything."""
        none = np.zeros(len(self.times["left"]))
        rows = {side: [share for (own, *_), share in self.shares.items() if own == side] for side in SIGN}
        return {side: np.max([none, *own], axis=0) for side, own in rows.items()}

    def facing(self, side: str) -> Floats:
        """``(T,)`` how far a hand's rotation is kept; that of hands that meet is, while they do."""
        rows = [
            share * self.closeness if kind == Kind.MEET else share
            for (own, kind, _), share in self.shares.items()
            if own == side
        ]
        return np.asarray(np.max(rows, axis=0)) if rows else np.zeros(len(self.times[side]))

    @property
    def stay(self) -> Floats | None:
        """``(T, 2)`` how far each hand stays at what it touches, or meets; None where none does."""
        stays = np.zeros((len(self.times["left"]), len(SIGN)))
        for (side, kind, _), share in self.shares.items():
            if kind in (Kind.TOUCH, Kind.MEET):
                row = stays[:, list(SIGN).index(side)]
                np.maximum(row, share, out=row)
        return stays if stays.any() else None

    def time(self, kind: Kind, side: str) -> Floats:
        """``(T,)`` the arm's own time; hands that meet have one."""
        return self._common_time if kind == Kind.MEET else self.times[side]

    @cached_property
    def batch(self) -> Batch:
        """Its frames alone."""
        return Batch((len(self.times["left"]),), (self.period is not None,), self.rate)

    @cached_property
    def _common_time(self) -> Floats:
        return 0.5 * (self.times["left"] + self.times["right"])

    @cached_property
    def frames(self) -> Mapping[str | None, Floats]:
        """Of each side, and of hands that meet, None, ``(T,)`` frames of the pose as written, with fractions."""
        made: dict[str | None, Floats] = {side: self.written.frames_at(side, self.times[side]) for side in SIGN}
        return made | {None: self.written.frames_at("right", self._common_time)}


def referent_weights(batch: Batch, kept: Sequence[KeptPerformance | None]) -> Floats | None:
    """``(2 F,)`` how far each arm keeps anything, left ones first; None: nothing is kept."""
    if not any(kept):
        return None
    weights = np.zeros((len(SIGN), len(batch)))
    for row, side in zip(weights, SIGN, strict=True):
        for frames, own in zip(batch.slices, kept, strict=True):
            if own is not None:
                row[frames] = own.weights[side]
    return weights.ravel()


def held_hands(batch: Batch, kept: Sequence[KeptPerformance | None]) -> Bools:
    """``(2 F,)`` frames in which a hand's rotation is kept, left ones first."""
    made = np.zeros((len(SIGN), len(batch)), dtype=np.bool_)
    for row, side in zip(made, SIGN, strict=True):
        for frames, own in zip(batch.slices, kept, strict=True):
            if own is not None:
                row[frames] = own.facing(side) > HELD
    return made.ravel()


# Keeping it


class KeptHands(NamedTuple):
    """What one side's hands keep in N frames, and how far; all in the world."""

    frames: Ints  # (N,) of the pose
    base: Floats  # (N, 3) position of the clavicle's joint
    chest: Floats  # (N, 4) rotation of what carries it
    clavicle: Floats  # (N, 4) its rotation as written
    place_weight: Floats  # (N,)
    place: Floats  # (N, 3) where the palm's middle is to be
    face_weight: Floats  # (N,)
    face: Floats  # (N, 4) the hand's rotation
    level_weight: Floats  # (N,)
    up: Floats  # (N, 3) what is to be vertical, in the hand's axes
    aim_weight: Floats  # (N,)
    target: Floats  # (N, 3) that the index finger points at
    finger: Floats  # (N, 12) local rotations of the index finger's three joints as written
    wrist: Floats  # (N, 3) roll, bend and aside as written
    arm: Floats  # (N, 4) the upper arm's rotation as written
    flexion: Floats  # (N,) the elbow's angle as written
    elbow: Floats  # (N, 3) about where the elbow of a hand with a place is, as written
    fixed: Floats  # (N,) how far the wrist stays where it is, 0 to 1

    def select(self, rows: slice | Ints) -> KeptHands:
        """Some of the frames."""
        return KeptHands(self.frames[rows], *(row[rows] for row in self._numbers))

    @classmethod
    def join(cls, parts: Sequence[KeptHands]) -> KeptHands:
        """The frames of several performances."""
        if len(parts) == 1:
            return parts[0]
        numbers = zip(*(part._numbers for part in parts), strict=True)
        return cls(np.concatenate([part.frames for part in parts]), *map(np.concatenate, numbers))

    @property
    def _numbers(self) -> tuple[Floats, ...]:
        """All but the frames."""
        return cast("tuple[Floats, ...]", self[1:])


def keep_referents(pose: BatchPose, kept: Sequence[KeptPerformance | None]) -> None:
    """Change arms and hands of a pose so that they keep their referents; None is a performance without any."""
    if not any(kept):
        return
    _hold_heads(pose, kept)
    body = _BodyWorld.of(pose, (*CARRIERS, *(f"{side}{part}" for side in SIGN for part in ("Hand", "UpperArm"))))
    pairs = [(body.part(frames), own) for frames, own in zip(pose.batch.slices, kept, strict=True) if own is not None]
    meetings = [_meeting_places(part, own) for part, own in pairs]
    for side in SIGN:
        rows = [
            _goals(part, own, side, meeting)
            for (part, own), meeting in zip(pairs, meetings, strict=True)
            if own.weights[side].any()
        ]
        if rows:
            _solve(pose, KeptHands.join(rows), arm_model(pose.skeleton, side))


def _solve(pose: BatchPose, hands: KeptHands, model: ArmModel) -> None:
    """Solve arms and hands of one side. The help that wrists need from arms comes and goes slowly."""
    own_frames = hands.frames - pose.batch.first[hands.frames]  # or help would depend on the rest of the batch
    tried = np.flatnonzero(own_frames % max(round(TRIED * pose.batch.rate), 1) == 0)
    few, given = hands.select(tried), np.zeros((len(hands.frames), 2))
    for _ in range(TRIALS):
        needed = given[tried]
        _keep_hands(pose, few, model, needed, True)
        if np.array_equal(needed, given[tried]):
            break
        every = np.zeros((len(pose.batch), 2))
        every[few.frames] = needed
        given = _come_and_go(pose.batch, every, HELPING)[hands.frames]
    _keep_hands(pose, hands, model, given, False)


def _keep_hands(pose: BatchPose, hands: KeptHands, model: ArmModel, given: Floats, trial: bool) -> None:
    """Solve hands with ``given (N, 2)`` help of arms and clavicles; a trial writes how much they need there instead."""

    whole = slice(0, len(hands.frames))

    def keep(rows: slice) -> None:
        own = hands if rows == whole else hands.select(rows)
        _native.kept_hands.keep_hands(own, model, trial, given[rows], pose.local)

    threads.share_frames(len(hands.frames), len(hands.frames) * FRAME_WORK, keep)


def _hold_heads(pose: BatchPose, kept: Sequence[KeptPerformance | None]) -> None:
    """Hold heads that hands touch: to the chest about as written, or hands could not follow; and about as upright as
    written while something upright is at them, as nobody drinks with a hanging head.
    """
    for frames, own in zip(pose.batch.slices, kept, strict=True):
        for side in () if own is None else SIGN:
            assert own is not None
            touch, level = (own.shares.get(key) for key in ((side, Kind.TOUCH, "head"), (side, Kind.LEVEL, None)))
            if touch is None:
                continue
            (used,) = np.nonzero(touch)
            rows = frames.start + used
            world = _BodyWorld.of(pose, ("head",), rows)
            head, chest = (world.joint(name)[0] for name in ("head", "upperChest"))
            seen = rotations.normalise(cubic_rows_at(own.written.head_from_chest(), own.frames[side][used], False))
            turn = rotations.multiply(rotations.multiply(chest, seen), rotations.conjugate(head))
            _turn_heads(world, rows, rotations.to_rotation_vector(turn), touch[used], TURNED)
            if level is not None:
                world = _BodyWorld.of(pose, ("head",), rows)
                head = world.joint("head")[0]
                up = rotations.rotate(head, cubic_rows_at(own.written.head_up(), own.frames[side][used], False))
                turn = rotations.to_rotation_vector(rotations.rotation_between(unit(up), UP))
                _turn_heads(world, rows, turn, (touch * level)[used], HANGS)


def _turn_heads(world: _BodyWorld, frames: Ints, turn: Floats, weight: Floats, kept: float) -> None:
    """Turn heads by ``weight (N,)`` of rotation vectors ``(N, 3)`` in the world, but for about ``kept`` radians.

    ``world`` has the frames as they are before that.
    """
    pose = world.pose
    angle = norms(turn)
    over = np.minimum(angle - kept * np.tanh(angle / kept), LIFTED)
    turn = turn * (weight * over / np.maximum(angle, 1e-9))[:, None]
    for name, share in NECK.items():
        joint = pose.skeleton.index(name)
        above = pose.skeleton.names[int(pose.skeleton.parents[joint])]
        back = rotations.conjugate(world.joint(above)[0])  # as it was before any of these turns
        own = rotations.from_rotation_vector(rotations.rotate(back, share * turn))
        pose.local[frames, joint] = rotations.multiply(own, pose.local[frames, joint])


# Goals of one performance


class _BodyWorld(NamedTuple):
    """Joints of a posed batch, or of some of its frames, in the world."""

    pose: BatchPose
    joints: Ints
    rotations: Floats  # (F, K, 4)
    positions: Floats  # (F, K, 3)
    first: int = 0  # its first frame

    @classmethod
    def of(cls, pose: BatchPose, names: tuple[str, ...], frames: Ints | slice = slice(None)) -> _BodyWorld:
        """Joints and their ancestors, in some frames."""
        joints = joints_with_ancestors(pose.skeleton, names)
        return cls(pose, joints, *pose.world(joints, frames))

    def part(self, frames: slice) -> _BodyWorld:
        """One performance."""
        return self._replace(
            rotations=self.rotations[frames], positions=self.positions[frames], first=self.first + frames.start
        )

    def joint(self, name: str, frames: Ints | slice = slice(None)) -> tuple[Floats, Floats]:
        """Rotations and positions of a joint in some frames."""
        at = int(np.searchsorted(self.joints, self.pose.skeleton.index(name)))
        return self.rotations[frames, at], self.positions[frames, at]

    def palm(self, side: str, frames: Ints) -> Floats:
        """``(N, 3)`` the palm's middle."""
        return palm_position(self.pose.skeleton, side, *self.joint(f"{side}Hand", frames))


def _goals(body: _BodyWorld, own: KeptPerformance, side: str, meeting: Floats | None) -> KeptHands:
    """What an arm keeps, in frames where it keeps something; ``meeting (T, 3)`` is where palms meet."""
    (used,) = np.nonzero(own.weights[side])
    written, at, count = own.written, own.frames[side][used], len(used)
    chest, _ = body.joint("upperChest", used)
    faced = heading(chest)
    sampled = cubic_rows_at(written.arms(side), at, False)
    clavicle, arm, angles, finger, up = np.split(sampled, (4, 8, 12, 24), axis=1)
    rows = KeptHands(
        frames=body.first + used,
        base=body.joint(f"{side}Shoulder", used)[1],
        chest=np.ascontiguousarray(chest),
        clavicle=rotations.normalise(clavicle),
        place_weight=np.zeros(count),
        place=np.zeros((count, 3)),
        face_weight=np.zeros(count),
        face=np.zeros((count, 4)),
        level_weight=np.zeros(count),
        up=unit(up),
        aim_weight=np.zeros(count),
        target=np.zeros((count, 3)),
        finger=np.ascontiguousarray(finger),
        wrist=np.ascontiguousarray(angles[:, :3]),
        arm=rotations.multiply(faced, rotations.normalise(arm)),
        flexion=np.ascontiguousarray(angles[:, 3]),
        elbow=np.zeros((count, 3)),
        fixed=_come_and_go(own.batch, own.fixed[side], STAYING)[used],
    )
    _set_places(body, own, side, used, rows, meeting)
    level = own.shares.get((side, Kind.LEVEL, None))
    if level is not None:  # the elbow is then as high above the palm as written, whatever the hand touches
        rows.level_weight[:] = level[used]
        palm = body.palm(side, used)
        palm = palm + rows.place_weight[:, None] * (rows.place - palm)
        elbow = palm + rotations.rotate(faced, cubic_rows_at(written.elbow_from_palm(side), at, False))
        rows.elbow[:] += level[used, None] * (elbow - rows.elbow)
    rows.face_weight[:] *= 1.0 - rows.level_weight
    _set_targets(body, own, side, used, rows)
    return rows


def _set_places(
    body: _BodyWorld, own: KeptPerformance, side: str, used: Ints, rows: KeptHands, meeting: Floats | None
) -> None:
    """Places and facings of hands that touch something, or each other; hands that touch the body do that first."""
    weight, facing = rows.place_weight, rows.face_weight
    for joint in CARRIERS:
        share = own.shares.get((side, Kind.TOUCH, joint))
        if share is not None:
            q, p = body.joint(joint, used)
            seen = cubic_rows_at(own.written.hand_from(side, joint), own.frames[side][used], False)
            _add_place(rows, share[used], p + rotations.rotate(q, seen[:, :3]), q, p, seen)
    facing[:] = weight
    share = own.shares.get((side, Kind.MEET, None))
    if share is not None:
        assert meeting is not None
        share = share[used] * (1.0 - clip(weight, 0.0, 1.0))
        q, p = body.joint("upperChest", used)
        at = own.frames[None][used]
        seen = cubic_rows_at(own.written.hand_from(side, "upperChest"), at, False)
        apart = rotations.rotate(q, cubic_rows_at(own.written.palms_apart(), at, False))
        performed = body.palm("left", used) - body.palm("right", used)
        apart = performed + own.closeness[used, None] * (apart - performed)
        place = meeting[used] + 0.5 * SIGN[side] * apart
        _add_place(rows, share, place, q, p, seen)
        facing += share * own.closeness[used]  # palms face each other where they meet; between, hands go with forearms
    shown = weight > 0.0
    for row in (rows.place, rows.elbow):
        row[shown] /= weight[shown, None]
    rows.face[shown] /= norms(rows.face[shown])[:, None]
    for row in (weight, facing):
        np.minimum(row, 1.0, out=row)


def _add_place(rows: KeptHands, share: Floats, place: Floats, rotation: Floats, position: Floats, seen: Floats) -> None:
    """Add ``share (N,)`` of a place ``(N, 3)``, with elbow and facing as ``seen (N, 10)`` by a joint."""
    turned = rotations.multiply(rotation, rotations.normalise(seen[:, 6:]))
    sign = np.where(np.sum(turned * rows.face, axis=1) < 0.0, -1.0, 1.0)
    rows.place_weight[:] += share
    rows.place[:] += share[:, None] * place
    rows.elbow[:] += share[:, None] * (position + rotations.rotate(rotation, seen[:, 3:6]))
    rows.face[:] += (sign * share)[:, None] * turned


def _meeting_places(body: _BodyWorld, own: KeptPerformance) -> Floats | None:
    """``(T, 3)`` where palms meet; None: nowhere.

    It is the middle of where they are, and nearer to where they meet as written as far as arms would be too short, or
    folded too far.
    Before a thick body, where there may be no other place, they meet as written.
    """
    weight = own.shares.get(("left", Kind.MEET, None))
    if weight is None:
        return None
    (used,) = np.nonzero(weight)
    at, skeleton, written = own.frames[None][used], body.pose.skeleton, own.written
    q, p = body.joint("upperChest", used)
    middle = 0.5 * (body.palm("left", used) + body.palm("right", used))
    seen = {side: cubic_rows_at(written.hand_from(side, "upperChest"), at, False) for side in SIGN}
    towards = p + rotations.rotate(q, 0.5 * (seen["left"][:, :3] + seen["right"][:, :3])) - middle
    apart = rotations.rotate(q, cubic_rows_at(written.palms_apart(), at, False))
    share = np.full(len(used), 1.0 if own.thick else 0.0)
    for side, sign in SIGN.items() if not own.thick else ():
        hand = rotations.multiply(q, rotations.normalise(seen[side][:, 6:]))
        wrist = middle + 0.5 * sign * apart - rotations.rotate(hand, arm_model(skeleton, side).palm)
        start = wrist - body.joint(f"{side}UpperArm", used)[1]
        farthest = np.full(len(used), EASY_REACH * limb_of(skeleton, side, "Arm").reach)
        nearest = np.minimum(NEAREST * norms(start + towards), farthest)
        share = np.maximum(share, _share_between(start, towards, nearest, farthest))
    needed, made = np.zeros(len(weight)), np.zeros((len(weight), 3))
    needed[used] = share
    made[used] = middle + _come_and_go(own.batch, needed, HELPING)[used, None] * towards
    return made


def _come_and_go(batch: Batch, needed: Floats, seconds: float) -> Floats:
    """What is ``needed (F, ...)``, from ``seconds`` before to as long after, coming and going slowly."""
    made = np.empty_like(needed)
    for column, own in zip(made.reshape(len(made), -1).T, needed.reshape(len(made), -1).T, strict=True):
        column[:] = batch.running_maximum(own, seconds)
    return batch.smooth(made, seconds / 3.0)


def _share_between(start: Floats, step: Floats, nearest: Floats, farthest: Floats) -> Floats:
    """``(N,)`` how much of a step ``(N, 3)``, 0 to 1, brings a point ``(N, 3)`` between two distances ``(N,)``."""
    squared, along = np.maximum(np.sum(step * step, axis=1), 1e-12), np.sum(start * step, axis=1)
    own = np.sum(start * start, axis=1)

    def crossing(radius: Floats, sign: float) -> Floats:
        inner = np.maximum(along * along - squared * (own - radius**2), 0.0)
        return np.asarray(clip((-along + sign * np.sqrt(inner)) / squared, 0.0, 1.0))

    into, out = crossing(farthest, -1.0), crossing(nearest, 1.0)
    return np.where(own > farthest**2, into, np.where(own < nearest**2, out, 0.0))


def _set_targets(body: _BodyWorld, own: KeptPerformance, side: str, used: Ints, rows: KeptHands) -> None:
    """Targets of a pointing finger: on its way what it points at as written, seen from the chest; then its own."""
    aims = [referent for referent in own.referents if referent.kind == Kind.AIM and side in referent.sides]
    if not aims:
        return
    weight, target = rows.aim_weight, rows.target
    for aim in aims:
        share = window(aim, own.times[side], own.period, FADING * own.rate)[used]
        weight += share
        target += share[:, None] * np.array(aim.target)
    target /= np.maximum(weight, 1e-12)[:, None]
    np.minimum(weight, 1.0, out=weight)
    q, p = body.joint("upperChest", used)
    passed = cubic_rows_at(own.written.target_from_chest(side), own.frames[side][used], False)
    passed = p + rotations.rotate(heading(q), passed)
    target[:] = passed + weight[:, None] * (target - passed)
