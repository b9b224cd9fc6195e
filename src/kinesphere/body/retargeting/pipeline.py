"""Scales of the surface on another body: the same stretch in the same direction, in the other body's axes.

A stretch along a joint's axes is a symmetric matrix; seen from axes turned against these it has other numbers on its
diagonal, and what is off it cannot be said by three scales. Bodies' axes are mostly the same up to their order, where
nothing is lost.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.collision import CollisionAvoidance, find_volumes
from kinesphere.body.ground import Ground, find_ground
from kinesphere.body.require_roles import require_motion_roles, require_roles
from kinesphere.body.retargeting.calibration import Calibration, calibrate, is_same_body
from kinesphere.body.retargeting.hand_placement import place_wrists
from kinesphere.body.retargeting.stance import LOW, level_hips, widen_stance
from kinesphere.body.retargeting.trunk import hip_height_offset, retarget_trunk
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.two_bone import bend_limb
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.character import Character
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

# Joints of the trunk that one body has and another has not: who shows their stretch instead.
_INSTEAD = {"upperChest": "chest", "chest": "upperChest"}


def retarget_scales(motion: Motion, c: Calibration) -> Floats | None:
    """The motion's scales ``(T, J, 3)`` on the target's joints, role by role; None where there are none."""
    if motion.scales is None:
        return None
    source, target = c.source.skeleton, c.target.skeleton
    scales = np.ones((len(motion), len(target), 3))
    for role, joint in source.roles.items():
        given = motion.scales[:, joint]
        other = role if role in target.roles else _INSTEAD.get(role, "")
        if other not in target.roles or (other != role and other in source.roles) or np.all(given == 1.0):
            continue
        onto = target.roles[other]
        if role in c.turns:
            turn = c.turns[role]
        else:
            turn = rotations.multiply(
                rotations.conjugate(c.source.posture.rotations[joint]), c.target.posture.rotations[onto]
            )
        scales[:, onto] = given @ rotations.to_matrix(turn) ** 2
    if _headless(c):
        for role, instead in (("head", ("chest", "upperChest", "spine")), ("hips", ("spine",))):
            shown = next((target.roles[name] for name in instead if name in target.roles), None)
            if shown is not None and role in target.roles and np.all(scales[:, target.roles[role]] == 1.0):
                scales[:, target.roles[role]] = scales[:, shown]
    return None if np.all(scales == 1.0) else scales


def _headless(c: Calibration) -> bool:
    """Whether the target's head is no higher than its shoulders: then head and trunk are one, and stretch as one."""
    place, roles = c.target.posture.positions, c.target.skeleton.roles
    if "head" not in roles:
        return False
    return bool(place[roles["head"], 1] <= max(place[roles[f"{side}UpperArm"], 1] for side in SIDES))


# ---- A motion of one body on another.
#
# Orientations pass through anatomical frames (``calibration``). Then hands and feet are put where they belong and
# the limbs solved to meet them: a hand keeps its place relative to the shoulder, in arm lengths, unless it is near
# the other hand or the head, when it keeps that relation; a foot keeps its place on the ground, in leg lengths, so
# what was planted stays planted.


FOLDED = 0.06  # of a limb: so near to its tightest fold it folds no tighter
HIGH = 0.35  # leg lengths: a foot higher belongs to its hip
SOFTNESS = 0.001  # share of the limb over which it eases into full reach
_LIMBS = tuple(
    (side, *parts) for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot")) for side in SIDES
)


