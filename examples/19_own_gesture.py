"""Perform a gesture of one's own, written as text: plain and with words. Given a folder, it writes a sheet and a film.

``docs/gestures.md`` says how such a file is written.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from kinesphere import Motion, perform
from kinesphere.files import load_gesture

GESTURES = Path(__file__).parent / "gestures"
WORDS = ("shy", "proudly")


def performances() -> dict[str, Motion]:
    """The gesture as it is written, and by each of the words."""
    gesture = load_gesture(GESTURES / "step_and_offer.toml")
    made = {"plain": perform(gesture)} | {word: perform(gesture, words=word) for word in WORDS}
    return {name: replace(motion, name=f"{gesture.name}, {name}") for name, motion in made.items()}


def main() -> None:
    """Say what is in the file and how performances differ; draw them where a folder is given."""
    gesture = load_gesture(GESTURES / "step_and_offer.toml")
    keys = sum(len(arm.keys) for arm in (gesture.left, gesture.right) if arm)
    print(f"{gesture.name}: {gesture.about}, {gesture.duration:.1f} s, {keys} keys, {len(gesture.curves)} curves")
    made = performances()
    for name, motion in made.items():
        hand = motion.positions_world()[:, motion.skeleton.index("rightHand")]
        print(f"{name:>8}: {motion.duration:.1f} s, the right hand up to {hand[:, 2].max():.2f} m ahead")
    if len(sys.argv) > 1:
        from kinesphere.builtin import figure
        from kinesphere.pictures import film, sheet

        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        sheet(list(made.values()), character=figure(), size=(1600, 1200)).save(folder / "own_gesture.png")
        film(list(made.values()), folder / "own_gesture.gif", character=figure(), size=(900, 420))


if __name__ == "__main__":
    main()
