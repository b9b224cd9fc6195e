"""Constraints after an edit: limit knees and elbows, keep soles on the ground, lock feet.

An edit of curves knows nothing of joints' limits or of the ground. Its last steps restore what holds in the input:

1. ``limit_hinges``: knees and elbows bend no further past their limits than before.
2. ``restore_sole_height``: the lowest sole is as high as before. Legs that swing farther are shorter below the hips: a
   body whose hips stay where they were would hover, or sink into the floor. In the air hips are left alone, but not
   below the ground: a higher jump is a higher jump.
3. ``hold_feet``: feet that are in contact in the input are locked where the edit brought them.
"""

from __future__ import annotations

from dataclasses import replace

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
    performed_runs,
    running_maximum,
    smooth_gaussian,
    sole_paths,
    sole_paths_of,
    sole_points,
)
from kinesphere.body.joint_subset import SubsetPose, leg_subset, subset_pose
from kinesphere.body.limits import NEEDED, find_limited_joints
from kinesphere.body.require_roles import LEGS
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.maths import rotations
from kinesphere.maths.filters import frame_count, widen
from kinesphere.maths.hinges import TINY, HingeLimit, bend_hinge, hinge_correction
from kinesphere.maths.vectors import Bools, Floats, clip, norms, smoothstep
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import root_joint

# Hinges
HINGES = ("LowerArm", "LowerLeg")
SOFT_ZONE = float(np.radians(35.0))  # radians before a limit in which a joint is slowed down
HINGE_SIGMA = 0.03  # seconds, of the Gaussian that smooths corrections
# Ground
TOUCHING, FLYING = 0.04, 0.10  # metres above the ground of the lowest sole, between which touching ends
GROUND_SIGMA = 0.04  # seconds, of the Gaussian that smooths the hips' height
# Feet
FULL_HOLD = 0.6  # weight of an edit from which its feet are locked in full
ADDED_SLIDE = 0.012  # metres by which an edit makes a foot slide more, from which it is locked in full
STANCE_GAP = 0.2  # seconds: contacts of one foot that are nearer to each other are one stance
AROUND = 0.3  # seconds before and after a slide in which feet are locked as well


# Hinges


def limit_hinges(before: Motion, after: Motion, joints: Bools, *, loop: bool = False) -> Motion:
    """The edited motion with knees and elbows among ``joints (J,)`` no further past their limits than before it.

    An edit that does nothing changes nothing; see ``maths.hinges``. The last frame of a ``loop`` is its first.
    """
    hinges = [hinge for hinge in _hinge_limits(with_standing_rest(before).skeleton) if joints[hinge.path[-1]]]
    if not hinges:
        return after
    local, runs = after.rotations.copy(), performed_runs(before)
    for hinge in hinges:
        correction = hinge_correction(before.rotations, local, hinge)
        if np.abs(correction).max() > TINY:
            # Smooth, so that a knee that is straightened does not stop dead; zero where nothing was edited.
            same = (before.rotations[:, hinge.path] == after.rotations[:, hinge.path]).all(axis=(1, 2))
            for run in runs:
                correction[run] = _smooth_correction(correction[run], before.rate, loop)
            bend_hinge(local, hinge, np.where(same, 0.0, correction))
    return replace(after, rotations=freeze(local))


def _smooth_correction(correction: Floats, rate: float, loop: bool) -> Floats:
    """Corrections ``(T,)`` made smooth in time, hardly smaller anywhere."""
    count = len(correction)
    values = np.concatenate([correction[:-1], correction, correction[1:]]) if loop else correction
    up, down = (running_maximum(np.maximum(sign * values, 0.0), HINGE_SIGMA, rate) for sign in (1.0, -1.0))
    smooth = smooth_gaussian(up - down, rate, HINGE_SIGMA)
    return smooth[count - 1 : 2 * count - 1] if loop else smooth


@memoised
def _hinge_limits(skeleton: Skeleton) -> list[HingeLimit]:
    """Knees and elbows of a humanoid; of another body none."""
    known = skeleton.with_found_roles()
    if not all(role in known.roles for role in NEEDED):
        return []
    return [
        HingeLimit(
            np.array(one.path, dtype=np.intp),
            np.array(one.before),
            np.array(one.after),
            np.stack([one.bone, one.neutral, one.forward]),
            *one.limit.flexion,
            SOFT_ZONE,
        )
        for one in find_limited_joints(known)
        if one.role.endswith(HINGES)
    ]


# Ground


