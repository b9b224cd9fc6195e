"""Twelve captures on every humanoid character, and back: the numbers of ``docs/characters.md``.

For each pair: how far wrists are from where the shoulder's rule puts them (99th percentile, of the arm's length, over
frames in which it can be reached and no hand is near the head or the other hand), the share of frames left out for the
latter, in how many frames a wrist or an ankle falls short of its place by more than 5 mm, how far wrists and ankles are
off after a round trip (95th percentile over all frames, of the arm's and the leg's length), how much bones change, and
how much ankles in contact slide beyond what they did, in the mean and at worst.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere.body.contacts import Contact, find_contacts
from kinesphere.body.retargeting.calibration import Calibration, calibrate
from kinesphere.body.retargeting.hand_placement import place_wrists
from kinesphere.body.retargeting.wrists import gather_hands
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.humanoid import SIDES

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


NAMES = ("wrist", "near", "short", "wrists back", "ankles back", "bones", "slide", "worst slide")
GOAL = 0.03  # of a limb's length: how far a wrist or an ankle may be off after a round trip


def row(motion: kinesphere.Motion, character: kinesphere.Character) -> dict[str, float]:
    """All numbers of one pair."""
    onto = kinesphere.retarget(motion, character)
    back = kinesphere.retarget(onto, motion.skeleton)
    body = calibrate(motion, onto.skeleton)
    performed = motion.performed_frames
    source, result, again = (m.positions_world()[performed] for m in (motion, onto, back))
    roles, there = motion.skeleton.roles, onto.skeleton.roles
    near = _near_something(motion, onto)[performed]
    numbers = dict.fromkeys(NAMES, 0.0) | {"near": float(near.mean()), "short": float(_short(onto))}
    for side in SIDES:
        hand, arm, foot = f"{side}Hand", f"{side}UpperArm", f"{side}Foot"
        wanted = body.arm[side] * (source[:, roles[hand]] - source[:, roles[arm]])
        length = body.target.lengths[f"{side}Arm"]
        off = np.linalg.norm(result[:, there[hand]] - result[:, there[arm]] - wanted, axis=-1) / length
        clear = ~near & _reachable(body, side, wanted)
        numbers["wrist"] = max(numbers["wrist"], float(np.percentile(off[clear], 99)) if clear.any() else 0.0)
        for key, role, limb in (("wrists back", hand, "Arm"), ("ankles back", foot, "Leg")):
            gone = np.linalg.norm(again[:, roles[role]] - source[:, roles[role]], axis=-1)
            numbers[key] = max(numbers[key], float(np.percentile(gone, 95)) / body.source.lengths[f"{side}{limb}"])
    numbers["bones"] = _stretched(onto)
    contacts = find_contacts(motion).intervals
    added = np.array(_slides(onto, contacts)) - body.leg * np.array(_slides(motion, contacts))
    if contacts:
        numbers |= {"slide": float(added.mean()), "worst slide": float(added.max())}
    return numbers


def _reachable(body: Calibration, side: str, wanted: Floats) -> Bools:
    """Neither farther than the arm is long nor nearer than its two bones, of different length, can fold."""
    p, roles = body.target.pose.positions, body.target.skeleton.roles
    arm, elbow, hand = (p[roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
    bones = float(np.linalg.norm(elbow - arm)), float(np.linalg.norm(hand - elbow))
    far = np.linalg.norm(wanted, axis=-1)
    reached: Bools = (far <= sum(bones)) & (far >= abs(bones[0] - bones[1]))
    return reached


def _near_something(motion: kinesphere.Motion, onto: kinesphere.Motion) -> Bools:
    """Frames in which a hand is so near to the head or the other hand that other rules begin to hold."""
    q, p = motion.world()
    body = calibrate(motion, onto.skeleton)
    world, places = onto.world()
    wanted = place_wrists(body, gather_hands(body.source, q, p), p, world, places)
    near = np.zeros(len(p), dtype=bool)
    for side, target in zip(SIDES, wanted, strict=True):
        hand, arm = (p[:, motion.skeleton.roles[f"{side}{part}"]] for part in ("Hand", "UpperArm"))
        plain = places[:, onto.skeleton.roles[f"{side}UpperArm"]] + body.arm[side] * (hand - arm)
        near |= np.linalg.norm(target - plain, axis=-1) > 1e-9
    return near


def _short(onto: kinesphere.Motion) -> int:
    """Frames in which ends fall short, the sum over limbs, as the result says itself."""
    return sum(int(found[1]) for said in onto.source.evidence if (found := re.search(r"5 mm in (\d+) of", said)))


def _stretched(onto: kinesphere.Motion) -> float:
    """The most that a bone changes its length, but for hips and loose feet."""
    skeleton, places = onto.skeleton, onto.positions_world()
    free = {skeleton.roles["hips"], *(skeleton.roles[f"{side}Foot"] for side in SIDES)}
    bones = [j for j, parent in enumerate(skeleton.parents) if parent >= 0 and j not in free]
    lengths = np.linalg.norm(places[:, bones] - places[:, skeleton.parents[bones]], axis=-1)
    return float(np.abs(lengths - skeleton.bone_lengths[bones]).max())


def _slides(motion: kinesphere.Motion, intervals: tuple[Contact, ...]) -> list[float]:
    """For each contact, how far the ankle gets over the ground from its middle there."""
    places = motion.positions_world()
    slides = []
    for contact in intervals:
        path = places[contact.first : contact.last + 1, motion.skeleton.roles[f"{contact.side}Foot"]][:, [0, 2]]
        slides.append(float(np.linalg.norm(path - 0.5 * (path.min(axis=0) + path.max(axis=0)), axis=1).max()))
    return slides


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--all", action="store_true", help="every CMU clip instead of the twelve")
    every_clip = parser.parse_args().all
    clips = [path.stem for path in sorted((data / "bvh/cmu").glob("*.bvh"))] if every_clip else list(CLIPS)
    print("wrist p99 %arm | near % | short frames | back: wrists, ankles p95 % | bones m | slide mean, worst mm")
    every = []
    for name in CHARACTERS:
        character = kinesphere.load_character(data / "characters" / name)
        rows = []
        for clip in clips:
            found = row(kinesphere.load(data / f"bvh/cmu/{clip}.bvh"), character)
            rows.append([found[key] for key in NAMES])
            print(_line(name, clip, rows[-1]))
        print(_line(name, "median", np.median(rows, axis=0).tolist()))
        every += rows
    backs = np.array(every)[:, [NAMES.index("wrists back"), NAMES.index("ankles back")]]
    wrists, ankles = (int(count) for count in (backs <= GOAL).sum(axis=0))
    print(f"round trip within {GOAL:.0%}: wrists {wrists}, ankles {ankles} of {len(every)}")


def _line(name: str, clip: str, values: list[float]) -> str:
    wrist, near, short, wrists, ankles, bones, slide, worst = values
    return (
        f"  {name[:24]:<24} {clip:<7} {100 * wrist:6.2f} {100 * near:5.0f} {short:6.0f} {100 * wrists:7.2f} "
        f"{100 * ankles:7.2f} {bones:9.1e} {1000 * slide:7.2f} {1000 * worst:7.2f}"
    )


if __name__ == "__main__":
    main()
