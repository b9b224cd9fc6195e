"""glTF animations: read channels and samplers (LINEAR, STEP, CUBICSPLINE), infer the frame rate, write a clip.

glTF stores key times without a frame rate. Keys on a uniform grid give the rate; else a clip is sampled at 60 a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.files.gltf import extras
from kinesphere.files.gltf.document import Accessors, BufferBuilder, GltfFields
from kinesphere.files.gltf.nodes import normalise_rotations
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.motion import Motion

WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")


@dataclass(frozen=True, eq=False)
class Channel:
    """Keys of one node's translation, rotation or scale."""

    node: int
    path: str
    where: str
    interpolation: str
    times: Floats  # (K,), increasing
    values: Floats  # (K, 3), or (K, 4) with w first
    arriving: Floats | None = None  # tangents of a CUBICSPLINE, shaped like the values
    leaving: Floats | None = None

    def at(self, times: Floats, tolerance: float) -> Floats:
        """Sample the channel at times ``(T,)``; constant before the first key and after the last.

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
        # A spline may pass through zero, where there is no direction: use the key before.
        return np.where(lengths > 1e-9, value / np.maximum(lengths, 1e-9), self.values[first])


class ChannelReader:
    """Reads the channels of one animation. When salvaging, broken channels are left out and ``warn`` says so."""

    def __init__(self, accessors: Accessors, nodes: int, salvage: bool, warn: Callable[[str], None]) -> None:
        self.accessors, self.nodes, self.salvage, self.warn = accessors, nodes, salvage, warn

    def read(self, animation: GltfFields) -> list[Channel]:
        """All channels of translations, rotations and scales; morph weights and extensions are ignored."""
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

    def _channel(self, animation: GltfFields, channel: GltfFields) -> Channel | None:
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
        values = normalise_rotations(keys[:, middle]) if path == "rotation" else keys[:, middle]
        tangents = (keys[:, 0], keys[:, 2]) if values_per_key == 3 else (None, None)
        return Channel(node, path, channel.where, interpolation, times, values, *tangents)

    def _good_keys(self, sampler: GltfFields, times: Floats, keys: Floats, path: str) -> tuple[Floats, Floats]:
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


# Key times to a frame rate

USUAL_RATE = 60.0  # where keys are on no uniform grid
# Film and video rates that are not whole numbers, as fractions and as they are often rounded.
VIDEO_RATES = (
    *(n * 1000.0 / 1001.0 for n in (24, 30, 60, 120)),
    *(23.976, 29.97, 59.94, 119.88),
)
SLOWEST_RECORDING = 10.0  # keys further apart were probably set by hand, to be interpolated
MOST_SKIPPED = 60  # grid points between the two nearest keys
FASTEST_GUESS = 1000.0  # fastest rate that is inferred where no two keys are one frame apart


@dataclass(frozen=True, eq=False)
class FrameGrid:
    """Frame times ``start + k / rate``."""

    start: float
    rate: float
    frames: int
    tolerance: float  # keys this near to a frame are on it
    evidence: str

    @property
    def times(self) -> Floats:
        return self.start + np.arange(self.frames) / self.rate


def time_tolerance(times: Floats) -> float:
    """Rounding of times stored as float32: a few steps of the largest one."""
    return 4.0 * float(np.spacing(np.float32(min(float(np.abs(times).max()), 1e30))))


def merge_times(rows: list[Floats]) -> Floats:
    """All key times of several channels in order; those that differ only by rounding are merged."""
    times = np.unique(np.concatenate(rows))
    rounding = 4.0 * np.spacing(np.minimum(np.abs(times[1:]), 1e30).astype(np.float32))
    # Exporters may round early times as coarsely as the last one, but hours must not swallow first frames.
    apart = np.diff(times) > np.maximum(rounding, min(time_tolerance(times), 1e-5))
    kept: Floats = times[np.concatenate([[True], apart])]
    return kept


def find_frame_grid(times: Floats, rate: float | None = None, exact: float | None = None) -> FrameGrid:
    """Frame times of a clip with the key times ``(K,)``: at the given ``rate``, or at the rate of the keys.

    ``exact`` is a rate that is already known to fit the keys.
    """
    tolerance = time_tolerance(times)
    start, span = float(times[0]), float(times[-1] - times[0])
    if rate is not None:
        # The last frame may hold the end a little longer, so that the end is reached.
        return _grid(start, rate, int(np.ceil(span * rate - 1e-3)) + 1, tolerance, "rate: given")
    if exact is not None:
        return _grid(start, exact, len(times), tolerance, f"rate: the file says {exact:g} frames a second")
    if len(times) == 1:
        return _grid(start, USUAL_RATE, 1, tolerance, f"rate: a single key; {USUAL_RATE:g} was taken")
    step = _common_step(times - start, tolerance)
    if step is None:
        why = f"rate: the keys are on no uniform grid, so they are sampled at {USUAL_RATE:g} frames a second"
        return _grid(start, USUAL_RATE, int(np.ceil(span * USUAL_RATE - 1e-3)) + 1, tolerance, why)
    found = _nominal_rate(times - start, step, tolerance)
    frames = round(span * found) + 1
    why = f"rate: the keys are on a uniform grid of {found:.6g} frames a second"
    if frames > len(times):
        why += f", {len(times)} of {frames} frames are keys"
    if found < SLOWEST_RECORDING:
        why += "; rate=… takes frames between the keys as well"
    return _grid(start, found, frames, tolerance, why)


def _grid(start: float, rate: float, frames: int, tolerance: float, why: str) -> FrameGrid:
    return FrameGrid(start, rate, max(frames, 1), min(tolerance, 0.25 / rate), why)


def _common_step(distances: Floats, tolerance: float) -> float | None:
    """The longest step such that all distances from the first key are multiples of it."""
    nearest = float(np.diff(distances).min())
    for parts in range(1, MOST_SKIPPED + 1):
        step = nearest / parts
        if tolerance > step / 8.0 or (parts > 1 and step * FASTEST_GUESS < 1.0):
            return None
        refined = _refine_step(distances, step, tolerance)
        if refined is not None:
            return refined
    return None


def _refine_step(distances: Floats, step: float, tolerance: float) -> float | None:
    """The step that fits best, by least squares over twice as many keys each time: one gap alone is too coarse."""
    reach = 2.0 * step
    while True:
        near = distances[: int(np.searchsorted(distances, reach, side="right"))]
        if len(near) > 1:
            counts = np.rint(near / step)
            step = float(near @ counts / (counts @ counts)) if counts.any() else step
            if float(np.abs(near - counts * step).max()) > tolerance:
                return None
        if len(near) == len(distances):
            return step
        reach *= 2.0


def _nominal_rate(distances: Floats, step: float, tolerance: float) -> float:
    """The rate of a step, rounded to a whole number or a video rate where the keys allow it."""
    rate = 1.0 / step
    counts: Ints = np.rint(distances / step).astype(np.intp)
    allowed = rate * 2.0 * tolerance / float(distances[-1])
    candidates = [candidate for candidate in (round(rate), *VIDEO_RATES) if abs(candidate - rate) <= allowed]
    for candidate in sorted(candidates, key=lambda c: abs(c - rate)):
        if candidate > 0 and float(np.abs(distances - counts / candidate).max()) <= tolerance:
            return float(candidate)
    return rate


def exact_rate(animation: GltfFields, times: Floats) -> float | None:
    """The rate in the animation's extras, if its key times ``(T,)`` agree with it."""
    recorded = extras.read_rate(animation)
    if recorded is None or recorded[1] != len(times):
        return None
    rate, frames = recorded
    wanted = times[0] + np.arange(frames) / rate
    return rate if np.abs(times - wanted).max() <= time_tolerance(times) else None


