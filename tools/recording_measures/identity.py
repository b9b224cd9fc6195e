"""Identity: a recording that is performed without edits is itself, and so it is after neutral ones."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere import Effort, Motion, Shape
from recording_measures.clips import Clip, find_clips, said_by

SEEN = 0.001  # metres
NEUTRAL: dict[str, Callable[[Motion], Motion]] = {
    "perform(m)": kinesphere.perform,
    "generate(lift(m))": lambda own: kinesphere.generate(kinesphere.lift(own), own.rate),
    "Effort()": lambda own: kinesphere.perform(own, Effort()),
    "Shape()": lambda own: kinesphere.perform(own, shape=Shape()),
    "words {}": lambda own: kinesphere.perform(own, words={}),
    "intensity 0": lambda own: kinesphere.perform(own, Effort(weight=1), words="angry", intensity=0.0),
    "word × 0": lambda own: kinesphere.perform(own, words={"sad": 0.0}),
    "a seed alone": lambda own: kinesphere.perform(own, seed=3),
}


def report(data: Path, count: int | None = None) -> str:
    """A table of neutral edits: how many clips are the same object, the same places, or refused."""
    same = Counter[str]()
    moved: dict[str, dict[str, float]] = {name: {} for name in NEUTRAL}
    refused: dict[str, str] = {}
    raised: dict[str, list[str]] = {}
    clips = list(find_clips(data))
    if count is not None:
        clips = clips[:: max(len(clips) // count, 1)]
    kept = 0
    for i, (clip, trouble) in enumerate(clips):
        print(f"\r  identity: {i + 1} of {len(clips)} clips", end="", file=sys.stderr, flush=True)
        motion, reason = _read(clip, trouble)
        if motion is None:
            refused[clip.name] = reason
            continue
        kept += 1
        for name, perform in NEUTRAL.items():
            try:
                made = perform(motion)
            except ValueError as error:  # a clip that is read and lifted, but not performed, is a finding
                raised.setdefault(f"{clip.name}: {error}", []).append(name)
                continue
            same[name] += made is motion
            moved[name][clip.name] = _farthest(motion, made)
    print(file=sys.stderr)
    lines = [
        f"{kept} clips of {len(clips)} are performed; {len(refused)} are refused.",
        "",
        "| performed with | the same object | clips moved by more than 1 mm | greatest distance of a joint |",
        "|---|---|---|---|",
    ]
    for name, clips_moved in moved.items():
        far = {clip_name: metres for clip_name, metres in clips_moved.items() if metres > SEEN}
        worst = sorted(far, key=lambda clip_name: -far[clip_name])[:8]
        listed = ", ".join(f"{clip_name} {1000 * far[clip_name]:.0f} mm" for clip_name in worst)
        lines.append(f"| {name} | {same[name]} of {kept} | {len(far)} | {listed or '–'} |")
    if raised:
        lines += ["", *(f"- **lifted, but refused** {text} ({', '.join(names)})" for text, names in raised.items())]
    lines += ["", "| refused | why |", "|---|---|", *(f"| {name} | {why} |" for name, why in refused.items())]
    return "\n".join(lines)


def _read(clip: Clip, trouble: str) -> tuple[Motion | None, str]:
    """A clip that can be lifted, or why it cannot."""
    if trouble:
        return None, trouble
    try:
        motion = clip.load()
    except (ValueError, OSError) as error:
        return None, said_by(error, clip.path)
    try:
        kinesphere.lift(motion)
    except ValueError as error:
        return None, f"not lifted: {error}"
    return motion, ""


def _farthest(a: Motion, b: Motion) -> float:
    """Metres between joints of two motions, at most; infinite where they have other frames."""
    if a is b:
        return 0.0
    if len(a) != len(b):
        return float("inf")
    return float(np.linalg.norm(a.positions_world() - b.positions_world(), axis=-1).max())
