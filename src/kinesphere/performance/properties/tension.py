"""Tension: how loose or tight a body is: secondary motion after stops, or crisp ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import numpy as np

from kinesphere.maths.vectors import Floats, smootherstep
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Choice, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.envelope import ENVELOPES
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.performance.property import Family, MovementProperty

KINDS = ("sudden", "gradual", "spasmodic")
SUDDEN = 0.08  # seconds in which a sudden tension comes and goes
BENT = 0.04  # arm lengths that acting hands come nearer when tight: elbows are held bent
RISES = 0.5  # of an envelope that is quick at first and slow at last, while tension rises
SLOWEST_RISE = 2.0  # seconds over which a rise to full tension still counts in full
EVERY, BURST, FALLS = (0.3, 0.75), 0.05, 0.22  # seconds from one spasm to the next; in which it comes, and goes
SEED = 41  # of phrases that have none


@phrase_edit("tension")
@document(frozen=True)
class Tension(MovementProperty):
    """Make a body, or a scope's parts, loose or tight.

    Loose limbs drag behind strokes and swing on after them as damped pendulums do, wrists and fingers relax, shoulders
    drop. Tight ones stop crisply, wrists are stiff, hands close, shoulders rise, elbows are held a little bent; at the
    extreme a body trembles. Nothing swings where nothing moves.

    A sudden tension is there at once, a gradual one rises for half of the scope's time and falls for the other half, a
    spasmodic one comes in bursts, which the phrase's seed tells. Feet stay, and hands keep what they touch.
    """

    family = Family.TRANSITION

    amount: Annotated[float, dial(-1, 1, "How tight the body is.", "loose", "tight")] = 0.0
    kind: Annotated[str, Choice("How it comes and goes.", choices=KINDS)] = "sudden"

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Tension of joints above the hips; tight arms are held a little bent."""
        yield Claim("tension", self.amount, "upper_body")
        if self.amount > 0.0:
            for side in SIDES:
                yield Claim(f"{side}.reach", -BENT * self.amount)

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claims over the scope's time, as they come and go."""
        start, end = scope.start or 0.0, phrase.duration if scope.end is None else min(scope.end, phrase.duration)
        if self.kind == "gradual" and end > start:
            own = replace(scope, start=start, end=end, fade=0.5 * (end - start))
        else:
            own = replace(scope, fade=min(scope.fade, SUDDEN))
        made = super().asked(phrase, own, source, composite, origin)
        if self.kind == "spasmodic":
            bursts = spasms(phrase)
            made = tuple(replace(claim, weight=claim.weight * bursts) for claim in made)
        if self.amount > 0.0 and self.kind != "sudden":
            made = (*made, *self._rising(made))
        return made

    def _rising(self, made: tuple[Claim, ...]) -> Iterator[Claim]:
        """An envelope that is quick at first and slow at last, of joints whose tension rises."""
        for claim in made:
            if claim.aspect == "tension" and np.size(claim.weight) > 1:
                rise = np.maximum(np.gradient(np.asarray(claim.weight), 1.0 / 60.0), 0.0)
                weight = RISES * self.amount * np.minimum(SLOWEST_RISE * rise, 1.0)
                yield replace(claim, aspect="envelope", value=ENVELOPES["fast_start"], weight=weight)

    @classmethod
    def examples(cls) -> tuple[Tension, ...]:
        """Loose and tight, and how tension comes."""
        return cls(amount=-1.0), cls(amount=0.8), cls(amount=0.9, kind="gradual"), cls(amount=0.9, kind="spasmodic")


def spasms(phrase: Phrase) -> Floats:
    """Bursts from 0 to 1 over the phrase's own time, the same in every cycle of a loop."""
    rng = np.random.default_rng(SEED if phrase.seed is None else phrase.seed)
    times, made, at = phrase.times, np.zeros(len(phrase.times)), 0.1
    while at < phrase.duration - (FALLS + BURST if phrase.loop else 0.0):
        size = rng.uniform(0.55, 1.0)
        burst = smootherstep((times - at) / BURST) * (1.0 - smootherstep((times - at - BURST) / FALLS))
        made = np.maximum(made, size * burst)
        at += rng.uniform(*EVERY)
    return made
