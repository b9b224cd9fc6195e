"""Timewarp a stagger and a walk to the beats of music, and a knock to stressed syllables."""

from __future__ import annotations

import warnings

import numpy as np

from captures import captured
from kinesphere import Motion
from kinesphere.analysis.strokes import find_accents
from kinesphere.builtin import motion
from kinesphere.signals import Timewarp
from kinesphere.signals.timewarp import UnmetBeats

BPM = 100.0
SPOKEN = (0.9, 1.5, 2.6)  # seconds of three stressed syllables


def performances() -> dict[str, tuple[Motion, Motion]]:
    """Each before and after."""
    warnings.simplefilter("ignore", UnmetBeats)  # they are said below
    stagger, walk, knock = captured("137_16", "walk", 2.3, 9.5), captured("91_36", "walk"), motion("knock")
    return {
        "stagger": (stagger, Timewarp(bpm=BPM)(stagger)),
        "walk": (walk, Timewarp(bpm=BPM)(walk)),
        "knock": (knock, Timewarp(marks=list(zip((0.935, 1.2, 1.47), SPOKEN, strict=True)))(knock)),
    }


def off_beat(given: Motion) -> float:
    """How far its stronger accents are from the beats, the median in seconds."""
    found = find_accents(given)
    usual = float(np.mean([one.strength for one in found]))
    beats = np.array([one.seconds for one in found if one.strength >= usual]) * BPM / 60.0
    return float(np.median(np.abs(beats - np.round(beats)))) * 60.0 / BPM


def main() -> None:
    """Say how far accents are from the beats."""
    for name, (before, after) in performances().items():
        if name == "knock":
            print(f"{name:>8}: {before.duration:.1f} s, spoken along {after.duration:.1f} s, raps at {SPOKEN} s")
        else:
            print(f"{name:>8}: {off_beat(before):.3f} s off the beat, then {off_beat(after):.3f} s")
        for sentence in after.source.evidence[len(before.source.evidence) :]:
            print(f"{'':>8}  {sentence}")


if __name__ == "__main__":
    main()
