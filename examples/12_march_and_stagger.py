"""Timewarp a march to a stagger's pace, and the reverse."""

from __future__ import annotations

import numpy as np

from captures import captured
from kinesphere import Motion, find_contacts
from kinesphere.builtin import motion
from kinesphere.signals import Timewarp

UNEVEN = [
    (0.7, 0.5),
    (1.3, 1.5),
    (2.0, 2.1),
    (2.9, 3.4),
]  # seconds of our walk, and those of one that is no stagger yet


def performances() -> dict[str, Motion]:
    """Both, each at the other's pace, and the march halfway there."""
    march = captured("91_19", "walk", 2.2, 7.1)
    stagger = captured("137_16", Timewarp(marks=UNEVEN)(motion("walk")), 2.5, 7.0)
    return {
        "march": march,
        "stagger": stagger,
        "march, halfway": Timewarp(stagger, amount=0.5)(march),
        "march at the stagger's pace": Timewarp(stagger)(march),
        "stagger at the march's pace": Timewarp(march)(stagger),
    }


def footfalls(given: Motion) -> dict[str, list[float]]:
    """By side, the seconds at which a foot comes to stand."""
    contacts = find_contacts(given)
    found: dict[str, list[float]] = {}
    for side in ("left", "right"):
        stands = np.any([flags for name, flags in contacts.labels.items() if name.startswith(side)], axis=0)
        found[side] = ((np.flatnonzero(stands[1:] & ~stands[:-1]) + 1) / given.rate).tolist()
    return found


def apart(one: Motion, other: Motion) -> float:
    """How far the footfalls of one are from the nearest of the same foot of the other, on the mean, in seconds."""
    own, theirs = footfalls(one), footfalls(other)
    return float(np.mean([min(abs(moment - t) for t in theirs[side]) for side in own for moment in own[side]]))


def main() -> None:
    """Say how near footfalls come."""
    made = performances()
    for name, one in made.items():
        to_march, to_stagger = (apart(made[other], one) for other in ("march", "stagger"))
        print(f"{name:>27}: footfalls {to_march:.2f} s from the march's, {to_stagger:.2f} s from the stagger's")


if __name__ == "__main__":
    main()
