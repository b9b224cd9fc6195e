"""The surface of trunk and head as radii by height and azimuth, carried by the spine as the skin is.

The skin that neither arms nor legs carry is cut at many heights, in the pose in which the body is measured. Each cut is
a ring: the joints that carry its skin carry it, and rays from its middle give the skin's radius in every direction.
Between rings radii are linear, so a point's depth below the surface is known from its height and azimuth.

**Direction of pushing.** No continuous map sends every point of a ball to its surface: somewhere neighbours part. The
nearest exit parts them in the middle, where hands pass. Here radii are measured from a point behind the middle and on
the other side of the body from the hand, where no hand comes: a hand that moves straight through a belly goes around it
on its own side. Where the surface slopes, a point goes up or down as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.anatomy import Anatomy
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES

RINGS, SECTORS = 28, 48  # no more than MOST_RINGS of trunk_surface.cpp
BACK = np.array([0.4, 0.65])  # of a ring's half-widths: from its middle to where radii are measured from
OWN = 0.5  # of a triangle's skin weights that makes it the trunk's or the head's
LEAST = 0.25  # of the same at each of its corners: where limbs begin, large triangles belong to both
ROUNDING = 1e-9
PLAIN = 1e-9  # metres: a smaller surface is none
STEEPEST = 3.0  # slope of the surface, as a radius by height
HALF_SMOOTH = 2  # rings on each side over which middles are averaged


class SkinMesh(NamedTuple):
    """A character's whole surface in the pose in which its body is measured."""

    points: Floats  # (N, 3)
    triangles: Ints  # (M, 3)
    weights: Floats  # (N, J)


class PosedSurface(NamedTuple):
    """A surface in every frame, for the native loops."""

    centres: Floats  # (T, K, 3)
    axes: Floats  # (T, K, 3, 3) left, up and forward as rows
    planes: Floats  # (T, 4, K) up, and the centre along it
    shifts: Floats  # (K, 2) from a ring's centre to where radii are measured from: to the right and backward
    radii: Floats  # (K, A) metres, by azimuth from left to forward, for a left hand
    slopes: Floats  # (K, A) how fast radii grow with height
    longest: Floats  # (K,) the greatest radius of each ring
    steepest: float  # at least √(1 + slope²) anywhere
    widest: float  # metres: no skin is farther from its ring's centre

    def push_out(self, points: Floats, side: float, margins: Floats, softness: float) -> Floats:
        """Displacements ``(T, K, 3)`` that move points out of the surface; zero for points that are clear.

        ``side`` is 1 for a left arm and -1 for a right one. ``margins (K,)`` are metres that points stay outside, and
        ``softness`` is the distance over which pushing begins.
        """
        displacements = np.zeros(points.shape)
        given = np.ascontiguousarray(points), side, np.ascontiguousarray(margins), softness
        _native.trunk_surface.push_out(self, *given, displacements)
        return displacements


@dataclass(frozen=True, eq=False)
class TrunkSurface:
    """Rings of trunk and head, each carried by several joints."""

    joints: Ints  # (n,)
    weights: Floats  # (K, n) sum to one
    anchors: Floats  # (K, n, 3) a ring's centre in each joint's axes
    frames: Floats  # (n, 3, 3) the body's left, up and forward as rows, in each joint's axes
    shifts: Floats  # (K, 2)
    radii: Floats  # (K, A)
    slopes: Floats  # (K, A)
    heights: Floats  # (K,) of the rings over the hips, in the body's axes, where it was measured
    fronts: Floats  # (K,) how far they are ahead of the hips, likewise
    half_widths: Floats  # (K,)

    def pose(self, q: Floats, p: Floats) -> PosedSurface:
        """The surface for joints with world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``."""
        shape = len(q), len(self.weights)
        centres, axes, planes = np.empty((*shape, 3)), np.empty((*shape, 3, 3)), np.empty((shape[0], 4, shape[1]))
        given = q[:, self.joints], p[:, self.joints], self.weights, self.anchors, self.frames
        _native.trunk_surface.pose_rings(*map(np.ascontiguousarray, given), centres, axes, planes)
        longest, steepest = self.radii.max(axis=1), float(np.sqrt(1.0 + np.square(self.slopes).max()))
        widest = float(longest.max() + np.abs(self.shifts).sum(axis=1).max())
        fixed = self.shifts, self.radii, self.slopes, longest, steepest * (1.0 + ROUNDING), widest
        return PosedSurface(centres, axes, planes, *fixed)


def measure_surface(body: Anatomy, skin: SkinMesh) -> TrunkSurface | None:
    """Cut the skin of trunk and head into rings; None where there is none."""
    carriers, owned = _core_joints(body)
    hips = body.pose.positions[body.skeleton.roles["hips"]]
    points = rotations.rotate(rotations.conjugate(body.basis), skin.points - hips)
    core = skin.weights[:, owned].sum(axis=1)
    for leg in (body.skeleton.roles[f"{side}UpperLeg"] for side in SIDES):
        joint = rotations.rotate(rotations.conjugate(body.basis), body.pose.positions[leg] - hips)
        core = core + np.where(points[:, 1] > joint[1], skin.weights[:, leg], 0.0)  # what is above it is the hips'
    core = core[skin.triangles]
    own = skin.triangles[(core.mean(axis=1) > OWN) & (core.min(axis=1) > LEAST)]
    if not len(own) or np.ptp(points[own.ravel()], axis=0).min() < PLAIN:
        return None
    low, high = points[own.ravel(), 1].min(), points[own.ravel(), 1].max()
    heights = low + (high - low) * np.concatenate([[0.0], (np.arange(RINGS - 2) + 0.5) / (RINGS - 2), [1.0]])
    shares = skin.weights[:, carriers]
    cuts = [_cut(points, own, shares, float(height)) for height in heights[1:-1]]
    middles, halves, weights = _ring_frames(cuts)
    shifts = BACK * halves
    radii = np.zeros((RINGS, SECTORS))
    for k, (segments, _) in enumerate(cuts, 1):
        radii[k] = _ray_lengths(segments, np.array([-shifts[k, 0], middles[k] - shifts[k, 1]]))
    centres = np.stack([np.zeros(RINGS), heights, middles], axis=1)
    anchors = hips + rotations.rotate(body.basis, centres)[:, None] - body.pose.positions[carriers]
    to_joints = rotations.conjugate(body.pose.rotations[carriers])
    frames = rotations.to_matrix(rotations.multiply(to_joints, body.basis)).transpose(0, 2, 1)
    return TrunkSurface(
        carriers,
        weights,
        rotations.rotate(to_joints, anchors),
        frames,
        shifts,
        radii,
        np.clip(np.gradient(radii, heights, axis=0), -STEEPEST, STEEPEST),
        heights,
        middles + halves[:, 1],
        halves[:, 0],
    )


