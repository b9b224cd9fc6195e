"""The body-shape solver: hard constraints to a millimetre, the rest as near as it can be, over time."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinesphere
from engine.bodies import BODIES
from kinesphere import Body, Motion, body_of, generate
from kinesphere.body.shape_solver.constraints import (
    BalanceConstraint,
    GazeConstraint,
    PointConstraint,
    ShapeConstraints,
)
from kinesphere.body.shape_solver.solve import SolvedShape, solve_shape
from kinesphere.builtin.library import movement
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.maths import rotations as R
from kinesphere.maths.kinematics import forward
from kinesphere.maths.vectors import smootherstep
from rigs import make_rig

MILLIMETRE = 0.001


def bodies() -> dict[str, Body]:
    """The figure, and rigs without clavicles, without fingers, and of another size."""
    return {
        "figure": figure_body(),
        "no clavicles": body_of(make_rig("none", clavicles=())),
        "small": body_of(make_rig("tip", size=0.6)),
        "long arms": body_of(make_rig("fingers", arm=1.3)),
    }


@pytest.fixture(params=list(bodies()))
def body(request: pytest.FixtureRequest) -> Body:
    return bodies()[request.param]


def standing(body: Body) -> Motion:
    """A few seconds of a gesture."""
    return generate(phrase_of(movement("wave"), body), 60.0)


def planted(motion: Motion, body: Body) -> tuple[PointConstraint, ...]:
    q, p = motion.world()
    feet = [body.roles[f"{side}Foot"] for side in ("left", "right")]
    none = np.zeros(3)
    return tuple(PointConstraint(foot, none, p[:, foot], np.ones(len(motion)), q[:, foot]) for foot in feet)


def middle(motion: Motion) -> np.ndarray:
    """A weight that comes, holds for half a second, and goes."""
    t = np.arange(len(motion)) / motion.rate
    centre = 0.5 * t[-1]
    return np.asarray(smootherstep((t - centre + 0.6) / 0.35) * smootherstep((centre + 0.6 - t) / 0.35))


def reach_for(motion: Motion, body: Body, place: tuple[float, float, float]) -> PointConstraint:
    """The right palm at a place given in leg lengths from the hips of the first frame."""
    _, p = motion.world()
    hips, leg = p[0, body.roles["hips"]], body.lengths["leftLeg"]
    target = np.tile(hips + leg * np.array(place), (len(motion), 1))
    return PointConstraint(body.roles["rightHand"], np.array([0.01, -0.02, 0.03]), target, middle(motion))


def solve(motion: Motion, body: Body, constraints: ShapeConstraints) -> SolvedShape:
    return solve_shape(body, motion.rotations, motion.translations, constraints, motion.rate)


FAR = (-0.3, 0.35, 1.05)  # beyond the arm
NEAR = (-0.3, 0.45, 0.75)  # not far beyond it


def test_feet_and_hand_to_a_millimetre(body: Body) -> None:
    motion = standing(body)
    hand = reach_for(motion, body, FAR)
    feet = planted(motion, body)
    solved = solve(motion, body, ShapeConstraints((*feet, hand)))
    q, p = forward(solved.local, solved.translations, body.skeleton.parents)
    full = hand.weight > 0.9999
    reached = p[:, hand.joint] + R.rotate(q[:, hand.joint], hand.offset)
    assert full.sum() > 20
    assert np.linalg.norm(reached - hand.target, axis=1)[full].max() < MILLIMETRE
    assert max(missed.max() for missed in solved.missed) < MILLIMETRE
    for foot in feet:
        assert np.abs(p[:, foot.joint] - foot.target).max() < MILLIMETRE
        assert R.angle_between(q[:, foot.joint], foot.orientation).max() < 1e-6
    shoulder = body.roles["rightUpperArm"]
    given = motion.positions_world()[:, shoulder]
    assert np.linalg.norm(hand.target - given, axis=1)[full].min() > body.lengths["rightArm"]  # the arm is too short


def test_met_constraints_change_nothing(body: Body) -> None:
    motion = standing(body)
    q, p = motion.world()
    hand = body.roles["leftHand"]
    held = PointConstraint(hand, np.zeros(3), p[:, hand], np.ones(len(motion)), q[:, hand])
    solved = solve(motion, body, ShapeConstraints((*planted(motion, body), held)))
    assert np.array_equal(solved.local, motion.rotations)
    assert np.array_equal(solved.translations, motion.translations)


def test_other_frames_stay_the_same_bits() -> None:
    body = figure_body()
    motion = standing(body)
    hand = reach_for(motion, body, FAR)
    solved = solve(motion, body, ShapeConstraints((*planted(motion, body), hand)))
    away = np.abs(np.arange(len(motion)) / motion.rate - 0.5 * len(motion) / motion.rate) > 1.15
    assert away.sum() > 40
    assert np.array_equal(solved.local[away], motion.rotations[away])
    assert np.array_equal(solved.translations[away], motion.translations[away])


def test_the_line_of_sight_meets_its_target(body: Body) -> None:
    motion = standing(body)
    target = motion.positions_world()[0, body.roles["head"]] + np.array([1.5, -0.3, 1.5])
    weight = middle(motion)
    gaze = GazeConstraint(np.tile(target, (len(motion), 1)), weight)
    solved = solve(motion, body, ShapeConstraints(planted(motion, body), gaze))
    assert np.degrees(solved.gaze_missed.max()) < 0.5
    legs = [body.roles[f"left{part}"] for part in ("UpperLeg", "LowerLeg", "Foot")]
    assert np.array_equal(solved.local[:, legs], motion.rotations[:, legs])


def test_the_centre_of_mass_comes_where_it_is_asked(body: Body) -> None:
    motion = standing(body)
    feet = planted(motion, body)
    goal = feet[0].target[:, [0, 2]]
    com = BalanceConstraint(goal, middle(motion))
    solved = solve(motion, body, ShapeConstraints(feet, com=com))
    full = com.weight > 0.9999
    assert np.linalg.norm(solved.com[:, [0, 2]] - goal, axis=1)[full].max() < MILLIMETRE
    assert max(missed.max() for missed in solved.missed) < MILLIMETRE


def test_the_same_twice() -> None:
    body = figure_body()
    motion = standing(body)
    constraints = ShapeConstraints((*planted(motion, body), reach_for(motion, body, FAR)))
    first, second = solve(motion, body, constraints), solve(motion, body, constraints)
    assert np.array_equal(first.local, second.local)
    assert np.array_equal(first.translations, second.translations)


# Everything at once, on many bodies, for targets anywhere


def other_bodies() -> dict[str, Body]:
    """Bodies that differ from the figure in joints, axes, rest pose, heading and root."""
    return {name: body_of(BODIES[name]) for name in BODIES if name != "ours"}


OTHERS = other_bodies()
GEOMETRY = 1e-6  # metres, of a metre: what comes out of iterations


def still(body: Body, frames: int = 1) -> Motion:
    """One moment of a gesture, so many times."""
    motion = standing(body)
    one = motion[len(motion) // 2 : len(motion) // 2 + 1]
    return replace(
        one,
        rotations=np.repeat(one.rotations, frames, axis=0),
        translations=np.repeat(one.translations, frames, axis=0),
    )


def at(motion: Motion, body: Body, role: str, target: np.ndarray, weight: np.ndarray | None = None) -> PointConstraint:
    """A joint at a place or on a path in the world."""
    count = len(motion)
    target = np.broadcast_to(target, (count, 3)).copy()
    return PointConstraint(body.roles[role], np.zeros(3), target, np.ones(count) if weight is None else weight)


def placed(motion: Motion, body: Body, place: np.ndarray, role: str = "hips") -> np.ndarray:
    """A place given in leg lengths from a joint of the first frame, in the body's axes: left, up, ahead."""
    _, p = motion.world()
    return p[0, body.roles[role]] + body.lengths["leftLeg"] * R.rotate(facing_of(motion, body), place)