def retarget(
    motion: Motion,
    target: Character | Skeleton | Motion,
    *,
    calibration: Calibration | None = None,
    ground: float | None = None,
    clear: bool | None = None,
) -> Motion:
    """The motion on another body, on the same floor.

    The target may also be a motion: of a body whose rest pose is no body's pose, only a motion shows how it stands.
    ``ground`` is the height of that floor where it should not be found by itself. What could not be
    reached is said in the result's ``source.evidence``.

    ``clear`` says whether hands and arms are kept out of a character's trunk and head (``body.clearance``). Unsaid,
    they are where these are thicker than any person's, its arms hang beside them and are long enough to reach before
    them. Elsewhere only if asked for: what is moved cannot be told again on the way back.
    """
    if calibration is None:
        onto = require_motion_roles(target) if isinstance(target, Motion) else require_roles(_skeleton(target))
        own, other = require_motion_roles(motion), onto.skeleton if isinstance(onto, Motion) else onto
        if is_same_body(own.skeleton, other):
            return replace(own, skeleton=other)  # on its own body a motion is itself
        calibration = calibrate(own, onto)
    motion = replace(motion, skeleton=calibration.source.skeleton)
    floor = find_ground(motion, ground)
    source_q, source_p = motion.world()
    source_p = source_p - [0.0, floor.height, 0.0]
    world, known = _oriented(calibration, source_q, source_p)
    places = _placed(calibration, world, source_p)
    wrists = place_wrists(calibration, source_q, source_p, world, places)
    ankles, from_hip = _ankle_targets(calibration, motion, source_p, floor, places)
    lift = hip_height_offset(calibration, source_p, places, ankles, motion.rate)
    places[..., 1] += lift[:, None]
    targets = np.stack([*wrists, *ankles], axis=1)
    targets[:, :2, 1] += lift[:, None]
    targets[:, 2:, 1] += from_hip * lift[:, None]
    clearance = _clearance(calibration, target, clear, world, places, motion.rate)
    if clearance is not None:
        targets[:, :2] = clearance.wrists(targets[:, :2], world, places)
    shortfall = _solve_limbs(calibration, source_p, world, known, places, targets, clearance)
    places[..., 1] += floor.height
    return _assembled(motion, calibration, world, known, places, shortfall)


def _skeleton(target: Character | Skeleton) -> Skeleton:
    if not isinstance(target, Character | Skeleton):
        raise TypeError(f"a character, a skeleton or a motion of the body is expected, found {target!r}")
    return target.skeleton if isinstance(target, Character) else target


def _clearance(
    c: Calibration,
    target: Character | Skeleton | Motion,
    clear: bool | None,
    world: Floats,
    places: Floats,
    rate: float,
) -> CollisionAvoidance | None:
    """What keeps hands and arms out of the body, where a surface shows it."""
    if clear is False or not isinstance(target, Character) or not target.skeleton.same_tree(c.target.skeleton):
        return None
    body = find_volumes(target, c.target)
    body = body if clear else body.passable()
    return CollisionAvoidance.of(body, c.target, world, places, rate) if body.volumes and body.hands else None


def _oriented(c: Calibration, source_q: Floats, source_p: Floats) -> tuple[Floats, Bools]:
    """World rotations of all target joints: copied where a role says so, else carried along by the parent."""
    skeleton, frames = c.target.skeleton, len(source_q)
    world = np.empty((frames, len(skeleton), 4))
    known = np.zeros(len(skeleton), dtype=bool)
    joints = [skeleton.roles[role] for role in c.turns]
    copied = source_q[:, [c.source.skeleton.roles[role] for role in c.turns]]
    world[:, joints] = rotations.multiply(copied, np.array(list(c.turns.values())))
    known[joints] = True
    for joint, turned in retarget_trunk(c, source_q, source_p).items():
        world[:, joint], known[joint] = turned, True
    hips = skeleton.roles["hips"]
    world[:, hips] = level_hips(c, world[:, hips])
    kinematics.complete_rotations(world, known, skeleton.rest_rotations, skeleton.parents)
    return world, known


def _placed(c: Calibration, world: Floats, source_p: Floats) -> Floats:
    """World positions of the target's joints, with the hips where the source's are in leg lengths."""
    skeleton = c.target.skeleton
    places = kinematics.place_joints(world, skeleton.offsets, skeleton.parents)
    wanted = scale_root_path(c, _middle(c.source.skeleton, source_p), source_p)
    return places + (wanted - _middle(skeleton, places))[:, None]


def scale_root_path(c: Calibration, points: Floats, source_p: Floats) -> Floats:
    """Source places ``(T, 3)`` in the target's world: leg lengths over the ground, from where the motion starts."""
    start = _middle(c.source.skeleton, source_p[:1])[0] * [1.0, 0.0, 1.0]
    raised = np.array([0.0, c.source.ankle_height, 0.0])
    moved: Floats = start + c.leg * (points - start - raised) + [0.0, c.target.ankle_height, 0.0]
    return moved


