"""Truths of the two-bone limb: positions, swivel, limits, softness, rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kinesphere.maths import rotations
from kinesphere.maths.two_bone import (
    DOWN,
    FORWARD,
    LimbRotations,
    LimbSolution,
    limb_rotations_local,
    limb_rotations_world,
    reach,
    soft_reach,
    solve_limb,
    swivel_frame,
    swivel_of,
)
from kinesphere.maths.vectors import Floats

truth = settings(max_examples=100, deadline=None)

MIRROR = np.array([-1.0, 1.0, 1.0])


def triples(bound: float) -> st.SearchStrategy[Floats]:
    component = st.floats(-bound, bound)
    return st.tuples(component, component, component).map(np.array)


places = triples(3.0)
directions = triples(1.0).filter(lambda v: bool(np.linalg.norm(v) > 1e-3)).map(lambda v: v / np.linalg.norm(v))
turns = st.tuples(directions, st.floats(-np.pi, np.pi)).map(lambda p: rotations.from_axis_angle(*p))
bones = st.floats(0.05, 2.0)
swivels = st.floats(-4.0, 4.0)
shares = st.floats(0.0, 1.0)
softnesses = st.one_of(st.just(0.0), st.floats(1e-3, 0.5))
flexion_ranges = st.tuples(st.floats(0.0, np.pi), st.floats(0.0, np.pi)).map(lambda p: (min(p), max(p)))
# Targets where rules change hands: at the shoulder, along the axes, at and beyond full reach.
offsets = st.one_of(
    triples(5.0),
    st.sampled_from([(0, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1e-12, 0, 0), (1e-7, -1, 0)]).map(
        lambda v: np.array(v, dtype=float)
    ),
)


def norm(vectors: Floats) -> Floats:
    return np.asarray(np.linalg.norm(vectors, axis=-1))


def square_pair(bone: Floats, other: Floats) -> Floats:
    """The direction of ``other`` across ``bone``."""
    rest = other - np.sum(other * bone) * bone
    assume(norm(rest) > 1e-2)
    return np.asarray(rest / norm(rest))


def assert_rigid(shoulder: Floats, limb: LimbSolution, upper: Any, lower: Any) -> None:
    np.testing.assert_allclose(norm(limb.elbow - shoulder), upper, rtol=1e-12)
    np.testing.assert_allclose(norm(limb.wrist - limb.elbow), lower, rtol=1e-12)


# Positions


@truth
@given(places, directions, bones, bones, shares, swivels, directions)
def test_reachable_targets_are_reached_at_any_swivel(
    shoulder: Floats, way: Floats, upper: float, lower: float, share: float, swivel: float, reference: Floats
) -> None:
    shortest, longest = abs(upper - lower), upper + lower
    target = shoulder + (shortest + share * (longest - shortest)) * way
    limb = solve_limb(shoulder, target, upper, lower, swivel, reference=reference)
    assert norm(limb.wrist - target) <= 1e-12 * (longest + norm(shoulder))
    assert limb.shortfall <= 1e-12 * (longest + norm(shoulder))
    assert_rigid(shoulder, limb, upper, lower)


@truth
@given(places, offsets, bones, bones, swivels, flexion_ranges, softnesses, directions)
def test_bones_are_rigid_and_limits_hold_always(
    shoulder: Floats,
    offset: Floats,
    upper: float,
    lower: float,
    swivel: float,
    flexion_range: tuple[float, float],
    softness: float,
    reference: Floats,
) -> None:
    limb = solve_limb(
        shoulder,
        shoulder + offset,
        upper,
        lower,
        swivel,
        reference=reference,
        flexion_range=flexion_range,
        softness=softness,
    )
    assert_rigid(shoulder, limb, upper, lower)
    assert flexion_range[0] <= limb.flexion <= flexion_range[1]
    upper_now, lower_now = limb.elbow - shoulder, limb.wrist - limb.elbow
    seen = np.arctan2(norm(np.cross(upper_now, lower_now)), np.sum(upper_now * lower_now))
    np.testing.assert_allclose(seen, limb.flexion, atol=1e-9)
    np.testing.assert_allclose(limb.shortfall, norm(shoulder + offset - limb.wrist), atol=1e-14)
    np.testing.assert_allclose(norm(limb.hinge), 1.0, rtol=1e-12)


@truth
@given(places, directions, bones, bones, st.floats(1.0, 10.0), swivels)
def test_unreachable_targets_are_pointed_at(
    shoulder: Floats, way: Floats, upper: float, lower: float, times: float, swivel: float
) -> None:
    longest = upper + lower
    limb = solve_limb(shoulder, shoulder + times * longest * way, upper, lower, swivel)
    np.testing.assert_allclose(limb.wrist, shoulder + longest * way, atol=1e-7 * longest)
    np.testing.assert_allclose(limb.shortfall, (times - 1.0) * longest, atol=1e-12 * (10.0 * longest + 3.0))


@truth
@given(directions, bones, bones, shares, swivels, flexion_ranges)
def test_limits_cost_what_the_shortfall_says(
    way: Floats, upper: float, lower: float, share: float, swivel: float, flexion_range: tuple[float, float]
) -> None:
    asked = 1.5 * share * (upper + lower)
    limb = solve_limb(np.zeros(3), asked * way, upper, lower, swivel, flexion_range=flexion_range)
    shortest, longest = reach(flexion_range[1], upper, lower), reach(flexion_range[0], upper, lower)
    expected = np.max([asked - longest, shortest - asked, 0.0])
    np.testing.assert_allclose(limb.shortfall, expected, atol=1e-12)


def test_a_target_at_the_shoulder_folds_the_limb_towards_home() -> None:
    arm = solve_limb(np.zeros(3), np.zeros(3), 0.3, 0.3)
    np.testing.assert_allclose(arm.elbow, [0.0, -0.3, 0.0], atol=1e-15)
    np.testing.assert_allclose(arm.wrist, np.zeros(3), atol=1e-15)
    leg = solve_limb(np.zeros(3), np.zeros(3), 0.4, 0.4, reference=FORWARD, flexion_range=(0.0, 2.0))
    assert leg.wrist[1] < 0.0  # the foot below the hip, the knee ahead
    assert leg.elbow[2] > 0.0
    np.testing.assert_allclose(leg.shortfall, reach(2.0, 0.4, 0.4))


def test_reach_agrees_with_the_law_of_cosines() -> None:
    flexion = np.linspace(0.0, np.pi, 50)
    expected = np.sqrt(0.3**2 + 0.25**2 + 2.0 * 0.3 * 0.25 * np.cos(flexion))
    np.testing.assert_allclose(reach(flexion, 0.3, 0.25), expected, rtol=1e-12)


def test_an_arm_as_a_person_would_hold_it() -> None:
    # Hand ahead of the shoulder, elbow square: at swivel zero it hangs, at +90° about forward it goes to +X.
    hand = np.array([0.0, 0.0, 0.3 * np.sqrt(2.0)])
    hanging = solve_limb(np.zeros(3), hand, 0.3, 0.3)
    np.testing.assert_allclose(hanging.flexion, np.pi / 2.0)
    np.testing.assert_allclose(hanging.elbow, hand / 2.0 + [0.0, -0.3 * np.sqrt(0.5), 0.0], atol=1e-15)
    winged = solve_limb(np.zeros(3), hand, 0.3, 0.3, np.pi / 2.0)
    np.testing.assert_allclose(winged.elbow, hand / 2.0 + [0.3 * np.sqrt(0.5), 0.0, 0.0], atol=1e-15)
    assert swivel_of(np.zeros(3), winged.elbow, hand) == pytest.approx(np.pi / 2.0)


# Swivel


@truth
@given(places, directions, bones, bones, swivels, directions, st.floats(0.01, 3.1))
def test_swivel_round_trip(
    shoulder: Floats,
    way: Floats,
    upper: float,
    lower: float,
    swivel: float,
    reference: Floats,
    flexion: float,
) -> None:
    target = shoulder + reach(flexion, upper, lower) * way
    limb = solve_limb(shoulder, target, upper, lower, swivel, reference=reference)
    found = swivel_of(shoulder, limb.elbow, limb.wrist, reference)
    again = solve_limb(shoulder, limb.wrist, upper, lower, found, reference=reference)
    np.testing.assert_allclose(again.elbow, limb.elbow, atol=1e-7 * (upper + lower))
    assert -np.pi <= found <= np.pi


@truth
@given(places, triples(1.0), triples(1.0), directions)
def test_any_limb_is_reproduced_from_its_swivel(
    shoulder: Floats, to_elbow: Floats, to_wrist: Floats, reference: Floats
) -> None:
    upper, lower = norm(to_elbow), norm(to_wrist)
    assume(upper > 1e-2 and lower > 1e-2 and norm(to_elbow + to_wrist) > 1e-2)
    elbow, wrist = shoulder + to_elbow, shoulder + to_elbow + to_wrist
    swivel = swivel_of(shoulder, elbow, wrist, reference)
    limb = solve_limb(shoulder, wrist, upper, lower, swivel, reference=reference)
    np.testing.assert_allclose(limb.elbow, elbow, atol=1e-6)
    np.testing.assert_allclose(limb.wrist, wrist, atol=1e-12)


def test_a_straight_limb_has_swivel_zero() -> None:
    assert swivel_of(np.zeros(3), [0.0, 0.1, 0.2], [0.0, 0.2, 0.4]) == 0.0


@truth
@given(directions, directions)
def test_swivel_frame_is_orthonormal_and_zero_points_to_the_reference(axis: Floats, reference: Floats) -> None:
    zero, side = swivel_frame(axis, reference)
    frame = np.stack([zero, side, axis], axis=-1)
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-14)
    assert np.linalg.det(frame) > 0.0
    if norm(np.cross(axis, reference)) > 0.2:
        assert abs(side @ reference) < 1e-12
        assert zero @ reference > 0.0


def test_zero_stays_smooth_through_parallel_axes() -> None:
    # An arm swung overhead from straight down through forward to straight up passes two parallels, at 0.001
    # rad a step and also a little to the side. Without home, zero would be undefined at both ends.
    angles = np.arange(0.0, np.pi, 0.001)
    for aside in (0.0, 1e-9, 1e-3, 0.05):
        axes = np.stack([np.full_like(angles, aside), -np.cos(angles), np.sin(angles)], axis=-1)
        zero, _ = swivel_frame(axes)
        assert np.max(norm(np.diff(zero, axis=0))) < 0.02
    np.testing.assert_allclose(swivel_frame(DOWN)[0], [0.0, 0.0, -1.0], atol=1e-15)
    np.testing.assert_allclose(swivel_frame((0.0, 1.0, 0.0))[0], [0.0, 0.0, 1.0], atol=1e-15)


@truth
@given(directions, directions, st.sampled_from([0.0, 1e-15, 1e-9, 1e-5, 1e-3]))
def test_zero_hardly_moves_about_the_parallels(reference: Floats, aside: Floats, distance: float) -> None:
    aside = square_pair(reference, aside)
    for axis in (reference, -reference):
        near, _ = swivel_frame(axis + distance * aside, reference)
        at, _ = swivel_frame(axis, reference)
        assert norm(near - at) <= 10.0 * distance + 1e-12


@pytest.mark.parametrize("up", [-1.0, 1.0])
def test_the_two_singular_axes_have_a_zero(up: float) -> None:
    # Close in on the lean back at which zero flips: on its far side, it points to the other side of the axis.
    def ahead(lean: float) -> bool:
        return bool(up * swivel_frame([0.0, up, -lean])[0][2] > 0.0)

    near, far = 0.0, 0.15
    assert ahead(near)
    assert not ahead(far)
    for _ in range(60):
        middle = 0.5 * (near + far)
        near, far = (middle, far) if ahead(middle) else (near, middle)
    assert np.degrees(np.arctan(near)) == pytest.approx(6.0, abs=0.1)
    for lean in near + np.linspace(-4e-9, 4e-9, 81):
        limb = solve_limb(np.zeros(3), [0.0, 0.4 * up, -0.4 * lean], 0.3, 0.3, 1.0)
        assert_rigid(np.zeros(3), limb, 0.3, 0.3)
        assert limb.shortfall < 1e-14
    for aside in (-5e-10, 0.0, 5e-10):
        zero, _ = swivel_frame([aside, up, -near + 2e-10])
        assert up * zero[2] > 0.9  # as at the parallel, not wherever rounding points


@truth
@given(st.floats(-20.0, 20.0), st.floats(-4.0, 4.0), st.floats(0.0, 6.0))
def test_swivel_range_holds_and_the_nearest_is_taken(swivel: float, least: float, width: float) -> None:
    greatest = least + width
    limb = solve_limb(np.zeros(3), [0.1, 0.0, 0.4], 0.3, 0.3, swivel, swivel_range=(least, greatest))
    assert least <= limb.swivel <= greatest
    assert limb.shortfall < 1e-12

    def apart(other: Any) -> Any:
        return np.abs(np.mod(other - swivel + np.pi, 2.0 * np.pi) - np.pi)

    assert apart(limb.swivel) <= np.min(apart(np.linspace(least, greatest, 50))) + 1e-9


# Softness


@truth
@given(bones, st.floats(0.01, 0.9), shares, st.floats(1e-4, 0.5))
def test_soft_reach_is_monotone_and_never_beyond(longest: float, part: float, start: float, step: float) -> None:
    zone = part * longest
    asked = longest * (2.0 * start) + zone * step * np.arange(10.0)
    asked = asked[asked < longest + 20.0 * zone]  # further out, what is left is below rounding
    reached = soft_reach(asked, longest, zone)
    assert np.all(np.diff(reached) > 0.0)
    assert np.all(reached < longest)
    assert np.all(reached <= asked)
    assert soft_reach(1e6, longest, zone) <= longest


@truth
@given(bones, st.floats(0.01, 0.9))
def test_soft_reach_has_a_continuous_slope_that_fades(longest: float, part: float) -> None:
    zone = part * longest
    step = 1e-3 * zone
    asked = (longest - zone) + step * np.arange(-200.0, 3000.0)
    slope = np.diff(soft_reach(asked, longest, zone)) / step
    np.testing.assert_allclose(slope[:199], 1.0, atol=1e-9)
    assert np.max(np.abs(np.diff(slope))) < 1.1e-3  # the second derivative is at most 1 / zone
    assert slope[-1] < 0.1


def test_softness_zero_is_exact() -> None:
    np.testing.assert_array_equal(soft_reach([0.2, 0.999, 1.0, 1.5], 1.0, 0.0), [0.2, 0.999, 1.0, 1.0])
    limb = solve_limb(np.zeros(3), [0.0, 0.0, 0.5999], 0.3, 0.3, softness=0.0)
    assert limb.shortfall < 1e-15
    soft = solve_limb(np.zeros(3), [0.0, 0.0, 0.5999], 0.3, 0.3, softness=0.1)
    assert 0.0 < soft.shortfall < 0.1 * 0.6


@truth
@given(directions, bones, bones, st.floats(0.01, 0.3), st.floats(0.0, 0.5), swivels)
def test_softness_keeps_below_the_reach_that_limits_leave(
    way: Floats, upper: float, lower: float, softness: float, least: float, swivel: float
) -> None:
    asked = np.linspace(0.3, 1.5, 60)[:, None] * (upper + lower) * way
    limb = solve_limb(np.zeros(3), asked, upper, lower, swivel, flexion_range=(least, np.pi), softness=softness)
    reached = norm(limb.wrist)
    assert np.all(np.diff(reached) > -1e-12)
    assert np.all(reached <= reach(least, upper, lower) * (1.0 + 1e-14))
    np.testing.assert_allclose(limb.shortfall, np.abs(norm(asked) - reached), atol=1e-12)


@pytest.mark.parametrize("softness", [0.05, 0.2])
@pytest.mark.parametrize("swivel", [-2.0, 0.0, 1.0])
@pytest.mark.parametrize("height", [-0.3, 0.05, 0.4])
def test_a_straight_sweep_moves_the_elbow_without_pops(softness: float, swivel: float, height: float) -> None:
    # In from beyond reach, past the shoulder and out again. A tenth of the step makes a tenth of the move.
    def largest_step(count: int) -> float:
        target = np.stack([np.linspace(-1.2, 1.2, count), np.full(count, height), np.full(count, 0.15)], axis=-1)
        limb = solve_limb(np.zeros(3), target, 0.32, 0.27, swivel, softness=softness)
        assert np.max(norm(np.diff(limb.wrist, axis=0))) < 3.0 * 2.4 / count
        return float(np.max(norm(np.diff(limb.elbow, axis=0))))

    coarse, fine = largest_step(2401), largest_step(24001)
    assert coarse < 0.01
    assert fine < 0.11 * coarse


def test_without_softness_the_elbow_snaps_and_with_it_does_not() -> None:
    target = np.stack([np.zeros(2001), np.zeros(2001), np.linspace(0.3, 0.8, 2001)], axis=-1)
    hard = solve_limb(np.zeros(3), target, 0.3, 0.3)
    soft = solve_limb(np.zeros(3), target, 0.3, 0.3, softness=0.05)
    hard_step, soft_step = (np.max(np.abs(np.diff(limb.flexion))) for limb in (hard, soft))
    assert soft_step < 0.1 * hard_step


# Symmetries


@truth
@given(places, offsets, bones, bones, swivels, st.floats(0.001, 1000.0), softnesses)
def test_scale_invariance(
    shoulder: Floats, offset: Floats, upper: float, lower: float, swivel: float, scale: float, softness: float
) -> None:
    assume(norm(offset) > 1e-6 or not offset.any())  # a cut-off of 1e-9 limb lengths may fall either way
    limb = solve_limb(shoulder, shoulder + offset, upper, lower, swivel, softness=softness)
    big = solve_limb(
        scale * shoulder, scale * (shoulder + offset), scale * upper, scale * lower, swivel, softness=softness
    )
    close = 2e-8 * (upper + lower)
    np.testing.assert_allclose(big.elbow / scale, limb.elbow, rtol=0.0, atol=close)
    np.testing.assert_allclose(big.wrist / scale, limb.wrist, rtol=0.0, atol=close)
    np.testing.assert_allclose(big.shortfall / scale, limb.shortfall, rtol=0.0, atol=close)
    np.testing.assert_allclose(big.flexion, limb.flexion, atol=1e-6)


@truth
@given(places, triples(4.0), bones, bones, swivels, turns, directions, directions)
def test_rotation_equivariance(
    shoulder: Floats,
    offset: Floats,
    upper: float,
    lower: float,
    swivel: float,
    turn: Floats,
    reference: Floats,
    home: Floats,
) -> None:
    assume(norm(offset) > 1e-2)
    home = square_pair(reference, home)
    tilted = reference - 0.105 * np.sign(offset @ reference) * home
    assume(norm(np.cross(offset / norm(offset), tilted)) > 1e-2)  # not at the two singular axes
    target = shoulder + offset
    limb = solve_limb(shoulder, target, upper, lower, swivel, reference=reference, home=home)
    turned = solve_limb(
        rotations.rotate(turn, shoulder),
        rotations.rotate(turn, target),
        upper,
        lower,
        swivel,
        reference=rotations.rotate(turn, reference),
        home=rotations.rotate(turn, home),
    )
    np.testing.assert_allclose(turned.elbow, rotations.rotate(turn, limb.elbow), atol=1e-6)
    np.testing.assert_allclose(turned.wrist, rotations.rotate(turn, limb.wrist), atol=1e-12)
    np.testing.assert_allclose(turned.hinge, rotations.rotate(turn, limb.hinge), atol=1e-9)


@truth
@given(places, offsets, bones, bones, swivels, directions, softnesses)
def test_mirrored_limbs_are_mirrored_with_negated_swivel(
    shoulder: Floats,
    offset: Floats,
    upper: float,
    lower: float,
    swivel: float,
    reference: Floats,
    softness: float,
) -> None:
    target = shoulder + offset
    left = solve_limb(shoulder, target, upper, lower, swivel, reference=reference, softness=softness)
    right = solve_limb(
        MIRROR * shoulder,
        MIRROR * target,
        upper,
        lower,
        -swivel,
        reference=MIRROR * reference,
        softness=softness,
    )
    np.testing.assert_allclose(right.elbow, MIRROR * left.elbow, atol=1e-13)
    np.testing.assert_allclose(right.wrist, MIRROR * left.wrist, atol=1e-13)
    np.testing.assert_allclose(right.hinge, -MIRROR * left.hinge, atol=1e-13)  # a hinge is an axis of turning
    found = swivel_of(shoulder, left.elbow, left.wrist, reference)
    mirrored = swivel_of(MIRROR * shoulder, right.elbow, right.wrist, MIRROR * reference)
    np.testing.assert_allclose(np.exp(1j * mirrored), np.exp(-1j * found), atol=1e-4)


def test_batch_equals_loop() -> None:
    rng = np.random.default_rng(5)
    people, frames = 4, 7
    shoulder = rng.normal(size=(people, 1, 3))
    target = rng.normal(size=(people, frames, 3))
    upper, lower = rng.uniform(0.2, 0.6, (people, 1)), rng.uniform(0.2, 0.6, (people, 1))
    swivel = rng.uniform(-3.0, 3.0, frames)
    reference = rng.normal(size=(people, 1, 3))
    flexion_range = (rng.uniform(0.0, 0.5, (people, 1)), 2.5)
    batch = solve_limb(
        shoulder, target, upper, lower, swivel, reference=reference, flexion_range=flexion_range, softness=0.1
    )
    rest = np.array([1.0, 0.0, 0.0]), np.array([0.9, 0.0, 0.1]), np.array([0.0, -1.0, 0.0])
    turned = limb_rotations_world(shoulder, batch, *rest)
    for p in range(people):
        for f in range(frames):
            one = solve_limb(
                shoulder[p, 0],
                target[p, f],
                upper[p, 0],
                lower[p, 0],
                swivel[f],
                reference=reference[p, 0],
                flexion_range=(flexion_range[0][p, 0], 2.5),
                softness=0.1,
            )
            for whole, single in zip(batch, one, strict=True):
                np.testing.assert_allclose(whole[p, f], single, atol=1e-14)
            for whole, single in zip(turned, limb_rotations_world(shoulder[p, 0], one, *rest), strict=True):
                np.testing.assert_allclose(whole[p, f], single, atol=1e-12)


def test_any_leading_axes_even_none_or_empty() -> None:
    assert solve_limb(np.zeros(3), np.ones(3), 0.3, 0.3).flexion.shape == ()
    for shape in [(0,), (0, 2), (2, 3, 4)]:
        limb = solve_limb(np.zeros(3), np.ones((*shape, 3)), 0.3, 0.3)
        assert limb.elbow.shape == limb.hinge.shape == (*shape, 3)
        assert limb.flexion.shape == limb.swivel.shape == limb.shortfall.shape == shape
    spread = solve_limb(np.zeros(3), np.ones(3), 0.3, 0.3, np.zeros(5))
    assert spread.wrist.shape == (5, 3)
    assert spread.flexion.shape == (5,)


# Rotations


def forward_kinematics(
    shoulder: Floats, world: LimbRotations, rest_upper: Floats, rest_lower: Floats
) -> tuple[Floats, Floats]:
    elbow = shoulder + rotations.rotate(world.upper, rest_upper)
    return elbow, elbow + rotations.rotate(world.lower, rest_lower)


@truth
@given(
    places,
    offsets,
    swivels,
    directions,
    directions,
    st.floats(-2.0, 2.0),
    st.tuples(bones, bones),
    flexion_ranges,
)
def test_rotations_land_on_the_solution_by_a_pure_hinge(
    shoulder: Floats,
    offset: Floats,
    swivel: float,
    rest_way: Floats,
    hinge: Floats,
    rest_bend: float,
    lengths: tuple[float, float],
    flexion_range: tuple[float, float],
) -> None:
    upper, lower = lengths
    hinge = square_pair(rest_way, hinge)
    rest_upper = upper * rest_way
    rest_lower = lower * rotations.rotate(rotations.from_axis_angle(hinge, rest_bend), rest_way)
    limb = solve_limb(shoulder, shoulder + offset, upper, lower, swivel, flexion_range=flexion_range)
    world = limb_rotations_world(shoulder, limb, rest_upper, rest_lower, hinge)
    elbow, wrist = forward_kinematics(shoulder, world, rest_upper, rest_lower)
    np.testing.assert_allclose(elbow, limb.elbow, atol=1e-12)
    np.testing.assert_allclose(wrist, limb.wrist, atol=1e-12)
    np.testing.assert_allclose(rotations.rotate(world.upper, hinge), limb.hinge, atol=1e-12)

    local = limb_rotations_local(world, rotations.identity())
    expected = rotations.from_axis_angle(hinge, limb.flexion - rest_bend)
    assert rotations.angle_between(local.lower, expected) < 1e-11
    np.testing.assert_allclose(rotations.rotate(local.lower, hinge), hinge, atol=1e-12)
    for quaternions in (world.upper, world.lower):
        np.testing.assert_allclose(norm(quaternions), 1.0, atol=1e-13)


@truth
@given(places, directions, directions, directions, swivels)
def test_a_rest_hinge_that_is_not_square_still_meets_the_wrist_with_one_freedom(
    shoulder: Floats, rest_upper: Floats, rest_lower: Floats, hinge: Floats, swivel: float
) -> None:
    square = square_pair(rest_upper, hinge)
    assume(norm(np.cross(square, rest_lower)) > 1e-2)
    targets = shoulder + np.array([[0.3, 0.2, 0.9], [-0.4, 0.1, 0.5], [0.0, 1.9, 0.1], [5.0, 0.0, 0.0]])
    limb = solve_limb(shoulder, targets, 1.0, 1.0, swivel)
    world = limb_rotations_world(shoulder, limb, rest_upper, rest_lower, hinge)
    elbow, wrist = forward_kinematics(shoulder, world, rest_upper, rest_lower)
    np.testing.assert_allclose(elbow, limb.elbow, atol=1e-11)
    np.testing.assert_allclose(wrist, limb.wrist, atol=1e-11)
    # From any frame to any other, the lower bone turns about the squared hinge, by the change in flexion.
    local = limb_rotations_local(world, rotations.identity()).lower
    change = rotations.multiply(local[1:], rotations.conjugate(local[:1]))
    expected = rotations.from_axis_angle(square, np.diff(limb.flexion[[0, 1, 0, 2, 0, 3]])[::2])
    assert np.max(rotations.angle_between(change, expected)) < 1e-11


@truth
@given(turns, swivels, triples(0.6))
def test_local_rotations_compose_back_to_the_world(parent: Floats, swivel: float, target: Floats) -> None:
    limb = solve_limb(np.zeros(3), target, 0.3, 0.25, swivel)
    world = limb_rotations_world(np.zeros(3), limb, [1, 0, 0], [1, 0, 0], [0, -1, 0])
    local = limb_rotations_local(world, parent)
    upper = rotations.multiply(parent, local.upper)
    assert rotations.angle_between(upper, world.upper) < 1e-12
    assert rotations.angle_between(rotations.multiply(upper, local.lower), world.lower) < 1e-12


def test_a_limb_left_at_rest_does_not_turn() -> None:
    # A left arm stretched sideways and slightly bent forward at the elbow.
    upper, lower = np.array([0.3, 0.0, 0.0]), np.array([0.24, 0.0, 0.07])
    wrist = upper + lower
    swivel = swivel_of(np.zeros(3), upper, wrist)
    limb = solve_limb(np.zeros(3), wrist, 0.3, 0.25, swivel)
    world = limb_rotations_world(np.zeros(3), limb, upper, lower, [0.0, -1.0, 0.0])
    assert rotations.angle(world.upper) < 1e-12
    assert rotations.angle(world.lower) < 1e-12


def test_rotations_do_not_pop_as_the_limb_straightens_and_bends() -> None:
    # Out to full reach and back at one swivel: the hinge stays defined where the bones are in line.
    distance = 0.6 - np.abs(np.linspace(-0.3, 0.3, 6001))
    target = distance[:, None] * np.array([0.6, -0.3, 0.7]) / norm(np.array([0.6, -0.3, 0.7]))
    limb = solve_limb(np.zeros(3), target, 0.32, 0.28, 0.7, softness=0.05)
    world = limb_rotations_world(np.zeros(3), limb, [1, 0, 0], [1, 0, 0], [0, -1, 0])
    for quaternions in world:
        assert np.max(rotations.angle_between(quaternions[1:], quaternions[:-1])) < 0.002


# Errors

ORIGIN, AHEAD = np.zeros(3), np.array([0.0, 0.0, 0.5])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"upper": -0.3}, "upper must be a bone length above 0; found -0.3"),
        ({"lower": [0.3, 0.0]}, "lower must be a bone length above 0; found 0"),
        ({"upper": np.nan}, "upper must be finite; found nan"),
        ({"target": [0.0, np.nan, 0.0]}, "target must be finite; found nan"),
        ({"shoulder": [0.0, np.inf, 0.0]}, "shoulder must be finite; found inf"),
        ({"target": [0.0, 0.0]}, r"target must be vectors \(..., 3\); found shape \(2,\)"),
        ({"swivel": np.nan}, "swivel must be finite; found nan"),
        ({"flexion_range": (1.0, 0.5)}, "flexion_range must go from least to greatest; found 1 to 0.5"),
        ({"flexion_range": (-0.1, 0.5)}, "flexion_range must lie within 0 to π; found -0.1 to 0.5"),
        ({"flexion_range": (0.0, 4.0)}, "flexion_range must lie within 0 to π; found 0 to 4"),
        ({"flexion_range": (0.0, np.nan)}, "flexion_range must be finite; found nan"),
        ({"swivel_range": (1.0, -1.0)}, "swivel_range must go from least to greatest; found 1 to -1"),
        ({"softness": -0.1}, "softness must be at least 0 and below 1; found -0.1"),
        ({"softness": 1.0}, "softness must be at least 0 and below 1; found 1"),
        ({"reference": np.zeros(3)}, "reference must have a direction"),
        ({"home": DOWN}, "home must have a direction other than the reference's"),
        ({"home": np.zeros(3)}, "home must have a direction"),
    ],
)
def test_wrong_inputs_are_named(change: dict[str, Any], message: str) -> None:
    inputs: dict[str, Any] = {"shoulder": ORIGIN, "target": AHEAD, "upper": 0.3, "lower": 0.3}
    with pytest.raises(ValueError, match=message):
        solve_limb(**(inputs | change))


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (([1, 0, 0], [1, 0, 0], [2, 0, 0]), "rest_hinge must point across rest_upper"),
        (([1, 0, 0], [0, 1, 0], [0, 1, 0]), "rest_hinge must point across rest_lower"),
        (([0, 0, 0], [0, 1, 0], [0, 1, 0]), "rest_upper must have a direction"),
        (([1, 0, 0], [1, 0, np.nan], [0, 1, 0]), "rest_lower must be finite; found nan"),
    ],
)
def test_wrong_rest_poses_are_named(rest: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        limb_rotations_world(ORIGIN, solve_limb(ORIGIN, AHEAD, 0.3, 0.3), *rest)


def test_wrong_swivel_inputs_are_named() -> None:
    with pytest.raises(ValueError, match="elbow must be finite; found nan"):
        swivel_of(ORIGIN, [np.nan, 0.0, 0.0], AHEAD)
    with pytest.raises(ValueError, match="axis must have a direction"):
        swivel_frame(ORIGIN)
