"""A score with five layers: Effort, a higher rap, a slower end, a lean and softer arms. Saved as JSON and read back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from kinesphere import Effort, Express, Layer, Motion, Score, load_score, render, save_score
from kinesphere.signals import Displace, Equalize, Timewarp
from kinesphere.signals.pose_edits import Target, Turn

# Times are the knock's own, whatever Effort and timewarps make of them.
LAYERS = {
    "strong": Layer(Express(Effort(weight=0.8))),
    "the second rap higher": Layer(Displace([Target("rightHand", seconds=1.2, by=(0.0, 0.15, 0.0))], width=0.25)),
    "a slower end": Layer(Timewarp(marks=[(1.6, 1.8), (3.0, 4.2)])),
    "leans in to listen": Layer(Displace([Turn("spine", (0.35, 0.0, 0.0), seconds=2.05)], width=0.7)),
    "softer arms at the end": Equalize(preset="soften").over(start=1.8, parts=("arms",)),
}


def score(count: int = len(LAYERS)) -> Score:
    """A knock with the first layers of these."""
    return Score("knock", tuple(LAYERS.values())[:count])


def performances() -> dict[str, Motion]:
    """The knock as it grows, layer by layer."""
    names = ("knock", *LAYERS)
    return {name: render(score(count)) for count, name in enumerate(names)}


def main() -> None:
    """Say what each layer adds, and that the file says the same."""
    for name, made in performances().items():
        hand = made.positions_world()[:, made.skeleton.index("rightHand"), 1]
        print(f"{name:>22}: {made.duration:.2f} s, the hand up to {hand.max():.3f} m")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "knock.json"
        save_score(score(), file)
        same = np.array_equal(render(load_score(file)).rotations, render(score()).rotations)
        print(f"its file has {len(file.read_text())} characters and gives {'the same' if same else 'another'} motion")


if __name__ == "__main__":
    main()
