"""Clips of a folder: every motion in every file that can be read, and what is refused, with the reason."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import kinesphere
from kinesphere import Motion

SUFFIXES = (".bvh", ".glb", ".gltf", ".vrm", ".vrma")
RATE = 120.0  # frames a second at which performances are measured
LONGEST = 12.0  # seconds of a clip that are
SHORTEST = 0.5


class Clip(NamedTuple):
    """One motion of a file."""

    name: str
    path: Path
    clip: str | None

    def load(self) -> Motion:
        """As it is in the file."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kinesphere.load(self.path, clip=self.clip)


def find_clips(data: Path) -> Iterator[tuple[Clip, str]]:
    """Every clip below a folder, and why its file has none where it has none."""
    for path in sorted(path for path in data.rglob("*") if path.suffix.lower() in SUFFIXES):
        name = path.relative_to(data).with_suffix("").as_posix().removeprefix("bvh/")
        try:
            clips = kinesphere.clip_names(path)
        except (ValueError, OSError) as error:
            yield Clip(name, path, None), said_by(error, path)
            continue
        if not clips:
            yield Clip(name, path, None), "no animation in it"
        for own in clips:
            yield Clip(name if len(clips) == 1 else f"{path.stem}/{own.split('|')[-1]}", path, own), ""


def said_by(error: BaseException, path: Path) -> str:
    """An error's message without the file's own path."""
    return str(error).replace(f"{path}", path.name) or type(error).__name__


def performable(data: Path, count: int | None = None) -> Iterator[tuple[str, Motion]]:
    """Humanoid motions of a folder at ``RATE``, not too long and not too short; ``count`` of them, spread evenly.

    BVH files of ``bvh``, and all others that are no files broken on purpose.
    """
    chosen = [own for own, trouble in find_clips(data) if not trouble and "mutated" not in own.path.parts]
    if count is not None and count < len(chosen):
        chosen = [chosen[i * len(chosen) // count] for i in range(count)]
    for own in chosen:
        try:
            motion = cropped(own.load())
        except (ValueError, OSError):
            continue
        if motion.duration >= SHORTEST and kinesphere.find_roles(motion.skeleton).is_humanoid:
            yield own.name, motion


def cropped(motion: Motion, longest: float = LONGEST) -> Motion:
    """The beginning of a motion, at ``RATE``."""
    if motion.duration > longest:
        motion = motion.between(0.0, longest)
    return motion if abs(motion.rate - RATE) < 0.5 else motion.resampled(RATE)


@cache
def manifest(data: Path) -> dict[str, dict[str, str]]:
    """Path to the labels that a folder's ``MANIFEST.csv`` gives it, such as content, style and subject."""
    file = data / "MANIFEST.csv"
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as stream:
        rows = {row["path"]: row["labels"] or "" for row in csv.DictReader(stream)}
    return {
        path: dict(label.split("=", 1) for label in labels.split(";") if "=" in label) for path, labels in rows.items()
    }
