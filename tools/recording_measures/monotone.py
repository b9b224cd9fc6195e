"""Measures that follow their dials: each Effort factor at five levels, and each element by itself in four steps.

**Composites for recordings**, which never rest (``observed``), of cues that the literature and the model's sheets name,
for each element the mean over its cues of how far each moved from neutral, in just noticeable differences, saturated:

- Space is the attention of body and eyes. In gestures: ways of hands over their chords, how much they turn, how far
  the face roams about its mean, how far it is from the hands as they arrive (there is one focus), how far the trunk
  twists. In walks: roaming, twisting, and how much the way winds.
- Weight is energy and how it is caught. In gestures: kinetic energy of strokes, the same beyond what the pace explains,
  the hand's arrest, how hard hips and chest are caught, how high the chest is; for Strong how far the pelvis drops with
  a stroke and how much of the energy is the trunk's. In walks: energy beyond the pace, how hard weight is caught after
  strikes, how fast ankles come down before them, how high the chest is.
- Time: accelerations, peak speeds, and in gestures how a stroke starts; not duration, which the engine writes.
- Flow: how far head and shoulders move against the chest and the chest against the pelvis, wrists against forearms, an
  arm that makes no stroke; how far hands hang back, pass their goals and go on. Bound keeps elbows in and stops at
  goals. In walks: arm swing and sway instead of goals.

Strokes are those of both hands, at the same moments of the recording at every level; walks are seen in their own
heading, so that curves and walks on the spot count, too; a clip without strokes or steps is looked at throughout. No
cue is a number that the engine writes. They were written down before the engine was mended for them. Some were mended
since, because they did not measure what they say: *drag* without how the wrist is held, *wrists* apart from it,
*face_off* with one focus, *passing* by the least speed around the goal; *roaming* by where the face points, as a yaw
means nothing of a face that is turned down; *acceleration* of the face, which nods while its joint stays. Logarithms
of energies and accelerations begin at what can be seen. The axes of a performed body are the recording's: those of
bodies whose rest pose is guessed from their frames were guessed anew from each performance.

**Measures of gestures**, as before: an element's own measure is that of gestures (``expression_measures``), the mean
over its cues likewise. Strokes are found in the recording, and looked at where the performance's clock has them, so
that the same strokes are compared at every level. Walks have cues of their own, of ``analysis.gait``.

A factor's measure is that of its positive element less that of its negative one.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from expression_measures.catalogue import DIALS, ELEMENTS, SATURATION, SIGNS
from expression_measures.measuring import MEASURES, measure_take
from expression_measures.takes import Take, take_of
from kinesphere import Effort
from kinesphere.analysis.gait import measure_gait
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import Stroke
from recording_measures.clips import performable
from recording_measures.edits import Edit
from recording_measures.observed import Moments, Observed, element_cues, is_walk
from recording_measures.performances import Performance, Recorded

LEVELS = (-1.0, -0.5, 0.0, 0.5, 1.0)
STEPS = (0.25, 0.5, 0.75, 1.0)
FACTORS = ("space", "weight", "time", "flow")
WELL, FAIR = 0.9, 0.7  # rank correlations
# Cues of a walk with their just noticeable differences, positive towards direct, strong, sudden and bound.
WALKED: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "space": {"look": -3.0, "track": -0.01, "shoulder_turn": -2.0},
        "weight": {"impact": 2.0, "bounce": 0.005, "hips": -0.01, "lift": 0.01},
        "time": {"cadence": 0.04, "speed": 0.1},
        "flow": {"arm_swing": -4.0, "shoulder_turn": -2.0, "hip_turn": -2.0, "sway": -0.01},
    }
)
KINDS = ("capture", "walk", "animation")  # captured gestures, captured walks, clips of characters that were animated
Values = dict[str, float]


class Case(NamedTuple):
    """A clip under one dial: its own measure at each level."""

    clip: str
    dial: str
    kind: str  # of KINDS
    rho: float
    scores: tuple[float, ...]


def report(data: Path, count: int | None = None, out: Path | None = None) -> str:
    """Tables in Markdown: the share of clips whose own measures follow each dial, and the cues one by one."""
    cases: list[Case] = []
    observed: list[Case] = []
    cues: dict[tuple[str, str], list[float]] = defaultdict(list)
    observed_cues: dict[tuple[str, str], list[float]] = defaultdict(list)
    left_out: list[str] = []
    for i, (name, motion) in enumerate(performable(data, count)):
        print(f"\r  monotone: {i + 1} clips, {name:40}", end="", file=sys.stderr, flush=True)
        recorded = Recorded.of(name, motion)
        own, single = observe_clip(recorded)
        observed += own
        for key, rho in single:
            observed_cues[key].append(rho)
        try:
            own, single = measure_clip(recorded)
        except (ValueError, KeyError, IndexError) as error:
            left_out.append(f"{name}: {error}")
            continue
        if not own:
            left_out.append(f"{name}: no stroke of a hand")
        cases += own
        for key, rho in single:
            cues[key].append(rho)
    print(file=sys.stderr)
    if out:
        _write(out / "monotone.csv", cases)
        _write(out / "monotone_observed.csv", observed)
    lines = ["**Composites for recordings** (see the head of `recording_measures/monotone.py`):", ""]
    lines += _lines(observed, observed_cues)
    lines += ["", "**Measures of gestures**, many of which are about strokes that begin and end at rest:", ""]
    lines += _lines(cases, cues)
    if left_out:
        lines += ["", f"Not measured by measures of gestures, and in no share of theirs ({len(left_out)} clips):", ""]
        lines += [f"- {text}" for text in left_out]
    return "\n".join(lines)


def _write(path: Path, cases: Sequence[Case]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["clip", "dial", "kind", "rho", "scores"])
        writer.writerows(
            [c.clip, c.dial, c.kind, f"{c.rho:.3f}", " ".join(f"{s:.3f}" for s in c.scores)] for c in cases
        )


def _lines(cases: Sequence[Case], cues: Mapping[tuple[str, str], Sequence[float]]) -> list[str]:
    lines = [
        "Spearman's ρ of a dial's own measure over its levels; goal: ρ ≥ 0.9 in 90 % of clips. The range is that of "
        "the mean own measure from the first level to the last, in just noticeable differences.",
        "",
        f"| dial | of | clips | ρ ≥ {WELL} | ρ ≥ {FAIR} | median range | those that follow least |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        for dial in (*FACTORS, *ELEMENTS):
            own = [case for case in cases if case.dial == dial and case.kind == kind]
            if not own:
                continue
            rho = np.array([case.rho for case in own])
            least = sorted(own, key=lambda case: case.rho)[:5]
            named = ", ".join(f"{case.clip.removeprefix('cmu/')} {case.rho:.1f}" for case in least if case.rho < WELL)
            spread = float(np.median([case.scores[-1] - case.scores[0] for case in own]))
            lines.append(
                f"| {dial} | {kind}s | {len(own)} | {_share(rho >= WELL - 1e-9)} | {_share(rho >= FAIR - 1e-9)} | "
                f"{spread:.2f} | {named} |"
            )
    lines += ["", "Cues one by one over the levels, ρ with the sign that they should have:", ""]
    lines += ["| dial | cue | clips | median ρ | ρ ≥ 0.9 | ρ ≤ −0.5 |", "|---|---|---|---|---|---|"]
    order = (*FACTORS, *ELEMENTS)
    for (factor, cue), values in sorted(cues.items(), key=lambda row: (order.index(row[0][0]), -np.median(row[1]))):
        rho = np.array(values)
        lines.append(
            f"| {factor} | {cue} | {len(rho)} | {np.median(rho):.2f} | {_share(rho >= WELL - 1e-9)} | "
            f"{_share(rho <= -0.5)} |"
        )
    return lines


def _share(flags: np.ndarray) -> str:
    return f"{100.0 * float(flags.mean()):.0f} %"


def observe_clip(recorded: Recorded) -> tuple[list[Case], list[tuple[tuple[str, str], float]]]:
    """All dials on one clip by the composites for recordings, and each cue's correlation with its element."""
    moments, walks = Moments(recorded), is_walk(recorded)
    kind = "walk" if walks else _kind(recorded)
    neutral = Observed(moments, recorded.plain, recorded.plain.times).cues()
    cases, single = [], []
    for factor in FACTORS:
        at = {0.0: neutral}
        for level in _levels():
            own = Performance.of(recorded, Edit(_effort(factor, level)))
            at[level] = Observed(moments, own.motion, own.clock.source).cues()
        ends = {end: (element, element_cues(element, walks)) for element, (f, end) in DIALS.items() if f == factor}
        scores = tuple(
            0.5 * (_score(at[level], neutral, ends[1.0][1]) - _score(at[level], neutral, ends[-1.0][1]))
            for level in LEVELS
        )
        cases.append(Case(recorded.name, factor, kind, spearman(scores), scores))
        for end, (element, cues) in ends.items():
            rows = [at[end * step] for step in (0.0, *STEPS)]
            rising = tuple(_score(row, neutral, cues) for row in rows)
            cases.append(Case(recorded.name, element, kind, spearman(rising), rising))
            for cue, size in cues.items():
                if all(cue in row for row in rows):
                    single.append(((element, cue), spearman([np.sign(size) * row[cue] for row in rows])))
    return cases, single