def restore_sole_height(motion: Motion, world: SubsetPose, before: ContactRuns) -> tuple[Motion, SubsetPose]:
    """The motion with its lowest sole as high as before, and its legs in the world."""
    low, now = before.paths[..., 1].min(axis=1), sole_paths_of(world, before.points)[..., 1].min(axis=1)
    if np.abs(now - low).max() < 1e-9:
        return motion, world
    floor = np.minimum(_floor_height(before, low), low)
    touching = 1.0 - clip((low - floor - TOUCHING) / (FLYING - TOUCHING), 0.0, 1.0)
    error = touching * (now - low) + (1.0 - touching) * np.minimum(now - floor, 0.0)
    drop = smooth_gaussian(error, motion.rate, GROUND_SIGMA)
    root = root_joint(motion.skeleton)
    step = np.zeros((len(motion), 3))
    step[:, 1] = -drop
    parent = int(motion.skeleton.parents[root])
    if parent >= 0:
        step = rotations.rotate(rotations.conjugate(world.rotations_of(parent)), step)
    translations = motion.translations.copy()
    translations[:, root] += step
    p = world.p.copy()
    below = [row for joint, row in world.part.rows.items() if _is_below(motion.skeleton, joint, root)]
    p[:, below, 1] -= drop[:, None]
    return replace(motion, translations=freeze(translations)), world._replace(p=p)


def _floor_height(before: ContactRuns, low: Floats) -> Floats:
    """``(T,)`` the height of the lowest sole ``(T,)`` in contact, between contacts by lines: slopes and steps count."""
    contact = np.zeros(len(low), dtype=np.bool_)
    for _, first, last in before.rows.tolist():
        contact[first : last + 1] = True
    frames = np.flatnonzero(contact)
    if not frames.size:
        return np.full(len(low), float(low.min()))
    return np.asarray(np.interp(np.arange(len(low)), frames, low[frames]))


def _is_below(skeleton: Skeleton, joint: int, root: int) -> bool:
    """Whether a joint is the root or one of its descendants."""
    while joint >= 0 and joint != root:
        joint = int(skeleton.parents[joint])
    return joint == root


# Feet


def hold_feet(
    before: Motion, after: Motion, joints: Bools, weight: Floats | None = None, *, always: bool = False
) -> Motion:
    """The edited motion on its ground, with feet locked where the edit brought them while they were in contact before.

    Parameters
    ----------
    joints : (J,)
        The joints that were edited. A body without legs, or an edit that does not reach them, stays as it is.
    weight : (T,)
        The weight of the edit in each frame: where it is 0 nothing changes, to the last bit, and a foot that is in
        contact there already keeps that contact.
    always
        Lock feet whether or not the edit makes them slide. Otherwise an edit that does next to nothing leaves a
        capture's own sliding alone: a dial that is raised from zero does not jump.
    """
    skeleton = with_standing_rest(before).skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return after
    runs, edited = find_contact_runs(_with_skeleton(before, skeleton)), _with_skeleton(after, skeleton)
    window = np.ones(len(before)) if weight is None else foot_hold_window(weight)
    window[list(before.calibration_frames)] = 0.0
    result, world = edited, subset_pose(edited, leg_subset(skeleton))
    if not always:
        result, world = restore_sole_height(result, world, runs)
    used = [bool(window[first : last + 1].any()) for _, first, last in runs.rows.tolist()]
    runs = runs._replace(rows=runs.rows[np.array(used, dtype=np.bool_)])
    if len(runs.rows):
        paths = sole_paths_of(world, runs.points)
        contacts = _shift_stances(runs, paths, window > 0.0, before.rate)
        share = window if always else window * _slide_weight(runs, contacts, paths, before.rate)
        if share.any():
            result = crossfade(result, lock_feet_in(result, world, contacts).motion, share)
    return _with_skeleton(crossfade(edited, result, window), after.skeleton)


def _shift_stances(runs: ContactRuns, paths: Floats, inside: Bools, rate: float) -> Contacts:
    """The input's contacts, each stance of a foot shifted over the ground by the median displacement of its paths.

    So heel and ball stay as far apart and as high as they were, and the foot keeps its heading. A stance that is
    partly outside of the edit's frames ``inside (T,)`` stays where it is.
    """
    contacts = contacts_on_paths(runs, runs.paths, len(paths), rate)
    moved = (paths - runs.paths)[..., [0, 2]]
    intervals: list[Contact] = []
    for side in SIDES:
        for stance in _stances([c for c in contacts.intervals if c.side == side], STANCE_GAP * rate):
            x, z = 0.0, 0.0
            if all(inside[c.first : c.last + 1].all() for c in stance):
                steps = [moved[c.first : c.last + 1, contacts.points.index(c.name)] for c in stance]
                x, z = np.median(np.concatenate(steps), axis=0).tolist()
            intervals += [replace(c, anchor=(c.anchor[0] + x, c.anchor[1], c.anchor[2] + z)) for c in stance]
    return replace(contacts, intervals=tuple(intervals))


