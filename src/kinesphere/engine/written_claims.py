"""Claims that are written into a phrase before it is generated: channels, strokes, overlays of arms, drives.

What is left is done to the generated motion (``engine.shaping``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinesphere.engine.legs import HIPS_EARLY, stance_turned
from kinesphere.engine.phrases import body_rest_times
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Floats, clip
from kinesphere.motion.aspects import FOOTING, Combine, aspect
from kinesphere.motion.claim import Integrated, integrate
from kinesphere.motion.drive import Drive
from kinesphere.motion.gait import FACTOR, GAIT_OVERLAYS
from kinesphere.motion.gesture import CHANNELS, SHAPES, Step
from kinesphere.motion.humanoid import GROUPS, SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import OVERLAYS, STROKE_RANGES, Phrase, Track, part_of_channel

STROKES_OF = ("left_arm", "right_arm", "torso")  # parts whose tracks have strokes
BEFORE = (-2.0, -1.0)  # seconds: when feet have stepped to where they stand
HAND_SHAPES = frozenset(f"{side}.hand.{shape}" for side in SIDES for shape in SHAPES[1:])
ELSEWHERE = ("gait.stride", "gait.width", "gait.weave")
CADENCE = (0.4, 2.5)  # of a walk, times what it was
DURATION = "stroke.duration"


@memoised
def integrated(phrase: Phrase) -> Integrated:
    """All claims of a phrase, made one value each."""
    return integrate(phrase.claims)


@memoised
def write_claims(phrase: Phrase) -> Phrase:
    """The phrase with its claims in its tracks and drives, except those of shaping; itself where there are none."""
    own = integrated(phrase)
    late = _steps_alone(phrase)  # steps are no gait before they have been generated, and lifted
    names = [name for name in own.aspects if not aspect(name).shaping and not (late and name in GAIT_OVERLAYS)]
    left = tuple(
        claim
        for claim in phrase.claims
        if aspect(claim.aspect).shaping or (late and claim.aspect in GAIT_OVERLAYS and claim.aspect not in ELSEWHERE)
    )
    strides = late and "gait.stride" in own.aspects and _may_go(phrase)
    if not names and not strides:
        return phrase if len(left) == len(phrase.claims) else replace(phrase, claims=left)
    tracks = dict(phrase.tracks)
    for name in names:
        if name in CHANNELS:
            part, value = part_of_channel(name), own.value(name)
            if name in HAND_SHAPES:
                value = value * _shapeless(phrase, name.partition(".")[0])
            tracks[part] = _with_overlay(tracks.get(part, Track()), name, value, 0.0)
    for part in STROKES_OF:
        strokes = [name for name in names if name.startswith("stroke.")]
        overlays = [name for name in names if name.startswith("overlay.") and part != "torso"]
        role = GROUPS[part][-1]
        for name in overlays:
            if role in own.roles(name):
                neutral = OVERLAYS[name.partition(".")[2]]
                track = tracks.get(part, Track())
                tracks[part] = _with_overlay(track, name.partition(".")[2], own.value(name, role), neutral)
        for name in strokes:
            if role in own.roles(name):
                value = own.value(name, role)
                value = _lasting(phrase, own, value) if name == DURATION else value
                _write_strokes(phrase, part, name.partition(".")[2], value, tracks)
        if "lasts" in names and (DURATION not in names or role not in own.roles(DURATION)):
            _write_strokes(phrase, part, DURATION.partition(".")[2], _lasting(phrase, own, np.ones(())), tracks)
    _write_gait(phrase, own, tracks)
    if strides:
        _scale_strides(phrase, float(np.mean(own.value("gait.stride"))), tracks)
    _write_footing(phrase, own, tracks)
    drives = [
        replace(claim.value, amount=np.asarray(claim.value.amount) * claim.weight)
        for claim in own.ranked("drive")
        if isinstance(claim.value, Drive)
    ]
    return replace(phrase, tracks=tracks, drives=(*phrase.drives, *drives), claims=left)


def _lasting(phrase: Phrase, own: Integrated, value: Floats) -> Floats:
    """Factors of durations, ``()`` or over own time, with stretches that take as many seconds as is asked.

    Of stretches over each other the higher rank's takes as long as it asks; what is left of the others makes up.
    """
    times = phrase.times
    for claim in own.ranked("lasts"):
        weight = np.broadcast_to(np.asarray(claim.weight, dtype=np.float64), times.shape)
        strength = float(weight.max())
        inside = weight / strength
        value = np.array(np.broadcast_to(value, times.shape))
        rows = inside * value
        takes = 0.5 * float((rows[1:] + rows[:-1]) @ np.diff(times))
        value *= (float(claim.value) / max(takes, 1e-6)) ** (strength * inside)
    return value


def _shapeless(phrase: Phrase, side: str) -> Floats:
    """``(N,)`` how far a hand has no shape of its own: what it does comes before how it is carried."""
    table, curves = np.zeros(len(phrase.times)), phrase.track("hands").curves
    for name, curve in curves.items():
        if name.startswith(side) and name in HAND_SHAPES:
            table += monotone_cubic(curve.times, curve.values, phrase.times)
    return np.asarray(clip(1.0 - table, 0.0, 1.0)) if curves else np.ones(())


def _steps_alone(phrase: Phrase) -> bool:
    """Whether a phrase steps without a gait, as scripts do."""
    stepping = any(phrase.track(f"{side}_leg").steps for side in SIDES)
    return phrase.gait is None and phrase.detail is None and stepping


def _may_go(phrase: Phrase) -> bool:
    """Whether steps may lead elsewhere: not where hands have goals in the world after them."""
    first = min(step.lift for side in SIDES for step in phrase.track(f"{side}_leg").steps)
    ends = [own.end for own in phrase.goals] + [own.end for own in phrase.referents if own.target is not None]
    return all(end <= first for end in ends)


def _scale_strides(phrase: Phrase, factor: float, tracks: dict[str, Track]) -> None:
    """Let steps lead ``factor`` times as far, and hips with them; feet turn as they did."""
    steps = sorted(
        ((step, side) for side in SIDES for step in phrase.track(f"{side}_leg").steps), key=lambda own: own[0].land
    )
    at, times, places = dict.fromkeys(SIDES, np.zeros(2)), [steps[0][0].lift], [np.zeros(2)]
    made: dict[str, list[Step]] = {side: [] for side in SIDES}
    for step, side in steps:
        own, turned = stance_turned(side, step.turn)
        place = np.array([step.x, step.z]) + own - turned
        x, z = (factor * place + turned - own).tolist()
        made[side].append(replace(step, x=x, z=z))
        at[side] = place
        time = max(step.land - HIPS_EARLY, step.lift, times[-1] + 1e-3)
        times.append(time)
        places.append(np.mean([at[own_side] for own_side in SIDES], axis=0))
    for side in SIDES:
        leg = tracks.get(f"{side}_leg", Track())
        tracks[f"{side}_leg"] = replace(leg, steps=tuple(made[side]))
    way = np.array(places)
    for column, name in enumerate(("hips.x", "hips.z")):
        more = (factor - 1.0) * monotone_cubic(times, way[:, column], phrase.times)
        tracks["hips"] = _with_overlay(tracks.get("hips", Track()), name, more, 0.0)


def _write_gait(phrase: Phrase, own: Integrated, tracks: dict[str, Track]) -> None:
    """Write how a walk is done, of a walk or of a recording."""
    if phrase.gait is None and phrase.detail is None:
        return
    for name in own.aspects:
        if name not in GAIT_OVERLAYS:
            continue
        row = GAIT_OVERLAYS[name]
        for part in ("left_arm", "right_arm") if row.part == "arm" else (row.part,):
            role = GROUPS[part][-1] if row.part == "arm" else None
            track, value = tracks.get(part, Track()), own.value(name, role)
            before = np.asarray(track.overlays.get(name, row.neutral), dtype=np.float64)
            both = (
                before * value
                if row.unit == FACTOR and not (before.ndim and value.ndim)
                else _add(before, value - row.neutral)
            )
            tracks[part] = replace(track, overlays={**track.overlays, name: clip(both, row.least, row.most)})


def _write_footing(phrase: Phrase, own: Integrated, tracks: dict[str, Track]) -> None:
    """Write where feet of a gesture stand: as steps that were taken before it begins. Other steps are moved as far."""
    if phrase.gait is not None or phrase.detail is not None or not any(name in FOOTING for name in own.aspects):
        return
    apart, ahead, out = (float(np.mean(own.value(f"footing.{name}"))) for name in ("apart", "ahead", "out"))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        track = tracks.get(f"{side}_leg", Track())
        x, z, turn = 0.5 * sign * apart, 0.5 * sign * ahead, sign * out
        moved = [_moved(step, x, z, turn) for step in track.steps]
        tracks[f"{side}_leg"] = replace(track, steps=(Step(*BEFORE, x, z, turn), *moved))


def _moved(step: Step, x: float, z: float, turn: float) -> Step:
    """A step that lands elsewhere, as seen by a body that has turned by then."""
    sine, cosine = np.sin(step.turn), np.cos(step.turn)
    return replace(
        step,
        x=step.x + float(cosine * x + sine * z),
        z=step.z + float(cosine * z - sine * x),
        turn=step.turn + turn,
    )


def _with_overlay(track: Track, name: str, value: Floats, neutral: float) -> Track:
    """The track with ``value − neutral`` more of an overlay."""
    before = np.asarray(track.overlays.get(name, neutral), dtype=np.float64)
    return replace(track, overlays={**track.overlays, name: _add(before, value - neutral)})


def _add(one: Floats, other: Floats) -> Floats:
    """The sum of numbers or curves; the last value of a shorter curve goes on."""
    if one.ndim and other.ndim and len(one) != len(other):
        count = max(len(one), len(other))
        one, other = (np.concatenate([row, np.full(count - len(row), row[-1])]) for row in (one, other))
    return np.asarray(one + other)


def _write_strokes(phrase: Phrase, part: str, name: str, value: Floats, tracks: dict[str, Track]) -> None:
    """Write a stroke parameter of a part: of each stroke the mean of the curve over it."""
    if phrase.gait is not None:
        if name == "duration" and part == "torso":
            track = tracks.get("hips", Track())
            before = np.asarray(track.overlays.get("gait.cadence", 1.0), dtype=np.float64)
            cadence = clip(before / np.asarray(value), *CADENCE)
            tracks["hips"] = replace(track, overlays={**track.overlays, "gait.cadence": cadence})
        return
    track = tracks.get(part, Track())
    if part != "torso":
        if track.keys is None:
            return
        edges = track.keys.times[track.keys.stops]
    else:
        edges = body_rest_times(phrase.original)
    count = max(len(edges) - 1, 1)
    means = np.full(count, float(value)) if value.ndim == 0 else stroke_means(value, edges, phrase.times)
    before = track.stroke(name, count)
    own = aspect(f"stroke.{name}")
    after = before * means if own.combine == Combine.MULTIPLY else before + means - own.neutral
    strokes: Mapping[str, Floats] = {**track.strokes, name: clip(after, *STROKE_RANGES[name])}
    tracks[part] = replace(track, strokes=strokes)


def stroke_means(curve: Floats, edges: Floats, times: Floats) -> Floats:
    """``(S,)`` means of a curve over its strokes."""
    area = np.concatenate([[0.0], np.cumsum(0.5 * (curve[1:] + curve[:-1]) * np.diff(times))])
    at = np.interp(edges, times, area)
    lasts = np.maximum(np.diff(edges), 1e-9)
    return np.asarray(np.diff(at) / lasts) if len(edges) > 1 else np.array([float(curve.mean())])
