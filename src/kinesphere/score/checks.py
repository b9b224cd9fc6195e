"""What is performed as it is asked for, and hardly meant so: it is said.

Of a gesture: keys that no arm gets to, that no hand is quick enough for, or that lie inside the body. Of a layer:
what a part cannot show, and moments that never come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.engine.batch import RATE
from kinesphere.engine.clocks import FASTEST
from kinesphere.engine.collision import Capsule, distance_outside
from kinesphere.engine.manner import leading_side
from kinesphere.engine.pose import figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.arm_shape import BODY
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.gesture import Gesture, Space
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_gesture
from kinesphere.score.layers import Express, Layer, express_of

SUPERHUMAN = 15.0  # metres a second on the mean: a pitcher's hand is faster, for a moment
DEEP = 0.08  # metres inside the volumes that hands keep off: in front, that is at the skin of trunk and face
SLACK = 0.5 / RATE  # seconds beyond a gesture's end of which nothing is said
# Those volumes, smaller by so much, as the chest sees them from the shoulder.
_INSIDES = {
    name: Capsule(np.array([start]), np.array([end]), wide - DEEP, deep - DEEP)
    for name, (start, end, wide, deep) in zip(("trunk", "head"), BODY, strict=False)
}
_LOW = np.min([np.minimum(v.start, v.end)[0] - (v.wide, v.wide, v.deep) for v in _INSIDES.values()], axis=0)
_HIGH = np.max([np.maximum(v.start, v.end)[0] + (v.wide, v.wide, v.deep) for v in _INSIDES.values()], axis=0)
_MIRRORED = np.array([-1.0, 1.0, 1.0])


class WithoutEffect(MotionFileWarning):
    """Something is asked for that does not show in this gesture, or not all of it."""


class ImplausibleKey(MotionFileWarning):
    """A key that no living hand goes to so: too quick, or inside the body. It is done all the same."""


Doubt: TypeAlias = tuple[str, type[Warning]]


@memoise_by_gesture
def check_gesture(gesture: Gesture) -> tuple[Doubt, ...]:
    """What is doubtful about its keys."""
    return tuple(doubt for side in SIDES for doubt in _of_arm(gesture, side))


def _of_arm(gesture: Gesture, side: str) -> Iterator[Doubt]:
    keys = gesture.arm(side)
    if keys is None:
        return
    hand = f"{gesture.name}: the {side} hand"
    rows = np.array([(key.frame, *key.position, key.space == Space.LOCAL) for key in keys.keys])
    times, places, local = rows[:, 0] / keys.rate, rows[:, 1:4], rows[:, 4] > 0.0
    yield from _out_of_reach(hand, side, times, places, local)
    yield from _too_quick(hand, times, places, local)
    yield from _inside(hand, side, times, places, local)


def _out_of_reach(hand: str, side: str, times: Floats, places: Floats, local: Bools) -> Iterator[Doubt]:
    limb = figure_limb(HEIGHT, side, "Arm")
    far = norms(places)
    for i in np.flatnonzero(local & ((far < limb.nearest - 1e-4) | (far > limb.reach + 1e-4))):
        goes = f"folds to {limb.nearest:.3f} m" if far[i] < limb.nearest else f"reaches {limb.reach:.3f} m"
        yield (
            f"{hand}'s key at {times[i]:g} s is {far[i]:.3f} m from the shoulder; an arm {goes}. It is approached as "
            "far as it goes",
            OutOfReach,
        )


def _too_quick(hand: str, times: Floats, places: Floats, local: Bools) -> Iterator[Doubt]:
    ways, lasts = norms(places[1:] - places[:-1]), times[1:] - times[:-1]
    quick = np.flatnonzero((ways > SUPERHUMAN * lasts) & (local[1:] == local[:-1]))
    if quick.size:
        i = quick[np.argmax(ways[quick] / lasts[quick])]
        yield (
            f"{hand}'s keys at {times[i]:g} and {times[i + 1]:g} s are {ways[i]:.2f} m apart, which is "
            f"{ways[i] / lasts[i]:.0f} m/s{_more(quick.size, 'stroke')}; no hand goes faster than {SUPERHUMAN:g} m/s "
            f"on the mean. It is done as written, as far as {RATE:g} frames a second show it (Effort makes no stroke "
            f"faster than {FASTEST:g} m/s); leave more time between the keys",
            ImplausibleKey,
        )


def _inside(hand: str, side: str, times: Floats, places: Floats, local: Bools) -> Iterator[Doubt]:
    out = places if side == "left" else places * _MIRRORED  # out, up, ahead
    near = np.flatnonzero(local & ((out > _LOW) & (out < _HIGH)).all(axis=1))
    for name, volume in _INSIDES.items() if near.size else ():
        keys = near[distance_outside(out[near], [volume]) <= 0.0]
        if keys.size:
            i, where = keys[0], ", ".join(f"{value:g}" for value in places[keys[0]])
            yield (
                f"{hand}'s key at {times[i]:g} s, ({where}) m from the shoulder, lies inside the {name}"
                f"{_more(keys.size, 'key')}. It is gone to as written, through the body; put it farther out or ahead",
                ImplausibleKey,
            )


def _more(count: int, what: str) -> str:
    return f" (and {count - 1} more such {what}{'s' if count > 2 else ''})" if count > 1 else ""


def check_layer(layer: Layer, gesture: Gesture) -> Iterator[Doubt]:
    """What of a layer does not show in this gesture."""
    for name, dial in _dials(express_of(layer)):
        if isinstance(dial, Mapping) and max(dial) > gesture.duration + SLACK:
            yield _never(name, dial, gesture)
    if layer.end is not None and layer.end > gesture.duration + SLACK:
        yield (
            f"{gesture.name}: a range ends at {layer.end:g} s; the gesture lasts from 0 to {gesture.duration:g} s of "
            "its own time. The range goes on to the gesture's end; leave its end out to say so",
            WithoutEffect,
        )
    if (
        (layer.parts is not None or express_of(layer).parts)
        and express_of(layer).intensity > 0.0
        and layer.strength > 0.0
    ):
        yield from _unmoved(layer, gesture)


def _unmoved(layer: Layer, gesture: Gesture) -> Iterator[Doubt]:
    """Of parts that are asked for what they cannot show."""
    own, chosen = express_of(layer).parts, layer.parts
    arms = [side for side in SIDES if f"{side}_arm" in (own if chosen is None else chosen)]
    still = bool(arms) and all(gesture.arm(side) is None for side in arms)
    if still and not (chosen is None and all(_plain(own[f"{side}_arm"]) for side in arms)):
        names = " and ".join(f"{side}_arm" for side in arms)
        yield (
            f"{gesture.name}: what {names} is asked for does not show: Effort and Shape move hands that have keys, "
            "and there are none. Ask another part, or write keys for the hand",
            WithoutEffect,
        )
    lead = leading_side(gesture) if _asks_torso(layer) else None
    if lead is not None and _apart(layer, f"{lead}_arm"):
        yield (
            f"{gesture.name}: the Effort that the torso is asked for does not show: where hands have keys the torso "
            f"goes by the {lead} arm's clock, and has its own only where they have none, as in the bow. Give the "
            f"torso Shape, or ask the {lead}_arm for the Effort",
            WithoutEffect,
        )


def _dials(edit: Express) -> Iterator[tuple[str, EffortDial | ShapeDial | None]]:
    yield "Effort", edit.effort
    yield "Shape", edit.shape
    for part in edit.parts.values():
        yield "Effort", part.effort
        yield "Shape", part.shape


def _never(name: str, dial: Mapping[float, Effort] | Mapping[float, Shape], gesture: Gesture) -> Doubt:
    """Of moments after the end."""
    late = sorted(moment for moment in dial if moment > gesture.duration + SLACK)
    said = ", ".join(f"{moment:g}" for moment in late)
    what = "is approached and not reached" if len(late) < len(dial) else "holds all the time"
    return (
        f"{gesture.name}: a phrase of {name} has moments that never come: {said} s; the gesture lasts from 0 to "
        f"{gesture.duration:g} s of its own time. What the first of them says {what}; write moments within that time",
        WithoutEffect,
    )


def _asks_torso(layer: Layer) -> bool:
    """Whether the torso is asked for an Effort that not all of the body is."""
    edit, chosen = express_of(layer), layer.parts
    if edit.affinities:  # then it shows as Shape
        return False
    if chosen is not None:
        return "torso" in chosen
    return "torso" in edit.parts and _effort(edit, "torso") != edit.effort


def _apart(layer: Layer, arm: str) -> bool:
    """Whether the arm that the torso goes by is not asked for that Effort."""
    edit = express_of(layer)
    torso = _effort(edit, "torso")
    if layer.parts is None or arm in layer.parts:
        return torso not in (edit.effort, _effort(edit, arm))
    word = edit.word
    shapeless = word is not None and word.shape.is_neutral and not word.effort.is_neutral
    return shapeless or not _neutral(torso)


def _effort(edit: Express, part: str) -> EffortDial:
    own = edit.parts.get(part, Part()).effort
    return edit.effort if own is None else own


def _plain(part: Part) -> bool:
    return _neutral(part.effort) and _neutral(part.shape)


def _neutral(dial: EffortDial | ShapeDial | None) -> bool:
    values = dial.values() if isinstance(dial, Mapping) else () if dial is None else (dial,)
    return all(value.is_neutral for value in values)