def _stances(contacts: list[Contact], gap: float) -> list[list[Contact]]:
    """Contacts of one foot in groups, each no more than ``gap`` frames after those before it."""
    stances: list[list[Contact]] = []
    for contact in sorted(contacts, key=lambda c: c.first):
        if stances and contact.first <= max(c.last for c in stances[-1]) + gap:
            stances[-1].append(contact)
        else:
            stances.append([contact])
    return stances


def _slide_weight(runs: ContactRuns, contacts: Contacts, paths: Floats, rate: float) -> Floats:
    """Weight ``(T,)`` by how much more feet slide than in the input: 1 from ``ADDED_SLIDE`` metres on."""
    slides = np.zeros(len(paths))
    medians = geometric_medians(runs.paths, runs.rows)
    anchors = {(contacts.points.index(c.name), c.first): np.array(c.anchor) for c in contacts.intervals}
    for (i, first, last), median in zip(runs.rows.tolist(), medians, strict=True):
        rows = slice(first, last + 1)
        slide = (paths[rows, i] - anchors[i, first]) - (runs.paths[rows, i] - median)
        slides[rows] = np.maximum(slides[rows], norms(slide).max())
    smooth = widen(slides, frame_count(AROUND, rate), frame_count(0.5 * AROUND, rate))
    return np.asarray(smoothstep(smooth / ADDED_SLIDE))


def foot_hold_window(weight: Floats) -> Floats:
    """The weight ``(T,)`` of foot locking, from the weight ``(T,)`` of an edit."""
    return np.asarray(smoothstep(weight / FULL_HOLD))


def anchor_from_outside(contacts: Contacts, paths: Floats, inside: Bools) -> Contacts:
    """Contacts that are partly outside of an edit's frames ``inside (T,)`` are anchored to their ``paths`` there."""
    intervals = []
    for contact in contacts.intervals:
        outside = np.flatnonzero(~inside[contact.first : contact.last + 1]) + contact.first
        if outside.size:
            x, y, z = geometric_median(paths[outside, contacts.points.index(contact.name)]).tolist()
            contact = replace(contact, anchor=(x, y, z))
        intervals.append(contact)
    return replace(contacts, intervals=tuple(intervals))


def crossfade(one: Motion, other: Motion, share: Floats) -> Motion:
    """Blend from one motion to another by weights ``share (T,)``; exact to the last bit at 0 and 1."""
    if (share == 1.0).all():
        return other
    local, translations = other.rotations.copy(), other.translations.copy()
    fading, before = (share > 0.0) & (share < 1.0), share == 0.0
    local[fading] = rotations.slerp(one.rotations[fading], local[fading], share[fading, None])
    translations[fading] += (1.0 - share[fading, None, None]) * (one.translations[fading] - translations[fading])
    local[before], translations[before] = one.rotations[before], one.translations[before]
    return replace(other, rotations=freeze(local), translations=freeze(translations))


def _with_skeleton(motion: Motion, skeleton: Skeleton) -> Motion:
    return motion if motion.skeleton is skeleton else replace(motion, skeleton=skeleton)


def moves_feet(skeleton: Skeleton, joints: Bools) -> bool:
    """Whether any of the joints ``(J,)`` is a foot or one of its ancestors."""
    for side in SIDES:
        joint = skeleton.roles.get(f"{side}Toes", skeleton.roles[f"{side}Foot"])
        while joint >= 0:
            if joints[joint]:
                return True
            joint = int(skeleton.parents[joint])
    return False


def move_contacts(contacts: Contacts, motion: Motion) -> Contacts:
    """The same contacts, anchored to the soles' positions in this motion."""
    points = sole_points(motion.skeleton)
    names = [point.name for point in points]
    rows = [(names.index(contact.name), contact.first, contact.last) for contact in contacts.intervals]
    anchors = geometric_medians(sole_paths(motion, points), np.array(rows, dtype=np.intp).reshape(-1, 3)).tolist()
    intervals = tuple(
        Contact(contact.side, contact.point, contact.first, contact.last, (x, y, z))
        for contact, (x, y, z) in zip(contacts.intervals, anchors, strict=True)
    )
    return replace(contacts, intervals=intervals)
