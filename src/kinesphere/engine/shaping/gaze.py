"""Gaze: eyes, head and neck turn to what is looked at, and far to a side the upper spine a little.

A face is turned as heads turn: about the trunk's upright, then up or down, without more tilt than it had. Who looks
somewhere by half turns by half of both angles. The head's way there is eased, eyes are sooner there; both hold their
target in the world while the trunk moves. What is behind, or too high, is looked at as far as a head goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.joint_subset import joint_subset
from kinesphere.body.shape_solver.model import EyeLine, shape_model
from kinesphere.engine.recorded_limbs import turn_joints
from kinesphere.engine.recorded_poses import body_frame, chest_joint
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.places import place_in_world
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.errors import MotionFileWarning, warn_caller
from kinesphere.motion.look import AHEAD, Look

HEAD_EASES, EYES_EASE = 0.085, 0.03  # seconds of σ: a head is there in some 0.35 s
EYES_LEAD = 0.1  # seconds
HEAD_TURNS = float(np.radians(78.0))  # to either side of the chest
HEAD_UP, HEAD_DOWN = (float(np.radians(angle)) for angle in (55.0, 62.0))
EYE_TURNS = float(np.radians(28.0))  # of eyes, from the face
SPINE_FROM, SPINE_GAIN = float(np.radians(60.0)), 0.5  # of a gaze from which on the spine takes that share of the rest
SPINE_TURNS = float(np.radians(26.0))  # at most
SPINE_SHARES = {"spine": 0.15, "chest": 0.35, "upperChest": 0.5}
NECK = 0.4  # of the head's turn
SWITCHED = np.radians([180.0, 220.0, 140.0])  # to the side that is looked at more: where heads may go over behind
SWITCHES = float(np.radians(22.0))  # to either side, within which it does
CALM = 0.05  # seconds of σ in which what limits take comes and goes
HAND_CALM = 0.05  # seconds of σ: what is seen of a hand that moves
FACING_CALM = 0.3  # seconds of σ of straight ahead: trunks turn with every step
NEAR = (0.06, 0.16)  # metres between which what is looked at comes to be faced
SMOOTHS = 1.5  # seconds around a look, which what is smoothed in it may see
STEEP = 0.42  # cosine of how far up or down something is, from which on it has less and less of a side
ROUNDS = 3  # of finding the head's turn: eyes move as it turns
MISSED, HOLDS, BRIEF = float(np.radians(8.0)), 0.9, 0.25  # radians, weight and seconds of what is told
FORWARD = np.array([0.0, 0.0, 1.0])


class _Glance(NamedTuple):
    """One look, over the frames of a performance."""

    look: Look
    name: str
    head: Floats  # (T,) how far the head is turned to it
    eyes: Floats  # (T,)
    rows: slice  # frames around those in which it holds: all else is nothing to it


def _rows_around(weights: Sequence[Floats], rate: float, whole: bool) -> slice:
    """Frames in which any of the weights ``(T,)`` holds, with some around them for what is smoothed."""
    held = np.flatnonzero(np.max(weights, axis=0) > 0.0)
    if whole or not len(held):
        return slice(0, len(weights[0]))
    around = round(SMOOTHS * rate)
    return slice(max(int(held[0]) - around, 0), int(held[-1]) + around + 1)


@dataclass(eq=False)
class GazeShaping:
    """Where the body looks in one performance."""

    context: PerformanceContext
    glances: Sequence[_Glance]
    line: EyeLine
    chain: Ints  # (N,) joints of the neck, the head last
    turned: Floats | None = None  # (T, N + E, 4) by which the chain and the eyes were turned
    told: bool = False

    @classmethod
    def of(cls, context: PerformanceContext, asked: AskedShaping) -> GazeShaping | None:
        """Of a performance; None: nothing is looked at."""
        if not asked.asks("gaze"):
            return None
        rate, lead = context.rate, round(EYES_LEAD * context.rate)
        glances = []
        for claim in asked.claims.ranked("gaze"):
            if not isinstance(claim.value, Look):
                raise TypeError(f"{claim!r} asks to look at {claim.value!r}; a Look is expected")
            target = claim.value.target
            if isinstance(target, str) and target != AHEAD and target not in context.roles:
                continue
            weight = asked.weight(claim)
            sooner = np.concatenate([weight[lead:], np.full(min(lead, len(weight)), weight[-1])])[: len(weight)]
            eased = (gaussian(weight, HEAD_EASES * rate, ends="reflect"), gaussian(sooner, EYES_EASE * rate))
            head, eyes = (clip(row, 0.0, 1.0) for row in eased)
            rows = _rows_around((head, eyes), rate, context.detail.period is not None)
            glances.append(_Glance(claim.value, claim.by or "gaze", head, eyes, rows))
        if not glances:
            return None
        return cls(context, glances, shape_model(context.body).eye_line, np.array(context.body.anatomy.neck))

    def turn_spine(self, local: Floats, translations: Floats) -> None:
        """Turn the upper spine where the head alone would not do, in poses ``(T, J, 4)``, in place."""
        roles = [role for role in SPINE_SHARES if role in self.context.roles]
        if not roles:
            return
        seen = self._see(local, translations)
        turn = np.zeros(len(local))
        for glance in self.glances:
            rows, own = glance.rows, seen.of(glance.rows)
            yaw, _ = _angles(rotations.conjugate(own.chest), self._towards(glance, own, own.origin))
            yaw = _sided(yaw, glance.head[rows], HEAD_TURNS + SPINE_TURNS)
            turn[rows] += glance.head[rows] * (yaw - turn[rows])
        beyond = SPINE_GAIN * np.maximum(np.abs(turn) - SPINE_FROM, 0.0)
        if not beyond.any():
            return
        turn = np.sign(turn) * SPINE_TURNS * np.tanh(beyond / SPINE_TURNS)
        turn = gaussian(turn, CALM * self.context.rate, ends="reflect") * self.context.upright
        shares = np.array([SPINE_SHARES[role] for role in roles])
        joints = np.array([self.context.roles[role] for role in roles])
        vectors = np.zeros((len(local), len(joints), 3))
        vectors[:, :, 1] = turn[:, None] * (shares / shares.sum())
        order = np.argsort(joints)
        frames = np.array([body_frame(self.context.body, joint) for joint in joints[order].tolist()])
        turn_joints(joints[order], frames, vectors[:, order], local)

    def turn_head(self, local: Floats, translations: Floats) -> None:
        """Turn neck, head and eyes in poses ``(T, J, 4)``, in place; what it turned before, it turns anew."""
        joints = [*self.chain.tolist(), *self.line.eyes]
        if self.turned is not None:
            local[:, joints] = rotations.multiply(local[:, joints], rotations.conjugate(self.turned))
        base = local[:, joints].copy()
        plain = self._see(local, translations)
        upright = self._upright_frame(plain.chest)
        faced = plain.face
        own = np.stack(_angles(rotations.conjugate(upright), faced), axis=1)
        origin, missed = plain.origin, np.zeros((len(self.glances), len(local)))
        for _ in range(ROUNDS):
            change = np.zeros((len(local), 2))
            for i, glance in enumerate(self.glances):
                rows = glance.rows
                wanted, missed[i][rows] = self._limited(glance, plain.of(rows), origin[rows], HEAD_TURNS)
                share = glance.look.head if self.line.eyes else 1.0
                towards = np.stack(_angles(rotations.conjugate(upright[rows]), wanted), axis=1)
                takes = self._head_takes(towards - own[rows], share)
                change[rows] += glance.head[rows, None] * (takes - change[rows])
            turn = rotations.multiply(_turned(own + change), rotations.conjugate(_turned(own)))
            turn = rotations.multiply(upright, rotations.multiply(turn, rotations.conjugate(upright)))
            self._turn_chain(base, plain.above, turn, local)
            now = self._see(local, translations)
            origin = now.origin
        self._turn_eyes(plain, now, base, local)
        self.turned = rotations.multiply(rotations.conjugate(base), local[:, joints])
        self._tell_missed(missed)

    def _upright_frame(self, chest: Floats) -> Floats:
        """``(T, 4)`` the chest, half-way to upright: a bent trunk's head is neither."""
        up = rotations.rotate(chest, np.array([0.0, 1.0, 0.0]))
        half = rotations.slerp(
            rotations.identity(), rotations.rotation_between(up, np.array([0.0, 1.0, 0.0])), 0.5 * self.context.upright
        )
        return rotations.multiply(half, chest)

    @staticmethod
    def _head_takes(change: Floats, share: float) -> Floats:
        """``(T, 2)`` of a change of angles what the head does: a share, or what is left by eyes."""
        if share >= 1.0:
            return change
        size = np.maximum(norms(change), 1e-9)
        return change * np.maximum(share, 1.0 - 0.9 * EYE_TURNS / size)[:, None]

    def _turn_chain(self, base: Floats, above: Floats, turn: Floats, local: Floats) -> None:
        """Turn the joints of the neck by rotations ``(T, 4)`` in the world, the head by all that is left."""
        count = len(self.chain)
        shares = np.array([NECK / (count - 1)] * (count - 1) + [1.0 - NECK]) if count > 1 else np.ones(1)
        vector = rotations.to_rotation_vector(turn)
        for i, joint in enumerate(self.chain.tolist()):
            own = rotations.from_rotation_vector(shares[i] * vector)
            parent = above[:, i]
            inside = rotations.multiply(rotations.conjugate(parent), rotations.multiply(own, parent))
            local[:, joint] = rotations.multiply(inside, base[:, i])

    def _turn_eyes(self, plain: _Seen, now: _Seen, base: Floats, local: Floats) -> None:
        """Turn eyes from where they look in the head to what is looked at, as far as they go."""
        if not self.line.eyes:
            return
        frame = body_frame(self.context.body, self.line.head)
        head = rotations.multiply(now.head, frame)
        for i, eye in enumerate(self.line.eyes):
            turned, place = now.eyes[0][:, i], now.eyes[1][:, i]
            ahead = rotations.rotate(turned, rotations.rotate(_eye_frame(self.context, eye), FORWARD))
            own = np.stack(_angles(rotations.conjugate(head), ahead), axis=1)
            looks = own.copy()
            for glance in self.glances:
                rows = glance.rows
                wanted, _ = self._limited(glance, plain.of(rows), place[rows], HEAD_TURNS + EYE_TURNS, now.of(rows))
                angles = np.stack(_angles(rotations.conjugate(head[rows]), wanted), axis=1)
                size = np.maximum(norms(angles), 1e-9)
                angles = angles * np.minimum(1.0, EYE_TURNS / size)[:, None]
                looks[rows] += glance.eyes[rows, None] * (angles - looks[rows])
            turn = rotations.multiply(_turned(looks), rotations.conjugate(_turned(own)))
            turn = rotations.multiply(head, rotations.multiply(turn, rotations.conjugate(head)))
            parent = rotations.multiply(turned, rotations.conjugate(local[:, eye]))
            inside = rotations.multiply(rotations.conjugate(parent), rotations.multiply(turn, parent))
            local[:, eye] = rotations.multiply(inside, base[:, len(self.chain) + i])

    # What is seen

    def _see(self, local: Floats, translations: Floats) -> _Seen:
        body, chest = self.context.body, chest_joint(self.context.body)
        parents = [int(body.skeleton.parents[joint]) for joint in self.chain.tolist()]
        roles = [glance.look.target for glance in self.glances if isinstance(glance.look.target, str)]
        shown = {role: self.context.roles[role] for role in roles if role != AHEAD}
        hips = self.context.roles["hips"]
        wanted = [chest, hips, *self.chain.tolist(), *parents, *self.line.eyes, *shown.values()]
        subset = joint_subset(body.skeleton, [joint for joint in wanted if joint >= 0])
        q, p = forward_some(local, translations, subset.joints, subset.parents)

        def turned(joint: int) -> Floats:
            return q[:, subset.rows[joint]] if joint >= 0 else np.broadcast_to(rotations.identity(), (len(q), 4))

        head, eyes = turned(self.line.head), [subset.rows[eye] for eye in self.line.eyes]
        return _Seen(
            rotations.multiply(turned(chest), body_frame(body, chest)),
            head,
            p[:, subset.rows[self.line.head]] + rotations.rotate(head, self.line.origin),
            rotations.rotate(head, self.line.ahead),
            np.stack([turned(parent) for parent in parents], axis=1),
            (q[:, eyes], p[:, eyes]),
            {role: p[:, subset.rows[joint]] for role, joint in shown.items()},
            p[:, subset.rows[hips]],
        )

    def _towards(self, glance: _Glance, seen: _Seen, origin: Floats) -> Floats:
        """``(T, 3)`` metres from eyes to what is looked at, in the glance's own frames."""
        target = glance.look.target
        if target == AHEAD:
            ahead = rotations.rotate(seen.chest, FORWARD)
            upright = self.context.upright[glance.rows, None]
            ahead = ahead * (1.0 - upright * np.array([0.0, 1.0, 0.0]))
            return gaussian(ahead, FACING_CALM * self.context.rate, ends="reflect")
        if isinstance(target, str):
            place = gaussian(seen.roles[target], HAND_CALM * self.context.rate, ends="point")
        else:
            place = place_in_world(self.context, target, seen.hips)
        return np.asarray(place - origin)

    def _limited(
        self, glance: _Glance, plain: _Seen, origin: Floats, most: float, now: _Seen | None = None
    ) -> tuple[Floats, Floats]:
        """``(T, 3)`` unit, where to look for a target as far as it may be from the chest, and radians off ``(T,)``.

        All are of the glance's own frames.
        """
        seen = plain if now is None else now
        away = self._towards(glance, seen, origin)
        far = norms(away)
        faced = smoothstep((far - NEAR[0]) / (NEAR[1] - NEAR[0]))[:, None]
        away = faced * away / np.maximum(far, 1e-9)[:, None] + (1.0 - faced) * plain.face
        to_chest = rotations.conjugate(plain.chest)
        yaw, pitch = _angles(to_chest, away)
        yaw = yaw * smoothstep(np.cos(pitch) / STEEP)
        more = most - HEAD_TURNS
        limited = _sided(yaw, glance.head[glance.rows], most), clip(pitch, -HEAD_DOWN - more, HEAD_UP + more)
        beyond = np.stack([limited[0] - yaw, limited[1] - pitch], axis=1)
        off = norms(np.stack([np.angle(np.exp(1j * beyond[:, 0])), beyond[:, 1]], axis=1))
        made = np.stack(limited, axis=1)
        if off.any():
            near = gaussian(np.where(off > 1e-9, 1.0, 0.0), CALM * self.context.rate, ends="reflect")
            calm = gaussian(made, CALM * self.context.rate, ends="reflect")
            made = made + smoothstep(2.0 * near)[:, None] * (calm - made)
        return rotations.rotate(rotations.multiply(plain.chest, _turned(made)), FORWARD), off

    def _tell_missed(self, missed: Floats) -> None:
        """Warn of what is looked at and cannot be, once."""
        if self.told:
            return
        self.told = True
        room = EYE_TURNS if self.line.eyes else 0.0
        for glance, off in zip(self.glances, missed, strict=True):
            rows = np.flatnonzero((off > MISSED + room) & (glance.head > HOLDS))
            if len(rows) < BRIEF * self.context.rate:
                continue
            first, last = self.context.span(rows)
            warn_caller(
                f"{self.context.phrase.name or 'the body'}: {glance.name} at {glance.look} goes up to "
                f"{np.degrees(off[rows].max()):.0f}° farther than a head turns, from {first:.2f} to {last:.2f} s; it "
                "looks there as far as it can. A place ahead of the chest, or a turn of the body, brings it there",
                MotionFileWarning,
            )


