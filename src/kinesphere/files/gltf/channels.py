"""The keys of a clip, and their values between keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf.accessors import Accessors
from kinesphere.files.gltf.fields import Fields
from kinesphere.files.gltf.nodes import made_unit
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints

WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Channel:
    """How one node's translation, rotation or scale runs."""

    node: int
    path: str
    where: str
    interpolation: str
    times: Floats  # (K,), increasing
    values: Floats  # (K, 3), or (K, 4) with w first
    arriving: Floats | None = None  # tangents of a CUBICSPLINE, shaped like the values
    leaving: Floats | None = None

    def at(self, times: Floats, tolerance: float) -> Floats:
        """Values at the given times ``(T,)``, held before the first key and after the last.

        A time within ``tolerance`` of a key gets that key exactly.
        """
        last = len(self.times) - 1
        before = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, last)
        after = np.minimum(before + 1, last)
        before = np.where(np.abs(self.times[after] - times) <= tolerance, after, before)
        after = np.minimum(before + 1, last)
        past = times - self.times[before]
        between = (past > tolerance) & (after > before)
        result: Floats = self.values[before]
        if self.interpolation == "STEP" or not between.any():
            return result
        first, second = before[between], after[between]
        width = self.times[second] - self.times[first]
        share = past[between] / width
        if self.interpolation == "CUBICSPLINE":
            result[between] = self._cubic(first, second, share[:, None], width[:, None])
        elif self.path == "rotation":
            result[between] = rotations.slerp(self.values[first], self.values[second], share)
        else:
            a, b = self.values[first], self.values[second]
            result[between] = a + share[:, None] * (b - a)
        return result

    def _cubic(self, first: Ints, second: Ints, u: Floats, width: Floats) -> Floats:
        """The Hermite cubic of the glTF specification (appendix C.5)."""
        assert self.leaving is not None
        assert self.arriving is not None
        squared, cubed = u * u, u * u * u
        value: Floats = (
            (2.0 * cubed - 3.0 * squared + 1.0) * self.values[first]
            + width * (cubed - 2.0 * squared + u) * self.leaving[first]
            + (3.0 * squared - 2.0 * cubed) * self.values[second]
            + width * (cubed - squared) * self.arriving[second]
        )
        if self.path != "rotation":
            return value
        lengths = np.linalg.norm(value, axis=1, keepdims=True)
        # A spline may pass through zero, where there is no direction: the key before is held.
        return np.where(lengths > 1e-9, value / np.maximum(lengths, 1e-9), self.values[first])


class ChannelReader:
    """Reads the channels of one animation. A salvaging reader drops what is broken and tells ``warn``."""

    def __init__(self, accessors: Accessors, nodes: int, salvage: bool, warn: Callable[[str], None]) -> None:
        self.accessors, self.nodes, self.salvage, self.warn = accessors, nodes, salvage, warn

    def read(self, animation: Fields) -> list[Channel]:
        """All channels that move nodes; morph weights and channels of extensions move none."""
        found: dict[tuple[int, str], Channel] = {}
        for index in range(animation.count("channels")):
            try:
                channel = self._channel(animation, animation.item("channels", index))
                if channel is not None and (channel.node, channel.path) in found:
                    taken = f"a second channel for the {channel.path} of node {channel.node}"
                    raise MotionFileError(animation.path, taken, "one", where=channel.where)
            except MotionFileError as error:
                if not self.salvage:
                    raise
                self.warn(f"{error.where}: found {error.found}; expected {error.expected}; the channel was left out")
                continue
            if channel is not None:
                found[channel.node, channel.path] = channel
        return list(found.values())

    def _channel(self, animation: Fields, channel: Fields) -> Channel | None:
        target = channel.child("target")
        path = target.text("path")
        if path not in WIDTHS or "node" not in target:
            return None
        node = target.index("node", self.nodes, "nodes")
        number = channel.index("sampler", animation.count("samplers"), f"{animation.where}.samplers")
        sampler = animation.item("samplers", number)
        interpolation = sampler.text("interpolation", default="LINEAR")
        if interpolation not in INTERPOLATIONS:
            raise sampler.error("interpolation", repr(interpolation[:20]), f"one of {', '.join(INTERPOLATIONS)}")
        times = self.accessors.read(sampler, "input", ("SCALAR",))[:, 0]
        output = self.accessors.read(sampler, "output", ("VEC4" if path == "rotation" else "VEC3",))
        values_per_key = 3 if interpolation == "CUBICSPLINE" else 1
        if len(output) != len(times) * values_per_key:
            wanted = f"{values_per_key} for each of {len(times)} key times"
            raise sampler.error("output", f"{len(output)} values", wanted)
        keys = output.reshape(len(times), values_per_key, -1)
        if path == "rotation":
            keys = keys[:, :, [3, 0, 1, 2]]
        times, keys = self._good_keys(sampler, times, keys, path)
        middle = values_per_key // 2
        values = made_unit(keys[:, middle]) if path == "rotation" else keys[:, middle]
        tangents = (keys[:, 0], keys[:, 2]) if values_per_key == 3 else (None, None)
        return Channel(node, path, channel.where, interpolation, times, values, *tangents)

    def _good_keys(self, sampler: Fields, times: Floats, keys: Floats, path: str) -> tuple[Floats, Floats]:
        """The keys that can be used: all of them, or an error, unless salvaging."""
        finite: Bools = np.isfinite(times)
        # Of keys that go back in time, the ones that do not rise above all before them are the odd ones.
        highest = np.maximum.accumulate(np.where(finite, times, -np.inf))
        rising = finite & (times > np.concatenate([[-np.inf], highest[:-1]]))
        usable: Bools = np.asarray(np.isfinite(keys).all(axis=(1, 2)))
        nonzero: Bools = np.ones(len(times), dtype=bool)
        if path == "rotation":
            with np.errstate(invalid="ignore"):
                nonzero = np.abs(keys[:, keys.shape[1] // 2]).max(axis=1) > 1e-6
        checks: tuple[tuple[str, Bools, str, str], ...] = (
            ("input", finite, "a key time that is no number", "finite seconds"),
            ("input", rising, "a key time that is not after the one before", "increasing times"),
            ("output", usable, "a value that is no number", "finite numbers"),
            ("output", nonzero, "a quaternion of length zero", "unit quaternions"),
        )
        good = finite & rising & usable & nonzero
        for name, fine, found, expected in checks:
            if not fine.all():
                error = sampler.error(name, f"{found} (key {int(np.argmin(fine))})", expected)
                if not self.salvage or not good.any():
                    raise error
                self.warn(f"{error.where}: {error.found}; {int((~fine).sum())} such keys were left out")
        return (times, keys) if good.all() else (times[good], keys[good])
