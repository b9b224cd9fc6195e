"""What is wrong with scripts and actions: named with file and line, before anything is rendered."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere import MotionFileError, load_script
from kinesphere.engine.phrases import figure_body
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.registry import load_plugin
from kinesphere.scripts import check_script, script_phrase

HEAD = 'kind = "script"\n[place]\napple = [-0.38, 1.2, 0.48]\n'  # three lines
# What is written below the head, the line of what is wrong, and words of the message.
WRONG = {
    "no actions": ("", None, "tables \\[\\[action\\]\\]"),
    "unknown action": ('[[action]]\ndo = "tuch"\n', 5, "did you mean 'touch'|touch"),
    "a file elsewhere": ('[[action]]\ndo = "../touch.toml"\n', 5, "beside the script"),
    "unknown field": ('[[action]]\ndo = "touch"\ntarget = "apple"\narives = 2\n', 7, "arrives"),
    "unknown place": ('[[action]]\ndo = "touch"\ntarget = "aple"\n', 6, "apple"),
    "a parameter out of range": ('[[action]]\ndo = "touch"\ntarget = "apple"\narrives = 90\n', 7, "0.5 to 5 s"),
    "a parameter is missing": ('[[action]]\ndo = "touch"\n', 4, "target = …"),
    "unknown property": (
        '[[action]]\ndo = "shrug"\n[[action.property]]\nname = "postur"\n', 7, "posture",
    ),
    "a property's field": (
        '[[action]]\ndo = "shrug"\n[[action.property]]\nname = "posture"\namount = 7\n', 8, "−1 .slumped. to 1",
    ),
    "an envelope that runs back": (
        '[[action]]\ndo = "shrug"\n[[action.property]]\nname = "envelope"\nkind = "custom"\n'
        "points = [0, 0, 0.6, 0.2, 0.4, 0.5, 1, 1]\ntangents = [0.3, 0, 0.3, 0, 0.3, 0, 0.3, 0]\n",
        6, "time runs backwards",
    ),
    "two at once": (
        '[[action]]\ndo = "shrug"\n[[action]]\ndo = "touch"\ntarget = "apple"\nstart = 1.0\n', 9,
        "line 4.*interrupt = true",
    ),
    "a cycle": (
        '[[action]]\ndo = "shrug"\nname = "a"\nwith = "b"\n[[action]]\ndo = "shrug"\nname = "b"\nafter = "a"\n',
        11, "a → b → a|b → a → b",
    ),
    "an unknown sync point": (
        '[[action]]\ndo = "shrug"\n[[action]]\ndo = "walk-off"\nwith = "shrug.arives"\n', 8, "arrives",
    ),
    "an unknown other": ('[[action]]\ndo = "shrug"\n[[action]]\ndo = "walk-off"\nwith = "srug"\n', 8, "shrug"),
    "a start before the script's": ('[[action]]\ndo = "shrug"\nstart = 0.5\nwait = -1.0\n', 6, "from 0 s on"),
    "two starts": ('[[action]]\ndo = "shrug"\nstart = 0.5\nafter = "x"\n', 7, "one of start, after and with"),
    "an unknown track": ('[[action]]\ndo = "shrug"\ntrack = "arm"\n', 6, "arms"),
    "the same name twice": (
        '[[action]]\ndo = "shrug"\nname = "a"\n[[action]]\ndo = "shrug"\nname = "a"\n', 9, "line 4",
    ),
    "an unknown sketch": ('[[action]]\ndo = "shrug"\n', None, "old-man"),
    "an edit's stretch": (
        '[[action]]\ndo = "shrug"\n[[edit]]\nname = "tempo"\nfactor = 2\nstart = "shrug.arives"\n', 9, "shrug",
    ),
    "an unknown edit": ('[[action]]\ndo = "shrug"\n[[edit]]\nedit = "wrds"\n', 7, "words"),
}  # fmt: skip


def write(folder, text, name="wrong.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_file_and_line(tmp_path, name):
    text, line, words = WRONG[name]
    head = HEAD.replace('"script"', '"script"\nsketch = "old-mam"') if name == "an unknown sketch" else HEAD
    path = write(tmp_path, head + text)
    with pytest.raises(MotionFileError) as caught:
        script_phrase(load_script(path), figure_body())
    assert str(path) in str(caught.value)
    assert re.search(words, str(caught.value), re.DOTALL), str(caught.value)
    if line is not None:
        assert caught.value.line == line, str(caught.value)


def test_every_wrong_row_is_told_in_the_order_of_lines(tmp_path):
    rows = [text for text, _, _ in (WRONG["unknown action"], WRONG["unknown place"], WRONG["an unknown edit"])]
    found = check_script(write(tmp_path, HEAD + "".join(rows)), figure_body())
    assert [own.line for own in found] == sorted(own.line for own in found)
    assert len(found) == 3


@pytest.mark.parametrize("place", [[-0.3, 1.2, 1.9], [0.0, 3.0, 0.2], [-0.4, 1.2, -1.6]])
def test_places_that_no_body_reaches_are_told_before_anything_is_rendered(tmp_path, place):
    path = write(tmp_path, f'kind = "script"\n[[action]]\ndo = "touch"\ntarget = {place}\n')
    (error,) = check_script(path, figure_body())
    assert error.line == 2
    assert "misses by" in str(error)


def test_steps_bring_what_is_too_far_within_reach(tmp_path):
    text = (
        'kind = "script"\n[[action]]\ndo = "walk-off"\nsteps = 4\n[[action]]\ndo = "touch"\ntarget = [-0.3, 1.2, 1.9]\n'
    )
    assert check_script(write(tmp_path, text), figure_body()) == []


PLUGIN = """
from typing import Annotated
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.performance import Family, MovementProperty

@phrase_edit("breaking")
@document(frozen=True)
class Breaking(MovementProperty):
    \"\"\"Break.\"\"\"

    family = Family.SHAPE
    amount: Annotated[float, dial(-1, 1, "How much.")] = 0.0

    def claims(self, phrase):
        raise KeyError("oops")
"""


def test_a_users_property_that_raises_is_named_with_both_files_and_lines(tmp_path, request):
    plugin = write(tmp_path, PLUGIN, "breaking.py")
    load_plugin(plugin)
    request.addfinalizer(lambda: PHRASE_EDITS._classes.pop("breaking", None))
    path = write(tmp_path, HEAD + '[[action]]\ndo = "shrug"\n[[action.property]]\nname = "breaking"\namount = 1\n')
    with pytest.raises(MotionFileError) as caught:
        script_phrase(load_script(path), figure_body())
    assert caught.value.line == 6
    assert re.search(r"breaking\.py.*line 17", str(caught.value))


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet=st.sampled_from('[]{}="#\n.,-0123456789abdeginoprstuwx$_ '), max_size=200))
def test_no_text_is_more_than_an_error(tmp_path_factory, text):
    path = write(tmp_path_factory.mktemp("fuzz"), f'kind = "script"\n[[action]]\ndo = "shrug"\n{text}')
    try:
        found = check_script(path, figure_body())
    except MotionFileError:
        return
    assert all(isinstance(own, MotionFileError) for own in found)
