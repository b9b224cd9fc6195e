"""Referents of a performed recording: hands keep what they touch, where they meet, what they hold on to and point at.

Each is kept as it was recorded, in the frame of what it belongs to: a hand at the face goes with the face, one on a
table stays in the world, two that are together stay together, a stretched arm points at the same place.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinesphere.engine.recorded_poses import chest_joint
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms, smootherstep
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind, Referent

FADE = 0.3  # seconds, where a referent says nothing about how it comes and goes
AIM_ROUNDS = 3  # of turning an arm: each leaves a fifth of what the last one missed, its length over the distance


def referent_window(referent: Referent, source: Floats) -> Floats:
    """``(T,)`` from 0 to 1: how far a referent holds at times of the recording."""
    before = FADE if referent.before is None else max(referent.before, 1e-6)
    after = FADE if referent.after is None else max(referent.after, 1e-6)
    comes = smootherstep((source - referent.start + before) / before)
    return np.asarray(comes * (1.0 - smootherstep((source - referent.end) / after)))


def windows(phrase: Phrase, side: str, source: Floats, kinds: tuple[Kind, ...]) -> Iterator[tuple[Referent, Floats]]:
    """Referents of an arm that hold in any frame, one by one, with how far they hold ``(T,)``."""
    ended = [own for own in phrase.referents if own.kind == Kind.NOTHING and side in own.sides]
    for own in phrase.referents:
        if own.kind not in kinds or side not in own.sides:
            continue
        if any(no.start <= own.start and own.end <= no.end for no in ended):
            continue
        before, after = (FADE if fade is None else max(fade, 1e-6) for fade in (own.before, own.after))
        near = np.flatnonzero((source > own.start - before) & (source < own.end + after))
        if not len(near):
            continue
        weight = np.zeros(len(source))
        weight[near] = referent_window(own, source[near])
        if weight.any():
            yield own, weight


def kept_joint(phrase: Phrase, referent: Referent) -> int:
    """The joint that a hand that touches goes with."""
    name = referent.joint or "head"
    if name == "upperChest" or name not in phrase.body.roles:
        return chest_joint(phrase.body)
    return phrase.body.roles[name]


def aim(shoulder: Floats, was: Floats, wrist: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Where a wrist is ``(T, 3)`` for a stretched arm to point at a target ``(3,)``, and how far the arm is turned.

    The arm is held in the world as it was recorded, with its shoulder ``was`` and its ``wrist`` there, and turned about
    the ``shoulder`` where that is now until the target is, seen from the wrist, where it was beside the forearm.
    """
    seen, place = _unit(target - wrist), shoulder + wrist - was
    turn = np.broadcast_to(rotations.identity(), (len(wrist), 4))
    for _ in range(AIM_ROUNDS):
        turn = rotations.rotation_between(seen, _unit(target - place))
        place = shoulder + rotations.rotate(turn, wrist - was)
    return np.asarray(place), turn


def _unit(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(norms(vectors), 1e-9)[:, None])
