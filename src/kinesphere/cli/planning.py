"""Which files a conversion reads, and which it writes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kinesphere.cli.names import plain_stem, unique
from kinesphere.cli.options import Reading
from kinesphere.cli.ours import own_motion
from kinesphere.cli.reporting import one_line
from kinesphere.files.loading import clips
from kinesphere.files.registry import formats


@dataclass(frozen=True)
class Job:
    """One file to read, and a file to write for each clip of it. ``None`` is its only or first clip."""

    source: Path
    outputs: tuple[tuple[str | int | None, Path], ...]


@dataclass(frozen=True)
class Unplanned:
    """A file whose clips could not even be listed."""

    source: Path
    error: str


def suffix_for(to: str | None) -> str:
    """The suffix that ``--to`` asks for."""
    known = [suffix for known in formats() if known.load is not None for suffix in known.written_suffixes]
    wanted = f".{(to or '').lower().removeprefix('.')}"
    if wanted not in known:
        found = f"--to {to}" if to else "no --to"
        raise ValueError(f"{found}; for a folder, one of these is needed: {', '.join(s[1:] for s in known)}")
    return wanted


def motion_files(folder: Path, apart_from: Path) -> list[Path]:
    """Every file under a folder that some reader of motions knows by its suffix, in order."""
    known = {suffix for known in formats() if known.load is not None for suffix in known.suffixes}
    without = apart_from.resolve()
    found = []
    for place, folders, files in os.walk(folder):
        # What an earlier run wrote into a folder inside this one is no input.
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and (Path(place) / name).resolve() != without
        )
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in known:
                found.append(Path(place) / name)
    return found


def planned(
    sources: list[Path], root: Path, out: Path, suffix: str, reading: Reading
) -> tuple[list[Job], list[Unplanned]]:
    """A job for every source, its outputs at the same place under ``out`` as it has under ``root``."""
    jobs, unplanned = [], []
    taken: dict[Path, set[str]] = {}
    for source in sources:
        folder = out / source.parent.relative_to(root)
        names = taken.setdefault(folder, set())
        stem = source.stem
        if stem.casefold() in names:
            stem = f"{stem}_{source.suffix[1:]}"  # walk.bvh and walk.glb both become a walk
        try:
            wanted = _wanted(source, reading)
        except (ValueError, OSError) as error:
            unplanned.append(Unplanned(source, one_line(error)))
            continue
        outputs = []
        for clip in wanted:
            plain = stem if clip is None or len(wanted) == 1 else f"{stem}_{plain_stem(str(clip[1]))}"
            chosen = None if clip is None else clip[0]
            outputs.append((chosen, folder / f"{unique(plain, names)}{suffix}"))
        jobs.append(Job(source, tuple(outputs)))
    return jobs, unplanned


def _wanted(source: Path, reading: Reading) -> list[tuple[str | int, str] | None]:
    """How to ask for each clip, with its name. Clips of the same name can only be told apart by number."""
    if reading.clip is not None or own_motion(source) is not None:
        return [None]
    names = clips(source)
    if len(names) < 2:
        return [None]
    return [(number, name) for number, name in enumerate(names)]
