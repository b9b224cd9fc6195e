"""Edits on bodies that are no humanoids, of any length and rate: sound, or refused with the reason."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings

from generated import motions
from kinesphere.maths import rotations
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape
from kinesphere.signals.pose_edits import Turn

EDITS = {
    "equalize": lambda one: Equalize(periods={0.5: 2.0}, preset="twitch"),
    "waveshape": lambda one: Waveshape("undulation", root=True),
    "smooth": lambda one: Smooth(1.0, gaps="find"),
    "displace": lambda one: Displace([Turn(one.skeleton.names[0], (0.0, 1.0, 0.0), frame=len(one) // 2)]),
    "timewarp": lambda one: Timewarp(marks=[(one.duration / 2, one.duration)] if one.duration > 0.0 else ()),
    "beats": lambda one: Timewarp(bpm=100.0),
    "onto": lambda one: Timewarp(one[::2] if len(one) > 2 else None),
    "matched": lambda one: Timewarp(one[::2], frames="matched") if len(one) > 2 else Timewarp(),
}


@pytest.mark.parametrize("name", EDITS)
@given(motions(roots=1))
@settings(max_examples=25)
def test_any_motion(name, one):
    names = one.skeleton.names
    if name == "displace" and names.count(names[0]) > 1:
        return
    before = one.rotations.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = EDITS[name](one)(one)
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    assert np.array_equal(one.rotations, before)


@given(motions(roots=1))
@settings(max_examples=25)
def test_any_blend(one):
    for how in (Blend(), Blend([1.0, 2.0], align=False), Blend([1.0, 2.0], {1.0: [0.0, 1.0]})):
        made = how(one, one[: max(len(one) // 2, 1)])
        assert np.isfinite(made.translations).all()
        assert rotations.unit_error(made.rotations) < 1e-9
