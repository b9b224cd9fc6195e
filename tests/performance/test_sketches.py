"""Our sketches: each is itself on every movement, keeps feet and contacts, and is like no other in pose and time."""

from __future__ import annotations

import itertools
import warnings
from functools import lru_cache

import numpy as np
import pytest

import kinesphere
from captures import RATE, clips, loses, shown_frames, size_of, slides
from kinesphere import Motion, Phrase
from kinesphere.body.contacts import find_contact_runs
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.builtin import motions
from kinesphere.maths import rotations
from kinesphere.motion.errors import MotionFileError
from kinesphere.performance.sketch import Sketch
from kinesphere.performance.sketch_file import SKETCHES

NAMES = (
    "child", "nervous-clerk", "old-man", "proud-official", "queen", "robot", "sensual-dancer", "tired-worker",
)  # fmt: skip
SLIDES, KEEPS = 0.005, 0.005  # metres of a person
LEAVES = 0.003  # metres above where it stands, from which on a ball has left the ground
COMPARED = ("point", "wave", "bow", "reach", "walk")
POSES_DIFFER = 0.05  # metres of a joint, root mean square, in the moment in which two sketches are most alike
DIFFERS_FROM_PLAIN = 0.03  # metres likewise
TIMES_DIFFER = 0.05  # of the logarithm of how long they last, and of the share of the way that is done
JOINTS = (
    "hips", "head", "leftUpperArm", "rightUpperArm", "leftLowerArm", "rightLowerArm", "leftHand", "rightHand",
    "leftLowerLeg", "rightLowerLeg", "leftFoot", "rightFoot",
)  # fmt: skip


@lru_cache(maxsize=200)
def performed(movement: str, sketch: str, amount: float = 1.0) -> Motion:
    return kinesphere.perform(movement, sketch=Sketch(sketch, amount))


def joints_from_hips(motion: Motion) -> np.ndarray:
    """``(T, J, 3)`` metres from the place above which the hips are."""
    roles = motion.skeleton.roles
    rows = motion.positions_world()[:, [roles[name] for name in JOINTS]]
    return rows - rows[:, :1] * [1.0, 0.0, 1.0]


def pose_distance(one: Motion, other: Motion) -> float:
    """Metres by which poses differ at equal shares of their time, where they differ least."""
    first, second = (joints_from_hips(own)[np.linspace(0, len(own) - 1, 9).astype(int)] for own in (one, other))
    return float(np.sqrt(((first - second) ** 2).sum(axis=2).mean(axis=1)).min())


def time_distance(one: Motion, other: Motion) -> float:
    """How far durations differ, and how far the shares of their way that hands and head have gone by then."""
    gone = []
    for own in (one, other):
        steps = np.linalg.norm(np.diff(joints_from_hips(own)[:, [1, 6, 7]], axis=0), axis=2).sum(axis=1)
        way = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
        gone.append(np.interp(np.linspace(0.0, 1.0, 101), np.linspace(0.0, 1.0, len(way)), way))
    return abs(float(np.log(one.duration / other.duration))) + float(np.abs(gone[0] - gone[1]).max())


def planted_slide(motion: Motion) -> float:
    """Metres that balls of feet move while they stand; slow steps seem to stand while they leave and land."""
    runs, worst = find_contact_runs(motion), 0.0
    paths = sole_paths(motion, sole_points(motion.skeleton))
    for point, first, last in runs.rows.tolist():
        if runs.points[point].point == "ball":
            own = paths[first : last + 1, point]
            own = own[own[:, 1] < np.median(own[:, 1]) + LEAVES]
            worst = max(worst, float(np.linalg.norm((own - np.median(own, axis=0))[:, [0, 2]], axis=1).max()))
    return worst


def test_all_eight_are_there():
    assert tuple(own for own in SKETCHES.names if own not in SKETCHES.added) == NAMES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("movement", motions())