def facing_of(motion: Motion, body: Body) -> np.ndarray:
    """The rotation that takes up-and-ahead axes to those of how the body stands."""
    _, p = motion.world()
    hips = [body.roles[f"{side}UpperLeg"] for side in ("left", "right")]
    left = (p[0, hips[0]] - p[0, hips[1]]) * np.array([1.0, 0.0, 1.0])
    return R.from_axis_angle([0.0, 1.0, 0.0], float(np.arctan2(-left[2], left[0])))


def world(solved: SolvedShape, body: Body) -> tuple[np.ndarray, np.ndarray]:
    return forward(solved.local, solved.translations, body.skeleton.parents)


def check(solved: SolvedShape, motion: Motion, body: Body, constraints: ShapeConstraints) -> None:
    """What holds for any constraints: finite, rigid, feet kept, and misses that are true."""
    assert np.isfinite(solved.local).all()
    assert np.isfinite(solved.translations).all()
    assert R.unit_error(solved.local) < 1e-9
    q, p = world(solved, body)
    moved = np.abs(solved.translations - motion.translations).max(axis=(0, 2))
    attached = [body.roles[role] for role in ("hips", "leftFoot", "rightFoot")]  # feet may hang on the root
    assert np.delete(moved, attached).max() == 0.0
    for point, missed in zip(constraints.points, solved.missed, strict=True):
        here = p[:, point.joint] + R.rotate(q[:, point.joint], point.offset)
        away = np.linalg.norm(here - point.target, axis=1)
        assert missed == pytest.approx(np.where(point.weight > 0.999, away, 0.0), abs=1e-9 * body.lengths["leftLeg"])
    mass = np.array([part.mass for part in body.mass])
    centres = np.stack([p[:, part.joint] + R.rotate(q[:, part.joint], part.offset) for part in body.mass], axis=1)
    assert solved.com == pytest.approx(np.einsum("s,tsi->ti", mass, centres), abs=1e-9)


