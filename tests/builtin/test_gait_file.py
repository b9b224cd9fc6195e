"""Walks as text: what is refused, by name."""

from __future__ import annotations

import pytest

from kinesphere.builtin.library import FOLDER
from kinesphere.engine import generate, phrase_of
from kinesphere.files.gait_toml import gait_from_table
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.toml_text import read_table

WALK = (FOLDER / "walk.toml").read_text(encoding="utf-8")


def read(tmp_path, text: str):
    path = tmp_path / "stroll.toml"
    path.write_text(text, encoding="utf-8")
    return gait_from_table(read_table(path, "a walk"), path, "stroll")


def test_a_walk_can_be_changed_in_its_file(tmp_path):
    gait = read(tmp_path, WALK.replace("strides = 4", "strides = 2"))
    made = generate(phrase_of(gait))
    assert made.name == "stroll"
    assert made.positions_world()[-1, 0, 2] - made.positions_world()[0, 0, 2] == pytest.approx(2 * gait.stride)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("period = 1.0667", "period = 0"), "period: found 0; expected 0.3 to 5"),
        (("period = 1.0667", ""), "period: found nothing"),
        (("strides = 4", "strides = 1e5"), "strides"),
        (("flat = 0.085", "flat = 0.9"), "0 < flat < leaves < 1"),
        (("[0, -21]", "[0.5, -21]"), r"foot.pitch\[1\]: found 0.04 after 0.5; expected times that increase"),
        (("[0.995, 0.002]", "[1.0, 0.002]"), r"foot.lift\[7\]: found 1; expected phases .* below 1"),
        (("swing =", "swings ="), "arm.swings.*did you mean 'swing'"),
        (("[head]", "[heads]"), "heads"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(tmp_path, change, said):
    assert change[0] in WALK
    with pytest.raises(MotionFileError, match=said):
        read(tmp_path, WALK.replace(*change, 1))
