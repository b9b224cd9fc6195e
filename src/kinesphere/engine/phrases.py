"""Gestures and walks to phrases: ``phrase_of`` puts one on a body, in limb lengths; also which arm leads a phrase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from kinesphere.body.body import Body, body_of
from kinesphere.engine.embodiment import embody
from kinesphere.engine.gait_clock import stride_seconds
from kinesphere.engine.pose import Actor, figure_skeleton
from kinesphere.engine.posture import upright_shoulder
from kinesphere.engine.proportions import ARM, HEIGHT, LEG
from kinesphere.maths.vectors import Floats
from kinesphere.motion.gait import Gait, Movement
from kinesphere.motion.gesture import Curve, Gesture, Keypoints, Space, Step, Stop
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import CHEST, PARTS, WORLD, Keys, Phrase, Track, part_of_channel
from kinesphere.motion.referent import Referent

HEIGHTS = (0.1, 10.0)  # metres of a figure
STILL = 0.25  # of breath and sway, below which a phrase is written without
KEPT_WRITTEN = 64  # phrases as written that are kept
EASE = 0.5  # when a stroke is fastest, where a gesture says nothing
_LARGE = {"torso": 1.0, "hips": 1.0, "head": 0.4}  # parts that lead a body without hands, and how much they count


@lru_cache(maxsize=16)
def figure_body(height: float = HEIGHT) -> Body:
    """The figure's body at this height in metres."""
    if not np.isfinite(height) or not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise ValueError(f"height {height}: {HEIGHTS[0]:g} to {HEIGHTS[1]:g} m is allowed")
    return body_of(figure_skeleton(height))


def phrase_of(movement: Movement, body: Body | None = None, seed: int | None = None) -> Phrase:
    """A gesture or a walk on a body, the figure unless given: what it does, nothing about how.

    Hands' keys are in arm lengths, hips and steps in leg lengths. Goals in the world are as many arm lengths from the
    shoulder of the upright body as from the figure's. A body with longer legs takes longer strides, and takes longer
    for them. ``seed`` says which individual performs it; None is always the same.
    """
    own = figure_body() if body is None else body
    return _walk_of(movement, own, seed) if isinstance(movement, Gait) else _phrase_of(movement, own, seed)


@memoised
def _walk_of(gait: Gait, body: Body, seed: int | None) -> Phrase:
    seconds = gait.performed_strides * stride_seconds(gait, embody(body).actor.size)
    return Phrase(gait.name, body, seconds, loop=gait.in_place, seed=seed, gait=gait)


@memoised
def _phrase_of(gesture: Gesture, body: Body, seed: int | None) -> Phrase:
    if seed is not None:  # individuals share keys and curves, and what is found of these
        return replace(_phrase_of(gesture, body, None), seed=seed)
    actor = embody(body).actor
    curves: dict[str, dict[str, Curve]] = {part: {} for part in PARTS}
    for channel, curve in gesture.curves.items():
        curves[part_of_channel(channel)][channel] = _in_leg_lengths(curve) if _is_length(channel) else curve
    tracks = {part: Track(curves=own) for part, own in curves.items() if own}
    for side in SIDES:
        written = gesture.arm(side)
        keys = None if written is None else _keys(written, gesture.inflections.get(side), side, actor)
        palms, steps = gesture.palms.get(side, ()), gesture.steps.get(side, ())
        if keys is not None or palms or curves[f"{side}_arm"]:
            tracks[f"{side}_arm"] = Track(keys, curves[f"{side}_arm"], palms=palms)
        if steps or curves[f"{side}_leg"]:
            scaled = tuple(Step(s.lift, s.land, s.x / LEG, s.z / LEG, s.turn) for s in steps)
            tracks[f"{side}_leg"] = Track(curves=curves[f"{side}_leg"], steps=scaled)
    referents = tuple(_on_body(own, actor) for own in gesture.referents)
    return Phrase(gesture.name, body, gesture.duration, tracks, gesture.loop, seed=seed, referents=referents)


def _is_length(channel: str) -> bool:
    return channel in ("hips.x", "hips.y", "hips.z")


def _in_leg_lengths(curve: Curve) -> Curve:
    return Curve(curve.times, tuple(value / LEG for value in curve.values))


def _place_on_body(positions: Floats, side: str, actor: Actor) -> Floats:
    """Places in the world ``(..., 3)``, written for the figure, in metres.

    They are as many arm lengths from the shoulder of the upright body as they are from the figure's.
    """
    mirror = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    moved = actor.arm_size * mirror * (upright_shoulder(actor) - upright_shoulder(Actor.figure()))
    return np.asarray(actor.arm_size * positions + moved)