# Writing a clip

Float32s = NDArray[np.float32]
X_Y_Z_W = [1, 2, 3, 0]


class ClipWriter:
    """Builds the channels and samplers of one clip.

    At least one channel has a key in every frame (``always``), so that rate and length follow from the keys alone;
    other channels that never change have one key at each end.
    """

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
        """Add the values of a node's ``translation``, ``rotation`` (w first) or ``scale``, one per frame."""
        keys = to_float32(values[:, X_Y_Z_W] if what == "rotation" else values, self.path, f"{what}s")
        constant = len(keys) > 2 and not always and bool((keys == keys[0]).all())
        if constant and self._ends is None:
            self._ends = self.buffer.add(self._times[[0, -1]], bounds=True)
        output = self.buffer.add(keys[[0, -1]] if constant else keys)
        times = self._ends if constant else self._every
        self._samplers.append({"input": times, "output": output, "interpolation": "LINEAR"})
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": what}})

    def animation(self) -> dict[str, Any]:
        """The animation's JSON."""
        return {
            "name": self.motion.name or "motion",
            "channels": self._channels,
            "samplers": self._samplers,
            "extras": extras.clip_extras(self.motion),
        }


def to_float32(values: Floats, path: Path, what: str) -> Float32s:
    """Values as float32; too large ones raise ``MotionFileError``."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if not np.isfinite(single).all():
        raise MotionFileError(path, f"{what} beyond ±3.4e38", "numbers that fit the 32 bits glTF has for them")
    return single
