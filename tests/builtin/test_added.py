"""Gestures and words of a user's files by name, for the process."""

from __future__ import annotations

import pytest

from kinesphere import MotionFileError, perform
from kinesphere.builtin import library
from kinesphere.builtin.library import FOLDER, add_gesture, gesture, gestures, motion, motions
from kinesphere.direction import words
from kinesphere.direction.words import add_words, find_word, vocabulary


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch):
    monkeypatch.setattr(library, "_ADDED", {})
    monkeypatch.setattr(words, "_ADDED", {})


def test_an_added_gesture_has_a_name_like_the_others(tmp_path):
    file = tmp_path / "test_salute.toml"
    file.write_text((FOLDER / "wave.toml").read_text())
    assert add_gesture(file) == add_gesture(file) == "test salute"
    assert "test salute" in motions()
    assert "test salute" in gestures()
    assert gesture("test salute").duration == gesture("wave").duration
    assert perform("test salute").duration == motion("wave").duration


def test_an_added_walk_may_be_like_a_built_in_one(tmp_path):
    file = tmp_path / "test_stroll.toml"
    file.write_text('like = "walk"\nstrides = 2\n')
    add_gesture(file)
    assert "test stroll" not in gestures()
    assert motion("test stroll").duration == pytest.approx(0.5 * motion("walk").duration, abs=0.02)


def test_names_that_are_taken_and_broken_files_are_refused(tmp_path):
    (tmp_path / "wave.toml").write_text((FOLDER / "wave.toml").read_text())
    with pytest.raises(MotionFileError, match=r"a motion called 'wave', which .* is; expected a name that is free"):
        add_gesture(tmp_path / "wave.toml")
    (tmp_path / "test_bad.toml").write_text("duration = -1\n")
    with pytest.raises(MotionFileError, match="duration: found -1"):
        add_gesture(tmp_path / "test_bad.toml")
    (tmp_path / "test_kind.toml").write_text("kind = 'wlak'\n")
    with pytest.raises(
        MotionFileError, match="kind: found \"wlak\"; expected one of: gesture, walk; did you mean 'walk'"
    ):
        add_gesture(tmp_path / "test_kind.toml")
    assert not {"test bad", "test kind"} & set(motions())


def test_added_words_are_known_everywhere(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[words]\nRegally = { effort = [0.5, 0.2, -0.5, 0.3], tempo = 0.8 }\n")
    assert add_words(file) == ("regally",)
    assert find_word("regally").tempo == 0.8
    assert perform("wave", words="regally").duration > perform("wave").duration
    file.write_text("[words]\nmajestically = { tempo = 0.9 }\n")
    add_words(file)  # once more: read anew
    assert "regally" not in vocabulary()
    assert "majestically" in vocabulary()


def test_words_that_are_taken_are_refused_and_none_is_added(tmp_path):
    for name, text in (("one", "regally = {}"), ("two", "nobly = {}\nregally = {}"), ("three", "shy = {}")):
        (tmp_path / f"{name}.toml").write_text(f"[words]\n{text}\n")
    add_words(tmp_path / "one.toml")
    with pytest.raises(
        MotionFileError, match=r"words.regally: found a word that .*one.toml has; expected a name that is"
    ):
        add_words(tmp_path / "two.toml")
    with pytest.raises(MotionFileError, match=r"words.shy: found a word that Kinesphere has"):
        add_words(tmp_path / "three.toml")
    assert "nobly" not in vocabulary()
