"""From Effort to movement parameters: the equations, for any number of Efforts at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.laban.effort_model import EffortModel
from kinesphere.motion.gesture import unknown


@dataclass(frozen=True)
class Movement:
    """Low-level parameters of one stroke, or arrays of them for many.

    Attributes
    ----------
    tension
        Of the path: −1 round, 1 straight.
    inflection, anticipation, overshoot, time_exponent
        Of the timing; see :func:`kinesphere.kernels.timing.progress`.
    duration
        What the stroke's time is multiplied by.
    end_effector, joint_angle, elbow_position
        Shares of the three spaces that a path is interpolated in; together 1.
    squash, breath, limb_volume
        How far the body squashes and stretches, contracts before the goal, and the upper arm swells.
    wrist_bend, wrist_extension, flexed, flexed_angle
        How far the wrist bends along the stroke, how much of that outwards, and the share that keeps it bent.
    wrist_twist, wrist_frequency, elbow_twist, elbow_frequency
        Turns of forearm and elbow, in radians, and how many half waves a stroke has.
    displacement
        Of the elbow's angle, as a share of it.
    """

    tension: Floats
    inflection: Floats
    anticipation: Floats
    overshoot: Floats
    time_exponent: Floats
    duration: Floats
    end_effector: Floats
    joint_angle: Floats
    elbow_position: Floats
    squash: Floats
    breath: Floats
    limb_volume: Floats
    wrist_bend: Floats
    wrist_extension: Floats
    flexed: Floats
    flexed_angle: Floats
    wrist_twist: Floats
    wrist_frequency: Floats
    elbow_twist: Floats
    elbow_frequency: Floats
    displacement: Floats

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(entry.name for entry in fields(cls))


# What a parameter set by hand may be.
RANGES: Mapping[str, tuple[float, float]] = {
    "tension": (-1.0, 1.0),
    "inflection": (0.02, 0.98),
    "anticipation": (0.0, 0.5),
    "overshoot": (0.0, 0.5),
    "time_exponent": (0.05, 5.0),
    "duration": (0.05, 20.0),
    "end_effector": (0.0, 1.0),
    "joint_angle": (0.0, 1.0),
    "elbow_position": (0.0, 1.0),
    "squash": (-0.5, 0.5),
    "breath": (0.0, 2.0),
    "limb_volume": (0.0, 1.0),
    "wrist_bend": (-2.0, 2.0),
    "wrist_extension": (-2.0, 2.0),
    "flexed": (0.0, 1.0),
    "flexed_angle": (-1.5, 1.5),
    "wrist_twist": (-2.0, 2.0),
    "wrist_frequency": (0.0, 20.0),
    "elbow_twist": (-2.0, 2.0),
    "elbow_frequency": (0.0, 20.0),
    "displacement": (-1.0, 1.0),
}


def movement(factors: Floats, model: EffortModel) -> dict[str, Floats]:
    """Parameters by name, each ``(...)``, of Efforts ``(..., 4)``: space, weight, time, flow."""
    low, high = np.maximum(-factors, 0.0), np.maximum(factors, 0.0)
    ends = [low[..., i] for i in range(4)], [high[..., i] for i in range(4)]
    return _equations(*ends, model.coefficients, np.minimum, np.maximum)


def movement_of(factors: Sequence[float], model: EffortModel) -> dict[str, float]:
    """The same of one Effort, in plain numbers, for which NumPy takes its time."""
    low, high = [max(-value, 0.0) for value in factors], [max(value, 0.0) for value in factors]
    return _equations(low, high, model.coefficients, min, max)


def _equations(
    low: Sequence[Any], high: Sequence[Any], c: Mapping[str, float], f: Callable[..., Any], more: Callable[..., Any]
) -> dict[str, Any]:
    """Of how much there is of each factor's ends, numbers or arrays of them, with the lesser and the larger of two."""
    ind, lgt, sus, fre = low
    direct, strong, sud, bnd = high
    inflection = (
        c["inflection.neutral"]
        + c["inflection.fighting"] * more(strong, sud)
        + c["inflection.indulging"] * more(lgt, sus)
        + c["inflection.bound_and_light"] * f(bnd, lgt)
    )
    inflection = f(more(inflection, c["inflection.least"]), c["inflection.most"])
    overshoot = more(
        c["overshoot.indulging"] * more(lgt, sus),
        c["overshoot.free"] * fre + c["overshoot.indirect_and_free"] * f(ind, fre),
    )
    slowing = more(
        strong,
        c["time_exponent.direct_plus_sustained"] * (direct + sus)
        + c["time_exponent.direct_and_sustained"] * f(direct, sus),
    )
    exponent = (
        c["time_exponent.neutral"]
        + c["time_exponent.sudden"] * sud
        + c["time_exponent.strong_and_sudden"] * f(strong, sud)
        + c["time_exponent.free_and_sudden"] * f(fre, sud)
        + c["time_exponent.slowing"] * slowing
        + c["time_exponent.free"] * fre
        + c["time_exponent.indirect_and_free"] * f(ind, fre)
    )
    longer = more(c["duration.sustained"] * sus, c["duration.bound"] * bnd) - c["duration.sudden"] * sud
    values = {
        "tension": c["tension.indirect"] * ind
        + c["tension.indirect_and_free"] * f(ind, fre)
        + c["tension.direct"] * direct,
        "inflection": inflection,
        "anticipation": c["anticipation.strong"] * strong
        - more(
            c["anticipation.sustained_and_strong"] * f(sus, strong), c["anticipation.free_and_strong"] * f(fre, strong)
        ),
        "overshoot": f(overshoot, c["overshoot.most"] * inflection),
        "time_exponent": more(exponent, c["time_exponent.least"]),
        "duration": c["duration.base"] ** longer,
        "squash": more(c["squash.light"] * lgt, c["squash.free"] * fre),
        "breath": more(c["breath.strong"] * strong - c["breath.free"] * fre, 0.0),
        "limb_volume": c["limb_volume.strong"] * strong,
        "wrist_bend": more(
            more(c["wrist_bend.indirect"] * ind, c["wrist_bend.light"] * lgt), c["wrist_bend.free"] * fre
        ),
        "wrist_extension": c["wrist_extension.light"] * lgt
        + c["wrist_extension.free"] * fre
        + c["wrist_extension.strong_and_free"] * f(strong, fre),
        "flexed": f(
            more(more(c["flexed.bound"] * bnd, c["flexed.strong"] * strong - c["flexed.free"] * fre), 0.0), 1.0
        ),
        "flexed_angle": c["flexed.angle"] + 0.0 * ind,
        "wrist_twist": c["wrist_twist.indirect"] * ind,
        "wrist_frequency": c["wrist_frequency.always"] + c["wrist_frequency.indirect"] * ind,
        "elbow_twist": c["elbow_twist.indirect"] * ind,
        "elbow_frequency": c["elbow_frequency.always"] + c["elbow_frequency.indirect"] * ind,
        "displacement": c["displacement.indirect"] * ind,
    }
    shares = c["interpolation.indirect"] * ind, c["interpolation.free"] * fre, c["interpolation.direct"] * direct
    return values | _spaces(*shares, c["interpolation.nearest"], more)


def _spaces(elbow: Any, joint: Any, end: Any, nearest: float, more: Callable[..., Any]) -> dict[str, Any]:
    """Shares of the three spaces: blended by magnitude, or as printed the nearest extreme's alone."""
    total = elbow + joint + more(end, 1.0 - elbow - joint)
    elbow, joint = elbow / total, joint / total
    if nearest > 0.0:
        first = (elbow > 0.0) & (elbow >= joint)
        second = (joint > 0.0) & (elbow < joint)
        elbow, joint = (1.0 - nearest) * elbow + nearest * first, (1.0 - nearest) * joint + nearest * second
    return {"end_effector": 1.0 - elbow - joint, "joint_angle": joint, "elbow_position": elbow}


def check_by_hand(by_hand: Mapping[str, float]) -> None:
    """Refuse parameters that don't exist, or that cannot be."""
    for name, value in by_hand.items():
        if name not in RANGES:
            raise ValueError(unknown("movement parameter", name, Movement.names()))
        least, most = RANGES[name]
        if not least <= value <= most:  # NaN too
            raise ValueError(f"{name} is {value!r}; {least:g} to {most:g} is allowed")
