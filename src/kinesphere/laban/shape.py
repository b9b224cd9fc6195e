"""Laban Shape: how a body opens and closes, on arms and torso (Chi 1999; EMOTE 2000).

On the arms, each dimension has an ellipse through the key, in the plane parallel to its own, centred on the shoulder.
Shape rotates the key along it towards one end of the long axis: spreading to the side, rising straight up, advancing
straight ahead; the three displacements add. A key at the other end could be rotated in either direction: there it is
pulled along the axis instead, so that nothing jumps. Ours: the ratio of radii and the largest angle, which are not
printed; the pull, and the soft approach to an end and to the arm's reach. On the torso, each attitude adds to channels.
Distances are in metres of the figure, whose arms are as long as the body's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.proportions import LEG
from kinesphere.laban.effort import Effort
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope

if TYPE_CHECKING:
    from kinesphere.laban.expression import Expression

# Dimension to the words at its two ends, −1 and 1.
DIMENSIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "horizontal": ("spreading", "enclosing"),
        "vertical": ("rising", "sinking"),
        "sagittal": ("advancing", "retreating"),
        "reach": ("near", "far"),
    }
)


@phrase_edit("shape")
@document(frozen=True)
class Shape(ExpressiveEdit):
    """Laban Shape: how arms and torso open and close in a gesture.

    Four dimensions from −1 to 1; 0 is neutral.

    Parameters
    ----------
    horizontal
        Spreading … enclosing.
    vertical
        Rising … sinking.
    sagittal
        Advancing … retreating.
    reach
        Near … far: the arms' reach space.
    """

    horizontal: Annotated[float, dial(-1, 1, "Opening to the sides, or closing.", *DIMENSIONS["horizontal"])] = 0.0
    vertical: Annotated[float, dial(-1, 1, "Up, or down.", *DIMENSIONS["vertical"])] = 0.0
    sagittal: Annotated[float, dial(-1, 1, "Forward, or back.", *DIMENSIONS["sagittal"])] = 0.0
    reach: Annotated[float, dial(-1, 1, "How far from the body the hands go.", *DIMENSIONS["reach"])] = 0.0

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Horizontal, vertical, sagittal, reach."""
        return self.horizontal, self.vertical, self.sagittal, self.reach

    @property
    def factors(self) -> Floats:
        """``(4,)`` horizontal, vertical, sagittal, reach."""
        return np.array(self.numbers)

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.factors.any()

    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What it asks of a phrase."""
        from kinesphere.laban.expression import Expression as Asked

        return Asked.of_dials(phrase, scope, shape=self)


AFFINITY = 0.5  # of an Effort factor that its Shape takes


def affine_shape(effort: Effort) -> Shape:
    """The Shape that goes with an Effort: indirect spreads, light rises, sustained advances, and their opposites."""
    return Shape(AFFINITY * effort.space, AFFINITY * effort.weight, AFFINITY * effort.time)


# Arms: keys on ellipses about the shoulder


RATIO = 1.5  # of the ellipses' radii
LARGEST_ROTATION = math.radians(34.0)  # along an ellipse at full Shape
REACH_SCALE = 0.22  # of its distance from the middle that a key moves at full reach
MIDDLE = (-0.17, -0.42, 0.0)  # the body's centre of mass from the shoulder: out, up, ahead
LONGEST = 0.5435  # metres from the shoulder beyond which Shape puts no key


class KeyRotation(NamedTuple):
    """The numbers above, as the loop over keys takes them."""

    ratio: float
    largest_rotation: float
    reach_scale: float
    middle: Floats  # (3,)


KEY_ROTATION = KeyRotation(RATIO, LARGEST_ROTATION, REACH_SCALE, np.array(MIDDLE))


def rotate_keys(positions: Floats, factors: Floats) -> Floats:
    """Keys ``(K, 3)``, out, up and ahead of the shoulder, with Shape ``(K, 4)`` on them, whether in reach or not."""
    moved = np.empty(positions.shape)
    _native.shape.rotate_keys(positions, np.ascontiguousarray(factors), KEY_ROTATION, moved)
    return moved


def limit_reach(keys: Floats, written: Floats) -> None:
    """Move keys ``(K, 3)`` in place into the arm's reach, softly. They may stay as far out as ``written (K, 3)``."""
    _native.shape.limit_reach(keys, written, LONGEST)