def _middle(skeleton: Skeleton, positions: Floats) -> Floats:
    left, right = (positions[:, skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    middle: Floats = 0.5 * (left + right)
    return middle


def _ankle_targets(
    c: Calibration, motion: Motion, source_p: Floats, ground: Ground, places: Floats
) -> tuple[list[Floats], Floats]:
    """Where the ankles are to be, left and right ``(T, 3)``: where they are over the ground, high feet from the hip.

    And how much ``(T, 2)`` each belongs to the hip.
    """
    aside = widen_stance(c, motion, source_p, ground)
    roles, target_roles = c.source.skeleton.roles, c.target.skeleton.roles
    targets, shares = [], []
    for side, step in zip(SIDES, aside, strict=True):
        foot, hip = (source_p[:, roles[f"{side}{part}"]] for part in ("Foot", "UpperLeg"))
        size = c.target.lengths[f"{side}Leg"] / c.source.lengths[f"{side}Leg"]
        from_hip = places[:, target_roles[f"{side}UpperLeg"]] + size * (foot - hip)
        standing = scale_root_path(c, foot, source_p) + step
        height = (foot[:, 1] - c.source.ankle_height) / c.source.lengths[f"{side}Leg"]
        u = np.clip((height - LOW) / (HIGH - LOW), 0.0, 1.0)
        shares.append(u * u * (3.0 - 2.0 * u))
        targets.append(standing + shares[-1][:, None] * (from_hip - standing))
    return targets, np.stack(shares, axis=1)


def _solve_limbs(
    c: Calibration,
    source_p: Floats,
    world: Floats,
    known: Bools,
    places: Floats,
    targets: Floats,
    clearance: CollisionAvoidance | None,
) -> Floats:
    """Swing upper and lower limbs so that wrists and ankles are met; what is left ``(T, 4)``."""
    skeleton, body = c.target.skeleton, c.target
    rest_q, rest_p = body.posture.rotations, body.posture.positions
    uppers, lowers, ends = _limb_joints(skeleton)
    above, below = rest_p[lowers] - rest_p[uppers], rest_p[ends] - rest_p[lowers]
    hinges = np.array([body.hinges[f"{limb[0]}{limb[1]}"] for limb in _LIMBS])
    at_rest = rotations.rotate(rotations.conjugate(rest_q[uppers]), hinges)
    hinge = _bending(c, source_p, rotations.rotate(world[:, uppers], at_rest))
    start = places[:, uppers]
    targets = _unfolded(start, targets, places[:, ends], above, below)
    upper, lower = (_lengths(part)[..., 0] for part in (above, below))
    elbow, wrist, shortfall = bend_limb(start, targets, upper, lower, hinge, SOFTNESS)
    if clearance is not None:
        swung, axes = clearance.bends(start[:, :2], elbow[:, :2], wrist[:, :2])
        rows = np.nonzero(swung)
        if len(rows[0]):
            bones = upper[rows[1]], lower[rows[1]], axes[rows], SOFTNESS
            elbow[rows], wrist[rows], shortfall[rows] = bend_limb(start[rows], targets[rows], *bones)
    for joints, rest, way in ((uppers, above, elbow - start), (lowers, below, wrist - elbow)):
        along = rotations.rotate(rotations.conjugate(rest_q[joints]), rest)
        turned = world[:, joints]
        # The smallest swing: what the copied rotation twists the bone about itself stays as it is.
        world[:, joints] = rotations.multiply(rotations.rotation_between(rotations.rotate(turned, along), way), turned)
    places[:, ends] = wrist
    kinematics.complete_rotations(world, known, skeleton.rest_rotations, skeleton.parents)
    return shortfall


def _unfolded(start: Floats, targets: Floats, copied: Floats, above: Floats, below: Floats) -> Floats:
    """Targets ``(T, 4, 3)`` no nearer than bones of unequal length can fold, and never quite so near.

    A limb that is folded flat is as touchy as a straight one. And where a target is nearer still its direction says
    nothing and may turn about at once: there it fades into the copied one.
    """
    upper, lower = _lengths(above), _lengths(below)
    least = np.abs(upper - lower)
    zone = np.minimum(FOLDED * (upper + lower), least)
    way, aside = targets - start, copied - start
    far = _lengths(way)
    near = far < least + zone
    if not near.any():
        return targets
    deep = np.clip((least - far) / np.maximum(least, 1e-12), 0.0, 1.0)
    mixed = way + deep * least * aside / np.maximum(_lengths(aside), 1e-12)
    reach = least + zone * np.exp((far - least - zone) / np.maximum(zone, 1e-12))
    kept: Floats = np.where(near, start + mixed * (reach / np.maximum(_lengths(mixed), 1e-12)), targets)
    return kept


def _limb_joints(skeleton: Skeleton) -> tuple[Ints, Ints, Ints]:
    """Upper, lower and end joints of the limbs, in the order of ``_LIMBS``."""
    uppers, lowers, ends = (np.array([skeleton.roles[f"{limb[0]}{limb[k]}"] for limb in _LIMBS]) for k in (1, 2, 3))
    return uppers, lowers, ends


def _bending(c: Calibration, source_p: Floats, copied: Floats) -> Floats:
    """The axes ``(T, 4, 3)`` about which the limbs bend: the source's own where it is bent, else the copied ones.

    A knee that the capture bends backward keeps the copied axis, and so bends forward.
    """
    uppers, lowers, ends = _limb_joints(c.source.skeleton)
    above, below = source_p[:, lowers] - source_p[:, uppers], source_p[:, ends] - source_p[:, lowers]
    normal = np.cross(above, below)
    size = np.maximum(_lengths(normal), 1e-12)
    sine = size / np.maximum(_lengths(above) * _lengths(below), 1e-12)
    agree = np.einsum("...i,...i", normal, copied)[..., None] / size
    u = np.clip((sine - 0.05) / 0.2, 0.0, 1.0) * np.clip(agree / 0.3, 0.0, 1.0)
    mixed = copied + u * u * (3.0 - 2.0 * u) * (normal / size - copied)
    axes: Floats = mixed / _lengths(mixed)
    return axes


def _lengths(vectors: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("...i,...i", vectors, vectors))[..., None]
    return lengths


def _assembled(
    motion: Motion, c: Calibration, world: Floats, known: Bools, places: Floats, shortfall: Floats
) -> Motion:
    """World rotations to a motion. Only hips move out of their sockets, and feet that do not hang on their legs."""
    skeleton = c.target.skeleton
    local, _ = kinematics.inverse(world, np.zeros((*world.shape[:2], 3)), skeleton.parents)
    translations = np.broadcast_to(skeleton.offsets, (len(world), *skeleton.offsets.shape)).copy()
    free = [skeleton.roles["hips"], *(foot for foot in _feet(skeleton) if not _hangs_on_leg(skeleton, foot))]
    for joint in free:
        parent = int(skeleton.parents[joint])
        if parent < 0:
            translations[:, joint] = places[:, joint]
            continue
        _, above = kinematics.forward(
            local[:, : parent + 1], translations[:, : parent + 1], skeleton.parents[: parent + 1]
        )
        unturn = rotations.conjugate(world[:, parent])
        translations[:, joint] = rotations.rotate(unturn, places[:, joint] - above[:, parent])
    missed = [
        f"{side} {name}: out of reach by more than 5 mm in {int((short > 0.005).sum())} of {len(world)} frames"
        for (side, *_), name, short in zip(_LIMBS, ("wrist", "wrist", "ankle", "ankle"), shortfall.T, strict=True)
        if (short > 0.005).any()
    ]
    said = (*motion.source.evidence, *c.evidence, *missed)
    return Motion(
        skeleton,
        motion.rate,
        freeze(rotations.continuous(local)),  # nobody else holds these: they need not be copied again
        freeze(translations),
        retarget_scales(motion, c),
        calibration_frames=motion.calibration_frames,
        name=motion.name,
        source=replace(motion.source, evidence=said, euler_orders=()),
    )


def _feet(skeleton: Skeleton) -> list[int]:
    return [skeleton.roles[f"{side}Foot"] for side in SIDES]


def _hangs_on_leg(skeleton: Skeleton, foot: int) -> bool:
    legs = {skeleton.roles[f"{side}LowerLeg"] for side in SIDES}
    joint = foot
    while joint >= 0:
        joint = int(skeleton.parents[joint])
        if joint in legs:
            return True
    return False
