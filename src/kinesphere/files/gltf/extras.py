"""glTF ``extras``: hints that Kinesphere writes so that a motion comes back exactly.

glTF has key times but no frame rate, and joints but no bone tips. The hints are on the nodes and the animation that
they are about, so that tools that renumber nodes do not break them. A tool may also change a file and keep old hints:
hints that do not fit the file are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinesphere.files.gltf.document import GltfFields, as_integer, finite_numbers
from kinesphere.motion.motion import Motion

KEY = "kinesphere"


@dataclass(frozen=True)
class JointHint:
    """What a node's extras say about its joint."""

    joint: int | None = None
    roles: tuple[str, ...] = ()
    tips: tuple[tuple[int, tuple[float, ...]], ...] = ()  # (number among all tips, offset)
    surface: bool = False


def clip_extras(motion: Motion) -> dict[str, Any]:
    """Extras of the animation."""
    hint: dict[str, Any] = {"rate": motion.rate, "frames": len(motion)}
    if motion.calibration_frames:
        hint["calibration_frames"] = list(motion.calibration_frames)
    if not motion.name:
        hint["unnamed"] = True
    return {KEY: hint}


def joint_extras(motion: Motion) -> list[dict[str, Any]]:
    """Extras of the nodes, one per joint."""
    hints: list[dict[str, Any]] = [{"joint": joint} for joint in range(len(motion.skeleton))]
    for role, joint in motion.skeleton.roles.items():
        hints[joint].setdefault("roles", []).append(role)
    for number, tip in enumerate(motion.skeleton.tips):
        hints[tip.joint].setdefault("tips", []).append([number, *map(float, tip.offset)])
    return [{KEY: hint} for hint in hints]


def surface_extras() -> dict[str, Any]:
    """Extras of a node that only scales the surface of the joint above it."""
    return {KEY: {"surface": True}}


def joint_hint(node: GltfFields) -> JointHint:
    """The hints of a node, without those that are malformed."""
    hint = _hint(node)
    roles, tips = hint.get("roles"), hint.get("tips")
    found = []
    for tip in tips if isinstance(tips, list) else []:
        numbers = finite_numbers(tip, 4)
        if numbers is not None and numbers[0].is_integer():
            found.append((int(numbers[0]), numbers[1:]))
    return JointHint(
        joint=as_integer(hint.get("joint")),
        roles=tuple(role for role in roles if isinstance(role, str)) if isinstance(roles, list) else (),
        tips=tuple(found),
        surface=hint.get("surface") is True,
    )


def read_rate(animation: GltfFields) -> tuple[float, int] | None:
    """The frame rate and number of frames that an animation was written with."""
    hint = _hint(animation)
    rate, frames = hint.get("rate"), as_integer(hint.get("frames"))
    if isinstance(rate, bool) or not isinstance(rate, int | float) or frames is None:
        return None
    return (float(rate), frames) if 1e-12 <= rate <= 1e12 else None


def calibration_frames(animation: GltfFields, frames: int) -> tuple[int, ...]:
    """Frames that were not performed, such as an inserted T-pose."""
    given = _hint(animation).get("calibration_frames")
    found = [as_integer(frame) for frame in given] if isinstance(given, list) else []
    marked = sorted({frame for frame in found if frame is not None and 0 <= frame < frames})
    return tuple(marked) if len(found) <= frames else ()


def is_unnamed(animation: GltfFields) -> bool:
    """Whether the motion had no name, and the clip got one when it was written."""
    return _hint(animation).get("unnamed") is True


def _hint(owner: GltfFields) -> dict[str, Any]:
    extras = owner.data.get("extras")
    hint = extras.get(KEY) if isinstance(extras, dict) else None
    return hint if isinstance(hint, dict) else {}
