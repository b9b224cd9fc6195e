"""Our own format loses nothing and trusts nothing."""

from __future__ import annotations

import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from generated import motions
from kinesphere import MotionFileError, load, save
from kinesphere.motion.source import Source

quiet = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(motions(roots=2, scales=True))
@quiet
def test_every_bit_survives(tmp_path, motion):
    source = Source("somewhere.bvh", "bvh", "", 0.01, "z", ("because",), ("careful",), ("ZXY", ""))
    motion = replace(motion, source=source, calibration_frames=(0,), name="näme")
    save(motion, tmp_path / "a.npz")
    again = load(tmp_path / "a.npz")
    for name in ("rotations", "translations", "scales"):
        assert np.array_equal(getattr(again, name), getattr(motion, name))
    assert (again.rate, again.name, again.calibration_frames, again.source) == (
        motion.rate,
        "näme",
        (0,),
        source,
    )
    ours, theirs = motion.skeleton, again.skeleton
    assert (ours.names, ours.tips, dict(ours.roles)) == (theirs.names, theirs.tips, dict(theirs.roles))
    for name in ("parents", "offsets", "rest_rotations"):
        assert np.array_equal(getattr(theirs, name), getattr(ours, name))


@pytest.fixture
def saved(tmp_path):
    from figures import t_pose_then_still

    save(t_pose_then_still(), tmp_path / "a.npz")
    return tmp_path / "a.npz"


def rewritten(path, **changes):
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    for name, value in changes.items():
        if name in arrays:
            arrays[name] = value
        else:
            header[name] = value
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": -1}, "positive"),
        ({"names": ["a", "b"]}, "parents"),
        ({"version": 99}, "version 99"),
        ({"format": "other"}, "another kind"),
        ({"roles": {"hips": 7}}, "role 'hips'"),
        ({"tips": [[0, 1]]}, "fit together"),
        ({"rotations": np.full((10, 1, 4), np.nan)}, "finite"),
        ({"rotations": np.zeros((10, 1, 3))}, "shape"),
        ({"parents": np.array([0])}, "parent"),
        ({"source": [1]}, "source"),
        ({"source": {"nonsense": 1}}, "fit together"),
        ({"calibration_frames": [99]}, "calibration"),
    ],
)
def test_contents_that_make_no_sense_are_refused(saved, changes, message):
    rewritten(saved, **changes)
    with pytest.raises(MotionFileError, match=message):
        load(saved)


def test_nothing_is_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("executed",))

    np.savez(tmp_path / "a.npz", header=np.array([Trap()], dtype=object))
    with pytest.raises(MotionFileError):
        load(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(pickle.dumps(1))
    with pytest.raises(MotionFileError):
        load(tmp_path / "b.npz")


def test_a_packed_bomb_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rotations.npy", b"\x00" * 50_000_000)
    with pytest.raises(MotionFileError, match="unpacks to 50000000"):
        load(tmp_path / "a.npz")


def test_truncated_archives_are_refused(saved):
    data = saved.read_bytes()
    for end in range(0, len(data), max(len(data) // 50, 1)):
        saved.write_bytes(data[:end] or b"P")
        with pytest.raises(MotionFileError):
            load(saved)
