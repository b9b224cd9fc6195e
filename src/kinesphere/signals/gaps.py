"""Frames that are missing: found where joints freeze or jump away for a moment, and filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, norms
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

FIND = "find"
PLURAL = {"freezes": "freeze", "jumps": "jump", "is lost": "are lost"}
AWAY = 0.1  # seconds: who is away for longer may have gone there
LEAP = float(np.radians(5.0))  # radians: shorter ones are noise
ABOVE = 4.0  # times the steps around it: a leap
ASIDE = 0.5  # of the leap: nearer to where it left is back again
STUCK = 0.03  # seconds for which a pose stays to the last bit
LOST = 0.5  # seconds: who stays for longer may rest there
CATCH = 0.3  # of the way that would have been gone
MOST = 0.5  # of the joints that move
SHORT = float(np.radians(0.5))  # radians: no catching up
SAME = 1e-9  # of a quaternion, or metres
BESIDE = 0.02  # seconds between the frames that tell a velocity
CARRY = 0.5  # seconds: beyond them nothing goes on as it went
METRE = 2.0  # radians that a step of a metre counts as
Pose: TypeAlias = tuple[Floats, Floats]  # rotations (T, J, 4) and translations (T, J, 3)


class GapWarning(MotionFileWarning):
    """Frames were taken to be missing, and were filled."""


@dataclass(frozen=True)
class Gap:
    """A joint that is missing from its first to its last frame, both included."""

    joint: int
    name: str
    first: int
    last: int
    why: str  # "freezes", "jumps" or "is lost"

    def __str__(self) -> str:
        frames = f"frame {self.first}" if self.first == self.last else f"frames {self.first} to {self.last}"
        return f"{self.name} {self.why} in {frames}"


def describe_gaps(gaps: Sequence[Gap]) -> str:
    """Gaps in words: joints that are missing in the same frames together, and no more than a few."""
    alike: dict[tuple[str, int, int], list[Gap]] = {}
    for gap in gaps:
        alike.setdefault((gap.why, gap.first, gap.last), []).append(gap)
    some = []
    for first, *others in list(alike.values())[:8]:
        many = replace(first, name=f"{first.name} and {len(others)} more", why=PLURAL[first.why])
        some.append(str(many if others else first))
    return "; ".join(some) + (f"; and {len(alike) - 8} more times" if len(alike) > 8 else "")


def check_gaps(gaps: Sequence[int | Sequence[int]]) -> tuple[tuple[int, int], ...]:
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
    is at once where it would have come to; or if it jumps to where it stays, and as suddenly back. If the whole body
    does either, it *is lost*, all of it.
    """
    found, wanted = list[Gap](), select_joints(motion.skeleton, joints)
    for run in performed_runs(motion):
        pose = motion.rotations[run], motion.translations[run]
        blank, away, stuck = _blanks(pose, motion.rate), _jumps(pose, motion.rate), _freezes(pose, motion.rate)
        away &= ~blank
        for why, mask in (("is lost", blank), ("jumps", away), ("freezes", stuck & ~away & ~blank)):
            for joint in np.flatnonzero(mask.any(axis=0) & wanted).tolist():
                for first, last in _stretches(mask[:, joint]):
                    name = motion.skeleton.names[joint]
                    found.append(Gap(joint, name, run.start + first, run.start + last, why))
    return tuple(sorted(found, key=lambda gap: (gap.first, gap.joint)))


def _steps(pose: Pose, over: int) -> Floats:
    """``(T − over, J)`` how far joints are from where they are some frames later, in radians."""
    turns, places = pose
    turned = rotations.angle_between(turns[:-over], turns[over:])
    return np.asarray(turned + METRE * norms(places[over:] - places[:-over]))


def _step(pose: Pose, joint: int, start: int, end: int) -> float:
    """How far one joint is in one frame from where it is in another, in radians."""
    turns, places = pose
    turned = rotations.angle_between(turns[start, joint], turns[end, joint])
    return float(turned + METRE * norms(places[end, joint] - places[start, joint]))


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


