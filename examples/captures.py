"""Motions for the examples: CMU captures where available, otherwise the built-in motions."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kinesphere import Motion, load
from kinesphere.builtin import motion

DATA = Path(os.environ.get("KINESPHERE_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
RATE = 60.0


def captured(clip: str, instead: str | Motion, start: float = 0.0, end: float | None = None) -> Motion:
    """A stretch of a CMU clip, without the T-pose that it begins with; or ``instead``, a motion of ours, whole."""
    file = DATA / "bvh" / "cmu" / f"{clip}.bvh"
    if not file.is_file():
        return motion(instead) if isinstance(instead, str) else instead
    whole = load(file)
    performed = replace(whole[1:], calibration_frames=(), name=clip).resampled(RATE)
    return performed[round(start * RATE) : None if end is None else round(end * RATE) + 1]
