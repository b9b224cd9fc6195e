"""Reality: a trained performer's Dab, Punch, Float and Glide (omimo/Mova), in the order that Laban gives them.

There is no neutral of this performer, so only the order is asked for. What the observer gets wrong is here too.
"""

import numpy as np
import pytest

from analysis.bodies import points
from kinesphere.analysis import measure_strokes, observe

RATE = 120.0  # by the application that the files belong to; they say nothing themselves
FILES = {"punch": "Punch4.csv", "dab": "Dab1.csv", "glide": "Glide3.csv", "float": "Float4.csv"}
# The joints of ecuad1.skel2, in its order; the top of the head is no joint.
ROLES = [
    *("hips", "leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"),
    *("rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes", "spine", "upperChest"),
    *("leftShoulder", "leftUpperArm", "leftLowerArm", "leftHand", "leftMiddleProximal"),
    *("rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand", "rightMiddleProximal"),
    *("neck", "head", "top"),
]

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def efforts(data_dir):
    folder = data_dir / "laban"
    missing = [name for name in FILES.values() if not (folder / name).is_file()]
    if missing:
        pytest.skip(f"no {', '.join(missing)} in {folder}: a performer's Efforts are NOT checked")
    motions = {}
    for name, file in FILES.items():
        at = np.loadtxt(folder / file, delimiter=",").reshape(-1, len(ROLES), 3)
        motions[name] = points({role: at[:, i] for i, role in enumerate(ROLES) if role != "top"}, RATE, name)
    return motions


@pytest.fixture(scope="module")
def measured(efforts):
    return {name: measure_strokes(motion).values for name, motion in efforts.items()}


@pytest.fixture(scope="module")
def observed(efforts):
    return {name: observe(motion) for name, motion in efforts.items()}


def test_punch_and_dab_are_more_sudden_than_float_and_glide(observed):
    time = {name: found.time.score for name, found in observed.items()}
    assert min(time["punch"], time["dab"]) > max(time["float"], time["glide"]) + 1.0


def test_float_and_glide_are_coded_sustained_and_the_others_are_not(observed):
    codes = {name: found.time.code for name, found in observed.items()}
    assert codes["float"] == codes["glide"] == -1
    assert min(codes["punch"], codes["dab"]) >= 0


def test_punch_has_most_force(measured):
    for measure in ("energy", "arrest", "arrest_over_start", "pelvis_drop"):
        row = {name: values[measure] for name, values in measured.items()}
        assert max(row, key=row.__getitem__) == "punch", measure


def test_glide_and_dab_are_more_direct_than_float(observed):
    space = {name: found.space.score for name, found in observed.items()}
    assert min(space["glide"], space["dab"]) > space["float"] + 0.3


@pytest.mark.xfail(reason="this Punch is swung: its way is as round as the Float's; what makes it Direct is no path")
def test_punch_is_more_direct_than_float(observed):
    assert observed["punch"].space.score > observed["float"].space.score + 0.3


@pytest.mark.xfail(reason="fixed on an engine whose Strong has no more energy than neutral, the score ignores energy")
def test_punch_is_judged_strongest(observed):
    assert max(observed, key=lambda name: observed[name].weight.score) == "punch"
