"""Retarget a greeting to a body with other proportions: shorter, long arms, wide hips, a rest pose with arms down."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

from greeting import figure, greeting
from kinesphere import Skeleton, calibrate, find_contacts, lock_feet, retarget
from kinesphere.body.contacts import foot_report
from kinesphere.maths import rotations


def goblin() -> Skeleton:
    """The figure with other proportions, and another rest pose."""
    body = figure()
    offsets, rest = np.array(body.offsets) * 0.6, np.array(body.rest_rotations)
    for side, x in (("left", 1.0), ("right", -1.0)):
        for part, factor in (("LowerArm", 1.5), ("Hand", 1.5), ("LowerLeg", 0.7), ("Foot", 0.7)):
            offsets[body.index(f"{side}{part}")] *= factor
        offsets[body.index(f"{side}UpperLeg")] *= [1.6, 1.0, 1.0]
        rest[body.index(f"{side}UpperArm")] = rotations.from_rotation_vector([0.0, 0.0, -1.3 * x])
    return replace(body, offsets=offsets, rest_rotations=rest)


motion = greeting()
other = goblin()
print(*calibrate(motion, other).evidence, sep="\n")
onto = lock_feet(retarget(motion, other))
contacts = find_contacts(motion)
places = onto.positions_world()
print(f"{len(contacts.intervals)} contacts; on the other body they slide {1000 * foot_report(onto).slide_mean:.1f} mm")
print(f"its right hand rises to {places[:, other.index('rightHand'), 1].max():.2f} m")
