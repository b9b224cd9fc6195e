"""Truths that every registered format keeps. A new format is tested here by being there."""

from __future__ import annotations

import numpy as np
import pytest

from figures import walking_pair
from kinesphere import MotionFileError, clip_names, load, save
from kinesphere.files.registry import formats
from kinesphere.maths import rotations as R

READING = [f for f in formats() if f.load is not None]
BOTH = [(f.name, suffix) for f in formats() if f.load and f.save for suffix in f.written_suffixes]


def test_the_formats_that_were_promised_are_there():
    assert {"bvh", "gltf", "npz", "keypoints"} <= {f.name for f in formats()}


@pytest.mark.parametrize(("name", "suffix"), BOTH)
def test_what_is_written_reads_back(tmp_path, name, suffix):
    motion = walking_pair()
    save(motion, tmp_path / f"clip{suffix}")
    again = load(tmp_path / f"clip{suffix}")
    assert again.source.format == name or name == "npz"
    assert again.skeleton.names == motion.skeleton.names
    assert again.rate == pytest.approx(motion.rate, rel=1e-12)
    assert len(again) == len(motion)
    assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-5
    assert R.angle_between(again.rotations_world(), motion.rotations_world()).max() < 1e-5
    assert len(clip_names(tmp_path / f"clip{suffix}")) == 1


@pytest.mark.parametrize(("name", "suffix"), BOTH)
def test_a_failed_save_leaves_what_was_there(tmp_path, monkeypatch, name, suffix):
    path = tmp_path / f"clip{suffix}"
    path.write_bytes(b"precious")

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        save(walking_pair(), path)
    assert path.read_bytes() == b"precious"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(("name", "suffix"), BOTH)
def test_scale_and_up_can_be_set_by_hand(tmp_path, name, suffix):
    save(walking_pair(), tmp_path / f"clip{suffix}")
    plain = load(tmp_path / f"clip{suffix}").positions_world()
    larger = load(tmp_path / f"clip{suffix}", scale=2.0).positions_world()
    assert np.abs(larger - 2.0 * plain).max() < 1e-5
    turned = load(tmp_path / f"clip{suffix}", scale=1.0, up="z").positions_world()
    assert np.abs(turned - np.stack([plain[..., 0], plain[..., 2], -plain[..., 1]], axis=-1)).max() < 1e-5


@pytest.mark.parametrize("known", READING, ids=lambda f: f.name)
@pytest.mark.parametrize("content", [b"\x00", b"glTF", b"PK\x03\x04", b"HIERARCHY", b"{}", b"[[[[", b"\xff" * 500])
def test_noise_is_refused_by_name(tmp_path, known, content):
    path = tmp_path / f"noise{known.suffixes[0]}"
    path.write_bytes(content)
    with pytest.raises(MotionFileError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert caught.value.found
    assert caught.value.expected
