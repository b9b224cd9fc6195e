"""Bodies to generate on: the figure with other joints, bones, axes and rest poses."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.builtin import figure
from kinesphere.engine.embodiment import Embodiment
from kinesphere.engine.generation import generate
from kinesphere.maths import rotations as R
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.skeleton import Skeleton


def rebuilt(skeleton: Skeleton, *, without=(), lengths=None, axes_seed=None, arms_down=0.0, turned=0.0, root=False):
    """The skeleton without some joints, with other bone lengths, rest pose, joint axes, heading, or a root below it."""
    lengths = lengths or {}
    keep = [i for i, name in enumerate(skeleton.names) if name not in without]
    place = {joint: k for k, joint in enumerate(keep)} | {-1: -1}
    positions = np.zeros((len(skeleton), 3))
    for joint, parent in enumerate(skeleton.parents):
        factor = next((f for part, f in lengths.items() if skeleton.names[joint].endswith(part)), 1.0)
        bone = factor * skeleton.offsets[joint]
        for side, sign in (("left", 1.0), ("right", -1.0)):
            if skeleton.names[joint].startswith(side) and "Leg" not in skeleton.names[joint]:
                below = joint
                while below >= 0 and not skeleton.names[below].endswith("UpperArm"):
                    below = int(skeleton.parents[below])
                if below >= 0 and below != joint:
                    bone = R.rotate(R.from_axis_angle([0.0, 0.0, 1.0], sign * -arms_down), bone)
        positions[joint] = bone + (positions[parent] if parent >= 0 else 0.0)
    parents = []
    for joint in keep:
        parent = int(skeleton.parents[joint])
        while parent not in place:
            parent = int(skeleton.parents[parent])
        parents.append(place[parent])
    positions = R.rotate(R.from_axis_angle([0.0, 1.0, 0.0], turned), positions[keep])
    names, roles = [skeleton.names[j] for j in keep], {r: place[j] for r, j in skeleton.roles.items() if j in place}
    if root:
        names, parents = ["ground", *names], [-1, *(p + 1 for p in parents)]
        positions = np.concatenate([[[0.3, 0.0, -0.2]], positions])
        roles = {role: joint + 1 for role, joint in roles.items()}
    rng = np.random.default_rng(axes_seed or 0)
    count = len(names)
    world = R.normalise(rng.normal(size=(count, 4))) if axes_seed else R.identity(count)
    local, offsets = np.empty((count, 4)), np.empty((count, 3))
    for joint, parent in enumerate(parents):
        up = world[parent] if parent >= 0 else R.identity()
        local[joint] = R.multiply(R.conjugate(up), world[joint])
        offsets[joint] = R.rotate(R.conjugate(up), positions[joint] - (positions[parent] if parent >= 0 else 0.0))
    return Skeleton(tuple(names), np.array(parents), offsets, local, roles)


OURS = figure().skeleton
CLAVICLES = ("leftShoulder", "rightShoulder")
FINGERS = tuple(name for name in OURS.names if any(f in name for f in ("Thumb", "Index", "Middle", "Ring", "Little")))
BODIES = {
    "no clavicles": rebuilt(OURS, without=CLAVICLES),
    "no toes, no eyes, no fingers": rebuilt(OURS, without=("leftToes", "rightToes", "leftEye", "rightEye", *FINGERS)),
    "no neck": rebuilt(OURS, without=("neck",)),
    "one spine joint": rebuilt(OURS, without=("spine2", "chest", "upperChest")),
    "long arms": rebuilt(OURS, lengths={"LowerArm": 1.5, "Hand": 1.4}),
    "child": rebuilt(OURS.scaled(0.6), lengths={"LowerLeg": 0.7, "Foot": 0.7, "head": 1.5}),
    "huge hands": rebuilt(OURS, lengths=dict.fromkeys(("Proximal", "Intermediate", "Distal", "Metacarpal"), 2.5)),
    "wide shoulders": rebuilt(OURS, lengths={"Shoulder": 2.0, "UpperArm": 1.6}),
    "T-pose, odd axes": rebuilt(OURS, axes_seed=3, arms_down=np.radians(-45.0)),
    "facing back, on a root": rebuilt(OURS, axes_seed=5, turned=np.pi, root=True),
    "arms hanging, facing left": rebuilt(OURS, arms_down=np.radians(30.0), turned=np.pi / 2),
}


def acted_and_made(phrase: Phrase, rate: float = 60.0) -> tuple[Motion, Motion]:
    """A phrase as the engine's actor of a body does it, and as the body does."""
    seen: list[Motion] = []
    put_on = Embodiment.put_on
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Embodiment, "put_on", lambda self, motion: seen.append(motion) or put_on(self, motion))
        made = generate(phrase, rate)
    (acted,) = seen
    return acted, made
