"""Knees and elbows that bend no further than they can: of an edit's last steps, before feet are held."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.contacts import (
    Contact,
    ContactRuns,
    Contacts,
    contacts_on_paths,
    find_contact_runs,
    geometric_median,
    geometric_medians,
)
from kinesphere.body.foot_lock.lock import lock_feet_in
from kinesphere.body.ground import (
    bell_weights,
    performed_runs,
    running_maximum,
    smooth_bell,
    smooth_gaussian,
    sole_paths,
    sole_paths_of,
    sole_points,
)
from kinesphere.body.joint_subset import SubsetPose, leg_subset, subset_pose
from kinesphere.body.limits import NEEDED, limited_joints
from kinesphere.body.require_roles import LEGS
from kinesphere.maths import rotations
from kinesphere.maths.hinges import TINY, HingeLimit, bend_hinge, hinge_excess
from kinesphere.maths.vectors import Bools, Floats, clip, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import root_joint

SOFT = float(np.radians(35.0))  # radians before a limit in which a joint is slowed down
ROUND = 0.03  # seconds, the width of the bell by which corrections are rounded
HINGES = ("LowerArm", "LowerLeg")
_found: WeakKeyDictionary[Skeleton, list[HingeLimit]] = WeakKeyDictionary()


def limit_hinges(before: Motion, after: Motion, joints: Bools, *, loop: bool = False) -> Motion:
    """The edited motion with knees and elbows among ``joints (J,)`` no further past their limits than before it.

    An edit that does nothing changes nothing; see ``kernels.bending``. Of a ``loop`` the last frame is the first.
    """
    hinges = [hinge for hinge in _hinges(before.skeleton) if joints[hinge.path[-1]]]
    if not hinges:
        return after
    local, runs = after.rotations.copy(), performed_runs(before)
    for hinge in hinges:
        back = hinge_excess(before.rotations, local, hinge)
        if np.abs(back).max() > TINY:
            # Rounded, so that a knee that is straightened does not stop dead; where nothing was edited, nothing is.
            same = (before.rotations[:, hinge.path] == after.rotations[:, hinge.path]).all(axis=(1, 2))
            for run in runs:
                back[run] = _rounded(back[run], before.rate, loop)
            bend_hinge(local, hinge, np.where(same, 0.0, back))
    return replace(after, rotations=freeze(local))


def _rounded(back: Floats, rate: float, loop: bool) -> Floats:
    """Corrections ``(T,)`` at least as large, and round."""
    again = np.concatenate([back[:-1], back, back[1:]]) if loop else back
    more, less = (running_maximum(np.maximum(way * again, 0.0), ROUND, rate) for way in (1.0, -1.0))
    made = smooth_gaussian(more - less, rate, ROUND)
    return made[len(back) - 1 : 2 * len(back) - 1] if loop else made


def _hinges(skeleton: Skeleton) -> list[HingeLimit]:
    """Knees and elbows of a humanoid; of what is none, none."""
    if skeleton not in _found:
        known = skeleton.with_found_roles()
        humanoid = all(role in known.roles for role in NEEDED)
        _found[skeleton] = [
            HingeLimit(
                np.array(one.path, dtype=np.intp),
                np.array(one.before),
                np.array(one.after),
                np.stack([one.bone, one.neutral, one.forward]),
                *one.limit.flexion,
                SOFT,
            )
            for one in (limited_joints(known) if humanoid else [])
            if one.role.endswith(HINGES)
        ]
    return _found[skeleton]


# ---- A body that stays on the ground it was on: hips go up or down with what an edit does to the legs.
#
# Legs that swing farther are shorter below the hips, and a body whose hips stay where they were would hover, or wade.
# While the input touches the ground, the lowest sole is brought to the height at which the input has it. In the air
# hips are left alone, but not below the ground: a higher jump is a higher jump.


TOUCHING, FLYING = 0.04, 0.10  # metres above the ground of the lowest sole, between which touching ends
ROUND_GROUNDING = 0.04  # seconds, the width of the bell by which the hips' way is rounded


def keep_ground(motion: Motion, world: SubsetPose, before: ContactRuns) -> tuple[Motion, SubsetPose]:
    """The motion with its lowest sole as high as before, and its legs in the world."""
    low, now = before.paths[..., 1].min(axis=1), sole_paths_of(world, before.points)[..., 1].min(axis=1)
    if np.abs(now - low).max() < 1e-9:
        return motion, world
    floor = np.minimum(_floor(before, low), low)
    touching = 1.0 - clip((low - floor - TOUCHING) / (FLYING - TOUCHING), 0.0, 1.0)
    away = touching * (now - low) + (1.0 - touching) * np.minimum(now - floor, 0.0)
    drop = smooth_gaussian(away, motion.rate, ROUND_GROUNDING)
    carrier = root_joint(motion.skeleton)
    way = np.zeros((len(motion), 3))
    way[:, 1] = -drop
    above = int(motion.skeleton.parents[carrier])
    if above >= 0:
        way = rotations.rotate(rotations.conjugate(world.turned(above)), way)
    places = motion.translations.copy()
    places[:, carrier] += way
    p = world.p.copy()
    below = [row for joint, row in world.part.rows.items() if _hangs_on(motion, joint, carrier)]
    p[:, below, 1] -= drop[:, None]
    return replace(motion, translations=freeze(places)), world._replace(p=p)


def _floor(before: ContactRuns, low: Floats) -> Floats:
    """``(T,)`` the height of the lowest sole when it stands: what a slope or a step makes of it goes along."""
    stood = np.zeros(len(low), dtype=np.bool_)
    for _, first, last in before.rows.tolist():
        stood[first : last + 1] = True
    frames = np.flatnonzero(stood)
    if not frames.size:
        return np.full(len(low), float(low.min()))
    return np.asarray(np.interp(np.arange(len(low)), frames, low[frames]))


def _hangs_on(motion: Motion, joint: int, carrier: int) -> bool:
    while joint >= 0 and joint != carrier:
        joint = int(motion.skeleton.parents[joint])
    return joint == carrier


# ---- Feet that stay planted: an edit's last step.


SOON = 0.6  # of an edit at which its feet are held as in all of it
ADDED = 0.012  # metres by which an edit makes a foot slide more that has it held in full
APART = 0.2  # seconds between plants of one stand
AROUND = 0.3  # seconds before and after that this counts


def hold_feet(
    before: Motion, after: Motion, joints: Bools, weight: Floats | None = None, *, anyway: bool = False
) -> Motion:
    """The edited motion on the ground as it was, its feet standing where the edit brought them when they stood before.

    Parameters
    ----------
    joints : (J,)
        What the edit was for. A body without legs, or an edit that does not reach them, stays as it is.
    weight : (T,)
        How much of the edit held when: where it is 0, nothing changes to the last bit, and a foot that stood there
        already goes on standing there.
    anyway
        Whether feet are held whether or not the edit makes them slide. Otherwise an edit that does next to nothing
        leaves a capture's own sliding alone: a dial that is turned up from zero does not jump.
    """
    skeleton = before.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return after
    stands, edited = find_contact_runs(_on(before, skeleton)), _on(after, skeleton)
    inside = np.ones(len(before)) if weight is None else foot_hold_window(weight)
    inside[list(before.calibration_frames)] = 0.0
    made, world = edited, subset_pose(edited, leg_subset(skeleton))
    if not anyway:
        made, world = keep_ground(made, world, stands)
    some = [bool(inside[first : last + 1].any()) for _, first, last in stands.rows.tolist()]
    stands = stands._replace(rows=stands.rows[np.array(some, dtype=np.bool_)])
    if len(stands.rows):
        paths = sole_paths_of(world, stands.points)
        plants = _brought(stands, paths, inside > 0.0, before.rate)
        share = inside if anyway else inside * _added(stands, plants, paths, before.rate)
        if share.any():
            made = crossfade(made, lock_feet_in(made, world, plants).motion, share)
    return crossfade(edited, made, inside)


def _brought(stands: ContactRuns, paths: Floats, inside: Bools, rate: float) -> Contacts:
    """Plants as the input has them, each stand of a foot taken along over the ground as far as its paths went.

    So heel and ball stay as far apart and as high as they stood, and the foot faces as it did. A stand that is partly
    outside of the stretch stays where it is.
    """
    plants = contacts_on_paths(stands, stands.paths, len(paths), rate)
    moved = (paths - stands.paths)[..., [0, 2]]
    made: list[Contact] = []
    for side in SIDES:
        stand: list[Contact] = []
        for plant in [*sorted((p for p in plants.intervals if p.side == side), key=lambda p: p.first), None]:
            if stand and (plant is None or plant.first > max(p.last for p in stand) + APART * rate):
                steps = [moved[p.first : p.last + 1, plants.points.index(p.name)] for p in stand]
                kept = all(inside[p.first : p.last + 1].all() for p in stand)
                x, z = np.median(np.concatenate(steps), axis=0).tolist() if kept else (0.0, 0.0)
                made += [replace(p, anchor=(p.anchor[0] + x, p.anchor[1], p.anchor[2] + z)) for p in stand]
                stand = []
            if plant is not None:
                stand.append(plant)
    return replace(plants, intervals=tuple(made))


def _added(stands: ContactRuns, plants: Contacts, paths: Floats, rate: float) -> Floats:
    """``(T,)`` how much feet slide that did not: 1 from ``ADDED`` metres on."""
    more = np.zeros(len(paths))
    where = geometric_medians(stands.paths, stands.rows)
    anchors = {(plants.points.index(p.name), p.first): np.array(p.anchor) for p in plants.intervals}
    for (i, first, last), was in zip(stands.rows.tolist(), where, strict=True):
        rows = slice(first, last + 1)
        slid = (paths[rows, i] - anchors[i, first]) - (stands.paths[rows, i] - was)
        more[rows] = np.maximum(more[rows], norms(slid).max())
    return _eased(smooth_bell(running_maximum(more, AROUND, rate), bell_weights(0.5 * AROUND, rate)) / ADDED)


def foot_hold_window(weight: Floats) -> Floats:
    """``(T,)`` how far feet are held where so much of an edit holds."""
    return _eased(weight / SOON)


def _eased(x: Floats) -> Floats:
    u = clip(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def anchor_from_outside(plants: Contacts, paths: Floats, inside: Bools) -> Contacts:
    """Plants that are only partly inside of a stretch ``(T,)`` stand where their paths ``(T, P, 3)`` are outside."""
    moved = []
    for plant in plants.intervals:
        outside = np.flatnonzero(~inside[plant.first : plant.last + 1]) + plant.first
        if outside.size:
            x, y, z = geometric_median(paths[outside, plants.points.index(plant.name)]).tolist()
            plant = replace(plant, anchor=(x, y, z))
        moved.append(plant)
    return replace(plants, intervals=tuple(moved))


def crossfade(one: Motion, other: Motion, share: Floats) -> Motion:
    """From one motion to another, frame by frame, by shares ``(T,)``; at 0 and 1 to the last bit."""
    if (share == 1.0).all():
        return other
    turned, places = other.rotations.copy(), other.translations.copy()
    fading, before = (share > 0.0) & (share < 1.0), share == 0.0
    turned[fading] = rotations.slerp(one.rotations[fading], turned[fading], share[fading, None])
    places[fading] += (1.0 - share[fading, None, None]) * (one.translations[fading] - places[fading])
    turned[before], places[before] = one.rotations[before], one.translations[before]
    return replace(other, rotations=freeze(turned), translations=freeze(places))


def _on(motion: Motion, skeleton: Skeleton) -> Motion:
    return motion if motion.skeleton is skeleton else replace(motion, skeleton=skeleton)


def moves_feet(skeleton: Skeleton, joints: Bools) -> bool:
    """Whether any of the joints ``(J,)`` carries a foot."""
    for side in SIDES:
        joint = skeleton.roles.get(f"{side}Toes", skeleton.roles[f"{side}Foot"])
        while joint >= 0:
            if joints[joint]:
                return True
            joint = int(skeleton.parents[joint])
    return False


def move_contacts(plants: Contacts, motion: Motion) -> Contacts:
    """The same stands, where this motion has them."""
    points = sole_points(motion.skeleton)
    names = [point.name for point in points]
    rows = [(names.index(plant.name), plant.first, plant.last) for plant in plants.intervals]
    places = geometric_medians(sole_paths(motion, points), np.array(rows, dtype=np.intp).reshape(-1, 3)).tolist()
    moved = tuple(
        Contact(plant.side, plant.point, plant.first, plant.last, (x, y, z))
        for plant, (x, y, z) in zip(plants.intervals, places, strict=True)
    )
    return replace(plants, intervals=moved)
