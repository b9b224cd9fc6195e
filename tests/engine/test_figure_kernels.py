"""The figure's compiled kernels do what their plain twins do."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings

from generated import seeds
from kinesphere.body.hands import ANGLES, HAND_SHAPES
from kinesphere.engine.arms import ArmBlend, ArmPose, BodySurroundings, solve_arms, solve_arms_reference
from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import INDEX, ChannelCurves
from kinesphere.engine.clocks import peak_speed, peak_speed_reference, stroke_clock, stroke_phases, stroke_phases_of
from kinesphere.engine.generation import capsule_lines, horizontal_centre_of_mass, horizontal_centre_of_mass_reference
from kinesphere.engine.hands import HandMotion, solve_hands, solve_hands_reference
from kinesphere.engine.legs import leg_overreach, solve_leg, solve_leg_reference
from kinesphere.engine.manner import ArmManner
from kinesphere.engine.paths import segment_paths, segment_paths_reference, stroke_paths
from kinesphere.engine.pose import SIGN, Pose, figure_limb
from kinesphere.engine.surface_scales import scale_surface
from kinesphere.engine.trunk import solve_trunk
from kinesphere.maths import compiled, rotations

COUNT = 90
SPANS = [Batch.of((40, 1, 49), (False, False, False)), Batch.of((60, 30), (True, True))]
few = settings(max_examples=20, deadline=None)


@pytest.fixture(autouse=True)
def _compiled():
    assert compiled.warm_up() is not None


def turns(rng, *shape):
    return rotations.normalise(rng.normal(size=(*shape, 4)))


def near(made, wanted, most=1e-9):
    assert made.shape == wanted.shape
    assert np.abs(made - wanted).max() < most


def surroundings(rng):
    """Volumes that a hand may well be in."""
    lines = rng.uniform(-0.4, 0.4, (COUNT, 4, 2, 3))
    widths = rng.uniform(0.05, 0.15, (4, 2))
    return BodySurroundings(rng.uniform(-0.1, 0.1, (COUNT, 3)), turns(rng, COUNT), lines, np.zeros((4, 2, 3)), widths)


@pytest.mark.parametrize("side", SIGN)
@pytest.mark.parametrize("body", [False, True])
@given(seed=seeds)
@few
def test_arms(side, body, seed):
    rng = np.random.default_rng(seed)
    limb, frames = figure_limb(1.70, side, "Arm"), (COUNT,)
    target = rng.uniform(-0.35, 0.35, (COUNT, 3))
    elbows = rng.normal(size=(COUNT, 3))
    angles = np.column_stack([rng.uniform(-1.0, 1.0, (COUNT, 3)), rng.uniform(0.1, 2.0, COUNT)])
    joint, through = rng.uniform(0.0, 0.4, (2, COUNT)) * (rng.uniform(size=(2, COUNT)) < 0.7)
    mixture = ArmBlend(
        joint, angles, turns(rng, COUNT), through, elbows, rng.uniform(0.8, 1.2, frames), rng.normal(size=frames)
    )
    around = surroundings(rng) if body else BodySurroundings.none(COUNT)
    swivel = rng.uniform(-2.0, 2.0, frames)
    for made, wanted in zip(
        solve_arms(limb, target, swivel, mixture, around, 1.0),
        solve_arms_reference(limb, target, swivel, mixture, around, 1.0),
        strict=True,
    ):
        near(made, wanted, 1e-7)
    plain = solve_arms(limb, target, swivel, ArmBlend.plain(COUNT), around, 1.0)
    near(plain.wrist, solve_arms_reference(limb, target, swivel, ArmBlend.plain(COUNT), around, 1.0).wrist, 1e-7)


@pytest.mark.parametrize("side", SIGN)
@pytest.mark.parametrize("spans", SPANS)
@pytest.mark.parametrize("still", [True, False])
@given(seed=seeds)
@few
def test_hands(side, spans, still, seed):
    rng = np.random.default_rng(seed)
    upper, flexion = turns(rng, COUNT), rng.uniform(0.1, 2.0, COUNT)
    shapes = np.array(list(HAND_SHAPES.values()))
    angles = np.array(np.broadcast_to(shapes[rng.integers(len(shapes))], (COUNT, ANGLES)))
    if not still:
        angles += rng.uniform(0.0, 1.0, (COUNT, 1)) * (shapes[rng.integers(len(shapes))] - angles)
    one, *some = rng.uniform(-1.0, 1.0, (5, COUNT))
    velocity = rng.normal(size=(COUNT, 3))
    made, wanted = Pose.standing(spans), Pose.standing(spans)
    for pose, how in ((made, solve_hands), (wanted, solve_hands_reference)):
        how(pose, side, upper, flexion, HandMotion(one, velocity, *some[:3], angles.copy(), some[3]))
    near(made.local, wanted.local)


@pytest.mark.parametrize("side", SIGN)
@given(seed=seeds)
@few
def test_legs(side, seed):
    rng = np.random.default_rng(seed)
    made, wanted = Pose.standing(SPANS[0]), Pose.standing(SPANS[0])
    hips = rotations.from_rotation_vector(rng.uniform(-0.4, 0.4, (COUNT, 3)))
    ball = np.array([SIGN[side] * 0.1, 0.02, 0.1]) + rng.uniform(-0.15, 0.15, (COUNT, 3))
    heading, pitch, toes = rng.uniform(-0.6, 0.6, (3, COUNT))
    for pose, how in ((made, solve_leg), (wanted, solve_leg_reference)):
        pose.turn("hips", hips)
        how(pose, side, ball, heading, pitch, toes)
    near(made.local, wanted.local)
    near(made.stood[side], wanted.stood[side])


@pytest.mark.parametrize("spans", SPANS)
@given(seed=seeds)
@few
def test_trunks(spans, seed):
    rng = np.random.default_rng(seed)
    channels = ChannelCurves(rng.uniform(-0.3, 0.3, (COUNT, len(INDEX))), rng.uniform(0.0, 1.0, COUNT))
    shift = rng.normal(size=(COUNT, 3))
    joins = {side: rng.uniform(-0.3, 0.3, (2, COUNT)) for side in SIGN}
    made, wanted = Pose.standing(spans, 1.5), Pose.standing(spans, 1.5)
    joints = np.array([*range(11), made.skeleton.index("rightShoulder"), made.skeleton.index("rightUpperArm")])
    world = solve_trunk(made, channels, shift, joins, joints)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", "0")
        plain = solve_trunk(wanted, channels, shift, joins, joints)
    near(made.local, wanted.local)
    near(made.places, wanted.places)
    for one, other in zip(world, plain, strict=True):
        near(one, other)


@pytest.mark.parametrize("spans", SPANS)
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.7])
@given(seed=seeds)
@few
def test_smooth_rows(spans, seconds, seed):
    values = np.random.default_rng(seed).normal(size=(COUNT, 2, 3))
    made = spans.rounded(values, seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", "0")
        near(made, spans.rounded(values, seconds), 1e-12)


@pytest.mark.parametrize("bowed", [False, True])
@given(seed=seeds)
@few
def test_paths(bowed, seed):
    rng = np.random.default_rng(seed)
    keys = rng.normal(size=(7, 5))
    keys[3] = keys[2]  # a hold
    stops = np.array([True, False, True, True, False, True, True])
    paths = stroke_paths(keys, stops, rng.uniform(-1.0, 1.0, 4), counted=3, bowed=bowed)
    stroke = rng.integers(0, 4, COUNT).astype(np.intp)
    share = rng.uniform(-0.2, 1.2, COUNT)
    share[:20] = np.round(share[:20])
    near(paths.at(stroke, share), paths.at_reference(stroke, share))


@given(seed=seeds)
@few
def test_laying_paths(seed):
    rng = np.random.default_rng(seed)
    stops = np.concatenate([[True], rng.random(6) < 0.5, [True]])
    first, last = rng.normal(size=(2, 7, 13))
    last[:-1, :3] = first[1:, :3]
    last[2] = first[2]  # a hold
    how = {"counted": 3, "bows": ((0, 3), (10, 13)), "along": 6}
    tension = rng.uniform(-1.0, 1.0, stops.sum() - 1)
    made = segment_paths(first, last, stops, tension, **how)
    wanted = segment_paths_reference(first, last, stops, tension, **how)
    for name in ("leaving", "arriving", "reached", "start", "length", "behind", "ahead", "final"):
        near(getattr(made, name), getattr(wanted, name), 1e-9 * (1.0 + np.abs(getattr(wanted, name)).max()))


@given(seed=seeds)
@few
def test_clocks(seed):
    rng = np.random.default_rng(seed)
    source = (rng.integers(0, 60) + np.concatenate([[0], np.cumsum(rng.integers(1, 90, 4))])) / 60.0
    low, high = np.array([[0.02, 0.0, 0.0, 0.6, 0.05], [0.98, 0.1, 0.2, 3.2, 9.0]])
    names = ("inflection", "anticipation", "overshoot", "time_exponent", "duration")
    manner = ArmManner(dict(zip(names, rng.uniform(low[:, None], high[:, None], (5, 4)), strict=True)))
    own = stroke_clock(source, rng.uniform(0.0, 1.0, 4), manner, rng.uniform(0.3, 0.7, 4), False)
    frames = int(60.0 * own.end(source[-1] + 0.4)) + 1
    travel, moment = stroke_phases(own, frames)
    for made, wanted in zip(travel, stroke_phases_of(own, frames), strict=True):
        near(made, wanted, 1e-9)
    near(moment, own.moment(np.arange(frames) / 60.0))
    timing = own.inflection, own.anticipation, own.overshoot, own.time_exponent
    near(peak_speed(*timing), peak_speed_reference(*timing))


def with_body(rng, spans):
    """A pose with everything somewhere."""
    pose = Pose.standing(spans, 1.5)
    pose.local[:] = turns(rng, COUNT, len(pose.skeleton))
    pose.places[:, 0] = rng.normal(size=(COUNT, 3))
    return pose


def by_numpy(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", "0")
        return function()


def arms_somewhere(rng):
    both = 2 * COUNT
    rows = {entry.name: rng.uniform(0.0, 1.0, both) for entry in fields(ArmPose)}
    shown = {name: rng.uniform(0.0, 0.4, both) for name in ("squash", "breath", "limb_volume")}
    return ArmPose(**rows | {"upper": turns(rng, both), "wrist": rng.normal(size=(both, 3)), "flourishes": shown})


@given(seed=seeds)
@few
def test_weights(seed):
    rng = np.random.default_rng(seed)
    pose, arms = with_body(rng, SPANS[0]), arms_somewhere(rng)
    limbs = {side: figure_limb(1.5, side, "Arm") for side in SIGN}
    other = replace(pose, local=pose.local.copy())
    near(horizontal_centre_of_mass(pose, arms, limbs), horizontal_centre_of_mass_reference(other, arms, limbs))
    near(pose.local, other.local)


@given(seed=seeds)
@few
def test_body_lines(seed):
    pose = with_body(np.random.default_rng(seed), SPANS[0])
    joints = np.arange(len(pose.skeleton))
    q, p = pose.world()
    near(capsule_lines(pose, joints, q, p), by_numpy(lambda: capsule_lines(pose, joints, q, p)))


@pytest.mark.parametrize("spans", SPANS)
@given(seed=seeds)
@few
def test_surfaces(spans, seed):
    rng = np.random.default_rng(seed)
    arms, (depth, breath) = arms_somewhere(rng), rng.uniform(0.0, 1.0, (2, COUNT))
    made, wanted = Pose.standing(spans), Pose.standing(spans)
    scale_surface(made, arms, depth, breath)
    by_numpy(lambda: scale_surface(wanted, arms, depth, breath))
    near(made.scales, wanted.scales)


@given(seed=seeds)
@few
def test_soundness_of_rotations(seed):
    rng = np.random.default_rng(seed)
    q = rotations.continuous(turns(rng, COUNT, 3))
    assert not rotations.has_sign_flips(q)
    assert rotations.unit_error(q) < 1e-12
    q[rng.integers(1, COUNT), rng.integers(3)] *= -1.1
    assert rotations.has_sign_flips(q)
    assert by_numpy(lambda: rotations.has_sign_flips(q))
    assert rotations.unit_error(q) == pytest.approx(0.21)
    assert by_numpy(lambda: rotations.unit_error(q)) == pytest.approx(0.21)
    q[0, 0, 0] = np.nan
    assert np.isnan(rotations.unit_error(q))


@given(seed=seeds)
@few
def test_overreach(seed):
    rng = np.random.default_rng(seed)
    pose = with_body(rng, SPANS[0])
    pose.places[:, 0] = rng.uniform(-0.2, 0.2, (COUNT, 3)) + np.array([0.0, 0.9, 0.0])
    pose.turn("hips", rotations.from_rotation_vector(rng.uniform(-0.3, 0.3, (COUNT, 3))))
    pose.stood.update({side: rng.uniform(-0.1, 0.1, (COUNT, 3)) for side in SIGN})
    made = leg_overreach(pose)
    assert made.min() >= 0.0 < made.max()
    near(made, by_numpy(lambda: leg_overreach(pose)))


@pytest.mark.parametrize("spans", SPANS)
@pytest.mark.parametrize("seconds", [-0.05, 0.0, 0.031])
@given(seed=seeds)
@few
def test_late_rows(spans, seconds, seed):
    values = np.random.default_rng(seed).normal(size=(COUNT, 2, 3))
    near(spans.delayed(values, seconds), by_numpy(lambda: spans.delayed(values, seconds)))
