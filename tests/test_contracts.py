"""Contracts over every registered motion edit, phrase edit and behaviour; ``contracts.py`` has them."""

from __future__ import annotations

import pytest

import contracts
from kinesphere import body_of, load_character
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS

CLASSES = MOTION_EDITS.classes()
PHRASE_CLASSES = PHRASE_EDITS.classes()
BEHAVIOUR_CLASSES = BEHAVIOURS.classes()
ALL_CLASSES = {**CLASSES, **PHRASE_CLASSES, **BEHAVIOUR_CLASSES}
EXAMPLES = [
    pytest.param(edit, id=f"{name}{i}") for name, own in CLASSES.items() for i, edit in enumerate(own.examples())
]
every_class = pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
every_example = pytest.mark.parametrize("edit", EXAMPLES)
humanoids = pytest.mark.parametrize("name", contracts.HUMANOIDS)


def test_the_six_edits_of_curves_poses_and_time_are_there():
    assert set(CLASSES) >= {"blend", "displace", "equalize", "smooth", "timewarp", "waveshape"}


@pytest.mark.parametrize("cls", ALL_CLASSES.values(), ids=ALL_CLASSES)
def test_fields_are_annotated(cls):
    contracts.check_fields(cls)


@pytest.mark.parametrize("cls", ALL_CLASSES.values(), ids=ALL_CLASSES)
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


# Phrase edits


PHRASE_EXAMPLES = [
    pytest.param(edit, id=f"{name}{i}") for name, own in PHRASE_CLASSES.items() for i, edit in enumerate(own.examples())
]
every_phrase_edit = pytest.mark.parametrize("cls", PHRASE_CLASSES.values(), ids=PHRASE_CLASSES)
every_phrase_example = pytest.mark.parametrize("edit", PHRASE_EXAMPLES)
three_bodies = pytest.mark.parametrize("name", ["figure", "Mo", "other axes"])


def test_the_phrase_edits_and_behaviours_are_there():
    assert set(PHRASE_CLASSES) >= {"effort", "express", "shape", "stillness", "words"}
    assert set(BEHAVIOUR_CLASSES) >= {"breath", "fidget", "sway"}


@every_phrase_edit
@three_bodies
def test_phrase_edits_change_nothing_by_default(cls, name):
    contracts.check_phrase_default(cls, contracts.BODIES[name]())


@every_phrase_example
@three_bodies
def test_phrase_edits_are_sound(edit, name):
    contracts.check_phrase_result(edit, contracts.BODIES[name]())
    contracts.check_phrase_strength(edit, contracts.BODIES[name]())


@every_phrase_example
@three_bodies
def test_phrase_edits_keep_goals_in_the_world(edit, name):
    contracts.check_phrase_goals(edit, contracts.BODIES[name]())


@every_phrase_example
def test_documents_hold_all_of_a_phrase_edit(edit):
    contracts.check_phrase_document(edit)


# Behaviours


BEHAVIOUR_EXAMPLES = [
    pytest.param(own, id=f"{name}{i}")
    for name, cls in BEHAVIOUR_CLASSES.items()
    for i, own in enumerate(contracts.behaviour_examples(cls))
]
every_behaviour = pytest.mark.parametrize("cls", BEHAVIOUR_CLASSES.values(), ids=BEHAVIOUR_CLASSES)
every_behaviour_example = pytest.mark.parametrize("behaviour", BEHAVIOUR_EXAMPLES)
every_body = pytest.mark.parametrize("name", contracts.BODIES)


@every_behaviour
@every_body
def test_neutral_behaviours_are_the_identity_and_seeds_are_individuals(cls, name):
    contracts.check_behaviour_neutral(cls, contracts.BODIES[name]())
    contracts.check_behaviour_seed(cls, contracts.BODIES[name]())


@every_behaviour_example
@every_body
def test_behaviours_are_sound(behaviour, name):
    contracts.check_behaviour_result(behaviour, contracts.BODIES[name]())
    contracts.check_behaviour_steps(behaviour, contracts.BODIES[name]())


@every_behaviour_example
def test_behaviours_streamed_are_as_rendered_and_travel_in_scores(behaviour):
    contracts.check_behaviour_stream(behaviour)
    contracts.check_behaviour_document(behaviour)


@pytest.mark.data
@every_behaviour_example
def test_behaviours_are_sound_on_a_character_from_elsewhere(behaviour, data_dir):
    body = body_of(load_character(data_dir / "characters" / "debug_robot.vrm"))
    contracts.check_behaviour_result(behaviour, body)
    contracts.check_behaviour_steps(behaviour, body)
