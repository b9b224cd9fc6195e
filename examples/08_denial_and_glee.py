"""Chi's gestures that accompany speech: a strong, direct denial; a gleeful exclamation that ends free, arms up."""

from __future__ import annotations

from pathlib import Path

from kinesphere import Effort, Motion, perform
from kinesphere.files import load_gesture

SCENES = Path(__file__).parent / "scenes"
GLEE = {0.0: Effort(), 2.4: Effort(time=0.3), 2.9: Effort(space=-0.3, time=0.4, flow=-1), 5.0: Effort(flow=-0.6)}


def denial() -> Motion:
    """Strong and direct."""
    return perform(load_gesture(SCENES / "denial.toml"), Effort(space=1, weight=1))


def glee() -> Motion:
    """A phrase: neutral at first, and free from where the arms are thrown up."""
    return perform(load_gesture(SCENES / "glee.toml"), GLEE)


def main() -> None:
    """Say what was made."""
    for name, motion in (("denial", denial()), ("glee", glee())):
        top = motion.positions_world()[:, motion.skeleton.index("rightHand"), 1].max()
        print(f"{name}: {motion.duration:.1f} s, the right hand up to {top:.2f} m")


if __name__ == "__main__":
    main()
