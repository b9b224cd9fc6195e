"""Edit layers of a score: each has a time range in the source's own time, body parts and a strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from kinesphere.direction.words import Vocabulary, Word, combine_words
from kinesphere.laban.dials import EffortDial, Part, ShapeDial, check_dial
from kinesphere.laban.effort import Effort
from kinesphere.laban.manners import PARTS
from kinesphere.laban.shape import Shape
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import GROUPS
from kinesphere.signals.blend import Blend
from kinesphere.signals.edit import Edit
from kinesphere.signals.timewarp import Timewarp

MOST_INTENSITY = 2.0


@dataclass(frozen=True)
class Express:
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


SignalEdit = Edit | Timewarp | Blend


@dataclass(frozen=True)
class Layer:
    """An edit with its range of time, its parts and its strength.

    Express is for gestures; edits of signals (``Equalize``, ``Waveshape``, ``Smooth``, ``Displace``, ``Timewarp``,
    ``Blend``) come after all Express, in the order of the layers. The joints, range and strength of such an edit become
    the layer's.

    ``start`` and ``end`` are seconds of the source's own time, None for its ends. ``parts`` are ``left_arm, right_arm,
    torso`` for Express, any group, role or joint for signals; None for all.
    """

    edit: Express | SignalEdit
    start: float | None = None
    end: float | None = None
    parts: tuple[str, ...] | None = None
    strength: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.edit, Express | Edit | Timewarp | Blend):
            raise TypeError(f"{self.edit!r} is no edit; an Express or an edit of kinesphere.signals is expected")
        if not isinstance(self.edit, Express):
            self._take_scope(self.edit)
        for name in ("start", "end"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, check_range(name, value, -1e6, 1e6))
        if self.start is not None and self.start < 0.0:
            raise ValueError(
                f"a range starts at {self.start:g} s; a gesture's own time begins at 0. Leave the start out for that"
            )
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError(
                f"a range from {self.start:g} to {self.end:g} s is empty; its end must come after its start"
            )
        object.__setattr__(self, "strength", check_range("strength", self.strength, 0.0, 1.0))
        if self.parts is not None:
            self._check_parts(self.parts)
            object.__setattr__(self, "parts", tuple(self.parts))

    def _check_parts(self, parts: tuple[str, ...]) -> None:
        for name in parts:
            if isinstance(self.edit, Express):
                check_body_part(name)
            elif not isinstance(name, str):
                raise TypeError(f"{name!r} is no part; names of groups, roles or joints are expected")
        if not parts:
            some = PARTS if isinstance(self.edit, Express) else tuple(GROUPS)
            raise ValueError(f"no part is named; leave parts out for all of them, or name some of {', '.join(some)}")

    def _take_scope(self, edit: SignalEdit) -> None:
        """Move the edit's own joints, range and strength to the layer, so that they stand in one place."""
        joints = (edit.joints,) if isinstance(edit.joints, str) else edit.joints
        scope = {"start": edit.start, "end": edit.end, "parts": None if joints is None else tuple(joints)}
        for name, value in scope.items():
            if value is None:
                continue
            if getattr(self, name) is not None:
                raise ValueError(f"{name}: both the layer and its edit say it; leave it out of one of them")
            object.__setattr__(self, name, value)
        bare: SignalEdit = replace(edit, joints=None, start=None, end=None)
        if not isinstance(bare, Timewarp) and bare.strength != 1.0:
            if self.strength != 1.0:
                raise ValueError("strength: both the layer and its edit say it; leave it out of one of them")
            object.__setattr__(self, "strength", bare.strength)
            bare = replace(bare, strength=1.0)
        object.__setattr__(self, "edit", bare)


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
