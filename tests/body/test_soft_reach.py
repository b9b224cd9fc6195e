"""How far limbs reach: softly clamped, exactly inverted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from generated import seeds
from kinesphere.body.reach.limb import (
    ENDS,
    limb_lengths,
    limb_of,
    relax_arm,
    soft_clamp_reach,
    solve_limb_chain,
    target_for_end,
)
from kinesphere.builtin import motion

WAVE = motion("wave")[::8]


@pytest.mark.parametrize("end", ENDS)
@given(seed=seeds)
def test_a_limb_spans_its_distance_exactly(end: str, seed: int) -> None:
    """Folded or straight: the law of cosines holds to the last digits where its plain form loses half of them."""
    q, p = WAVE.world()
    limb = limb_of(WAVE.skeleton, end, q, p)
    rng = np.random.default_rng(seed)
    current, upper, lower = limb_lengths(limb, p)
    direction = rng.normal(size=(len(p), 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    target = p[:, limb.upper] + (rng.uniform(0.0, 1.2, len(p)) * (upper + lower))[:, None] * direction
    asked, moved = (np.linalg.norm(target - p[:, joint], axis=1) for joint in (limb.upper, limb.end))
    spanned = np.linalg.norm(solve_limb_chain(limb, q, p, target).end - p[:, limb.upper], axis=1)
    assert spanned == pytest.approx(soft_clamp_reach(limb, asked, moved, current, upper, lower), abs=1e-12)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("moved", [0.0, 0.02, 0.3])
def test_reach_is_clamped_softly(end: str, moved: float) -> None:
    """Increasing, never as far as straight, the same in the middle; a limb that has not moved stays as it was."""
    q, p = WAVE.world()
    limb = limb_of(WAVE.skeleton, end, q, p)
    current, upper, lower = (np.full(400, lengths[0]) for lengths in limb_lengths(limb, p))
    asked = np.linspace(0.01, 1.5, 400) * (upper + lower)
    spanned = soft_clamp_reach(limb, asked, np.full(400, moved), current, upper, lower)
    assert (np.diff(spanned) >= -1e-12).all()
    assert np.abs(np.diff(spanned)).max() <= (asked[1] - asked[0]) * 1.001  # nowhere faster than asked
    whole = (upper + lower)[0]
    least_gap = min((1.0 - limb.longest) * whole, 0.6 * (whole - current[0])) / np.sqrt(2.0)
    assert whole - spanned.max() >= least_gap - 1e-9
    middle = np.abs(asked / (upper + lower) - 0.6) < 0.05
    assert spanned[middle] == pytest.approx(asked[middle], abs=0.01)
    same = soft_clamp_reach(limb, current, np.zeros(400), current, upper, lower)
    assert same == pytest.approx(current, abs=1e-9)


@pytest.mark.parametrize("end", ENDS)
@given(seed=seeds)
def test_asking_for_more_ends_at_the_target(end: str, seed: int) -> None:
    q, p = WAVE.world()
    limb = limb_of(WAVE.skeleton, end, q, p)
    _, upper, lower = limb_lengths(limb, p)
    rng = np.random.default_rng(seed)
    direction = p[:, limb.end] - p[:, limb.upper] + rng.normal(scale=0.1, size=(len(p), 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    share = rng.uniform(0.5, 0.985 if end.endswith("Hand") else 0.995, len(p))
    target = p[:, limb.upper] + (share * (upper + lower))[:, None] * direction
    solved = solve_limb_chain(limb, q, p, target_for_end(limb, p, target))
    assert np.linalg.norm(solved.end - target, axis=1).max() < 1e-4


def test_a_relaxed_arm_still_reaches_its_target_and_is_less_straight_than_before() -> None:
    q, p = WAVE.world()
    limb = limb_of(WAVE.skeleton, "leftHand", q, p)
    near = relax_arm(limb, p, p[:, limb.upper] + 0.3 * (p[:, limb.end] - p[:, limb.upper]))
    far = relax_arm(limb, p, p[:, limb.upper] + 5.0 * (p[:, limb.end] - p[:, limb.upper]))
    assert near.longest == pytest.approx(0.97)
    assert far.longest == limb.longest
