"""BVH files of a person whose places in the world are known, in the dialects that rigs are written in.

The rest pose, the joints' axes, the vertical axis, joints above the hips, names, unit, what position channels mean and
the order of Euler angles may differ from file to file; the person in it does the same.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

# name, parent, offset in metres: a T-pose, Y up, facing +Z
BODY = (
    ("Hips", -1, (0.0, 0.0, 0.0)),
    ("Spine", 0, (0.0, 0.11, -0.01)),
    ("Chest", 1, (0.0, 0.15, 0.0)),
    ("Neck", 2, (0.0, 0.24, 0.0)),
    ("Head", 3, (0.0, 0.1, 0.02)),
    ("LeftShoulder", 2, (0.03, 0.19, 0.0)),
    ("LeftArm", 5, (0.14, 0.0, 0.0)),
    ("LeftForeArm", 6, (0.29, 0.0, 0.0)),
    ("LeftHand", 7, (0.25, 0.0, 0.0)),
    ("RightShoulder", 2, (-0.03, 0.19, 0.0)),
    ("RightArm", 9, (-0.14, 0.0, 0.0)),
    ("RightForeArm", 10, (-0.29, 0.0, 0.0)),
    ("RightHand", 11, (-0.25, 0.0, 0.0)),
    ("LeftUpLeg", 0, (0.09, -0.06, 0.0)),
    ("LeftLeg", 13, (0.0, -0.42, 0.0)),
    ("LeftFoot", 14, (0.0, -0.41, 0.0)),
    ("LeftToeBase", 15, (0.0, -0.06, 0.14)),
    ("RightUpLeg", 0, (-0.09, -0.06, 0.0)),
    ("RightLeg", 17, (0.0, -0.42, 0.0)),
    ("RightFoot", 18, (0.0, -0.41, 0.0)),
    ("RightToeBase", 19, (0.0, -0.06, 0.14)),
)
TIPS = {4: (0.0, 0.18, 0.0), 8: (0.18, 0.0, 0.0), 12: (-0.18, 0.0, 0.0), 16: (0.0, 0.0, 0.07), 20: (0.0, 0.0, 0.07)}
NAMES = tuple(name for name, _, _ in BODY)
PARENTS = tuple(parent for _, parent, _ in BODY)
OFFSETS = np.array([offset for _, _, offset in BODY])
ANKLE = 0.08  # metres above the ground
UNLIKE = (
    "Becken",
    "Kreuz",
    "Brust",
    "Hals",
    "Kopf",
    "KragenL",
    "OberarmL",
    "UnterarmL",
    "HandL",
    "KragenR",
    "OberarmR",
    "UnterarmR",
    "HandR",
    "SchenkelL",
    "KnieL",
    "KnoechelL",
    "ZehenL",
    "SchenkelR",
    "KnieR",
    "KnoechelR",
    "ZehenR",
)
NAMELESS = {
    "numbered": tuple(f"joint_{i}" for i in range(len(BODY))),
    "bones": tuple(f"bone{i:03d}" for i in range(len(BODY))),
    "numbers": tuple(str(i) for i in range(len(BODY))),
    "letters": tuple("abcdefghijklmnopqrstuvwxyz"[: len(BODY)]),
    "Han": tuple(f"骨{i}" for i in range(len(BODY))),
    "Cyrillic": tuple(f"кость{i}" for i in range(len(BODY))),
}


def turned(axis: str, degrees: float) -> np.ndarray:
    return Rotation.from_euler(axis, degrees, degrees=True).as_matrix()


# Rotations that bring a person who stands along Y to another rest pose.
RESTS = {
    "y": np.eye(3),
    "x": turned("z", -90.0),
    "-x": turned("z", 90.0),
    "z": turned("x", 90.0),
    "-z": turned("x", -90.0),
    "-y": turned("z", 180.0),
}


@dataclass(frozen=True)
class Performance:
    """World orientations ``(T, J, 3, 3)`` and positions ``(T, J, 3)`` of the body, in metres, Y up."""

    orientations: np.ndarray
    positions: np.ndarray

    def raised(self, metres: float) -> Performance:
        return Performance(self.orientations, self.positions + np.array([0.0, metres, 0.0]))

    def moved(self, x: float, z: float) -> Performance:
        return Performance(self.orientations, self.positions + np.array([x, 0.0, z]))


def walk(frames: int = 60, rate: float = 30.0, speed: float = 1.1, turn: float = 0.0, start=(0.0, 0.0)) -> Performance:
    """A walk with the lower foot on the ground; ``turn`` in degrees a second."""
    time = np.arange(frames) / rate
    phase = 2.0 * np.pi * time
    local = np.tile(np.eye(3), (frames, len(BODY), 1, 1))

    def bend(joint: str, axis: str, degrees: np.ndarray) -> None:
        index = NAMES.index(joint)
        local[:, index] = local[:, index] @ Rotation.from_euler(axis, degrees[:, None], degrees=True).as_matrix()

    bend("Hips", "y", turn * time)
    bend("Spine", "x", np.full(frames, 4.0))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        bend(f"{side}Arm", "z", np.full(frames, -sign * 75.0))
        bend(f"{side}Arm", "x", sign * 25.0 * np.sin(phase))
        bend(f"{side}ForeArm", "y", np.full(frames, -sign * 20.0))
        bend(f"{side}UpLeg", "x", -sign * 25.0 * np.sin(phase))
        bend(f"{side}Leg", "x", 12.0 + 25.0 * np.clip(sign * np.cos(phase), 0.0, 1.0))
    heading = np.radians(turn * time)
    path = np.cumsum(np.stack([np.sin(heading), 0.0 * time, np.cos(heading)], axis=1) * speed / rate, axis=0)
    path += [start[0], 0.0, start[1]]
    return _performed(local, path)


def lie(frames: int = 60, place: tuple[float, float] = (0.4, 0.9), towards: str = "z") -> Performance:
    """On the back on the floor, the head towards an axis, arms and legs a little in motion."""
    local = np.tile(np.eye(3), (frames, len(BODY), 1, 1))
    back = {"z": turned("x", 90.0) @ turned("y", 180.0), "x": turned("y", 90.0) @ turned("x", 90.0)}[towards]
    local[:, 0] = back
    sway = 10.0 * np.sin(np.linspace(0.0, 6.0, frames))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        local[:, NAMES.index(f"{side}Arm")] = Rotation.from_euler(
            "z", sign * (sway - 60.0)[:, None], degrees=True
        ).as_matrix()
    orientations, positions = _forward(local)
    positions += np.array([place[0], 0.1 - np.percentile(positions[..., 1], 1), place[1]])
    return Performance(orientations, positions)


def _performed(local: np.ndarray, path: np.ndarray) -> Performance:
    """With the lower ankle as high as it is in standing."""
    orientations, positions = _forward(local)
    ankles = positions[:, [NAMES.index("LeftFoot"), NAMES.index("RightFoot")], 1]
    positions += (path + np.outer(ANKLE - ankles.min(axis=1), [0.0, 1.0, 0.0]))[:, None]
    return Performance(orientations, positions)


def _forward(local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    orientations, positions = np.empty_like(local), np.zeros(local.shape[:3])
    for j, parent in enumerate(PARENTS):
        if parent < 0:
            orientations[:, j] = local[:, j]
            continue
        orientations[:, j] = orientations[:, parent] @ local[:, j]
        positions[:, j] = positions[:, parent] + orientations[:, parent] @ OFFSETS[j]
    return orientations, positions


@dataclass(frozen=True)
class Dialect:
    """How a rig is written."""

    rest: str = "y"  # the axis along which the body lies at rest; "bones": every bone along X
    up: str = "y"
    above: tuple[str, ...] = ()  # static joints above the hips, on the floor
    names: tuple[str, ...] = NAMES
    unit: float = 100.0  # file units in a metre
    positions: str = "replace"  # what the hips' position channels do to OFFSET
    hips_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres, in the file's axes
    all_positions: str = ""  # "replace" or "add": every joint has position channels
    order: str = "ZXY"
    rate: float = 30.0
    tips: bool = True


def _joint_axes(dialect: Dialect) -> np.ndarray:
    """For each joint the rotation of its axes against the body's ``(J, 3, 3)``."""
    if dialect.rest != "bones":
        # The rest pose is one in which every joint has the axes of the file's world.
        return np.tile(RESTS[dialect.rest].T, (len(BODY), 1, 1))
    axes = np.tile(np.eye(3), (len(BODY), 1, 1))
    for j in range(len(BODY)):
        ends = [OFFSETS[c] for c in range(len(BODY)) if PARENTS[c] == j] or [np.array(TIPS[j])]
        axes[j] = Rotation.align_vectors(ends[0][None], np.array([[1.0, 0.0, 0.0]]))[0].as_matrix()
    return axes


