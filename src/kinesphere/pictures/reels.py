"""Pictures in a row into a file: MP4 through ffmpeg, GIF through Pillow."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np
from PIL import Image

from kinesphere.files.atomic import replacing
from kinesphere.pictures.render import Pixels

GIF_FASTEST = 25.0  # frames a second; browsers slow down what is much faster


def check_film(path: Path) -> str:
    """The suffix of a film that can be written here, or why not."""
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
    given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{rate:g}", "-i", "-"]
    # Colours as screens take them; without this players guess, by the size of the picture.
    coded = ["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_range", "tv"]
    coded += ["-color_primaries", "bt709", "-color_trc", "bt709", "-pix_fmt", "yuv420p"]
    coded += ["-c:v", "libx264", "-crf", "18", "-preset", "veryfast", "-movflags", "+faststart"]
    with tempfile.TemporaryDirectory(prefix="kinesphere-film-") as folder:
        made, said = Path(folder) / "film.mp4", Path(folder) / "said.txt"
        command = [_ffmpeg(path), "-hide_banner", "-loglevel", "error", "-y", *given, *coded, str(made)]
        with said.open("wb") as errors, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=errors) as running:
            try:
                if running.stdin is not None:
                    for frame in frames:
                        running.stdin.write(np.ascontiguousarray(frame).data)
            except BrokenPipeError:
                pass  # it ended early, and has said why
            except BaseException:
                running.kill()
                raise
            finally:
                if running.stdin is not None:
                    with suppress(BrokenPipeError):
                        running.stdin.close()
        if running.returncode != 0 or not made.is_file():
            reason = said.read_text(errors="replace").strip() or f"exit code {running.returncode}"
            raise OSError(f"{path}: ffmpeg could not write the film: {reason}")
        with made.open("rb") as file, replacing(path) as out:
            shutil.copyfileobj(file, out)


def write_gif(path: Path, frames: Iterable[Image.Image], rate: float) -> None:
    """Frames that ``reduced`` has made, of which Pillow keeps what changes. The file appears whole or not at all."""
    following = iter(frames)
    first = next(following)
    with replacing(path) as file:
        first.save(
            file,
            format="GIF",
            save_all=True,
            append_images=following,
            duration=round(1000.0 / rate),
            loop=0,
            optimize=False,
            disposal=1,
        )


def reduced(frame: Pixels, palette: Image.Image) -> Image.Image:
    """A picture in a palette's colours, without dithering: where nothing moves, nothing flickers."""
    return Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)


def common_palette(sample: Sequence[Pixels]) -> Image.Image:
    """256 colours for a whole film, from a few of its frames: rare ones such as trails as well as the paper."""
    pixels = np.concatenate([frame.reshape(-1, 3) for frame in sample]).astype(np.int64)
    seen, counts = np.unique((pixels[:, 0] << 16) | (pixels[:, 1] << 8) | pixels[:, 2], return_counts=True)
    often = np.repeat(seen, np.ceil(counts**0.5).astype(np.intp))
    row = np.stack([often >> 16, (often >> 8) & 255, often & 255], axis=-1).astype(np.uint8)
    return Image.fromarray(row[None]).quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _ffmpeg(path: Path) -> str:
    """Where the program is that imageio-ffmpeg brings along or finds."""
    try:
        program: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise ValueError(f"{path}: an .mp4 needs ffmpeg; install kinesphere[video], or write a .gif") from None
    return program
