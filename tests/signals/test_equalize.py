"""The equaliser: exact at unit gains, and does what its presets say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.builtin import motion
from kinesphere.maths import bands
from kinesphere.signals.curves import Curves
from kinesphere.signals.equalize import PRESETS, Equalize, _mix_loop
from signals.clips import apart


def test_neutral_is_the_motion_itself():
    wave = motion("wave")
    assert Equalize()(wave) is wave
    assert Equalize(bands={0: 1.0, 3: 1.0}, periods={0.5: 1.0})(wave) is wave


def test_unit_gains_through_the_curves_are_exact():
    wave = motion("wave")
    curves = Curves.of(wave)
    layers, rest = bands.split(curves.table)
    assert apart(curves.with_table(rest + layers.sum(axis=0)), wave) < 1e-9


@given(st.floats(0.0, 3.0), st.integers(1, 5))
@settings(max_examples=15, deadline=None)
def test_a_bands_gain_is_what_the_band_is_multiplied_by(gain, band):
    wave = motion("wave")
    made = Equalize(bands={band: gain}, feet=False, limits=False)(wave)
    layer = bands.split(Curves.of(wave).table)[0][band]
    expected = Curves.of(wave).with_table(Curves.of(wave).table + (gain - 1.0) * layer)
    assert apart(made, expected) < 1e-5  # but for what is even in its places


def roughness(table):
    return np.abs(np.diff(table, 3, axis=0)).mean()


def extent(table):
    return np.abs(table - table.mean(axis=0)).mean()


def test_presets_do_what_they_say():
    walk = motion("walk")
    plain = Curves.of(walk).table[:, :-3]
    made = {name: Curves.of(Equalize(preset=name, feet=False)(walk)).table[:, : plain.shape[1]] for name in PRESETS}
    assert extent(made["exaggerate"]) > 1.15 * extent(plain)
    assert extent(made["constrain"]) < 0.8 * extent(plain)
    assert roughness(made["soften"]) < 0.5 * roughness(plain)
    assert roughness(made["twitch"]) > 2.0 * roughness(plain)
    assert roughness(made["denoise"]) < roughness(plain)


@pytest.mark.parametrize("preset", sorted({*PRESETS} - {"twitch", "denoise"}))  # these are for what 30 fps don't have
def test_a_preset_means_the_same_at_any_rate(preset):
    wave = motion("wave")
    slow, fast = (Equalize(preset=preset, feet=False)(wave.resampled(rate)) for rate in (30.0, 120.0))
    between = apart(slow, fast[::4])
    assert between < 0.35 * apart(slow, wave.resampled(30.0)) + 0.004


def test_groups_have_gains_of_their_own():
    wave = motion("wave")
    made = Equalize(preset="exaggerate", groups={"head": {0: 1.0}}, feet=False)(wave)
    head = wave.skeleton.index("head")
    assert np.abs(made.rotations[:, head] - wave.rotations[:, head]).max() < 1e-9
    arm = wave.skeleton.index("rightUpperArm")
    assert np.abs(made.rotations[:, arm] - wave.rotations[:, arm]).max() > 1e-2


def test_a_knock_is_anticipated_and_followed_through():
    knock = motion("knock")
    made = Equalize(preset="anticipate")(knock)

    def ahead(one):
        place = one.positions_world()
        return (place[:, one.skeleton.index("rightHand")] - place[:, one.skeleton.index("hips")])[:, 2]

    before, after = ahead(knock), ahead(made)
    assert after[:40].min() < before[:40].min() - 0.08  # drawn back before it goes
    assert after[130:].min() < before[130:].min() - 0.03  # and past its end
    assert after.max() > before.max()


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_loop_stays_closed(preset):
    given = motion("walk in place")
    made, open_ = (Equalize(preset=preset, loop=loop, feet=False)(given) for loop in (True, False))
    place = made.positions_world()
    assert np.abs(place[-1] - place[0]).max() < 1e-9
    # As smooth over the seam as anywhere.
    steps = np.diff(np.concatenate([place, place[1:]]), 2, axis=0)
    seam = np.linalg.norm(steps[len(place) - 3 : len(place)], axis=-1).max()
    assert seam <= 1.2 * np.linalg.norm(np.diff(place, 2, axis=0), axis=-1).max()
    assert apart(made, open_) > 1e-4


def test_a_loop_begins_anywhere():
    given = motion("walk in place")
    table = Curves.of(given).table
    gains = np.linspace(0.0, 2.0, bands.band_count(len(table)))[:, None] * np.ones((1, table.shape[1]))
    closed = table - np.linspace(0.0, 1.0, len(table))[:, None] * (table[-1] - table[0])
    later = np.concatenate([closed[40:-1], closed[:41]])
    made = _mix_loop(closed, gains)
    assert _mix_loop(later, gains) == pytest.approx(np.concatenate([made[40:-1], made[:41]]), abs=1e-9)
