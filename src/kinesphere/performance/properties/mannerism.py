"""Mannerism: how a body is held all the time, channel by channel, with its rhythms and habits of the gaze."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from kinesphere.direction.body_language import BodyLanguage, check_posture, check_rhythm, in_engine_units
from kinesphere.engine.recruitment import channels_of
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Numbers, Real, Setting, document, number
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("mannerism")
@document(frozen=True)
class Mannerism(MovementProperty):
    """Hold the body in some way all the time: channels of it, rhythms that go on, where it looks.

    Its posture is there from the first moment to the last; that of words comes and goes with the phrase.
    """

    family = Family.SHAPE

    posture: Annotated[
        Mapping[str, Real],
        AfterValidator(check_posture),
        Setting(
            "Channels and how far: degrees, metres, shares; arm_, hand_ and foot_ of both sides.",
            metavar="CHANNEL=NUMBER,…",
        ),
    ] = field(default_factory=dict)
    rhythm: Annotated[
        Mapping[str, Real],
        AfterValidator(check_rhythm),
        Setting("Waves and accents of the body, and how much of each.", metavar="NAME=NUMBER,…"),
    ] = field(default_factory=dict)
    look: Annotated[
        tuple[float, float],
        Numbers("Where the gaze is held: degrees away from the acting hand, and down.", least=-90, most=90, count=2),
    ] = (0.0, 0.0)
    attention: Annotated[float, number(0.0, 1.0, "How far the gaze is on the hand's goal.")] = 0.0
    glance: Annotated[float, number(0.0, 60.0, "Degrees that the gaze goes aside now and then.")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Channels, and drives of what goes on."""
        held: dict[str, float] = {}
        for name, value in self.posture.items():
            for channel in channels_of(name):
                held[channel] = held.get(channel, 0.0) + in_engine_units(name, value)
        language = BodyLanguage(rhythm=self.rhythm, look=self.look, attention=self.attention, glance=self.glance)
        for drive in language.drives(phrase, np.ones(())):
            if drive.kind == "hold":
                for channel, value in drive.channels.items():
                    held[channel] = held.get(channel, 0.0) + value
            else:
                yield Claim("drive", drive)
        for channel, value in held.items():
            if value:
                yield Claim(channel, value)

    @classmethod
    def examples(cls) -> tuple[Mannerism, ...]:
        """A stoop, a bounce, and a look aside."""
        return (
            cls(posture={"torso_forward": 14.0, "head_nod": -10.0, "clavicle_forward": 8.0}),
            cls(rhythm={"bounce": 1.0}),
            cls(look=(30.0, 10.0), glance=15.0),
        )
