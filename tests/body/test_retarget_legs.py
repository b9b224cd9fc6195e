"""Legs on other bodies: knees bend as they did, feet stay on the ground whatever their length, and nothing flips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gaits import SIDES, Plan, X, assemble, gait
from kinesphere import Motion, builtin, load, load_character, retarget
from kinesphere.body.retargeting.stance import smooth_over_distance
from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import smoothstep
from kinesphere.motion.character import Mesh, sole_depths

PERSON = Plan()
HUMAN = {
    "long shins": Plan(thigh=0.38, shin=0.47),
    "long thighs": Plan(thigh=0.50, shin=0.36),
    "high ankles": Plan(ankle=0.13),
    "low ankles": Plan(ankle=0.05),
    "wide hips": Plan(hips=0.30),
    "narrow hips": Plan(hips=0.10),
    "long feet": Plan(ball=0.20, toes=0.10),
    "no toes": Plan(toe_joint=False),
    "bare, no toes": Plan(toe_joint=False, surface=False, toes=0.0),
    "child": Plan(thigh=0.27, shin=0.27, ankle=0.085, hips=0.136, ball=0.05, toes=0.15, heel=0.08),
}
LONG_FEET = {
    "twice": Plan(ball=0.30, toes=0.12),
    "three times": Plan(ball=0.42, toes=0.20, heel=0.10),
    "without toes": Plan(ball=0.30, toes=0.20, toe_joint=False),
    "cartoon": Plan(thigh=0.17, shin=0.17, ankle=0.05, hips=0.2, ball=0.12, toes=0.15, heel=0.10),
}
KINDS = ("walk", "run", "tiptoe", "squat", "jump", "shift")


def knee(motion: Motion, side: str):
    """Degrees."""
    places, roles = motion.positions_world(), motion.skeleton.roles
    hip, middle, ankle = (places[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    sine = np.linalg.norm(np.cross(middle - hip, ankle - middle), axis=1)
    return np.degrees(np.arctan2(sine, np.sum((middle - hip) * (ankle - middle), axis=1)))


def around(values, half: int):
    return np.lib.stride_tricks.sliding_window_view(np.pad(values, half, mode="edge"), 2 * half + 1).max(axis=-1)


def lowest_of_soles(motion: Motion, plan: Plan):
    """``(T,)`` metres above the ground of heel, ball and tip of the toes, the lowest of both feet."""
    q, p = motion.world()
    heights = []
    for side, _ in SIDES:
        foot = motion.skeleton.roles[f"{side}Foot"]
        points = [(foot, [0.0, -plan.ankle, -plan.heel]), (foot, [0.0, -plan.ankle, plan.ball])]
        if plan.toe_joint:
            points.append((motion.skeleton.roles[f"{side}Toes"], [0.0, -0.02, plan.toes]))
        else:
            points.append((foot, [0.0, -plan.ankle, plan.ball + plan.toes]))
        heights += [(p[:, joint] + R.rotate(q[:, joint], np.array(offset)))[:, 1] for joint, offset in points]
    return np.min(heights, axis=0)


# Knees


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("kind", KINDS)
def test_knees_bend_as_fast_and_as_far_as_they_did(kind: str, rate: float) -> None:
    """At each moment, beside the greatest speed within a tenth of a second; 0.5 to 5° are nearly straight."""
    for straightest in (0.5, 5.0):
        source = gait(PERSON, rate, kind=kind, straightest=straightest)
        for name, plan in HUMAN.items():
            onto = retarget(source, plan.skeleton())
            for side, _ in SIDES:
                before, after = knee(source, side), knee(onto, side)
                speed, target_speed = (np.abs(np.diff(angle)) * rate for angle in (before, after))
                excess = (target_speed - around(speed, round(0.1 * rate))).max()
                assert excess < 0.25 * speed.max() + 45.0, (name, side, straightest, excess)
                assert np.abs(after - before).max() < 6.0, (name, side, straightest)


@pytest.mark.parametrize("kind", ["walk", "run", "squat"])
def test_knees_peak_when_they_did(kind: str) -> None:
    source = gait(PERSON, 60.0, kind=kind)
    for name, plan in HUMAN.items():
        onto = retarget(source, plan.skeleton())
        for side, _ in SIDES:
            a, b = (angle - angle.mean() for angle in (knee(source, side), knee(onto, side)))
            lags = range(-6, 7)
            matches = [float(np.sum(a[6:-6] * np.roll(b, -lag)[6:-6])) for lag in lags]
            assert lags[int(np.argmax(matches))] == 0, (name, side)


@pytest.mark.parametrize("kind", ["walk", "tiptoe", "squat", "shift"])
def test_feet_that_stood_stand(kind: str) -> None:
    """Ankles that are still in the source are still here, and as high over the ground."""
    source = gait(PERSON, 60.0, kind=kind)
    places = source.positions_world()
    for name, plan in HUMAN.items():
        onto = retarget(source, plan.skeleton()).positions_world()
        for side, _ in SIDES:
            foot = source.skeleton.roles[f"{side}Foot"]
            target_foot = plan.skeleton().roles[f"{side}Foot"]
            still = np.linalg.norm(np.diff(places[:, foot], axis=0), axis=1) < 1e-9
            moved = np.linalg.norm(np.diff(onto[:, target_foot][:, [0, 2]], axis=0), axis=1)[still]
            assert moved.max(initial=0.0) < 2e-4, (name, side)
            ground = onto[:-1, target_foot, 1][still & (places[:-1, foot, 1] < 0.081)]
            assert np.abs(ground - plan.ankle).max(initial=0.0) < 0.004, (name, side)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "plan", [*HUMAN.values(), *LONG_FEET.values()], ids=[*HUMAN, *(f"{k} as long" for k in LONG_FEET)]
)
def test_there_and_back_legs_are_as_they_were(plan: Plan, kind: str) -> None:
    source = gait(PERSON, 60.0, kind=kind)
    back = retarget(retarget(source, plan.skeleton()), source.skeleton)
    apart = np.linalg.norm(back.positions_world() - source.positions_world(), axis=-1)
    q, turned = source.world()[0], back.world()[0]
    for side, _ in SIDES:
        foot = source.skeleton.roles[f"{side}Foot"]
        most = 0.03 if kind == "tiptoe" else 0.012
        assert np.percentile(apart[:, foot], 95) < most * (PERSON.thigh + PERSON.shin)
        off = np.degrees(R.angle(R.multiply(R.conjugate(q[:, foot]), turned[:, foot])))
        if kind != "tiptoe":  # toes that are never flat are taken for a tilted joint, and set flat
            assert np.percentile(off, 90) < 10.0


@pytest.mark.data
@pytest.mark.parametrize("clip", ["137_29", "137_16", "141_20", "91_48", "79_71"])
def test_captured_knees_do_not_snap(data_dir, clip: str) -> None:
    """As copied, knees were up to 1,040 °/s faster than captured thereabouts."""
    motion = load(data_dir / f"bvh/cmu/{clip}.bvh")
    performed = motion.performed_frames
    for character in ("mesh2motion_human_male.glb", "CesiumMan.glb", "debug_robot.vrm"):
        onto = retarget(motion, load_character(data_dir / "characters" / character))
        for side, _ in SIDES:
            before, after = knee(motion, side)[performed], knee(onto, side)[performed]
            speed, target_speed = (np.abs(angle[2:] - angle[:-2]) * motion.rate / 2 for angle in (before, after))
            assert target_speed.max() < 2.0 * max(speed.max(), 60.0)
            assert np.percentile(target_speed - around(speed, 12), 99.9) < 320.0


# Feet of other lengths


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("plan", LONG_FEET.values(), ids=LONG_FEET)
def test_long_feet_stay_above_the_ground(plan: Plan, kind: str) -> None:
    """With a copied pitch toes were up to a third of a metre under it."""
    source = gait(PERSON, 60.0, kind=kind)
    allowed = min(float(lowest_of_soles(source, PERSON).min()), 0.0)
    onto = retarget(source, plan.skeleton())
    assert lowest_of_soles(onto, plan).min() > allowed - 0.03 * (plan.thigh + plan.shin)
    assert np.percentile(lowest_of_soles(onto, plan), 5.0) > allowed - 0.012
    for side, _ in SIDES:  # continuous: no faster than the foot was, and then some
        for part in ("Foot", "Toes"):
            if f"{side}{part}" in onto.skeleton.roles:
                turned = onto.world()[0][:, onto.skeleton.roles[f"{side}{part}"]]
                own = source.world()[0][:, source.skeleton.roles[f"{side}{part}"]]
                speeds = [60.0 * R.angle(R.multiply(R.conjugate(v[:-1]), v[1:])) for v in (turned, own)]
                assert speeds[0].max() < 1.5 * speeds[1].max() + 4.0, (side, part)


def test_ordinary_feet_keep_their_pitch() -> None:
    """On a person with other joint axes every foot is turned as it was."""
    source = gait(PERSON, 60.0)
    skeleton = source.skeleton
    axes = R.normalise(np.random.default_rng(3).normal(size=(len(skeleton), 4)))
    rest, offsets = kinematics.inverse(axes, skeleton.rest_world()[1], skeleton.parents)
    other = replace(skeleton, offsets=offsets, rest_rotations=rest)
    onto = retarget(source, other)
    for side, _ in SIDES:
        for part in ("Foot", "Toes"):
            joint = skeleton.roles[f"{side}{part}"]
            turned = R.multiply(onto.world()[0][:, joint], R.conjugate(axes[joint]))
            assert np.degrees(R.angle(R.multiply(R.conjugate(turned), source.world()[0][:, joint]))).max() < 0.5


def kneel_down() -> Motion:
    """The foot goes from flat over its toes to lying on its instep, 170° in two seconds."""
    time = np.arange(180) / 60.0
    done = smoothstep((time - 0.5) / 2.0)
    zero = np.zeros_like(time)
    centre = np.stack([zero, 0.9 - 0.42 * done, zero], axis=1)
    feet = []
    for _, sign in SIDES:
        ankle = np.stack([zero + 0.09 * sign, 0.08 + 0.1 * np.sin(np.pi * done) ** 2, -0.45 * done], axis=1)
        pitch = np.radians(170.0) * done
        feet.append((ankle, pitch, pitch))
    return assemble(PERSON, 60.0, centre, R.from_rotation_vector(zero[:, None] * X), feet)


@pytest.mark.parametrize("plan", LONG_FEET.values(), ids=LONG_FEET)
def test_kneeling_down_turns_long_feet_over_without_a_jump(plan: Plan) -> None:
    onto = retarget(kneel_down(), plan.skeleton(), ground=0.0)
    for side, _ in SIDES:
        turned = onto.world()[0][:, onto.skeleton.roles[f"{side}Foot"]]
        steps = np.degrees(R.angle(R.multiply(R.conjugate(turned[:-1]), turned[1:])))
        assert steps.max() < 18.0


@pytest.mark.parametrize("plan", LONG_FEET.values(), ids=LONG_FEET)
def test_kneeling_down_long_feet_go_around_not_through_the_ground(plan: Plan) -> None:
    """They went through it by a third to a half of a leg. The person's own toes go under it by 8 %."""
    source = kneel_down()
    own = lowest_of_soles(source, PERSON).min() / (PERSON.thigh + PERSON.shin)
    onto = retarget(source, plan.skeleton(), ground=0.0)
    assert lowest_of_soles(onto, plan).min() / (plan.thigh + plan.shin) > own - 0.07
    for side, outward in SIDES:
        front = R.rotate(onto.world()[0][:, onto.skeleton.roles[f"{side}Foot"]], [0.0, 0.0, 1.0])
        assert (outward * front[:, 0]).min() > -0.05  # not into the other foot


