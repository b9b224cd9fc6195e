"""Curves passed through shaping functions, and the functions themselves."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere
from generated import motions, seeds
from kinesphere import MotionFileError
from kinesphere.body.limits import limit_excess
from kinesphere.builtin import motion
from kinesphere.builtin import motions as own_motions
from kinesphere.maths import rotations
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.score.shapes import load_shapes, save_shapes
from kinesphere.signals.curves import Curves
from kinesphere.signals.shaping import ControlPoint, Shaping, find_shaping, shapes
from kinesphere.signals.waveshape import LimitsDontFit, Waveshape
from signals.clips import apart, pirouette, short, with_calibration

LIMITS = Waveshape("limits", by="joint", feet=False)


@st.composite
def shapings(draw):
    rng = np.random.default_rng(draw(seeds))
    count = draw(st.integers(2, 8))
    x = np.cumsum(rng.uniform(0.01, 0.9, count)) - 1.0
    values = np.column_stack([x, rng.uniform(-2.0, 2.0, count), rng.uniform(-1.0, 1.0, (count, 3))])
    ends = draw(st.sampled_from(["natural", "clamped", "chord"]))
    return Shaping(tuple(ControlPoint(*row) for row in values.tolist()), ends, draw(st.text(max_size=20)))


def test_neutral_changes_nothing():
    given = motion("wave")
    for edit in (Waveshape(), Waveshape("identity"), Waveshape("snap", amount=0.0), Waveshape(Shaping())):
        assert edit.neutral
        assert edit(given) is given
    assert not Waveshape("snap").neutral


@pytest.mark.parametrize("name", list(shapes()))
def test_functions_pass_their_points_and_stay_in_bounds(name):
    shaping = shapes()[name]
    x, y = np.array(shaping.points).T[:2]
    np.testing.assert_allclose(shaping(x), y, atol=1e-12)
    assert shaping.identity == (name == "identity")
    inside = shaping(np.linspace(-1.0, 1.0, 2001))
    assert np.abs(inside).max() <= np.abs(y).max() + 1e-12
    np.testing.assert_allclose(inside, -inside[::-1], atol=1e-12)  # ours treat both sides alike


def test_the_library_has_what_was_asked_for():
    x = np.linspace(-1.0, 1.0, 401)
    cap = shapes()["hard cap"](x)
    np.testing.assert_allclose(cap, np.clip(x, -0.6, 0.6), atol=1e-12)
    soft = shapes()["soft cap"](x)
    inner = np.abs(x) <= 0.5
    np.testing.assert_allclose(soft[inner], x[inner], atol=1e-12)
    assert (np.diff(soft) >= -1e-12).all()
    assert np.abs(np.diff(soft, 2)).max() < 1e-3  # no corner
    np.testing.assert_allclose(shapes()["cosine"](x), np.sin(0.5 * np.pi * x), atol=0.02)
    off = shapes()["undulation"](x) - x
    assert (np.diff(np.sign(off[np.abs(off) > 0.01])) != 0).sum() == 5
    assert (np.diff(shapes()["undulation"](x)) < 0.0).any()  # not only slower: back
    steps = shapes()["quantise"](x)
    assert np.mean(np.abs(steps - 0.5 * np.round(2.0 * steps)) < 0.01) > 0.6
    limits = shapes()["limits"]
    wide = np.linspace(-3.0, 3.0, 2001)
    assert np.abs(limits(wide)).max() <= 1.0
    assert (np.diff(limits(wide)) >= -1e-12).all()


def test_points_are_added_moved_and_taken_away():
    shaping = Shaping().with_point(0.0, 0.5)
    assert [point.x for point in shaping.points] == [-1.0, 0.0, 1.0]
    assert shaping(0.0) == 0.5
    assert shaping.with_point(0.0, 0.2, 0.5).points[1] == ControlPoint(0.0, 0.2, 0.5)
    assert shaping.moved(1, 0.25, 0.0)(0.25) == 0.0
    assert shaping.without(1) == Shaping()
    with pytest.raises(ValueError, match="x must increase"):
        shaping.moved(1, 1.5, 0.0)
    with pytest.raises(ValueError, match="1 points; 2 to"):
        Shaping().without(0)
    with pytest.raises(ValueError, match="point 7: there are 3, from 0 to 2"):
        shaping.moved(7, 0.0, 0.0)
    with pytest.raises(ValueError, match="point -4: there are 3"):
        shaping.without(-4)
    with pytest.raises(ValueError, match="x and y"):
        shaping.with_point("a", 0.0)


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([(0.0, 0.0)], "1 points"),
        ([(0.0, 0.0), (0.0, 1.0)], "x must increase"),
        ([(0.0, 0.0), (1.0, np.nan)], "is allowed"),
        ([(0.0, 0.0), (1.0,)], r"points\[1\] is \[1.0\]"),
        ([(0.0, 0.0), "ab"], r'points\[1\] is "ab"'),
        ([(0.0, 0.0), (10**400, 1.0)], r"points\[1\] is"),
        ([(0.0, 0.0), (1.0, 1.0, 2.0)], r"points\[1\]: the tension of a point is 2"),
    ],
)
def test_points_that_make_no_function_are_refused(points, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Shaping(tuple(points))


@given(st.dictionaries(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1), shapings()))
def test_saved_functions_come_back(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("shapes") / "mine.toml"
    given = {name[:60]: shaping for name, shaping in given.items()}
    save_shapes(given, path)
    loaded = load_shapes(path)
    assert {name: loaded[name] for name in given} == given
    assert set(loaded) == set(given) | set(shapes())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("shape = 1", r"one table \[shapes\]"),
        ("[shapes]\na = 3", r"shapes\.a: found 3"),
        ("[shapes.a]\npoint = []", "did you mean 'points'"),
        ("[shapes.a]\npoints = [[0, 0]]", r"shapes\.a: found 1 points"),
        ("[shapes.a]\npoints = [[0, 0], [1, true]]", r"shapes\.a\.points: found True; expected a number"),
        ("[shapes.a]\npoints = [[0, 0], [1]]", r"shapes\.a\.points: found .* expected pairs"),
        ("[shapes.a]\npoints = [[0, 0], [1, 1]]\nbias = [0]", r"shapes\.a\.bias: found 1 numbers"),
        ("[shapes.a]\npoints = [[0, 0], [1, 1]]\ntension = 'x'", r"shapes\.a\.tension: found 'x'"),
        ("[shapes.a]\npoints = [[0, 0], [1, 1]]\nends = 'open'", "one of: natural, clamped, chord"),
        ("[shapes.a]\npoints = [[0, 0], [1, 1]]\nabout = 3", r"shapes\.a\.about: found 3; expected a text"),
        ("[shapes.a]\npoints = [[0, 0], [inf, 1]]", "is allowed"),
        ("[shapes.' a']\npoints = [[0, 0], [1, 1]]", "printed characters"),
        ("[shapes", "no TOML"),
        (
            "[shapes.a]\npoints = [[0, 0], [1" + 400 * "0" + ", 1]]",
            r"shapes\.a\.points: found a number that is far too",
        ),
        ("[shapes.a]\npoints = [[0, 0], [1, 1]]\nbias = 1" + 400 * "0", r"shapes\.a\.bias: found a number that is far"),
        ("[shapes.a]\npoints = " + 3000 * "[" + 3000 * "]", "no TOML"),
    ],
)
def test_files_that_are_wrong_are_refused_with_the_place(tmp_path, text, said):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(MotionFileError, match=said) as caught:
        load_shapes(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"shape": "cozine"}, "did you mean 'cosine'"),
        ({"amount": 1.5}, "amount is 1.5; 0 .* to 1 .* is allowed"),
        ({"amount": np.nan}, "amount is nan"),
        ({"by": "joints"}, "did you mean 'joint'"),
        ({"shape": "limits", "by": "joint", "root": True}, "no limits"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Waveshape(**wrong)
    with pytest.raises(TypeError, match="the name of one of ours"):
        Waveshape(3)


def test_ranges_of_a_clip_become_what_the_function_says():
    given = motion("wave")
    before = Curves.of(given)
    made = Waveshape("hard cap", feet=False).edit_table(before, np.ones(len(given.skeleton), dtype=bool))
    turns = slice(0, 3 * len(given.skeleton))
    width = before.table[:, turns].max(axis=0) - before.table[:, turns].min(axis=0)
    moving = width > 1e-6
    capped = made[:, turns].max(axis=0) - made[:, turns].min(axis=0)
    np.testing.assert_allclose(capped[moving], 0.6 * width[moving], rtol=1e-9)
    np.testing.assert_array_equal(made[:, turns][:, width == 0.0], before.table[:, turns][:, width == 0.0])


def test_more_of_it_does_more():
    given = motion("wave")
    moves = [apart(Waveshape("snap", amount=amount, feet=False)(given), given) for amount in (0.0, 0.3, 0.6, 1.0)]
    assert all(a < b for a, b in zip(moves[:-1], moves[1:], strict=True))


def test_a_capped_wave_is_smaller_and_has_no_corner_when_capped_softly():
    given = motion("wave")
    hand = given.skeleton.index("rightHand")
    highest, sudden = [], []
    for shape in ("identity", "soft cap", "hard cap"):
        path = Waveshape(shape)(given, parts="right_arm").positions_world()[:, hand]
        highest.append(path[:, 1].max())
        sudden.append(np.linalg.norm(np.diff(path, 3, axis=0), axis=-1).max())
    assert highest[0] > highest[1] + 0.01
    assert highest[1] > highest[2]
    assert sudden[1] < sudden[2]


def test_a_drink_undulates():
    """The hand comes to where it came to, and hesitates on the way."""
    given = motion("drink")
    made = Waveshape("undulation")(given, parts="right_arm")
    arm = given.skeleton.index("rightLowerArm")
    turns = [
        np.degrees(rotations.angle_between(clip.rotations[:, arm], given.rotations[0, arm])) for clip in (given, made)
    ]
    assert abs(turns[0].max() - turns[1].max()) < 3.0
    assert abs(turns[0][-1] - turns[1][-1]) < 3.0
    reversals = [(np.diff(np.sign(np.diff(turn)[np.abs(np.diff(turn)) > 0.05])) != 0).sum() for turn in turns]
    assert reversals[1] >= reversals[0] + 4


@pytest.mark.parametrize("shape", ["quantise", "undulation", "cosine", "grand"])
def test_a_pirouette_survives(shape):
    given = pirouette()
    made = Waveshape(shape, feet=False)(given)
    before, after = Curves.of(given), Curves.of(made)
    np.testing.assert_allclose(after.heading, before.heading, atol=1e-9)
    np.testing.assert_allclose(made.translations, given.translations, atol=1e-12)
    steps = rotations.angle_between(made.rotations[1:], made.rotations[:-1])
    assert steps.max() < 6.0 * rotations.angle_between(given.rotations[1:], given.rotations[:-1]).max()


def test_heading_and_path_are_shaped_when_asked_for():
    given = motion("walk")
    made = Curves.of(Waveshape("stiff", root=True, feet=False)(given))
    before = Curves.of(given)
    for shaped, plain in ((made.path[:, 2], before.path[:, 2]), (made.heading, before.heading)):
        assert np.ptp(shaped) == pytest.approx(0.5 * np.ptp(plain), rel=1e-6)


def test_what_does_not_move_stays_still():
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 40, axis=0),
        translations=np.repeat(given.translations[:1], 40, 0),
    )
    for edit in (Waveshape("grand", feet=False), Waveshape("quantise", root=True, feet=False)):
        assert apart(edit(still), still) < 1e-9


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_the_shortest_clips(frames):
    for edit in (Waveshape("cosine"), LIMITS, Waveshape("grand", root=True)):
        made = edit(short(frames))
        assert len(made) == frames
        assert np.isfinite(made.rotations).all()


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_rates_mean_the_same(rate):
    """Both share half of their frames, and hardly differ in their extremes."""
    given = motion("wave")
    one, other = Waveshape("cosine", feet=False)(given), Waveshape("cosine", feet=False)(given.resampled(rate))
    step = int(max(rate, 60.0) // min(rate, 60.0))
    one, other = (one[::step], other) if rate < 60.0 else (one, other[::step])
    count = min(len(one), len(other))
    assert apart(one[:count], other[:count]) < 5e-3


@given(motions(), st.sampled_from(["snap", "quantise", "grand"]))
def test_any_motion_stays_sound(given, shape):
    made = Waveshape(shape, feet=False)(given)
    assert rotations.unit_error(made.rotations) < 1e-9
    np.testing.assert_array_equal(made.translations, given.translations)


def bent_by(given, bends):
    """The motion with joints at rotation vectors, by name ``(T, 3)``."""
    q = given.rotations.copy()
    for name, bend in bends.items():
        q[:, given.skeleton.index(name)] = rotations.from_rotation_vector(bend)
    return replace(given, rotations=rotations.continuous(q))


def now_and_then(given, most):
    """``(T,)`` radians, up to ``most`` and back as far, for a short while each."""
    return most * np.sin(np.linspace(0.0, 2.0 * np.pi, len(given))) ** 5


def limited(edit, given):
    """The motion, edited, and what is told of limits that don't fit."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = edit(given)
    assert all(issubclass(one.category, LimitsDontFit) for one in told)
    return made, [str(one.message) for one in told]


