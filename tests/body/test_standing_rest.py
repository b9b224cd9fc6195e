"""Rest poses that no body stands in: limits, hinges and soles come from the motion, whatever the rest pose and axes."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesphere import Motion, Skeleton, clamp_to_limits, limit_excess, load
from kinesphere.body.reach.targets import reach_targets
from kinesphere.body.standing_rest import standing_skeleton, with_standing_rest
from kinesphere.builtin import mo, motion
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import with_plain_rest
from rerig import point_all_bones, turn_axes_anyhow
from rest_poses import AHEAD, DOWN, REST_POSES, UPWARD, at_origin, with_rest

WALK, KNOCK = motion("walk"), motion("knock")
FOUND = [  # rest poses that show nothing of a body: all of it is found in the frames
    name for name in REST_POSES if name.startswith(("along", "axes", "sitting", "crouched", "at the", "knees"))
]


def places(skeleton: Skeleton) -> np.ndarray:
    """Where joints are at rest, seen from the hips."""
    p = skeleton.rest_world()[1]
    return p - p[skeleton.roles["hips"]]


@pytest.mark.parametrize("name", REST_POSES)
def test_the_motion_is_the_same(name: str) -> None:
    made = REST_POSES[name](WALK)
    assert np.abs(made.positions_world() - WALK.positions_world()).max() < 1e-9
    standing = with_standing_rest(made)
    assert standing.rotations is made.rotations
    assert standing.translations is made.translations


@pytest.mark.parametrize("name", FOUND)
def test_a_body_is_found_whatever_the_rest_pose(name: str) -> None:
    """To rounding the same one: neither the rest pose nor the joints' axes have a say."""
    for given in (WALK, KNOCK.resampled(30.0)):
        first, other = (standing_skeleton(REST_POSES[one](given)) for one in (FOUND[0], name))
        assert first is not None
        assert other is not None
        assert places(other) == pytest.approx(places(first), abs=1e-9)


@pytest.mark.parametrize("name", REST_POSES)
def test_it_stands_and_bends_as_a_body(name: str) -> None:
    """Legs are straight down, arms down or to the sides, and knees and elbows flex about the figure's own axes."""
    given = REST_POSES[name](WALK)
    skeleton = with_standing_rest(given).skeleton.with_found_roles()
    (q, p), roles = skeleton.rest_world(), skeleton.roles
    world = given.world()[0]
    for side, outward in (("left", 1.0), ("right", -1.0)):
        for upper, lower, end, ahead in (
            ("UpperArm", "LowerArm", "Hand", (0.0, 0.0, 1.0)),
            ("UpperLeg", "LowerLeg", "Foot", (0.0, 0.0, -1.0)),
        ):
            a, b, c = (roles[side + part] for part in (upper, lower, end))
            bones = [(p[j] - p[i]) / np.linalg.norm(p[j] - p[i]) for i, j in ((a, b), (b, c))]
            assert bones[0] @ bones[1] > 0.98
            along = bones[0] * (outward, 1.0, 1.0)
            assert along[1] < -0.95 if end == "Foot" else (along[0] > 0.0 and abs(along[2]) < 0.77 and along[1] < 0.5)
            # The hinge that the rest pose says, carried to where the figure's own hinge is in every frame.
            hinge = np.cross(bones[0], ahead)
            seen = R.rotate(R.multiply(world[:, a], R.conjugate(q[a])), hinge)
            positions = given.positions_world()
            shown = np.cross(positions[:, b] - positions[:, a], positions[:, c] - positions[:, b])
            size = np.linalg.norm(shown, axis=1)
            bent = size > 0.3 * size.max()
            cosines = np.einsum("ti,ti->t", shown, seen)[bent] / size[bent] / np.linalg.norm(seen[bent], axis=1)
            assert np.median(cosines) > np.cos(np.radians(25.0)), (side, end)


@pytest.mark.parametrize(
    "given",
    [
        WALK,
        KNOCK,
        motion("wave").resampled(24.0),
        turn_axes_anyhow(WALK, 11),
        with_rest(WALK, DOWN),
        with_plain_rest(with_rest(KNOCK, DOWN)),
        Motion(mo().skeleton, 30.0, np.tile(mo().skeleton.rest_rotations, (20, 1, 1))),
    ],
)
def test_a_body_that_stands_at_rest_stays_as_it_is(given: Motion) -> None:
    assert with_standing_rest(given) is given


@pytest.mark.parametrize("name", REST_POSES)
@pytest.mark.parametrize("given", [WALK, KNOCK], ids=["walk", "knock"])
def test_limits_are_as_on_the_figure(given: Motion, name: str) -> None:
    """What is within its limits is within them on every rest pose, and is not clamped."""
    if given is KNOCK and name == "twisted limbs":
        pytest.skip("knees that never bend don't show that the rest pose has them twisted")
    made = REST_POSES[name](given)
    worst = {role: float(np.degrees(excess.max())) for role, excess in limit_excess(made).items()}
    assert max(worst.values()) < 12.0, worst
    clamped = clamp_to_limits(made)
    assert clamped.skeleton is made.skeleton
    assert np.linalg.norm(clamped.positions_world() - given.positions_world(), axis=-1).max() < 0.05


