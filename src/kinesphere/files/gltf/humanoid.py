"""Which nodes are the hips, the head, the left hand: what VRM files say about their nodes."""

from __future__ import annotations

from kinesphere.files.gltf.container import Document
from kinesphere.files.gltf.fields import Fields

_SIDED = (
    *("Eye", "Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"),
    *("ThumbMetacarpal", "ThumbProximal", "ThumbDistal"),
    *(
        f"{finger}{part}"
        for finger in ("Index", "Middle", "Ring", "Little")
        for part in ("Proximal", "Intermediate", "Distal")
    ),
)
ROLES = frozenset(
    (
        "hips",
        "spine",
        "chest",
        "upperChest",
        "neck",
        "head",
        "jaw",
        *(side + part for side in ("left", "right") for part in _SIDED),
    )
)
# VRM 0 counted the bones of the thumb as those of the other fingers.
_THUMBS_OF_VRM_0 = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in ("left", "right")
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}


def humanoid_roles(document: Document, nodes: int) -> dict[str, int]:
    """Humanoid role (VRM 1.0 bone name) to node, as far as the file says."""
    extensions = document.fields.child("extensions")
    found: dict[str, int] = {}
    for name in ("VRMC_vrm_animation", "VRMC_vrm"):
        if name in extensions:
            bones = extensions.child(name).child("humanoid").child("humanBones")
            for bone in bones.data:
                if bone in ROLES:
                    found.setdefault(bone, bones.child(bone).index("node", nodes, "nodes"))
    if "VRM" in extensions:
        for entry in extensions.child("VRM").child("humanoid").each("humanBones"):
            bone = entry.text("bone")
            bone = _THUMBS_OF_VRM_0.get(bone, bone)
            if bone in ROLES:
                found.setdefault(bone, entry.index("node", nodes, "nodes"))
    return found


def nodes_that_are_no_joints(document: Document, nodes: int) -> set[int]:
    """Nodes whose movement means something else: weights of expressions, and the point that is looked at."""
    extensions = document.fields.child("extensions")
    if "VRMC_vrm_animation" not in extensions:
        return set()
    animation = extensions.child("VRMC_vrm_animation")
    found: set[int] = set()
    if "lookAt" in animation:
        _add_node(animation.child("lookAt"), nodes, found)
    for kind in ("preset", "custom"):
        expressions = animation.child("expressions").child(kind)
        for name in expressions.data:
            _add_node(expressions.child(name), nodes, found)
    return found


def _add_node(owner: Fields, nodes: int, found: set[int]) -> None:
    if "node" in owner:
        found.add(owner.index("node", nodes, "nodes"))
