"""Basic edits: cut, mirror, resample, retime and concatenate. Each returns a new motion; the input is unchanged."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from greeting import greeting
from kinesphere import TimeMap, concatenate, retime

motion = greeting()
wave = motion.between(2.4, 5.0)  # seconds
left_handed = wave.mirrored()
treadmill = motion.in_place()
film = motion.resampled(24.0)

# A wave that starts slowly and ends in a hurry: old seconds to new ones.
hurried = retime(wave, TimeMap([0.0, 1.0, 2.6], [0.0, 1.6, 2.4]))

# One after the other: the jump between them fades, and the second starts where the first one ended.
both = concatenate(motion, left_handed, align=True)

for name, result in {
    "wave": wave,
    "left-handed": left_handed,
    "in place": treadmill,
    "24 fps": film,
    "hurried": hurried,
    "one after the other": both,
}.items():
    print(f"{name:<20} {result.duration:6.2f} s  {len(result):4d} frames at {result.rate:g}")
