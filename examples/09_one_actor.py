"""EMOTE's scenes: one actor's key poses with several Efforts and Shapes, with and without Shape on the torso."""

from __future__ import annotations

from pathlib import Path

from kinesphere import Effort, Motion, Shape, perform
from kinesphere.files import load_gesture

SCENES = Path(__file__).parent / "scenes"
MANNERS = {
    "neutral": (Effort(), Shape()),
    "open and light": (Effort(-0.5, -0.8, -0.3, -0.4), Shape(-0.8, -0.8, -0.3, 0.5)),
    "closed and bound": (Effort(0.3, -0.2, 0.0, 0.8), Shape(0.8, 0.5, 0.7, -0.6)),
    "heavy": (Effort(0.0, 0.9, -0.5, 0.0), Shape(0.2, 0.9, 0.0, 0.0)),
    "urgent": (Effort(0.8, 0.7, 0.8, 0.0), Shape(0.0, 0.0, -0.9, 0.4)),
}


def performances(torso: bool = True) -> dict[str, Motion]:
    """Every manner; without the torso's Shape, arms alone show it."""
    gesture = load_gesture(SCENES / "key_poses.toml")
    parts = None if torso else {"torso": Shape()}
    return {name: perform(gesture, *dials, parts=parts) for name, dials in MANNERS.items()}


def main() -> None:
    """Say where the head is with and without the torso."""
    whole, arms = performances(), performances(torso=False)
    for name, motion in whole.items():
        head, still = (m.positions_world()[:, m.skeleton.index("head"), 1].mean() for m in (motion, arms[name]))
        print(f"{name:>17}: {motion.duration:4.1f} s, head at {head:.3f} m; torso suppressed {still:.3f} m")


if __name__ == "__main__":
    main()
