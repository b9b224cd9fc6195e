"""Loops: a motion whose last frame is its first again, with a seam that closes in pose, velocity and travel.

The difference between both ends is halved, and each half is eased out over a window beside the seam by a quintic that
meets position and velocity (Hermite). What a cycle travels over the ground, and turns if that is much, is no
difference: it is what the next cycle goes on from. It is measured at the feet that are in contact on both ends, which
therefore stay where they are; what the easing moves them by is taken out by locking them over three cycles, of which
the middle one is kept.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.body.foot_lock.lock import lock_feet
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.transform import UP, heading_angles, lead_joint, move_motion

BLEND = 0.3  # seconds beside the seam
SHORTEST = 0.4  # seconds of a period that is searched for
_STRAIGHT = float(np.radians(30.0))  # a turn by less is straightened; by more, the next cycle goes on from it
_STANDING = 0.02  # of the body's size: who travels less stays
_VELOCITY_SECONDS = 0.05  # over which velocities beside the seam are measured
_VELOCITY_WEIGHT = 0.12  # seconds: poses are alike if they would still be alike so much later
_HEADING_WEIGHT = 0.15  # metres of every joint for a radian: straight cycles are preferred to turning ones
_MOST_CANDIDATES = 600  # frames that are compared with each other, then those beside the best
_MOVING = 0.25  # of the whole motion's variance: a period with less is no period of it
_AS_GOOD = 1.2, 0.02  # times the best seam, and of the movement itself: shorter periods up to this are preferred
_LEGS = tuple(f"{side}{part}" for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot"))


def loop(
    motion: Motion,
    *,
    start: float = 0.0,
    end: float | None = None,
    search: bool = False,
    shortest: float = SHORTEST,
    blend: float = BLEND,
) -> Motion:
    """A motion that can be played again and again: its last frame is its first, moved on by what a cycle travels.

    Parameters
    ----------
    motion
        Any. Calibration frames are left out.
    start, end
        Seconds: which part becomes the loop. ``end`` left out: to the end.
    search
        Whether to look within that part for the period whose ends are most alike, such as one cycle of a walk: the
        shortest of about the best, but no stretch of standing still where the rest moves.
    shortest
        Seconds of the shortest period that is searched for.
    blend
        Seconds on each side of the seam in which poses are changed; at most half of the loop.

    Where both ends stand on the same foot it stays in place. A body that hardly travels stays where it is; one that
    turns by less than 30° a cycle goes straight. What was done is in ``source.evidence``.
    """
    cut = _cut(motion, start, end)
    if not (np.isfinite(blend) and blend >= 0.0 and np.isfinite(shortest) and shortest > 0.0):
        raise ValueError(f"blend={blend}, shortest={shortest}; seconds are expected")
    first, last = find_period(cut, shortest) if search else (0, len(cut) - 1)
    cut = cut[first : last + 1]
    window = int(np.clip(round(blend * cut.rate), 1, max((len(cut) - 1) // 2, 1)))
    step, cut = _find_cycle(cut)
    closed = _lock_seam(close_seam(cut, step, window), step, window)
    at = start + (first + (motion.performed_frames[0] if motion.calibration_frames else 0)) / motion.rate
    sentence = f"loop: {closed.duration:.3g} s from {at:.3g} s on, {step.describe()}"
    return replace(closed, source=replace(motion.source, evidence=(*motion.source.evidence, sentence)))


def _cut(motion: Motion, start: float, end: float | None) -> Motion:
    performed = motion.performed_frames
    whole = motion[int(performed[0]) : int(performed[-1]) + 1] if performed.size else motion
    part = whole.between(start, whole.duration if end is None else end)
    if len(part) < 4:
        raise ValueError(f"{len(part)} frames from {start:g} s on; a loop needs at least 4")
    return part


# What a cycle travels


@dataclass(frozen=True, eq=False)
class Cycle:
    """From one cycle to the next: a turn about the vertical through the origin, then a step over the ground."""

    turn: float  # radians
    shift: Floats  # (3,) metres
    travel: Floats  # (3,) metres that the body moves

    @property
    def rotation(self) -> Floats:
        return rotations.from_rotation_vector(self.turn * UP)

    def move(self, motion: Motion, cycles: int = 1) -> Motion:
        """A motion one cycle later, or earlier."""
        if cycles > 0:
            return move_motion(motion, self.rotation, self.shift)
        back = rotations.conjugate(self.rotation)
        return move_motion(motion, back, -rotations.rotate(back, self.shift))

    def describe(self) -> str:
        length = float(np.linalg.norm(self.travel))
        travels = f"travels {length:.3g} m a cycle" if length else "stays in place"
        return f"{travels}, turns by {np.degrees(self.turn):.3g}°" if self.turn else travels


def _find_cycle(motion: Motion) -> tuple[Cycle, Motion]:
    """What a cycle travels and turns, and the motion, straightened where it travels and turns by little."""
    lead = lead_joint(motion)
    world, positions = motion.world()
    headings = heading_angles(world[:, lead])
    turn = float((headings[-1] - headings[0] + np.pi) % (2.0 * np.pi) - np.pi)
    size = max(float(np.ptp(positions[0], axis=0).max()), 1e-6)
    contacts = _contacts(motion)
    turned = abs(turn) > _STRAIGHT
    step = _shift(motion, turn if turned else 0.0, lead, contacts)
    if turned or np.linalg.norm(step.travel) < _STANDING * size:
        staying = np.linalg.norm(step.travel) < _STANDING * size
        return (Cycle(0.0, np.zeros(3), np.zeros(3)) if staying and not turned else step), motion
    straight = _straighten(motion, positions[:, lead], turn)
    return _shift(straight, 0.0, lead, contacts), straight


def _shift(motion: Motion, turn: float, lead: int, contacts: Contacts | None) -> Cycle:
    """The step that takes the feet on the ground in the first frame to where they are in the last, else the hips."""
    ends = motion.positions_world()[[0, -1], lead]
    points = ends[:, None]
    if contacts is not None:
        labels, soles = contacts.labels, sole_points(motion.skeleton)
        held = tuple(sole for sole in soles if labels[sole.name][0] and labels[sole.name][-1])
        points = sole_paths(motion, held)[[0, -1]] if held else points
    rotation = rotations.from_rotation_vector(turn * UP)
    level = np.array([1.0, 0.0, 1.0])
    shift = np.mean(points[1] - rotations.rotate(rotation, points[0]), axis=0) * level
    travel = (rotations.rotate(rotation, ends[0]) + shift - ends[0]) * level
    return Cycle(turn, shift, travel)


def _contacts(motion: Motion) -> Contacts | None:
    if not all(role in motion.skeleton.roles for role in _LEGS):
        return None
    with suppress(ValueError):
        return find_contacts(motion)
    return None


def _straighten(motion: Motion, path: Floats, turn: float) -> Motion:
    """Turn back a little more in every frame, along the path, so that heading and path are straight over the cycle."""
    if abs(turn) < 1e-9:
        return motion
    angles = -turn * np.linspace(0.0, 1.0, len(motion))
    back = rotations.from_rotation_vector(angles[:, None] * UP)
    between = rotations.from_rotation_vector(0.5 * (angles[1:] + angles[:-1])[:, None] * UP)
    steps = rotations.rotate(between, np.diff(path, axis=0))
    new_path = path[0] + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    return move_motion(motion, back, (new_path - rotations.rotate(back, path)) * [1.0, 0.0, 1.0])


# The seam


def close_seam(motion: Motion, cycle: Cycle, window: int) -> Motion:
    """The motion with its last frame one ``cycle`` after its first; ``window`` frames beside the seam change."""
    q, t = motion.rotations.copy(), motion.translations.copy()
    turn_at, shift_at = _in_parents(motion, cycle)  # (J, 4), (J, 3): the cycle, in each joint's parent's axes
    back_at = rotations.conjugate(turn_at)
    steps = max(2, min(round(_VELOCITY_SECONDS * motion.rate), window))
    # Rotations: vectors in the parent's axes, by which the end would have to turn to be the start of the next cycle.
    next_q = rotations.multiply(turn_at, q[0])
    apart: Floats = rotations.to_rotation_vector(rotations.multiply(next_q, rotations.conjugate(q[-1])))
    half = rotations.from_rotation_vector(0.5 * apart)
    ended = rotations.rotate(half, _step_at_end(_turns(q[-1 - steps :])))
    spin = _step_at_end(_turns(q[: steps + 1])[::-1])
    starts = rotations.rotate(rotations.conjugate(half), rotations.rotate(turn_at, spin))
    ending, starting = _ease(apart, starts - ended, window)
    q[-window - 1 :] = rotations.multiply(rotations.from_rotation_vector(ending), q[-window - 1 :])
    beginning = rotations.from_rotation_vector(rotations.rotate(back_at, starting))
    q[: window + 1] = rotations.multiply(beginning, q[: window + 1])
    # Translations likewise.
    next_t = rotations.rotate(turn_at, t[0]) + shift_at
    ended = _step_at_end(np.diff(t[-1 - steps :], axis=0))
    starts = rotations.rotate(turn_at, _step_at_end(np.diff(t[: steps + 1], axis=0)[::-1]))
    ending, starting = _ease(next_t - t[-1], starts - ended, window)
    t[-window - 1 :] += ending
    t[: window + 1] += rotations.rotate(back_at, starting)
    q[-1], t[-1] = rotations.multiply(turn_at, q[0]), rotations.rotate(turn_at, t[0]) + shift_at
    scales = None if motion.scales is None else motion.scales.copy()
    if scales is not None:
        ending, starting = _ease(scales[0] - scales[-1], np.zeros_like(scales[0]), window)
        scales[-window - 1 :] += ending
        scales[: window + 1] += starting
    return replace(motion, rotations=rotations.continuous(q), translations=t, scales=scales)


def _turns(q: Floats) -> Floats:
    """``(T - 1, J, 3)`` rotations from frame to frame, in the parents' axes."""
    steps: Floats = rotations.to_rotation_vector(rotations.multiply(q[1:], rotations.conjugate(q[:-1])))
    return steps


