"""``kinesphere displace``: a pose changed at a moment, and the motion around it follows."""

from __future__ import annotations

import re
from math import radians
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinesphere.cli.edits.common import (
    End,
    FreeFeet,
    Joints,
    Out,
    Overwrite,
    Preview,
    SaveScore,
    Source,
    Start,
    edited,
    names,
)
from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up

if TYPE_CHECKING:
    from kinesphere.signals.displace import Displace, Target, Turn

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

        edits = [*(_target(text) for text in target or ()), *(_turn(text) for text in turn or ())]
        if not edits:
            raise ValueError(f"nothing to displace: give --target '{TARGET}' or --turn '{TURN}'")
        return Displace(
            edits,
            tension,
            continuity,
            bias,
            None if overshoot == "any" else _number("--overshoot", overshoot, overshoot, "a number or any"),
            width,
            joints=names(joints),
            start=start,
            end=end,
            feet=not free_feet,
        )

    reading = Reading(clip, scale, up, rate, salvage)
    edited(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _target(text: str) -> Target:
    from kinesphere.signals.displace import Target

    part, when, how, place, words = _parts("--target", text, ("by", "to"), TARGET)
    more: dict[str, Any] = {how: place}
    while words:
        word = words.pop(0)
        if word == "loose":
            more["keep_orientation"] = False
        elif word == "plant":
            more["plant"] = True
        elif word == "swivel" and words:
            more["swivel"] = radians(_number("--target", text, words.pop(0), "degrees after swivel"))
        else:
            raise ValueError(f"--target {text!r}: found {word!r}; swivel DEGREES, loose and plant are allowed there")
    return Target(part, **when, **more)


def _turn(text: str) -> Turn:
    from kinesphere.signals.displace import Turn

    joint, when, _, angles, words = _parts("--turn", text, ("by",), TURN)
    if words and words not in (["parent"], ["joint"], ["world"]):
        raise ValueError(f"--turn {text!r}: found {' '.join(words)!r}; parent, joint or world is allowed there")
    return Turn(joint, [radians(angle) for angle in angles], *words, **when)


def _parts(
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
    values = [_number(option, text, value, "three numbers") for value in re.split(r"[\s,]+", numbers[1].strip())]
    return found["what"], _when(option, text, found["when"]), found["how"], values, numbers[2].split()


def _when(option: str, text: str, moment: str) -> dict[str, Any]:
    """Seconds, as in ``1.2`` or ``1.2s``, or a frame, as in ``90f`` or ``f90``."""
    frame = re.fullmatch(r"f(\d+)|(\d+)f", moment)
    if frame:
        return {"frame": int(frame[1] or frame[2])}
    return {"seconds": _number(option, text, moment.removesuffix("s"), "seconds such as 1.2, or a frame such as 90f")}


def _number(option: str, text: str, value: str, expected: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{option} {text!r}: found {value!r}; {expected} are expected") from None
