"""Blind readings of performed recordings: pictures of captures in eight elements and ten words, the originals beside.

    python tools/blind_recordings.py elements DATA OUT        five clips, each in eight elements
    python tools/blind_recordings.py words DATA OUT           ten words, each on three of the clips
    python tools/blind_recordings.py elements DATA OUT --clips second     five others
    python tools/blind_recordings.py observer DATA            what the observer codes of the same forty performances

``DATA`` is the folder of captures. ``OUT`` gets what ``blind_sheets.py`` writes: pictures, ``LABELS.csv`` and, for
words, ``WORDS.txt``. Captures are shown on the built-in figure, to which they are retargeted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from blind_pictures import Performance, still_step
from blind_sheets import Item, write_items
from kinesphere import Effort, Motion, figure, load, observe, observe_recorded, perform, retarget
from kinesphere.analysis import Observation
from kinesphere.maths import rotations

Shown = dict[str, tuple[str, float, float]]

# What is done, its file below DATA/bvh, and seconds from which and to which it is shown. The first five were looked at
# while amounts were tuned. The second and the third five were shown to no reader before, but are among the clips on
# which contracts and dials are measured and mended.
CLIP_SETS: dict[str, Shown] = {
    "first": {
        "a wave": ("animated_drawings/wave_hello.bvh", 3.2, 6.0),
        "punches": ("cmu/79_08.bvh", 0.6, 3.6),
        "a drink": ("cmu/79_38.bvh", 0.4, 4.4),
        "a walk": ("cmu/07_01.bvh", 0.1, 2.6),
        "gestures of a conversation": ("cmu/13_26.bvh", 1.0, 5.5),
    },
    "second": {
        "a wave": ("cmu/141_16.bvh", 0.1, 2.4),
        "punches": ("cmu/144_20.bvh", 3.0, 7.0),
        "a drink": ("cmu/137_26.bvh", 5.9, 9.7),
        "a walk": ("cmu/137_29.bvh", 3.0, 5.5),
        "a shrug": ("cmu/141_21.bvh", 0.3, 2.2),
    },
    "third": {
        "strikes": ("cmu/02_05.bvh", 3.0, 7.0),
        "a drink": ("cmu/79_33.bvh", 0.2, 4.6),
        "a walk": ("cmu/12_01.bvh", 0.2, 2.8),
        "a throw": ("cmu/79_92.bvh", 0.2, 4.0),
        "a telephone": ("cmu/79_36.bvh", 0.4, 4.0),
    },
}
ELEMENTS = {
    "indirect": Effort(space=-1.0),
    "direct": Effort(space=1.0),
    "light": Effort(weight=-1.0),
    "strong": Effort(weight=1.0),
    "sustained": Effort(time=-1.0),
    "sudden": Effort(time=1.0),
    "free": Effort(flow=-1.0),
    "bound": Effort(flow=1.0),
}
WORDS = ("angry", "sad", "tired", "joyful", "afraid", "proudly", "shy", "sneakily", "urgently", "menacingly")
CLIPS_A_WORD = 3
LEAST_STEP = 0.1
TRAVELS = 1.0  # metres: who goes farther is shown without its travel


@lru_cache(maxsize=8)
def clip(data: Path, file: str, start: float, end: float) -> Motion:
    """A stretch of a capture."""
    return load(data / "bvh" / file).between(start, end)


def shown(motion: Motion, title: str) -> Performance:
    """A motion on the figure, which faces ahead at its start; who travels stays before the camera."""
    own = retarget(motion.resampled(60.0), figure())
    hips = own.skeleton.roles["hips"]
    path = own.translations[:, hips]
    gone = float(np.linalg.norm((path[-1] - path[0])[[0, 2]]))
    ahead = rotations.rotate(own.rotations[0, hips], np.array([0.0, 0.0, 1.0]))
    about = rotations.from_axis_angle([0.0, 1.0, 0.0], -float(np.arctan2(ahead[0], ahead[2])))
    local, translations = own.rotations.copy(), own.translations.copy()
    local[:, hips] = rotations.multiply(about, local[:, hips])
    middle = path[:1] if gone < TRAVELS else path
    translations[:, hips] = rotations.rotate(about, path - middle * [1.0, 0.0, 1.0])
    travels = "" if gone < TRAVELS else f" · it goes {gone:.2f} m, and is shown without its travel"
    made = replace(own, rotations=rotations.continuous(local), translations=translations, name=title)
    return Performance(made, title + travels, {})


def item(name: str, label: str, recording: Motion, made: Motion) -> Item:
    """One picture, with the original beside."""
    one = shown(made, f"TO BE READ · {name}")
    original = shown(recording, f"THE ORIGINAL of {name}")
    step = still_step(max(one.duration, original.duration), LEAST_STEP)
    return Item(f"{label}-{name.replace(' ', '-')}", label, one, original, step)


def elements(data: Path, clips: Shown) -> Iterator[Item]:
    """Every clip in every element."""
    for name, where in clips.items():
        recording = clip(data, *where)
        for label, effort in ELEMENTS.items():
            yield item(name, label, recording, perform(recording, effort))


def words(data: Path, clips: Shown, seed: int) -> Iterator[Item]:
    """Every word on some of the clips."""
    rng = np.random.default_rng(seed)
    for word in WORDS:
        for name in rng.choice(list(clips), CLIPS_A_WORD, replace=False).tolist():
            recording = clip(data, *clips[name])
            yield item(name, word, recording, perform(recording, words=word))


def observed(data: Path, clips: Shown, look: Callable[[Motion, Motion], Observation]) -> str:
    """How many elements an observer codes right, as their opposites, or not at all; and false alarms."""
    right = opposite = missed = false = 0
    for where in clips.values():
        recording = clip(data, *where)
        for effort in ELEMENTS.values():
            found = look(perform(recording, effort), recording)
            for factor in ("space", "weight", "time", "flow"):
                asked, coded = int(getattr(effort, factor)), int(getattr(found, factor).code)
                if not asked:
                    false += coded != 0
                elif coded == asked:
                    right += 1
                elif coded == -asked:
                    opposite += 1
                else:
                    missed += 1
    total = right + opposite + missed
    return f"of {total} elements {right} right, {opposite} opposite, {missed} not coded; {false} false alarms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("elements", "words", "observer"))
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--clips", choices=tuple(CLIP_SETS), default="first", help="which five clips (default: first)")
    given = parser.parse_args()
    clips = CLIP_SETS[given.clips]
    if given.what == "observer":
        print(f"moment by moment: {observed(given.data, clips, observe_recorded)}")
        print(f"by strokes from rest to rest: {observed(given.data, clips, observe)}")
        return
    if given.out is None:
        parser.error("a folder for the pictures is needed")
    items = elements(given.data, clips) if given.what == "elements" else words(given.data, clips, given.seed)
    print(f"{write_items(items, given.out)} items in {given.out}")
    if given.what == "words":
        (given.out / "WORDS.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
