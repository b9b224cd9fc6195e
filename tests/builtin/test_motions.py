"""Every motion of the figure by the measures that captures are measured by."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import kinesphere
from builtin.capsules import hand_depths
from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.body.limits import limit_excess
from kinesphere.body.mass import support_polygon
from kinesphere.builtin.library import gesture, motion, motions
from kinesphere.engine.proportions import skeleton
from kinesphere.maths import rotations
from kinesphere.motion.gesture import Space, Stop, resting_wrist
from kinesphere.motion.motion import Motion

WALKS = ("walk", "walk in place")
LOOPS = ("idle", "walk in place")
GESTURES = tuple(name for name in motions() if name not in WALKS)
IN_CONTACT = tuple(name for name in motions() if name != "walk in place")
ARMS = tuple(name for name in GESTURES if gesture(name).left or gesture(name).right)
SECONDS = {"walk": (2.0, 8.0), "walk in place": (0.9, 1.3), "idle": (6.0, 8.0)}
NAMES = {"beckon", "bow", "clap", "drink", "emphasise", "idle", "knock"}
NAMES |= {"point", "punch", "reach", "shrug", "walk", "wave"}


def test_the_promised_motions_are_there():
    assert set(motions()) >= NAMES


@pytest.mark.parametrize("name", motions())
def test_is_sound_and_its_bones_are_rigid(name):
    made = motion(name)
    assert made.rate == 60.0
    assert np.isfinite(made.rotations).all()
    assert np.linalg.norm(made.rotations, axis=-1) == pytest.approx(np.ones(made.rotations.shape[:2]))
    assert (np.einsum("tji,tji->tj", made.rotations[1:], made.rotations[:-1]) > 0.0).all()
    assert np.ptp(made.translations[:, 1:], axis=0).max() < 1e-12
    least, most = SECONDS.get(name, (2.0, 5.0))
    assert least <= made.duration <= most


@pytest.mark.parametrize("name", IN_CONTACT)
def test_plants_hold_on_the_ground(name):
    made = motion(name)
    contacts = find_contacts(made, ground=0.0)
    report = foot_report(made, contacts)
    assert report.slide < 0.005
    assert report.knee_snap < 6.0
    points = sole_points(made.skeleton)
    soles = sole_paths(made, points)[..., 1] - [point.clearance for point in points]
    rest = sole_paths(_resting(), points)[0, :, 1] - [point.clearance for point in points]
    assert soles.min() > rest.min() - 0.01
    for contact in contacts.intervals:
        own = [point.name for point in points].index(contact.name)
        assert abs(contact.anchor[1] - points[own].clearance - rest[own]) < 0.01


@pytest.mark.parametrize("name", GESTURES)
def test_feet_stand_throughout_and_the_weight_is_above_them(name):
    made = motion(name)
    contacts = find_contacts(made, ground=0.0)
    assert contacts.in_contact().all()
    standing = np.all([contacts.labels[f"{side}Ball"] for side in ("left", "right")], axis=0)
    assert support_polygon(made, contacts).margin[standing].min() > -0.02  # a foot that lands takes weight at once


@pytest.mark.parametrize("name", motions())
def test_joints_stay_within_their_limits(name):
    past = {role: np.degrees(excess.max()) for role, excess in limit_excess(motion(name)).items()}
    assert max(past.values()) < 0.5, {role: angle for role, angle in past.items() if angle > 0.5}


@pytest.mark.parametrize("name", motions())
@pytest.mark.parametrize("side", ["left", "right"])
def test_hands_do_not_go_through_the_body(name, side):
    depths = {part: depth.max() for part, depth in hand_depths(motion(name), side).items()}
    assert max(depths.values()) < -0.010, max(depths, key=lambda part: depths[part])


@pytest.mark.parametrize("name", motions())
def test_nothing_pops(name):
    made = motion(name)
    place = made.positions_world()
    jolts = np.linalg.norm(np.diff(place, 3, axis=0), axis=-1) * 60.0**3
    index = made.skeleton.index
    assert jolts[:, [index("leftHand"), index("rightHand")]].max() < 2600.0
    assert jolts[:, [index("hips"), index("head")]].max() < 500.0
    step = rotations.multiply(rotations.conjugate(made.rotations[:-1]), made.rotations[1:])
    spin = rotations.to_rotation_vector(step) * 60.0
    assert np.linalg.norm(spin, axis=-1).max() < 18.0
    assert np.linalg.norm(np.diff(spin, axis=0), axis=-1).max() < 6.0


@pytest.mark.parametrize("name", LOOPS)
def test_loops_close_in_pose_and_velocity(name):
    made = motion(name)
    place, turned = made.positions_world(), made.rotations
    assert np.abs(place[0] - place[-1]).max() < 1e-6
    assert rotations.angle_between(turned[0], turned[-1]).max() < 1e-6
    twice = np.concatenate([place[:-1], place])
    jolts = np.linalg.norm(np.diff(twice, 2, axis=0), axis=-1)
    seam = len(place) - 2
    assert (jolts[seam - 1 : seam + 2].max(axis=0) <= 1.05 * jolts[: seam - 2].max(axis=0) + 1e-9).all()


def test_a_walk_repeats_its_stride_exactly():
    made, stride = motion("walk"), 64
    place = made.positions_world()
    travel = place[stride, 0] - place[0, 0]
    assert travel == pytest.approx([0.0, 0.0, 1.387], abs=1e-9)
    assert place[stride:] == pytest.approx(place[:-stride] + travel, abs=1e-9)
    here = motion("walk in place").rotations
    assert rotations.angle_between(here, made.rotations[: len(here)]).max() < 1e-9


def test_a_walk_is_a_persons():
    made = motion("walk")
    place = made.positions_world()[:, 0]
    speed = (place[-1, 2] - place[0, 2]) / made.duration
    assert speed == pytest.approx(1.3, abs=0.05)
    assert 0.025 < np.ptp(place[:, 1]) < 0.06
    assert 0.02 < np.ptp(place[:, 0]) < 0.06
    knee = _flexion(made, "left")
    assert np.degrees(knee.max()) == pytest.approx(60.0, abs=8.0)
    assert np.degrees(knee.min()) < 12.0


@pytest.mark.parametrize("name", GESTURES)
def test_begins_and_ends_at_ease(name):
    if name in LOOPS:
        return
    place = motion(name).positions_world()
    assert place[-1] == pytest.approx(place[0], abs=0.001)
    assert place[0] == pytest.approx(motion("wave").positions_world()[0], abs=0.002)
    assert np.linalg.norm(np.diff(place, axis=0), axis=-1)[[0, -1]].max() < 0.0005


@pytest.mark.parametrize("name", ARMS)
def test_goals_are_met(name):
    made, asked = motion(name), gesture(name)
    turned, place = made.world()
    index = made.skeleton.index
    for side in ("left", "right"):
        arm = asked.arm(side)
        if arm is None:
            continue
        chest, shoulder = turned[:, index("upperChest")], place[:, index(f"{side}UpperArm")]
        wrist = place[:, index(f"{side}Hand")]
        for key in arm.keys:
            resting = np.allclose(key.position, resting_wrist(side))
            if key.stop == Stop.VIA or resting:
                continue
            there = np.asarray(key.position)
            if key.space == Space.LOCAL:
                there = shoulder + rotations.rotate(chest, there)
            missed = wrist - there
            assert np.linalg.norm(missed[round(key.frame)]) < 0.001, (side, key)  # goals lie on whole frames


@pytest.mark.parametrize("name", motions())
def test_torso_head_and_fingers_take_part(name):
    made = motion(name)
    turned = made.rotations_world()
    index = made.skeleton.index
    assert _range(turned[:, index("upperChest")]) > 3.0
    assert _range(turned[:, index("head")]) > 4.0
    for side in ("left", "right"):
        used = name not in WALKS and gesture(name).arm(side) is not None
        own = [made.skeleton.index(f"{side}{finger}Proximal") for finger in ("Index", "Middle", "Ring", "Little")]
        assert min(_range(made.rotations[:, joint]) for joint in own) > (8.0 if used else 0.5)


def test_a_taller_figure_does_the_same_larger():
    small, tall = motion("wave"), motion("wave", height=2.04)
    assert tall.positions_world()[:, 0, 1].mean() == pytest.approx(
        1.2 * small.positions_world()[:, 0, 1].mean(), rel=0.01
    )
    assert tall.skeleton.bone_lengths == pytest.approx(1.2 * small.skeleton.bone_lengths)
    assert foot_report(motion("walk", height=1.4), None).slide < 0.005


def test_heights_must_be_a_bodys():
    for name in ("wave", "walk"):
        for height in (0.0, -1.0, float("nan"), float("inf")):
            with pytest.raises(ValueError, match="height"):
                motion(name, height=height)


def test_unknown_names_are_told_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'wave'"):
        motion("waev")
    with pytest.raises(ValueError, match="not made of key points"):
        gesture("walk")


SAME_ACT = {
    "wave": "141_16",
    "drink": "79_38",
    "punch": "79_08",
    "shrug": "141_21",
    "reach": "79_20",
    "knock": "79_01",
    "walk": "02_01",
}


@pytest.mark.data
@pytest.mark.parametrize("name", SAME_ACT)
def test_as_smooth_as_a_capture_of_the_same_act(name, data_dir):
    captured = kinesphere.load(data_dir / "bvh" / "cmu" / f"{SAME_ACT[name]}.bvh")
    captured = kinesphere.retarget(captured[1:], skeleton()).resampled(60.0)
    for joint in ("leftHand", "rightHand", "head"):
        ours, theirs = _jerk(motion(name), joint), _jerk(captured, joint)
        assert ours < 1.2 * theirs


def _jerk(made: Motion, joint: str) -> float:
    path = made.positions_world()[:, made.skeleton.index(joint)]
    return float(np.percentile(np.linalg.norm(np.diff(path, 3, axis=0), axis=-1), 98))


def _range(turned: np.ndarray) -> float:
    return float(np.degrees(rotations.angle_between(turned, turned[:1]).max()))


def _resting() -> Motion:
    return motion("wave")[:1]


def _flexion(made: Motion, side: str) -> np.ndarray:
    place = made.positions_world()
    hip, knee, ankle = (place[:, made.skeleton.index(f"{side}{p}")] for p in ("UpperLeg", "LowerLeg", "Foot"))
    above, below = knee - hip, ankle - knee
    return np.arctan2(np.linalg.norm(np.cross(above, below), axis=-1), np.sum(above * below, axis=-1))


def test_standing_about_is_never_frozen():
    place = motion("idle").positions_world()
    for start in range(0, len(place) - 30, 15):
        moved = np.linalg.norm(place[start + 30] - place[start], axis=-1)
        assert moved.max() > 0.001


def test_names_of_functions_are_no_folders(tmp_path):
    """A folder of the same name would be taken for a module by whoever imports a part of the room first."""
    file = tmp_path / "script.py"
    file.write_text(
        "import kinesphere.engine.arms\nfrom kinesphere.builtin import motion, motions\nprint(len(motions()))\n"
    )
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(len(motions())), done.stderr
