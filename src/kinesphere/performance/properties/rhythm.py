"""Rhythm: a pattern of long and short, over strokes that follow each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Numbers, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.performance.property import Family, MovementProperty
from kinesphere.performance.strokes import (
    PhraseStrokes,
    any_time,
    body_strokes,
    duration_curve,
    strokes_within,
    time_taken,
)


@phrase_edit("rhythm")
@document(frozen=True)
class Rhythm(MovementProperty):
    """Give strokes a rhythm: a pattern of durations, over and over, such as 2, 1, 1 for long, short, short.

    All strokes together, and the rests between them, take as long as before; no stroke is quicker than a hand can go.
    Of a walk strokes are steps; one that goes round has the rhythm of its gait only.
    """

    family = Family.TIMING

    pattern: Annotated[
        tuple[float, ...],
        Numbers("Durations beside each other, of one stroke after the other.", least=0.1, most=10.0, form="2,1,1"),
    ] = ()
    amount: Annotated[float, dial(0, 1, "How far it is taken.", "not at all", "fully", neutral=1.0)] = 1.0

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return not self.pattern or self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """How long each stroke takes."""
        strokes = body_strokes(phrase)
        yield from self._claims(phrase, strokes, np.ones(len(strokes.moves), dtype=np.bool_))

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claims on the whole strokes of a scope: together they take as long as before."""
        strokes = body_strokes(phrase)
        given = self._claims(phrase, strokes, strokes_within(strokes, scope))
        return self.scoped(tuple(given), phrase, any_time(scope), source, composite, origin)

    def _claims(self, phrase: Phrase, strokes: PhraseStrokes, inside: Bools) -> Iterator[Claim]:
        rows = np.flatnonzero(strokes.moves & strokes.whole & inside)
        if len(rows) < 2 or (phrase.loop and phrase.gait is not None):
            return
        factors = np.ones(len(strokes.moves))
        factors[rows] = self._durations(strokes, time_taken(phrase, strokes), rows) / strokes.lasts[rows]
        yield Claim("stroke.duration", duration_curve(phrase, strokes, factors), "body")

    def _durations(self, strokes: PhraseStrokes, taken: Floats, rows: Ints) -> Floats:
        """``(R,)`` seconds of strokes that follow the pattern, as far as hands can go, and take as long in all."""
        lasts, least = strokes.lasts[rows], strokes.least[rows]
        more = taken[rows] / lasts  # what goes with the first and the last one
        shares = lasts ** (1.0 - self.amount) * np.resize(self.pattern, len(rows)) ** self.amount
        held = np.zeros(len(rows), dtype=np.bool_)
        made = lasts
        for _ in range(len(rows)):
            left = float(taken[rows].sum() - (least * more)[held].sum())
            made = np.where(held, least, shares * (left / float((shares * more)[~held].sum())))
            short = ~held & (made < least)
            if not short.any():
                break
            held |= short
        return np.asarray(made)

    @classmethod
    def examples(cls) -> tuple[Rhythm, ...]:
        """A dactyl, and even strokes."""
        return cls(pattern=(2.0, 1.0, 1.0)), cls(pattern=(1.0, 1.0), amount=0.5)
