"""Synthetic clips of rigs that captures come on: the built-in motions, each on another skeleton, as BVH files.

``python tools/field_clips.py OUT`` writes them, with ``truth.npz`` beside: where the joints of every clip really are,
in metres, Y up, so that a reader can be judged. ``make field DATA=OUT`` measures edits and retargeting on them.

A rig differs from the figure's in what files differ in: the pose at zero angles, joint axes, a root below the hips,
names, unit, vertical axis, Euler order, position channels and rate. World positions stay those of the motion: a joint's
axes are rotated by a constant, and what depends on them is rotated back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import kinesphere
from kinesphere import Motion
from kinesphere.builtin import motion as builtin_motion
from kinesphere.maths.vectors import Floats

TO_Z_UP = Rotation.from_rotvec([np.pi / 2, 0.0, 0.0])
LIMB_DIRECTIONS: dict[
    str, dict[str, tuple[float, float, float]]
] = {  # where bones point at zero angles, by the end of the joint's name; left is +X
    "t_pose": {"Arm": (1, 0, 0), "Hand": (1, 0, 0), "Leg": (0, -1, 0)},
    "a_pose": {"Arm": (0.7, -0.7, 0), "Hand": (0.7, -0.7, 0), "Leg": (0.1, -1, 0)},
    "arms_down": {"Arm": (0.05, -1, 0), "Hand": (0, -1, 0), "Leg": (0, -1, 0)},
    "arms_up": {"Arm": (0.2, 1, 0), "Hand": (0, 1, 0), "Leg": (0, -1, 0)},
    "hands_down": {"Arm": (1, 0, 0), "Hand": (0, -1, 0), "Leg": (0, -1, 0)},
    "knees_bent": {"Arm": (1, 0, 0), "Hand": (1, 0, 0), "UpperLeg": (0, -0.4, 1), "LowerLeg": (0, -1, -0.5)},
}
LINES = {"along_x": (1, 0, 0), "along_minus_x": (-1, 0, 0), "along_y": (0, 1, 0), "along_z": (0, 0, 1)}


@dataclass(frozen=True)
class Rig:
    """How a clip's file differs from the figure's."""

    rest: str = "figure"  # a key of LIMB_DIRECTIONS or LINES, "figure", or "turned": random joint axes
    unit: float = 0.01  # metres
    z_up: bool = False
    order: str = "ZXY"
    names: str = "own"  # own, numbers, letters
    static_root: bool = False  # a joint on the floor above the hips
    positions: bool = False  # position channels on every joint
    from_zero: bool = False  # hips set out above the origin
    rate: float = 60.0


RIGS: dict[str, Rig] = {
    "t_pose_cm": Rig("t_pose"),
    "a_pose_inches": Rig("a_pose", 0.0254, order="XYZ", rate=30.0),
    "arms_down_metres": Rig("arms_down", 1.0, order="YXZ", rate=120.0),
    "arms_up_mm": Rig("arms_up", 0.001, order="ZYX"),
    "hands_down_cm": Rig("hands_down", rate=30.0),
    "knees_bent_z_up": Rig("knees_bent", z_up=True, order="XZY"),
    "static_root_along_x": Rig("along_x", static_root=True, order="ZYX", rate=120.0),
    "static_root_along_minus_x_z_up": Rig("along_minus_x", z_up=True, static_root=True),
    "static_root_from_zero": Rig("along_x", static_root=True, from_zero=True, positions=True),
    "static_root_t_pose": Rig("t_pose", 1.0, static_root=True, names="letters"),
    "along_y": Rig("along_y", rate=24.0),
    "along_z_metres": Rig("along_z", 1.0, z_up=True, rate=50.0),
    "turned_axes": Rig("turned", order="YZX"),
    "turned_axes_positions": Rig("turned", 0.0254, positions=True, order="XYZ", rate=100.0),
    "numbers_t_pose_cm": Rig("t_pose", names="numbers"),
    "numbers_arms_down_mm_z_up": Rig("arms_down", 0.001, z_up=True, names="numbers"),
    "letters_a_pose_metres": Rig("a_pose", 1.0, names="letters", rate=30.0),
}


def rest_axes(motion: Motion, rest: str) -> Rotation:
    """For every joint the rotation of its axes, so that at zero angles bones lie as ``rest`` says."""
    skeleton, count = motion.skeleton, len(motion.skeleton)
    if rest == "figure":
        return Rotation.identity(count)
    if rest == "turned":
        return Rotation.random(count, random_state=7)
    ends = _bone_ends(motion)
    made = []
    for joint in range(count):
        name, bone = skeleton.names[joint], ends[joint]
        wanted = np.array(LINES[rest], float) if rest in LINES else _limb_direction(name, rest)
        if wanted is None or np.linalg.norm(bone) < 1e-6:
            made.append(Rotation.identity())
            continue
        # Axes C with C⁻¹ · bone along what is wanted.
        turn, _ = Rotation.align_vectors([wanted / np.linalg.norm(wanted)], [bone / np.linalg.norm(bone)])
        made.append(turn.inv())
    return Rotation.concatenate(made)


def _bone_ends(motion: Motion) -> Floats:
    """Where each joint's bone goes in its own axes: the farthest child, or its tip."""
    skeleton = motion.skeleton
    ends = np.zeros((len(skeleton), 3))
    candidates = [
        (int(parent), skeleton.offsets[joint]) for joint, parent in enumerate(skeleton.parents) if parent >= 0
    ]
    candidates += [(tip.joint, np.asarray(tip.offset)) for tip in skeleton.tips]
    for joint, offset in candidates:
        if np.linalg.norm(offset) > np.linalg.norm(ends[joint]):
            ends[joint] = offset
    return ends


