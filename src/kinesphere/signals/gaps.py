"""Gap filling: find frames in which joints freeze or jump away for a moment, and interpolate them.

Steps between frames are in radians; a metre of translation counts as ``METRE`` radians.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kinesphere.body.ground import performed_runs, runs
from kinesphere.maths import rotations
from kinesphere.maths.bridges import build_bridge, context_frames
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, norms
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

FIND = "find"
PLURAL = {"freezes": "freeze", "jumps": "jump", "is lost": "are lost"}
LONGEST_JUMP = 0.1  # seconds: a joint that is away for longer may have moved there
LEAST_JUMP = float(np.radians(5.0))  # radians: shorter ones are noise
LEAST_SHIFT = 0.1  # of the body's size that the end of a bone jumps: shorter ones don't show
JUMP_RATIO = 4.0  # times the steps around it: a step that is longer is a jump
BACK_RATIO = 0.5  # of the jump: nearer to where it left, a joint is back
SHORTEST_FREEZE = 0.03  # seconds for which a pose stays to the last bit
LONGEST_FREEZE = 0.5  # seconds: a joint that stays for longer may rest there
CATCH_UP = 0.3  # of the distance missed that the step after a freeze makes at least
MOST_JOINTS = 0.5  # share of the joints that move: if more of them jump, the whole body is lost
LEAST_STEP = float(np.radians(0.5))  # radians: shorter ones are no catching up
SAME = 1e-9  # of a quaternion, or metres
STRETCHES = 48  # of the clip that show how predictable a joint is
METRE = 2.0  # radians that a step of a metre counts as
Pose: TypeAlias = tuple[Floats, Floats]  # rotations (T, J, 4) and translations (T, J, 3)


class GapWarning(MotionFileWarning):
    """Frames were found to be missing, and were filled."""


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
    """Gaps in words: joints with the same frames together, and at most eight of them."""
    grouped: dict[tuple[str, int, int], list[Gap]] = {}
    for gap in gaps:
        grouped.setdefault((gap.why, gap.first, gap.last), []).append(gap)
    texts = []
    for first, *others in list(grouped.values())[:8]:
        many = replace(first, name=f"{first.name} and {len(others)} more", why=PLURAL[first.why])
        texts.append(str(many if others else first))
    return "; ".join(texts) + (f"; and {len(grouped) - 8} more times" if len(grouped) > 8 else "")


def check_gaps(gaps: Sequence[int | Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Frames and pairs of frames as pairs, checked."""
    pairs = []
    for gap in gaps:
        pair = tuple(gap) if isinstance(gap, Sequence) else (gap, gap)
        whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in pair)
        if len(pair) != 2 or not whole or not 0 <= pair[0] <= pair[1]:
            raise ValueError(f"{gap!r} is no gap; a frame, or a pair of the first and the last one, is expected")
        pairs.append((int(pair[0]), int(pair[1])))
    return tuple(pairs)


def find_gaps(motion: Motion, joints: str | Sequence[str] | None = None) -> tuple[Gap, ...]:
    """The gaps of joints, or of those of some groups, in order of frames.

    A joint *jumps* if from one frame to the next its bone is elsewhere, and within a tenth of a second back as
    suddenly; a strike does not, as it gathers speed. A bone that flips about itself, or a joint that as often jumps and
    stays, is whole: a solver changed its mind. It *freezes* if it stays to the last bit, though it moved before, and
    then catches up in one step; or if it jumps, stays there, and jumps back. If the whole body does either, all of it
    *is lost*.
    """
    found, wanted = list[Gap](), select_joints(motion.skeleton, joints)
    for run in performed_runs(motion):
        pose = motion.rotations[run], motion.translations[run]
        lost, jumping, frozen = (find(pose, motion.rate) for find in (_lost_bodies, _jumps, find_freezes))
        jumping &= ~lost
        for joint in np.flatnonzero(frozen.any(axis=0) & lost.any(axis=0)).tolist():
            for first, last in runs(frozen[:, joint]):
                if lost[last + 1 : last + 2, joint].any():  # it does not catch up: all of the body is lost
                    frozen[first : last + 1, joint] = False
        if jumping.any():
            jumping = _visible_jumps(motion.skeleton, pose, jumping)
        for why, mask in (("is lost", lost), ("jumps", jumping), ("freezes", frozen & ~jumping & ~lost)):
            for joint in np.flatnonzero(mask.any(axis=0) & wanted).tolist():
                for first, last in runs(mask[:, joint]):
                    name = motion.skeleton.names[joint]
                    found.append(Gap(joint, name, run.start + first, run.start + last, why))
    return tuple(sorted(found, key=lambda gap: (gap.first, gap.joint)))


