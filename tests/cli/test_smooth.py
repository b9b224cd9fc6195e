"""``kinesphere smooth``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import Motion, load, save
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.maths import rotations as R

run = CliRunner().invoke
PUNCH = motion("punch")


def off(one: Motion, other: Motion) -> float:
    return float(np.sqrt(np.mean(R.angle_between(one.rotations, other.rotations) ** 2)))


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    noise = np.radians(2.0) * np.random.default_rng(0).normal(size=(*PUNCH.rotations.shape[:2], 3))
    turns = R.continuous(R.multiply(PUNCH.rotations, R.from_rotation_vector(noise)))
    save(replace(PUNCH, rotations=turns), tmp_path / "noisy.bvh")
    return tmp_path / "noisy.bvh"


def smoothed(source: Path, *options: str) -> Motion:
    out = source.with_name("out.bvh")
    done = run(app, ["smooth", str(source), "-o", str(out), "--overwrite", *options])
    assert done.exit_code == 0, done.output
    return load(out)


def test_jitter_goes_by_as_much_as_is_said(noisy: Path) -> None:
    given = load(noisy)
    left = [off(smoothed(noisy, "--strength", share), PUNCH) for share in ("0", "0.5", "1")]
    assert left[0] == pytest.approx(off(given, PUNCH), rel=1e-4)
    assert left[1] < 0.6 * left[0]
    assert left[2] < 0.25 * left[0]
    assert off(smoothed(noisy), PUNCH) == pytest.approx(left[2])


def test_only_a_stretch_and_some_joints(noisy: Path) -> None:
    given, made = load(noisy), smoothed(noisy, "--joints", "right_arm,head", "--from", "1", "--to", "2", "--free-feet")
    changed = R.angle_between(given.rotations, made.rotations) > 1e-4
    assert not changed[given.times < 1.0].any()
    assert not changed[given.times > 2.0].any()
    names = {given.skeleton.names[joint] for joint in np.flatnonzero(changed.any(axis=0))}
    assert "rightLowerArm" in names
    assert "head" in names
    assert all(name in ("head", "neck", "jaw") or name.startswith("right") or "Eye" in name for name in names)


def test_missing_frames_are_found_and_told(tmp_path: Path) -> None:
    turns, places = PUNCH.rotations.copy(), PUNCH.translations.copy()
    turns[80:90], places[80:90] = R.identity(), 0.0
    save(replace(PUNCH, rotations=turns, translations=places), tmp_path / "lost.bvh")
    out = tmp_path / "out.bvh"
    options = ["smooth", str(tmp_path / "lost.bvh"), "-o", str(out), "--amount", "0", "--free-feet"]
    done = run(app, [*options, "--gaps", "find"])
    assert done.exit_code == 0, done.output
    assert "are lost in frames 80 to 89" in done.output
    found = load(out)
    assert np.degrees(R.angle_between(found.rotations, PUNCH.rotations)[80:90].mean()) < 2.0
    done = run(app, [*options, "--gaps", "80-88, 89", "--overwrite"])
    assert done.exit_code == 0, done.output
    np.testing.assert_allclose(load(out).rotations, found.rotations, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--strength", "2"], "0 to 1 is allowed"),
        (["--noise", "-1"], "0 to 20 is allowed"),
        (["--gaps", "all"], "none, find, or frames such as 12,40-52"),
        (["--gaps", "3-"], "found '3-'"),
        (["--gaps", "9-3"], "no gap"),
        (["--gaps", "9999"], "the motion has frames 0 to 204"),
        (["--joints", "right_amr"], "did you mean"),
        (["--from", "9", "--to", "10"], "lasts"),
    ],
)
def test_what_makes_no_sense_is_refused_kindly(tmp_path: Path, options: list[str], said: str) -> None:
    done = run(app, ["smooth", "punch", "-o", str(tmp_path / "out.bvh"), *options])
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "out.bvh").exists()
