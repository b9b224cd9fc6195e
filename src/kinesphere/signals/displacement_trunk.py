"""What helps: trunk and shoulders where an arm is too short, spine, neck and a little the hips to bring the head.

They are solved at the edits, all together, and follow curves between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.body.limb_displacement import Pose
from kinesphere.body.limb_help import CLOSE, Wish, helped
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.motion.humanoid import SIDES
from kinesphere.signals.displacement_stretch import PlacedTarget, Stretch

HANDS = tuple(f"{side}Hand" for side in SIDES)
ALONG = 0.06  # metres that hips go along with a head
BACK = float(np.radians(15.0))  # how far a head turns back


def go_along(stretch: Stretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> None:
    """Hips that make up for what spine and neck lack to bring the head, where they have no target of their own."""
    hips = stretch.skeleton.roles.get("hips", -1)
    if "head" not in targets or not stretch.allowed[hips]:
        return
    points = _moments(targets)
    turns, pose = _solved(stretch, points, targets)
    pose.lean(turns)
    wish = _wish(stretch, points, targets["head"])
    lacking = wish.place - pose.world()[1][:, stretch.skeleton.roles["head"]]
    held = {own.frame for own in targets.get("hips", ())}
    lacking[[not asked or own.frame in held for own, asked in zip(points, wish.asked, strict=True)]] = 0.0
    size = lengths(lacking)[:, None]
    if size.max() > CLOSE:
        stretch.shift(hips, stretch.curve(points, lacking * np.minimum(1.0, ALONG / np.maximum(size, 1e-9))))


def help_along(stretch: Stretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> Bools:
    """Bring the head where it should be and the hands' targets within reach; ``(T,)`` where the trunk helps."""
    points = _moments(targets)
    turns, pose = _solved(stretch, points, targets) if points else ({}, None)
    if pose is None or not turns:
        return np.zeros(len(stretch.motion), dtype=bool)
    pose.lean(turns)
    turns = turns | _faced(stretch, points, pose, targets.get("head", ()))
    # Seen from where the body heads, a trunk leans the same way however its joints shake.
    rows, heading, parents = stretch.rows(points), stretch.heading(), stretch.skeleton.parents
    above = pose.world()[0][:, parents[list(turns)]]
    world = rotations.rotate(above, np.stack(list(turns.values()), axis=1))
    seen = rotations.rotate(rotations.conjugate(heading[rows])[:, None], world)
    made = rotations.rotate(heading[:, None], stretch.curve(points, seen))
    stretch.pose.lean_world(stretch.q, {joint: made[:, i] for i, joint in enumerate(turns)})
    stretch.posed()
    return np.asarray(made.any(axis=(1, 2)))


def _moments(targets: Mapping[str, Sequence[PlacedTarget]]) -> list[PlacedTarget]:
    """One target for each frame at which hands or the head have any, in order."""
    asked = [own for role in (*HANDS, "head") for own in targets.get(role, ())]
    return [own for _, own in sorted({own.frame: own for own in reversed(asked)}.items())]


def _solved(
    stretch: Stretch, points: Sequence[PlacedTarget], targets: Mapping[str, Sequence[PlacedTarget]]
) -> tuple[dict[int, Floats], Pose]:
    """How joints turn at the points ``(P, 3)``, and the poses there so far."""
    rows, skeleton = stretch.rows(points), stretch.skeleton
    wishes = {role: _wish(stretch, points, targets[role]) for role in (*HANDS, "head") if role in targets}
    head = wishes.pop("head", None)
    arms = {role: (stretch.limb(role), wish) for role, wish in wishes.items()}
    pose = Pose(skeleton, stretch.pose.local[rows], stretch.pose.places[rows])
    return helped(skeleton, pose.local, pose.places, arms, head, stretch.allowed), pose


def _wish(stretch: Stretch, points: Sequence[PlacedTarget], targets: Sequence[PlacedTarget]) -> Wish:
    place, asked = np.zeros((len(points), 3)), np.zeros(len(points), dtype=bool)
    frames = [own.frame for own in points]
    for own, wanted in zip(targets, stretch.places(targets), strict=True):
        place[frames.index(own.frame)], asked[frames.index(own.frame)] = wanted, True
    return Wish(place, asked)


def _faced(
    stretch: Stretch, points: Sequence[PlacedTarget], leaned: Pose, targets: Sequence[PlacedTarget]
) -> dict[int, Floats]:
    """How the head turns back to where it faced: who bends to something goes on looking there."""
    head = stretch.skeleton.roles.get("head")
    if head is None or not stretch.allowed[head]:
        return {}
    rows, parent = stretch.rows(points), int(stretch.skeleton.parents[head])
    back = rotations.multiply(rotations.conjugate(leaned.world()[0][:, parent]), stretch.q[rows, parent])
    turned = rotations.to_rotation_vector(back)
    turned = turned * np.minimum(1.0, BACK / np.maximum(lengths(turned), 1e-9))[:, None]
    loose = {own.frame for own in targets if not own.edit.keep_orientation}
    turned[[own.frame in loose for own in points]] = 0.0
    return {head: turned} if turned.any() else {}
