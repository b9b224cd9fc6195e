"""A hand, a foot, the head or the hips of a posed body brought somewhere else."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import Motion, Skeleton
from kinesphere.body.limits import limit_excess
from kinesphere.body.reach.limb import ENDS, limb_of, solve_limb_chain, swivel_limb
from kinesphere.body.reach.swivel import orientation_share, outward_swivel
from kinesphere.body.reach.targets import MOVABLE, EditablePose, reach_targets
from kinesphere.builtin import motion
from kinesphere.maths import rotations as R
from rerig import turn_axes_anyhow

WAVE = motion("wave")[::8]
HANDS = ("leftHand", "rightHand")
near = st.lists(st.floats(-0.12, 0.12), min_size=3, max_size=3).map(np.array)


def bones(motion: Motion) -> np.ndarray:
    p, parents = motion.positions_world(), motion.skeleton.parents
    return np.linalg.norm(p - p[:, np.maximum(parents, 0)], axis=-1)[:, parents >= 0]


def within_arms_length(motion: Motion, end: str, target: np.ndarray) -> np.ndarray:
    """``(T,)`` whether a limb reaches there by itself, neither quite stretched nor quite folded."""
    p, limb = motion.positions_world(), limb_of(motion.skeleton, end, *motion.world())
    upper, lower = (np.linalg.norm(p[:, b] - p[:, a], axis=1) for a, b in ((limb[0], limb[1]), (limb[1], limb[2])))
    share = np.linalg.norm(target - p[:, limb.upper], axis=1) / (upper + lower)
    return (share < 0.985) & (share > 0.4)


def with_twists(motion: Motion) -> Motion:
    """The same body with a twist joint in the middle of every upper and lower bone of its limbs."""
    skeleton, split = motion.skeleton, [f"{s}{b}" for s in ("left", "right") for b in ("LowerArm", "Hand", "LowerLeg")]
    names, parents, offsets, roles, rows = [], [], [], {}, []
    at: dict[int, int] = {-1: -1}
    for joint, name in enumerate(skeleton.names):
        parent, offset = at[int(skeleton.parents[joint])], skeleton.offsets[joint]
        if name in split:
            names.append(f"{name}Twist")
            parents.append(parent)
            offsets.append(0.5 * offset)
            rows.append((joint, True))
            parent, offset = len(names) - 1, 0.5 * offset
        at[joint] = len(names)
        names.append(name)
        parents.append(parent)
        offsets.append(offset)
        rows.append((joint, False))
    roles = {role: at[joint] for role, joint in skeleton.roles.items()}
    made = Skeleton(tuple(names), np.array(parents), np.array(offsets), roles=roles)
    q, t = R.identity(len(motion), len(made)), np.tile(made.offsets, (len(motion), 1, 1))
    for new, (old, twist) in enumerate(rows):
        if not twist:
            q[:, new] = motion.rotations[:, old]
    t[:, at[0]] = motion.translations[:, 0]
    return Motion(made, motion.rate, q, t)


def lying(motion: Motion) -> Motion:
    """The same body below a root whose vertical is Z."""
    skeleton, turn = motion.skeleton, R.from_rotation_vector([-np.pi / 2.0, 0.0, 0.0])
    back = R.conjugate(turn)
    offsets = np.vstack([np.zeros(3), skeleton.offsets])
    offsets[1] = R.rotate(back, offsets[1])
    rest = np.vstack([turn, skeleton.rest_rotations])
    rest[1] = R.multiply(back, rest[1])
    roles = {role: joint + 1 for role, joint in skeleton.roles.items()}
    parents = np.concatenate([[-1], skeleton.parents + 1])
    made = Skeleton(("armature", *skeleton.names), parents, offsets, rest, roles)
    q, t = np.empty((len(motion), len(made), 4)), np.zeros((len(motion), len(made), 3))
    q[:, 0], q[:, 1:], t[:, 1:] = turn, motion.rotations, motion.translations
    q[:, 1], t[:, 1] = R.multiply(back, q[:, 1]), R.rotate(back, t[:, 1])
    return Motion(made, motion.rate, q, t)


@lru_cache
def rig(kind: str) -> Motion:
    return {"plain": WAVE, "axes": turn_axes_anyhow(WAVE, 4), "twists": with_twists(WAVE), "lying": lying(WAVE)}[kind]


RIGS = ("plain", "axes", "twists", "lying")


@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("part", MOVABLE)
@given(way=near)
def test_it_is_there_or_says_by_how_much_it_is_not(kind: str, part: str, way: np.ndarray) -> None:
    given = rig(kind)
    made, missed = reach_targets(given, part, by=way)
    joint = given.skeleton.roles[part]
    target = given.positions_world()[:, joint] + way
    away = np.linalg.norm(made.positions_world()[:, joint] - target, axis=1)
    assert away == pytest.approx(missed, abs=1e-9)
    assert missed.max() <= np.linalg.norm(way) + 1e-9  # nothing ends farther away than it was
    if part == "hips":
        assert missed.max() < 1e-9
    if part in ENDS:
        assert missed[within_arms_length(given, part, target)].max(initial=0.0) < 1e-4
    assert np.isfinite(made.rotations).all()
    if part != "hips":
        assert np.abs(bones(made) - bones(given)).max() < 1e-9


@pytest.mark.parametrize("part", MOVABLE)
def test_what_stays_where_it_is_stays_to_the_last_bit(part: str) -> None:
    assert reach_targets(WAVE, part, by=(0.0, 0.0, 0.0)).motion is WAVE
    way = np.zeros((len(WAVE), 3))
    way[5] = (0.0, -0.04, 0.02)
    made = reach_targets(WAVE, part, by=way).motion
    others = np.arange(len(WAVE)) != 5
    assert np.array_equal(made.rotations[others], WAVE.rotations[others])
    assert np.array_equal(made.translations[others], WAVE.translations[others])
    assert not np.array_equal(made.positions_world()[5], WAVE.positions_world()[5])


@pytest.mark.parametrize("part", [*ENDS, "head"])
@pytest.mark.parametrize("kind", ["axes", "twists", "lying"])
def test_a_rigs_axes_and_helpers_do_not_matter(part: str, kind: str) -> None:
    way = (0.05, -0.03, 0.06)
    plain, other = (reach_targets(rig(name), part, by=way).motion for name in ("plain", kind))
    for role in WAVE.skeleton.roles:
        a, b = (made.positions_world()[:, made.skeleton.roles[role]] for made in (plain, other))
        assert np.abs(a - b).max() < 1e-4, role


def test_mirrored_limbs_are_moved_alike() -> None:
    left = reach_targets(WAVE, "leftHand", by=(0.1, 0.12, 0.05)).motion
    right = reach_targets(WAVE.mirrored(), "rightHand", by=(-0.1, 0.12, 0.05)).motion
    assert np.abs(left.mirrored().positions_world() - right.positions_world()).max() < 1e-6


@pytest.mark.parametrize("part", ENDS)
@given(way=near, frame=st.integers(0, len(WAVE) - 1))
def test_a_little_farther_turns_a_limb_a_little_more(part: str, way: np.ndarray, frame: int) -> None:
    """No joint jumps on a straight way there and back again, however straight the limb becomes."""
    steps = np.linspace(0.0, 2.5, 200)[:, None] * way
    still = Motion(WAVE.skeleton, 60.0, *(np.repeat(a[frame : frame + 1], 200, axis=0) for a in _pose(WAVE)))
    made = reach_targets(still, part, by=steps, assist=False).motion
    jump = R.angle_between(made.rotations[1:], made.rotations[:-1]).max()
    assert jump < 0.05 + 60.0 * np.linalg.norm(steps[1])


def _pose(motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    return motion.rotations, motion.translations


def arm_bent_by(flexion: np.ndarray) -> Motion:
    """Arms aside, the left elbow bent by so much, a frame each; below zero the wrong way."""
    skeleton = WAVE.skeleton
    q = np.tile(skeleton.rest_rotations, (len(flexion), 1, 1))
    q[:, skeleton.roles["leftLowerArm"]] = R.from_rotation_vector(flexion[:, None] * [0.0, -1.0, 0.0])
    return Motion(skeleton, 60.0, q)


def test_an_elbow_passes_through_straight_without_a_kink() -> None:
    """Captures bend straight elbows a little backward. Drawn nearer they all bend forward, and alike."""
    swinging = arm_bent_by(np.linspace(0.1, -0.1, 81))
    shoulder = swinging.positions_world()[0, swinging.skeleton.roles["leftUpperArm"]]
    hand = swinging.positions_world()[:, swinging.skeleton.roles["leftHand"]]
    for share in (1.0, 0.999, 0.99, 0.9):
        made = reach_targets(swinging, "leftHand", to=shoulder + share * (hand - shoulder)).motion
        elbow = made.positions_world()[:, made.skeleton.roles["leftLowerArm"]]
        assert np.linalg.norm(np.diff(elbow, axis=0), axis=1).max() < 0.012, share
    assert (elbow[:, 2] < hand[:, 2] - 0.05).all()  # behind a hand that came nearer: the arm folds forward


def test_a_straight_arm_never_bent_folds_forward() -> None:
    made = reach_targets(arm_bent_by(np.zeros(1)), "leftHand", by=(-0.15, 0.0, 0.0)).motion
    elbow, hand = (made.positions_world()[0, made.skeleton.roles[f"left{part}"]] for part in ("LowerArm", "Hand"))
    assert elbow[2] < hand[2] - 0.1


def test_the_elbow_keeps_its_plane_and_swivels_when_asked() -> None:
    roles = WAVE.skeleton.roles
    joints = [roles[f"right{part}"] for part in ("UpperArm", "LowerArm", "Hand")]
    turned, missed = reach_targets(WAVE, "rightHand", by=(0.0, 0.0, 0.0), swivel=0.4)
    assert missed.max() < 1e-9
    a, b = (made.positions_world()[:, joints] for made in (WAVE, turned))
    assert np.abs((b - a)[:, [0, 2]]).max() < 1e-9
    moved = np.linalg.norm((b - a)[:, 1], axis=1)
    axis = a[:, 2] - a[:, 0]
    radius = np.linalg.norm(np.cross(a[:, 1] - a[:, 0], axis), axis=1) / np.linalg.norm(axis, axis=1)
    assert moved == pytest.approx(2.0 * np.sin(0.2) * radius, rel=1e-6)


def test_hands_keep_their_orientation_or_go_along() -> None:
    hand = WAVE.skeleton.roles["rightHand"]
    kept = reach_targets(WAVE, "rightHand", by=(0.0, 0.03, 0.02)).motion
    along = reach_targets(WAVE, "rightHand", by=(0.0, 0.03, 0.02), keep_orientation=False).motion
    assert R.angle_between(kept.rotations_world(), WAVE.rotations_world())[:, hand].max() < 1e-6
    assert np.array_equal(along.rotations[:, hand], WAVE.rotations[:, hand])


@given(way=near)
def test_wrists_are_not_turned_past_their_limits_for_it(way: np.ndarray) -> None:
    before, after = (
        limit_excess(made)["rightHand"] for made in (WAVE, reach_targets(WAVE, "rightHand", by=way).motion)
    )
    assert np.degrees((after - before).max()) < 1.0


def test_the_trunk_helps_a_little_when_the_arm_is_too_short() -> None:
    given = motion("reach")[100:101]
    far = (0.0, 0.0, 0.14)
    alone, helped = (reach_targets(given, "rightHand", by=far, assist=assist) for assist in (False, True))
    assert alone.missed[0] > 0.01 > 0.001 > helped.missed[0]
    legs = [joint for role, joint in given.skeleton.roles.items() if "Leg" in role or "Foot" in role]
    assert np.array_equal(helped.motion.positions_world()[:, legs], given.positions_world()[:, legs])
    turned = R.angle_between(helped.motion.rotations, given.rotations)[0]
    trunk = [given.skeleton.names.index(name) for name in ("spine", "spine2", "chest", "upperChest")]
    assert 0.02 < turned[trunk].sum() < np.radians(20.5)
    assert np.array_equal(alone.motion.rotations[:, trunk], given.rotations[:, trunk])


def test_out_of_reach_is_approached() -> None:
    made, missed = reach_targets(WAVE, "leftHand", by=(0.0, -2.0, 0.0))
    down = (made.positions_world() - WAVE.positions_world())[:, WAVE.skeleton.roles["leftHand"], 1]
    assert (missed > 1.5).all()
    assert (down < -0.01).all()


def test_a_limb_taken_apart_and_laid_again_is_itself() -> None:
    q, p = WAVE.world()
    for end in ENDS:
        limb = limb_of(WAVE.skeleton, end, q, p)
        laid = solve_limb_chain(limb, q, p, p[:, limb.end])
        assert R.angle(laid.upper).max() < 1e-6
        assert R.angle(laid.lower).max() < 1e-6
        assert np.abs(laid.end - p[:, limb.end]).max() < 1e-9


@given(seed=st.integers(0, 2**32 - 1))
def test_limits_of_an_end_alone_are_those_of_the_whole_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q = R.continuous(R.from_rotation_vector(rng.normal(scale=0.8, size=(6, len(WAVE.skeleton), 3))))
    wild = Motion(WAVE.skeleton, 10.0, q)  # so slow that every frame is looked at
    excess = limit_excess(wild)
    for end in ENDS:
        joint, turn = wild.skeleton.roles[end], R.from_rotation_vector(rng.normal(size=(6, 3)))
        kept = R.multiply(wild.rotations[:, joint], turn)
        share = orientation_share(wild, end, wild.rotations[:, joint], kept, np.ones(6, dtype=bool))
        q = wild.rotations.copy()
        q[:, joint] = R.slerp(wild.rotations[:, joint], kept, share)
        after = limit_excess(replace(wild, rotations=R.continuous(q)))[end]
        assert np.degrees((after - excess[end]).max()) < 2.0
        assert (share <= 1.0).all()
        assert (share >= 0.0).all()


def test_arms_go_no_farther_back_than_they_can() -> None:
    """A hand beside the hips is raised where it is: elbows that would go behind the back go outward."""
    back = arm_bent_by(np.full(3, 0.3))
    q = back.rotations.copy()
    q[:, back.skeleton.roles["leftUpperArm"]] = R.from_rotation_vector([0.5, 0.0, -1.2])
    back = replace(back, rotations=q)
    q, p = back.world()
    limb = limb_of(back.skeleton, "leftHand", q, p)
    laid = solve_limb_chain(limb, q, p, p[:, limb.end] + [0.0, 0.25, -0.05])
    angle = outward_swivel(back.skeleton, "leftHand", limb, q, p, laid, 60.0)
    past = [np.degrees(limit_excess(back)["leftUpperArm"].max())]
    for one in (laid, swivel_limb(limb, p, laid, angle)):
        pose = EditablePose(back.skeleton, back.rotations.copy(), back.translations.copy())
        pose.apply_limb(limb, q, p, one, None, np.ones(3, dtype=bool))
        past.append(np.degrees(limit_excess(replace(back, rotations=pose.rotations))["leftUpperArm"].max()))
    assert past[1] > past[0] + 3.0
    assert past[2] < past[0] + 0.5


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("did you mean 'leftHand'", {"part": "lefthand", "by": (0, 0, 0)}),
        ("say where", {"part": "head"}),
        ("say where", {"part": "head", "to": (0, 0, 0), "by": (0, 0, 0)}),
        ("shape", {"part": "head", "to": (0, 0)}),
        ("not finite", {"part": "leftHand", "by": (0, np.nan, 0)}),
    ],
)
def test_what_is_refused(said: str, how: dict) -> None:
    with pytest.raises(ValueError, match=said):
        reach_targets(WAVE, **how)


def test_who_has_no_hands_is_told_so() -> None:
    one = Motion(Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0.3, 0.0]])), 30.0, R.identity(3, 2))
    with pytest.raises(ValueError, match="no humanoid"):
        reach_targets(one, "leftHand", by=(0.0, 0.1, 0.0))


def test_bones_of_no_length_are_told() -> None:
    offsets = WAVE.skeleton.offsets.copy()
    offsets[WAVE.skeleton.roles["leftHand"]] = 0.0
    flat = Motion(replace(WAVE.skeleton, offsets=offsets), 30.0, WAVE.rotations)
    with pytest.raises(ValueError, match="no length"):
        reach_targets(flat, "leftHand", by=(0.0, 0.1, 0.0))
