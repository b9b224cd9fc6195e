"""Edits of signals on real captures."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kinesphere import load, save
from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.body.limits import limit_excess
from kinesphere.maths import rotations
from kinesphere.maths.euler import from_euler, to_euler
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape
from kinesphere.signals.alignment import trim_calibration
from kinesphere.signals.curves import Curves
from kinesphere.signals.pose_edits import Target

pytestmark = pytest.mark.data
WALKS = ("137_29", "91_36", "07_01")
EDITS = {
    "equalize": Equalize(preset="exaggerate"),
    "anticipate": Equalize(preset="anticipate"),
    "twitch": Equalize(preset="twitch"),
    "waveshape": Waveshape("undulation"),
    "limits": Waveshape("limits", by="joint"),
    "smooth": Smooth(1.0),
    "displace": Displace([Target("rightHand", seconds=1.0, by=(0.0, 0.2, 0.0))]),
    "timewarp": Timewarp(marks=[(1.0, 1.4)]),
    "beats": Timewarp(bpm=110.0),
}


@cache
def read(path, first=0.0, last=None, rate=60.0):
    """A capture without its calibration frames."""
    given = trim_calibration(load(path).resampled(rate))
    part = given[round(first * rate) : None if last is None else round(last * rate) + 1]
    return replace(part, calibration_frames=())


@pytest.fixture
def cmu(data_dir):
    return lambda name, *stretch: read(data_dir / "bvh" / "cmu" / f"{name}.bvh", *stretch)


def swings(given):
    """How quick hands and feet are about the hips, how rough, and how much they move: root mean squares."""
    skeleton = given.skeleton.with_found_roles()
    places = given.positions_world()
    ends = [skeleton.roles[role] for role in ("leftHand", "rightHand", "leftFoot", "rightFoot")]
    own = places[:, ends] - places[:, skeleton.roles["hips"], None]
    quick, rough = (np.diff(own, order, axis=0) * given.rate**order for order in (1, 3))
    return tuple(float(np.sqrt((values**2).sum(axis=-1).mean())) for values in (quick, rough))


@pytest.mark.parametrize("name", WALKS)
def test_the_papers_effects_on_real_walks(cmu, name):
    walk = cmu(name)
    quick, rough = swings(walk)
    made = {preset: swings(Equalize(preset=preset)(walk)) for preset in ("exaggerate", "twitch", "constrain", "soften")}
    assert made["exaggerate"][0] > 1.25 * quick  # larger
    assert made["exaggerate"][1] < made["exaggerate"][0] / quick * 1.4 * rough  # and hardly rougher than that
    assert made["twitch"][1] > 3.0 * rough
    assert made["constrain"][0] < 0.85 * quick
    assert made["soften"][1] < 0.6 * rough


@pytest.mark.filterwarnings("ignore::kinesphere.signals.waveshape.LimitsDontFit")
@pytest.mark.parametrize("name", EDITS)
def test_a_pirouette_survives(data_dir, name):
    given = read(data_dir / "bvh" / "three_js" / "pirouette.bvh")
    before, after = (Curves.of(one).heading for one in (given, EDITS[name](given)))
    assert after[-1] - after[0] == pytest.approx(before[-1] - before[0], rel=0.05)
    quickest = np.abs(np.diff(before)).max()
    assert np.abs(np.diff(after)).max() < 2.5 * quickest
    made = EDITS[name](given)
    bones = np.linalg.norm(made.translations[:, 1:], axis=-1)
    assert np.ptp(bones, axis=0).max() < np.ptp(np.linalg.norm(given.translations[:, 1:], axis=-1), axis=0).max() + 1e-6


@pytest.mark.parametrize("order", ["XYZ", "YXZ", "ZXY"])
def test_other_euler_orders_change_nothing(cmu, order):
    given = cmu("137_29", 2.0, 4.5)
    a, b = (
        replace(given, rotations=from_euler(to_euler(given.rotations, own, along_time=True), own))
        for own in ("ZYX", order)
    )
    assert not np.array_equal(a.rotations, b.rotations)
    for name, edit in EDITS.items():
        one, other = edit(a), edit(b)
        assert rotations.angle_between(one.rotations, other.rotations).max() < 1e-6, name
        assert np.abs(one.translations - other.translations).max() < 1e-6, name
    for one, other in ((Blend()(a, a[20:]), Blend()(b, b[20:])), (Timewarp(a[20:])(a), Timewarp(b[20:])(b))):
        assert rotations.angle_between(one.rotations, other.rotations).max() < 1e-6


def test_files_of_other_euler_orders_are_one_motion(cmu, tmp_path):
    given = cmu("137_29", 2.0, 4.5)
    made = []
    for order in ("ZYX", "XYZ"):
        save(given, tmp_path / f"{order}.bvh", order=order)
        made.append(Equalize(preset="exaggerate")(load(tmp_path / f"{order}.bvh")).positions_world())
    assert np.abs(made[0] - made[1]).max() < 1e-5  # files have six decimals of a degree


@pytest.mark.parametrize(("one", "other"), [("137_29", "91_36"), ("137_29", "137_42"), ("91_36", "91_17")])
def test_walks_that_are_warped_before_they_are_blended_keep_their_steps(cmu, one, other):
    a, b = cmu(one), cmu(other)
    plain, warped = (find_contacts(Blend(align=align, feet=False)(a, b)) for align in (False, True))
    assert warped.in_contact().mean() > plain.in_contact().mean() + 0.08
    held = Blend()(a, b)
    report = foot_report(held)
    assert report.slide_mean < 0.007
    jolts = max(foot_report(motion).ankle_acceleration for motion in (a, b))
    assert report.ankle_acceleration < 2.0 * jolts


@pytest.mark.parametrize(("one", "other"), [("91_19", "137_16"), ("137_16", "91_19")])
def test_a_march_at_a_staggers_pace_and_the_reverse(cmu, one, other):
    a, b = cmu(one, 2.0, 9.0), cmu(other, 2.0, 9.0)
    made = Timewarp(b)(a)
    assert len(made) == len(b)
    jolt = [foot_report(motion).ankle_acceleration for motion in (made, a)]
    assert jolt[0] < 6.0 * jolt[1]  # up to four times the pace
    assert foot_report(made, find_contacts(made)).slide_mean < 0.012


@pytest.mark.parametrize("name", ["equalize", "waveshape", "twitch", "displace"])
def test_feet_stay_planted(cmu, name):
    given = cmu("137_29", 1.5, 6.5)
    contacts = find_contacts(given)
    assert foot_report(EDITS[name](given), contacts).slide_mean < foot_report(given, contacts).slide_mean + 0.005


@pytest.mark.parametrize("name", ["equalize", "waveshape", "smooth", "twitch"])
def test_nothing_outside_of_a_stretch_is_touched_though_feet_are_held(cmu, name):
    given = cmu("137_29", 1.5, 7.5)
    edit = EDITS[name].over(start=2.0, end=4.0)
    made, free = edit(given), edit.edit.with_free_feet()(given, start=2.0, end=4.0)
    outside = (given.times <= 2.0) | (given.times >= 4.0)
    assert np.array_equal(made.rotations[outside], given.rotations[outside])
    assert np.array_equal(made.translations[outside], given.translations[outside])
    steps = [np.linalg.norm(np.diff(one.positions_world(), 2, axis=0), axis=-1).max() for one in (made, given, free)]
    assert steps[0] < 1.5 * max(steps[1:])  # no pop where it comes and goes
    contacts = find_contacts(given)
    within = [p for p in contacts.intervals if p.first > 2.3 * 60 and p.last < 3.7 * 60]
    assert within
    inner = replace(contacts, intervals=tuple(within))
    assert foot_report(made, inner).slide_mean < max(0.005, foot_report(given, inner).slide_mean + 0.001)


@pytest.mark.parametrize("name", ["91_19", "91_36", "137_29"])
def test_a_dial_turned_up_from_zero_does_not_jump(cmu, name):
    given = cmu(name)
    for edit in (Equalize(preset="denoise"), Equalize(preset="exaggerate"), Waveshape("undulation"), Smooth(1.0)):
        far = [
            np.linalg.norm(edit(given, strength=s).positions_world() - given.positions_world(), axis=-1).max()
            for s in (1e-6, 1e-3, 1e-2)
        ]
        assert far[0] < 2e-5
        assert far[1] < 2e-3
        assert far[2] < 3e-2


@pytest.mark.parametrize("preset", ["exaggerate", "anticipate"])
@pytest.mark.parametrize("name", ["91_19", "137_16", "137_29"])
def test_knees_do_not_bend_backward_and_bodies_do_not_hover(cmu, name, preset):
    given = cmu(name)
    made, wild = (Equalize(preset=preset, limits=limits)(given) for limits in (True, False))
    knees = ("leftLowerLeg", "rightLowerLeg")
    past = [max(float(limit_excess(one)[knee].max()) for knee in knees) for one in (given, made, wild)]
    assert past[1] < past[0] + np.radians(4.0)
    assert past[1] < past[2]
    skeleton = given.skeleton.with_found_roles()
    points = sole_points(skeleton)
    before, after, free = (
        sole_paths(replace(one, skeleton=skeleton), points)[..., 1].min(axis=1)
        for one in (given, made, Equalize(preset=preset, feet=False)(given))
    )
    assert (after - before).max() < 0.05
    assert (after - before).max() < 0.6 * (free - before).max()


@pytest.mark.parametrize("name", ["79_20", "79_10", "13_09", "91_19", "91_36", "07_01"])
@pytest.mark.parametrize("preset", ["exaggerate", "constrain"])
def test_no_joint_twists_in_a_frame(data_dir, name, preset):
    """Legs that are captured straight have their knees anywhere: holding feet must not turn thighs about."""
    given = read(data_dir / "bvh" / "cmu" / f"{name}.bvh", 0.0, 8.0, 120.0)

    def quickest(one):
        return np.degrees(rotations.angle_between(one.rotations[1:], one.rotations[:-1]).max(axis=0))

    assert (quickest(Equalize(preset=preset)(given)) < 3.0 * np.maximum(quickest(given), 1.0)).all()


@pytest.mark.parametrize("name", ["07_01", "91_19", "137_29"])
def test_feet_that_stand_face_and_lie_as_they_did(cmu, name):
    """Heel and ball that are held stay a foot's length apart: one that stands is not turned aside nor toe-up."""
    given = cmu(name)
    made = Equalize(preset="exaggerate")(given)
    skeleton = given.skeleton.with_found_roles()
    points = [point.name for point in sole_points(skeleton)]
    paths = [sole_paths(replace(one, skeleton=skeleton), sole_points(skeleton)) for one in (given, made)]
    labels = find_contacts(given).labels
    turned = []
    for side in ("left", "right"):
        heel, ball = points.index(f"{side}Heel"), points.index(f"{side}Ball")
        both = labels[f"{side}Heel"] & labels[f"{side}Ball"]
        ways = [path[both, ball] - path[both, heel] for path in paths]
        cosine = np.sum(ways[0] * ways[1], axis=-1) / np.prod([np.linalg.norm(way, axis=-1) for way in ways], axis=0)
        turned.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    assert np.sqrt(np.mean(np.concatenate(turned) ** 2)) < 6.0