def pose_steps(pose: Pose, over: int) -> Floats:
    """How far ``(T − over, J)`` joints move in ``over`` frames: radians, with ``METRE`` radians for each metre."""
    local, translations = pose
    angles = rotations.angle_between(local[:-over], local[over:])
    return np.asarray(angles + METRE * norms(translations[over:] - translations[:-over]))


def _step(pose: Pose, joint: int, start: int, end: int) -> float:
    """How far one joint moves between two frames, as in ``pose_steps``."""
    local, translations = pose
    angle = rotations.angle_between(local[start, joint], local[end, joint])
    return float(angle + METRE * norms(translations[end, joint] - translations[start, joint]))


def stays(pose: Pose) -> Bools:
    """``(T − 1, J)`` whether joints are the same in the next frame, to the last bit."""
    local, translations = pose
    same: Bools = np.abs(local[1:, :, 0] - local[:-1, :, 0]) < SAME
    some = np.flatnonzero(same.any(axis=0))  # most joints of a capture are never still
    for part in (local[:, some, 1:], translations[:, some]):
        for axis in range(3):
            same[:, some] &= np.abs(part[1:, :, axis] - part[:-1, :, axis]) < SAME
    return same


def _longest_nearby(steps: Floats, first: int, count: int = 3) -> Floats:
    """``(T, J)`` the longest of ``count`` steps, the first of them ``first`` after each; 0 beyond the ends."""
    padded = np.pad(steps, ((count, 2 * count), (0, 0)))
    views = [padded[max(count + first + k, 0) :][: len(steps)] for k in range(count)]
    return np.asarray(np.max(views, axis=0))


