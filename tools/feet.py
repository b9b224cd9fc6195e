"""Twenty captures before and after ``lock_feet``: the numbers of ``docs/characters.md``. ``--all``: every CMU clip.

``--onto hero.glb``: the same after retargeting to a character.

For each clip, over the input's contacts: how far points in contact are at most from their middle (mean over contacts,
and worst), the greatest ankle acceleration, the greatest change of a knee's angular velocity from frame to frame (of
the knee that fares worse), and the greatest jolt that any joint has and had not: by how much its velocity changes more
from one frame to the next than it ever did within three frames.
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
from kinesphere.body.contacts import FootReport, find_contacts, foot_report
from kinesphere.body.ground import performed_runs
from kinesphere.maths.vectors import Floats
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
AROUND = 3  # frames to each side in which a joint's jolts are compared


class Row(NamedTuple):
    """One clip: before and after."""

    before: FootReport
    after: FootReport
    side: str  # the knee that fares worse
    knee: tuple[float, float]  # radians a second
    jolt: float  # metres a second: the greatest that was not there
    where: str  # joint and frame


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


def added_jolts(before: kinesphere.Motion, after: kinesphere.Motion) -> Floats:
    """``(T, J)`` by how much velocities change more from frame to frame, in metres a second, than around there before.

    Of each joint its own frame and ``AROUND`` frames to both sides are looked at, in performed frames.
    """
    places = before.positions_world(), after.positions_world()
    added = np.zeros(places[0].shape[:2])
    for run in performed_runs(before):
        if run.stop - run.start > 2:
            was, now = (np.linalg.norm(np.diff(place[run], 2, axis=0), axis=-1) * before.rate for place in places)
            padded = np.pad(was, ((AROUND, AROUND), (0, 0)))
            most = np.lib.stride_tricks.sliding_window_view(padded, 2 * AROUND + 1, axis=0).max(axis=-1)
            added[run.start + 1 : run.stop - 1] = now - most
    return added


def row(motion: kinesphere.Motion) -> Row:
    """All numbers of one clip."""
    contacts = find_contacts(motion)
    locked = kinesphere.lock_feet(motion, contacts)
    before, after = knee_snaps(motion), knee_snaps(locked)
    worse = int(np.argmax(after - before))
    added = added_jolts(motion, locked)
    frame, joint = np.unravel_index(int(added.argmax()), added.shape)
    where = f"{motion.skeleton.names[joint]} @ {frame}"
    reports = foot_report(motion, contacts), foot_report(locked, contacts)
    return Row(*reports, SIDES[worse], (float(before[worse]), float(after[worse])), max(float(added.max()), 0.0), where)


def line(name: str, kind: str, found: Row) -> str:
    """A row of the table."""
    before, after = found.before, found.after
    cells = [
        name,
        kind,
        str(before.contacts),
        f"{1000 * before.slide_mean:.1f} → {1000 * after.slide_mean:.1f}",
        f"{1000 * before.slide:.1f} → {1000 * after.slide:.1f}",
        f"{before.ankle_acceleration:.0f} → {after.ankle_acceleration:.0f}",
        f"{found.side[0]} {found.knee[0]:.1f} → {found.knee[1]:.1f}",
        f"{found.jolt:.2f}",
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
    jolted = max(rows, key=lambda r: r.jolt)
    return (
        f"{len(rows)} clips: {left:.0%} of the mean slide is left, at most {1000 * worst:.1f} mm; ankle acceleration "
        f"grows in {more}, to {harder:.2f} times at most; the worst knee snap falls in {fallen}; knees that snap more "
        f"by a tenth and half a radian a second: {grown}; no joint's velocity changes from frame to frame by more than "
        f"{jolted.jolt:.2f} m/s more than around there before ({jolted.where})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--all", action="store_true", help="every CMU clip instead of the twenty")
    parser.add_argument(
        "--onto", metavar="CHARACTER", help="retarget the clips first; a path, or one under characters/"
    )
    arguments = parser.parse_args()
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    clips = {path.stem: "" for path in sorted((data / "bvh/cmu").glob("*.bvh"))} if arguments.all else {}
    onto = None
    if arguments.onto is not None:
        path = Path(arguments.onto)
        onto = kinesphere.load_character(path if path.exists() else data / "characters" / path)
    print("| clip | what | contacts | mean slide mm | worst slide mm | ankle m/s² | worse knee rad/s | jolt m/s |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    rows = []
    for name, kind in (clips | CLIPS).items():
        motion = kinesphere.load(data / f"bvh/cmu/{name}.bvh")
        rows.append(row(motion if onto is None else kinesphere.retarget(motion, onto)))
        print(line(name, kind, rows[-1]))
    print()
    print(summary(rows))


if __name__ == "__main__":
    main()
