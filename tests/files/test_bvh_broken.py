"""Broken BVH: an error that says where, what and what instead; or what can be recovered, and what was not."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from bvh_text import SIMPLE

from kinesphere import MotionFileError, MotionFileWarning, load

DEEP = "HIERARCHY\n" + "".join(f"{'JOINT' if i else 'ROOT'} j{i}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for i in range(5000))

BROKEN = {
    # name: (text, line, found, expected)
    "nan": (SIMPLE.replace("1.1 0.9", "1.1 NaN"), 20, "'NaN'", "a finite number"),
    "infinity": (SIMPLE.replace("1.1 0.9", "1.1 -inf"), 20, "'-inf'", "a finite number"),
    "overflow": (SIMPLE.replace("1.1 0.9", "1.1 1e999"), 20, "'1e999'", "a finite number"),
    "word in a row": (SIMPLE.replace("1.1 0.9", "1.1 oops"), 20, "'oops'", "a finite number"),
    "comma decimals": (SIMPLE.replace("1.1 0.9", "1,1 0.9"), 20, "'1,1'", "a finite number"),
    "short row": (SIMPLE.replace("1.1 0.9", "1.1"), 20, "a row of 8 values", "9 for every frame"),
    "long row": (SIMPLE.replace("1.1 0.9", "1.1 0.9 7"), 20, "a row of 10 values", "9 for every frame"),
    "truncated": (SIMPLE[:-9], 21, "cut off where the file ends", "9 for every frame"),
    "no rows": (
        SIMPLE[: SIMPLE.index("1.0 0.9")],
        18,
        "no rows where 3 frames were declared",
        "at least one row",
    ),
    "zero frame time": (SIMPLE.replace("0.04", "0"), 18, "a frame time of '0'", "a positive number"),
    "negative frame time": (
        SIMPLE.replace("0.04", "-0.04"),
        18,
        "a frame time of '-0.04'",
        "a positive number",
    ),
    "nan frame time": (SIMPLE.replace("0.04", "nan"), 18, "a frame time of 'nan'", "a positive number"),
    "word for frames": (SIMPLE.replace("Frames: 3", "Frames: many"), 17, "a frame count of 'many'", "0 to"),
    "absurd frames": (SIMPLE.replace("Frames: 3", "Frames: 99999999999999"), 17, "99999999999999", "0 to"),
    "negative frames": (SIMPLE.replace("Frames: 3", "Frames: -3"), 17, "'-3'", "0 to"),
    "no frame time": (SIMPLE.replace("Frame Time: 0.04\n", ""), 18, "'1.0 0.9 0.0 0 0", "'Frame Time:' and seconds"),
    "unclosed brace": (
        SIMPLE.replace("}\nMOTION", "MOTION"),
        15,
        "'Hips' (line 2) still open",
        "1 more closing brace",
    ),
    "extra brace": (SIMPLE.replace("}\nMOTION", "}\n}\nMOTION"), 16, "'}'", "ROOT or MOTION"),
    "no brace": (SIMPLE.replace("Hips\n{", "Hips\n"), 4, "'OFFSET'", "{ after ROOT Hips"),
    "no offset": (
        SIMPLE.replace("\t\tOFFSET 0.0 0.5 0.0\n", ""),
        6,
        "'Chest' without an OFFSET",
        "OFFSET x y z",
    ),
    "bad offset": (
        SIMPLE.replace("OFFSET 0.0 0.5 0.0", "OFFSET 0.0 zero 0.0"),
        8,
        "'zero'",
        "a number after OFFSET",
    ),
    "two offsets": (
        SIMPLE.replace("OFFSET 0.0 0.5 0.0", "OFFSET 0 0 0 OFFSET 0 0 0"),
        8,
        "a second OFFSET",
        "one OFFSET",
    ),
    "absurd channels": (SIMPLE.replace("CHANNELS 3", "CHANNELS 3000000"), 9, "'3000000'", "0 to 6"),
    "too few channels": (
        SIMPLE.replace("CHANNELS 3", "CHANNELS 5"),
        9,
        "3 channel names after CHANNELS 5",
        "5 of them",
    ),
    "unknown channel": (SIMPLE.replace("3 Zrotation", "3 Wrotation"), 9, "0 channel names", "3 of them"),
    "position twice": (
        SIMPLE.replace("6 Xposition", "6 Yposition"),
        5,
        "position channels y y z",
        "one for each axis",
    ),
    "joint in an end site": (
        SIMPLE.replace("OFFSET 0.0 0.3 0.0", "JOINT x"),
        12,
        "a joint inside an End Site",
        "brace",
    ),
    "root in a joint": (SIMPLE.replace("JOINT Chest", "ROOT Chest"), 6, "ROOT inside a joint", "JOINT"),
    "no motion": (SIMPLE[: SIMPLE.index("MOTION")], 16, "no MOTION section", "MOTION"),
    "no hierarchy": ("ROOT Hips\n{\n}\nMOTION\n", 1, "'ROOT'", "HIERARCHY"),
    "no root": ("HIERARCHY\nMOTION\nFrames: 1\nFrame Time: 1\n", 2, "the end of the hierarchy", "ROOT"),
    "deep nesting": (
        DEEP + "}\n" * 5000 + "MOTION\nFrames: 1\nFrame Time: 1\n\n",
        1026,
        "nested more than 256 deep",
        "a skeleton",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_error_names_file_line_found_and_expected(tmp_path, name):
    text, line, found, expected = BROKEN[name]
    path = tmp_path / "broken.bvh"
    path.write_text(text)
    with pytest.raises(MotionFileError) as caught:
        load(path)
    error = caught.value
    assert error.line == line
    assert found in error.found
    assert expected in error.expected
    assert str(path) in str(error)
    assert f"line {line}" in str(error)


SALVAGED = {
    # name: (frames, what the warnings must say)
    "nan": (3, "line 20: a broken row was bridged"),
    "short row": (3, "line 20: a broken row was bridged"),
    "long row": (3, "line 20: a broken row was bridged"),
    "truncated": (2, "line 21: a broken row was dropped"),
    "zero frame time": (3, "30 frames a second were taken"),
    "negative frame time": (3, "30 frames a second were taken"),
    "absurd frames": (3, "was not used"),
    "unclosed brace": (3, "1 closing brace missing before line 15: added"),
    "no offset": (3, "has no OFFSET; zero was taken"),
    "too few channels": (3, "3 are listed; those were taken"),
    "no rows": (1, "the rest pose was taken"),
    "no frame time": (3, "30 frames a second were taken"),
}


@pytest.mark.parametrize("name", SALVAGED)
def test_salvage_recovers_what_can_be_and_says_what_was_dropped(tmp_path, name):
    frames, said = SALVAGED[name]
    path = tmp_path / "broken.bvh"
    path.write_text(BROKEN[name][0])
    with pytest.warns(MotionFileWarning) as caught:
        motion = load(path, salvage=True)
    assert len(motion) == frames
    assert any(said in sentence for sentence in motion.source.warnings)
    assert any(said in str(warning.message) for warning in caught)


def test_a_bridged_frame_lies_between_its_neighbours(tmp_path):
    path = tmp_path / "broken.bvh"
    path.write_text(BROKEN["nan"][0])
    with pytest.warns(MotionFileWarning, match="bridged"):
        motion = load(path, salvage=True)
    assert motion.positions_world()[1, 0].tolist() == pytest.approx([1.1, 0.9, 0.0])


@pytest.mark.parametrize(
    "data", [b"\x00" * 64, b"HIERARCHY\n\x00\x01\x02MOTION\n", bytes(range(256)) * 4, b"\xff\xfeHI"]
)
def test_what_is_not_text_is_refused(tmp_path, data):
    path = tmp_path / "noise.bvh"
    path.write_bytes(data)
    with pytest.raises(MotionFileError):
        load(path)


def test_missing_empty_and_unknown_files(tmp_path):
    with pytest.raises(MotionFileError, match="no such file"):
        load(tmp_path / "gone.bvh")
    (tmp_path / "empty.bvh").write_bytes(b"")
    with pytest.raises(MotionFileError, match="an empty file"):
        load(tmp_path / "empty.bvh")
    (tmp_path / "clip.xyz").write_bytes(b"hello")
    with pytest.raises(MotionFileError, match=r"'.xyz'; expected one of .bvh"):
        load(tmp_path / "clip.xyz")
    with pytest.raises(MotionFileError, match="a folder"):
        load(tmp_path)
    with pytest.raises(ValueError, match="scale=-1"):
        load(tmp_path / "clip.bvh", scale=-1)
    with pytest.raises(ValueError, match="up='w'"):
        load(tmp_path / "clip.bvh", up="w")


CHANNELLESS = re.sub(r"CHANNELS .*", "CHANNELS 0", SIMPLE).replace("Frames: 3", "Frames: 90000000")
# In a process of its own, whose memory nothing else has used.
PEAK_MEMORY = """
import contextlib, pathlib, sys, tracemalloc, warnings
import kinesphere
warnings.simplefilter("ignore")
small, *files = sys.argv[1:]
kinesphere.load(small)  # so that only the file is measured, not what is imported on the way
for file in files:
    tracemalloc.start()
    with contextlib.suppress(kinesphere.MotionFileError):
        kinesphere.load(file, salvage=True)
    print(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
"""


def test_declared_counts_do_not_cost_memory(tmp_path):
    texts = (SIMPLE, SIMPLE.replace("Frames: 3", "Frames: 99999999") + "# " * 50_000, CHANNELLESS + "# " * 50_000)
    paths = [tmp_path / f"{i}.bvh" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", PEAK_MEMORY, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
    )
    peaks = [int(line) for line in done.stdout.split()]
    assert len(peaks) == 2
    for peak, path in zip(peaks, paths[1:], strict=True):
        assert peak < 40 * path.stat().st_size


def test_a_million_joints_are_refused_quickly(tmp_path):
    path = tmp_path / "many.bvh"
    joint = "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n"
    path.write_text(
        "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n" + joint * 30_000 + "}\nMOTION\nFrames: 1\nFrame Time: 1\n"
    )
    with pytest.raises(MotionFileError, match="more than 20000 joints"):
        load(path)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("nan_values", 191, "nan"),
        ("short_row", 195, "a row of 91 values"),
        ("truncated_mid_number", 211, "cut off"),
        ("unclosed_brace", 184, "still open"),
        ("zero_frame_time", 187, "'0'"),
    ],
)
def test_real_files_broken_on_purpose(data_dir, name, line, found):
    path = data_dir / "bvh_odd/mutated" / f"{name}.bvh"
    with pytest.raises(MotionFileError, match=f"line {line}") as caught:
        load(path)
    assert found in caught.value.found
    whole = load(data_dir / "bvh/cmu/141_22.bvh")[:24]
    with pytest.warns(MotionFileWarning):
        saved = load(path, salvage=True)
    good = [
        f for f in range(len(saved)) if not (name == "nan_values" and f == 3) and not (name == "short_row" and f == 7)
    ]
    assert len(saved) >= 23
    assert np.abs(saved.positions_world()[good] - whole.positions_world()[good]).max() < 1e-9
