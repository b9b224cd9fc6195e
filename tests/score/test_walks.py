"""Walks in scores: by name, by file and written out; performed, streamed, edited and saved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import (
    Breath,
    Effort,
    Equalize,
    MotionFileError,
    Score,
    Shape,
    Words,
    load,
    load_score,
    perform,
    phrase_of,
    render,
    save_score,
    stream,
)
from kinesphere.builtin import mo, motion
from kinesphere.builtin.library import movement
from kinesphere.cli.main import app
from kinesphere.motion.document import read_document, to_plain
from kinesphere.motion.gait import Gait
from kinesphere.score.document import from_json, to_json


def same(one, other) -> bool:
    return np.array_equal(one.rotations, other.rotations) and np.array_equal(one.translations, other.translations)


def test_a_walk_is_performed_by_name_by_file_and_itself(tmp_path):
    file = tmp_path / "stroll.toml"
    file.write_text('like = "walk"\nstrides = 2\n')
    stroll = replace(movement("walk"), strides=2)
    by_file, itself = (perform(source, Effort(weight=1.0)) for source in (file, stroll))
    assert same(by_file, itself)
    assert same(perform("walk"), motion("walk"))
    assert phrase_of(file).gait.strides == 2


@pytest.mark.parametrize(
    "layers", [(), (Words({"tired": 1.0}),), (Effort(time=1.0).over(start=1.0), Shape(vertical=1.0))]
)
def test_a_score_of_a_walk_is_streamed_as_it_is_rendered(layers):
    score = Score("walk", layers, character="mo", behaviours=(Breath(depth=1.5),), rate=30.0)
    made = render(score)
    poses = list(stream(score))
    assert len(poses) == len(made)
    assert np.array_equal(np.stack([pose.rotations for pose in poses]), made.rotations)
    assert made.skeleton is mo().skeleton


def test_a_walk_written_out_in_a_score_comes_back(tmp_path):
    stroll = replace(movement("walk"), strides=2, name="stroll")
    score = Score(stroll, (Words({"shy": 1.0}),))
    back = from_json(to_json(score))
    assert isinstance(back.source, Gait)
    assert same(render(back), render(score))
    save_score(score, tmp_path / "stroll.json")
    assert same(render(load_score(tmp_path / "stroll.json")), render(score))


def test_a_walk_is_a_document():
    plain = to_plain(movement("walk"))
    made = read_document(Gait, plain, "walk")
    assert to_plain(made) == plain
    with pytest.raises(MotionFileError, match="0 < flat < leaves < 1"):
        read_document(Gait, plain | {"flat": 0.9}, "walk")
    with pytest.raises(MotionFileError, match=r"foot.lift"):
        read_document(Gait, plain | {"foot": {"lift": [[0.0, 0.0], [1.2, 0.0]]}}, "walk")


def test_motion_edits_come_after_effort_in_the_walks_own_time():
    plain, slow = (render(Score("walk", layers)) for layers in ((), (Effort(time=-1.0),)))
    late = Equalize(preset="exaggerate").over(start=3.5)
    for edits, before in (((), plain), ((Effort(time=-1.0),), slow)):
        made = render(Score("walk", (*edits, late)))
        share = round(0.7 * len(before))  # of 4.27 s, before the edit begins
        assert made.positions_world()[:share, 0] == pytest.approx(before.positions_world()[:share, 0], abs=2e-3)


def test_loops_take_no_ranges():
    with pytest.raises(ValueError, match="walk in place goes round"):
        perform("walk in place", Effort(weight=1.0), start=0.5)


def test_arms_of_a_walk_are_asked_without_a_warning(recwarn):
    perform("walk", parts={"right_arm": Effort(flow=-1.0)})
    assert not recwarn.list


def test_the_command_performs_a_walk(tmp_path):
    out = tmp_path / "tired.npz"
    done = CliRunner().invoke(app, ["perform", "walk", "--words", "tired", "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert load(out).duration > 1.3 * motion("walk").duration
    listed = CliRunner().invoke(app, ["motions"])
    assert "kinesphere perform walk --words tired" in listed.output
