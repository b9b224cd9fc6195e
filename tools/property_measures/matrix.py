"""Orthogonality: each property alone on some movements, and how far each measure then is from the plain performance.

Performances are compared at the same moments of the movement, which the clock of the edited one says; all but timing
is. Measures are means over time of differences with their sign where a sign means anything, so that what comes later
(succession) or goes there otherwise (envelopes) is no change of where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

import kinesphere
from kinesphere import Motion
from kinesphere.engine.generation import body_clock
from kinesphere.engine.recorded_hands import elbow_swivel
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import MovementProperty

SOURCES = ("point", "wave", "drink", "bow", "walk")
TREMOR = 0.04  # seconds of σ: what is quicker is tremor
LIKELY = 0.2  # seconds that a forearm is later: of lags that fit alike, the smaller one
ACTIVE = 0.1  # arm lengths above where it hangs, from which on a hand is doing something


def describe(own: MovementProperty) -> str:
    """The fields of a property that are not at their defaults."""
    plain = type(own)()
    rows = [(field.name, getattr(own, field.name)) for field in fields(own) if field.init]  # type: ignore[arg-type]
    shown = [(name, value) for name, value in rows if value != getattr(plain, name)]
    return ", ".join(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in shown)


@dataclass(frozen=True, eq=False)
class Seen:
    """A performance as it is measured, at moments of the movement."""

    motion: Motion
    times: Floats  # (N,) performed seconds of those moments

    @cached_property
    def poses(self) -> RecordedPoses:
        """Its joints in the world."""
        return RecordedPoses.of(self.motion)

    def at(self, rows: Floats) -> Floats:
        """Rows over frames ``(T, ...)`` at the moments."""
        frames = self.motion.times
        flat = rows.reshape(len(rows), -1)
        made = np.stack([np.interp(self.times, frames, column) for column in flat.T], axis=1)
        return np.asarray(made.reshape(len(self.times), *rows.shape[1:]))

    def place(self, role: str) -> Floats:
        """``(N, 3)`` of a joint in the world, in leg lengths."""
        return self.at(self.poses.position(role)) / self.poses.leg_length


def _angles(rows: Floats) -> Floats:
    """``(N, 3)`` degrees forward, to the left side, turned left, of rotations in the body's axes."""
    vectors = np.degrees(rotations.to_rotation_vector(rotations.continuous(rows)))
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def _trunk(seen: Seen) -> Floats:
    poses = seen.poses
    return seen.at(_angles(rotations.multiply(rotations.conjugate(poses.heading), poses.chest)))


def _head(seen: Seen) -> Floats:
    poses = seen.poses
    return seen.at(_angles(rotations.multiply(rotations.conjugate(poses.chest), poses.head)))


def _face(seen: Seen) -> Floats:
    poses = seen.poses
    return seen.at(_angles(rotations.multiply(rotations.conjugate(poses.heading), poses.head)))


def _pelvis(seen: Seen) -> Floats:
    poses = seen.poses
    return seen.at(_angles(rotations.multiply(rotations.conjugate(poses.heading), poses.pelvis)))


def _hand_distance(seen: Seen) -> Floats:
    """``(2,)`` mean distance of active hands from the line of the trunk, in arm lengths."""
    made = []
    for side in SIDES:
        wrist, active = seen.poses.wrist(side), seen.poses.wrist(side)[:, 1] > -0.9 + ACTIVE
        chest = wrist + np.array([0.35 if side == "left" else -0.35, 0.0, 0.0])
        away = np.hypot(chest[:, 0], chest[:, 2])
        made.append(float(away[active].mean()) if active.any() else float(away.mean()))
    return np.array(made)


def _hand_size(seen: Seen) -> float:
    return max(
        float(np.sqrt(((path - path.mean(axis=0)) ** 2).sum(axis=1).mean()))
        for path in (seen.poses.wrist(side) for side in SIDES)
    )


def _tremor(seen: Seen) -> float:
    rate = seen.motion.rate
    made = []
    for role in ("leftHand", "rightHand", "head"):
        path = seen.poses.position(role)
        made.append(float(norms(path - gaussian(path, TREMOR * rate, ends="reflect")).mean()))
    return 1000.0 * max(made)


def _speed_shape(seen: Seen) -> float:
    """How unevenly the quicker hand goes: its greatest speed over its mean one."""
    made = []
    for side in SIDES:
        speed = norms(np.diff(seen.poses.wrist(side), axis=0)) * seen.motion.rate
        made.append((float(speed.mean()), float(np.quantile(speed, 0.99) / max(speed.mean(), 1e-9))))
    return max(made)[1]


