"""A damped pendulum below a pivot that moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.engine.arm_plan import ALL, ELBOWS, FREE, HANG, TURNS, ArmPlan
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.channels import sample_rows
from kinesphere.engine.clocks import StrokePhase
from kinesphere.engine.collision import ROOMY, Capsule, distance_outside
from kinesphere.engine.manner import FLOURISHES, ArmManner
from kinesphere.engine.overlays import elbow_factor, forearm_twist
from kinesphere.engine.paths import StrokePaths
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, LIMITS, SIGN, FigureLimb, resting_swivel, resting_wrist
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import (
    axis_angle_quaternion,
    exponential_quaternion,
    quaternion_between,
    quaternion_product,
    rotate_vector,
)
from kinesphere.maths.two_bone import reach_limits_kernel, solve_limb_kernel
from kinesphere.maths.vectors import Bools, Floats, clip, norms

QUICKEST = 0.8  # radians a step: a pendulum that swings more quickly than frames can show is slowed to this


def swing_pendulum(pivot: Floats, rate: float, omega: float, damping: float, follows: float) -> Floats:
    """``(T, D)`` how far the pendulum's end is from where it hangs, starting there at rest.

    ``omega`` is its own frequency in radians a second, ``damping`` its share of the critical one, ``follows`` what
    share of the pivot's acceleration reaches it. Semi-implicit steps, which as a recurrence of two terms

        x[i] = (1 + a) x[i−1] − a x[i−2] − b x[i−1] + f[i−1] h²    with a = 1 − 2 damping omega h, b = omega² h²

    is a linear filter: exact for any length, without a loop in Python.
    """
    step = 1.0 / rate
    omega = min(omega, QUICKEST * rate)
    force = np.zeros_like(pivot)
    force[1:-1] = -np.diff(pivot, 2, axis=0)  # times rate², times h²: nothing left
    keeps, pulls = 1.0 - 2.0 * damping * omega * step, (omega * step) ** 2
    # The roots of z² − (1 + keeps − pulls) z + keeps, a conjugate pair unless it is damped nearly critically.
    half = 0.5 * (1.0 + keeps - pulls)
    root = half + 1j * np.sqrt(max(keeps - half * half, 1e-9))
    powers = root ** np.arange(len(pivot))
    # The impulse response, Im(rootⁿ⁺¹) / Im(root), and its convolution by Fourier's transform.
    response = np.concatenate([[0.0], (powers * root).imag[: len(pivot) - 1] / root.imag])
    size = 2 ** int(np.ceil(np.log2(2 * len(pivot))))
    spectrum = np.fft.rfft(response, size)[:, None] * np.fft.rfft(follows * force, size, axis=0)
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: len(pivot)])


# ---- An arm that is not asked for anything: it hangs, and swings a little when its shoulder is moved.


HANGS = 0.85  # share of the torso's lean that a hanging arm does not follow
SWING, DAMPED = 0.95, 0.5  # a hanging arm's own cycles a second, and its damping
FOLLOWS = 0.75  # of the shoulder's acceleration that reaches the arm
FARTHEST = 0.22  # metres that it swings
SETTLED = 0.5  # seconds before the end from which it comes to rest


def relaxed_wrists(spans: Batch, size: float, rest: Floats, shoulder: Floats, chest: Floats) -> Floats:
    """Where hanging wrists are, from their places ``rest (F, 3)`` in the chest's frame and as it sees them ``(F, 3)``.

    Below the shoulder whatever the torso's lean, swinging when the shoulder is moved.
    """
    ahead = rotations.rotate(chest, np.array([0.0, 0.0, 1.0]))
    half = 0.5 * np.arctan2(ahead[:, 0], ahead[:, 2])
    heading = np.zeros_like(chest)
    heading[:, 0], heading[:, 2] = np.cos(half), np.sin(half)
    upright = rotations.slerp(chest, heading, np.full(len(chest), HANGS))
    swing = _swing(spans, spans.rounded(shoulder, 0.03), size)
    away = rotations.rotate(upright, rest) + swing
    return rotations.rotate(rotations.conjugate(chest), away) - rest


def _swing(spans: Batch, pivot: Floats, size: float) -> Floats:
    """``(F, 3)`` how far a damped pendulum's end is from below its pivot, level."""
    omega = 2.0 * np.pi * SWING / np.sqrt(size)
    path = np.zeros_like(pivot)
    for frames, loop in zip(spans.slices(), spans.loops, strict=True):
        own = pivot[frames]
        again = np.concatenate([own[:-1]] * 4 + [own[-1:]]) if loop else own  # a loop is run until it repeats
        run = swing_pendulum(again, spans.rate, omega, DAMPED, FOLLOWS)[-len(own) :]
        if not loop:  # at rest again when the gesture is over
            left = np.minimum((len(run) - 1 - np.arange(len(run))) / (SETTLED * spans.rate), 1.0)
            run = run * (left * left * (3.0 - 2.0 * left))[:, None]
        path[frames] = run
    path[:, 1] = 0.0
    far = FARTHEST * size
    level = np.hypot(path[:, 0], path[:, 2])
    return np.asarray(path * np.where(level > 1e-9, far * np.tanh(level / far) / np.maximum(level, 1e-9), 1.0)[:, None])


