"""Damped least squares inverse kinematics: small rotations of many joints that take some points to their targets.

Of all changes x of a pose that move points by e = J x + m, the likeliest one is taken, if the rotations and
translations in x and the misses m are independent, normally distributed and have given variances W and L:

    x = W Jᵀ (J W Jᵀ + L)⁻¹ e.

So a joint moves the more, the more it may and the farther it is from the point; what a straight knee cannot give is
taken from the hips. One step is linear; the pose after it says what is left for the next one.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.threads import share_frames
from kinesphere.maths.vectors import Floats, Ints

STEPS = 2  # two of them leave what is of third order in the change


def move_points(
    local_rotations: Floats,
    translations: Floats,
    chain: tuple[Ints, Ints],
    points: Ints,
    targets: Floats,
    variances: tuple[Floats, Floats, Floats],
) -> tuple[Floats, Floats]:
    """Local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` that bring joints towards targets ``(T, P, 3)``.

    Frames with all joints on their targets stay as they are, to the last bit.

    Parameters
    ----------
    chain
        Joints ``(K,)`` with all their ancestors and each one's parent as an index of these; see ``with_ancestors``.
    points : (P,)
        The joints to bring to targets, as indices of the chain.
    variances
        By how much rotations ``(K,)`` and translations ``(K,)`` may change about or along each axis, in radians² and
        metres², and targets be missed ``(P,)``, in metres². The last must be above 0: points may depend on each other.
    """
    q, t, (joints, parents) = local_rotations.copy(), translations.copy(), chain
    turns, moves, misses = variances
    for _ in range(STEPS):
        world_q, world_p = forward_some(q, t, joints, parents)
        errors = targets - world_p[:, points]

        def some(part: slice) -> None:
            given = (world_q[part], world_p[part], joints, parents, points, errors[part])  # noqa: B023
            _native.damped_ik.step_points(*given, turns, moves, misses, q[part], t[part])

        share_frames(len(q), errors.size * len(joints), some)
    return q, t


def mean_changes(before: tuple[Floats, Floats], after: tuple[Floats, Floats], joints: Ints) -> tuple[Floats, Floats]:
    """Variances ``(K,)`` of how joints' rotations and translations changed, about and along each axis.

    Motions are local rotations ``(T, J, 4)`` and translations ``(T, J, 3)``. Joints that are the same have none.
    """
    turns, moves = np.zeros(len(joints)), np.zeros(len(joints))
    _native.damped_ik.mean_changes(*before, *after, joints, turns, moves)
    return turns, moves


def expected_variance(positions: Floats, parents: Ints, points: Ints, turns: Floats, moves: Floats) -> Floats:
    """``(P,)`` how much points move along each axis, in mean squares, if joints change by independent variances.

    ``positions (T, K, 3)`` are the chain's in the world.
    """
    found = np.zeros(len(points))
    _native.damped_ik.expected_variance(np.ascontiguousarray(positions), parents, points, turns, moves, found)
    return found
