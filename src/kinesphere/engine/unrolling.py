"""Loops unrolled: a recording that goes round is performed over several cycles, of which a middle one is kept.

What lands, swings on or is smoothed then meets itself at the seam, because it comes from the cycle before and goes on
into the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinesphere.engine.detail import BodyStrokes, Detail
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.stepping import find_steps
from kinesphere.maths.vectors import Floats
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import Curve, Step
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import SAMPLES, Keys, Phrase, Track

CYCLES = 3


def unroll(phrase: Phrase) -> Phrase:
    """A loop's phrase over ``CYCLES`` cycles, no loop itself."""
    assert phrase.detail is not None
    period = phrase.detail.recording.duration
    duration = CYCLES * period
    tracks = {part: unroll_track(own, period) for part, own in phrase.tracks.items()}
    drives = tuple(_unroll_drive(drive, period) for drive in phrase.drives)
    referents = tuple(
        replace(own, start=own.start + k * period, end=own.end + k * period)
        for k in range(CYCLES)
        for own in phrase.referents
    )
    detail = unroll_detail(phrase.detail)
    return replace(
        phrase,
        duration=duration,
        tracks=tracks,
        drives=drives,
        referents=referents,
        detail=detail,
        loop=False,
        applied=None,
    )


@memoised
def unroll_detail(detail: Detail) -> Detail:
    """What was found in a loop, over several cycles of it."""
    period = detail.recording.duration
    poses = RecordedPoses.of(_unroll_motion(detail.poses.motion))
    strokes = detail.strokes
    edges = np.concatenate([strokes.edges[:-1] + k * period for k in range(CYCLES)] + [[CYCLES * period]])
    body = BodyStrokes(
        edges, strokes.leads * CYCLES, np.tile(strokes.lengths, CYCLES), np.tile(strokes.inflections, CYCLES)
    )
    return Detail(
        _unroll_motion(detail.recording),
        poses,
        {part: unroll_track(own, period) for part, own in detail.tracks.items()},
        body,
        find_steps(poses),
        detail.hangs,
        period,
    )


def travel(motion: Motion) -> Floats:
    """``(J, 3)`` how far roots have come over the ground in a cycle; nothing else moves on."""
    made = np.zeros((len(motion.skeleton), 3))
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    made[roots] = (motion.translations[-1] - motion.translations[0])[roots] * np.array([1.0, 0.0, 1.0])
    return made


def _unroll_motion(motion: Motion) -> Motion:
    def tile(values: Floats, on: Floats | float = 0.0) -> Floats:
        cycles = [values[:-1] + k * on for k in range(CYCLES)]
        return np.concatenate([*cycles, values[-1:] + (CYCLES - 1) * on])

    scales = None if motion.scales is None else tile(motion.scales)
    translations = tile(motion.translations, travel(motion))
    return replace(motion, rotations=tile(motion.rotations), translations=translations, scales=scales)


def unroll_track(track: Track, period: float) -> Track:
    """A part's track over several cycles."""
    keys, placed = track.keys, track.placed
    strokes: Mapping[str, Any] = {
        name: np.tile(values, CYCLES) if np.ndim(values) else values for name, values in track.strokes.items()
    }
    if keys is not None:
        if placed is not None:
            placed = np.concatenate([*[placed[:-1]] * CYCLES, placed[-1:]])
        keys = _unroll_keys(keys, period)
    return Track(
        keys,
        {name: _unroll_curve(own, period) for name, own in track.curves.items()},
        strokes,
        {name: _unroll_values(values, period) for name, values in track.overlays.items()},
        placed,
        track.palms,
        tuple(
            Step(own.lift + k * period, own.land + k * period, own.x, own.z, own.turn)
            for k in range(CYCLES)
            for own in track.steps
        ),
    )


def _unroll_keys(keys: Keys, period: float) -> Keys:
    """Keys of all cycles; the last of one is the first of the next."""

    def tile(values: Any) -> Any:
        return np.concatenate([*[values[:-1]] * CYCLES, values[-1:]])

    times = np.concatenate([*(keys.times[:-1] + k * period for k in range(CYCLES)), [CYCLES * period]])
    inflections = np.concatenate([keys.inflections[:1], np.tile(keys.inflections[1:], CYCLES)])
    spaces = keys.spaces[:-1] * CYCLES + keys.spaces[-1:]
    return Keys(
        times, tile(keys.positions), tile(keys.swivels), tile(keys.goals), spaces, inflections, locked=keys.locked
    )


def _unroll_curve(curve: Curve, period: float) -> Curve:
    times = [t + k * period for k in range(CYCLES) for t in curve.times[:-1]] + [CYCLES * period]
    return Curve(tuple(times), (*curve.values[:-1] * CYCLES, curve.values[-1]))


def _unroll_values(values: Floats, period: float) -> Floats:
    """A number, or a curve over the phrase's own time."""
    if np.ndim(values) == 0:
        return values
    own = np.arange(len(values)) / SAMPLES
    time = np.arange(round(CYCLES * period * SAMPLES) + 1) / SAMPLES
    return np.interp(np.mod(time, period), own, values)


def _unroll_drive(drive: Drive, period: float) -> Drive:
    return drive if drive.amount.ndim == 0 else replace(drive, amount=_unroll_values(drive.amount, period))