class _Seen(NamedTuple):
    """Trunk, head and what is looked at, in the world."""

    chest: Floats  # (T, 4) left, up and ahead
    head: Floats  # (T, 4) the joint
    origin: Floats  # (T, 3) between the eyes
    face: Floats  # (T, 3) unit, ahead of the head
    above: Floats  # (T, N, 4) parents of the chain's joints
    eyes: tuple[Floats, Floats]  # (T, E, 4), (T, E, 3)
    roles: dict[str, Floats]  # (T, 3) of each joint that is looked at
    hips: Floats  # (T, 3)

    def of(self, rows: slice) -> _Seen:
        """The same in some frames."""
        plain = (self.chest[rows], self.head[rows], self.origin[rows], self.face[rows], self.above[rows])
        eyes = self.eyes[0][rows], self.eyes[1][rows]
        return _Seen(*plain, eyes, {role: own[rows] for role, own in self.roles.items()}, self.hips[rows])


def _eye_frame(context: PerformanceContext, eye: int) -> Floats:
    roles = {joint: role for role, joint in context.roles.items()}
    return context.body.anatomy.frames[roles[eye]]


def _angles(to_frame: Floats, directions: Floats) -> tuple[Floats, Floats]:
    """Radians ``(T,)`` to the left and up of directions ``(T, 3)`` of any length, in a frame."""
    x, y, z = rotations.rotate(to_frame, directions).T
    return np.arctan2(x, z), np.arctan2(y, np.hypot(x, z))


