"""A motion of one body on another.

Orientations pass through anatomical frames (``calibration``). Then hands and feet are put where they belong and
the limbs solved to meet them: a hand keeps its place relative to the shoulder, in arm lengths, unless it is near
the other hand or the head, when it keeps that relation; a foot keeps its place on the ground, in leg lengths, so
what was planted stays planted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.bodies import motion_with_roles, with_roles
from kinesphere.body.calibration import Calibration, calibrate
from kinesphere.body.ground import Ground, find_ground
from kinesphere.body.hands import wrist_targets
from kinesphere.body.stance import levelled, widened
from kinesphere.body.trunk import trunk_rotations
from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.kernels.limbs import solve_limb
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

NEARLY = 0.003  # metres that a planted foot may fall short before the hips come down
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
) -> Motion:
    """The motion on another body, on the same floor.

    The target may also be a motion: of a body whose rest pose is no body's pose, only a motion shows how it stands.
    ``ground`` is the height of that floor where it should not be found by itself. What could not be
    reached is said in the result's ``source.evidence``.
    """
    if calibration is None:
        onto = motion_with_roles(target) if isinstance(target, Motion) else with_roles(_skeleton(target))
        calibration = calibrate(motion_with_roles(motion), onto)
    motion = replace(motion, skeleton=calibration.source.skeleton)
    floor = find_ground(motion, ground)
    source_q, source_p = motion.world()
    source_p = source_p - [0.0, floor.height, 0.0]
    world, known = _oriented(calibration, source_q, source_p)
    places = _placed(calibration, world, source_p)
    wrists = wrist_targets(calibration, source_q, source_p, world, places)
    targets = np.stack([*wrists, *_ankle_targets(calibration, motion, source_p, floor)])
    sunk = _sink(calibration, places, targets[2:], motion.rate)
    places -= sunk[:, None]
    targets[:2] -= sunk
    shortfall = _solve_limbs(calibration, source_p, world, known, places, targets)
    places[..., 1] += floor.height
    return _assembled(motion, calibration, world, known, places, shortfall)


def _skeleton(target: Character | Skeleton) -> Skeleton:
    if not isinstance(target, Character | Skeleton):
        raise TypeError(f"a character, a skeleton or a motion of the body is expected, found {target!r}")
    return target.skeleton if isinstance(target, Character) else target


def _oriented(c: Calibration, source_q: Floats, source_p: Floats) -> tuple[Floats, list[bool]]:
    """World rotations of all target joints: copied where a role says so, else carried along by the parent."""
    skeleton, frames = c.target.skeleton, len(source_q)
    world = np.empty((frames, len(skeleton), 4))
    known = [False] * len(skeleton)
    joints = [skeleton.roles[role] for role in c.turns]
    copied = source_q[:, [c.source.skeleton.roles[role] for role in c.turns]]
    world[:, joints] = rotations.multiply(copied, np.array(list(c.turns.values())))
    for joint in joints:
        known[joint] = True
    for joint, turned in trunk_rotations(c, source_q, source_p).items():
        world[:, joint], known[joint] = turned, True
    hips = skeleton.roles["hips"]
    world[:, hips] = levelled(c, world[:, hips])
    _carry(skeleton, world, known)
    return world, known


def _carry(skeleton: Skeleton, world: Floats, known: list[bool]) -> None:
    """Joints without a rotation of their own keep their rest rotation on their parent."""
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if not known[joint]:
            rest = skeleton.rest_rotations[joint]
            world[:, joint] = rest if parent < 0 else rotations.multiply(world[:, parent], rest)


def _placed(c: Calibration, world: Floats, source_p: Floats) -> Floats:
    """World positions of the target's joints, with the hips where the source's are in leg lengths."""
    skeleton = c.target.skeleton
    local, _ = kinematics.inverse(world, np.zeros((*world.shape[:2], 3)), skeleton.parents)
    offsets = np.broadcast_to(skeleton.offsets, (len(world), *skeleton.offsets.shape))
    places = kinematics.forward_positions(local, offsets, skeleton.parents)
    wanted = on_the_ground(c, _middle(c.source.skeleton, source_p), source_p)
    return places + (wanted - _middle(skeleton, places))[:, None]


def on_the_ground(c: Calibration, points: Floats, source_p: Floats) -> Floats:
    """Source places ``(T, 3)`` in the target's world: leg lengths over the ground, from where the motion starts."""
    start = _middle(c.source.skeleton, source_p[:1])[0] * [1.0, 0.0, 1.0]
    raised = np.array([0.0, c.source.ankle_height, 0.0])
    moved: Floats = start + c.leg * (points - start - raised) + [0.0, c.target.ankle_height, 0.0]
    return moved