def _step_at_end(steps: Floats) -> Floats:
    """``(J, 3)`` the step from frame to frame right at the end of steps ``(n, J, 3)``: a straight line through them.

    Where a motion is a perfect loop, both sides of its seam give the same.
    """
    count = len(steps)
    offsets = np.arange(count) - 0.5 * (count - 1)
    slope = np.tensordot(offsets, steps, axes=1) / np.sum(offsets**2)
    at_end: Floats = steps.mean(axis=0) + 0.5 * count * slope
    return at_end


def _ease(apart: Floats, faster: Floats, window: int) -> tuple[Floats, Floats]:
    """What to add before the seam and after it, ``(window + 1, J, 3)`` each.

    ``apart`` is how far the start of the next cycle is from the end, ``faster`` by how much a frame it moves more. Each
    side is given half of both, by quintics without velocity and acceleration at the far end of the window.
    """
    u = np.linspace(0.0, 1.0, window + 1)[:, None, None]
    place = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    velocity = window * u**3 * (-4.0 + 7.0 * u - 3.0 * u**2)
    ending: Floats = 0.5 * (place * apart + velocity * faster)
    # Time runs the other way after the seam: places change their sign, velocities twice.
    starting: Floats = 0.5 * (velocity * faster - place * apart)[::-1]
    return ending, starting


