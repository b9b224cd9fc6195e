"""Effort, Shape and words on a phrase that was lifted from a recording.

Strokes, flourishes and drives are those of gestures (``laban.expression``), on the strokes that were found. Where the
recording walks, the overlays of walks (``laban.gait_expression``) come in their place, as far as it walks. The body has
one clock: each of its strokes takes its timing from the part that leads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, Detail
from kinesphere.engine.lifting import hangs_at
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recording_clock import TIMING
from kinesphere.laban.dials import CombinedDials, Dials, combine_dials, stroke_means
from kinesphere.laban.effort_parameters import ELEMENTS, EffortModel
from kinesphere.laban.gait_expression import keep_path, walk_tracks
from kinesphere.laban.shape import limit_reach, rotate_keys
from kinesphere.maths.vectors import Floats, clip
from kinesphere.motion.drive import Drive
from kinesphere.motion.gait import GAIT_OVERLAYS
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import STROKE_RANGES, STROKES, Phrase, Track, neutral_overlay, part_of_channel

# What an Effort asks of a body, times this: a recorded body has weight, rhythm and a gaze of its own, beside which a
# gesture's would hardly show.
GAINS = {"press": 1.2, "lift": 1.8, "thrust": 1.2, "swing": 2.0, "wave": 1.9, "glance": 1.5, "hold": 1.6}
WITH_WORDS = 0.3  # of what these are above 1 where words hold the body and give it a rhythm as well
# Of what a recording does itself, less or more at full: how its joints depart from their means over two seconds.
_TORSO, _HEAD = ("torso.forward", "torso.side", "torso.turn"), ("head.nod", "head.tilt", "head.turn")
_SHOULDERS = tuple(f"{side}.clavicle.{name}" for side in SIDES for name in ("raise", "forward"))
_ARMS = tuple(f"{side}.arm.{name}" for side in SIDES for name in ("out", "up", "ahead"))
LIFE: Mapping[str, Mapping[str, float]] = {
    "indirect": dict.fromkeys(("torso.turn", "torso.side", "head.tilt"), 0.5),
    "direct": dict.fromkeys(("torso.turn", "torso.side", "head.tilt"), -0.4),
    "light": dict.fromkeys((*_TORSO, "hips.x", "hips.z"), -0.4) | {"hips.y": -0.65},
    "strong": dict.fromkeys(_TORSO, 0.35) | {"hips.y": 0.5},
    "free": dict.fromkeys((*_TORSO, *_HEAD), 0.7) | dict.fromkeys(_SHOULDERS, 1.0) | dict.fromkeys(_ARMS, 0.8),
    "bound": dict.fromkeys((*_TORSO, *_HEAD, *_SHOULDERS), -0.75) | dict.fromkeys(_ARMS, -0.35) | {"hips.x": -0.5},
}
GAZE = {"direct": -0.75, "indirect": 0.5}  # likewise of where the face is turned
EMPHASIS = {"light": -0.6, "strong": 0.5, "bound": -0.3}  # likewise of the quick part of a hand's way
# A recorded body that is lifted stays so and does not bob up with every stroke; its head does not whip from one goal of
# quick hands to the next.
# Of what lifts: recorded legs are nearly straight, and hips that hang on them bob with every shift of weight; a trunk
# that is upright already and is bent back is lower.
LIFTED = {
    "hips.y": 0.4, "foot.peel": 0.4, "torso.forward": 0.4, "head.nod": 0.7, "arm.out": 0.6, "arm.swivel": 0.5,
}  # fmt: skip
# Of what words ask of a body, as a recorded one does it that has a task: who is angry does not dive at a cup, who is
# joyful or proud holds no wings; and of moods that bend the trunk, which bends for its own ends, tilt tells more.
WORD_HOLDS = {
    "arm.out": 0.4, "arm.up": 0.7, "arm.swivel": 0.4, "torso.forward": 0.7,
    "hips.x": 1.4, "torso.side": 1.5, "head.tilt": 1.4,
}  # fmt: skip
WORD_THRUSTS = {"torso.forward.ahead": 0.45, "hips.z.ahead": 0.6, "torso.forward": 0.7, "torso.turn.ahead": 0.8}
STOPS = {"bound": 1.0}  # how far hands stop at goals that they passed
TIMINGS: Mapping[str, Mapping[str, float]] = {"lift": {"held": 1.0}, "attention": {"calm": 0.9, "chest": 0.04}}
WALKED_LIFE = (*_SHOULDERS, "head.turn")  # what overlays of walks leave alone
FLOURISHES = {"wrist_bend": 1.5, "wrist_twist": 1.5, "elbow_twist": 1.6, "elbow_out": 1.5, "trail": 1.5}
STROKE_GAINS = {"detour": 2.2, "overshoot": 1.6, "anticipation": 1.5}
# Of evenness: an even speed takes its time from where strokes begin and end. Recorded bodies do not rest there: trunks
# would go fast, and hands pass their goals.
EVENNESS = 0.06
RESTS_LESS = 0.4  # power of a stroke's change of duration that a rest takes: who hurries still waits
WALKING = 0.7  # of a posture that who walks holds
RHYTHM = 0.6  # of a gait's rhythm, by which a step from strike to strike is fastest later: it dwells, and falls
# Of the model: a recorded trunk has its part in each stroke already, and one that is direct faces what it is about.
# Where Bound lifts hands that hang, which bends elbows, these are drawn in with them.
COEFFICIENTS = {
    "thrust__direct": 0.0,
    "posture_bound__arm_out": -0.03, "posture_bound__arm_up": 0.05, "posture_bound__arm_swivel": -0.25,
}  # fmt: skip
# Times overlays of a walk: a recorded body that steps quicker lands harder; who walks slowly takes no longer strides.
WALKED_FACTORS = (("light", "gait.cadence", 0.91), ("sustained", "gait.stride", 0.9))
# What a light walk adds, as a recorded body walks on straight legs: it comes higher with its heels alone.
LIGHT_WALK = {"hips.y": 0.02, "left.foot.peel": 0.14, "right.foot.peel": 0.14}
HANGING = 0.25  # of what Shape does to a hand that hangs


@dataclass(frozen=True, eq=False)
class AskedOfRecording:
    """What all edits together ask of a recording.

    ``parts`` are the dials of each part, ``drives`` the postures and rhythms of words, ``shape`` the torso's Shape, and
    ``channels`` what it adds to those of a body that stands.
    """

    parts: Mapping[str, Sequence[Dials]]
    drives: Sequence[Drive]
    shape: CombinedDials
    channels: Mapping[str, Floats]
    model: EffortModel


def recording_tracks(
    written: Phrase, asked: AskedOfRecording, random: np.random.Generator | None, keeps_path: bool = False
) -> tuple[dict[str, Track], tuple[Drive, ...], float]:
    """The tracks and drives of a recording under these dials, and how much more its body sways, as a factor."""
    from kinesphere.laban import expression  # which asks this module

    detail, time = written.detail, written.times
    assert detail is not None
    asked = replace(asked, model=_recording_model(asked.model))
    cache: expression.ParameterCache = {}
    walking = detail.at_times(detail.steps.walking, time) if detail.steps.walks else None
    stands = None if walking is None else 1.0 - walking
    tracks: dict[str, Track] = {}
    for side in SIDES:
        arm, part = written.arm(side), f"{side}_arm"
        if arm.keys is None:
            continue
        edges = arm.keys.times[arm.keys.stops]
        hangs = hangs_at(arm.keys.positions[arm.keys.stops])[1:]
        effort = expression.strokes_and_flourishes(asked.parts[part], edges, time, asked.model, random, cache, hangs)
        shape = combine_dials(asked.parts[part], "shape", time)
        strokes = {name: _gained(name, values) for name, values in effort.strokes.items()}
        if _same_dials(asked.parts[part], asked.parts["torso"]):  # it goes by the body's clock
            strokes = {name: values for name, values in strokes.items() if name not in TIMING}
        flourishes = {name: FLOURISHES.get(name, 1.0) * values for name, values in effort.overlays.items()}
        tracks[part] = replace(
            arm,
            strokes=expression.add_strokes(arm, strokes),
            overlays=expression.add_overlays(arm, flourishes, len(time)),
            placed=_placed(written, side, shape),
        )
    amounts = 1.0 if stands is None else stands  # of what a body does that does not walk
    efforts = expression.body_drives(asked.parts["torso"], time, asked.model, cache)
    drives = (
        *(drive if stands is None else replace(drive, amount=drive.amount * stands) for drive in written.drives),
        *(_on_recording(drive, bool(asked.drives), amounts) for drive in efforts),
        *(_by_words(drive, amounts) for drive in asked.drives),
        *_life_drives(asked, time, walking),
    )
    added: dict[str, Floats] = dict(asked.channels)
    if walking is not None and stands is not None:
        held = [_by_words(drive, WALKING) for drive in asked.drives if drive.kind == "hold"]
        walked = walk_tracks(written, asked.parts, expression.with_postures(asked.channels, held), random)
        walked = _as_recorded(keep_path(walked) if keeps_path else walked, asked, time)
        added = {name: np.asarray(values) * stands for name, values in added.items()}
        _walk_lightly(added, asked, time, walking)
        for part, track in walked.items():
            own = tracks.get(part) or written.track(part)
            tracks[part] = replace(own, overlays={**own.overlays, **_walked(track.overlays, walking, added)})
    by_part: dict[str, dict[str, Floats]] = {}
    for name, values in added.items():
        by_part.setdefault(part_of_channel(name), {})[name] = np.asarray(values)
    for part, channels in by_part.items():
        own = tracks.get(part) or written.track(part)
        tracks[part] = replace(own, overlays=expression.add_overlays(own, channels, len(time)))
    torso = tracks.get("torso") or written.track("torso")
    rows = _body_rows(written, detail, asked, random, cache, tracks.get("hips"))
    tracks["torso"] = replace(torso, strokes=expression.add_strokes(written.track("torso"), rows))
    sway = 1.0 + float(np.mean(expression.parameters_of(asked.parts["torso"], time, asked.model, cache)["sway"]))
    return tracks, drives, sway


@memoised
def _recording_model(model: EffortModel) -> EffortModel:
    """An Effort model as recorded bodies follow it."""
    return model.with_coefficients(**COEFFICIENTS)


def _as_recorded(walked: dict[str, Track], asked: AskedOfRecording, time: Floats) -> dict[str, Track]:
    """Tracks of a walk that is not quicker for being light, and whose strides are not longer for being slow."""
    amounts = dict(_element_amounts(asked.parts["torso"], time))
    overlays = dict(walked["hips"].overlays)
    for element, name, factor in WALKED_FACTORS:
        if element in amounts and name in overlays:
            overlays[name] = overlays[name] * factor ** amounts[element]
    return {**walked, "hips": replace(walked["hips"], overlays=overlays)}


def _walk_lightly(added: dict[str, Floats], asked: AskedOfRecording, time: Floats, walking: Floats) -> None:
    """Let a body that walks lightly come higher, by its heels."""
    light = dict(_element_amounts(asked.parts["torso"], time)).get("light")
    if light is not None:
        for name, share in LIGHT_WALK.items():
            added[name] = added.get(name, np.zeros(len(time))) + share * light * walking


def _by_words(drive: Drive, amounts: Floats | float) -> Drive:
    """How words hold a body, as a recorded body does it, times amounts."""
    channels = _scaled(drive.channels, WORD_HOLDS) if drive.kind == "hold" else drive.channels
    return Drive(drive.kind, np.asarray(drive.amount * amounts), channels, drive.timing)


def _scaled(channels: Mapping[str, float], shares: Mapping[str, float]) -> dict[str, float]:
    """Channels with shares of either side, times factors."""
    plain = {name: name.removeprefix("left.").removeprefix("right.") for name in channels}
    return {name: shares.get(plain[name], 1.0) * share for name, share in channels.items()}


def _on_recording(drive: Drive, with_words: bool, amounts: Floats | float) -> Drive:
    """What Effort asks of a body, as a recorded body does it, times amounts."""
    channels = dict(drive.channels)
    if with_words and drive.kind in ("thrust", "press"):
        channels = _scaled(channels, WORD_THRUSTS)
    if drive.kind == "lift":
        channels = _scaled(channels, LIFTED)
    gain = 1.0 + (WITH_WORDS if with_words else 1.0) * (GAINS.get(drive.kind, 1.0) - 1.0)
    timing = {**drive.timing, **TIMINGS.get(drive.kind, {})}
    return Drive(drive.kind, np.asarray(gain * drive.amount * amounts), channels, timing)


def _life_drives(asked: AskedOfRecording, time: Floats, walking: Floats | None) -> tuple[Drive, ...]:
    """What Effort makes of what the recording does itself: trunk and head by the torso's dials, hands by their own.

    Without what overlays of a walk change while it walks.
    """
    made = []

    def add(amount: Floats, channels: Mapping[str, float], timing: Mapping[str, float]) -> None:
        if walking is None:
            made.append(Drive("life", amount, channels, timing))
            return
        made.append(Drive("life", amount * (1.0 - walking), channels, timing))
        kept = {name: share for name, share in channels.items() if name in WALKED_LIFE}
        if kept:
            made.append(Drive("life", amount * walking, kept, timing))

    for element, amount in _element_amounts(asked.parts["torso"], time):
        if element in LIFE:
            add(amount, LIFE[element], {})
        if element in GAZE:
            add(amount, dict.fromkeys(("head.turn", "head.nod"), GAZE[element]), {"gaze": 1.0})
    for side in SIDES:
        for element, amount in _element_amounts(asked.parts[f"{side}_arm"], time):
            for kind, shares in (("emphasis", EMPHASIS), ("stop", STOPS)):
                if element in shares:
                    made.append(Drive(kind, amount, {f"{side}.arm.ahead": shares[element]}))
    return tuple(made)


def _element_amounts(dials: Sequence[Dials], time: Floats) -> list[tuple[str, Floats]]:
    """Elements that are asked for, and how much, each a number or a curve."""
    combined, found = combine_dials(dials, "effort", time), []
    for i, (value, name) in enumerate(zip((*combined.factors, *combined.factors), ELEMENTS, strict=True)):
        amount = -value if i < 4 else value
        if amount > 0.0 if isinstance(amount, float) else (amount > 0.0).any():
            found.append((name, np.asarray(np.maximum(amount, 0.0))))
    return found


def _same_dials(one: Sequence[Dials], other: Sequence[Dials]) -> bool:
    """Whether two parts are asked for the same."""
    return len(one) == len(other) and all(
        (a.effort, a.intensity, a.tempo) == (b.effort, b.intensity, b.tempo) and a.strength is b.strength
        for a, b in zip(one, other, strict=True)
    )


def _gained(name: str, values: Floats) -> Floats:
    """A row of stroke parameters, as a recording needs it, within its range."""
    if name == "evenness":
        return np.asarray(np.where(values > 0.0, EVENNESS, 1.0) * values)
    return np.asarray(clip(STROKE_GAINS.get(name, 1.0) * values, *STROKE_RANGES[name]))


def _walked(overlays: Mapping[str, Floats], walking: Floats, added: dict[str, Floats]) -> dict[str, Floats]:
    """Overlays of a walk as far as it walks; what it adds to channels is added to what a standing body has."""
    made: dict[str, Floats] = {}
    for name, values in overlays.items():
        neutral = neutral_overlay(name) if name in GAIT_OVERLAYS else 0.0
        if not (float(values) != neutral if np.ndim(values) == 0 else (values != neutral).any()):
            continue
        more = walking * (values - neutral)
        if name in GAIT_OVERLAYS:
            made[name] = neutral + more
        else:
            added[name] = added[name] + more if name in added else more
    return made


def _placed(written: Phrase, side: str, shape: CombinedDials) -> Floats | None:
    """Where Shape puts a hand's keys; None: where they are."""
    arm = written.arm(side)
    if arm.keys is None or shape.neutral:
        return arm.placed
    keys = arm.keys
    mirror = np.array([SIGN[side], 1.0, 1.0])
    before = np.ascontiguousarray(ARM * keys.positions * mirror)
    factors = np.empty((len(keys), 4))
    for i, factor in enumerate(shape.factors):
        factors[:, i] = factor if isinstance(factor, float) else np.interp(keys.times, written.times, factor)
    factors *= np.where(hangs_at(keys.positions), HANGING, 1.0)[:, None]
    moved = rotate_keys(before, factors)
    limit_reach(moved, before)
    return np.asarray(moved / ARM * mirror)


