"""A small humanoid character made by hand, and the odd things that exporters do to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gltf.scenes import Scene, world_matrices

# Name, parent, place in the world: a T-pose, facing +Z.
PLAN: list[tuple[str, int, tuple[float, float, float]]] = [
    ("hips", -1, (0.0, 0.95, 0.0)),
    ("spine", 0, (0.0, 1.10, 0.0)),
    ("chest", 1, (0.0, 1.30, 0.0)),
    ("neck", 2, (0.0, 1.50, 0.0)),
    ("head", 3, (0.0, 1.60, 0.02)),
]
for _side, _x in (("left", 1.0), ("right", -1.0)):
    _first = len(PLAN)
    PLAN += [
        (f"{_side}UpperArm", 2, (0.18 * _x, 1.45, 0.0)),
        (f"{_side}LowerArm", _first, (0.45 * _x, 1.45, -0.01)),
        (f"{_side}Hand", _first + 1, (0.70 * _x, 1.45, 0.0)),
        (f"{_side}UpperLeg", 0, (0.10 * _x, 0.92, 0.0)),
        (f"{_side}LowerLeg", _first + 3, (0.10 * _x, 0.50, 0.01)),
        (f"{_side}Foot", _first + 4, (0.10 * _x, 0.08, 0.0)),
        (f"{_side}Toes", _first + 5, (0.10 * _x, 0.02, 0.14)),
    ]
NAMES = [name for name, _, _ in PLAN]
JOINTS = len(PLAN)
ARMATURE, BODY = JOINTS, JOINTS + 1  # nodes
Change = Callable[[Scene], None]


def humanoid(*changes: Change) -> Scene:
    """Joints below an armature, and a body of one tetrahedron a joint, each weighted to its joint and the one above.

    ``changes`` are made to the nodes before the surface is bound to them as they then stand.
    """
    nodes: list[dict[str, Any]] = []
    for name, parent, place in PLAN:
        above = np.zeros(3) if parent < 0 else np.array(PLAN[parent][2])
        nodes.append({"name": name, "translation": (np.array(place) - above).tolist()})
    for joint, (_, parent, _) in enumerate(PLAN):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(joint)
    nodes += [{"name": "Armature", "children": [0]}, {"name": "Body", "mesh": 0, "skin": 0}]
    scene = Scene(nodes)
    scene.json["skins"] = [{"joints": list(range(JOINTS))}]
    scene.json["scenes"], scene.json["scene"] = [{"nodes": [ARMATURE, BODY]}], 0
    for change in changes:
        change(scene)
    del scene.json["animations"]
    scene.json["meshes"] = [{"name": "Body", "primitives": [primitive(scene, range(JOINTS))]}]
    for skin in scene.json["skins"]:
        bind(scene, skin)
    return scene


def bind(scene: Scene, skin: dict[str, Any]) -> None:
    """Bind the skin's joints as they stand, so that vertices are where the mesh has them at rest."""
    worlds = world_matrices(scene.json, scene.blob, None, 0.0)
    inverse = np.linalg.inv(np.array([worlds[node] for node in skin["joints"]]))
    skin["inverseBindMatrices"] = scene.accessor(inverse.transpose(0, 2, 1).reshape(-1, 16))


def primitive(scene: Scene, joints: range, *, skinned: bool = True) -> dict[str, Any]:
    """Tetrahedra about the places of some joints of the plan, or about the origin, of a hand's size."""
    corners = 0.03 * np.array([[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]], dtype=float)
    places = np.array([PLAN[joint][2] if skinned else (0.0, 0.0, 0.0) for joint in joints])
    positions = (places[:, None] + corners).reshape(-1, 3)
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    order = np.concatenate([faces + 4 * k for k in range(len(joints))]).ravel()
    bounds = {"min": positions.min(axis=0).tolist(), "max": positions.max(axis=0).tolist()}
    # The bounds must be those of the numbers as they are stored.
    bounds = {name: np.float32(values).tolist() for name, values in bounds.items()}
    attributes = {"POSITION": scene.accessor(positions, **bounds)}
    if skinned:
        own = np.repeat([joint - joints.start for joint in joints], 4)
        above = np.repeat([max(PLAN[joint][1] - joints.start, 0) for joint in joints], 4)
        other = np.where(own == above, 0, above)
        attributes["JOINTS_0"] = scene.accessor(np.stack([own, other, 0 * own, 0 * own], axis=1), "uint8")
        weights = np.tile([0.75, 0.25, 0.0, 0.0], (len(positions), 1))
        weights[own == other] = [1.0, 0.0, 0.0, 0.0]
        attributes["WEIGHTS_0"] = scene.accessor(weights)
    return {"attributes": attributes, "indices": scene.accessor(order, "uint16")}


def armature_of(scale: float) -> Change:
    """Blender's centimetres (0.01), or a rig in tens of metres below a node that makes it small (100)."""

    def change(scene: Scene) -> None:
        nodes = scene.json["nodes"]
        nodes[ARMATURE]["scale"] = [scale] * 3
        for node in nodes[:JOINTS]:
            node["translation"] = [value / scale for value in node["translation"]]

    return change


def uneven_scales(scene: Scene) -> None:
    """Joints that are longer than wide, and hand it down to what hangs on them."""
    nodes = scene.json["nodes"]
    nodes[1]["scale"] = [1.1, 0.9, 1.2]
    nodes[2]["rotation"] = [0.0, 0.0, 0.1, 0.99498743710662]
    for name in ("leftUpperArm", "rightUpperArm"):
        nodes[NAMES.index(name)]["scale"] = [1.3, 1.0, 0.8]