def _in_parents(motion: Motion, cycle: Cycle) -> tuple[Floats, Floats]:
    """The cycle's rotation and step in the axes of each joint's parent; nothing for joints below one that moves on.

    A root that never moves, above hips that travel, does not move on itself; what is below it does.
    """
    skeleton, lead = motion.skeleton, lead_joint(motion)
    count = len(skeleton)
    turn, shift = rotations.identity(count), np.zeros((count, 3))
    still = _still_joints(motion, lead)
    world, positions = motion[:1].world()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if still[joint] or (parent >= 0 and not still[parent]):
            continue
        if parent < 0:
            turn[joint], shift[joint] = cycle.rotation, cycle.shift
            continue
        own, origin = world[0, parent], positions[0, parent]
        back = rotations.conjugate(own)
        turn[joint] = rotations.multiply(back, rotations.multiply(cycle.rotation, own))
        moved = rotations.rotate(cycle.rotation, origin) + cycle.shift - origin
        shift[joint] = rotations.rotate(back, moved)
    return turn, shift


def _still_joints(motion: Motion, lead: int) -> list[bool]:
    """``(J,)`` joints above the one that leads which never move."""
    still = [False] * len(motion.skeleton)
    chain = []
    joint = int(motion.skeleton.parents[lead])
    while joint >= 0:
        chain.append(joint)
        joint = int(motion.skeleton.parents[joint])
    for joint in reversed(chain):
        q, t = motion.rotations[:, joint], motion.translations[:, joint]
        if np.abs(q - q[0]).max() > 1e-9 or np.abs(t - t[0]).max() > 1e-9:
            break
        still[joint] = True
    return still


