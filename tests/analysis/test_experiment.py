"""The observer's experiment: its film, its tables, and what must be seen of single elements."""

import importlib.util
import sys

import numpy as np
import pytest

from conftest import ROOT
from kinesphere import Effort, perform
from kinesphere.analysis import observe
from kinesphere.analysis.measures import ELEMENTS
from score.gestures import five_goals


@pytest.fixture(scope="module")
def experiment():
    spec = importlib.util.spec_from_file_location("observer_experiment", ROOT / "tools" / "observer_experiment.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_film_is_the_thesis(experiment):
    film = experiment.film()
    keys = [len(segment.gesture.right.keys) for segment in film]
    assert keys == [2] * 16 + [5] * 46
    assert [segment.beside_neutral for segment in film] == [True] * 32 + [False] * 30
    assert all(any(segment.codes) for segment in film)
    assert 2.0 < np.mean([np.abs(segment.codes).sum() for segment in film]) < 2.4


def test_the_film_is_the_same_every_time_and_another_by_another_seed(experiment):
    def goals(seed):
        return [key.position for segment in experiment.film(seed) for key in segment.gesture.right.keys]

    assert goals(1999) == goals(1999)
    assert goals(1999) != goals(2000)


def test_no_gesture_of_the_film_is_practised_on(experiment):
    shown = {key.position for segment in experiment.film() for key in segment.gesture.right.keys}
    practised = {key.position for gesture in experiment.scales() for key in gesture.right.keys}
    assert not shown & practised


def test_goals_are_within_reach(experiment):
    for gesture in [segment.gesture for segment in experiment.film()] + experiment.scales():
        for arm in (gesture.left, gesture.right):
            assert arm is None or max(np.linalg.norm(key.position) for key in arm.keys) < 0.545


def test_the_tables_count_as_the_thesis_does(experiment):
    asked = np.array([[-1, 1, 0, 1], [0, 0, 1, -1]])
    said = np.array([[-1, 0, 1, -1], [0, 0, 1, -1]])
    assert experiment.shares(asked, said) == pytest.approx({"correct": 62.5, "neutral": 25.0, "opposite": 12.5})
    found = experiment.by_element(asked, said)
    assert found["indirect"] == (100.0, 1)
    assert found["strong"] == (0.0, 1)
    assert found["bound"] == (0.0, 1)
    assert found["light"] == (0.0, 0)


@pytest.mark.parametrize("element", ["indirect", "strong", "sudden", "bound"])
def test_a_single_element_is_seen_beside_neutral(element):
    """The others are left out: the observer was fixed on arms that moved alone; the docs have its table."""
    factor, sign = next((f, 2 * pair.index(element) - 1) for f, pair in ELEMENTS.items() if element in pair)
    gesture = five_goals()
    found = observe(perform(gesture, Effort(**{factor: sign})), perform(gesture, Effort()))
    assert element in found.elements
