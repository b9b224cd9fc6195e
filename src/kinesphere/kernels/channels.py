"""Rows of animation channels to local poses.

A joint has up to three rotation channels, each a turn in degrees about a coordinate axis, applied in the order in
which they are listed, and up to three position channels.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.kernels.euler import from_euler


def local_pose(rows: Floats, axes: Ints, columns: Ints, places: Ints, base: Floats) -> tuple[Floats, Floats]:
    """Local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` from channel values ``rows`` ``(T, C)``.

    ``axes`` ``(J, 3)`` are the axes of a joint's rotation channels (0, 1, 2; -1 for none, last), ``columns`` ``(J, 3)``
    where their values stand in a row; ``places`` ``(J, 3)`` where the x, y and z position stand (-1 for none), which
    are added to ``base`` ``(J, 3)``. Neighbouring rotations lie in one hemisphere.
    """
    kernels = compiled.kernels(work=rows.size)
    if kernels is None:
        with compiled.plain_work():
            return local_reference(rows, axes, columns, places, base)
    q, t = np.empty((len(rows), len(axes), 4)), np.empty((len(rows), len(axes), 3))
    kernels.local_pose(np.ascontiguousarray(rows), axes, columns, places, np.ascontiguousarray(base), q, t)
    return q, t


def local_reference(rows: Floats, axes: Ints, columns: Ints, places: Ints, base: Floats) -> tuple[Floats, Floats]:
    """The same in plain NumPy, for all joints of one rotation order at a time."""
    q = rotations.identity(len(rows), len(axes))
    for kind in np.unique(axes, axis=0):
        turns = kind[kind >= 0]
        if turns.size:
            joints = np.flatnonzero((axes == kind).all(axis=1))
            angles = np.radians(rows[:, columns[joints][:, : turns.size]])
            q[:, joints] = from_euler(angles, "".join("XYZ"[axis] for axis in turns))
    t = np.broadcast_to(base, (len(rows), *base.shape)).copy()
    joints, components = np.nonzero(places >= 0)
    t[:, joints, components] += rows[:, places[joints, components]]
    return rotations.continuous(q), t
