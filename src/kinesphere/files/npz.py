"""NPZ: Kinesphere's own lossless format, NumPy arrays and a JSON header."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.files.atomic import atomic_write
from kinesphere.files.orientation import rotation_to_y_up
from kinesphere.files.registry import Format, LoadOptions, SaveOptions, register
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.source import Source
from kinesphere.motion.transform import move_motion

FORMAT, VERSION = "kinesphere motion", 1
_ARRAYS = ("parents", "offsets", "rest_rotations", "rotations", "translations", "scales")
_MOST_GROWTH = 200  # unpacked size over file size; motion compresses to no less than a hundredth


def save(motion: Motion, path: Path, options: SaveOptions) -> None:
    """Write a motion so that ``load`` gives exactly the same one back."""
    if options.scale != 1.0 or options.up != "y":
        raise ValueError(f"{path}: scale={options.scale:g}, up={options.up!r}; an .npz file is in metres with Y up")
    skeleton = motion.skeleton
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": motion.name,
        "rate": motion.rate,
        "calibration_frames": motion.calibration_frames,
        "names": skeleton.names,
        "roles": dict(skeleton.roles),
        "tips": [[tip.joint, *tip.offset] for tip in skeleton.tips],
        "soles": dict(skeleton.soles),
        "source": asdict(motion.source),
    }
    arrays: dict[str, Any] = {
        "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
        "parents": skeleton.parents.astype(np.int64),
        "offsets": skeleton.offsets,
        "rest_rotations": skeleton.rest_rotations,
        "rotations": motion.rotations,
        "translations": motion.translations,
    }
    if motion.scales is not None:
        arrays["scales"] = motion.scales
    with atomic_write(path) as file:
        np.savez(file, **arrays)


def load(path: Path, options: LoadOptions) -> Motion:
    """Read what ``save`` wrote."""
    arrays = _read_arrays(path)
    header = _parse_header(path, arrays)
    source = header.get("source", {})
    try:
        skeleton = Skeleton(
            tuple(str(name) for name in header["names"]),
            arrays["parents"],
            arrays["offsets"],
            arrays["rest_rotations"],
            {str(role): int(joint) for role, joint in header["roles"].items()},
            tuple(Tip(int(tip[0]), (float(tip[1]), float(tip[2]), float(tip[3]))) for tip in header["tips"]),
            {str(role): float(depth) for role, depth in header.get("soles", {}).items()},
        )
        motion = Motion(
            skeleton,
            float(header["rate"]) if options.rate is None else options.rate,
            arrays["rotations"],
            arrays["translations"],
            arrays.get("scales"),
            tuple(int(frame) for frame in header["calibration_frames"]),
            str(header["name"]),
            _source(source),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise MotionFileError(path, f"contents that do not fit together ({error})", "a saved motion") from None
    if options.up not in (None, "y"):
        motion = move_motion(motion, rotation_to_y_up(options.up or "y"), np.zeros(3))
    return motion if options.scale is None else motion.scaled(options.scale)


def _source(fields: dict[str, Any]) -> Source:
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
    return Source(**values)


def _read_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of the archive: nothing is unpickled, and zip bombs are refused."""
    arrays = {}
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > _MOST_GROWTH * path.stat().st_size:
                raise MotionFileError(path, f"an archive that unpacks to {size} bytes", "a saved motion")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name in _ARRAYS or name == "header":
                    arrays[name] = _parse_array(archive.read(member))
    except MotionFileError:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        OSError,
        EOFError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise MotionFileError(path, f"a broken archive ({error})", "a motion saved as .npz") from None
    if "header" not in arrays:
        found = ", ".join(arrays) or "none of them"
        raise MotionFileError(path, f"arrays {found}", "a motion saved by Kinesphere, with a header")
    return arrays


def _parse_array(data: bytes) -> np.ndarray:
    """One ``.npy`` member. Its declared shape is checked against its bytes before anything is allocated."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(stream)
    count = 1
    for length in shape:
        count *= int(length)
    if dtype.hasobject or count * dtype.itemsize != len(data) - stream.tell():
        raise ValueError(f"an array of {dtype} {shape} in {len(data)} bytes")
    flat = np.frombuffer(data, dtype=dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if fortran else "C")


def _parse_header(path: Path, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    try:
        header = json.loads(arrays["header"].tobytes())
    except (ValueError, RecursionError):
        raise MotionFileError(path, "a header that is not JSON", "a saved motion", where="header") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise MotionFileError(path, "another kind of .npz", f"format {FORMAT!r}", where="header.format")
    if header.get("version") != VERSION:
        expected = f"version {VERSION}; a newer Kinesphere may read it"
        raise MotionFileError(path, f"version {header.get('version')}", expected, where="header.version")
    if not isinstance(header.get("source", {}), dict):
        raise MotionFileError(path, "a source that is no object", "an object", where="header.source")
    return header


register(
    Format(
        name="npz",
        suffixes=(".npz",),
        about="Kinesphere's own: everything a motion holds, lossless",
        looks_like=lambda head: head.startswith(b"PK\x03\x04"),
        load=load,
        save=save,
        whole=True,
    )
)
