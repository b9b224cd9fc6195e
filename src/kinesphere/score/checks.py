"""Plausibility warnings: requests that are valid but probably mistakes. They are performed all the same.

Gestures: keys that are out of the arm's reach, too fast for a hand, or inside the body. Layers: dials that a part
cannot show, and moments after the gesture's end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from kinesphere.direction.express import Express
from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.engine.batch import RATE
from kinesphere.engine.capsules import HEAD, TRUNK, Capsule, signed_distance
from kinesphere.engine.clocks import FASTEST
from kinesphere.engine.pose import figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.gesture import Gesture, Space
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope

SUPERHUMAN = 15.0  # metres per second on the mean: a pitcher's hand is faster, for a moment
DEPTH = 0.08  # metres inside the capsules around trunk and head: in front, that is at the skin of trunk and face
SLACK = 0.5 / RATE  # seconds after a gesture's end that are not worth a warning
# Capsules of an upright body, relative to the shoulder in the chest's axes: ends of the axis (out, up, ahead), radii.
_UPRIGHT = {
    "trunk": ((-0.18, -0.50, 0.03), (-0.18, -0.02, 0.04), *TRUNK),
    "head": ((-0.18, 0.20, 0.07), (-0.18, 0.26, 0.07), *HEAD),
}
_INSIDES = {
    name: Capsule(np.array(start), np.array(end), wide - DEPTH, deep - DEPTH)
    for name, (start, end, wide, deep) in _UPRIGHT.items()
}
_LOW = np.min([np.minimum(v.start, v.end) - np.array([v.wide, v.wide, v.deep]) for v in _INSIDES.values()], axis=0)
_HIGH = np.max([np.maximum(v.start, v.end) + np.array([v.wide, v.wide, v.deep]) for v in _INSIDES.values()], axis=0)
_MIRROR = np.array([-1.0, 1.0, 1.0])


class WithoutEffect(MotionFileWarning):
    """Something is asked for that does not show in this gesture, or not all of it."""


class ImplausibleKey(MotionFileWarning):
    """A key that no living hand goes to so: too quick, or inside the body. It is done all the same."""


Finding: TypeAlias = tuple[str, type[Warning]]  # a message and its category


@memoised
def check_gesture(gesture: Gesture) -> tuple[Finding, ...]:
    """Warnings about a gesture's keys."""
    return tuple(finding for side in SIDES for finding in _check_arm(gesture, side))


def _check_arm(gesture: Gesture, side: str) -> Iterator[Finding]:
    keys = gesture.arm(side)
    if keys is None:
        return
    hand = f"{gesture.name}: the {side} hand"
    rows = np.array([(key.frame, *key.position, key.space == Space.LOCAL) for key in keys.keys])
    times, positions, local = rows[:, 0] / keys.rate, rows[:, 1:4], rows[:, 4] > 0.0
    yield from _check_reach(hand, side, times, positions, local)
    yield from _check_speed(hand, times, positions, local)
    yield from _check_inside(hand, side, times, positions, local)


def _check_reach(hand: str, side: str, times: Floats, positions: Floats, local: Bools) -> Iterator[Finding]:
    limb = figure_limb(HEIGHT, side, "Arm")
    far = norms(positions)
    for i in np.flatnonzero(local & ((far < limb.shortest_reach - 1e-4) | (far > limb.reach + 1e-4))):
        goes = (
            f"folds to {limb.shortest_reach:.3f} m" if far[i] < limb.shortest_reach else f"reaches {limb.reach:.3f} m"
        )
        yield (
            f"{hand}'s key at {times[i]:g} s is {far[i]:.3f} m from the shoulder; an arm {goes}. It is approached as "
            "far as it goes",
            OutOfReach,
        )


