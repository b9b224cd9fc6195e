"""Score: what is performed, by whom, with which edits and behaviours. A document.

The source is a gesture, a script, key points or a motion, itself or by name or file. Each layer is an edit with its
scope, in the source's own time. Phrase edits (Effort, Shape, words) come before the motion is generated, a recording's
after it is lifted, motion edits after it, then behaviours, which go on by themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator

from kinesphere.motion.behaviour import Behaviour, Scene
from kinesphere.motion.character import Character
from kinesphere.motion.document import document, expected_type, number
from kinesphere.motion.edit import EditBase, Layer, named_or_file
from kinesphere.motion.gait import Gait
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.sources import AS_FOUND, Reading
from kinesphere.scripts.script_file import Script

VERSION = 2
MOST_LAYERS = 1000
MOST_SEED = 2**63 - 1


def _check_source(source: Any) -> Any:
    if not isinstance(source, Gesture | Gait | Script | Keypoints | Motion | str | Path):
        raise expected_type("a gesture, a walk, a script, key points, a motion, a gesture's name or a file")
    return named_or_file(source)


def _check_character(character: Any) -> Any:
    if not isinstance(character, Character | str | Path | None):
        raise expected_type("a character, its name or its file")
    return named_or_file(character)


def _check_layers(layers: Any) -> Any:
    several = (layers,) if isinstance(layers, EditBase | Layer) else layers
    made = tuple(Layer(entry) if isinstance(entry, EditBase) else entry for entry in several)
    for entry in made:
        if not isinstance(entry, Layer):
            raise expected_type("a layer: an edit, or an edit with its scope")
    return made


def _check_behaviours(behaviours: Any) -> Any:
    made = (behaviours,) if isinstance(behaviours, Behaviour) else tuple(behaviours)
    for entry in made:
        if not isinstance(entry, Behaviour):
            raise expected_type("a behaviour")
    return made


@document(frozen=True)
class Score:
    """A performance: its source and what is done to it.

    Parameters
    ----------
    source
        A gesture, a walk, a script, key points, the name of a built-in one, or a file of any of these; or a motion.
        Phrase edits of a motion act on the phrase that is lifted from it.
    layers
        Edits, or edits with their scope (``edit.over(start=1.0)``). Dials of all phrase edits add up; motion edits are
        applied one after the other.
    character
        Who performs it: a character, ``"figure"``, ``"mo"`` or a file. Gestures are generated on its body, motions are
        retargeted to it. None: gestures are performed by the figure, motions stay on their own skeleton.
    behaviours
        What goes on by itself on top, in this order: breath, sway, fidgeting, or a plugin's.
    scene
        What is around. Empty yet.
    seed
        Which individual performs it; None: always the same.
    reading
        How motion files are read.
    rate
        Frames a second of the result; None: 60 of a gesture, a motion's own.
    """

    source: Annotated[Any, BeforeValidator(_check_source)]
    layers: Annotated[tuple[Any, ...], BeforeValidator(_check_layers)] = ()
    character: Annotated[Any, BeforeValidator(_check_character)] = None
    behaviours: Annotated[tuple[Any, ...], BeforeValidator(_check_behaviours)] = ()
    scene: Scene = Scene()
    seed: Annotated[int, number(0, MOST_SEED, "Which individual performs it.", whole=True)] | None = None
    reading: Reading = AS_FOUND
    rate: Annotated[float, number(1e-3, 1e6, "Frames a second of the result.")] | None = None

    def __post_init__(self) -> None:
        if len(self.layers) > MOST_LAYERS:
            raise ValueError(f"{len(self.layers)} layers; at most {MOST_LAYERS} are allowed")
        for layer in self.layers:
            check_layer(layer)


def check_layer(layer: Layer) -> None:
    """Refuse what a layer of a score cannot be: one before the source's start."""
    start = layer.scope.start
    if start is not None and start < 0.0:
        raise ValueError(
            f"a range starts at {start:g} s; a gesture's own time begins at 0. Leave the start out for that"
        )
    layer.edit.check_scope(layer.scope)