def test_joints_come_softly_to_their_limits():
    """A knee and an elbow bent far too far, and far too far back."""
    given = motion("wave")
    axis, most = (
        np.array([0.2, 0.9, 0.1]),
        {"leftLowerLeg": 1.4, "rightLowerArm": 1.4, "leftUpperArm": 2.2, "head": 1.6},
    )
    bent = bent_by(given, {name: now_and_then(given, far)[:, None] * axis for name, far in most.items()})
    made = LIMITS(bent)
    assert max(past.max() for past in limit_excess(bent).values()) > 0.5
    assert max(past.max() for past in limit_excess(made).values()) < 1e-6
    assert rotations.angle_between(made.rotations[1:], made.rotations[:-1]).max() < 0.2
    half = max(past.max() for past in limit_excess(replace(LIMITS, amount=0.5)(bent)).values())
    assert 0.1 < half < 0.9 * max(past.max() for past in limit_excess(bent).values())


def test_what_is_well_inside_its_limits_stays():
    given = motion("idle")
    made = LIMITS(given)
    for joint, name in enumerate(given.skeleton.names):
        if "Hand" not in name and "Shoulder" not in name:
            assert rotations.angle_between(made.rotations[:, joint], given.rotations[:, joint]).max() < np.radians(2.0)
    assert np.mean(rotations.angle_between(made.rotations, given.rotations) < 1e-7) > 0.9


