"""A walk in elements, words and Shapes, on any body, and changing on its way; with a folder, a sheet of ten words.

.venv/bin/python examples/23_walks.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import kinesphere
from kinesphere import Effort, Motion, Shape, perform
from kinesphere.analysis import measure_gait

WORDS = ("angry", "proud", "afraid", "tired", "joyful", "shy", "sad", "nervous", "calm", "menacing")


def performances() -> dict[str, Motion]:
    """The walk as it is, heavier, in words, and in two moods on its way."""
    made = {"plain": perform("walk"), "strong": perform("walk", Effort(weight=1.0))}
    made |= {word: perform("walk", words=word) for word in WORDS}
    made["Mo, tired"] = perform("walk", words="tired", character="mo")
    made["loses heart"] = perform("walk", {0.5: Effort(), 3.0: Effort(weight=0.5, time=-1.0)}, Shape(vertical=0.6))
    return made


def strides(names: tuple[str, ...]) -> list[Motion]:
    """One stride of each word on the spot, which loops."""
    return [perform("walk in place", words=name) for name in names]


if __name__ == "__main__":
    for name, motion in performances().items():
        found = measure_gait(motion)
        print(
            f"{name:>12}: {motion.duration:4.1f} s, {60.0 * found['cadence']:3.0f} strides a minute of "
            f"{found['stride']:.2f} leg lengths, arms swing by {found['arm_swing']:2.0f}°, leans {found['lean']:+3.0f}°"
        )
    if len(sys.argv) > 1:
        path = Path(sys.argv[1]) / "walks.png"
        sheet = kinesphere.sheet(strides(WORDS[:5]), view="side", frames=8, size=(1600, 1500))
        kinesphere.pictures.save_picture(sheet, path)
        print(f"wrote {path}")
