"""Contracts over every registered motion edit; ``contracts.py`` has them."""

from __future__ import annotations

import pytest

import contracts
from kinesphere.motion.edit import MOTION_EDITS

CLASSES = MOTION_EDITS.classes()
EXAMPLES = [
    pytest.param(edit, id=f"{name}{i}") for name, own in CLASSES.items() for i, edit in enumerate(own.examples())
]
every_class = pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
every_example = pytest.mark.parametrize("edit", EXAMPLES)
humanoids = pytest.mark.parametrize("name", contracts.HUMANOIDS)


def test_the_six_edits_of_curves_poses_and_time_are_there():
    assert set(CLASSES) >= {"blend", "displace", "equalize", "smooth", "timewarp", "waveshape"}


@every_class
def test_fields_are_annotated(cls):
    contracts.check_fields(cls)


@every_class
def test_examples_do_something(cls):
    contracts.check_examples(cls)


@every_class
@pytest.mark.parametrize("name", [*contracts.HUMANOIDS, *contracts.STRANGE])
def test_defaults_change_nothing(cls, name):
    contracts.check_default(cls, (contracts.HUMANOIDS | contracts.STRANGE)[name]())


@every_example
@humanoids
def test_results_are_sound(edit, name):
    contracts.check_result(edit, contracts.HUMANOIDS[name]())


@every_example
@pytest.mark.parametrize("name", contracts.STRANGE)
def test_strange_motions_are_edited_or_refused_with_the_reason(edit, name):
    given, refused = contracts.STRANGE[name](), None
    try:
        contracts.check_result(edit, given)
    except ValueError as error:
        refused = str(error)
    assert refused is None or len(refused) > 20


@every_example
@humanoids
def test_scopes_hold(edit, name):
    contracts.check_scope(edit, contracts.HUMANOIDS[name]())


@every_example
@humanoids
def test_none_of_it_is_nothing(edit, name):
    contracts.check_strength(edit, contracts.HUMANOIDS[name]())


@every_example
def test_documents_hold_all_of_it(edit):
    contracts.check_document(edit)
