"""Words: the vocabulary and how words combine."""

import numpy as np
import pytest

from kinesphere import Effort, MotionFileError, Shape, perform
from kinesphere.direction.words import combine_words, find_word, load_words, split_words, vocabulary

ACTIONS = {
    "float": (-1, -1, -1), "punch": (1, 1, 1), "glide": (1, -1, -1), "slash": (-1, 1, 1),
    "dab": (1, -1, 1), "wring": (-1, 1, -1), "flick": (-1, -1, 1), "press": (1, 1, -1),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIONS)
def test_basic_effort_actions(name):
    assert find_word(name).effort == Effort(*ACTIONS[name])


def test_there_are_words_enough_and_no_two_mean_the_same():
    known = [w for w in vocabulary().values() if w.kind in ("adverb", "mood")]
    assert len(known) >= 40
    said = [(w.effort, w.shape, w.tempo, w.stillness) for w in known]
    assert len(set(said)) == len(said)
    for w in known:
        assert not (w.effort.neutral and w.shape.neutral)


def test_the_sources_adverbs_are_theirs():
    assert (find_word("carefully").effort.weight, find_word("carefully").effort.time) == (-1.0, -0.3)
    assert find_word("carefully").shape.sagittal > 0.0
    assert (find_word("haphazardly").effort.space, find_word("haphazardly").effort.flow) == (-1.0, -0.8)
    assert find_word("proudly").shape.vertical < -0.5
    assert find_word("introverted").effort.flow > 0.0 > find_word("introverted").effort.space


def test_words_add_up_and_are_held_within_their_range():
    both = combine_words("gently and proudly")
    one, other = find_word("gently"), find_word("proudly")
    assert both.effort.factors == pytest.approx(np.clip(one.effort.factors + other.effort.factors, -1, 1))
    assert combine_words({"gently": 0.5}).effort.factors == pytest.approx(0.5 * one.effort.factors)
    assert combine_words(["angry", "urgently"]).effort.weight == 1.0


def test_a_word_is_its_dials():
    said, dialled = (
        perform("wave", words="tenderly"),
        perform("wave", find_word("tenderly").effort, find_word("tenderly").shape),
    )
    assert np.abs(said.rotations - dialled.rotations).max() < 1e-9


@pytest.mark.parametrize("text", ["gentley", "angrey", "quikly"])
def test_unknown_words_suggest_the_nearest(text):
    with pytest.raises(ValueError, match={"g": "gently", "a": "angry", "q": "quickly"}[text[0]]):
        perform("wave", words=text)


@pytest.mark.parametrize("text", ["", "  ", ",", "and", " and ", "and, but"])
def test_no_word_at_all_is_said(text):
    with pytest.raises(ValueError, match=r"found no word; write one, .*`gently and proudly`; `kinesphere words` lists"):
        perform("wave", words=text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gently and", "found 'and' with no word after it"),
        ("gently, and", "found 'and' with no word after it"),
        ("And gently", "found 'And' with no word before it"),
        ("gently and and proudly", "found 'and' with no word after it"),
        ("gently and but proudly", "found 'and' with no word after it"),
        ("gently but", "found 'but' with no word after it"),
    ],
)
def test_words_that_join_have_words_on_both_sides(text, said):
    for speak in (combine_words, split_words, lambda words: perform("wave", words=words)):
        with pytest.raises(ValueError, match=f"words='{text}': {said}; write one, or several"):
            speak(text)


@pytest.mark.parametrize("text", ["gently and proudly", "gently, proudly", "gently proudly", " gently, but proudly,"])
def test_words_may_be_joined_as_one_writes(text):
    assert split_words(text) == ["gently", "proudly"]
    assert combine_words(text) == combine_words(["gently", "proudly"])


def test_words_of_ones_own(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[words]\nregally = { effort = [0.5, 0.2, -0.5, 0.3], shape = [-0.6, -1, 0, 0.5], tempo = 0.8 }\n")
    known = load_words(file)
    assert len(known) == len(vocabulary()) + 1
    made = perform("wave", words="regally", vocabulary=known)
    assert made.duration > perform("wave").duration
    assert known["regally"].shape == Shape(-0.6, -1, 0, 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[words]\nodd = { effort = [0, 0, 2, 0] }", r"words.odd.effort\[2\]: found 2; expected −1 to 1"),
        ("[words]\nodd = { effort = [0, 0] }", "four numbers"),
        ("[words]\nodd = { efort = [0, 0, 0, 0] }", "words.odd.efort: .*did you mean 'effort'"),
        ("[words]\nodd = { tempo = 0 }", "0.2 to 5"),
        ("[words]\nodd = { stillness = nan }", r"words.odd.stillness: found nan; expected −1 \(restless\) to 1"),
        ("[words]\nodd = 3", "words.odd: found 3; expected an object"),
        ("[word]\nodd = {}", r"\[words\]"),
        ("=", "TOML"),
    ],
)
def test_bad_files_of_words_say_what_is_wrong(tmp_path, text, said):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(MotionFileError, match=said):
        load_words(file)