def controls(scene: Scene) -> None:
    """Poles and targets of an animator's rig among the skin's joints."""
    nodes = scene.json["nodes"]
    for side, x in (("L", 0.1), ("R", -0.1)):
        for name, place in (
            ("IK_foot", (x, 0.08, 0.0)),
            ("pole_knee", (x, 0.5, 0.8)),
            ("pole_elbow", (3 * x, 1.4, -0.8)),
        ):
            nodes[ARMATURE]["children"].append(len(nodes))
            scene.json["skins"][0]["joints"].append(len(nodes))
            nodes.append({"name": f"{name}.{side}", "translation": list(place)})


def no_names(scene: Scene) -> None:
    for node in scene.json["nodes"]:
        node.pop("name", None)


def same_names(scene: Scene) -> None:
    """Both sides called alike, which glTF allows."""
    for node in scene.json["nodes"]:
        node["name"] = node["name"].replace("left", "").replace("right", "")


def deep_in_the_scene(scene: Scene) -> None:
    """Groups above the armature, moved and turned and turned back; the skin names its root."""
    nodes = scene.json["nodes"]
    half = 0.5**0.5
    nodes += [
        {"name": "World", "children": [JOINTS + 3], "rotation": [-half, 0, 0, half], "translation": [0.4, 0.0, -0.3]},
        {"name": "Exported", "children": [ARMATURE, BODY], "rotation": [half, 0, 0, half]},
    ]
    scene.json["scenes"][0]["nodes"] = [JOINTS + 2]
    scene.json["skins"][0]["skeleton"] = 0


def odd_order(scene: Scene) -> None:
    """Nodes listed from the feet to the hips, and the skin's joints in yet another order."""
    nodes = scene.json["nodes"]
    new = {old: len(nodes) - 1 - old for old in range(len(nodes))}
    scene.json["nodes"] = [
        node | ({"children": [new[child] for child in node["children"]]} if "children" in node else {})
        for node in reversed(nodes)
    ]
    scene.json["scenes"][0]["nodes"] = [new[node] for node in scene.json["scenes"][0]["nodes"]]
    scene.json["skins"][0]["joints"] = [new[joint] for joint in range(JOINTS)]


def mirrored(scene: Scene) -> None:
    """A rig drawn the wrong way round, and set right by a scale of -1."""
    nodes = scene.json["nodes"]
    nodes[ARMATURE]["scale"] = [-1.0, 1.0, 1.0]
    for node in nodes[:JOINTS]:
        node["translation"][0] *= -1.0


def mirrored_arm(scene: Scene) -> None:
    """One arm made of the other by a scale of -1."""
    nodes = scene.json["nodes"]
    first = NAMES.index("rightUpperArm")
    nodes[first]["scale"] = [-1.0, 1.0, 1.0]
    for node in nodes[first + 1 : first + 3]:
        node["translation"][0] *= -1.0


def without_binds(scene: Scene) -> Scene:
    """No inverse bind matrices: they are then identities, and the mesh is given in each joint's own space."""
    scene.json["skins"][0].pop("inverseBindMatrices")
    return scene


def with_morphs(scene: Scene) -> Scene:
    mesh = scene.json["meshes"][0]
    count = 4 * JOINTS
    smile = scene.accessor(
        np.full((count, 3), 0.01), min=[np.float32(0.01).item()] * 3, max=[np.float32(0.01).item()] * 3
    )
    mesh["primitives"][0]["targets"] = [{"POSITION": smile}]
    mesh["extras"], mesh["weights"] = {"targetNames": ["smile"]}, [0.0]
    return scene


def with_two_skins(scene: Scene) -> Scene:
    """Legs and the rest as two meshes of a skin each, the second one's joints counted from 0 again."""
    legs = range(NAMES.index("rightUpperArm"), JOINTS)
    scene.json["nodes"].append({"name": "Legs", "mesh": 1, "skin": 1})
    scene.json["scenes"][0]["nodes"].append(len(scene.json["nodes"]) - 1)
    scene.json["meshes"].append({"name": "Legs", "primitives": [primitive(scene, legs)]})
    skin: dict[str, Any] = {"joints": list(legs)}
    bind(scene, skin)
    scene.json["skins"].append(skin)
    return scene


def of_rigid_parts(scene: Scene) -> Scene:
    """No skin at all: every joint shows a part of its own."""
    del scene.json["skins"]
    scene.json["nodes"][BODY] = {"name": "Body"}
    scene.json["meshes"] = [{"name": "part", "primitives": [primitive(scene, range(1), skinned=False)]}]
    for node in scene.json["nodes"][:JOINTS]:
        node["mesh"] = 0
    return scene


def rigged() -> dict[str, Scene]:
    """All of them, by what is odd about them."""
    return {
        "plain": humanoid(),
        "armature of 0.01": humanoid(armature_of(0.01)),
        "armature of 100": humanoid(armature_of(100.0)),
        "uneven scales": humanoid(uneven_scales),
        "uneven and centimetres": humanoid(armature_of(0.01), uneven_scales),
        "poles and targets": humanoid(controls),
        "no names": humanoid(no_names),
        "same names": humanoid(same_names),
        "deep in the scene": humanoid(deep_in_the_scene),
        "odd order": humanoid(odd_order),
        "mirrored": humanoid(mirrored),
        "mirrored arm": humanoid(mirrored_arm),
        "no binds": without_binds(humanoid()),
        "morphs": with_morphs(humanoid()),
        "two skins": with_two_skins(humanoid()),
        "a part a joint": of_rigid_parts(humanoid()),
    }
