"""Mo in motion, on the skin: what a person does, done by a ball with arms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from scipy.spatial import cKDTree

from kinesphere import retarget
from kinesphere.body.contacts import find_contacts
from kinesphere.builtin import mo, motion, motions
from kinesphere.motion.humanoid import FINGERS

SIDES = ("left", "right")
EVERY = 4  # frames, of 60 a second
HAND = ("Hand", *FINGERS)
GRAZED = 0.006  # metres
CLAPS = (0.97, 1.31, 1.65, 1.99, 2.33, 2.68)


@lru_cache(maxsize=32)
def onto_mo(name, clear=None):
    return retarget(motion(name), mo(), clear=clear)


@lru_cache(maxsize=1)
def shares():
    mesh = mo().meshes[0]
    found = np.zeros((len(mesh.positions), len(mo().skeleton)))
    np.add.at(found, (np.arange(len(found))[:, None], mesh.joints), mesh.weights)
    return found


def vertices(*parts, sides=SIDES, share=0.6):
    """Those that joints with one of these in their names carry."""
    names = mo().skeleton.names
    joints = [j for j, name in enumerate(names) if name.startswith(sides) and any(part in name for part in parts)]
    return np.flatnonzero(shares()[:, joints].sum(axis=1) > share)


def skin(made, frame):
    turned, placed = made.world()
    return mo().posed(turned[frame], placed[frame])[0]


def normals(points):
    faces = mo().meshes[0].triangles
    a, b, c = (points[faces[:, k]] for k in range(3))
    found = np.zeros_like(points)
    for k in range(3):
        np.add.at(found, faces[:, k], np.cross(b - a, c - a))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def depth(points, part):
    """How far the deepest vertex of a part of the arm is inside the body (which is round): below its nearest one."""
    body = np.setdiff1d(np.arange(len(points)), vertices("Shoulder", "Arm", *HAND, share=0.1))
    far, nearest = cKDTree(points[body]).query(points[part])
    away = points[part] - points[body][nearest]
    below = -np.einsum("ij,ij->i", away, normals(points)[body][nearest])
    # At the armpit, where the body's skin ends, the nearest vertex may lie far aside: that is no depth.
    boxed = np.all((points[part] > points[body].min(axis=0)) & (points[part] < points[body].max(axis=0)), axis=1)
    return np.where(boxed & (below > 0.7 * far), below, -far).max()


@pytest.mark.parametrize("name", motions())
def test_hands_and_forearms_stay_out_of_the_ball(name):
    made, hands, forearms = onto_mo(name), vertices(*HAND), vertices("LowerArm")
    for frame in range(0, len(made), EVERY):
        points = skin(made, frame)
        assert depth(points, hands) < GRAZED, frame
        assert depth(points, forearms) < GRAZED, frame
        assert points[hands, 1].min() > -0.008  # fingertips brush the floor in the bow


@pytest.mark.parametrize("name", ["punch", "drink", "beckon"])
def test_without_clearance_they_would_not(name):
    made, arms = onto_mo(name, clear=False), vertices("LowerArm", *HAND)
    assert max(depth(skin(made, frame), arms) for frame in range(0, len(made), EVERY)) > 2.0 * GRAZED


@pytest.mark.parametrize("at", CLAPS)
def test_clapping_palms_still_meet(at):
    made = onto_mo("clap")
    left, right = (vertices(*HAND, sides=(side,)) for side in SIDES)

    def gap(frame):
        points = skin(made, frame)
        return cKDTree(points[left]).query(points[right])[0].min()

    frame = round(at * made.rate)
    assert min(gap(f) for f in range(frame - 3, frame + 4)) < 0.006
    if at < 2.5:
        assert gap(frame + round(0.17 * made.rate)) > 0.02


@pytest.mark.parametrize("name", motions())
def test_soles_are_on_the_floor_and_never_below(name):
    made = onto_mo(name)
    contacts = find_contacts(made, ground=0.0)
    for side in SIDES:
        foot = vertices("Foot", "Toes", sides=(side,), share=0.5)
        flat = contacts.labels[f"{side}Heel"] & contacts.labels[f"{side}Ball"]
        for frame in range(0, len(made), EVERY):
            low = skin(made, frame)[foot, 1].min()
            assert low > -0.002, frame
            assert low < 0.004 or not flat[frame], frame


@pytest.mark.parametrize("name", motions())
def test_clearance_makes_nothing_pop_and_bones_keep_their_lengths(name):
    with_it, without = (onto_mo(name, clear) for clear in (None, False))
    index = mo().skeleton.index
    for part in ("LowerArm", "Hand"):
        joints = [index(f"{side}{part}") for side in SIDES]
        jolts, before = (
            np.linalg.norm(np.diff(made.positions_world()[:, joints], 2, axis=0), axis=-1).max() * made.rate
            for made in (with_it, without)
        )
        assert jolts < 1.1 * before + 0.06  # metres a second, from frame to frame
    assert np.ptp(with_it.translations[:, 1:], axis=0).max() < 1e-12
