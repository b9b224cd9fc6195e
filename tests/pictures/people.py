"""A small person in a T-pose, facing +Z, left +X, for pictures and the command line."""

from __future__ import annotations

import numpy as np

from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import rotations

JOINTS: list[tuple[str, int, tuple[float, float, float]]] = [
    ("Hips", -1, (0.0, 0.90, 0.0)),
    ("Spine", 0, (0.0, 0.20, 0.0)),
    ("Chest", 1, (0.0, 0.20, 0.0)),
    ("Neck", 2, (0.0, 0.15, 0.0)),
    ("Head", 3, (0.0, 0.08, 0.0)),
    ("LeftArm", 2, (0.18, 0.10, 0.0)),
    ("LeftForeArm", 5, (0.27, 0.0, 0.0)),
    ("LeftHand", 6, (0.25, 0.0, 0.0)),
    ("RightArm", 2, (-0.18, 0.10, 0.0)),
    ("RightForeArm", 8, (-0.27, 0.0, 0.0)),
    ("RightHand", 9, (-0.25, 0.0, 0.0)),
    ("LeftUpLeg", 0, (0.10, 0.0, 0.0)),
    ("LeftLeg", 11, (0.0, -0.42, 0.0)),
    ("LeftFoot", 12, (0.0, -0.42, 0.0)),
    ("RightUpLeg", 0, (-0.10, 0.0, 0.0)),
    ("RightLeg", 14, (0.0, -0.42, 0.0)),
    ("RightFoot", 15, (0.0, -0.42, 0.0)),
]
TIPS = (Tip(4, (0.0, 0.17, 0.0)), Tip(13, (0.0, -0.06, 0.15)), Tip(16, (0.0, -0.06, 0.15)))


def person(names: dict[str, str] | None = None) -> Skeleton:
    """17 joints, 1.70 m tall, soles at height 0."""
    return Skeleton(
        tuple((names or {}).get(name, name) for name, _, _ in JOINTS),
        np.array([parent for _, parent, _ in JOINTS]),
        np.array([offset for _, _, offset in JOINTS]),
        tips=TIPS,
    )


def standing(frames: int = 5, rate: float = 30.0, *, turn: float = 0.0, speed: float = 0.0) -> Motion:
    """The T-pose, facing ``turn`` radians from +Z towards +X, going that way at ``speed`` metres a second."""
    skeleton = person()
    q = rotations.identity(frames, len(skeleton))
    q[:, 0] = rotations.from_rotation_vector([0.0, turn, 0.0])
    t = np.broadcast_to(skeleton.offsets, (frames, len(skeleton), 3)).copy()
    ahead = np.array([np.sin(turn), 0.0, np.cos(turn)])
    t[:, 0] += np.arange(frames)[:, None] / rate * speed * ahead
    return Motion(skeleton, rate, q, t, name="person")


def waving(frames: int = 31, rate: float = 30.0) -> Motion:
    """The left arm goes up, the knees bend a little, the body steps forward."""
    motion = standing(frames, rate, speed=0.4)
    q = motion.rotations.copy()
    up = np.linspace(0.0, 1.2, frames)
    q[:, 5] = rotations.from_rotation_vector(up[:, None] * [0.0, 0.0, 1.0])
    q[:, 12] = rotations.from_rotation_vector(0.3 * up[:, None] * [1.0, 0.0, 0.0])
    q[:, 1] = rotations.from_rotation_vector(0.2 * up[:, None] * [0.3, 1.0, 0.0])
    return motion.with_pose(q)


def bvh_text(motion: Motion) -> str:
    """The motion as BVH in centimetres, Y up, ZXY, written apart from the library's writer."""
    skeleton = motion.skeleton
    tips = {tip.joint: tip.offset for tip in skeleton.tips}
    lines = ["HIERARCHY"]
    order: list[int] = []

    def add(joint: int, depth: int) -> None:
        pad, root = "  " * depth, depth == 0
        order.append(joint)
        offset = np.zeros(3) if root else skeleton.offsets[joint] * 100.0
        lines.append(f"{pad}{'ROOT' if root else 'JOINT'} {skeleton.names[joint]}")
        lines.append(f"{pad}{{")
        lines.append(f"{pad}  OFFSET {offset[0]:.6f} {offset[1]:.6f} {offset[2]:.6f}")
        places = "6 Xposition Yposition Zposition" if root else "3"
        lines.append(f"{pad}  CHANNELS {places} Zrotation Xrotation Yrotation")
        for child in skeleton.children[joint]:
            add(child, depth + 1)
        if not skeleton.children[joint]:
            x, y, z = np.array(tips.get(joint, (0.0, 0.0, 0.0))) * 100.0
            lines.extend([f"{pad}  End Site", f"{pad}  {{", f"{pad}    OFFSET {x:.6f} {y:.6f} {z:.6f}", f"{pad}  }}"])
        lines.append(f"{pad}}}")

    add(0, 0)
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {1.0 / motion.rate:.8f}"]
    for frame in range(len(motion)):
        numbers = list(motion.translations[frame, 0] * 100.0)
        for joint in order:
            numbers += _zxy(motion.rotations[frame, joint])
        lines.append(" ".join(f"{number:.6f}" for number in numbers))
    return "\n".join(lines) + "\n"


def _zxy(q: np.ndarray) -> list[float]:
    """Degrees z, x, y of the rotation Z·X·Y."""
    w, x, y, z = q
    matrix_21 = 2.0 * (y * z + w * x)
    zs = np.arctan2(-2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z))
    ys = np.arctan2(-2.0 * (x * z - w * y), 1.0 - 2.0 * (x * x + y * y))
    return [float(np.degrees(angle)) for angle in (zs, np.arcsin(np.clip(matrix_21, -1.0, 1.0)), ys)]
