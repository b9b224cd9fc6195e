"""What a body does while it is held: in a pause it lives on a little, in a stop it relaxes and sinks.

The clock stands there (``engine.holds``); legs and hips stay as they are, so that feet do.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.holds import PerformedHold
from kinesphere.engine.recorded_limbs import turn_joints
from kinesphere.engine.recorded_limits import PARTS, arm_limits
from kinesphere.engine.recorded_poses import body_frame
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smootherstep
from kinesphere.motion.hold import Energy
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

# A pause: radians forward, about the length, to the side, and cycles a second, of what goes on in it.
LIFE = {
    "spine": ((0.006, 0.002, 0.003), 0.27),
    "chest": ((-0.004, 0.002, 0.002), 0.31),
    "neck": ((0.004, 0.005, 0.003), 0.37),
    "head": ((0.004, 0.005, 0.003), 0.43),
    "leftUpperArm": ((0.006, 0.0, 0.004), 0.33),
    "rightUpperArm": ((0.006, 0.0, 0.004), 0.41),
}
SETTLES = {"spine": 0.008, "neck": -0.006}  # radians forward in a pause: weight settles
SETTLING = 0.35  # seconds
# A stop: radians forward of the trunk, and how far limbs go towards hanging down.
SINKS = {"spine": 0.06, "chest": 0.07, "upperChest": 0.06, "neck": 0.10, "head": 0.09}
HANGS = {"UpperArm": 0.32, "LowerArm": 0.25}  # shares of the way
FARTHEST = 0.45  # radians that an arm's bone sinks at most, approached softly
FALLS, DAMPED = 0.85, 0.55  # cycles a second of what sinks, and how far its swing is damped
LONGEST = 3.0  # seconds in which it has come to rest


def live_in_holds(context: PerformanceContext, local: Floats, translations: Floats) -> None:
    """Let a held body live on, or sink, in poses ``(T, J, 4)`` that are changed in place."""
    if context.clock.held is None:
        return
    time = context.clock.time
    pauses = [own for own in context.clock.held.holds if own.energy == Energy.KEPT]
    stops = [own for own in context.clock.held.holds if own.energy == Energy.GONE]
    if pauses:
        _live(context, [(own, held_window(own, time)) for own in pauses], local)
    if stops:
        _sink(context, np.max([sunk(own, time) for own in stops], axis=0), local, translations)


def held_window(hold: PerformedHold, time: Floats) -> Floats:
    """``(T,)`` from 0 to 1: how far a hold holds."""
    comes = smootherstep((time - hold.start) / max(hold.comes, 1e-9))
    return np.asarray(comes * (1.0 - smootherstep((time - hold.leaves) / max(hold.starts, 1e-9))))


def sunk(hold: PerformedHold, time: Floats) -> Floats:
    """``(T,)`` how far a body has sunk in a stop: about 1, which it reaches as a damped pendulum does."""
    since = clip(time - hold.start - 0.3 * hold.comes, 0.0, LONGEST)
    swing, quick = 2.0 * np.pi * FALLS, 2.0 * np.pi * FALLS * DAMPED / np.sqrt(1.0 - DAMPED**2)
    rests = 1.0 - np.exp(-quick * since) * (np.cos(swing * since) + quick / swing * np.sin(swing * since))
    return np.asarray(rests * (1.0 - smootherstep((time - hold.leaves) / max(hold.starts, 1e-9))))


def _live(context: PerformanceContext, pauses: list[tuple[PerformedHold, Floats]], local: Floats) -> None:
    time, life = context.clock.time, context.phrase.life
    roles = [role for role in LIFE if role in context.roles]
    vectors = np.zeros((len(local), len(roles), 3))
    for k, role in enumerate(roles):
        size, rate = LIFE[role]
        for hold, window in pauses:
            since = np.maximum(time - hold.start, 0.0)
            wave = life * np.sin(2.0 * np.pi * rate * since)
            vectors[:, k] += (window * wave)[:, None] * np.array(size)
            vectors[:, k, 0] += SETTLES.get(role, 0.0) * window * -np.expm1(-since / SETTLING)
    joints, frames = _frames(context.body, tuple(roles))
    turn_joints(joints, frames, vectors * context.upright[:, None, None], local)


def _sink(context: PerformanceContext, gone: Floats, local: Floats, translations: Floats) -> None:
    limits = arm_limits(context.body)
    recorded = np.ascontiguousarray(local[:, limits.joints])
    roles = tuple(role for role in SINKS if role in context.roles)
    vectors = np.zeros((len(local), len(roles), 3))
    for k, role in enumerate(roles):
        vectors[:, k, 0] = SINKS[role] * gone * context.upright
    joints, frames = _frames(context.body, roles)
    turn_joints(joints, frames, vectors, local)
    for part, share in HANGS.items():
        world = context.world(local, translations, part="arms")
        for side in SIDES:
            joint, end = (context.roles[f"{side}{own}"] for own in (part, {"UpperArm": "LowerArm"}.get(part, "Hand")))
            bone = world.p(end) - world.p(joint)
            bone = bone / np.maximum(norms(bone), 1e-9)[:, None]
            axis = np.cross(bone, np.array([0.0, -1.0, 0.0]))
            sine = norms(axis)
            angle = share * np.arctan2(sine, -bone[:, 1])
            angle = FARTHEST * np.tanh(angle / FARTHEST) * gone
            # Where a bone points straight up no way down is the nearest.
            vector = angle[:, None] * axis / np.maximum(sine, 0.05)[:, None]
            own = rotations.rotate(rotations.conjugate(world.q(joint)), vector)
            local[:, joint] = rotations.multiply(local[:, joint], rotations.from_rotation_vector(own))
    for side in SIDES:
        for part in PARTS:
            limits.ease(f"{side}{part}", recorded, local)


@memoised
def _frames(body: Body, roles: tuple[str, ...]) -> tuple[Ints, Floats]:
    """Joints ``(K,)`` of roles, and the body's axes ``(K, 4)`` in them."""
    joints = np.array([body.roles[role] for role in roles], dtype=np.intp)
    return joints, np.array([body_frame(body, joint) for joint in joints.tolist()])
