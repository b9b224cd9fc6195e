"""Lifting: ``lift`` finds the phrase of a recording, so that Effort, Shape and words can edit it.

Hands have keys where their strokes begin and end, goals, and where a path bends most, vias, in arm lengths from the
shoulder in the chest's axes. Torso, head and hips have curves through their own turning points, legs have steps. The
body has one clock, whose strokes are those of the part that goes farthest, or foot strikes where the body walks. What
hands touch, hold or point at are referents. Everything else is detail (``engine.detail``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, BodyStrokes, Detail
from kinesphere.engine.hand_contacts import find_hand_contacts
from kinesphere.engine.inserted_poses import with_inserted_marked
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.stepping import PACES, Steps, find_steps, stance_steps
from kinesphere.engine.stroke_finding import FoundStrokes, find_strokes
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import swivel_of
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms
from kinesphere.motion.gesture import MOST_KEYS, Curve
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import CHEST, Keys, Phrase, Track

VIA_BEND = 0.12  # of a stroke's travel that its path is off the line between goals, from which on it has a via
HANG_DOWN, HANG_ASIDE = 0.72, 0.50  # arm lengths below the shoulder, and from the line straight down, of a hanging hand
TORSO_TRAVEL, TORSO_SLOWEST = 0.10, 0.12  # radians, radians a second
HIPS_TRAVEL, HIPS_SLOWEST = 0.05, 0.06  # leg lengths
TRUNK_WEIGHT = 0.8  # of the way of the head that counts when hands and trunk are compared
OVERLAP = 0.34  # of a stroke that may be in a longer one of another part: what is more is no stroke of the body
SHORTEST = 0.1  # seconds of a stroke of the body
LOOP_ANGLE, LOOP_DISTANCE = np.radians(0.5), 0.002  # between first and last frame of a loop; metres
SHORTEST_LOOP = 0.3  # seconds
LOOP_SEAM, LOOP_MOVES = 0.12, 0.35  # seconds at both ends, and how much of its mean speed a loop has there
EARLIEST, LATEST = 0.08, 0.92  # inflections


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


@memoised
def _lift(motion: Motion) -> Phrase:
    poses = RecordedPoses.of(performed_motion(with_inserted_marked(motion)))
    steps = find_steps(poses)
    rate = motion.rate
    tracks: dict[str, Track] = {}
    found: dict[str, FoundStrokes] = {}
    hangs: dict[str, Bools] = {}
    for side in SIDES:
        path = poses.wrist(side)
        found[side] = find_strokes(path, rate)
        if len(motion) > 1:
            keys, hangs[side] = _keys(poses, side, path, found[side])
            tracks[f"{side}_arm"] = Track(keys)
    trunk = _trunk_path(poses)
    found["torso"] = find_strokes(trunk, rate)
    tracks |= _curves(poses) | _leg_tracks(poses, steps)
    duration = max(motion.duration, 0.5 / rate)
    strokes = _body_strokes(found, steps, duration, rate, poses)
    detail = Detail(motion, poses, tracks, strokes, steps, hangs)
    return Phrase(
        motion.name or "recording",
        poses.body,
        duration,
        tracks,
        loop=is_loop(motion),
        detail=detail,
        referents=find_hand_contacts(poses),
    )


def is_loop(motion: Motion) -> bool:
    """Whether a motion goes round: its last frame is its first again, and it moves on there as it does elsewhere.

    It may travel: then the next cycle goes on from where this one ends (``kinesphere.loop`` makes such ones).
    A gesture that begins and ends in one and the same rest is none: it has strokes with a timing, and no pace.
    """
    if motion.duration < SHORTEST_LOOP or with_inserted_marked(motion).calibration_frames:
        return False
    first, last = motion.rotations[0], motion.rotations[-1]
    if rotations.angle_between(first, last).max() > LOOP_ANGLE:
        return False
    moved = np.abs(motion.translations[0] - motion.translations[-1])
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    moved[roots] *= np.array([0.0, 1.0, 0.0])  # a cycle may travel over the ground
    if moved.max() > LOOP_DISTANCE:
        return False
    speeds = rotations.angle_between(motion.rotations[1:], motion.rotations[:-1]).max(axis=1)
    count = max(round(LOOP_SEAM * motion.rate), 1)
    seam = float(np.concatenate([speeds[:count], speeds[-count:]]).mean())
    return bool(seam > LOOP_MOVES * float(speeds.mean()) and speeds.max() > 1e-6)


# Hands


def _keys(poses: RecordedPoses, side: str, path: Floats, strokes: FoundStrokes) -> tuple[Keys, Bools]:
    """The keys of a hand, and where it hangs: stops at both ends of strokes and of the recording, and vias."""
    last = len(path) - 1
    stops = np.unique(np.concatenate([[0], strokes.starts, strokes.ends, [last]])).astype(np.intp)
    vias = _vias(path, strokes)
    vias = vias[~np.isin(vias, stops)]
    frames = np.concatenate([stops, vias])
    goals = np.concatenate([np.ones(len(stops), dtype=np.bool_), np.zeros(len(vias), dtype=np.bool_)])
    order = np.argsort(frames, kind="stable")
    frames, goals = frames[order], goals[order]
    inflections = np.full(len(frames), 0.5)
    for start, peak, end in zip(strokes.starts, strokes.peaks, strokes.ends, strict=True):
        share = (peak - start) / max(end - start, 1)
        inflections[np.searchsorted(frames, end)] = float(np.clip(share, EARLIEST, LATEST))
    positions = np.array(path[frames])
    elbows = poses.elbow(side)[frames]
    swivels = swivel_of(np.zeros_like(elbows), elbows, positions)
    times = frames / poses.motion.rate
    keys = Keys(times, positions, swivels, goals, (CHEST,) * len(frames), inflections)
    return keys, hangs_at(positions)


def hangs_at(positions: Floats) -> Bools:
    """``(...)`` whether a hand at positions ``(..., 3)`` from its shoulder, in arm lengths, hangs."""
    aside = np.hypot(positions[..., 0], positions[..., 2])
    return np.asarray((positions[..., 1] < -HANG_DOWN) & (aside < HANG_ASIDE))


def _vias(path: Floats, strokes: FoundStrokes) -> Ints:
    """Frames where strokes are farthest from the line between their goals, if that is far."""
    found = []
    for start, end, travel in zip(strokes.starts, strokes.ends, strokes.travels, strict=True):
        own = path[start : end + 1]
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


def _curves(poses: RecordedPoses) -> dict[str, Track]:
    """Curves of torso, head and hips through their turning points."""
    rate = poses.motion.rate
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
        strokes = find_strokes(values, rate, travel, slowest)
        frames = np.unique(np.concatenate([[0], strokes.starts, strokes.ends, [len(values) - 1]])).astype(np.intp)
        frames = frames[:: max(-(-len(frames) // MOST_KEYS), 1)]
        times = tuple((frames / rate).tolist())
        bounded = clip(values[frames], -3.14, 3.14)
        made[part] = Track(curves={name: Curve(times, tuple(bounded[:, i].tolist())) for i, name in enumerate(names)})
    return made


def _hips(angles: Floats, height: Floats) -> Floats:
    return np.stack([angles[:, 0], angles[:, 1], height], axis=1)


def _leg_tracks(poses: RecordedPoses, steps: Steps) -> dict[str, Track]:
    """Steps of both legs."""
    found = {side: stance_steps(poses, steps, side) for side in SIDES}
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
    """The strokes of the body's clock: the longest of all parts, foot strikes where it walks, and rests between."""
    candidates = [
        _Candidate(a / rate, c / rate, b / rate, poses.arm_length * float(travel), part)
        for part, own in ((("left_arm", found["left"]), ("right_arm", found["right"]), ("torso", found["torso"])))
        for a, b, c, travel in zip(own.starts, own.peaks, own.ends, own.travels, strict=True)
    ]
    walked = _walked_intervals(steps)
    chosen = list(walked)
    taken = _Intervals([(own.start, own.end) for own in walked])
    for own in sorted(candidates, key=lambda own: (-own.length, own.start, own.part)):
        start, end = taken.free(own.start, own.end)
        if end - start >= max(SHORTEST, (1.0 - OVERLAP) * (own.end - own.start)):
            taken.add(start, end)
            frame = min(round(0.5 * (start + end) * rate), len(steps.walking) - 1)
            walks = bool(steps.walking[frame] > 0.5)  # before the first strike and after the last one, too
            led = own._replace(part=LEGS_LEAD, length=0.0) if walks else own
            chosen.append(led._replace(start=start, end=end))
    return _with_rests(sorted(chosen), duration, rate)


def _walked_intervals(steps: Steps) -> list[_Candidate]:
    pairs = zip(steps.strikes[:-1].tolist(), steps.strikes[1:].tolist(), strict=True) if steps.walks else ()
    return [_Candidate(a, b, 0.5 * (a + b), 0.0, LEGS_LEAD) for a, b in pairs if b - a <= PACES[1]]


class _Intervals:
    """Intervals of time that do not overlap, in order."""

    def __init__(self, given: Sequence[tuple[float, float]]) -> None:
        self._starts = [start for start, _ in sorted(given)]
        self._ends = [end for _, end in sorted(given)]

    def free(self, start: float, end: float) -> tuple[float, float]:
        """The part of an interval between what is taken around its middle."""
        at = bisect_right(self._starts, 0.5 * (start + end))
        if at > 0:
            start = max(start, self._ends[at - 1])
        if at < len(self._starts):
            end = min(end, self._starts[at])
        return start, end

    def add(self, start: float, end: float) -> None:
        at = bisect_right(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, end)


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
