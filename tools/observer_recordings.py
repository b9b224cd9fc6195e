"""The observer beside recordings: calibrate it on captures, and count what it codes on others.

    python tools/observer_recordings.py DATA            what it codes on the clips of the blind readings
    python tools/observer_recordings.py DATA --fix      calibrate it on other clips first, and write the calibration;
                                                        count as well what it codes of clips that it was not fitted on

Calibration is done on stretches of captures of which no blind reading shows any: unedited, in each element, and in
combinations. Signs of cues are from the literature and never fitted. ``DATA`` is the folder of captures.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from blind_recordings import CLIP_SETS, ELEMENTS, Shown, clip
from kinesphere import Effort, Motion, lift, perform
from kinesphere.analysis.comparison import Comparison
from kinesphere.analysis.comparison_cues import NOTICEABLE, SIGNS, seen
from kinesphere.analysis.measures import ELEMENTS as FACTOR_ELEMENTS
from kinesphere.analysis.measures import FACTORS
from kinesphere.analysis.observer import (
    RECORDED_FILE,
    EffortCalibration,
    calibration_toml,
    code_comparison,
    fit_calibration,
    load_recorded_calibration,
)
from observer_experiment import NEUTRAL, Codes, random_codes
from recording_measures.clips import find_clips

ABOUT = """How the observer weighs how a recording is performed differently, beside the recording itself.
Made by tools/observer_recordings.py --fix: do not edit."""
SHOWN = "first", "second"  # clips of blind readings that practice does without
STRETCH = 3.0, 5.0  # seconds
FOLDS = 8
COMBINATIONS = 3  # of elements, for each clip
SINGLE: tuple[Codes, ...] = tuple(
    (*(0,) * factor, sign, *(0,) * (3 - factor))  # type: ignore[misc]
    for factor in range(4)
    for sign in (-1, 1)
)
Example = tuple[str, Codes, dict[str, float]]  # a clip, what was performed, and what is measured


def stretches(data: Path, rng: np.random.Generator) -> Iterator[tuple[str, Motion]]:
    """A stretch of every capture that no blind reading shows."""
    shown = {file for name in SHOWN for file, _, _ in CLIP_SETS[name].values()}
    for own, trouble in find_clips(data):
        if trouble or own.path.suffix != ".bvh" or "mutated" in own.path.parts:
            continue
        if any(own.path.as_posix().endswith(file) for file in shown):
            continue
        try:
            motion = own.load()
            lift(motion)
        except ValueError:  # no humanoid
            continue
        first = float(motion.performed_frames[0]) / motion.rate
        length = min(motion.duration - first, float(rng.uniform(*STRETCH)))
        if length >= 0.6 * STRETCH[0]:
            start = first + float(rng.uniform(0.0, motion.duration - first - length))
            yield own.name, motion.between(start, start + length)


def examples(data: Path, seed: int = 0) -> list[Example]:
    """Measures of all practice clips: unedited, in each element, in combinations."""
    rng = np.random.default_rng(seed)
    made = []
    for name, motion in stretches(data, rng):
        for codes in (NEUTRAL, *SINGLE, *(random_codes(rng) for _ in range(COMBINATIONS))):
            made.append((name, codes, measured(motion, codes)))
    return made


def measured(motion: Motion, codes: Codes) -> dict[str, float]:
    """What the observer measures of a performance, beside the recording."""
    space, weight, time, flow = codes
    return Comparison.of(perform(motion, Effort(space, weight, time, flow)), motion).measures


def shown(data: Path, clips: Shown) -> list[Example]:
    """Clips of the blind readings in eight elements."""
    made = []
    for name, where in clips.items():
        for effort in ELEMENTS.values():
            codes: Codes = (int(effort.space), int(effort.weight), int(effort.time), int(effort.flow))
            made.append((name, codes, measured(clip(data, *where), codes)))
    return made


def calibrated(rows: Sequence[Example]) -> EffortCalibration:
    """A calibration for examples."""
    return fit_calibration([seen(found) for _, _, found in rows], [codes for _, codes, _ in rows], SIGNS, NOTICEABLE)


def coded(rows: Sequence[Example], calibration: EffortCalibration) -> list[tuple[int, ...]]:
    """The codes of examples."""
    return [code_comparison(found, 1, calibration).codes for _, _, found in rows]


def held_out(rows: Sequence[Example], seed: int = 1) -> str:
    """A report of examples each of which is coded by a calibration on other clips."""
    names = sorted({name for name, _, _ in rows})
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {names[at]: i % FOLDS for i, at in enumerate(order.tolist())}
    tested: list[Example] = []
    said: list[tuple[int, ...]] = []
    for own in range(FOLDS):
        out = [row for row in rows if fold[row[0]] == own]
        tested += out
        said += coded(out, calibrated([row for row in rows if fold[row[0]] != own]))
    return report(tested, said)


def report(rows: Sequence[Example], codings: Sequence[Sequence[int]]) -> str:
    """Shares of what was coded right, as its opposite and not at all, and a row an element, in Markdown."""
    asked, said = np.array([codes for _, codes, _ in rows]), np.array(codings)
    there = asked != 0
    right, opposite = (said == asked)[there].mean(), (said == -asked)[there].mean()
    lines = [
        f"{len(rows)} performances with {there.sum()} elements: {100 * right:.1f} % right, {100 * opposite:.1f} % "
        f"opposite; {int((~there & (said != 0)).sum())} false alarms of {int((~there).sum())}",
        "",
        "| element | performed | right | opposite | false alarms |",
        "|---|---|---|---|---|",
    ]
    for i, factor in enumerate(FACTORS):
        for j, element in enumerate(FACTOR_ELEMENTS[factor]):
            sign = 2 * j - 1
            own = asked[:, i] == sign
            false = int(((asked[:, i] == 0) & (said[:, i] == sign)).sum())
            counts = (own.sum(), (said[own, i] == sign).sum(), (said[own, i] == -sign).sum(), false)
            lines.append(f"| {element} | " + " | ".join(str(int(count)) for count in counts) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--fix", action="store_true", help="calibrate anew")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.fix:
        practice = examples(given.data)
        calibration = calibrated(practice)
        RECORDED_FILE.write_text(calibration_toml({"recorded": calibration}, ABOUT), encoding="utf-8")
        count = len({name for name, _, _ in practice})
        print(f"Practice, {count} clips: {report(practice, coded(practice, calibration))}")
        print(f"\nThe same, each clip by a calibration on others: {held_out(practice)}")
    for name in SHOWN:
        clips = CLIP_SETS[name]
        rows = shown(given.data, clips)
        print(f"\nThe {name} clips of the blind readings: {report(rows, coded(rows, load_recorded_calibration()))}")


if __name__ == "__main__":
    main()