def test_by_joint_needs_a_body():
    with pytest.raises(ValueError, match="shaping by what joints can do"):
        LIMITS(pirouette_of_two())


def pirouette_of_two():
    skeleton = kinesphere.Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.3, 0.0]]))
    q = rotations.from_rotation_vector(np.linspace(0.0, 3.0, 60)[:, None, None] * np.array([[0, 1.0, 0], [1.0, 0, 0]]))
    return kinesphere.Motion(skeleton, 60.0, q)


def test_calibration_frames_and_other_joints_stay():
    given = with_calibration(motion("wave"))
    made = Waveshape("grand")(given, parts="right_arm")
    np.testing.assert_array_equal(made.rotations[0], given.rotations[0])
    left = given.skeleton.index("leftUpperArm")
    np.testing.assert_array_equal(made.rotations[:, left], given.rotations[:, left])
    limited = Waveshape("limits", by="joint", feet=False)(given, parts="left_leg")
    np.testing.assert_array_equal(limited.rotations[:, left], given.rotations[:, left])


def test_shapings_by_name():
    assert find_shaping("cosine") is shapes()["cosine"]
    assert Waveshape("cosine").shaping is shapes()["cosine"]
    mine = Shaping(((-1.0, 0.0), (1.0, 0.5)))
    assert Waveshape(mine).shaping is mine


