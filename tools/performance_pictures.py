"""Pictures of the three scenes for docs/performance.md, and films of them.

python tools/performance_pictures.py                 writes docs/pictures/scene_*.jpg
python tools/performance_pictures.py --films FOLDER  writes films of the scenes, and of one script in all sketches
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import kinesphere
from docs_pictures import saved
from kinesphere import Motion, Score, film, render, sheet
from kinesphere.performance.sketch import Sketch
from kinesphere.performance.sketch_file import SKETCHES
from kinesphere.pictures.camera import View

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "examples" / "scripts"
# Of each scene its scripts, and from where it is seen.
SCENES: Mapping[str, tuple[Sequence[str], View]] = {
    "apple": (("apple-plain", "apple-sensual", "apple-nervous"), "front"),
    "go_left": (("go-left", "go-left-loose"), "front"),
    "emphatic": (("emphatic-near", "emphatic-middle", "emphatic-far"), "three-quarter"),
}


def performed(name: str) -> Motion:
    """The motion of a script of the examples, called as its file."""
    return replace(render(Score(SCRIPTS / f"{name}.toml")), name=name.replace("-", " "))


def draw_scene(name: str) -> None:
    """A sheet of one scene: a row for each of its scripts."""
    scripts, view = SCENES[name]
    motions = [performed(own) for own in scripts]
    size = (1800, 60 + 390 * len(motions))
    saved(
        sheet(motions, character=kinesphere.figure(), frames=9, size=size, view=view, trails=True),
        f"scene_{name}.jpg",
        1500,
    )


def write_films(folder: Path) -> None:
    """Films of all scenes side by side, and of one script in all sketches."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (scripts, view) in SCENES.items():
        motions = [performed(own) for own in scripts]
        film(motions, folder / f"{name}.mp4", character=kinesphere.figure(), size=(480 * len(motions), 540), view=view)
        print(folder / f"{name}.mp4")
    script = SCRIPTS / "eight-characters.toml"
    motions = [replace(render(Score(script, (Sketch(name).over(),))), name=name) for name in SKETCHES.names]
    film(motions, folder / "sketches.mp4", character=kinesphere.figure(), size=(1600, 900), columns=4)
    print(folder / "sketches.mp4")


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--films", type=Path, metavar="FOLDER", help="write films instead, into this folder")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.films is not None:
        write_films(options.films)
        return
    for name in SCENES:
        draw_scene(name)
        print(f"docs/pictures/scene_{name}.jpg")


if __name__ == "__main__":
    main()
