"""Edits: what phrase edits and motion edits share, and layers, which are edits with their scope.

An edit is a frozen document (``motion.document``), neutral by default, registered by name. A *phrase edit* changes how
a movement is done before it is generated: ``Phrase, Scope -> Phrase``. A *motion edit* changes a motion:
``Motion, Scope -> Motion, TimeMap``; the time map is from the motion's old time to its new one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from kinesphere.motion.registry import Registry, registering
from kinesphere.motion.scope import WHOLE, Scope

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion
    from kinesphere.motion.phrase import Phrase
    from kinesphere.motion.timemap import TimeMap


class MotionEdit(ABC):
    """An edit of a motion. Subclasses are documents: ``@motion_edit("name") @document(frozen=True) class …``."""

    @property
    @abstractmethod
    def neutral(self) -> bool:
        """Whether it changes nothing, whatever the motion."""

    @abstractmethod
    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        """The motion, edited where ``scope`` says, and the clock from its old time to the new one."""

    @property
    def locks_feet(self) -> bool:
        """Whether feet that are in contact are locked after the edit, which stacked edits do once for several."""
        return False

    def with_free_feet(self) -> Self:
        """The same edit without foot lock; see ``locks_feet``."""
        return self

    def at_times_of(self, clock: TimeMap) -> Self:
        """The same edit, its own moments mapped by a clock: edits below may have changed when they come."""
        return self

    def __call__(self, motion: Motion, **scope: Any) -> Motion:
        """The motion, edited; ``scope`` are the fields of ``Scope``: start, end, parts, strength, fade."""
        return self.apply(motion, Scope(**scope) if scope else WHOLE)[0]

    def over(self, **scope: Any) -> Layer:
        """The edit with its scope, for scores: ``Equalize(preset="soften").over(parts="arms", start=1.0)``."""
        return Layer(self, Scope(**scope))


class PhraseEdit(ABC):
    """An edit of a phrase. Subclasses are documents: ``@phrase_edit("name") @document(frozen=True) class …``."""

    @property
    @abstractmethod
    def neutral(self) -> bool:
        """Whether it changes nothing, whatever the phrase."""

    @abstractmethod
    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase, edited where ``scope`` says, in seconds of the phrase's own time."""

    def __call__(self, phrase: Phrase, **scope: Any) -> Phrase:
        """The phrase, edited; ``scope`` are the fields of ``Scope``: start, end, parts, strength, fade."""
        return self.apply(phrase, Scope(**scope) if scope else WHOLE)

    def over(self, **scope: Any) -> Layer:
        """The edit with its scope, for scores: ``Effort(weight=1.0).over(parts="left_arm", start=1.0)``."""
        return Layer(self, Scope(**scope))


AnyEdit: TypeAlias = MotionEdit | PhraseEdit

MOTION_EDITS: Registry[MotionEdit] = Registry("motion edit", ("kinesphere.signals",))
PHRASE_EDITS: Registry[PhraseEdit] = Registry("phrase edit", ("kinesphere.laban", "kinesphere.direction"))
motion_edit = registering(MOTION_EDITS)
phrase_edit = registering(PHRASE_EDITS)


@dataclass(frozen=True)
class Layer:
    """An edit and its scope. Times are seconds of the source's own time, whatever other layers do to it."""

    edit: AnyEdit
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
