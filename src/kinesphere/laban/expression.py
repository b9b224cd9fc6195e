"""Effort and Shape on a phrase: strokes, overlays and keys under the dials of all edits so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.clocks import shift_inflection
from kinesphere.engine.embodiment import embody
from kinesphere.engine.phrases import body_rest_times
from kinesphere.engine.stance import step_there_and_back
from kinesphere.laban.dials import (
    CombinedDials,
    Dials,
    EffortDial,
    ShapeDial,
    Values,
    combine_dials,
    parameter_overrides,
    stroke_means,
    tempo_product,
)
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import (
    BODY,
    RANGES,
    EffortModel,
    effort_model,
    movement_parameters,
    movement_parameters_of,
)
from kinesphere.laban.gait_expression import keep_path, walk_tracks
from kinesphere.laban.key_placement import place_keys
from kinesphere.laban.recording_expression import AskedOfRecording, recording_tracks
from kinesphere.laban.recruitment import recruit_body
from kinesphere.laban.shape import Shape, torso_channels
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Bools, Floats, clip
from kinesphere.motion.drive import Drive
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import OVERLAYS, STROKES, Applied, Phrase, Track, part_of_channel
from kinesphere.motion.scope import Scope

PARTS = ("left_arm", "right_arm", "torso")  # that Effort and Shape act on
_GROUPS = {"arms": ("left_arm", "right_arm"), "upper_body": PARTS, "body": PARTS}
BEYOND_FULL = 0.35  # how much of the excess over full Shape a torso shows
AMPLITUDES = ("squash", "breath", "limb_volume", "wrist_bend", "wrist_twist", "elbow_twist", "displacement")
# Beyond full Effort amplitudes grow, up to what joints bear: radians; displacement is a share of the elbow's angle.
# What a model itself has at full Effort is not cut.
LARGEST: Mapping[str, float] = MappingProxyType({"wrist_bend": 0.7, "displacement": 0.5, "flexed_angle": 1.05})
FREE_DRAG, BOUND_STIFFNESS = 2.2, 0.85  # how much more a free hand drags behind its wrist, and a bound one less
FIST, OPEN = 0.9, 0.75  # how far hands close at full strong, and open at full light
AMPLITUDE_VARIATION, DURATION_VARIATION = 0.08, 0.03  # standard deviations between individuals
POSTURE_EDGE = 0.6  # seconds of the phrase's own time in which a posture comes, and goes
HANGING_OVERSHOOT = 0.35  # of its overshoot that is left where an arm comes to hang: thighs are in the way
# What a phrase has already, from edits of other kinds, is kept: these are multiplied, others' differences from neutral
# are added.
MULTIPLIED = ("duration", "time_exponent", "loose")
TWISTS = ("wrist_twist", "elbow_twist", "displacement")  # what waves at the wave rate
MOST_GAIN = 1.5  # that flourishes are multiplied by beyond full Effort
WALKING = 0.7  # of a posture that who walks holds
POSTURED = ("torso.", "head.", "hips.")  # channels that bring the body nearer to hands
LARGER = ("wave_rate",)  # of these the larger is taken


@dataclass(frozen=True, eq=False)
class Expression:
    """What one edit asks of a phrase.

    Attributes
    ----------
    parts
        Of each of ``PARTS`` its dials.
    stillness
        From −1, restless, to 1, a statue.
    model
        The Effort model; None: the default one.
    locked
        Whether keys keep their times.
    drives
        What else the whole body does: the postures and rhythms of words.
    step
        Metres out and ahead that a foot steps, and is taken back at the end.
    keeps_path
        Whether a walk goes where it went: its strides stay as long, and feet stand where they stood.
    """

    parts: Mapping[str, Sequence[Dials]] = field(default_factory=dict)
    stillness: float = 0.0
    model: EffortModel | None = None
    locked: bool = False
    drives: tuple[Drive, ...] = ()
    step: tuple[float, float] = (0.0, 0.0)
    keeps_path: bool = False

    @classmethod
    def of_dials(
        cls, phrase: Phrase, scope: Scope, *, effort: EffortDial | None = None, shape: ShapeDial | None = None
    ) -> Expression:
        """The same Effort and Shape on all parts of a scope."""
        check_scope(phrase, scope, [dial for dial in (effort, shape) if dial is not None])
        own = Dials(effort or Effort(), shape or Shape(), strength=strength_over(phrase, scope))
        return cls(dict.fromkeys(scope_parts(scope), (own,)), 0.0, *model_and_lock([effort]))


def model_and_lock(efforts: Sequence[EffortDial | None]) -> tuple[EffortModel | None, bool]:
    """The Effort model that some Efforts name, None for the default one; and whether one of them locks times."""
    every = [own for dial in efforts for own in (dial.values() if isinstance(dial, Mapping) else [dial]) if own]
    named = [model for model in (effort_model(own.model) for own in every) if model != effort_model()]
    return _one_model(named), any(own.lock_times for own in every)


def _one_model(models: Sequence[EffortModel]) -> EffortModel | None:
    """The model that all of these are; None: there are none."""
    other = next((model for model in models if model != models[0]), None)
    if other is not None:
        raise ValueError(
            f"two Effort models, {models[0].name} and {other.name}; dials of all layers add up before the equations: "
            "name one model"
        )
    return models[0] if models else None


def scope_parts(scope: Scope) -> tuple[str, ...]:
    """The parts that a scope names, of those that Effort and Shape act on."""
    if scope.parts is None:
        return PARTS
    found: list[str] = []
    for name in scope.parts:
        if name not in PARTS and name not in _GROUPS:
            raise ValueError(unknown_name("part", name, PARTS))
        found += [part for part in _GROUPS.get(name, (name,)) if part not in found]
    return tuple(found)


def strength_over(phrase: Phrase, scope: Scope) -> Floats | None:
    """A scope's strength ``(N,)`` over the phrase's own time; None: 1 throughout."""
    if scope.whole_time and scope.strength == 1.0:
        return None
    return np.asarray(scope.strength * scope.window(phrase.times))


def check_scope(phrase: Phrase, scope: Scope, dials: Sequence[EffortDial | ShapeDial]) -> None:
    """Refuse a range with nothing of the phrase, and dials that change over a loop: its seam would open."""
    start, end = scope.start or 0.0, phrase.duration if scope.end is None else scope.end
    if start >= phrase.duration or end <= 0.0:
        raise ValueError(
            f"a layer from {start:g} to {end:g} s has nothing to act on: {phrase.name} lasts from 0 to "
            f"{phrase.duration:g} s"
        )
    changes = any(isinstance(dial, Mapping) and len(dial) > 1 for dial in dials)
    if phrase.loop and (changes or not scope.whole_time):
        raise ValueError(
            f"{phrase.name} goes round: dials that change over its time, or a range of it, would leave its seam open. "
            "Give one value for all of it"
        )


def express(phrase: Phrase, *expressions: Expression) -> Phrase:
    """The phrase under these dials and those that it is under already. They add up before they saturate."""
    every = (*phrase.applied_edits, *expressions)
    written = phrase.original
    parts = {name: [dial for own in every for dial in own.parts.get(name, ())] for name in PARTS}
    model = _one_model([own.model for own in every if own.model is not None]) or effort_model()
    time = written.times
    random = None if written.seed is None else np.random.default_rng([written.seed, 1])
    shape = combine_dials(parts["torso"], "shape", time)
    channels = torso_channels(np.stack(shape.factors, axis=-1), np.asarray(1.0 + BEYOND_FULL * (shape.gain - 1.0)))
    if written.detail is not None:
        asked = AskedOfRecording(parts, [drive for own in every for drive in own.drives], shape, channels, model)
        tracks, drives, sway = recording_tracks(written, asked, random, any(own.keeps_path for own in every))
        return _applied(written, every, tracks, drives, sway)
    if written.gait is not None:
        held = [replace(drive, amount=WALKING * drive.amount) for own in every for drive in own.drives]
        walked = walk_tracks(written, parts, with_postures(channels, held), random)
        return _applied(written, every, keep_path(walked) if any(own.keeps_path for own in every) else walked)
    shapes = {side: combine_dials(parts[f"{side}_arm"], "shape", time) for side in SIDES}
    efforts: dict[str, Track] = {}
    cache: ParameterCache = {}
    arm_size = embody(written.body).actor.arm_size
    for side in SIDES:
        keys = arm_keys(written, side, arm_size)
        if keys is not None:
            edges, hangs = keys.times[keys.edges], keys.rests[keys.edges[1:]]
            efforts[side] = strokes_and_flourishes(parts[f"{side}_arm"], edges, time, model, random, cache, hangs)
    torso = strokes_and_flourishes(parts["torso"], body_rest_times(written), time, model, random, cache)
    drives = (*written.drives, *body_drives(parts["torso"], time, model, cache))
    drives += tuple(drive for own in every for drive in own.drives)
    stance, moved = step_there_and_back(written, _step(every))
    drives = drives if moved is None else (*drives, moved)
    own_torso = written.track("torso")
    tracks = {"torso": replace(own_torso, strokes=add_strokes(own_torso, torso.strokes)), **stance}
    presence = posture_presence(written)
    bent = with_postures(channels, [drive for own in every for drive in own.drives])
    bent = bent if presence is None else {name: values * presence for name, values in bent.items()}
    for side, own in place_keys(written, shapes, bent, efforts).items():
        effort = efforts[side]
        displacement = effort.overlays["displacement"]
        if displacement.any():
            displacement = displacement * own.flourish_scale_over(time)
        overlays = {**effort.overlays, "displacement": displacement}
        arm = written.arm(side)
        tracks[f"{side}_arm"] = replace(
            arm,
            strokes=add_strokes(arm, effort.strokes),
            overlays=add_overlays(arm, overlays, len(time)),
            placed=arm.placed if own.positions is None else own.positions,
        )
    added: dict[str, dict[str, Floats]] = {}  # to the channels of each part
    for name, values in channels.items():
        added.setdefault(part_of_channel(name), {})[name] = values if presence is None else values * presence
    for part, own_channels in added.items():
        track = tracks.get(part) or written.track(part)
        tracks[part] = replace(track, overlays=add_overlays(track, own_channels, len(time)))
    sway = 1.0 + float(np.mean(_parameters(parts["torso"], time, model, cache)[1]["sway"]))
    return _applied(written, every, tracks, drives, sway)


def _applied(
    written: Phrase,
    every: tuple[Expression, ...],
    tracks: dict[str, Track],
    drives: tuple[Drive, ...] = (),
    sway: float = 1.0,
) -> Phrase:
    """The phrase with these tracks and drives, as still as its expressions ask, and with what it was made from."""
    stillness = float(np.clip(sum(own.stillness for own in every), -1.0, 1.0))
    life, fidget = (1.0 - stillness, 0.0) if stillness >= 0.0 else (1.0 - 0.5 * stillness, -stillness)
    made: dict[str, Any] = {
        "tracks": dict(written.tracks) | tracks,
        "life": written.life * life * sway,
        "fidget": written.fidget * min(life, 1.0) + fidget,
        "drives": drives,
        "locked": written.locked or any(own.locked for own in every),
    }
    return replace(written, **made, applied=Applied(written, every, MappingProxyType(made)))


def with_postures(channels: Mapping[str, Floats], drives: Sequence[Drive]) -> dict[str, Floats]:
    """What Shape adds to channels of trunk and head, and what postures add: hands keep off the body as it is held."""
    made = dict(channels)
    for drive in drives:
        for name, share in drive.channels.items() if drive.kind == "hold" else ():
            if name.startswith(POSTURED) or ".clavicle." in name:
                made[name] = made.get(name, 0.0) + share * drive.amount
    return made


def _step(expressions: Sequence[Expression]) -> tuple[float, float]:
    out, ahead = (float(np.clip(sum(own.step[i] for own in expressions), -0.4, 0.45)) for i in range(2))
    return out, ahead


@memoised
def posture_presence(phrase: Phrase) -> Floats | None:
    """``(N,)`` how far a posture is there over the phrase's own time: it comes and goes, so that phrases join.

    None: throughout, as in a loop.
    """
    if phrase.loop:
        return None
    time, edge = phrase.times, min(POSTURE_EDGE, 0.4 * phrase.duration)
    end = float(time[-1])
    return np.asarray(ramp(time, 0.0, edge) * (1.0 - ramp(time, end - edge, end)))


def body_drives(dials: Sequence[Dials], time: Floats, model: EffortModel, cache: ParameterCache) -> tuple[Drive, ...]:
    """What the Effort of the torso asks of the whole body, with parameters that are set by hand."""
    combined, parameters = _parameters(dials, time, model, cache)
    body: dict[str, Values] = {name: parameters[name] for name in BODY}
    for dial in dials:
        for name, rows in parameter_overrides(dial.effort, time).items():
            if name in body:
                body[name] = _replaced(body[name], rows, dial)
    return recruit_body(combined, body, model)


def add_strokes(written: Track, strokes: Mapping[str, Floats]) -> dict[str, Floats]:
    """Strokes ``(S,)`` on those that the phrase has already."""
    made = {**written.strokes, **strokes}
    for name in written.strokes:
        before, more = written.stroke(name, len(strokes[name])), strokes[name]
        both = shift_inflection(before, more) if name == "inflection" else _combine(name, before, more, STROKES[name])
        made[name] = clip(both, *RANGES[name])
    return made


def add_overlays(written: Track, overlays: Mapping[str, Floats], count: int) -> dict[str, Floats]:
    """Overlays, numbers or curves ``(N,)`` of ``count`` values, on those that the phrase has already."""
    made = {**written.overlays, **overlays}
    for name in set(written.overlays) & set(overlays):
        before = np.asarray(written.overlays[name], dtype=np.float64)
        if before.ndim:  # a curve that is shorter than the phrase holds its last value
            before = np.pad(before, (0, count - len(before)), mode="edge")
        made[name] = _combine(name, before, overlays[name], OVERLAYS.get(name, 0.0))
        if name in RANGES:
            made[name] = clip(made[name], *RANGES[name])
    return made


def _combine(name: str, before: Floats, more: Floats, neutral: float) -> Floats:
    if name in LARGER:
        return np.maximum(before, more)
    return np.asarray(before * more if name in MULTIPLIED else before + (more - neutral))


# Effort on strokes: timing, path and flourishes


# Combined dials and their parameters over time, by the identity of what they were made from.
ParameterCache: TypeAlias = dict[tuple[tuple[int, float, int], ...], tuple[CombinedDials, dict[str, Values]]]


def strokes_and_flourishes(
    dials: Sequence[Dials],
    edges: Floats,
    time: Floats,
    model: EffortModel,
    random: np.random.Generator | None,
    cache: ParameterCache,
    hangs: Bools | None = None,
) -> Track:
    """``STROKES`` of each stroke ``(S,)`` between ``edges (S + 1,)``, and ``OVERLAYS`` over time.

    What may vary within a stroke follows the dials' curve; timing, duration and tension take its mean over the stroke.
    ``cache`` is shared by the parts of one phrase; ``hangs (S,)`` are strokes that end in a hanging arm.
    """
    combined, parameters = _parameters(dials, time, model, cache)
    strokes: dict[str, Values] = {name: parameters[name] for name in STROKES}
    if not combined.steady:
        means = movement_parameters(stroke_means(np.stack(combined.factors, axis=1), edges, time), model)
        strokes = {name: means[name] for name in STROKES}
    gain = stroke_means(combined.gain, edges, time)
    strokes["duration"] = strokes["duration"] ** gain / stroke_means(tempo_product(dials), edges, time)
    flourishes = _flourishes(combined, parameters, any(dial.hands for dial in dials))
    _apply_overrides(dials, edges, time, strokes, flourishes)
    count = len(edges) - 1
    if random is not None:
        strokes["duration"] = strokes["duration"] * np.exp(DURATION_VARIATION * random.standard_normal(count))
        for name in AMPLITUDES:
            deviation = float(np.clip(random.standard_normal(), -2.0, 2.0))
            flourishes[name] = flourishes[name] * (1.0 + AMPLITUDE_VARIATION * deviation)
    table = np.empty((len(strokes), count))
    for row, value in zip(table, strokes.values(), strict=True):
        row[:] = value
    rows = dict(zip(strokes, table, strict=True))
    rows["duration"] = clip(rows["duration"], *RANGES["duration"])
    if hangs is not None:
        rows["overshoot"][hangs] *= HANGING_OVERSHOOT
    return Track(strokes=rows, overlays={name: np.asarray(value) for name, value in flourishes.items()})


def parameters_of(dials: Sequence[Dials], time: Floats, model: EffortModel, cache: ParameterCache) -> dict[str, Values]:
    """Movement parameters over time of a part's dials."""
    return _parameters(dials, time, model, cache)[1]


