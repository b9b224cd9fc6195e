"""Built-in characters: the figure, a person of any height and build, and Mo, a round cartoon."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import as_file, files

import numpy as np

from kinesphere.body.mass import segments
from kinesphere.engine.proportions import HEIGHT, MO
from kinesphere.files.loading import load_character
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character, Mesh, sole_depths
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.source import Source

CHARACTERS = {"figure": "A person of 1.70 m", "mo": "A round cartoon with short limbs"}  # what each is, by name
HEIGHTS = (0.5, 2.5)  # metres
BUILDS = (-1.0, 1.0)  # slender, stout
# By how much the flesh about a bone is thicker at build 1, across it; of names that end a joint's, the longest counts.
GIRTH = {
    "hips": 0.26,
    "spine": 0.30,
    "spine2": 0.30,
    "chest": 0.20,
    "upperChest": 0.14,
    "neck": 0.14,
    "head": 0.0,  # eyes would sink in
    "Shoulder": 0.10,
    "UpperArm": 0.20,
    "LowerArm": 0.14,
    "Hand": 0.05,
    "UpperLeg": 0.20,
    "LowerLeg": 0.14,
    "Foot": 0.04,
    "Toes": 0.02,
    "Eye": 0.0,
}
FINGER_GIRTH = 0.08
MASS_INDEX, HEAVIER = 22.5, 0.28  # kilograms over the square of the height; by how much more at build 1


def figure(height: float = HEIGHT, build: float = 0.0) -> Character:
    """Our own character.

    Parameters
    ----------
    height
        Metres from sole to crown, 0.5 to 2.5.
    build
        From -1, slender, to 1, stout. Bones stay; what is about them changes.
    """
    return _load_fitted("figure", check_range("height", height, HEIGHTS), HEIGHT, check_range("build", build, BUILDS))


def mo(height: float = MO.height) -> Character:
    """Mo: a round cartoon with two arms, after the one of Chi's thesis, on the figure's roles but for ring fingers."""
    return _load_fitted("mo", check_range("height", height, HEIGHTS), MO.height, 0.0)


def check_range(name: str, value: object, allowed: tuple[float, float]) -> float:
    """The value as a number within the allowed range; else ``ValueError``."""
    least, most = allowed
    found = math.nan
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        found = float(value)
    if not least <= found <= most:
        raise ValueError(f"{name} {value!r}: a number from {least:g} to {most:g} is allowed")
    return found


@lru_cache(maxsize=20)
def _load_fitted(name: str, height: float, usual: float, build: float) -> Character:
    with as_file(files("kinesphere.builtin") / f"{name}.glb") as path:
        made = load_character(path)
    made = replace(made, name=name, source=Source(format="gltf", evidence=("our own",)))
    if height == usual and build == 0.0:
        return made
    skeleton = made.skeleton.scaled(height / usual)
    meshes = tuple(_fit_mesh(mesh, skeleton, height / usual, build) for mesh in made.meshes)
    skeleton = replace(skeleton, soles=sole_depths(skeleton, meshes))
    return Character(name, skeleton, meshes, source=made.source)


def mass(height: float = HEIGHT, build: float = 0.0) -> float:
    """Kilograms that a body of that height and build weighs; both as ``figure`` takes them."""
    tall, thick = check_range("height", height, HEIGHTS), check_range("build", build, BUILDS)
    return MASS_INDEX * tall**2 * (1.0 + HEAVIER * thick)


def segment_masses(height: float = HEIGHT, build: float = 0.0) -> Mapping[str, float]:
    """Kilograms of each segment, by name; de Leva's shares (``body.mass``)."""
    whole = mass(height, build)
    found: dict[str, float] = {}
    for segment in segments(figure().skeleton):
        found[segment.name] = found.get(segment.name, 0.0) + whole * segment.mass
    return found


def _fit_mesh(mesh: Mesh, skeleton: Skeleton, size: float, build: float) -> Mesh:
    """The surface about longer bones, thicker or thinner across them."""
    along = _bone_directions(skeleton)[mesh.joints]
    thick = 1.0 + build * np.array([_girth(name) for name in skeleton.names])[mesh.joints][..., None]
    reach = np.sum(mesh.anchors * along, axis=-1, keepdims=True) * along
    across = mesh.anchors - reach
    # Feet grow aside only: soles stay on the floor, whatever the build.
    feet = np.array([name.endswith(("Foot", "Toes")) for name in skeleton.names])[mesh.joints][..., None]
    anchors = size * (mesh.anchors + (thick - 1.0) * np.where(feet, across * [1.0, 0.0, 1.0], across))
    bound = skeleton.rest_world()[1][mesh.joints] + anchors  # all axes are the world's at rest
    positions = np.sum(mesh.weights[..., None] * bound, axis=1)
    # At rest all anchors of a vertex are one position: those that disagree would tear the surface.
    anchors = anchors - (bound - positions[:, None])
    return Mesh(mesh.name, positions, mesh.triangles, mesh.joints, mesh.weights, anchors, colour=mesh.colour)


def _bone_directions(skeleton: Skeleton) -> Floats:
    """``(J, 3)`` each joint's bone at rest: towards the mean of its children, or its tip."""
    directions = np.zeros((len(skeleton), 3))
    for joint, children in enumerate(skeleton.children):
        ends = [skeleton.offsets[child] for child in children if "Eye" not in skeleton.names[child]]
        ends += [np.array(tip.offset) for tip in skeleton.tips if tip.joint == joint]
        mean = np.mean(ends, axis=0) if ends else np.array([0.0, 1.0, 0.0])
        directions[joint] = mean / np.linalg.norm(mean)
    directions[skeleton.roles["hips"]] = [0.0, 1.0, 0.0]
    return directions


def _girth(name: str) -> float:
    fitting = [part for part in GIRTH if name.endswith(part)]
    return GIRTH[max(fitting, key=len)] if fitting else FINGER_GIRTH