def _lock_seam(motion: Motion, cycle: Cycle, window: int) -> Motion:
    """The loop with feet that are in contact beside the seam held in place."""
    if not all(role in motion.skeleton.roles for role in _LEGS):
        return motion
    period = len(motion) - 1
    parts = cycle.move(motion[:-1], -1), motion, cycle.move(motion[1:])
    three = replace(
        motion,
        rotations=rotations.continuous(np.concatenate([part.rotations for part in parts])),
        translations=np.concatenate([part.translations for part in parts]),
        scales=None,
    )
    contacts = _contacts(three)
    if contacts is None:
        return motion
    beside = tuple(
        contact
        for contact in contacts.intervals
        if any(contact.first <= seam + window and contact.last >= seam - window for seam in (period, 2 * period))
    )
    locked = lock_feet(three, replace(contacts, intervals=beside))
    middle = locked[period : 2 * period + 1]
    return close_seam(replace(motion, rotations=middle.rotations, translations=middle.translations), cycle, window)


# The best period


def find_period(motion: Motion, shortest: float = SHORTEST) -> tuple[int, int]:
    """The first and the last frame of the period whose ends are most alike, in pose and velocity.

    Ends are compared relative to how much the body moves between them, so that standing still is no period of a walk.
    Of periods about as good as the best, the shortest is taken.
    """
    least = int(np.ceil(shortest * motion.rate))
    if len(motion) < least + 2:
        raise ValueError(f"{motion.duration:g} s; a period of at least {shortest:g} s is searched for")
    features = _pose_features(motion)
    stride = -(-len(motion) // _MOST_CANDIDATES)
    frames = np.arange(0, len(motion), stride)
    first, last = _best_pair(features[frames], max(-(-least // stride), 1), frames)
    if stride == 1:
        return first, last
    near = [np.arange(max(at - stride, 0), min(at + stride + 1, len(motion))) for at in (first, last)]
    pairs = np.array([(i, j) for i in near[0] for j in near[1] if j - i >= least])
    apart = np.linalg.norm(features[pairs[:, 0]] - features[pairs[:, 1]], axis=1)
    best_first, best_last = pairs[int(apart.argmin())].tolist()
    return best_first, best_last


def _pose_features(motion: Motion) -> Floats:
    """``(T, n)`` positions of joints about the hips, without heading, their velocities, and the heading, weighted."""
    skeleton, lead = motion.skeleton, lead_joint(motion)
    body = [
        joint for role, joint in skeleton.roles.items() if not role.endswith(("Proximal", "Intermediate", "Distal"))
    ]
    joints = body if len(body) > 4 else list(range(len(skeleton)))
    world, positions = motion.world()
    back = rotations.from_rotation_vector(-heading_angles(world[:, lead])[:, None] * UP)
    centred = positions[:, joints] - positions[:, lead, None] * [1.0, 0.0, 1.0]
    level = rotations.rotate(back[:, None], centred).reshape(len(motion), -1)
    velocities: Floats = np.asarray(np.gradient(level, axis=0)) * motion.rate
    travel = rotations.rotate(back, np.asarray(np.gradient(positions[:, lead], axis=0)) * motion.rate)
    headings = heading_angles(world[:, lead])
    ahead = _HEADING_WEIGHT * np.sqrt(len(joints)) * np.stack([np.cos(headings), np.sin(headings)], axis=1)
    features: Floats = np.concatenate([level, _VELOCITY_WEIGHT * velocities, _VELOCITY_WEIGHT * travel, ahead], axis=1)
    return features


def _best_pair(features: Floats, least: int, frames: Ints) -> tuple[int, int]:
    centred = features - features.mean(axis=0)
    squares = np.sum(centred**2, axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * centred @ centred.T, 0.0)
    # The variance between frames i and j, from sums up to each frame.
    sums = np.concatenate([np.zeros((1, centred.shape[1])), np.cumsum(centred, axis=0)])
    totals = np.concatenate([[0.0], np.cumsum(squares)])
    lengths = np.sum(sums**2, axis=1)
    count = len(features)
    i, j = np.arange(count)[:, None], np.arange(count)
    span = np.maximum(j - i + 1, 1)
    within = lengths[i] + lengths[j + 1] - 2.0 * sums[:-1] @ sums[1:].T
    variance = (totals[j + 1] - totals[i]) / span - within / span**2
    usual = float(squares.mean())
    ratio = np.sqrt(apart / np.maximum(variance, max(_MOVING * usual, 1e-12)))
    ratio[(j - i < least) | (variance < _MOVING * usual)] = np.inf
    best = float(ratio.min())
    good = np.argwhere(ratio <= max(_AS_GOOD[0] * best, best + _AS_GOOD[1]))
    periods = good[:, 1] - good[:, 0]
    short = good[periods <= 1.1 * periods.min()]
    chosen = short[int(ratio[short[:, 0], short[:, 1]].argmin())]
    return int(frames[chosen[0]]), int(frames[chosen[1]])