@pytest.mark.parametrize("name", FOUND)
def test_what_is_beyond_is_beyond_on_all(name: str) -> None:
    """A knee that is bent backward, and an elbow: the same excess, to rounding, and the same clamped places."""
    q = WALK.rotations.copy()
    for role, vector in (("leftLowerLeg", (-1.0, 0.0, 0.0)), ("rightLowerArm", (0.0, 0.9, 0.0))):
        joint = WALK.skeleton.roles[role]
        q[100:140, joint] = R.multiply(q[100:140, joint], R.from_rotation_vector(vector))
    bent = replace(WALK, rotations=q)
    first, other = (REST_POSES[one](bent) for one in (FOUND[0], name))
    expected, found = limit_excess(first), limit_excess(other)
    assert np.degrees(expected["leftLowerLeg"][100:140].max()) > 15.0
    for role, excess in expected.items():
        assert found[role] == pytest.approx(excess, abs=1e-6)
    places = [clamp_to_limits(one).positions_world() for one in (first, other)]
    assert places[1] == pytest.approx(places[0], abs=1e-6)


@pytest.mark.parametrize("part", ["rightHand", "leftFoot", "head"])
@pytest.mark.parametrize("name", REST_POSES)
def test_reaching_is_as_on_the_figure(name: str, part: str) -> None:
    made = REST_POSES[name](WALK)
    expected, found = (reach_targets(one, part, by=(0.02, 0.06, 0.04)) for one in (WALK, made))
    assert found.motion.skeleton is made.skeleton
    assert found.missed == pytest.approx(expected.missed, abs=1e-6)
    apart = np.linalg.norm(found.motion.positions_world() - expected.motion.positions_world(), axis=-1)
    assert apart.max() < 0.01


def test_feet_that_are_attached_to_the_root() -> None:
    """Rigs for animation have feet and hands below the root, with positions of their own."""
    parents, world = WALK.skeleton.parents.copy(), WALK.world()
    ends = [WALK.skeleton.roles[role] for role in ("leftFoot", "rightFoot", "leftHand", "rightHand")]
    parents[ends] = 0
    root_q, root_p = world[0][:, :1], world[1][:, :1]
    q, t = WALK.rotations.copy(), WALK.translations.copy()
    q[:, ends] = R.multiply(R.conjugate(root_q), world[0][:, ends])
    t[:, ends] = R.rotate(R.conjugate(root_q), world[1][:, ends] - root_p)
    rig = replace(WALK.skeleton, parents=parents)
    given = Motion(rig, WALK.rate, q, t)
    for made in (at_origin(given), with_plain_rest(point_all_bones(given, np.array([1.0, 0.0, 0.0])))):
        skeleton = standing_skeleton(made)
        expected = standing_skeleton(at_origin(WALK))
        assert skeleton is not None
        assert expected is not None
        own = [role for role in expected.roles if "Eye" not in role]
        joints = [expected.roles[role] for role in own]
        assert places(skeleton)[joints] == pytest.approx(places(expected)[joints], abs=1e-6)


@pytest.mark.parametrize("turns", [UPWARD, AHEAD], ids=["overhead", "ahead"])
def test_only_limbs_that_rest_oddly_are_put_right(turns: dict[str, object]) -> None:
    skeleton = standing_skeleton(with_rest(WALK, turns))
    assert skeleton is not None
    legs = [joint for role, joint in skeleton.roles.items() if "Leg" in role or "Foot" in role or "Toes" in role]
    expected = R.rotate(R.identity(), places(WALK.skeleton)[legs])
    assert places(skeleton)[legs] == pytest.approx(expected, abs=0.03)


def test_a_pose_and_bodies_that_are_none() -> None:
    pose = at_origin(WALK)[:1]
    assert places(with_standing_rest(pose).skeleton)[WALK.skeleton.roles["head"], 1] > 0.4
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    rope = Motion(chain, 30.0, R.identity(5, 2))
    assert with_standing_rest(rope) is rope


@pytest.mark.parametrize("name", ["along X", "arms ahead", "twisted axes"])
def test_nothing_is_kept_alive(name: str) -> None:
    given = REST_POSES[name](WALK)
    with_standing_rest(given)
    watched = weakref.ref(given), weakref.ref(given.skeleton)
    del given
    gc.collect()
    assert [one() for one in watched] == [None, None]


@pytest.mark.data
def test_captures_keep_their_rest_pose(data_dir: Path) -> None:
    """All of CMU's, Mixamo's and others'; but a dance on a rig that rests as nobody stands fits its limits now."""
    for name in ("cmu/02_01", "cmu/79_01", "cmu/79_94", "cmu/141_16", "three_js/pirouette", "animated_drawings/dab"):
        capture = load(data_dir / f"bvh/{name}.bvh")
        assert with_standing_rest(capture) is capture
    dance = load(data_dir / "bvh/animated_drawings/jesse_dance.bvh")
    assert with_standing_rest(dance) is not dance
    past = [float((excess > np.radians(5.0)).mean()) for excess in limit_excess(dance).values()]
    assert sum(share > 0.5 for share in past) <= 1  # of 21 joints; in its own rest pose ten