def test_joints_that_limits_do_not_fit_stay_and_are_told():
    """A knee that is always past its limits, a hip that once is far past them, and an elbow that is a little."""
    given, back = motion("wave"), np.array([-1.0, 0.0, 0.0])
    always = 0.6 + 0.1 * np.sin(given.times)
    bent = bent_by(
        given,
        {
            "leftLowerLeg": always[:, None] * back,
            "rightUpperLeg": now_and_then(given, 2.6)[:, None] * back,
            "leftLowerArm": now_and_then(given, 1.2)[:, None] * np.array([0.2, 0.9, 0.1]),
        },
    )
    with pytest.warns(LimitsDontFit, match="wave: .* don't fit leftLowerLeg, rightUpperLeg on this body") as told:
        made = LIMITS(bent)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert issubclass(LimitsDontFit, MotionFileWarning)
    turned = rotations.angle_between(made.rotations, bent.rotations).max(axis=0)
    assert turned[[given.skeleton.index(name) for name in ("leftLowerLeg", "rightUpperLeg")]].max() < 1e-7
    assert turned[given.skeleton.index("leftLowerArm")] > np.radians(10.0)
    assert limit_excess(made)["leftLowerArm"].max() < 1e-6
    others = (replace(LIMITS, amount=0.4), Waveshape("soft cap", by="joint", feet=False))
    for edit in others:  # the same limits, whatever is done with them
        assert limited(edit, bent)[1] == [str(told[0].message)]
    with pytest.warns(LimitsDontFit, match="don't fit leftLowerLeg on this body; it stays"):
        LIMITS(bent, parts="left_leg")
    LIMITS(bent, parts="left_arm")


