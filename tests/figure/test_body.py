"""The figure and Mo: bodies worth looking at, as far as numbers can say."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest
from gltf.test_gltf_validator import issues

import kinesphere
from conftest import ROOT
from kinesphere import Motion, load, load_character
from kinesphere.body.anatomy import anatomy
from kinesphere.figure.body import figure, mass, mo, segment_masses
from kinesphere.figure.proportions import MO, skeleton
from kinesphere.kernels import kinematics
from kinesphere.kernels import rotations as R
from kinesphere.motion.humanoid import ROLES

BODIES = {"figure": figure, "mo": mo}


def rest_surface(character):
    return character.posed(*character.skeleton.rest_world())[0]


def posed(character, **turns):
    """The body's surface with joints turned: name to (axis, degrees)."""
    q = R.identity(len(character.skeleton)).copy()
    for name, (axis, degrees) in turns.items():
        q[character.skeleton.index(name)] = R.from_axis_angle(np.array(axis, float), np.radians(degrees))
    world = kinematics.forward_reference(q, character.skeleton.offsets, character.skeleton.parents)
    return character.posed(*world)[0]


def volume(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize("name", BODIES)
def test_one_continuous_closed_surface(name):
    mesh = BODIES[name]().meshes[0]
    edges = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    # Closed and consistently turned: every edge is there once in each direction.
    forward = {(int(a), int(b)) for a, b in edges}
    assert len(forward) == len(edges)
    assert forward == {(b, a) for a, b in forward}
    group = np.arange(len(mesh.positions))
    while True:
        least = group.copy()
        np.minimum.at(least, edges[:, 0], group[edges[:, 1]])
        if np.array_equal(least, group):
            break
        group = least
    assert len(np.unique(group[np.unique(mesh.triangles)])) == 1
    assert volume(mesh.positions, mesh.triangles) > 0.0  # and facing outward


def test_the_figures_proportions():
    character = figure()
    points = rest_surface(character)
    assert abs(points[:, 1].max() - 1.70) < 0.01
    assert abs(points[:, 1].min()) < 0.005
    # A person of 65 kg has about 0.065 m³; the eyes' sockets and missing hair do not count.
    assert 0.050 < volume(points, character.meshes[0].triangles) < 0.080
    mirrored = points * [-1.0, 1.0, 1.0]
    apart = [np.linalg.norm(points - place, axis=1).min() for place in mirrored[::37]]
    assert max(apart) < 0.012  # as near as vertices lie
    body = anatomy(character.skeleton)
    assert abs(body.lengths["leftLeg"] / 1.70 - 0.491) < 0.02  # Winter's thigh and shin
    assert abs(body.lengths["leftArm"] / 1.70 - 0.332) < 0.02


@pytest.mark.parametrize("name", BODIES)
def test_joints_and_roles(name):
    character = BODIES[name]()
    missing = {role for role in ROLES if role not in character.skeleton.roles} - {"jaw"}
    assert all("Ring" in role for role in missing)
    assert bool(missing) == (name == "mo")
    spine = anatomy(character.skeleton).spine
    assert len(spine) >= 4
    assert character.skeleton.rest_is_plain()
    assert set(character.skeleton.soles) == {"leftFoot", "rightFoot"}


@pytest.mark.parametrize("name", BODIES)
def test_skin_weights(name):
    character = BODIES[name]()
    mesh = character.meshes[0]
    assert mesh.weights.shape[1] <= 4
    carried = np.unique(mesh.joints[mesh.weights > 0.3])
    bare = set(range(len(character.skeleton))) - set(carried.tolist())
    assert {character.skeleton.names[joint] for joint in bare} <= {
        "leftEye",
        "rightEye",
        "leftShoulder",
        "rightShoulder",
    }
    # Neighbours are carried alike: no tears.
    full = np.zeros((len(mesh.positions), len(character.skeleton)))
    np.add.at(full, (np.arange(len(full))[:, None], mesh.joints), mesh.weights)
    hands = [j for j, name in enumerate(character.skeleton.names) if _in_hand(name)]
    edges = mesh.triangles[:, [0, 1]]
    edges = edges[full[:, hands].sum(axis=1)[edges].max(axis=1) < 0.1]  # fingers are as thin as edges are long
    long = np.linalg.norm(mesh.positions[edges[:, 0]] - mesh.positions[edges[:, 1]], axis=1)
    jump = np.abs(full[edges[:, 0]] - full[edges[:, 1]]).max(axis=1)
    assert np.percentile(jump[long < 0.01], 99.5) < 0.35


def _in_hand(name):
    return any(part in name for part in ("Hand", "Thumb", "Index", "Middle", "Ring", "Little"))


@pytest.mark.parametrize(
    "turns",
    [
        {"leftLowerArm": ((0.0, 1.0, 0.0), -120.0)},
        {"leftUpperLeg": ((1.0, 0.0, 0.0), -90.0), "leftLowerLeg": ((1.0, 0.0, 0.0), 120.0)},
        {"leftUpperArm": ((0.0, 0.0, 1.0), 110.0), "leftShoulder": ((0.0, 0.0, 1.0), 22.0)},
        {"leftUpperArm": ((0.0, 0.0, 1.0), -38.0)},
        dict.fromkeys(("spine", "spine2", "chest", "upperChest"), ((1.0, 0.0, 0.0), 18.0)),
    ],
    ids=["elbow 120", "knee 120", "arm overhead", "arm down", "bent forward"],
)
def test_bends_keep_the_flesh(turns):
    """Linear skinning loses some at a bend; much less than the limb, and edges don't stretch to threads."""
    character = figure()
    mesh = character.meshes[0]
    rest, bent = rest_surface(character), posed(character, **turns)
    assert abs(volume(bent, mesh.triangles) / volume(rest, mesh.triangles) - 1.0) < 0.06
    edges = mesh.triangles[:, [0, 1]]
    before, after = (np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (rest, bent))
    assert np.percentile(after / before, 99.9) < 3.5


def test_height_and_build():
    usual = figure()
    for height in (1.2, 1.95):
        tall = figure(height)
        assert abs(rest_surface(tall)[:, 1].max() / height - 1.0) < 0.01
        assert np.allclose(tall.skeleton.bone_lengths, usual.skeleton.bone_lengths * height / 1.70)
    triangles = usual.meshes[0].triangles
    volumes = [volume(rest_surface(figure(1.70, build)), triangles) for build in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    assert np.all(np.diff(volumes) > 0.003)
    assert np.allclose(figure(1.70, 1.0).skeleton.bone_lengths, usual.skeleton.bone_lengths)
    masses = [mass(1.70, build) for build in (-1.0, 0.0, 1.0)]
    assert np.all(np.diff(masses) > 5.0)
    assert abs(sum(segment_masses(1.80, 0.3).values()) - mass(1.80, 0.3)) < 1e-9
    for wrong in ({"height": 3.0}, {"height": float("nan")}, {"build": 1.5}):
        with pytest.raises(ValueError, match="is allowed"):
            figure(**wrong)


def test_the_surface_lies_on_the_bound_skeleton_whatever_the_build():
    stout = figure(1.80, 0.8)
    assert np.abs(rest_surface(stout) - stout.meshes[0].positions).max() < 1e-9


@pytest.mark.parametrize("name", BODIES)
def test_the_files_are_small_and_valid(name):
    path = files("kinesphere.figure") / f"{name}.glb"
    assert path.stat().st_size < 1_500_000
    (found,) = issues(path)
    assert (found["errors"], found["warnings"]) == (0, 0), found


def test_a_motion_on_any_figure_is_written_and_valid(tmp_path):
    written = []
    for i, character in enumerate((figure(), figure(1.5, 0.5), mo(), mo(1.2))):
        q = R.identity(10, len(character.skeleton)).copy()
        q[:, character.skeleton.index("head")] = R.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.linspace(0.0, 0.5, 10))
        motion = Motion(character.skeleton, 30.0, q)
        path = tmp_path / f"{i}.glb"
        kinesphere.save(motion, path, character=character)
        assert np.abs(load(path).positions_world() - motion.positions_world()).max() < 1e-5
        again = load_character(path)
        wanted, found = character.posed(*motion.world()), again.posed(*load(path).world())
        assert max(np.abs(a - b).max() for a, b in zip(wanted, found, strict=True)) < 1e-4
        written.append(path)
    for found in issues(*written):
        assert (found["errors"], found["warnings"]) == (0, 0), found


def test_three_js_opens_them():
    script = ROOT / "tools" / "three_vrm" / "open_glb.mjs"
    if shutil.which("node") is None or not (script.parent / "node_modules").is_dir():
        pytest.skip("MISSING: node and three; `make test` installs them where npm is there")
    paths = [str(files("kinesphere.figure") / f"{name}.glb") for name in BODIES]
    done = subprocess.run(["node", str(script), *paths], capture_output=True, text=True, check=True)
    for name, line in zip(BODIES, done.stdout.splitlines(), strict=True):
        found, character = json.loads(line), BODIES[name]()
        assert found["vertices"] == sum(len(mesh.positions) for mesh in character.meshes)
        assert found["bones"] == len(character.skeleton)
        low, high = (np.array(found[key]) for key in ("low", "high"))
        points = np.concatenate(character.posed(*character.skeleton.rest_world()))
        assert np.abs(low - points.min(axis=0)).max() < 1e-3
        assert np.abs(high - points.max(axis=0)).max() < 1e-3


def test_the_cached_skeleton_is_what_the_proportions_say():
    for character, said in ((figure(), skeleton()), (mo(), skeleton(plan=MO))):
        assert character.skeleton.names == said.names
        assert np.abs(character.skeleton.offsets - said.offsets).max() < 1e-6