def _lag(seen: Seen) -> float:
    """Milliseconds that the moving hand's wrist turns later than its shoulder."""
    motion, made = seen.motion, []
    for side in SIDES:
        turned = [
            rotations.angle_between(motion.rotations[1:, joint], motion.rotations[:-1, joint])
            for joint in (seen.poses.body.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm"))
        ]
        made.append((float(turned[0].sum()), _later(turned[0], turned[1], motion.rate)))
    return 1000.0 * max(made)[1]


def _later(one: Floats, other: Floats, rate: float) -> float:
    one, other = (row - row.mean() for row in (one, other))
    found = np.correlate(other, one, mode="full")
    middle, reach = len(one) - 1, round(0.6 * rate)
    near = found[max(middle - reach, 0) : middle + reach + 1]
    lag = (np.arange(len(near)) - min(reach, middle)) / rate
    return float(lag[np.argmax(near * np.exp(-0.5 * (lag / LIKELY) ** 2))])  # waves have more than one that fits


class Measure(NamedTuple):
    """One column: from what it is, how little is nothing, and its unit."""

    name: str
    unit: str
    nothing: float
    change: Callable[[Seen, Seen], float]


def _most(values: Floats) -> float:
    return float(values[np.argmax(np.abs(values))])


def _mean_change(take: Callable[[Seen], Floats], column: int | None = None) -> Callable[[Seen, Seen], float]:
    def change(plain: Seen, edited: Seen) -> float:
        away = (take(edited) - take(plain)).mean(axis=0)
        return _most(np.atleast_1d(away)) if column is None else float(away[column])

    return change


def _elbows(seen: Seen) -> Floats:
    return seen.at(np.degrees(np.stack([elbow_swivel(seen.poses, side) for side in SIDES], axis=1)))


def _shoulders(seen: Seen) -> Floats:
    poses = seen.poses
    up = rotations.rotate(poses.chest, np.array([0.0, 1.0, 0.0]))
    away = [np.einsum("ti,ti->t", poses.position(f"{side}UpperArm") - poses.position("head"), up) for side in SIDES]
    return seen.at(np.stack(away, axis=1)) * (100.0 / poses.leg_length)


def _knees(seen: Seen) -> Floats:
    poses = seen.poses
    made = []
    for side in SIDES:
        hip, knee, ankle = (poses.position(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
        a, b = knee - hip, ankle - knee
        cosine = np.einsum("ti,ti->t", a, b) / np.maximum(norms(a) * norms(b), 1e-9)
        made.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return seen.at(np.stack(made, axis=1))


def _feet(plain: Seen, edited: Seen) -> float:
    """Millimetres of a person that ankles are elsewhere, where they stood: the median moment."""
    return max(
        float(np.median(norms(edited.place(f"{side}Foot") - plain.place(f"{side}Foot")))) * 850.0 for side in SIDES
    )


def _relative_times(plain: Seen, edited: Seen) -> float:
    """Percent that moments come at another share of the whole."""
    shares = [own.times / own.times[-1] for own in (plain, edited)]
    return 100.0 * float(np.abs(shares[1] - shares[0]).max())


MEASURES = (
    Measure("duration", "%", 1.0, lambda a, b: 100.0 * (b.motion.duration / a.motion.duration - 1.0)),
    Measure("rhythm", "%", 1.0, _relative_times),
    Measure("peak ÷ mean speed", "", 0.5, lambda a, b: _speed_shape(b) - _speed_shape(a)),
    Measure("forearm after shoulder", "ms", 35.0, lambda a, b: _lag(b) - _lag(a)),
    Measure("hands from trunk", "% arm", 1.5, lambda a, b: 100.0 * _most(_hand_distance(b) - _hand_distance(a))),
    Measure("size of hands' way", "%", 3.0, lambda a, b: 100.0 * (_hand_size(b) / _hand_size(a) - 1.0)),
    Measure("elbows out", "°", 2.0, _mean_change(_elbows)),
    Measure("shoulders up", "% leg", 0.5, _mean_change(_shoulders)),
    Measure("trunk forward", "°", 1.0, _mean_change(_trunk, 0)),
    Measure("trunk aside", "°", 1.0, _mean_change(_trunk, 1)),
    Measure("trunk turned", "°", 1.0, _mean_change(_trunk, 2)),
    Measure("pelvis turned or tilted", "°", 1.0, _mean_change(_pelvis)),
    Measure("head on chest", "°", 1.0, _mean_change(_head)),
    Measure("face", "°", 2.0, _mean_change(_face)),
    Measure("hips up", "% leg", 0.5, lambda a, b: 100.0 * float((b.place("hips") - a.place("hips"))[:, 1].mean())),
    Measure(
        "hips aside or ahead",
        "% leg",
        1.0,
        lambda a, b: 100.0 * _most((b.place("hips") - a.place("hips"))[:, [0, 2]].mean(axis=0)),
    ),
    Measure("knees bent", "°", 2.0, _mean_change(_knees)),
    Measure("feet elsewhere", "mm", 3.0, _feet),
    Measure("tremor", "mm", 0.3, lambda a, b: _tremor(b) - _tremor(a)),
)


def seen(phrase: Phrase, motion: Motion, count: int) -> Seen:
    """A performance at even moments of its movement."""
    clock = body_clock(phrase, motion.rate)
    own = np.linspace(0.0, phrase.duration, count)
    return Seen(motion, np.clip(clock(own), 0.0, motion.duration))


def changes(asked: MovementProperty, sources: tuple[str, ...] = SOURCES) -> dict[str, float]:
    """Measure to the greatest change of it, over some movements."""
    made: dict[str, float] = {}
    for name in sources:
        phrase = kinesphere.phrase_of(name)
        edited = asked.ask(phrase)
        count = round(phrase.duration * 60.0) + 1
        before, after = (seen(own, kinesphere.generate(own), count) for own in (phrase, edited))
        for measure in MEASURES:
            value = measure.change(before, after)
            if abs(value) >= abs(made.get(measure.name, 0.0)):
                made[measure.name] = value
    return made


# What a property is about, and why else it changes something. ``unexplained`` says what is missing here.
OWN = {
    "amplitude": {"size of hands' way", "hands from trunk", "elbows out"},
    "balance_shift": {"hips aside or ahead"},
    "balance_sway": {"hips aside or ahead"},
    "beauty_line": {"trunk aside", "pelvis turned or tilted", "hips aside or ahead", "shoulders up"},
    "carriage": {"trunk forward", "head on chest", "pelvis turned or tilted", "hips aside or ahead", "face"},
    "elbows": {"elbows out"},
    "envelope": {"peak ÷ mean speed"},
    "extent": {"hands from trunk", "size of hands' way"},
    "footing": {"feet elsewhere", "knees bent"},
    "head_carriage": {"head on chest", "face"},
    "knees": {"knees bent", "hips up"},
    "posture": {"trunk forward", "head on chest", "shoulders up", "hips up", "face"},
    "reach": {"hands from trunk"},
    "shoulders": {"shoulders up"},
    "spine_curve": {"trunk forward", "trunk aside", "trunk turned", "head on chest", "face"},
    "succession": {"forearm after shoulder"},
    "tempo": {"duration"},
    "duration": {"duration"},
    "speed": {"duration", "peak ÷ mean speed", "rhythm"},
    "rhythm": {"rhythm"},
    "pause": {"duration", "rhythm"},
    "stop": {"duration", "rhythm"},
    "lean": {"trunk forward", "hips aside or ahead", "head on chest"},
    "gaze": {"head on chest", "face"},
    "tremble": {"tremor"},
    "incomplete": {"size of hands' way", "hands from trunk"},
    "touch": {"peak ÷ mean speed"},
    "arcs": {"size of hands' way"},
    "tension": {"size of hands' way", "shoulders up", "forearm after shoulder"},
    "hand_carriage": {"hands from trunk", "elbows out"},
    "gait": {"hips aside or ahead", "feet elsewhere", "hips up", "knees bent"},
}
LATER = "it is found by correlation: paths of another shape fit best at another lag"
SMALLER = "speeds are those of a larger or smaller way"
ARMS = "hands keep to the trunk that carries them, and elbows hang from there; what is held stays, so arms bend"
STANDS = "feet stay, so legs bend and hips go with the weight"
WHY: dict[str, dict[str, str]] = {
    "forearm after shoulder": {"*": LATER},
    "peak ÷ mean speed": {"*": SMALLER},
    "tremor": {"*": "it is what is left of quick movement: quicker or larger ways have more of it"},
    "rhythm": {"*": "strokes that would be too quick for a body are given more time"},
    "size of hands' way": {"*": ARMS},
    "hands from trunk": {"*": ARMS},
    "elbows out": {"*": ARMS},
    "shoulders up": {"*": "shoulders are measured against the head, which the spine moves"},
    "hips up": {"*": STANDS},
    "hips aside or ahead": {"*": STANDS},
    "knees bent": {"*": STANDS},
    "feet elsewhere": {"*": "hips leave the walk's line, and steps go with them"},
    "trunk forward": {"*": "the chest goes with spine and pelvis"},
    "trunk aside": {"*": "the chest goes with spine and pelvis"},
    "trunk turned": {"*": "the chest goes with spine and pelvis"},
    "head on chest": {"*": "the head looks where it looked, so it makes up for the trunk"},
    "face": {"*": "the head makes up for most of what the trunk does, not for all"},
    "pelvis turned or tilted": {"*": "hips lean as the weight goes"},
    "duration": {"composite": "a composite has the parts it has", "gait": "steps are as quick as their length asks"},
}
COMPOUND = frozenset({"composite", "gait", "mannerism"})  # which change what their fields say


def reason(name: str, measure: str) -> str | None:
    """Why a property changes something that it is not about; None: nobody has said."""
    if name in COMPOUND:
        return "it is made of several things, and its fields say which"
    return WHY.get(measure, {}).get(name) or WHY.get(measure, {}).get("*")


def typical(own: MovementProperty) -> MovementProperty:
    """A property as it is usually asked for: an example, at three fifths of the way where it is a dial."""
    shown = [field for field in fields(own) if field.init]  # type: ignore[arg-type]
    values = {field.name: getattr(own, field.name) for field in shown}
    plain = type(own)()
    for name, value in values.items():
        default = getattr(plain, name)
        if isinstance(value, float) and isinstance(default, float) and value != default:
            values[name] = round(default + 0.6 * (value - default), 3)
    return type(own)(**values)


class Row(NamedTuple):
    """One property at a typical value, and what it changes."""

    name: str
    fields: str
    changes: dict[str, float]

    def cells(self) -> list[str]:
        """Cells of the table."""
        small = (abs(self.changes[own.name]) < own.nothing for own in MEASURES)
        values = (f"{self.changes[own.name]:+.2g}" for own in MEASURES)
        return [
            "·" if nothing else f"**{value}**" if own.name in OWN.get(self.name, ()) else value
            for own, nothing, value in zip(MEASURES, small, values, strict=True)
        ]

    def beside(self) -> list[str]:
        """Measures that change though the property is not about them."""
        changed = [own.name for own in MEASURES if abs(self.changes[own.name]) >= own.nothing]
        return [name for name in changed if name not in OWN.get(self.name, ())]


def rows(asked: Mapping[str, MovementProperty]) -> list[Row]:
    """Properties at typical values, by name."""
    made = []
    for name, own in asked.items():
        usual = typical(own)
        made.append(Row(name, describe(usual), changes(usual)))
    return made


def unexplained(found: list[Row]) -> list[str]:
    """Changes that nobody has said a reason for, as ``property: measure``."""
    return [f"{row.name}: {name}" for row in found for name in row.beside() if reason(row.name, name) is None]


def page(found: list[Row]) -> str:
    """The page docs/property-matrix.md."""
    lines = [
        "# What else a property changes",
        "",
        "Each property alone, at a typical value, on "
        + ", ".join(SOURCES)
        + " of the figure: the greatest change of each",
        "measure over these, beside the plain performance, at the same moments of the movement. `·` is nothing:",
        "less than the measure's threshold. **Bold** is what the property is about. Why the rest changes, see below.",
        "",
        "This page is made by `python tools/measure_properties.py page`.",
        "",
        "| property | " + " | ".join(f"{i}" for i in range(1, len(MEASURES) + 1)) + " |",
        "|---|" + "---|" * len(MEASURES),
    ]
    lines += [f"| `{row.name}` {row.fields} | {' | '.join(row.cells())} |" for row in found]
    lines += ["", "| | measure | unit | less is nothing |", "|---|---|---|---|"]
    lines += [f"| {i} | {own.name} | {own.unit} | {own.nothing:g} |" for i, own in enumerate(MEASURES, 1)]
    lines += ["", "## Why", ""]
    for row in found:
        if beside := row.beside():
            told: dict[str, list[str]] = {}
            for name in beside:
                told.setdefault(reason(row.name, name) or "not explained", []).append(name)
            lines.append(f"- `{row.name}`: " + "; ".join(f"{', '.join(names)}: {why}" for why, names in told.items()))
    return "\n".join(lines) + "\n"


def report(asked: Mapping[str, MovementProperty]) -> str:
    """A table in Markdown: a row an example, a column a measure; what is nothing is a dot."""
    head = " | ".join(f"{own.name}{f', {own.unit}' if own.unit else ''}" for own in MEASURES)
    lines = [f"| property | {head} |", "|---|" + "---|" * len(MEASURES)]
    for name, own in asked.items():
        found = changes(own)
        cells = ("·" if abs(found[row.name]) < row.nothing else f"{found[row.name]:+.3g}" for row in MEASURES)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)
