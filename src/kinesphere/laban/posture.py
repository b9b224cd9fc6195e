"""The body as its chest sees it from a shoulder, however it is bent: an estimate, from a few of its channels.

Slumping brings thighs and belly to where hands hang. What bends is taken to bend ahead and back only: hips, spine and
head, knees that let the hips sink, feet that step. Hips go as far back as the weight comes forward. Turning and leaning
aside are left out, and shoulders that join raised arms: for low hands, which thighs are near to, hips are then within
some centimetres of where they will be, mostly within two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinesphere.engine.arms import HANGS
from kinesphere.engine.generation import HEAD_LINE, MOVED, TRUNK_SHIFTS
from kinesphere.engine.pose import (
    ANKLE_OUT,
    CLAVICLE_AHEAD,
    CLAVICLE_DOWN,
    FEET_AHEAD,
    SINK,
    TURNED_OUT,
    WRIST,
    figure_skeleton,
)
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.trunk import NECK, SPINE, STEADY
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import exponential_quaternion, rotate_vector
from kinesphere.maths.vectors import Floats, norms

Flat: TypeAlias = NDArray[np.complex128]  # up, and ahead as the imaginary part: a turn ahead is a product
# What the estimate goes by; of the clavicles, the own side's.
BENDS = ("torso.forward", "hips.lean", "hips.y", "hips.z", "head.nod", "clavicle.raise", "clavicle.forward")
WORTH = 30  # a body is more work than a number of a product
TAKEN_BACK = 0.3  # of the hips' lean that the spine takes back, as in ``trunk``
WEIGHTS = (0.43, 0.08, 0.10)  # of the body's mass: trunk, head, both arms
STRAIGHT = 0.9995  # of its length that a leg is at most
SHARES = (*(share for share, _ in SPINE.values()), NECK["neck"])
WRISTS = np.array(WRIST)


class HalfBody(NamedTuple):
    """A body's left half in metres, each joint from the one above: out, up, ahead, or only up and ahead."""

    spine: Flat  # (6,) four joints, neck and head
    clavicle: Floats  # (2, 3) where it begins, and the shoulder
    leg: Floats  # (2, 3) the hip, and the ankle as it stands, from the ground
    lengths: Floats  # (2,) of thigh and shin


def _bones() -> HalfBody:
    skeleton = figure_skeleton(HEIGHT)

    def bones(*names: str) -> Floats:
        return np.array([skeleton.offsets[skeleton.index(name)] for name in names])

    ankle = ANKLE_OUT, skeleton.rest_world()[1][skeleton.index("leftFoot"), 1], FEET_AHEAD
    return HalfBody(
        _flat(bones(*SPINE, "neck", "head")),
        bones("leftShoulder", "leftUpperArm"),
        np.array([bones("leftUpperLeg")[0], ankle]),
        norms(bones("leftLowerLeg", "leftFoot")),
    )


def _flat(places: Floats) -> Flat:
    return np.asarray(places[..., 1] + 1j * places[..., 2])


BONES = _bones()
STANDS = float(figure_skeleton(HEIGHT).offsets[0, 1]) - SINK  # metres that the hips are above the ground


class BodyView(NamedTuple):
    """What is around a hand, from its shoulder, in the chest's axes: out, up, ahead."""

    lines: Floats  # (K, 4, 2, 3) the middles of trunk, head, own and other thigh, each from below
    sags: Floats  # (K, 3) how far from its place before an upright chest a hanging hand is


def view_body(bends: Floats, feet: Floats) -> BodyView:
    """The body bent by ``bends (K, 7)``, with ``feet (K, 2, 3)``, own and other, so far from where they stand."""
    kernels = compiled.loaded(WORTH * bends.size)
    if kernels is None:
        return view_body_reference(bends, feet)
    made = BodyView(np.empty((len(bends), 4, 2, 3)), np.empty((len(bends), 3)))
    kernels.see_bodies(bends, feet, *BONES, SHARES, WEIGHTS, _NUMBERS, HEAD_LINE, TRUNK_SHIFTS, WRISTS, *made)
    return made