places = st.tuples(st.floats(-1.2, 1.2), st.floats(-1.2, 1.4), st.floats(-1.2, 1.4)).map(np.array)


@pytest.mark.parametrize("name", [*bodies(), *OTHERS])
@given(left=places, right=places, look=places, com=st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.15)))
@settings(max_examples=12)
def test_both_hands_gaze_and_balance_at_once(name: str, left, right, look, com) -> None:
    """Targets anywhere: feet stay to a millimetre, balance is kept, what is missed is told, nothing breaks."""
    body = (bodies() | OTHERS)[name]
    motion = still(body)
    feet = planted(motion, body)
    centre = solve(motion, body, ShapeConstraints(feet)).com[:, [0, 2]]
    aside = body.lengths["leftLeg"] * R.rotate(facing_of(motion, body), np.array([com[0], 0.0, com[1]]))
    constraints = ShapeConstraints(
        (
            *feet,
            at(motion, body, "leftHand", placed(motion, body, left)),
            at(motion, body, "rightHand", placed(motion, body, right)),
        ),
        GazeConstraint(placed(motion, body, look, "head")[None], np.ones(1)),
        BalanceConstraint(centre + aside[[0, 2]], np.ones(1)),
    )
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    size = body.lengths["leftLeg"] / 0.85
    assert max(solved.missed[0][0], solved.missed[1][0]) < MILLIMETRE * size
    assert solved.com_missed[0] < 20.0 * MILLIMETRE * size


@pytest.mark.parametrize("name", [*bodies(), *OTHERS])
@given(
    direction=places.filter(lambda v: np.linalg.norm(v) > 0.2),
    share=st.floats(0.5, 1.1),
    side=st.sampled_from(["left", "right"]),
)
@settings(max_examples=15)
def test_what_is_within_reach_of_arm_and_trunk_is_met(name: str, direction, share, side) -> None:
    """Ahead of the shoulder, up to a tenth of an arm beyond the arm: to a millimetre."""
    body = (bodies() | OTHERS)[name]
    motion = still(body)
    _, p = motion.world()
    direction = np.array([direction[0], abs(direction[1]) * 0.5, 0.4 + abs(direction[2])])
    way = R.rotate(facing_of(motion, body), direction / np.linalg.norm(direction))
    target = p[0, body.roles[f"{side}UpperArm"]] + share * body.lengths[f"{side}Arm"] * way
    constraints = ShapeConstraints((*planted(motion, body), at(motion, body, f"{side}Hand", target)))
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    assert max(missed[0] for missed in solved.missed) < MILLIMETRE * body.lengths["leftLeg"] / 0.85


