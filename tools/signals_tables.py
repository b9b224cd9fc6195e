"""The tables of ``docs/motion-signals.md``: ``python tools/signals_tables.py`` measures edits and writes Markdown.

Name some of the tables to write only those: ``presets sliding displaced smoothed limits``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import kinesphere
from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Waveshape
from kinesphere.signals.curves import Curves
from kinesphere.signals.equalize import PRESETS
from kinesphere.signals.pose_edits import Target

RATE = 60.0
UP = np.array([0.0, 1.0, 0.0])
WALKS = ("91_36", "137_29", "07_01", "02_01")
PAIRS = (
    ("137_29", "91_36"),
    ("137_29", "137_42"),
    ("137_29", "91_19"),
    ("91_36", "91_17"),
    ("91_36", "91_17, one way"),
    ("07_01", "07_04"),
)
STRETCHES = {"91_17, one way": (2.0, 6.2)}  # seconds: it turns round and comes back, which 91_36 does not
RAISED: tuple[
    tuple[str, str, float, tuple[float, float, float], float | str], ...
] = (  # clip (or one of ours), part, seconds, way, seconds around it
    ("knock", "rightHand", 1.2, (0.0, 0.2, 0.0), "all"),
    ("wave", "rightHand", 1.5, (0.0, 0.2, 0.0), 0.5),
    ("13_09", "rightHand", 5.0, (0.0, 0.2, 0.0), 0.8),
    ("137_29", "leftHand", 4.0, (0.0, 0.2, 0.0), 0.8),
    ("91_36", "hips", 3.0, (0.0, -0.1, 0.0), 0.8),
    ("141_20", "head", 3.0, (0.1, -0.1, 0.0), 0.8),
)
PUNCHES = (("punch", 120.0, 3.0), ("punch", 60.0, 3.0), ("02_05", 120.0, 3.5), ("79_88", 60.0, 3.0))
SUPPLE = ("137_16", "141_16", "79_01", "05_02", "91_11")
SOFT = 0.2  # seconds, the widest low-pass that is tried


def captured(clip: str, rate: float = RATE) -> kinesphere.Motion:
    """A CMU clip without the T-pose that it begins with, or some of it, or one of our motions."""
    if "_" not in clip:
        return motion(clip).resampled(rate)
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    whole = kinesphere.load(data / f"bvh/cmu/{clip.partition(',')[0]}.bvh")
    performed = replace(whole[1:], calibration_frames=(), name=clip).resampled(rate)
    start, end = STRETCHES.get(clip, (0.0, performed.duration))
    return performed[round(start * rate) : round(end * rate) + 1]


def places(given: kinesphere.Motion, *roles: str) -> list[Floats]:
    """``(T, 3)`` each: where parts of a body are."""
    known, world = given.skeleton.with_found_roles().roles, given.positions_world()
    return [world[:, known[role]] for role in roles]


def about_hips(given: kinesphere.Motion, role: str) -> Floats:
    """``(T, 3)`` a part's way as the hips go along."""
    own, hips = places(given, role, "hips")
    return own - hips


def flexion(given: kinesphere.Motion, upper: str, lower: str) -> Floats:
    """``(T,)`` degrees by which a limb is ahead of hanging down, seen from the hips' side."""
    a, b, left, right = places(given, upper, lower, "leftUpperLeg", "rightUpperLeg")
    ahead = np.cross(left - right, UP)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    bone = b - a
    return np.asarray(np.degrees(np.arctan2((bone * ahead).sum(axis=1), -bone[:, 1])))


def effective(values: Floats) -> float:
    """Root mean square of the lengths of ``(T, 3)``."""
    return float(np.sqrt((values**2).sum(axis=1).mean()))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """In Markdown."""
    heads = list(heads)
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def presets() -> None:
    """What each preset does to real walks, as a share of what was."""
    print(f"Walks {', '.join(WALKS)}: mean over them of each measure, divided by the capture's\n")
    rows = []
    for name in PRESETS:
        shares = []
        for clip in WALKS:
            before = captured(clip)
            after = Equalize(preset=name)(before)
            shares.append(np.array(_manner(after)) / np.array(_manner(before)))
        rows.append([name, *(f"{share:.2f}" for share in np.mean(shares, axis=0))])
    measures = ("hands' speed", "feet's speed", "hands' jerk", "feet's jerk", "hips' flexion", "arms' flexion")
    table(("preset", *measures), rows)


