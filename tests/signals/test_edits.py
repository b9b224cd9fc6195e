"""What every edit of curves keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.motion.scope import Scope
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import edit_window
from kinesphere.signals.equalize import Equalize
from kinesphere.signals.smooth import Smooth
from kinesphere.signals.waveshape import Waveshape
from signals.clips import apart, pirouette, short, with_calibration

EDITS = [
    Equalize(preset="exaggerate"),
    Equalize(preset="twitch"),
    Equalize(bands={5: -0.5}),
    Equalize(groups={"arms": {3: 2.0}}),
    Waveshape("cosine"),
    Waveshape("limits", by="joint"),
    Smooth(1.0),
    Smooth(0.5, noise=2.0),
]


def trembling():
    """A wave that is not smooth, with an elbow bent too far: there is something to do for every edit."""
    given, rng = motion("wave"), np.random.default_rng(1)
    bend = np.radians(1.0) * rng.normal(size=(*given.rotations.shape[:2], 3))
    bend[:, given.skeleton.index("leftLowerArm"), 1] -= 1.4 * np.sin(3.0 * given.times)
    turns = rotations.multiply(given.rotations, rotations.from_rotation_vector(bend))
    return replace(given, rotations=rotations.continuous(turns))


@pytest.mark.parametrize("edit", EDITS)
def test_results_are_sound(edit):
    given = trembling()
    before = given.rotations.copy()
    made = edit(given)
    assert np.array_equal(given.rotations, before)
    assert len(made) == len(given)
    assert made.skeleton.same_tree(given.skeleton)
    assert rotations.unit_error(made.rotations) < 1e-9
    assert apart(made, given) > 1e-3
    bones = np.linalg.norm(made.translations[:, 1:], axis=-1)
    assert bones == pytest.approx(np.linalg.norm(given.translations[:, 1:], axis=-1), abs=1e-9)


@pytest.mark.parametrize("edit", EDITS)
def test_outside_of_its_stretch_and_its_joints_nothing_changes_to_the_last_bit(edit):
    given = trembling()
    made = edit(given, start=1.0, end=2.0, parts="arms", fade=0.3)
    outside = (given.times < 1.0) | (given.times > 2.0)
    assert np.array_equal(made.rotations[outside], given.rotations[outside])
    arms = [
        given.skeleton.index(f"{side}{part}")
        for side in ("left", "right")
        for part in ("Shoulder", "UpperArm", "LowerArm")
    ]
    rest = np.setdiff1d(np.arange(len(given.skeleton)), arms)
    assert np.array_equal(made.rotations[:, rest], given.rotations[:, rest])
    assert np.abs(made.rotations[:, arms] - given.rotations[:, arms]).max() > 1e-3


@pytest.mark.parametrize("edit", EDITS)
def test_a_pirouette_stays_three_turns(edit):
    given = pirouette()
    curves = Curves.of(edit(given))
    turned = curves.heading[-1] - curves.heading[0]
    assert abs(turned - 6.0 * np.pi) < 0.35
    assert np.abs(np.diff(curves.heading)).max() < 0.5


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
@pytest.mark.parametrize("edit", [edit for edit in EDITS if not getattr(edit, "bands", ())])
def test_the_shortest_clips(edit, frames):
    edit = replace(edit, groups={}) if isinstance(edit, Equalize) else edit
    made = edit(short(frames))
    assert len(made) == frames
    assert np.isfinite(made.rotations).all()


@pytest.mark.parametrize("edit", [Equalize(bands={0: 5.0, 3: -2.0}), Waveshape("grand"), Smooth(1.0, noise=3.0)])
def test_what_does_not_move_stays_still(edit):
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 50, axis=0),
        translations=np.repeat(given.translations[:1], 50, axis=0),
        scales=None,
    )
    assert apart(replace(edit, feet=False)(still), still) < 1e-9


@pytest.mark.parametrize("edit", EDITS)
def test_calibration_frames_stay(edit):
    plain = trembling()
    given = with_calibration(plain)
    assert np.array_equal(edit(given).rotations[0], given.rotations[0])
    alone, together = replace(edit, feet=False)(plain), replace(edit, feet=False)(given)
    assert np.abs(np.abs(np.sum(together.rotations[1:] * alone.rotations, axis=-1)) - 1.0).max() < 1e-9


@pytest.mark.parametrize("edit", EDITS)
def test_none_of_it_changes_nothing_and_more_of_it_does_more(edit):
    given = trembling()
    assert edit(given, strength=0.0) is given
    moves = [apart(replace(edit, feet=False)(given, strength=share), given) for share in (0.25, 0.5, 1.0)]
    assert 0.0 < moves[0] < moves[1] < moves[2]


@pytest.mark.parametrize("edit", EDITS)
def test_a_stretch_of_the_whole_body_leaves_the_rest_alone(edit):
    given = trembling()
    made = replace(edit, feet=False)(given, start=1.0, end=2.0)
    outside = (given.times < 1.0) | (given.times > 2.0)
    assert np.array_equal(made.rotations[outside], given.rotations[outside])
    assert np.array_equal(made.translations[outside], given.translations[outside])


def test_windows_come_and_go_smoothly():
    given = motion("wave")
    made = edit_window(given, Scope(1.0, 2.0))
    time = given.times
    assert np.array_equal(made[(time <= 1.0) | (time >= 2.0)], np.zeros(((time <= 1.0) | (time >= 2.0)).sum()))
    assert (made[(time >= 1.25) & (time <= 1.75)] == 1.0).all()
    assert np.abs(np.diff(made, 2)).max() < 0.03
    assert (edit_window(given, Scope()) == 1.0).all()
    assert edit_window(given, Scope(end=2.0))[0] == 1.0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bands": {-1: 2.0}}, "a whole number from 0"),
        ({"bands": {1: np.inf}}, "is allowed"),
        ({"periods": {0.0: 1.0}}, "above zero"),
        ({"preset": "exagerate"}, "did you mean 'exaggerate'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Equalize(**wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"start": 2.0, "end": 1.0}, "its end must come after its start"),
        ({"start": np.nan}, "start is nan"),
        ({"fade": -1.0}, "0 to"),
        ({"parts": ()}, "parts is empty"),
        ({"start": "a"}, "a number"),
        ({"strength": "a"}, "0 to 1"),
        ({"strength": 2.0}, "0 to 1 is allowed"),
        ({"joints": "arms"}, "no field is called 'joints'"),
    ],
)
def test_scopes_that_cannot_be_are_refused(wrong, said):
    for make in (Equalize().over, lambda **scope: Equalize()(motion("wave"), **scope)):
        with pytest.raises((ValueError, TypeError), match=said):
            make(**wrong)


def test_what_does_not_fit_the_motion_is_refused():
    given = motion("wave")
    with pytest.raises(ValueError, match="it lasts from 0 to"):
        Equalize(preset="soften")(given, start=100.0)
    with pytest.raises(ValueError, match="this motion has 7, from 0 to 6"):
        Equalize(bands={9: 2.0})(given)
    with pytest.raises(ValueError, match="did you mean"):
        Equalize(preset="soften")(given, parts="left_hnd")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"bands": {2: "x"}}, "a number, −20 to 20 is expected"),
        ({"bands": {2.5: 1.0}}, "a whole number from 0"),
        ({"bands": 3}, "bands is 3"),
        ({"groups": {"arms": {-1: 2.0}}}, "a whole number from 0"),
        ({"groups": {"arms": {2: 99.0}}}, "20 is allowed"),
        ({"groups": {"arms": {2: 1.5, 0.5: 2.0}}}, "one kind is expected"),
        ({"groups": {"arms": 2.0}}, "groups.arms is 2"),
    ],
)
def test_slips_are_told_plainly(wrong, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Equalize(**wrong)


def test_numbers_of_numpy_are_numbers():
    assert Equalize({np.int64(2): np.float64(1.5)}) == Equalize({2: 1.5})
    assert Equalize(groups={"arms": {np.int64(2): 1.5}}) == Equalize(groups={"arms": {2: 1.5}})
