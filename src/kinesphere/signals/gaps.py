"""Frames that are missing: found where joints freeze or jump away for a moment, and filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths
from kinesphere.motion.motion import Motion
from kinesphere.signals.groups import chosen

FIND = "find"
AWAY = 0.1  # seconds: who is away for longer may have gone there
LEAP = float(np.radians(5.0))  # radians: shorter ones are noise
ABOVE = 4.0  # times the steps around it: a leap
ASIDE = 0.5  # of the leap: nearer to where it left is back again
STUCK = 0.03  # seconds for which a pose stays to the last bit
LOST = 0.5  # seconds: who stays for longer may rest there
CATCH = 0.3  # of the way that would have been gone
SHORT = float(np.radians(0.5))  # radians: no catching up
SAME = 1e-9  # of a quaternion, or metres
BESIDE = 0.02  # seconds between the frames that tell a velocity
CARRY = 0.5  # seconds: beyond them nothing goes on as it went
METRE = 2.0  # radians that a step of a metre counts as
Pose: TypeAlias = tuple[Floats, Floats]  # rotations (T, J, 4) and translations (T, J, 3)


class GapWarning(UserWarning):
    """Frames were taken to be missing, and were filled."""


@dataclass(frozen=True)
class Gap:
    """A joint that is missing from its first to its last frame, both included."""

    joint: int
    name: str
    first: int
    last: int
    why: str  # "freezes" or "jumps"

    def __str__(self) -> str:
        frames = f"frame {self.first}" if self.first == self.last else f"frames {self.first} to {self.last}"
        return f"{self.name} {self.why} in {frames}"


def given_gaps(gaps: Sequence[int | Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Frames and pairs of frames as pairs, checked."""
    made = []
    for gap in gaps:
        pair = tuple(gap) if isinstance(gap, Sequence) else (gap, gap)
        whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in pair)
        if len(pair) != 2 or not whole or not 0 <= pair[0] <= pair[1]:
            raise ValueError(f"{gap!r} is no gap; a frame, or a pair of the first and the last one, is expected")
        made.append((int(pair[0]), int(pair[1])))
    return tuple(made)


def find_gaps(motion: Motion, joints: str | Sequence[str] | None = None) -> tuple[Gap, ...]:
    """Where joints, or those of some groups, are missing, by frame.

    A joint *jumps* if from one frame to the next it is elsewhere, and within a tenth of a second back as suddenly; no
    strike does, which gathers speed. It *freezes* if it stays where it is to the last bit, though it moved, and then
    is at once where it would have come to.
    """
    found, wanted = list[Gap](), chosen(motion.skeleton, joints)
    for run in performed_runs(motion):
        pose = motion.rotations[run], motion.translations[run]
        away, stuck = _jumps(pose, motion.rate), _freezes(pose, motion.rate)
        for why, mask in (("jumps", away), ("freezes", stuck & ~away)):
            for joint in np.flatnonzero(mask.any(axis=0) & wanted).tolist():
                for first, last in _stretches(mask[:, joint]):
                    name = motion.skeleton.names[joint]
                    found.append(Gap(joint, name, run.start + first, run.start + last, why))
    return tuple(sorted(found, key=lambda gap: (gap.first, gap.joint)))


def _steps(pose: Pose, over: int) -> Floats:
    """``(T − over, J)`` how far joints are from where they are some frames later, in radians."""
    turns, places = pose
    turned = rotations.angle_between(turns[:-over], turns[over:])
    return np.asarray(turned + METRE * lengths(places[over:] - places[:-over]))


def _around(steps: Floats, first: int, reach: int = 3) -> Floats:
    """``(T, J)`` the longest of some steps, of those that come ``first`` to ``first + reach`` after each; 0 beyond."""
    padded = np.pad(steps, ((reach, 2 * reach), (0, 0)))
    views = [padded[max(reach + first + k, 0) :][: len(steps)] for k in range(reach)]
    return np.asarray(np.max(views, axis=0))


