"""BVH texts made by hand, for readers that must not learn from our own writer."""

from __future__ import annotations

import numpy as np

SIMPLE = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 0.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Chest
	{
		OFFSET 0.0 0.5 0.0
		CHANNELS 3 Zrotation Xrotation Yrotation
		End Site
		{
			OFFSET 0.0 0.3 0.0
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.04
1.0 0.9 0.0 0 0 0 0 0 0
1.1 0.9 0.0 0 0 90 0 0 0
1.2 0.9 0.0 90 0 0 0 0 0
"""


def random_text(rng: np.random.Generator, joints: int, frames: int) -> tuple[str, dict]:
    """A random tree with random channel layouts, and what its world positions must be.

    Positions are worked out here with 4 × 4 matrices, one channel after the other.
    """
    parents = [-1] + [int(rng.integers(0, i)) for i in range(1, joints)]
    children = {j: [c for c in range(joints) if parents[c] == j] for j in range(joints)}
    offsets = np.round(rng.uniform(-0.5, 0.5, (joints, 3)), 6)
    channels: dict[int, list[str]] = {}
    for j in range(joints):
        turns = [f"{axis}rotation" for axis in rng.permutation(list("XYZ"))[: rng.integers(0, 4)]]
        places = [f"{axis}position" for axis in rng.permutation(list("XYZ"))] if j == 0 or rng.random() < 0.3 else []
        channels[j] = places + turns if rng.random() < 0.7 else turns + places
    lines, order = ["HIERARCHY"], []

    def write(j: int, depth: int) -> None:
        order.append(j)
        tab = "  " * depth
        same = rng.random() < 0.3
        lines.append(f"{tab}{'JOINT' if depth else 'ROOT'} joint{j}{' {' if same else ''}")
        if not same:
            lines.append(f"{tab}{{")
        lines.append(f"{tab}  OFFSET " + " ".join(f"{v:.6f}" for v in offsets[j]))
        lines.append(f"{tab}  CHANNELS {len(channels[j])} {' '.join(channels[j])}")
        for child in children[j]:
            write(child, depth + 1)
        if not children[j]:
            lines.extend([f"{tab}  End Site", f"{tab}  {{", f"{tab}    OFFSET 0 0.1 0", f"{tab}  }}"])
        lines.append(f"{tab}}}")

    write(0, 0)
    rows = []
    world = np.zeros((frames, joints, 3))
    for f in range(frames):
        values: dict[int, list[float]] = {}
        matrices: dict[int, np.ndarray] = {}
        for j in order:
            values[j] = []
            local = np.eye(4)
            local[:3, 3] = offsets[j]
            for name in channels[j]:
                axis = "XYZ".index(name[0])
                if name.endswith("position"):
                    value = round(float(offsets[j][axis] + rng.normal(scale=0.02)), 6)
                    local[axis, 3] = value
                else:
                    value = round(float(rng.uniform(-180, 180)), 4)
                    local[:3, :3] = local[:3, :3] @ turn(axis, value)
                values[j].append(value)
            matrices[j] = local if parents[j] < 0 else matrices[parents[j]] @ local
            world[f, j] = matrices[j][:3, 3]
        rows.append(" ".join(f"{v:.6f}" for j in order for v in values[j]))
    text = "\n".join([*lines, "MOTION", f"Frames: {frames}", "Frame Time: 0.0333333", *rows]) + "\n"
    return text, {"order": order, "world": world[:, order], "offsets": offsets[order]}


def turn(axis: int, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
    return matrix
