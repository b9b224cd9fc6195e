"""Films of motions on characters: MP4 by ffmpeg, GIF by Pillow's encoder, several side by side; and single pictures.

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
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image, ImageDraw

from kinesphere.files.atomic import atomic_write
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import Shot, View
from kinesphere.pictures.canvas import truncate_text, write_text
from kinesphere.pictures.light import STILL, Quality, quality_for
from kinesphere.pictures.panel import (
    Overlays,
    make_performers,
    measure_extent,
    render_in_order,
    render_panel,
    with_progress,
)
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Pixels
from kinesphere.pictures.trails import FILM_SECONDS, TrailsLike, parse_trails, trail_joints

MP4_RATE, GIF_RATE = 30.0, 100.0 / 6.0  # frames per second, unless asked otherwise
GIF_FASTEST = 25.0  # browsers slow down what is much faster
_COLOURS, _TRANSPARENT = 128, 255  # of a GIF's palette, and the index of no colour
_INVISIBLE = 5  # of 255: changes up to this are left out
_GAP = 2  # pixels between panels
_MAX_TIMED_PANELS = 4  # up to which their durations are written as well
_MAX_FRAMES = 100_000


def film(
    motions: Motion | Sequence[Motion],
    path: str | PathLike[str],
    *,
    character: Character | Sequence[Character | None] | None = None,
    size: tuple[int, int] = (640, 480),
    fps: float | None = None,
    start: float = 0.0,
    seconds: float | None = None,
    view: View = "three-quarter",
    trails: TrailsLike = False,
    ghosts: int = 0,
    columns: int | None = None,
    repeat: bool = False,
    clay: bool = False,
    progress: bool | None = False,
) -> int:
    """Write an ``.mp4`` or a ``.gif`` of one motion, or of several side by side, and return how many frames it has.

    Parameters
    ----------
    motions
        What to show. Inserted calibration poses at the ends are left out; a motion that ends before the others waits.
    character
        Who shows it: one for all, or one for each. Left out: a manikin made from the motion's own bones.
    size
        Pixels across and down, of the whole film. An MP4 needs even numbers and is made a pixel larger where not.
    fps
        Pictures a second; the motion is sampled by time. Left out: 30, of a GIF 16.7, which keeps it small. A GIF has
        25 at most, in steps of a hundredth of a second.
    start, seconds
        Which part of the performance; ``seconds`` left out: to its end.
    trails, ghosts
        The paths of hands (True) or of joints by name, with dots at equal times, see ``Trails``; how many earlier
        poses stand behind, paler.
    columns
        How many of several motions stand in a row; left out: all.
    repeat
        Whether a motion that ends before the others, or before ``seconds``, begins again instead of waiting.
    clay
        Whether the character is shown without its textures.
    progress
        A bar on standard error: True, False, or None for only where that is a terminal.
    """
    target = Path(path)
    kind = check_film(target)
    rate = gif_rate(GIF_RATE if fps is None else fps) if kind == ".gif" else _mp4_rate(fps)
    drawn_trails = parse_trails(trails)
    overlays = Overlays(drawn_trails and drawn_trails.default_seconds(FILM_SECONDS), ghosts)
    performers = make_performers(motions, character, clay)
    panels = Panels.of(performers, size, view, overlays, even=kind == ".mp4", columns=columns, repeat=repeat)
    longest = panels.duration if seconds is None or not repeat else max(panels.duration, start + seconds)
    times = _film_times(longest, rate, start, seconds)
    if kind == ".gif":
        sample = times[np.unique(np.linspace(0, len(times) - 1, 6).astype(np.intp))]
        palette = common_palette(list(render_in_order(panels.draw, sample.tolist())))
        frames = render_in_order(lambda time: reduce_to_palette(panels.draw(time), palette), times.tolist())
        write_gif(target, with_progress(frames, len(times), f"drawing {target.name}", progress), palette, rate)
    else:
        pictures = render_in_order(panels.draw, times.tolist())
        write_mp4(target, with_progress(pictures, len(times), f"drawing {target.name}", progress), rate, panels.size)
    return len(times)


def still(
    motions: Motion | Sequence[Motion],
    at: float,
    *,
    character: Character | Sequence[Character | None] | None = None,
    size: tuple[int, int] = (1280, 960),
    view: View = "three-quarter",
    trails: TrailsLike = False,
    ghosts: int = 0,
    clay: bool = False,
) -> Image.Image:
    """One large picture, ``at`` so many seconds into the performance; several motions stand side by side.

    ``trails=True`` draws the whole paths of both hands, paler where they are still to come; see ``Trails``.
    ``clay`` shows the character without its textures.
    """
    performers = make_performers(motions, character, clay)
    longest = max(one.duration for one in performers)
    if not 0.0 <= at <= longest + 1e-6:
        raise ValueError(f"at={at:g} s; the motion runs from 0 to {longest:.2f} s")
    panels = Panels.of(performers, size, view, Overlays(parse_trails(trails), ghosts), at=at)
    return Image.fromarray(panels.draw(at))


@dataclass(frozen=True, eq=False)
class Panels:
    """Performers side by side in one picture, in rows, on one scale, each with its own camera."""

    performers: tuple[Performer, ...]
    shots: tuple[Shot, ...]
    size: tuple[int, int]
    overlays: Overlays
    supersampling: int
    quality: Quality
    columns: int
    repeat: bool = False

    @classmethod
    def of(
        cls,
        performers: Sequence[Performer],
        size: tuple[int, int],
        view: View,
        overlays: Overlays,
        *,
        even: bool = False,
        at: float | None = None,
        columns: int | None = None,
        repeat: bool = False,
    ) -> Panels:
        """Divide a picture among performers. ``at``: framed for that moment and its ghosts alone, and finely drawn."""
        if not all(64 <= pixels <= 8192 for pixels in size):
            raise ValueError(f"size={size}; 64 to 8192 pixels each way are allowed")
        if columns is not None and columns < 1:
            raise ValueError(f"columns={columns}; at least one is needed")
        wide, high = (pixels + pixels % 2 if even else pixels for pixels in size)
        count = len(performers)
        across = min(columns or count, count)
        down = -(-count // across)
        panel = (wide - _GAP * (across - 1)) // across, (high - _GAP * (down - 1)) // down
        if min(panel) < 48:
            raise ValueError(f"{count} motions, {across} in a row, do not fit into {wide} × {high} pixels")
        if overlays.trails is not None:  # errors come before anything is drawn
            for one in performers:
                trail_joints(one, overlays.trails.joints)
        times = None if at is None else [[float(one.clock(np.array(at)))] for one in performers]
        extent = measure_extent(performers, view, times, overlays)
        shots = tuple(extent.shot(number, panel) for number in range(count))
        supersampling, quality = (2, quality_for(panel)) if at is None else (3, STILL)
        return cls(tuple(performers), shots, (wide, high), overlays, supersampling, quality, across, repeat)

    @property
    def duration(self) -> float:
        """Seconds of the longest performance."""
        return max(one.duration for one in self.performers)

    def draw(self, seconds: float) -> Pixels:
        """The picture at some seconds of the performance."""
        if len(self.performers) == 1:
            return self.panel(0, seconds)
        image = Image.new("RGB", self.size, canvas.SHEET)
        draw = ImageDraw.Draw(image)
        for number, (one, shot) in enumerate(zip(self.performers, self.shots, strict=True)):
            row, column = divmod(number, self.columns)
            x, y = column * (shot.size[0] + _GAP), row * (shot.size[1] + _GAP)
            image.paste(Image.fromarray(self.panel(number, seconds)), (x, y))
            text = int(np.clip(shot.size[1] / 30.0, 11, 28))
            name = truncate_text(one.name, text, shot.size[0] - 2 * text)
            write_text(draw, (x + 0.8 * text, y + 0.7 * text), name, text, canvas.INK)
            if len(self.performers) <= _MAX_TIMED_PANELS:
                write_text(draw, (x + 0.8 * text, y + 2.0 * text), f"{one.duration:.2f} s", text - 2, canvas.QUIET_INK)
        return np.asarray(image)

    def panel(self, number: int, seconds: float) -> Pixels:
        """One of the performers, at some seconds of the performance."""
        one = self.performers[number]
        if self.repeat and one.duration > 0.0:
            seconds %= one.duration
        time = float(one.clock(np.array(seconds)))
        return render_panel(one, self.shots[number], time, self.overlays, self.supersampling, self.quality)


def _film_times(duration: float, rate: float, start: float, seconds: float | None) -> Floats:
    """``(N,)`` seconds of each frame, the first at ``start``."""
    if not 0.0 <= start <= duration + 1e-6:
        raise ValueError(f"start={start:g} s; the motion runs from 0 to {duration:.2f} s")
    if seconds is not None and not seconds > 0.0:
        raise ValueError(f"seconds={seconds:g}; more than 0 are needed")
    left = duration - start
    if seconds is None or seconds > left:
        count = int(np.floor(left * rate + 1e-6)) + 1
    else:
        count = max(int(np.floor(seconds * rate + 0.5)), 1)  # so many seconds of film
    if count > _MAX_FRAMES:
        raise ValueError(f"{count} frames of film; at most {_MAX_FRAMES} are drawn")
    return start + np.arange(count) / rate


def _mp4_rate(fps: float | None) -> float:
    if fps is None:
        return MP4_RATE
    if not 1.0 <= fps <= 240.0:
        raise ValueError(f"fps={fps:g}; allowed: 1 to 240")
    return float(fps)


# Files


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
