"""What Kinesphere writes into a glTF's ``extras`` so that a motion comes back exactly.

glTF knows key times but no frame rate, and joints but no tips of bones. The hints stand on the nodes and the
animation that they are about, so that a tool that renumbers nodes does not break them. A tool may also have
changed the file and kept old hints: a hint that does not fit what is there is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinesphere.files.gltf.fields import Fields, finite_numbers, whole
from kinesphere.files.gltf.timing import time_tolerance
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion

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


def joint_hint(node: Fields) -> JointHint:
    """What a node says, as far as it makes sense."""
    said = _said(node)
    roles, tips = said.get("roles"), said.get("tips")
    found = []
    for tip in tips if isinstance(tips, list) else []:
        numbers = finite_numbers(tip, 4)
        if numbers is not None and numbers[0].is_integer():
            found.append((int(numbers[0]), numbers[1:]))
    return JointHint(
        joint=whole(said.get("joint")),
        roles=tuple(role for role in roles if isinstance(role, str)) if isinstance(roles, list) else (),
        tips=tuple(found),
        surface=said.get("surface") is True,
    )


def exact_rate(animation: Fields, times: Floats) -> float | None:
    """The rate that an animation says it has, if its key times ``(T,)`` bear it out."""
    said = _said(animation)
    rate, frames = said.get("rate"), whole(said.get("frames"))
    if isinstance(rate, bool) or not isinstance(rate, int | float) or frames != len(times):
        return None
    if not 1e-12 <= rate <= 1e12:
        return None
    wanted = times[0] + np.arange(frames) / float(rate)
    fits = bool(np.abs(times - wanted).max() <= time_tolerance(times))
    return float(rate) if fits else None


def calibration_frames(animation: Fields, frames: int) -> tuple[int, ...]:
    """The frames that were not performed."""
    said = _said(animation).get("calibration_frames")
    found = [whole(frame) for frame in said] if isinstance(said, list) else []
    marked = sorted({frame for frame in found if frame is not None and 0 <= frame < frames})
    return tuple(marked) if len(found) <= frames else ()


def is_unnamed(animation: Fields) -> bool:
    """Whether the clip's name was made up when it was written."""
    return _said(animation).get("unnamed") is True


def _said(owner: Fields) -> dict[str, Any]:
    extras = owner.data.get("extras")
    said = extras.get(KEY) if isinstance(extras, dict) else None
    return said if isinstance(said, dict) else {}
