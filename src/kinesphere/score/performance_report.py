"""What became of a recording when it was performed: strokes found, contacts kept, feet that slide, joint limits.

``measure_performance`` compares a performance with its recording, each frame with the moment that it shows. Of what
edits are to leave alone it says how far they did not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.body.ground import running_maximum, sole_paths
from kinesphere.body.joint_subset import subset_pose
from kinesphere.body.limits import limit_excess
from kinesphere.engine.detail import Detail
from kinesphere.engine.generation import generate
from kinesphere.engine.inserted_poses import describe_frames, tell_inserted
from kinesphere.engine.loops import OPEN_CYCLE, carried
from kinesphere.engine.performed_recording import performed_clock, performed_treadmill
from kinesphere.engine.phrase_data import count_strokes, walked_share
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion, recorded_subset
from kinesphere.engine.recorded_referents import kept_joint
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind, Referent
from kinesphere.score.rendering import edited_phrase
from kinesphere.score.score import Score

KEPT = 0.010  # metres that a hand may be away from what it keeps
AROUND = 0.05  # seconds in which the recording's own excess of a limit counts
MEASURED = (Kind.TOUCH, Kind.MEET, Kind.PLACE)
MILLIMETRES = 1000.0


@dataclass(frozen=True)
class KeptContact:
    """What a hand kept for some time, and how far it was away from it at most."""

    kind: str
    arm: str
    start: float  # seconds of the recording
    end: float
    moved: float  # millimetres
    joint: str | None = None

    @property
    def kept(self) -> bool:
        """Whether it was kept."""
        return self.moved <= MILLIMETRES * KEPT


@dataclass(frozen=True)
class PerformanceReport:
    """A performance beside its recording.

    Attributes
    ----------
    duration, new_duration
        Seconds.
    strokes
        Of the ``left`` hand, the ``right`` hand and the whole ``body``.
    steps, stances
        Foot strikes of locomotion, and how often feet come to stand.
    walks
        Share of its time that is locomotion.
    treadmill, new_treadmill
        Metres a second that who moves in place goes over the ground that passes below, before and now; else 0.
    contacts
        What hands touch, where they meet, and where they stay; ``aims`` counts what they point at.
    slide
        Millimetres that a standing foot slides more than in the recording, at most.
    beyond_limits
        Degrees that a joint is beyond its limits more than in the recording, at most, and which.
    inserted
        Frames of the recording that were taken for inserted calibration poses, and not performed.
    open_cycle
        Whether it is a cycle of a walk without its last frame, and so no walk: ``kinesphere.loop`` makes one of it.
    """

    name: str
    duration: float
    new_duration: float
    strokes: dict[str, int]
    steps: int
    stances: int
    walks: float
    slide: float
    beyond_limits: float
    beyond_joint: str
    contacts: tuple[KeptContact, ...] = field(default=())
    aims: int = 0
    inserted: tuple[int, ...] = ()
    open_cycle: bool = False
    treadmill: float = 0.0
    new_treadmill: float = 0.0

    @property
    def kept(self) -> int:
        """How many contacts were kept."""
        return sum(own.kept for own in self.contacts)

    @property
    def contact_moved(self) -> float:
        """Millimetres that a hand is away from what it keeps, at most."""
        return max((own.moved for own in self.contacts), default=0.0)

    def to_row(self) -> dict[str, Any]:
        """One row of a table."""
        return {
            "clip": self.name,
            "seconds": round(self.duration, 3),
            "new_seconds": round(self.new_duration, 3),
            "strokes_left": self.strokes["left"],
            "strokes_right": self.strokes["right"],
            "strokes_body": self.strokes["body"],
            "steps": self.steps,
            "stances": self.stances,
            "walks": round(self.walks, 3),
            "treadmill_m_s": round(self.treadmill, 3),
            "new_treadmill_m_s": round(self.new_treadmill, 3),
            "contacts": len(self.contacts),
            "contacts_kept": self.kept,
            "contact_moved_mm": round(self.contact_moved, 1),
            "aims": self.aims,
            "slide_added_mm": round(self.slide, 1),
            "beyond_limits_degrees": round(self.beyond_limits, 1),
            "beyond_limits_joint": self.beyond_joint,
            "inserted_frames": describe_frames(self.inserted),
            "open_cycle": self.open_cycle,
        }

    def __str__(self) -> str:
        """One line of a report."""
        told = [
            f"{self.duration:.2f} s become {self.new_duration:.2f} s",
            "strokes: " + ", ".join(f"{part} {count}" for part, count in self.strokes.items()),
        ]
        if self.steps:
            told.append(f"{self.steps} steps, {100.0 * self.walks:.0f} % of it walks")
        if self.treadmill > 0.0:
            told.append(f"in place at {self.treadmill:.2f} m/s, now {self.new_treadmill:.2f}")
        if self.contacts:
            told.append(f"{self.kept} of {len(self.contacts)} contacts kept, {self.contact_moved:.0f} mm at most")
        told.append(f"feet slide {self.slide:.0f} mm more")
        if self.beyond_limits >= 0.5:
            told.append(f"{self.beyond_joint} {self.beyond_limits:.0f} degrees more beyond its limits")
        if self.inserted:
            told.append(tell_inserted(self.inserted))
        if self.open_cycle:
            told.append(OPEN_CYCLE)
        return f"{self.name}: {'; '.join(told)}"


def measure_score(score: Score) -> PerformanceReport:
    """The report of a score whose source is a recording, as its phrase edits make it: on its own body."""
    phrase = edited_phrase(score)
    if phrase.detail is None:
        raise ValueError(f"{phrase.name} is no recording; a motion or its file is expected for a report")
    return measure_performance(phrase, generate(phrase, phrase.detail.recording.rate))


def measure_performance(phrase: Phrase, performed: Motion) -> PerformanceReport:
    """Compare a performance, ``generate(phrase)``, with the recording that its phrase was lifted from."""
    detail = phrase.detail
    if detail is None:
        raise ValueError(f"{phrase.name} is no phrase of a recording; lift(motion) makes one")
    return _Comparison(phrase, detail, performed).report()


class _Comparison:
    """A recording, at the moments that a performance shows, and the performance."""

    def __init__(self, phrase: Phrase, detail: Detail, performed: Motion) -> None:
        self.phrase, self.detail, self.performed = phrase, detail, performed
        same = performed is detail.recording
        source = detail.times if same else performed_clock(phrase, performed.rate).source
        self.source = np.interp(np.arange(len(performed)), np.arange(len(source)), source)  # seconds of the recording
        self.before, body = detail.poses, detail.poses.body
        self.treadmill = performed_treadmill(phrase, performed.rate)
        over_ground = carried(performed, performed.times[:, None] * self.treadmill)
        known = replace(performed_motion(over_ground), skeleton=body.skeleton)
        self.after = RecordedPoses(known, body, subset_pose(known, recorded_subset(body)))

    def report(self) -> PerformanceReport:
        """All measures."""
        steps, recording = self.detail.steps, self.detail.recording
        beyond, joint = self._beyond_limits()
        contacts = [own for own in self.phrase.referents if own.kind in MEASURED]
        return PerformanceReport(
            name=recording.name or Path(recording.source.path).stem or self.phrase.name,
            duration=float(recording.duration),
            new_duration=float(self.performed.duration),
            strokes=count_strokes(self.detail),
            steps=len(steps.strikes),
            stances=len(steps.stances),
            walks=walked_share(self.detail),
            slide=MILLIMETRES * self._slide(),
            beyond_limits=beyond,
            beyond_joint=joint,
            contacts=tuple(self._contact(own) for own in contacts),
            inserted=self.detail.inserted_frames,
            open_cycle=self.detail.open_cycle,
            treadmill=float(norms(self.detail.treadmill)),
            new_treadmill=float(norms(self.treadmill)),
            aims=sum(own.kind == Kind.AIM for own in self.phrase.referents),
        )

    def _recorded(self, curve: Floats) -> Floats:
        """A curve ``(T, D)`` of the recording at the moments that are shown."""
        frames = np.clip(self.source * self.detail.recording.rate, 0.0, len(curve) - 1.0)
        return resample_vectors(curve[:, None], frames)[:, 0] if len(curve) > 1 else np.repeat(curve, len(frames), 0)

    def _contact(self, referent: Referent) -> KeptContact:
        inside = (self.source >= referent.start) & (self.source <= referent.end)
        moved = 0.0
        if inside.any():
            away = self._place(referent, self.after) - self._recorded(self._place(referent, self.before))
            moved = MILLIMETRES * float(norms(away[inside]).max())
        times = referent.start, referent.end
        return KeptContact(str(referent.kind), referent.arm, *times, moved, referent.joint)

    def _place(self, referent: Referent, poses: RecordedPoses) -> Floats:
        """``(T, D)`` where a hand is in the frame of what it keeps; of hands that meet, the distance between them."""
        if referent.kind == Kind.MEET:
            return norms(poses.position("leftHand") - poses.position("rightHand"))[:, None]
        hand = poses.position(f"{referent.arm}Hand")
        if referent.kind == Kind.PLACE:
            return hand
        joint = kept_joint(self.phrase, referent)
        turn, place = poses.world.rotations_of(joint), poses.world.positions_of(joint)
        return rotations.rotate(rotations.conjugate(turn), hand - place)

    def _slide(self) -> float:
        """Metres that a foot slides more while it stands: of its points in contact, the one that slides the least.

        A stance may be elsewhere as a whole, as in a walk with longer strides.
        """
        contacts = self.detail.steps.contacts
        if contacts is None or not len(contacts.rows):
            return 0.0
        after, worst = sole_paths(self.after.motion, contacts.points), 0.0
        for stance in self.detail.steps.stances:
            own = [
                self._slip(after[:, point] - self._recorded(contacts.paths[:, point]), first, last)
                for point, first, last in contacts.rows.tolist()
                if contacts.points[point].side == stance.side and first >= stance.first and last <= stance.last
            ]
            worst = max(worst, min(own, default=0.0))
        return worst

    def _slip(self, off: Floats, first: int, last: int) -> float:
        """Of a point that is ``off (T, 3)`` from where it was recorded, how far that changes over the ground."""
        frames = self.source * self.detail.recording.rate
        level = off[(frames >= first) & (frames <= last)][:, [0, 2]]
        return float(norms(level - np.median(level, axis=0)).max()) if len(level) > 2 else 0.0

    def _beyond_limits(self) -> tuple[float, str]:
        """Degrees that a joint is beyond its limits more than in the recording, at most, and its role."""
        before, after = limit_excess(self.before.motion), limit_excess(self.after.motion)
        rate = self.detail.recording.rate
        more = {
            role: float(
                (after[role] - self._recorded(running_maximum(own, AROUND, rate)[:, None])[:, 0]).max(initial=0.0)
            )
            for role, own in before.items()
            if role in after
        }
        role = max(more, key=lambda name: more[name], default="")
        worst = np.degrees(more[role]) if role else 0.0
        return (float(worst), role) if worst > 1e-3 else (0.0, "")
