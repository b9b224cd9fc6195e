"""Feet that stand where they stand.

While a point of a foot is planted, the foot is moved so that the point stays at its anchor. While heel and ball
are both planted the foot is also turned, about the axis that takes the way from heel to ball to that between
the anchors; roll about that way stays the input's. Before and after plants both corrections follow cubics
whose value and slope meet the plant's, and which are nothing ``EASE`` seconds away: the foot's speed has no jump.

The leg follows by two-bone IK. Its plane is the input's, taken along by the smallest turn from the old way between hip
and ankle to the new one, so a knee keeps its own swivel; a leg too straight to have a plane borrows the knee's
usual axis. Thigh, shin and foot are turned as they are, so twists and helper joints between them stay.

The hips ride on planted legs, the more the straighter these are, and go down smoothly where a planted foot would be out
of reach, by no more than ``DEEPEST`` leg lengths. A planted foot gives up to ``GIVE`` leg lengths (2.5 mm) where that
keeps a nearly straight knee from snapping; between plants a leg takes no more than it can without becoming straight.
``FootLock`` says how far the hips went and how much the feet missed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.contacts import find_plants
from kinesphere.body.ground import (
    Ground,
    SolePoint,
    bell,
    directions,
    eased,
    grown,
    joint,
    performed_runs,
    smoothed,
    sole_paths,
    sole_points,
    spread,
    velocities,
)
from kinesphere.body.plants import Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.kernels.limbs import reach, solve_limb
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

EASE = 0.2  # seconds before and after a plant in which its correction comes and goes
LOWERING = 0.14  # seconds to each side, twice: the hips go down within EASE of a plant
DEEPEST = 0.08  # leg lengths
STIFF, RIGID = 0.002, 4.0  # how a knee's straightness weighs against keeping the hips where they are
STRAIGHT = 0.12  # sine of a knee's flexion below which its plane is taken from its usual axis
STEADY = 0.03  # seconds, sigma of the low-pass on a standing foot's rotation
JITTER = 0.02  # seconds, sigma of the low-pass on the leg's length that the hips keep
KNEE, GIVE = 0.03, 0.003  # seconds, sigma of the low-pass on flexion; leg lengths that a foot may give to it
SLOPE = 1.0 / 60.0  # seconds to each side for the slope at a plant's edge


@dataclass(frozen=True, eq=False)
class FootLock:
    """A locked motion, and what it took."""

    motion: Motion
    hips_lowered: Floats  # (T,) metres
    missed: Floats  # (T, 2) metres that the left and right ankles are from where their plants want them


def lock_feet(
    motion: Motion, plants: Plants | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> Motion:
    """The motion with its planted feet held in place.

    Parameters
    ----------
    motion
        Its skeleton needs the roles of both legs; toes are optional. Calibration frames stay as they are.
    plants
        When and where the feet stand. Left out: ``find_plants(motion, ground=ground)``.
    ground
        Height of the floor for finding plants.
    strength
        From 0, the input itself, to 1, held.
    """
    return solve_foot_lock(motion, plants, ground=ground, strength=strength).motion


def solve_foot_lock(
    motion: Motion, plants: Plants | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> FootLock:
    """``lock_feet``, with how far the hips were lowered and the feet missed."""
    if not 0.0 <= strength <= 1.0:
        raise ValueError(f"strength {strength}: 0 to 1 is allowed")
    plants = find_plants(motion, ground=ground) if plants is None else plants
    if plants.frames != len(motion):
        raise ValueError(f"the plants are of {plants.frames} frames, the motion has {len(motion)}")
    frames = len(motion)
    if strength == 0.0 or not plants.intervals:
        return FootLock(motion, np.zeros(frames), np.zeros((frames, 2)))
    points = sole_points(motion.skeleton)
    q, p = motion.world()
    paths = sole_paths(motion, points)
    performed = np.zeros(frames, dtype=bool)
    performed[motion.performed_frames] = True
    shift, turn = np.zeros((2, frames, 3)), np.zeros((2, frames, 3))
    planted = np.zeros((2, frames), dtype=bool)
    for i, side in enumerate(SIDES):
        own = [k for k, point in enumerate(points) if point.side == side]
        foot = joint(motion.skeleton, f"{side}Foot")
        shift[i], turn[i], planted[i] = _correction(
            [points[k] for k in own], paths[:, own], (q[:, foot], p[:, foot]), plants, performed
        )
    return _follow(motion, (q, p), shift, turn, planted, strength)


def _correction(
    points: list[SolePoint], paths: Floats, foot_world: tuple[Floats, Floats], plants: Plants, performed: Bools
) -> tuple[Floats, Floats, Bools]:
    """For one foot: the ankle's shift ``(T, 3)``, the foot's turn ``(T, 3)``, and whether it is planted ``(T,)``."""
    (foot, ankle), rate = foot_world, plants.rate
    labels = np.stack([plants.labels[point.name] for point in points]) & performed
    anchors = plants.anchors([point.name for point in points], paths)
    turn = np.zeros(ankle.shape)
    arms = paths - ankle[:, None]
    held: Bools = np.any(labels, axis=0)
    steadied = _steadied(foot, held, rate, performed)
    arms = rotations.rotate(steadied[:, None], arms)
    if len(points) == 2 and labels.all(axis=0).any():
        both: Bools = np.all(labels, axis=0)
        wanted = anchors[both, 1] - anchors[both, 0]
        found = rotations.between(arms[both, 1] - arms[both, 0], wanted)
        turn[both] = rotations.to_rotation_vector(found)
        vectors = arms[:, 1] - arms[:, 0]
        # On the plant's side of an edge the turn undoes how the foot turns, so its slope is that of the input's.
        turning = np.cross(vectors, velocities(vectors, rate, SLOPE)) / np.sum(vectors**2, axis=1, keepdims=True)
        turn = eased(turn, -turning, both, performed, EASE * rate, rate)
        arms = rotations.rotate(rotations.from_rotation_vector(turn)[:, None], arms)
    turn = rotations.to_rotation_vector(rotations.multiply(rotations.from_rotation_vector(turn), steadied))
    moved = ankle[:, None] + arms
    weight = labels.T / np.maximum(labels.sum(axis=0), 1)[:, None]  # (T, P)
    shift = np.sum(weight[..., None] * (anchors - moved), axis=1)
    slope = -np.sum(weight[..., None] * velocities(moved, rate, SLOPE), axis=1)
    return eased(shift, slope, held, performed, EASE * rate, rate), turn, held


def _steadied(foot: Floats, held: Bools, rate: float, performed: Bools) -> Floats:
    """``(T, 4)`` turns that take the jitter out of how the foot is turned while it stands.

    Held by the heel or the ball, an ankle would shake as much as the foot's direction does.
    """
    frames = np.flatnonzero(performed)
    smooth = foot.copy()
    smooth[frames] = rotations.normalise(smoothed(rotations.continuous(foot[frames]), rate, STEADY))
    share = spread(held.astype(np.float64), bell(0.1, rate)) * performed
    return rotations.power(rotations.multiply(smooth, rotations.conjugate(foot)), share)


def _follow(
    motion: Motion, world: tuple[Floats, Floats], shift: Floats, turn: Floats, planted: Bools, strength: float
) -> FootLock:
    """Hips lowered where need be, and both legs solved to their moved ankles."""
    skeleton = motion.skeleton
    q, p = world
    legs = [[joint(skeleton, f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot")] for side in SIDES]
    hip, knee, ankle = (np.stack([p[:, leg[k]] for leg in legs]) for k in range(3))  # (2, T, 3)
    upper, lower = np.linalg.norm(knee - hip, axis=-1), np.linalg.norm(ankle - knee, axis=-1)
    had = np.linalg.norm(ankle - hip, axis=-1)
    # A knee keeps about half of its flexion, which goes with the root of what is left to full length.
    longest = had + 0.75 * np.maximum(upper + lower - had, 0.0)
    lowered = strength * _lowering(ankle + shift, hip, had, longest, planted, motion)
    shift, turn = strength * shift, strength * turn
    goal = ankle + shift
    start = hip - np.stack([np.zeros_like(lowered), lowered, np.zeros_like(lowered)], axis=-1)

    active = np.any((shift != 0.0) | (turn != 0.0), axis=(0, 2)) | (lowered != 0.0)
    local, places = motion.rotations.copy(), motion.translations.copy()
    hips = joint(skeleton, "hips")
    above = int(skeleton.parents[hips])
    down = np.array([0.0, -1.0, 0.0]) * lowered[active, None]
    places[active, hips] += down if above < 0 else rotations.rotate(rotations.conjugate(q[active, above]), down)
    missed = np.zeros((len(motion), 2))
    near = strength * spread(grown(np.any(planted, axis=0), LOWERING, motion.rate), bell(LOWERING, motion.rate))
    way = _within_reach(goal - start, (had, longest, upper, lower), (planted, near), motion)
    for i, (thigh, shin, foot) in enumerate(legs):
        bones = (hip[i, active], knee[i, active], ankle[i, active])
        axis = _knee_axis(skeleton, q[active, thigh], bones, thigh, near[active])
        turned = _turned_leg(bones, start[i, active], way[i, active], axis)
        missed[active, i] = np.linalg.norm((goal - start - way)[i, active], axis=-1)
        step = rotations.from_rotation_vector(turn[i, active])
        for bone, before, now in ((thigh, None, turned[0]), (shin, turned[0], turned[1]), (foot, turned[1], step)):
            parent = q[active, int(skeleton.parents[bone])]
            parent = parent if before is None else rotations.multiply(before, parent)
            new = rotations.multiply(rotations.conjugate(parent), rotations.multiply(now, q[active, bone]))
            flip = np.sum(new * motion.rotations[active, bone], axis=-1, keepdims=True) < 0.0
            local[active, bone] = np.where(flip, -new, new)
    return FootLock(replace(motion, rotations=local, translations=places), lowered, missed * planted.T)


def _lowering(goal: Floats, hip: Floats, had: Floats, longest: Floats, planted: Bools, motion: Motion) -> Floats:
    """``(T,)`` how far the hips go down (or, below zero, up) so that planted legs keep their bend.

    A straight knee bends by degrees for every millimetre between hip and foot, so the hips ride on straight legs
    and less on bent ones. Then a smooth curve is added for what is still out of reach.
    """
    leg = goal - hip
    aside = np.sum(leg[..., [0, 2]] ** 2, axis=-1)
    # Kept without its jitter: what shakes between hip and foot is not passed on to the hips.
    steady = had.copy()
    for run in performed_runs(motion):
        steady[:, run] = smoothed(had[:, run].T, motion.rate, JITTER).T
    keeping = -leg[..., 1] - np.sqrt(np.maximum(steady**2 - aside, 0.0))
    sine_squared = np.maximum(1.0 - (had / longest) ** 2, 0.0)  # grows as that of half the flexion
    fading = bell(LOWERING, motion.rate)
    stiffness: Floats = planted / (sine_squared + STIFF)
    weight = np.stack([spread(row, fading) for row in stiffness])
    riding = np.sum(weight * keeping, axis=0) / (np.sum(weight, axis=0) + RIGID)
    riding = np.clip(riding, -DEEPEST * longest[0], DEEPEST * longest[0])
    need = -leg[..., 1] - riding - np.sqrt(np.maximum(longest**2 - aside, 0.0))
    need = np.where(planted, np.clip(need, 0.0, DEEPEST * longest), 0.0).max(axis=0)
    lowered: Floats = riding + spread(grown(need, LOWERING, motion.rate), fading)
    # The hips' own path is made smooth where they ride, not the correction: a body that shook may stop shaking.
    height: Floats = hip[..., 1].mean(axis=0, keepdims=True)[0]
    near = spread(np.any(planted, axis=0).astype(np.float64), fading)
    for run in performed_runs(motion):
        path = height[run] - lowered[run]
        lowered[run] += near[run] * (path - smoothed(path, motion.rate, JITTER))
    lowered = np.where(np.abs(lowered) > 1e-9, lowered, 0.0)
    lowered[list(motion.calibration_frames)] = 0.0
    return lowered


def _knee_axis(
    skeleton: Skeleton, thigh_world: Floats, bones: tuple[Floats, Floats, Floats], thigh: int, near: Floats
) -> Floats:
    """``(T, 3)`` normals of the legs' planes, right-handed for flexion.

    In and ``near`` plants a nearly straight leg takes its knee's usual axis, and one that is bent the wrong way, as
    captures have it, is turned, knee outward, until it is bent the usual way: it could not change sides in one place.
    """
    hip, knee, ankle = bones
    above, below = directions(knee - hip), directions(ankle - knee)
    normal = np.cross(above, below)
    sine = np.linalg.norm(normal, axis=-1, keepdims=True)
    usual = np.sum(sine**2 * rotations.rotate(rotations.conjugate(thigh_world), normal), axis=0)
    if np.linalg.norm(usual) < 1e-6 * len(sine):  # never bent: a knee folds backward, about the body's left at rest
        turned, place = skeleton.rest_world()
        left = place[joint(skeleton, "leftUpperLeg")] - place[joint(skeleton, "rightUpperLeg")]
        usual = rotations.rotate(rotations.conjugate(turned[thigh]), left)
    usual = rotations.rotate(thigh_world, directions(usual))
    outward = np.pi if thigh == skeleton.roles["leftUpperLeg"] else -np.pi
    half = outward * near * (np.sum(normal * usual, axis=-1) < 0.0)
    normal = rotations.rotate(rotations.from_rotation_vector(half[:, None] * directions(ankle - hip)), normal)
    share = 3.0 * STRAIGHT * np.exp(-((sine / STRAIGHT) ** 2)) * np.maximum(near, 1e-3)[:, None]
    axis: Floats = normal + share * usual
    return axis


def _within_reach(way: Floats, lengths: tuple[Floats, ...], plants: tuple[Bools, Floats], motion: Motion) -> Floats:
    """``(2, T, 3)`` ways from hip to ankle, as asked for but such that knees do not snap.

    Between plants a leg that would be stretched beyond its length in the input takes ever less of that and never
    becomes straight. Then flexion is low-passed as far as the ankle stays within ``GIVE`` leg lengths of where it was:
    a nearly straight knee turns by degrees for a millimetre at the foot.
    """
    (had, longest, upper, lower), (planted, near) = lengths, plants
    asked = np.linalg.norm(way, axis=-1)
    room = np.maximum(longest - had, 1e-12)
    soft = had + room * (1.0 - np.exp(-np.maximum(asked - had, 0.0) / room))
    firm = np.stack([spread(row, bell(0.05, motion.rate)) for row in grown(planted, 0.05, motion.rate)])
    taken = firm * np.minimum(asked, upper + lower) + (1.0 - firm) * np.where(asked > had, soft, asked)
    cosine = (taken**2 - upper**2 - lower**2) / (2.0 * upper * lower)
    flexion = np.arccos(np.clip(cosine, -1.0, 1.0))
    for run in performed_runs(motion):
        flexion[:, run] = smoothed(flexion[:, run].T, motion.rate, KNEE).T
    give = GIVE * (upper + lower)
    taken += near * np.clip(reach(flexion, upper, lower) - taken, -give, give)
    within: Floats = way * (taken / np.maximum(asked, 1e-12))[..., None]
    return within


def _turned_leg(
    bones: tuple[Floats, Floats, Floats], start: Floats, new: Floats, axis: Floats
) -> tuple[Floats, Floats]:
    """World turns of thigh and shin that take the ankle from where it is to ``new`` from the hip's new place."""
    hip, knee, ankle = bones
    carried = rotations.rotate(rotations.between(ankle - hip, new), axis)
    lengths = np.linalg.norm(knee - hip, axis=-1), np.linalg.norm(ankle - knee, axis=-1)
    solved = solve_limb(start, start + new, *lengths, reference=np.cross(new, carried), home=new)
    thigh = _frame_turn(knee - hip, axis, solved.elbow - start, carried)
    return thigh, _frame_turn(ankle - knee, axis, solved.wrist - solved.elbow, carried)


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turn that takes one bone to the other, and the plane about it along."""
    swing = rotations.between(bone, bone_new)
    along = directions(bone_new)
    a = rotations.rotate(swing, axis)
    a, b = (v - np.sum(v * along, axis=-1, keepdims=True) * along for v in (a, axis_new))
    angle = np.arctan2(np.sum(along * np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    return rotations.multiply(rotations.from_rotation_vector(angle[:, None] * along), swing)