def _middle(skeleton: Skeleton, positions: Floats) -> Floats:
    left, right = (positions[:, skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    middle: Floats = 0.5 * (left + right)
    return middle


def _sink(c: Calibration, places: Floats, ankles: Floats, rate: float) -> Floats:
    """How far the hips must come down ``(T, 3)`` so that both feet are reached, smoothed over a fifth of a second.

    Bodies differ between left and right and in the width of their hips, so a straight leg of one may be just too
    short on the other.
    """
    roles = c.target.skeleton.roles
    lack = np.zeros(len(places))
    for side, ankle in zip(SIDES, ankles, strict=True):
        way = ankle - places[:, roles[f"{side}UpperLeg"]]
        longest = c.target.lengths[f"{side}Leg"] + NEARLY
        level = np.minimum(np.linalg.norm(way[:, [0, 2]], axis=-1), 0.98 * longest)
        # A foot in the air may fall short: nobody bends the standing leg to kick farther.
        lifted = (ankle[:, 1] - c.target.ankle_height) / (0.1 * longest)
        standing = 1.0 - np.clip(lifted, 0.0, 1.0) ** 2
        lack = np.maximum(lack, standing * (-way[:, 1] - np.sqrt(longest**2 - level**2)))
    half = max(int(0.1 * rate), 1)
    padded = np.pad(lack, 2 * half, mode="edge")
    # The largest need within reach of each frame, then its mean: smooth, and never less than what is needed there.
    widest = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).max(axis=-1)
    smooth = np.lib.stride_tricks.sliding_window_view(widest, 2 * half + 1).mean(axis=-1)
    down: Floats = smooth[:, None] * np.array([0.0, 1.0, 0.0])
    return down


def _ankle_targets(c: Calibration, motion: Motion, source_p: Floats, ground: Ground) -> list[Floats]:
    """Where the ankles are to be, left and right ``(T, 3)``."""
    aside = widened(c, motion, source_p, ground)
    feet = (source_p[:, c.source.skeleton.roles[f"{side}Foot"]] for side in SIDES)
    return [on_the_ground(c, foot, source_p) + step for foot, step in zip(feet, aside, strict=True)]


def _solve_limbs(
    c: Calibration, source_p: Floats, world: Floats, known: list[bool], places: Floats, targets: Floats
) -> Floats:
    """Swing upper and lower limbs so that wrists and ankles are met; what is left ``(4, T)``."""
    skeleton, body = c.target.skeleton, c.target
    rest_q, rest_p = body.posture.rotations, body.posture.positions
    uppers, lowers, ends = _limb_joints(skeleton)
    above, below = rest_p[lowers] - rest_p[uppers], rest_p[ends] - rest_p[lowers]
    start = places[:, uppers].swapaxes(0, 1)
    turned = rotations.multiply(world[:, uppers], rotations.conjugate(rest_q[uppers])).swapaxes(0, 1)
    hinges = np.array([body.hinges[f"{limb[0]}{limb[1]}"] for limb in _LIMBS])
    hinge = _bending(c, source_p, rotations.rotate(turned, hinges[:, None]))
    outward = np.cross(targets - start, hinge)
    lengths = (np.linalg.norm(part, axis=-1)[:, None] for part in (above, below))
    solved = solve_limb(start, targets, *lengths, reference=outward, home=hinge, softness=SOFTNESS)
    for joints, rest, way in ((uppers, above, solved.elbow - start), (lowers, below, solved.wrist - solved.elbow)):
        along = rotations.rotate(rotations.conjugate(rest_q[joints]), rest)
        for k, joint in enumerate(joints.tolist()):
            # The smallest swing: what the copied rotation twists the bone about itself stays as it is.
            swing = rotations.between(rotations.rotate(world[:, joint], along[k]), way[k])
            world[:, joint] = rotations.multiply(swing, world[:, joint])
    places[:, ends] = solved.wrist.swapaxes(0, 1)
    _carry(skeleton, world, known)
    return solved.shortfall


def _limb_joints(skeleton: Skeleton) -> tuple[Ints, Ints, Ints]:
    """Upper, lower and end joints of the limbs, in the order of ``_LIMBS``."""
    uppers, lowers, ends = (np.array([skeleton.roles[f"{limb[0]}{limb[k]}"] for limb in _LIMBS]) for k in (1, 2, 3))
    return uppers, lowers, ends


def _bending(c: Calibration, source_p: Floats, copied: Floats) -> Floats:
    """The axes ``(4, T, 3)`` about which the limbs bend: the source's own where it is bent, else the copied ones.

    A knee that the capture bends backward keeps the copied axis, and so bends forward.
    """
    uppers, lowers, ends = _limb_joints(c.source.skeleton)
    above, below = source_p[:, lowers] - source_p[:, uppers], source_p[:, ends] - source_p[:, lowers]
    normal = np.cross(above, below).swapaxes(0, 1)
    size = np.linalg.norm(above, axis=-1) * np.linalg.norm(below, axis=-1)
    sine = np.linalg.norm(normal, axis=-1) / np.maximum(size.T, 1e-12)
    agree = np.sum(normal * copied, axis=-1) / np.maximum(np.linalg.norm(normal, axis=-1), 1e-12)
    u = np.clip((sine - 0.05) / 0.2, 0.0, 1.0) * np.clip(agree / 0.3, 0.0, 1.0)
    share = (u * u * (3.0 - 2.0 * u))[..., None]
    mixed = share * normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-12) + (1.0 - share) * copied
    axes: Floats = mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    return axes


def _assembled(
    motion: Motion, c: Calibration, world: Floats, known: list[bool], places: Floats, shortfall: Floats
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
        for (side, *_), name, short in zip(_LIMBS, ("wrist", "wrist", "ankle", "ankle"), shortfall, strict=True)
        if (short > 0.005).any()
    ]
    said = (*motion.source.evidence, *c.evidence, *missed)
    return Motion(
        skeleton,
        motion.rate,
        rotations.continuous(rotations.normalise(local)),
        translations,
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
