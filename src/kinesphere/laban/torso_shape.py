"""Shape on the torso: what each attitude adds to a body's channels.

Each attitude (spreading, enclosing, …) has a largest value per channel; they add, weighted by magnitude (EMOTE 2000,
eqs. 25–26). The sources print no angles: these are ours, within human range.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.maths.vectors import Floats

# At full Shape. Angles in degrees, the hips' offsets in metres for a figure 1.70 m tall; signs as in ``CHANNELS``.
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
            "torso.forward": 27.0,
            "head.nod": 17.0,
            "clavicle.raise": -4.0,
            "clavicle.forward": 8.0,
            "hips.y": -0.016,
            "hips.lean": -8.0,
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


def _sided_names(name: str) -> tuple[str, ...]:
    return (f"left.{name}", f"right.{name}") if name.split(".")[0] in _SIDED else (name,)


# Attitude to its channels and their values at full Shape, in radians, metres or shares.
_CHANNELS = {
    attitude: [
        (channel, most if name in _LENGTHS else float(np.radians(most)))
        for name, most in rows.items()
        for channel in _sided_names(name)
    ]
    for attitude, rows in ATTITUDES.items()
}
