"""Arms that bring the wrists where they are to be, or hang: the mixture of three spaces, and the arm's flourishes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.figure.arm_laying import Mixture, Surroundings, laid
from kinesphere.figure.arm_plan import ALL, ELBOWS, FREE, HANG, TURNS, ArmPlan
from kinesphere.figure.channels import sampled
from kinesphere.figure.flourishes import displaced, twist
from kinesphere.figure.hanging import hung
from kinesphere.figure.limbs import Limb
from kinesphere.figure.manner import FLOURISHES, ArmManner
from kinesphere.figure.paths import Paths
from kinesphere.figure.pose import SIGN
from kinesphere.figure.spans import RATE, Spans
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.figure.strokes import Travel
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths, within

JOIN_UP, JOIN_AHEAD = np.radians(24.0), np.radians(13.0)  # how far a shoulder joins its arm


@dataclass(frozen=True, eq=False)
class ArmTask:
    """What one arm does in one performance."""

    plan: ArmPlan | None
    travel: Travel | None
    manner: ArmManner
    moment: Floats  # (T,) of the gesture's own time
    loop: bool

    def flourish(self, name: str) -> Floats:
        """``(T,)`` or ``()``."""
        curve = self.manner.flourish(name)
        return curve if curve.ndim == 0 else sampled(curve, self.moment, self.loop)

    def taken(self, every: int) -> ArmTask:
        """Every so many frames of it."""
        whole = self.travel
        travel = whole and Travel(whole.stroke[::every], whole.time_share[::every], whole.way_share[::every])
        return ArmTask(self.plan, travel, self.manner, self.moment[::every], self.loop)


@dataclass(frozen=True, eq=False)
class ArmPose:
    """Arms as their chests see them: of all performances the left ones, and then the right ones."""

    upper: Floats  # (2 F, 4) the shoulder's turn
    flexion: Floats  # (2 F,) the elbow's angle
    wrist: Floats  # (2 F, 3) from the shoulder
    hanging: Floats  # (2 F,) how much each arm hangs
    busy: Floats  # (2 F,) how much of its flourishes it shows
    share: Floats  # (2 F,) of the stroke's time
    room: Floats  # (2 F,) how much of its flourishes the body leaves the hand room for
    flourishes: dict[str, Floats]  # each (2 F,) or ()

    @cached_property
    def sides(self) -> dict[str, slice]:
        """Which rows are the left and the right ones."""
        half = len(self.flexion) // 2
        return {"left": slice(half), "right": slice(half, None)}


def pose_arms(
    limbs: Mapping[str, Limb],
    tasks: Sequence[ArmTask],
    spans: Spans,
    size: float,
    shoulder: Floats,
    chest: Floats,
    *,
    body: Callable[[slice], Surroundings] | None = None,
    plainly: bool = False,
) -> ArmPose:
    """The arms of all performances, left ones first, from ``shoulder (2 F, 3)`` and ``chest (2 F, 4)`` in the world.

    Hands keep off the ``body``, which is asked for the rows of one side after the other. ``plainly`` leaves out what
    does not matter to balance: other spaces and flourishes.
    """
    flourishes = {} if plainly else {name: _gathered(name, tasks, spans) for name in FLOURISHES}
    way = _Way.of(tasks, spans, shoulder, chest, not plainly and _other_spaces(flourishes))
    rows, half = way.rows, len(spans) // 2
    halves = dict(zip(SIGN, (slice(half), slice(half, None)), strict=True))
    hanging = way.hanging
    target = rows[:, :3]
    if hanging.any():
        rest = np.repeat(size * np.array([resting_wrist(side) for side in SIGN]), half, axis=0)
        if way.idle.any():
            swivels = np.repeat([resting_swivel(side) for side in SIGN], half)
            rows[way.idle, :3], rows[way.idle, 3] = rest[way.idle], swivels[way.idle]
        target = target + hanging[:, None] * hung(spans, size, rest, shoulder, chest)
    busy = way.lively
    mixture = Mixture.plain(len(spans))
    if not plainly:
        busy = busy * (1.0 - hanging)
        twisted = twist(way.share, flourishes["elbow_twist"] * busy, flourishes["elbow_frequency"])
        twisted[halves["right"]] *= SIGN["right"]
        bent = displaced(way.share, flourishes["displacement"] * busy * way.off_vias)
        mixture = _mixture(way, flourishes, 1.0 - hanging)._replace(bend=bent, twist=twisted)
    made = [
        laid(
            limbs[side],
            target[own],
            rows[own, 3],
            mixture.taken(own),
            Surroundings.none(half) if body is None else body(own),
            size,
        )
        for side, own in halves.items()
    ]
    upper, flexion, wrist, room = (np.concatenate(pair) for pair in zip(*made, strict=True))
    return ArmPose(upper, flexion, wrist, hanging, busy, way.share, room, flourishes)


class _Way(NamedTuple):
    """The ways of one side's arms at every frame."""

    rows: Floats  # (F, 6), or (F, 13) with the two other spaces
    hanging: Floats  # (F,) how much each arm hangs
    starts: Floats  # (F, 4) the stroke's first shoulder, where there are other spaces
    share: Floats  # (F,) of the stroke's time
    lively: Floats  # (F,) how much of its flourishes a stroke shows
    off_vias: Floats  # (F,) how much of what would miss a via
    idle: Bools  # (F,) whether the arm is not asked for anything
    other: Floats  # (F,) whether other spaces than the wrist's count

    @classmethod
    def of(cls, tasks: Sequence[ArmTask], spans: Spans, shoulder: Floats, chest: Floats, spaces: bool) -> _Way:
        count = len(spans)
        rows = np.zeros((count, ALL if spaces else TURNS))
        starts = rotations.identity(count) if spaces else np.zeros((1, 4))
        (share, lively), off_vias = np.zeros((2, count)), np.ones(count)
        idle, other = np.zeros(count, dtype=np.bool_), np.ones(count)
        for frames, task in zip(spans.slices(), tasks, strict=True):
            plan, travel = task.plan, task.travel
            if plan is None or travel is None:
                idle[frames] = True
                continue
            path, first = _rows(plan, travel, rows[frames], shoulder[frames], chest[frames], spans.rate)
            if spaces:
                starts[frames] = first[travel.stroke]
                if plan.in_world:  # a hand that holds on to a place in the world knows no other space
                    other[frames] = plan.ways[travel.stroke] > 0.0
            share[frames] = travel.time_share
            lively[frames] = plan.lively[travel.stroke]
            off_vias[frames] = plan.off_vias(path, travel.stroke, travel.way_share)
        hanging = within(rows[:, HANG], 0.0, 1.0)
        hanging[idle] = 1.0
        return cls(rows, hanging, starts, share, lively, off_vias, idle, other)


