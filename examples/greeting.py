"""Generate a walk and a wave procedurally: goals in time, splines between them, inverse kinematics for the limbs.

It uses no capture and no model. Feet do not slide by construction: each foot has fixed contact positions and a path
between them, and the leg follows the foot.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.splines import kochanek_bartels
from kinesphere.maths.two_bone import FORWARD, limb_rotations_world, solve_limb
from kinesphere.maths.vectors import Floats

RATE = 60.0
STRIDE, STEP = 0.62, 0.52  # metres and seconds a step
STEPS = 4
ARRIVED = 0.3 + STEPS * STEP
END = ARRIVED + 3.2
SIDES = {"left": 1.0, "right": -1.0}


def figure() -> Skeleton:
    """A person of 1.75 m in a T-pose, facing +Z, left at +X, with VRM's names."""
    rows: list[tuple[str, str, tuple[float, float, float]]] = [
        ("hips", "", (0.0, 0.96, 0.0)),
        ("spine", "hips", (0.0, 0.11, -0.01)),
        ("chest", "spine", (0.0, 0.13, 0.0)),
        ("upperChest", "chest", (0.0, 0.13, 0.0)),
        ("neck", "upperChest", (0.0, 0.17, 0.0)),
        ("head", "neck", (0.0, 0.09, 0.02)),
    ]
    for side, x in SIDES.items():
        rows += [
            (f"{side}Shoulder", "upperChest", (0.03 * x, 0.12, 0.0)),
            (f"{side}UpperArm", f"{side}Shoulder", (0.14 * x, 0.0, -0.01)),
            (f"{side}LowerArm", f"{side}UpperArm", (0.28 * x, 0.0, 0.0)),
            (f"{side}Hand", f"{side}LowerArm", (0.25 * x, 0.0, 0.0)),
            (f"{side}UpperLeg", "hips", (0.09 * x, -0.04, 0.0)),
            (f"{side}LowerLeg", f"{side}UpperLeg", (0.0, -0.43, 0.0)),
            (f"{side}Foot", f"{side}LowerLeg", (0.0, -0.41, 0.0)),
            (f"{side}Toes", f"{side}Foot", (0.0, -0.06, 0.13)),
        ]
    names = tuple(name for name, _, _ in rows)
    tips = [Tip(names.index("head"), (0.0, 0.2, 0.01))]
    for side, x in SIDES.items():
        tips += [
            Tip(names.index(f"{side}Hand"), (0.17 * x, 0.0, 0.0)),
            Tip(names.index(f"{side}Toes"), (0.0, 0.0, 0.07)),
        ]
    return Skeleton(
        names,
        np.array([names.index(parent) if parent else -1 for _, parent, _ in rows]),
        np.array([offset for _, _, offset in rows]),
        roles={name: i for i, name in enumerate(names)},
        tips=tuple(tips),
    )


def greeting() -> Motion:
    """Four steps forward, a stop, and a wave with the right hand."""
    skeleton = figure()
    time = np.arange(round(END * RATE) + 1) / RATE
    local = rotations.identity(len(time), len(skeleton))
    places = np.tile(skeleton.offsets, (len(time), 1, 1))
    ankles, pitches = zip(*(_foot(side, time) for side in SIDES), strict=True)
    places[:, 0] = _hips(time, ankles)
    _torso(skeleton, local, time)
    for side, ankle, pitch in zip(SIDES, ankles, pitches, strict=True):
        _leg(skeleton, local, places, side, ankle, pitch)
        _arm(skeleton, local, places, side, time)
    return Motion(skeleton, RATE, rotations.continuous(local), places, name="greeting")


def _turn(x: Floats | float = 0.0, y: Floats | float = 0.0, z: Floats | float = 0.0) -> Floats:
    vector = np.stack(np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float), np.asarray(z, float)), axis=-1)
    return rotations.from_rotation_vector(vector)


def _keyed(time: Floats, *keys: tuple[float, float], tension: float = 0.2) -> Floats:
    """A value through (time, value) keys."""
    at, values = np.array(keys).T
    spline = kochanek_bartels(values, at, tension=tension, ends="clamped")
    return spline.value(np.clip(time, at[0], at[-1]))


def _ramp(time: Floats, start: float, length: float) -> Floats:
    """From 0 to 1 without a corner or a jolt."""
    u = np.clip((time - start) / length, 0.0, 1.0)
    ramp: Floats = u**3 * (10 - 15 * u + 6 * u * u)
    return ramp


