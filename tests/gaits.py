"""Bodies of other proportions, and walks, runs and squats on them whose knees come nearly straight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere import Motion, Skeleton
from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R
from kinesphere.maths.two_bone import limb_rotations_world, reach, solve_limb
from kinesphere.maths.vectors import smootherstep, smoothstep

SIDES = (("left", 1.0), ("right", -1.0))
X, Y, Z = np.eye(3)


@dataclass(frozen=True)
class Plan:
    """A standing person in metres; the ankle is above the sole, ball and toes are ahead of the ankle."""

    thigh: float = 0.43
    shin: float = 0.41
    ankle: float = 0.08
    hips: float = 0.18  # between the hip joints
    ball: float = 0.14
    toes: float = 0.06  # from the ball to the tip
    heel: float = 0.05
    toe_joint: bool = True
    surface: bool = True  # whether the ends of the foot are known

    def skeleton(self) -> Skeleton:
        """Joints with VRM names; all axes are the world's at rest."""
        leg = self.thigh + self.shin
        names, parents, offsets = ["hips"], [-1], [np.array([0.0, leg + self.ankle, 0.0])]

        def add(name: str, above: str, *offset: float) -> None:
            parents.append(names.index(above))
            names.append(name)
            offsets.append(np.array(offset))

        for name, above, up in (("spine", "hips", 0.1), ("chest", "spine", 0.2), ("neck", "chest", 0.25)):
            add(name, above, 0.0, up, 0.0)
        add("head", "neck", 0.0, 0.1, 0.0)
        for side, sign in SIDES:
            add(f"{side}UpperArm", "chest", 0.17 * sign, 0.2, 0.0)
            add(f"{side}LowerArm", f"{side}UpperArm", 0.28 * sign, 0.0, 0.0)
            add(f"{side}Hand", f"{side}LowerArm", 0.26 * sign, 0.0, 0.0)
            add(f"{side}UpperLeg", "hips", 0.5 * self.hips * sign, 0.0, 0.0)
            add(f"{side}LowerLeg", f"{side}UpperLeg", 0.0, -self.thigh, 0.0)
            add(f"{side}Foot", f"{side}LowerLeg", 0.0, -self.shin, 0.0)
            if self.toe_joint:
                add(f"{side}Toes", f"{side}Foot", 0.0, 0.02 - self.ankle, self.ball)
        soles = {}
        for side, _ in SIDES:
            soles[f"{side}Foot"] = self.ankle
            if self.surface:
                soles |= {f"{side}FootFront": self.ball + self.toes, f"{side}FootBack": self.heel}
        roles = {name: i for i, name in enumerate(names)}
        return Skeleton(tuple(names), np.array(parents), np.array(offsets), roles=roles, soles=soles)


def gait(plan: Plan, rate: float, *, straightest: float = 3.0, kind: str = "walk", seconds: float = 4.0) -> Motion:
    """A ``walk``, ``run``, ``tiptoe`` walk, ``squat``, ``jump``, or weight shifted (``shift``) from foot to foot.

    Knees come to so many degrees at push-off, or where the weight is.
    """
    time = np.arange(round(seconds * rate)) / rate
    feet = [_foot(plan, time, kind, side) for side in (0, 1)]
    leg = plan.thigh + plan.shin
    pace = {"walk": 1.0, "run": 2.6, "tiptoe": 0.8, "squat": 0.0, "jump": 0.0, "shift": 0.0}[kind]
    sway = 0.13 * np.sin(2 * np.pi * time / 2.2) if kind == "shift" else 0.015 * np.sin(2 * np.pi * time / 1.1)
    centre = np.stack([sway, np.zeros_like(time), pace * time], axis=1)
    roll = R.from_rotation_vector(np.radians(3.0) * np.sin(2 * np.pi * time / 1.1)[:, None] * Z)
    sockets = [centre + R.rotate(roll, 0.5 * plan.hips * sign * X) for _, sign in SIDES]
    span = float(reach(np.radians(straightest), plan.thigh, plan.shin))
    heights = [
        ankle[:, 1] + np.sqrt(np.maximum(span**2 - np.sum(((ankle - hip) * [1, 0, 1]) ** 2, axis=1), 0.01)) - hip[:, 1]
        for (ankle, _, _), hip in zip(feet, sockets, strict=True)
    ]
    # As high as the legs allow: the lower of both, rounded off so that nothing jumps.
    low = -0.004 * np.logaddexp(-heights[0] / 0.004, -heights[1] / 0.004)
    if kind == "squat":
        low = low - 0.28 * leg * (1.0 - np.cos(2 * np.pi * time / 2.0))
    if kind == "run":
        low = low - 0.06 * leg * (1.0 + np.cos(4 * np.pi * time / 0.7))
    centre[:, 1] += low
    return assemble(plan, rate, centre, roll, feet)


