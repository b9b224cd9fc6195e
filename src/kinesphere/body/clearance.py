"""Hands and arms that stay out of the body.

A person's hand before the chest is, in arm lengths from the shoulder, inside a body that is a ball, and a hand at the
mouth is inside a large head. So wrists are moved until the hand's skin is outside of the trunk's and the head's
ellipsoids (``ellipsoids``, ``volumes``), and elbows swung about the line from shoulder to wrist.

Arms that hang are clear by definition: where a body's shoulders are inside the width of its trunk, its maker meant its
arms to go through it, and the ellipsoids are made smaller until they don't. Captures then keep their places on all
bodies but where something is really in the way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.ellipsoids import Shape, outward
from kinesphere.body.volumes import FLESH, LEVERS, MARGIN, SIGNS, SOFT, Room, arm_points
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.motion.humanoid import SIDES

SHARP = 3.0  # with which power of its own way a point counts among a hand's
ROUNDS = 4
PASSES = 3
FORESEEN = 0.1  # seconds
FARTHEST = np.radians(75.0)  # that an elbow swings
TOO_FAR = 0.1  # arm lengths beyond the arm's reach
TOGETHER = (0.3, 0.6)  # arm lengths between wrists: hands nearer are moved alike, so that they meet if they did
BOW = 0.1  # of the arm: an elbow that bows less out of a straight arm swings as if it bowed so much


@dataclass(frozen=True, eq=False)
class Clearance:
    """A body in every frame of a motion, for hands and arms to stay out of."""

    room: Room
    shapes: tuple[Shape, ...]
    shoulder_joints: tuple[int, int]  # left, right
    wrist_joints: tuple[int, int]
    arm: float  # metres, the mean of both
    half: int  # frames that are looked ahead and back

    @classmethod
    def of(cls, room: Room, body: Anatomy, world: Floats, places: Floats, rate: float) -> Clearance:
        """The body with joints turned ``(T, J, 4)`` and placed ``(T, J, 3)``."""
        shoulders, wrists = (
            (body.skeleton.roles[f"left{part}"], body.skeleton.roles[f"right{part}"]) for part in ("UpperArm", "Hand")
        )
        arm = float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))
        shapes = tuple(volume.placed(world, places) for volume in room.volumes)
        return cls(room, shapes, shoulders, wrists, arm, max(round(FORESEEN * rate), 1))

    def wrists(self, wanted: Floats, world: Floats, places: Floats) -> Floats:
        """Wrists ``(T, 2, 3)``, left and right, moved so far that hands are outside of the body.

        A hand that comes fast would stop at the surface at once. So it goes round it a little earlier, and comes back
        later, by the mean of what is needed near each frame; and again for what that leaves.
        """
        moved = wanted
        for _ in range(PASSES):
            ways = self._out(moved, world, places)
            if not ways.any():
                break
            moved = moved + _foreseen(ways, self.half)
        return moved if moved is wanted else self._reached(wanted, moved, places[:, self.shoulder_joints])

    def _reached(self, wanted: Floats, moved: Floats, shoulders: Floats) -> Floats:
        """Moved wrists, but those left where they were that arms are too short for: stretched ones look no better.

        Before a head that is as large as its arms are long there is no place for a hand.
        """
        far, before = (np.linalg.norm(wrists - shoulders, axis=-1) / self.arm for wrists in (moved, wanted))
        u = np.clip((far - np.maximum(before, 1.0)) / TOO_FAR, 0.0, 1.0)
        share = _lasting(1.0 - u * u * (3.0 - 2.0 * u), 2 * self.half)
        share += _together(wanted, self.arm)[:, None] * (share.min(axis=1, keepdims=True) - share)
        reached: Floats = wanted + share[..., None] * (moved - wanted)
        return reached

    def _out(self, wanted: Floats, world: Floats, places: Floats) -> Floats:
        """By how much ``(T, 2, 3)`` wrists are moved in each frame by itself."""
        margin, soft = MARGIN * self.arm, SOFT * self.arm
        reach = max(hand.reach for hand in self.room.hands.values()) + margin + soft
        shapes = [shape.scaled(size) for shape, size in zip(self.shapes, self.room.beside_hands, strict=True)]
        frames = np.flatnonzero(np.any([shape.near(wanted, reach) for shape in shapes], axis=0))
        moved = np.zeros_like(wanted)
        if not len(frames):
            return moved
        skins = [self._skin(i, frames, world, places) for i in range(2)]
        for _ in range(ROUNDS):
            now, here = (wanted + moved)[frames], [shape.at(frames) for shape in shapes]
            ways = np.zeros_like(now)
            for i, (sign, skin) in enumerate(zip(SIGNS, skins, strict=True)):
                if skin is not None:
                    points = now[:, i, None] + skin
                    ways[:, i] = mean_way([outward(shape, points, sign, margin, soft) for shape in here])
            some = ways.any(axis=(1, 2))
            if not some.any():
                break
            frames, ways = frames[some], ways[some]
            skins = [None if skin is None else skin[some] for skin in skins]
            together = _together(wanted[frames], self.arm)[:, None, None]
            moved[frames] += ways + together * (ways.mean(axis=1, keepdims=True) - ways)
        return moved

    def _skin(self, i: int, frames: Ints, world: Floats, places: Floats) -> Floats | None:
        """A hand's points ``(n, K, 3)`` from its wrist, if it has a skin."""
        hand = self.room.hands.get(SIDES[i])
        if hand is None:
            return None
        rows = np.ix_(frames, hand.joints)
        roots = places[rows] - places[frames, None, self.wrist_joints[i]]
        skin: Floats = roots + rotations.rotate(world[rows], hand.anchors)
        return skin

    def bends(self, start: Floats, elbow: Floats, wrist: Floats) -> tuple[Bools, Floats]:
        """Which elbows ``(T, 2)`` are to swing, and the axes ``(T, 2, 3)`` about which these arms then bend.

        Shoulders, elbows and wrists are ``(T, 2, 3)``.
        """
        axis = _unit(wrist - start)
        out = _across(elbow - start, axis)
        unit = _unit(out)
        angle = self._swings(start, elbow - out, wrist, axis, unit, np.linalg.norm(out, axis=-1, keepdims=True))
        if not angle.any():
            return np.zeros(start.shape[:2], dtype=bool), axis
        window = _window(self.half)
        near = np.lib.stride_tricks.sliding_window_view(np.pad(angle, ((self.half, self.half), (0, 0))), len(window), 0)
        angle = (near @ window)[..., None]
        outward_ = np.cos(angle) * unit + np.sin(angle) * np.cross(axis, unit)
        return angle[..., 0] != 0.0, np.cross(outward_, axis)

    def _swings(self, start: Floats, foot: Floats, wrist: Floats, axis: Floats, before: Floats, bow: Floats) -> Floats:
        """By which angles ``(T, 2)`` elbows swing about the ``axis`` from shoulder to wrist, each frame by itself.

        ``foot`` is the elbow's place on that axis, ``before`` the way from there, ``bow`` how long it is.
        """
        soft, flesh = SOFT * self.arm, FLESH * max(self.room.arms.values())
        points = arm_points(start, foot + bow * before, wrist).reshape(len(start), -1, 3)
        shapes = [shape.scaled(size) for shape, size in zip(self.shapes, self.room.beside_arms, strict=True)]
        frames = np.flatnonzero(np.any([shape.near(points, flesh + soft) for shape in shapes], axis=0))
        angle = np.zeros(start.shape[:2])
        if not len(frames):
            return angle
        shapes = [shape.at(frames) for shape in shapes]
        start, foot, wrist, axis, before, bow = (a[frames] for a in (start, foot, wrist, axis, before, bow))
        unit = before
        for _ in range(ROUNDS):
            points = arm_points(start, foot + bow * unit, wrist)
            swing = np.zeros_like(unit)
            for i, sign in enumerate(SIGNS):
                ways = [outward(shape, points[:, i], sign, flesh, soft) for shape in shapes]
                swing[:, i] = mean_way([way / LEVERS[:, None] for way in ways])
            if not swing.any():
                break
            unit = _unit(unit + _across(swing, axis) / np.maximum(bow, BOW * self.arm))
        sine = np.einsum("thi,thi->th", np.cross(before, unit), axis)
        turned = np.arctan2(sine, np.einsum("thi,thi->th", before, unit))
        angle[frames] = FARTHEST * np.tanh(turned / FARTHEST)
        return angle


