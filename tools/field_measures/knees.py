"""Knees: how fast they bend and stretch on other bodies, beside the capture's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import kinesphere
from kinesphere import Character, Motion, Skeleton

ORDER = 8
Floats = npt.NDArray[np.float64]

HUMAN_LEGS = (0.5, 1.1)  # metres of thigh and shin
STEP = 1.0 / 60.0  # seconds over which a speed is measured
AROUND = 0.1  # seconds to each side in which the capture may be as fast
QUICK = 120.0  # degrees a second: slower knees are no snap, whatever the ratio
SIDES = ("left", "right")


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Greatest knee speeds of each leg on each body, on the capture, and by how much a moment is faster than that."""
    numbers: dict[str, float] = {}
    source = _with_roles(motion)
    own = {side: knee_speed(source, side) for side in SIDES}
    for name, body in (*characters.items(), ("figure", kinesphere.figure())):
        if not HUMAN_LEGS[0] < _leg_length(body.skeleton) < HUMAN_LEGS[1]:
            continue
        onto = kinesphere.retarget(motion, body)
        for side in SIDES:
            speed, leg = knee_speed(onto, side), f"{name} {side}"
            nearby = _around(own[side], AROUND, motion.rate)
            at = int(np.argmax(speed - nearby))
            numbers[f"{leg}: source"], numbers[f"{leg}: target"] = float(own[side].max()), float(speed.max())
            numbers[f"{leg}: excess"] = float(speed[at] - nearby[at])
            numbers[f"{leg}: excess frame"] = float(at + motion.performed_frames[0])
    return numbers


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """How many legs are more than twice as fast as the capture's, and the worst of them."""
    legs = [
        (clip, key.removesuffix(": target"), numbers[key.replace(": target", ": source")], value)
        for clip, numbers in rows.items()
        for key, value in numbers.items()
        if key.endswith(": target")
    ]
    snaps = [leg for leg in legs if leg[3] > max(2.0 * leg[2], QUICK)]
    excess = np.array([v for numbers in rows.values() for key, v in numbers.items() if key.endswith(": excess")])
    clip, leg, source, target = max(legs, key=lambda leg: leg[3] / max(leg[2], 0.5 * QUICK))
    quicker = int((excess > QUICK).sum())
    return (
        f"knees more than twice as fast as captured in {len(snaps)} of {len(legs)} legs "
        f"(by more than {QUICK:.0f} °/s at some moment in {quicker}, median {np.median(excess):.0f} °/s); "
        f"worst {source:.0f} → {target:.0f} °/s ({clip} on {leg})"
    )


def knee_angle(motion: Motion, side: str) -> Floats:
    """Flexion ``(T,)`` of a knee in degrees over performed frames."""
    roles, places = motion.skeleton.roles, motion.positions_world()[motion.performed_frames]
    hip, knee, ankle = (places[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    sine = np.linalg.norm(np.cross(knee - hip, ankle - knee), axis=1)
    return np.asarray(np.degrees(np.arctan2(sine, np.sum((knee - hip) * (ankle - knee), axis=1))))


def knee_speed(motion: Motion, side: str) -> Floats:
    """Degrees a second of a knee, from frames about ``STEP`` apart."""
    angle = knee_angle(motion, side)
    step = min(max(round(STEP * motion.rate), 1), len(angle) - 1)
    return np.asarray(np.abs(angle[step:] - angle[:-step]) * motion.rate / step)


def _with_roles(motion: Motion) -> Motion:
    from dataclasses import replace

    roles: Any = motion.skeleton.roles or kinesphere.find_roles(motion.skeleton).roles
    return replace(motion, skeleton=replace(motion.skeleton, roles=dict(roles)))


def _leg_length(skeleton: Skeleton) -> float:
    roles: Any = skeleton.roles or kinesphere.find_roles(skeleton).roles
    places = skeleton.rest_world()[1]
    hip, knee, ankle = (places[roles[f"left{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))


def _around(values: Floats, seconds: float, rate: float) -> Floats:
    """The greatest of values ``(T,)`` within so many seconds to each side."""
    half = max(round(seconds * rate), 1)
    padded = np.pad(values, half, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).max(axis=-1))
