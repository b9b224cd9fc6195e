"""Places beyond 100 km are warned of, in every format."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from bvh_dialects import Dialect, bvh_text, walk

from figures import walking_pair
from kinesphere import MotionFileWarning, load, save


def read(file, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        motion = load(file, **options)
    return motion, [str(entry.message) for entry in caught if issubclass(entry.category, MotionFileWarning)]


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
@pytest.mark.parametrize("metres", [2e5, 3e7])
def test_far_places_are_warned_of_in_every_format(tmp_path, suffix, metres):
    motion = walking_pair()
    translations = np.array(motion.translations)
    translations[:, 0] += [metres, 0.0, 0.0]
    file = tmp_path / f"far{suffix}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save(replace(motion, translations=translations), file)
    options = {"scale": 1.0, "up": "y"} if suffix == ".bvh" else {}
    found, warned = read(file, **options)
    assert np.abs(found.translations).max() == pytest.approx(metres, rel=1e-3), "nothing is changed"
    assert [text for text in warned if f"{metres:.3g} m from the origin" in text]
    assert any("is the unit right?" in text for text in found.source.warnings)


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_what_is_far_but_not_absurd_is_silent(tmp_path, suffix):
    motion = walking_pair()
    translations = np.array(motion.translations)
    translations[:, 0] += [9e4, 0.0, 0.0]
    file = tmp_path / f"away{suffix}"
    save(replace(motion, translations=translations), file)
    assert not read(file, **({"scale": 1.0, "up": "y"} if suffix == ".bvh" else {}))[1]


def test_a_wrong_scale_shows(tmp_path):
    file = tmp_path / "walk.bvh"
    file.write_text(bvh_text(walk(), Dialect()))
    assert "is the unit right?" in " ".join(read(file, scale=1e4)[1])
