"""Rigs of many dialects are read as the person in them: its unit, its vertical axis, what position channels mean."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from bvh_dialects import NAMELESS, NAMES, UNLIKE, Dialect, body_positions, bvh_text, lie, walk

from kinesphere import MotionFileWarning, load
from kinesphere.body.require_roles import require_motion_roles

WALK, TURNING = walk(), walk(speed=0.8, turn=60.0)


@pytest.fixture
def read(tmp_path):
    """Read a performance in a dialect: how far its places are off, its source, and what was warned of."""

    def run(performance, dialect, **options):
        file = tmp_path / "take.bvh"
        file.write_text(bvh_text(performance, dialect), encoding="utf-8")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            motion = load(file, **options)
        off = np.abs(body_positions(motion.positions_world(), dialect) - performance.positions).max()
        return off, motion.source, [str(entry.message) for entry in caught]

    return run


ABOVE = ((), ("joint_Root",), ("Reference", "Root"))


@pytest.mark.parametrize("above", ABOVE, ids=len)
@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("rest", ["x", "-x", "y", "z", "-y", "-z", "bones"])
def test_a_body_on_its_feet_decides_which_axis_is_up(read, rest, up, above):
    """Whatever the rest pose, also under static joints on the floor, which are no hips."""
    for performance, order in ((WALK, "ZXY"), (TURNING, "XYZ"), (WALK.moved(4.0, -3.0), "YXZ")):
        off, source, warned = read(performance, Dialect(rest=rest, up=up, above=above, order=order))
        assert off < 1e-3
        assert source.up == up
        assert bool(warned) == (rest != up), "where rest and motion disagree, it is said; else nothing is"
        assert all("--up" in text and f"{up.upper()} is taken to be up" in text for text in warned)
        assert [text.partition(": ")[2] for text in warned] == list(source.warnings)


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("rest", ["x", "-x", "z", "bones"])
@pytest.mark.parametrize("names", [UNLIKE, tuple(f"{name}_jnt" for name in NAMES)], ids=["unlike", "suffixed"])
def test_names_in_another_language_change_nothing(read, names, rest, up):
    off, source, _ = read(WALK, Dialect(rest=rest, up=up, above=("wurzel",), names=names))
    assert off < 1e-3
    assert source.up == up


@pytest.mark.parametrize("order", ["ZXY", "XYZ"])
@pytest.mark.parametrize("raised", [0.49, 0.06, -0.04])
def test_a_floor_that_is_not_at_zero_leaves_the_axis(read, raised, order):
    off, source, _ = read(WALK.raised(raised), Dialect(rest="x", above=("Root",), order=order))
    assert off < 1e-3
    assert source.up == "y"


@pytest.mark.parametrize("above", ABOVE, ids=len)
@pytest.mark.parametrize(
    ("towards", "up", "rest"), [("z", "y", "y"), ("x", "y", "y"), ("z", "z", "z"), ("x", "z", "z")]
)
def test_a_body_that_lies_is_not_stood_up(read, towards, up, rest, above):
    """Where the rest pose stands, also if the hips happen to be a leg's length from zero along the body."""
    off, source, warned = read(lie(towards=towards), Dialect(rest=rest, up=up, above=above))
    assert off < 1e-3
    assert source.up == up
    assert not warned


@pytest.mark.parametrize("above", ABOVE, ids=len)
@pytest.mark.parametrize("up", ["y", "z"])
def test_a_body_that_lies_at_rest_and_in_the_motion_lies_on_the_floor(read, up, above):
    """Along X nothing stands: files are Y- or Z-up."""
    off, source, _ = read(lie(place=(0.3, 0.2), towards="x"), Dialect(rest="x", up=up, above=above))
    assert off < 1e-3
    assert source.up == up


def test_without_any_positions_the_usual_axis_is_taken(read):
    performance = replace(WALK, positions=WALK.positions - WALK.positions[:, :1])
    off, source, warned = read(performance, Dialect(rest="x", above=("Root",)))
    assert off < 1e-3
    assert source.up == "y"
    assert warned


# Position channels

PLACES = ((3.5, 0.95, 2.0), (-2.0, 0.95, 4.0), (0.0, 0.95, 0.0), (-0.11, 0.91, 0.33), (0.02, 1.4, -6.0))


@pytest.mark.parametrize("above", ABOVE, ids=len)
@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("how", ["replace", "add"])
@pytest.mark.parametrize("place", PLACES)
def test_the_floor_tells_what_position_channels_of_the_hips_do(read, place, how, up, above):
    """Hips that set out from near zero, with an OFFSET metres away, and the other way round."""
    offset = place if up == "y" else (place[0], -place[2], place[1])
    for performance in (WALK, walk(speed=0.2, start=(0.3, 0.1)), WALK.moved(*np.array(place)[[0, 2]])):
        dialect = Dialect(rest="x" if above else "y", up=up, above=above, positions=how, hips_offset=offset)
        off, source, _ = read(performance, dialect)
        assert off < 1e-3
        assert any("added to OFFSET" in sentence for sentence in source.evidence) == (how == "add")


