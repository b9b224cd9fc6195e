"""The thesis' experiment with an automatic observer: random Effort on random gestures, coded blind.

    python tools/observer_experiment.py            the film of 62 segments, and both tables beside the thesis'
    python tools/observer_experiment.py --seed 2027  another film
    python tools/observer_experiment.py --more 9   and nine further films, for how much chance there is in a number
    python tools/observer_experiment.py --fix      fix the observer's weights and thresholds anew, on other gestures

Chi (1999), section 6.1: 16 segments of two key points and 16 of five, each after a neutral one, then 30 of five alone;
the "main, overall" Efforts coded as −1, 0 or +1. The film's gestures are made here from a seed and are used for nothing
else. The observer's numbers are fixed on other ones: the default gestures, and Laban's dimensional and diagonal scales.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere import Effort, Gesture, Keypoint, Keypoints, perform
from kinesphere.analysis.measures import ELEMENTS, StrokeMeasures, measure_strokes
from kinesphere.analysis.observer import (
    FILE,
    Calibrations,
    calibrations_toml,
    code_measures,
    fit_calibration,
    load_calibrations,
    relative_measures,
)
from kinesphere.maths.vectors import Floats, Ints

SEED = 1999
SHORT, LONG, ALONE = 16, 16, 30
# How many elements a segment shows. Table 6.2's percentages are of 13 Indirect, 15 Direct, 21 Light, 17 Strong,
# 19 Sustained and 21 Free segments among 62: about 2.2 elements a segment.
HOW_MANY = {1: 0.25, 2: 0.40, 3: 0.25, 4: 0.10}
# Where hands may go, in metres from the shoulder: outward, up, ahead. Arms are 0.545 m long.
LEAST, MOST, NEAR, FAR = (-0.20, -0.42, 0.12), (0.38, 0.30, 0.44), 0.22, 0.50
APART = 0.25  # metres between a goal and the next
PRACTICE = ("wave", "point", "knock", "beckon", "emphasise", "clap", "drink", "punch", "reach", "shrug")
COMBINATIONS = 40  # of elements, for each practice gesture, beside the eight elements alone
# Laban's scales about a centre before the shoulder: how far out, up and ahead of it, and of that at the cube's corners.
CENTRE, HALF, DIAGONAL = (0.08, -0.06, 0.30), (0.24, 0.26, 0.15), 0.72
NEUTRAL = (0, 0, 0, 0)
Codes = tuple[int, int, int, int]

# Tables 6.1 and 6.2: the consultant, and the analysts from outside, one by one and on the mean.
TABLE_1 = {
    "correct": (76.6, 55.6, 53.2, 60.1),
    "neutral": (22.6, 38.7, 39.1, 37.1),
    "opposite": (0.81, 5.6, 7.7, 2.8),
}
TABLE_2 = {
    "indirect": (84.6, 79.5),
    "direct": (60.0, 48.9),
    "light": (90.5, 34.9),
    "strong": (82.3, 11.8),
    "sustained": (79.0, 63.2),
    "sudden": (100.0, 100.0),
    "free": (76.2, 42.9),
    "bound": (75.0, 45.8),
}


@dataclass(frozen=True)
class Segment:
    """What is shown: a gesture, how it is done, and whether a neutral one comes before it."""

    gesture: Gesture
    codes: Codes
    beside_neutral: bool = True


def random_codes(rng: np.random.Generator) -> Codes:
    """Elements at random, single and in combination."""
    count = int(rng.choice(list(HOW_MANY), p=list(HOW_MANY.values())))
    codes = np.zeros(4, dtype=int)
    codes[rng.choice(4, count, replace=False)] = rng.choice([-1, 1], count)
    space, weight, time, flow = codes.tolist()
    return space, weight, time, flow


def goals(name: str, seconds: Sequence[float], places: dict[str, Floats]) -> Gesture:
    """A gesture of goals; places ``(K, 3)`` of each hand from its shoulder: outward, up, ahead."""
    arms = {}
    for side, rows in places.items():
        outward = 1.0 if side == "left" else -1.0
        keys = tuple(
            Keypoint(float(round(60.0 * at)), (outward * float(x), float(y), float(z)), outward * 0.4)
            for at, (x, y, z) in zip(seconds, rows, strict=True)
        )
        arms[side] = Keypoints(keys, 60.0, f"{side}Arm")
    return Gesture(name, float(seconds[-1]) + 0.5, arms.get("left"), arms.get("right"))


def random_gesture(rng: np.random.Generator, count: int) -> Gesture:
    """Goals at random within reach, about a second apart, for the right arm or for both."""
    sides = ("right",) if rng.random() < 0.5 else ("left", "right")
    seconds = 0.25 + np.concatenate([[0.0], np.cumsum(rng.uniform(0.8, 1.2, count - 1))])
    return goals("a random gesture", seconds.tolist(), {side: _random_places(rng, count) for side in sides})


def _random_places(rng: np.random.Generator, count: int) -> Floats:
    places: list[Floats] = []
    while len(places) < count:
        place = rng.uniform(LEAST, MOST)
        reach = float(np.linalg.norm(place))
        if NEAR <= reach <= FAR and (not places or np.linalg.norm(place - places[-1]) >= APART):
            places.append(place)
    return np.array(places)


def scales() -> list[Gesture]:
    """Laban's dimensional and diagonal scales, whole and in single strokes, at several paces, one hand and both."""
    centre, half = np.array(CENTRE), np.array(HALF)
    out, up, ahead = np.eye(3)
    dimensions = centre + half * np.array([up, -up, -out, out, -1.2 * ahead - 0.3 * up, ahead])
    ways = np.array([(1, 1, 1), (-1, 1, 1), (-1, 1, -1), (1, 1, -1)], dtype=np.float64)
    diagonals = centre + DIAGONAL * half * np.stack([ways, -ways], axis=1).reshape(-1, 3)
    shown = [("dimensional scale", dimensions, 0.9, 1), ("diagonal scale", diagonals, 1.1, 2)]
    shown += [(f"dimension {i + 1}", dimensions[2 * i : 2 * i + 2], 0.9 + 0.1 * i, 1) for i in range(3)]
    shown += [(f"diagonal {i + 1}", diagonals[2 * i : 2 * i + 2], 0.9 + 0.1 * i, 2 - i % 2) for i in range(4)]
    return [
        goals(name, (0.25 + pace * np.arange(len(rows))).tolist(), dict.fromkeys(("right", "left")[:hands], rows))
        for name, rows, pace, hands in shown
    ]


