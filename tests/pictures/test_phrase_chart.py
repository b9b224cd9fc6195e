"""The chart of a recording's phrase."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import body_of, figure, lift, phrase_of
from kinesphere.builtin import motion
from kinesphere.motion.referent import Kind, Referent
from kinesphere.pictures.canvas import LEFT, RIGHT
from kinesphere.pictures.phrase_chart import LEGS, contact_label, hand_speed, phrase_chart


def pixels(image, colour):
    return int((np.abs(np.asarray(image, dtype=int) - colour).max(axis=2) < 12).sum())


def test_speeds_are_those_of_the_wrist():
    recorded = motion("knock")
    phrase = lift(recorded)
    found = hand_speed(phrase, "right")
    path = phrase.detail.poses.wrist("right") * phrase.detail.poses.arm_length
    plain = np.linalg.norm(np.gradient(path, 1.0 / recorded.rate, axis=0), axis=1)
    assert found.recorded.max() == pytest.approx(plain.max(), rel=0.2)
    assert np.trapezoid(found.recorded, dx=1.0 / recorded.rate) == pytest.approx(
        np.trapezoid(plain, dx=1.0 / recorded.rate), rel=0.05
    )
    assert len(found.neutral) == len(recorded)


def test_the_speed_of_the_keys_alone_is_that_of_a_stop_at_every_goal():
    recorded = motion("knock")
    found = hand_speed(lift(recorded), "right")
    frames = np.round(found.keys.times[found.keys.goals] * recorded.rate).astype(int)
    assert found.neutral[frames[1:-1]].max() < 0.25 * found.neutral.max()
    travels = (
        np.linalg.norm(np.diff(found.keys.positions, axis=0), axis=1).sum() * lift(recorded).detail.poses.arm_length
    )
    assert np.trapezoid(found.neutral, dx=1.0 / recorded.rate) > 0.9 * travels


def test_a_hand_that_moves_has_more_of_its_colour_than_one_that_hangs():
    image = phrase_chart(lift(motion("wave")))
    assert pixels(image, RIGHT) > 2 * pixels(image, LEFT)
    mirrored = phrase_chart(lift(motion("wave").mirrored()))
    assert pixels(mirrored, LEFT) > 2 * pixels(mirrored, RIGHT)


def test_a_walk_is_led_by_its_legs():
    walk, wave = (phrase_chart(lift(motion(name))) for name in ("walk", "wave"))
    assert pixels(walk, LEGS) > 5 * pixels(wave, LEGS)


def test_the_same_phrase_has_the_same_picture_and_a_part_of_it_another():
    phrase = lift(motion("wave"))
    whole, again, part = phrase_chart(phrase), phrase_chart(phrase), phrase_chart(phrase, 1.0, 2.0)
    assert np.array_equal(whole, again)
    assert whole.size != part.size or not np.array_equal(whole, part)


@pytest.mark.parametrize("ends", [(2.0, 1.0), (99.0, None), (-1.0, 2.0)])
def test_an_empty_range_is_refused_with_what_there_is(ends):
    with pytest.raises(ValueError, match=r"lasts from 0 to 3\.4 s"):
        phrase_chart(lift(motion("wave")), *ends)


def test_a_phrase_that_was_not_lifted_is_refused():
    with pytest.raises(ValueError, match="was not lifted from a recording"):
        phrase_chart(phrase_of("wave", body_of(figure())))


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_short_recordings_have_a_chart(frames):
    assert phrase_chart(lift(motion("wave")[60 : 60 + frames])).size[0] > 1000


def test_contacts_have_labels():
    assert contact_label(Referent(Kind.MEET, "both", 0.0, 1.0)) == "hands meet"
    assert contact_label(Referent(Kind.TOUCH, "left", 0.0, 1.0, joint="upperChest")) == "left hand at the chest"
    assert contact_label(Referent(Kind.AIM, "right", 0.0, 1.0)) == "right hand points"
