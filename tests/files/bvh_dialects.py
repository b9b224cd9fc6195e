"""A person whose places in the world are known, for BVH files in the dialects that rigs are written in.

``Dialect`` says what differs from file to file; the person in it does the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import rig_files
from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R
from rig_files import Dialect

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


@dataclass(frozen=True)
class Performance:
    """World orientations ``(T, J, 3, 3)`` and positions ``(T, J, 3)`` of the body, in metres, Y up."""

    orientations: np.ndarray
    positions: np.ndarray

    def motion(self, rate: float = 30.0) -> Motion:
        """On the body's skeleton, whose axes are the world's at rest."""
        q = Rotation.from_matrix(self.orientations.reshape(-1, 3, 3)).as_quat(scalar_first=True)
        local, _ = kinematics.inverse(q.reshape(*self.positions.shape[:2], 4), self.positions, np.array(PARENTS))
        tips = tuple(Tip(joint, offset) for joint, offset in TIPS.items())
        skeleton = Skeleton(NAMES, np.array(PARENTS), OFFSETS, tips=tips).with_found_roles()
        translations = np.tile(OFFSETS, (len(local), 1, 1))
        translations[:, 0] = self.positions[:, 0]
        return Motion(skeleton, rate, R.continuous(local), translations)

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


def bvh_text(performance: Performance, dialect: Dialect) -> str:
    """The file."""
    return rig_files.bvh_text(performance.motion(), dialect)


def body_positions(positions: np.ndarray, dialect: Dialect) -> np.ndarray:
    """Of a motion that was read, the joints of the body, in its order."""
    return positions[:, len(dialect.above) :]
