"""Phrase: what a movement means and how it is done, on one body. Everything that is generated is generated from one.

A phrase has a *track* for each part of the body (``PARTS``). A track has **keys** (where a hand goes, goal or via, in
which space), **curves** (channels of that part at times, see ``motion.gesture.CHANNELS``), **strokes** (one row of
parameters between two stops, see ``STROKES``) and **overlays** (numbers or curves over the phrase's own time, see
``OVERLAYS``, or what is added to a channel). All of these are neutral by default: a phrase of a gesture generates that
gesture. Phrase edits (Effort, Shape, words, movement properties) make another phrase of one.

Lengths are in limb lengths of the phrase's body: arms' keys in arm lengths, hips and steps in leg lengths; only keys in
the world are in metres. Times are seconds of the phrase's own time, whatever its strokes make of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.drive import Drive
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gait import GAIT_OVERLAYS, Gait
from kinesphere.motion.gesture import ANGLE, CHANNELS, MOST, Curve, Palm, Step
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import CARRIERS, Referent

if TYPE_CHECKING:
    from kinesphere.body.body import Body
    from kinesphere.engine.detail import Detail
    from kinesphere.motion.claim import Claim
    from kinesphere.motion.world_goal import WorldGoal

PARTS = ("left_arm", "right_arm", "torso", "head", "gaze", "hips", "left_leg", "right_leg", "hands")
SAMPLES = 60.0  # values a second of a curve over a phrase's own time
# Spaces of keys: from the shoulder in the chest's axes, fixed, or from one of ``CARRIERS`` that the hand goes with.
CHEST, WORLD = "chest", "world"
SLACK = 1e-9  # seconds
LARGEST_OVERLAY = 100.0  # of an arm's, in any unit
TRAVELS = ("hips.x", "hips.z", "hips.turn", "hips.heading")  # channels of who goes somewhere, and turns
FARTHEST = 1000.0  # leg lengths, or radians, of these

# Parameters of each stroke, with their neutral values. The inflection is the key's own unless given.
STROKES: Mapping[str, float] = MappingProxyType(
    {
        "tension": 0.0,
        "inflection": 0.5,
        "anticipation": 0.0,
        "overshoot": 0.0,
        "time_exponent": 1.0,
        "duration": 1.0,
        "evenness": 0.0,
        "hesitation": 0.0,
        "regularity": 0.0,
        "pass_speed": 0.0,
        "detour": 0.0,
    }
)
# What each of them may be: shares, factors, and what the equations of timing can do.
STROKE_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "tension": (-5.0, 5.0),
        "inflection": (0.01, 0.99),
        "anticipation": (0.0, 1.0),
        "overshoot": (0.0, 1.0),
        "time_exponent": (0.05, 20.0),
        "duration": (0.01, 100.0),
        "evenness": (0.0, 1.0),
        "hesitation": (0.0, 0.95),
        "regularity": (0.0, 1.0),
        "pass_speed": (0.0, 1.0),
        "detour": (-1.0, 1.0),
    }
)
# Parameters of an arm that may vary along a stroke, with their neutral values.
OVERLAYS: Mapping[str, float] = MappingProxyType(
    {
        "end_effector": 1.0,
        "joint_angle": 0.0,
        "elbow_position": 0.0,
        "squash": 0.0,
        "breath": 0.0,
        "limb_volume": 0.0,
        "wrist_bend": 0.0,
        "wrist_extension": 0.0,
        "wrist_range": 1.0,
        "flexed": 0.0,
        "flexed_angle": 0.6,
        "wrist_twist": 0.0,
        "wrist_frequency": 2.0,
        "elbow_twist": 0.0,
        "elbow_frequency": 2.0,
        "displacement": 0.0,
        "loose": 1.0,
        "trail": 0.0,
        "elbow_out": 0.0,
        "wave_rate": 0.0,
        "fist": 0.0,
        "open": 0.0,
    }
)


def neutral_overlay(name: str) -> float:
    """The value of an overlay that changes nothing: of an arm's, of a walk's, or of what is added to a channel."""
    return GAIT_OVERLAYS[name].neutral if name in GAIT_OVERLAYS else OVERLAYS.get(name, 0.0)


def part_of_channel(channel: str) -> str:
    """The part that a channel belongs to: ``torso.forward`` to the torso, ``left.clavicle.raise`` to the left arm."""
    first, _, rest = channel.partition(".")
    if first in SIDES:
        kind = rest.partition(".")[0]
        return {"arm": f"{first}_arm", "clavicle": f"{first}_arm", "hand": "hands", "foot": f"{first}_leg"}[kind]
    return "gaze" if first == "eyes" else first


# Of each part its channels, and the names that its overlays may have.
PART_CHANNELS = {part: {name: None for name in CHANNELS if part_of_channel(name) == part} for part in PARTS}
PART_OVERLAYS = {
    part: dict.fromkeys(OVERLAYS) | own if part.endswith("_arm") else own for part, own in PART_CHANNELS.items()
}
# And in a walk.
GAIT_PART_OVERLAYS = {
    part: own | {name: None for name, row in GAIT_OVERLAYS.items() if part == row.part or part.endswith(f"_{row.part}")}
    for part, own in PART_OVERLAYS.items()
}


@dataclass(frozen=True, eq=False)
class Keys:
    """K keys of a wrist.

    Attributes
    ----------
    times : (K,)
        Seconds, increasing.
    positions : (K, 3)
        In arm lengths from the shoulder, in the chest's axes: left, up, ahead; in the world in metres.
    swivels : (K,)
        Radians that the elbow is turned about the line from shoulder to wrist.
    goals : (K,)
        Whether the hand comes to rest there, rather than passing through.
    spaces
        ``"chest"``, ``"world"``, or one of ``CARRIERS``, a joint that the hand goes with: the position is then from
        that joint, in arm lengths to its left, up and ahead.
    inflections : (K,)
        When the stroke to each key is fastest, as a share of its duration.
    locked
        Whether keys keep their times whatever the strokes' durations.
    """

    times: Floats
    positions: Floats
    swivels: Floats
    goals: Bools
    spaces: tuple[str, ...]
    inflections: Floats
    locked: bool = False

    def __post_init__(self) -> None:
        for name in ("times", "positions", "swivels", "goals", "inflections"):
            kind = np.bool_ if name == "goals" else np.float64
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind))
        object.__setattr__(self, "spaces", tuple(self.spaces))
        count = len(self.times)
        if not count:
            raise ValueError("keys: one at least is needed")
        shapes = {"positions": (count, 3), "swivels": (count,), "goals": (count,), "inflections": (count,)}
        for name, shape in shapes.items():
            found = np.shape(getattr(self, name))
            if found != shape:
                raise ValueError(f"{name} of {count} keys has shape {found}; {shape} is expected")
        for name in ("times", "positions", "swivels", "inflections"):
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} of keys has a number that is not finite")
        if len(self.spaces) != count:
            raise ValueError(f"{len(self.spaces)} spaces for {count} keys; as many are expected")
        late = np.flatnonzero(np.diff(self.times) <= 0.0)
        if late.size:
            before, after = self.times[late[0]], self.times[late[0] + 1]
            raise ValueError(f"the key at {after:g} s follows the one at {before:g} s: times must increase")
        if not ((self.inflections > 0.0) & (self.inflections < 1.0)).all():
            raise ValueError("inflections must be above 0 and below 1, shares of a stroke's duration")

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        times = f"{self.times[0]:.4g} to {self.times[-1]:.4g} s"
        return f"<Keys: {count_of(len(self), 'key')}, {count_of(int(self.goals.sum()), 'goal')}, {times}>"

    @cached_property
    def stops(self) -> Bools:
        """``(K,)`` whether the hand rests at each key: at goals, and at the first and the last."""
        stops = np.array(self.goals, dtype=np.bool_)
        stops[[0, -1]] = True
        return stops


@dataclass(frozen=True, eq=False)
class Track:
    """One part of the body in a phrase.

    Attributes
    ----------
    keys
        Of an arm; None leaves it relaxed.
    curves
        Channel to its keys at times, in radians, shares, and leg lengths of the hips; channels that are left out rest.
    strokes
        Each of ``STROKES``: one number, or one per stroke ``(S,)``. Of an arm's strokes, or of the torso's, which are
        the whole body's where no hand has keys.
    overlays
        Each of ``OVERLAYS``, of a walk also of ``motion.gait.GAIT_OVERLAYS``, or a channel to what is added to it: one
        number, or a curve over the phrase's own time, ``SAMPLES`` values a second.
    placed : (K, 3)
        Where an edit has put an arm's keys; None: where they are.
    palms
        Directions of an arm's palm at some times.
    steps
        A leg's.
    """

    keys: Keys | None = None
    curves: Mapping[str, Curve] = field(default_factory=dict)
    strokes: Mapping[str, Floats] = field(default_factory=dict)
    overlays: Mapping[str, Floats] = field(default_factory=dict)
    placed: Floats | None = None
    palms: tuple[Palm, ...] = ()
    steps: tuple[Step, ...] = ()
    checked: object = field(default=None, init=False, repr=False)  # for which part, length and body it is right

    def __repr__(self) -> str:
        counted = [
            (0 if self.keys is None else len(self.keys), "key"),
            (len(self.curves), "curve"),
            (len(self.strokes), "stroke parameter"),
            (len(self.overlays), "overlay"),
            (len(self.palms), "palm"),
            (len(self.steps), "step"),
        ]
        return f"<Track: {', '.join(count_of(count, what) for count, what in counted if count) or 'at rest'}>"

    def stroke(self, name: str, count: int) -> Floats:
        """One value per stroke ``(S,)``."""
        value = np.asarray(self.strokes.get(name, STROKES[name]), dtype=np.float64)
        if value.shape not in ((), (count,)):
            rows = f"{len(value)} rows" if value.ndim == 1 else f"shape {value.shape}"
            raise ValueError(f"{name} has {rows} for {count} strokes; as many are expected, or one number")
        return np.full(count, value) if value.ndim == 0 else value.copy()

    def overlay(self, name: str) -> Floats:
        """One number ``()``, or a curve ``(N,)``."""
        return np.asarray(self.overlays.get(name, OVERLAYS[name]), dtype=np.float64)

    @cached_property
    def neutral(self) -> bool:
        """Whether it says nothing about how: strokes and overlays are neutral, and keys where they are written."""
        rows = [(value, STROKES[name]) for name, value in self.strokes.items()]
        rows += [(value, neutral_overlay(name)) for name, value in self.overlays.items()]
        return self.placed is None and all(np.all(value == neutral) for value, neutral in rows)


@dataclass(frozen=True, eq=False)
class Phrase:
    """What a movement means and how it is done, on one body.

    Attributes
    ----------
    body
        Whose; ``kinesphere.body.body_of``.
    duration
        Seconds of its own time.
    tracks
        Part to its track; see ``PARTS``.
    loop
        Whether its end goes over into its start.
    life, fidget
        Factors of breath and sway, and of fidgeting.
    seed
        Of sway and fidgeting; None: always the same.
    locked
        Whether all keys keep their times.
    drives
        Ways in which the whole body takes part in what the hands do; see ``engine.recruitment``.
    detail
        Of a recording: what ``generate`` alone leaves out; see ``engine.detail``.
    applied
        Edits that add up (Effort and Shape), and the phrase that they were applied to.
    gait
        What is walked, if it is a walk: then arms have no keys and legs no steps.
    referents
        What hands are marked to keep; targets in metres. What the phrase implies is found where it is generated.
    claims
        What movement properties ask for; see ``motion.claim``.
    goals
        Places in the world where hands are for some time, to a millimetre.
    """

    name: str
    body: Body
    duration: float
    tracks: Mapping[str, Track] = field(default_factory=dict)
    loop: bool = False
    life: float = 1.0
    fidget: float = 0.0
    seed: int | None = None
    locked: bool = False
    drives: tuple[Drive, ...] = ()
    detail: Detail | None = None
    applied: Applied | None = None
    gait: Gait | None = None
    referents: tuple[Referent, ...] = ()
    claims: tuple[Claim, ...] = ()
    goals: tuple[WorldGoal, ...] = ()

    def __post_init__(self) -> None:
        if not np.isfinite(self.duration) or self.duration <= 0.0:
            raise ValueError(f"duration {self.duration}: more than 0 s is expected")
        longest = round(self.duration * SAMPLES) + 1
        for part, track in self.tracks.items():
            if part not in PARTS:
                raise ValueError(unknown_name("part", part, PARTS))
            checked = part, longest, id(self.body), self.gait is None, self.detail is None
            if track.checked != checked:  # tracks that an edit leaves alone were checked before
                self._check_track(part, track, longest)
                object.__setattr__(track, "checked", checked)
        object.__setattr__(self, "tracks", MappingProxyType(dict(self.tracks)))

    def __repr__(self) -> str:
        """What it is of, how long it takes, which parts have a track, and how much is in them."""
        keys = [track.keys for track in self.tracks.values() if track.keys is not None]
        counted = [
            (sum(len(own) for own in keys), "key"),
            (sum(int(own.stops.sum()) - 1 for own in keys), "stroke"),
            (sum(len(track.steps) for track in self.tracks.values()), "step"),
            (len(self.referents), "referent"),
            (len(self.drives), "drive"),
            (len(self.claims), "claim"),
            (len(self.goals), "world goal"),
        ]
        told = [f"{self.duration:.4g} s", ", ".join(self.tracks) or "at rest"]
        told += [", ".join(count_of(count, what) for count, what in counted if count)]
        told += ["a walk"] * (self.gait is not None) + ["a loop"] * self.loop
        told += ["of a recording"] * (self.detail is not None)
        return f"<Phrase {self.name!r}: {'; '.join(filter(None, told))}>"

    def _check_track(self, part: str, track: Track, longest: int) -> None:
        for kind, given, known in (
            ("channel", track.curves, PART_CHANNELS[part]),
            ("stroke parameter", track.strokes, STROKES),
            (
                "overlay",
                track.overlays,
                (PART_OVERLAYS if self.gait is None and self.detail is None else GAIT_PART_OVERLAYS)[part],
            ),
        ):
            if not given.keys() <= known.keys():
                name = next(name for name in given if name not in known)
                raise ValueError(f"{part}: {unknown_name(kind, str(name), known)}")
        _check_belongings(part, track)
        if not _strokes_within(track.strokes):
            for name, values in track.strokes.items():
                _check_numbers(part, name, values, *STROKE_RANGES[name])
        for name, values in track.overlays.items():
            _check_numbers(part, name, values, *_overlay_range(name))
        for name, curve in track.curves.items():
            most = FARTHEST if name in TRAVELS else MOST[CHANNELS[name]]
            _check_numbers(part, name, curve.values, -most, most)
        for name, values in track.overlays.items():
            if np.ndim(values) and len(values) > longest:
                seconds = (len(values) - 1) / SAMPLES
                raise ValueError(
                    f"{part}: overlay {name} lasts {seconds:g} s; the phrase lasts {self.duration:g} s of its own time"
                )
        if self.gait is not None and (track.keys is not None or track.steps):
            found = "keys" if track.keys is not None else "steps"
            raise ValueError(f"{part}: found {found} in a walk, whose arms swing and whose feet go by its gait")
        if track.keys is not None:
            self._check_keys(part, track.keys)
            self._check_rows(part, track, track.keys)

    def _check_rows(self, part: str, track: Track, keys: Keys) -> None:
        count = max(int(keys.stops.sum()) - 1, 1)
        for name, values in track.strokes.items():
            if np.shape(values) in ((), (count,)):
                continue
            try:
                track.stroke(name, count)
            except ValueError as error:
                raise ValueError(f"{part}: {error}") from None
        if track.placed is not None and np.shape(track.placed) != np.shape(keys.positions):
            found, wanted = np.shape(track.placed), np.shape(keys.positions)
            raise ValueError(f"{part}: placed has shape {found}; {wanted} is expected, a row for each key")
        if track.placed is not None and not np.isfinite(track.placed).all():
            raise ValueError(f"{part}: placed has a number that is not finite")

    def _check_keys(self, part: str, keys: Keys) -> None:
        if not part.endswith("_arm"):
            raise ValueError(f"{part} has keys; arms have, other parts have curves")
        if keys.times[0] < -SLACK or keys.times[-1] > self.duration + SLACK:
            raise ValueError(f"{part}: keys outside of the phrase's 0 to {self.duration:g} s")
        known = (CHEST, WORLD, *(role for role in CARRIERS if role in self.body.roles))
        for space in keys.spaces:
            if space not in known:
                raise ValueError(f"{part}: {unknown_name('space', str(space), known)}")

    @property
    def is_shaped(self) -> bool:
        """Whether movement properties ask anything of it, or hands have goals in the world."""
        return bool(self.claims or self.goals)

    def track(self, part: str) -> Track:
        """The track of a part; a neutral one where there is none."""
        return self.tracks.get(part) or _REST

    def arm(self, side: str) -> Track:
        """The track of an arm."""
        return self.track(f"{side}_arm")

    @cached_property
    def original(self) -> Phrase:
        """The phrase without edits that add up; itself where other edits came after them."""
        if self.applied is None or not self._is_as_applied:
            return self
        without = self.applied.phrase
        own = {name: getattr(self, name) for name in _IDENTITY if getattr(self, name) != getattr(without, name)}
        return replace(without, **own) if own else without

    @property
    def applied_edits(self) -> tuple[Any, ...]:
        """Edits that add up, and that no other edit came after."""
        return () if self.applied is None or not self._is_as_applied else self.applied.edits

    @property
    def _is_as_applied(self) -> bool:
        if self.applied is None:
            return False
        made, before = self.applied.made, self.applied.phrase
        tracks: Mapping[str, Track] = made["tracks"]
        return (
            len(tracks) == len(self.tracks)
            and all(self.tracks.get(part) is own for part, own in tracks.items())
            and (self.life, self.fidget, self.locked) == (made["life"], made["fidget"], made["locked"])
            and self.drives is made["drives"]
            and (self.duration, self.loop) == (before.duration, before.loop)
            and self.body is before.body
            and self.gait is before.gait
        )

    @cached_property
    def added_channels(self) -> Mapping[str, Floats]:
        """What edits add to channels: one number each, or a curve over the phrase's own time."""
        return {n: v for track in self.tracks.values() for n, v in track.overlays.items() if n in CHANNELS}

    def with_tracks(self, tracks: Mapping[str, Track], **changed: Any) -> Phrase:
        """The same phrase with some tracks replaced."""
        return replace(self, tracks=dict(self.tracks) | dict(tracks), **changed)

    @cached_property
    def times(self) -> Floats:
        """``(N,)`` seconds at which curves over the phrase's own time have their values."""
        return np.asarray(np.arange(round(self.duration * SAMPLES) + 1) / SAMPLES)