def _jumps(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which joints are elsewhere for a moment."""
    frames = len(pose[0])
    mask = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if frames < 5:
        return mask
    steps = pose_steps(pose, 1)
    before, after = _longest_nearby(steps, -3), _longest_nearby(steps, 1)
    for count in range(1, min(max(int(LONGEST_JUMP * rate), 1), frames - 2) + 1):
        into, out = steps[: frames - 1 - count], steps[count:]
        usual = np.maximum(before[: frames - 1 - count], after[count:])
        back = pose_steps(pose, count + 1)
        least = np.minimum(into, out)
        jumps = (least > LEAST_JUMP + JUMP_RATIO * usual) & (back < BACK_RATIO * least)
        for k in range(count):
            mask[1 + k : frames - count + k] |= jumps
    return mask


def _visible_jumps(skeleton: Skeleton, pose: Pose, mask: Bools) -> Bools:
    """Those of the jumps ``(T, J)`` that take a bone elsewhere, of joints that do not as often jump and stay."""
    kept, steps = np.zeros_like(mask), pose_steps(pose, 1)
    least = LEAST_SHIFT * body_size(skeleton)
    for joint in np.flatnonzero(mask.any(axis=0)).tolist():
        ends = [skeleton.offsets[child] for child in skeleton.children[joint]]
        ends += [np.asarray(tip.offset) for tip in skeleton.tips if tip.joint == joint]
        found = runs(mask[:, joint])
        edges = np.array([edge for first, last in found for edge in (first - 1, last)])
        long = np.flatnonzero(steps[:, joint] > 0.5 * np.median(steps[edges, joint]))
        inside = mask[1:, joint] | mask[:-1, joint]
        if 2 * inside[long].sum() <= len(long):
            continue
        for first, last in found:
            moved = [
                max(
                    (float(norms(np.diff(rotations.rotate(pose[0][[a, b], joint], end), axis=0))[0]) for end in ends),
                    default=0.0,
                )
                + float(norms(pose[1][a, joint] - pose[1][b, joint]))
                for a, b in ((first - 1, first), (last, last + 1))
            ]
            kept[first : last + 1, joint] = min(moved) > least
    return kept


@memoised
def body_size(skeleton: Skeleton) -> float:
    """The size of a body in metres, from the longest way down its bones."""
    reach = np.zeros(len(skeleton))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            reach[joint] = reach[parent] + float(norms(skeleton.offsets[joint]))
    return float(reach.max())


def _lost_bodies(pose: Pose, rate: float) -> Bools:
    """``(T, J)`` frames in which the whole body stays to the last bit, and then catches up, or is back from a jump."""
    mask = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if len(mask) < 5:
        return mask
    same = stays(pose)
    moving = ~same.all(axis=0)
    still = runs(np.asarray(same.all(axis=1))) if moving.any() else []
    steps = pose_steps(pose, 1) if still else np.zeros((0, 0))
    for first, last in still:
        if first < 2 or last + 2 >= len(steps) or 2 * (last + 2 - first) > len(mask):
            continue
        usual = np.maximum(steps[max(first - 4, 0) : first - 1].max(axis=0), steps[last + 2 : last + 5].max(axis=0))
        jumps = np.minimum(steps[first - 1], steps[last + 1]) > LEAST_STEP + JUMP_RATIO * usual
        if jumps[moving].mean() > MOST_JOINTS:
            mask[first : last + 2] = True
            continue
        count, total = last + 1 - first, steps.sum(axis=1)
        pace = max(float(np.median(total[max(first - 3, 0) : first])), float(np.median(total[last + 2 : last + 5])))
        if _is_freeze(count, rate) and _catches_up(total[last + 1], count, pace):
            mask[first + 1 : last + 2] = True
    return mask


def still_runs(same: Bools) -> tuple[Ints, Ints, Ints]:
    """Joints, first and last steps of all runs in which joints stay, from whether they do ``(T, J)``."""
    padded = np.zeros((same.shape[1], len(same) + 2), dtype=np.int8)
    padded[:, 1:-1] = same.T
    edges = np.diff(padded, axis=1)
    (joints, firsts), (_, ends) = np.nonzero(edges == 1), np.nonzero(edges == -1)
    return joints, firsts, ends - 1


def find_freezes(pose: Pose, rate: float, same: Bools | None = None) -> Bools:
    """``(T, J)`` frames in which joints that move stay where they are, and then catch up; ``same`` as of ``stays``."""
    mask = np.zeros(pose[0].shape[:2], dtype=np.bool_)
    if len(mask) < 5:
        return mask
    same = stays(pose) if same is None else same
    joints, firsts, lasts = still_runs(same)
    counts = lasts + 1 - firsts
    may = (counts >= _shortest_freeze(rate)) & (counts <= LONGEST_FREEZE * rate)
    may &= (firsts >= 2) & (lasts + 2 < len(same))
    some, rows = np.unique(joints[may], return_inverse=True)
    if not some.size:
        return mask
    own = pose[0][:, some], pose[1][:, some]
    steps = pose_steps(own, 1).T.tolist()
    for row, first, last in zip(rows.tolist(), firsts[may].tolist(), lasts[may].tolist(), strict=True):
        frozen = _frozen_frames(own, steps[row], row, first, last)
        mask[frozen, some[row]] = True
    return mask


def _frozen_frames(pose: Pose, steps: list[float], joint: int, first: int, last: int) -> slice:
    """The frames in which a joint is frozen that makes no steps from the first to the last; none where it rests."""
    into, after = steps[max(first - 3, 0) : first], steps[last + 2 : last + 5]
    # A joint that jumps to where it then stays (a body without its data, in its rest pose) was never there.
    before = steps[max(first - 4, 0) : first - 1]
    jumps = into[-1] > max(JUMP_RATIO * max(before), LEAST_STEP)
    back = BACK_RATIO * min(into[-1], steps[last + 1])
    if jumps and min(before) > 0.0 and _step(pose, joint, first - 1, last + 2) < back:
        return slice(first, last + 2)
    pace = max(_median(before if jumps else into), _median(after))
    if min(into) > 0.0 and _catches_up(steps[last + 1], last + 1 - first, pace):
        return slice(first + 1, last + 2)
    return slice(0, 0)


def _median(values: list[float]) -> float:
    """As NumPy's, which takes a hundred times longer for a handful."""
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle])


def _shortest_freeze(rate: float) -> float:
    return max(SHORTEST_FREEZE * rate, 2.0)


def _is_freeze(count: int, rate: float) -> bool:
    """Whether ``count`` steps without a change may be a freeze: not too few, not as many as a rest."""
    return _shortest_freeze(rate) <= count <= LONGEST_FREEZE * rate


def _catches_up(step: float, count: int, pace: float) -> bool:
    """Whether the step after a freeze of ``count`` steps makes up for what was missed at this pace."""
    return bool(step > max((2.0 + CATCH_UP * count) * pace, LEAST_STEP))


