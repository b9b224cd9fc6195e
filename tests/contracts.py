"""What every motion edit keeps, ours or a plugin's: functions that fail where one does not."""

from __future__ import annotations

import json
import warnings
from dataclasses import fields

import numpy as np

from kinesphere import Motion, Score, Skeleton
from kinesphere.body import body_of
from kinesphere.builtin import gesture, mo, motion
from kinesphere.engine.generation import generate_gesture
from kinesphere.maths import rotations
from kinesphere.motion.document import hints_of, setting_of
from kinesphere.motion.edit import MOTION_EDITS, MotionEdit
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.scope import Scope
from kinesphere.score.document import from_json, to_json
from kinesphere.score.sources import resolve_sources

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


# The contracts


def check_fields(cls) -> None:
    """Every field says in a sentence what it is; the class does so in its docstring."""
    assert cls.__doc__.strip().partition("\n")[0].endswith(".")
    for field in fields(cls):
        setting = setting_of(hints_of(cls)[field.name])
        assert setting is not None, f"{cls.__name__}.{field.name} is not annotated"
        assert setting.about.endswith("."), f"{cls.__name__}.{field.name} has no sentence"


def check_default(cls, given: Motion) -> None:
    """With nothing set an edit changes nothing: the same object comes back, its clock is the identity."""
    edit = cls()
    assert edit.neutral
    made, clock = applied(edit, given)
    assert made is given
    assert np.array_equal(clock(given.times), given.times)


def check_examples(cls) -> None:
    """There are examples that do something."""
    assert cls.examples()
    assert not any(edit.neutral for edit in cls.examples())


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


def check_all(cls) -> None:
    """All contracts, on a few motions."""
    check_fields(cls)
    check_examples(cls)
    check_default(cls, motion("wave"))
    for edit in cls.examples():
        check_document(edit)
        check_result(edit, motion("wave"))
        check_scope(edit, motion("wave"))
        check_strength(edit, motion("wave"))