def _rows(
    plan: ArmPlan, travel: Travel, rows: Floats, shoulder: Floats, chest: Floats, rate: float
) -> tuple[Paths, Floats]:
    """Write the rows ``(T, ...)`` of one arm's way; gives its path and each stroke's first shoulder."""
    places = plan.places
    if plan.in_world:
        at = within(np.round(plan.frames * (rate / RATE)).astype(np.intp), 0, len(chest) - 1)
        back = rotations.rotate(rotations.conjugate(chest[at]), plan.places - shoulder[at])
        places = np.where(plan.fixed[:, None], back, plan.places)
    starts, path = plan.through(places) if rows.shape[1] > TURNS else (np.zeros((1, 4)), plan.wrists(places))
    rows[:] = path.at(travel.stroke, travel.way_share)
    if plan.in_world:  # between keys of the world the hand goes through the world
        out = shoulder[at] + rotations.rotate(chest[at], plan.places)
        world = plan.wrists(np.where(plan.fixed[:, None], plan.places, out)).at(travel.stroke, travel.way_share)
        seen = rotations.rotate(rotations.conjugate(chest), world[:, :3] - shoulder)
        rows[:, :3] += within(rows[:, FREE], 0.0, 1.0)[:, None] * (seen - rows[:, :3])
    plan.limb.soften(rows[:, :3], plan.farthest(places))
    return path, starts


def _other_spaces(flourishes: dict[str, Floats]) -> bool:
    return bool(flourishes["joint_angle"].any() or flourishes["elbow_position"].any())


def _mixture(way: _Way, flourishes: dict[str, Floats], asked: Floats) -> Mixture:
    """The ways through the two other spaces, where they have a share."""
    made = Mixture.plain(len(asked))
    if not _other_spaces(flourishes):
        return made
    joint, through = flourishes["joint_angle"] * asked, flourishes["elbow_position"] * asked  # a hanging arm hangs
    shown = np.where(way.idle, 0.0, way.other)
    joint, through = shown * joint, shown * through
    angles, elbows = way.rows[:, TURNS:ELBOWS], way.rows[:, ELBOWS:]
    return made._replace(joint=joint, angles=angles, starts=way.starts, through=through, elbows=elbows)


def joining(wrist: Floats, size: float, spans: Spans) -> Floats:
    """``(2 F, 2)`` how far shoulders rise and come forward for wrists that go up, and out in front."""
    reach = wrist / (0.545 * size)
    far = lengths(reach)
    height = np.arctan2(reach[:, 1], np.hypot(reach[:, 0], reach[:, 2]))  # of the wrist above the shoulder
    half = len(wrist) // 2
    across = np.concatenate([-reach[:half, 0], reach[half:, 0]])
    made = np.empty((len(wrist), 2))
    made[:, 0] = JOIN_UP * _ease((height + 0.6) / 2.0) * within(far, 0.0, 1.0)
    made[:, 1] = JOIN_AHEAD * _ease((reach[:, 2] - 0.35) / 0.65) + 0.6 * JOIN_AHEAD * _ease(across / 0.6)
    return spans.rounded(made, 0.05)


def _gathered(name: str, tasks: Sequence[ArmTask], spans: Spans) -> Floats:
    curves = [task.flourish(name) for task in tasks]
    if all(curve.ndim == 0 and curve == curves[0] for curve in curves):
        return curves[0]
    return np.concatenate([np.broadcast_to(c, (n,)) for c, n in zip(curves, spans.counts, strict=True)])


def _ease(share: Floats) -> Floats:
    u = within(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u), dtype=np.float64)
