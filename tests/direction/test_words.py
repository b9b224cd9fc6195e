"""Words: the vocabulary and how words combine."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Effort, MotionFileError, Shape, perform
from kinesphere.direction.body_language import BodyLanguage
from kinesphere.direction.word_text import DEGREES, LEAST_STRENGTH, MOST_STRENGTH, split_words, word_strengths
from kinesphere.direction.words import Word, combine_words, find_word, load_words, vocabulary

ACTIONS = {
    "float": (-1, -1, -1), "punch": (1, 1, 1), "glide": (1, -1, -1), "slash": (-1, 1, 1),
    "dab": (1, -1, 1), "wring": (-1, 1, -1), "flick": (-1, -1, 1), "press": (1, 1, -1),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIONS)
def test_basic_effort_actions(name):
    assert find_word(name).effort == Effort(*ACTIONS[name])


def test_there_are_words_enough_and_no_two_mean_the_same():
    known = [w for w in vocabulary().values() if not w.alias]
    assert len(known) >= 50
    assert len([w for w in known if w.kind in ("adverb", "mood")]) >= 38
    said = [(w.effort, w.shape, w.tempo, w.stillness, w.body) for w in known]
    assert all(one != other for one, other in itertools.combinations(said, 2))
    for w in known:
        assert not (w.effort.neutral and w.shape.neutral)


def test_an_alias_is_another_name_of_a_word_and_nothing_else():
    aliases = {name: word for name, word in vocabulary().items() if word.alias}
    assert len(aliases) >= 10
    for name, word in aliases.items():
        assert word.alias in vocabulary()
        assert not vocabulary()[word.alias].alias
        assert replace(word, alias="", kind="") == Word(name)  # the file gives it no dials of its own
        assert replace(find_word(name), alias="") == find_word(word.alias) == vocabulary()[word.alias]
    made, named = perform("wave", words="tenderly"), perform("wave", words="loving")
    assert np.array_equal(made.rotations, named.rotations)
    assert np.array_equal(made.translations, named.translations)


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
    bare = {"dreamily": replace(find_word("shy"), name="dreamily", tempo=1.0, body=BodyLanguage())}
    word = bare["dreamily"]
    assert word.effort.by_hand
    for said, dialled in (
        (perform("wave", words="float"), perform("wave", find_word("float").effort)),
        (
            perform("wave", words="dreamily", vocabulary=bare),
            perform("wave", word.effort, word.shape, stillness=word.stillness),
        ),
    ):
        assert np.abs(said.rotations - dialled.rotations).max() < 1e-9
        assert np.abs(said.translations - dialled.translations).max() < 1e-9


@pytest.mark.parametrize(("degree", "share"), [("very", 1.5), ("slightly", 0.4), ("not", -0.5), ("not at all", -1.0)])
@pytest.mark.parametrize("word", ["angry", "shy", "afraid", "disgusted"])
def test_degrees_scale_and_reverse_body_language(word, degree, share):
    plain, made = find_word(word).body, combine_words(f"{degree} {word}").body
    assert plain.posture
    assert any(plain.step)
    assert dict(made.posture) == pytest.approx({name: share * value for name, value in plain.posture.items()})
    assert dict(made.rhythm) == pytest.approx({name: share * value for name, value in plain.rhythm.items()})
    assert made.step == pytest.approx([share * value for value in plain.step])
    assert made.look == pytest.approx([share * value for value in plain.look])
    assert made.glance == pytest.approx(max(share * plain.glance, 0.0))  # no gaze goes aside less than not at all


def test_body_language_of_several_words_adds_up():
    one, other, both = find_word("angry").body, find_word("proudly").body, combine_words("angry and proudly").body
    assert both.step == pytest.approx(np.add(one.step, other.step))
    assert both.posture["torso_forward"] == pytest.approx(one.posture["torso_forward"] + other.posture["torso_forward"])
    assert both.posture["hips_y"] == one.posture["hips_y"]
    assert dict(both.rhythm) == dict(one.rhythm)


@pytest.mark.parametrize("strength", [LEAST_STRENGTH, MOST_STRENGTH])
def test_every_word_may_be_said_as_much_as_strengths_go(strength):
    for name in vocabulary():
        assert combine_words({name: strength}).gain == max(1.0, strength)


def test_every_two_words_go_together():
    names = [name for name, word in vocabulary().items() if not word.alias]
    for one, other in itertools.combinations(names, 2):
        both = combine_words({one: MOST_STRENGTH, other: MOST_STRENGTH})
        assert both.gain == MOST_STRENGTH
        assert all(abs(value) <= 1.0 for value in (both.effort.space, both.effort.weight, both.stillness))
        assert set(find_word(one).body.posture) <= set(both.body.posture)


@pytest.fixture(scope="module")
def waves():
    """The wave in every word that is no alias, and without any: positions of joints ``(F, J, 3)``."""
    names = [None, *(name for name, word in vocabulary().items() if not word.alias)]
    return {name: perform("wave", words=name).positions_world() for name in names}


def test_every_word_makes_another_motion(waves):
    """By poses at the same share of the duration, whatever the tempo, and by poses at the same time."""
    shares = {name: p[np.linspace(0, len(p) - 1, 40).round().astype(int)] for name, p in waves.items()}
    times = {name: p[np.minimum(np.arange(0, 240, 6), len(p) - 1)] for name, p in waves.items()}
    for made in (shares, times):
        for one, other in itertools.combinations(made, 2):
            assert np.linalg.norm(made[one] - made[other], axis=-1).mean() > 0.005, (one, other)


@pytest.mark.parametrize("gesture", ["wave", "knock", "point"])
def test_worded_gestures_begin_and_end_in_the_neutrals_poses(gesture, waves):
    """So that they join."""
    plain = perform(gesture).positions_world()
    away = {}
    for name in waves:
        made = perform(gesture, words=name).positions_world() if gesture != "wave" else waves[name]
        far = [np.linalg.norm(made[frame] - plain[frame], axis=-1).max() for frame in (0, -1)]
        away[name] = [round(1000.0 * float(value), 1) for value in far]
    assert np.median(list(away.values())) < 2.0
    # Quick performances have a knee or a finger some millimetres off.
    assert max(max(far) for far in away.values()) < 20.0, f"millimetres at the first and the last frame: {away}"


@pytest.mark.parametrize("text", ["gentley", "angrey", "quikly"])
def test_unknown_words_suggest_the_nearest(text):
    with pytest.raises(ValueError, match={"g": "gently", "a": "angry", "q": "quickly"}[text[0]]):
        perform("wave", words=text)


@pytest.mark.parametrize("text", ["", "  ", ",", "and", " and ", "and, but"])
def test_no_word_at_all_is_said(text):
    with pytest.raises(
        ValueError, match=r"found no word; write one, .*`gently and proudly`, .*; `kinesphere words` lists"
    ):
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
    assert split_words(text) == [("gently", 1.0), ("proudly", 1.0)]
    assert combine_words(text) == combine_words(["gently", "proudly"])


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("proud", "proudly"), ("shyly", "shy"), ("gentle", "gently"), ("lazy", "lazily"), ("happily", "happy"),
        ("angrily", "angry"), ("mechanic", "mechanically"), ("Sadly", "sad"), ("direct", "directly"),
        ("free", "freely"),
    ],
)  # fmt: skip
def test_adjectives_and_adverbs_are_forms_of_one_word(form, word):
    assert find_word(form) == find_word(word)
    assert find_word(word).name == (vocabulary()[word].alias or word)


def test_every_word_is_found_by_its_own_name():
    for name, word in vocabulary().items():
        assert find_word(name).name == (word.alias or name)


@pytest.mark.parametrize(
    ("text", "strengths"),
    [
        ("very angry", {"angry": 1.5}),
        ("slightly sad", {"sad": 0.4}),
        ("not shy", {"shy": -0.5}),
        ("not very shy", {"shy": 0.3}),
        ("not at all shy", {"shy": -1.0}),
        ("a bit shy and Very very proud", {"shy": 0.4, "proud": 2.0}),
        ("gently, not slightly angry", {"gently": 1.0, "angry": -0.2}),
        (["very angry", "shy"], {"angry": 1.5, "shy": 1.0}),
        ("slightly sad, slightly sad", {"sad": 0.8}),
    ],
)
def test_degrees_and_negation(text, strengths):
    assert word_strengths(text) == pytest.approx(strengths)


@pytest.mark.parametrize("text", ["very", "gently and very", "very and gently", "not", "shy, a little", "not at all"])
def test_a_degree_needs_a_word(text):
    with pytest.raises(ValueError, match=r"with no word after it; write one"):
        split_words(text)


def _difference(a, b):
    """Of wrists, relative to the chest, by frames at the same share of the duration: metres, ``(100, 2, 3)``."""
    made = []
    for motion in (a, b):
        p, roles = motion.positions_world(), motion.skeleton.roles
        at = np.linspace(0, len(motion) - 1, 100).round().astype(int)
        made.append(
            np.stack([p[at, roles[f"{side}Hand"]] - p[at, roles["hips"]] for side in ("left", "right")], axis=1)
        )
    return made[0] - made[1]


@pytest.mark.parametrize("word", ["shy", "angry", "sad", "joyful", "proud"])
def test_a_stronger_degree_shows_more_and_not_shows_the_opposite(word):
    plain = perform("wave")
    changes = [
        np.abs(_difference(perform("wave", words=f"{degree} {word}"), plain)).mean()
        for degree in ("hardly", "slightly", "fairly", "", "very")
    ]
    assert changes == sorted(changes)
    assert changes[-1] > 1.04 * changes[-2]  # softly: bodies have limits
    dials, opposite = combine_words(word), combine_words(f"not {word}")
    assert opposite.effort.factors == pytest.approx(-0.5 * dials.effort.factors)
    assert opposite.shape.factors == pytest.approx(-0.5 * dials.shape.factors)
    assert opposite.tempo == pytest.approx(dials.tempo**-0.5)
    assert opposite.body.posture["torso_forward"] == pytest.approx(-0.5 * dials.body.posture["torso_forward"])


def test_very_is_intensity_for_that_word_alone():
    said, dialled = perform("knock", words="very sad"), perform("knock", words="sad", intensity=1.5)
    assert np.abs(_difference(said, dialled)).max() < 0.02  # stillness and tempo are their own
    assert combine_words("very sad and gently").gain == DEGREES["very"]
    assert combine_words("sad and gently").gain == 1.0


@pytest.mark.parametrize("strength", [-1.5, 2.5, float("nan")])
def test_strengths_out_of_range_are_refused(strength):
    with pytest.raises(ValueError, match=r"-1|−1"):
        perform("wave", words={"shy": strength})


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
