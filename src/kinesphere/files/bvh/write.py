"""BVH writer, for the strictest readers.

One ROOT with a zero OFFSET (some readers add it to the root's position, some don't), an End Site on every leaf, one
Euler order throughout, names of one word, position channels below the root only on joints that need them.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinesphere.files.atomic import atomic_write
from kinesphere.files.orientation import rotation_to_y_up
from kinesphere.files.registry import SaveOptions, writable_names
from kinesphere.maths import rotations
from kinesphere.maths.euler import TAIT_BRYAN, to_euler
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.transform import with_plain_rest

USUAL_ORDER = "ZXY"
_STILL = 1e-7  # metres that a joint may leave its offset without getting position channels


def save(motion: Motion, path: Path, options: SaveOptions) -> None:
    """Write a motion as BVH: metres and Y up unless the options say otherwise."""
    if motion.scales is not None:
        _warn(path, "BVH has no place for surface scales: they were left out")
    order = _order(motion, path, options.order)
    prepared = _to_up_axis(_with_one_root(with_plain_rest(motion), path), options.up)
    if options.scale != 1.0:
        prepared = prepared.scaled(options.scale)
    names = writable_names(prepared.skeleton.names, plain=options.plain_names)
    changed = [f"{old!r} → {new!r}" for old, new in zip(prepared.skeleton.names, names, strict=True) if old != new]
    if changed and not options.plain_names:
        _warn(path, f"{len(changed)} names were changed to single, unique words: {', '.join(changed[:4])}")
    moving = _needs_positions(prepared, _STILL * options.scale)
    lines = ["HIERARCHY"]
    _write_hierarchy(lines, prepared.skeleton, names, moving, order)
    lines += ["MOTION", f"Frames: {len(prepared)}", f"Frame Time: {_frame_time(prepared.rate)}"]
    with atomic_write(path) as file:
        file.write(("\n".join(lines) + "\n").encode("utf-8"))
        values = _channel_rows(prepared, moving, order)
        row_format = " ".join(["%.6f"] * values.shape[1]) + "\n"
        for start in range(0, len(values), 1024):
            block = values[start : start + 1024]
            text = (row_format * len(block)) % tuple(block.ravel().tolist())
            file.write(text.encode("ascii"))


def _order(motion: Motion, path: Path, asked: str | None) -> str:
    """The order asked for, else the file's own if it had just one, else the usual."""
    if asked is not None:
        if asked.upper() not in TAIT_BRYAN:
            raise MotionFileError(path, f"the Euler order {asked!r}", f"one of {', '.join(TAIT_BRYAN)}")
        return asked.upper()
    own = {order for order in motion.source.euler_orders if order}
    return own.pop() if len(own) == 1 and own <= set(TAIT_BRYAN) else USUAL_ORDER


def _with_one_root(motion: Motion, path: Path) -> Motion:
    """Put several roots under a new one that stays at the origin."""
    skeleton = motion.skeleton
    if len(skeleton.roots) == 1:
        return motion
    name = next(n for n in ("root", "kinesphere_root", *map(str, range(10**6))) if n not in skeleton.names)
    _warn(path, f"{len(skeleton.roots)} roots were put under a new joint {name!r}: BVH readers expect one")
    frames = len(motion)
    joined = Skeleton(
        (name, *skeleton.names),
        np.concatenate([[-1], np.where(skeleton.parents < 0, 0, skeleton.parents + 1)]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets]),
        roles={role: joint + 1 for role, joint in skeleton.roles.items()},
        tips=tuple(Tip(tip.joint + 1, tip.offset) for tip in skeleton.tips),
    )
    q = np.concatenate([rotations.identity(frames, 1), motion.rotations], axis=1)
    t = np.concatenate([np.zeros((frames, 1, 3)), motion.translations], axis=1)
    return replace(motion, skeleton=joined, rotations=q, translations=t, scales=None)


