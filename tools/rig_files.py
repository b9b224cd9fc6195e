"""BVH text of a motion on rigs as captures have them.

A rig differs in what files differ in: the pose at zero angles, joint axes, static joints below the hips, names, unit,
vertical axis, Euler order and position channels. World positions stay those of the motion.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from kinesphere import Motion
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.transform import with_plain_rest
from rerig import bend_rest, point_all_bones, point_bones, turn_axes_anyhow

# Rotation vectors, in degrees, that bring a person who stands along Y to another axis.
LAID: dict[str, tuple[float, float, float]] = {
    "y": (0, 0, 0),
    "x": (0, 0, -90),
    "-x": (0, 0, 90),
    "z": (90, 0, 0),
    "-z": (-90, 0, 0),
    "-y": (0, 0, 180),
}
ALL_BONES = {"bones": (1, 0, 0), "along_x": (1, 0, 0), "along_minus_x": (-1, 0, 0), "along_y": (0, 1, 0)}
ALL_BONES |= {"along_z": (0, 0, 1)}
# Where bones point at zero angles, by the end of a joint's role; left is +X.
LIMBS: dict[str, dict[str, tuple[float, float, float]]] = {
    "t_pose": {"Arm": (1, 0, 0), "Hand": (1, 0, 0), "Leg": (0, -1, 0)},
    "a_pose": {"Arm": (0.7, -0.7, 0), "Hand": (0.7, -0.7, 0), "Leg": (0.1, -1, 0)},
    "arms_down": {"Arm": (0.05, -1, 0), "Hand": (0, -1, 0), "Leg": (0, -1, 0)},
    "arms_up": {"Arm": (0.2, 1, 0), "Hand": (0, 1, 0), "Leg": (0, -1, 0)},
    "hands_down": {"Arm": (1, 0, 0), "Hand": (0, -1, 0), "Leg": (0, -1, 0)},
    "knees_bent": {"Arm": (1, 0, 0), "Hand": (1, 0, 0), "UpperLeg": (0, -0.4, 1), "LowerLeg": (0, -1, -0.5)},
}
TURNED = 7  # seed of the axes of "turned"


@dataclass(frozen=True)
class Dialect:
    """How a rig is written."""

    rest: str = "y"  # a key of LAID, ALL_BONES or LIMBS, or "turned": random joint axes
    up: str = "y"
    above: tuple[str, ...] = ()  # static joints above the hips, on the floor
    names: tuple[str, ...] = ()  # left out: the skeleton's
    unit: float = 100.0  # file units in a metre
    positions: str = "replace"  # what the hips' position channels do to OFFSET
    hips_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres, in the file's axes
    all_positions: str = ""  # "replace" or "add": every joint has position channels
    order: str = "ZXY"
    tips: bool = True


def in_rest(motion: Motion, rest: str) -> Motion:
    """The motion on a skeleton without rest rotations, whose pose at zero angles is ``rest``."""
    if rest == "turned":
        return turn_axes_anyhow(motion, TURNED, plain=True)
    if rest in ALL_BONES:
        return with_plain_rest(point_all_bones(motion, ALL_BONES[rest]))
    if rest in LIMBS:
        return with_plain_rest(point_bones(motion, _limb_directions(motion, rest)))
    return with_plain_rest(bend_rest(motion, {0: rotations.from_rotation_vector(np.radians(LAID[rest]))}))


def _limb_directions(motion: Motion, rest: str) -> dict[int, Floats]:
    found = {}
    for role, joint in motion.skeleton.with_found_roles().roles.items():
        for end, direction in LIMBS[rest].items():
            if role.endswith(end):
                found[joint] = np.array(direction) * [-1.0 if role.startswith("right") else 1.0, 1.0, 1.0]
                break
    return found


def bvh_text(motion: Motion, dialect: Dialect) -> str:
    """The file. The motion's joint 0 are the hips; bones keep their lengths."""
    rigged = in_rest(motion, dialect.rest)
    skeleton, frames = rigged.skeleton, len(rigged)
    turn = rotations.from_rotation_vector(np.radians(LAID[dialect.up]))
    q = rigged.rotations.copy()
    q[:, 0] = rotations.multiply(turn, q[:, 0])
    hips = rotations.rotate(turn, rigged.translations[:, 0]) * dialect.unit
    offsets = skeleton.offsets * dialect.unit
    offsets[0] = np.array(dialect.hips_offset) * dialect.unit
    names, lines, columns = dialect.names or skeleton.names, ["HIERARCHY"], list[Floats]()
    angles = " ".join(f"{axis}rotation" for axis in dialect.order)

    def open_joint(name: str, offset: Floats, places: Floats | None, turns: Floats) -> None:
        moving = [] if places is None else [np.broadcast_to(places, (frames, 3))]
        channels = "Xposition Yposition Zposition " if moving else ""
        lines.extend([f"{'ROOT' if not columns else 'JOINT'} {name}", "{", f"OFFSET {_numbers(offset)}"])
        lines.append(f"CHANNELS {6 if moving else 3} {channels}{angles}")
        columns.append(np.concatenate([*moving, turns], axis=1))

    def write(joint: int) -> None:
        channels = {"": None, "add": np.zeros(3), "replace": offsets[joint]}[dialect.all_positions]
        if joint == 0:
            channels = hips - (offsets[0] if dialect.positions == "add" else 0.0)
        open_joint(names[joint], offsets[joint], channels, _euler(q[:, joint], dialect.order))
        for child in skeleton.children[joint]:
            write(child)
        for tip in (tip for tip in skeleton.tips if tip.joint == joint):
            end = np.array(tip.offset) * dialect.unit if dialect.tips else np.zeros(3)
            lines.extend(["End Site", "{", f"OFFSET {_numbers(end)}", "}"])
        lines.append("}")

    for name in dialect.above:
        open_joint(name, np.zeros(3), np.zeros(3), np.zeros((frames, 3)))
    write(0)
    lines += ["}"] * len(dialect.above)
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {1.0 / motion.rate:.8f}"]
    return "\n".join([*lines, *(_numbers(row) for row in rows)]) + "\n"


def _euler(q: Floats, order: str) -> Floats:
    """Degrees without jumps."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Gimbal lock")  # one of the solutions is as good as another
        angles = Rotation.from_quat(q, scalar_first=True).as_euler(order)
    degrees: Floats = np.degrees(np.unwrap(angles, axis=0))
    return degrees


def _numbers(values: Sequence[float] | Floats) -> str:
    return " ".join(f"{value:.6f}" for value in values)
