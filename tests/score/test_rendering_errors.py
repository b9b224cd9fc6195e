"""What goes wrong between scores, phrases, motions and plugins is said with its name."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Breath, Effort, Equalize, Score, body_of, figure, generate, mo, perform, phrase_of, render
from kinesphere.builtin import motion
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS
from kinesphere.motion.registry import PluginError, load_plugin
from kinesphere.score.checks import WithoutEffect
from kinesphere.score.document import from_json, to_json

PLUGIN = """
from kinesphere.motion.behaviour import Behaviour, behaviour
from kinesphere.motion.document import document
from kinesphere.motion.edit import MotionEdit, PhraseEdit, motion_edit, phrase_edit


@phrase_edit("droops")
@document(frozen=True)
class Droop(PhraseEdit):
    \"\"\"Raises.\"\"\"

    neutral = False

    def apply(self, phrase, scope):
        return {}["droop"]


@motion_edit("vanishes")
@document(frozen=True)
class Vanish(MotionEdit):
    \"\"\"Gives nothing.\"\"\"

    neutral = False

    def apply(self, motion, scope):
        return None, None


@behaviour("stumbles")
@document(frozen=True)
class Stumble(Behaviour):
    \"\"\"Gives no pose.\"\"\"

    neutral = False

    def start(self, body, scene):
        return 0

    def step(self, state, pose, scene, dt):
        return state, None
"""


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "broken_in_use.py"
    file.write_text(PLUGIN)
    load_plugin(file)
    yield {"droops": PHRASE_EDITS["droops"], "vanishes": MOTION_EDITS["vanishes"], "stumbles": BEHAVIOURS["stumbles"]}
    for registry in (PHRASE_EDITS, MOTION_EDITS, BEHAVIOURS):
        for name in ("droops", "vanishes", "stumbles"):
            registry._classes.pop(name, None)


def test_a_plugin_that_fails_in_use_is_named(plugin):
    with pytest.raises(PluginError, match=r"broken_in_use.py, line 15, Droop: KeyError: 'droop'"):
        render(Score("wave", plugin["droops"]()))
    with pytest.raises(PluginError, match=r"broken_in_use.py, Vanish: TypeError: apply gave NoneType"):
        render(Score("wave", plugin["vanishes"]()))
    with pytest.raises(PluginError, match=r"broken_in_use.py, Stumble: TypeError: step gave NoneType"):
        render(Score("wave", behaviours=plugin["stumbles"]()))


def test_one_name_is_one_thing(tmp_path):
    file = tmp_path / "twice.py"
    file.write_text(PLUGIN.replace('"droops"', '"twice"').replace('"stumbles"', '"twice"').replace("vanishes", "gone"))
    with pytest.raises(PluginError, match=r"behaviour 'twice' of twice.py is taken by the phrase edit of that name"):
        load_plugin(file)
    for registry in (PHRASE_EDITS, MOTION_EDITS):
        for name in ("twice", "gone"):
            registry._classes.pop(name, None)


def test_a_plugin_that_exits_is_an_error(tmp_path):
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(PluginError, match="SystemExit: 3"):
        load_plugin(tmp_path / "leaves.py")


def test_common_slips_are_told():
    wave = phrase_of("wave", figure())  # a character stands for its body
    assert wave.body is body_of(figure())
    with pytest.raises(TypeError, match=r"'wave' is no phrase; phrase_of\(gesture, body\) makes one"):
        generate(["wave"])
    with pytest.raises(TypeError, match="Effort edits phrases"):
        Effort(weight=1.0)(motion("wave"))
    with pytest.raises(TypeError, match="Equalize edits motions"):
        Equalize(preset="soften")(wave)
    with pytest.raises(ValueError, match=r"is a recording, which has its own body"):
        phrase_of(motion("wave"), figure())
    with pytest.raises(ValueError, match="rate '24'"):
        generate(wave, "24")
    assert Score("wave", Effort(weight=1.0)).layers[0].edit == Effort(weight=1.0)
    assert Score("wave", behaviours=Breath()).behaviours == (Breath(),)


def test_single_edits_warn_as_express_does():
    with pytest.warns(WithoutEffect, match="a range ends at 99 s"):
        render(Score("wave", Effort(weight=1.0).over(end=99.0)))


def test_a_field_given_twice_is_refused():
    text = '{"kind": "kinesphere score", "version": 2, "source": {"name": "wave"}, "source": {"name": "bow"}}'
    with pytest.raises(ValueError, match="the field 'source' is given twice"):
        from_json(text)


def test_a_character_does_not_change_its_skeletons_body():
    character = mo()
    before = generate(phrase_of("clap", character.skeleton))
    perform("clap", character=character)
    after = generate(phrase_of("clap", character.skeleton))
    assert np.array_equal(before.rotations, after.rotations)


def test_a_score_keeps_its_rate():
    score = Score("wave", rate=24.0)
    assert render(score).rate == 24.0
    assert render(score, rate=30.0).rate == 30.0
    assert from_json(to_json(score)) == score
    assert render(Score("walk", rate=24.0)).rate == 24.0
    with pytest.raises(ValueError, match="rate: found 0; expected frames a second"):
        from_json(to_json(score).replace("24.0", "0"))


@pytest.mark.parametrize("place", [0, 1])
def test_a_word_in_place_of_a_dial_is_told_where_words_go(place):
    with pytest.raises(TypeError, match="words='angry'"):
        perform("wave", *[None] * place, "angry")