# ---- Arms laid to their targets: the mixture of three spaces, the elbow's own twist, and how near the body hands
# are.


WORTH = 100  # an arm is far more work than three numbers of a product


class ArmBlend(NamedTuple):
    """What other spaces than the wrist's have in an arm's way, and what it does beside. All are every frame's."""

    joint: Floats  # (F,) share of the joint angles' way
    angles: Floats  # (F, 4) that way: the shoulder's turn since the stroke's start, and the elbow's angle
    starts: Floats  # (F, 4) the stroke's first shoulder
    through: Floats  # (F,) share of the elbows' way
    elbows: Floats  # (F, 3) that way
    bend: Floats  # (F,) what the elbow's angle is multiplied by
    twist: Floats  # (F,) turn about the way to the wrist

    @classmethod
    def plain(cls, frames: int) -> ArmBlend:
        """Nothing but the wrist's way."""
        none = np.zeros(frames)
        return cls(none, np.zeros((1, 4)), np.zeros((1, 4)), none, np.zeros((1, 3)), np.ones(frames), none)

    def taken(self, rows: slice) -> ArmBlend:
        """Some of the frames."""
        return ArmBlend(*(values if len(values) == 1 else values[rows] for values in self))


class BodySurroundings(NamedTuple):
    """The body that is around hands, in the world, and from where it is seen."""

    shoulder: Floats  # (F, 3)
    chest: Floats  # (F, 4)
    lines: Floats  # (F, V, 2, 3) the middle lines of volumes
    shifts: Floats  # (V, 2, 3) what is added as the chest sees them
    widths: Floats  # (V, 2) half widths aside and ahead

    @classmethod
    def none(cls, frames: int) -> BodySurroundings:
        """Nothing to keep off."""
        lines, shifts, widths = np.zeros((frames, 0, 2, 3)), np.zeros((0, 2, 3)), np.zeros((0, 2))
        return cls(np.zeros((frames, 3)), np.zeros((frames, 4)), lines, shifts, widths)

    def volumes(self) -> list[Capsule]:
        """As the chest sees them from the shoulder."""
        back = rotations.conjugate(self.chest)[:, None, None]
        seen = rotations.rotate(back, self.lines - self.shoulder[:, None, None]) + self.shifts
        return [Capsule(seen[:, v, 0], seen[:, v, 1], *map(float, wide)) for v, wide in enumerate(self.widths)]


class ArmSolution(NamedTuple):
    """Arms as their chests see them."""

    upper: Floats  # (F, 4)
    flexion: Floats  # (F,)
    wrist: Floats  # (F, 3)
    room: Floats  # (F,) how much of its flourishes the body leaves a hand room for