def _limb_direction(name: str, rest: str) -> Floats | None:
    for end, direction in LIMB_DIRECTIONS[rest].items():
        if name.endswith(end):
            side = -1.0 if name.startswith("right") else 1.0
            return np.array(direction, float) * [side, 1.0, 1.0]
    return None


@dataclass(frozen=True)
class Clip:
    """A motion on a rig, in the file's unit and axes."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: Floats
    tips: tuple[tuple[int, Floats], ...]
    rotations: tuple[Rotation, ...]  # by joint, over time
    root: Floats  # (T, 3) the positions of joint 0, or of the hips below a static root
    rig: Rig

    def text(self) -> str:
        """The clip as BVH."""
        lines, order = ["HIERARCHY"], []
        hips = 1 if self.rig.static_root else 0

        def write(joint: int, depth: int) -> None:
            order.append(joint)
            tab = "\t" * depth
            moving = joint in (0, hips) or self.rig.positions
            turns = [f"{axis}rotation" for axis in self.rig.order]
            channels = (["Xposition", "Yposition", "Zposition"] if moving else []) + turns
            lines.extend([f"{tab}{'JOINT' if depth else 'ROOT'} {self.names[joint]}", f"{tab}{{"])
            lines.append(f"{tab}\tOFFSET {_numbers(self.offsets[joint])}")
            lines.append(f"{tab}\tCHANNELS {len(channels)} {' '.join(channels)}")
            for child in (j for j, parent in enumerate(self.parents) if parent == joint):
                write(child, depth + 1)
            for own, offset in self.tips:
                if own == joint:
                    lines.extend(
                        [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {_numbers(offset)}", f"{tab}\t}}"]
                    )
            lines.append(f"{tab}}}")

        write(0, 0)
        columns = []
        for joint in order:
            if joint == hips:
                columns.append(self.root)
            elif joint == 0 or self.rig.positions:
                columns.append(np.broadcast_to(self.offsets[joint], self.root.shape))
            columns.append(self.rotations[joint].as_euler(self.rig.order, degrees=True))
        rows = np.concatenate(columns, axis=1)
        lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1.0 / self.rig.rate:.8f}"]
        return "\n".join([*lines, *(_numbers(row) for row in rows)]) + "\n"


def _numbers(values: Sequence[float] | Floats) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def put_on_rig(motion: Motion, rig: Rig) -> tuple[Clip, Floats]:
    """A motion on a rig, and where its joints are ``(T, J, 3)``, in metres, Y up, without the static root."""
    motion = motion.resampled(rig.rate)
    skeleton = motion.skeleton
    if rig.from_zero:
        hips = motion.positions_world()[0, 0] * [1.0, 0.0, 1.0]
        translations = motion.translations.copy()
        translations[:, 0] -= hips
        motion = motion.with_pose(motion.rotations, translations)
    world_q = Rotation.from_quat(motion.rotations_world().reshape(-1, 4), scalar_first=True)
    frames, count = len(motion), len(skeleton)
    axes = rest_axes(motion, rig.rest)
    up = TO_Z_UP if rig.z_up else Rotation.identity()
    turned = [up * world_q[np.arange(frames) * count + j] * axes[j] for j in range(count)]
    local = [turned[j] if p < 0 else turned[p].inv() * turned[j] for j, p in enumerate(skeleton.parents)]
    offsets = np.array(
        [
            axes[p].inv().apply(np.array(o)) if p >= 0 else np.zeros(3)
            for o, p in zip(skeleton.offsets, skeleton.parents, strict=True)
        ]
    )
    tips = [(tip.joint, axes[tip.joint].inv().apply(tip.offset) / rig.unit) for tip in skeleton.tips]
    root = up.apply(np.array(motion.positions_world()[:, 0])) / rig.unit
    names, parents = _names(skeleton.names, rig.names), [int(p) for p in skeleton.parents]
    offsets = offsets / rig.unit
    if rig.static_root:
        names, parents = ("Root" if rig.names == "own" else names[0] + "0", *names), [-1, *(p + 1 for p in parents)]
        tips = [(joint + 1, offset) for joint, offset in tips]
        height = np.array([0.0, 0.0, 0.97] if rig.z_up else [0.0, 0.97, 0.0]) / rig.unit
        offsets = np.concatenate([np.zeros((1, 3)), height[None], offsets[1:]])
        local = [Rotation.identity(frames), *local]
    clip = Clip(tuple(names), tuple(parents), offsets, tuple(tips), tuple(local), root, rig)
    return clip, motion.positions_world()


def _names(own: Sequence[str], kind: str) -> tuple[str, ...]:
    if kind == "numbers":
        return tuple(str(i) for i in range(len(own)))
    if kind == "letters":
        return tuple(f"bone_{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(len(own)))
    return tuple(own)


MOTIONS: dict[str, Callable[[], Motion]] = {
    "walk": lambda: builtin_motion("walk"),
    "wave": lambda: kinesphere.perform("wave"),
    "drink": lambda: kinesphere.perform("drink", words="tired"),
    "punch": lambda: kinesphere.perform("punch", words="angry"),
}


def main() -> None:
    """Write every motion on every rig."""
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/field_clips.py OUT")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    for name, make in MOTIONS.items():
        motion = make()
        for rig_name, rig in RIGS.items():
            clip, positions = put_on_rig(motion, rig)
            file = folder / f"{rig_name}.{name}.bvh"
            file.write_text(clip.text())
            truth[file.name] = positions
    np.savez_compressed(folder / "truth.npz", **truth)  # type: ignore[arg-type]
    print(f"wrote {len(truth)} clips to {folder}")


if __name__ == "__main__":
    main()
