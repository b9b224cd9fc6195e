"""What carries a limb goes along: trunk and shoulder when an arm alone is too short; spine, neck and hips for the head.

Each joint of a chain turns a little, those with the longer lever more, so that their squares sum to the least. How far
a body goes for a hand is bounded: it helps a little, it does not throw itself at the goal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.body.limits import NEEDED, TRUNK, body_axes
from kinesphere.body.reach.limb import LimbChain, cross, easy_reach, side_and_part
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, norms
from kinesphere.motion.skeleton import Skeleton

LEAN = float(np.radians(20.0))  # how far the whole trunk turns for a hand
SHRUG = float(np.radians(12.0))  # and a shoulder
WILLING = 4.0  # how much more willingly a shoulder turns than a joint of the spine
BOW = (TRUNK.flexion[1], -TRUNK.flexion[0], TRUNK.side[1], TRUNK.twist[1])  # how far all of it turns to bring the head
NOD = float(np.radians(30.0))  # and the neck
ALONG = 0.12  # metres that hips go along with a head, at most
GOING = 0.02  # square metres: how willingly, beside the levers of the trunk
ROUNDS = 24  # most, of linearising
CLOSE, EXACT = 1e-5, 1e-8  # metres within which an arm's reach is enough, and a head is where it should be
SLIGHT = 2e-4  # metres nearer that are not worth another round
DAMPING, LEAST = 1e-3, 1e-9  # square metres, to begin with and in the end


class AssistChain(NamedTuple):
    """Joints that carry another, from the trunk's first outwards, and how far each may turn."""

    joints: tuple[int, ...]
    most: Floats  # (N, 4) radians: forward, back, aside and about itself
    willing: Floats  # (N,)
    tip: int  # what they carry


def arm_chain(skeleton: Skeleton, end: str) -> AssistChain:
    """What carries an arm: the joints from above the hips to the shoulder."""
    side, _ = side_and_part(end)
    tip = skeleton.roles[f"{side}UpperArm"]
    joints = _carrying(skeleton, tip)
    shoulder = skeleton.roles.get(f"{side}Shoulder")
    own = joints.index(shoulder) if shoulder in joints else len(joints)
    most = [LEAN / max(own, 1)] * own + [SHRUG] * (len(joints) - own)
    willing = [1.0] * own + [WILLING] * (len(joints) - own)
    return AssistChain(joints, np.tile(np.array(most)[:, None], 4), np.array(willing), tip)


def head_chain(skeleton: Skeleton) -> AssistChain:
    """What carries the head: spine and neck."""
    tip = skeleton.roles["head"]
    joints = _carrying(skeleton, tip)
    arms = {j for side in ("left", "right") for j in _carrying(skeleton, skeleton.roles.get(f"{side}UpperArm", -1))}
    neck = [joint for joint in joints if arms and joint not in arms]
    spine = len(joints) - len(neck)
    most = np.full((len(joints), 4), NOD / max(len(neck), 1))
    most[:spine] = np.array(BOW) / max(spine, 1)
    return AssistChain(joints, most, np.ones(len(joints)), tip)


def _carrying(skeleton: Skeleton, joint: int) -> tuple[int, ...]:
    """The joints from just above the hips to the one that a joint hangs on; none where it does not hang on hips."""
    hips = skeleton.roles.get("hips", skeleton.roots[0])
    chain: list[int] = []
    above = int(skeleton.parents[joint]) if joint >= 0 else -1
    while above not in (hips, -1):
        chain.insert(0, above)
        above = int(skeleton.parents[above])
    return tuple(chain) if above == hips else ()


class ReachTarget(NamedTuple):
    """Where something should be, in some frames of a body."""

    place: Floats  # (T, 3)
    asked: Bools  # (T,)


class Assist(NamedTuple):
    """What helps."""

    turns: dict[int, Floats]  # how joints turn, as their parents see it (T, 3)
    hips: Floats  # (T, 3) metres that hips go along, in the world


