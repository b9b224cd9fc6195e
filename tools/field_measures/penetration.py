"""Arms inside the body: forearms and hands against the posed skin, and how fast elbows swing about their arms.

Points along each forearm and the middle of each hand are inside where the winding number of the skin of trunk and head
says so; their depth is the distance to that skin. The volumes that ``retarget`` uses take no part.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

import kinesphere
from field_measures.round_body import round_character
from kinesphere import Character, Motion

ORDER = 90
FRAMES = 40  # of a clip
CHARACTERS = 3  # of the folder, evenly among their names
DEEP = 0.01  # metres: what is less deep is not counted
ALONG = (0.3, 0.5, 0.7, 0.9)  # shares of the forearm, from the elbow
SIDES = ("left", "right")
FASTER, FAST = 2.0, 15.0  # times the source's elbows, and rad/s: what is faster is a flip
BENT = 0.08  # of the arm: an elbow nearer to the line from shoulder to wrist has no swing

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """By default and with ``clear=True``: share of frames with an arm inside, mean depth, and the elbows' speed."""
    numbers: dict[str, list[float]] = {}
    own = elbow_speed(motion)
    for body, character in _chosen(characters).items():
        for name, clear in (("default", None), ("clear", True)):
            made = kinesphere.retarget(motion, character, clear=clear)
            deep = depths(made, character)
            swing = elbow_speed(made)
            found = {
                "inside": float((deep > DEEP).mean()),
                "depth": float(np.where(deep > DEEP, deep, 0.0).mean()),
                "elbow": swing,
                "flips": float(swing > max(FASTER * own, FAST)),
            }
            for key, value in found.items():
                numbers.setdefault(f"{name} {key}", []).append(value)
                if body == "round" and key == "inside":
                    numbers[f"{name} round"] = [value]
    return {key: float(np.max(v) if key.endswith("elbow") else np.mean(v)) for key, v in numbers.items()}


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """Means over clips, the fastest elbow, and the clip with the most frames inside."""
    mean = {key: float(np.mean([row[key] for row in rows.values()])) for key in next(iter(rows.values()))}
    parts = []
    for name in ("default", "clear"):
        worst = max(rows, key=lambda clip: rows[clip][f"{name} inside"])
        fastest = max(rows, key=lambda clip: rows[clip][f"{name} elbow"])
        parts.append(
            f"{name}: arms inside in {100 * mean[f'{name} round']:.1f} % of frames on a round body and in "
            f"{100 * mean[f'{name} inside']:.1f} % on all (mean depth {1000 * mean[f'{name} depth']:.1f} mm; worst "
            f"{100 * rows[worst][f'{name} inside']:.0f} %: {worst}); elbows swing at most "
            f"{rows[fastest][f'{name} elbow']:.0f} rad/s ({fastest}) and more than twice as fast as the source's on "
            f"{100 * mean[f'{name} flips']:.0f} % of bodies"
        )
    return "; ".join(parts)


def _chosen(characters: dict[str, Character]) -> dict[str, Character]:
    """A round body, Mo, which is a ball with limbs, and some of the folder's."""
    names = sorted(characters)
    picked = [names[round(k)] for k in np.linspace(0, len(names) - 1, min(CHARACTERS, len(names)))]
    return {"round": round_character(), "mo": kinesphere.builtin.mo(), **{name: characters[name] for name in picked}}


def depths(made: Motion, character: Character, frames: int = FRAMES) -> Floats:
    """Metres ``(n,)`` by which the deepest point of forearms and hands is inside the skin, in ``n`` frames; 0: none."""
    performed = made.performed_frames
    chosen = performed[np.unique(np.linspace(0, len(performed) - 1, frames).astype(np.intp))]
    world, places = made.world()
    world, places = world[chosen], places[chosen]
    roles = kinesphere.find_roles(made.skeleton).roles
    points = []
    for side in SIDES:
        elbow, wrist = (places[:, roles[f"{side}{part}"]] for part in ("LowerArm", "Hand"))
        points += [elbow + share * (wrist - elbow) for share in ALONG]
        points.append(_hand_middle(made, side, world, places))
    arm = np.stack(points, axis=1)
    triangles = _trunk(character)
    skin = np.concatenate(character.posed(world, places), axis=1)
    return np.array([_deepest(own, posed[triangles]) for own, posed in zip(arm, skin, strict=True)])


def _hand_middle(made: Motion, side: str, world: Floats, places: Floats) -> Floats:
    """Between the wrist and the middle finger's base, or a little beyond the wrist along the forearm."""
    roles = kinesphere.find_roles(made.skeleton).roles
    elbow, wrist = (places[:, roles[f"{side}{part}"]] for part in ("LowerArm", "Hand"))
    knuckle = roles.get(f"{side}MiddleProximal")
    return np.asarray(wrist + 0.2 * (wrist - elbow) if knuckle is None else 0.5 * (wrist + places[:, knuckle]))