@pytest.mark.parametrize("name", own_motions())
def test_limits_fit_our_own_figure(name):
    assert limited(LIMITS, motion(name))[1] == []


@pytest.mark.data
@pytest.mark.parametrize(
    ("clip", "left"),
    [
        ("cmu/79_88", ["LeftLeg"]),
        ("cmu/79_92", ["LeftLeg"]),
        ("cmu/79_94", ["LeftLeg", "RightLeg"]),
        ("cmu/05_02", ["Spine", "RightArm"]),
        ("cmu/141_11", ["Head"]),
        ("cmu/141_14", ["RightFoot", "LeftFoot"]),
        ("cmu/141_20", ["LeftFoot"]),
        ("animated_drawings/jesse_dance", ["RightUpLeg"]),
        ("animated_drawings/dab", []),
    ],
)
def test_captures_come_within_the_limits_that_fit(data_dir, clip, left):
    given = kinesphere.load(data_dir / f"bvh/{clip}.bvh")
    (made, told), real = limited(LIMITS, given), given.performed_frames
    named = told[0].partition("don't fit ")[2].partition(" on this body")[0].split(", ") if told else []
    assert len(told) == bool(left)
    assert set(left) <= set(named)
    turned = rotations.angle_between(made.rotations, given.rotations)[real]
    kept = [given.skeleton.index(name) for name in named]
    assert turned[:, kept].max(initial=0.0) < 1e-7
    assert turned.max() <= np.radians(60.0)
    assert np.mean(turned > 1e-7, axis=0).max() <= 0.5
    before, after = limit_excess(given), limit_excess(made)
    roles = given.skeleton.with_found_roles().roles
    free = [role for role in after if roles[role] not in kept and not role.endswith("Toes")]  # jesse's have no side
    assert max(past[real].max() for past in before.values()) > np.radians(20.0)
    assert max(after[role][real].max() for role in free) < 1e-6
    steps = [rotations.angle_between(q[1:], q[:-1]).max(axis=0) for q in (given.rotations[real], made.rotations[real])]
    assert (steps[1] < 1.5 * steps[0] + np.radians(2.0)).all()