def _core_joints(body: Anatomy) -> tuple[Ints, Ints]:
    """Joints of hips, spine, neck and head, which carry rings, and all joints whose skin is the trunk's or the head's.

    The latter have clavicles as well, and what else hangs on the trunk: hair, coats, a tail.
    """
    skeleton, roles = body.skeleton, body.skeleton.roles
    limbs = {
        int(joint)
        for side in SIDES
        for part in ("UpperArm", "UpperLeg")
        for joint in skeleton.descendants(roles[side + part])
    }
    detached = {int(j) for side in SIDES for part in ("Hand", "Foot") for j in skeleton.descendants(roles[side + part])}
    owned = [int(j) for j in skeleton.descendants(roles["hips"]) if int(j) not in limbs | detached]
    return np.array(sorted({roles["hips"], *body.spine, *body.neck})), np.array(sorted(owned))


def _cut(points: Floats, triangles: Ints, shares: Floats, height: float) -> tuple[Floats, Floats]:
    """Segments ``(S, 2, 2)`` in which triangles meet a level plane, and by whom they are carried ``(n,)``.

    Coordinates are left and forward. Bodies are symmetric: each segment is there with its mirror image.
    """
    above = points[:, 1] > height
    met = triangles[above[triangles].any(axis=1) & ~above[triangles].all(axis=1)]
    if not len(met):
        return np.empty((0, 2, 2)), np.zeros(shares.shape[1])
    corners = above[met]
    alone = np.where(corners.sum(axis=1) == 1, np.argmax(corners, axis=1), np.argmin(corners, axis=1))
    rows = np.arange(len(met))
    a, b, c = (points[met[rows, (alone + k) % 3]] for k in range(3))
    ends = []
    for other in (b, c):
        u = (height - a[:, 1]) / (other[:, 1] - a[:, 1])
        ends.append((a + u[:, None] * (other - a))[:, [0, 2]])
    segments = np.stack(ends, axis=1)
    lengths = np.sqrt(((segments[:, 0] - segments[:, 1]) ** 2).sum(axis=1)) + PLAIN
    carried = (lengths[:, None] * shares[met].mean(axis=1)).sum(axis=0)
    return np.concatenate([segments, segments * [-1.0, 1.0]]), carried / max(carried.sum(), 1e-12)


def _ring_frames(cuts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats, Floats]:
    """Of each ring how far its middle is ahead ``(K,)``, its half-widths ``(K, 2)`` and joints' weights ``(K, n)``.

    Empty cuts, and the two ends, are like their neighbours. Middles change gradually with height.
    """
    full = np.array([k for k, (segments, carried) in enumerate(cuts, 1) if len(segments) and carried.any()])
    boxes = np.array([[cuts[k - 1][0].min(axis=(0, 1)), cuts[k - 1][0].max(axis=(0, 1))] for k in full])
    every = np.arange(len(cuts) + 2)

    def spread(values: Floats) -> Floats:
        return np.stack([np.interp(every, full, column) for column in values.T], axis=1)

    around = np.clip(every[:, None] + np.arange(-HALF_SMOOTH, HALF_SMOOTH + 1), 0, len(every) - 1)
    middles = spread(0.5 * (boxes[:, :1, 1] + boxes[:, 1:, 1]))[around, 0].mean(axis=1)
    halves = spread(0.5 * (boxes[:, 1] - boxes[:, 0]))
    weights = spread(np.array([cuts[k - 1][1] for k in full]))
    return middles, halves, weights / weights.sum(axis=1, keepdims=True)


def _ray_lengths(segments: Floats, origin: Floats) -> Floats:
    """How far ``(A,)`` rays from an origin go to the outermost segment; where none is met, as their neighbours do."""
    radii = np.zeros(SECTORS)
    if not len(segments):
        return radii
    angles = 2.0 * np.pi * np.arange(SECTORS) / SECTORS
    x, z = np.cos(angles)[:, None], np.sin(angles)[:, None]
    start, edge = segments[:, 0] - origin, segments[:, 1] - segments[:, 0]
    turn = x * edge[:, 1] - z * edge[:, 0]
    turn = np.where(np.abs(turn) < 1e-15, 1e-15, turn)
    far = (start[:, 0] * edge[:, 1] - start[:, 1] * edge[:, 0]) / turn
    along = (start[:, 0] * z - start[:, 1] * x) / turn
    met = (along >= 0.0) & (along <= 1.0) & (far > 0.0)
    radii = np.where(met, far, 0.0).max(axis=1)
    known = np.flatnonzero(radii)
    return np.asarray(np.interp(np.arange(SECTORS), known, radii[known], period=SECTORS) if len(known) else radii)