def solve_arms(
    limb: FigureLimb, target: Floats, swivel: Floats, mixture: ArmBlend, body: BodySurroundings, size: float
) -> ArmSolution:
    """Arms that bring wrists to ``target (F, 3)`` with ``swivel (F,)``, mixed, bent and twisted."""
    kernels = compiled.loaded(target.size * WORTH)
    if kernels is None:
        return solve_arms_reference(limb, target, swivel, mixture, body, size)
    count = len(target)
    made = ArmSolution(np.empty((count, 4)), np.empty(count), np.empty((count, 3)), np.empty(count))
    numbers = (limb.rest_flexion, ROOMY * size)
    rows = [np.ascontiguousarray(row) for row in (target, swivel, *mixture)]
    around = [np.ascontiguousarray(row) for row in body[:3]]
    arm = limb.numbers, LIMITS, DOWN, AHEAD

    def some(part: slice) -> None:
        own, seen, to = ((row[part] for row in group) for group in (rows, around, made))
        kernels.lay_arms(*own, *arm, *seen, body.shifts, body.widths, numbers, *to)

    compiled.share_frames(count, count * WORTH, some)
    return made


def solve_arms_reference(
    limb: FigureLimb, target: Floats, swivel: Floats, mixture: ArmBlend, body: BodySurroundings, size: float
) -> ArmSolution:
    """The same in plain NumPy."""
    volumes = body.volumes()
    upper, flexion, elbow = limb.solved(target, swivel)
    upper, flexion = _mixed(mixture, upper, flexion, elbow)
    flexion = clip(flexion * mixture.bend, *FLEXIONS)
    wrist = limb.wrist(upper, flexion)
    if mixture.twist.any():
        turn = rotations.from_rotation_vector(_unit(wrist) * mixture.twist[:, None])
        upper = rotations.multiply(turn, upper)
    free = clip(distance_outside(wrist, volumes) / (ROOMY * size), 0.0, 1.0)
    return ArmSolution(upper, flexion, wrist, free * free * (3.0 - 2.0 * free))


def _mixed(mixture: ArmBlend, upper: Floats, flexion: Floats, elbow: Floats) -> tuple[Floats, Floats]:
    """Shoulders and elbows with the shares of the two other spaces."""
    joint, through = mixture.joint, mixture.through
    if not (joint.any() or through.any()):
        return upper, flexion
    total, bent = (1.0 - joint - through)[:, None] * upper, (1.0 - joint) * flexion
    if joint.any():
        turn = rotations.multiply(rotations.from_rotation_vector(mixture.angles[:, :3]), mixture.starts)
        total = total + joint[:, None] * _alike(turn, upper)
        bent = bent + joint * mixture.angles[:, 3]
    own = np.flatnonzero(through)
    if own.size:
        turn = rotations.rotation_between(_unit(elbow[own]), _unit(mixture.elbows[own]))
        turn = rotations.multiply(turn, upper[own])
        total[own] += through[own, None] * _alike(turn, upper[own])
    return rotations.normalise(total), bent


def _alike(turn: Floats, other: Floats) -> Floats:
    """The same rotations with the signs that lie nearer."""
    return np.where(np.sum(turn * other, axis=-1, keepdims=True) < 0.0, -turn, turn)


def _unit(values: Floats) -> Floats:
    return np.asarray(values / np.maximum(norms(values)[..., None], 1e-12))


# ---- Compiled arms: the mixture of three spaces, and the room that hands have. Import this only through
# ``compiled``.


