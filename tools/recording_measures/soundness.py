"""Soundness: rigid bones, finite numbers, unit quaternions, the same bits twice, loops that close."""

from __future__ import annotations

import numpy as np

import kinesphere
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from recording_measures.performances import Found, Performance


def measure(own: Performance) -> dict[str, Found]:
    """Millimetres that bones are longer or shorter than ever recorded, and what is broken, as counts."""
    roles = own.recorded.phrase.body.roles
    hips, parents = roles["hips"], own.motion.skeleton.parents.copy()
    for side in SIDES:  # some rigs have feet that no shin carries
        parents[roles[f"{side}Foot"]] = roles[f"{side}LowerLeg"]
    joints = np.array([j for j in range(len(parents)) if parents[j] >= 0 and j != hips], dtype=np.intp)
    off = np.zeros(len(joints))
    if len(joints):
        now, before = (_lengths(places, joints, parents[joints]) for places in (own.world[1], own.recorded.world[1]))
        off = np.maximum(now.max(axis=0) - before.max(axis=0), before.min(axis=0) - now.min(axis=0))
    worst = int(np.argmax(off))
    finite = bool(np.isfinite(own.motion.rotations).all() and np.isfinite(own.motion.translations).all())
    broken = [] if finite else ["not finite"]
    if rotations.unit_error(own.motion.rotations) > 1e-9:
        broken.append("no unit quaternions")
    whole = own.whole
    if own.phrase.loop and not (
        np.array_equal(np.abs(whole.rotations[0]), np.abs(whole.rotations[-1]))
        and np.array_equal(whole.translations[0], whole.translations[-1])
    ):
        broken.append("a loop that does not close")
    return {
        "bones": Found(max(1000.0 * float(off[worst]), 0.0), own.motion.skeleton.names[int(joints[worst])]),
        "broken": Found(float(len(broken)), ", ".join(broken)),
    }


def measure_again(own: Performance) -> dict[str, Found]:
    """Whether the same phrase gives the same bits once more."""
    again = kinesphere.generate(own.phrase, own.whole.rate)
    same = np.array_equal(again.rotations, own.whole.rotations) and np.array_equal(
        again.translations, own.whole.translations
    )
    return {"not repeated": Found(float(not same))}


def _lengths(places: Floats, joints: np.ndarray, parents: np.ndarray) -> Floats:
    return norms(places[:, joints] - places[:, parents])
