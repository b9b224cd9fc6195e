"""Every edit of signals on ten seconds at 60 frames a second of 60 joints; the goal is 15 ms each, feet held.

Run it with ``.venv/bin/python -W ignore benchmarks/edits.py`` from the repository. Beside each stands how often the
motion could be copied in that time: an edit reads all of it and writes all of it, so a handful of copies is near what
memory allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from kinesphere import Motion
from kinesphere.builtin import motion
from kinesphere.maths.vectors import Floats
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape
from kinesphere.signals.pose_edits import Target, Turn
from timing import race

FRAMES, JOINTS, GOAL = 600, 60, 0.015


def clip(frames: int = FRAMES, joints: int = JOINTS) -> Motion:
    """The figure walking and waving, over and over, with a few joints more at its hands."""
    walk, wave = motion("walk"), motion("wave")
    order = np.concatenate([np.arange(len(walk)), len(walk) + np.arange(len(wave))])
    order = np.resize(order, frames)
    rotations = np.concatenate([walk.rotations, wave.rotations])[order]
    translations = np.concatenate([walk.translations, wave.translations])[order]
    own, more = walk.skeleton, joints - len(walk.skeleton)
    hand = own.index("rightHand")
    skeleton = Skeleton(
        (*own.names, *(f"prop{i}" for i in range(more))),
        np.concatenate([own.parents, np.full(more, hand)]),
        np.concatenate([own.offsets, np.full((more, 3), 0.05)]),
        roles=dict(own.roles),
    )
    return Motion(
        skeleton,
        60.0,
        np.concatenate([rotations, rotations[:, :more]], axis=1),
        np.concatenate([translations, _held(skeleton.offsets[len(own) :], frames)], axis=1),
    )


def _held(offsets: Floats, frames: int) -> Floats:
    return np.broadcast_to(offsets, (frames, *offsets.shape))


def main() -> None:
    given = clip()
    other = replace(given, rotations=given.rotations[::-1].copy(), translations=given.translations[::-1].copy())
    raised = Target("rightHand", seconds=5.0, by=(0.0, 0.2, 0.0))
    edits: dict[str, Callable[[Motion], Motion]] = {
        "Equalize": Equalize(preset="exaggerate"),
        "Equalize, arms": Equalize(preset="exaggerate").over(parts="arms"),
        "Equalize, 2 to 4 s": Equalize(preset="exaggerate").over(start=2.0, end=4.0),
        "Waveshape": Waveshape("undulation"),
        "Waveshape, limits": Waveshape("limits", by="joint"),
        "Smooth": Smooth(1.0),
        "Displace, one hand": Displace([raised], width="all"),
        "Displace, one hand, 2 s": Displace([raised], width=1.0),
        "Displace, a foot": Displace([Target("leftFoot", seconds=5.0, by=(0.0, 0.15, 0.0))], width="all"),
        "Displace, the hips": Displace([Target("hips", seconds=5.0, by=(0.0, -0.1, 0.0))], width="all"),
        "Displace, the head": Displace([Target("head", seconds=5.0, by=(0.1, -0.05, 0.0))], width="all"),
        "Displace, a joint turned": Displace([Turn("head", (0.0, 0.4, 0.0), seconds=5.0)], width="all"),
        "Timewarp, marks": Timewarp(marks=[(2.0, 2.5), (8.0, 9.0)]),
        "Timewarp, beats": Timewarp(bpm=100.0),
    }
    runs: dict[str, Callable[[], object]] = {name: partial(edit, given) for name, edit in edits.items()}
    runs["Blend, not aligned"] = lambda: Blend(align=False)(given, other)
    runs["Blend, band by band"] = lambda: Blend(bands={2: [1.0, 0.0]}, align=False)(given, other)
    runs["Equalize, feet free"] = lambda: Equalize(preset="exaggerate", feet=False)(given)
    runs["Waveshape, feet free"] = lambda: Waveshape("undulation", feet=False)(given)
    runs["Smooth, feet free"] = lambda: Smooth(1.0, feet=False)(given)
    runs["one copy of the motion"] = lambda: (given.rotations.copy(), given.translations.copy())
    results = race(runs, seconds=6.0)
    copy = results["one copy of the motion"].best
    print(f"\nedits, {FRAMES} frames of {JOINTS} joints (goal: {1e3 * GOAL:g} ms)")
    for name, timing in results.items():
        told = "" if timing.best <= GOAL else "   over the goal"
        print(
            f"  {name:<28}{1e3 * timing.best:8.2f} ms best {1e3 * timing.median:8.2f} ms median"
            f"{timing.best / copy:8.1f} copies{told}"
        )
    met = sum(timing.best <= GOAL for timing in results.values())
    print(f"\n{met} of {len(results)} within the goal")


if __name__ == "__main__":
    main()