def _jumps(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which joints are elsewhere for a moment."""
    frames = len(pose[0])
    made = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if frames < 5:
        return made
    steps = _steps(pose, 1)
    before, after = _around(steps, -3), _around(steps, 1)
    for away in range(1, min(max(int(AWAY * rate), 1), frames - 2) + 1):
        into, out = steps[: frames - 1 - away], steps[away:]
        usual = np.maximum(before[: frames - 1 - away], after[away:])
        back = _steps(pose, away + 1)
        least = np.minimum(into, out)
        leapt = (least > LEAP + ABOVE * usual) & (back < ASIDE * least)
        for k in range(away):
            made[1 + k : frames - away + k] |= leapt
    return made


def _freezes(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which joints that move stay where they are, and then catch up."""
    made = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if len(made) < 5:
        return made
    turns, places = pose
    same = (np.abs(np.diff(turns, axis=0)).max(axis=-1) < SAME) & (np.abs(np.diff(places, axis=0)).max(axis=-1) < SAME)
    steps = _steps(pose, 1)
    for joint in np.flatnonzero(same.any(axis=0) & ~same.all(axis=0)).tolist():
        for first, last in _stretches(same[:, joint]):
            count = last + 1 - first
            if not max(STUCK * rate, 2.0) <= count <= LOST * rate or first < 2 or last + 2 >= len(steps):
                continue
            went = steps[max(first - 3, 0) : first, joint]
            goes = steps[last + 2 : last + 5, joint]
            usual = max(float(np.median(went)), float(np.median(goes)))
            if went.min() > 0.0 and steps[last + 1, joint] > max((2.0 + CATCH * count) * usual, SHORT):
                made[first + 1 : last + 2, joint] = True
    return made


def filled(motion: Motion, missing: Bools) -> Motion:
    """The motion with what is missing, frames by joints ``(T, J)``, put between what is there.

    Each joint runs on from where and how fast it went to where and how fast it goes, without a corner. At a clip's ends
    it stays where it is first or last seen.
    """
    turns, places = motion.rotations.copy(), motion.translations.copy()
    for run in performed_runs(motion):
        lacking = missing[run]
        if not lacking.any():
            continue
        if lacking.all(axis=0).any():
            name = motion.skeleton.names[int(np.argmax(lacking.all(axis=0)))]
            raise ValueError(f"all frames of {name!r} are missing; some must be there to fill the others from")
        gaps: dict[tuple[int, int], list[int]] = {}
        for joint in np.flatnonzero(lacking.any(axis=0)).tolist():
            for stretch in _stretches(lacking[:, joint]):
                gaps.setdefault(stretch, []).append(joint)
        for (first, last), some in gaps.items():
            _fill(turns[run], places[run], lacking, first, last, np.array(some), motion.rate)
    return replace(motion, rotations=rotations.continuous(turns), translations=places)


def _fill(turns: Floats, places: Floats, lacking: Bools, first: int, last: int, joints: Ints, rate: float) -> None:
    """Write frames ``first`` to ``last`` of some joints, in place."""
    before, after = first - 1, last + 1
    if before < 0 or after >= len(turns):
        seen = after if before < 0 else before
        turns[first : last + 1, joints], places[first : last + 1, joints] = turns[seen, joints], places[seen, joints]
        return
    middle = rotations.slerp(turns[before, joints], turns[after, joints], 0.5)

    def curves(frame: int) -> Floats:
        turned = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(middle), turns[frame, joints]))
        return np.concatenate([turned, places[frame, joints]], axis=-1)

    span = max(round(BESIDE * rate), 1)
    speeds = []
    for edge, way in ((before, -1), (after, 1)):
        there = [frame for frame in (edge, edge + way * span, edge + 2 * way * span) if 0 <= frame < len(turns)]
        known = [frame for frame in there if not lacking[min(frame, edge) : max(frame, edge) + 1, joints].any()]
        points = [curves(frame) for frame in known]
        if len(points) == 3:
            speeds.append(way * (4.0 * points[1] - 3.0 * points[0] - points[2]) / (2.0 * span))
        elif len(points) == 2:
            speeds.append(way * (points[1] - points[0]) / span)
        else:
            speeds.append((curves(after) - curves(before)) / (after - before))
    frames = np.arange(first, last + 1)[:, None, None]
    made = _bridge(frames - before, after - before, curves(before), curves(after), speeds, CARRY * rate)
    turns[first : last + 1, joints] = rotations.multiply(middle, rotations.from_rotation_vector(made[..., :3]))
    places[first : last + 1, joints] = made[..., 3:]


def _bridge(at: Ints, length: int, start: Floats, end: Floats, speeds: list[Floats], carry: float) -> Floats:
    """Cubics from start to end; what speeds add is over after some frames, so that nothing flies far in a long gap."""
    u = at / length
    reach = min(carry, float(length))
    early, late = np.minimum(at / reach, 1.0), np.minimum((length - at) / reach, 1.0)
    leaving = reach * early * (1.0 - early) ** 2 * speeds[0]
    arriving = -reach * late * (1.0 - late) ** 2 * speeds[1]
    return np.asarray(start + u * u * (3.0 - 2.0 * u) * (end - start) + leaving + arriving)


def _stretches(mask: Bools) -> list[tuple[int, int]]:
    """The first and the last frame of each stretch of ``mask (T,)``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