def _to_up_axis(motion: Motion, up: str) -> Motion:
    """Rotate Y up to another axis, every joint's own axes included, so that the rest pose is rotated too."""
    if up == "y":
        return motion
    rotation = rotations.conjugate(rotation_to_y_up(up))
    skeleton = motion.skeleton
    tips = tuple(Tip(tip.joint, tuple(rotations.rotate(rotation, tip.offset).tolist())) for tip in skeleton.tips)
    rotated = replace(skeleton, offsets=rotations.rotate(rotation, skeleton.offsets), tips=tips)
    q = rotations.multiply(rotations.multiply(rotation, motion.rotations), rotations.conjugate(rotation))
    t = rotations.rotate(rotation, motion.translations)
    return replace(motion, skeleton=rotated, rotations=rotations.continuous(q), translations=t, scales=None)


def _needs_positions(motion: Motion, still: float) -> Bools:
    """Which joints need position channels ``(J,)``: the roots, and joints that move further than ``still``."""
    distances = np.abs(motion.translations - motion.skeleton.offsets).max(axis=(0, 2))
    moving: Bools = distances > still
    moving[list(motion.skeleton.roots)] = True
    return moving


def _write_hierarchy(lines: list[str], skeleton: Skeleton, names: tuple[str, ...], moving: Bools, order: str) -> None:
    """The nested braces, without recursion: chains of hair can be deep."""
    tips: dict[int, list[tuple[float, float, float]]] = {}
    for tip in skeleton.tips:
        tips.setdefault(tip.joint, []).append(tip.offset)
    angles = " ".join(f"{axis}rotation" for axis in order)
    waiting: list[tuple[int, int] | None] = [(skeleton.roots[0], 0)]
    depths: list[int] = []
    while waiting:
        item = waiting.pop()
        if item is None:
            lines.append("\t" * depths.pop() + "}")
            continue
        joint, depth = item
        indent, inside = "\t" * depth, "\t" * (depth + 1)
        offset = (0.0, 0.0, 0.0) if depth == 0 else skeleton.offsets[joint]
        channels = f"6 Xposition Yposition Zposition {angles}" if moving[joint] else f"3 {angles}"
        lines += [
            f"{indent}{'JOINT' if depth else 'ROOT'} {names[joint]}",
            f"{indent}{{",
            f"{inside}OFFSET {_triple(offset)}",
            f"{inside}CHANNELS {channels}",
        ]
        children = skeleton.children[joint]
        for end in tips.get(joint, [] if children else [(0.0, 0.0, 0.0)]):
            lines += [f"{inside}End Site", f"{inside}{{", f"{inside}\tOFFSET {_triple(end)}", f"{inside}}}"]
        waiting.append(None)
        depths.append(depth)
        waiting += [(child, depth + 1) for child in reversed(children)]


def _depth_first(skeleton: Skeleton) -> list[int]:
    """Joints in the order of the braces, which is the order of the channels."""
    order, waiting = [], [skeleton.roots[0]]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += reversed(skeleton.children[joint])
    return order


def _channel_rows(motion: Motion, moving: Bools, order: str) -> Floats:
    rows = np.empty((len(motion), 3 * (len(moving) + int(moving.sum()))))
    column = 0
    for joint in _depth_first(motion.skeleton):  # one at a time: a long clip's angles take several times its memory
        if moving[joint]:
            rows[:, column : column + 3] = motion.translations[:, joint]
            column += 3
        rows[:, column : column + 3] = np.degrees(to_euler(motion.rotations[:, joint], order, along_time=True))
        column += 3
    rows[np.abs(rows) < 5e-7] = 0.0  # no "-0.000000"
    return rows


def _triple(offset: tuple[float, float, float] | Floats) -> str:
    return " ".join(f"{0.0 if abs(v) < 5e-9 else v:.8f}" for v in offset)


def _frame_time(rate: float) -> str:
    """The shortest decimal that reads back as exactly this rate."""
    seconds = 1.0 / rate
    for digits in range(6, 23):
        text = f"{seconds:.{digits}f}"
        if float(text) > 0.0 and 1.0 / float(text) == rate:
            return text
    return repr(seconds)


def _warn(path: Path, sentence: str) -> None:
    warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=5)