def test_every_movement_is_done_in_character(movement, name):
    """Nobody falls, no foot slides, no bone changes, and it is another movement than the plain one."""
    made, plain = performed(movement, name), kinesphere.perform(movement)
    assert np.isfinite(made.rotations).all()
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    assert np.array_equal(
        made.translations[:, 1:], np.broadcast_to(made.skeleton.offsets[1:], made.translations[:, 1:].shape)
    )
    assert movement == "walk in place" or planted_slide(made) < SLIDES  # on a belt, feet go back with it
    assert pose_distance(made, plain) > DIFFERS_FROM_PLAIN
    roles = made.skeleton.roles
    heights = made.positions_world()[:, :, 1]
    assert heights.min() > -0.02
    assert (heights[:, roles["head"]] > heights[:, roles["hips"]]).all() or movement == "bow"


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("clip", [0, 2, 4, 5, 7, 9])
def test_captures_are_done_in_character(data_dir, clip, name):
    recording = clips(data_dir)[clip]
    phrase = kinesphere.lift(recording)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who is recorded near a fall may fall
        edited = Sketch(name).apply(phrase)
        made = kinesphere.generate(edited, RATE)
        frames = shown_frames(edited, made)
    size = size_of(phrase)
    assert np.isfinite(made.translations).all()
    assert rotations.unit_error(made.rotations) < 1e-9
    assert slides(recording, made, frames) < SLIDES * size
    assert loses(phrase, made, frames) < KEEPS * size


@pytest.mark.parametrize("name", NAMES)
def test_none_of_it_is_the_same_phrase(name):
    for movement in ("wave", "walk"):
        phrase = kinesphere.phrase_of(movement)
        assert Sketch(name, 0.0).apply(phrase) is phrase
        assert Sketch(name, 0.0).behaviours() == ()
        assert Sketch(name).apply(phrase) is not phrase


@pytest.mark.parametrize("name", NAMES)
def test_more_of_it_is_farther_from_plain(name):
    """Where hips, head, shoulders and hands are at the start grows with the amount."""
    plain = joints_from_hips(kinesphere.perform("point"))[0]
    away = []
    for amount in (0.25, 0.5, 0.75, 1.0):
        made = joints_from_hips(performed("point", name, amount))[0]
        away.append(float(np.sqrt(((made - plain) ** 2).sum(axis=1).mean())))
    assert (np.diff([0.0, *away]) > 0.005).all(), away


@pytest.mark.parametrize("name", NAMES)
def test_the_same_twice(name):
    for movement in ("drink", "walk"):
        one, other = (kinesphere.perform(movement, sketch=name) for _ in range(2))
        assert one.rotations.tobytes() == other.rotations.tobytes()
        assert one.translations.tobytes() == other.translations.tobytes()


@pytest.mark.parametrize("pair", tuple(itertools.combinations(NAMES, 2)), ids="/".join)
def test_no_two_are_alike(pair):
    """In no moment of any movement are two of them in one pose, and none do it in the other's time."""
    for movement in COMPARED:
        one, other = (performed(movement, name) for name in pair)
        assert pose_distance(one, other) > POSES_DIFFER, movement
        assert time_distance(one, other) > TIMES_DIFFER, movement


# What they are, as measured


def standing(name: str) -> dict[str, np.ndarray]:
    """Role to where it is, in metres, at the start of a wave."""
    motion = performed("wave", name)
    return {role: motion.positions_world()[0, joint] for role, joint in motion.skeleton.roles.items()}


def test_they_stand_as_they_are_said_to():
    at = {name: standing(name) for name in NAMES}
    height = {name: own["head"][1] for name, own in at.items()}
    ahead = {name: own["head"][2] - own["hips"][2] for name, own in at.items()}
    apart = {name: own["leftFoot"][0] - own["rightFoot"][0] for name, own in at.items()}
    wide = {name: own["leftHand"][0] - own["rightHand"][0] for name, own in at.items()}
    aside = {name: own["hips"][0] - 0.5 * (own["leftFoot"][0] + own["rightFoot"][0]) for name, own in at.items()}
    assert min(height, key=height.get) == "old-man"
    assert ahead["old-man"] > 0.15 > ahead["tired-worker"] > 0.05 > ahead["queen"]
    assert max(apart, key=apart.get) == "proud-official"
    assert min(apart, key=apart.get) in ("nervous-clerk", "queen")
    assert max(wide, key=wide.get) == "child"
    assert min(wide, key=wide.get) in ("nervous-clerk", "queen")
    assert max(aside, key=aside.get) == "sensual-dancer"