def _strokes_within(strokes: Mapping[str, Floats]) -> bool:
    """Whether stroke parameters, rows of one length, are all within their ranges; false where they are no such rows."""
    if len({np.shape(values) for values in strokes.values()}) != 1:
        return False
    rows = np.array(list(strokes.values()), dtype=np.float64)
    if rows.ndim != 2:
        return False
    least, most = np.array([STROKE_RANGES[name] for name in strokes]).T[:, :, None]
    return bool(((rows >= least) & (rows <= most)).all())


def count_of(count: int, what: str) -> str:
    """``1 key``, ``2 keys``."""
    return f"{count} {what}{'s' * (count != 1)}"


@lru_cache(maxsize=256)
def _overlay_range(name: str) -> tuple[float, float]:
    """The least and the greatest value of an overlay."""
    if name in GAIT_OVERLAYS:
        return GAIT_OVERLAYS[name].least, GAIT_OVERLAYS[name].most
    most = LARGEST_OVERLAY if name in OVERLAYS else MOST[CHANNELS[name]]
    return -most, most


def _check_numbers(part: str, name: str, values: Any, least: float, most: float) -> None:
    """Refuse what is no number or row of finite numbers within a range."""
    if isinstance(values, float) and least <= values <= most:
        return
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim == 0 and least <= float(numbers) <= most:  # most are: plain numbers are quicker than arrays
        return
    if numbers.ndim == 1 and least <= np.minimum.reduce(numbers, initial=most) and numbers.max(initial=least) <= most:
        return  # NaN is not
    if numbers.ndim > 1:
        raise ValueError(f"{part}: {name} has shape {numbers.shape}; one number or one row of them is expected")
    wrong = ~((numbers >= least) & (numbers <= most))  # NaN too
    if wrong.any():
        found = float(numbers[wrong][0]) if numbers.ndim else float(numbers)
        unit = " radians" if CHANNELS.get(name) == ANGLE else ""
        raise ValueError(f"{part}: {name} is {found:g}; {least:.4g} to {most:.4g}{unit} is allowed")


def _check_belongings(part: str, track: Track) -> None:
    """Refuse what a part does not have: it would be lost without a word."""
    arm, leg = part.endswith("_arm"), part.endswith("_leg")
    for name, given, has, who in (
        ("strokes", track.strokes, arm or part == "torso", "arms and the torso have"),
        ("palms", track.palms, arm, "arms have"),
        ("steps", track.steps, leg, "legs have"),
        ("placed", track.placed is not None, track.keys is not None, "arms with keys have"),
    ):
        if given and not has:
            raise ValueError(f"{part}: found {name}, which {who}")


class Applied(NamedTuple):
    """Edits that add up before they saturate."""

    phrase: Phrase  # that they were applied to
    edits: tuple[Any, ...]
    made: Mapping[str, Any]  # fields of the phrase that they made: tracks, life, fidget, locked


_REST = Track()
_IDENTITY = (
    "name",
    "seed",
    "detail",
    "referents",
    "claims",
    "goals",
)  # fields that may change without what edits made of the phrase