def _levels() -> list[float]:
    """All levels that are performed."""
    return sorted({*LEVELS, *STEPS, *(-step for step in STEPS)} - {0.0})


def _kind(recorded: Recorded) -> str:
    return "capture" if recorded.motion.source.path.lower().endswith(".bvh") else "animation"


def measure_clip(recorded: Recorded) -> tuple[list[Case], list[tuple[tuple[str, str], float]]]:
    """All dials on one clip, and each cue's correlation with its factor."""
    if is_walk(recorded):
        return _measure_levels(recorded, "walk", _walk_values, _walk_cues)
    neutral = take_of(recorded.plain)
    if not neutral.strokes:
        return [], []
    start = recorded.detail.leading_frames / recorded.plain.rate
    kind = _kind(recorded)
    return _measure_levels(recorded, kind, lambda own: _take_values(own, neutral, start), _gesture_cues)


def _measure_levels(
    recorded: Recorded,
    kind: str,
    measure: Callable[[Performance], Values],
    cues_of: Callable[[str], dict[str, float]],
) -> tuple[list[Case], list[tuple[tuple[str, str], float]]]:
    cases: list[Case] = []
    single: list[tuple[tuple[str, str], float]] = []
    try:
        neutral = measure(_unedited(recorded))
    except ValueError as error:
        raise ValueError(f"as recorded: {error}") from error
    for factor in FACTORS:
        at = {0.0: neutral}
        for level in _levels():
            try:
                at[level] = measure(Performance.of(recorded, Edit(_effort(factor, level))))
            except (ValueError, KeyError) as error:  # what an edit takes away is a finding, not a gap in the recording
                raise ValueError(f"lost with {factor} {level:+g}: {error}") from error
        cues = cues_of(factor)
        ends = {end: _element_cues(element, kind) for element, (own, end) in DIALS.items() if own == factor}
        scores = tuple(
            0.5 * (_score(at[level], neutral, ends[1.0]) - _score(at[level], neutral, ends[-1.0])) for level in LEVELS
        )
        cases.append(Case(recorded.name, factor, kind, spearman(scores), scores))
        for element, (own, end) in DIALS.items():
            if own == factor:
                rising = (0.0, *(_score(at[end * step], neutral, ends[end]) for step in STEPS))
                cases.append(Case(recorded.name, element, kind, spearman(rising), rising))
        for cue, size in cues.items():
            if all(cue in at[level] for level in LEVELS):
                values = [np.sign(size) * at[level][cue] for level in LEVELS]
                single.append(((factor, cue), spearman(values)))
    return cases, single