def _on_body(referent: Referent, actor: Actor) -> Referent:
    """A referent with its target in metres of a body."""
    if referent.target is None:
        return referent
    x, y, z = _place_on_body(np.array(referent.target), referent.sides[0], actor).tolist()
    return replace(referent, target=(x, y, z))


def _keys(written: Keypoints, inflections: tuple[float, ...] | None, side: str, actor: Actor) -> Keys:
    """Key points, written in metres for the figure, in arm lengths; those in the world in metres."""
    keys = written.keys
    world = np.array([key.space == Space.GLOBAL for key in keys])
    positions = np.array([key.position for key in keys])
    return Keys(
        times=np.array([key.frame for key in keys]) / written.rate,
        positions=np.where(world[:, None], _place_on_body(positions, side, actor), positions / ARM),
        swivels=np.array([key.swivel for key in keys]),
        goals=np.array([key.stop == Stop.GOAL for key in keys]),
        spaces=tuple(WORLD if key.space == Space.GLOBAL else CHEST for key in keys),
        inflections=np.array(inflections or (EASE,) * len(keys)),
        locked=written.locked,
    )


# A phrase as written


def is_as_written(phrase: Phrase) -> bool:
    """Whether a phrase says nothing about how it is done: no Effort, no Shape, nothing that edits add.

    The torso's strokes count for nothing where hands have keys.
    """
    led = any(phrase.arm(side).keys is not None for side in SIDES)
    tracks = (replace(own, strokes={}) if led and part == "torso" else own for part, own in phrase.tracks.items())
    driven = any(drive.amount.any() for drive in phrase.drives)
    return phrase.fidget == 0.0 and not driven and all(track.neutral for track in tracks)


def as_written(phrase: Phrase) -> Phrase:
    """What a phrase does, without how: no strokes, overlays or placed keys, no seed.

    It has idle motion unless the phrase is still. Phrases of the same keys and curves have the same object, whatever
    edits made of them.
    """
    tracks = {
        part: track
        for part, track in phrase.tracks.items()
        if track.keys is not None or track.curves or track.palms or track.steps
    }
    contents = tuple((part, id(own.keys), id(own.curves), id(own.palms), id(own.steps)) for part, own in tracks.items())
    life = 1.0 if phrase.life > STILL else 0.0
    key = id(phrase.body), phrase.duration, phrase.loop, life, phrase.referents, contents
    found = _WRITTEN.pop(key, None)
    if found is None:
        plain = {part: Track(own.keys, own.curves, palms=own.palms, steps=own.steps) for part, own in tracks.items()}
        found = Phrase(
            phrase.name, phrase.body, phrase.duration, plain, phrase.loop, life=life, referents=phrase.referents
        )
        if len(_WRITTEN) >= KEPT_WRITTEN:
            _WRITTEN.pop(next(iter(_WRITTEN)), None)
    _WRITTEN[key] = found  # it holds what its key names by identity
    return found


_WRITTEN: dict[object, Phrase] = {}


# What leads a phrase


@memoised
def leading_side(phrase: Phrase) -> str | None:
    """The arm with the longest path, whose clock the body goes by."""
    lengths = {}
    for side in SIDES:
        keys = phrase.arm(side).keys
        if keys is not None and len(keys) > 1:
            lengths[side] = float(np.linalg.norm(np.diff(keys.positions, axis=0), axis=1).sum())
    return max(lengths, key=lambda side: (round(lengths[side], 6), side)) if lengths else None


@memoised
def body_rest_times(phrase: Phrase) -> Floats:
    """Times at which a phrase without hands' keys rests: the turning points of what moves most.

    Of a recording, when strokes of the whole body begin and end.
    """
    if phrase.detail is not None:
        return phrase.detail.strokes.edges
    curves: Mapping[str, Curve] = {name: curve for part in _LARGE for name, curve in phrase.track(part).curves.items()}
    spread = {name: (LEG if _is_length(name) else 1.0) * (max(c.values) - min(c.values)) for name, c in curves.items()}
    spread = {name: value for name, value in spread.items() if value > 0.0}
    if not spread:
        return np.array([0.0, phrase.duration])
    name = max(spread, key=lambda name: spread[name] * _LARGE[part_of_channel(name)])
    values = (LEG if _is_length(name) else 1.0) * np.array(curves[name].values)
    directions = np.sign(np.round(np.diff(values) / max(spread.values()), 2))
    turns = [0] + [i for i in range(1, len(values) - 1) if directions[i] != directions[i - 1]] + [len(values) - 1]
    times = np.unique(np.clip(np.array(curves[name].times)[turns], 0.0, phrase.duration))
    return times if len(times) > 1 else np.array([0.0, phrase.duration])
