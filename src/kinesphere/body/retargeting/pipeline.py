"""``retarget``: the steps of putting a motion on a body with other proportions, rest pose and joint axes.

Joint orientations are transferred through anatomical frames (``calibration``), those of spine and neck as curves over
their height. Then wrists and ankles get their positions and two-bone IK brings the limbs there: a wrist keeps its
position relative to the shoulder, in arm lengths, or to the other hand or the head where it is near them
(``hand_placement``); a foot keeps its position on the ground, in leg lengths, so contacts stay contacts (``stance``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.body.anatomy import Anatomy, find_anatomy
from kinesphere.body.clear_hands import clear_motion
from kinesphere.body.collision import Arms, CollisionAvoidance, find_volumes
from kinesphere.body.ground import find_ground
from kinesphere.body.require_roles import require_motion_roles, require_roles
from kinesphere.body.retargeting.calibration import Calibration, calibrate, is_same_body
from kinesphere.body.retargeting.elbow_hinges import keep_elbow_side
from kinesphere.body.retargeting.foot_pitch import pitch_feet
from kinesphere.body.retargeting.hand_placement import place_wrists
from kinesphere.body.retargeting.leg_placement import hip_centre, place_legs
from kinesphere.body.retargeting.shoulders import retarget_clavicles
from kinesphere.body.retargeting.stance import level_hips
from kinesphere.body.retargeting.wrists import divide_hands, gather_hands
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.two_bone import bend_limb
from kinesphere.maths.vectors import Bools, Floats, Ints, cross, norms, smoothstep
from kinesphere.motion.character import Character
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

FOLDED = 0.06  # of a limb: so near to its tightest fold it folds no tighter
SOFTNESS = 0.001  # of a limb: the distance over which it eases into full reach
MISSED = 0.005  # metres: more is reported
HINGE_SHOWN = (0.05, 0.25)  # sines of a flexion between which a limb comes to show its hinge
HINGE_AGREES = 0.3  # cosine of the angle between a limb's hinge and the copied one from which on it counts fully
LIMBS = tuple(
    (side, *parts) for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot")) for side in SIDES
)
LIMB_ENDS = ("wrist", "wrist", "ankle", "ankle")


class TargetPose(NamedTuple):
    """The target's joints in the world, changed step by step."""

    q: Floats  # (T, J, 4)
    p: Floats  # (T, J, 3)
    known: Bools  # (J,) which joints have rotations of their own; the others follow their parents


def retarget(
    motion: Motion,
    target: Character | Skeleton | Motion,
    *,
    calibration: Calibration | None = None,
    ground: float | None = None,
    clear: bool | None = None,
) -> Motion:
    """The motion on another body, on the same floor.

    The target may also be a motion: where nobody stands as the rest pose does, only a motion shows how the body stands.
    ``ground`` is the height of the floor where it should not be found. Targets that could not be reached are listed in
    the result's ``source.evidence``.

    ``clear`` says whether hands and arms are kept out of a character's trunk and head (``body.collision``). By default
    they are where the trunk is thicker than any person's. Elsewhere only on request: hands that were moved stay moved
    when retargeted back. A motion on its own body changes on request alone.
    """
    if calibration is None:
        onto = require_motion_roles(target) if isinstance(target, Motion) else require_roles(_skeleton(target))
        own, other = require_motion_roles(motion), onto.skeleton if isinstance(onto, Motion) else onto
        if is_same_body(own.skeleton, other):
            itself = replace(own, skeleton=other)  # on its own body a motion is itself
            return _clear_own(itself, target) if clear and isinstance(target, Character) else itself
        calibration = calibrate(own, onto)
    c = calibration
    motion = replace(motion, skeleton=c.source.skeleton)
    floor = find_ground(motion, ground)
    source_q, source_p = motion.world()
    source_p = source_p - [0.0, floor.height, 0.0]
    source_q = gather_hands(c.source, source_q, source_p)
    pose, ankles = _copy_orientations(c, motion, source_q, source_p)
    targets = _limb_targets(c, source_q, source_p, pose, ankles)
    avoidance = _collision_avoidance(c, target, clear, pose, motion.rate)
    shortfall = _solve_limbs(c, source_p, pose, targets, motion.rate, avoidance)
    pitch_feet(c, source_p, pose.q, pose.p, pose.known)
    skeleton = c.target.skeleton
    kinematics.complete_rotations(pose.q, pose.known, skeleton.rest_rotations, skeleton.parents)
    divide_hands(c.target, pose.q, pose.known)  # last: palm joints are not among the known ones
    pose.p[..., 1] += floor.height
    return _assemble(motion, c, pose, shortfall)


