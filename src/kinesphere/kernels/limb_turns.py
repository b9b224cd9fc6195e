"""Two-bone limbs from where they should reach straight to the turns of their joints.

The same as ``limbs.solve_limb`` and ``limb_rotations.limb_rotations_world`` after each other, for a body whose axes are
all the world's at rest, in the frame that the limb hangs in.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import ArrayLike, Floats, floats
from kinesphere.kernels.limb_rotations import limb_rotations_world
from kinesphere.kernels.limbs import solve_limb

WORTH = 30  # a limb is far more work than three numbers of a product


def limb_turns(
    target: Floats,
    swivel: ArrayLike,
    rest_upper: Floats,
    rest_lower: Floats,
    rest_hinge: Floats,
    *,
    reference: Floats,
    home: Floats,
    flexions: tuple[float, float] = (0.0, float(np.pi)),
) -> tuple[Floats, Floats, Floats]:
    """The upper bone's turns ``(N, 4)``, flexions ``(N,)`` and elbows ``(N, 3)`` of limbs that reach ``target (N, 3)``.

    Rest bones and the unit hinge, square to both, are ``(3,)``; ``reference`` and ``home`` ``(3,)`` or ``(N, 3)`` say
    what the swivel is measured from; they must not be parallel.
    """
    kernels = compiled.loaded(target.size * WORTH)
    angle = np.array(np.broadcast_to(floats(swivel), target.shape[:-1]), order="C")
    if kernels is None or target.ndim != 2:
        return limb_turns_reference(target, angle, rest_upper, rest_lower, rest_hinge, reference, home, flexions)
    towards, other = (np.atleast_2d(np.ascontiguousarray(row)) for row in (reference, home))
    lengths = float(np.linalg.norm(rest_upper)), float(np.linalg.norm(rest_lower))
    bone = rest_upper / lengths[0]
    frame = np.stack([bone, rest_hinge, np.cross(bone, rest_hinge)])
    turns, bends, elbow = np.empty((len(target), 4)), np.empty(len(target)), np.empty((len(target), 3))
    kernels.turn(
        np.ascontiguousarray(target), angle, towards, other, *lengths, frame, np.array(flexions), turns, bends, elbow
    )
    return turns, bends, elbow


def limb_turns_reference(
    target: Floats,
    swivel: Floats,
    rest_upper: Floats,
    rest_lower: Floats,
    rest_hinge: Floats,
    reference: Floats,
    home: Floats,
    flexions: tuple[float, float],
) -> tuple[Floats, Floats, Floats]:
    """The same in plain NumPy."""
    lengths = float(np.linalg.norm(rest_upper)), float(np.linalg.norm(rest_lower))
    nowhere = np.zeros(3)
    solved = solve_limb(nowhere, target, *lengths, swivel, reference=reference, home=home, flexion_range=flexions)
    turned = limb_rotations_world(nowhere, solved, rest_upper, rest_lower, rest_hinge)
    return turned.upper, solved.flexion, solved.elbow
