"""Score: what is performed (a gesture, key points or a motion) and layers of edits on it.

A source may be given by name or by file; ``is_motion`` and ``resolve_gesture`` say which it is. Each layer is an edit
with its scope, in the source's own time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from kinesphere.builtin.library import gesture, gestures, motions
from kinesphere.direction.words import Vocabulary, Word, combine_words
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.registry import formats
from kinesphere.laban.dials import EffortDial, Part, ShapeDial, check_dial
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.laban.manners import PARTS
from kinesphere.laban.shape import Shape
from kinesphere.motion.edit import Layer, PhraseEdit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.score.sources import is_name

MOST_INTENSITY = 2.0
HOLD_AFTER = 0.5  # seconds that a gesture of key points alone lasts after the last one
GESTURE_FILES = (".toml",)
VERSION = 1
MOST_LAYERS = 1000


@dataclass(frozen=True)
class Express(PhraseEdit):
    """Effort and Shape by dial or by word.

    Parameters
    ----------
    effort, shape
        One value, or a phrase: values at seconds of the source's own time.
    words
        Words with their strengths from 0 to 1; their dials are added to the ones above.
    intensity
        From 0, nothing, over 1, as dialled, to 2.
    stillness
        From −1, restless, over 0, as it is, to 1, a statue.
    affinities
        Whether Shape and hands follow Effort: indirect spreads, light rises and opens the hand, strong sinks and
        makes a fist, sustained advances.
    parts
        Effort and Shape of single parts instead of the whole body's: ``left_arm``, ``right_arm``, ``torso``.
    """

    effort: EffortDial = field(default_factory=Effort)
    shape: ShapeDial = field(default_factory=Shape)
    words: Mapping[str, float] = field(default_factory=dict)
    intensity: float = 1.0
    stillness: float = 0.0
    affinities: bool = False
    parts: Mapping[str, Part] = field(default_factory=dict)
    vocabulary: Vocabulary | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_express_dial(self.effort, Effort)
        check_express_dial(self.shape, Shape)
        object.__setattr__(self, "intensity", check_range("intensity", self.intensity, 0.0, MOST_INTENSITY))
        object.__setattr__(self, "stillness", check_range("stillness", self.stillness, -1.0, 1.0))
        given = {
            str(name): check_range(f"strength of {name!r}", value, 0.0, 1.0) for name, value in dict(self.words).items()
        }
        if given:
            combine_words(given, self.vocabulary)  # refuses unknown words
        object.__setattr__(self, "words", MappingProxyType(given))
        for name, part in dict(self.parts).items():
            check_body_part(name)
            if not isinstance(part, Part):
                raise TypeError(f"{name}: {part!r}; a Part with its effort and shape is expected")
            for dial, kind in ((part.effort, Effort), (part.shape, Shape)):
                if dial is not None:
                    check_express_dial(dial, kind)
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))

    @property
    def word(self) -> Word | None:
        """The dials of all its words together."""
        return combine_words(self.words, self.vocabulary) if self.words else None

    @property
    def neutral(self) -> bool:
        plain = isinstance(self.effort, Effort) and self.effort.is_neutral and isinstance(self.shape, Shape)
        return plain and self.shape == Shape() and not self.words and not self.parts and self.stillness == 0.0

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        raise NotImplementedError("Effort and Shape of a phrase are not applied by themselves yet; use a Score")


# Layers


def check_layer(layer: Layer) -> None:
    """Refuse what a layer of a score cannot be: one before the source's start, or Express on other parts."""
    start, parts = layer.scope.start, layer.scope.parts
    if start is not None and start < 0.0:
        raise ValueError(
            f"a range starts at {start:g} s; a gesture's own time begins at 0. Leave the start out for that"
        )
    for name in parts or () if isinstance(layer.edit, Express) else ():
        check_body_part(name)


def express_of(layer: Layer) -> Express:
    """The Express of a layer that has one."""
    if not isinstance(layer.edit, Express):
        raise TypeError(f"{type(layer.edit).__name__} is no Express")
    return layer.edit


def check_express_dial(dial: object, kind: type[Effort] | type[Shape]) -> None:
    """Refuse what is no dial, and moments before a gesture's start."""
    check_dial(dial, kind)
    if isinstance(dial, Mapping) and min(dial) < 0.0:
        raise ValueError(
            f"a phrase of {kind.__name__} has a moment at {min(dial):g} s; a gesture's own time begins at 0"
        )