def _effort(factor: str, level: float) -> Effort:
    dials = dict.fromkeys(FACTORS, 0.0) | {factor: level}
    return Effort(dials["space"], dials["weight"], dials["time"], dials["flow"])


def _element_cues(element: str, kind: str) -> dict[str, float]:
    """An element's cues with just noticeable differences, positive towards it."""
    factor, end = DIALS[element]
    if kind == "walk":
        return {cue: end * size for cue, size in WALKED[factor].items()}
    return {cue: sign * MEASURES[cue].noticeable for cue, sign in SIGNS[element].items()}


def _gesture_cues(factor: str) -> dict[str, float]:
    """Cues of both elements of a factor with just noticeable differences, positive towards its positive end."""
    cues: dict[str, float] = {}
    for element, (own, end) in DIALS.items():
        if own == factor:
            for cue, sign in SIGNS[element].items():
                cues.setdefault(cue, end * sign * MEASURES[cue].noticeable)
    return cues


def _walk_cues(factor: str) -> dict[str, float]:
    return dict(WALKED[factor])


def _score(values: Values, neutral: Values, cues: Mapping[str, float]) -> float:
    moved = [(values[cue] - neutral[cue]) / size for cue, size in cues.items() if cue in values and cue in neutral]
    return float(np.mean(SATURATION * np.tanh(np.array(moved) / SATURATION))) if moved else 0.0


def _unedited(recorded: Recorded) -> Performance:
    """The recording as a performance of its own."""
    return Performance(recorded, recorded.phrase, recorded.motion)


def _walk_values(own: Performance) -> Values:
    return dict(measure_gait(own.motion).values)


def _take_values(own: Performance, neutral: Take, start: float) -> Values:
    """The measures of a performance on the strokes of its recording."""
    take = take_of(own.motion)
    # Both takes begin at their first performed frames; ``neutral`` is of all of the recording's.
    times = own.clock.source
    shown = np.arange(len(times)) / own.motion.rate

    def at(frame: int) -> int:
        moment = max(frame / RATE, start)
        return int(np.clip(round(float(np.interp(moment, times, shown)) * RATE), 0, len(take) - 1))

    strokes = [Stroke(at(s.start), at(s.begin), at(s.stop), at(s.end)) for s in neutral.strokes]
    strokes = [stroke for stroke in strokes if stroke.stop - stroke.begin >= 3]
    return measure_take(replace(take, side=neutral.side, strokes=tuple(strokes), _velocities={}))


def spearman(values: Sequence[float]) -> float:
    """The rank correlation of values with their order; differences below a millionth are ties."""
    rounded = np.round(np.asarray(values, dtype=np.float64), 6)
    ranks = np.array([(rounded < value).sum() + 0.5 * ((rounded == value).sum() - 1) for value in rounded])
    if np.ptp(ranks) == 0.0:
        return 0.0
    return float(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1])
