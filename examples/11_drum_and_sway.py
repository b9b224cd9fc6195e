"""Bruderlin's blend of a drum (0.4) and an arm sway (0.6): plainly, and band by band so that the drumming stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kinesphere import Motion, perform
from kinesphere.files import load_gesture
from kinesphere.maths import bands
from kinesphere.signals import Blend

SCENES = Path(__file__).parent / "scenes"
QUICK = 0.7  # seconds: the drum's beats of one hand are 0.46 s apart
# What is quicker is the drum's alone; what is slower, more and more the sway's.
DRUMMED = {0.03: [1.0, 0.0], 0.7: [1.0, 0.0], 1.4: [0.3, 0.7], 2.8: [0.2, 0.8]}


def performances() -> dict[str, Motion]:
    """Both, and what is between them. No moment of one corresponds to one of the other, so nothing is aligned."""
    drum, sway = (perform(load_gesture(SCENES / f"{name}.toml")) for name in ("drum", "sway"))
    return {
        "drum": drum,
        "sway": sway,
        "plainly": Blend([0.4, 0.6], align=False)(drum, sway),
        "band by band": Blend([0.4, 0.6], DRUMMED, align=False)(drum, sway),
    }


def drumming(motion: Motion) -> float:
    """How fast the right hand's quick movement is, in metres a second (root mean square)."""
    split, _ = bands.split(motion.positions_world()[:, motion.skeleton.index("rightHand")])
    quick = split[bands.band_periods(len(split), motion.rate) < QUICK].sum(axis=0)
    speed = np.gradient(quick, 1.0 / motion.rate, axis=0)
    return float(np.sqrt((speed**2).sum(axis=1).mean()))


def main() -> None:
    """Say how much of the drumming is left."""
    for name, motion in performances().items():
        aside = np.ptp(motion.positions_world()[:, motion.skeleton.index("rightHand"), 0])
        print(f"{name:>12}: drums at {drumming(motion):.2f} m/s, the right hand goes {aside:.2f} m from side to side")


if __name__ == "__main__":
    main()