def check_body_part(name: object) -> None:
    """Refuse what is no part of a body."""
    if name not in PARTS:
        raise ValueError(unknown_name("part", str(name), PARTS))


def check_range(name: str, value: object, least: float, most: float) -> float:
    """The number, or the error that says what is allowed."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} is {value!r}; a number from {least:g} to {most:g} is expected")
    if not least <= value <= most:  # NaN too
        raise ValueError(f"{name} is {value:g}; {least:g} to {most:g} is allowed")
    return float(value)


# The score

Source = Gesture | Keypoints | Motion | str | Path


def is_motion(source: Source) -> bool:
    """Whether a source is a motion, or a motion's name or file, rather than a gesture."""
    if isinstance(source, Motion):
        return True
    if isinstance(source, str) and source in motions():
        return source not in gestures()
    return isinstance(source, str | Path) and Path(source).suffix.lower() in _motion_suffixes()


def _motion_suffixes() -> frozenset[str]:
    return frozenset(suffix for known in formats() if known.name != "keypoints" for suffix in known.suffixes)


def resolve_gesture(source: Source) -> Gesture:
    """The gesture of a source: itself, one of key points, one by its name, or one from a file."""
    if isinstance(source, Motion):
        raise TypeError(f"{source!r} is a motion; a gesture is expected")
    if isinstance(source, Gesture):
        return source
    if isinstance(source, Keypoints):
        return _gesture_of_keys(source)
    path = Path(source)
    if is_name(source) and not path.is_file():
        return _builtin_gesture(str(source))
    if path.suffix.lower() in GESTURE_FILES:
        return load_gesture(path)
    return _gesture_of_keys(load_keypoints(path), path.stem)


@lru_cache(maxsize=64)
def _builtin_gesture(name: str) -> Gesture:
    return gesture(name)


def _gesture_of_keys(keys: Keypoints, name: str = "key points") -> Gesture:
    """A gesture of one arm's keys. Keys before time 0 are delayed so that the first is at 0."""
    first = keys.keys[0].frame
    shifted = tuple(
        Keypoint(key.frame - min(first, 0.0), key.position, key.swivel, key.stop, key.space) for key in keys.keys
    )
    own = Keypoints(shifted, keys.rate, keys.part, keys.locked, keys.source)
    side = "left" if keys.part.lower().startswith("left") else "right"
    duration = shifted[-1].frame / keys.rate + HOLD_AFTER
    left, right = (own, None) if side == "left" else (None, own)
    return Gesture(name, duration, left, right, source=keys.source)


@dataclass(frozen=True)
class Score:
    """A performance: its source and the edits on it.

    Parameters
    ----------
    source
        A gesture, key points, the name of a built-in gesture, or a file of either; or a motion or its file, to which
        only edits of signals apply.
    layers
        Edits with their scopes, ``Equalize(preset="soften").over(start=1.0)``. The dials of all Express
        add up; then motion edits are applied, one after the other. Parts of Express are ``left_arm, right_arm, torso``,
        of motion edits any group, role or joint.
    model
        The Effort model: a name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    seed
        Which individual performs it; None: always the same.
    """

    source: Gesture | Keypoints | Motion | str | Path
    layers: tuple[Layer, ...] = ()
    model: str | Path | EffortModel = DEFAULT
    lock_times: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Gesture | Keypoints | Motion | str | Path):
            raise TypeError(f"{self.source!r}: a gesture, key points, a motion, a gesture's name or a file is expected")
        object.__setattr__(self, "layers", tuple(self.layers))
        if len(self.layers) > MOST_LAYERS:
            raise ValueError(f"{len(self.layers)} layers; at most {MOST_LAYERS} are allowed")
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise TypeError(f"{layer!r} is no layer; Layer(edit) or edit.over(start=1.0) is one")
            check_layer(layer)
            if isinstance(layer.edit, PhraseEdit) and is_motion(self.source):
                name = self.source.name if isinstance(self.source, Motion) else self.source
                raise ValueError(
                    f"{name} is a motion: Effort and Shape are for gestures, whose goals are known. Edits of "
                    "kinesphere.signals are for both"
                )
        effort_model(self.model)
        if not isinstance(self.lock_times, bool):
            raise TypeError(f"lock_times is {self.lock_times!r}; True or False is expected")
        seed = self.seed
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63):
            raise ValueError(f"seed is {seed!r}; a whole number from 0, or None, is expected")