def test_their_elbows_are_their_own():
    """Robots have right angles, officials elbows that are out, clerks elbows that are in."""
    at = {name: standing(name) for name in NAMES}

    def bend(name: str, side: str) -> float:
        shoulder, elbow, hand = (at[name][f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand"))
        one, other = shoulder - elbow, hand - elbow
        return float(np.degrees(np.arccos(one @ other / np.linalg.norm(one) / np.linalg.norm(other))))

    for side in ("left", "right"):
        assert bend("robot", side) == pytest.approx(90.0, abs=12.0)
    out = {
        name: own["leftLowerArm"][0] - own["rightLowerArm"][0] - (own["leftUpperArm"][0] - own["rightUpperArm"][0])
        for name, own in at.items()
    }
    assert out["proud-official"] > 0.2
    assert out["nervous-clerk"] < 0.05


def test_they_take_their_own_time():
    lasts = {name: performed("wave", name).duration for name in NAMES}
    assert sorted(lasts, key=lasts.get)[:2] in (["child", "nervous-clerk"], ["nervous-clerk", "child"])
    slow = ("queen", "tired-worker", "old-man", "sensual-dancer")
    assert min(lasts[name] for name in slow) > 1.4 * max(lasts[name] for name in NAMES if name not in slow)


def test_old_mens_hands_tremble_and_a_robots_head_is_still():
    def shakes(name: str, role: str) -> float:
        motion = performed("idle", name)
        own = motion.positions_world()[:, motion.skeleton.roles[role]]
        return float(np.linalg.norm(np.diff(own, 2, axis=0), axis=1).mean() * motion.rate**2)

    others = [shakes(name, "rightHand") for name in ("queen", "robot", "proud-official", "sensual-dancer")]
    assert shakes("old-man", "rightHand") > 3.0 * max(others)
    assert shakes("nervous-clerk", "rightHand") > 3.0 * max(others)
    motion = performed("wave", "robot")
    turned = rotations.angle_between(
        motion.rotations_world()[:, motion.skeleton.roles["head"]],
        motion.rotations_world()[:1, motion.skeleton.roles["head"]],
    )
    assert np.degrees(turned.max()) < 6.0


# A user's own


def own_sketch(folder, text: str):
    path = folder / "own.toml"
    path.write_text(f'kind = "sketch"\nabout = "My own."\n\n{text}', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[[property]]\nname = "postur"\namount = 1.0\n', 5, "did you mean 'posture'"),
        (
            '[[property]]\nname = "posture"\namount = 1.0\n\n[[property]]\nname = "tempo"\nfactor = 7.0\n',
            10,
            "0.4 (slow) to 2.5",
        ),
        ('[[property]]\nname = "tempo"\nspeed = 2.0\n', 6, "factor"),
        ('[[property]]\nname = "posture"\namount = "erect"\n', 6, "number"),
        ("[express]\neffort = { weigth = 1.0 }\n", 5, "weight"),
        ('[[property]]\nname = "posture"\nparts = ["wings"]\namount = 0.5\n', 6, "wings"),
        ('[[property]]\nname = "weary"\nwearyness = 0.5\n', 6, "weariness"),
        ('[[behaviour]]\nname = "breth"\n', 5, "breath"),
    ],
)
def test_mistakes_in_a_file_are_told_with_its_line(tmp_path, text, line, said):
    path = own_sketch(tmp_path, text)
    with pytest.raises(MotionFileError) as told:
        kinesphere.perform("wave", sketch=str(path))
    assert "own.toml" in str(told.value)
    assert told.value.line == line
    assert said in str(told.value)


def test_an_unknown_sketch_is_told_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'queen'"):
        Sketch("qeen")


def test_a_users_own_property_covers_that_of_a_sketch():
    """Who asks for a slumped queen gets one; what nobody asks for is hers."""
    phrase: Phrase = kinesphere.phrase_of("wave")
    from kinesphere.performance.properties.posture import Posture

    queen = Sketch("queen").apply(phrase)
    slumped = kinesphere.generate(Posture(amount=-1.0).apply(queen))
    erect = kinesphere.generate(queen)
    roles = slumped.skeleton.roles
    low, high = (own.positions_world()[0, roles["head"], 1] for own in (slumped, erect))
    assert low < high - 0.04
    assert slumped.duration == pytest.approx(erect.duration, rel=0.02)