def _foot(plan: Plan, time, kind: str, side: int):
    """Ankle positions, pitch of the foot and of the toes (downward, radians) of one foot."""
    x = (0.5 - side) * 0.9 * plan.hips
    zero = np.zeros_like(time)
    if kind == "shift":
        lift = 0.12 * smoothstep((np.sin(2 * np.pi * time / 2.2) * (2 * side - 1) - 0.5) / 0.5)
        ball = np.stack([zero + (0.5 - side) * 0.34, lift, zero + plan.ball], axis=1)
        pitch = zero
    elif kind in ("squat", "jump"):
        hop = 0.25 * np.maximum(np.sin(2 * np.pi * time / 1.6), 0.0) ** 2 if kind == "jump" else zero
        pitch = np.radians(55.0) * smoothstep(hop / 0.08)
        ball = np.stack([zero + x, hop, zero + plan.ball], axis=1)
    else:
        cycle, stance, stride = {"walk": (1.1, 0.62, 1.1), "run": (0.7, 0.36, 1.82), "tiptoe": (1.1, 0.62, 0.88)}[kind]
        u = time / cycle + 0.5 * side
        step, u = np.floor(u), u % 1.0
        swing = smootherstep((u - stance) / (1.0 - stance))
        z = stride * (step + swing - 0.5 * side) + 0.42 * stance * stride + plan.ball
        high = {"walk": 0.05, "run": 0.22, "tiptoe": 0.06}[kind] * np.sin(np.pi * swing) ** 2
        ball = np.stack([zero + x, high, z], axis=1)
        up = np.radians({"walk": 50.0, "run": 60.0, "tiptoe": 45.0}[kind])
        rising = smootherstep((u - 0.5 * stance) / (0.5 * stance)) if kind != "tiptoe" else 1.0
        pitch = up * rising * (1.0 - (smootherstep((u - stance) / (0.9 - stance)) if kind != "tiptoe" else 0.0))
    pitch = pitch + zero
    sole = np.array([0.0, plan.ankle, -plan.ball])
    turned = R.from_rotation_vector(pitch[:, None] * X)
    return ball + R.rotate(turned, sole), pitch, pitch * smoothstep(ball[:, 1] / 0.05)


def short_steps(
    plan: Plan,
    rate: float,
    *,
    way=(0.0, 0.0),
    turn: float = 0.0,
    step: float = 0.5,
    count: int = 12,
    still: float = 1.0,
    back: int = 0,
    swing: float = 0.6,
) -> Motion:
    """Feet that step in turn, each beside the other one: standing, steps of so many seconds each, standing.

    With each of them the body goes ``way`` (left, ahead, in metres) and turns by ``turn`` radians; after each ``back``
    of them it goes back. A foot swings for ``swing`` of its step.
    """
    time = np.arange(round((2.0 * still + step * count) * rate)) / rate
    number = np.arange(count + 1)
    signed = np.where((number // back) % 2 == 0, 1.0, -1.0) if back else np.ones(count + 1)
    gone = np.concatenate([[0.0], np.cumsum(signed[:-1])])  # steps that the body has made after each
    at = still + step * number
    share = np.interp(time, at, number)
    done = gone[np.floor(share).astype(int)]
    nexts = gone[np.minimum(np.floor(share).astype(int) + 1, count)]
    body = done + smoothstep(share % 1.0) * (nexts - done)
    yaw = turn * body
    centre = np.stack([way[0] * body, np.zeros_like(time), way[1] * body], axis=1)
    feet, turns = [], []
    for side, (_, sign) in enumerate(SIDES):
        own = np.floor(share).astype(int)
        mine = (own % 2 == side) & (share < count)
        before = np.array([max((k for k in range(n) if k % 2 == side), default=-1) for n in range(count + 2)])
        stood = np.where(before[own] >= 0, gone[np.minimum(before[own] + 1, count)], 0.0)
        passed = np.where(mine, smootherstep(np.clip((share % 1.0) / swing, 0.0, 1.0)), 0.0)
        where = stood + passed * (gone[np.minimum(own + 1, count)] - stood)
        about = R.from_rotation_vector((turn * where)[:, None] * Y)
        place = R.rotate(about, np.array([0.45 * plan.hips * sign, 0.0, 0.0]))
        lift = 0.04 * np.sin(np.pi * passed) ** 2
        ankle = place + np.stack([way[0] * where, plan.ankle + lift, way[1] * where], axis=1)
        feet.append((ankle, np.zeros_like(time), np.zeros_like(time)))
        turns.append(turn * where)
    centre[:, 1] = plan.ankle + 0.97 * (plan.thigh + plan.shin)
    return assemble(plan, rate, centre, R.from_rotation_vector(yaw[:, None] * Y), feet, turns)


def assemble(plan: Plan, rate: float, centre, roll, feet, turns=(0.0, 0.0)) -> Motion:
    skeleton = plan.skeleton()
    q = R.identity(len(centre), len(skeleton))
    q[:, 0] = roll
    for (side, sign), (ankle, pitch, toes), turn in zip(SIDES, feet, turns, strict=True):
        hip = centre + R.rotate(roll, 0.5 * plan.hips * sign * X)
        limb = solve_limb(hip, ankle, plan.thigh, plan.shin, reference=Z, home=-Y)
        turned = limb_rotations_world(hip, limb, -Y, -Y, X)
        q[:, skeleton.index(f"{side}UpperLeg")] = turned.upper
        q[:, skeleton.index(f"{side}LowerLeg")] = turned.lower
        about = R.from_rotation_vector(np.reshape(turn, (-1, 1)) * Y)
        q[:, skeleton.index(f"{side}Foot")] = R.multiply(about, R.from_rotation_vector(pitch[:, None] * X))
        if plan.toe_joint:
            q[:, skeleton.index(f"{side}Toes")] = R.multiply(about, R.from_rotation_vector(toes[:, None] * X))
    local, _ = kinematics.inverse(q, np.zeros((*q.shape[:2], 3)), skeleton.parents)
    translations = np.tile(skeleton.offsets, (len(q), 1, 1))
    translations[:, 0] = centre
    return Motion(skeleton, rate, R.continuous(local), translations)
