"""Jitter removed, strikes left sharp."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter1d

import kinesphere
from generated import motions
from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.signals.curves import Curves
from kinesphere.signals.smooth import Smooth, noise_of
from signals.clips import apart, pirouette, short, with_calibration


def noisy(given, degrees, seed=0):
    """White noise on every joint, so many degrees about each of three axes."""
    rng = np.random.default_rng(seed)
    noise = np.radians(degrees) * rng.normal(size=(*given.rotations.shape[:2], 3))
    return replace(
        given,
        rotations=rotations.continuous(rotations.multiply(given.rotations, rotations.from_rotation_vector(noise))),
    )


def off(one, other):
    """Root mean square of the angles between both, over all frames and joints."""
    return np.sqrt(np.mean(rotations.angle_between(one.rotations, other.rotations) ** 2))


def removed(made, noisy_one, clean):
    return 1.0 - off(made, clean) / off(noisy_one, clean)


def strike(given):
    """The fastest that the right hand is, in metres a second."""
    hand = given.skeleton.with_found_roles().roles["rightHand"]
    return np.linalg.norm(np.gradient(given.positions_world()[:, hand], 1.0 / given.rate, axis=0), axis=-1).max()


def low_passed(given, seconds):
    curves = Curves.of(given)
    return curves.with_table(gaussian_filter1d(curves.table, seconds * given.rate, axis=0, mode="nearest"))


def check_strike(clean, degrees, least, kept):
    """Smooth takes out what no low-pass does, and the strike stays; low-passes that take out most blunt it."""
    jittery = noisy(clean, degrees)
    made = Smooth(1.0)(jittery)
    assert removed(made, jittery, clean) >= least
    assert strike(made) >= kept * strike(clean)
    assert strike(made) <= 1.1 * strike(clean)
    plain = [low_passed(jittery, seconds) for seconds in np.geomspace(0.01, 0.2, 12)]
    best = max(plain, key=lambda other: removed(other, jittery, clean))
    assert removed(best, jittery, clean) < removed(made, jittery, clean) - 0.05
    sharp = [other for other in plain if strike(other) >= kept * strike(clean)]
    assert all(removed(other, jittery, clean) < removed(made, jittery, clean) - 0.05 for other in sharp)


def test_noise_on_the_figures_punch_goes_and_the_punch_stays():
    check_strike(motion("punch").resampled(120.0), 3.0, 0.8, 0.95)


def test_at_half_the_frames_there_is_half_as_much_to_go_by():
    """At 60 frames a second. A spline that knew how fast each joint truly is at each moment would take out 81 %."""
    check_strike(motion("punch"), 3.0, 0.78, 0.93)


@pytest.mark.data
def test_noise_on_a_captured_punch_goes_and_the_punch_stays(data_dir):
    check_strike(kinesphere.load(data_dir / "bvh/cmu/02_05.bvh")[1:], 3.5, 0.8, 0.95)


@pytest.mark.data
def test_a_swat_at_a_fly_stays_sharp(data_dir):
    """The sharpest strike of our captures: a low-pass that takes out as much leaves a third of it."""
    clean = kinesphere.load(data_dir / "bvh/cmu/79_88.bvh")[1::2]
    check_strike(clean, 3.0, 0.7, 0.93)


@pytest.mark.data
@pytest.mark.parametrize("clip", ["02_01", "137_29", "91_36", "07_04"])
def test_clean_walks_stay_where_they_are(data_dir, clip):
    """Within a millimetre; feet, which slide a little in all captures, are left as they are."""
    given = kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh")[1:]
    off = np.linalg.norm(Smooth(1.0)(given).positions_world() - given.positions_world(), axis=-1)
    assert off.mean() < 0.001
    assert off.max() < 0.015


@pytest.mark.data
@pytest.mark.parametrize("clip", ["02_05", "07_04", "137_16", "05_02", "141_22", "79_25", "91_19"])
def test_clean_captures_change_by_less_than_their_noise(data_dir, clip):
    given = kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh")[1:]
    made = Smooth(1.0, feet=False)(given)
    noise = noise_of(Curves.of(given))[: 3 * len(given.skeleton) + 1]
    joints = len(given.skeleton)
    assert off(made, given) < np.sqrt((noise**2).sum() / joints)
    hands = [given.skeleton.roles[f"{side}Hand"] for side in ("left", "right")]
    assert np.abs(made.positions_world()[:, hands] - given.positions_world()[:, hands]).max() < 0.02


def test_neutral_changes_nothing():
    given = motion("punch")
    for edit in (Smooth(), Smooth(0.0), Smooth(1.0, noise=0.0), Smooth(gaps=())):
        assert edit.neutral
        assert edit(given) is given


@pytest.mark.parametrize("name", ["punch", "walk", "wave", "idle"])
def test_what_has_no_noise_hardly_changes(name):
    given = motion(name)
    assert apart(Smooth(1.0, feet=False)(given), given) < 1e-3


@pytest.mark.parametrize("degrees", [0.2, 1.0, 3.0])
def test_noise_is_found_in_each_joint(degrees):
    found = noise_of(Curves.of(noisy(motion("walk"), degrees)))
    turns = np.degrees(found[: 3 * len(motion("walk").skeleton)])
    assert np.median(turns) == pytest.approx(degrees, rel=0.1)
    assert np.percentile(turns, 95) < 1.4 * degrees


def test_the_dial_goes_evenly():
    jittery = noisy(motion("punch"), 2.0)
    moves = [off(Smooth(amount, feet=False)(jittery), jittery) for amount in (0.0, 0.25, 0.5, 1.0)]
    np.testing.assert_allclose(moves, moves[-1] * np.array([0.0, 0.25, 0.5, 1.0]), rtol=1e-3, atol=1e-9)
    more = [off(Smooth(1.0, noise=noise, feet=False)(jittery), jittery) for noise in (0.1, 0.3, 1.0, 3.0)]
    assert all(a < b for a, b in zip(more[:-1], more[1:], strict=True))


def test_rates_mean_the_same():
    """The same punch at three rates: what was said of seconds holds, and more frames tell more."""
    shares = []
    for rate in (30.0, 60.0, 120.0):
        clean = motion("punch").resampled(rate)
        jittery = noisy(clean, 2.0)
        made = Smooth(1.0, feet=False)(jittery)
        assert strike(made) == pytest.approx(strike(clean), rel=0.12)
        shares.append(removed(made, jittery, clean))
    assert shares[0] > 0.6
    assert shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize("degrees", [0.3, 1.0, 3.0])
def test_feet_that_stand_jitter_far_less(degrees):
    clean = motion("walk")
    jittery = noisy(clean, degrees)
    contacts = kinesphere.find_contacts(clean).intervals
    slides = []
    for one_of in (jittery, Smooth(1.0)(jittery)):
        paths = one_of.positions_world()
        steps = [
            np.linalg.norm(
                np.diff(paths[one.first : one.last + 1, clean.skeleton.roles[f"{one.side}Toes"]], axis=0), axis=-1
            )
            for one in contacts
            if one.point != "heel"
        ]
        slides.append(np.concatenate(steps).mean() * clean.rate)
    assert slides[1] < 0.3 * slides[0]


def test_toes_that_jump_do_not_shake_the_legs():
    """Captures guess at toes: noise in the legs must go even while they jump."""
    clean = motion("walk")
    toes = clean.skeleton.index("leftToes")
    turns = clean.rotations.copy()
    jump = rotations.from_rotation_vector(np.array([0.9, 0.0, 0.0]))
    turns[100:104, toes] = rotations.multiply(turns[100:104, toes], jump)
    legs = [clean.skeleton.index(f"{side}{part}") for side in ("left", "right") for part in ("UpperLeg", "LowerLeg")]
    made = [Smooth(1.0, feet=False)(noisy(given, 2.0)) for given in (clean, replace(clean, rotations=turns))]
    assert rotations.angle_between(made[0].rotations[:, legs], made[1].rotations[:, legs]).max() < 1e-6


def test_outside_of_its_stretch_feet_stay_where_they_are():
    given = noisy(motion("walk"), 0.3)
    made = Smooth(1.0)(given, start=1.0, end=2.0)
    outside = (given.times < 1.0) | (given.times > 2.0)
    np.testing.assert_array_equal(made.rotations[outside], given.rotations[outside])
    np.testing.assert_array_equal(made.translations[outside], given.translations[outside])
    assert np.linalg.norm(np.diff(made.positions_world() - given.positions_world(), axis=0), axis=-1).max() < 0.05


def test_time_has_no_direction():
    """A motion played backward is smoothed as it is played forward."""
    given = noisy(motion("punch"), 1.0)
    backward = replace(
        given,
        rotations=np.ascontiguousarray(given.rotations[::-1]),
        translations=np.ascontiguousarray(given.translations[::-1]),
        scales=None,
    )
    forth, back = (Smooth(0.7, feet=False)(one).positions_world() for one in (given, backward))
    assert np.abs(forth - back[::-1]).max() < 1e-4
    assert np.abs(forth - given.positions_world()).max() > 1e-2


def test_mirrored_bodies_are_smoothed_alike():
    given = noisy(motion("punch"), 1.0)
    edit = Smooth(0.7, feet=False)
    assert apart(edit(given).mirrored(), edit(given.mirrored())) < 1e-6


def test_paths_are_smoothed_too(rng):
    clean = motion("walk")
    places = clean.translations.copy()
    places[:, 0] += 0.005 * rng.normal(size=(len(clean), 3))
    made = Smooth(1.0, feet=False)(replace(clean, translations=places))
    left = np.sqrt(np.mean((made.translations[:, 0] - clean.translations[:, 0]) ** 2))
    assert left < 0.4 * 0.005


def test_a_pirouette_stays_three_turns():
    clean = pirouette()
    made = Smooth(1.0, feet=False)(noisy(clean, 2.0))
    curves = Curves.of(made)
    assert curves.heading[-1] - curves.heading[0] == pytest.approx(6.0 * np.pi, abs=0.1)
    assert np.abs(np.diff(curves.heading) - np.diff(Curves.of(clean).heading)).max() < 0.02


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 7])
def test_the_shortest_clips_stay(frames):
    given = noisy(short(frames), 3.0)
    made = Smooth(1.0, feet=False)(given)
    assert rotations.angle_between(made.rotations, given.rotations).max() < 1e-7


def test_what_does_not_move_stays_still():
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 90, axis=0),
        translations=np.repeat(given.translations[:1], 90, 0),
    )
    assert apart(Smooth(1.0)(still), still) < 1e-9
    made = Smooth(1.0, feet=False)(noisy(still, 2.0))
    assert off(made, still) < 0.22 * off(noisy(still, 2.0), still)


def test_only_what_is_meant_changes():
    given = noisy(with_calibration(motion("punch")), 2.0)
    made = Smooth(1.0)(given, parts="right_arm", start=0.5, end=1.5)
    times = given.times
    outside = (times < 0.5) | (times > 1.5)
    np.testing.assert_array_equal(made.rotations[outside], given.rotations[outside])
    left = given.skeleton.index("leftUpperArm")
    np.testing.assert_array_equal(made.rotations[:, left], given.rotations[:, left])
    assert np.abs(made.rotations - given.rotations).max() > 0.01


def test_it_is_the_same_every_time():
    given = noisy(motion("punch"), 2.0)
    np.testing.assert_array_equal(Smooth(1.0)(given).rotations, Smooth(1.0)(given).rotations)


@given(motions(), st.floats(0.0, 1.0))
def test_any_motion_stays_sound(given, amount):
    made = Smooth(amount, feet=False)(given)
    assert len(made) == len(given)
    assert rotations.unit_error(made.rotations) < 1e-9
    assert np.isfinite(made.translations).all()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"amount": 2.0}, "amount is 2; 0 .* to 1 .* is allowed"),
        ({"amount": np.nan}, "amount is nan"),
        ({"noise": -1.0}, "0 to 20"),
        ({"gaps": "all"}, "or a list of frames"),
        ({"gaps": [(3, 2)]}, "no gap"),
        ({"gaps": [-1]}, "no gap"),
        ({"gaps": [(1, 2, 3)]}, "no gap"),
        ({"gaps": [1.5]}, "no gap"),
        ({"gaps": [True]}, "no gap"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Smooth(**wrong)