def _blanks(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which the whole body stays to the last bit, and then catches up, or is back from a jump."""
    made = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if len(made) < 5:
        return made
    same = _stays(pose)
    moving = ~same.all(axis=0)
    still = _stretches(np.asarray(same.all(axis=1))) if moving.any() else []
    steps = _steps(pose, 1) if still else np.zeros((0, 0))
    for first, last in still:
        if first < 2 or last + 2 >= len(steps) or 2 * (last + 2 - first) > len(made):
            continue
        usual = np.maximum(steps[max(first - 4, 0) : first - 1].max(axis=0), steps[last + 2 : last + 5].max(axis=0))
        leapt = np.minimum(steps[first - 1], steps[last + 1]) > SHORT + ABOVE * usual
        if leapt[moving].mean() > MOST:
            made[first : last + 2] = True
            continue
        count, total = last + 1 - first, steps.sum(axis=1)
        went, goes = total[max(first - 3, 0) : first], total[last + 2 : last + 5]
        pace = max(float(np.median(went)), float(np.median(goes)))
        if max(STUCK * rate, 2.0) <= count <= LOST * rate and total[last + 1] > max(
            (2.0 + CATCH * count) * pace, SHORT
        ):
            made[first + 1 : last + 2] = True
    return made


def _stays(pose: Pose) -> Bools:
    """``(T − 1, J)`` whether joints are in the next frame where they are, to the last bit."""
    turned, moved = (np.abs(np.diff(part, axis=0)).max(axis=-1) for part in pose)
    return np.asarray((turned < SAME) & (moved < SAME))


def _freezes(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which joints that move stay where they are, and then catch up."""
    made = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if len(made) < 5:
        return made
    same = _stays(pose)
    steps = _steps(pose, 1)
    for joint in np.flatnonzero(same.any(axis=0) & ~same.all(axis=0)).tolist():
        for first, last in _stretches(same[:, joint]):
            count = last + 1 - first
            if not max(STUCK * rate, 2.0) <= count <= LOST * rate or first < 2 or last + 2 >= len(steps):
                continue
            went = steps[max(first - 3, 0) : first, joint]
            goes = steps[last + 2 : last + 5, joint]
            # Who jumps to where it then stays (a body without its data, in its rest pose) was never there.
            before = steps[max(first - 4, 0) : first - 1, joint]
            leapt = went[-1] > max(ABOVE * float(before.max()), SHORT)
            usual = max(float(np.median(before if leapt else went)), float(np.median(goes)))
            catches = steps[last + 1, joint] > max((2.0 + CATCH * count) * usual, SHORT)
            back = _step(pose, joint, first - 1, last + 2) < ASIDE * min(went[-1], steps[last + 1, joint])
            if leapt and back and before.min() > 0.0:
                made[first : last + 2, joint] = True
            elif went.min() > 0.0 and catches:
                made[first + 1 : last + 2, joint] = True
    return made


def complete_pose(skeleton: Skeleton, rate: float, turns: ArrayLike, places: ArrayLike | None = None) -> Motion:
    """A motion of rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` of which some are missing, as NaN: filled."""
    rotated = np.array(turns, dtype=np.float64)
    missing: Bools = np.asarray(~np.isfinite(rotated).all(axis=-1))
    moved = None if places is None else np.array(places, dtype=np.float64)
    rotated[missing] = rotations.identity()
    if moved is not None:
        missing |= np.asarray(~np.isfinite(moved).all(axis=-1))
        moved[missing] = 0.0
    given = Motion(skeleton, rate, rotated) if moved is None else Motion(skeleton, rate, rotated, moved)
    return fill_gaps(given, missing)


def fill_gaps(motion: Motion, missing: Bools) -> Motion:
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