def _check_speed(hand: str, times: Floats, positions: Floats, local: Bools) -> Iterator[Finding]:
    distances, durations = norms(positions[1:] - positions[:-1]), times[1:] - times[:-1]
    quick = np.flatnonzero((distances > SUPERHUMAN * durations) & (local[1:] == local[:-1]))
    if quick.size:
        i = quick[np.argmax(distances[quick] / durations[quick])]
        yield (
            f"{hand}'s keys at {times[i]:g} and {times[i + 1]:g} s are {distances[i]:.2f} m apart, which is "
            f"{distances[i] / durations[i]:.0f} m/s{_more(quick.size, 'stroke')}; no hand goes faster than "
            f"{SUPERHUMAN:g} m/s on the mean. It is done as written, as far as {RATE:g} frames a second show it "
            f"(Effort makes no stroke faster than {FASTEST:g} m/s); leave more time between the keys",
            ImplausibleKey,
        )


def _check_inside(hand: str, side: str, times: Floats, positions: Floats, local: Bools) -> Iterator[Finding]:
    out = positions if side == "left" else positions * _MIRROR  # out, up, ahead
    near = np.flatnonzero(local & ((out > _LOW) & (out < _HIGH)).all(axis=1))
    for name, capsule in _INSIDES.items() if near.size else ():
        keys = near[signed_distance(out[near], capsule) <= 0.0]
        if keys.size:
            i, where = keys[0], ", ".join(f"{value:g}" for value in positions[keys[0]])
            yield (
                f"{hand}'s key at {times[i]:g} s, ({where}) m from the shoulder, lies inside the {name}"
                f"{_more(keys.size, 'key')}. It is gone to as written, through the body; put it farther out or ahead",
                ImplausibleKey,
            )


def _more(count: int, what: str) -> str:
    return f" (and {count - 1} more such {what}{'s' if count > 2 else ''})" if count > 1 else ""


def check_layer(edit: Express, scope: Scope, phrase: Phrase) -> Iterator[Finding]:
    """Warnings about what of a layer does not show in this gesture."""
    for name, dial in edit.dials:
        if isinstance(dial, Mapping) and max(dial) > phrase.duration + SLACK:
            yield _late_moments(name, dial, phrase)
    if scope.end is not None and scope.end > phrase.duration + SLACK:
        yield (
            f"{phrase.name}: a range ends at {scope.end:g} s; the gesture lasts from 0 to {phrase.duration:g} "
            "s of its own time. The range goes on to the gesture's end; leave its end out to say so",
            WithoutEffect,
        )
    if (scope.parts is not None or edit.of_parts) and edit.intensity > 0.0 and scope.strength > 0.0:
        yield from _check_parts(edit, scope, phrase)


def _check_parts(edit: Express, scope: Scope, phrase: Phrase) -> Iterator[Finding]:
    """Warnings about parts that are asked for what they cannot show."""
    own, chosen = edit.of_parts, scope.parts
    arms = [side for side in SIDES if f"{side}_arm" in (own if chosen is None else chosen)]
    without_keys = bool(arms) and phrase.gait is None and all(phrase.arm(side).keys is None for side in arms)
    if without_keys and not (chosen is None and all(_is_neutral_part(own[f"{side}_arm"]) for side in arms)):
        names = " and ".join(f"{side}_arm" for side in arms)
        yield (
            f"{phrase.name}: what {names} is asked for does not show: Effort and Shape move hands that have keys, "
            "and there are none. Ask another part, or write keys for the hand",
            WithoutEffect,
        )


def _late_moments(name: str, dial: Mapping[float, Effort] | Mapping[float, Shape], phrase: Phrase) -> Finding:
    """The warning about moments of a phrase after the gesture's end."""
    late = sorted(moment for moment in dial if moment > phrase.duration + SLACK)
    moments = ", ".join(f"{moment:g}" for moment in late)
    what = "is approached and not reached" if len(late) < len(dial) else "holds all the time"
    return (
        f"{phrase.name}: a phrase of {name} has moments that never come: {moments} s; the gesture lasts from 0 to "
        f"{phrase.duration:g} s of its own time. What the first of them says {what}; write moments within that time",
        WithoutEffect,
    )


def _is_neutral_part(part: Part) -> bool:
    return _is_neutral(part.effort) and _is_neutral(part.shape)


def _is_neutral(dial: EffortDial | ShapeDial | None) -> bool:
    values = dial.values() if isinstance(dial, Mapping) else () if dial is None else (dial,)
    return all(value.neutral for value in values)
