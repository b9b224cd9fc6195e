"""Who shows a motion: manikins, skins, the floor, the way the camera goes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere
from kinesphere import Motion, pictures
from kinesphere.motion.character import Character, Mesh
from kinesphere.pictures.manikin import manikin
from kinesphere.pictures.performer import make_performer
from kinesphere.pictures.surface import WOOD, make_skin
from pictures.people import person, standing, waving
from pictures.solids import drawn


def test_the_camera_follows_without_the_sway_of_the_hips() -> None:
    motion = standing(241, 60.0, speed=1.2)
    moved = motion.translations.copy()
    moved[:, 0, 0] += 0.05 * np.sin(np.arange(241) / 60.0 * 2.0 * np.pi * 2.0)
    one = make_performer(motion.with_pose(motion.rotations, moved))
    targets = np.stack([one.target(time) for time in np.linspace(0.0, 4.0, 81)])
    assert np.abs(targets[:, 0]).max() < 0.005
    speed = np.diff(targets[:, 2]) / 0.05
    assert speed == pytest.approx(1.2, abs=0.02)


def test_calibration_frames_are_not_shown() -> None:
    motion = waving(31)
    lifted = motion.translations.copy()
    lifted[0, 0] += [0.0, 50.0, 0.0]
    one = make_performer(replace(motion, translations=lifted, calibration_frames=(0,)))
    assert one.start == pytest.approx(1 / 30)
    assert max(vertices[:, 1].max() for _, vertices in one.even_poses) < 3.0


def test_a_manikin_stands_on_the_floor_and_moves_with_its_joints() -> None:
    skeleton = person()
    figure = manikin(skeleton)
    rest = np.concatenate(figure.skinned(standing(1)), axis=1)[0]
    assert rest[:, 1].min() == pytest.approx(0.0, abs=0.04)
    assert rest[:, 1].max() == pytest.approx(1.70, abs=0.04)
    assert rest[:, 0].max() == pytest.approx(-rest[:, 0].min(), abs=0.01)
    up = np.concatenate(figure.skinned(waving()[-1:]), axis=1)[0]
    assert up[:, 1].max() > 1.8  # the left hand is above the head
    for mesh in figure.meshes:  # closed: every edge belongs to two triangles, one each way
        edges = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
        forth = {(a, b) for a, b in edges.tolist()}
        assert len(forth) == len(edges)
        assert forth == {(b, a) for a, b in forth}
        a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0  # outside is outside


def test_a_single_joint_has_a_picture() -> None:
    skeleton = kinesphere.Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    motion = Motion(skeleton, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1, 1)))
    assert drawn(np.asarray(pictures.still(motion, 0.0, size=(100, 100)))).sum() > 100


def test_a_character_of_another_skeleton_gets_the_motion_retargeted() -> None:
    names = {name: f"bip_{name}" for name in person().names}
    target = replace(person(names).scaled(0.5), roles=dict(person().with_found_roles().roles))
    one = make_performer(waving(), manikin(target))
    assert one.motion.skeleton.names == target.names
    assert one.height == pytest.approx(0.85, abs=0.06)


def test_a_mesh_has_its_colour_and_white_is_wood() -> None:
    skeleton = person()
    quad = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    tints = ((1.0, 1.0, 1.0, 1.0), (0.1, 0.2, 0.8, 1.0))
    meshes = [Mesh.bound(skeleton, quad, [[0, 1, 2]], [[0]] * 3, [[1.0]] * 3, colour=tint) for tint in tints]
    skin = make_skin(Character("two", skeleton, tuple(meshes)))
    assert skin.colours[0] == pytest.approx(WOOD)
    assert skin.colours[3] == pytest.approx([0.1, 0.2, 0.8])
    with pytest.raises(ValueError, match="no surface"):
        make_skin(Character("bare", skeleton))


def test_seams_of_a_texture_are_smooth_and_edges_of_the_artist_sharp() -> None:
    """Two triangles that meet at an angle, each with its own vertices: with one normal, or with two."""
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    skeleton = person()
    mesh = Mesh.bound(skeleton, points, triangles, [[0]] * 6, [[1.0]] * 6)
    sharp = np.repeat([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], 3, axis=0)
    for normals, same in ((None, True), (sharp, False)):
        character = Character("seam", skeleton, (replace(mesh, normals=normals),))
        surface = make_skin(character).pose(*skeleton.rest_world())
        assert np.allclose(surface.normals[0], surface.normals[3]) is same


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["mesh2motion_human_male.glb", "RobotExpressive.glb", "kaykit_manny/manny_med_mod.gltf"]
)
def test_real_characters_are_drawn_large_and_whole(data_dir: Path, name: str) -> None:
    character = kinesphere.load_character(data_dir / "characters" / name)
    motion = kinesphere.load(data_dir / "bvh/cmu/02_01.bvh")
    pixels = np.asarray(pictures.still(motion, 1.0, character=character, size=(300, 300), clay=True)).astype(int)
    body = drawn(pixels)
    rows, columns = np.nonzero(body)
    assert np.ptp(rows) > 200
    assert columns.min() > 5
    assert body.sum() > 8000
