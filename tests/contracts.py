"""What motion edits, phrase edits and behaviours keep, ours or a plugin's: functions that fail where one does not."""

from __future__ import annotations

import json
import warnings
from dataclasses import fields

import numpy as np

from engine.bodies import BODIES as OTHER_BODIES
from kinesphere import Body, Motion, Phrase, Pose, Scene, Score, Skeleton, body_of, figure, generate, phrase_of, stream
from kinesphere.builtin import gesture, mo, motion
from kinesphere.engine.generation import generate_gesture
from kinesphere.maths import rotations
from kinesphere.motion.behaviour import BEHAVIOURS, Behaviour, fold_behaviours
from kinesphere.motion.document import Dial, hints_of, setting_of
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS, MotionEdit, PhraseEdit
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.phrase import WORLD
from kinesphere.motion.scope import Scope
from kinesphere.score.document import from_json, to_json
from kinesphere.score.rendering import render
from kinesphere.score.sources import resolve_sources
from score.gestures import with_world_goal

LEG = body_of(figure()).lengths["leftLeg"]
PARTS = ("arms", "hands", "head")  # examples of displacements are on them
SCOPED = Scope(start=0.5, end=1.5, parts=PARTS, fade=0.1)


def tail() -> Motion:
    """A chain of six joints that sways: no humanoid."""
    count, frames, rate = 6, 75, 30.0
    skeleton = Skeleton(tuple(f"tail{i}" for i in range(count)), np.arange(-1, count - 1), np.full((count, 3), 0.1))
    times = np.arange(frames) / rate
    vectors = np.zeros((frames, count, 3))
    vectors[..., 0] = 0.4 * np.sin(5.0 * times[:, None] + 0.5 * np.arange(count))
    vectors[..., 2] = 0.2 * np.sin(11.0 * times[:, None] + 0.3 * np.arange(count))
    return Motion(skeleton, rate, rotations.continuous(rotations.from_rotation_vector(vectors)), name="tail")


def unnamed() -> Motion:
    """A bow of a body whose joints have numbers for names, at an odd rate."""
    given = motion("bow").resampled(41.7)
    skeleton = given.skeleton
    plain = Skeleton(
        tuple(f"J{i:03}" for i in range(len(skeleton))), skeleton.parents, skeleton.offsets, skeleton.rest_rotations
    )
    return Motion(plain, given.rate, given.rotations, given.translations, name="unnamed")


HUMANOIDS = {
    "wave": lambda: motion("wave"),
    "walk": lambda: motion("walk"),
    "Mo points": lambda: generate_gesture(gesture("point"), body=body_of(mo())),
}
STRANGE = {
    "tail": tail,
    "unnamed": unnamed,
    "one frame": lambda: motion("wave")[60:61],
    "two frames": lambda: motion("wave")[60:62],
}


