"""``kinesphere displace``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import load
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.maths import rotations as R

run = CliRunner().invoke
WAVE = motion("wave")
ROLES = WAVE.skeleton.roles
UP = "rightHand@1.5 by 0,0.2,0"


def displaced(tmp_path: Path, *options: str) -> np.ndarray:
    """``(T, J, 3)`` how far joints are from where they were."""
    made = tmp_path / "made.bvh"
    done = run(app, ["displace", "wave", "-o", str(made), "--overwrite", *options])
    assert done.exit_code == 0, done.output
    assert "wrote" in done.output
    return load(made).positions_world() - WAVE.positions_world()


@pytest.mark.parametrize(
    "written", [UP, "rightHand@90f by 0,0.2,0", "rightHand @ f90 by (0, 0.2, 0)", "rightHand@1.5s by 0 .2 0"]
)
def test_a_hand_goes_up_at_that_moment(tmp_path: Path, written: str) -> None:
    way = displaced(tmp_path, "--target", written, "--width", "0.5")
    assert way[90, ROLES["rightHand"]] == pytest.approx((0.0, 0.2, 0.0), abs=1e-4)
    away = np.abs(np.arange(len(WAVE)) - 90) > 30
    assert np.abs(way[away]).max() < 1e-5  # what the file's digits leave


def test_somewhere_in_the_world_and_turned_by_degrees(tmp_path: Path) -> None:
    place = WAVE.positions_world()[90, ROLES["rightHand"]] + [0.0, 0.05, 0.05]
    target = f"rightHand@1.5 to {','.join(f'{number:.6f}' for number in place)} swivel 10 loose"
    way = displaced(tmp_path, "--target", target, "--turn", "head@1.5 by 0,20,0 world", "--from", "0.5", "--to", "2.5")
    assert way[90, ROLES["rightHand"]] == pytest.approx((0.0, 0.05, 0.05), abs=1e-4)
    assert np.abs(way[:30]).max() < 1e-5
    made = load(tmp_path / "made.bvh")
    turned = R.angle_between(made.rotations_world(), WAVE.rotations_world())[90, ROLES["head"]]
    assert np.degrees(turned) == pytest.approx(20.0, abs=0.01)


def test_feet_stay_or_go_along(tmp_path: Path) -> None:
    hips = ("--target", "hips@1.5 by 0,-0.1,0")
    held, free = displaced(tmp_path, *hips), displaced(tmp_path, *hips, "--free-feet")
    assert np.abs(held[:, ROLES["leftFoot"]]).max() < 1e-4
    assert free[90, ROLES["leftFoot"]] == pytest.approx((0.0, -0.1, 0.0), abs=1e-4)


def test_the_spline_has_its_dials(tmp_path: Path) -> None:
    edits = ("--target", "rightHand@1 by 0,0.1,0", "--target", "rightHand@2 by 0,0.02,0")
    plain = displaced(tmp_path, *edits, "--overshoot", "any")
    dialled = displaced(tmp_path, *edits, "--overshoot", "any", "--tension", "0.5", "--bias", "-1")
    assert np.abs(plain - dialled).max() > 1e-3


def test_out_of_reach_is_a_warning(tmp_path: Path) -> None:
    done = run(app, ["displace", "wave", "-o", str(tmp_path / "far.bvh"), "--target", "rightHand@1.5 by 0,3,0"])
    assert done.exit_code == 0
    assert "warning: " in done.output
    assert "short of its target" in done.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "nothing to displace: give --target 'rightHand@1.2 by 0,0.2,0'"),
        (["--target", "rightHand by 0,0.2,0"], "found no NAME@WHEN; write NAME@SECONDS by X,Y,Z or to X,Y,Z"),
        (["--target", "rightHand@1.2 up 0,0.2,0"], "found 'up'; write NAME@SECONDS by X,Y,Z or to X,Y,Z"),
        (["--target", "rightHand@1.2 by 0.2"], "found '0.2'; three numbers are expected"),
        (["--target", "rightHand@1.2 by 0,high,0"], "found 'high'; three numbers are expected"),
        (["--target", "rightHand@noon by 0,0.2,0"], "found 'noon'; seconds such as 1.2, or a frame such as 90f"),
        (["--target", f"{UP} quickly"], "found 'quickly'; swivel DEGREES, loose and plant are allowed"),
        (["--target", "rightHnd@1.2 by 0,0.2,0"], "did you mean 'rightHand'"),
        (["--target", "rightHand@99 by 0,0.2,0"], "the motion has frames 0 to 204"),
        (["--target", "rightHand@1.2 by 0,nan,0"], "finite numbers"),
        (["--turn", "head@1.2 to 0,20,0"], "found 'to'; write NAME@SECONDS by X,Y,Z, such as 'head@1.2 by 0,20,0'"),
        (["--turn", "head@1.2 by 0,20,0 body"], "found 'body'; parent, joint or world is allowed"),
        (["--turn", "haed@1.2 by 0,20,0"], "did you mean 'head'"),
        (["--target", UP, "--overshoot", "some"], "--overshoot 'some': found 'some'; a number or any"),
        (["--target", UP, "--width", "0"], "width is 0"),
        (["--target", UP, "--from", "2"], "the range is from 2"),
        (["--target", UP, "--joints", "tail"], "tail"),
    ],
)
def test_what_is_wrong_is_told_kindly(tmp_path: Path, options: list[str], said: str) -> None:
    out = tmp_path / "made.bvh"
    done = run(app, ["displace", "wave", "-o", str(out), *options])
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert said in done.output
    assert not out.exists()


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    out = tmp_path / "made.bvh"
    out.write_text("mine")
    done = run(app, ["displace", "wave", "-o", str(out), "--target", UP])
    assert done.exit_code == 2
    assert out.read_text() == "mine"


def test_a_preview_beside_it(tmp_path: Path) -> None:
    out = tmp_path / "made.bvh"
    done = run(app, ["displace", "wave", "-o", str(out), "--target", UP, "--preview"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "made_bvh_preview.png").exists()
