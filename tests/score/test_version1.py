"""Scores that version 1 wrote are read, and rendered as they are rendered now.

``version1/`` holds its files and, in ``expected.npz``, where six joints were at twelve frames of each when the whole
body began to join Effort: until then they were where version 1 had them.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from kinesphere import load_score, render, save_score
from kinesphere.score.document import from_json, score_schema, to_json

FOLDER = Path(__file__).parent / "version1"
SCHEMA = Draft202012Validator(score_schema())
FILES = sorted(FOLDER.glob("*.json"))
every_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def rendered(score):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of limits, reach and what does not show
        return render(score)


def test_there_are_fifteen():
    assert len(FILES) == 15
    assert all(json.loads(file.read_text(encoding="utf-8"))["version"] == 1 for file in FILES)


@every_file
def test_hands_feet_head_and_hips_are_where_they_were(file):
    made = rendered(load_score(file))
    with np.load(FOLDER / "expected.npz") as stored:
        joints = [made.skeleton.index(str(name)) for name in stored["joints"]]
        assert (len(made), made.rate) == (stored[f"{file.stem}/frames"], stored[f"{file.stem}/rate"])
        place = made.positions_world()[stored[f"{file.stem}/at"]][:, joints]
        apart = np.linalg.norm(place - stored[f"{file.stem}/positions"], axis=-1)
    assert apart.max() < 1e-6


@every_file
def test_written_as_version_2_it_is_the_same_score_and_the_same_motion(file, tmp_path):
    score = load_score(file)
    text = to_json(score)
    assert json.loads(text)["version"] == 2
    assert not list(SCHEMA.iter_errors(json.loads(text)))
    again = from_json(text)
    assert again == score
    assert to_json(again) == text
    save_score(score, tmp_path / "again.json")
    one, other = (rendered(own) for own in (score, load_score(tmp_path / "again.json")))
    assert np.array_equal(one.rotations, other.rotations)
    assert np.array_equal(one.translations, other.translations)