def film(seed: int = SEED) -> list[Segment]:
    """The 62 segments."""
    rng = np.random.default_rng(seed)
    first = [Segment(random_gesture(rng, 2), random_codes(rng)) for _ in range(SHORT)]
    first += [Segment(random_gesture(rng, 5), random_codes(rng)) for _ in range(LONG)]
    return first + [Segment(random_gesture(rng, 5), random_codes(rng), False) for _ in range(ALONE)]


def measured(gesture: Gesture | str, codes: Codes) -> StrokeMeasures:
    """What the observer measures of a performance."""
    space, weight, time, flow = codes
    return measure_strokes(perform(gesture, Effort(space, weight, time, flow)))


def fix(seed: int = 0) -> Calibrations:
    """The observer's numbers, from practice gestures: neutral, with each element alone, and with combinations."""
    rng = np.random.default_rng(seed)
    gestures: list[Gesture | str] = [*PRACTICE, *scales()]
    neutrals = [measured(gesture, NEUTRAL).values for gesture in gestures]
    population = {name: float(np.mean([row[name] for row in neutrals])) for name in neutrals[0]}
    single = [_single(factor, sign) for factor in range(4) for sign in (-1, 1)]
    beside, alone, codes = [], [], []
    for gesture, neutral in zip(gestures, neutrals, strict=True):
        for asked in [NEUTRAL, *single, *(random_codes(rng) for _ in range(COMBINATIONS))]:
            found = measured(gesture, asked)
            beside.append(relative_measures(found, neutral))
            alone.append(relative_measures(found, population))
            codes.append(asked)
    return Calibrations(population, fit_calibration(beside, codes), fit_calibration(alone, codes))


def _single(factor: int, sign: int) -> Codes:
    space, weight, time, flow = (sign if i == factor else 0 for i in range(4))
    return space, weight, time, flow


def coded(segments: Sequence[Segment], learned: Calibrations) -> tuple[Ints, Ints]:
    """What was performed and what was coded, ``(N, 4)`` each."""
    said = []
    for segment in segments:
        neutral = measured(segment.gesture, NEUTRAL) if segment.beside_neutral else None
        said.append(code_measures(measured(segment.gesture, segment.codes), neutral, learned).codes)
    return np.array([segment.codes for segment in segments], dtype=np.intp), np.array(said, dtype=np.intp)


