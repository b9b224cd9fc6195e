"""A motion's frames as a glTF animation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf import hints
from kinesphere.files.gltf.building import BufferBuilder
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion

Singles = NDArray[np.float32]
X_Y_Z_W = [1, 2, 3, 0]


class ClipWriter:
    """Collects channels for one clip. Something must have a key in every frame (``always``), so that rate and length
    can be told from the keys alone; other channels that stand still have a key at each end."""

    def __init__(self, motion: Motion, path: Path, buffer: BufferBuilder) -> None:
        times = (np.arange(len(motion)) / motion.rate).astype(np.float32)
        if np.any(np.diff(times) <= 0.0):
            found = f"{len(motion)} frames at {motion.rate:g} a second"
            raise MotionFileError(path, found, "times that differ in the 32 bits glTF has for them")
        self.motion, self.path, self.buffer, self._times = motion, path, buffer, times
        self._every = buffer.add(times, bounds=True)
        self._ends: int | None = None
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []

    def add(self, node: int, what: str, values: Floats, *, always: bool = False) -> None:
        """How a node's ``translation``, ``rotation`` (w first) or ``scale`` runs."""
        keys = singles(values[:, X_Y_Z_W] if what == "rotation" else values, self.path, f"{what}s")
        constant = len(keys) > 2 and not always and bool((keys == keys[0]).all())
        if constant and self._ends is None:
            self._ends = self.buffer.add(self._times[[0, -1]], bounds=True)
        output = self.buffer.add(keys[[0, -1]] if constant else keys)
        times = self._ends if constant else self._every
        self._samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": what}})

    def animation(self) -> dict[str, Any]:
        """The clip, for the file's list of animations."""
        return {
            "name": self.motion.name or "motion",
            "channels": self._channels,
            "samplers": self._samplers,
            "extras": hints.clip_extras(self.motion),
        }


def singles(values: Floats, path: Path, what: str) -> Singles:
    """The values as float32, or an error where they are too large for it."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise MotionFileError(path, f"{what} beyond ±3.4e38", "numbers that fit the 32 bits glTF has for them")
    return single
