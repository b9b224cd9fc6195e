"""Write films: MP4 by ffmpeg, GIF by Pillow's encoder.

A GIF is small where little changes. So all its frames have one palette, are not dithered, and hold only the pixels
whose colour has changed by more than the eye notices; the others are transparent and stay as they are.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from kinesphere.files.atomic import atomic_write
from kinesphere.pictures.render import Pixels

MP4_RATE, GIF_RATE = 30.0, 100.0 / 6.0  # frames per second, unless asked otherwise
GIF_FASTEST = 25.0  # browsers slow down what is much faster
_COLOURS, _TRANSPARENT = 128, 255  # of a GIF's palette, and the index of no colour
_INVISIBLE = 5  # of 255: changes up to this are left out


def check_film(path: Path) -> str:
    """The suffix of a film that can be written here; raises where it cannot."""
    kind = path.suffix.lower()
    if kind not in (".mp4", ".gif"):
        raise ValueError(f"{path}: films are written as .mp4 or .gif, found the suffix {path.suffix!r}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    if kind == ".mp4":
        _ffmpeg(path)
    return kind


def gif_rate(fps: float) -> float:
    """The rate nearest to ``fps`` that a GIF has: its frames last whole hundredths of a second."""
    if not 1.0 <= fps <= 240.0:
        raise ValueError(f"fps={fps:g}; allowed: 1 to 240")
    return 100.0 / round(100.0 / min(fps, GIF_FASTEST))


def write_mp4(path: Path, frames: Iterable[Pixels], rate: float, size: tuple[int, int]) -> None:
    """H.264 that plays everywhere. The file appears whole or not at all."""
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{rate:g}", "-i", "-"]
    # Colours as screens take them; without this players guess, by the size of the picture.
    coded = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_range", "tv"]
    coded += ["-color_primaries", "bt709", "-color_trc", "bt709", "-pix_fmt", "yuv420p"]
    coded += ["-c:v", "libx264", "-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
    with tempfile.TemporaryDirectory(prefix="kinesphere-film-") as folder:
        made, log = Path(folder) / "film.mp4", Path(folder) / "errors.txt"
        command = [_ffmpeg(path), "-hide_banner", "-loglevel", "error", "-y", *source, *coded, str(made)]
        with log.open("wb") as errors, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors) as running:
            try:
                if running.stdin is not None:
                    for frame in frames:
                        running.stdin.write(np.ascontiguousarray(frame).data)
            except BrokenPipeError:
                pass  # it ended early; the log says why
            except BaseException:
                running.kill()
                raise
            finally:
                if running.stdin is not None:
                    with suppress(BrokenPipeError):
                        running.stdin.close()
        if running.returncode != 0 or not made.is_file():
            reason = log.read_text(errors="replace").strip() or f"exit code {running.returncode}"
            raise OSError(f"{path}: ffmpeg could not write the film: {reason}")
        with made.open("rb") as file, atomic_write(path) as out:
            shutil.copyfileobj(file, out)


@dataclass(frozen=True, eq=False)
class PaletteImage:
    """A picture, and for each of its pixels the index of the nearest colour of a palette."""

    pixels: Pixels
    indices: Pixels  # (H, W)


def write_gif(path: Path, frames: Iterable[PaletteImage], palette: Image.Image, rate: float) -> None:
    """Frames made by ``reduce_to_palette``, played in a loop. The file appears whole or not at all."""
    colours = np.zeros((256, 3), dtype=np.int16)
    listed = np.array(palette.getpalette("RGB") or [], dtype=np.int16).reshape(-1, 3)[:_COLOURS]
    colours[: len(listed)] = listed
    shown: Pixels | None = None
    with atomic_write(path) as file:
        for frame in frames:
            if shown is None:
                high, wide = frame.indices.shape
                file.write(
                    b"GIF89a" + struct.pack("<HHBBB", wide, high, 0xF7, 0, 0) + colours.astype(np.uint8).tobytes()
                )
                file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")  # loop
                shown = np.full((high, wide), _TRANSPARENT, dtype=np.uint8)
            part, corner = _difference(frame, shown, colours)
            options = {"duration": round(1000.0 / rate), "transparency": _TRANSPARENT, "disposal": 1}
            file.writelines(GifImagePlugin.getdata(part, corner, **options))
        file.write(b"\x3b")


def _difference(frame: PaletteImage, shown: Pixels, colours: NDArray[np.int16]) -> tuple[Image.Image, tuple[int, int]]:
    """The part of a frame that differs from ``shown``, which is updated, and its upper left corner."""
    error = np.abs(colours[shown] - frame.pixels).max(axis=-1)
    fresh = (shown == _TRANSPARENT) | ((error > _INVISIBLE) & (shown != frame.indices))
    shown[fresh] = frame.indices[fresh]
    rows, columns = np.flatnonzero(fresh.any(axis=1)), np.flatnonzero(fresh.any(axis=0))
    if not len(rows):  # a frame must have a pixel
        rows = columns = np.zeros(1, dtype=np.intp)
    across, down = slice(int(columns[0]), int(columns[-1]) + 1), slice(int(rows[0]), int(rows[-1]) + 1)
    part = np.where(fresh, frame.indices, np.uint8(_TRANSPARENT))[down, across]
    image = Image.frombytes("P", (part.shape[1], part.shape[0]), np.ascontiguousarray(part).tobytes())
    return image, (across.start, down.start)


def reduce_to_palette(frame: Pixels, palette: Image.Image) -> PaletteImage:
    """A picture in a palette's colours, without dithering: where nothing moves, nothing flickers."""
    return PaletteImage(frame, np.asarray(Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)))


def common_palette(sample: Sequence[Pixels]) -> Image.Image:
    """The colours of a whole film, from a few of its frames: rare ones such as trails as well as the paper."""
    pixels = np.concatenate([frame.reshape(-1, 3) for frame in sample]).astype(np.int64)
    found, counts = np.unique((pixels[:, 0] << 16) | (pixels[:, 1] << 8) | pixels[:, 2], return_counts=True)
    repeated = np.repeat(found, np.ceil(counts**0.5).astype(np.intp))
    row = np.stack([repeated >> 16, (repeated >> 8) & 255, repeated & 255], axis=-1).astype(np.uint8)
    return Image.fromarray(row[None]).quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _ffmpeg(path: Path) -> str:
    """The path of the program that imageio-ffmpeg brings along or finds."""
    try:
        program: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise ValueError(f"{path}: an .mp4 needs ffmpeg; install kinesphere[video], or write a .gif") from None
    return program
