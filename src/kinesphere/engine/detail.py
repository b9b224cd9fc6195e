"""Detail: what a recording has that its phrase does not say, kept beside the phrase and added to what it generates.

A recording ``m`` that is lifted becomes a phrase and a detail, the difference between ``m`` and what the phrase alone
generates. Generated again unedited it is ``m`` itself; generated from an edited phrase, each frame gets the detail of
the moment that it shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths import rotations
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap, sample_motion

SAME = 1e-12  # that what is generated twice may differ by


@dataclass(frozen=True, eq=False)
class Detail:
    """A recording and what its phrase generates without edits, on the same skeleton."""

    recording: Motion
    generated: Motion

    def __post_init__(self) -> None:
        if self.recording.skeleton is not self.generated.skeleton:
            raise ValueError("a recording and what its phrase generates are on one skeleton; found two")

    def _is_generated(self, motion: Motion) -> bool:
        """Whether a motion is what the phrase generates without edits."""
        plain = self.generated
        return (
            len(motion) == len(plain)
            and motion.rate == plain.rate == self.recording.rate
            and np.allclose(motion.rotations, plain.rotations, rtol=0.0, atol=SAME)
            and np.allclose(motion.translations, plain.translations, rtol=0.0, atol=SAME)
        )

    def add_to(self, motion: Motion, clock: TimeMap) -> Motion:
        """A motion of the phrase with the detail; ``clock`` is from the phrase's own time to the motion's."""
        if self._is_generated(motion):
            return self.recording
        end = min(self.recording.duration, self.generated.duration)
        times = np.clip(clock.inverse()(motion.times), 0.0, end)
        was, plain = (sample_motion(own, times, motion.rate) for own in (self.recording, self.generated))
        local = rotations.multiply(
            motion.rotations, rotations.multiply(rotations.conjugate(plain.rotations), was.rotations)
        )
        translations = motion.translations + (was.translations - plain.translations)
        return replace(motion, rotations=rotations.continuous(local), translations=translations)
