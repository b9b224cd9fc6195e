"""Gestures as text: what is read, and what is refused by name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kinesphere
from kinesphere.builtin.library import FOLDER, motion, motions
from kinesphere.engine.generation import generate_gesture
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import Gesture, Space, Stop

PLAIN = """
duration = 2.0
[torso]
forward = [[0, 0], [1, 10], [2, 0]]
[both]
keys = [
  { at = 0, to = "rest" },
  { at = 0.5, to = [0.2, -0.2, 0.2], via = true },
  { at = 1, to = [0.1, 0.0, 0.4], swivel = 30, ease = 0.7 },
  { at = 1.9, to = "rest" },
]
[both.hand]
palm = [[0, "rest"], [1, "in"]]
shape = [[0, "relaxed"], [1, "thumb out 0.5 open 0.3"]]
"""


def read(tmp_path, text: str) -> Gesture:
    path = tmp_path / "my_move.toml"
    path.write_text(text, encoding="utf-8")
    return load_gesture(path)


def test_reads_what_is_written(tmp_path):
    made = read(tmp_path, PLAIN)
    assert (made.name, made.duration) == ("my move", 2.0)
    assert made.curves["torso.forward"].values == pytest.approx((0.0, math.radians(10.0), 0.0))
    left, right = made.left, made.right
    assert left is not None
    assert right is not None
    assert [key.stop for key in left.keys] == [Stop.GOAL, Stop.VIA, Stop.GOAL, Stop.GOAL]
    assert left.keys[2].position == (0.1, 0.0, 0.4)
    assert right.keys[2].position == (-0.1, 0.0, 0.4)
    assert right.keys[2].swivel == pytest.approx(-math.radians(30.0))
    assert made.inflections["left"] == (0.5, 0.5, 0.7, 0.5)
    assert made.palms["left"][1].direction == (-1.0, 0.0, 0.0)
    assert made.palms["right"][1].direction == (1.0, 0.0, 0.0)
    assert made.curves["left.hand.thumb out"].values == (0.0, 0.5)


def test_a_user_can_write_one_and_generate_it(tmp_path):
    made = generate_gesture(read(tmp_path, PLAIN))
    place = made.positions_world()
    assert len(made) == 121
    across = place[:, made.skeleton.index("leftHand")] * [-1.0, 1.0, 1.0]
    assert place[:, made.skeleton.index("rightHand")] == pytest.approx(across, abs=0.02)


def test_world_keys_are_global(tmp_path):
    text = "duration = 1.0\n[right]\nkeys = [{ at = 0, to = 'rest' }, { at = 0.8, world = [-0.2, 1.2, 0.4] }]\n"
    arm = read(tmp_path, text).right
    assert arm is not None
    assert arm.keys[1].space == Space.GLOBAL
    assert arm.keys[1].position == (-0.2, 1.2, 0.4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("forward = [[0, 0]", "forwards = [[0, 0]"), "torso.forwards.*did you mean 'forward'"),
        (("duration = 2.0", ""), "duration: found nothing"),
        (("duration = 2.0", "duration = 'long'"), 'duration: found "long"; expected a number, more than 0'),
        (("duration = 2.0", "duration = 1e9"), "duration"),
        (
            ("duration = 2.0", "duration = -2"),
            "toml, duration: found -2; expected more than 0 and at most 600",
        ),
        (
            ("[torso]", "[torzo]"),
            r"torzo: found a field that nobody knows; expected one of: duration, .*; did you mean 'torso'\?",
        ),
        (("[1, 10]", "[1, 1000]"), r"torso.forward\[1\]: found 1000; expected at most 180"),
        (("[2, 0]]", "[5, 10]]"), r"torso.forward\[2\]: found 5 s; expected times from 0 to the duration, 2 s"),
        (("[1, 10]", "[0, 10]"), r"torso.forward\[1\]: found 0 after 0; expected times that increase"),
        (("[1, 10]", "[1]"), r"forward\[1\]"),
        (("[1, 10]", "[nan, 10]"), r"forward\[1\]"),
        (("swivel = 30", "swivl = 30"), r"both.keys\[2\].swivl"),
        (("ease = 0.7", "ease = 1.7"), "ease: found 1.7"),
        (("at = 1,", "at = 0.2,"), r"keys\[2\].at: found 0.2 s after 0.5 s; expected times that increase"),
        (("at = 1.9,", "at = 2.9,"), r"both.keys\[3\].at: found 2.9 s; expected times from 0 to the duration, 2 s"),
        (("at = 0,", "at = -1,"), r"both.keys\[0\].at: found -1; expected 0 to 600"),
        (('[1, "in"]', '[0, "in"]'), r"both.hand.palm\[1\]: found 0 after 0; expected times that increase"),
        (('[1, "in"]', '[3, "in"]'), r"both.hand.palm\[1\]: found 3 s; expected times from 0"),
        (('[1, "thumb', '[3, "thumb'), r"both.hand.shape\[1\]: found 3 s; expected times from 0"),
        (
            ("[both.hand]", "[both.foot]\nsteps = [[1, 1.2, 0, 0, 0], [0.5, 0.6, 0, 0, 0]]\n[both.hand]"),
            r"both.foot.steps\[1\]: found lifting at 0.5 s before landing at 1.2 s; expected steps that follow",
        ),
        (
            ("[both.hand]", "[both.foot]\nsteps = [[1, 1.5, 0, 0, 0], [1.2, 1.6, 0, 0, 0]]\n[both.hand]"),
            r"both.foot.steps\[1\]: found lifting at 1.2 s before landing at 1.5 s",
        ),
        (
            ("[both.hand]", "[both.foot]\nsteps = [[1, 2.5, 0, 0, 0]]\n[both.hand]"),
            r"both.foot.steps\[0\]: found 2.5 s; expected times from 0 to the duration, 2 s",
        ),
        (
            ("[both.hand]", "[both.foot]\nsteps = [[1, 0.5, 0, 0, 0]]\n[both.hand]"),
            r"both.foot.steps\[0\]: found 0.5 s for land; expected a time after it lifts, 1 s",
        ),
        (
            ("[both.hand]", "[both.foot]\nsteps = [[1, 1.5, 40, 0, 0]]\n[both.hand]"),
            r"both.foot.steps\[0\]: found 40 for x; expected −5 to 5",
        ),
        (('to = "rest" },', "world = [0, 9, 0] },"), r"both.keys\[0\].world\[1\]: found 9; expected −5 to 5"),
        (('to = "rest" },', "world = [0, 1, 0], to = [0, 0, 0] },"), "found both to and world; expected one of: to ="),
        (
            ("to = [0.1, 0.0, 0.4]", "to = [0.1, 0.4]"),
            r"both.keys\[2\].to: found \[0.1, 0.4\]; expected \[out, up, ahead\] in metres, or .rest.",
        ),
        (("to = [0.1, 0.0, 0.4]", "to = [10, 0.0, 0.4]"), r"both.keys\[2\].to\[0\]: found 10; expected −5 to 5"),
        (
            ('"in"', '"inwards"'),
            r"palm\[1\]: found .inwards. for direction; expected .* one of: rest, .*; did you mean 'in'\?",
        ),
        (("thumb out 0.5", "paw"), r"shape\[1\]: found .paw. for shape; expected one of: relaxed, open, .*claw"),
        (("open 0.3", "open 0.9"), "weights sum to 1"),
        (("[torso]", "[torso"), "no TOML"),
        (("[both.hand]", "[left]\nkeys = []\n[both.hand]"), "either"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(tmp_path, change, said):
    assert change[0] in PLAIN
    with pytest.raises(MotionFileError, match=said) as caught:
        read(tmp_path, PLAIN.replace(*change, 1))
    assert "my_move.toml" in str(caught.value)


def test_messages_say_where_what_was_found_and_what_is_allowed_in_one_sentence(tmp_path):
    with pytest.raises(MotionFileError) as caught:
        read(tmp_path, PLAIN.replace("[torso]", "[torzo]"))
    said = str(caught.value).removeprefix(f"{tmp_path / 'my_move.toml'}, ")
    assert said == (
        "torzo: found a field that nobody knows; expected one of: duration, kind, about, loop, torso, head, eyes, "
        "hips, both, left, right; did you mean 'torso'?"
    )


def test_a_loop_has_no_fixed_places(tmp_path):
    text = "duration = 1.0\nloop = true\n[right]\nkeys = [{ at = 0, to = 'rest' }, { at = 0.8, world = [0, 1, 0.4] }]\n"
    with pytest.raises(MotionFileError, match=r"right.keys\[1\].world: found a fixed place in a loop; expected to ="):
        read(tmp_path, text)


def test_missing_files_and_other_bytes_are_refused(tmp_path):
    with pytest.raises(MotionFileError, match="no such file"):
        load_gesture(tmp_path / "none.toml")
    path = tmp_path / "bytes.toml"
    path.write_bytes(b"\xff\xfe\x00duration")
    with pytest.raises(MotionFileError, match="no TOML"):
        load_gesture(path)
    path.write_bytes(b"#" * 2_000_000)
    with pytest.raises(MotionFileError, match="bytes"):
        load_gesture(path)


@given(st.data())
def test_damaged_files_are_read_or_refused_kindly(tmp_path_factory, data):
    text = PLAIN
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", "]", "[", "9", "-", '"', "e9", "nan", "=", "\n"]))
            + text[at + 1 :]
        )
    path = tmp_path_factory.mktemp("files") / "x.toml"
    path.write_text(text, encoding="utf-8")
    try:
        made = load_gesture(path)
    except MotionFileError:
        return
    assert made.duration > 0.0


@pytest.mark.parametrize("name", motions())
def test_every_motion_has_a_file_with_words(name):
    text = (FOLDER / f"{name.replace(' ', '_')}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "about" in text
    assert motion(name).name == name


def test_acting_refuses_impossible_heights(tmp_path):
    with pytest.raises(ValueError, match="height"):
        generate_gesture(read(tmp_path, PLAIN), np.nan)


def test_a_gesture_file_of_ones_own_is_generated_by_public_names(tmp_path):
    (tmp_path / "my_wave.toml").write_text((FOLDER / "wave.toml").read_text())
    made = kinesphere.engine.generate_gesture(kinesphere.files.load_gesture(tmp_path / "my_wave.toml"))
    assert made.name == "my wave"
    assert abs(made.positions_world() - motion("wave").positions_world()).max() < 1e-9


def test_both_feet_are_mirrored_and_one_foot_is_to_the_left(tmp_path):
    row = "steps = [[0.2, 0.6, 0.1, 0.2, 30]]"
    both = read(tmp_path, f"duration = 1.0\n[both.foot]\n{row}\n")
    right = read(tmp_path, f"duration = 1.0\n[right.foot]\n{row}\n")
    (one,), (other,) = both.steps["left"], both.steps["right"]
    assert (one.x, one.z, one.turn) == (0.1, 0.2, pytest.approx(math.radians(30.0)))
    assert (other.x, other.z, other.turn) == (-one.x, one.z, -one.turn)
    assert right.steps["right"] == both.steps["left"]  # "to the left" on either side


def test_a_channel_may_reach_its_limit(tmp_path):
    made = read(tmp_path, "duration = 1.0\n[torso]\nturn = [[0, 180], [1, -180]]\nbreath = []\n[hips]\nx = [[0, 3]]\n")
    assert made.curves["torso.turn"].values == (math.pi, -math.pi)
    assert "torso.breath" not in made.curves


KEEPING = """
duration = 3.0
[right]
keys = [
  {{ at = 0.2, to = "rest" }},
  {{ at = 0.9, to = [0.14, 0.05, 0.5], {first} }},
  {{ at = 1.6, to = [0.14, 0.05, 0.5], {second} }},
  {{ at = 2.6, to = "rest" }},
]
"""


def kept(tmp_path, first: str, second: str) -> list[tuple[object, ...]]:
    made = read(tmp_path, KEEPING.format(first=first, second=second))
    return [(own.kind, own.arm, own.start, own.end, own.joint, own.target) for own in made.referents]


def test_keys_in_a_row_with_the_same_mark_are_one_referent(tmp_path):
    head = ("touch", "right", 0.9, 1.6, "head", None)
    assert kept(tmp_path, 'keeps = "head"', 'keeps = "head"') == [head]
    both = kept(tmp_path, 'keeps = "level head"', 'keeps = "head"')
    assert both == [("level", "right", 0.9, 0.9, None, None), head]
    place = (-0.6, 0.9, 2.0)
    aims = kept(tmp_path, "aim = [-0.6, 0.9, 2.0]", "aim = [-0.6, 0.9, 2.5]")
    assert aims == [("aim", "right", 0.9, 0.9, None, place), ("aim", "right", 1.6, 1.6, None, (-0.6, 0.9, 2.5))]
    assert kept(tmp_path, 'keeps = "aim"', "swivel = 1") == [("aim", "right", 0.9, 0.9, None, None)]
    assert kept(tmp_path, 'keeps = "nothing"', 'keeps = "nothing"') == [("nothing", "right", 0.9, 1.6, None, None)]
    assert kept(tmp_path, "swivel = 1", "swivel = 1") == []


def test_hands_that_are_marked_to_meet_meet_once(tmp_path):
    text = KEEPING.format(first='keeps = "meet"', second='keeps = "meet"').replace("[right]", "[both]")
    (own,) = read(tmp_path, text).referents
    assert (own.kind, own.arm, own.start, own.end) == ("meet", "both", 0.9, 1.6)


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ('keeps = "heda"', "head"),
        ('keeps = ""', "aim"),
        ('keeps = "nothing head"', "nothing alone"),
        ("aim = [1, 2]", "metres"),
        ("aim = [1, 2, 1e9]", "aim"),
    ],
)
def test_marks_that_make_no_sense_are_refused_with_their_place(tmp_path, mark, said):
    with pytest.raises(MotionFileError, match=said) as error:
        read(tmp_path, KEEPING.format(first=mark, second="swivel = 1"))
    assert "right.keys[1]" in str(error.value)
