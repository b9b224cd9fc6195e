"""Another version of Kinesphere beside this one, warm, in turns: processor milliseconds of each call, and the ratio.

    .venv/bin/python benchmarks/before_after.py --before ../old/.venv/bin/python

Each round runs all calls in a process of either version, one after the other, so that a busy moment of the machine hits
both alike. The best of all rounds counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


def calls() -> dict[str, Callable[[], object]]:
    """What is timed, by names that both versions have; where a name changed, both are tried."""
    import numpy as np

    import kinesphere
    from kinesphere import Effort, Motion, Shape

    builtin: Any = getattr(kinesphere, "builtin", None) or importlib.import_module("kinesphere.figure")
    mo, motion = builtin.mo, builtin.motion
    from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape

    find_contacts: Any = getattr(kinesphere, "find_contacts", None) or getattr(kinesphere, "find_plants", None)
    walk, wave = motion("walk"), motion("wave")
    order = np.resize(np.arange(len(walk) + len(wave)), 600)
    rows = [np.concatenate([a, b])[order] for a, b in zip(_arrays(walk), _arrays(wave), strict=True)]
    given = Motion(walk.skeleton, 60.0, rows[0], rows[1])
    other = Motion(walk.skeleton, 60.0, rows[0][::-1].copy(), rows[1][::-1].copy())
    hand = {"part": "rightHand", "seconds": 5.0, "by": (0.0, 0.2, 0.0)}
    foot = {"part": "leftFoot", "seconds": 5.0, "by": (0.0, 0.1, 0.0)}
    hips = {"part": "hips", "seconds": 5.0, "by": (0.0, -0.1, 0.0)}
    body = mo()
    folder = Path(sys.argv[0]).parent
    clip = folder.parent.parent / "shared" / "data" / "bvh" / "cmu" / "79_01.bvh"
    effort, shape = Effort(0.4, -0.7, 0.9, -0.3), Shape(0.3, -0.2, 0.5)
    many = [kinesphere.Score("wave", (kinesphere.Layer(kinesphere.Express(Effort(i / 50 - 1.0))),)) for i in range(100)]
    ready: dict[str, Callable[[], object]] = {
        "world positions": given.positions_world,
        "perform, neutral": lambda: kinesphere.perform("wave"),
        "perform, Effort and Shape": lambda: kinesphere.perform("wave", effort, shape),
        "perform, words": lambda: kinesphere.perform("wave", words="shy"),
        "100 performances in one call": lambda: kinesphere.render_all(many),
        "find contacts": lambda: find_contacts(_fresh(given)),
        "lock feet": lambda: kinesphere.lock_feet(_fresh(given)),
        "retarget": lambda: kinesphere.retarget(_fresh(given), body),
        "Equalize": lambda: Equalize(preset="exaggerate")(_fresh(given)),
        "Equalize, feet free": lambda: Equalize(preset="exaggerate", feet=False)(_fresh(given)),
        "Waveshape": lambda: Waveshape("undulation")(_fresh(given)),
        "Waveshape, limits by joint": lambda: Waveshape("limits", by="joint")(_fresh(given)),
        "Smooth": lambda: Smooth(1.0)(_fresh(given)),
        "Displace a hand": lambda: Displace([hand], width=4.0)(_fresh(given)),
        "Displace a foot": lambda: Displace([foot], width=4.0)(_fresh(given)),
        "Displace the hips": lambda: Displace([hips], width=4.0)(_fresh(given)),
        "Timewarp, beats": lambda: Timewarp(bpm=100.0)(_fresh(given)),
        "Blend, aligned": lambda: Blend([0.5, 0.5])(_fresh(given), _fresh(other)),
        "Blend": lambda: Blend([0.5, 0.5], align=False)(_fresh(given), _fresh(other)),
        "resample": lambda: given.resampled(37.0),
    }
    if clip.is_file():
        ready["load BVH"] = lambda: kinesphere.load(clip)
    from kinesphere.pictures import still

    ready["still, 640 × 480"] = lambda: still(wave, 1.0, size=(640, 480))
    return ready


def _arrays(motion: Any) -> tuple[Any, ...]:
    return motion.rotations, motion.translations


def _fresh(motion: Any) -> Any:
    """The same motion as a new object: what is kept with the old one does not count."""
    from dataclasses import replace

    return replace(motion, name="fresh")


def time_calls(seconds: float) -> dict[str, float]:
    """The best processor time of each call, in milliseconds."""
    import kinesphere

    warnings.simplefilter("ignore")
    getattr(kinesphere, "warm_up", lambda: None)()  # versions that compiled while they ran
    found = {}
    for name, call in calls().items():
        call(), call()
        best, end = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.process_time()
            call()
            best = min(best, time.process_time() - start)
        found[name] = 1e3 * best
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", help="the Python of another version's environment")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each call in each round")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(time_calls(given.seconds)))
        return
    pythons = ({"before": given.before} if given.before else {}) | {"now": sys.executable}
    best: dict[str, dict[str, float]] = {name: {} for name in pythons}
    for _ in range(given.rounds):
        for name, python in pythons.items():
            command = [python, __file__, "--worker", "--seconds", str(given.seconds)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            for call, taken in json.loads(done.stdout.splitlines()[-1]).items():
                best[name][call] = min(taken, best[name].get(call, taken))
    print(f"{'processor ms a call':<34}" + "".join(f"{name:>10}" for name in pythons))
    for call in best["now"]:
        times = [best[name][call] for name in pythons]
        ratio = f"   × {times[-1] / times[0]:.2f}" if len(times) > 1 else ""
        print(f"{call:<34}" + "".join(f"{taken:10.3f}" for taken in times) + ratio)


if __name__ == "__main__":
    main()
