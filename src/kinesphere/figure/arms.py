"""Arms that bring the wrists where they are to be, or hang: the mixture of three spaces, and the arm's flourishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.figure.arm_plan import FREE, HANG, ArmPlan
from kinesphere.figure.channels import sampled
from kinesphere.figure.flourishes import displaced, twist
from kinesphere.figure.hanging import hung
from kinesphere.figure.keeping_off import PALM, ROOMY, Volume, pushed_out, room
from kinesphere.figure.limbs import AHEAD, DOWN, FLEXIONS, Limb
from kinesphere.figure.manner import FLOURISHES, ArmManner
from kinesphere.figure.pose import SIGN
from kinesphere.figure.spans import Spans
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.figure.strokes import Travel
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, Ints, lengths, within
from kinesphere.kernels.limb_swivels import swivel_of

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
    body: Sequence[Volume] = (),
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
    if plainly:
        upper, flexion, _ = limb.solved(target, rows[:, 3])
        return ArmPose(upper, flexion, limb.wrist(upper, flexion), hanging, lively, share, np.ones(len(spans)), {})
    flourishes = {name: _gathered(name, tasks, spans) for name in FLOURISHES}
    lively = lively * (1.0 - hanging)
    upper, flexion, elbow = limb.solved(target, rows[:, 3])
    upper, flexion = _mixed(ways, flourishes, 1.0 - hanging, upper, flexion, elbow)
    bend = displaced(share, flourishes["displacement"] * lively)
    flexion = within(flexion * bend, *FLEXIONS)
    wrist = limb.wrist(upper, flexion)
    off = _kept_off(limb, body, upper, wrist, size)
    if off is not None:
        rows_off, target, swivel = off
        upper[rows_off], flexion[rows_off], _ = limb.solved(target, swivel)
        wrist[rows_off] = limb.wrist(upper[rows_off], flexion[rows_off])
    turn = SIGN[side] * twist(share, flourishes["elbow_twist"] * lively, flourishes["elbow_frequency"])
    if turn.any():
        upper = rotations.multiply(rotations.from_rotation_vector(_unit(wrist) * turn[:, None]), upper)
    free = within(room(wrist, list(body)) / (ROOMY * size), 0.0, 1.0)
    free = free * free * (3.0 - 2.0 * free)
    return ArmPose(upper, flexion, wrist, hanging, lively, share, free, flourishes)


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


def _mixed(
    ways: Sequence[tuple[slice, ArmTask, Floats]],
    flourishes: dict[str, Floats],
    asked: Floats,
    upper: Floats,
    flexion: Floats,
    elbow: Floats,
) -> tuple[Floats, Floats]:
    """Shoulders and elbows with the shares of the two other spaces."""
    joint, through = flourishes["joint_angle"], flourishes["elbow_position"]
    if not ways or not (joint.any() or through.any()):
        return upper, flexion
    joint, through = joint * asked, through * asked  # a hanging arm hangs
    total, bent = (1.0 - joint - through)[:, None] * upper, (1.0 - joint) * flexion
    for frames, task, places in ways:
        plan, travel = task.asked
        if joint[frames].any():
            start, path = plan.angles(places)
            row = path.at(2 * travel.stroke, travel.way_share)
            turn = rotations.multiply(rotations.from_rotation_vector(row[:, :3]), start[travel.stroke])
            total[frames] += joint[frames, None] * _alike(turn, upper[frames])
            bent[frames] += joint[frames] * row[:, 3]
        if through[frames].any():
            wanted = plan.elbows(places).at(travel.stroke, travel.way_share)
            turn = rotations.multiply(rotations.between(_unit(elbow[frames]), _unit(wanted)), upper[frames])
            total[frames] += through[frames, None] * _alike(turn, upper[frames])
    return rotations.normalise(total), bent


def _kept_off(
    limb: Limb, body: Sequence[Volume], upper: Floats, wrist: Floats, size: float
) -> tuple[Ints, Floats, Floats] | None:
    """Frames in which a hand would be in the body; where their wrists go instead, with the swivels that they have."""
    if not body:
        return None
    total = np.zeros_like(wrist)
    target, turned = wrist, upper
    for _ in range(3):
        elbow = rotations.rotate(turned, limb.upper)
        palm = target + PALM * size * _unit(target - elbow)
        step = pushed_out(target, list(body))
        step = step + pushed_out(palm + step, list(body))
        if not step.any():
            break
        total = total + step
        target = limb.softened(wrist + total, 0.0)
        swivel = swivel_of(np.zeros(3), rotations.rotate(upper, limb.upper), wrist, DOWN, AHEAD)
        turned = limb.solved(target, swivel)[0]
    rows = np.flatnonzero(total.any(axis=1))
    if not rows.size:
        return None
    return rows, target[rows], swivel[rows]


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


def _alike(turn: Floats, other: Floats) -> Floats:
    """The same rotations with the signs that lie nearer."""
    return np.where(np.sum(turn * other, axis=-1, keepdims=True) < 0.0, -turn, turn)


def _unit(values: Floats) -> Floats:
    return np.asarray(values / np.maximum(lengths(values)[..., None], 1e-12))


def _ease(share: Floats) -> Floats:
    u = within(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u), dtype=np.float64)
