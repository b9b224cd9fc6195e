"""Inverse kinematics of arms, hands, trunk and legs: targets are reached, and forward kinematics agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.transform import Rotation

from generated import seeds
from kinesphere import Motion
from kinesphere.body.hands import ANGLES, HAND_SHAPES, hand_rig
from kinesphere.body.mass import centre_of_mass
from kinesphere.engine.arms import ArmBlend, ArmObstacles, ArmPose, shoulder_assist, solve_arms
from kinesphere.engine.batch import Batch
from kinesphere.engine.capsules import ROOMY, Capsule, signed_distance
from kinesphere.engine.channels import INDEX, ChannelCurves
from kinesphere.engine.hands import ASIDES, BENDS, CURL, DRAG, INHALED, LATE, MOST_DRAG, HandMotion, solve_hands
from kinesphere.engine.legs import SOFT, leg_overreach, solve_leg
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, SIGN, BatchPose, figure_limb
from kinesphere.engine.posture import HEAD_LINE, capsule_lines, horizontal_centre_of_mass
from kinesphere.engine.trunk import HEADING, NECK, SPINE, STEADY, solve_trunk, trunk_joints
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.two_bone import swivel_of

COUNT = 90
BATCHES = [Batch((40, 1, 49), (False, False, False)), Batch((60, 30), (True, True))]
few = settings(max_examples=20, deadline=None)


def random_rotations(rng, *shape):
    return rotations.normalise(rng.normal(size=(*shape, 4)))


def same_rotations(made, wanted, most=1e-6):
    assert made.shape == wanted.shape
    assert rotations.angle_between(made, wanted).max() < most


def world(pose):
    return kinematics.forward(pose.local, pose.translations, pose.skeleton.parents)


# Arms


def reachable(rng, limb):
    way = rng.normal(size=(COUNT, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return rng.uniform(limb.shortest_reach + 1e-3, limb.reach - 1e-3, (COUNT, 1)) * way


def solve(limb, target, swivel, **blend):
    return solve_arms(limb, target, swivel, ArmBlend.plain(COUNT)._replace(**blend), ArmObstacles.none(COUNT), 1.0)


@pytest.mark.parametrize("side", SIGN)
@given(seed=seeds)
@few
def test_wrists_are_at_their_targets_with_their_swivel(side, seed):
    rng = np.random.default_rng(seed)
    limb = figure_limb(1.70, side, "Arm")
    target, swivel = reachable(rng, limb), rng.uniform(-2.0, 2.0, COUNT)
    made = solve(limb, target, swivel)
    assert made.wrist == pytest.approx(target, abs=1e-9)
    assert limb.wrist(made.upper, made.flexion) == pytest.approx(target, abs=1e-9)
    elbow = rotations.rotate(made.upper, limb.upper)
    turned = swivel_of(np.zeros(3), elbow, made.wrist, DOWN, AHEAD) - swivel
    assert np.sin(turned) == pytest.approx(np.zeros(COUNT), abs=1e-6)
    assert np.cos(turned) == pytest.approx(np.ones(COUNT), abs=1e-6)
    assert (made.room == 1.0).all()


@given(seed=seeds)
@few
def test_each_space_alone_is_its_own_path(seed):
    rng = np.random.default_rng(seed)
    limb = figure_limb(1.70, "left", "Arm")
    target, swivel, ones = reachable(rng, limb), rng.uniform(-2.0, 2.0, COUNT), np.ones(COUNT)
    angles = np.column_stack([rng.uniform(-1.0, 1.0, (COUNT, 3)), rng.uniform(0.1, 2.0, COUNT)])
    starts, elbows = random_rotations(rng, COUNT), rng.normal(size=(COUNT, 3))
    by_angles = solve(limb, target, swivel, angle_weight=ones, angles=angles, starts=starts)
    same_rotations(by_angles.upper, rotations.multiply(rotations.from_rotation_vector(angles[:, :3]), starts))
    assert by_angles.flexion == pytest.approx(angles[:, 3])
    plain = solve(limb, target, swivel)
    by_elbows = solve(limb, target, swivel, elbow_weight=ones, elbows=elbows)
    made = rotations.rotate(by_elbows.upper, limb.upper)
    wanted = elbows / np.linalg.norm(elbows, axis=1, keepdims=True) * limb.lengths[0]
    assert made == pytest.approx(wanted, abs=1e-9)
    assert by_elbows.flexion == pytest.approx(plain.flexion)
    # A blend is the normalised sum of the three, each with the sign that lies nearer to the wrist's own.
    joint, through = rng.uniform(0.0, 0.4, (2, COUNT))
    blend = {"angle_weight": joint, "angles": angles, "starts": starts, "elbow_weight": through, "elbows": elbows}
    mixed = solve(limb, target, swivel, **blend)
    total = (1.0 - joint - through)[:, None] * plain.upper
    for weight, other in ((joint, by_angles.upper), (through, by_elbows.upper)):
        sign = np.where(np.sum(other * plain.upper, axis=1) < 0.0, -1.0, 1.0)
        total = total + (weight * sign)[:, None] * other
    same_rotations(mixed.upper, rotations.normalise(total))
    assert mixed.flexion == pytest.approx((1.0 - joint) * plain.flexion + joint * angles[:, 3])


@given(seed=seeds)
@few
def test_an_added_swivel_turns_about_the_line_to_the_wrist_and_a_bend_is_a_factor(seed):
    rng = np.random.default_rng(seed)
    limb = figure_limb(1.70, "right", "Arm")
    target, swivel, added = reachable(rng, limb), rng.uniform(-2.0, 2.0, COUNT), rng.normal(size=COUNT)
    plain, made = solve(limb, target, swivel), solve(limb, target, swivel, swivel_offset=added)
    axis = target / np.linalg.norm(target, axis=1, keepdims=True)
    turned = Rotation.from_rotvec(axis * added[:, None]) * Rotation.from_quat(plain.upper, scalar_first=True)
    same_rotations(made.upper, turned.as_quat(scalar_first=True))
    assert limb.wrist(made.upper, made.flexion) == pytest.approx(target, abs=1e-9)
    bend = rng.uniform(0.5, 1.5, COUNT)
    assert solve(limb, target, swivel, bend=bend).flexion == pytest.approx(np.clip(bend * plain.flexion, *FLEXIONS))


@given(seed=seeds)
@few
def test_room_is_the_distance_from_the_nearest_capsule(seed):
    rng = np.random.default_rng(seed)
    limb = figure_limb(1.70, "left", "Arm")
    target = reachable(rng, limb)
    lines, shifts = rng.uniform(-0.4, 0.4, (COUNT, 3, 2, 3)), rng.uniform(-0.1, 0.1, (3, 2, 3))
    shoulder, chest = rng.uniform(-0.1, 0.1, (COUNT, 3)), random_rotations(rng, COUNT)
    widths = rng.uniform(0.05, 0.15, (3, 2))
    around = ArmObstacles(shoulder, chest, lines, shifts, widths)
    made = solve_arms(limb, target, np.zeros(COUNT), ArmBlend.plain(COUNT), around, 1.0)
    to_chest = Rotation.from_quat(chest, scalar_first=True).inv()
    nearest = np.full(COUNT, np.inf)
    for v in range(3):
        start, end = (to_chest.apply(lines[:, v, k] - shoulder) + shifts[v, k] for k in range(2))
        along = np.linspace(0.0, 1.0, 1001)[:, None, None]
        stretched = (target - start - along * (end - start)) * [1.0, 1.0, widths[v, 0] / widths[v, 1]]
        nearest = np.minimum(nearest, np.linalg.norm(stretched, axis=-1).min(axis=0) - widths[v, 0])
    free = np.clip(nearest / ROOMY, 0.0, 1.0)
    assert made.room == pytest.approx(free**2 * (3.0 - 2.0 * free), abs=2e-3)


@given(seed=seeds)
@few
def test_signed_distance_is_that_of_the_stretched_capsule(seed):
    rng = np.random.default_rng(seed)
    points, (start, end) = rng.uniform(-0.4, 0.4, (COUNT, 3)), rng.uniform(-0.3, 0.3, (2, 3))
    wide, deep = rng.uniform(0.05, 0.3, 2)
    made = signed_distance(points, Capsule(start, end, wide, deep))
    along = np.linspace(0.0, 1.0, 2001)[:, None, None]
    stretched = (points - start - along * (end - start)) * [1.0, 1.0, wide / deep]
    assert made == pytest.approx(np.linalg.norm(stretched, axis=-1).min(axis=0) - wide, abs=2e-3)


def test_shoulders_assist_arms_that_reach_up_ahead_and_across_alike_on_both_sides():
    batch = Batch((3,) * 6, (False,) * 6)
    left = np.repeat([[0.05, -0.5, 0.0], [0.1, 0.5, 0.0], [0.0, 0.0, 0.5]], 3, axis=0)
    made = shoulder_assist(np.concatenate([left, left * [-1.0, 1.0, 1.0]]), 1.0, batch)
    assert made[:9] == pytest.approx(made[9:], abs=1e-12)
    relaxed, up, ahead = made[[1, 4, 7]]
    assert relaxed[0] < 0.02 < up[0]
    assert relaxed[1] == pytest.approx(0.0, abs=1e-12)
    assert ahead[1] > 0.2


# Hands


def hand_motion(**rows):
    still = {name: np.zeros(COUNT) for name in HandMotion._fields}
    still |= {
        "upper": rotations.identity(COUNT),
        "bend_range": np.ones(COUNT),
        "flexion": np.full(COUNT, 0.5),
        "velocity": np.zeros((COUNT, 3)),
    }
    return HandMotion(**still | {"angles": np.tile(HAND_SHAPES["relaxed"], (COUNT, 1))} | rows)


def local(pose, name):
    return pose.local[:, pose.skeleton.index(name)]


@pytest.mark.parametrize("side", SIGN)
@pytest.mark.parametrize("batch", BATCHES)
@given(seed=seeds)
@few
def test_fingers_are_those_of_any_rig_with_these_angles(side, batch, seed):
    rng = np.random.default_rng(seed)
    shapes = np.array(list(HAND_SHAPES.values()))
    one, other = shapes[rng.integers(len(shapes), size=2)]
    share = np.where(rng.random((COUNT, 1)) < 0.3, 0.0, rng.random((COUNT, 1)))  # some frames keep their shape
    angles = one + share * (other - one)
    breath = rng.random(COUNT)
    pose = BatchPose.at_rest(batch)
    solve_hands(pose, side, hand_motion(angles=angles.copy(), breath=breath))
    rig = hand_rig(pose.skeleton, side)
    for finger in range(4):
        angles[:, 4 * finger : 4 * finger + 3] += INHALED * breath[:, None]
    assert angles.shape == (COUNT, ANGLES)
    same_rotations(pose.local[:, list(rig.joints)], rig.rotations(angles))


@pytest.mark.parametrize("side", SIGN)
@given(seed=seeds)
@few
def test_arms_are_in_the_chests_axes_and_forearm_and_wrist_share_the_roll(side, seed):
    rng = np.random.default_rng(seed)
    pose, limb = BatchPose.at_rest(BATCHES[0]), figure_limb(1.70, side, "Arm")
    clavicle, upper = random_rotations(rng, 2, COUNT)
    roll, flexion = rng.uniform(-1.4, 1.4, COUNT), rng.uniform(0.1, 2.0, COUNT)
    pose.set_rotation(f"{side}Shoulder", clavicle)
    solve_hands(pose, side, hand_motion(upper=upper, flexion=flexion, roll=roll))
    same_rotations(rotations.multiply(clavicle, local(pose, f"{side}UpperArm")), upper)
    axis = limb.lower / limb.lengths[1]
    forearm = rotations.multiply(limb.elbow_rotation(flexion), rotations.from_axis_angle(axis, roll))
    same_rotations(rotations.multiply(local(pose, f"{side}LowerArm"), local(pose, f"{side}Hand")), forearm)
    assert rotations.angle(local(pose, f"{side}Hand")) == pytest.approx(0.45 * np.abs(roll), abs=1e-9)


@pytest.mark.parametrize("side", SIGN)
def test_wrists_bend_as_far_as_they_can(side):
    asked = np.linspace(-2.0, 2.0, COUNT)
    for name, axis, (least, most) in (("bend", "out", BENDS), ("aside", "across", ASIDES)):
        pose = BatchPose.at_rest(Batch((COUNT,), (False,)))
        solve_hands(pose, side, hand_motion(**{name: asked}))
        frame = hand_rig(pose.skeleton, side).frame
        about = np.cross(frame.along, getattr(frame, axis))
        made = rotations.to_rotation_vector(local(pose, f"{side}Hand")) @ about
        assert np.abs(rotations.angle(local(pose, f"{side}Hand")) - np.abs(made)).max() < 1e-9  # about that axis alone
        assert (np.diff(made) >= -1e-12).all()
        assert made[[0, -1]] == pytest.approx([least, most], abs=1e-3)
        small = np.abs(asked) < 0.2
        assert made[small] == pytest.approx(asked[small], abs=1e-9)


@pytest.mark.parametrize("side", SIGN)
def test_a_wider_range_lets_a_wrist_bend_beyond_anatomy(side):
    pose, asked = BatchPose.at_rest(Batch((COUNT,), (False,))), np.linspace(-1.8, 2.6, COUNT)
    solve_hands(pose, side, hand_motion(bend=asked, bend_range=np.full(COUNT, 2.2)))
    frame = hand_rig(pose.skeleton, side).frame
    made = rotations.to_rotation_vector(local(pose, f"{side}Hand")) @ np.cross(frame.along, frame.out)
    assert made == pytest.approx(asked, abs=1e-9)


@pytest.mark.parametrize("side", SIGN)
@pytest.mark.parametrize("direction", ["out", "across"])
def test_hands_drag_behind_a_moving_wrist_and_fingers_behind_the_hand(side, direction):
    pose, limb = BatchPose.at_rest(Batch((COUNT,), (False,))), figure_limb(1.70, side, "Arm")
    rig = hand_rig(pose.skeleton, side)
    speed = np.where(np.arange(COUNT) < 30, 0.0, 1.5)
    velocity = speed[:, None] * getattr(rig.frame, direction)
    still = hand_motion(flexion=np.full(COUNT, limb.rest_flexion))  # a hand in the chest's axes
    solve_hands(pose, side, still._replace(velocity=velocity, loose=np.full(COUNT, 0.8)))
    drag = 0.8 * MOST_DRAG * np.tanh(-DRAG * 1.5 / MOST_DRAG)
    about = np.cross(rig.frame.along, getattr(rig.frame, direction))
    made = rotations.to_rotation_vector(local(pose, f"{side}Hand")) @ about
    late = 30.0 + 60.0 * LATE
    assert made == pytest.approx(np.interp(np.arange(COUNT), [late - 1.0, late], [0.0, drag]), abs=1e-9)
    angles = HAND_SHAPES["relaxed"].copy()
    if direction == "out":
        for finger in range(4):
            angles[4 * finger : 4 * finger + 3] += CURL * drag
    same_rotations(pose.local[-1, list(rig.joints)], rig.rotations(angles))
    same_rotations(pose.local[int(late), list(rig.joints)], rig.rotations(HAND_SHAPES["relaxed"]))


# Legs


@pytest.mark.parametrize("side", SIGN)
@given(seed=seeds)
@few
def test_feet_are_where_they_are_asked_for(side, seed):
    rng = np.random.default_rng(seed)
    pose = BatchPose.at_rest(BATCHES[0])
    pose.set_rotation("hips", rotations.from_rotation_vector(rng.uniform(-0.3, 0.3, (COUNT, 3))))
    ball = np.array([SIGN[side] * 0.1, 0.12, 0.1]) + rng.uniform(-0.08, 0.08, (COUNT, 3))
    heading, pitch, toes = rng.uniform(-0.4, 0.4, (3, COUNT))
    solve_leg(pose, side, ball, heading, pitch, toes)
    q, p = world(pose)
    hip, knee, foot, toe = (pose.skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot", "Toes"))
    assert pose.legs[side][:, :2] == pytest.approx(p[:, [hip, knee]], abs=1e-9)
    reach = np.linalg.norm(pose.legs[side][:, 2] - pose.legs[side][:, 0], axis=1)
    near = reach < pose.skeleton.bone_lengths[[knee, foot]].sum() - 1e-6
    assert near.sum() > COUNT // 2
    assert p[near, toe] == pytest.approx(ball[near], abs=1e-9)
    assert p[near, foot] == pytest.approx(pose.legs[side][near, 2], abs=1e-9)
    wanted = Rotation.from_euler("YX", np.column_stack([heading, pitch]))
    same_rotations(q[:, foot], wanted.as_quat(scalar_first=True))
    bent = Rotation.from_quat(pose.local[:, toe], scalar_first=True).as_rotvec()
    assert bent == pytest.approx(-toes[:, None] * [1.0, 0.0, 0.0], abs=1e-9)
    # Knees point ahead: in front of the line from hip to ankle.
    middle = 0.5 * (pose.legs[side][:, 0] + pose.legs[side][:, 2])
    bent = reach < 0.97 * pose.skeleton.bone_lengths[[knee, foot]].sum()
    assert (p[bent, knee, 2] > middle[bent, 2]).all()


@given(seed=seeds)
@few
def test_hips_that_sink_by_the_overreach_leave_both_knees_soft(seed):
    rng = np.random.default_rng(seed)
    pose = BatchPose.at_rest(BATCHES[0], 1.5)
    points = rng.uniform(-0.15, 0.15, (2, COUNT, 3, 3))
    points[:, :, 0, 1] += 0.85
    pose.legs.update(zip(SIGN, points, strict=True))
    shift = rng.uniform(-0.05, 0.05, (COUNT, 3))
    needed = leg_overreach(pose, shift)
    assert needed.min() >= 0.0 < needed.max()
    longest = (
        np.cos(0.5 * SOFT)
        * pose.skeleton.bone_lengths[[pose.skeleton.index(name) for name in ("leftLowerLeg", "leftFoot")]].sum()
    )
    hips = points[:, :, 0] + shift - needed[:, None] * [0.0, 1.0, 0.0]
    reach = np.linalg.norm(points[:, :, 2] - hips, axis=-1).max(axis=0)
    assert reach.max() <= longest + 1e-9
    assert reach[needed > 0.0] == pytest.approx(longest, abs=1e-9)


# Trunk


def moved(batch=BATCHES[0], *, breath=0.0, assist=None, **channels):
    """A pose with these channels, and its rotation vectors by name."""
    table = np.zeros((COUNT, len(INDEX)))
    for name, values in channels.items():
        table[:, INDEX[name.replace("_", ".")]] = values
    pose = BatchPose.at_rest(batch)
    assist = np.zeros((COUNT, 2, 2)) if assist is None else assist
    solve_trunk(pose, ChannelCurves(table, np.full(COUNT, breath)), np.zeros((COUNT, 3)), assist)
    vectors = rotations.to_rotation_vector(pose.local)
    return pose, {name: vectors[:, i] for i, name in enumerate(pose.skeleton.names)}


@pytest.mark.parametrize("batch", BATCHES)
@given(seed=seeds)
@few
def test_the_trunks_world_is_its_forward_kinematics(batch, seed):
    rng = np.random.default_rng(seed)
    channels = ChannelCurves(rng.uniform(-0.3, 0.3, (COUNT, len(INDEX))), rng.random(COUNT))
    shift, assist = rng.normal(size=(COUNT, 3)), rng.uniform(-0.3, 0.3, (COUNT, 2, 2))
    pose = BatchPose.at_rest(batch, 1.5)
    made = solve_trunk(pose, channels, shift, assist)
    q, p = world(pose)
    joints = trunk_joints(pose.skeleton)
    same_rotations(made.rotations, q[:, joints])
    assert made.positions == pytest.approx(p[:, joints], abs=1e-9)
    assert np.array_equal(made.position(pose.skeleton.index("head")), made.positions[:, joints.tolist().index(
        pose.skeleton.index("head"))])  # fmt: skip


@given(seed=seeds)
@few
def test_the_trunk_is_linear_in_its_channels(seed):
    rng = np.random.default_rng(seed)
    one, other = ({name.replace(".", "_"): value for name, value in zip(INDEX, row, strict=True) if name != HEADING}
                  for row in rng.uniform(-0.2, 0.2, (2, len(INDEX))))  # fmt: skip
    both = {name: one[name] + other[name] for name in one}
    first, second, total, none = (moved(**rows)[1] for rows in (one, other, both, {}))
    for name in total:
        assert total[name] == pytest.approx(first[name] + second[name] - none[name], abs=1e-9)


def test_a_heading_turns_the_trunk_as_a_whole():
    rows = {"torso_forward": 0.3, "hips_lean": 0.4, "head_turn": 0.2}
    plain, turned = (world(moved(**rows, **more)[0]) for more in ({}, {"hips_heading": 2.5}))
    about = rotations.from_rotation_vector(np.array([0.0, 2.5, 0.0]))
    assert turned[0][0, 0] == pytest.approx(rotations.multiply(about, plain[0][0, 0]))
    away = rotations.rotate(about, plain[1] - plain[1][:, :1])
    trunk = [moved()[0].skeleton.index(name) for name in ("chest", "neck", "head", "leftEye")]
    assert np.abs((turned[1] - turned[1][:, :1] - away)[:, trunk]).max() < 1e-9


def test_torso_angles_are_shared_along_the_spine_and_the_head_is_steadied():
    pose, made = moved(torso_turn=0.4)
    for name, (share, _) in SPINE.items():
        assert made[name] == pytest.approx(np.tile([0.0, 0.4 * share, 0.0], (COUNT, 1)))
    for name, share in NECK.items():
        assert made[name] == pytest.approx(np.tile([0.0, -0.4 * STEADY[2] * share, 0.0], (COUNT, 1)))
    q, _ = world(pose)
    assert rotations.angle(q[:, pose.skeleton.index("upperChest")]) == pytest.approx(0.4)
    assert rotations.angle(q[:, pose.skeleton.index("head")]) == pytest.approx(0.4 * (1.0 - STEADY[2]))
    made = moved(torso_forward=0.2, torso_side=0.1)[1]
    assert made["spine"] == pytest.approx(np.tile(0.32 * np.array([0.2, 0.0, -0.1]), (COUNT, 1)))


def test_the_spine_takes_back_what_the_hips_do():
    made = moved(hips_lean=0.1, hips_tilt=0.2, hips_turn=0.3)[1]
    hips = np.array([0.1, 0.3, -0.2])  # about x, y and −z
    assert made["hips"] == pytest.approx(np.tile(hips, (COUNT, 1)))
    spine = sum(made[name] for name in SPINE)
    assert spine == pytest.approx(np.tile(hips * [-0.3, -0.5, -0.9], (COUNT, 1)))
    head = sum(made[name] for name in NECK)
    assert head == pytest.approx(np.tile(hips * [-0.7 * 0.55, -0.5 * 0.50, -0.1 * 0.60], (COUNT, 1)))


def test_the_spine_follows_joint_after_joint():
    step = np.where(np.arange(COUNT) < 20, 0.0, 1.0)
    made = moved(Batch((COUNT,), (False,)), torso_turn=step)[1]
    for name, (share, lag) in SPINE.items():
        late = 20.0 + 60.0 * lag
        wanted = np.interp(np.arange(COUNT), [late - 1.0, late], [0.0, share]) if lag else share * step
        assert made[name][:, 1] == pytest.approx(wanted, abs=1e-9)
    wave = np.sin(2.0 * np.pi * np.arange(COUNT) / (COUNT - 1))  # a loop has no ends
    made = moved(Batch((COUNT,), (True,)), torso_turn=wave)[1]["upperChest"][:, 1]
    assert made == pytest.approx(0.32 * np.roll(wave[:-1], 3)[np.arange(COUNT) % (COUNT - 1)], abs=1e-9)


def test_clavicles_are_mirrored_and_breathe_and_assist():
    assist = np.zeros((COUNT, 2, 2))
    assist[:, 0] = 0.1, 0.2
    plain = moved()[1]
    assert plain["leftShoulder"] == pytest.approx(plain["rightShoulder"] * [1.0, -1.0, -1.0])
    made = moved(assist=assist)[1]
    assert made["leftShoulder"] - plain["leftShoulder"] == pytest.approx(np.tile([0.0, -0.2, 0.1], (COUNT, 1)))
    assert made["rightShoulder"] == pytest.approx(plain["rightShoulder"])
    keyed = moved(right_clavicle_raise=0.1, right_clavicle_forward=0.2)[1]["rightShoulder"]
    assert keyed - plain["rightShoulder"] == pytest.approx(np.tile([0.0, 0.2, -0.1], (COUNT, 1)))
    full = moved(breath=1.0)[1]
    assert full["leftShoulder"][0, 2] > plain["leftShoulder"][0, 2]
    assert full["rightShoulder"][0, 2] < plain["rightShoulder"][0, 2]
    assert full["upperChest"][0, 0] < 0.0 < full["head"][0, 0]


def test_eyes_lift_and_turn():
    made = moved(eyes_lift=0.1, eyes_turn=0.2)[1]
    for side in SIGN:
        assert made[f"{side}Eye"] == pytest.approx(np.tile([-0.1, 0.2, 0.0], (COUNT, 1)))


# The whole body


def anyhow(rng, height=1.5):
    """A pose with everything somewhere."""
    pose = BatchPose.at_rest(BATCHES[0], height)
    pose.local[:] = random_rotations(rng, COUNT, len(pose.skeleton))
    pose.translations[:, 0] = rng.normal(size=(COUNT, 3))
    return pose


@given(seed=seeds)
@few
def test_the_centre_of_mass_is_that_of_the_motion(seed):
    rng = np.random.default_rng(seed)
    pose, rows = anyhow(rng), np.zeros(2 * COUNT)
    limbs = {side: figure_limb(1.5, side, "Arm") for side in SIGN}
    upper, flexion = random_rotations(rng, 2 * COUNT), rng.uniform(0.1, 2.0, 2 * COUNT)
    arms = ArmPose(upper, flexion, np.zeros((2 * COUNT, 3)), rows, rows, rows, rows, rows, {})
    of_sides = ({side: rows[own] for side, own in arms.sides.items()} for rows in (upper, flexion))
    made = horizontal_centre_of_mass(pose, *of_sides, limbs)
    for side, own in arms.sides.items():
        chest = rotations.multiply(local(pose, f"{side}Shoulder"), local(pose, f"{side}UpperArm"))
        same_rotations(chest, upper[own])
        same_rotations(local(pose, f"{side}LowerArm"), limbs[side].elbow_rotation(flexion[own]))
    motion = Motion(pose.skeleton, 60.0, rotations.continuous(pose.local), pose.translations)
    assert made == pytest.approx(centre_of_mass(motion)[:, [0, 2]], abs=1e-9)


@given(seed=seeds)
@few
def test_capsules_are_about_trunk_head_and_thighs(seed):
    rng = np.random.default_rng(seed)
    pose = BatchPose.at_rest(BATCHES[0], 1.5)
    table = rng.uniform(-0.3, 0.3, (COUNT, len(INDEX)))
    trunk = solve_trunk(pose, ChannelCurves(table, rng.random(COUNT)), np.zeros((COUNT, 3)), np.zeros((COUNT, 2, 2)))
    for side in SIGN:
        ball = np.array([SIGN[side] * 0.1, 0.1, 0.1]) + rng.uniform(-0.1, 0.1, (COUNT, 3))
        solve_leg(pose, side, ball, *np.zeros((3, COUNT)))
    lines = capsule_lines(pose, trunk)
    q, p = world(pose)
    hips, neck, head = (pose.skeleton.index(name) for name in ("hips", "neck", "head"))
    assert lines[:, 0] == pytest.approx(p[:, [hips, neck]], abs=1e-9)
    turned = Rotation.from_quat(q[:, head], scalar_first=True)
    for end in range(2):
        assert lines[:, 1, end] == pytest.approx(p[:, head] + turned.apply(HEAD_LINE[end] * 1.5 / 1.7), abs=1e-9)
    for i, side in enumerate(SIGN):
        thigh = [pose.skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg")]
        assert lines[:, 2 + i] == pytest.approx(p[:, thigh], abs=1e-9)