def view_body_reference(bends: Floats, feet: Floats) -> BodyView:
    """The same in plain NumPy."""
    trunk = _trunk(bends)
    lean, up, ahead = bends[:, 1], bends[:, 2], bends[:, 3]
    hips = STANDS + up + 1j * (ahead + (_UPRIGHT - trunk.weight) / MOVED)
    hip = _flat(BONES.leg[0]) * np.exp(1j * lean)
    lines = np.zeros((len(bends), 4, 2, 3))
    _lay(lines[:, 0], (np.zeros_like(hip), trunk.neck), trunk)
    _lay(lines[:, 1], trunk.head, trunk)
    for i, out in enumerate((1.0, -1.0)):
        knee = _knee(out, hips + hip, feet[:, i])
        _lay(lines[:, 2 + i], (hip + _flat(knee), hip), trunk)
        lines[:, 2 + i, :, 0] += out * BONES.leg[0, 0]
        lines[:, 2 + i, 0, 0] += knee[:, 0]
    lines[:, 0] += TRUNK_SHIFTS
    hung = _flat(WRISTS) * (trunk.chest**-HANGS - 1.0)
    return BodyView(lines, np.stack([np.zeros(len(bends)), hung.real, hung.imag], axis=-1))


class _Trunk(NamedTuple):
    """From the hips, each ``(K,)``."""

    chest: Flat  # its turn
    neck: Flat
    head: Sequence[Flat]  # both ends of its line
    shoulder: Flat
    out: Floats  # of the shoulder
    weight: Floats  # how far ahead it is


def _trunk(bends: Floats) -> _Trunk:
    forward, lean, _, _, nod, raised, drawn = bends.T
    carried = forward - TAKEN_BACK * lean
    turn, place, middle = lean, np.zeros(len(bends), dtype=complex), np.zeros(0)
    for i, name in enumerate(SPINE):
        place, turn = place + BONES.spine[i] * np.exp(1j * turn), turn + SHARES[i] * carried
        middle = place.imag if name == "chest" else middle
    chest = np.exp(1j * turn)
    neck = place + BONES.spine[4] * chest
    faced = nod - STEADY[0] * (carried + lean)
    skull = neck + BONES.spine[5] * np.exp(1j * (turn + SHARES[4] * faced))
    looks = np.exp(1j * (turn + faced))
    turns = np.stack([np.zeros_like(lean), -(drawn + CLAVICLE_AHEAD), raised - CLAVICLE_DOWN], axis=-1)
    way = BONES.clavicle[0] + rotations.rotate(rotations.from_rotation_vector(turns), BONES.clavicle[1])
    shoulder = place + _flat(way) * chest
    weight = WEIGHTS[0] * middle + WEIGHTS[1] * skull.imag + WEIGHTS[2] * shoulder.imag
    return _Trunk(chest, neck, [skull + _flat(end) * looks for end in HEAD_LINE], shoulder, way[:, 0], weight)


def _knee(out: float, hip: Flat, foot: Floats) -> Floats:
    """From the hip to the knee ``(K, 3)`` of a leg to its foot; ``out`` is 1 for the own leg and −1 for the other."""
    side = np.array([out, 1.0, 1.0])
    way = BONES.leg[1] * side + foot
    way = way - np.stack([np.full(len(hip), out * BONES.leg[0, 0]), hip.real, hip.imag], axis=-1)
    far = norms(way)
    along = way / far[:, None]
    thigh, shin = BONES.lengths
    held = np.minimum(far, STRAIGHT * (thigh + shin))
    cosine = (thigh**2 + held**2 - shin**2) / (2.0 * thigh * held)
    points = np.array([out * np.sin(0.5 * TURNED_OUT), 0.0, np.cos(0.5 * TURNED_OUT)])
    across = points - (along @ points)[:, None] * along
    across = across / norms(across)[:, None]
    return np.asarray(thigh * (cosine[:, None] * along + np.sqrt(1.0 - cosine**2)[:, None] * across))


def _lay(lines: Floats, ends: Sequence[Flat], trunk: _Trunk) -> None:
    """Write both ends of lines ``(K, 2, 3)`` as the chest sees them."""
    for k, end in enumerate(ends):
        away = (end - trunk.shoulder) / trunk.chest
        lines[:, k, 0], lines[:, k, 1], lines[:, k, 2] = -trunk.out, away.real, away.imag


_STANDING = _trunk(np.zeros((1, len(BENDS))))
_UPRIGHT = float(_STANDING.weight[0])
SHOULDER = np.array([_STANDING.out[0], STANDS + _STANDING.shoulder[0].real, _STANDING.shoulder[0].imag])  # upright
_NUMBERS = (
    TAKEN_BACK, float(STEADY[0]), CLAVICLE_AHEAD, CLAVICLE_DOWN, _UPRIGHT, MOVED, STANDS, STRAIGHT,
    0.5 * TURNED_OUT, HANGS,
)  # fmt: skip