def _foot(side: str, time: Floats) -> tuple[Floats, Floats]:
    """The ankle's path and the foot's pitch: planted, peeling off, swinging, landing on the heel."""
    x = SIDES[side]
    first = 0.3 if side == "left" else 0.3 + STEP
    lifts = [first + 2 * STEP * i for i in range(STEPS // 2)]
    stands = [0.0]
    for i, _ in enumerate(lifts):
        whole = stands[-1] + 2 * STRIDE if i or side == "right" else STRIDE
        stands.append(min(whole, STEPS * STRIDE))
    stands[-1] = STEPS * STRIDE if side == "right" else (STEPS - 1) * STRIDE
    if side == "left":  # the last, short step brings the feet together
        lifts.append(first + 2 * STEP * len(lifts))
        stands.append(STEPS * STRIDE)
    z, y, pitch = np.full(len(time), stands[-1]), np.full(len(time), 0.075), np.zeros(len(time))
    for lift, (start, end) in zip(lifts, pairwise(stands), strict=True):
        swing = STEP * 0.9
        u = np.clip((time - lift) / swing, 0.0, 1.0)
        going = (time >= lift - 0.16) & (time <= lift + swing)
        far = abs(end - start) / (2 * STRIDE)
        progress = _ramp(time, lift, swing)
        z = np.where(
            time < lift,
            np.minimum(z, start),
            np.where(time <= lift + swing, start + progress * (end - start), z),
        )
        y = np.where(going, 0.075 + far * 0.09 * np.sin(np.pi * u) ** 2, y)
        early = _ramp(time, lift - 0.16, 0.22)
        curve = 0.55 * early * (1 - _ramp(time, lift, 0.75 * swing)) - 0.3 * np.sin(np.pi * u**1.5) ** 2
        pitch = np.where(going, far * curve, pitch)
    # Peeling off turns the foot about its toes, which stay: the ankle goes up and forward.
    peel = np.maximum(pitch, 0.0)
    y += 0.06 * (np.cos(peel) - 1) + 0.13 * np.sin(peel)
    z += 0.13 * (1 - np.cos(peel)) + 0.06 * np.sin(peel)
    return np.stack([np.full(len(time), 0.095 * x), y, z], axis=-1), pitch


def _hips(time: Floats, ankles: tuple[Floats, ...]) -> Floats:
    """Between the feet, swaying over the one that stands, dipping with each step."""
    walking = (1 - _ramp(time, ARRIVED - 0.25, 0.6)) * _ramp(time, 0.0, 0.6)
    phase = np.pi * (time - 0.3) / STEP
    box = np.ones(25) / 25
    middle = np.mean([np.convolve(np.pad(a[:, 2], 12, mode="edge"), box, mode="valid") for a in ankles], axis=0)
    sway = -0.025 * np.sin(phase) * walking + _keyed(
        time, (ARRIVED, 0.0), (ARRIVED + 0.7, 0.03), (END - 0.5, 0.03), (END, 0.02)
    )
    dip = 0.946 - walking * (0.035 + 0.014 * np.cos(2 * phase))
    breath = 0.003 * np.sin(2 * np.pi * 0.3 * time)
    return np.stack([sway, dip + breath, middle + 0.02 * walking], axis=-1)


def _torso(skeleton: Skeleton, local: Floats, time: Floats) -> None:
    walking = (1 - _ramp(time, ARRIVED - 0.3, 0.6)) * _ramp(time, 0.0, 0.6)
    phase = np.pi * (time - 0.3) / STEP
    hello = _keyed(time, (ARRIVED - 0.2, 0.0), (ARRIVED + 0.5, 1.0), (END - 0.7, 1.0), (END, 0.0))
    yaw = 0.10 * np.sin(phase) * walking
    for name, q in {
        "hips": _turn(0.03 * walking, yaw, 0.03 * np.sin(phase) * walking),
        "spine": _turn(0.02 * walking, -0.7 * yaw, -0.03 * hello),
        "chest": _turn(0.02, -0.7 * yaw, -0.04 * hello),
        "upperChest": _turn(0.01 * np.sin(2 * np.pi * 0.3 * time), -0.4 * yaw - 0.1 * hello, 0.0),
        "neck": _turn(-0.03, 0.4 * yaw + 0.05 * hello, 0.06 * hello),
        "head": _turn(-0.02 + 0.02 * np.sin(2 * time), 0.4 * yaw + 0.05 * hello, 0.12 * hello),
        "rightShoulder": _turn(0.0, 0.0, -0.25 * hello),
    }.items():
        local[:, skeleton.index(name)] = q


def _leg(skeleton: Skeleton, local: Floats, places: Floats, side: str, ankle: Floats, pitch: Floats) -> None:
    upper, lower, foot = (skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
    world_q, world_p = kinematics.forward(local, places, skeleton.parents)
    hip, above = world_p[:, upper], world_q[:, 0]
    lengths = skeleton.bone_lengths[lower], skeleton.bone_lengths[foot]
    solved = solve_limb(hip, ankle, *lengths, reference=FORWARD, flexion_range=(0.02, 2.6), softness=0.01)
    turned = limb_rotations_world(hip, solved, [0, -1, 0], [0, -1, 0], [1, 0, 0])
    flat = _turn(pitch, 0.04 * SIDES[side], 0.0)  # feet stand level on the ground, a little outward
    local[:, upper] = rotations.multiply(rotations.conjugate(above), turned.upper)
    local[:, lower] = rotations.multiply(rotations.conjugate(turned.upper), turned.lower)
    local[:, foot] = rotations.multiply(rotations.conjugate(turned.lower), flat)
    local[:, skeleton.index(f"{side}Toes")] = _turn(-np.maximum(pitch, 0.0))


def _arm(skeleton: Skeleton, local: Floats, places: Floats, side: str, time: Floats) -> None:
    """Swinging against the legs; then, on the right, up and waving."""
    x = SIDES[side]
    upper, lower, hand = (skeleton.index(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand"))
    world_q, world_p = kinematics.forward(local, places, skeleton.parents)
    chest, shoulder = world_q[:, skeleton.index("upperChest")], world_p[:, upper]
    walking = (1 - _ramp(time, ARRIVED - 0.3, 0.7)) * _ramp(time, 0.0, 0.6)
    swing = -x * np.sin(np.pi * (time - 0.3) / STEP - 0.25) * walking
    hanging = np.stack([0.09 * x - 0.02 * x * np.abs(swing), -0.48 + 0.03 * swing**2, 0.07 + 0.2 * swing], axis=-1)
    wrist, swivel = hanging, np.full(len(time), 0.5 * x)
    bend = np.zeros(len(time))
    if side == "right":
        up = np.array([ARRIVED - 0.15, ARRIVED + 0.15, ARRIVED + 0.55])
        beats = ARRIVED + 0.55 + 0.26 * np.arange(1, 8)
        down = np.array([END - 0.55, END - 0.1])
        sideways = [-0.18 if i % 2 else -0.37 for i in range(len(beats))]
        keys = [hanging[-1], [-0.25, -0.25, 0.25], [-0.30, 0.20, 0.13]]
        keys += [[there, 0.20, 0.13] for there in sideways] + [[-0.22, -0.28, 0.22], hanging[-1]]
        path = kochanek_bartels(np.array(keys), np.concatenate([up, beats, down]), ends="clamped")
        wrist = hanging + _ramp(time, float(up[0]), 0.35)[:, None] * (
            path.value(np.clip(time, up[0], down[-1])) - hanging
        )
        raised = _keyed(time, (up[0], 0.0), (up[-1], 1.0), (down[0] - 0.1, 1.0), (down[-1], 0.0))
        swivel = swivel + 1.2 * raised
        bend = raised * 0.35 * np.sin(2 * np.pi * (time - beats[0]) / 0.52 - 0.6)
    target = shoulder + rotations.rotate(chest, wrist)
    lengths = skeleton.bone_lengths[lower], skeleton.bone_lengths[hand]
    solved = solve_limb(
        shoulder, target, *lengths, swivel, reference=[0, -0.5, -1], flexion_range=(0.1, 2.5), softness=0.03
    )
    turned = limb_rotations_world(shoulder, solved, [x, 0, 0], [x, 0, 0], [0, -x, 0])
    above = world_q[:, skeleton.index(f"{side}Shoulder")]
    local[:, upper] = rotations.multiply(rotations.conjugate(above), turned.upper)
    local[:, lower] = rotations.multiply(rotations.conjugate(turned.upper), turned.lower)
    local[:, hand] = _turn(0.0, bend, 0.0)
