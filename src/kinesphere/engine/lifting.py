"""Lifting: ``lift`` finds the phrase of a recording, so that Effort, Shape and words can edit it.

Hands have keys where their strokes begin and end, goals, and where a path bends most, vias, in arm lengths from the
shoulder in the chest's axes. Torso, head and hips have curves through their own turning points, legs have steps. The
body has one clock, whose strokes are those of the part that goes farthest, or foot strikes where the body walks. What
hands touch, hold or point at are referents. Everything else is detail (``engine.detail``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, BodyStrokes, Detail
from kinesphere.engine.hand_contacts import find_hand_contacts
from kinesphere.engine.inserted_poses import with_inserted_marked
from kinesphere.engine.loops import UnrolledLoop, is_loop
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.stepping import PACES, Steps, find_steps, stance_steps
from kinesphere.engine.stroke_finding import LEAST_TRAVEL, SLOWEST, FoundStrokes, find_strokes
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import swivel_of
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms
from kinesphere.motion.gesture import MOST_KEYS, Curve
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import CHEST, Keys, Phrase, Track
from kinesphere.motion.referent import Referent

VIA_BEND = 0.12  # of a stroke's travel that its path is off the line between goals, from which on it has a via
HANG_DOWN, HANG_ASIDE = 0.72, 0.50  # arm lengths below the shoulder, and from the line straight down, of a hanging hand
TORSO_TRAVEL, TORSO_SLOWEST = 0.10, 0.12  # radians, radians a second
HIPS_TRAVEL, HIPS_SLOWEST = 0.05, 0.06  # leg lengths
TRUNK_WEIGHT = 0.8  # of the way of the head that counts when hands and trunk are compared
OVERLAP = 0.34  # of a stroke that may be in a longer one of another part: what is more is no stroke of the body
SHORTEST = 0.1  # seconds that are left of a longer stroke of the body at least
EARLIEST, LATEST = 0.08, 0.92  # inflections
LATE = 1e-6  # seconds, of rounding


def lift(motion: Motion) -> Phrase:
    """Find the phrase of a recording of any humanoid: ``generate(lift(m))`` is ``m`` itself.

    Raises ``ValueError`` where the skeleton is no whole humanoid's, with what is missing.

    Examples
    --------
    >>> import kinesphere
    >>> wave = kinesphere.builtin.motion("wave")
    >>> phrase = kinesphere.lift(wave)
    >>> kinesphere.generate(phrase, wave.rate) is wave
    True
    """
    if not isinstance(motion, Motion):
        raise TypeError(f"{motion!r} is no motion; kinesphere.load(file) reads one")
    return _lift(motion)


def lift_once(motion: Motion) -> Phrase:
    """The phrase of a recording that is performed once, even where it would go round."""
    return _lift(motion, False)


@memoised
def _lift(motion: Motion, goes_round: bool = True) -> Phrase:
    loop = UnrolledLoop.of(motion) if goes_round and is_loop(motion) else None
    poses = RecordedPoses.of(performed_motion(with_inserted_marked(motion))) if loop is None else loop.once
    steps = find_steps(poses) if loop is None else loop.own_steps
    rate = motion.rate
    tracks: dict[str, Track] = {}
    found: dict[str, FoundStrokes] = {}
    hangs: dict[str, Bools] = {}
    cut: set[str] = set()
    for side in SIDES:
        path = (poses if loop is None else loop.poses).wrist(side)
        found[side] = _strokes(path, rate, loop)
        if len(motion) > 1:
            keys, hangs[side], is_cut = _keys(poses, side, path, found[side], loop)
            tracks[f"{side}_arm"] = Track(keys)
            cut |= {f"{side}_arm"} if is_cut else set()
    found["torso"] = _strokes(_trunk_path(poses if loop is None else loop.poses), rate, loop)
    tracks |= _curves(poses, loop) | _leg_tracks(poses, steps, loop)
    duration = max(motion.duration, 0.5 / rate)
    strokes = _body_strokes(found, steps, duration, rate, poses)
    detail = Detail(motion, poses, tracks, strokes, steps, hangs, unrolled=loop, cut=frozenset(cut))
    return Phrase(
        motion.name or "recording",
        poses.body,
        duration,
        tracks,
        loop=loop is not None,
        detail=detail,
        referents=find_hand_contacts(poses) if loop is None else _loop_contacts(loop),
    )


def hand_strokes_in(detail: Detail, side: str) -> FoundStrokes:
    """The strokes of a hand that were found in a recording; of a loop, those that are fastest in it."""
    poses = detail.poses if detail.unrolled is None else detail.unrolled.poses
    return _strokes(poses.wrist(side), detail.recording.rate, detail.unrolled)


def _strokes(
    path: Floats, rate: float, loop: UnrolledLoop | None, travel: float = LEAST_TRAVEL, slowest: float = SLOWEST
) -> FoundStrokes:
    """The strokes of a path; of a loop's, over all cycles, those that are fastest in the first.

    They may begin before it, and end after it.
    """
    found = find_strokes(path, rate, travel, slowest)
    if loop is None:
        return found
    cycles = loop.cycles
    own = np.array([cycles.has(peak) for peak in found.peaks], dtype=np.bool_)
    own &= found.ends - found.starts <= cycles.frames  # what never slows down has no strokes
    first = cycles.first
    return FoundStrokes(
        found.starts[own] - first, found.peaks[own] - first, found.ends[own] - first, found.travels[own]
    )


def _loop_contacts(loop: UnrolledLoop) -> tuple[Referent, ...]:
    """What hands keep in a loop, from when it begins there; what they keep all the time, from start to end."""
    period = loop.cycles.frames / loop.poses.motion.rate
    start, back = loop.cycles.first / loop.poses.motion.rate, (loop.cycles.count // 2) * loop.way
    made = []
    for own in find_hand_contacts(loop.poses):
        x, y, z = np.zeros(3) if own.target is None else (np.array(own.target) - back).tolist()
        target = None if own.target is None else (x, y, z)
        if own.end - own.start > period:
            if own.start <= start + 1e-6:
                made.append(replace(own, start=0.0, end=period, target=target))
        elif start - 1e-6 <= own.start < start + period - 1e-6:
            made.append(replace(own, start=max(own.start - start, 0.0), end=own.end - start, target=target))
    return tuple(made)


# Hands


def _keys(
    poses: RecordedPoses, side: str, path: Floats, strokes: FoundStrokes, loop: UnrolledLoop | None
) -> tuple[Keys, Bools, bool]:
    """The keys of a hand, where it hangs, and whether its strokes are cut at the ends of a loop.

    There are stops at both ends of strokes and of the recording, and vias. The path is that of all cycles of a loop,
    whose own ends are stops only where strokes begin or end.
    """
    last, first, cut = len(poses.motion) - 1, 0 if loop is None else loop.cycles.first, False
    stops = np.unique(np.concatenate([strokes.starts, strokes.ends])).astype(np.intp)
    vias = _vias(path, strokes, first)
    ends = np.array([0, last], dtype=np.intp)
    if loop is None:
        stops = np.unique(np.concatenate([ends, stops]))
    else:
        stops, vias = np.unique(stops % last), np.unique(vias % last)
        cut = 0 not in stops and 0 not in vias
        stops = np.append(stops, last) if 0 in stops else stops
        vias = vias if 0 in stops else np.unique(np.concatenate([vias, ends]))
    vias = vias[~np.isin(vias, stops)]
    frames = np.concatenate([stops, vias])
    goals = np.concatenate([np.ones(len(stops), dtype=np.bool_), np.zeros(len(vias), dtype=np.bool_)])
    order = np.argsort(frames, kind="stable")
    frames, goals = frames[order], goals[order]
    inflections = np.full(len(frames), 0.5)
    for start, peak, end in zip(strokes.starts, strokes.peaks, strokes.ends, strict=True):
        share = float(np.clip((peak - start) / max(end - start, 1), EARLIEST, LATEST))
        inflections[np.searchsorted(frames, end if loop is None else end % last)] = share
    if loop is not None:
        inflections[-1] = inflections[0]
    positions = np.array(path[first + frames])
    elbows = (poses if loop is None else loop.poses).elbow(side)[first + frames]
    swivels = swivel_of(np.zeros_like(elbows), elbows, positions)
    times = frames / poses.motion.rate
    keys = Keys(times, positions, swivels, goals, (CHEST,) * len(frames), inflections)
    return keys, hangs_at(positions), cut


def hangs_at(positions: Floats) -> Bools:
    """``(...)`` whether a hand at positions ``(..., 3)`` from its shoulder, in arm lengths, hangs."""
    aside = np.hypot(positions[..., 0], positions[..., 2])
    return np.asarray((positions[..., 1] < -HANG_DOWN) & (aside < HANG_ASIDE))


def _vias(path: Floats, strokes: FoundStrokes, first: int) -> Ints:
    """Frames where strokes are farthest from the line between their goals, if that is far; the path begins before."""
    found = []
    for start, end, travel in zip(strokes.starts, strokes.ends, strokes.travels, strict=True):
        own = path[first + start : first + end + 1]
        if len(own) < 5:
            continue
        share = np.linspace(0.0, 1.0, len(own))[:, None]
        chord = own[-1] - own[0]
        length = float(np.linalg.norm(chord))
        if length > 0.25 * travel:
            along = (own - own[0]) @ chord / length**2
            off = norms(own - own[0] - along[:, None] * chord)
        else:
            off = norms(own - own[0] - share * chord)
        far = int(np.argmax(off))
        if off[far] > VIA_BEND * travel and 1 < far < len(own) - 2:
            found.append(int(start) + far)
    return np.array(found, dtype=np.intp)


# Trunk, head, hips and legs


def _trunk_path(poses: RecordedPoses) -> Floats:
    """``(T, 3)`` the head from the hips, and how high these are, in arm lengths: what bows and sinks."""
    away = poses.position("head") - poses.position("hips")
    height = poses.position("hips")[:, 1] - np.minimum(
        poses.position("leftFoot")[:, 1], poses.position("rightFoot")[:, 1]
    )
    own = rotations.rotate(rotations.conjugate(poses.heading), away)
    own[:, 1] += height
    return np.asarray(TRUNK_WEIGHT * own / poses.arm_length)


def body_angles(rotation: Floats) -> Floats:
    """``(T, 3)`` of rotations ``(T, 4)`` in the body's axes: forward, to the left side, turned to the left."""
    vectors = rotations.to_rotation_vector(rotations.continuous(rotation))
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def _curves(once: RecordedPoses, loop: UnrolledLoop | None) -> dict[str, Track]:
    """Curves of torso, head and hips through their turning points."""
    poses = once if loop is None else loop.poses
    rate, last, first = poses.motion.rate, len(once.motion) - 1, 0 if loop is None else loop.cycles.first
    torso = body_angles(rotations.multiply(rotations.conjugate(poses.pelvis), poses.chest))
    head = body_angles(rotations.multiply(rotations.conjugate(poses.chest), poses.head))
    hips = body_angles(rotations.multiply(rotations.conjugate(poses.heading), poses.pelvis))
    feet = np.minimum(poses.position("leftFoot")[:, 1], poses.position("rightFoot")[:, 1])
    height = (poses.position("hips")[:, 1] - feet) / poses.leg_length
    height = clip(height - np.median(height), -2.9, 2.9)
    rows: dict[str, tuple[tuple[str, ...], Floats, float, float]] = {
        "torso": (("torso.forward", "torso.side", "torso.turn"), torso, TORSO_TRAVEL, TORSO_SLOWEST),
        "head": (("head.nod", "head.tilt", "head.turn"), head, TORSO_TRAVEL, TORSO_SLOWEST),
        "hips": (("hips.lean", "hips.tilt", "hips.y"), _hips(hips, height), HIPS_TRAVEL, HIPS_SLOWEST),
    }
    made = {}
    for part, (names, values, travel, slowest) in rows.items():
        strokes = _strokes(values, rate, loop, travel, slowest)
        turns = np.concatenate([strokes.starts, strokes.ends]).astype(np.intp)
        frames = np.unique(np.concatenate([[0], turns if loop is None else turns % last, [last]])).astype(np.intp)
        frames = frames[:: max(-(-len(frames) // MOST_KEYS), 1)]
        times = tuple((frames / rate).tolist())
        bounded = clip(values[first + frames], -3.14, 3.14)
        made[part] = Track(curves={name: Curve(times, tuple(bounded[:, i].tolist())) for i, name in enumerate(names)})
    return made


def _hips(angles: Floats, height: Floats) -> Floats:
    return np.stack([angles[:, 0], angles[:, 1], height], axis=1)


def _leg_tracks(poses: RecordedPoses, steps: Steps, loop: UnrolledLoop | None) -> dict[str, Track]:
    """Steps of both legs; of a loop those that begin in it."""
    if loop is None:
        found = {side: stance_steps(poses, steps, side) for side in SIDES}
    else:
        start, cycles = loop.cycles.first / poses.motion.rate, loop.cycles
        found = {
            side: [
                row._replace(step=replace(row.step, lift=row.step.lift - start, land=row.step.land - start))
                for row in stance_steps(loop.poses, loop.steps, side)
                if cycles.has(row.step.lift * poses.motion.rate + 1e-6)
            ]
            for side in SIDES
        }
    return {f"{side}_leg": Track(steps=tuple(row.step for row in rows)) for side, rows in found.items() if rows}


# The body's clock


class _Candidate(NamedTuple):
    start: float
    end: float
    peak: float
    length: float
    part: str


def _body_strokes(
    found: Mapping[str, FoundStrokes], steps: Steps, duration: float, rate: float, poses: RecordedPoses
) -> BodyStrokes:
    """The strokes of the body's clock: the longest of all parts, foot strikes where it walks, and rests between.

    Those of a loop may go over its seam; what is taken in one cycle is taken in all.
    """
    candidates = [
        _Candidate(a / rate, c / rate, b / rate, poses.arm_length * float(travel), part)
        for part, own in ((("left_arm", found["left"]), ("right_arm", found["right"]), ("torso", found["torso"])))
        for a, b, c, travel in zip(own.starts, own.peaks, own.ends, own.travels, strict=True)
    ]
    period = steps.period
    walked = _walked_intervals(steps)
    chosen = list(walked)
    taken = _Intervals([(own.start, own.end) for own in walked], period)
    for own in sorted(candidates, key=lambda own: (-own.length, own.start, own.part)):
        start, end = taken.free(own.start, own.end)
        length = own.end - own.start
        if end - start >= max(min(SHORTEST, length), (1.0 - OVERLAP) * length):
            taken.add(start, end)
            frame = round(0.5 * (start + end) * rate)
            frame = min(frame, len(steps.walking) - 1) if period is None else frame % (len(steps.walking) - 1)
            walks = bool(steps.walking[frame] > 0.5)  # before the first strike and after the last one, too
            led = own._replace(part=LEGS_LEAD, length=0.0) if walks else own
            chosen.append(led._replace(start=start, end=end))
    return _with_rests(sorted(chosen), duration, rate) if period is None else _around(chosen, duration, rate)


def _walked_intervals(steps: Steps) -> list[_Candidate]:
    strikes = steps.strikes.tolist()
    if strikes and steps.period is not None:
        strikes.append(strikes[0] + steps.period)
    pairs = zip(strikes[:-1], strikes[1:], strict=True)
    return [_Candidate(a, b, 0.5 * (a + b), 0.0, LEGS_LEAD) for a, b in pairs if b - a <= PACES[1]]


def _around(strokes: Sequence[_Candidate], period: float, rate: float) -> BodyStrokes:
    """The strokes of a loop's clock, from its start to its end; one that goes over its seam is both first and last."""
    begins = min((own.start % period for own in strokes), default=0.0)
    later = [(own.start - begins + LATE) % period - LATE - own.start for own in strokes]
    moved = [
        own._replace(start=own.start + by, end=own.end + by, peak=own.peak + by)
        for own, by in zip(strokes, later, strict=True)
    ]
    found, least = _with_rests(sorted(moved), period, rate), 0.5 / rate
    edges, count = found.edges + begins, len(found.leads)
    seam = int(np.argmax(edges[1:] >= period - least))  # the stroke that goes over the seam, or ends there
    wraps = bool(edges[seam + 1] > period + least)
    after = edges[seam + 1 :] - period
    order = [*range(seam if wraps else seam + 1, count), *range(seam + 1)]
    rows = [0.0, *after, *edges[1 : seam + 1], period] if wraps else [0.0, *after[1:], *edges[1 : seam + 1], period]
    leads = tuple(found.leads[i] for i in order)
    return BodyStrokes(np.array(rows), leads, found.lengths[order], found.inflections[order], wraps)


class _Intervals:
    """Intervals of time that do not overlap, in order; with a period, those of a loop, in the cycles around, too."""

    def __init__(self, given: Sequence[tuple[float, float]], period: float | None = None) -> None:
        self._shifts = (0.0,) if period is None else tuple(k * period for k in range(-2, 3))
        every = sorted((start + by, end + by) for start, end in given for by in self._shifts)
        self._starts = [start for start, _ in every]
        self._ends = [end for _, end in every]

    def free(self, start: float, end: float) -> tuple[float, float]:
        """The part of an interval between what is taken around its middle."""
        at = bisect_right(self._starts, 0.5 * (start + end))
        if at > 0:
            start = max(start, self._ends[at - 1])
        if at < len(self._starts):
            end = min(end, self._starts[at])
        return start, end

    def add(self, start: float, end: float) -> None:
        for by in self._shifts:
            at = bisect_right(self._starts, start + by)
            self._starts.insert(at, start + by)
            self._ends.insert(at, end + by)


def _with_rests(strokes: Sequence[_Candidate], duration: float, rate: float) -> BodyStrokes:
    edges, leads, lengths, inflections = [0.0], [], [], []
    least = 0.5 / rate
    for own in strokes:
        start, end = max(own.start, edges[-1]), min(own.end, duration)
        if end - start <= least:
            continue
        if start - edges[-1] > least:
            edges.append(start)
            leads.append(REST_LEADS)
            lengths.append(0.0)
            inflections.append(0.5)
        edges.append(end)
        leads.append(own.part)
        lengths.append(own.length)
        share = (own.peak - start) / max(end - start, 1e-9)
        inflections.append(0.5 if own.part == LEGS_LEAD else float(np.clip(share, EARLIEST, LATEST)))
    if duration - edges[-1] > least or not leads:
        edges.append(duration)
        leads.append(REST_LEADS)
        lengths.append(0.0)
        inflections.append(0.5)
    edges[-1] = duration
    return BodyStrokes(np.array(edges), tuple(leads), np.array(lengths), np.array(inflections))
