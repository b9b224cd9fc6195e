"""Detail: what a recording has that its phrase does not say, kept beside the phrase and carried by what edits make.

A recording that is lifted becomes a phrase: keys of hands, curves of the trunk, steps, referents. What the phrase alone
would generate is a neutral re-generation; the recording less that is the detail. Edits change the re-generation, and
the detail goes along. So a performance is the recording at the moments that its clock shows, plus the difference
between the edited and the neutral re-generation. Where nothing is edited the difference is nothing, by construction,
and the recording is returned itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.engine.inserted_poses import with_inserted_marked
from kinesphere.engine.loops import UnrolledLoop, lacks_last_frame
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_poses import RecordedPoses, leading_calibration
from kinesphere.engine.stepping import Steps
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase, Track, count_of

ARMS = ("left_arm", "right_arm")
SHORT = 8  # frames
LEGS_LEAD, REST_LEADS = "legs", ""  # who leads a stroke of the body: a part, the legs that walk, or nobody: a rest


@dataclass(frozen=True, eq=False)
class BodyStrokes:
    """Strokes of the whole body: the clock's. E of them follow each other without gaps; rests are among them."""

    edges: Floats  # (E + 1,) seconds, from the recording's start to its end
    leads: tuple[str, ...]  # E, the part whose stroke it is
    lengths: Floats  # (E,) metres that it goes, 0 of a rest
    inflections: Floats  # (E,) when it is fastest, as a share of its time
    wraps: bool = False  # of a loop: the last one goes on as the first, of one stroke over the seam

    def __repr__(self) -> str:
        strokes = sum(lead != REST_LEADS for lead in self.whole_leads)
        return f"<BodyStrokes: {count_of(strokes, 'stroke')} in {self.edges[-1] - self.edges[0]:.4g} s>"

    @property
    def whole_leads(self) -> tuple[str, ...]:
        """Who leads each stroke; one over a seam counts once."""
        return self.leads[:-1] if self.wraps and len(self.leads) > 1 else self.leads


@dataclass(frozen=True, eq=False)
class Detail:
    """A recording, and what was found in it.

    Attributes
    ----------
    recording
        As it was given.
    poses
        Its joints in the world, without frames that were not performed; on a treadmill, going over the ground.
    tracks
        Part to the track that was lifted: what edits are compared with.
    strokes
        Of the whole body.
    steps
        What its feet do.
    hangs
        Side to ``(K,)`` whether the hand hangs at each of its keys.
    period
        Seconds of one cycle, of a loop that was unrolled (``engine.unrolling``); else None.
    unrolled
        Of a loop: several of its cycles, in which it was found.
    cut
        Sides whose first and last key are none of a loop's own: it is cut there, within a stroke.
    generated
        Whether it was generated rather than captured: what is quick in it is meant, and no noise.
    """

    recording: Motion
    poses: RecordedPoses
    tracks: Mapping[str, Track]
    strokes: BodyStrokes
    steps: Steps
    hangs: Mapping[str, Bools]
    period: float | None = None
    unrolled: UnrolledLoop | None = None
    cut: frozenset[str] = frozenset()
    generated: bool = False

    def __repr__(self) -> str:
        steps = f"{count_of(len(self.steps.strikes), 'step')}, {count_of(len(self.steps.stances), 'stance')}"
        return f"<Detail of {self.recording!r}: {', '.join(self.tracks)}; {self.strokes!r}, {steps}>"

    @cached_property
    def times(self) -> Floats:
        """``(T,)`` seconds of the recording's frames."""
        return self.recording.times

    @cached_property
    def leading_frames(self) -> int:
        """Frames before the first performed one: they are kept as they are."""
        return leading_calibration(with_inserted_marked(self.recording))

    @property
    def inserted_frames(self) -> tuple[int, ...]:
        """Frames of calibration poses, marked or found: they were not performed."""
        return with_inserted_marked(self.recording).calibration_frames

    @cached_property
    def open_cycle(self) -> bool:
        """Whether no walk was found, but would be with the first pose once more at the end."""
        return not self.steps.walks and lacks_last_frame(self.recording)

    @property
    def cycles(self) -> int:
        """How many cycles of a loop it shows."""
        return 1 if self.period is None else round(self.recording.duration / self.period)

    @property
    def treadmill(self) -> Floats:
        """``(3,)`` metres a second that who moves in place goes over the ground that passes below; else nothing."""
        return np.zeros(3) if self.unrolled is None else self.unrolled.treadmill

    @property
    def is_short(self) -> bool:
        """Whether it has too few frames for strokes of its own: then it has one pace."""
        return len(self.recording) - self.leading_frames < SHORT

    @cached_property
    def figure_lengths(self) -> Floats:
        """``(E,)`` metres that strokes of the body go on a figure 1.70 m tall, as clocks and drives count."""
        return self.strokes.lengths * (ARM / self.poses.arm_length)

    def at_times(self, curve: Floats, times: Floats) -> Floats:
        """A curve over the recording's frames ``(T,)`` at other times of it."""
        return np.interp(times, self.times, curve)

    def is_unedited(self, phrase: Phrase) -> bool:
        """Whether a phrase of this recording says what was lifted, and nothing else about how it is done."""
        same = all(
            _same_contents(phrase.track(part), self.tracks.get(part, _NOTHING))
            for part in {*phrase.tracks, *self.tracks}
        )
        driven = any(
            drive.amount.any() and (not drive.channels or any(drive.channels.values())) for drive in phrase.drives
        )
        still = (phrase.life, phrase.fidget) == (1.0, 0.0)
        return same and not driven and still and all(track.neutral for track in phrase.tracks.values())


_NOTHING = Track()


def _same_contents(one: Track, other: Track) -> bool:
    """Whether keys, curves, palms and steps of two tracks are the same."""
    return (
        _same_keys(one, other)
        and dict(one.curves) == dict(other.curves)
        and one.palms == other.palms
        and one.steps == other.steps
    )


def _same_keys(one: Track, other: Track) -> bool:
    if one.keys is other.keys:
        return True
    if one.keys is None or other.keys is None or len(one.keys) != len(other.keys):
        return False
    rows = ("times", "positions", "swivels", "goals", "inflections")
    same = all(np.array_equal(getattr(one.keys, row), getattr(other.keys, row)) for row in rows)
    return same and one.keys.spaces == other.keys.spaces
