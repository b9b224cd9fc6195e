"""Key points as text."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinesphere import Keypoint, Keypoints, MotionFileError, load, load_keypoints, save_keypoints
from kinesphere.motion.gesture import Space, Stop

numbers = st.floats(-100, 100)
keys = st.lists(
    st.builds(
        Keypoint,
        frame=st.just(0.0),
        position=st.tuples(numbers, numbers, numbers),
        swivel=numbers,
        stop=st.sampled_from(Stop),
        space=st.sampled_from(Space),
    ),
    min_size=1,
    max_size=8,
)


def written(path, text):
    path.write_text(text)
    return path


@given(keys, st.floats(1, 240), st.sampled_from(["leftArm", "rightArm"]), st.booleans())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_keys_read_back(tmp_path, keys, rate, part, locked):
    spaced = tuple(Keypoint(7.5 * i, k.position, k.swivel, k.stop, k.space) for i, k in enumerate(keys))
    original = Keypoints(spaced, rate, part, locked)
    save_keypoints(original, tmp_path / "a.keys")
    again = load_keypoints(tmp_path / "a.keys")
    assert (again.keys, again.rate, again.part, again.locked) == (spaced, rate, part, locked)


def test_a_file_by_hand(tmp_path):
    text = (
        "\ufeff# a reach\r\n\r\n0 0.1 -0.5 0.05 0.0 goal # start\r\n"
        "12 0.2 -0.2 0.3 0.3 VIA local\r\n24 0.1 0.1 0.55 0.5 goal global\r\n"
    )
    found = load_keypoints(written(tmp_path / "a.txt", text))
    assert [key.stop for key in found.keys] == [Stop.GOAL, Stop.VIA, Stop.GOAL]
    assert found.keys[2].space is Space.GLOBAL
    assert found.keys[1].position == (0.2, -0.2, 0.3)
    assert found.duration == pytest.approx(0.8)
    assert (found.part, found.locked, found.rate) == ("rightArm", False, 30.0)


def test_headers_say_otherwise(tmp_path):
    """The paper's axes: x forward, y outward, z down; centimetres and degrees."""
    header = "part: leftArm\nunits: cm\nangles: degrees\naxes: forward outward down\nrate: 24\nlocked: yes\n"
    found = load_keypoints(written(tmp_path / "a.txt", header + "0 10 20 30 90 goal\n"))
    assert found.keys[0].position == pytest.approx((0.2, -0.3, 0.1))
    assert found.keys[0].swivel == pytest.approx(math.pi / 2)
    assert found.locked
    right = load_keypoints(written(tmp_path / "a.txt", header.replace("left", "right") + "0 10 20 30 90 goal\n"))
    assert right.keys[0].position == pytest.approx((-0.2, -0.3, 0.1))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0 1 2 3 0 stop\n", 1, '"stop" for stop; expected one of: goal, via'),
        ("0 1 2 3 0 goal elsewhere\n", 1, '"elsewhere" for space; expected one of: local, global'),
        ("0 1 2 3\n", 1, "4 words; expected frame x y z swivel"),
        ("0 1 nan 3 0 goal\n", 1, "y 'nan'"),
        ("0 1 2 3 0 goal\n\n0 1 2 3 0 goal\n", 3, "frame 0 after frame 0"),
        ("units: miles\n", 1, "one of m, cm, mm, inches"),
        ("axes: up up left\n", 1, "three different directions"),
        ("rate: -1\n", 1, "a positive number"),
        ("0 1 2 3 0 goal\nrate: 30\n", 2, "before the first key"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, line, message):
    with pytest.raises(MotionFileError, match=message) as caught:
        load_keypoints(written(tmp_path / "a.txt", text))
    assert caught.value.line == line


def test_what_holds_no_keys(tmp_path):
    with pytest.raises(MotionFileError, match="no keys"):
        load_keypoints(written(tmp_path / "a.txt", "# nothing\n"))
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MotionFileError, match="not text"):
        load_keypoints(tmp_path / "b.txt")
    with pytest.raises(MotionFileError, match="load_keypoints"):
        load(written(tmp_path / "a.txt", "0 1 2 3 0 goal\n"))
