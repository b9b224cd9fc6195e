"""Hands and head brought somewhere, and what helps: trunk and shoulders where an arm is too short, spine and neck and a
little the hips to bring the head.

What helps is solved at the edits, all together, and follows curves between them. A hand's way is a curve in the world,
and the arm is solved in every frame: so a path keeps its shape, nothing is bent past straight, and at its points the
target is met. The way is seen from where the body heads, so that a hand that goes outward still does when the body has
turned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from kinesphere.body.limb_displacement import STILL, Pose
from kinesphere.body.limb_help import EXACT, Help, Wish, helped
from kinesphere.body.limb_parts import Limb
from kinesphere.body.limb_reach import relaxed, within_reach
from kinesphere.body.limb_solving import lay_limb, swivelled
from kinesphere.body.limb_swivels import outward
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.motion.humanoid import SIDES
from kinesphere.signals.displacement_spline import eased
from kinesphere.signals.displacement_stretch import STEADY, PlacedTarget, Stretch

HANDS = tuple(f"{side}Hand" for side in SIDES)
BACK = float(np.radians(30.0))  # how far a head turns back
NEARLY = 0.01  # metres: what is missed by more is out of reach
BEYOND = 0.3  # of the zone in which an arm approaches its ends that is left for what it cannot reach
ROUNDS = 12  # most, of meeting them; one is enough but for arms that are bent the wrong way


def go_along(stretch: Stretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> None:
    """Hips that go along with the head where they have no target of their own."""
    hips = stretch.skeleton.roles.get("hips", -1)
    if "head" not in targets or not stretch.allowed[hips]:
        return
    points, held = _moments(targets), {own.frame for own in targets.get("hips", ())}
    heads = {own.frame for own in targets["head"]}
    loose = np.array([own.frame in heads - held for own in points])
    found, _ = _solved(stretch, points, targets, loose)
    if found.hips.any():
        stretch.bring_hips(points, hips, found.hips)


def help_along(stretch: Stretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> Bools:
    """Bring the head where it should be and the hands' targets within reach; ``(T,)`` where the trunk helps."""
    points = _moments(targets)
    if not points:
        return np.zeros(len(stretch.motion), dtype=bool)
    (turns, _), pose = _solved(stretch, points, targets)
    if not turns:
        return np.zeros(len(stretch.motion), dtype=bool)
    pose.lean(turns)
    turns = turns | _faced(stretch, points, pose, targets.get("head", ()))
    # Seen from where the body heads, a trunk leans the same way however its joints shake.
    rows, heading, parents = stretch.rows(points), stretch.heading, stretch.skeleton.parents
    above = pose.world()[0][:, parents[list(turns)]]
    world = rotations.rotate(above, np.stack(list(turns.values()), axis=1))
    seen = rotations.rotate(rotations.conjugate(heading[rows])[:, None], world)
    made = rotations.rotate(heading[:, None], stretch.curve(points, seen))
    stretch.pose.lean_world(stretch.q, {joint: made[:, i] for i, joint in enumerate(turns)})
    stretch.posed()
    return np.asarray(made.any(axis=(1, 2)))


def reach_out(stretch: Stretch, targets: Sequence[PlacedTarget], facing: Floats, leaned: Bools) -> None:
    """Bring a hand where it should be; it keeps its orientation in ``facing (T, J, 4)``, as far as the wrist allows.

    ``leaned (T,)`` says where the trunk helps.
    """
    rows, joint, heading = stretch.rows(targets), targets[0].joint, stretch.heading
    swivel = stretch.curve(targets, np.array([[own.edit.swivel] for own in targets]))[:, 0]
    wanted = stretch.places(targets)
    limb = relaxed(stretch.limb(targets[0].role), stretch.p[rows], wanted)
    asked = _asked(stretch, limb, rows, wanted, swivel[rows])
    seen = rotations.rotate(rotations.conjugate(heading[rows]), asked - stretch.p[rows, joint])
    way = rotations.rotate(heading, stretch.curve(targets, seen))
    moved = lengths(way)
    calmed = partial(stretch.calmed, moved)
    laid = lay_limb(limb, stretch.q, stretch.p, stretch.p[:, joint] + way, swivel, calmed)
    active = (moved > STILL) | (swivel != 0.0) | leaned
    if not swivel.any():
        aside = outward(stretch.skeleton, targets[0].role, limb, stretch.q, stretch.p, laid, stretch.motion.rate)
        laid = swivelled(limb, stretch.p, laid, eased(moved / STEADY) * aside)
    laid = stretch.steadied(limb, laid, moved)
    kept = stretch.faced(targets, laid, facing[:, joint], active)
    stretch.pose.lay(limb, stretch.q, stretch.p, laid, kept, active)


def _asked(stretch: Stretch, limb: Limb, rows: list[int], wanted: Floats, swivel: Floats) -> Floats:
    """``(P, 3)`` what to ask an arm for at the targets so that its hand comes to where it is wanted."""
    q, p = stretch.q[rows], stretch.p[rows]
    asked = within_reach(limb, p, wanted, BEYOND)
    for _ in range(ROUNDS):
        missed = wanted - lay_limb(limb, q, p, asked, swivel).end
        near = (lengths(missed) > EXACT) & (lengths(missed) < NEARLY)
        if not near.any():
            break
        asked = asked + np.where(near[:, None], missed, 0.0)
    return asked


def _moments(targets: Mapping[str, Sequence[PlacedTarget]]) -> list[PlacedTarget]:
    """One target for each frame at which hands or the head have any, in order."""
    asked = [own for role in (*HANDS, "head") for own in targets.get(role, ())]
    return [own for _, own in sorted({own.frame: own for own in reversed(asked)}.items())]


def _solved(
    stretch: Stretch,
    points: Sequence[PlacedTarget],
    targets: Mapping[str, Sequence[PlacedTarget]],
    loose: Bools | None = None,
) -> tuple[Help, Pose]:
    """What helps at the points, and the poses there so far; ``loose (P,)`` says where hips may go along."""
    rows, skeleton = stretch.rows(points), stretch.skeleton
    wishes = {role: _wish(stretch, points, targets[role]) for role in (*HANDS, "head") if role in targets}
    head = wishes.pop("head", None)
    arms = {role: (stretch.limb(role), wish) for role, wish in wishes.items()}
    pose = Pose(skeleton, stretch.pose.local[rows], stretch.pose.places[rows])
    return helped(skeleton, pose.local, pose.places, arms, head, stretch.allowed, loose), pose


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
