"""Measures of walks: what is known of ours is found, and captures in styles differ as their names say."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from kinesphere import body_of
from kinesphere.analysis.gait import MEASURES, measure_gait
from kinesphere.builtin import motion

LEG = body_of(motion("walk")).lengths["leftLeg"]


def test_what_is_known_of_our_walk_is_found():
    found = measure_gait(motion("walk"))
    assert set(found.values) == set(MEASURES)
    assert found["cadence"] == pytest.approx(60.0 / 64.0, rel=0.01)
    assert found["stride"] == pytest.approx(1.387 / LEG, rel=0.01)
    assert found["speed"] == pytest.approx(1.3 / LEG, rel=0.02)
    assert found["width"] == pytest.approx(2.0 * 0.052 / LEG, rel=0.1)
    assert found["arm_swing"] == pytest.approx(44.0, abs=3.0)
    assert 4 <= found.strides <= 8


def test_measures_are_those_of_any_size_rate_side_and_direction():
    plain = measure_gait(motion("walk"))
    others = {
        "rate": motion("walk").resampled(120.0),
        "side": motion("walk").mirrored(),
        "size": motion("walk", 2.04),
    }
    for what, made in others.items():
        for name, value in measure_gait(made).values.items():
            if what == "size" and name in ("cadence", "speed", "impact"):
                continue  # longer legs take longer
            assert value == pytest.approx(plain[name], rel=0.12, abs=2.0 if abs(plain[name]) > 0.5 else 0.02), name


def test_what_does_not_walk_is_refused():
    with pytest.raises(ValueError, match="wave has no stride"):
        measure_gait(motion("wave"))


@pytest.mark.data
def test_captures_in_styles_differ_as_they_are_called(data_dir):
    def measured(clip: str) -> kinesphere.analysis.gait.GaitMeasures:
        return measure_gait(kinesphere.load(data_dir / "bvh" / "cmu" / f"{clip}.bvh")[1:])

    plain, slow, brisk = measured("07_01"), measured("07_04"), measured("07_12")
    assert slow["cadence"] < plain["cadence"] < brisk["cadence"]
    assert slow["stance"] > plain["stance"] > brisk["stance"]
    assert brisk["arm_swing"] > plain["arm_swing"]
    normal, old, strong = measured("137_29"), measured("137_33"), measured("137_42")
    assert old["stride"] < 0.5 * normal["stride"]
    assert old["lean"] > normal["lean"] + 30.0
    assert old["knee"] > normal["knee"] + 15.0
    assert strong["shoulder_turn"] > 1.3 * normal["shoulder_turn"]
    assert strong["cadence"] < 0.75 * normal["cadence"]
    assert measured("91_19")["lift"] > 2.0 * measured("91_36")["lift"]  # a march
    assert np.isfinite(list(measured("137_16").values.values())).all()
