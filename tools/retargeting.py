"""Twelve captures on every humanoid character, and back: the numbers of ``docs/characters.md``.

For each pair: how far wrists are from where they belong (99th percentile, of the arm's length, where reachable), in
how many frames they are out of reach, how far wrists and ankles are off after a round trip (95th percentile, of the
arm's and the leg's length), how much bones change, and how much planted feet slide beyond what they did.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere.body.calibration import calibrate
from kinesphere.body.contacts import find_plants
from kinesphere.body.plants import Plant
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES, other_side_role

CLIPS = (
    "02_01", "07_12", "137_33", "91_11", "05_02", "05_11", "12_01", "13_09", "13_11", "79_88", "141_14", "141_16",
)  # fmt: skip
CHARACTERS = (
    "mesh2motion_human_male.glb",
    "CesiumMan.glb",
    "RiggedFigure.glb",
    "debug_robot.vrm",
    "minimal_vrm0.vrm",
    "RobotExpressive.glb",
    "kaykit_manny/manny_med_mod.gltf",
)


def row(motion: kinesphere.Motion, character: kinesphere.Character) -> dict[str, float]:
    """All numbers of one pair."""
    onto = kinesphere.retarget(motion, character)
    back = kinesphere.retarget(onto, motion.skeleton)
    body = calibrate(motion, onto.skeleton)
    performed = motion.performed_frames
    source, result, again = (m.positions_world()[performed] for m in (motion, onto, back))
    roles, there = motion.skeleton.roles, onto.skeleton.roles
    numbers = {"wrist": 0.0, "short": 0.0, "wrists back": 0.0, "ankles back": 0.0}
    for side in SIDES:
        hand, arm, foot = f"{side}Hand", f"{side}UpperArm", f"{side}Foot"
        wanted = body.arm[side] * (source[:, roles[hand]] - source[:, roles[arm]])
        length = body.target.lengths[f"{side}Arm"]
        reachable = np.linalg.norm(wanted, axis=-1) <= length
        off = np.linalg.norm(result[:, there[hand]] - result[:, there[arm]] - wanted, axis=-1) / length
        near = _near_something(source, roles, side)
        clear = reachable & ~near
        numbers["wrist"] = max(numbers["wrist"], float(np.percentile(off[clear], 99)) if clear.any() else 0.0)
        numbers["short"] += float((~reachable).sum())
        for key, role, limb in (("wrists back", hand, "Arm"), ("ankles back", foot, "Leg")):
            gone = np.linalg.norm(again[:, roles[role]] - source[:, roles[role]], axis=-1)
            numbers[key] = max(numbers[key], float(np.percentile(gone, 95)) / body.source.lengths[f"{side}{limb}"])
    skeleton = onto.skeleton
    bones = [
        j
        for j, p in enumerate(skeleton.parents)
        if p >= 0 and j not in (there["hips"], there["leftFoot"], there["rightFoot"])
    ]
    lengths = np.linalg.norm(result[:, bones] - result[:, skeleton.parents[bones]], axis=-1)
    numbers["bones"] = float(np.abs(lengths - skeleton.bone_lengths[bones]).max())
    plants = find_plants(motion)
    numbers["slide"] = _ankle_slide(onto, plants.intervals) - body.leg * _ankle_slide(motion, plants.intervals)
    return numbers


def _ankle_slide(motion: kinesphere.Motion, intervals: tuple[Plant, ...]) -> float:
    """The mean over plants of how far the ankle is over the ground from its middle there."""
    places = motion.positions_world()
    slides = []
    for plant in intervals:
        path = places[plant.first : plant.last + 1, motion.skeleton.roles[f"{plant.side}Foot"]][:, [0, 2]]
        slides.append(float(np.linalg.norm(path - 0.5 * (path.min(axis=0) + path.max(axis=0)), axis=1).max()))
    return float(np.mean(slides)) if slides else 0.0


def _near_something(positions: Floats, roles: Mapping[str, int], side: str) -> Bools:
    """Frames in which another relation than the shoulder's may count: a hand by the head or by the other."""
    hand, other = positions[:, roles[f"{side}Hand"]], positions[:, roles[other_side_role(f"{side}Hand")]]
    to_head = np.linalg.norm(hand - positions[:, roles["head"]], axis=-1)
    near: Bools = (to_head < 0.5) | (np.linalg.norm(hand - other, axis=-1) < 0.4)
    return near


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    kinesphere.warm_up()
    names = ("wrist", "short", "wrists back", "ankles back", "bones", "slide")
    print("wrist p99 %arm | frames out of reach | back: wrists p95 %arm | ankles p95 %leg | bones m | slide mm")
    for name in CHARACTERS:
        character = kinesphere.load_character(data / "characters" / name)
        rows = []
        for clip in CLIPS:
            found = row(kinesphere.load(data / f"bvh/cmu/{clip}.bvh"), character)
            rows.append([found[key] for key in names])
            wrist, short, wrists, ankles, bones, slide = rows[-1]
            print(
                f"  {name[:24]:<24} {clip:<7} {100 * wrist:7.2f} {short:7.0f} {100 * wrists:8.2f} {100 * ankles:8.2f} "
                f"{bones:9.1e} {1000 * slide:8.2f}"
            )
        middle = np.median(np.array(rows), axis=0)
        wrist, short, wrists, ankles = (float(value) for value in middle[:4])
        print(f"  {name[:24]:<24} median  {100 * wrist:7.2f} {short:7.0f} {100 * wrists:8.2f} {100 * ankles:8.2f}")


if __name__ == "__main__":
    main()
