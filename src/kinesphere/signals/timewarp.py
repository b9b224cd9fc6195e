"""Time warping: the same movement along another clock: another motion's pace, marks, or the beats of music or speech.

The clock of another motion comes from ``alignment``. Beats are assigned to the motion's accents by dynamic programming
(``match_beats``). With ``frames="matched"`` frames are resampled along the alignment's path itself, without smoothing,
as Bruderlin and Williams (1995) do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

import numpy as np

from kinesphere.analysis.strokes import LEAST_ACCENT, Accent, find_accents
from kinesphere.body.ground import runs
from kinesphere.maths.interpolation import monotone_slopes
from kinesphere.maths.vectors import Bools, Floats, Ints, clip
from kinesphere.motion.document import AS_TUPLE, Flag, Setting, dial, document, number
from kinesphere.motion.edit import MotionEdit, MotionSource, loaded_motion, motion_edit
from kinesphere.motion.errors import MotionFileWarning, warn_caller
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import LATEST, WHOLE, Scope
from kinesphere.motion.timemap import MOST_POSES, TimeMap, retime, sample_motion
from kinesphere.signals.alignment import LEAST_RADIUS, RADIUS, Cost, Search, align, trim_calibration
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import edit_window
from kinesphere.signals.pace import bounded_map, describe_departure, describe_hard_pace

FASTEST = 64.0  # times as fast or as slow, where only a part of a warp is taken
# Beats
PACE = 4.0  # cost of a pace e times as quick, in accents of mean strength that come on no beat
LEFT_OUT = 0.2  # cost of a beat that nothing comes on
QUICKEST = 2.5  # times as quick or as slow as before, at most
MOST_LEFT_OUT = 6  # accents and beats that may be left out in a row
MOST_BEATS = 10_000
WEAK = 0.12  # of the strongest accent: weaker ones come on no beat
EVEN = 1.6  # times as quick or as slow as around it, at most, for a weak accent to come on a beat
ON_BEAT = 0.06  # seconds from an arrival at which a beat is met
MOST_NAMED = 8  # unmet beats that are named one by one

Pairs = list[tuple[float, float]]
Moment = Annotated[float, number(0.0, LATEST)]
_NOTHING = "nothing arrives on"
_MATCHED = "matched frames are whole ones of another motion: they need onto=, amount and strength 1, no start or end"


class NoAccents(MotionFileWarning):
    """Nothing in the motion comes on any of the beats; it stays as it is."""


class UnmetBeats(MotionFileWarning):
    """Beats on which nothing in the motion arrives."""


class UnmetPace(MotionFileWarning):
    """A pace that was not followed, or that takes hands or feet far beyond the motion's own accelerations."""


def parse_marks(text: str) -> list[tuple[float, float]]:
    """Marks from a text such as ``1.2=1.5,2=2.2``: what is at 1.2 s comes at 1.5 s."""
    found = []
    for piece in text.split(","):
        old, equals, new = piece.partition("=")
        if not equals:
            raise ValueError(f"found {piece.strip()!r}; marks such as 1.2=1.5 are expected")
        found.append((_parse_seconds(old), _parse_seconds(new)))
    return found


def parse_beats(text: str) -> list[float]:
    """Seconds with commas or blanks between."""
    return [_parse_seconds(piece) for piece in text.replace(",", " ").split()]


def _parse_seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"found {text.strip()!r}; a number of seconds is expected") from None