def shares(asked: Ints, said: Ints) -> dict[str, float]:
    """Table 6.1's percentages: correct, neutral (misses and false alarms), opposite."""
    off = np.abs(asked - said)
    return {name: 100.0 * float(np.mean(off == i)) for i, name in enumerate(TABLE_1)}


def by_element(asked: Ints, said: Ints) -> dict[str, tuple[float, int]]:
    """Table 6.2's percentages, and of how many segments."""
    found = {}
    for i, pair in enumerate(ELEMENTS.values()):
        for sign, element in zip((-1, 1), pair, strict=True):
            there = asked[:, i] == sign
            found[element] = (100.0 * float(np.mean(said[there, i] == sign)) if there.any() else 0.0, int(there.sum()))
    return found


def report(asked: Ints, said: Ints, seed: int = SEED) -> list[str]:
    """Both tables beside the thesis', the parts of the film, and what was taken for what."""
    ours, silent = shares(asked, said), shares(asked, np.zeros_like(asked))
    lines = [
        f"Film {seed}: {len(asked)} segments, {asked.size} codings",
        "",
        "| % | consultant | CMA 1 | CMA 2 | CMA 3 | our observer | who always says neutral |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, row in TABLE_1.items():
        lines.append(f"| {name} | {' | '.join(f'{v:g}' for v in row)} | **{ours[name]:.1f}** | {silent[name]:.1f} |")
    lines += ["", "| element | segments | consultant | mean of 3 CMAs | our observer |", "|---|---|---|---|---|"]
    for element, (share, count) in by_element(asked, said).items():
        known, outside = TABLE_2[element]
        lines.append(f"| {element} | {count} | {known} | {outside} | **{share:.1f}** |")
    lines += ["", "| part of the film | correct | neutral | opposite |", "|---|---|---|---|"]
    ends = (("2 keys, beside neutral", 0, SHORT), ("5 keys, beside neutral", SHORT, SHORT + LONG))
    for name, first, last in (*ends, ("5 keys, alone", SHORT + LONG, len(asked))):
        values = shares(asked[first:last], said[first:last]).values()
        lines.append(f"| {name} | {' | '.join(f'{v:.1f}' for v in values)} |")
    lines += ["", "Performed (rows) and coded (columns), segments:", ""]
    for i, (factor, (low, high)) in enumerate(ELEMENTS.items()):
        lines += [f"| {factor} | {low} | neutral | {high} |", "|---|---|---|---|"]
        for code, name in zip((-1, 0, 1), (low, "neutral", high), strict=True):
            counts = [int(np.sum((asked[:, i] == code) & (said[:, i] == other))) for other in (-1, 0, 1)]
            lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
        lines.append("")
    return lines


def spread(films: Sequence[tuple[Ints, Ints]]) -> list[str]:
    """The same percentages over several films."""
    lines = [f"Over {len(films)} films, mean ± standard deviation of a film:", "", "| | % |", "|---|---|"]
    for name in TABLE_1:
        values = [shares(*one)[name] for one in films]
        lines.append(f"| {name} | {np.mean(values):.1f} ± {np.std(values):.1f} |")
    for element in TABLE_2:
        rows = [by_element(*one)[element] for one in films]
        values = [share for share, count in rows if count]
        lines.append(f"| {element} | {np.mean(values):.1f} ± {np.std(values):.1f} |")
    return lines


ABOUT = """How the observer weighs what it measures. Made by tools/observer_experiment.py --fix: do not edit.
population: what neutral practice gestures measure on the mean.
beside: judged against a neutral performance of the same gesture; alone: against the population.
Of each element the threshold, and what its cues count in units of the measure; of each factor how sure a coding is,
1 / (1 + exp(-certain - clearer * distance from being coded otherwise))."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="fix the weights and thresholds anew, and write them")
    parser.add_argument("--more", type=int, default=0, metavar="N", help="code N further films")
    parser.add_argument("--seed", type=int, default=SEED, help="which film")
    asked = parser.parse_args()
    if asked.fix:
        FILE.write_text(calibrations_toml(fix(), ABOUT), encoding="utf-8")
        print(f"written: {FILE}")
        return
    films = [coded(film(asked.seed + i), load_calibrations()) for i in range(1 + asked.more)]
    lines = report(*films[0], asked.seed)
    print("\n".join(lines + spread(films) if asked.more else lines))


if __name__ == "__main__":
    main()
