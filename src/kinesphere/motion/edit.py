"""Edits: what phrase edits and motion edits share, and layers, which are edits with their scope.

An edit is a frozen document (``motion.document``), neutral by default, registered by name. A *phrase edit* changes how
a movement is done before it is generated: ``Phrase, Scope -> Phrase``. A *motion edit* changes a motion:
``Motion, Scope -> Motion, TimeMap``; the time map is from the motion's old time to its new one.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from kinesphere.motion.document import expected_type
from kinesphere.motion.motion import Motion
from kinesphere.motion.registry import RegisteredDocument, Registry, registering
from kinesphere.motion.scope import WHOLE, Scope

if TYPE_CHECKING:
    from kinesphere.motion.behaviour import Behaviour
    from kinesphere.motion.phrase import Phrase
    from kinesphere.motion.timemap import TimeMap


def is_name(source: str | Path) -> bool:
    """Whether a source is a name rather than a file: a text without a folder and a suffix."""
    return isinstance(source, str) and len(Path(source).parts) <= 1 and not Path(source).suffix


def named_or_file(source: Any) -> Any:
    """A source; a text that is no name is a file."""
    return Path(source) if isinstance(source, str) and not is_name(source) else source


class SourceOfMotion:
    """Annotation of a value that is a motion, or the name or file of one, which scores replace by the motion."""

    @staticmethod
    def check(value: Any) -> Motion | str | Path:
        """The value, or the error that says what is expected. Files are not opened."""
        if not isinstance(value, Motion | str | Path):
            raise expected_type("a motion, a default motion's name or a file")
        made: Motion | str | Path = named_or_file(value)
        return made

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, json_schema_input_schema=core_schema.str_schema()
        )


class NameOrFile:
    """Annotation of a text that is a name, or a file's, which scores find beside them."""


MotionSource: TypeAlias = Annotated[Motion | str | Path, SourceOfMotion()]


def loaded_motion(source: MotionSource) -> Motion:
    """The motion itself; a name or a file is refused, because edits open nothing."""
    if not isinstance(source, Motion):
        raise ValueError(
            f"{str(source)!r} is the name of a motion, and an edit opens no files: give it the motion, "
            "kinesphere.load(…) or kinesphere.builtin.motion(…), or put the edit in a Score, which finds it"
        )
    return source


class EditBase(RegisteredDocument):
    """What phrase edits and motion edits share. With all fields at their defaults an edit is neutral."""

    def check_scope(self, scope: Scope) -> None:
        """Refuse a scope that the edit cannot act on, whatever it is applied to."""

    def behaviours(self, strength: float = 1.0) -> tuple[Behaviour, ...]:
        """What goes on by itself on top where a score has this edit, at a strength of it."""
        return ()

    def over(self, **scope: Any) -> Layer:
        """The edit with its scope, for scores: ``Equalize(preset="soften").over(parts="arms", start=1.0)``."""
        return Layer(self, Scope(**scope))


class MotionEdit(EditBase):
    """An edit of a motion. Subclasses are documents: ``@motion_edit("name") @document(frozen=True) class …``."""

    @abstractmethod
    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        """The motion, edited where ``scope`` says, and the clock from its old time to the new one."""

    @property
    def locks_feet(self) -> bool:
        """Whether its last step locks feet that are in contact, which stacked edits do once for several."""
        return False

    def with_free_feet(self) -> Self:
        """The same edit without that last step; see ``locks_feet``."""
        return self

    @property
    def needs_locked_feet(self) -> bool:
        """Whether feet must be locked before it: it retimes, or looks at contacts. Edits of curves do not."""
        return True

    @property
    def retimes(self) -> bool:
        """Whether it may change when things come: frames, also those outside of its scope, are then others."""
        return False

    def at_times_of(self, clock: TimeMap, motion: Motion) -> Self:
        """The same edit for ``motion``, its own moments mapped by a clock: edits before may have changed it."""
        return self

    def __call__(self, motion: Motion, **scope: Any) -> Motion:
        """The motion, edited; ``scope`` are the fields of ``Scope``: start, end, parts, strength, fade."""
        if not isinstance(motion, Motion):
            raise TypeError(f"{type(self).__name__} edits motions; found {motion!r}. generate(phrase) makes one")
        return self.apply(motion, Scope(**scope) if scope else WHOLE)[0]


class PhraseEdit(EditBase):
    """An edit of a phrase. Subclasses are documents: ``@phrase_edit("name") @document(frozen=True) class …``."""

    @abstractmethod
    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase, edited where ``scope`` says, in seconds of the phrase's own time."""

    def __call__(self, phrase: Phrase, **scope: Any) -> Phrase:
        """The phrase, edited; ``scope`` are the fields of ``Scope``: start, end, parts, strength, fade."""
        from kinesphere.motion.phrase import Phrase as Own

        if not isinstance(phrase, Own):
            raise TypeError(
                f"{type(self).__name__} edits phrases; found {phrase!r}. phrase_of(gesture, body) makes one"
            )
        return self.apply(phrase, Scope(**scope) if scope else WHOLE)


AnyEdit: TypeAlias = MotionEdit | PhraseEdit

BESIDE_FIELDS = ("edit", *(field.name for field in fields(Scope)))  # in a layer's row of a document
MOTION_EDITS: Registry[MotionEdit] = Registry("motion edit", ("kinesphere.signals",), BESIDE_FIELDS)
PHRASE_EDITS: Registry[PhraseEdit] = Registry(
    "phrase edit",
    ("kinesphere.laban", "kinesphere.direction", "kinesphere.performance", "kinesphere.performance.properties"),
    BESIDE_FIELDS,
)
motion_edit = registering(MOTION_EDITS)
phrase_edit = registering(PHRASE_EDITS)


@dataclass(frozen=True)
class Layer:
    """An edit and its scope. Times are seconds of the source's own time, whatever other layers do to it."""

    edit: EditBase
    scope: Scope = WHOLE

    def __post_init__(self) -> None:
        if not isinstance(self.edit, MotionEdit | PhraseEdit):
            raise TypeError(f"{self.edit!r} is no edit; a phrase edit or a motion edit is expected")
        if not isinstance(self.scope, Scope):
            raise TypeError(f"{self.scope!r} is no Scope; Layer(edit, Scope(start=1.0)) or edit.over(start=1.0) is one")

    def __call__(self, motion: Motion) -> Motion:
        """The motion, edited by a motion edit within the scope."""
        if not isinstance(self.edit, MotionEdit):
            raise TypeError(f"{type(self.edit).__name__} is an edit of phrases; give it to a score, or use perform")
        return self.edit.apply(motion, self.scope)[0]