@compile_exact
def solve_arms_kernel(  # type: ignore[no-untyped-def]
    target, swivel, joint, angles, starts, through, elbows, bend, twist, limb, flexions, towards, home,
    shoulder, chest, lines, shifts, widths, numbers, upper, flexion, wrist, room,
):  # fmt: skip
    """Arms (F, ...) to their targets; see ``arm_laying.laid``.

    ``limb`` (6, 3) has the two bones, the hinge and the rest frame's rows; ``numbers`` are the elbow's angle at rest
    and how far the body's volumes are felt.
    """
    rest, roomy = numbers
    bone, fore, hinge = limb[0], limb[1], limb[2]
    frame = limb[3:]
    a = math.sqrt(bone[0] ** 2 + bone[1] ** 2 + bone[2] ** 2)
    b = math.sqrt(fore[0] ** 2 + fore[1] ** 2 + fore[2] ** 2)
    limits = reach_limits_kernel(a, b, flexions)
    count = lines.shape[1]
    seen = np.empty((count, 6))
    for i in range(target.shape[0]):
        w, x, y, z, bent, ex, ey, ez = solve_limb_kernel(target[i], swivel[i], towards, home, a, b, frame, limits)
        j, t = joint[i], through[i]
        if j != 0.0 or t != 0.0:
            total = 1.0 - j - t
            mw, mx, my, mz = total * w, total * x, total * y, total * z
            bent = (1.0 - j) * bent
            if j != 0.0:
                pw, px, py, pz = exponential_quaternion(angles[i, 0], angles[i, 1], angles[i, 2])
                pw, px, py, pz = quaternion_product(
                    pw, px, py, pz, starts[i, 0], starts[i, 1], starts[i, 2], starts[i, 3]
                )
                share = -j if pw * w + px * x + py * y + pz * z < 0.0 else j
                mw, mx, my, mz = mw + share * pw, mx + share * px, my + share * py, mz + share * pz
                bent += j * angles[i, 3]
            if t != 0.0:
                pw, px, py, pz = quaternion_between(ex, ey, ez, elbows[i, 0], elbows[i, 1], elbows[i, 2])
                pw, px, py, pz = quaternion_product(pw, px, py, pz, w, x, y, z)
                share = -t if pw * w + px * x + py * y + pz * z < 0.0 else t
                mw, mx, my, mz = mw + share * pw, mx + share * px, my + share * py, mz + share * pz
            size = math.sqrt(mw * mw + mx * mx + my * my + mz * mz)
            w, x, y, z = mw / size, mx / size, my / size, mz / size
        bent = min(max(bent * bend[i], flexions[0]), flexions[1])
        p, q, r = _wrist(w, x, y, z, bent - rest, bone, fore, hinge)
        for v in range(count):
            _see(lines[i, v], shifts[v], shoulder[i], chest[i], seen[v])
        if twist[i] != 0.0:
            size = max(math.sqrt(p * p + q * q + r * r), 1e-12)
            pw, px, py, pz = exponential_quaternion(p / size * twist[i], q / size * twist[i], r / size * twist[i])
            w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
        upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3] = w, x, y, z
        flexion[i] = bent
        wrist[i, 0], wrist[i, 1], wrist[i, 2] = p, q, r
        free = math.inf
        for v in range(count):
            ax, ay, az, _ = _away(p, q, r, seen[v], widths[v])
            free = min(free, math.sqrt(ax * ax + ay * ay + az * az) - widths[v, 0])
        free = min(max(free, 0.0) / roomy, 1.0)
        room[i] = free * free * (3.0 - 2.0 * free)


@compile_exact
def _wrist(w, x, y, z, angle, bone, fore, hinge):  # type: ignore[no-untyped-def]
    pw, px, py, pz = axis_angle_quaternion(hinge[0], hinge[1], hinge[2], angle)
    fx, fy, fz = rotate_vector(pw, px, py, pz, fore[0], fore[1], fore[2])
    return rotate_vector(w, x, y, z, bone[0] + fx, bone[1] + fy, bone[2] + fz)


@compile_exact
def _see(line, shift, shoulder, chest, out):  # type: ignore[no-untyped-def]
    """A line's ends in the world as the chest sees them from the shoulder, moved a little there."""
    for k in range(2):
        x, y, z = line[k, 0] - shoulder[0], line[k, 1] - shoulder[1], line[k, 2] - shoulder[2]
        x, y, z = rotate_vector(chest[0], -chest[1], -chest[2], -chest[3], x, y, z)
        out[3 * k], out[3 * k + 1], out[3 * k + 2] = x + shift[k, 0], y + shift[k, 1], z + shift[k, 2]