def bvh_text(performance: Performance, dialect: Dialect) -> str:
    """The file."""
    world = RESTS[{"y": "y", "z": "z"}[dialect.up]]  # takes Y up to the file's vertical axis
    axes = _joint_axes(dialect)
    orientations = world @ performance.orientations @ axes
    positions = performance.positions @ world.T * dialect.unit
    offsets = np.array([axes[p].T @ OFFSETS[j] if p >= 0 else OFFSETS[j] for j, p in enumerate(PARENTS)])
    offsets *= dialect.unit
    offsets[0] = np.array(dialect.hips_offset) * dialect.unit
    lines, rows = ["HIERARCHY"], []
    depth = 0
    places = "Xposition Yposition Zposition"
    angles = " ".join(f"{axis}rotation" for axis in dialect.order)
    for number, name in enumerate(dialect.above):
        lines += [f"{'JOINT' if number else 'ROOT'} {name}", "{", "OFFSET 0 0 0", f"CHANNELS 6 {places} {angles}"]
        rows.append(np.zeros((len(positions), 6)))
        depth += 1

    def write(j: int, first: bool) -> None:
        lines.extend([f"{'ROOT' if first else 'JOINT'} {dialect.names[j]}", "{"])
        lines.append("OFFSET " + " ".join(f"{v:.6f}" for v in offsets[j]))
        parent = PARENTS[j]
        before = orientations[:, parent].transpose(0, 2, 1) if parent >= 0 else np.eye(3)
        local = Rotation.from_matrix(before @ orientations[:, j])
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Gimbal lock")  # one of the solutions is as good as another
            turns = np.degrees(np.unwrap(local.as_euler(dialect.order), axis=0))
        if parent < 0:
            written = positions[:, 0] - (offsets[0] if dialect.positions == "add" else 0.0)
        elif dialect.all_positions:
            written = np.tile(offsets[j] if dialect.all_positions == "replace" else 0.0 * offsets[j], (len(turns), 1))
        else:
            written = np.empty((len(turns), 0))
        lines.append(f"CHANNELS {written.shape[1] + 3} {places if written.shape[1] else ''} {angles}")
        rows.append(np.concatenate([written, turns], axis=1))
        children = [c for c in range(len(BODY)) if PARENTS[c] == j]
        for child in children:
            write(child, False)
        if not children:
            tip = axes[j].T @ np.array(TIPS[j]) * dialect.unit if dialect.tips else np.zeros(3)
            lines.extend(["End Site", "{", "OFFSET " + " ".join(f"{v:.6f}" for v in tip), "}"])
        lines.append("}")

    write(0, not dialect.above)
    lines += ["}"] * depth
    table = np.concatenate(rows, axis=1)
    lines += ["MOTION", f"Frames: {len(table)}", f"Frame Time: {1.0 / dialect.rate:.7f}"]
    lines += [" ".join(f"{v:.5f}" for v in row) for row in table]
    return "\n".join(lines) + "\n"


def body_positions(positions: np.ndarray, dialect: Dialect) -> np.ndarray:
    """Of a motion that was read, the joints of the body, in its order."""
    return positions[:, len(dialect.above) :]
