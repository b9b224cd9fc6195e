"""Lift and perform ten seconds at 60 frames a second of 60 joints; and minutes, to see that time grows with length.

Run it with ``.venv/bin/python -W ignore benchmarks/recordings.py`` from the repository. Goals: ``lift`` 60 ms,
``perform`` 30 ms, one dial on a lifted phrase 10 ms. Beside each stands how often the motion could be copied in that
time, and what an equalizer and foot lock take on the same motion in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from edits import clip
from kinesphere import Effort, Equalize, Express, Motion, Shape, generate, lift, lock_feet, perform
from timing import race

GOALS = {"lift": 0.060, "perform, Effort": 0.030, "perform, words": 0.030, "one dial, weight": 0.010}
MINUTES = (0.5, 1, 2, 4, 8)


def main() -> None:
    given = clip()
    phrase = lift(given)
    angry = Express(words={"angry": 1.0})
    runs: dict[str, Callable[[], object]] = {
        "lift": lambda: lift(replace(given)),
        "perform, Effort": lambda: perform(given, Effort(weight=1.0)),
        "perform, words": lambda: perform(given, words="angry"),
        "one dial, weight": lambda: generate(Effort(weight=1.0)(phrase), given.rate),
        "one dial, time": lambda: generate(Effort(time=1.0)(phrase), given.rate),
        "one dial, space": lambda: generate(Effort(space=1.0)(phrase), given.rate),
        "one dial, flow": lambda: generate(Effort(flow=1.0)(phrase), given.rate),
        "one dial, Shape": lambda: generate(Shape(vertical=1.0)(phrase), given.rate),
        "words on a lifted phrase": lambda: generate(angry(phrase), given.rate),
        "Equalize, beside": lambda: Equalize(preset="exaggerate")(given),
        "lock feet, beside": lambda: lock_feet(given),
        "one copy of the motion": lambda: (given.rotations.copy(), given.translations.copy()),
    }
    results = race(runs, 12.0)
    copy = results["one copy of the motion"].median
    print(f"{len(given)} frames, {len(given.skeleton)} joints")
    for name, timing in results.items():
        line = f"  {name:<28}{timing.best * 1e3:8.1f} ms best {timing.median * 1e3:8.1f} ms median"
        line += f"  {timing.median / copy:7.0f} copies"
        if name in GOALS:
            line += f"   goal {GOALS[name] * 1e3:.0f} ms: {'met' if timing.median <= GOALS[name] else 'missed'}"
        print(line)
    print("\nminutes of motion: seconds to lift and to perform, and milliseconds a second of motion")
    for minutes in MINUTES:
        _report_length(clip(frames=round(minutes * 3600)), minutes)


def _report_length(motion: Motion, minutes: float) -> None:
    started = time.perf_counter()
    phrase = lift(motion)
    lifted = time.perf_counter()
    generate(Effort(weight=1.0)(phrase), motion.rate)
    done = time.perf_counter()
    each = 1e3 * (done - started) / motion.duration
    print(f"  {minutes:5g} min: {lifted - started:6.2f} s, {done - lifted:6.2f} s; {each:5.2f} ms a second")


if __name__ == "__main__":
    main()