def _manner(given: kinesphere.Motion) -> list[float]:
    """Speed and jerk of hands and of feet about the hips, and the ranges of thighs and upper arms."""
    made = []
    for order in (1, 3):
        for part in ("Hand", "Foot"):
            paths = [about_hips(given, f"{side}{part}") for side in SIDES]
            made.append(np.mean([effective(np.diff(path, order, axis=0)) for path in paths]) * given.rate**order)
    for upper, lower in (("UpperLeg", "LowerLeg"), ("UpperArm", "LowerArm")):
        angles = [flexion(given, f"{side}{upper}", f"{side}{lower}") for side in SIDES]
        made.append(np.mean([np.ptp(np.percentile(angle, (5, 95))) for angle in angles]))
    return [float(value) for value in made]


def sliding() -> None:
    """Two walks blended with and without correspondence, feet free and held."""
    rows = [[clip, "as captured", *_feet(captured(clip))] for clip in dict.fromkeys(chain.from_iterable(PAIRS))]
    for pair in PAIRS:
        own = [captured(clip) for clip in pair]
        for align in (False, True):
            for feet in (False, True):
                how = f"{'aligned' if align else 'plainly'}, feet {'held' if feet else 'free'}"
                rows.append([" + ".join(pair), how, *_feet(Blend(align=align, feet=feet)(*own))])
    heads = (
        "walks",
        "blended",
        "seconds",
        "stands, %",
        "lowest point skates, cm/s",
        "contacts",
        "slide, mm",
        "worst, mm",
        "ankle, m/s²",
    )
    table(heads, rows)


def _feet(given: kinesphere.Motion) -> list[str]:
    """Seconds, when a foot stands, how fast what is lowest goes, and how well contacts are held."""
    contacts = find_contacts(given)
    report = foot_report(given, contacts)
    return [
        f"{given.duration:.1f}",
        f"{100.0 * contacts.in_contact().mean():.0f}",
        f"{100.0 * skating(given):.0f}",
        f"{report.contacts}",
        f"{1000.0 * report.slide_mean:.1f}",
        f"{1000.0 * report.slide:.0f}",
        f"{report.ankle_acceleration:.0f}",
    ]


def skating(given: kinesphere.Motion) -> float:
    """How fast the lowest point of both soles goes over the ground, the mean in metres a second.

    This needs no opinion of when a foot stands: in a walk the lowest point always should.
    """
    known = replace(given, skeleton=given.skeleton.with_found_roles())
    paths = sole_paths(known, sole_points(known.skeleton))
    speed = np.linalg.norm(np.diff(paths[..., [0, 2]], axis=0), axis=-1) * given.rate
    low = np.argmin(paths[:-1, :, 1], axis=1)
    return float(speed[np.arange(len(speed)), low].mean())


def displaced() -> None:
    """Is it there at the frame, is all as it was outside, do feet stand."""
    rows = []
    for clip, part, seconds, way, width in RAISED:
        before = captured(clip)
        edit = Displace([Target(part, seconds=seconds, by=way)], width=width)
        after = edit(before)
        frame = round(seconds * before.rate)
        own, new = (places(one, part)[0][frame] for one in (before, after))
        off = np.linalg.norm(new - own - way)
        moved = np.abs(after.rotations - before.rotations).max(axis=(1, 2)) > 0.0
        around = 0.0 if isinstance(width, str) else width
        outside = np.abs(before.times - frame / before.rate) > around + 1.5 / before.rate
        changed = "–" if isinstance(width, str) else f"{int(moved[outside].sum())}"
        contacts = find_contacts(before)
        slides = [foot_report(one, contacts).slide_mean for one in (before, after)]
        rows.append(
            [
                f"{clip}, {part}",
                f"{100.0 * float(np.linalg.norm(way)):.0f}",
                f"{1000.0 * off:.4f}",
                changed,
                f"{1000.0 * slides[0]:.2f}",
                f"{1000.0 * slides[1]:.2f}",
            ]
        )
    heads = (
        "clip, part",
        "asked, cm",
        "off at the frame, mm",
        "frames changed outside",
        "slide before, mm",
        "after, mm",
    )
    table(heads, rows)