def assist_with_trunk(
    skeleton: Skeleton,
    local: Floats,
    places: Floats,
    hands: Mapping[str, tuple[LimbChain, ReachTarget]],
    head: ReachTarget | None = None,
    allowed: Bools | None = None,
    loose: Bools | None = None,
) -> Assist:
    """How joints of the trunk turn, and hips go along, so that wishes come within reach of the arms.

    Parameters
    ----------
    local, places : (T, J, 4), (T, J, 3)
        Poses: local rotations and translations.
    hands
        By role, the arm and where its hand should be: its shoulder comes so near that the arm reaches there with ease.
    head
        Where the head's joint should be.
    allowed : (J,)
        Joints that may turn; None: all.
    loose : (T,)
        Where hips may go along with the head; None: nowhere.
    """
    chains = [(arm_chain(skeleton, end), limb, wish) for end, (limb, wish) in hands.items()]
    bowing = None if head is None else head_chain(skeleton)
    spans = _spans(skeleton, local, places, chains)
    near = [
        (norms(wish.place - at) <= span) | ~wish.asked for (_, _, wish), (span, at) in zip(chains, spans, strict=True)
    ]
    if head is None and np.all(near):
        return Assist({}, np.zeros((len(local), 3)))
    every = [chain for chain, _, _ in chains] + ([bowing] if bowing else [])
    body = _AssistedBody(skeleton, local, places, every, allowed, loose)
    idle = 0
    for _ in range(ROUNDS):
        going = False
        for (chain, _, wish), (span, _) in zip(chains, spans, strict=True):
            way = wish.place - body.place(chain.tip)
            far = norms(way)
            short = np.where(wish.asked, np.maximum(far - span, 0.0), 0.0)
            if (short > CLOSE).any():
                going |= body.pull(chain, way / np.maximum(far, 1e-9)[:, None], short)
        if head is not None and bowing is not None:
            going |= body.bring(bowing, head.place, head.asked)
        idle = 0 if going else idle + 1
        if idle == 2:  # in every other round those sit out that went as far as they may
            break
    return Assist(body.turns(), body.gone)


def _spans(
    skeleton: Skeleton, local: Floats, places: Floats, chains: Sequence[tuple[AssistChain, LimbChain, ReachTarget]]
) -> list[tuple[Floats, Floats]]:
    """For each arm how far it reaches with ease ``(T,)``, and from where ``(T, 3)``."""
    if not chains:
        return []
    _, p = kinematics.forward(local, places, skeleton.parents)
    return [(easy_reach(limb, p), p[:, limb.upper]) for _, limb, _ in chains]


def _axes(skeleton: Skeleton, joints: Sequence[int]) -> Floats:
    """``(N, 3, 3)`` about what joints bow forward, lean aside and turn, as their parents see it at rest."""
    up, left, ahead = np.eye(3)[[1, 0, 2]]
    if all(role in skeleton.roles for role in NEEDED):
        up, left, ahead = body_axes(skeleton)
    turned = skeleton.rest_world()[0]
    above = [
        turned[skeleton.parents[joint]] if skeleton.parents[joint] >= 0 else rotations.identity() for joint in joints
    ]
    return rotations.rotate(rotations.conjugate(np.array(above))[:, None], np.stack([left, ahead, up]))