# Torso: what each attitude adds to channels


# At full Shape. Angles in degrees, the hips' offsets in leg lengths; signs as in ``CHANNELS``.
# A straight spine cannot grow: rising lifts the heels. Sinking lets the knees go.
ATTITUDES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "spreading": {
            "clavicle.forward": -13.0,
            "clavicle.raise": 2.0,
            "torso.forward": -4.0,
            "hips.lean": -1.5,
            "head.nod": -2.0,
        },
        "enclosing": {
            "clavicle.forward": 15.0,
            "clavicle.raise": 3.0,
            "torso.forward": 8.0,
            "hips.lean": 1.5,
            "head.nod": 4.0,
        },
        "rising": {
            "torso.forward": -5.0,
            "head.nod": -7.0,
            "clavicle.raise": 6.0,
            "clavicle.forward": -3.0,
            "hips.y": 0.026 / LEG,
            "foot.peel": 13.0,
            "torso.breath": 0.6,
        },
        "sinking": {
            "torso.forward": 27.0,
            "head.nod": 17.0,
            "clavicle.raise": -4.0,
            "clavicle.forward": 8.0,
            "hips.y": -0.016 / LEG,
            "hips.lean": -8.0,
        },
        "advancing": {
            "hips.z": 0.045 / LEG,
            "hips.lean": 5.0,
            "torso.forward": 6.0,
            "head.nod": -5.0,
            "clavicle.forward": 3.0,
        },
        "retreating": {
            "hips.z": -0.040 / LEG,
            "hips.lean": -5.0,
            "torso.forward": -5.0,
            "head.nod": 5.0,
            "clavicle.forward": -2.0,
        },
    }
)
BEND_ALONE, LARGEST_BEND = 27.0, 34.0  # degrees forward: of one attitude alone, and of all together at most
_ENDS = (("spreading", "enclosing"), ("rising", "sinking"), ("advancing", "retreating"))
_SIDED = ("clavicle", "foot")
_CLAVICLES = tuple(f"{side}.clavicle.{angle}" for side in ("left", "right") for angle in ("raise", "forward"))
_LENGTHS = ("hips.x", "hips.y", "hips.z", "torso.breath")


def torso_channels(factors: Floats, gain: Floats) -> dict[str, Floats]:
    """What Shape ``(..., 4)`` adds to channels, each ``(...)``, multiplied by ``gain (...)``.

    Clavicles are not multiplied: drawn back further, they would narrow the chest that is to spread.
    """
    columns: list[Any] = factors.tolist() if factors.ndim == 1 else [factors[..., i] for i in range(3)]
    scale: Any = float(gain) if factors.ndim == 1 else gain  # plain numbers are quicker than NumPy's
    total: dict[str, Any] = {}
    for (low, high), factor in zip(_ENDS, columns, strict=False):
        for attitude, share in ((low, -factor), (high, factor)):
            share = max(share, 0.0) if isinstance(share, float) else np.maximum(share, 0.0)
            if not (share if isinstance(share, float) else share.any()):
                continue
            scaled = share * scale
            for channel, most in _CHANNELS[attitude]:
                value = most * (share if channel in _CLAVICLES else scaled)
                total[channel] = total[channel] + value if channel in total else value
    if "torso.forward" in total:
        total["torso.forward"] = _limit_bend(total["torso.forward"])
    return {name: np.asarray(values) for name, values in total.items()}


def _limit_bend(bend: Floats) -> Floats:
    """A torso's bend forward, which approaches its largest softly: beyond, the body would fold over its own arms."""
    room = np.radians(LARGEST_BEND - BEND_ALONE)
    over = np.maximum(bend - np.radians(BEND_ALONE), 0.0)
    return np.asarray(bend - over - room * np.expm1(-over / room))


def _channel_names(name: str) -> tuple[str, ...]:
    return (f"left.{name}", f"right.{name}") if name.split(".")[0] in _SIDED else (name,)


# Attitude to its channels and their values at full Shape, in radians, metres or shares.
_CHANNELS = {
    attitude: [
        (channel, most if name in _LENGTHS else float(np.radians(most)))
        for name, most in rows.items()
        for channel in _channel_names(name)
    ]
    for attitude, rows in ATTITUDES.items()
}
