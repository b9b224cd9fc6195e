"""Chi's first scene: the same five goals in all eight Effort elements. Given a folder, it draws a sheet of each."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinesphere import Effort, Motion, perform
from kinesphere.files import load_gesture

SCENES = Path(__file__).parent / "scenes"
ELEMENTS = {
    "indirect": Effort(space=-1),
    "direct": Effort(space=1),
    "light": Effort(weight=-1),
    "strong": Effort(weight=1),
    "sustained": Effort(time=-1),
    "sudden": Effort(time=1),
    "free": Effort(flow=-1),
    "bound": Effort(flow=1),
}


def performances() -> dict[str, Motion]:
    """The scene, neutral and in every element."""
    gesture = load_gesture(SCENES / "five_goals.toml")
    made = {"neutral": perform(gesture)}
    made |= {name: perform(gesture, effort) for name, effort in ELEMENTS.items()}
    return {name: replace(motion, name=name) for name, motion in made.items()}


def main() -> None:
    """Say how the elements differ; draw them where a folder is given."""
    made = performances()
    for name, motion in made.items():
        hand = motion.positions_world()[:, motion.skeleton.index("rightHand")]
        way = np.linalg.norm(np.diff(hand, axis=0), axis=1)
        print(f"{name:>9}: {motion.duration:4.1f} s, way {way.sum():.2f} m, fastest {way.max() * motion.rate:.1f} m/s")
    if len(sys.argv) > 1:
        from kinesphere.pictures import sheet

        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for name, motion in made.items():
            sheet(motion, frames=14, columns=14, size=(1600, 300)).save(folder / f"five_goals_{name}.png")


if __name__ == "__main__":
    main()