def _parameters(
    dials: Sequence[Dials], time: Floats, model: EffortModel, cache: ParameterCache
) -> tuple[CombinedDials, dict[str, Values]]:
    """The combined dials, and their movement parameters over time; computed once for parts with the same dials."""
    key = tuple((id(dial.effort), dial.intensity, id(dial.strength)) for dial in dials)
    if key not in cache:
        combined = combine_dials(dials, "effort", time)
        parameters = (
            movement_parameters_of(combined.factors, model)
            if combined.steady
            else movement_parameters(np.stack(combined.factors, axis=1), model)
        )
        cache[key] = combined, parameters
    return cache[key]


def _flourishes(combined: CombinedDials, parameters: dict[str, Values], hands: bool) -> dict[str, Values]:
    flourishes = {name: parameters[name] for name in OVERLAYS if name in parameters}
    _, weight, _, flow = combined.factors
    flourishes["loose"] = 1.0 - FREE_DRAG * _minimum(flow, 0.0) - BOUND_STIFFNESS * _maximum(flow, 0.0)
    if hands:
        flourishes |= {"fist": FIST * _maximum(weight, 0.0), "open": -OPEN * _minimum(weight, 0.0)}
    for name in (*AMPLITUDES, "flexed_angle"):
        flourishes[name] = flourishes[name] * np.minimum(combined.gain, MOST_GAIN)
    if not any(np.any(flourishes[name]) for name in TWISTS):
        flourishes["wave_rate"] = 0.0
    for name, most in LARGEST.items():
        flourishes[name] = _minimum(flourishes[name], _maximum(parameters[name], most))
    return flourishes