def _body_rows(
    written: Phrase,
    detail: Detail,
    asked: AskedOfRecording,
    random: np.random.Generator | None,
    cache: Any,
    hips: Track | None,
) -> dict[str, Floats]:
    """Stroke parameters ``(E,)`` of the body's clock: of the part that leads each stroke."""
    from kinesphere.laban import expression

    strokes, time = detail.strokes, written.times
    leads = np.array(strokes.leads)

    def rows_of(part: str) -> Mapping[str, Floats]:
        return expression.strokes_and_flourishes(
            asked.parts[part], strokes.edges, time, asked.model, None, cache
        ).strokes

    rows = dict(rows_of("torso"))
    for part in ("left_arm", "right_arm"):
        own = leads == part
        if own.any() and not _same_dials(asked.parts[part], asked.parts["torso"]):
            for name, values in rows_of(part).items():
                rows[name][own] = values[own]
    rows["evenness"] = _gained("evenness", rows["evenness"])
    if random is not None:
        varied = np.exp(expression.DURATION_VARIATION * random.standard_normal(len(leads)))
        rows["duration"] = rows["duration"] * varied
    plain = (leads == REST_LEADS) | (leads == LEGS_LEAD)
    for name, values in rows.items():
        if name != "duration":
            values[plain] = STROKES[name]
    rests = leads == REST_LEADS
    rows["duration"][rests] **= RESTS_LESS
    walked = leads == LEGS_LEAD
    if walked.any():
        rows["duration"][walked] = 1.0 / _gait_means(hips, "cadence", strokes.edges, time)[walked]
        rhythm = _gait_means(hips, "rhythm", strokes.edges, time)[walked]
        rows["inflection"][walked] = STROKES["inflection"] + RHYTHM * rhythm
    return rows


def _gait_means(hips: Track | None, name: str, edges: Floats, time: Floats) -> Floats:
    """``(E,)`` a gait's overlay in each stroke, on the mean."""
    neutral = GAIT_OVERLAYS[f"gait.{name}"].neutral
    value = np.asarray(neutral if hips is None else hips.overlays.get(f"gait.{name}", neutral), dtype=np.float64)
    return np.broadcast_to(stroke_means(float(value) if value.ndim == 0 else value, edges, time), len(edges) - 1)
