"""Stroke detection beside labels: precision and recall of arrivals and departures within 100 ms.

``stroke_labels.csv`` was made by eye, before the detector was run on the clips: one annotator, one pass. The detector
was tuned on ten of them; six others were labelled later and are counted apart. Rows marked unsure count neither as
found nor as missed; what is found within them is left out.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinesphere
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.stroke_finding import find_strokes

WITHIN = 0.1  # seconds
LABELS = Path(__file__).with_name("stroke_labels.csv")
UNTIL = {  # seconds that were labelled
    "cmu/13_26": 12.0,
    "cmu/02_05": 6.0,
    "cmu/05_02": 6.0,
    "cmu/137_26": 8.0,
    "pymo/AV_8Walk_Meredith_HVHA_Rep1": 5.0,
}
SETS = {"tuned": "clips that the detector was tuned on", "held-out": "other clips"}
AT_ENDS = 0.06  # seconds from a clip's ends within which nothing counts


class Label(NamedTuple):
    start: float
    end: float
    kind: str
    set: str  # of SETS


class Count(NamedTuple):
    """Of one clip and side."""

    found: int  # detections that count
    right: int  # of these, near a label
    labels: int
    matched: int  # labels with a detection


def read_labels() -> dict[tuple[str, str], list[Label]]:
    """Labels by clip and side."""
    rows: dict[tuple[str, str], list[Label]] = defaultdict(list)
    with LABELS.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["clip"], row["side"]].append(
                Label(float(row["start"]), float(row["end"]), row["kind"], row["set"])
            )
    return rows


def count_clip(path: Path, side: str, labels: list[Label], until: float, which: str) -> Count:
    """Arrivals (``end``) or departures (``start``) found and labelled."""
    motion = kinesphere.load(path)
    poses = RecordedPoses.of(performed_motion(motion))
    strokes = find_strokes(poses.wrist(side), motion.rate)
    frames = strokes.ends if which == "end" else strokes.starts
    end = min(until, motion.duration)
    times = [t for t in (frames / motion.rate).tolist() if AT_ENDS < t < end - AT_ENDS]
    sure = [getattr(own, which) for own in labels if own.kind != "unsure"]
    sure = [t for t in sure if AT_ENDS < t < end - AT_ENDS]
    unsure = [(own.start - WITHIN, own.end + WITHIN) for own in labels if own.kind == "unsure"]
    used: set[int] = set()
    matched = 0
    for label in sure:  # the nearest that is left
        near = [(abs(t - label), i) for i, t in enumerate(times) if i not in used and abs(t - label) <= WITHIN]
        if near:
            used.add(min(near)[1])
            matched += 1
    counting = [i for i, t in enumerate(times) if i in used or not any(a <= t <= b for a, b in unsure)]
    return Count(len(counting), len(used), len(sure), matched)


def report(data: Path) -> str:
    """A table in Markdown: precision and recall by clip, and of all clips of each set."""
    labels = read_labels()
    return "\n".join(
        [
            "| clip | labelled | found | precision | recall |",
            "|---|---|---|---|---|",
            *(row for name in SETS for row in _set_rows(data, name, labels)),
        ]
    )


def _set_rows(data: Path, name: str, labels: dict[tuple[str, str], list[Label]]) -> list[str]:
    counts = {"end": np.zeros(4, dtype=int), "start": np.zeros(4, dtype=int)}
    by_clip: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(4, dtype=int))
    for (clip, side), rows in labels.items():
        if rows[0].set != name:
            continue
        for which, total in counts.items():
            count = count_clip(data / "bvh" / f"{clip}.bvh", side, rows, UNTIL.get(clip, np.inf), which)
            total += count
            if which == "end":
                by_clip[clip] += count
    named = dict(by_clip)
    named |= {f"**arrivals, {SETS[name]}**": counts["end"], f"**departures, {SETS[name]}**": counts["start"]}
    return [
        f"| {title} | {wanted} | {found} | {_share(right, found)} | {_share(matched, wanted)} |"
        for title, (found, right, wanted, matched) in named.items()
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"
