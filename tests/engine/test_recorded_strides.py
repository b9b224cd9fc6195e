"""What a recorded walk does within its strides, wherever the clip is cut."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Express, body_of, generate, lift
from kinesphere.engine.recorded_walk import go_on, stride_shape
from kinesphere.maths.vectors import norms
from recordings import record

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
