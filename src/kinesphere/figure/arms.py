"""Arms that bring the wrists where they are to be, or hang: the mixture of three spaces, and the arm's flourishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.figure.arm_laying import Mixture, Surroundings, laid
from kinesphere.figure.arm_plan import FREE, HANG, ArmPlan
from kinesphere.figure.channels import sampled
from kinesphere.figure.flourishes import displaced, twist
from kinesphere.figure.hanging import hung
from kinesphere.figure.limbs import Limb
from kinesphere.figure.manner import FLOURISHES, ArmManner
from kinesphere.figure.pose import SIGN
from kinesphere.figure.spans import Spans
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.figure.strokes import Travel
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, lengths, within

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

    @property
    def asked(self) -> tuple[ArmPlan, Travel]:
        """The plan and the travel of an arm that has one."""
        if self.plan is None or self.travel is None:
            raise ValueError("this arm only hangs")
        return self.plan, self.travel

    def taken(self, every: int) -> ArmTask:
        """Every so many frames of it."""
        whole = self.travel
        travel = whole and Travel(whole.stroke[::every], whole.time_share[::every], whole.way_share[::every])
        return ArmTask(self.plan, travel, self.manner, self.moment[::every], self.loop)


@dataclass(frozen=True, eq=False)
class ArmPose:
    """One side's arms, as their chests see them."""

    upper: Floats  # (F, 4) the shoulder's turn
    flexion: Floats  # (F,) the elbow's angle
    wrist: Floats  # (F, 3) from the shoulder
    hanging: Floats  # (F,) how much each arm hangs
    busy: Floats  # (F,) how much of its flourishes it shows
    share: Floats  # (F,) of the stroke's time
    room: Floats  # (F,) how much of its flourishes the body leaves the hand room for
    flourishes: dict[str, Floats]  # each (F,) or ()


def pose_arms(
    limb: Limb,
    side: str,
    tasks: Sequence[ArmTask],
    spans: Spans,
    size: float,
    shoulder: Floats,
    chest: Floats,
    *,
    body: Surroundings | None = None,
    plainly: bool = False,
) -> ArmPose:
    """The arms of one side of all performances, with their shoulders ``(F, 3)`` and chests ``(F, 4)`` in the world.

    Hands keep off the ``body``. ``plainly`` leaves out what does not matter to balance: other spaces and flourishes.
    """
    rest = np.array(resting_wrist(side)) * size
    rows = np.zeros((len(spans), 6))
    rows[:, :3], rows[:, 3], rows[:, HANG] = rest, resting_swivel(side), 1.0
    share, lively = np.zeros(len(spans)), np.zeros(len(spans))
    ways: list[tuple[slice, ArmTask, Floats]] = []
    for frames, task in zip(spans.slices(), tasks, strict=True):
        if task.plan is None or task.travel is None:
            continue
        own, places = _wrists(task, shoulder[frames], chest[frames], round(60.0 / spans.rate))
        rows[frames] = own
        share[frames] = task.travel.time_share
        lively[frames] = task.plan.lively[task.travel.stroke]
        ways.append((frames, task, places))
    hanging = within(rows[:, HANG], 0.0, 1.0)
    target = rows[:, :3]
    if hanging.any():
        target = target + hanging[:, None] * hung(spans, size, rest, shoulder, chest)
    surroundings = Surroundings.none(len(spans)) if body is None else body
    if plainly:
        made = laid(limb, target, rows[:, 3], Mixture.plain(len(spans)), surroundings, size)
        return ArmPose(made.upper, made.flexion, made.wrist, hanging, lively, share, made.room, {})
    flourishes = {name: _gathered(name, tasks, spans) for name in FLOURISHES}
    lively = lively * (1.0 - hanging)
    mixture = _mixture(ways, flourishes, 1.0 - hanging)._replace(
        bend=displaced(share, flourishes["displacement"] * lively),
        twist=SIGN[side] * twist(share, flourishes["elbow_twist"] * lively, flourishes["elbow_frequency"]),
    )
    made = laid(limb, target, rows[:, 3], mixture, surroundings, size)
    return ArmPose(made.upper, made.flexion, made.wrist, hanging, lively, share, made.room, flourishes)


