"""What holding feet after an edit takes, step by step, beside one pass over the motion's numbers.

Run it with ``.venv/bin/python -W ignore benchmarks/held_feet.py`` from the repository. The clip is ten seconds at 60
fps: the figure's walk to and fro, and the same on a floor that drifts under it, as an edit would leave it.
"""

from __future__ import annotations

import os

import numpy as np

from kinesphere.body.contacts import find_contacts
from kinesphere.body.foot_lock.lock import lock_feet
from kinesphere.body.joint_subset import leg_subset, subset_pose
from kinesphere.builtin.library import motion as figure_motion
from kinesphere.maths import rotations
from kinesphere.motion.motion import Motion
from kinesphere.motion.transform import move_motion
from kinesphere.signals.constraints import hold_feet, move_contacts
from timing import race

FRAMES, RATE = 600, 60.0
GOALS = {"find_plants": 3.0, "carried": 0.5, "lock_feet": 4.0}  # milliseconds, at best


def to_and_fro(motion: Motion) -> Motion:
    """So many frames: forward, backward, forward, …"""
    there = motion.resampled(RATE)
    way = np.concatenate([np.arange(len(there)), np.arange(len(there))[::-1]])
    frames = np.resize(way, FRAMES)
    return Motion(there.skeleton, RATE, there.rotations[frames], there.translations[frames])


def main() -> None:
    before = to_and_fro(figure_motion("walk"))
    drift = np.sin(before.times * 2.4)[:, None] * [0.02, 0.0, 0.01]
    after = move_motion(before, rotations.identity(), drift)
    contacts = find_contacts(before)
    brought = move_contacts(contacts, after)
    joints = np.ones(len(before.skeleton), dtype=bool)
    results = race(
        {
            "one pass over the motion": lambda: (after.rotations.copy(), after.translations.copy()),
            "legs in the world": lambda: subset_pose(after, leg_subset(after.skeleton)),
            "find_plants": lambda: find_contacts(before),
            "carried": lambda: move_contacts(contacts, after),
            "lock_feet": lambda: lock_feet(after, brought),
            "all of it (held)": lambda: hold_feet(before, after, joints),
        },
        seconds=5.0,
    )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"\nfeet, {FRAMES} frames, {len(before.skeleton)} joints, {len(contacts.intervals)} contacts; load {load}")
    one, met = results["one pass over the motion"], True
    for name, timing in results.items():
        line = f"  {name:<28}{timing.best * 1e3:9.2f} ms best{timing.median * 1e3:9.2f} ms median"
        line += f"{timing.median / one.median:9.1f} passes"
        if name in GOALS:
            holds = timing.best * 1e3 <= GOALS[name]
            met &= holds
            line += f"   goal {GOALS[name]:g} ms: {'yes' if holds else 'NO'}"
        print(line)
    print(f"\ngoals met: {'yes' if met else 'NO'}")


if __name__ == "__main__":
    main()
