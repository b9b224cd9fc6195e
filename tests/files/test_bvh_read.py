"""BVH in every dialect: what is valid loads, and loads right."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from bvh_text import SIMPLE, random_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated import seeds
from kinesphere import MotionFileError, MotionFileWarning, clip_names, load

quiet = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes, name: str = "clip.bvh"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@given(seeds, st.integers(1, 12), st.integers(1, 5))
@quiet
def test_generated_trees_stand_where_matrices_say(written, seed, joints, frames):
    """0 to 6 channels a joint, any order, positions first or last, braces on either line."""
    text, truth = random_text(np.random.default_rng(seed), joints, frames)
    motion = load(written(text), scale=1.0, up="y", positions="replace")
    assert motion.skeleton.names == tuple(f"joint{j}" for j in truth["order"])
    assert np.abs(motion.positions_world() - truth["world"]).max() < 1e-6
    assert np.abs(motion.skeleton.offsets - truth["offsets"]).max() < 1e-12
    assert len(motion) == frames


VARIANTS = {
    "crlf": lambda t: t.replace("\n", "\r\n").encode(),
    "cr": lambda t: t.replace("\n", "\r").encode(),
    "bom": lambda t: b"\xef\xbb\xbf" + t.encode(),
    "bom and cr": lambda t: b"\xef\xbb\xbf" + t.replace("\n", "\r").encode(),
    "utf-16": lambda t: t.encode("utf-16"),
    "lowercase": lambda t: t.lower().replace("hips", "Hips").replace("chest", "Chest").encode(),
    "uppercase": lambda t: t.upper().replace("HIPS", "Hips").replace("CHEST", "Chest").encode(),
    "tabs": lambda t: t.replace("Frames: 3", "Frames:\t3").replace("Frame Time: ", "Frame Time:\t").encode(),
    "tabs in rows": lambda t: t.replace(" 0.9 0.0 ", "\t0.9\t0.0 \t ").encode(),
    "leading spaces": lambda t: t.replace("\n1.", "\n   1.").encode(),
    "trailing spaces": lambda t: t.replace("\n", "  \n").encode(),
    "blank lines": lambda t: t.replace("\n", "\n\n").encode(),
    "brace on the same line": lambda t: t.replace("Hips\n{", "Hips {").replace("Chest\n\t{", "Chest{").encode(),
    "wrapped rows": lambda t: t.replace(" 0.0 0", " 0.0\n0").replace(" 0 0\n", "\n0 0\n").encode(),
    "all rows on one line": lambda t: (
        "\n".join(t.split("\n")[:18]).encode() + b"\n" + " ".join(t.split("\n")[18:]).encode()
    ),
    "no newline at the end": lambda t: t.rstrip().encode(),
    "padded with nothing": lambda t: t.encode() + b"\x00\x00\x1a",
    "extra words after End Site": lambda t: t.replace("End Site", "End Site ChestEnd").encode(),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_dialect_of_one_clip_is_the_same_clip(written, variant):
    plain = load(written(SIMPLE))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # dialects load silently
        other = load(written(VARIANTS[variant](SIMPLE), "other.bvh"))
    assert other.skeleton.names == plain.skeleton.names
    assert other.rate == plain.rate == 25.0
    assert np.array_equal(other.positions_world(), plain.positions_world())
    assert other.skeleton.tips == plain.skeleton.tips


def test_turns_are_intrinsic_in_the_order_of_the_channels(written):
    motion = load(written(SIMPLE))
    chest = motion.positions_world()[:, 1]
    assert np.allclose(chest, [[1.0, 1.4, 0], [1.1, 1.4, 0], [0.7, 0.9, 0]])  # last: 90° about z lays it along -x


def test_names_survive_whatever_they_are(written):
    for name in ("mixamorig:Hips", "hüfte.L", "a b c", "名前", "x-1_2"):
        motion = load(written(SIMPLE.replace("ROOT Hips", f"ROOT {name}")))
        assert motion.skeleton.names[0] == name
    latin = load(written(SIMPLE.replace("Hips", "hüfte").encode("latin-1")))
    assert latin.skeleton.names[0] == "hüfte"


@pytest.mark.parametrize("frame_time", ["0.0083333", ".0083333", "0.0417083750417", "8.342e-3", "0.00834200", "1"])
def test_odd_rates_are_kept_as_given(written, frame_time):
    motion = load(written(SIMPLE.replace("0.04", frame_time)))
    assert motion.rate == 1.0 / float(frame_time)
    assert load(written(SIMPLE), rate=119.88).rate == 119.88


def offsets_and_positions(offset: str, y: str) -> str:
    """A chest with position channels of its own."""
    text = SIMPLE.replace("OFFSET 0.0 0.5 0.0", f"OFFSET {offset}")
    text = text.replace("CHANNELS 3 Z", "CHANNELS 6 Xposition Yposition Zposition Z")
    head, rows = text.split("0.04\n")
    return head + "0.04\n" + "\n".join(f"{' '.join(r.split()[:6])} 0 {y} 0 0 0 0" for r in rows.strip().split("\n"))


def test_positions_replace_or_add(written):
    path = written(offsets_and_positions("0 0.5 0", "0.6"))
    assert load(path, positions="replace").positions_world()[0, 1, 1] == pytest.approx(1.5)
    assert load(path, positions="add").positions_world()[0, 1, 1] == pytest.approx(2.0)
    assert load(path).positions_world()[0, 1, 1] == pytest.approx(1.5), "near OFFSET: they replace it"
    near_zero = load(written(offsets_and_positions("0 0.5 0", "0.01")))
    assert near_zero.positions_world()[0, 1, 1] == pytest.approx(1.41), "near zero: they are added"
    assert any("added" in sentence for sentence in near_zero.source.evidence)


def test_a_roots_offset_is_replaced_by_its_position_and_added_to_a_departure(written):
    replaced = load(written(SIMPLE.replace("OFFSET 0.0 0.0 0.0", "OFFSET 0 0.9 0")), scale=1.0)
    assert replaced.positions_world()[0, 0].tolist() == pytest.approx([1.0, 0.9, 0.0])
    departing = SIMPLE.replace("OFFSET 0.0 0.0 0.0", "OFFSET 0 0.9 0").replace(" 0.9 0.0 ", " 0.02 0.0 ")
    assert load(written(departing), scale=1.0).positions_world()[0, 0, 1] == pytest.approx(0.92)


def test_several_roots_and_joints_without_channels(written):
    text = SIMPLE.replace(
        "MOTION", "ROOT Prop\n{\n OFFSET 0 0 1\n CHANNELS 0\n End Site\n {\n OFFSET 0 0 0\n }\n}\nMOTION"
    )
    motion = load(written(text))
    assert motion.skeleton.roots == (0, 2)
    assert motion.positions_world()[:, 2].tolist() == [[0, 0, 1]] * 3


def test_a_wrong_frame_count_loads_the_rows_that_are_there(written):
    for declared in ("2", "500", "0"):
        with pytest.warns(MotionFileWarning, match=f"{declared} frames were declared, 3 are there"):
            motion = load(written(SIMPLE.replace("Frames: 3", f"Frames: {declared}")))
        assert len(motion) == 3
        assert motion.source.warnings


def test_a_bvh_has_one_clip_of_its_own_name(written):
    assert clip_names(written(SIMPLE, "wave.bvh")) == ("wave",)
    assert load(written(SIMPLE, "wave.bvh")).name == "wave"
    with pytest.raises(MotionFileError, match=r"no clip 'dance'.*'wave', the only one"):
        load(written(SIMPLE, "wave.bvh"), clip="dance")
    assert load(written(SIMPLE, "wave.bvh"), clip="wave").name == "wave"


def test_contents_decide_where_the_suffix_lies(written):
    assert len(load(written(SIMPLE, "motion.txt"))) == 3


MORE_DIALECTS = {
    "motion and frames on one line": lambda t: t.replace("MOTION\nFrames", "MOTION Frames"),
    "frames and time on one line": lambda t: t.replace("Frames: 3\nFrame", "Frames: 3 Frame"),
    "frame time in one word": lambda t: t.replace("Frame Time", "FrameTime"),
    "time before frames": lambda t: t.replace("Frames: 3\nFrame Time: 0.04", "Frame Time: 0.04\nFrames: 3"),
    "names on the next line": lambda t: t.replace("JOINT Chest", "JOINT\n\t\tChest"),
    "wrapped anywhere": lambda t: (
        t[: t.index("1.0 0.9")]
        + "\n".join(" ".join(t[t.index("1.0 0.9") :].split()[i : i + 4]) for i in range(0, 27, 4))
    ),
}


@pytest.mark.parametrize("variant", MORE_DIALECTS)
def test_looser_dialects_mean_the_same(written, variant):
    plain, other = load(written(SIMPLE)), load(written(MORE_DIALECTS[variant](SIMPLE), "other.bvh"))
    assert other.skeleton.names == plain.skeleton.names
    assert other.rate == plain.rate
    assert np.array_equal(other.positions_world(), plain.positions_world())


@pytest.mark.parametrize("name", ["Offset", "Channels", "Left Offset", "End", "Motion", "Joint"])
def test_keywords_may_be_names(written, name):
    assert load(written(SIMPLE.replace("JOINT Chest", f"JOINT {name}"))).skeleton.names[1] == name


def test_frames_in_which_nothing_can_move_are_still_frames(written):
    still = SIMPLE[: SIMPLE.index("1.0 0.9")].replace(
        " 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", " 0"
    )
    motion = load(written(still.replace(" 3 Zrotation Xrotation Yrotation", " 0")))
    assert len(motion) == 3


def test_rows_of_another_width_are_not_taken_for_more_or_fewer_frames(written):
    head, rows = SIMPLE.split("0.04\n")
    doubled = head + "0.04\n" + "\n".join(f"{row} {row}" for row in rows.strip().split("\n"))
    with pytest.raises(MotionFileError, match=r"whole frames|18 values"):
        load(written(doubled))
    thirds = head + "0.04\n" + "\n".join(" ".join(row.split()[:3]) for row in rows.strip().split("\n"))
    with pytest.raises(MotionFileError):
        load(written(thirds))


def test_a_body_that_lies_down_stays_down(written, tmp_path):
    """Also where the hips happen to be a leg's length from the origin, and from our own file."""
    import runpy

    from conftest import ROOT
    from kinesphere import Motion, save
    from kinesphere.maths import rotations

    motion = runpy.run_path(str(ROOT / "examples" / "greeting.py"))["greeting"]()
    q, t = motion.rotations[-1:].repeat(5, axis=0), motion.translations[-1:].repeat(5, axis=0)
    q[:, 0] = rotations.multiply(rotations.from_rotation_vector([np.pi / 2, 0, 0]), q[:, 0])
    t[:, 0] = [0.3, 0.12, 0.9]
    lying = Motion(motion.skeleton, 30.0, q, t)
    save(lying, tmp_path / "lying.bvh")
    again = load(tmp_path / "lying.bvh")
    assert again.source.up == "y"
    assert again.positions_world()[..., 1].max() < 0.4