@pytest.mark.parametrize("place", [(0.95, 0.0, 0.0), (5.0, 0.0, -3.0)])
@pytest.mark.parametrize("rest", ["x", "y"])
def test_where_the_floor_does_not_tell_positions_replace(read, rest, place):
    """An OFFSET along the floor: the body stands either way."""
    off, _, _ = read(WALK, Dialect(rest=rest, above=("Root",), hips_offset=place))
    assert off < 1e-3


@pytest.mark.parametrize("how", ["replace", "add"])
@pytest.mark.parametrize("rest", ["y", "x", "bones"])
@pytest.mark.parametrize("names", [NAMES, NAMELESS["numbered"]], ids=["named", "nameless"])
def test_bones_keep_their_lengths_in_all_frames(read, names, rest, how):
    """Every joint with position channels, the hips with an OFFSET of their own."""
    dialect = Dialect(rest=rest, all_positions=how, hips_offset=(1.0, 0.95, 2.0), names=names)
    assert read(WALK, dialect)[0] < 1e-3
    wrong = "add" if how == "replace" else "replace"
    assert read(WALK, dialect, positions=wrong)[0] > 0.1, "an option overrides what was found"


# Nameless joints

UNITS = {
    "metres": 1.0,
    "decimetres": 10.0,
    "inches": 39.3701,
    "centimetres": 100.0,
    "millimetres": 1000.0,
    "CMU": 17.7165,
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(("up", "rest"), [("y", "y"), ("z", "z"), ("z", "y"), ("y", "x"), ("z", "bones")])
@pytest.mark.parametrize("names", NAMELESS)
def test_the_shape_of_a_body_tells_unit_and_axis(read, names, up, rest, unit):
    above = ("0",) if rest in ("x", "bones") else ()
    dialect = Dialect(names=NAMELESS[names], unit=UNITS[unit], up=up, rest=rest, above=above)
    off, source, warned = read(WALK, dialect)
    assert off < 2e-3
    assert source.up == up
    assert bool(warned) == (rest != up or unit == "CMU"), "only what is doubtful is said"
    assert "shape of the body" in source.evidence[0]


def test_a_rig_without_names_or_shape_is_doubted(tmp_path):
    """A chain of many joints in some unit."""
    lines = ["HIERARCHY", "ROOT j0", "{", "OFFSET 0 0 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
    for i in range(1, 14):
        lines += [f"JOINT j{i}", "{", f"OFFSET {5 + i % 3} {i} 0", "CHANNELS 3 Xrotation Yrotation Zrotation"]
    lines += ["End Site", "{", "OFFSET 0 1 0", "}", *["}"] * 14, "MOTION", "Frames: 1", "Frame Time: 0.1"]
    file = tmp_path / "tentacle.bvh"
    file.write_text("\n".join([*lines, " ".join(["0"] * 42), ""]))
    with pytest.warns(MotionFileWarning, match=r"no person was found.*0\.01 m.*--scale"):
        load(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(file, scale=0.01)


@pytest.mark.parametrize("scale", [0.1, 4.0])
def test_a_person_of_no_size_of_people_is_doubted(read, scale):
    """Without a unit that makes a person of them."""
    _, source, warned = read(WALK, Dialect(unit=scale))
    assert source.scale == 1.0
    assert len(warned) == 1
    assert "--scale" in warned[0]


@pytest.mark.data
def test_ordinary_captures_are_read_without_a_word(data_dir):
    doubtful = set()
    for file in sorted(data_dir.glob("bvh/**/*.bvh")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            load(file)
        doubtful |= {file.name for entry in caught if "(--" in str(entry.message)}
    # Three of a size that no unit explains, and one whose rest pose lies along -X.
    assert doubtful == {"dab.bvh", "wave_hello.bvh", "zombie.bvh", "jesse_dance.bvh"}


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (3.5, 0.95, 2.0), (0.0, 0.95, 6.0)])
@pytest.mark.parametrize("rest", ["y", "x", "bones"])
@pytest.mark.parametrize("names", ["numbered", "Han"])
def test_where_a_body_stands_does_not_hide_its_shape(tmp_path, names, rest, place):
    """Hips far from a static root: the way to them is no bone."""
    file = tmp_path / "take.bvh"
    dialect = Dialect(names=NAMELESS[names], rest=rest, above=("0",), hips_offset=place)
    file.write_text(bvh_text(WALK, dialect), encoding="utf-8")
    found = require_motion_roles(load(file)).skeleton.roles
    roles = {
        "hips": "Hips",
        "head": "Head",
        "leftFoot": "LeftFoot",
        "rightHand": "RightHand",
        "leftLowerArm": "LeftForeArm",
    }
    assert {role: found[role] for role in roles} == {role: 1 + NAMES.index(name) for role, name in roles.items()}