def _lasting(shares: Floats, half: int) -> Floats:
    """The least of shares ``(T, 2)`` near each frame, and of these the weighted mean."""
    least = np.lib.stride_tricks.sliding_window_view(
        np.pad(shares, ((2 * half, 2 * half), (0, 0)), mode="edge"), 2 * half + 1, axis=0
    ).min(axis=-1)
    mean: Floats = np.lib.stride_tricks.sliding_window_view(least, 2 * half + 1, axis=0) @ _window(half)
    return mean


def _window(half: int) -> Floats:
    """Weights of the frames around one, that sum to one."""
    window = 1.0 - np.cos(np.pi * np.arange(1, 2 * half + 2) / (half + 1))
    weights: Floats = window / window.sum()
    return weights


def _foreseen(ways: Floats, half: int) -> Floats:
    """Ways ``(T, 2, 3)`` that begin and end up to twice ``half`` frames before and after, and are as long where needed.

    The longest way near each frame, along the mean one, and of that the weighted mean.
    """
    window = _window(half)
    padded = np.pad(ways, ((2 * half, 2 * half), (0, 0), (0, 0)))
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=0)  # (T', 2, 3, window)
    longest = np.sqrt(np.einsum("thiw,thiw->thw", near, near).max(axis=-1))
    early = longest[..., None] * _unit(near @ window)
    later = np.lib.stride_tricks.sliding_window_view(early, 2 * half + 1, axis=0)
    mean: Floats = later @ window
    return mean


def mean_way(ways: list[Floats]) -> Floats:
    """One way ``(T, 3)`` for all points that move together: theirs, by the length of each."""
    every = np.concatenate(ways, axis=1)
    weight = np.einsum("tki,tki->tk", every, every) ** (0.5 * SHARP)
    mean: Floats = np.einsum("tk,tki->ti", weight, every) / np.maximum(weight.sum(axis=1), 1e-30)[:, None]
    return mean


def _together(wrists: Floats, arm: float) -> Floats:
    """How much ``(T,)`` hands move alike."""
    apart = np.linalg.norm(wrists[:, 0] - wrists[:, 1], axis=-1) / arm
    u = np.clip((TOGETHER[1] - apart) / (TOGETHER[1] - TOGETHER[0]), 0.0, 1.0)
    share: Floats = u * u * (3.0 - 2.0 * u)
    return share


def _across(vectors: Floats, axis: Floats) -> Floats:
    across: Floats = vectors - np.sum(vectors * axis, axis=-1, keepdims=True) * axis
    return across


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return unit