@compile_exact
def view_body_kernel(  # type: ignore[no-untyped-def]
    bends, feet, spine, clavicle, leg, bones, shares, weights, numbers, head, shifts, rest, lines, sags
):
    """Bodies (K,) as their chests see them; see ``posture.seen``."""
    back, steady, ahead, down, upright, moved, stands, straight, splay, hangs = numbers
    for k in range(bends.shape[0]):
        forward, lean, nod = bends[k, 0], bends[k, 1], bends[k, 4]
        carried = forward - back * lean
        turn, y, z, middle = lean, 0.0, 0.0, 0.0
        for i in range(4):
            y, z = _on(y, z, spine[i].real, spine[i].imag, turn)
            turn += shares[i] * carried
            middle = z if i == 2 else middle
        neck, throat = _on(y, z, spine[4].real, spine[4].imag, turn)
        faced = nod - steady * (carried + lean)
        skull, brow = _on(neck, throat, spine[5].real, spine[5].imag, turn + shares[4] * faced)
        qw, qx, qy, qz = exponential_quaternion(0.0, -(bends[k, 6] + ahead), bends[k, 5] - down)
        out, u, v = rotate_vector(qw, qx, qy, qz, clavicle[1, 0], clavicle[1, 1], clavicle[1, 2])
        out += clavicle[0, 0]
        high, deep = _on(y, z, clavicle[0, 1] + u, clavicle[0, 2] + v, turn)
        weight = weights[0] * middle + weights[1] * brow + weights[2] * deep
        shift = bends[k, 3] + (upright - weight) / moved
        for i in range(2):
            a, b = _on(skull, brow, head[i, 1], head[i, 2], turn + faced)
            _see(lines[k, 1, i], -out, a - high, b - deep, turn)
        _see(lines[k, 0, 0], -out, -high, -deep, turn)
        _see(lines[k, 0, 1], -out, neck - high, throat - deep, turn)
        for i in range(2):
            for j in range(3):
                lines[k, 0, i, j] += shifts[i, j]
        a, b = _on(0.0, 0.0, leg[0, 1], leg[0, 2], lean)
        for i in range(2):
            side = 1.0 - 2.0 * i
            hip = side * leg[0, 0]
            p = side * leg[1, 0] + feet[k, i, 0] - hip
            q = leg[1, 1] + feet[k, i, 1] - stands - bends[k, 2] - a
            r = leg[1, 2] + feet[k, i, 2] - shift - b
            p, q, r = _knee_kernel(p, q, r, side * splay, bones, straight)
            _see(lines[k, 2 + i, 0], hip + p - out, a + q - high, b + r - deep, turn)
            _see(lines[k, 2 + i, 1], hip - out, a - high, b - deep, turn)
        y, z = _on(0.0, 0.0, rest[1], rest[2], -hangs * turn)
        sags[k, 0], sags[k, 1], sags[k, 2] = 0.0, y - rest[1], z - rest[2]


@compile_exact
def _on(y, z, up, ahead, turn):  # type: ignore[no-untyped-def]
    """Further along a bone that is turned ahead."""
    c, s = math.cos(turn), math.sin(turn)
    return y + c * up - s * ahead, z + s * up + c * ahead


@compile_exact
def _see(end, x, y, z, turn):  # type: ignore[no-untyped-def]
    c, s = math.cos(turn), math.sin(turn)
    end[0], end[1], end[2] = x, c * y + s * z, c * z - s * y


@compile_exact
def _knee_kernel(p, q, r, splay, bones, straight):  # type: ignore[no-untyped-def]
    """From the hip to the knee of a leg that goes so far to its ankle."""
    far = math.sqrt(p * p + q * q + r * r)
    p, q, r = p / far, q / far, r / far
    thigh, shin = bones[0], bones[1]
    held = min(far, straight * (thigh + shin))
    cosine = (thigh * thigh + held * held - shin * shin) / (2.0 * thigh * held)
    sine = math.sqrt(1.0 - cosine * cosine)
    u, w = math.sin(splay), math.cos(splay)
    along = u * p + w * r
    u, v, w = u - along * p, -along * q, w - along * r
    size = math.sqrt(u * u + v * v + w * w)
    return (
        thigh * (cosine * p + sine * u / size),
        thigh * (cosine * q + sine * v / size),
        thigh * (cosine * r + sine * w / size),
    )