def smoothed() -> None:
    """White noise on every joint of a strike: taken out by Smooth, and by low-passes."""
    rows = []
    for clip, rate, degrees in PUNCHES:
        clean = captured(clip, rate)
        jittery = noisy(clean, degrees)
        plain = [low_passed(jittery, seconds) for seconds in np.geomspace(0.01, SOFT, 24)]
        most = max(plain, key=lambda other: removed(other, jittery, clean))
        sharp = [other for other in plain if strike(other) >= 0.95 * strike(clean)]
        kept = max(sharp, key=lambda other: removed(other, jittery, clean), default=jittery)
        ways = {"Smooth": Smooth(1.0)(jittery), "low-pass, the best": most, "low-pass, as sharp": kept}
        for way, made in ways.items():
            rows.append(
                [
                    f"{clip}, {rate:.0f} fps, {degrees:g}°",
                    way,
                    f"{100.0 * removed(made, jittery, clean):.0f}",
                    f"{100.0 * strike(made) / strike(clean):.0f}",
                ]
            )
    table(("strike and noise", "by", "noise removed, %", "peak speed, %"), rows)


def noisy(given: kinesphere.Motion, degrees: float, seed: int = 0) -> kinesphere.Motion:
    """White noise on every joint, so many degrees about each of three axes."""
    rng = np.random.default_rng(seed)
    noise = np.radians(degrees) * rng.normal(size=(*given.rotations.shape[:2], 3))
    turned = rotations.multiply(given.rotations, rotations.from_rotation_vector(noise))
    return replace(given, rotations=rotations.continuous(turned))


def removed(made: kinesphere.Motion, jittery: kinesphere.Motion, clean: kinesphere.Motion) -> float:
    """The share of the noise, in root mean squares of angles over all frames and joints, that is gone."""
    left, was = (
        float(np.sqrt(np.mean(rotations.angle_between(one.rotations, clean.rotations) ** 2))) for one in (made, jittery)
    )
    return 1.0 - left / was


def strike(given: kinesphere.Motion) -> float:
    """The fastest that a hand is, in metres a second."""
    hands = (np.gradient(path, 1.0 / given.rate, axis=0) for path in places(given, "leftHand", "rightHand"))
    return float(max(np.linalg.norm(speed, axis=1).max() for speed in hands))


def low_passed(given: kinesphere.Motion, seconds: float) -> kinesphere.Motion:
    """Every curve under a bell so wide."""
    curves, width = Curves.of(given), seconds * given.rate
    reach = int(np.ceil(4.0 * width))
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.pad(curves.table, ((reach, reach), (0, 0)), mode="edge")
    soft = [np.convolve(column, bell / bell.sum(), mode="valid") for column in padded.T]
    return curves.with_table(np.stack(soft, axis=1))


def limits() -> None:
    """Degrees beyond joints' limits, before and after they are brought softly to them."""
    rows = []
    for clip in SUPPLE:
        before = captured(clip)
        after = Waveshape("limits", by="joint", feet=False)(before)
        held = Waveshape("limits", by="joint")(before)
        numbers = chain.from_iterable(_beyond(one) for one in (before, after, held))
        moved = np.linalg.norm(after.positions_world() - before.positions_world(), axis=-1)
        rows.append([clip, *(f"{number:.1f}" for number in numbers), f"{1000.0 * moved.mean():.0f}"])
    heads = (
        "clip",
        "worst before, °",
        "beyond, %",
        "after, feet free, °",
        "%",
        "after, feet held, °",
        "%",
        "moved, mm",
    )
    table(heads, rows)


def _beyond(given: kinesphere.Motion) -> tuple[float, float]:
    """The worst excess in degrees, and the share in percent of frames and joints that are more than 0.1° beyond."""
    past = np.degrees(np.stack(list(kinesphere.limit_excess(given).values())))
    return float(past.max()), float(100.0 * (past > 0.1).mean())


TABLES: dict[str, Callable[[], Any]] = {
    "presets": presets,
    "sliding": sliding,
    "displaced": displaced,
    "smoothed": smoothed,
    "limits": limits,
}


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    wanted = sys.argv[1:] or list(TABLES)
    if set(wanted) - set(TABLES):
        sys.exit(f"tables are {', '.join(TABLES)}")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    for name in wanted:
        print(f"## {name}\n")
        TABLES[name]()


if __name__ == "__main__":
    main()