def _skeleton(target: Character | Skeleton) -> Skeleton:
    if not isinstance(target, Character | Skeleton):
        raise TypeError(f"a character, a skeleton or a motion of the body is expected, found {target!r}")
    return target.skeleton if isinstance(target, Character) else target


def _clear_own(motion: Motion, character: Character) -> Motion:
    """A motion on a character with its own bones, with hands and arms out of that character's surface."""
    body = find_anatomy(motion.skeleton, motion)
    return clear_motion(find_volumes(character, body), body, motion)


def _collision_avoidance(
    c: Calibration, target: Character | Skeleton | Motion, clear: bool | None, pose: TargetPose, rate: float
) -> CollisionAvoidance | None:
    """What keeps hands and arms out of the body; None without a surface or where it is not wanted."""
    if clear is False or not isinstance(target, Character) or not target.skeleton.same_tree(c.target.skeleton):
        return None
    volumes = find_volumes(target, c.target)
    if volumes.surface is None or not (clear or volumes.is_thick):
        return None
    return CollisionAvoidance.of_motion(volumes, c.target, pose.q, pose.p, rate)


# Orientation and root


def _copy_orientations(c: Calibration, motion: Motion, source_q: Floats, source_p: Floats) -> tuple[TargetPose, Floats]:
    """The target with the source's orientations, role by role, its hips where its legs put them; its ankles' targets.

    The second value are positions ``(T, 2, 3)``.
    """
    skeleton = c.target.skeleton
    q = np.empty((len(source_q), len(skeleton), 4))
    known = np.zeros(len(skeleton), dtype=bool)
    joints = [skeleton.roles[role] for role in c.rotation_offsets]
    copied = source_q[:, [c.source.skeleton.roles[role] for role in c.rotation_offsets]]
    q[:, joints] = rotations.multiply(copied, np.array(list(c.rotation_offsets.values())))
    known[joints] = True
    for joint, rotation in retarget_trunk(c, source_q, source_p).items():
        q[:, joint], known[joint] = rotation, True
    hips = skeleton.roles["hips"]
    legs = place_legs(c, motion, source_p, level_hips(c, q[:, hips]))
    q[:, hips] = legs.hips
    retarget_clavicles(c, source_q, q, known)
    kinematics.complete_rotations(q, known, skeleton.rest_rotations, skeleton.parents)
    p = kinematics.place_joints(q, skeleton.offsets, skeleton.parents)
    return TargetPose(q, p + (legs.centre - hip_centre(skeleton, p))[:, None], known), legs.ankles


# Where limbs end


def _limb_targets(c: Calibration, source_q: Floats, source_p: Floats, pose: TargetPose, ankles: Floats) -> Floats:
    """Positions ``(T, 4, 3)`` of wrists and ankles, in the order of ``LIMBS``."""
    wrists = place_wrists(c, source_q, source_p, pose.q, pose.p)
    return np.concatenate([np.stack(wrists, axis=1), ankles], axis=1)


# Limbs


def _solve_limbs(
    c: Calibration,
    source_p: Floats,
    pose: TargetPose,
    targets: Floats,
    rate: float,
    avoidance: CollisionAvoidance | None,
) -> Floats:
    """Swing upper and lower bones so that limbs end at ``targets (T, 4, 3)``; ``(T, 4)`` metres that are missed."""
    skeleton, body = c.target.skeleton, c.target
    rest_q, rest_p = body.pose.rotations, body.pose.positions
    uppers, lowers, ends = _limb_joints(skeleton)
    upper_bones, lower_bones = rest_p[lowers] - rest_p[uppers], rest_p[ends] - rest_p[lowers]
    lengths = norms(upper_bones), norms(lower_bones)
    rest_hinges = np.array([body.hinges[f"{side}{upper}"] for side, upper, _, _ in LIMBS])
    to_joints = rotations.conjugate(rest_q[uppers])
    carried = rotations.rotate(pose.q[:, uppers], rotations.rotate(to_joints, rest_hinges))
    hinges = _hinges(c, source_p, carried)
    hinges[:, :2] = keep_elbow_side(hinges[:, :2], carried[:, :2], *_source_arms(c, source_p), rate)
    start = pose.p[:, uppers]
    targets = _avoid_tight_folds(start, targets, pose.p[:, ends], *lengths)
    middle, end, shortfall = bend_limb(start, targets, *lengths, hinges, SOFTNESS)
    if avoidance is not None:
        wanted = Arms(start[:, :2], targets[:, :2], hinges[:, :2], *(length[:2] for length in lengths))
        changed, arms = avoidance.clear_arms(wanted)
        elbows, wrists = arms.bend()
        for made, new in ((middle, elbows), (end, wrists)):
            made[:, :2] = np.where(changed[..., None], new, made[:, :2])
    for joints, rest_bones, bones in ((uppers, upper_bones, middle - start), (lowers, lower_bones, end - middle)):
        current = pose.q[:, joints]
        copied = rotations.rotate(current, rotations.rotate(rotations.conjugate(rest_q[joints]), rest_bones))
        # The smallest swing: the twist about the bone stays that of the copied rotation.
        pose.q[:, joints] = rotations.multiply(rotations.rotation_between(copied, bones), current)
    pose.p[:, ends] = end
    return shortfall


