"""What a recorded walk does within its strides, wherever the clip is cut."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Effort, Express, body_of, generate, lift, load, perform
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.recorded_walk import climbs, go_on, stride_shape
from kinesphere.maths.vectors import norms
from recordings import on_stairs, place, record

STRIDE = 50


@pytest.mark.parametrize("count", [60, 77, 101, 130])
@pytest.mark.parametrize("pad", [7, 90])
def test_strides_go_on_beyond_both_ends(count, pad):
    frames = np.arange(-pad, count + pad)

    def walk(at):
        swing = np.sin(2.0 * np.pi * at / STRIDE)
        return np.stack([0.3 * swing, 0.02 * at + 0.1 * swing, np.full(len(at), 2.0)], axis=1)

    np.testing.assert_allclose(go_on(walk(np.arange(count)), STRIDE, pad), walk(frames), atol=1e-9)


@pytest.mark.parametrize("first", [0, 9, 17, 25])
@pytest.mark.parametrize("last", [0, 7, 14, 21])
def test_an_arm_swings_about_the_same_mean_wherever_a_walk_is_cut(first, last):
    whole = record("walk", life=0.0)
    cut = whole[first : len(whole) - last]
    one, other = (stride_shape(lift(own).detail) for own in (whole, cut))
    for side in ("left", "right"):
        kept = one.wrists[side][first : len(whole) - last]
        assert norms(kept - other.wrists[side]).max() < 0.1, side  # arm lengths; it swings by some 0.5


@pytest.mark.parametrize("word", ["afraid", "shy", "joyful"])
def test_elbows_of_walks_stay_below_their_shoulders(word):
    motion = record("walk", life=0.0)
    roles = body_of(motion).roles
    made = generate(Express(words=word)(lift(motion)), motion.rate).positions_world()
    for side in ("left", "right"):
        above = made[:, roles[f"{side}LowerArm"], 1] - made[:, roles[f"{side}UpperArm"], 1]
        assert above.max() < 0.0, side


@pytest.mark.parametrize("rise", [0.18, -0.18])
@pytest.mark.parametrize("word", ["afraid", "sneakily", "tired"])
def test_who_climbs_steps_on_the_treads(word, rise):
    walk = record("walk")
    length = body_of(walk).lengths["leftLeg"]
    assert _farthest_off(on_stairs(walk, rise), word) < 0.03 * length
    assert _farthest_off(walk, word) > 0.3 * length  # on level ground strides are shorter, and bring it less far


def _farthest_off(motion, word):
    """Metres over the ground that a foot in the middle of a stance is from where it was recorded."""
    phrase = Express(words=word)(lift(motion))
    clock, made = performed_clock(phrase, motion.rate), generate(phrase, motion.rate)
    off = []
    for stance in lift(record("walk")).detail.steps.stances:  # stairs have the same ones
        middle = (stance.first + stance.last) // 2
        frame = min(round(float(clock.to_output(middle / motion.rate)) * made.rate), len(made) - 1)
        foot = f"{stance.side}Foot"
        off.append(norms((place(made, foot)[frame] - place(motion, foot)[middle]) * [1.0, 0.0, 1.0]))
    return max(off)


@pytest.mark.parametrize(("rise", "found"), [(0.15, True), (-0.15, True), (0.03, False), (0.0, False)])
@pytest.mark.parametrize("rate", [24.0, 60.0, 119.88])
def test_stairs_are_no_slope(rise, found, rate):
    assert climbs(lift(on_stairs(record("walk", rate=rate), rise)).detail) == found


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu/07_01", "cmu/12_01", "cmu/141_25"])
def test_light_walkers_are_higher_and_on_their_toes(data_dir, name):
    motion = load(data_dir / "bvh" / f"{name}.bvh").between(0.0, 4.0)

    def high(made, role):
        poses = RecordedPoses.on(lift(motion).detail.poses.body, made)
        return float(poses.position(role)[:, 1].mean() / poses.leg_length)

    levels = [
        high(perform(motion, Effort(weight=level)) if level else motion, "head") for level in (1, 0.5, 0, -0.5, -1)
    ]
    assert (np.diff(levels) > 0.0).all(), levels
    light = perform(motion, Effort(weight=-1.0))
    assert min(high(light, f"{side}Foot") - high(motion, f"{side}Foot") for side in ("left", "right")) > 0.01


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu/07_01", "cmu/141_25"])
def test_who_walks_slowly_takes_no_longer_strides(data_dir, name):
    motion = load(data_dir / "bvh" / f"{name}.bvh").between(0.0, 4.0)

    def goes(made):
        path = made.world()[1][:, made.skeleton.roles["hips"]]
        return float(norms((path[-1] - path[0]) * [1.0, 0.0, 1.0]))

    slow = perform(motion, words="slowly")
    assert slow.duration > 1.2 * motion.duration
    assert 0.9 * goes(motion) < goes(slow) < 1.02 * goes(motion)