@compile_exact
def _away(x, y, z, line, width):  # type: ignore[no-untyped-def]
    """From a volume's line to a point, in axes stretched ahead by so much that it is round; and by how much."""
    deep = width[0] / width[1]
    bx, by, bz = line[3] - line[0], line[4] - line[1], (line[5] - line[2]) * deep
    x, y, z = x - line[0], y - line[1], (z - line[2]) * deep
    along = min(max((x * bx + y * by + z * bz) / max(bx * bx + by * by + bz * bz, 1e-9), 0.0), 1.0)
    return x - along * bx, y - along * by, z - along * bz, deep


# ---- Arms that bring the wrists where they are to be, or hang: the mixture of three spaces, and the arm's
# flourishes.


JOIN_UP, JOIN_AHEAD = np.radians(24.0), np.radians(13.0)  # how far a shoulder joins its arm


@dataclass(frozen=True, eq=False)
class ArmTask:
    """What one arm does in one performance."""

    plan: ArmPlan | None
    travel: StrokePhase | None
    manner: ArmManner
    moment: Floats  # (T,) of the gesture's own time
    loop: bool

    def flourish(self, name: str) -> Floats:
        """``(T,)`` or ``()``."""
        curve = self.manner.flourish(name)
        return curve if curve.ndim == 0 else sample_rows(curve, self.moment, self.loop)

    def taken(self, every: int) -> ArmTask:
        """Every so many frames of it."""
        whole = self.travel
        travel = whole and StrokePhase(whole.stroke[::every], whole.time_share[::every], whole.way_share[::every])
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
    limbs: Mapping[str, FigureLimb],
    tasks: Sequence[ArmTask],
    spans: Batch,
    size: float,
    shoulder: Floats,
    chest: Floats,
    *,
    body: Callable[[slice], BodySurroundings] | None = None,
    plainly: bool = False,
) -> ArmPose:
    """The arms of all performances, left ones first, from ``shoulder (2 F, 3)`` and ``chest (2 F, 4)`` in the world.

    Hands keep off the ``body``, which is asked for the rows of one side after the other. ``plainly`` leaves out what
    does not matter to balance: other spaces and flourishes.
    """
    flourishes = {} if plainly else {name: _gathered(name, tasks, spans) for name in FLOURISHES}
    way = _ArmPathSamples.of(tasks, spans, shoulder, chest, not plainly and _other_spaces(flourishes))
    rows, half = way.rows, len(spans) // 2
    halves = dict(zip(SIGN, (slice(half), slice(half, None)), strict=True))
    hanging = way.hanging
    target = rows[:, :3]
    if hanging.any():
        rest = np.repeat(size * np.array([resting_wrist(side) for side in SIGN]), half, axis=0)
        if way.idle.any():
            swivels = np.repeat([resting_swivel(side) for side in SIGN], half)
            rows[way.idle, :3], rows[way.idle, 3] = rest[way.idle], swivels[way.idle]
        target = target + hanging[:, None] * relaxed_wrists(spans, size, rest, shoulder, chest)
    busy = way.lively
    mixture = ArmBlend.plain(len(spans))
    if not plainly:
        busy = busy * (1.0 - hanging)
        twisted = forearm_twist(way.share, flourishes["elbow_twist"] * busy, flourishes["elbow_frequency"])
        twisted[halves["right"]] *= SIGN["right"]
        bent = elbow_factor(way.share, flourishes["displacement"] * busy * way.off_vias)
        mixture = _mixture(way, flourishes, 1.0 - hanging)._replace(bend=bent, twist=twisted)
    made = [
        solve_arms(
            limbs[side],
            target[own],
            rows[own, 3],
            mixture.taken(own),
            BodySurroundings.none(half) if body is None else body(own),
            size,
        )
        for side, own in halves.items()
    ]
    upper, flexion, wrist, room = (np.concatenate(pair) for pair in zip(*made, strict=True))
    return ArmPose(upper, flexion, wrist, hanging, busy, way.share, room, flourishes)


