"""Shaping of generated motions: what was generated is lifted, and performed as properties of movement ask.

So gestures, scripts, walks and recordings are shaped by the same steps, and feet, contacts and referents are kept in
the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from kinesphere.engine.detail import Detail
from kinesphere.engine.holds import settled_moment
from kinesphere.engine.lifting import hand_strokes_in, lift, lift_once
from kinesphere.engine.performed_recording import generate_recording
from kinesphere.engine.written_claims import write_claims
from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import Claim
from kinesphere.motion.hold import Hold
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.look import Look
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import SAMPLES, WORLD, Phrase
from kinesphere.motion.referent import Kind, Referent
from kinesphere.motion.timemap import TimeMap
from kinesphere.motion.world_goal import WorldGoal

Asked = TypeVar("Asked", WorldGoal, Referent)
COMES = (0.25, 1.5)  # seconds, least and most, in which an aim that was found comes and goes


def shape_motion(phrase: Phrase, motion: Motion, clock: TimeMap) -> Motion:
    """The motion that was generated of a phrase without its claims, shaped; ``clock`` is from its time to performed.

    What is kept are hands' contacts and feet that are found in the motion, and the phrase's own targets.
    """
    lifted = lift_once(motion) if _happens_once(phrase) else lift(motion)
    assert lifted.detail is not None
    detail = replace(lifted.detail, generated=True)
    lifted = replace(lifted, detail=detail)
    times = lifted.times
    own = np.clip(clock.inverse()(times), 0.0, phrase.duration)
    claims = tuple(_at_times(_settled(claim, phrase, clock), own) for claim in phrase.claims)
    marked = tuple(_at_performed(own, clock) for own in phrase.referents if own.target is not None)
    found = tuple(_over_strokes(own, detail) for own in lifted.referents)
    goals = tuple(_at_performed(own, clock) for own in (*phrase.goals, *_goals_of_keys(phrase, motion, clock)))
    asked = replace(lifted, seed=phrase.seed, claims=claims, goals=goals, referents=(*found, *marked))
    return generate_recording(write_claims(asked), motion.rate)


def _happens_once(phrase: Phrase) -> bool:
    """Whether it is no loop: gestures and scripts; and walks that are asked for something at a time or a place."""
    bound = (np.ndim(own.value) > 0 or np.ndim(own.weight) > 0 or _is_place(own.value) for own in phrase.claims)
    return not phrase.loop and (phrase.gait is None or bool(phrase.goals) or any(bound))


def _is_place(value: object) -> bool:
    target = value.target if isinstance(value, Look) else value
    return isinstance(target, tuple)


def _at_performed(own: Asked, clock: TimeMap) -> Asked:
    """A goal or a referent at performed times: from when on it comes, when it is there, until when it goes."""
    start, end = _performed(clock, own.start), _performed(clock, own.end)
    before = None if own.before is None else start - _performed(clock, max(own.start - own.before, 0.0))
    after = None if own.after is None else _performed(clock, own.end + own.after) - end
    return replace(own, start=start, end=end, before=before, after=after)


def _over_strokes(own: Referent, detail: Detail) -> Referent:
    """What was found to be aimed at comes and goes with the strokes there, however far a hand is brought away."""
    if own.kind != Kind.AIM or own.before is not None or own.arm == "both":
        return own
    strokes, rate = hand_strokes_in(detail, own.arm), detail.recording.rate
    starts, ends = (np.asarray(frames) / rate for frames in (strokes.starts, strokes.ends))
    came, went = starts[starts < own.start], ends[ends > own.end]
    before = own.start - float(came[-1]) if len(came) else 0.0
    after = float(went[0]) - own.end if len(went) else 0.0
    return replace(own, before=float(np.clip(before, *COMES)), after=float(np.clip(after, *COMES)))


def _performed(clock: TimeMap, time: float) -> float:
    return max(float(clock(np.array([time]))[0]), 0.0)


def _settled(claim: Claim, phrase: Phrase, clock: TimeMap) -> Claim:
    """A claim whose hold is when it is performed, and where feet stand in the phrase."""
    if not isinstance(claim.value, Hold):
        return claim
    times = tuple(own if claim.value.settled else settled_moment(phrase, own) for own in claim.value.times)
    own = replace(claim.value, times=tuple(_performed(clock, time) for time in times), settled=True)
    return replace(claim, value=own)


def _at_times(claim: Claim, own: Floats) -> Claim:
    """A claim whose curves are over performed time, of which ``own (N,)`` are the phrase's seconds."""

    def curve(values: Floats) -> Floats:
        return np.asarray(np.interp(own, np.arange(len(values)) / SAMPLES, values)) if np.ndim(values) else values

    weight = curve(np.asarray(claim.weight, dtype=np.float64))
    value = curve(claim.value) if isinstance(claim.value, np.ndarray) else claim.value
    return replace(claim, value=value, weight=weight)


def _goals_of_keys(phrase: Phrase, motion: Motion, clock: TimeMap) -> Iterator[WorldGoal]:
    """The keys of hands that are goals in the world: each hand is to be where it was generated then."""
    roles, places = motion.skeleton.roles, None
    for side in SIDES:
        keys = phrase.arm(side).keys
        for i in [] if keys is None else np.flatnonzero(keys.stops & (np.array(keys.spaces) == WORLD)).tolist():
            assert keys is not None
            at = float(keys.times[i])
            if any(own.role == f"{side}Hand" and own.start <= at <= own.end for own in phrase.goals):
                continue
            places = motion.positions_world() if places is None else places
            frame = min(round(_performed(clock, at) * motion.rate), len(motion) - 1)
            x, y, z = places[frame, roles[f"{side}Hand"]].tolist()
            yield WorldGoal(f"{side}Hand", (x, y, z), at, at, "wrist")
