"""Shape on the torso: what each attitude adds to a body's channels."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from kinesphere.kernels.arrays import Floats

# At full Shape. Angles in degrees, the hips' places in metres for a figure 1.70 m tall; see ``CHANNELS`` for the signs.
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
            "hips.y": 0.026,
            "foot.peel": 13.0,
            "torso.breath": 0.6,
        },
        "sinking": {
            "torso.forward": 20.0,
            "head.nod": 14.0,
            "clavicle.raise": -3.0,
            "clavicle.forward": 8.0,
            "hips.y": -0.030,
            "hips.lean": 3.0,
        },
        "advancing": {
            "hips.z": 0.045,
            "hips.lean": 5.0,
            "torso.forward": 6.0,
            "head.nod": -5.0,
            "clavicle.forward": 3.0,
        },
        "retreating": {
            "hips.z": -0.040,
            "hips.lean": -5.0,
            "torso.forward": -5.0,
            "head.nod": 5.0,
            "clavicle.forward": -2.0,
        },
    }
)
_ENDS = (("spreading", "enclosing"), ("rising", "sinking"), ("advancing", "retreating"))
_SIDED = ("clavicle", "foot")
_LENGTHS = ("hips.x", "hips.y", "hips.z", "torso.breath")


def torso_channels(factors: Floats, gain: Floats) -> dict[str, Floats]:
    """What Shape ``(..., 4)`` adds to channels, each ``(...)``, amplitudes multiplied by ``gain (...)``."""
    total: dict[str, Floats] = {}
    for i, ends in enumerate(_ENDS):
        for attitude, share in zip(
            ends, (np.maximum(-factors[..., i], 0.0), np.maximum(factors[..., i], 0.0)), strict=True
        ):
            if not share.any():
                continue
            for name, most in ATTITUDES[attitude].items():
                value = most if name in _LENGTHS else float(np.radians(most))
                for channel in _channels(name):
                    total[channel] = total.get(channel, np.float64(0.0)) + value * share * gain
    return total


def _channels(name: str) -> tuple[str, ...]:
    return (f"left.{name}", f"right.{name}") if name.split(".")[0] in _SIDED else (name,)