@motion_edit("timewarp")
@document(frozen=True)
class Timewarp(MotionEdit):
    """Perform a motion at another's pace, or so that its moments come at marks: beats of music, words of speech.

    One of ``onto``, ``marks``, ``beats`` and ``bpm`` gives the clock; with none nothing changes. The scope's strength
    multiplies the amount. Within some parts these alone are warped while the rest, and the length, stay. Marks and
    beats in a range of time are met; the time before it stays, and the time after it goes on at its own pace.

    Onto another motion the pace is bounded: at most 4 times the mean, and no hand or foot accelerates more than twice
    as hard as the motion itself would at its mean pace. Marks and beats are met at any pace. What was not met, a pace,
    a beat, or an acceleration more than 4 times the motion's own, is in ``source.evidence`` and a warning.
    """

    onto: Annotated[MotionSource, Setting("The motion whose pace is taken.", metavar="MOTION")] | None = None
    amount: Annotated[float, dial(0.0, 1.0, "How much of the other pace.", "its own", "the other's")] = 1.0
    marks: Annotated[
        Sequence[tuple[Moment, Moment]],
        AS_TUPLE,
        Setting(
            "When a moment is to come: 1.2=1.5 puts what is at 1.2 s at 1.5 s. After the last it goes on at its own "
            "pace.",
            option="--mark",
            parse=parse_marks,
            metavar="OLD=NEW",
            repeated=True,
        ),
    ] = ()
    beats: Annotated[
        Sequence[Moment],
        AS_TUPLE,
        Setting(
            "Seconds of beats, of music or of stressed syllables: the motion's accents, where hands and feet arrive, "
            "are found and moved onto them.",
            parse=parse_beats,
            metavar="SECONDS,…|FILE",
            file=True,
        ),
    ] = ()
    bpm: Annotated[float, number(1.0, 1000.0, "Beats a minute instead, the first at 0.")] | None = None
    cost: Annotated[Cost, Setting("What corresponds in two motions: what has one shape, or one pose.")] = "pose"
    search: Annotated[Search, Setting("How frames are matched; see align.")] = "auto"
    radius: Annotated[float, number(LEAST_RADIUS, about="Seconds that a banded or coarse search looks around.")] = (
        RADIUS
    )
    frames: Annotated[
        Literal["smooth", "matched"],
        Setting(
            "smooth: along a smooth clock. matched: frame by frame as matched, the mean of several for one, or where "
            "one is matched to several, a cubic B-spline around it; only onto another motion, at all of its pace.",
            hidden=True,
        ),
    ] = "smooth"

    def __post_init__(self) -> None:
        object.__setattr__(self, "marks", _check_marks(self.marks))
        object.__setattr__(self, "beats", _check_beats(self.beats))
        clocks = {"onto": self.onto, "marks": self.marks or None, "beats": self.beats or None, "bpm": self.bpm}
        given = [name for name, clock in clocks.items() if clock is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} were given; one of them says the pace")
        if self.frames == "matched" and (self.onto is None or self.amount != 1.0):
            raise ValueError(_MATCHED)

    @property
    def neutral(self) -> bool:
        return self.amount == 0.0 or not (self.onto is not None or self.marks or self.beats or self.bpm is not None)

    @classmethod
    def from_options(
        cls,
        *,
        matched: Annotated[Flag, Setting("Frame by frame as matched, instead of along a smooth clock.")] = False,
        **rest: Any,
    ) -> Self:
        return cls(frames="matched" if matched else "smooth", **rest)

    @property
    def retimes(self) -> bool:
        return True

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(marks=[(0.5, 0.8), (1.0, 1.2)]),
            cls(bpm=100.0),
            cls(onto="bow", amount=0.5),
            cls(onto="bow", frames="matched"),
        )

    def at_times_of(self, clock: TimeMap, motion: Motion) -> Self:
        return replace(self, marks=[(float(clock(np.array(old))), new) for old, new in self.marks])

    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        joints = select_joints(motion.skeleton, scope.parts)
        if self.neutral or scope.strength == 0.0:
            return motion, TimeMap.identity()
        said: list[str] = []
        if self.frames == "matched":
            assert self.onto is not None
            if scope.strength != 1.0 or not scope.whole_time:
                raise ValueError(_MATCHED)
            onto = loaded_motion(self.onto)
            found = align(onto, motion, self.cost, search=self.search, radius=self.radius)
            warped, clock = resample_along_path(motion, found.path, onto), found.inverse()
        else:
            clock, said = self._clock(motion, scope)
            warped = self._retime(motion, clock)
        said += describe_hard_pace(motion, warped)
        if said:
            warped = replace(warped, source=replace(warped.source, evidence=(*warped.source.evidence, *said)))
        for sentence in said:
            kind = UnmetBeats if sentence.startswith(_NOTHING) else UnmetPace
            warn_caller(f"{motion.name or 'motion'}: {sentence}", kind)
        if scope.parts is not None:
            return _replace_joints(motion, warped, joints), TimeMap.identity()
        return warped, clock

    def time_map(self, motion: Motion, scope: Scope = WHOLE) -> TimeMap:
        """From the motion's own time to the new one."""
        return self._clock(motion, scope)[0]

    def _clock(self, motion: Motion, scope: Scope) -> tuple[TimeMap, list[str]]:
        """From the motion's own time to the new one, and in sentences what was not met."""
        window, amount = edit_window(motion, scope), scope.strength * self.amount
        if self.neutral or amount == 0.0:
            return TimeMap.identity(), []
        if self.onto is not None:
            other = loaded_motion(self.onto)
            aligned = align(motion, other, self.cost, search=self.search, radius=self.radius)
            full = bounded_map(aligned, motion)
            whole = (amount * window == 1.0).all()
            return full if whole else _scale_warp(full, motion, amount * window), describe_departure(
                aligned, full, motion
            )
        accents, beats = ([], []) if self.marks else self._accents_and_beats(motion, scope)
        pairs = self._pairs(motion, scope, list(self.marks) or self._beat_pairs(motion, scope, accents, beats))
        if len(pairs) < 2:
            return TimeMap.identity(), []
        old, new = (np.array(row) for row in zip(*pairs, strict=True))
        clock = _map_through_marks(old, old + amount * (new - old))
        met = amount == 1.0 and bool(beats)
        return clock, _describe_unmet_beats(clock, motion, accents, beats) if met else []

    def _retime(self, motion: Motion, clock: TimeMap) -> Motion:
        """The motion along a clock. With marks it begins at 0 on that clock, and what lies before is cut off."""
        if self.onto is not None:
            return retime(motion, clock)
        count = int(np.floor(float(clock(np.array([motion.duration]))[0]) * motion.rate + 0.5 + 1e-6)) + 1
        if count * len(motion.skeleton) > MOST_POSES:
            raise ValueError(f"the last mark makes {count} frames of {len(motion.skeleton)} joints; that is too many")
        times = clock.inverse()(np.arange(max(count, 1)) / motion.rate)
        return sample_motion(motion, clip(times, 0.0, motion.duration), motion.rate)

    def _pairs(self, motion: Motion, scope: Scope, pairs: Pairs) -> Pairs:
        """Marks, or accents with their beats, and pairs before and after them that keep the motion's own pace."""
        if not pairs:
            return []
        late = [old for old, _ in pairs if old > motion.duration + 1e-9]
        if late:
            raise ValueError(f"a mark at {late[0]:g} s: the motion lasts from 0 to {motion.duration:g} s")
        start, end = scope.start or 0.0, motion.duration if scope.end is None else min(scope.end, motion.duration)
        out = [old for old, _ in pairs if not start <= old <= end + 1e-9]
        if out:
            raise ValueError(f"a mark at {out[0]:g} s lies outside of the stretch from {start:g} to {end:g} s")
        if start > 0.0 and pairs[0][0] > start and pairs[0][1] > start:
            pairs.insert(0, (start, start))  # the time before stays
        if pairs[0][0] > 0.0 and pairs[0][1] > 0.0:
            pairs.insert(0, (0.0, 0.0))
        for last in (end, motion.duration):  # the time after goes on at its own pace
            left = last - pairs[-1][0]
            if left > 1e-9:
                pairs.append((last, pairs[-1][1] + left))
        if len(pairs) == 1:
            pairs.append((pairs[0][0] + 1.0, pairs[0][1] + 1.0))
        return pairs

    def _accents_and_beats(self, motion: Motion, scope: Scope) -> tuple[list[Accent], list[float]]:
        """Accents in the scope's range of time, weak ones too, and all beats."""
        beats = list(self.beats)
        if self.bpm is not None:
            beats = (np.arange(1, int(2.5 * motion.duration * self.bpm / 60.0) + 2) * 60.0 / self.bpm).tolist()
        first, last = scope.start or 0.0, motion.duration if scope.end is None else scope.end
        return [accent for accent in find_accents(motion, WEAK) if first <= accent.seconds <= last], beats

    def _beat_pairs(self, motion: Motion, scope: Scope, accents: list[Accent], beats: list[float]) -> Pairs:
        """Accents with their beats; none, with a warning, where no accent comes on a beat."""
        strongest = max((accent.strength for accent in accents), default=0.0)
        strong = [accent for accent in accents if accent.strength >= LEAST_ACCENT * strongest]
        pairs = [pair for pair in match_beats(strong, beats) if pair[1] > (scope.start or 0.0)]
        if not pairs:
            warn_caller(f"{motion.name or 'motion'}: nothing in it arrives so that it could come on a beat", NoAccents)
            return []
        start, end = scope.start or 0.0, motion.duration if scope.end is None else min(scope.end, motion.duration)
        before = [(start, start)] if min(pairs[0]) > start else []
        after = [(end, pairs[-1][1] + end - pairs[-1][0])] if end > pairs[-1][0] + 1e-9 else []
        filled = fill_beats([*before, *pairs, *after], accents, beats)
        return filled[len(before) : len(filled) - len(after)]


