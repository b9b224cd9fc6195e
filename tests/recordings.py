"""Recordings to lift, none of them a capture: built-in motions on bodies of many kinds, with life of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere import Body, Motion, Skeleton, body_of, generate, lift
from kinesphere.builtin.library import movement
from kinesphere.engine.phrases import figure_body
from kinesphere.engine.phrases import phrase_of as phrase_on
from kinesphere.engine.recorded_limbs import place_limb, recorded_rig
from kinesphere.maths import rotations as R
from kinesphere.maths.filters import gaussian


def record(name: str, body: Body | None = None, *, rate: float = 60.0, life: float = 0.02, seed: int = 5) -> Motion:
    """A motion that no phrase generates: a built-in one with slow noise, in radians, on every joint but the legs'."""
    plain = generate(phrase_on(movement(name), figure_body() if body is None else body), rate)
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(len(plain), len(plain.skeleton), 3))
    smooth = gaussian(noise, 0.25 * rate, ends="reflect")
    smooth *= life / max(float(smooth.std()), 1e-12)
    below = {joint for side in ("left", "right") for joint in legs(plain.skeleton, side)}
    smooth[:, [*below, plain.skeleton.roles["hips"]]] = 0.0
    local = R.multiply(plain.rotations, R.from_rotation_vector(smooth))
    return replace(plain, rotations=R.continuous(local), name=name)


def legs(skeleton: Skeleton, side: str) -> list[int]:
    """The joints of a leg."""
    return list(skeleton.descendants(skeleton.roles[f"{side}UpperLeg"]))


def moved(motion: Motion, turn: float, shift: tuple[float, float, float]) -> Motion:
    """The motion elsewhere: turned about the vertical, then shifted."""
    about = R.from_axis_angle([0.0, 1.0, 0.0], turn)
    local, translations = motion.rotations.copy(), motion.translations.copy()
    for root in np.flatnonzero(motion.skeleton.parents < 0):
        local[:, root] = R.multiply(about, local[:, root])
        translations[:, root] = R.rotate(about, translations[:, root]) + np.array(shift)
    return replace(motion, rotations=R.continuous(local), translations=translations)


def with_other_axes(motion: Motion, seed: int = 3) -> Motion:
    """The same movement on joints whose own axes are other ones, at random."""
    rng = np.random.default_rng(seed)
    turns = R.normalise(rng.normal(size=(len(motion.skeleton), 4)))
    parents, old = motion.skeleton.parents, motion.skeleton
    above = np.array([R.identity() if parent < 0 else turns[parent] for parent in parents])

    def change(local: np.ndarray) -> np.ndarray:
        return R.multiply(R.multiply(R.conjugate(above), local), turns)

    offsets = R.rotate(R.conjugate(above), old.offsets)
    tips = tuple(
        replace(tip, offset=tuple(R.rotate(R.conjugate(turns[tip.joint]), np.array(tip.offset)).tolist()))
        for tip in old.tips
    )
    skeleton = Skeleton(
        old.names, parents, offsets, change(old.rest_rotations), roles=dict(old.roles), tips=tips, soles=dict(old.soles)
    )
    translations = R.rotate(R.conjugate(above), motion.translations)
    return Motion(skeleton, motion.rate, R.continuous(change(motion.rotations)), translations, name=motion.name)


def place(motion: Motion, role: str) -> np.ndarray:
    """``(T, 3)`` where a role's joint is."""
    return motion.positions_world()[:, body_of(motion).roles[role]]


def on_stairs(motion: Motion, rise: float) -> Motion:
    """A walk of which every stance is ``rise`` leg lengths higher than the one before: stairs up, or down."""
    detail = lift(motion).detail
    assert detail is not None
    poses, frames = detail.poses, np.arange(len(motion))
    stances = sorted(detail.steps.stances, key=lambda own: own.first)
    higher = {}
    for side in ("left", "right"):
        own = [(row.first, row.last, rise * poses.leg_length * k) for k, row in enumerate(stances) if row.side == side]
        times = [frame for first, last, _ in own for frame in (first, last)]
        heights = [height for _, _, height in own for _ in range(2)]
        higher[side] = gaussian(np.interp(frames, times, heights), 0.02 * motion.rate, ends="reflect")
    body = gaussian(np.minimum(*higher.values()), 0.12 * motion.rate, ends="reflect") - 0.04 * poses.leg_length
    local, translations = motion.rotations.copy(), motion.translations.copy()
    (root,) = np.flatnonzero(motion.skeleton.parents < 0)
    translations[:, root, 1] += body
    for side, limb in ((side, recorded_rig(poses.body).limbs[f"{side}Leg"]) for side in higher):
        ankle = poses.position(f"{side}Foot") + higher[side][:, None] * np.array([0.0, 1.0, 0.0])
        place_limb(limb, local, translations, ankle, ends=np.ascontiguousarray(poses.rotation(f"{side}Foot")))
    return replace(motion, rotations=R.continuous(local), translations=translations)


def without(motion: Motion, gone: set[int]) -> Motion:
    """The motion on a body that lacks some joints, with all that is below them."""
    skeleton = motion.skeleton
    keep = [joint for joint in range(len(skeleton)) if joint not in gone]
    place = {joint: i for i, joint in enumerate(keep)} | {-1: -1}
    own = Skeleton(
        tuple(skeleton.names[joint] for joint in keep),
        np.array([place[int(skeleton.parents[joint])] for joint in keep]),
        skeleton.offsets[keep],
        skeleton.rest_rotations[keep],
        {role: place[joint] for role, joint in skeleton.roles.items() if joint in place},
        tuple(replace(tip, joint=place[tip.joint]) for tip in skeleton.tips if tip.joint in place),
    )
    return replace(motion, skeleton=own, rotations=motion.rotations[:, keep], translations=motion.translations[:, keep])