class _AssistedBody:
    """The joints that take part, with all that they hang on, turned step by step."""

    def __init__(
        self,
        skeleton: Skeleton,
        local: Floats,
        places: Floats,
        chains: Sequence[AssistChain],
        allowed: Bools | None,
        loose: Bools | None,
    ) -> None:
        own: set[int] = set()
        for chain in chains:
            joint = chain.tip
            while joint >= 0:
                own.add(joint)
                joint = int(skeleton.parents[joint])
        self.joints = sorted(own)
        at = {joint: i for i, joint in enumerate(self.joints)}
        self.parents: Ints = np.array([at.get(int(skeleton.parents[joint]), -1) for joint in self.joints])
        self.given, self.offsets = local[:, self.joints], places[:, self.joints]
        self.turned = np.zeros((len(local), len(self.joints), 3))
        self.rows = {chain.tip: [at[joint] for joint in chain.joints] for chain in chains}
        self.at, self.most, self.axes = at, np.zeros((len(self.joints), 4)), _axes(skeleton, self.joints)
        for chain in chains:
            rows = self.rows[chain.tip]
            self.most[rows] = np.maximum(self.most[rows], chain.most)
        if allowed is not None:
            self.most[~allowed[self.joints]] = 0.0
        self.damping = np.full(len(local), DAMPING)
        self.held = np.zeros((len(local), len(self.joints)), dtype=bool)
        self.loose = np.zeros(len(local), dtype=bool) if loose is None else loose
        self.gone, self.far = np.zeros((len(local), 3)), np.zeros(len(local), dtype=bool)
        self._pose()

    def _pose(self) -> None:
        local = rotations.multiply(rotations.from_rotation_vector(self.turned), self.given)
        self.q, self.p = kinematics.forward(local, self.offsets, self.parents)

    def place(self, joint: int) -> Floats:
        """``(T, 3)`` where a joint is."""
        return np.asarray(self.p[:, self.at[joint]] + self.gone)

    def _free_arms(self, chain: AssistChain) -> Floats:
        """``(T, N, 3)`` from the joints of a chain to its tip.

        Zero for those that went as far as they may in the last step: they sit this one out, or the others would go on
        counting on their share.
        """
        rows = self.rows[chain.tip]
        return np.where(self.held[:, rows, None], 0.0, self.p[:, [self.at[chain.tip]]] - self.p[:, rows])

    def pull(self, chain: AssistChain, way: Floats, short: Floats) -> bool:
        """Turn a chain so that its tip goes so far along a direction; whether it came any farther."""
        levers = cross(self._free_arms(chain), way[:, None])
        weighed = levers * chain.willing[:, None]
        gain = np.einsum("tji,tji->t", levers, weighed)
        before = self.place(chain.tip)
        self._turn(chain, weighed * (short / np.maximum(gain, 1e-6))[:, None, None])
        return bool((np.einsum("ti,ti->t", self.place(chain.tip) - before, way) > SLIGHT).any())

    def bring(self, chain: AssistChain, place: Floats, asked: Bools) -> bool:
        """Turn a chain so that its tip comes nearer to a place ``(T, 3)``; whether more can be gained.

        Levenberg and Marquardt's step: bolder after one that helped, smaller after one that did not, which is undone.
        """
        way = np.where(asked[:, None], place - self.place(chain.tip), 0.0)
        far = norms(way)
        if (far < EXACT).all():
            return False
        arms, going = self._free_arms(chain), GOING * (self.loose & ~self.far)
        squares = (np.einsum("tji,tji->t", arms, arms) + self.damping + going)[:, None, None] * np.eye(3)
        pull = np.linalg.solve(squares - np.einsum("tji,tjk->tik", arms, arms), way[..., None])[..., 0]
        before, there = self.turned, self.gone
        new = there + going[:, None] * pull
        kept = np.minimum(1.0, ALONG / np.maximum(norms(new), 1e-12))
        self.far, self.gone = (kept < 1.0) & ~self.far, new * kept[:, None]
        self._turn(chain, cross(arms, pull[:, None]))
        gained = far - norms(np.where(asked[:, None], place - self.place(chain.tip), 0.0))
        worse = gained <= 0.0
        self.damping = np.maximum(self.damping * np.where(worse, 10.0, 0.2), LEAST)
        if worse.any():
            self.turned = np.where(worse[:, None, None], before, self.turned)
            self.gone = np.where(worse[:, None], there, self.gone)
            self._pose()
        return bool((((gained > 1e-4 * far) | worse) & (far > EXACT) & (self.damping < 10.0)).any())

    def _turn(self, chain: AssistChain, steps: Floats) -> None:
        """Turn the joints of a chain by steps ``(T, N, 3)`` in the world, no joint farther than it may."""
        rows = self.rows[chain.tip]
        # A chain begins above the hips, so all of its joints hang on something.
        seen = rotations.rotate(rotations.conjugate(self.q[:, self.parents[rows]]), steps)
        old = rotations.from_rotation_vector(self.turned[:, rows])
        new = rotations.to_rotation_vector(rotations.multiply(rotations.from_rotation_vector(seen), old))
        kept = self._kept(rows, new)
        self.held[:, rows] = (kept < 1.0) & ~self.held[:, rows]
        self.turned = self.turned.copy()
        self.turned[:, rows] = new * kept[..., None]
        self._pose()

    def _kept(self, rows: list[int], turned: Floats) -> Floats:
        """``(T, N)`` how much of turns ``(T, N, 3)`` is within what joints may."""
        parts = np.einsum("nij,tnj->tni", self.axes[rows], turned)
        forward, back, aside, about = self.most[rows].T
        bounds = np.stack(np.broadcast_arrays(np.where(parts[..., 0] > 0.0, forward, back), aside, about), axis=-1)
        share = norms(parts / np.maximum(bounds, 1e-12))
        return np.where(self.most[rows].any(axis=1), 1.0 / np.maximum(share, 1.0), 0.0)

    def turns(self) -> dict[int, Floats]:
        """How far joints have turned ``(T, 3)``, of those that have."""
        moved = np.asarray(self.turned.any(axis=(0, 2)))
        return {joint: self.turned[:, i] for i, joint in enumerate(self.joints) if moved[i]}
