"""Synthetic clips of rigs that captures come on: the built-in motions, each on another skeleton, as BVH files.

``python tools/field_clips.py OUT`` writes them, with ``truth.npz`` beside: where the joints of every clip really are,
in metres, Y up, so that a reader can be judged. ``make field DATA=OUT`` measures edits and retargeting on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere import Motion
from kinesphere.builtin import motion as builtin_motion
from kinesphere.maths.vectors import Floats
from rig_files import Dialect, bvh_text

INCHES = 1.0 / 0.0254  # in a metre
ROOT = ("Root",)
JOINTS = len(builtin_motion("walk").skeleton)
NUMBERS = tuple(str(i) for i in range(JOINTS))
LETTERS = tuple(f"bone_{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(JOINTS))
UP, UP_Z = (0.0, 0.97, 0.0), (0.0, 0.0, 0.97)  # metres: OFFSET of hips above a static root


@dataclass(frozen=True)
class Rig:
    """A dialect at a rate."""

    dialect: Dialect
    rate: float = 60.0
    from_zero: bool = False  # hips set out above the origin


RIGS: dict[str, Rig] = {
    "t_pose_cm": Rig(Dialect("t_pose")),
    "a_pose_inches": Rig(Dialect("a_pose", unit=INCHES, order="XYZ"), 30.0),
    "arms_down_metres": Rig(Dialect("arms_down", unit=1.0, order="YXZ"), 120.0),
    "arms_up_mm": Rig(Dialect("arms_up", unit=1000.0, order="ZYX")),
    "hands_down_cm": Rig(Dialect("hands_down"), 30.0),
    "knees_bent_z_up": Rig(Dialect("knees_bent", up="z", order="XZY")),
    "static_root_along_x": Rig(Dialect("along_x", above=ROOT, hips_offset=UP, order="ZYX"), 120.0),
    "static_root_along_minus_x_z_up": Rig(Dialect("along_minus_x", up="z", above=ROOT, hips_offset=UP_Z)),
    "static_root_from_zero": Rig(
        Dialect("along_x", above=ROOT, hips_offset=UP, all_positions="replace"), from_zero=True
    ),
    "static_root_t_pose": Rig(Dialect("t_pose", above=("bone_00",), names=LETTERS, unit=1.0, hips_offset=UP)),
    "along_y": Rig(Dialect("along_y"), 24.0),
    "along_z_metres": Rig(Dialect("along_z", up="z", unit=1.0), 50.0),
    "turned_axes": Rig(Dialect("turned", order="YZX")),
    "turned_axes_positions": Rig(Dialect("turned", unit=INCHES, all_positions="replace", order="XYZ"), 100.0),
    "numbers_t_pose_cm": Rig(Dialect("t_pose", names=NUMBERS)),
    "numbers_arms_down_mm_z_up": Rig(Dialect("arms_down", up="z", names=NUMBERS, unit=1000.0)),
    "letters_a_pose_metres": Rig(Dialect("a_pose", names=LETTERS, unit=1.0), 30.0),
}
MOTIONS: dict[str, Callable[[], Motion]] = {
    "walk": lambda: builtin_motion("walk"),
    "wave": lambda: kinesphere.perform("wave"),
    "drink": lambda: kinesphere.perform("drink", words="tired"),
    "punch": lambda: kinesphere.perform("punch", words="angry"),
}


def put_on_rig(motion: Motion, rig: Rig) -> tuple[str, Floats]:
    """A motion on a rig as BVH, and where its joints are ``(T, J, 3)``, in metres, Y up, without the static root."""
    motion = motion.resampled(rig.rate)
    if rig.from_zero:
        translations = motion.translations.copy()
        translations[:, 0] -= translations[0, 0] * [1.0, 0.0, 1.0]
        motion = motion.with_pose(motion.rotations, translations)
    return bvh_text(motion, rig.dialect), motion.positions_world()


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
            text, positions = put_on_rig(motion, rig)
            file = folder / f"{rig_name}.{name}.bvh"
            file.write_text(text)
            truth[file.name] = positions
    np.savez_compressed(folder / "truth.npz", **truth)  # type: ignore[arg-type]
    print(f"wrote {len(truth)} clips to {folder}")


if __name__ == "__main__":
    main()
