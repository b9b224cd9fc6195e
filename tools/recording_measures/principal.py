"""One principal measure of each factor, over five levels of the dial, beside the recording.

- **Space**: how much longer hands' paths are than the lines between their goals, over the strokes of the recording.
- **Weight**: how much lower the head is than in the recording, on the mean over the moments shown.
- **Time**: how much shorter the performance is.
- **Flow**: how little head and shoulders move against the chest and the chest against the pelvis, as angles about
  their means over a second.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from kinesphere import Effort
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths.vectors import Floats, norms
from recording_measures.clips import performable
from recording_measures.edits import Edit
from recording_measures.monotone import FACTORS, LEVELS, WELL, spearman
from recording_measures.observed import Moments, Observed
from recording_measures.performances import Performance, Recorded

MEASURED = ("space", "weight", "time", "flow")
LEAST_TRAVEL = 0.15  # arm lengths: shorter strokes have no path to speak of


def report(data: Path, count: int | None = None) -> str:
    """A table in Markdown: the share of clips whose principal measure follows each dial."""
    found: dict[str, list[tuple[float, str]]] = {factor: [] for factor in MEASURED}
    for i, (name, motion) in enumerate(performable(data, count)):
        print(f"\r  principal: {i + 1} clips, {name:40}", end="", file=sys.stderr, flush=True)
        recorded = Recorded.of(name, motion)
        for factor in MEASURED:
            values = [_measure(factor, recorded, level) for level in LEVELS]
            if None not in values and np.ptp(np.array(values, dtype=np.float64)) > 1e-6:
                found[factor].append((spearman([float(value) for value in values if value is not None]), name))
    print(file=sys.stderr)
    lines = [f"| factor | clips | ρ ≥ {WELL} | median ρ | those that follow least |", "|---|---|---|---|---|"]
    for factor, rows in found.items():
        rho = np.array([value for value, _ in rows])
        least = ", ".join(
            f"{name.removeprefix('cmu/')} {value:.1f}" for value, name in sorted(rows)[:4] if value < WELL
        )
        share = 100.0 * float((rho >= WELL - 1e-9).mean())
        lines.append(f"| {factor} | {len(rows)} | {share:.0f} % | {np.median(rho):.2f} | {least} |")
    return "\n".join(lines)


def _measure(factor: str, recorded: Recorded, level: float) -> float | None:
    if level == 0.0:
        own = Performance(recorded, recorded.phrase, recorded.plain)
    else:
        dials = dict.fromkeys(FACTORS, 0.0) | {factor: level}
        own = Performance.of(recorded, Edit(Effort(dials["space"], dials["weight"], dials["time"], dials["flow"])))
    if factor == "time":
        return -len(own.motion) / own.motion.rate
    if factor == "flow":
        times = recorded.plain.times if level == 0.0 else own.clock.source
        cues = Observed(Moments(recorded), own.motion, times).cues()
        return -float(np.hypot(cues["block"], cues["spine"]))
    poses = RecordedPoses.on(recorded.detail.poses.body, own.motion)
    source = own.clock.source if level != 0.0 else recorded.plain.times
    count = min(len(source), len(poses.motion))
    if factor == "weight":
        was = np.interp(source[:count], recorded.plain.times, recorded.detail.poses.position("head")[:, 1])
        return -float(np.mean(poses.position("head")[:count, 1] - was))
    return _directness(poses, recorded, source[:count])


def _directness(poses: RecordedPoses, recorded: Recorded, source: Floats) -> float | None:
    longer, chords = 0.0, 0.0
    for side in ("left", "right"):
        keys, path = recorded.phrase.arm(side).keys, poses.wrist(side)[: len(source)]
        if keys is None:
            continue
        stops = keys.times[keys.stops]
        frames = np.clip(np.searchsorted(source, stops), 0, len(source) - 1)
        for first, last in zip(frames[:-1].tolist(), frames[1:].tolist(), strict=True):
            chord = float(np.linalg.norm(path[last] - path[first]))
            if last - first > 2 and chord > LEAST_TRAVEL:
                longer += float(norms(np.diff(path[first : last + 1], axis=0)).sum())
                chords += chord
    return -longer / chords if chords > 0.0 else None
