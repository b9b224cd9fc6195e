"""Room of ankles: how far hips may sink before the heel of a foot that stays where it is has to rise much.

An ankle is bent as far as it goes by a body that stands with one foot far behind the other, or crouches. What hips sink
further raises the heel, and a heel that is raised high looks like a lunge.
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recorded_feet import Leg, legs_of
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations
from kinesphere.maths.filters import smooth_envelope
from kinesphere.maths.vectors import Floats, clip, norms
from kinesphere.motion.memo import memoised

RAISED = 0.18  # radians by which ankles may be bent too much: a heel that rises takes half of it away again
FARTHEST = 0.35  # leg lengths: more is not asked for
HALVINGS = 9  # of it, in which the room is found
CHANGES = 0.25  # seconds in which the room may change


@memoised
def sink_room(poses: RecordedPoses) -> Floats:
    """``(T,)`` leg lengths that hips may sink from where they were recorded, smoothly."""
    room = np.full(len(poses.motion), FARTHEST)
    for side, leg in legs_of(poses.body).items():
        if leg.toes >= 0:
            room = np.minimum(room, _leg_room(poses, side, leg))
    return FARTHEST - smooth_envelope(FARTHEST - room, CHANGES, poses.motion.rate)


def _leg_room(poses: RecordedPoses, side: str, leg: Leg) -> Floats:
    """``(T,)`` of one leg, by halving the way: the farther hips sink, the more its ankle is bent."""
    shin, foot = poses.rotation(f"{side}LowerLeg"), poses.rotation(f"{side}Foot")
    flexion = leg.ankle.flexion(shin, foot)
    allowed = np.maximum(leg.ankle.greatest - flexion, 0.0) + RAISED
    ankle, hip, knee = (poses.position(f"{side}{part}") for part in ("Foot", "UpperLeg", "LowerLeg"))
    upper, lower = norms(hip - knee), norms(knee - ankle)
    ahead = rotations.rotate(rotations.multiply(foot, leg.frame), np.array([0.0, 0.0, 1.0]))[:, [0, 2]]
    ahead /= np.maximum(norms(ahead), 1e-9)[:, None]
    line = hip - ankle
    level, high = np.sum(line[:, [0, 2]] * ahead, axis=1), line[:, 1]
    aside = norms(line[:, [0, 2]] - level[:, None] * ahead)

    def lean(sunk: Floats) -> Floats:
        """``(T,)`` radians that a shin leans over its foot."""
        up = high - sunk
        far = np.maximum(np.sqrt(level * level + aside * aside + up * up), 1e-9)
        cosine = (lower * lower + far * far - upper * upper) / np.maximum(2.0 * lower * far, 1e-9)
        return np.asarray(np.arccos(clip(cosine, -1.0, 1.0)) + np.arctan2(level, np.maximum(up, 1e-9)))

    now, room = lean(np.zeros(len(high))), np.zeros(len(high))
    step = 0.5 * FARTHEST
    for _ in range(HALVINGS):
        further = lean((room + step) * poses.leg_length) - now < allowed
        room, step = np.where(further, room + step, room), 0.5 * step
    return np.asarray(room)