def _map_through_marks(old: Floats, new: Floats) -> TimeMap:
    """The map through marks; pieces that keep the motion's own pace do so to their very ends."""
    paces, slopes = np.diff(new) / np.diff(old), monotone_slopes(old, new)
    slopes[0], slopes[-1] = paces[0], paces[-1]
    own = np.abs(paces - 1.0) < 1e-9
    beside = np.concatenate([own, [False]]) | np.concatenate([[False], own])
    least = np.minimum(np.append(paces, np.inf), np.append(np.inf, paces))
    return TimeMap(old, new, np.where(beside, np.minimum(1.0, 2.9 * least), slopes))


def _check_marks(marks: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    for k, (before, after) in enumerate(zip(marks[:-1], marks[1:], strict=True)):
        if not (after[0] > before[0] and after[1] > before[1]):
            raise ValueError(
                f"marks[{k + 1}] is ({after[0]:g}, {after[1]:g}) after ({before[0]:g}, {before[1]:g}); both must rise"
            )
    return tuple(marks)


def _check_beats(beats: Sequence[float]) -> tuple[float, ...]:
    if len(beats) > MOST_BEATS:
        raise ValueError(f"{len(beats)} beats; at most {MOST_BEATS} are allowed")
    for before, after in zip(beats[:-1], beats[1:], strict=True):
        if after <= before:
            raise ValueError(f"a beat at {after:g} s comes after one at {before:g} s; they must rise")
    return tuple(beat for beat in beats if beat > 0.0)


def _scale_warp(full: TimeMap, motion: Motion, share: Floats) -> TimeMap:
    """A map that runs as fast as ``full`` where the share ``(T,)`` is 1, and as before where it is 0."""
    times = motion.times
    if len(times) < 2:
        return TimeMap.identity()
    new = full(times)
    if np.ptp(share) == 0.0:
        return TimeMap(times, times + share * (new - times))
    own = np.diff(times)
    steps = own + 0.5 * (share[1:] + share[:-1]) * (np.diff(new) - own)
    steps = clip(steps, own / FASTEST, own * FASTEST)
    start = float(share[0] * new[0])
    return TimeMap(times, start + np.concatenate([[0.0], np.cumsum(steps)]))


def _replace_joints(motion: Motion, warped: Motion, joints: Bools) -> Motion:
    """The motion with some joints ``(J,)`` as in its warped one, the last pose held where that is over."""
    if warped.rate != motion.rate:
        warped = warped.resampled(motion.rate)
    at = np.minimum(np.arange(len(motion)), len(warped) - 1)
    q, t = motion.rotations.copy(), motion.translations.copy()
    q[:, joints], t[:, joints] = warped.rotations[at][:, joints], warped.translations[at][:, joints]
    for frame in motion.calibration_frames:
        q[frame], t[frame] = motion.rotations[frame], motion.translations[frame]
    return replace(motion, rotations=q, translations=t)


# Beats: which accent of a movement comes on which beat


def match_beats(accents: Sequence[Accent], beats: Sequence[float]) -> Pairs:
    """Pairs of seconds, an accent's and its beat's, in order: strong accents on beats, at a pace close to its own.

    The cheapest assignment by dynamic programming. Both clocks begin at 0.
    """
    if not accents or not beats:
        return []
    at = np.array([0.0, *(accent.seconds for accent in accents)])
    mean = float(np.mean([accent.strength for accent in accents]))
    strengths = np.array([0.0, *(min(accent.strength / mean, 2.0) for accent in accents)])
    when = np.array([0.0, *beats])
    missed = np.concatenate([[0.0], np.cumsum(strengths)])
    cost = np.full((len(at), len(when)), np.inf)
    previous = np.zeros((len(at), len(when), 2), dtype=np.intp)
    cost[0, 0] = 0.0
    for i in range(1, len(at)):
        # Each interval keeps its pace within bounds, so the whole does.
        near = np.flatnonzero((when * QUICKEST >= at[i]) & (when <= QUICKEST * at[i]))
        for j in near[near > 0].tolist():
            # From the start any number may be left out: a motion may begin long before the music.
            rows = np.array(sorted({0, *range(max(i - MOST_LEFT_OUT, 0), i)}))
            columns = np.array(sorted({0, *range(max(j - MOST_LEFT_OUT, 0), j)}))
            with np.errstate(divide="ignore", invalid="ignore"):
                pace = np.abs(np.log((when[j] - when[columns])[None, :] / (at[i] - at[rows])[:, None]))
            step = PACE * pace * pace + (missed[i] - missed[rows + 1])[:, None] + LEFT_OUT * (j - columns - 1)[None, :]
            total = cost[np.ix_(rows, columns)] + np.where(pace <= np.log(QUICKEST), step, np.inf)
            k = int(np.argmin(total))
            cost[i, j] = total.flat[k]
            previous[i, j] = rows[k // len(columns)], columns[k % len(columns)]
    # Accents after the last match cost nothing where the beats are over, and as much as ever where they are not.
    rest = (missed[-1] - missed[1:])[:, None] * np.where(when >= when[-1], 0.0, 1.0)[None, :]
    rest[0] += missed[-1]
    i, j = (int(k) for k in np.unravel_index(int(np.argmin(cost + rest)), cost.shape))
    pairs: Pairs = []
    while i > 0:
        pairs.append((float(at[i]), float(when[j])))
        i, j = (int(k) for k in previous[i, j])
    return pairs[::-1]


def fill_beats(pairs: Pairs, accents: Sequence[Accent], beats: Sequence[float]) -> Pairs:
    """The pairs, and between them beats with weaker accents that come near to them and can be moved onto them.

    Each accent and each beat is taken once, the nearest first, at a pace within ``QUICKEST`` of the motion's own on
    either side, and within ``EVEN`` of that between the two pairs.
    """
    made = list(pairs)
    for (old, new), (old_end, new_end) in pairwise(pairs):
        pace = (new_end - new) / (old_end - old)
        inside = [a.seconds for a in accents if old < a.seconds < old_end]
        free = [beat for beat in beats if new < beat < new_end]
        near = sorted((abs(new + pace * (at - old) - beat), at, beat) for at in inside for beat in free)
        own = [(old, new), (old_end, new_end)]
        for _, at, beat in near:
            below = max(pair for pair in own if pair[0] < at or pair[1] < beat)
            above = min(pair for pair in own if pair[0] > at or pair[1] > beat)
            steps = [(beat - below[1], at - below[0]), (above[1] - beat, above[0] - at)]
            if all(step > 0.0 and way > 0.0 and _is_even(step / way, pace) for step, way in steps):
                own = sorted([*own, (at, beat)])
        made += own[1:-1]
    return sorted(made)


def _is_even(slowness: float, usual: float) -> bool:
    """Whether a pace between beats is near to the usual one there, and to the motion's own."""
    return 1.0 / QUICKEST <= slowness <= QUICKEST and usual / EVEN <= slowness <= usual * EVEN


def _describe_unmet_beats(
    clock: TimeMap, motion: Motion, accents: Sequence[Accent], beats: Sequence[float]
) -> list[str]:
    """A sentence about the beats on which nothing arrives, and how far away the next thing does."""
    end = float(clock(np.array([motion.duration]))[0])
    arrivals = clock(np.array([accent.seconds for accent in accents]))
    heard = [beat for beat in beats if beat <= end + 1e-9]
    away = [(beat, float(np.abs(arrivals - beat).min(initial=np.inf))) for beat in heard]
    unmet = [(beat, gap) for beat, gap in away if gap > ON_BEAT]
    if not unmet:
        return []
    rows = ", ".join(f"{beat:.2f} s ({1e3 * gap:.0f} ms away)" for beat, gap in unmet[:MOST_NAMED])
    more = f" and {len(unmet) - MOST_NAMED} more" if len(unmet) > MOST_NAMED else ""
    return [f"{_NOTHING} {len(unmet)} of {len(heard)} beats: {rows}{more}"]


# Matched frames


def resample_along_path(motion: Motion, path: Ints, onto: Motion) -> Motion:
    """Resample a motion along an alignment path ``(K, 2)`` of frames of ``onto`` and of the motion.

    One frame for one is itself; several for one are their mean; one for several is spread by a cubic B-spline, from the
    frame before it to the one after.
    """
    curves = Curves.of(trim_calibration(motion))
    first = np.array([path[0, 0], motion.performed_frames[0]])
    table = resample_path_values(curves.table, path - first)
    return replace(curves.with_table(table), rate=onto.rate)


def resample_path_values(values: Floats, path: Ints) -> Floats:
    """Values ``(M, D)`` along a path ``(K, 2)`` from frames 0 to N − 1 to theirs: ``(N, D)``."""
    rows = int(path[-1, 0]) + 1
    starts = np.searchsorted(path[:, 0], np.arange(rows + 1))
    counts = np.diff(starts)
    resampled = np.asarray(np.add.reduceat(values[path[:, 1]], starts[:-1], axis=0) / counts[:, None])
    # Runs of rows that have one and the same single frame.
    frame = path[starts[:-1], 1]
    same = (np.diff(frame) == 0) & (counts[1:] == 1) & (counts[:-1] == 1)
    for first, last in runs(same):
        count = last - first + 2
        at = frame[first] - 1.0 + 2.0 * np.arange(1, count + 1) / (count + 1)
        resampled[first : first + count] = b_spline(values, at)
    return resampled


def b_spline(values: Floats, at: Floats) -> Floats:
    """A uniform cubic B-spline with control points ``(T, D)``, at parameters ``(N,)``: control point k is at k."""
    whole = np.floor(at).astype(np.intp)
    u = (at - whole)[:, None]
    weights = ((1.0 - u) ** 3, 3.0 * u**3 - 6.0 * u**2 + 4.0, -3.0 * u**3 + 3.0 * u**2 + 3.0 * u + 1.0, u**3)
    points = (values[clip(whole + k, 0, len(values) - 1)] for k in (-1, 0, 1, 2))
    return np.asarray(sum(w * v for w, v in zip(weights, points, strict=True)) / 6.0)