def _turned(angles: Floats) -> Floats:
    """``(T, 4)`` to the left, and then up, by angles ``(T, 2)``."""
    zero = np.zeros(len(angles))
    left = rotations.from_rotation_vector(np.stack([zero, angles[:, 0], zero], axis=1))
    up = rotations.from_rotation_vector(np.stack([-angles[:, 1], zero, zero], axis=1))
    return rotations.multiply(left, up)


def _sided(yaw: Floats, weight: Floats, most: float) -> Floats:
    """``(T,)`` angles to the left within ``most``. What goes round behind goes over where it is the least there.

    What stands behind is looked at over one shoulder: the head does not change its mind.
    """
    if np.abs(yaw).max() <= most:
        return yaw
    sides = SWITCHED if float((weight * np.sin(yaw)).sum()) >= 0.0 else 2.0 * np.pi - SWITCHED
    crowds = [float((weight * (np.abs(np.angle(np.exp(1j * (yaw - at)))) < SWITCHES)).sum()) for at in sides]
    at = float(sides[int(np.argmin(crowds))])
    round_ = np.mod(yaw - (at - 2.0 * np.pi), 2.0 * np.pi) + (at - 2.0 * np.pi)  # from at − 360° to at
    made = clip(round_, -most, most)
    over = smoothstep(clip((at - round_) / SWITCHES, 0.0, 1.0)), smoothstep((round_ - at + 2.0 * np.pi) / SWITCHES)
    return np.asarray(made * over[0] * clip(over[1], 0.0, 1.0))