def _limb_joints(skeleton: Skeleton) -> tuple[Ints, Ints, Ints]:
    """Upper, lower and end joints of the limbs, in the order of ``LIMBS``."""
    uppers, lowers, ends = (np.array([skeleton.roles[f"{limb[0]}{limb[k]}"] for limb in LIMBS]) for k in (1, 2, 3))
    return uppers, lowers, ends


def _source_arms(c: Calibration, source_p: Floats) -> tuple[Floats, Floats]:
    """The source's upper arms and forearms ``(T, 2, 3)``."""
    uppers, lowers, ends = (joints[:2] for joints in _limb_joints(c.source.skeleton))
    return source_p[:, lowers] - source_p[:, uppers], source_p[:, ends] - source_p[:, lowers]


def _hinges(c: Calibration, source_p: Floats, copied: Floats) -> Floats:
    """The axes ``(T, 4, 3)`` about which the limbs bend: the source's own where it is flexed, else the copied ones.

    A knee that the capture bends backward keeps the copied axis, and so bends forward.
    """
    uppers, lowers, ends = _limb_joints(c.source.skeleton)
    upper, lower = source_p[:, lowers] - source_p[:, uppers], source_p[:, ends] - source_p[:, lowers]
    normal = cross(upper, lower)
    size = np.maximum(norms(normal), 1e-12)
    sine = size / np.maximum(norms(upper) * norms(lower), 1e-12)
    agreement = np.einsum("...i,...i", normal, copied) / size
    least, full = HINGE_SHOWN
    u = np.clip((sine - least) / (full - least), 0.0, 1.0) * np.clip(agreement / HINGE_AGREES, 0.0, 1.0)
    mixed = copied + smoothstep(u)[..., None] * (normal / size[..., None] - copied)
    return np.asarray(mixed / norms(mixed)[..., None])


def _avoid_tight_folds(start: Floats, targets: Floats, copied: Floats, upper: Floats, lower: Floats) -> Floats:
    """Targets ``(T, 4, 3)`` no nearer than bones of unequal length ``(4,)`` can fold, and never quite so near.

    A limb that is folded flat is as sensitive as a straight one. Where a target is nearer still, its direction means
    nothing and may reverse suddenly: there it fades into that of the ``copied`` end ``(T, 4, 3)``.
    """
    least = np.abs(upper - lower)
    zone = np.minimum(FOLDED * (upper + lower), least)
    limb, copied_limb = targets - start, copied - start
    distance = norms(limb)
    near = distance < least + zone
    if not near.any():
        return targets
    depth = np.clip((least - distance) / np.maximum(least, 1e-12), 0.0, 1.0)
    mixed = limb + (depth * least / np.maximum(norms(copied_limb), 1e-12))[..., None] * copied_limb
    reach = least + zone * np.exp((distance - least - zone) / np.maximum(zone, 1e-12))
    unfolded = start + mixed * (reach / np.maximum(norms(mixed), 1e-12))[..., None]
    return np.where(near[..., None], unfolded, targets)


# The result


