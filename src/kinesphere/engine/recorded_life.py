"""The life of a recording: how its joints depart from their own means, which edits make more or less of.

A body whose Flow is bound does not only add nothing: what its neck and shoulders did in the recording becomes less, and
under a free Flow more. What is scaled cannot be cancelled by what was recorded, as a wave that is added can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.engine.detail import Detail
from kinesphere.engine.lifting import body_angles
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_hands import TREMOR, hanging, wrist_path
from kinesphere.engine.recorded_poses import RecordedPoses, chest_joint, turned_left
from kinesphere.engine.recorded_walk import stride_shape
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, moving_mean
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

MEAN = 0.9  # seconds to either side, over which joints have their means
MOST = {
    "torso": 0.20,
    "head": 0.25,
    "gaze": 0.25,
    "hips": 0.05,
}  # that is made more of: radians, leg lengths; approached softly
MOST_ARMS = 0.12  # metres, and radians of shoulders
LEAST_HANGING = 0.02  # of the time around a moment in which a hand hangs: less has no mean
MOST_SWAY = 0.45  # radians of a chest's own turns that a gaze withstands, approached softly


class RecordedLife(NamedTuple):
    """Channels of a recording less their means, over its frames."""

    columns: dict[str, int]
    values: Floats  # (T, N) what is taken away
    larger: Floats  # (T, N) what is made more of


@memoised
def recorded_life(detail: Detail) -> RecordedLife:
    """How the recording's joints depart from their means."""
    poses = detail.poses
    rate = poses.motion.rate
    torso = body_angles(rotations.multiply(rotations.conjugate(poses.pelvis), poses.chest))
    head = body_angles(rotations.multiply(rotations.conjugate(poses.chest), poses.head))
    radius = mean_radius(detail)
    hips = poses.position("hips") / poses.leg_length
    across = rotations.rotate(rotations.conjugate(poses.heading), hips - moving_mean(hips, radius))
    face = rotations.rotate(poses.head, np.array([0.0, 0.0, 1.0]))
    gaze = np.stack([turned_left(face), poses.gaze_down], axis=1)
    blocks: list[tuple[tuple[str, ...], Floats]] = [
        (("torso.forward", "torso.side", "torso.turn"), torso),
        (("head.nod", "head.tilt", "head.turn"), head),
    ]
    blocks += [(("hips.x", "hips.y", "hips.z"), across), (("gaze.turn", "gaze.nod"), gaze)]
    for side in SIDES:
        blocks.append(((f"{side}.clavicle.raise", f"{side}.clavicle.forward"), _shoulder(poses, side)))
        path = ARM * wrist_path(poses, side) * np.array([SIGN[side], 1.0, 1.0])
        blocks.append(((f"{side}.arm.out", f"{side}.arm.up", f"{side}.arm.ahead"), path))
    names = [name for own, _ in blocks for name in own]
    rows = gaussian(np.concatenate([own for _, own in blocks], axis=1), TREMOR * rate, ends="reflect")
    means = moving_mean(rows, radius)
    for side in SIDES:
        # A hand that has come to hang is not drawn to where it was before: its mean is that of when it hangs.
        own = [i for i, name in enumerate(names) if name.startswith(f"{side}.arm.")]
        hangs = hanging(poses, side)[:, None]
        means[:, own] = moving_mean(hangs * rows[:, own], radius) / np.maximum(
            moving_mean(hangs, radius), LEAST_HANGING
        )
        rows[:, own] = means[:, own] + hangs * (rows[:, own] - means[:, own])
    rows = rows - means
    most = np.array([MOST.get(name.partition(".")[0], MOST_ARMS) for name in names])
    larger = most * np.tanh(rows / most)
    for i, name in enumerate(names):
        if name in ("hips.x", "hips.z"):  # who travels without being seen to walk goes on travelling
            rows[:, i] = larger[:, i]
    columns = {name: i for i, name in enumerate(names)}
    if detail.steps.walks:  # what a face turns with each stride is a walk's to steady, and not to be taken twice
        shape = stride_shape(detail)
        strides = detail.steps.walking * (shape.hips[:, 2] + shape.torso[:, 2] + shape.head[:, 2])
        rows[:, columns["gaze.turn"]] -= strides - moving_mean(strides, radius)
    return RecordedLife(columns, rows, larger)


@memoised
def chest_turned(detail: Detail) -> Floats:
    """``(2, T)`` radians that the chest is turned to the left, and bent down, from its mean about each moment."""
    ahead = rotations.rotate(detail.poses.chest, np.array([0.0, 0.0, 1.0]))
    left, down = turned_left(ahead), -np.arcsin(np.clip(ahead[:, 1], -1.0, 1.0))
    rows = np.stack([left, down], axis=1)
    off = rows - moving_mean(rows, mean_radius(detail))
    return np.asarray(MOST_SWAY * np.tanh(off / MOST_SWAY)).T


def mean_radius(detail: Detail) -> int:
    """Frames to either side of means: in a loop those of one cycle, so that it stays one."""
    seconds = MEAN if detail.period is None else min(MEAN, 0.5 * detail.period)
    return max(int(seconds * detail.poses.motion.rate), 1)


def _shoulder(poses: RecordedPoses, side: str) -> Floats:
    """``(T, 2)`` radians that a shoulder is raised and ahead, about."""
    away = poses.position(f"{side}UpperArm") - poses.world.positions_of(chest_joint(poses.body))
    seen = rotations.rotate(rotations.conjugate(poses.chest), away)
    return np.asarray(seen[:, 1:] / max(float(np.abs(seen[:, 0]).mean()), 0.2 * poses.arm_length))


class ShownLife:
    """The life of a recording at the moments ``source (T,)`` that a performance shows.

    ``lively (T,)`` from 0 to 1 is what stillness has left of it: what is gone can neither grow nor be taken away again.
    """

    def __init__(self, detail: Detail, source: Floats, lively: Floats) -> None:
        self._life = recorded_life(detail)
        self._times, self._source, self._lively = detail.times, source, lively

    def of(self, channel: str, more: bool) -> Floats | None:
        """``(T,)`` of a channel, in leg lengths, radians or metres of the figure; softly bounded for making more of it.

        None: that channel has none.
        """
        column = self._life.columns.get(channel)
        if column is None:
            return None
        rows = self._life.larger if more else self._life.values
        return self._lively * np.interp(self._source, self._times, rows[:, column])
