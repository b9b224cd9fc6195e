"""Clean bodies: hands inside trunk, head or thighs, wrists that rotate too fast, joints beyond their limits, pops.

Depths are those of a hundred vertices of each hand below the figure's own skin: the rings of trunk and head that
``body.trunk_surface`` measures, and thighs measured in the same way, as radii by height and azimuth about the bone.
Against winding numbers of the posed skin they are right within 1.5 cm where a hand is 7 cm deep, 3 mm where it is 1 cm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from expression_measures.performing import Spec, perform_each
from kinesphere import Character, Motion
from kinesphere.body.anatomy import find_anatomy
from kinesphere.body.collision import find_volumes
from kinesphere.body.limits import limit_excess
from kinesphere.body.trunk_surface import TrunkSurface
from kinesphere.builtin import figure
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints, norms, unit
from kinesphere.motion.humanoid import SIDES

DEEP = 0.01  # metres
FAST = 900.0  # degrees a second
BEYOND = 10.0  # degrees past a limit
JUMP = 60.0  # millimetres a frame by which the step of an elbow changes
SOFT = 1e-6  # metres: a softness of nothing
OWN = 0.6  # of a vertex's weights that makes it a hand's, or a thigh's
EACH = 14  # vertices of a hand of which one is looked at
LEVELS, SECTORS = 12, 24  # of a thigh
ENDS = (0.12, 0.95)  # of the bone: what is above is the hips', what is below the knee's
WORST = 5  # cases that are named


@dataclass(frozen=True, eq=False)
class Thigh:
    """Radii ``(LEVELS, SECTORS)`` of a thigh's skin, in its joint's axes."""

    joint: int
    bone: Floats  # (3,)
    axes: Floats  # (3, 3) across, across and along the bone, as rows
    radii: Floats

    def depths(self, points: Floats) -> Floats:
        """How far below the skin ``(...)`` points ``(..., 3)`` in the joint's axes are; at most 0 outside."""
        across, aside, along = (points @ axis for axis in self.axes)
        share = along / float(np.linalg.norm(self.bone))
        level = np.clip((share - ENDS[0]) / (ENDS[1] - ENDS[0]) * LEVELS, 0, LEVELS - 1).astype(np.intp)
        sector = ((np.arctan2(aside, across) / (2.0 * np.pi)) % 1.0 * SECTORS).astype(np.intp) % SECTORS
        inside = (share > ENDS[0]) & (share < ENDS[1])
        return np.where(inside, self.radii[level, sector] - np.hypot(across, aside), 0.0)


class HandSkin(NamedTuple):
    """Points of a hand's skin, each on the joint that carries most of it."""

    joints: Ints  # (K,)
    anchors: Floats  # (K, 3) in the joint's axes


class Skin(NamedTuple):
    """Hands, and what they are kept out of."""

    surface: TrunkSurface
    thighs: tuple[Thigh, ...]
    hands: tuple[HandSkin, ...]  # left, right


@cache
def figure_skin() -> Skin:
    """The figure's own."""
    character = figure()
    surface = find_volumes(character, find_anatomy(character.skeleton)).surface
    assert surface is not None
    thighs = tuple(_measure_thigh(character, side) for side in SIDES)
    return Skin(surface, thighs, tuple(_measure_hand(character, side) for side in SIDES))


def _measure_hand(character: Character, side: str) -> HandSkin:
    skeleton, mesh = character.skeleton, character.meshes[0]
    joints = skeleton.descendants(skeleton.roles[f"{side}Hand"])
    q, p = skeleton.rest_world()
    own = np.flatnonzero(np.sum(mesh.weights * np.isin(mesh.joints, joints), axis=1) > OWN)[::EACH]
    carriers = np.take_along_axis(mesh.joints[own], np.argmax(mesh.weights[own], axis=1)[:, None], axis=1)[:, 0]
    points = mesh.posed(q, p)[own] - p[carriers]
    return HandSkin(carriers, rotations.rotate(rotations.conjugate(q[carriers]), points))


def _measure_thigh(character: Character, side: str) -> Thigh:
    skeleton, mesh = character.skeleton, character.meshes[0]
    hip, knee = skeleton.roles[f"{side}UpperLeg"], skeleton.roles[f"{side}LowerLeg"]
    q, p = skeleton.rest_world()
    own = np.sum(mesh.weights * (mesh.joints == hip), axis=1) > OWN
    skin = rotations.rotate(rotations.conjugate(q[hip]), mesh.posed(q, p)[own] - p[hip])
    bone = rotations.rotate(rotations.conjugate(q[hip]), p[knee] - p[hip])
    along = unit(bone)
    across = unit(np.cross(along, [0.0, 0.0, 1.0]))
    axes = np.stack([across, np.cross(along, across), along])
    x, y, z = (skin @ axis for axis in axes)
    share = (z / float(np.linalg.norm(bone)) - ENDS[0]) / (ENDS[1] - ENDS[0])
    radii = np.full((LEVELS, SECTORS), np.nan)
    turns, size = np.arctan2(y, x) / (2.0 * np.pi) % 1.0, np.hypot(x, y)
    for level in range(LEVELS):
        near = np.abs(share - (level + 0.5) / LEVELS) < 1.0 / LEVELS
        for sector in range(SECTORS):
            off = np.abs((turns - (sector + 0.5) / SECTORS + 0.5) % 1.0 - 0.5)
            close = near & (off < 1.0 / SECTORS)
            if close.any():
                radii[level, sector] = float(np.median(size[close]))
    fallback = np.where(np.isnan(radii).all(axis=1), np.nanmedian(radii), np.nanmedian(radii, axis=1))
    return Thigh(hip, bone, axes, np.where(np.isnan(radii), fallback[:, None], radii))


