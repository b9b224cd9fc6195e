"""Commands that edit motions: ``equalize``, ``waveshape``, ``smooth``, ``displace``, ``timewarp`` and ``blend``.

They share options and ``run_edit``, which reads a motion or a score, edits it and writes the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kinesphere.cli.shared import (
    Clip,
    Rate,
    ReadOptions,
    Salvage,
    Scale,
    Up,
    check_outputs,
    collect_warnings,
    report_errors,
    score_source,
)

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion
    from kinesphere.score.score import Express, Score, SignalEdit
    from kinesphere.signals.blend import Blend
    from kinesphere.signals.displace import Displace
    from kinesphere.signals.equalize import Equalize
    from kinesphere.signals.pose_edits import Target, Turn
    from kinesphere.signals.smooth import Smooth
    from kinesphere.signals.timewarp import Timewarp
    from kinesphere.signals.waveshape import Shaping, Waveshape


Source = Annotated[
    Path,
    typer.Argument(
        metavar="IN", help="A motion file, a default motion's name, or a score in .json.", show_default=False
    ),
]
Out = Annotated[Path, typer.Option("--output", "-o", help="The file to write, in any format.")]
Joints = Annotated[
    str | None,
    typer.Option("--joints", help="Which joints: groups such as arms,torso,head,legs, roles or names. Else all."),
]
Start = Annotated[float | None, typer.Option("--from", help="Seconds from which it holds.")]
End = Annotated[float | None, typer.Option("--to", help="Seconds until which it holds.")]
Fade = Annotated[float, typer.Option("--fade", help="Seconds over which it comes and goes.")]
FreeFeet = Annotated[bool, typer.Option("--free-feet", help="Don't hold the feet that stand.")]
Preview = Annotated[bool, typer.Option("--preview", help="Also draw before and after on one sheet, OUT_preview.png.")]
GESTURES = (".toml", ".keys", ".txt")  # suffixes of gestures and of key points
SaveScore = Annotated[
    Path | None,
    typer.Option("--save-score", help="Also write the score, in .json: the source and this edit, to go on from."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")]


def split_names(joints: str | None) -> tuple[str, ...] | None:
    """Joints and groups, parted by commas."""
    return None if joints is None else tuple(name.strip() for name in joints.split(",") if name.strip())


def run_edit(
    source: Path,
    out: Path,
    prepare: Callable[[], Express | SignalEdit],
    reading: ReadOptions,
    *,
    preview: bool = False,
    save_score: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Read a motion or a score, edit it, write a motion. A score's edit becomes its last layer.

    ``prepare`` makes the edit here, so that its errors are reported too.
    """
    with report_errors():
        from kinesphere.files.loading import save
        from kinesphere.files.registry import format_to_write
        from kinesphere.score.rendering import render
        from kinesphere.score.score import Layer

        format_to_write(out)
        edit = prepare()
        before, score = _open_source(source, reading)
        if save_score is not None and reading != ReadOptions():
            raise ValueError(
                "--save-score: a score names a file and not how it is to be read; convert it first, and go on from that"
            )
        last = (*score.layers, Layer(edit))
        made = render(replace(score, source=score.source if before is None else before, layers=last))
        sheet = out.with_name(f"{out.stem}_preview.png") if preview else None
        check_outputs([file for file in (out, sheet, save_score) if file is not None], overwrite)
        save(made, out)
        typer.echo(f"wrote {out}")
        if save_score is not None:
            from kinesphere.score.document import save_score as write

            write(replace(score, layers=last), save_score)
            typer.echo(f"wrote {save_score}")
        if sheet is not None:
            from kinesphere.pictures.canvas import save_picture
            from kinesphere.pictures.surface_sheets import compare_sheet

            with collect_warnings():  # of the source itself: they have been printed
                first = render(score) if before is None else before
            save_picture(compare_sheet(first, made, trails=True), sheet)
            typer.echo(f"wrote {sheet}")


