"""The ground that ``retarget`` brings to y = 0: one for all clips of a file, whatever the rest pose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kinesphere
from field_clips import ROOT, UP, Dialect, Rig, put_on_rig
from kinesphere.builtin import motion as builtin_motion
from kinesphere.cli.main import app
from kinesphere.maths import rotations
from kinesphere.motion.transform import move_motion

run = CliRunner().invoke


def _lying(motion: kinesphere.Motion) -> kinesphere.Motion:
    """The body on its back, a little above the ground."""
    laid = move_motion(motion, rotations.from_rotation_vector([-0.5 * np.pi, 0.0, 0.0]), [0.0, 0.0, 0.0])
    return move_motion(laid, [1.0, 0.0, 0.0, 0.0], [0.0, 0.15 - float(laid.positions_world()[..., 1].min()), 0.0])


@pytest.mark.parametrize("raised", [0.3, -0.2])
def test_all_clips_of_a_file_come_down_by_the_same_height(tmp_path: Path, raised: float) -> None:
    clips = {"walk": builtin_motion("walk"), "wave": builtin_motion("wave"), "lie": _lying(builtin_motion("idle"))}
    up = [
        replace(move_motion(clip, [1.0, 0.0, 0.0, 0.0], [0.0, raised, 0.0]), name=name) for name, clip in clips.items()
    ]
    kinesphere.save_clips(up, tmp_path / "clips.glb")
    done = run(app, ["retarget", str(tmp_path / "clips.glb"), "--onto", "figure", "-o", str(tmp_path / "out.glb")])
    assert done.exit_code == 0, done.output
    for name, clip in clips.items():
        made = kinesphere.load(tmp_path / "out.glb", clip=name)
        hips = made.positions_world()[:, made.skeleton.roles["hips"], 1]
        assert hips[0] == pytest.approx(clip.positions_world()[0, 0, 1], abs=0.02), name


@pytest.mark.parametrize("rest", ["along_x", "along_minus_x", "along_z", "t_pose"])
@pytest.mark.parametrize("gesture", ["wave", "walk"])
def test_the_ground_is_found_whatever_the_rest_pose(tmp_path: Path, rest: str, gesture: str) -> None:
    motion = builtin_motion(gesture)
    plain = kinesphere.find_ground(motion).height
    text, _ = put_on_rig(motion, Rig(Dialect(rest, above=ROOT, hips_offset=UP)))
    file = tmp_path / "clip.bvh"
    file.write_text(text)
    with pytest.warns(kinesphere.MotionFileWarning) if rest != "t_pose" else _silent():
        read = kinesphere.load(file)
    assert kinesphere.find_ground(read).height == pytest.approx(plain, abs=0.012)


def _silent():  # type: ignore[no-untyped-def]
    from contextlib import nullcontext

    return nullcontext()
