"""EMOTE's signed phrase whose nuance changes, stored as a score: layers over time ranges, in JSON."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kinesphere import Effort, Express, Layer, Score, Shape, load_score, render, save_score

SIGN = Path(__file__).parent / "scenes" / "sign.toml"
NUANCES = {
    "plain": (),
    "I doubt that you know": (
        Layer(Express(Effort(space=-0.8, time=-0.5, flow=0.4), Shape(sagittal=0.6))),
        Layer(Express(stillness=-0.3)),
    ),
    "I know that you know": (
        Layer(Express(Effort(space=0.9, weight=0.5, time=0.4), Shape(sagittal=-0.6))),
        Express(Effort(time=-0.7)).over(start=2.0, end=3.0, strength=0.8),
    ),
    "you, of all people": (
        Express(words={"gently": 1.0}).over(end=1.7),
        Express(Effort(weight=1.0, time=0.8), Shape(reach=0.8)).over(start=1.7, end=2.7),
    ),
}


def scores() -> dict[str, Score]:
    """The same phrase, meant otherwise."""
    return {name: Score(SIGN, layers) for name, layers in NUANCES.items()}


def main() -> None:
    """Render each, and one of them again from its file."""
    for name, score in scores().items():
        print(f"{name}: {render(score).duration:.1f} s in {len(score.layers)} layers")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nuance.json"
        save_score(scores()["you, of all people"], file)
        print(f"from its file: {render(load_score(file)).duration:.1f} s")


if __name__ == "__main__":
    main()