def _open_source(source: Path, reading: ReadOptions) -> tuple[Motion | None, Score]:
    """A file's motion and its score without layers; of a gesture and of a score in JSON the score alone."""
    from kinesphere.score.document import load_score
    from kinesphere.score.score import Score

    if source.suffix.lower() == ".json":
        return None, load_score(source)
    if source.suffix.lower() in GESTURES:
        return None, Score(source)
    motion = reading.load(source)
    return motion, Score(score_source(source))


def parse_pairs(option: str, texts: list[str] | None) -> list[tuple[str, float]]:
    """``name=number`` of an option that may be repeated, or hold several with commas between."""
    found = []
    for text in texts or ():
        for piece in text.split(","):
            name, equals, value = (part.strip() for part in piece.partition("="))
            try:
                found.append((name, float(value)))
            except ValueError:
                equals = ""
            if not equals or not name:
                raise ValueError(f"{option} {text!r}: found {piece.strip()!r}; write name=number")
    return found


# One function a command


def equalize(
    source: Source,
    out: Out,
    preset: Annotated[
        str | None, typer.Option("--preset", help="exaggerate, soften, twitch, constrain, anticipate or denoise.")
    ] = None,
    band: Annotated[
        list[str] | None, typer.Option("--band", help="A band's gain, such as 2=1.5; 0 is the fastest. Repeatable.")
    ] = None,
    period: Annotated[
        list[str] | None, typer.Option("--period", help="The gain at a period in seconds, such as 0.5=2. Repeatable.")
    ] = None,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    strength: Annotated[float, typer.Option("--strength", help="How much of it, 0 to 1.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="It goes round and round: keep its seam closed.")] = False,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Make slow or quick movement larger or smaller, as on a sound engineer's desk."""

    def prepare() -> Equalize:
        from kinesphere.signals.equalize import Equalize

        bands = {}
        for name, gain in parse_pairs("--band", band):
            if not name.isdigit():
                raise ValueError(f"--band {name}={gain:g}: {name!r} is no band; whole numbers from 0 are expected")
            bands[int(name)] = gain
        if preset is None and not band and not period:
            raise ValueError("nothing to do: give --preset exaggerate, --band 2=1.5 or --period 0.5=2")
        periods = {_parse_period(name): gain for name, gain in parse_pairs("--period", period)}
        return Equalize(
            bands,
            periods,
            preset,
            loop=loop,
            joints=split_names(joints),
            start=start,
            end=end,
            fade=fade,
            feet=not free_feet,
            strength=strength,
        )

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _parse_period(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--period {text}: {text!r} is no number of seconds") from None


# waveshape


def waveshape(
    source: Source,
    out: Out,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            help="What becomes of values: soft-cap, hard-cap, limits, cosine, undulation, quantise, snap, reserved, "
            "stiff, grand, or one of --shapes.",
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            help='A curve of your own in place of --shape: x,y pairs such as "-1,-1 0,0.3 1,1", from the least (-1) to '
            "the greatest (1). After y: tension, continuity and bias, if you like.",
        ),
    ] = None,
    ends: Annotated[
        str,
        typer.Option("--ends", help="How a curve of --points leaves its ends: natural, clamped (level) or chord."),
    ] = "natural",
    by: Annotated[
        str,
        typer.Option("--by", help="What -1 and 1 are: the range of this clip (clip) or what the joint can do (joint)."),
    ] = "clip",
    amount: Annotated[float, typer.Option("--amount", help="How much of it, 0 to 1.")] = 1.0,
    root: Annotated[bool, typer.Option("--root", help="Shape the body's heading and path, too.")] = False,
    shapes: Annotated[Path | None, typer.Option("--shapes", help="A file of your own curves, in TOML.")] = None,
    save_shape: Annotated[
        Path | None, typer.Option("--save-shape", help="Also put the curve into this file, for --shapes; see --name.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The name that --save-shape gives it.")] = None,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Cap, exaggerate, wave or quantise what joints do, frame by frame."""
    kept: dict[str, Shaping] = {}

    def prepare() -> Waveshape:
        from kinesphere.signals.waveshape import Waveshape, read_shapes

        shaping = _parse_shaping(shape, points, ends, shapes)
        made = Waveshape(
            shaping,
            amount,
            by,  # type: ignore[arg-type]  # it is checked there
            root,
            joints=split_names(joints),
            start=start,
            end=end,
            fade=fade,
            feet=not free_feet,
        )
        if save_shape is not None:
            if name is None:
                raise ValueError("--save-shape: a name for the curve is missing; add --name, such as --name swagger")
            known = dict(read_shapes(save_shape)) if save_shape.exists() else {}
            if name in known and not overwrite:
                raise ValueError(
                    f"{save_shape} has a curve {name!r} already; choose another --name, or replace it with --overwrite"
                )
            kept.update(known)
            kept[name] = made.shaping
        elif name is not None:
            raise ValueError(f"--name {name}: it names what --save-shape writes, which is not there")
        return made

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)
    if save_shape is not None:
        with report_errors():
            from kinesphere.signals.waveshape import save_shapes

            save_shapes(kept, save_shape)
            typer.echo(f"wrote {save_shape}")


def _parse_shaping(shape: str | None, points: str | None, ends: str, file: Path | None) -> str | Shaping:
    """The function: a built-in one by name, one of a file, or one through points."""
    from kinesphere.motion.errors import unknown_name
    from kinesphere.signals.waveshape import Shaping, load_shapes
    from kinesphere.signals.waveshape import shapes as builtin_shapes

    if (shape is None) == (points is None):
        raise ValueError("one of --shape and --points is expected: a name, or a curve of your own")
    if points is not None:
        if file is not None:
            raise ValueError("--shapes goes with --shape, the name of a curve in it, not with --points")
        return Shaping(_parse_points(points), ends)  # type: ignore[arg-type]  # it is checked there
    known = builtin_shapes() if file is None else load_shapes(file)
    by_name = {_normalise(one): one for one in known}
    found = shape if shape in known else by_name.get(_normalise(shape or ""))
    if found is None:
        raise ValueError(f"--shape: {unknown_name('shape', shape or '', sorted(known))}")
    return found if known[found] == builtin_shapes().get(found) else known[found]


def _normalise(name: str) -> str:
    """Lower case, with blanks for dashes."""
    return name.lower().replace("-", " ").replace("_", " ")


def _parse_points(text: str) -> tuple[tuple[float, ...], ...]:
    """Control points with blanks between; their numbers have commas between."""
    found = []
    for piece in text.split():
        try:
            numbers = tuple(float(number) for number in piece.split(","))
        except ValueError:
            numbers = ()
        if not 2 <= len(numbers) <= 5:
            raise ValueError(f'--points {text!r}: found {piece!r}; write x,y pairs such as "-1,-1 0,0.3 1,1"')
        found.append(numbers)
    return tuple(found)


# smooth


def smooth(
    source: Source,
    out: Out,
    strength: Annotated[
        float, typer.Option("--strength", help="How much of the noise that is found is taken out, 0 to 1.")
    ] = 1.0,
    noise: Annotated[
        float,
        typer.Option(
            "--noise", help="Take curves to be so many times noisier than they look: 2 smooths slower jitter."
        ),
    ] = 1.0,
    gaps: Annotated[
        str,
        typer.Option(
            "--gaps",
            help="Missing frames to fill: none; find, where joints freeze or jump away for a moment; or frames and "
            "stretches of them, such as 12,40-52 (the first is 0).",
        ),
    ] = "none",
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Take jitter out and leave strikes and contacts sharp; fill missing frames."""

    def prepare() -> Smooth:
        from kinesphere.signals.smooth import Smooth

        if not 0.0 <= strength <= 1.0:  # NaN too
            raise ValueError(f"--strength {strength:g}: 0 to 1 is allowed")
        return Smooth(
            strength,
            noise,
            _parse_gaps(gaps),
            joints=split_names(joints),
            start=start,
            end=end,
            fade=fade,
            feet=not free_feet,
        )

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _parse_gaps(text: str) -> str | tuple[tuple[int, int], ...] | None:
    """The value of --gaps: None, "find", or the first and the last frame of each."""
    word = text.strip().lower()
    if word in ("none", "find"):
        return None if word == "none" else word
    found = []
    for piece in text.split(","):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else not last)):
            raise ValueError(
                f"--gaps {text!r}: found {piece.strip()!r}; none, find, or frames such as 12,40-52 are expected"
            )
        found.append((int(first), int(last or first)))
    return tuple(found)


# displace


TARGET = "rightHand@1.2 by 0,0.2,0"
TURN = "head@1.2 by 0,20,0"


def displace(
    source: Source,
    out: Out,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            help=f"A hand, foot, head or hips brought somewhere: '{TARGET}' or 'leftFoot@90f to 0.1,0,0.3', in metres, "
            "at seconds or, with an f, at a frame. More words: 'swivel 20' turns the elbow or knee by degrees, 'loose' "
            "lets the hand turn with the arm, 'plant' takes a foot's whole stand along. Repeatable.",
        ),
    ] = None,
    turn: Annotated[
        list[str] | None,
        typer.Option(
            "--turn",
            help=f"A joint turned, in degrees: '{TURN}', about its parent's axes; a last word 'joint' or 'world' takes "
            "its own or the world's. Repeatable.",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option("--width", help="Seconds before and after in which it comes and goes. Else the whole range."),
    ] = None,
    tension: Annotated[float, typer.Option("--tension", help="How tightly it runs through its points.")] = 0.0,
    continuity: Annotated[float, typer.Option("--continuity", help="How smoothly it runs through them.")] = 0.0,
    bias: Annotated[float, typer.Option("--bias", help="Whether it bends before or after them.")] = 0.0,
    overshoot: Annotated[
        str, typer.Option("--overshoot", help="How far it may go past them, as a share of a step; any: as it likes.")
    ] = "0",
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Change the pose at a moment or a few: a higher knock, a foot set elsewhere. What is around follows smoothly."""

    def prepare() -> Displace:
        from kinesphere.signals.displace import Displace

        edits = [*(_parse_target(text) for text in target or ()), *(_parse_turn(text) for text in turn or ())]
        if not edits:
            raise ValueError(f"nothing to displace: give --target '{TARGET}' or --turn '{TURN}'")
        return Displace(
            edits,
            tension,
            continuity,
            bias,
            None if overshoot == "any" else _parse_number("--overshoot", overshoot, overshoot, "a number or any"),
            width,
            joints=split_names(joints),
            start=start,
            end=end,
            feet=not free_feet,
        )

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _parse_target(text: str) -> Target:
    from kinesphere.signals.pose_edits import Target

    part, when, how, place, words = _split_target("--target", text, ("by", "to"), TARGET)
    more: dict[str, Any] = {how: place}
    while words:
        word = words.pop(0)
        if word == "loose":
            more["keep_orientation"] = False
        elif word == "plant":
            more["plant"] = True
        elif word == "swivel" and words:
            more["swivel"] = radians(_parse_number("--target", text, words.pop(0), "degrees after swivel"))
        else:
            raise ValueError(f"--target {text!r}: found {word!r}; swivel DEGREES, loose and plant are allowed there")
    return Target(part, **when, **more)


def _parse_turn(text: str) -> Turn:
    from kinesphere.signals.pose_edits import Turn

    joint, when, _, angles, words = _split_target("--turn", text, ("by",), TURN)
    if words and words not in (["parent"], ["joint"], ["world"]):
        raise ValueError(f"--turn {text!r}: found {' '.join(words)!r}; parent, joint or world is allowed there")
    return Turn(joint, [radians(angle) for angle in angles], *words, **when)


def _split_target(
    option: str, text: str, allowed: tuple[str, ...], example: str
) -> tuple[str, dict[str, Any], str, list[float], list[str]]:
    """What, when, by or to, the three numbers, and the words that follow."""
    found = re.match(r"\s*(?P<what>.*\S)\s*@\s*(?P<when>\S+)\s+(?P<how>[A-Za-z]+)\s+(?P<rest>.*)$", text)
    if found is None or found["how"] not in allowed:
        hows = " or ".join(f"{how} X,Y,Z" for how in allowed)
        seen = repr(found["how"]) if found else "no NAME@WHEN"
        raise ValueError(f"{option} {text!r}: found {seen}; write NAME@SECONDS {hows}, such as '{example}'")
    numbers = re.match(r"\(?\s*((?:[^\s,()]+[\s,]+){2}[^\s,()]+)\s*\)?(.*)$", found["rest"])
    if numbers is None:
        seen = found["rest"].strip()
        raise ValueError(f"{option} {text!r}: found {seen!r}; three numbers are expected, such as '{example}'")
    values = [_parse_number(option, text, value, "three numbers") for value in re.split(r"[\s,]+", numbers[1].strip())]
    return found["what"], _parse_time(option, text, found["when"]), found["how"], values, numbers[2].split()


def _parse_time(option: str, text: str, moment: str) -> dict[str, Any]:
    """Seconds, as in ``1.2`` or ``1.2s``, or a frame, as in ``90f`` or ``f90``."""
    frame = re.fullmatch(r"f(\d+)|(\d+)f", moment)
    if frame:
        return {"frame": int(frame[1] or frame[2])}
    return {
        "seconds": _parse_number(option, text, moment.removesuffix("s"), "seconds such as 1.2, or a frame such as 90f")
    }


def _parse_number(option: str, text: str, value: str, expected: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{option} {text!r}: found {value!r}; {expected} are expected") from None


# timewarp


_MAX_BEATS_FILE = 1_000_000  # bytes


def timewarp(
    source: Source,
    out: Out,
    onto: Annotated[Path | None, typer.Option("--onto", help="The motion whose pace is taken.")] = None,
    amount: Annotated[float, typer.Option("--amount", help="0, its own pace, to 1, the other's.")] = 1.0,
    mark: Annotated[
        list[str] | None,
        typer.Option("--mark", help="When a moment is to come: 1.2=1.5 puts 1.2 s at 1.5 s. Repeatable."),
    ] = None,
    beats: Annotated[
        str | None,
        typer.Option(
            "--beats", help="Seconds of beats, 0.5,1.1,1.6, or a text file of them: accents are found and come on them."
        ),
    ] = None,
    bpm: Annotated[float | None, typer.Option("--bpm", help="Beats a minute instead, the first at 0.")] = None,
    cost: Annotated[str, typer.Option("--cost", help="What corresponds: by shape or by pose.")] = "pose",
    search: Annotated[
        str, typer.Option("--search", help="auto, full, banded or coarse: how frames are matched.")
    ] = "auto",
    radius: Annotated[float, typer.Option("--radius", help="Seconds that other searches look around.")] = 1.0,
    matched: Annotated[
        bool, typer.Option("--matched", help="Frame by frame as matched, instead of along a smooth clock.")
    ] = False,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Perform a motion at another's pace, or so that its moments come at marks: beats of music, words of speech."""

    def prepare() -> Timewarp:
        from kinesphere.signals.timewarp import Timewarp

        if onto is None and not mark and beats is None and bpm is None:
            raise ValueError("nothing to go by: give --onto MOTION, --mark 1.2=1.5, --beats 0.5,1.1,1.6 or --bpm 100")
        if cost not in ("shape", "pose"):
            raise ValueError(f"--cost {cost}: shape or pose is expected")
        marks = [(_parse_seconds("--mark", moment), when) for moment, when in parse_pairs("--mark", mark)]
        return Timewarp(
            None if onto is None else score_source(onto),
            amount,
            marks,
            () if beats is None else _parse_beats(beats),
            bpm,
            "pose" if cost == "pose" else "shape",
            search,  # type: ignore[arg-type]
            radius,
            frames="matched" if matched else "smooth",
            joints=split_names(joints),
            start=start,
            end=end,
            fade=fade,
        )

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _parse_beats(text: str) -> list[float]:
    """Seconds parted by commas or blanks, themselves or in a text file."""
    file = Path(text)
    if any(piece.isalpha() for piece in text):
        if not file.is_file():
            raise ValueError(f"--beats {text}: neither seconds such as 0.5,1.1,1.6 nor a text file of them")
        if file.stat().st_size > _MAX_BEATS_FILE:
            raise ValueError(f"--beats {text}: more than {_MAX_BEATS_FILE} bytes; a short text of seconds is expected")
        text = file.read_text(encoding="utf-8", errors="replace")
    return [_parse_seconds("--beats", piece) for piece in text.replace(",", " ").split()]


def _parse_seconds(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option}: found {text!r}; a number of seconds is expected") from None


# blend


def blend(
    sources: Annotated[
        list[Path], typer.Argument(metavar="IN...", help="Two motions or more, files or default motions' names.")
    ],
    out: Out,
    weights: Annotated[
        str | None, typer.Option("--weights", help="One for each motion, such as 0.4,0.6. Else all alike.")
    ] = None,
    band: Annotated[
        list[str] | None,
        typer.Option(
            "--band", help="Other weights of one band, 2=1,0 (0 is the fastest), or at a period, 0.5s=1,0. Repeatable."
        ),
    ] = None,
    unaligned: Annotated[
        bool, typer.Option("--unaligned", help="Blend frame by frame as they are, without a common clock.")
    ] = False,
    cost: Annotated[str, typer.Option("--cost", help="What corresponds: by shape or by pose.")] = "pose",
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Make one motion of several: between them, or the quick movement of one with the slow of another."""

    def prepare() -> Blend:
        from kinesphere.signals.blend import Blend

        if len(sources) < 2:
            raise ValueError("one motion alone is itself; give two at least")
        if cost not in ("shape", "pose"):
            raise ValueError(f"--cost {cost}: shape or pose is expected")
        own = None if weights is None else _parse_numbers("--weights", weights)
        bands: dict[float, list[float]] = {}
        for text in band or ():
            name, equals, values = text.partition("=")
            if not equals:
                raise ValueError(f"--band {text!r}: write a band and its weights, such as 2=1,0 or 0.5s=1,0")
            bands[_parse_band(name.strip())] = _parse_numbers("--band", values)
        chosen: Literal["pose", "shape"] = "pose" if cost == "pose" else "shape"
        return Blend(
            own,
            bands,
            not unaligned,
            chosen,
            feet=not free_feet,
            others=[score_source(file) for file in sources[1:]],
            joints=split_names(joints),
            start=start,
            end=end,
            fade=fade,
        )

    reading = ReadOptions(clip, scale, up, rate, salvage)
    run_edit(sources[0], out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _parse_numbers(option: str, text: str) -> list[float]:
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} {text!r}: numbers parted by commas are expected") from None


def _parse_band(name: str) -> float:
    """A band's number, or the period in seconds of one."""
    if name.isdigit():
        return int(name)
    try:
        return float(name.removesuffix("s"))
    except ValueError:
        raise ValueError(f"--band {name}: a band such as 2, or a period such as 0.5s, is expected") from None
