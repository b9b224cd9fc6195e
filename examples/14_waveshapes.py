"""Waveshapes: cap the joint angles of a wave, add undulations to a drink, quantise it; save a custom curve."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from captures import captured
from kinesphere import Motion
from kinesphere.score.shapes import load_shapes, save_shapes
from kinesphere.signals import Waveshape
from kinesphere.signals.shaping import ControlPoint, Shaping

ARM = ("right_arm", "right_hand")
SHY = Shaping(
    (ControlPoint(-1.0, -0.9), ControlPoint(-0.3, -0.5), ControlPoint(0.4, -0.1), ControlPoint(1.0, 0.1)),
    about="half of what rises",
)


def performances() -> dict[str, Motion]:
    """What waveshapes make of a wave and a drink."""
    wave, drink = captured("141_16", "wave"), captured("79_38", "drink")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.toml"
        save_shapes({"shy": SHY}, file)
        shy = load_shapes(file)["shy"]
    return {
        "wave": wave,
        "wave, capped": Waveshape("hard cap")(wave, parts=("arms", "hands")),
        "wave, shy": Waveshape(shy)(wave, parts=("arms", "hands")),
        "drink": drink,
        "drink, undulating": Waveshape("undulation")(drink, parts=ARM),
        "drink, in five poses": Waveshape("quantise")(drink, parts=ARM),
    }


def main() -> None:
    """Say how high the hand comes and how long its way is."""
    for name, motion in performances().items():
        hand = motion.positions_world()[:, motion.skeleton.with_found_roles().roles["rightHand"]]
        way = np.linalg.norm(np.diff(hand, axis=0), axis=1).sum()
        print(f"{name:>20}: the right hand comes up to {hand[:, 1].max():.2f} m, on a way of {way:.2f} m")


if __name__ == "__main__":
    main()
