"""The body-shape solver: hard constraints to a millimetre, the rest as near as it can be, over time."""

from __future__ import annotations

import numpy as np
import pytest

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
