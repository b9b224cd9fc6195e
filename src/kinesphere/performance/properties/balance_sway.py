"""Balance sway: continual small shifts of the balance, which a standing body never is without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

ASIDE, AHEAD = 0.30, 0.26  # of half the support, standard deviation times √2, at full sway
WAVES = 4  # sine waves of each direction
SLOWEST, FASTEST = 0.14, 0.75  # hertz
SEED = 11  # of phrases that have none


@phrase_edit("balance_sway")
@document(frozen=True)
class BalanceSway(MovementProperty):
    """Let the balance shift all the time, by a little and never the same: as on a stage, more than life has it.

    Who sways is told by the phrase's seed; feet stay.
    """

    family = Family.SHAPE

    amount: Annotated[float, dial(0, 1, "How much the balance shifts.", "not at all", "much")] = 0.0
    rate: Annotated[float, dial(0.4, 2.5, "How quickly, times.", "slowly", "quickly", neutral=1.0)] = 1.0

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Curves of the balance."""
        rng = np.random.default_rng(SEED if phrase.seed is None else phrase.seed)
        for axis, size in (("x", ASIDE), ("z", AHEAD)):
            yield Claim(f"balance.{axis}", self.amount * size * sway(phrase, self.rate, rng))


def sway(phrase: Phrase, rate: float, rng: np.random.Generator) -> Floats:
    """A sum of sine waves over the phrase's own time, at most 1.5; the same in every cycle of a loop."""
    made = np.zeros(len(phrase.times))
    for _ in range(WAVES):
        frequency = rate * SLOWEST * (FASTEST / SLOWEST) ** rng.random()
        phase, size = 2.0 * np.pi * rng.random(), (SLOWEST * rate / frequency) ** 0.5
        if phrase.loop:
            frequency = max(round(frequency * phrase.duration), 1) / phrase.duration
        made += size * np.sin(2.0 * np.pi * frequency * phrase.times + phase)
    return np.asarray(1.5 * np.tanh(made / 1.5))
