"""The same call gives the same bits: first and thousandth, on one thread and on several, in any process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

import kinesphere
from kinesphere import Effort, Shape
from kinesphere.builtin import mo, motion
from kinesphere.maths import bands, interpolation, kinematics, rotation_curves, rotations
from kinesphere.maths import threads as sharing

RESULTS = """
import hashlib, sys, warnings
warnings.simplefilter("ignore")
import kinesphere
from kinesphere import Effort, Shape
from kinesphere.builtin import mo, motion

if "busy" in sys.argv:  # earlier work of another kind
    for _ in range(3):
        kinesphere.Smooth(1.0)(motion("drink"))
        kinesphere.retarget(motion("clap"), mo())
made = hashlib.sha256()
walk = motion("walk")
for one in (
    kinesphere.perform("wave", Effort(0.4, -0.7, 0.9, -0.3), Shape(0.3, -0.2, 0.5), words="shy"),
    kinesphere.retarget(motion("punch"), mo()),
    kinesphere.lock_feet(walk),
    kinesphere.Equalize(preset="exaggerate")(walk),
    kinesphere.Smooth(1.0)(walk),
    kinesphere.Displace([{"part": "rightHand", "seconds": 0.5, "by": (0.0, 0.2, 0.0)}])(walk),
    kinesphere.Timewarp(bpm=100.0)(walk),
):
    made.update(one.rotations.tobytes() + one.translations.tobytes())
made.update(kinesphere.still(walk, 0.4, character=mo(), size=(120, 90), trails=True).tobytes())
made.update(kinesphere.sheet(motion("shrug"), frames=3, size=(240, 200)).tobytes())
print(made.hexdigest())
"""


def digest(*motions: kinesphere.Motion) -> str:
    made = hashlib.sha256()
    for one in motions:
        made.update(one.rotations.tobytes() + one.translations.tobytes())
    return made.hexdigest()


def test_the_thousandth_performance_is_the_first():
    first = digest(kinesphere.perform("shrug", Effort(0.4, -0.7, 0.9, -0.3), words="shy"))
    for _ in range(998):
        kinesphere.perform("shrug", Effort(0.4, -0.7, 0.9, -0.3))
    assert digest(kinesphere.perform("shrug", Effort(0.4, -0.7, 0.9, -0.3), words="shy")) == first


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "edit",
    [
        kinesphere.lock_feet,
        kinesphere.Equalize(preset="exaggerate"),
        kinesphere.Waveshape("undulation"),
        kinesphere.Smooth(1.0),
        kinesphere.Displace([{"part": "leftFoot", "seconds": 0.5, "by": (0.0, 0.1, 0.0)}]),
        lambda walk: kinesphere.retarget(walk, mo()),
    ],
    ids=["lock_feet", "equalize", "waveshape", "smooth", "displace", "retarget"],
)
def test_an_edit_repeats_itself_after_other_work(edit):
    walk = motion("walk")
    first = digest(edit(walk))
    for other in ("wave", "bow", "idle"):
        edit(motion(other))
    assert {digest(edit(walk)) for _ in range(20)} == {first}


@pytest.fixture
def threads(monkeypatch):
    """Everything is shared by so many threads, however little there is."""

    def share(count: int) -> None:
        monkeypatch.setattr(sharing, "_workers", lambda: count)
        monkeypatch.setattr(sharing, "WORTH_SHARING", 1)

    return share


def test_threads_do_not_change_a_bit(threads, rng):
    parents = np.array([-1, *(int(rng.integers(0, i)) for i in range(1, 33))])
    q = rotations.continuous(rotations.normalise(rng.normal(size=(1001, 33, 4))))
    t = rng.normal(size=(1001, 33, 3))
    about = rotation_curves.mean_rotation(q)
    results = []
    for count in (1, 2, 3, 4):
        threads(count)
        results.append(
            [
                *kinematics.forward(q, t, parents),
                bands.mix(t, np.linspace(0.5, 2.0, 9)),
                rotations.multiply(q, q[::-1].copy()),
                rotation_curves.to_rotation_curves(q, about),
                interpolation.resample_rotations(q, np.linspace(0.0, 999.7, 1777)),
                interpolation.resample_vectors(t, np.linspace(0.0, 999.7, 1777)),
                rotations.slerp(q, q[::-1].copy(), 0.3),
            ]
        )
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert np.array_equal(a, b)


def test_a_batch_on_threads_is_its_performances_one_by_one(threads):
    scores = [
        kinesphere.Score("wave", (kinesphere.Layer(kinesphere.Express(Effort(time=share), Shape(vertical=share))),))
        for share in (-1.0, -0.3, 0.4, 0.9)
    ]
    alone = [digest(kinesphere.render(score)) for score in scores]
    for count in (1, 2, 4):
        threads(count)
        assert [digest(one) for one in kinesphere.render_all(scores)] == alone


def test_processes_agree_whatever_they_did_before():
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    made = set()
    for arguments in ([], ["busy"]):
        done = subprocess.run(
            [sys.executable, "-c", RESULTS, *arguments], capture_output=True, text=True, env=environment, check=True
        )
        made.add(done.stdout.strip())
        environment["PYTHONHASHSEED"] = "11"
    assert len(made) == 1
