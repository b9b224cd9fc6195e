"""Timewarps: against all paths there are, against dtaidistance, and what a correspondence should be true to."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import dtw as dtw_module
from kinesphere.maths.dtw import PoseCost, ShapeCost, dtw

COSTS = [
    "shape",
    "pose",
    ShapeCost(stretch=0.3, bend=2.0, pace=1.5),
    ShapeCost(stretch=0.0, bend=1.0),
    PoseCost(penalty=0.7),
    PoseCost(distance=lambda some, others: np.abs(some[:, None] - others[None]).max(axis=-1)),
]
costs = st.sampled_from(COSTS)


@st.composite
def pairs(draw, most_frames: int = 6, most_numbers: int = 3):
    """Two signals; some of whole numbers, so that there are ties, and some that do not move."""
    numbers = draw(st.integers(1, most_numbers))
    rng = np.random.default_rng(draw(seeds))
    kind = draw(st.sampled_from(["any", "any", "whole", "still", "straight"]))
    made = []
    for _ in range(2):
        frames = draw(st.integers(1, most_frames))
        values = rng.normal(size=(frames, numbers))
        if kind == "whole":
            values = np.round(values)
        elif kind == "still":
            values = np.broadcast_to(values[:1], values.shape)
        elif kind == "straight":
            values = np.arange(frames)[:, None] * values[:1]
        made.append(np.array(values))
    return made[0], made[1]


def shape_terms(a, b, cost):
    """Lengths and turns as the equations have them, one number at a time."""
    steps = [np.diff(x, axis=0) for x in (a, b)]
    together = np.concatenate(steps)
    usual = np.sqrt((together**2).mean()) if together.size and together.any() else 1.0
    frame = cost.pace * usual
    slopes = [step / frame for step in steps]
    lengths = [np.hypot(1.0, slope) for slope in slopes]
    turns = [np.diff(np.arctan(slope), axis=0) for slope in slopes]
    count = len(together)
    mean_length = sum(length.sum() for length in lengths) / max(count, 1)
    mean_turn = sum(np.abs(turn).sum() for turn in turns) / max(count, 1)
    mean_turn = max(mean_turn, 1e-4 * a.shape[1])  # below that it is rounding
    return [cost.stretch / max(mean_length, 1e-300) * x for x in lengths], [cost.bend / mean_turn * x for x in turns]


def prices(a, b, cost):
    """What a step (p, q) to a node costs, and what leaving it by (p', q') then does, by the equations of the module."""
    cost = {"shape": ShapeCost(), "pose": PoseCost()}.get(cost, cost) if isinstance(cost, str) else cost
    if isinstance(cost, PoseCost):
        far = cost.distance or (lambda some, others: np.linalg.norm(some[:, None] - others[None], axis=-1))
        table = far(a, b)
        return lambda i, j, p, q: table[i, j] + (0.0 if p and q else cost.penalty), lambda *_: 0.0
    (la, lb), (ta, tb) = shape_terms(a, b, cost)
    none = np.zeros((1, a.shape[1]))
    la, lb = np.concatenate([none, la]), np.concatenate([none, lb])
    ta, tb = np.concatenate([none, ta, none]), np.concatenate([none, tb, none])

    def step(i, j, p, q):
        return np.abs(p * la[i] - q * lb[j]).sum()

    def bend(i, j, p, q, p_next, q_next):
        return np.abs((p + p_next) / 2 * ta[i] - (q + q_next) / 2 * tb[j]).sum()

    return step, bend


def cost_of(path, a, b, cost):
    step, bend = prices(a, b, cost)
    steps = np.diff(path, axis=0)
    total = step(0, 0, 1, 1)
    for k, (i, j) in enumerate(path[1:]):
        total += step(i, j, *steps[k])
        if k + 1 < len(steps):
            total += bend(i, j, *steps[k], *steps[k + 1])
    return float(total)


def cheapest(a, b, cost, within=lambda i, j: True):
    """Of all paths, each gone along from its start to its end."""
    step, bend = map(cache, prices(a, b, cost))
    rows, columns = len(a), len(b)

    def onwards(i, j, p, q, total):
        if i == rows - 1 and j == columns - 1:
            return total
        best = np.inf
        for p_next, q_next in ((1, 1), (1, 0), (0, 1)):
            k, m = i + p_next, j + q_next
            if k < rows and m < columns and within(k, m):
                turned = bend(i, j, p, q, p_next, q_next) if i or j else 0.0
                best = min(best, onwards(k, m, p_next, q_next, total + turned + step(k, m, p_next, q_next)))
        return best

    return onwards(0, 0, 1, 1, step(0, 0, 1, 1))


def smooth(seed, numbers=12):
    """A smooth signal of any number of frames: a function of places from 0 to 1."""
    rng = np.random.default_rng(seed)
    waves, phases = rng.uniform(0.5, 8.0, (2, numbers, 6)) * np.array([[[1.0]], [[10.0]]])
    sizes = rng.normal(size=(numbers, 6)) / waves
    return lambda places: (sizes * np.sin(2 * np.pi * waves * places[:, None, None] + phases)).sum(axis=-1)


def good_path(path, rows, columns):
    steps = np.diff(path, axis=0)
    assert path.dtype.kind == "i"
    assert tuple(path[0]) == (0, 0)
    assert tuple(path[-1]) == (rows - 1, columns - 1)
    assert ((steps == 0) | (steps == 1)).all()
    assert steps.any(axis=1).all()


@given(pairs(), costs)
def test_no_path_is_cheaper(pair, cost):
    a, b = pair
    path, total = dtw(a, b, cost)
    good_path(path, len(a), len(b))
    assert total == pytest.approx(cheapest(a, b, cost), rel=1e-9, abs=1e-9)
    assert total == pytest.approx(cost_of(path, a, b, cost), rel=1e-9, abs=1e-9)


@given(pairs(most_frames=5), costs, st.integers(0, 3))
def test_no_path_within_the_band_is_cheaper(pair, cost, band):
    a, b = pair
    line = dtw_module.diagonal_path(len(a), len(b))
    path, total = dtw(a, b, cost, band=band)
    good_path(path, len(a), len(b))

    def within(i, j):
        return (np.abs(line - [i, j]).max(axis=1) <= band).any()

    assert all(within(i, j) for i, j in path)
    assert total == pytest.approx(cheapest(a, b, cost, within), rel=1e-9, abs=1e-9)


def cheapest_by_states(a, b, cost, band):
    """Dynamic programming over nodes and the three steps that come to them, written out with dictionaries."""
    step, bend = map(cache, prices(a, b, cost))
    line = dtw_module.diagonal_path(len(a), len(b))
    best = {(0, 0, 1, 1): step(0, 0, 1, 1)}
    for i in range(len(a)):
        for j in range(len(b)):
            if band is not None and not (np.abs(line - [i, j]).max(axis=1) <= band).any():
                continue
            for p, q in ((1, 1), (1, 0), (0, 1)):
                before = [
                    best[i - p, j - q, *come] + (bend(i - p, j - q, *come, p, q) if i - p or j - q else 0.0)
                    for come in ((1, 1), (1, 0), (0, 1))
                    if (i - p, j - q, *come) in best
                ]
                if before:
                    best[i, j, p, q] = min(before) + step(i, j, p, q)
    return min(total for (i, j, *_), total in best.items() if (i, j) == (len(a) - 1, len(b) - 1))


@settings(max_examples=40)
@given(pairs(most_frames=25, most_numbers=9), costs, st.sampled_from([None, 0, 2, 7]))
def test_longer_paths_are_the_cheapest_too(pair, cost, band):
    path, total = dtw(*pair, cost, band=band)
    assert total == pytest.approx(cheapest_by_states(*pair, cost, band), rel=1e-9, abs=1e-9)
    assert total == pytest.approx(cost_of(path, *pair, cost), rel=1e-9, abs=1e-9)


@given(pairs(most_frames=30), costs, st.sampled_from([None, 0, 3]))
def test_it_does_not_matter_which_signal_is_first(pair, cost, band):
    a, b = pair
    assert dtw(a, b, cost, band=band).cost == pytest.approx(dtw(b, a, cost, band=band).cost, rel=1e-12, abs=1e-12)


@given(pairs(most_frames=20), seeds, st.floats(0.01, 100.0))
def test_shape_knows_no_constants_and_no_unit(pair, seed, unit):
    a, b = pair
    offsets = np.random.default_rng(seed).normal(size=(2, a.shape[1]))
    expected = dtw(a, b, "shape").cost
    assert dtw(a + offsets[0], b + offsets[1], "shape").cost == pytest.approx(expected, rel=1e-6, abs=1e-6)
    assert dtw(unit * a, unit * b, "shape").cost == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(pairs(most_frames=20), costs)
def test_time_may_run_backwards(pair, cost):
    a, b = pair
    assert dtw(a[::-1], b[::-1], cost).cost == pytest.approx(dtw(a, b, cost).cost, rel=1e-9, abs=1e-9)


@given(pairs(most_frames=40), costs, st.sampled_from([{}, {"band": 0}, {"band": 5}, {"coarse": 2}]))
def test_equal_signals_lie_on_the_diagonal_and_cost_nothing(pair, cost, how):
    a = pair[0]
    path, total = dtw(a, a.copy(), cost, **how)
    assert total == 0.0
    if not isinstance(cost, ShapeCost) or cost.stretch > 0.0:  # turns alone say nothing about what is straight
        np.testing.assert_array_equal(path, np.stack([np.arange(len(a))] * 2, axis=1))


@pytest.mark.parametrize("cost", ["shape", "pose"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("frames", "clock"),
    [(150, lambda u: u), (300, lambda u: u + 0.05 * np.sin(2 * np.pi * u)), (290, lambda u: 0.4 * u * u + 0.6 * u)],
    ids=["twice as fast", "to and fro", "ever faster"],
)
def test_a_copy_with_another_clock_is_found_back(cost, seed, frames, clock):
    line, places = smooth(seed, 30), np.linspace(0.0, 1.0, frames)
    path, _ = dtw(line(np.linspace(0.0, 1.0, 200)), line(clock(places)), cost)
    missed = np.abs(path[:, 0] - 199.0 * clock(places[path[:, 1]]))
    assert missed.max() < 2.5
    assert missed.mean() < 0.7


def test_three_states_find_what_one_would_miss():
    """One path a node is not enough: which step was best may show only in the turn after it."""
    rng, missed = np.random.default_rng(5), 0
    for _ in range(25):
        a, b = rng.normal(size=(2, 6, 2))
        cost = ShapeCost(bend=4.0)
        best = cheapest(a, b, cost)
        assert dtw(a, b, cost).cost == pytest.approx(best, rel=1e-9)
        missed += with_one_state(a, b, cost) > best * (1.0 + 1e-9)
    assert missed > 5


def with_one_state(a, b, cost):
    """Dynamic programming with one path a node, as if turns did not matter for what comes after."""
    best = {(0, 0): ((0, 0),)}
    for i in range(len(a)):
        for j in range(len(b)):
            before = [best[node] for node in ((i - 1, j - 1), (i - 1, j), (i, j - 1)) if node in best]
            if before:
                best[i, j] = min(((*path, (i, j)) for path in before), key=lambda path: cost_of(path, a, b, cost))
    return cost_of(best[len(a) - 1, len(b) - 1], a, b, cost)


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_a_wide_band_is_the_full_search(cost, rng):
    a, b = rng.normal(size=(50, 4)).cumsum(axis=0), rng.normal(size=(35, 4)).cumsum(axis=0)
    full = dtw(a, b, cost)
    for how in ({"band": 50}, {"band": 0, "about": full.path}, {"band": 2, "about": full.path[[0, 20, -1]]}):
        found = dtw(a, b, cost, **how)
        good_path(found.path, 50, 35)
        assert found.cost >= full.cost - 1e-12
        if "about" not in how or how["band"] == 0:
            np.testing.assert_array_equal(found.path, full.path)
            assert found.cost == full.cost


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_wider_bands_never_cost_more(cost, rng):
    a, b = rng.normal(size=(40, 3)).cumsum(axis=0), rng.normal(size=(60, 3)).cumsum(axis=0)
    found = [dtw(a, b, cost, band=band).cost for band in (0, 1, 3, 8, 20, 60)]
    assert (np.diff(found) <= 1e-12).all()


@pytest.mark.parametrize("cost", ["shape", "pose"])
@pytest.mark.parametrize("seed", range(5))
def test_coarse_to_fine_is_within_one_percent(cost, seed):
    line = smooth(seed)
    u = np.linspace(0.0, 1.0, 260)
    a, b = line(np.linspace(0.0, 1.0, 300)), line(0.5 * u + 0.5 * u**2)
    b = b + 0.1 * smooth(seed + 100)(u)
    full, coarse = dtw(a, b, cost), dtw(a, b, cost, coarse=8)
    good_path(coarse.path, 300, 260)
    assert full.cost <= coarse.cost + 1e-12
    assert coarse.cost <= 1.01 * full.cost


@given(pairs(most_frames=120, most_numbers=2), costs, st.integers(0, 12))
def test_coarse_to_fine_is_a_path_and_costs_what_it_says(pair, cost, radius):
    path, total = dtw(*pair, cost, coarse=radius)
    good_path(path, *map(len, pair))
    assert total == pytest.approx(cost_of(path, *pair, cost), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("cost", COSTS[:5])
@pytest.mark.parametrize("frames", [(1, 1), (1, 4), (2, 1), (2, 2), (3, 2), (4, 3), (1, 40)])
@pytest.mark.parametrize("how", [{}, {"band": 0}, {"coarse": 1}])
def test_few_frames(cost, frames, how, rng):
    a, b = rng.normal(size=(frames[0], 3)), rng.normal(size=(frames[1], 3))
    path, total = dtw(a, b, cost, **how)
    good_path(path, *frames)
    assert total == pytest.approx(cost_of(path, a, b, cost), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_what_does_not_move_is_matched_frame_by_frame(cost):
    path, total = dtw(np.full((5, 2), 3.0), np.full((7, 2), 3.0), cost)
    good_path(path, 5, 7)
    assert len(path) == 7
    assert total == pytest.approx(2.0 if cost == "shape" else 0.0)  # two usual frames left out, and nothing turns


def test_rounding_is_no_movement(rng):
    """A still signal with noise in its last bits is a still signal; a straight one is straight."""
    still = 1.0 + 1e-16 * rng.integers(-2, 3, (40, 3))
    assert dtw(still, np.ones((40, 3))).cost < 0.1
    line = np.linspace(0.0, 1.0, 40)[:, None] * [1.0, 2.0, 3.0]
    assert dtw(line, line + 0.1).cost < 1e-6


def test_weights_choose_degrees_of_freedom(rng):
    a, b = rng.normal(size=(2, 30, 3)).cumsum(axis=1)
    one = dtw(a[:, :1], b[:, :1])
    found = dtw(a, b, ShapeCost(weights=[2.0, 0.0, 0.0]))
    np.testing.assert_array_equal(found.path, one.path)
    assert found.cost == pytest.approx(one.cost)


def test_a_penalty_keeps_to_the_diagonal(rng):
    a, b = rng.normal(size=(2, 30, 3))
    assert len(dtw(a, b, "pose").path) > 30
    np.testing.assert_array_equal(dtw(a, b, PoseCost(penalty=1e3)).path, np.stack([np.arange(30)] * 2, axis=1))


def test_given_distances_are_asked_for_in_parts(rng, monkeypatch):
    monkeypatch.setattr(dtw_module, "_DISTANCES", 100)
    a, b = rng.normal(size=(30, 2)), rng.normal(size=(25, 2))
    asked = []

    def far(some, others):
        asked.append((len(some), len(others)))
        return np.linalg.norm(some[:, None] - others[None], axis=-1)

    for how in ({}, {"band": 3}):
        found, expected = dtw(a, b, PoseCost(distance=far), **how), dtw(a, b, "pose", **how)
        np.testing.assert_array_equal(found.path, expected.path)
        assert found.cost == pytest.approx(expected.cost, rel=1e-12)
    assert max(n * m for n, m in asked) <= 100
    assert len(asked) > 2


@pytest.fixture(scope="module")
def dtaidistance():
    reason = "MISSING: dtaidistance (`make test` installs it). Our timewarps were not compared with it."
    return pytest.importorskip("dtaidistance", reason=reason)


@given(pairs(most_frames=40, most_numbers=5), st.sampled_from([0.0, 0.5]))
def test_pose_is_what_dtaidistance_finds(dtaidistance, pair, penalty):
    from dtaidistance import dtw as theirs
    from dtaidistance import dtw_ndim

    a, b = pair
    options = {"inner_dist": "euclidean", "penalty": penalty or None}
    cost = PoseCost(penalty=penalty)
    assert dtw(a, b, cost).cost == pytest.approx(dtw_ndim.distance(a, b, **options), rel=1e-9, abs=1e-9)
    x, y = a[:, 0].copy(), b[:, 0].copy()
    assert dtw(x, y, cost).cost == pytest.approx(theirs.distance(x, y, **options), rel=1e-9, abs=1e-9)


def test_the_path_is_dtaidistances(dtaidistance, rng):
    from dtaidistance import dtw_ndim

    a, b = rng.normal(size=(60, 5)).cumsum(axis=0), rng.normal(size=(45, 5)).cumsum(axis=0)
    theirs = dtw_ndim.warping_path(a, b, inner_dist="euclidean")
    np.testing.assert_array_equal(dtw(a, b, "pose").path, theirs)


def test_what_does_not_fit_is_refused():
    a = np.zeros((5, 3))
    refused = [
        (lambda: dtw(a, np.zeros((4, 2))), "3 numbers a frame and the second 2"),
        (lambda: dtw(np.zeros((0, 3)), a), "first signal has shape .*at least one frame"),
        (lambda: dtw(np.zeros((4, 0)), np.zeros((4, 0))), "no numbers a frame"),
        (lambda: dtw(np.zeros((4, 1, 2)), a), "first signal has shape"),
        (lambda: dtw(a, np.where(np.arange(15).reshape(5, 3) == 7, np.nan, a)), "second .*nan at frame 2, number 1"),
        (lambda: dtw(a, a, "speed"), "expected 'shape', 'pose'"),
        (lambda: dtw(a, a, band=-1), "band is -1"),
        (lambda: dtw(a, a, coarse=2.5), r"coarse is 2\.5"),
        (lambda: dtw(a, a, band=2, coarse=2), "one way to search"),
        (lambda: dtw(a, a, about=[[0, 0], [4, 4]]), "without a band"),
        (lambda: dtw(a, a, band=1, about=[[0, 0], [3, 4]]), r"from \(0, 0\) to \(3, 4\); expected .* to \(4, 4\)"),
        (lambda: dtw(a, a, band=1, about=[[0, 0], [3, 2], [2, 3], [4, 4]]), "goes back in time after its node 1"),
        (lambda: dtw(a, a, band=1, about=[[0.0, 0.0], [4.0, 4.0]]), "pairs of whole frames"),
        (lambda: dtw(a, a, ShapeCost(weights=[1.0])), "weights have shape"),
        (lambda: dtw(a, a, ShapeCost(weights=[0.0, 0.0, 0.0])), "not all zero"),
        (lambda: dtw(a, a, PoseCost(distance=lambda some, others: np.zeros(3))), "distance function gave"),
        (lambda: ShapeCost(stretch=-1.0), "stretch is -1"),
        (lambda: ShapeCost(stretch=0.0, bend=0.0), "both zero"),
        (lambda: ShapeCost(pace=0.0), "pace is 0"),
        (lambda: PoseCost(penalty=-1.0), "penalty is -1"),
    ]
    for call, message in refused:
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("cost", "scale"),
    [
        ("pose", 1e200),
        (PoseCost(penalty=1e308), 1.0),
        (PoseCost(distance=lambda some, others: np.full((len(some), len(others)), 1e308)), 1.0),
        (ShapeCost(stretch=1e308), 1.0),
        (ShapeCost(pace=1e-308), 1.0),
    ],
)
def test_costs_beyond_floating_point_are_refused(cost, scale, rng):
    """Steps lead nowhere where all of them cost infinitely much: the path must not leave the window."""
    a, b = scale * rng.normal(size=(2, 30, 4))
    with pytest.raises(ValueError, match="too large"):
        dtw(a, b[:20], cost)