def applied(edit: MotionEdit, given: Motion, scope: Scope | None = None):
    """The edited motion and its clock, without warnings about limits, reach, gaps and accents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return resolve_sources(edit).apply(given, Scope() if scope is None else scope)


def same_bits(one: Motion, other: Motion, frames=slice(None), joints=slice(None)) -> bool:
    return all(
        np.array_equal(a[frames][:, joints], b[frames][:, joints])
        for a, b in ((one.rotations, other.rotations), (one.translations, other.translations))
    )


BODIES = {
    "figure": lambda: body_of(figure()),
    "Mo": lambda: body_of(mo()),
    "other axes": lambda: body_of(OTHER_BODIES["T-pose, odd axes"]),
    "facing back, on a root": lambda: body_of(OTHER_BODIES["facing back, on a root"]),
}


# Contracts of all kinds


def check_fields(cls) -> None:
    """Every field says in a sentence what it is; the class does so in its docstring."""
    assert cls.__doc__.strip().partition("\n")[0].endswith(".")
    for field in fields(cls):
        setting = setting_of(hints_of(cls)[field.name])
        assert setting is not None, f"{cls.__name__}.{field.name} is not annotated"
        assert setting.about.endswith("."), f"{cls.__name__}.{field.name} has no sentence"


def check_examples(cls) -> None:
    """There are examples that do something."""
    assert cls.examples()
    assert not any(own.neutral for own in cls.examples())


# Motion edits


def check_default(cls, given: Motion) -> None:
    """With nothing set an edit changes nothing: the same object comes back, its clock is the identity."""
    edit = cls()
    assert edit.neutral
    made, clock = applied(edit, given)
    assert made is given
    assert np.array_equal(clock(given.times), given.times)


def check_result(edit: MotionEdit, given: Motion) -> Motion:
    """The result is sound, the same at every call, and the input as before."""
    before = given.rotations.copy(), given.translations.copy()
    made, clock = applied(edit, given)
    again, _ = applied(edit, given)
    assert np.array_equal(given.rotations, before[0])
    assert np.array_equal(given.translations, before[1])
    assert made.skeleton.same_tree(given.skeleton)
    assert same_bits(made, again)
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    lengths, now = (np.linalg.norm(one.translations, axis=-1) for one in (given, made))
    rigid = (np.ptp(lengths, axis=0) < 1e-12) & (given.skeleton.parents >= 0)
    assert np.abs(now[:, rigid] - lengths[0, rigid]).max(initial=0.0) < 1e-9
    new = clock(np.linspace(0.0, max(given.duration, 1.0), 200))
    assert (np.diff(new) > 0.0).all()
    if not edit.retimes:
        assert np.array_equal(clock(given.times), given.times)
        assert (len(made), made.rate) == (len(given), given.rate)
    return made


def check_scope(edit: MotionEdit, given: Motion) -> None:
    """Outside of its scope nothing changes; of legs and hips that holds where feet are not locked.

    An edit that retimes leaves other parts as they were, but not to the last bit.
    """
    made, _ = applied(edit, given, Scope(parts=PARTS) if edit.retimes else SCOPED)
    others = ~select_joints(given.skeleton, PARTS)
    if edit.locks_feet:
        others &= ~select_joints(given.skeleton, ("hips", "legs"))
    if edit.retimes:
        count = min(len(made), len(given))
        apart = rotations.angle_between(made.rotations[:count, others], given.rotations[:count, others])
        assert apart.max() < 1e-6
        return
    outside = (given.times <= 0.5) | (given.times >= 1.5)
    assert same_bits(made, given, frames=outside)
    assert same_bits(made, given, joints=others)
    whole, _ = applied(edit, given, Scope(start=0.5, end=1.5))
    assert same_bits(whole, given, frames=outside)


def check_strength(edit: MotionEdit, given: Motion) -> None:
    """None of it is nothing."""
    made, clock = applied(edit, given, Scope(strength=0.0))
    assert made is given
    assert np.array_equal(clock(given.times), given.times)


def check_document(edit: MotionEdit) -> None:
    """A score with it is the same after JSON; fields of the edit and of its scope stand side by side."""
    score = Score("wave", (edit.over(start=0.5, parts=PARTS, strength=0.5), edit.over()))
    text = to_json(score)
    assert from_json(text) == score
    row = json.loads(text)["layers"][0]
    assert row["edit"] == MOTION_EDITS.name_of(type(edit))
    assert (row["start"], row["parts"], row["strength"]) == (0.5, list(PARTS), 0.5)


def check_motion_edit(cls) -> None:
    """All contracts of a motion edit, on a few motions."""
    check_default(cls, motion("wave"))
    for edit in cls.examples():
        check_document(edit)
        check_result(edit, motion("wave"))
        check_scope(edit, motion("wave"))
        check_strength(edit, motion("wave"))


# Phrase edits


STANDS = 0.05  # metres a second below which a foot stands
PLANTED = 0.004  # metres that the ball's joint moves where a heel rises: the foot rolls over the ball


def generated(phrase: Phrase) -> Motion:
    """The phrase's motion, without warnings about reach."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return generate(phrase)


def same_motion(one: Motion, other: Motion) -> bool:
    if len(one) != len(other):
        return False
    pairs = (one.rotations, other.rotations), (one.translations, other.translations)
    return all(np.abs(a - b).max() < 1e-9 for a, b in pairs)