HARD_PLACES = {
    "in the chest": ("upperChest", (0.0, 0.0, 0.0)),
    "at the shoulder": ("rightUpperArm", (0.0, 0.0, 0.0)),
    "at the elbow": ("rightLowerArm", (0.0, 0.0, 0.0)),
    "behind": ("hips", (-0.1, 0.3, -0.7)),
    "at the feet": ("rightFoot", (0.0, 0.0, 0.1)),
    "overhead": ("head", (0.0, 1.2, 0.0)),
    "a kilometre away": ("hips", (300.0, 400.0, 900.0)),
}


@pytest.mark.parametrize("place", HARD_PLACES)
@pytest.mark.parametrize("name", ["figure", "no clavicles", *OTHERS])
def test_awkward_targets(name: str, place: str) -> None:
    """Finite, told truly, and a body that cannot reach does not bend farther than it needs to."""
    body = (bodies() | OTHERS)[name]
    motion = still(body)
    role, offset = HARD_PLACES[place]
    role = role if role in body.roles else "chest" if "chest" in body.roles else "spine"
    target = placed(motion, body, np.array(offset), role)
    feet = planted(motion, body)
    constraints = ShapeConstraints((*feet, at(motion, body, "rightHand", target)))
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    size = body.lengths["leftLeg"] / 0.85
    assert max(solved.missed[0][0], solved.missed[1][0]) < MILLIMETRE * size
    margin = solve(motion, body, ShapeConstraints(feet)).margin[0]
    assert solved.margin[0] > min(margin - 0.03 * size, 0.01)  # it does not fall
    _, p = motion.world()
    before = np.linalg.norm(p[0, body.roles["rightHand"]] - target)
    assert solved.missed[2][0] <= before + MILLIMETRE * size
    if place == "a kilometre away":
        moved = np.linalg.norm(world(solved, body)[1][0, body.roles["head"]] - p[0, body.roles["head"]])
        assert moved < 0.9 * body.lengths["leftLeg"]


@pytest.mark.parametrize("name", list(bodies()))
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (0.0, 0.0, -2.0), (0.0, -2.0, 0.0), (0.0, 0.08, 0.11)])
def test_gaze_into_the_eye_behind_and_down(name: str, place: tuple[float, float, float]) -> None:
    """Nobody breaks their neck: the head stays within its range, and what is not looked at is told."""
    body = bodies()[name]
    motion = still(body)
    target = placed(motion, body, np.array(place), "head")
    constraints = ShapeConstraints(planted(motion, body), GazeConstraint(target[None], np.ones(1)))
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    chest = body.anatomy.spine[-1]
    (q, _), (was, _) = world(solved, body), motion.world()
    turned = R.multiply(R.conjugate(q[0, chest]), q[0, body.roles["head"]])
    before = R.multiply(R.conjugate(was[0, chest]), was[0, body.roles["head"]])
    assert np.degrees(R.angle_between(turned, before)) < 125.0
    if place[2] == -2.0:
        assert solved.gaze_missed[0] > 1.0


def test_a_gaze_that_goes_around_the_head_never_leaps(body: Body) -> None:
    motion = still(body, 360)
    turn = np.radians(np.arange(360.0) * 2.0)
    circle = 1.5 * np.stack([np.sin(turn), np.full(360, 0.1), np.cos(turn)], axis=1)
    path = np.array([placed(motion, body, place, "head") for place in circle])
    solved = solve(motion, body, ShapeConstraints(planted(motion, body), GazeConstraint(path, np.ones(360))))
    ahead = np.cos(turn) > np.cos(np.radians(50.0))
    assert np.degrees(solved.gaze_missed[ahead].max()) < 0.5  # both times around
    head = world(solved, body)[0][:, body.roles["head"]]
    step = np.degrees(R.angle_between(head[1:], head[:-1]))
    assert step.max() < 20.0  # the target turns by 2° a frame, and comes from one side to the other in 35°


# Time


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 600])
def test_any_number_of_frames(frames: int) -> None:
    body = figure_body()
    motion = still(body, frames)
    target = placed(motion, body, np.array(NEAR)) + 0.05 * np.sin(np.arange(frames) / 20.0)[:, None]
    constraints = ShapeConstraints(
        (*planted(motion, body), at(motion, body, "rightHand", target)),
        GazeConstraint(target, np.ones(frames)),
        BalanceConstraint(None, np.ones(frames)),
    )
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    assert max(missed.max() for missed in solved.missed) < MILLIMETRE
    assert solved.com_missed.max() < MILLIMETRE