class _ArmPathSamples(NamedTuple):
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
    def of(
        cls, tasks: Sequence[ArmTask], spans: Batch, shoulder: Floats, chest: Floats, spaces: bool
    ) -> _ArmPathSamples:
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
        hanging = clip(rows[:, HANG], 0.0, 1.0)
        hanging[idle] = 1.0
        return cls(rows, hanging, starts, share, lively, off_vias, idle, other)


def _rows(
    plan: ArmPlan, travel: StrokePhase, rows: Floats, shoulder: Floats, chest: Floats, rate: float
) -> tuple[StrokePaths, Floats]:
    """Write the rows ``(T, ...)`` of one arm's way; gives its path and each stroke's first shoulder."""
    places = plan.places
    if plan.in_world:
        at = clip(np.round(plan.frames * (rate / RATE)).astype(np.intp), 0, len(chest) - 1)
        back = rotations.rotate(rotations.conjugate(chest[at]), plan.places - shoulder[at])
        places = np.where(plan.fixed[:, None], back, plan.places)
    starts, path = plan.through(places) if rows.shape[1] > TURNS else (np.zeros((1, 4)), plan.wrists(places))
    rows[:] = path.at(travel.stroke, travel.way_share)
    if plan.in_world:  # between keys of the world the hand goes through the world
        out = shoulder[at] + rotations.rotate(chest[at], plan.places)
        world = plan.wrists(np.where(plan.fixed[:, None], plan.places, out)).at(travel.stroke, travel.way_share)
        seen = rotations.rotate(rotations.conjugate(chest), world[:, :3] - shoulder)
        rows[:, :3] += clip(rows[:, FREE], 0.0, 1.0)[:, None] * (seen - rows[:, :3])
    plan.limb.soften(rows[:, :3], plan.farthest(places))
    return path, starts


def _other_spaces(flourishes: dict[str, Floats]) -> bool:
    return bool(flourishes["joint_angle"].any() or flourishes["elbow_position"].any())


def _mixture(way: _ArmPathSamples, flourishes: dict[str, Floats], asked: Floats) -> ArmBlend:
    """The ways through the two other spaces, where they have a share."""
    made = ArmBlend.plain(len(asked))
    if not _other_spaces(flourishes):
        return made
    joint, through = flourishes["joint_angle"] * asked, flourishes["elbow_position"] * asked  # a hanging arm hangs
    shown = np.where(way.idle, 0.0, way.other)
    joint, through = shown * joint, shown * through
    angles, elbows = way.rows[:, TURNS:ELBOWS], way.rows[:, ELBOWS:]
    return made._replace(joint=joint, angles=angles, starts=way.starts, through=through, elbows=elbows)


def shoulder_assist(wrist: Floats, size: float, spans: Batch) -> Floats:
    """``(2 F, 2)`` how far shoulders rise and come forward for wrists that go up, and out in front."""
    reach = wrist / (0.545 * size)
    far = norms(reach)
    height = np.arctan2(reach[:, 1], np.hypot(reach[:, 0], reach[:, 2]))  # of the wrist above the shoulder
    half = len(wrist) // 2
    across = np.concatenate([-reach[:half, 0], reach[half:, 0]])
    made = np.empty((len(wrist), 2))
    made[:, 0] = JOIN_UP * _ease((height + 0.6) / 2.0) * clip(far, 0.0, 1.0)
    made[:, 1] = JOIN_AHEAD * _ease((reach[:, 2] - 0.35) / 0.65) + 0.6 * JOIN_AHEAD * _ease(across / 0.6)
    return spans.rounded(made, 0.05)


def _gathered(name: str, tasks: Sequence[ArmTask], spans: Batch) -> Floats:
    curves = [task.flourish(name) for task in tasks]
    if all(curve.ndim == 0 and curve == curves[0] for curve in curves):
        return curves[0]
    return np.concatenate([np.broadcast_to(c, (n,)) for c, n in zip(curves, spans.counts, strict=True)])


def _ease(share: Floats) -> Floats:
    u = clip(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u), dtype=np.float64)
