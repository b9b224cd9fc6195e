"""Edits on skeletons whose rest pose is no body's: as on the figure, continuous in their strength, without pops."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kinesphere import Displace, Equalize, Motion, Smooth, Timewarp, Waveshape
from kinesphere.builtin import motion
from kinesphere.motion.edit import MotionEdit
from kinesphere.motion.scope import Scope
from kinesphere.signals.pose_edits import Target, Turn
from rerig import add_static_root, turn_axes_anyhow
from rest_poses import REST_POSES

CLIPS = {
    "walk": motion("walk").resampled(30.0),
    "knock": motion("knock"),
    "bow": motion("bow").resampled(40.0),
}
EDITS: dict[str, MotionEdit] = {
    "hand": Displace([Target("rightHand", seconds=1.5, by=(0.05, 0.1, 0.1))]),
    "foot": Displace([Target("leftFoot", seconds=1.5, by=(0.03, 0.08, 0.05))]),
    "hips": Displace([Target("hips", seconds=1.5, by=(0.0, -0.08, 0.0))]),
    "head": Displace([Target("head", seconds=1.5, by=(0.04, -0.08, 0.04))]),
    "several": Displace(
        [Target("rightHand", seconds=1.2, by=(0.1, 0.2, 0.1)), Target("leftHand", seconds=1.8, by=(0.0, 0.1, 0.1))],
        width="all",
    ),
    "turn": Displace([Turn("rightLowerArm", (0.0, 0.4, 0.0), "world", seconds=1.5)]),
    "equalize": Equalize(preset="exaggerate"),
    "smooth": Smooth(1.0),
}
LIMB_ENDS = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))


def farthest(one: np.ndarray, other: np.ndarray) -> float:
    """Metres between two motions' joints, at most."""
    return float(np.linalg.norm(one - other, axis=-1).max())


def largest_step(places: np.ndarray) -> float:
    """Metres that any joint goes from frame to frame, at most."""
    return float(np.linalg.norm(np.diff(places, axis=0), axis=-1).max())


def bends(given: Motion, places: np.ndarray) -> np.ndarray:
    """``(T, 4, 3)`` the axes about which elbows and knees bend, as long as the sine of their flexion."""
    roles, found = given.skeleton.with_found_roles().roles, []
    for side in ("left", "right"):
        for parts in LIMB_ENDS:
            a, b, c = (places[:, roles[side + part]] for part in parts)
            bones = [
                (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True) for start, end in ((a, b), (b, c))
            ]
            found.append(np.cross(*bones))
    return np.stack(found, axis=1)


CASES = [(name, tuple(CLIPS)[i % len(CLIPS)]) for i, name in enumerate(REST_POSES)]


@cache
def on_figure(clip: str, what: str, strength: float = 1.0) -> np.ndarray:
    """Where joints are once a clip is edited on our figure."""
    return EDITS[what].apply(CLIPS[clip], Scope(strength=strength))[0].positions_world()


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_edits_are_as_on_the_figure(name: str, clip: str) -> None:
    """The same places within millimetres, no pops, and elbows and knees on the side on which they were."""
    given = CLIPS[clip]
    made, before = REST_POSES[name](given), given.positions_world()
    for what, edit in EDITS.items():
        expected, result = on_figure(clip, what), edit(made)
        found = result.positions_world()
        assert result.skeleton is made.skeleton
        loose = name == "twisted limbs" and clip != "walk"  # knees that hardly bend don't show how the rest twists them
        assert farthest(found, expected) < (0.02 if loose else 0.01), what
        assert largest_step(found) < max(largest_step(expected), largest_step(before)) + 0.003, what
        old, new = bends(given, before), bends(given, found)
        shown = np.minimum(np.linalg.norm(old, axis=-1), np.linalg.norm(new, axis=-1)) > 0.3
        assert (np.sum(old * new, axis=-1)[shown] > 0.0).all(), what


@pytest.mark.parametrize("name", ["along Y", "along -Z", "axes dropped", "sitting", "at the origin, other axes"])
def test_edits_are_the_same_where_the_body_is_found_in_the_frames(name: str) -> None:
    """To rounding: rest pose and axes have no say."""
    clip = CLIPS["walk"]
    edits = [EDITS[what] for what in ("hand", "foot", "several", "equalize")]
    for edit in (*edits, Waveshape("limits", by="joint"), Waveshape("soft cap", by="joint")):
        first, other = (edit(REST_POSES[one](clip)).positions_world() for one in ("knees backward", name))
        assert farthest(other, first) < 1e-6, edit


@pytest.mark.parametrize("name", ["along X", "lying on the side", "at the origin"])
def test_hips_below_a_static_root(name: str) -> None:
    """Joint 0 stands on the floor, and hips are joint 1."""
    made = REST_POSES[name](add_static_root(CLIPS["walk"]))
    for what in ("hand", "foot", "hips", "equalize"):
        after = EDITS[what](made).positions_world()[:, 1:]
        assert farthest(after, on_figure("walk", what)) < 0.01, what


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_an_edit_that_does_little_changes_little(name: str, clip: str) -> None:
    """At twice a small strength it does about twice as much, or less: a knee that is straight √2 as much."""
    made, before = REST_POSES[name](CLIPS[clip]), CLIPS[clip].positions_world()
    for what, edit in EDITS.items():
        once, twice = (edit.apply(made, Scope(strength=strength))[0].positions_world() for strength in (0.01, 0.02))
        little, more = farthest(once, before), farthest(twice, before)
        assert more < 2.6 * little + 1e-4, what
        assert farthest(twice, once) < 1.6 * little + 1e-4, what
        assert more < 1.5 * farthest(on_figure(clip, what, 0.02), before) + 0.005, what


@pytest.mark.parametrize(("clip", "seed"), [("knock", 14), ("knock", 16), ("knock", 20), ("wave", 12), ("wave", 14)])
def test_dropped_axes_do_not_jump(clip: str, seed: int) -> None:
    """Bones that point anywhere at rest: at a strength of 0.01 these jumped by up to 40 cm."""
    given = motion(clip)
    made, before = turn_axes_anyhow(given, seed, plain=True), given.positions_world()
    for edit in (Equalize(preset="exaggerate"), Waveshape("grand"), Waveshape("undulation")):
        slight = edit.apply(made, Scope(strength=0.01))[0].positions_world()
        assert farthest(slight, before) < 0.02


@pytest.mark.parametrize("name", ["along X", "at the origin", "lying on the back", "sitting"])
def test_neutral_edits_and_frames_outside_keep_their_bits(name: str) -> None:
    made = REST_POSES[name](CLIPS["knock"])
    for edit in (Equalize(), Displace(), Waveshape("grand", amount=0.0), Timewarp()):
        assert edit(made) is made
    after = Equalize(preset="exaggerate").over(start=1.0, end=2.0, fade=0.2)(made)
    outside = (made.times <= 1.0) | (made.times >= 2.0)
    assert np.array_equal(after.rotations[outside], made.rotations[outside])
    assert np.array_equal(after.translations[outside], made.translations[outside])
    marked = replace(made, calibration_frames=(0, 1))
    assert np.array_equal(Equalize(preset="exaggerate")(marked).rotations[:2], made.rotations[:2])