def test_kneeling_down_ordinary_feet_turn_over_as_they_did() -> None:
    source = kneel_down()
    onto = retarget(source, HUMAN["long shins"].skeleton(), ground=0.0)
    for side, _ in SIDES:
        own, turned = (m.world()[0][:, m.skeleton.roles[f"{side}Foot"]] for m in (source, onto))
        assert np.degrees(R.angle(R.multiply(R.conjugate(own), turned))).max() < 3.0


def test_a_surface_shows_where_soles_end() -> None:
    skeleton = replace(PERSON.skeleton(), soles={})
    joints, corners = [], []
    for side, sign in SIDES:
        for joint, z in ((f"{side}Foot", -0.07), (f"{side}Toes", 0.25)):
            for x in (-0.04, 0.04):
                corners.append([0.09 * sign + x, 0.0, z])
                joints.append([skeleton.index(joint)])
    faces = [[0, 1, 2], [4, 5, 6]]
    mesh = Mesh.bound(skeleton, corners, faces, joints, np.ones((len(joints), 1)))
    for size in (1.0, 2.5):
        soles = replace(skeleton, soles=sole_depths(skeleton, [mesh])).scaled(size).soles
        for side, _ in SIDES:
            found = [soles[f"{side}Foot{end}"] for end in ("", "Front", "Back")]
            assert found == pytest.approx([0.08 * size, 0.25 * size, 0.07 * size], abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("name", ["RobotExpressive.glb", "kaykit_manny/manny_med_mod.gltf"])
@pytest.mark.parametrize("clip", ["02_01", "91_11", "137_16"])
def test_captured_steps_on_long_feet(data_dir, clip: str, name: str) -> None:
    """The surface itself: it was 15 % of a leg and more under the ground, on the robot 40 cm."""
    motion, character = load(data_dir / f"bvh/cmu/{clip}.bvh"), load_character(data_dir / "characters" / name)
    onto = retarget(motion, character, ground=0.0)
    frames = onto.performed_frames[::6]
    q, p = (values[frames] for values in onto.world())
    feet = [joint for side, _ in SIDES for joint in onto.skeleton.descendants(onto.skeleton.roles[f"{side}Foot"])]
    lowest = np.full(len(frames), np.inf)
    for mesh, posed in zip(character.meshes, character.posed(q, p), strict=True):
        own = np.sum(mesh.weights * np.isin(mesh.joints, feet), axis=1) > 0.5
        if own.any():
            lowest = np.minimum(lowest, posed[:, own, 1].min(axis=1))
    source_feet = motion.positions_world()[frames][:, [motion.skeleton.roles[f"{side}Foot"] for side, _ in SIDES], 1]
    sunk = np.maximum(0.06 - source_feet.min(axis=1), 0.0)  # the capture's own ankles under their height
    leg = onto.skeleton.bone_lengths[[onto.skeleton.roles["leftLowerLeg"]]].sum() * 2.0
    assert np.percentile(lowest / leg + 1.3 * sunk, 2.0) > -0.13


# Nothing hangs on rounding


def perturbed(motion: Motion, size: float, seed: int) -> Motion:
    noise = np.random.default_rng(seed).normal(scale=size, size=motion.rotations.shape)
    return replace(motion, rotations=R.continuous(R.normalise(motion.rotations + noise)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "plan", [HUMAN["wide hips"], Plan(hips=0.62), LONG_FEET["cartoon"]], ids=["wide", "wider", "cartoon"]
)
def test_small_changes_stay_small(plan: Plan, kind: str) -> None:
    """A change of 1e-5 is no more than a millimetre; one of rounding's size is none, wherever the body is."""
    source = gait(PERSON, 60.0, kind=kind)
    plain = retarget(source, plan.skeleton()).positions_world()
    for seed, (size, most) in enumerate([(1e-12, 1e-6), (1e-9, 1e-5), (1e-5, 2e-3)]):
        changed = retarget(perturbed(source, size, seed), plan.skeleton()).positions_world()
        assert np.abs(changed - plain).max() < most, size
    aside = np.array([3.7, 0.0, -1.3])
    translations = np.array(source.translations)
    translations[:, 0] += aside
    moved = retarget(replace(source, translations=translations), plan.skeleton()).positions_world()
    assert np.abs(moved - aside - plain).max() < 1e-6


@pytest.mark.data
@pytest.mark.parametrize("clip", ["91_11", "05_02", "05_11"])
def test_small_changes_of_captures_stay_small(data_dir, clip: str) -> None:
    """Contacts that began a frame earlier or later moved feet by 4 to 39 mm."""
    motion = load(data_dir / f"bvh/cmu/{clip}.bvh")[:1800]
    robot, manny = (
        load_character(data_dir / f"characters/{name}")
        for name in ("RobotExpressive.glb", "kaykit_manny/manny_med_mod.gltf")
    )
    for character in (robot, manny, builtin.mo()):
        plain = retarget(motion, character).positions_world()[motion.performed_frames]
        joints = [character.skeleton.roles[role] for role in ("hips", "leftFoot", "rightFoot")]
        for size, most in ((1e-9, 1e-6), (1e-5, 2e-3)):
            changed = retarget(perturbed(motion, size, 1), character).positions_world()
            apart = np.abs(changed[motion.performed_frames] - plain)
            assert apart[:, joints].max() < most
            assert apart.max() < 20.0 * most


def test_smoothing_over_distance_stands_where_the_distance_stands() -> None:
    rng = np.random.default_rng(1)
    distance = np.concatenate([np.zeros(40), np.linspace(0.0, 2.0, 30), np.full(50, 2.0)])
    values = np.cumsum(rng.normal(size=(120, 3)), axis=0)
    smooth = smooth_over_distance(values, distance, 0.1)
    assert np.ptp(smooth[:40], axis=0).max() < 1e-9
    assert np.ptp(smooth[70:], axis=0).max() < 1e-9
    assert smooth[20] == pytest.approx(values[:41].mean(axis=0), abs=0.5)
    assert smooth_over_distance(np.ones((120, 1)), distance, 0.1) == pytest.approx(np.ones((120, 1)))
