"""The observer sees places only, uses the literature's directions, and says how sure it is."""

import inspect

import numpy as np
import pytest

from analysis.bodies import body_with_hand, only_points, stroke
from kinesphere.analysis import observe
from kinesphere.analysis.measures import ELEMENTS, NOTICEABLE, SIGNS
from kinesphere.analysis.observer import (
    calibrations_toml,
    code_margins,
    fit_calibration,
    fit_confidence,
    fit_thresholds,
    fit_weights,
    load_calibrations,
)
from kinesphere.builtin.library import motion as default_motion


def hand(**options):
    return body_with_hand(stroke(**options), 120.0)


def test_the_neutral_itself_shows_nothing():
    motion = default_motion("point")
    assert observe(motion, motion).codes == (0, 0, 0, 0)


def test_only_places_are_seen():
    motion, neutral = default_motion("knock"), default_motion("emphasise")
    for baseline in (None, neutral):
        bare = None if baseline is None else only_points(baseline)
        ours, theirs = observe(motion, baseline), observe(only_points(motion), bare)
        assert ours.codes == theirs.codes
        for factor in ELEMENTS:
            assert getattr(ours, factor).score == pytest.approx(getattr(theirs, factor).score, abs=1e-9)


def test_nothing_of_the_engine_is_imported():
    import kinesphere.analysis as room

    for module in ("observation", "strokes", "measures", "observer"):
        source = inspect.getsource(__import__(f"{room.__name__}.{module}", fromlist=[module]))
        for engine in ("laban", "figure", "score", "direction"):
            assert f"kinesphere.{engine}" not in source


def test_time_is_told_on_strokes_made_by_hand():
    neutral = hand()
    sudden, sustained = hand(seconds=0.25, skew=1.8), hand(seconds=2.5, skew=0.6)
    assert observe(sudden, neutral).time.code == 1
    assert observe(sustained, neutral).time.code == -1
    assert observe(sustained, neutral).time.score < observe(neutral, neutral).time.score


def test_indirect_is_told_on_strokes_made_by_hand():
    assert observe(hand(bow=0.5), hand()).space.code == -1
    rows = [observe(hand(bow=bow), hand()).space.score for bow in (0.0, 0.15, 0.3, 0.5)]
    assert all(b < a for a, b in zip(rows[:-1], rows[1:], strict=True))


def test_confidence_is_a_share_and_grows_with_clearness():
    neutral = hand()
    found = [observe(hand(seconds=seconds), neutral).time for seconds in (0.5, 0.3, 0.2)]
    sure = [coding.confidence for coding in found if coding.code == 1]
    assert sure == sorted(sure)
    assert all(0.0 <= coding.confidence <= 1.0 for coding in found)


def test_nothing_to_see_is_said():
    still = body_with_hand(np.broadcast_to([-0.24, 0.9, 0.1], (100, 3)), 60.0)
    found = observe(still)
    assert (found.codes, found.strokes, found.elements) == ((0, 0, 0, 0), 0, ())
    assert found.weight.confidence == 0.0


def test_weights_have_the_literatures_signs():
    for calibration in (load_calibrations().beside, load_calibrations().alone):
        assert set(calibration.weights) == set(SIGNS)
        for element, row in calibration.weights.items():
            assert row, f"{element} has no cue at all"
            for cue, weight in row.items():
                assert weight * SIGNS[element][cue] > 0.0, (element, cue)


def test_every_cue_is_measured():
    measured = set(load_calibrations().population) | {"quickness", "slowness"}
    assert {cue for row in SIGNS.values() for cue in row} <= measured
    assert set(NOTICEABLE) == measured


def test_opposite_elements_do_not_share_a_direction():
    """Discounts apart, what speaks for one pole may not speak for the other."""
    for low, high in (("indirect", "direct"), ("sustained", "sudden")):
        for cue in set(SIGNS[low]) & set(SIGNS[high]):
            assert SIGNS[low][cue] == -SIGNS[high][cue]


def test_weights_are_the_least_squares_where_none_is_negative(rng):
    cues = rng.standard_normal((400, 3))
    present = (cues @ [1.0, 0.5, -0.7] > 0.3).astype(float)
    found = fit_weights(cues, present, np.zeros(3))
    assert (found >= 0.0).all()
    assert found[2] == 0.0
    assert found[0] > found[1] > 0.0
    # Karush–Kuhn–Tucker: the slope is zero where the weight is free, and points inward where it is held.
    x, y = cues - cues.mean(axis=0), present - present.mean()
    slope = x.T @ (x @ found - y) + 0.02 * len(x) * found
    assert slope[:2] == pytest.approx(0.0, abs=1e-6)
    assert slope[2] > 0.0


def test_what_is_seen_badly_counts_less(rng):
    cue = rng.standard_normal(300)
    cues, present = np.stack([cue, cue], axis=1), (cue > 0.5).astype(float)
    sharp, blurred = fit_weights(cues, present, np.array([0.0, 3.0]))
    assert sharp > 5.0 * blurred


def test_thresholds_part_what_can_be_parted():
    scores = np.array([[3.0, 0.0], [2.0, 0.1], [0.0, 0.1], [0.1, 0.0], [0.2, 2.0], [0.0, 3.0]])
    codes = np.array([-1, -1, 0, 0, 1, 1])
    assert (code_margins(scores - fit_thresholds(scores, codes)) == codes).all()


def test_confidence_follows_the_share_that_was_right(rng):
    clear = rng.uniform(0.0, 2.0, 4000)
    right = rng.random(4000) < 1.0 / (1.0 + np.exp(-0.2 - 1.5 * clear))
    assert fit_confidence(clear, right) == pytest.approx((0.2, 1.5), abs=0.2)
    assert fit_confidence(clear, rng.random(4000) < 1.0 / (1.0 + clear))[1] == 0.0


def test_calibrations_survive_their_file(tmp_path):
    import tomllib

    text = calibrations_toml(load_calibrations(), "about")
    data = tomllib.loads(text)
    assert data["beside"]["sudden"]["threshold"] == pytest.approx(
        load_calibrations().beside.thresholds["sudden"], abs=1e-4
    )
    assert data["population"] == pytest.approx(dict(load_calibrations().population), abs=1e-4)


def test_fitting_is_deterministic_and_learns(rng):
    names = list(NOTICEABLE)
    codes = rng.integers(-1, 2, (200, 4))
    rows = [
        dict(zip(names, rng.normal(0.0, 0.1, len(names)), strict=True))
        | {"duration": -1.0 * time, "speed": 1.0 * time, "turning": -1.0 * space}
        for space, _, time, _ in codes.tolist()
    ]
    first, second = fit_calibration(rows, codes.tolist()), fit_calibration(rows, codes.tolist())
    assert first == second
    said = np.array([code_margins(first.margins(row, "time")) for row in rows])
    assert np.mean(said == codes[:, 2]) > 0.95