def test_no_weight_no_change(body: Body) -> None:
    """Constraints without weight leave the same bits, whatever they ask for."""
    motion = standing(body)
    count = len(motion)
    none = np.zeros(count)
    constraints = ShapeConstraints(
        (at(motion, body, "rightHand", np.array([9.0, 9.0, 9.0]), none),),
        GazeConstraint(np.full((count, 3), 5.0), none),
        BalanceConstraint(np.full((count, 2), 5.0), none),
    )
    solved = solve(motion, body, constraints)
    assert np.array_equal(solved.local, motion.rotations)
    assert np.array_equal(solved.translations, motion.translations)
    assert not solved.missed[0].any()


@pytest.mark.parametrize(("place", "trunk", "anything"), [(NEAR, 0.006, 0.03), (FAR, 0.025, 0.08)])
def test_weights_that_come_and_go_make_no_steps(body: Body, place, trunk: float, anything: float) -> None:
    """Hand, gaze and balance come and go within a third of a second, within reach and beyond it: nothing leaps."""
    motion = still(body, 150)
    weight = middle(motion)
    target = placed(motion, body, np.array(place))
    count = len(motion)
    constraints = ShapeConstraints(
        (*planted(motion, body), at(motion, body, "rightHand", target, weight)),
        GazeConstraint(np.tile(target, (count, 1)), weight),
        BalanceConstraint(planted(motion, body)[0].target[:, [0, 2]], weight),
    )
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    _, p = world(solved, body)
    size = body.lengths["leftLeg"]
    joints = [body.roles[role] for role in ("hips", "head", "leftUpperArm", "rightUpperArm")]
    bent = np.linalg.norm(np.diff(p, 2, axis=0), axis=2)
    assert bent[:, joints].max() < trunk * size
    assert bent.max() < anything * size  # an arm that comes to its end straightens at once


@given(weight=st.floats(0.0, 1.0), more=st.floats(0.0, 0.01))
@settings(max_examples=25)
def test_a_little_more_weight_changes_a_little(weight: float, more: float) -> None:
    body = figure_body()
    motion = still(body)
    target = placed(motion, body, np.array(FAR))

    def of(share: float) -> np.ndarray:
        own = np.array([min(share, 1.0)])
        constraints = ShapeConstraints(
            (*planted(motion, body), at(motion, body, "rightHand", target, own)),
            GazeConstraint(target[None], own),
            BalanceConstraint(planted(motion, body)[0].target[:, [0, 2]], own),
        )
        return world(solve(motion, body, constraints), body)[1]

    assert np.abs(of(weight + more) - of(weight)).max() < 0.02 + 3.0 * more


@given(step=st.floats(0.0, 0.004), u=st.floats(0.0, 6.3))
@settings(max_examples=40)
def test_a_dragged_hand_takes_the_body_along_without_leaps(step: float, u: float) -> None:
    """One pose at a time, each by itself, as a hand is dragged: within reach and beyond it."""
    body = figure_body()
    motion = still(body)

    def of(u: float) -> np.ndarray:
        place = [-0.3 + 0.4 * np.sin(u), 0.35 + 0.4 * np.cos(2.0 * u), 0.8 + 0.3 * np.sin(0.7 * u)]
        target = placed(motion, body, np.array(place))
        constraints = ShapeConstraints(
            (*planted(motion, body), at(motion, body, "rightHand", target)), com=BalanceConstraint(None, np.ones(1))
        )
        return world(solve(motion, body, constraints), body)[1]

    assert np.abs(of(u + step) - of(u)).max() < 0.012 + 10.0 * step


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_the_same_at_other_rates(rate: float) -> None:
    body = figure_body()

    def of(own: float) -> tuple[Motion, np.ndarray]:
        motion = standing(body).resampled(own)
        return motion, world(solve(motion, body, everything(motion, body)), body)[1]

    (_, plain), (motion, other) = of(60.0), of(rate)
    seconds = np.arange(len(motion)) / rate
    frames = np.arange(len(plain)) / 60.0
    joints = [body.roles[role] for role in ("hips", "head", "rightLowerArm", "leftLowerLeg")]
    for joint in joints:
        there = np.stack([np.interp(seconds, frames, plain[:, joint, i]) for i in range(3)], axis=1)
        assert np.abs(other[:, joint] - there)[seconds < frames[-1]].max() < 0.02


