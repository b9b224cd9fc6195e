"""Twenty captures before and after ``lock_feet``: the numbers of ``docs/characters.md``. ``--all``: every CMU clip.

For each clip, over the input's plants: how far planted points are at most from their middle (mean over plants, and
worst), the greatest ankle acceleration, the greatest change of a knee's angular velocity from frame to frame (of the
knee that fares worse), and the greatest growth of any joint's change of velocity.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinesphere
from kinesphere.body.contacts import FootReport, find_plants, foot_report
from kinesphere.body.ground import performed_runs
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES

CLIPS = {
    "02_01": "walk",
    "02_05": "punch",
    "05_02": "dance, shaking feet",
    "05_11": "dance, sideways steps",
    "07_12": "brisk walk",
    "12_01": "walk",
    "13_09": "drink",
    "13_10": "reach on tiptoe",
    "13_11": "jump forward",
    "13_26": "direct traffic",
    "137_16": "drunk walk",
    "137_24": "graceful walk",
    "137_29": "plain walk",
    "137_33": "old man's walk",
    "141_16": "wave, knees bent backward",
    "141_21": "shrug",
    "144_20": "punches",
    "79_25": "lift a heavy box",
    "91_19": "march",
    "91_48": "jump and turn",
}
SLOW = 0.05  # metres a second: changes of velocity below are not compared, as twice nothing is nothing


class Row(NamedTuple):
    """One clip: before and after."""

    before: FootReport
    after: FootReport
    side: str  # the knee that fares worse
    knee: tuple[float, float]  # radians a second
    rougher: float  # the greatest ratio of a joint's greatest change of velocity


def knee_snaps(motion: kinesphere.Motion) -> Floats:
    """``(2,)`` the greatest change of each knee's angular velocity from frame to frame, as ``foot_report`` has it."""
    place, roles = motion.positions_world(), motion.skeleton.roles
    snaps = []
    for side in SIDES:
        hip, knee, ankle = (place[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        above, below = knee - hip, ankle - knee
        sine = np.linalg.norm(np.cross(above, below), axis=1)
        flexion = np.arctan2(sine, np.sum(above * below, axis=1))
        bends = [np.abs(np.diff(flexion[run], 2)).max(initial=0.0) for run in performed_runs(motion)]
        snaps.append(motion.rate * max(bends, default=0.0))
    return np.array(snaps)


def velocity_changes(motion: kinesphere.Motion) -> Floats:
    """``(J,)`` the greatest change of each joint's velocity from frame to frame, in metres a second."""
    place = motion.positions_world()
    found = np.zeros(place.shape[1])
    for run in performed_runs(motion):
        change = np.linalg.norm(np.diff(place[run], 2, axis=0), axis=-1) * motion.rate
        found = np.maximum(found, change.max(axis=0, initial=0.0))
    return found


def row(motion: kinesphere.Motion) -> Row:
    """All numbers of one clip."""
    plants = find_plants(motion)
    locked = kinesphere.lock_feet(motion, plants)
    before, after = knee_snaps(motion), knee_snaps(locked)
    worse = int(np.argmax(after - before))
    rougher = np.max(velocity_changes(locked) / np.maximum(velocity_changes(motion), SLOW))
    reports = foot_report(motion, plants), foot_report(locked, plants)
    return Row(*reports, SIDES[worse], (float(before[worse]), float(after[worse])), float(rougher))


def line(name: str, kind: str, found: Row) -> str:
    """A row of the table."""
    before, after = found.before, found.after
    cells = [
        name,
        kind,
        str(before.plants),
        f"{1000 * before.slide_mean:.1f} → {1000 * after.slide_mean:.1f}",
        f"{1000 * before.slide:.1f} → {1000 * after.slide:.1f}",
        f"{before.ankle_acceleration:.0f} → {after.ankle_acceleration:.0f}",
        f"{found.side[0]} {found.knee[0]:.1f} → {found.knee[1]:.1f}",
        f"{found.rougher:.2f}",
    ]
    return "| " + " | ".join(cells) + " |"


def summary(rows: list[Row]) -> str:
    """What holds of all clips."""
    sliding = [r for r in rows if r.before.slide_mean > 0.0]
    left = np.mean([r.after.slide_mean / r.before.slide_mean for r in sliding])
    worst = max(r.after.slide for r in rows)
    harder = max(r.after.ankle_acceleration / r.before.ankle_acceleration for r in rows)
    more = sum(r.after.ankle_acceleration > r.before.ankle_acceleration for r in rows)
    grown = sum(r.knee[1] > r.knee[0] + max(0.5, 0.1 * r.knee[0]) for r in rows)
    fallen = sum(r.after.knee_snap < r.before.knee_snap for r in rows)
    return (
        f"{len(rows)} clips: {left:.0%} of the mean slide is left, at most {1000 * worst:.1f} mm; ankle acceleration "
        f"grows in {more}, to {harder:.2f} times at most; the worst knee snap falls in {fallen}; knees that snap more "
        f"by a tenth and half a radian a second: {grown}; joints' changes of velocity grow to "
        f"{max(r.rougher for r in rows):.2f} times at most."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--all", action="store_true", help="every CMU clip instead of the twenty")
    every = parser.parse_args().all
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    kinesphere.warm_up()
    clips = {path.stem: "" for path in sorted((data / "bvh/cmu").glob("*.bvh"))} if every else {}
    print("| clip | what | plants | mean slide mm | worst slide mm | ankle m/s² | worse knee rad/s | joints × |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    rows = []
    for name, kind in (clips | CLIPS).items():
        rows.append(row(kinesphere.load(data / f"bvh/cmu/{name}.bvh")))
        print(line(name, kind, rows[-1]))
    print()
    print(summary(rows))


if __name__ == "__main__":
    main()