def _wrists(task: ArmTask, shoulder: Floats, chest: Floats, every: int) -> tuple[Floats, Floats]:
    """The rows of a wrists' path at every frame, and keys as the chest sees them."""
    plan, travel = task.asked
    at = within(np.round(plan.frames / every).astype(np.intp), 0, len(chest) - 1)
    places = plan.places
    if plan.fixed.any():
        back = rotations.rotate(rotations.conjugate(chest[at]), plan.places - shoulder[at])
        places = np.where(plan.fixed[:, None], back, plan.places)
    path = plan.wrists(places)
    rows = path.at(travel.stroke, travel.way_share)
    if plan.fixed.any():  # between keys of the world the hand goes through the world
        out = shoulder[at] + rotations.rotate(chest[at], plan.places)
        world = plan.wrists(np.where(plan.fixed[:, None], plan.places, out)).at(travel.stroke, travel.way_share)
        seen = rotations.rotate(rotations.conjugate(chest), world[:, :3] - shoulder)
        rows[:, :3] += within(rows[:, FREE], 0.0, 1.0)[:, None] * (seen - rows[:, :3])
    reach = lengths(places[plan.stops])
    inside = reach[reach <= plan.limb.reach]
    rows[:, :3] = plan.limb.softened(rows[:, :3], float(inside.max()) if inside.size else 0.0)
    return rows, places


def _mixture(ways: Sequence[tuple[slice, ArmTask, Floats]], flourishes: dict[str, Floats], asked: Floats) -> Mixture:
    """The ways through the two other spaces, where they have a share."""
    made = Mixture.plain(len(asked))
    joint, through = flourishes["joint_angle"] * asked, flourishes["elbow_position"] * asked  # a hanging arm hangs
    if ways and joint.any():
        made = made._replace(joint=joint, angles=np.zeros((len(asked), 4)), starts=rotations.identity(len(asked)))
    if ways and through.any():
        made = made._replace(through=through, elbows=np.zeros((len(asked), 3)))
    for frames, task, places in ways:
        plan, travel = task.asked
        if joint[frames].any():
            start, path = plan.angles(places)
            made.angles[frames] = path.at(2 * travel.stroke, travel.way_share)
            made.starts[frames] = start[travel.stroke]
        if through[frames].any():
            made.elbows[frames] = plan.elbows(places).at(travel.stroke, travel.way_share)
    return made


def joining(side: str, wrist: Floats, size: float, spans: Spans) -> Floats:
    """``(2, F)`` how far the shoulder rises and comes forward for a wrist that goes up, and out in front."""
    reach = wrist / (0.545 * size)
    far = lengths(reach)
    height = np.arctan2(reach[:, 1], np.hypot(reach[:, 0], reach[:, 2]))  # of the wrist above the shoulder
    up = JOIN_UP * _ease((height + 0.6) / 2.0) * within(far, 0.0, 1.0)
    ahead = JOIN_AHEAD * _ease((reach[:, 2] - 0.35) / 0.65) + 0.6 * JOIN_AHEAD * _ease(-SIGN[side] * reach[:, 0] / 0.6)
    return spans.rounded(np.stack([up, ahead], axis=1), 0.05).T


def _gathered(name: str, tasks: Sequence[ArmTask], spans: Spans) -> Floats:
    curves = [task.flourish(name) for task in tasks]
    if all(curve.ndim == 0 and curve == curves[0] for curve in curves):
        return curves[0]
    return np.concatenate([np.broadcast_to(c, (n,)) for c, n in zip(curves, spans.counts, strict=True)])


def _ease(share: Floats) -> Floats:
    u = within(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u), dtype=np.float64)
