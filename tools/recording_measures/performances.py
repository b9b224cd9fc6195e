"""A recording and a performance of it, side by side: which moment of the recording every performed frame shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

import kinesphere
from kinesphere import Motion
from kinesphere.body.contacts import ContactRuns, find_contact_runs
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.body.limits import excess_from_rest
from kinesphere.engine.detail import Detail
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.recorded_poses import performed_motion
from kinesphere.engine.recording_clock import RecordingClock, recording_clock
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.phrase import Phrase
from recording_measures.edits import AnyEdit


class Found(NamedTuple):
    """The worst of a measure in one performance, and where it is."""

    value: float
    where: str = ""


@dataclass(frozen=True, eq=False)
class Recorded:
    """A recording with all that its performances are compared with."""

    name: str
    motion: Motion  # as given
    phrase: Phrase
    plain: Motion  # with frames that were not performed replaced by their neighbours

    @classmethod
    def of(cls, name: str, motion: Motion) -> Recorded:
        """Lift a motion."""
        phrase = kinesphere.lift(motion)
        detail = phrase.detail
        assert detail is not None
        return cls(name, motion, phrase, performed_motion(detail.poses.motion))

    @property
    def detail(self) -> Detail:
        """What was found in it."""
        assert self.phrase.detail is not None
        return self.phrase.detail

    @cached_property
    def millimetres(self) -> float:
        """In a metre, of a person 1.70 m tall: bodies may be as large as houses."""
        poses = self.detail.poses
        return 1000.0 / min(poses.arm_length / ARM, poses.leg_length / LEG)

    @cached_property
    def world(self) -> tuple[Floats, Floats]:
        """World rotations and positions of its joints."""
        return self.plain.world()

    @cached_property
    def soles(self) -> Floats:
        """``(T, P, 3)`` its sole points."""
        return sole_paths(self.plain, sole_points(self.plain.skeleton))

    @cached_property
    def contacts(self) -> ContactRuns:
        """When they are in contact with the ground."""
        return find_contact_runs(self.plain)

    @cached_property
    def turning(self) -> Floats:
        """``(T − 1, J, 3)`` degrees a frame that joints turn in their parents."""
        return turning(self.plain.rotations)

    @cached_property
    def excess(self) -> dict[str, Floats]:
        """Role to ``(T,)`` degrees beyond its limits."""
        return self.excess_of(self.plain.rotations)

    def excess_of(self, local: Floats) -> dict[str, Floats]:
        """Role to ``(T,)`` degrees beyond its limits in poses ``(T, J, 4)``, from one rest pose of this body.

        Where a rest pose is found in a motion's frames, it is another one in a performance's.
        """
        found = excess_from_rest(self.phrase.body.skeleton, local)
        return {role: np.degrees(own) for role, own in found.items()}


@dataclass(frozen=True, eq=False)
class Performance:
    """One performance of a recording, without the frames before its first moment."""

    recorded: Recorded
    phrase: Phrase
    whole: Motion  # as it is generated

    @classmethod
    def of(cls, recorded: Recorded, edit: AnyEdit) -> Performance:
        """Perform a recording."""
        phrase = edit.applied_to(recorded.phrase)
        return cls(recorded, phrase, kinesphere.generate(phrase, recorded.motion.rate))

    @cached_property
    def lead(self) -> int:
        """Frames before the first performed one."""
        return len(self.whole.calibration_frames)

    @cached_property
    def motion(self) -> Motion:
        """Performed frames alone."""
        return self.whole[self.lead :] if self.lead else self.whole

    @cached_property
    def clock(self) -> RecordingClock:
        """Its clock."""
        return recording_clock(self.phrase, self.whole.rate)

    @cached_property
    def frames(self) -> Floats:
        """``(T,)`` frames of the recording that are shown, with fractions."""
        shown = self.clock.source * self.recorded.plain.rate
        if len(shown) != len(self.motion):
            raise ValueError(f"the clock has {len(shown)} frames, the performance {len(self.motion)}")
        return np.clip(shown, 0.0, len(self.recorded.plain) - 1.0)

    @cached_property
    def paces(self) -> Floats:
        """``(T,)`` seconds of the recording in a second."""
        return np.gradient(self.frames) if len(self.frames) > 1 else np.ones(len(self.frames))

    @cached_property
    def world(self) -> tuple[Floats, Floats]:
        """World rotations and positions."""
        return self.motion.world()

    def shown(self, values: Floats) -> Floats:
        """Values ``(T, ...)`` of the recording's frames at the moments that are shown."""
        first = np.minimum(np.floor(self.frames).astype(np.intp), len(values) - 1)
        after = np.minimum(first + 1, len(values) - 1)
        share = (self.frames - first).reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(values[first] + share * (values[after] - values[first]))

    def shown_rotations(self, joint: int) -> Floats:
        """``(T, 4)`` world rotations of a joint of the recording at the moments that are shown."""
        return rotations.normalise(self.shown(rotations.continuous(self.recorded.world[0][:, joint])))

    def at(self, frame: int) -> str:
        """A performed frame in words."""
        rate = self.motion.rate
        return f"{frame / rate:.2f} s (recorded {self.frames[frame] / rate:.2f} s)"


def turning(local: Floats) -> Floats:
    """``(T − 1, J, 3)`` degrees a frame, as rotation vectors in the parents' axes."""
    steps = rotations.multiply(local[1:], rotations.conjugate(local[:-1]))
    return np.degrees(rotations.to_rotation_vector(steps))
