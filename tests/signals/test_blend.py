"""Motions between motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin import motion
from kinesphere.builtin.characters import figure, mo
from kinesphere.maths import rotations
from kinesphere.motion.transform import move_motion
from kinesphere.signals.blend import Blend
from kinesphere.signals.curves import Curves
from signals.clips import UP, apart, pirouette, short
from signals.test_align import bent


def turned(given, degrees, x=1.0):
    turn = rotations.from_rotation_vector(np.radians(degrees) * UP)
    return move_motion(given, turn, np.array([x, 0.0, 2.0]))


@pytest.mark.parametrize("bands", [{}, {2: [0.5, 0.5]}])
@pytest.mark.parametrize("align", [True, False])
def test_one_alone_is_itself(align, bands):
    a, b = motion("wave"), motion("point")
    made = Blend([1.0, 0.0], {k: [1.0, 0.0] for k in bands}, align, feet=False)(a, b)
    count = min(len(made), len(a))
    assert apart(made[:count], a[:count]) < 1e-3
    assert Blend()(a) is a


@pytest.mark.parametrize("align", [True, False])
def test_of_twins_nothing_but_themselves(align):
    a = motion("walk")
    assert apart(Blend(align=align, feet=False)(a, a, a), a) < 1e-3


def test_halfway_is_halfway():
    a, b = motion("wave"), motion("point")
    made = Blend([0.5, 0.5], align=False, feet=False)(a, b)
    assert len(made) == min(len(a), len(b))
    count = len(made)
    to_a = rotations.angle_between(made.rotations, a.rotations[:count])
    to_b = rotations.angle_between(made.rotations, b.rotations[:count])
    assert to_a == pytest.approx(to_b, abs=1e-6)
    assert rotations.unit_error(made.rotations) < 1e-9


def test_weights_only_count_beside_each_other():
    a, b = motion("wave"), motion("point")
    made = [Blend(weights, align=False, feet=False)(a, b) for weights in ([0.2, 0.8], [1.0, 4.0], [10.0, 40.0])]
    assert apart(made[0], made[1]) < 1e-9
    assert apart(made[0], made[2]) < 1e-9


def test_more_weight_is_nearer():
    a, b = motion("wave"), motion("point")
    blends = [Blend([1 - w, w], align=False, feet=False)(a, b) for w in (0.0, 0.2, 0.5, 0.8, 1.0)]
    far = [rotations.angle_between(one.rotations, a.rotations[: len(one)]).sum() for one in blends]
    assert (np.diff(far) > 0.0).all()


def test_weights_over_time():
    a, b = motion("wave"), motion("point")
    made = Blend([{0.5: 1.0, 2.5: 0.0}, {0.5: 0.0, 2.5: 1.0}], align=False, feet=False)(a, b)
    assert apart(made[:30], a[:30]) < 1e-6
    # All but the hips, which go on facing from where the first has brought them.
    assert rotations.angle_between(made.rotations[151:, 1:], b.rotations[151 : len(made), 1:]).max() < 1e-6
    steps = np.linalg.norm(np.diff(made.positions_world(), axis=0), axis=-1)
    assert steps.max() < 1.5 * max(
        np.linalg.norm(np.diff(one.positions_world(), axis=0), axis=-1).max() for one in (a, b)
    )


def test_bands_of_one_with_the_rest_of_the_other():
    a, b = motion("wave"), motion("point")
    quick = {band: [1.0, 0.0] for band in range(4)}
    made = Blend([0.0, 1.0], quick, align=False, feet=False)(a, b)
    table, own, other = (one.table for one in Curves.of_all([made, a[: len(made)], b[: len(made)]]))
    from kinesphere.maths import bands

    joints = slice(0, 3 * len(a.skeleton))
    layers, rest = bands.split(table[:, joints])
    theirs = bands.split(own[:, joints])[0][0], bands.split(other[:, joints])[1]
    assert np.abs(layers[0] - theirs[0]).max() < 0.02
    assert np.abs(rest - theirs[1]).max() < 0.05


def test_aligned_strokes_come_at_one_time():
    a = motion("punch")
    b, _ = bent(a, 0.2)
    plain, matched = (Blend(align=align, feet=False)(a, b) for align in (False, True))

    def reach(one):
        hand = one.positions_world()[:, one.skeleton.index("rightHand")]
        return np.linalg.norm(np.diff(hand, axis=0), axis=1).max()

    assert reach(matched) > 1.3 * reach(plain)
    assert len(matched) == pytest.approx(0.5 * (len(a) + len(b)), abs=1.5)


def test_the_pace_is_between():
    a = motion("wave")
    b = motion("wave").resampled(60.0)
    from kinesphere.signals.timewarp import Timewarp

    slow = Timewarp(marks=[(a.duration, 2.0 * a.duration)])(b)
    lengths = [len(Blend([1.0 - w, w], feet=False)(a, slow)) for w in (0.0, 0.5, 1.0)]
    assert lengths == pytest.approx([len(a), 1.5 * len(a), 2.0 * len(a)], abs=4)
    crossing = Blend([{0.0: 1.0, 6.0: 0.0}, {0.0: 0.0, 6.0: 1.0}], feet=False)(a, slow)
    assert lengths[0] < len(crossing) < lengths[2]


def test_where_one_starts_and_faces_does_not_matter():
    a, b = motion("walk"), motion("walk")
    made = Blend(feet=False)(a, turned(b, 120.0))
    assert apart(made, a) < 1e-3
    other = Blend(feet=False)(turned(a, 120.0), b)
    assert apart(other, turned(a, 120.0)) < 1e-3


def test_pirouettes_stay_whole_turns():
    three, one = pirouette(3.0), pirouette(1.0)
    heading = Curves.of(Blend([0.5, 0.5], align=False)(three, one)).heading
    assert heading[-1] - heading[0] == pytest.approx(2.0 * 2.0 * np.pi, abs=0.05)
    heading = Curves.of(Blend([0.5, 0.5])(three, three)).heading
    assert heading[-1] - heading[0] == pytest.approx(3.0 * 2.0 * np.pi, abs=0.05)


def test_bones_are_the_first_bodys():
    a = motion("walk")
    b = retarget(motion("walk"), figure(height=1.4)) if callable(figure) else a
    made = Blend()(a, b)
    bones = np.linalg.norm(made.translations[:, 1:], axis=-1)
    assert bones == pytest.approx(
        np.broadcast_to(np.linalg.norm(a.translations[0, 1:], axis=-1), bones.shape), abs=1e-6
    )


def test_other_bodies_and_rates():
    a = motion("walk")
    other = retarget(motion("walk"), mo()).resampled(30.0)
    made = Blend()(a, other)
    assert made.skeleton.same_tree(a.skeleton)
    assert made.rate == a.rate
    assert apart(made[: len(a)], a[: len(made)]) < 0.15


def test_feet_that_stand_in_most_stand():
    a, b = motion("walk"), motion("walk")
    b, _ = bent(b, 0.08)
    free, held = (Blend(feet=feet)(a, b) for feet in (False, True))
    contacts = find_contacts(held)
    assert len(contacts.intervals) >= len(find_contacts(a).intervals) - 2
    assert foot_report(held, contacts).slide_mean <= foot_report(free, contacts).slide_mean + 1e-6
    assert foot_report(held, contacts).slide_mean < 0.006


def test_three_motions():
    a, b, c = motion("wave"), motion("point"), motion("bow")
    made = Blend([0.2, 0.5, 0.3])(a, b, c)
    assert np.isfinite(made.rotations).all()
    swapped = Blend([0.2, 0.3, 0.5])(a, c, b)
    assert apart(made[: len(swapped)], swapped[: len(made)]) < 0.05


def test_some_joints_and_a_stretch_alone():
    a, b = motion("wave"), motion("point")
    made = Blend([0.0, 1.0], align=False)(a, b, parts="right_arm")
    arm = [a.skeleton.index(f"right{part}") for part in ("Shoulder", "UpperArm", "LowerArm")]
    rest = np.setdiff1d(np.arange(len(a.skeleton)), arm)
    assert np.array_equal(made.rotations[:, rest], a.rotations[: len(made), rest])
    assert rotations.angle_between(made.rotations[:, arm], b.rotations[: len(made), arm]).max() < 1e-6
    held = Blend([0.0, 1.0], align=False)(a, b, start=1.0, end=2.0, fade=0.2)
    assert apart(held[:60], a[:60]) < 1e-6
    late = Blend([0.0, 1.0], align=False, feet=False)(a, b, start=1.0, end=2.0, fade=0.2)
    assert apart(late[:60], a[:60]) < 1e-6
    assert rotations.angle_between(late.rotations[75:105, 1:], b.rotations[75:105, 1:]).max() < 1e-6
    assert rotations.angle_between(late.rotations[121:, 1:], a.rotations[121 : len(late), 1:]).max() < 1e-6


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_the_shortest(frames):
    made = Blend()(short(frames), short(4))
    assert np.isfinite(made.rotations).all()
    assert len(Blend(align=False)(short(frames), motion("wave"))) == frames


def test_still_ones():
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 50, axis=0),
        translations=np.repeat(given.translations[:1], 50, axis=0),
        scales=None,
    )
    assert apart(Blend()(still, still), still) < 1e-6


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"weights": [np.nan, 1.0]}, "is allowed"),
        ({"weights": [{}, 1.0]}, "is empty"),
        ({"weights": [1e9, 1.0]}, "is allowed"),
        ({"bands": {-1: [1.0, 0.0]}}, "a whole number from 0"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Blend(**wrong)


def test_what_does_not_fit_the_motions_is_refused():
    a = motion("wave")
    with pytest.raises(ValueError, match="nothing to blend"):
        Blend()()
    with pytest.raises(ValueError, match="3 weights for 2 motions"):
        Blend([1.0, 1.0, 1.0])(a, a)
    with pytest.raises(ValueError, match="sum to 0"):
        Blend([1.0, -1.0])(a, a)
    with pytest.raises(ValueError, match="1 weights of band 2 for 2"):
        Blend(bands={2: [1.0]})(a, a)
    with pytest.raises(ValueError, match="from 0 to 6"):
        Blend(bands={30: [1.0, 0.0]}, align=False)(a, a)


def test_breath_is_blended_too():
    a, b = motion("idle"), motion("wave")
    made = Blend([0.25, 0.75], align=False)(a, b)
    ones = np.ones((1, 1, 3))
    expected = sum(w * (ones if one.scales is None else one.scales[: len(made)]) for w, one in ((0.25, a), (0.75, b)))
    assert made.scales == pytest.approx(np.broadcast_to(expected, made.translations.shape), abs=1e-12)
