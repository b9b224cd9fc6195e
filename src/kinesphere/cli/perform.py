"""``kinesphere perform``: a gesture, a walk or recordings with Effort and Shape; ``words`` lists the words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kinesphere.cli.batch import Processes
from kinesphere.cli.clips import tell_clip
from kinesphere.cli.edit_commands import open_score
from kinesphere.cli.performed_folders import (
    Performing,
    check_report,
    folder_format,
    parse_end,
    perform_folder,
    report_recording,
    save_rows,
)
from kinesphere.cli.performing import Overwrite, Performer, Preview, SaveScore, perform_score
from kinesphere.cli.performing_options import Asked, load_vocabulary
from kinesphere.cli.shared import ReadOptions, report_errors
from kinesphere.cli.transform_commands import with_reading

EFFORT = "space indirect..direct, weight light..strong, time sustained..sudden, flow free..bound; each from -1 to 1"
SHAPE = "horizontal spreading..enclosing, vertical rising..sinking, sagittal advancing..retreating, reach near..far"


@with_reading
def perform(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="A gesture or walk of ours by name, a file of key points, one in .toml, a motion file, a folder of "
            "them, or a score in .json.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write, in any format, or the folder if IN is one.")
    ],
    reading: ReadOptions,
    effort: Annotated[str | None, typer.Option("--effort", help=f"Such as space=-1,time=0.5: {EFFORT}.")] = None,
    shape: Annotated[str | None, typer.Option("--shape", help=f"Such as vertical=-1: {SHAPE}.")] = None,
    words: Annotated[str | None, typer.Option("--words", help='Such as "gently and proudly".')] = None,
    intensity: Annotated[float, typer.Option(help="0 to 2: how much of all this.")] = 1.0,
    stillness: Annotated[float, typer.Option(help="-1, restless, to 1, a statue.")] = 0.0,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Dials of one part for the whole's, such as right_arm:weight=1; may be repeated."),
    ] = None,
    by_hand: Annotated[
        str | None, typer.Option("--set", help="Movement parameters by hand, such as wrist_bend=0.2,tension=0.5.")
    ] = None,
    affinities: Annotated[bool, typer.Option("--affinities", help="Let Shape go along with Effort.")] = False,
    keep_path: Annotated[
        bool, typer.Option("--keep-path", help="Let a walk go where it went: strides stay as long as they are.")
    ] = False,
    start: Annotated[
        float | None, typer.Option("--from", help="Seconds of the gesture's or the recording's own time.")
    ] = None,
    end: Annotated[
        str | None,
        typer.Option("--to", metavar="SECONDS|FORMAT", help="Likewise; of a folder also the format: bvh, glb or npz."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="default, chi1999, emote2000, or a character's own .toml.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", help="A .toml file with words of your own.")
    ] = None,
    lock_times: Annotated[bool, typer.Option("--lock-times", help="Keep the keys' times whatever the Effort.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Which individual performs it.")] = None,
    behaviour: Annotated[
        list[str] | None,
        typer.Option(
            "--behaviour",
            metavar="NAME[:FIELD=VALUE,…]",
            help="What goes on by itself on top, such as breath:depth=1.5 or sway. Repeatable.",
        ),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(help="Frames a second of the output. Else 60, or a recording's own.")
    ] = None,
    sketch: Annotated[
        str | None,
        typer.Option(
            "--sketch", metavar="NAME[:AMOUNT]|FILE", help="In character: old-man, queen:0.5; see kinesphere sketches."
        ),
    ] = None,
    character: Performer = None,
    preview: Preview = False,
    save_score: SaveScore = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Also write what was found and kept of each recording, as .csv or .json."),
    ] = None,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Perform a gesture, a walk or a recording gently, angrily, grandly: the same goals, another person's way there.

    Dials and words add up. `kinesphere words` lists the words. A folder of recordings is performed as a whole, all
    clips of all files, with a report; what can't be performed is said at the end.
    """
    with report_errors():
        asked = Asked(
            effort,
            shape,
            words,
            intensity,
            stillness,
            tuple(part or ()),
            by_hand,
            affinities,
            keep_path,
            start,
            parse_end(end),
            model,
            vocabulary,
            lock_times,
            seed,
            tuple(behaviour or ()),
            fps,
            character,
            sketch,
        )
        if report is not None:
            check_report(report, overwrite)
        if source.is_dir():
            if save_score is not None:
                raise ValueError(f"--save-score: {source} is a folder; a score has one source")
            perform_folder(
                source, out, folder_format(end), Performing(reading, overwrite, preview, asked), jobs, report
            )
            return
        if end is not None and asked.end is None:
            raise ValueError(f"--to {end!r}: seconds are expected; a format is for folders, a file's suffix says it")
        score = asked.score(open_score(source, reading, character))
        tell_clip(source, reading)
        row = None if report is None else report_recording(score, source, out)
        plain = replace(score, layers=(), behaviours=())
        perform_score(score, plain, out, preview=preview, save_score=save_score, overwrite=overwrite)
        if row is not None and report is not None:
            save_rows([row], report)


def words(
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", help="A .toml file with words of your own.")
    ] = None,
) -> None:
    """List the words for `kinesphere perform --words`, with what they turn."""
    with report_errors():
        from kinesphere.direction.words import vocabulary as builtin_vocabulary

        known = load_vocabulary(vocabulary) or builtin_vocabulary()
        width = max(len(name) for name in known)
        for word in known.values():
            dials = [(name, getattr(word.effort, name)) for name in ("space", "weight", "time", "flow")]
            dials += [(name, getattr(word.shape, name)) for name in ("horizontal", "vertical", "sagittal", "reach")]
            dials += [("stillness", word.stillness)]
            turned = [f"{name}={value:g}" for name, value in dials if value] + (
                [f"tempo={word.tempo:g}"] if word.tempo != 1.0 else []
            )
            meaning = f"= {word.alias}" if word.alias else " ".join(turned)
            typer.echo(f"{word.name:<{width}}  {word.kind:<8} {meaning}")