def check_phrase_default(cls, body: Body) -> None:
    """With nothing set a phrase edit changes nothing of what is generated."""
    assert cls().neutral
    for phrase in (phrase_of("wave", body), phrase_of("bow", body)):
        assert same_motion(generated(cls().apply(phrase)), generated(phrase))


def check_phrase_strength(edit: PhraseEdit, body: Body) -> None:
    """None of it is nothing."""
    phrase = phrase_of("wave", body)
    assert same_motion(generated(edit.apply(phrase, Scope(strength=0.0))), generated(phrase))


def check_phrase_result(edit: PhraseEdit, body: Body) -> None:
    """What is generated is sound, the same every time, and the phrase as before; feet stay where they stand."""
    phrase = phrase_of("wave", body)
    given, keys = generated(phrase), phrase.arm("right").keys
    times, positions = keys.times.copy(), keys.positions.copy()
    made = generated(edit.apply(phrase))
    assert same_bits(generated(phrase), given)
    assert np.array_equal(keys.times, times)
    assert np.array_equal(keys.positions, positions)
    assert same_bits(generated(edit.apply(phrase_of("wave", body))), made)
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    lengths, now = (np.linalg.norm(one.translations, axis=-1) for one in (given, made))
    rigid = (np.ptp(lengths, axis=0) < 1e-12) & (given.skeleton.parents >= 0)
    assert np.abs(now[:, rigid] - lengths[0, rigid]).max(initial=0.0) < 1e-9
    for side in ("left", "right"):
        ball = made.positions_world()[:, body.roles[f"{side}Toes"]]
        if not edit.apply(phrase).track(f"{side}_leg").steps:
            assert np.ptp(ball, axis=0).max() < PLANTED
            continue
        stands = np.linalg.norm(np.diff(ball, axis=0), axis=1) * made.rate < STANDS  # a step goes, and is over
        assert np.abs(ball[-1] - ball[0]).max() < PLANTED
        assert (ball[1:][stands, 1] - ball[0, 1]).max() < PLANTED
        assert stands.mean() > 0.5


def check_phrase_goals(edit: PhraseEdit, body: Body) -> None:
    """A hand still comes to its goal in the world."""
    phrase = phrase_of(with_world_goal(), body)
    keys = phrase.arm("right").keys
    hand = generated(edit.apply(phrase)).positions_world()[:, body.roles["rightHand"]]
    goals = [place for place, space in zip(keys.positions, keys.spaces, strict=True) if space == WORLD]
    assert goals
    for goal in goals:
        assert np.linalg.norm(hand - goal, axis=1).min() < 1e-3


