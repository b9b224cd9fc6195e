"""The graphic equaliser: presets on a captured walk, custom gains for the arms, a knock with anticipation."""

from __future__ import annotations

import numpy as np

from captures import captured
from kinesphere import Motion
from kinesphere.builtin import motion
from kinesphere.signals import Equalize
from kinesphere.signals.equalize import PRESETS


def walks() -> dict[str, Motion]:
    """A plain walk in every preset, and with the arms alone twice as large at a second."""
    walk = captured("137_29", "walk", 1.0, 8.5)
    made = {"as captured": walk} | {name: Equalize(preset=name)(walk) for name in PRESETS}
    return made | {"swinging arms": Equalize(groups={"arms": {0.5: 2.0, 1.0: 2.5, 2.0: 1.5}})(walk, parts="arms")}


def knocks() -> dict[str, Motion]:
    """Three raps at a door, plain and with more of what is slower than a rap."""
    knock = motion("knock")
    return {"knock": knock, "knock, anticipating": Equalize(preset="anticipate")(knock, parts="upper_body")}


def speeds(given: Motion, role: str) -> tuple[float, float]:
    """Root mean squares of a part's speed and jerk about the hips, in metres, seconds and their powers."""
    roles, places = given.skeleton.with_found_roles().roles, given.positions_world()
    path = places[:, roles[role]] - places[:, roles["hips"]]
    speed, jerk = (np.diff(path, n, axis=0) * given.rate**n for n in (1, 3))
    return tuple(float(np.sqrt((values**2).sum(axis=1).mean())) for values in (speed, jerk))  # type: ignore[return-value]


def main() -> None:
    """Say how fast and how jerky hands become."""
    for name, made in (walks() | knocks()).items():
        speed, jerk = speeds(made, "rightHand")
        print(f"{name:>20}: the right hand goes at {speed:.2f} m/s, jerk {jerk:5.0f} m/s³")


if __name__ == "__main__":
    main()