def _assemble(motion: Motion, c: Calibration, pose: TargetPose, shortfall: Floats) -> Motion:
    """The target pose as a motion. Only hips have translations, and feet that are not below their legs."""
    skeleton = c.target.skeleton
    local, _ = kinematics.inverse(pose.q, np.zeros(pose.p.shape), skeleton.parents)
    translations = np.broadcast_to(skeleton.offsets, (len(pose.q), *skeleton.offsets.shape)).copy()
    feet = (skeleton.roles[f"{side}Foot"] for side in SIDES)
    for joint in (skeleton.roles["hips"], *(foot for foot in feet if not _is_below_a_leg(skeleton, foot))):
        parent = int(skeleton.parents[joint])
        if parent < 0:
            translations[:, joint] = pose.p[:, joint]
            continue
        above = slice(0, parent + 1)
        _, p = kinematics.forward(local[:, above], translations[:, above], skeleton.parents[above])
        to_parent = rotations.conjugate(pose.q[:, parent])
        translations[:, joint] = rotations.rotate(to_parent, pose.p[:, joint] - p[:, parent])
    missed = [
        f"{side} {name}: out of reach by more than 5 mm in {int((short > MISSED).sum())} of {len(local)} frames"
        for (side, *_), name, short in zip(LIMBS, LIMB_ENDS, shortfall.T, strict=True)
        if (short > MISSED).any()
    ]
    return Motion(
        skeleton,
        motion.rate,
        freeze(rotations.continuous(local)),  # nobody else holds these: they need not be copied again
        freeze(translations),
        retarget_scales(motion, c),
        calibration_frames=motion.calibration_frames,
        name=motion.name,
        source=replace(motion.source, evidence=(*motion.source.evidence, *c.evidence, *missed), euler_orders=()),
    )


def _is_below_a_leg(skeleton: Skeleton, foot: int) -> bool:
    """Whether a foot is a descendant of a shin: rigs for animation may attach feet to the root."""
    shins = {skeleton.roles[f"{side}LowerLeg"] for side in SIDES}
    joint = foot
    while joint >= 0:
        joint = int(skeleton.parents[joint])
        if joint in shins:
            return True
    return False


# Surface scales


# Joints of the trunk that one body has and another has not: which one is scaled instead.
_INSTEAD = {"upperChest": "chest", "chest": "upperChest"}


def retarget_scales(motion: Motion, c: Calibration) -> Floats | None:
    """The motion's surface scales ``(T, J, 3)`` on the target's joints, role by role; None where there are none.

    A scale along a joint's axes is a symmetric matrix. In rotated axes it has other numbers on its diagonal, and those
    off it cannot be expressed by three scales. Bodies' axes are mostly the same up to their order, where nothing is
    lost.
    """
    if motion.scales is None:
        return None
    source, target = c.source.skeleton, c.target.skeleton
    scales = np.ones((len(motion), len(target), 3))
    for role, joint in source.roles.items():
        given = motion.scales[:, joint]
        other = role if role in target.roles else _INSTEAD.get(role, "")
        if other not in target.roles or (other != role and other in source.roles) or np.all(given == 1.0):
            continue
        target_joint = target.roles[other]
        if role in c.rotation_offsets:
            offset = c.rotation_offsets[role]
        else:
            to_joint = rotations.conjugate(c.source.pose.rotations[joint])
            offset = rotations.multiply(to_joint, c.target.pose.rotations[target_joint])
        scales[:, target_joint] = given @ rotations.to_matrix(offset) ** 2
    if _is_headless(c):
        for role, instead in (("head", ("chest", "upperChest", "spine")), ("hips", ("spine",))):
            trunk = next((target.roles[name] for name in instead if name in target.roles), None)
            if trunk is not None and role in target.roles and np.all(scales[:, target.roles[role]] == 1.0):
                scales[:, target.roles[role]] = scales[:, trunk]
    return None if np.all(scales == 1.0) else scales


def _is_headless(c: Calibration) -> bool:
    """Whether the target's head is no higher than its shoulders: then head and trunk are one, and scale as one."""
    p, roles = c.target.pose.positions, c.target.skeleton.roles
    if "head" not in roles:
        return False
    return bool(p[roles["head"], 1] <= max(p[roles[f"{side}UpperArm"], 1] for side in SIDES))


# Spine and neck, between bodies with different numbers of trunk joints