def hand_depths(q: Floats, p: Floats) -> Floats:
    """Metres ``(T, 2)`` by which each hand's deepest point is below the skin, of the figure's world poses."""
    surface, thighs, hands = figure_skin()
    posed = surface.pose(q, p)
    found = np.zeros((len(q), 2))
    for i, hand in enumerate(hands):
        points = p[:, hand.joints] + rotations.rotate(q[:, hand.joints], hand.anchors)
        pushed = norms(posed.push_out(points, 1.0 - 2.0 * i, np.zeros(points.shape[1]), SOFT))
        found[:, i] = pushed.max(axis=1)
        for thigh in thighs:
            back = rotations.conjugate(q[:, thigh.joint])[:, None]
            own = rotations.rotate(np.broadcast_to(back, (*points.shape[:2], 4)), points - p[:, thigh.joint, None])
            found[:, i] = np.maximum(found[:, i], thigh.depths(own).max(axis=1))
    return found


def wrist_speeds(motion: Motion) -> Floats:
    """Degrees a second ``(T - 1, 2)`` at which hands rotate against their forearms, from frame to frame."""
    wrists = [motion.skeleton.roles[f"{side}Hand"] for side in SIDES]
    local = motion.rotations[:, wrists]
    return np.asarray(np.degrees(rotations.angle_between(local[1:], local[:-1])) * motion.rate)


def largest_pop(motion: Motion, p: Floats, part: str = "Hand") -> float:
    """Millimetres a frame by which the step of a hand, or another part, differs most from the one before."""
    joints = [motion.skeleton.roles[f"{side}{part}"] for side in SIDES]
    return 1000.0 * float(norms(np.diff(p[:, joints], 2, axis=0)).max(initial=0.0)) * (motion.rate / 60.0) ** 2


def inspect(motion: Motion) -> dict[str, float]:
    """The numbers of one performance by the figure."""
    q, p = motion.world()
    depths, excess = hand_depths(q, p), limit_excess(motion)
    joint = max(excess, key=lambda role: float(excess[role].max()))
    return {
        "frames": float(len(motion)),
        "inside": float((depths > DEEP).any(axis=1).sum()),
        "depth": float(depths.max()),
        "wrist": float(wrist_speeds(motion).max(initial=0.0)),
        "limit": float(np.degrees(excess[joint].max())),
        "pop": largest_pop(motion, p),
        "elbow": largest_pop(motion, p, "LowerArm"),
    } | {f"limit {role}": float(np.degrees(own.max())) for role, own in excess.items() if own.max() > 0.0}


def inspect_all(specs: Iterable[Spec]) -> dict[str, Any]:
    """Shares and worst cases of many performances, and the same by gesture."""
    rows = {own: inspect(motion) for own, motion in perform_each(specs)}
    worst = {
        key: [[name_of(own), rows[own][key]] for own in sorted(rows, key=lambda own: -rows[own][key])[:WORST]]
        for key in ("depth", "wrist", "limit", "pop", "elbow")
    }
    limits: dict[str, float] = {}
    for row in rows.values():
        for key, value in row.items():
            if key.startswith("limit "):
                limits[key.removeprefix("limit ")] = max(limits.get(key.removeprefix("limit "), 0.0), value)
    names = dict.fromkeys(own.gesture for own in rows)
    return _summarise(list(rows.values())) | {
        "limits": {role: own for role, own in sorted(limits.items(), key=lambda item: -item[1]) if own > BEYOND},
        "worst": worst,
        "gestures": {name: _summarise([row for own, row in rows.items() if own.gesture == name]) for name in names},
    }


def _summarise(rows: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    frames, count = sum(row["frames"] for row in rows), len(rows)
    return {
        "performances": count,
        "frames": frames,
        "inside_percent": 100.0 * sum(row["inside"] for row in rows) / frames,
        "performances_inside": sum(row["inside"] > 0.0 for row in rows),
        "deepest_cm": 100.0 * max(row["depth"] for row in rows),
        "wrist_fastest": max(row["wrist"] for row in rows),
        "wrist_too_fast_percent": 100.0 * sum(row["wrist"] > FAST for row in rows) / count,
        "limit_most": max(row["limit"] for row in rows),
        "beyond_limit_percent": 100.0 * sum(row["limit"] > BEYOND for row in rows) / count,
        "largest_pop_mm": max(row["pop"] for row in rows),
        "elbow_pop_mm": max(row["elbow"] for row in rows),
        "elbow_pops_percent": 100.0 * sum(row["elbow"] > JUMP for row in rows) / count,
    }


def name_of(spec: Spec) -> str:
    """A performance in words."""
    how = spec.word or " + ".join(spec.elements) or "neutral"
    return f"{spec.gesture} {how}" + (f" × {spec.intensity:g}" if spec.intensity != 1.0 else "")