def _apply_overrides(
    dials: Sequence[Dials], edges: Floats, time: Floats, strokes: dict[str, Values], flourishes: dict[str, Values]
) -> None:
    """Blend in parameters that are set by hand, as far as their edits hold."""
    for dial in dials:
        for name, rows in parameter_overrides(dial.effort, time).items():
            if name in strokes:
                value, share = (stroke_means(row, edges, time) for row in _override(rows, dial))
                strokes[name] = strokes[name] + share * (value - strokes[name])
            elif name in flourishes:
                flourishes[name] = _replaced(flourishes[name], rows, dial)


def _override(rows: tuple[Floats, Floats], dial: Dials) -> tuple[Values, Values]:
    """A value set by hand, and the share in which it replaces the computed one."""
    value, share = (float(row[0]) if len(row) == 1 else row for row in rows)
    share = share * min(dial.intensity, 1.0)
    return value, share if dial.strength is None else share * dial.strength


def _replaced(computed: Values, rows: tuple[Floats, Floats], dial: Dials) -> Values:
    value, share = _override(rows, dial)
    return computed + share * (value - computed)


# Of a number or an array; NumPy's functions take long for single numbers.


def _minimum(values: Values, most: Values) -> Values:
    return min(values, most) if isinstance(values, float) else np.minimum(values, most)


def _maximum(values: Values, least: float) -> Values:
    return max(values, least) if isinstance(values, float) else np.maximum(values, least)