def retarget_trunk(calibration: Calibration, source_rotations: Floats, source_positions: Floats) -> dict[int, Floats]:
    """World rotations ``(T, 4)`` of the target's joints from the spine's first to the head.

    The source's spine is a curve of rotations over the height from hips (0) to chest (1): each joint gives the value at
    the upper end of its bone. Target joints sample that curve at their own upper ends. So a spine with the same joints
    is copied, and one with more or fewer joints bends the same way overall. Necks likewise, from chest to head.
    """
    source, target = calibration.source, calibration.target
    target_rotations: dict[int, Floats] = {}
    start_rotation = _rotation_in_body_axes(source, source_rotations, source.skeleton.roles["hips"])
    for source_chain, target_chain in (
        (source.spine, target.spine),
        (source.neck, target.neck),
    ):
        if not source_chain or not target_chain:
            continue
        keys = np.concatenate([[0.0], _upper_ends(source, source_chain)])
        curve = [
            start_rotation,
            *(_rotation_in_body_axes(source, source_rotations, joint) for joint in source_chain),
        ]
        for joint, at in zip(target_chain, _upper_ends(target, target_chain), strict=True):
            i = int(np.clip(np.searchsorted(keys, at, side="left") - 1, 0, len(keys) - 2))
            u = np.clip((at - keys[i]) / max(keys[i + 1] - keys[i], 1e-12), 0.0, 1.0)
            sampled = rotations.slerp(curve[i], curve[i + 1], np.full(len(source_rotations), u))
            target_rotations[joint] = rotations.multiply(sampled, rotations.conjugate(_trunk_frame(target, joint)))
        start_rotation = curve[-1]
    _align_spine(calibration, source_rotations, source_positions, target_rotations)
    return target_rotations


def _align_spine(
    calibration: Calibration, source_rotations: Floats, source_positions: Floats, target_rotations: dict[int, Floats]
) -> None:
    """Rotate all spine joints but the last, in place, so that the spine has the direction that it has on the source.

    Its direction is that of the line from its first to its last joint.
    """
    source, target = calibration.source, calibration.target
    chain, source_chain = target.spine, source.spine
    if len(chain) < 2 or len(source_chain) < 2:
        return
    line = source_positions[:, source_chain[-1]] - source_positions[:, source_chain[0]]
    if not np.all(np.any(line != 0.0, axis=1)):
        return  # bones of no length have no direction
    source_rest, rest = (
        body.pose.positions[joints[-1]] - body.pose.positions[joints[0]]
        for body, joints in ((source, source_chain), (target, chain))
    )
    hips = source.skeleton.roles["hips"]
    hips_from_rest = rotations.multiply(source_rotations[:, hips], rotations.conjugate(source.pose.rotations[hips]))
    swing = rotations.rotation_between(rotations.rotate(hips_from_rest, source_rest), line)
    # The two rest poses agree in body axes (left, up, forward): these convert directions from target to source.
    to_source = rotations.multiply(source.basis, rotations.conjugate(target.basis))
    wanted = rotations.rotate(swing, rotations.rotate(hips_from_rest, rotations.rotate(to_source, rest)))
    bones = zip(chain[:-1], target.skeleton.offsets[list(chain[1:])], strict=True)
    current = sum(rotations.rotate(target_rotations[joint], bone) for joint, bone in bones)
    correction = rotations.rotation_between(current, wanted)
    for joint in chain[:-1]:
        target_rotations[joint] = rotations.multiply(correction, target_rotations[joint])


def _trunk_frame(body: Anatomy, joint: int) -> Floats:
    """The rotation ``(4,)`` from the body's axes (left, up, forward) to a trunk joint's own, at rest."""
    return rotations.multiply(rotations.conjugate(body.pose.rotations[joint]), body.basis)


def _rotation_in_body_axes(body: Anatomy, world_rotations: Floats, joint: int) -> Floats:
    """World rotations ``(T, 4)`` of the body's axes at a joint, from world rotations ``(T, J, 4)`` of all joints."""
    return rotations.multiply(world_rotations[:, joint], _trunk_frame(body, joint))


def _upper_ends(body: Anatomy, chain: tuple[int, ...]) -> Floats:
    """The height of each bone's upper end along the chain, as a fraction of the chain's length; 1 for the last."""
    lengths = body.skeleton.bone_lengths
    steps = np.array([*(lengths[joint] for joint in chain[1:]), 0.0])
    # The last bone has no end in this chain: assume the mean length.
    steps[-1] = max(steps[:-1].mean() if len(chain) > 1 else 1.0, 1e-9)
    ends = np.cumsum(np.maximum(steps, 1e-9))
    shares: Floats = ends / ends[-1]
    return shares
