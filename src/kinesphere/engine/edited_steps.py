"""Steps of a recording that land elsewhere, or are turned: stances move as a whole, swings go over between them.

What an edit adds to a step, its stance and all later ones of that foot go along with: a step says how far a foot goes
from where it stood before. A stance that is turned turns about its ankle. Hips go and turn with both feet, smoothly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.body.joint_subset import joint_subset
from kinesphere.engine.detail import Detail
from kinesphere.engine.recorded_poses import RecordedPoses, about_vertical
from kinesphere.engine.recording_clock import RecordingClock
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.stepping import FootStance, stance_steps
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints, clip, smootherstep
from kinesphere.motion.gesture import Step
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase

FOLLOWS = 0.12  # seconds of σ in which hips follow the feet


@dataclass(frozen=True, eq=False)
class EditedSteps:
    """By how much feet and hips are elsewhere in every frame of a performance, and turned."""

    feet: dict[str, Floats]  # (T, 3) metres of the world, of each side
    turns: dict[str, Floats]  # (T,) radians to the left
    hips: Floats  # (T, 3)
    hips_turn: Floats  # (T,)

    def turn_hips(self, context: PerformanceContext, local: Floats, translations: Floats) -> None:
        """Turn the hips, and the body with them, about the vertical."""
        if not self.hips_turn.any():
            return
        hips, skeleton = context.roles["hips"], context.body.skeleton
        about, parent = about_vertical(self.hips_turn), int(skeleton.parents[hips])
        if parent >= 0:
            above = joint_subset(skeleton, [parent])
            q, _ = forward_some(local, translations, above.joints, above.parents)
            own = q[:, above.rows[parent]]
            about = rotations.multiply(rotations.conjugate(own), rotations.multiply(about, own))
        local[:, hips] = rotations.multiply(about, local[:, hips])

    def move_feet(self, stood: Mapping[str, Floats], feet: dict[str, Floats], turned: dict[str, Floats]) -> None:
        """Move and turn feet; ``stood`` is where ankles were before heels were raised."""
        for side, way in self.feet.items():
            about = about_vertical(self.turns[side])
            feet[side] = stood[side] + way + rotations.rotate(about, feet[side] - stood[side])
            if side in turned:
                turned[side] = rotations.multiply(about, turned[side])


def edited_steps(phrase: Phrase, clock: RecordingClock) -> EditedSteps | None:
    """What edits of a recording's steps bring about; None where there are none.

    Raises ``ValueError`` where they ask for what cannot be done.
    """
    detail = phrase.detail
    assert detail is not None
    given = {side: phrase.track(f"{side}_leg").steps for side in SIDES}
    found = {side: detail.tracks[f"{side}_leg"].steps if f"{side}_leg" in detail.tracks else () for side in SIDES}
    if given == found:
        return None
    if detail.period is not None:
        raise ValueError(f"{phrase.name} is a loop: the steps of a cycle are neither moved nor turned")
    for side in SIDES:
        check_steps(phrase.name, side, given[side], found[side])
    places = {side: _edited_stances(detail, side, given[side]) for side in SIDES}
    poses, at = detail.poses, clock.source * detail.poses.motion.rate
    feet, turns = {}, {}
    for side in SIDES:
        way, turn = _foot(poses, detail.steps.stances_of(side), places[side], side)
        feet[side], turns[side] = cubic_rows_at(way, at), cubic_rows_at(turn[:, None], at)[:, 0]
    stood = {
        side: _go_over(values, detail.steps.stances_of(side), len(detail.times)) for side, values in places.items()
    }
    both = gaussian(0.5 * (stood["left"] + stood["right"]), FOLLOWS * poses.motion.rate, ends="hold")
    hips = cubic_rows_at(both, at)
    return EditedSteps(feet, turns, hips[:, :3] * np.array([1.0, 0.0, 1.0]), hips[:, 3])


def check_steps(name: str, side: str, given: tuple[Step, ...], found: tuple[Step, ...]) -> None:
    """Refuse steps more or less than were recorded, and steps at other times."""
    can = "steps of a recording can be moved and turned, not added, deleted or made at another time"
    if len(given) != len(found):
        raise ValueError(f"{name}, {side}_leg: found {len(given)} steps, {len(found)} were recorded; {can}")
    for one, other in zip(given, found, strict=True):
        if (one.lift, one.land) != (other.lift, other.land):
            raise ValueError(
                f"{name}, {side}_leg: a step from {one.lift:g} to {one.land:g} s was recorded from {other.lift:g} to "
                f"{other.land:g} s; {can}"
            )


def _edited_stances(detail: Detail, side: str, given: tuple[Step, ...]) -> Floats:
    """``(S, 4)`` of each stance of a foot: metres that it is elsewhere, and radians that it is turned."""
    poses, rate = detail.poses, detail.poses.motion.rate
    added = np.zeros((len(detail.steps.stances_of(side)), 4))
    for row, step in zip(stance_steps(poses, detail.steps, side), given, strict=True):
        more = poses.leg_length * np.array([step.x - row.step.x, 0.0, step.z - row.step.z])
        added[row.stance, :3] = rotations.rotate(poses.heading[round(step.lift * rate)], more)
        added[row.stance, 3] = step.turn - row.step.turn
    return np.cumsum(added, axis=0)


def _foot(poses: RecordedPoses, stances: list[FootStance], places: Floats, side: str) -> tuple[Floats, Floats]:
    """``(T, 3)`` how far a foot is elsewhere, and ``(T,)`` how far it is turned: rigidly in each stance."""
    ankle = poses.position(f"{side}Foot")
    if not len(places):
        return np.zeros_like(ankle), np.zeros(len(ankle))

    one, other, share = _pairs(stances, len(ankle))

    def moved(index: Ints) -> Floats:
        centres = np.array([own.ankle for own in stances])[index]
        turned = rotations.rotate(about_vertical(places[index, 3]), ankle - centres)
        return np.asarray(centres + turned + places[index, :3] - ankle)

    way = moved(one)
    return way + share[:, None] * (moved(other) - way), _go_over(places, stances, len(ankle))[:, 3]


def _go_over(values: Floats, stances: list[FootStance], count: int) -> Floats:
    """Values ``(S, D)`` of stances over frames ``(T, D)``: constant in each, and over from one to the next between."""
    if not len(values):
        return np.zeros((count, values.shape[1]))
    one, other, share = _pairs(stances, count)
    return np.asarray(values[one] + share[:, None] * (values[other] - values[one]))


def _pairs(stances: list[FootStance], count: int) -> tuple[Ints, Ints, Floats]:
    """The stance that each frame is in or after, the next one, and how far it is on the way there."""
    frames = np.arange(count)
    firsts, lasts = (np.array(rows) for rows in zip(*((own.first, own.last) for own in stances), strict=True))
    one = np.clip(np.searchsorted(firsts, frames, side="right") - 1, 0, None)
    other = np.minimum(one + 1, len(stances) - 1)
    share = (frames - lasts[one]) / np.maximum(firsts[other] - lasts[one], 1)
    return one, other, smootherstep(clip(share, 0.0, 1.0))
