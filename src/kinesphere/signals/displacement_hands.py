"""Hands brought somewhere: their way is a curve in the world, and the arm is solved in every frame.

So a path keeps its shape, nothing is bent past straight, and at its points the target is met. The way is seen from
where the body heads, so that a hand that goes outward still does when the body has turned.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.body.limb_displacement import STILL
from kinesphere.body.limb_elbows import outward
from kinesphere.body.limb_reach import relaxed, within_reach
from kinesphere.body.limb_solving import Laid, lay_limb, swivelled
from kinesphere.body.limb_steadying import steadied
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.signals.displacement_stretch import PlacedTarget, Stretch, eased

STEADY = 0.05  # metres that a hand has moved where its elbow may swivel by itself
CLOSE = 1e-4  # metres within which targets are met
NEARLY = 0.01  # metres: what is missed by more is out of reach
BEYOND = 0.3  # of the zone in which an arm approaches its ends that is left for what it cannot reach
ROUNDS = 4  # most, of meeting them; one is enough but for arms that are bent the wrong way


def reach_out(stretch: Stretch, targets: Sequence[PlacedTarget], facing: Floats, leaned: Bools) -> None:
    """Bring a hand where it should be; it keeps its orientation in ``facing (T, J, 4)``, as far as the wrist allows.

    ``leaned (T,)`` says where the trunk helps.
    """
    rows, joint, wanted = stretch.rows(targets), targets[0].joint, stretch.places(targets)
    heading = stretch.heading()
    swivel = stretch.curve(targets, np.array([[own.edit.swivel] for own in targets]))[:, 0]
    limb = relaxed(stretch.limb(targets[0].role), stretch.p[rows], wanted)
    asked = within_reach(limb, stretch.p[rows], wanted, BEYOND)
    for _ in range(ROUNDS):
        seen = rotations.rotate(rotations.conjugate(heading[rows]), asked - stretch.p[rows, joint])
        way = rotations.rotate(heading, stretch.curve(targets, seen))
        laid = lay_limb(limb, stretch.q, stretch.p, stretch.p[:, joint] + way, swivel)
        missed = wanted - laid.end[rows]
        near = (lengths(missed) > CLOSE) & (lengths(missed) < NEARLY)
        if not near.any():
            break
        asked = asked + np.where(near[:, None], missed, 0.0)
    active = (lengths(way) > STILL) | (swivel != 0.0) | leaned
    moved = eased(lengths(way) / STEADY)
    if not swivel.any():
        aside = outward(stretch.skeleton, targets[0].role, limb, stretch.q, stretch.p, laid, stretch.motion.rate)
        laid = swivelled(limb, stretch.p, laid, moved * aside)
    laid = steadied(stretch.motion, limb, stretch.before[1], stretch.p, laid, moved)
    kept = faced(stretch, targets, laid, facing[:, joint], active)
    stretch.pose.lay(limb, stretch.q, stretch.p, laid, kept, active)


def faced(
    stretch: Stretch, targets: Sequence[PlacedTarget], laid: Laid, facing: Floats, active: Bools
) -> Floats | None:
    """``(T, 4)`` how a hand or foot faces that keeps its orientation at some targets, as far as its joint allows."""
    keeps = [float(own.edit.keep_orientation) for own in targets]
    if not any(keeps):
        return None
    share = np.interp(stretch.at, [own.frame for own in targets], keeps)
    return stretch.pose.faced(stretch.motion, targets[0].role, stretch.q, laid, facing, active, share)
