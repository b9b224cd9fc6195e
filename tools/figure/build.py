"""Make the figure's surface and write it where the package finds it: ``python tools/figure/build.py``."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from carried import bones
from field import Field, Floats
from mo import mo
from person import person
from surface import extracted
from weights import heat_weights

from kinesphere.figure.proportions import MO, PERSON, Plan, skeleton
from kinesphere.files.gltf.write import save_character
from kinesphere.motion.character import Character, Mesh
from kinesphere.motion.skeleton import Skeleton

HOME = Path(__file__).parents[2] / "src/kinesphere/figure"
BOUNDS = {
    "figure": ((-0.76, -0.02, -0.20), (0.76, 1.73, 0.26)),
    "mo": ((-0.90, -0.02, -0.36), (0.90, 0.98, 0.40)),
}
CELL = 0.004
WOOD, BLUE = (0.55, 0.33, 0.19, 1.0), (0.16, 0.30, 0.46, 1.0)
WHITE, DARK = (0.82, 0.80, 0.76, 1.0), (0.035, 0.028, 0.024, 1.0)
Colour = tuple[float, float, float, float]


def made(name: str, plan: Plan, field: Field, cell: float, vertices: int, eye: float, colour: Colour) -> Character:
    """One surface, and eyes."""
    body = skeleton(plan=plan)
    low, high = BOUNDS[name]
    points, triangles, _ = extracted(field, np.array(low), np.array(high), cell, vertices)
    found, narrow = bones(body, plan)
    weights = heat_weights(points, triangles, found, len(body), narrow)
    order = np.argsort(-weights, axis=1)[:, :4]
    shares = np.take_along_axis(weights, order, axis=1)
    skin = Mesh.bound(
        body, points, triangles, order, shares / shares.sum(axis=1, keepdims=True), name="body", colour=colour
    )
    eyes = [_eye(body, side, part, eye) for part in ("white", "iris") for side in ("left", "right")]
    return Character(name, body, (skin, *(_joined(eyes[k : k + 2]) for k in (0, 2))))


def _eye(body: Skeleton, side: str, part: str, size: float) -> Mesh:
    """A ball that looks ahead; the iris is a cap on it, a little outside."""
    joint = body.index(f"{side}Eye")
    rings, round_ = (10, 20) if part == "white" else (5, 20)
    reach = np.pi if part == "white" else np.radians(33.0)
    radius = size if part == "white" else 1.02 * size
    angles = np.linspace(0.0, reach, rings + 1)[1:]
    turns = np.arange(round_) * 2.0 * np.pi / round_
    ring = [(np.sin(a) * np.cos(t), np.sin(a) * np.sin(t), np.cos(a)) for a in angles for t in turns]
    points = radius * np.array([(0.0, 0.0, 1.0), *ring]) + body.rest_world()[1][joint]
    faces = [(0, 1 + k, 1 + (k + 1) % round_) for k in range(round_)]
    for r in range(rings - 1):
        for k in range(round_):
            a, b = 1 + r * round_ + k, 1 + r * round_ + (k + 1) % round_
            faces += [(a, a + round_, b), (b, a + round_, b + round_)]
    ones = np.ones((len(points), 1))
    colour = WHITE if part == "white" else DARK
    return Mesh.bound(body, points, faces, np.full((len(points), 1), joint), ones, name=f"eye {part}", colour=colour)


def _joined(meshes: list[Mesh]) -> Mesh:
    """Meshes of one material as one."""
    shift = np.cumsum([0, *(len(mesh.positions) for mesh in meshes)])
    parts: list[Floats] = [
        np.concatenate([getattr(mesh, name) for mesh in meshes])
        for name in ("positions", "joints", "weights", "anchors")
    ]
    faces = np.concatenate([mesh.triangles + first for mesh, first in zip(meshes, shift[:-1], strict=True)])
    return Mesh(meshes[0].name, parts[0], faces, parts[1].astype(np.intp), parts[2], parts[3], colour=meshes[0].colour)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cell", type=float, default=CELL, help="metres; larger is coarser and quicker")
    cell = parser.parse_args().cell
    for one in (
        made("figure", PERSON, person, cell, 13_000, 0.0118, WOOD),
        made("mo", MO, mo, 1.5 * cell, 7_000, 0.062, BLUE),
    ):
        save_character(one, HOME / f"{one.name}.glb")
        print(f"{one}: {(HOME / f'{one.name}.glb').stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
