"""Clips of captures, and what performances of them do to feet and hands: how far they slide, lose touch and leap."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

import kinesphere
from kinesphere import Motion, Phrase
from kinesphere.body.contacts import find_contact_runs
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.recorded_referents import kept_joint, windows
from kinesphere.maths import rotations
from kinesphere.motion.referent import Kind

CLIPS, SECONDS, RATE = 10, 5.0, 60.0


@lru_cache(maxsize=1)
def clips(folder) -> tuple[Motion, ...]:
    files = sorted((folder / "bvh" / "cmu").rglob("*.bvh"))
    chosen = [files[i * len(files) // CLIPS] for i in range(CLIPS)]
    made = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file in chosen:
            motion = kinesphere.load(file)
            start = max(0.5 * (motion.duration - SECONDS), 0.0)
            made.append(motion.between(start, min(start + SECONDS, motion.duration)).resampled(RATE))
    return tuple(made)


def size_of(phrase: Phrase) -> float:
    """How large a body is beside a person 1.70 m tall."""
    return phrase.body.lengths["leftLeg"] / 0.85


def shown_frames(phrase: Phrase, made: Motion) -> np.ndarray:
    """``(T,)`` which frame of the recording each performed frame shows."""
    clock = performed_clock(phrase, made.rate)
    source = clock.source[: len(made)]
    return np.append(source, np.full(len(made) - len(source), source[-1])) * phrase.detail.recording.rate


def at_frames(rows: np.ndarray, frames: np.ndarray) -> np.ndarray:
    flat = rows.reshape(len(rows), -1)
    made = [np.interp(frames, np.arange(len(rows)), column) for column in flat.T]
    return np.stack(made, axis=1).reshape(len(frames), *rows.shape[1:])


def slides(recording: Motion, made: Motion, frames: np.ndarray) -> float:
    """Metres that balls of feet move more than recorded while they stand."""
    points = sole_points(recording.skeleton)
    off = sole_paths(made, points) - at_frames(sole_paths(recording, points), frames)
    contacts, worst = find_contact_runs(recording), 0.0
    for point, first, last in contacts.rows.tolist():
        rows = np.flatnonzero((frames >= first) & (frames <= last))
        if contacts.points[point].point == "ball" and len(rows) > 2:
            own = off[rows, point]
            worst = max(worst, float(np.linalg.norm(own - np.median(own, axis=0), axis=1).max()))
    return worst


def loses(phrase: Phrase, made: Motion, frames: np.ndarray) -> float:
    """Metres that hands are elsewhere, in the frame of what they touch, while they fully do."""
    recording, worst = phrase.detail.recording, 0.0
    (q, p), (was_q, was_p) = made.world(), recording.world()
    for side in ("left", "right"):
        hand = phrase.body.roles[f"{side}Hand"]
        for referent, weight in windows(phrase, side, frames / recording.rate, (Kind.TOUCH,)):
            joint, rows = kept_joint(phrase, referent), weight > 0.999
            own = rotations.rotate(rotations.conjugate(q[:, joint]), p[:, hand] - p[:, joint])
            was = rotations.rotate(rotations.conjugate(was_q[:, joint]), was_p[:, hand] - was_p[:, joint])
            away = np.linalg.norm(own - at_frames(was, frames), axis=1)[rows]
            worst = max(worst, float(away.max(initial=0.0)))
    return worst


def jerk(motion: Motion, roles, first: int) -> float:
    """Metres a frame² that wrists and head change their velocity by at most, from the first performed frame on."""
    joints = [roles[name] for name in ("leftHand", "rightHand", "head", "hips")]
    return float(np.linalg.norm(np.diff(motion.positions_world()[first:, joints], 2, axis=0), axis=2).max())