def complete_pose(skeleton: Skeleton, rate: float, local: ArrayLike, translations: ArrayLike | None = None) -> Motion:
    """A motion from rotations ``(T, J, 4)`` and translations ``(T, J, 3)``, with frames that are NaN filled in."""
    q = np.array(local, dtype=np.float64)
    missing: Bools = np.asarray(~np.isfinite(q).all(axis=-1))
    q[missing] = rotations.identity()
    if translations is None:
        return fill_gaps(Motion(skeleton, rate, q), missing)
    t = np.array(translations, dtype=np.float64)
    missing |= np.asarray(~np.isfinite(t).all(axis=-1))
    t[missing] = 0.0
    return fill_gaps(Motion(skeleton, rate, q, t), missing)


def fill_gaps(motion: Motion, missing: Bools) -> Motion:
    """The motion with missing frames by joints ``(T, J)`` interpolated.

    Each joint goes from its pose before to that after, and keeps its velocities as far as they have been a guide
    elsewhere in the clip: see ``maths.bridges``. At a clip's ends it holds its first or last pose.
    """
    local, translations = motion.rotations.copy(), motion.translations.copy()
    for run in performed_runs(motion):
        lacking = missing[run]
        if not lacking.any():
            continue
        if lacking.all(axis=0).any():
            name = motion.skeleton.names[int(np.argmax(lacking.all(axis=0)))]
            raise ValueError(f"all frames of {name!r} are missing; some must be there to fill the others from")
        gaps: dict[tuple[int, int], list[int]] = {}
        for joint in np.flatnonzero(lacking.any(axis=0)).tolist():
            for gap in runs(lacking[:, joint]):
                gaps.setdefault(gap, []).append(joint)
        for gap, joints in gaps.items():
            _fill(local[run], translations[run], lacking, gap, np.array(joints), motion.rate)
    return replace(motion, rotations=rotations.continuous(local), translations=translations)


def _fill(local: Floats, translations: Floats, lacking: Bools, gap: tuple[int, int], joints: Ints, rate: float) -> None:
    """Write the first to the last frame of a gap of some joints, in place."""
    first, last = gap
    before, after = first - 1, last + 1
    frames = slice(first, last + 1)
    if before < 0 or after >= len(local):
        nearest = after if before < 0 else before
        local[frames, joints], translations[frames, joints] = local[nearest, joints], translations[nearest, joints]
        return
    early, late = (_known_frames(lacking[:, joints], edge, context_frames(rate)) for edge in (-first, after))
    shape = early, last + 1 - first, late
    starts = np.append(_whole_stretches(lacking[:, joints], shape), first - early)
    rows = starts[:, None] + np.arange(sum(shape))
    inside = np.arange(early, early + shape[1])
    middle = rotations.slerp(local[starts + early - 1][:, joints], local[starts + early + shape[1]][:, joints], 0.5)
    from_middle = rotations.multiply(rotations.conjugate(middle)[:, None], local[rows][:, :, joints])
    turns, places = rotations.to_rotation_vector(from_middle), translations[rows][:, :, joints]
    made = []
    for values in (turns, places):
        known, truth = np.delete(values, inside, axis=1), values[:-1, inside]
        made.append(build_bridge(known[-1], known[:-1], truth, early, rate))
    local[frames, joints] = rotations.multiply(middle[-1], rotations.from_rotation_vector(made[0]))
    translations[frames, joints] = made[1]


def _known_frames(lacking: Bools, edge: int, most: int) -> int:
    """How many frames from an edge on no joint lacks ``(T, K)``; an edge of −n looks back from frame n − 1."""
    seen = lacking[-edge - 1 :: -1] if edge < 0 else lacking[edge:]
    gaps = np.flatnonzero(seen[:most].any(axis=1))
    return int(gaps[0]) if gaps.size else min(most, len(seen))


def _whole_stretches(lacking: Bools, shape: tuple[int, int, int]) -> Ints:
    """First frames of some stretches without a gap ``(T, K)``, each as long as a gap and the frames around it."""
    length = sum(shape)
    missing = np.concatenate([[0], np.cumsum(lacking.any(axis=1))])
    starts = (
        np.flatnonzero(missing[length:] == missing[:-length]) if length < len(missing) else np.zeros(0, dtype=np.intp)
    )
    if len(starts) <= STRETCHES:
        return starts
    return starts[np.linspace(0, len(starts) - 1, STRETCHES).astype(np.intp)]