def test_backward_in_time_is_the_same_backward() -> None:
    body = figure_body()
    motion = standing(body)
    constraints = everything(motion, body)
    one = world(solve(motion, body, constraints), body)[1]
    back = replace(motion, rotations=motion.rotations[::-1].copy(), translations=motion.translations[::-1].copy())
    other = world(solve(back, body, turned_back(constraints)), body)[1][::-1]
    assert np.abs(one - other).max() < 0.002  # knots in time are the same, iterations take other ways


def everything(motion: Motion, body: Body) -> ShapeConstraints:
    weight = middle(motion)
    target = np.tile(placed(motion, body, np.array(FAR)), (len(motion), 1))
    return ShapeConstraints(
        (*planted(motion, body), at(motion, body, "rightHand", target, weight)),
        GazeConstraint(target, weight),
        BalanceConstraint(None, weight),
    )


def turned_back(constraints: ShapeConstraints) -> ShapeConstraints:
    points = tuple(
        replace(
            point,
            target=point.target[::-1],
            weight=point.weight[::-1],
            orientation=None if point.orientation is None else point.orientation[::-1],
        )
        for point in constraints.points
    )
    gaze, com = constraints.gaze, constraints.com
    return ShapeConstraints(
        points,
        GazeConstraint(gaze.target[::-1], gaze.weight[::-1]),
        BalanceConstraint(com.target, com.weight[::-1]),
    )


# Symmetries


@pytest.mark.parametrize("name", ["figure", "no hands"])
def test_the_mirror_image_is_solved_by_the_mirror_image(name: str) -> None:
    body = figure_body() if name == "figure" else body_of(make_rig("none"))
    motion = standing(body)
    other = motion.mirrored()
    one = solve(motion, body, mirrored_constraints(motion, body, "right"))
    two = solve(other, body, mirrored_constraints(other, body, "left"))
    made = replace(motion, rotations=one.local, translations=one.translations).mirrored().positions_world()
    expected = world(two, body)[1]
    assert np.abs(made - expected).max() < GEOMETRY * 10.0


def mirrored_constraints(motion: Motion, body: Body, side: str) -> ShapeConstraints:
    """The same for the right hand, and mirrored for the left."""
    count, sign = len(motion), -1.0 if side == "right" else 1.0
    weight = middle(motion)
    target = np.tile(np.array([sign * 0.3, 1.25, 0.75]), (count, 1))
    return ShapeConstraints(
        (*planted(motion, body), at(motion, body, f"{side}Hand", target, weight)),
        GazeConstraint(target + np.array([sign * 0.4, 0.2, 0.0]), weight),
        BalanceConstraint(np.tile(np.array([sign * 0.03, 0.05]), (count, 1)), weight),
    )


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_small_and_large_bodies_move_alike(size: float) -> None:
    plain = standing(body_of(make_rig("fingers")))

    def of(motion: Motion) -> np.ndarray:
        body = body_of(motion.skeleton)
        return world(solve(motion, body, everything(motion, body)), body)[1]

    assert np.abs(of(plain.scaled(size)) / size - of(plain)).max() < 1e-6


# Characters


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["CesiumMan.glb", "RobotExpressive.glb", "mesh2motion_human_male.glb", "minimal_vrm0.vrm"]
)
def test_characters_of_others(data_dir, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = body_of(kinesphere.load_character(data_dir / "characters" / name))
        motion = standing(body)
    constraints = everything(motion, body)
    solved = solve(motion, body, constraints)
    check(solved, motion, body, constraints)
    size = body.lengths["leftLeg"] / 0.85
    assert max(solved.missed[0].max(), solved.missed[1].max()) < MILLIMETRE * size
    assert np.linalg.norm(np.diff(world(solved, body)[1], 2, axis=0), axis=2).max() < 0.09 * body.lengths["leftLeg"]
