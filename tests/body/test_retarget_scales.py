"""A stretch of the surface goes along to another body."""

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import retarget
from kinesphere.builtin import figure, mo, motion


def stretched(name, joint, factors):
    made = motion(name)
    scales = np.ones((len(made), len(made.skeleton), 3))
    scales[:, made.skeleton.index(joint)] = factors
    return replace(made, scales=scales)


@pytest.mark.parametrize("joint", ["chest", "upperChest", "leftUpperArm", "head"])
def test_a_stretch_reaches_mo_in_the_same_direction(joint):
    made = retarget(stretched("bow", joint, (1.1, 1.2, 0.8)), mo())
    assert made.scales[:, mo().skeleton.roles[joint]] == pytest.approx(
        np.tile((1.1, 1.2, 0.8), (len(made), 1)), abs=0.03
    )
    also = ("head",) if joint in ("chest", "upperChest") else ()  # his head is his trunk
    shown = {mo().skeleton.roles[name] for name in (joint, *also)}
    others = [j for j in range(len(mo().skeleton)) if j not in shown]
    assert np.all(made.scales[:, others] == 1.0)


def test_without_scales_there_are_none():
    assert retarget(motion("bow"), mo()).scales is None


def test_breath_is_seen_on_mo_and_on_a_stouter_figure():
    idle = motion("idle")
    for body in (mo(), figure(build=1.0, height=1.9)):
        made = retarget(idle, body)
        surface = body.skinned(made)[0]
        still = body.skinned(replace(made, scales=None))[0]
        assert np.linalg.norm(surface - still, axis=-1).max() > 0.004
