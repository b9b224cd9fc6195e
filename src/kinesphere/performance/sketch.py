"""Sketch: perform in character: an old man, a queen, a nervous clerk; or one of your own, from a file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Annotated, Any

from kinesphere.laban.expression import PARTS, express, scope_parts
from kinesphere.motion.behaviour import Behaviour
from kinesphere.motion.claim import Claim, roles_of
from kinesphere.motion.document import Dial, Setting, Text, dial, document, hints_of, setting_of
from kinesphere.motion.edit import NameOrFile, PhraseEdit, phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.performance.performance_files import PerformanceFile, source_of
from kinesphere.performance.sketch_file import SKETCHES, SketchContent, at_amount, sketch_content


@phrase_edit("sketch")
@document(frozen=True)
class Sketch(PhraseEdit):
    """Perform in character: an old man, a queen, a nervous clerk, or a character of your own.

    A sketch gives way: the same property of an action or of a user covers that of the sketch, its Effort, Shape and
    words add to the user's. `kinesphere sketches` lists them.
    """

    name: Annotated[
        Text, NameOrFile(), Setting("Ours, or one of your own, by name; or a .toml file.", metavar="NAME|FILE")
    ] = ""
    amount: Annotated[
        float, dial(0, 1, "How much of it, from none to as it is written.", "nothing", "all of it", neutral=1.0)
    ] = 1.0

    def __post_init__(self) -> None:
        if self.name:
            SKETCHES.check(source_of(self.name))

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.name or self.amount == 0.0

    @property
    def file(self) -> PerformanceFile:
        """Its file."""
        return SKETCHES.find(source_of(self.name))

    @property
    def content(self) -> SketchContent:
        """What it asks for; its file is read."""
        return sketch_content(self.file)

    def check_scope(self, scope: Scope) -> None:
        """Refuse parts that no humanoid has."""
        for part in scope.parts or ():
            roles_of(part)

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase as this character does it."""
        if self.neutral or scope.strength == 0.0:
            return phrase
        self.check_scope(scope)
        content = self.content
        asked, inside = at_amount(content.express, self.amount), _expressive(scope)
        if not asked.neutral and inside is not None:
            phrase = express(phrase, asked.expression(phrase, inside))
        claims: list[Claim] = []
        for own in content.properties:
            both = _both(own.scope, scope, self.amount)
            if both is not None and not own.edit.neutral:
                claims += own.edit.asked(phrase, both, "sketch", "", content.name)
        return replace(phrase, claims=(*phrase.claims, *claims)) if claims else phrase

    def behaviours(self, strength: float = 1.0) -> tuple[Behaviour, ...]:
        """What goes on by itself on top, as far as there is of it."""
        if self.neutral or strength == 0.0:
            return ()
        return tuple(_scaled(own, strength * self.amount) for own in self.content.behaviours)

    @classmethod
    def examples(cls) -> tuple[Sketch, ...]:
        """All of ours."""
        return tuple(cls(path.stem) for path in sorted(SKETCHES.folder.glob("*.toml")))


def _expressive(scope: Scope) -> Scope | None:
    """A scope on the parts that Effort and Shape act on; None: it has none of them."""
    if scope.parts is None:
        return scope
    inside = frozenset().union(*(roles_of(part) for part in scope.parts))
    parts = tuple(part for part in PARTS if roles_of(part) <= inside)
    return replace(scope, parts=scope_parts(replace(scope, parts=parts))) if parts else None


def _both(own: Scope, over: Scope, amount: float) -> Scope | None:
    """The scope of a sketch's property within that of the sketch; None: it holds nowhere there."""
    starts = [at for at in (own.start, over.start) if at is not None]
    ends = [at for at in (own.end, over.end) if at is not None]
    start, end = max(starts, default=None), min(ends, default=None)
    if start is not None and end is not None and end <= start:
        return None
    parts = own.parts if over.parts is None else over.parts
    if own.parts is not None and over.parts is not None:
        first, second = (frozenset().union(*(roles_of(part) for part in one)) for one in (own.parts, over.parts))
        parts = tuple(sorted(first & second)) or None
        if parts is None:
            return None
    strength = own.strength * over.strength * amount
    return Scope(start, end, parts, strength, over.fade if own.whole_time else own.fade)


def _scaled(own: Behaviour, amount: float) -> Behaviour:
    """A behaviour whose dials are so far from their neutral values."""
    if amount == 1.0:
        return own
    changed: dict[str, Any] = {}
    for field in fields(own):  # type: ignore[arg-type]
        setting = setting_of(hints_of(type(own))[field.name])
        if isinstance(setting, Dial):
            changed[field.name] = setting.neutral + amount * (getattr(own, field.name) - setting.neutral)
    return replace(own, **changed)  # type: ignore[type-var]
