"""Planted feet: how much standing ankles jitter once a clip is smoothed, and what is left of noise and spikes."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from kinesphere import Character, Contacts, Motion, find_contacts
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.signals import Smooth

ORDER = 130
SHORTEST = 8  # frames of a contact that is measured
NOISE, SPIKE = np.radians(2.0), np.radians(70.0)  # added to all joints, and to shins for single frames
EVERY = 40  # frames between spikes
LONGEST = 20.0  # seconds


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Acceleration of standing ankles after and before, and of feet with noise and spikes, before and after."""
    clip = motion[max(motion.calibration_frames, default=-1) + 1 :][: round(LONGEST * motion.rate)]
    contacts = find_contacts(clip)
    before = _standing(clip, contacts)
    if not before > 0.0:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = {"ratio": _standing(Smooth(1.0)(clip), contacts) / before}
        broken = _broken(clip)
        made = Smooth(1.0)(broken)
    for name, one in (("clean", clip), ("broken", broken), ("smoothed", made)):
        numbers[name] = _acceleration(one)
    return numbers


def _ankles(motion: Motion) -> Floats:
    """``(T, 2, 3)`` paths of both ankles."""
    roles = motion.skeleton.with_found_roles().roles
    return np.asarray(motion.positions_world()[:, [roles["leftFoot"], roles["rightFoot"]]])


def _standing(motion: Motion, contacts: Contacts) -> float:
    """Root mean square of the ankles' accelerations while their heels, or soles, are in contact, in m/s²."""
    paths, found = _ankles(motion), []
    for contact in contacts.intervals:
        if contact.point != "ball" and contact.last + 1 - contact.first >= SHORTEST:
            path = paths[contact.first : contact.last + 1, int(contact.side == "right")]
            found.append((np.diff(path, 2, axis=0) ** 2).sum(axis=-1))
    return float(np.sqrt(np.concatenate(found).mean()) * motion.rate**2) if found else 0.0


def _acceleration(motion: Motion) -> float:
    """Root mean square of both ankles' accelerations, in m/s²."""
    return float(np.sqrt((np.diff(_ankles(motion), 2, axis=0) ** 2).sum(axis=-1).mean()) * motion.rate**2)


def _broken(clip: Motion) -> Motion:
    """The clip at 30 frames a second with noise on all joints, and shins that are elsewhere for single frames."""
    given = clip[:: max(round(clip.rate / 30.0), 1)]
    rng, roles = np.random.default_rng(0), given.skeleton.with_found_roles().roles
    turns = NOISE / np.sqrt(3.0) * rng.normal(size=(*given.rotations.shape[:2], 3))
    for k, side in enumerate(("left", "right")):
        frames = np.arange(10 + k * EVERY // 2, len(given) - 10, EVERY)
        axes = rng.normal(size=(len(frames), 3))
        turns[frames, roles[f"{side}LowerLeg"]] += SPIKE * axes / np.linalg.norm(axes, axis=-1, keepdims=True)
    local = rotations.multiply(given.rotations, rotations.from_rotation_vector(turns))
    return replace(given, rotations=rotations.continuous(local), scales=None)


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """Ratios of standing ankles, and accelerations of feet with noise and spikes."""
    ratios = {clip: row["ratio"] for clip, row in rows.items()}
    worst, values = max(ratios, key=lambda clip: ratios[clip]), np.array(list(ratios.values()))
    clean, broken, made = (np.median([row[name] for row in rows.values()]) for name in ("clean", "broken", "smoothed"))
    return (
        f"standing ankles jitter more in {(values > 1.0).sum()} of {len(rows)} smoothed clips, median ×"
        f"{np.median(values):.2f}, worst ×{values.max():.2f} ({worst}); feet with noise and spikes {broken:.0f} → "
        f"{made:.0f} m/s² (without them {clean:.0f})"
    )