def check_phrase_document(edit: PhraseEdit) -> None:
    """A score with it is the same after JSON, and renders the same."""
    score = Score("wave", (edit.over(start=0.5, parts="right_arm", strength=0.5), edit.over()))
    text = to_json(score)
    assert from_json(text) == score
    row = json.loads(text)["layers"][0]
    assert row["edit"] == PHRASE_EDITS.name_of(type(edit))
    assert (row["start"], row["parts"], row["strength"]) == (0.5, ["right_arm"], 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert same_bits(render(from_json(text)), render(score))


def check_phrase_edit(cls) -> None:
    """All contracts of a phrase edit, on the figure and on two other bodies."""
    for name in ("figure", "Mo", "other axes"):
        body = BODIES[name]()
        check_phrase_default(cls, body)
        for edit in cls.examples():
            check_phrase_strength(edit, body)
            check_phrase_result(edit, body)
            check_phrase_goals(edit, body)
    for edit in cls.examples():
        check_phrase_document(edit)


# Behaviours


STANDING = 0.003  # metres that a foot in contact may move, on a leg as long as the figure's
JOLT = 6.0  # metres a second squared, at most, of what a behaviour adds; a frame's jump of 2 mm is more


def standing(body: Body) -> Motion:
    """A wave of a body that stands."""
    return generated(phrase_of("wave", body))


def behaviour_examples(cls) -> tuple[Behaviour, ...]:
    return tuple(own for own in (cls(), *cls.examples()) if not own.neutral)


def check_behaviour_neutral(cls, body: Body) -> None:
    """With every dial at its neutral value a behaviour changes nothing: the same object comes back."""
    settings = {field.name: setting_of(hints_of(cls)[field.name]) for field in fields(cls)}
    still = cls(**{name: own.neutral for name, own in settings.items() if isinstance(own, Dial)})
    assert still.neutral
    given = standing(body)
    assert fold_behaviours(given, [still], body) is given


def check_behaviour_result(behaviour: Behaviour, body: Body) -> None:
    """Poses are sound, the same every time, and those that came in as before; bones are rigid, nothing pops."""
    given = standing(body)
    before = given.rotations.copy(), given.translations.copy()
    made = fold_behaviours(given, [behaviour], body)
    assert not same_bits(made, given)
    assert np.array_equal(given.rotations, before[0])
    assert np.array_equal(given.translations, before[1])
    assert same_bits(fold_behaviours(given, [behaviour], body), made)
    assert np.isfinite(made.rotations).all()
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    others = np.arange(len(given.skeleton)) != body.roles["hips"]
    assert np.array_equal(made.translations[:, others], given.translations[:, others])
    added = made.positions_world() - given.positions_world()
    assert np.linalg.norm(np.diff(added, 2, axis=0), axis=-1).max() * given.rate**2 < JOLT
    feet = [body.roles[role] for role in ("leftFoot", "rightFoot", "leftToes", "rightToes") if role in body.roles]
    size = min(body.lengths[f"{side}Leg"] for side in ("left", "right")) / LEG
    assert np.linalg.norm(added[:, feet], axis=-1).max() < STANDING * max(size, 1.0)


def check_behaviour_steps(behaviour: Behaviour, body: Body) -> None:
    """A step leaves state and pose as they were: the same step again gives the same."""
    given, scene = standing(body), Scene()
    pose = Pose(given.rotations[30].copy(), given.translations[30].copy())
    state = behaviour.start(body, scene)
    for _ in range(40):
        state, _ = behaviour.step(state, pose, scene, 1.0 / 60.0)
    _, first = behaviour.step(state, pose, scene, 1.0 / 60.0)
    _, again = behaviour.step(state, pose, scene, 1.0 / 60.0)
    assert np.array_equal(pose.rotations, given.rotations[30])
    assert np.array_equal(pose.translations, given.translations[30])
    assert np.array_equal(first.rotations, again.rotations)


def check_behaviour_stream(behaviour: Behaviour) -> None:
    """Poses one by one are those of the whole, to the bit."""
    score = Score("wave", behaviours=(behaviour, behaviour))
    whole, poses = render(score), list(stream(score))
    assert np.array_equal(np.stack([pose.rotations for pose in poses]), whole.rotations)
    assert np.array_equal(np.stack([pose.translations for pose in poses]), whole.translations)


def check_behaviour_seed(cls, body: Body) -> None:
    """One seed is one individual, another is another."""
    if "seed" not in {field.name for field in fields(cls)}:
        return
    given = standing(body)
    one, again, other = (fold_behaviours(given, [cls(seed=seed)], body) for seed in (3, 3, 4))
    assert same_bits(one, again)
    assert not same_bits(one, other)


def check_behaviour_document(behaviour: Behaviour) -> None:
    """A score with it is the same after JSON."""
    score = Score("wave", behaviours=(behaviour,))
    text = to_json(score)
    assert from_json(text) == score
    assert json.loads(text)["behaviours"][0]["behaviour"] == BEHAVIOURS.name_of(type(behaviour))


def check_behaviour(cls) -> None:
    """All contracts of a behaviour, on all bodies."""
    for make in BODIES.values():
        body = make()
        check_behaviour_neutral(cls, body)
        check_behaviour_seed(cls, body)
        for behaviour in behaviour_examples(cls):
            check_behaviour_result(behaviour, body)
            check_behaviour_steps(behaviour, body)
    for behaviour in behaviour_examples(cls):
        check_behaviour_stream(behaviour)
        check_behaviour_document(behaviour)


def check_all(cls) -> None:
    """All contracts of a class, whichever kind it is of."""
    check_fields(cls)
    check_examples(cls)
    kinds = {MotionEdit: check_motion_edit, PhraseEdit: check_phrase_edit, Behaviour: check_behaviour}
    next(check for kind, check in kinds.items() if issubclass(cls, kind))(cls)
