"""Scripts: a minute of actions with twenty movement properties, from its text to a motion; and how it grows.

Run it with ``.venv/bin/python -W ignore benchmarks/scripts.py`` from the repository. The goal is half a second for a
minute, warm, and a time that grows as the script does: the last column is seconds a minute, over that of one minute.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from kinesphere import Motion, Score, render
from kinesphere.scripts import load_script

GOAL = 0.5  # seconds of a minute's script
ROWS = (
    'do = "touch"\ntarget = [-0.35, 1.2, 0.45]',
    'do = "shrug"',
    'do = "touch"\ntarget = [0.3, 1.3, 0.5]\nhand = "left"\nstays = 0.8',
    'do = "shrug"\nduration = 3.2',
)
PROPERTIES = (
    'name = "posture"\namount = 0.5',
    'name = "succession"\noffset = 0.05',
    'name = "extent"\namount = 0.5',
    'name = "tempo"\nfactor = 0.9',
    'name = "amplitude"\nfactor = 1.2',
    'name = "elbows"\namount = 0.5',
    'name = "shoulders"\nheight = 0.4',
    'name = "balance_shift"\naside = 0.3',
    'name = "carriage"\nchest = 0.4',
    'name = "envelope"\nkind = "overshoot"',
    'name = "beauty_line"\namount = 0.5',
    'name = "knees"\namount = -0.3',
    'name = "spine_curve"\ngravity = -0.3',
    'name = "reach"\namount = 0.3',
    'name = "head_carriage"\ntilt = 0.3',
    'name = "balance_sway"\namount = 0.5',
)


def script_text(actions: int, properties: int) -> str:
    """A script of so many actions with so many properties, spread over them, and a few edits of all of it."""
    text = ['kind = "script"']
    for i in range(actions):
        text.append(f"[[action]]\n{ROWS[i % len(ROWS)]}")
        for k in range(properties * i // actions, properties * (i + 1) // actions):
            text.append(f"[[action.property]]\n{PROPERTIES[k % len(PROPERTIES)]}")
    return "\n".join(text)


def best(path: Path, text: str, rounds: int = 3) -> tuple[float, Motion]:
    """The best of a few times to read, compile and perform a script; each time the text is another one."""
    times, made = [], None
    for i in range(rounds + 1):
        path.write_text(f"{text}\n# {i}\n", encoding="utf-8")
        started = time.perf_counter()
        made = render(Score(load_script(path)))
        times.append(time.perf_counter() - started)
    assert made is not None
    return min(times[1:]), made


def main() -> None:
    print("| script | actions | properties | s | × goal | s a minute, over the first |")
    print("|---|---|---|---|---|---|")
    first = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.toml"
        for actions, properties in ((21, 20), (42, 40), (84, 80), (21, 0)):
            seconds, made = best(path, script_text(actions, properties))
            minute = seconds / (made.duration / 60.0)
            first = first or minute
            row = f"{made.duration:.0f} s | {actions} | {properties} | {seconds:.3f}"
            print(f"| {row} | {minute / GOAL:.2f} | {minute / first:.2f} |")


if __name__ == "__main__":
    main()
