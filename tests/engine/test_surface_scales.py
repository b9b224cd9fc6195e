"""Squash, stretch and breath keep volume, and nothing is scaled where nothing is asked."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.arms import ArmPose
from kinesphere.engine.batch import Batch
from kinesphere.engine.overlays import body_stretch, breath_squash, upper_arm_width
from kinesphere.engine.pose import BatchPose
from kinesphere.engine.surface_scales import (
    PRESSES,
    STRETCHES,
    SWELLS,
    add_breath,
    scale_surface,
)
from kinesphere.maths import rotations

FRAMES = 21
SHARE = np.linspace(0.0, 1.0, FRAMES)


def arm(**given):
    """An arm in the middle of a stroke, its hand at shoulder height unless said."""
    flourishes = {"squash": 0.0, "breath": 0.0, "limb_volume": 0.0} | given.pop("flourishes", {})
    rows = {
        "upper": rotations.identity(FRAMES),
        "flexion": np.full(FRAMES, 1.0),
        "wrist": np.tile([0.2, 0.0, 0.3], (FRAMES, 1)),
        "relaxed": np.zeros(FRAMES),
        "flourish_weight": np.ones(FRAMES),
        "time_share": SHARE,
        "flourishes": {name: np.asarray(value) for name, value in flourishes.items()},
    } | given
    return {entry.name: rows.get(entry.name, np.ones(FRAMES)) for entry in fields(ArmPose)}


def scaled(left, right):
    pose = BatchPose.at_rest(Batch((FRAMES,), (False,)))
    shown = {
        name: np.concatenate([np.broadcast_to(one["flourishes"][name], FRAMES) for one in (left, right)])
        for name in left["flourishes"]
    }
    both = {name: np.concatenate([left[name], right[name]]) for name in left if name != "flourishes"}
    scale_surface(pose, ArmPose(**both, flourishes=shown), np.zeros(FRAMES), np.zeros(FRAMES))
    return pose


def torso(pose):
    return pose.scales[:, [pose.skeleton.index(name) for name in STRETCHES]]


@given(seeds, st.floats(-0.5, 0.5), st.floats(0.0, 0.5))
def test_squash_and_stretch_keep_volume_whatever_the_hands_do(seed, one, other):
    rng = np.random.default_rng(seed)
    places = rng.uniform(-0.5, 0.5, (2, FRAMES, 3))
    pose = scaled(arm(wrist=places[0], flourishes={"squash": one}), arm(wrist=places[1], flourishes={"squash": other}))
    if pose.scales is not None:
        assert np.prod(torso(pose), axis=-1) == pytest.approx(1.0, abs=1e-12)
        assert pose.scales[[0, -1]] == pytest.approx(1.0, abs=1e-12)  # closed at goals


def test_a_high_hand_makes_tall_and_a_low_one_makes_wide():
    still = arm()
    stretch = body_stretch(SHARE, 0.2)
    high, low = (arm(wrist=np.tile([0.1, y, 0.1], (FRAMES, 1)), flourishes={"squash": 0.2}) for y in (0.4, -0.4))
    tall, wide = scaled(high, still), scaled(still, low)
    chest = tall.skeleton.index("chest")
    assert tall.scales[:, chest, 1] == pytest.approx(stretch ** STRETCHES["chest"])
    assert tall.scales[:, chest, 0] == pytest.approx(stretch ** (-0.5 * STRETCHES["chest"]))
    assert tall.scales[:, chest, 2] == pytest.approx(stretch ** (-0.5 * STRETCHES["chest"]))
    assert wide.scales[:, chest, 0] == pytest.approx(stretch ** STRETCHES["chest"])
    assert wide.scales[:, chest, 1] == pytest.approx(stretch ** (-0.5 * STRETCHES["chest"]))


def test_pressed_breath_shortens_and_widens():
    """At full the trunk's middle is 0.857 as high and 1.08 as wide and deep; volume is kept everywhere."""
    pose = scaled(arm(), arm(flourishes={"breath": 1.0}))
    squash = breath_squash(SHARE, 1.0)
    for name, share in PRESSES.items():
        low, wide = squash**share, squash ** (-0.5 * share)
        assert pose.scales[:, pose.skeleton.index(name)] == pytest.approx(np.stack([wide, low, wide], axis=1))
    chest = pose.scales[:, pose.skeleton.index("chest")]
    assert chest[:, 1].min() == pytest.approx(6.0 / 7.0)
    assert chest[:, [0, 2]].max(axis=0) == pytest.approx(np.full(2, np.sqrt(7.0 / 6.0)))
    assert chest[:, 1].max() == chest[:, [0, 2]].min() == 1.0


def test_breath_and_squash_of_one_body_keep_volume_together():
    pose = scaled(arm(flourishes={"squash": 0.15}), arm(flourishes={"breath": 0.6}))
    assert np.prod(torso(pose), axis=-1) == pytest.approx(1.0, abs=1e-12)


def test_a_bent_upper_arm_swells_and_a_hanging_one_does_not():
    flexion = np.linspace(0.0, 2.0, FRAMES)
    shown = {"limb_volume": 0.25}
    pose = scaled(arm(flexion=flexion, flourishes=shown), arm(relaxed=np.ones(FRAMES), flourishes=shown))
    left, right = (pose.scales[:, pose.skeleton.index(f"{side}UpperArm")] for side in ("left", "right"))
    assert left[:, 2] == pytest.approx(upper_arm_width(flexion, 0.25) ** 1.25)
    assert right == pytest.approx(1.0)
    assert left[:, :2] == pytest.approx(1.0)


def test_what_is_not_asked_or_not_shown_is_not_scaled():
    assert scaled(arm(), arm()).scales is None
    hushed = arm(flourish_weight=np.zeros(FRAMES), flourishes={"squash": 0.2, "breath": 1.0})
    assert scaled(hushed, hushed).scales is None


def test_ribs_and_belly_swell_one_after_the_other():
    frames = 60
    breath = np.where(np.arange(frames) < 20, 0.0, 1.0)
    pose = BatchPose.at_rest(Batch((frames,), (False,)))
    add_breath(pose, np.full(frames, 0.5), breath)
    for name, (widths, lag) in SWELLS.items():
        late = 20.0 + 60.0 * lag
        full = np.interp(np.arange(frames), [late - 1.0, late], [0.0, 0.5])
        assert pose.scales[:, pose.skeleton.index(name)] == pytest.approx(1.0 + full[:, None] * np.array(widths))
    others = [i for i, name in enumerate(pose.skeleton.names) if name not in SWELLS]
    assert (pose.scales[:, others] == 1.0).all()
    still = BatchPose.at_rest(Batch((frames,), (False,)))
    add_breath(still, np.zeros(frames), breath)
    assert still.scales is None


def test_breath_and_stretch_multiply():
    both = arm(wrist=np.tile([0.1, 0.4, 0.1], (FRAMES, 1)), flourishes={"squash": 0.2})
    pose, alone = scaled(both, both), BatchPose.at_rest(Batch((FRAMES,), (False,)))
    add_breath(alone, np.ones(FRAMES), SHARE)
    breathing = BatchPose.at_rest(Batch((FRAMES,), (False,)))
    twice = {name: np.concatenate([value, value]) for name, value in both.items() if name != "flourishes"}
    shown = {name: np.full(2 * FRAMES, float(value)) for name, value in both["flourishes"].items()}
    scale_surface(breathing, ArmPose(**twice, flourishes=shown), np.ones(FRAMES), SHARE)
    assert torso(breathing) == pytest.approx(torso(pose) * torso(alone))
