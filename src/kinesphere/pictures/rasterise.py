"""What rasterisation fills and draws: z-buffers, shadows on the floor, anti-aliased lines.

The loops over triangles and samples are in ``rasterise.cpp``, tested against geometry (exact silhouettes, known
shadows). Each picture is drawn by one thread; all loops release the interpreter's lock, so that several pictures can be
drawn at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.vectors import Floats


class ZBuffer(NamedTuple):
    """The nearest triangle at every sample of a picture."""

    inverse_depth: NDArray[np.float32]  # (H, W) 1 / depth: more is nearer, 0 is empty
    ids: NDArray[np.int32]  # (H, W) number of the triangle, -1 for none


def make_zbuffer(height: int, width: int, background: float = 0.0) -> ZBuffer:
    """An empty z-buffer; only what is nearer than ``background`` is drawn."""
    shape = (height, width)
    return ZBuffer(np.full(shape, background, dtype=np.float32), np.full(shape, -1, dtype=np.int32))


class Line(NamedTuple):
    """A polyline on the picture. A NaN position is a gap."""

    x: Floats  # (N,) samples from the left
    y: Floats  # (N,) samples from the top
    inverse_depth: Floats  # (N,)
    width: Floats  # (N,) samples
    opacity: Floats  # (N,) 0 to 1


class FloorMap(NamedTuple):
    """A square grid of texels on the floor."""

    height: float  # of the floor, metres
    corner: Floats  # (2,) where the grid starts, x and z
    texel: float  # metres
