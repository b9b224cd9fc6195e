"""Stillness of a performed recording: what it takes from the life of rests."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.detail import REST_LEADS, Detail
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.maths import rotations
from kinesphere.maths.filters import moving_mean, running_maximum
from kinesphere.maths.vectors import Floats, clip, norms, smoothstep
from kinesphere.motion.memo import memoised

STILL_SECONDS = 1.0  # to either side, over which a pose that is held still is the mean
SETTLES = 0.25  # seconds in which stillness comes and goes
FAR = np.cos(0.5 * np.radians((60.0, 120.0)))  # of angles from its mean: a joint loses all of it, or nothing
GOES, TURNS = (0.25, 0.5), np.radians((35.0, 70.0))  # leg lengths and angles of hips within that time: less is a rest


@memoised
def _stilled_rests(context: PerformanceContext) -> list[tuple[slice, Floats]]:
    """Rests, and how much of its life each loses there, as far as stillness asks: a statue does not even breathe."""
    still = 1.0 - context.phrase.life
    if still <= 1e-6 or context.clock.frames < 3:
        return []
    quiet = 1.0 - np.maximum(context.walking, context.flying)
    stays = context.shown(_stays(context.detail))
    found = []
    for first, last in _rests(context):
        rows = slice(first, last + 1)
        count = last - first + 1
        if count < 3 or not quiet[rows].all():  # nobody rests who travels or flies
            continue
        ramp = np.minimum(np.arange(1, count + 1), np.arange(count, 0, -1)) / max(SETTLES * context.rate, 1.0)
        settled = smoothstep(np.minimum(ramp, 3.0 * ramp / max(ramp.max(), 1e-9)))
        found.append((rows, min(still, 1.0) * settled * stays[rows]))
    return found


@memoised
def _stays(detail: Detail) -> Floats:
    """``(T,)`` from 0 to 1: how far hips stay where and as they are: who rolls over makes no strokes, and rests not."""
    poses = detail.poses
    count, radius = len(poses.motion), max(round(STILL_SECONDS * poses.motion.rate), 1)
    hips = poses.position("hips") / poses.leg_length
    spread = norms(running_maximum(hips, radius) + running_maximum(-hips, radius))
    frames = np.arange(count)
    before, after = np.maximum(frames - radius, 0), np.minimum(frames + radius, count - 1)
    turned = rotations.angle_between(poses.pelvis[before], poses.pelvis[after])
    moved = [(own - low) / (high - low) for own, (low, high) in ((spread, GOES), (turned, TURNS))]
    return np.asarray(1.0 - smoothstep(clip(np.maximum(*moved), 0.0, 1.0)))


def lively(context: PerformanceContext) -> Floats:
    """``(T,)`` from 0 to 1: what stillness leaves of the recording's own life."""
    made = np.ones(context.clock.frames)
    for rows, weight in _stilled_rests(context):
        made[rows] = 1.0 - weight
    return made


def hold_still(context: PerformanceContext, local: Floats, translations: Floats) -> None:
    """Take the life out of rests; a joint that turns far from its mean does more than live, and goes on turning."""
    hips, radius = context.roles["hips"], max(round(STILL_SECONDS * context.rate), 1)
    for rows, weight in _stilled_rests(context):
        calm = rotations.normalise(moving_mean(rotations.continuous(local[rows]), radius))
        cosine = np.abs(np.sum(local[rows] * calm, axis=-1))
        near = smoothstep(clip((cosine - FAR[1]) / (FAR[0] - FAR[1]), 0.0, 1.0))
        local[rows] = rotations.slerp(local[rows], calm, weight[:, None] * near)
        path = translations[rows, hips]
        translations[rows, hips] = path + weight[:, None] * (moving_mean(path, radius) - path)


def _rests(context: PerformanceContext) -> list[tuple[int, int]]:
    """First and last frames in which no part makes a stroke."""
    strokes = context.detail.strokes
    edges = context.clock.to_output(strokes.edges)
    found = []
    for lead, start, end in zip(strokes.leads, edges[:-1], edges[1:], strict=True):
        if lead == REST_LEADS:
            first, last = np.searchsorted(context.clock.time, (start, end))
            found.append((int(first), int(last) - 1))
    return found
