"""Key times to a frame rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesphere.files.gltf.document import GltfFields, as_integer, finite_numbers
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.motion import Motion

USUAL_RATE = 60.0
# Film and video rates that are not whole numbers, as fractions and as they are often rounded.
VIDEO_RATES = (
    *(n * 1000.0 / 1001.0 for n in (24, 30, 60, 120)),
    *(23.976, 29.97, 59.94, 119.88),
)
SLOWEST_RECORDING = 10.0  # keys further apart were set by hand, and meant to be interpolated
MOST_SKIPPED = 60  # grid points between the two nearest keys
FASTEST_GUESS = 1000.0  # a rate that no two neighbouring keys show must be a usual one


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
    """How far off times may be that are stored as float32: a few steps of the largest one."""
    return 4.0 * float(np.spacing(np.float32(min(float(np.abs(times).max()), 1e30))))


def merge_times(rows: list[Floats]) -> Floats:
    """All times of several channels in order; those that differ only by rounding are one."""
    times = np.unique(np.concatenate(rows))
    rounding = 4.0 * np.spacing(np.minimum(np.abs(times[1:]), 1e30).astype(np.float32))
    # Exporters may round early times as coarsely as the last one, but hours must not swallow first frames.
    apart = np.diff(times) > np.maximum(rounding, min(time_tolerance(times), 1e-5))
    kept: Floats = times[np.concatenate([[True], apart])]
    return kept


def find_grid(times: Floats, rate: float | None = None, exact: float | None = None) -> FrameGrid:
    """The frames of a clip with the given key times ``(K,)``: at ``rate``, or at the rate that the keys have.

    ``exact`` is a rate that is known already, for keys that are known to lie on its grid.
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
    found = _nice(times - start, step, tolerance)
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
    """The longest step of which all distances from the first key are multiples."""
    nearest = float(np.diff(distances).min())
    for parts in range(1, MOST_SKIPPED + 1):
        step = nearest / parts
        if tolerance > step / 8.0 or (parts > 1 and step * FASTEST_GUESS < 1.0):
            return None
        refined = _refined(distances, step, tolerance)
        if refined is not None:
            return refined
    return None


def _refined(distances: Floats, step: float, tolerance: float) -> float | None:
    """The step that fits best. Twice as far each time: one gap is too coarse a measure for the whole clip."""
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


def _nice(distances: Floats, step: float, tolerance: float) -> float:
    """The rate of a step, as the whole number or video rate that it is, if it is one."""
    rate = 1.0 / step
    counts: Ints = np.rint(distances / step).astype(np.intp)
    allowed = rate * 2.0 * tolerance / float(distances[-1])
    candidates = [candidate for candidate in (round(rate), *VIDEO_RATES) if abs(candidate - rate) <= allowed]
    for candidate in sorted(candidates, key=lambda c: abs(c - rate)):
        if candidate > 0 and float(np.abs(distances - counts / candidate).max()) <= tolerance:
            return float(candidate)
    return rate


# ---- What Kinesphere writes into a glTF's ``extras`` so that a motion comes back exactly.
#
# glTF knows key times but no frame rate, and joints but no tips of bones. The hints stand on the nodes and the
# animation that they are about, so that a tool that renumbers nodes does not break them. A tool may also have
# changed the file and kept old hints: a hint that does not fit what is there is left alone.


KEY = "kinesphere"


@dataclass(frozen=True)
class JointHint:
    """What a node says about the joint it is."""

    joint: int | None = None
    roles: tuple[str, ...] = ()
    tips: tuple[tuple[int, tuple[float, ...]], ...] = ()  # (place among all tips, offset)
    surface: bool = False


def clip_extras(motion: Motion) -> dict[str, Any]:
    """For the animation."""
    said: dict[str, Any] = {"rate": motion.rate, "frames": len(motion)}
    if motion.calibration_frames:
        said["calibration_frames"] = list(motion.calibration_frames)
    if not motion.name:
        said["unnamed"] = True
    return {KEY: said}


def joint_extras(motion: Motion) -> list[dict[str, Any]]:
    """For the nodes, one each joint."""
    said: list[dict[str, Any]] = [{"joint": joint} for joint in range(len(motion.skeleton))]
    for role, joint in motion.skeleton.roles.items():
        said[joint].setdefault("roles", []).append(role)
    for place, tip in enumerate(motion.skeleton.tips):
        said[tip.joint].setdefault("tips", []).append([place, *map(float, tip.offset)])
    return [{KEY: hint} for hint in said]


def surface_extras() -> dict[str, Any]:
    """For a node that only stretches the surface of the joint above it."""
    return {KEY: {"surface": True}}


def joint_hint(node: GltfFields) -> JointHint:
    """What a node says, as far as it makes sense."""
    said = _said(node)
    roles, tips = said.get("roles"), said.get("tips")
    found = []
    for tip in tips if isinstance(tips, list) else []:
        numbers = finite_numbers(tip, 4)
        if numbers is not None and numbers[0].is_integer():
            found.append((int(numbers[0]), numbers[1:]))
    return JointHint(
        joint=as_integer(said.get("joint")),
        roles=tuple(role for role in roles if isinstance(role, str)) if isinstance(roles, list) else (),
        tips=tuple(found),
        surface=said.get("surface") is True,
    )


def exact_rate(animation: GltfFields, times: Floats) -> float | None:
    """The rate that an animation says it has, if its key times ``(T,)`` bear it out."""
    said = _said(animation)
    rate, frames = said.get("rate"), as_integer(said.get("frames"))
    if isinstance(rate, bool) or not isinstance(rate, int | float) or frames != len(times):
        return None
    if not 1e-12 <= rate <= 1e12:
        return None
    wanted = times[0] + np.arange(frames) / float(rate)
    fits = bool(np.abs(times - wanted).max() <= time_tolerance(times))
    return float(rate) if fits else None


def calibration_frames(animation: GltfFields, frames: int) -> tuple[int, ...]:
    """The frames that were not performed."""
    said = _said(animation).get("calibration_frames")
    found = [as_integer(frame) for frame in said] if isinstance(said, list) else []
    marked = sorted({frame for frame in found if frame is not None and 0 <= frame < frames})
    return tuple(marked) if len(found) <= frames else ()


def is_unnamed(animation: GltfFields) -> bool:
    """Whether the clip's name was made up when it was written."""
    return _said(animation).get("unnamed") is True


def _said(owner: GltfFields) -> dict[str, Any]:
    extras = owner.data.get("extras")
    said = extras.get(KEY) if isinstance(extras, dict) else None
    return said if isinstance(said, dict) else {}