@cache
def _trunk(character: Character) -> Ints:
    """Triangles ``(M, 3)`` that arms and legs carry less than half of, of all meshes together."""
    skeleton = character.skeleton
    roles = kinesphere.find_roles(skeleton).roles
    limbs = [skeleton.descendants(roles[side + part]) for side in SIDES for part in ("UpperArm", "UpperLeg", "Foot")]
    own = np.isin(np.arange(len(skeleton)), np.concatenate([np.asarray(list(joints)) for joints in limbs]))
    found, first = [], 0
    for mesh in character.meshes:
        carried = (mesh.weights * own[mesh.joints]).sum(axis=1)
        if len(mesh.triangles):
            found.append(mesh.triangles[carried[mesh.triangles].mean(axis=1) < 0.5] + first)
        first += len(mesh.positions)
    return np.concatenate(found)


def _deepest(points: Floats, triangles: Floats) -> float:
    """How deep the deepest of points ``(K, 3)`` is inside triangles ``(M, 3, 3)``."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    points = points[np.all((points > low) & (points < high), axis=1)]
    if not len(points):
        return 0.0
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.sqrt(np.einsum("kmi,kmi->km", v, v)) for v in (a, b, c))
    # The solid angle of a triangle (Van Oosterom and Strackee 1983); their sum is 4 pi inside.
    volume = np.einsum("kmi,kmi->km", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("kmi,kmi->km", x, y) for x, y in ((a, b), (b, c), (c, a)))
    winding = np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb).sum(axis=1) / (2.0 * np.pi)
    inside = winding > 0.5
    if not inside.any():
        return 0.0
    return float(np.sqrt(_squared_distances(points[inside], triangles).min(axis=1).max()))


def _squared_distances(points: Floats, triangles: Floats) -> Floats:
    """``(K, M)`` from points ``(K, 3)`` to triangles ``(M, 3, 3)``: to the plane, or to the nearest edge."""
    a = triangles[:, 0]
    u, v = triangles[:, 1] - a, triangles[:, 2] - a
    normal = np.cross(u, v)
    size = np.einsum("mi,mi->m", normal, normal)
    flat = size < 1e-24  # a triangle of no area has edges alone
    size = np.where(flat, 1.0, size)
    w = points[:, None] - a
    s = np.einsum("kmi,mi->km", np.cross(w, v), normal) / size
    t = np.einsum("kmi,mi->km", np.cross(u, w), normal) / size
    height = np.einsum("kmi,mi->km", w, normal) ** 2 / size
    best = np.where((s >= 0.0) & (t >= 0.0) & (s + t <= 1.0) & ~flat, height, np.inf)
    for k in range(3):
        start = triangles[:, k]
        edge = triangles[:, (k + 1) % 3] - start
        along = np.einsum("kmi,mi->km", points[:, None] - start, edge) / np.maximum((edge * edge).sum(axis=1), 1e-30)
        off = points[:, None] - start - np.clip(along, 0.0, 1.0)[..., None] * edge
        best = np.minimum(best, np.einsum("kmi,kmi->km", off, off))
    return np.asarray(best)


def elbow_speed(motion: Motion) -> float:
    """The fastest swing of an elbow about the line from shoulder to wrist, seen from the chest, in rad/s."""
    p = motion.positions_world()[motion.performed_frames]
    roles = kinesphere.find_roles(motion.skeleton).roles
    fastest = 0.0
    for side in SIDES:
        shoulder, elbow, wrist = (p[:, roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
        axis = wrist - shoulder
        axis = axis / np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
        bow = elbow - shoulder - ((elbow - shoulder) * axis).sum(axis=1, keepdims=True) * axis
        size = np.linalg.norm(bow, axis=1)
        length = np.linalg.norm(elbow - shoulder, axis=1) + np.linalg.norm(wrist - elbow, axis=1)
        bow = bow / np.maximum(size, 1e-9)[:, None]
        # Carry each frame's direction to the next one's axis by the smallest rotation, and take the angle that is left.
        a, b = axis[:-1], axis[1:]
        carried = bow[:-1] - (bow[:-1] * b).sum(axis=1, keepdims=True) / np.maximum(
            1.0 + (a * b).sum(axis=1, keepdims=True), 1e-9
        ) * (a + b)
        cosine = np.clip((carried * bow[1:]).sum(axis=1), -1.0, 1.0)
        shown = (size > BENT * length)[:-1] & (size > BENT * length)[1:]
        if shown.any():
            fastest = max(fastest, float(np.arccos(cosine[shown]).max()) * motion.rate)
    return fastest
