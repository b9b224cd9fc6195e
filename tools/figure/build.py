"""Make our bodies' surfaces, where the package finds them: ``python tools/figure/build.py [figure|mo]``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from carried import bones
from field import Field, Floats
from head import EYE
from mo import mo
from person import person
from surface import Finer, axis, extracted
from weights import heat_weights

from kinesphere.engine.proportions import MO, PERSON, BodyPlan, skeleton
from kinesphere.files.gltf.write import save_character
from kinesphere.motion.character import Character, Mesh
from kinesphere.motion.skeleton import Skeleton

HOME = Path(__file__).parents[2] / "src/kinesphere/builtin"
# Left half: from, to and, where faces, hands or soles are, finer cells, along each axis. No sample lies on the soles'
# plane itself.
FIGURE_GRID = (
    (0.0, 0.76, ((0.0, 0.05, 0.0018), (0.05, 0.09, 0.0025), (0.53, 0.73, 0.002))),
    (-0.02, 1.73, ((-0.0047, 0.03, 0.003), (0.81, 1.01, 0.002), (1.48, 1.62, 0.0016))),
    (-0.20, 0.26, ((-0.04, 0.07, 0.002), (0.07, 0.115, 0.0016))),
)
MO_GRID = ((0.0, 0.90, ()), (-0.02, 0.98, ()), (-0.36, 0.40, ()))
FACE = (0.0, 1.568, 0.070)  # the figure's
CELL = 0.004
WOOD, BLUE = (0.55, 0.33, 0.19, 1.0), (0.16, 0.30, 0.46, 1.0)
WHITE, DARK = (0.82, 0.80, 0.76, 1.0), (0.035, 0.028, 0.024, 1.0)
Colour = tuple[float, float, float, float]
Grid = Sequence[tuple[float, float, Sequence[Finer]]]


def made(
    name: str, plan: BodyPlan, field: Field, grid: Grid, cell: float, vertices: int, eye: float, colour: Colour
) -> Character:
    """One surface, and eyes."""
    body = skeleton(plan=plan)
    axes = [axis(low, high, cell, finer) for low, high, finer in grid]
    points, triangles, _ = extracted(field, axes, vertices, np.array(FACE) if plan is PERSON else None)
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


MAKERS: Mapping[str, Callable[[float], Character]] = {
    "figure": lambda cell: made("figure", PERSON, person, FIGURE_GRID, cell, 17_500, EYE, WOOD),
    "mo": lambda cell: made("mo", MO, mo, MO_GRID, 1.5 * cell, 7_000, 0.062, BLUE),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *MAKERS], help="all, unless some are named")
    parser.add_argument("--cell", type=float, default=CELL, help="metres; larger is coarser and quicker")
    parser.add_argument("--into", type=Path, default=HOME, help="another folder")
    asked = parser.parse_args()
    for name in asked.names or MAKERS:
        one = MAKERS[name](asked.cell)
        path = asked.into / f"{name}.glb"
        save_character(one, path)
        print(f"{one}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
