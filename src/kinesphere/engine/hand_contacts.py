"""Hand contacts of a recording: what hands touch, where they meet, what they hold on to and what they point at.

Found from positions alone, without surfaces: a palm that stays near the head, the chest or a hip while it moves with
it; palms that are together; a hand that stays in the world while the body moves; an arm that is stretched out and
still. Distances are in arm lengths (0.55 m of a person 1.70 m tall).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kinesphere.body.ground import runs, smooth_gaussian
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations
from kinesphere.maths.filters import derivative, gaussian
from kinesphere.maths.vectors import Bools, Floats, norms, smoothstep, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.referent import Kind, Referent

SMOOTH = 0.03  # seconds of σ
TOGETHER = 0.34  # between palms that meet
HEAD_UP, HEAD_AHEAD = 0.09, 0.16  # the mouth from the head's joint
AT_HEAD, AT_CHEST, AT_HIP = 0.54, 0.42, 0.34  # from palm to face, chest, hip joint
NEAR = (0.55, 0.75)  # from palm to mouth: nearer than the first a hand that stays goes with the face
STAYS, NEAR_SMOOTH = (0.35, 0.9), 0.08  # arm lengths a second relative to the face; seconds of σ
SLOW = 0.45  # arm lengths a second, relative to what is touched
BENT = np.radians(55.0)  # of the elbow of a hand on its hip: hanging hands touch nothing
PLACE_SPEED, BODY_SPEED = 0.12, 0.22  # of a hand that stays, and of the chest about it
AIM_STRAIGHT = np.radians(35.0)  # of the elbow of an arm that points
AIM_RAISED = 0.35  # cosine from straight down, or from down the trunk, above which an arm is not raised
AIM_SPEED = 0.30
FAR = 5.5  # where what is pointed at is taken to be
SHORTEST = {"touch": 0.15, "meet": 0.05, "place": 0.35, "aim": 0.35}  # seconds
CLOSED = 0.12  # seconds: shorter gaps between two contacts of a kind don't count
WHOLE = 0.6  # arm lengths from which on an arm is one
FADE = 0.3  # seconds over which a contact comes and goes


def find_hand_contacts(poses: RecordedPoses) -> tuple[Referent, ...]:
    """What hands of a recording keep, in order of time."""
    if len(poses.motion) < 4:
        return ()
    found = [*_meetings(poses)]
    for side in SIDES:
        taken = ~_is_whole(poses, side)
        touches: list[Referent] = []
        for joint, near in _touches(poses, side):
            touches += _referents(Kind.TOUCH, side, near & ~taken, poses, joint)
            taken |= near
        found += _one_by_one(touches)
        place = _stays(poses, side) & ~taken
        found += _referents(Kind.PLACE, side, place, poses)
        found += list(_aims(poses, side, taken | place))
    return tuple(sorted(found, key=lambda own: (own.start, own.arm)))


@memoised
def nearness(poses: RecordedPoses, side: str) -> Floats:
    """``(T,)`` from 0 to 1: how far a palm stays near the face, whether it touches it or not."""
    away = poses.palm(side) - _mouth(poses)
    length, rate = poses.arm_length, poses.motion.rate
    near = 1.0 - smoothstep((norms(away) / length - NEAR[0]) / (NEAR[1] - NEAR[0]))
    if not near.any():
        return np.zeros(len(near))
    own = rotations.rotate(rotations.conjugate(poses.head), away) / length
    stays = 1.0 - smoothstep((_velocity(own, rate) - STAYS[0]) / (STAYS[1] - STAYS[0]))
    return gaussian(near * stays, NEAR_SMOOTH * rate, ends="hold")


def _mouth(poses: RecordedPoses) -> Floats:
    """``(T, 3)`` about where the mouth is."""
    offset = np.array([0.0, HEAD_UP, HEAD_AHEAD])
    return np.asarray(poses.position("head") + poses.arm_length * rotations.rotate(poses.head, offset))


def _velocity(path: Floats, rate: float) -> Floats:
    return norms(derivative(smooth_gaussian(path, rate, SMOOTH), rate))


def _referents(
    kind: Kind, arm: str, flags: Bools, poses: RecordedPoses, joint: str | None = None
) -> Iterator[Referent]:
    rate = poses.motion.rate
    for first, last in stretches(flags, rate, SHORTEST[kind.value]):
        yield Referent(kind, arm, first / rate, last / rate, joint=joint, before=FADE, after=FADE)


def stretches(flags: Bools, rate: float, shortest: float, closed: float = CLOSED) -> list[tuple[int, int]]:
    """First and last frames of flags that hold for long enough; short gaps are closed."""
    joined: list[tuple[int, int]] = []
    for first, last in runs(flags):
        if joined and first - joined[-1][1] <= closed * rate:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return [(first, last) for first, last in joined if last - first + 1 >= shortest * rate]


def _is_whole(poses: RecordedPoses, side: str) -> Bools:
    """``(T,)`` whether an arm is about as long as it is: some animated bodies grow out of nothing."""
    places = [poses.position(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand")]
    return np.asarray(norms(places[1] - places[0]) + norms(places[2] - places[1]) > WHOLE * poses.arm_length)


def _one_by_one(touches: list[Referent]) -> list[Referent]:
    """What one hand touches, longest first, as far as it has time to come from one joint to the other.

    A hand before the chin is near to face and chest, now nearer to one, now to the other: it cannot keep both.
    """
    kept: list[Referent] = []
    for own in sorted(touches, key=lambda own: (own.start - own.end, own.start)):
        start, end = own.start, own.end
        for other in kept:
            if other.joint != own.joint:
                if other.start < start:
                    start = max(start, other.end + FADE)
                else:
                    end = min(end, other.start - FADE)
        if end - start >= SHORTEST["touch"]:
            kept.append(replace(own, start=start, end=end))
    return kept


def _meetings(poses: RecordedPoses) -> Iterator[Referent]:
    between = norms(poses.palm("left") - poses.palm("right")) / poses.arm_length
    whole = _is_whole(poses, "left") & _is_whole(poses, "right")
    yield from _referents(Kind.MEET, "both", (between < TOGETHER) & whole, poses)


def _touches(poses: RecordedPoses, side: str) -> Iterator[tuple[str, Bools]]:
    """Joint to whether the palm stays at it in each frame."""
    palm, length, rate = poses.palm(side), poses.arm_length, poses.motion.rate
    face = _mouth(poses)
    at_face = norms(palm - face) < AT_HEAD * length
    if at_face.any():
        own = rotations.rotate(rotations.conjugate(poses.head), palm - face) / length
        yield "head", at_face & (_velocity(own, rate) < SLOW)
    flexed = _flexion(poses, side) > BENT
    chest = 0.5 * (poses.position("leftUpperArm") + poses.position("rightUpperArm"))
    chest = chest + length * rotations.rotate(poses.chest, np.array([0.0, -0.18, 0.22]))
    at_chest = (norms(palm - chest) < AT_CHEST * length) & flexed
    if at_chest.any():
        own = rotations.rotate(rotations.conjugate(poses.chest), palm - chest) / length
        yield "upperChest", at_chest & (_velocity(own, rate) < 0.5 * SLOW)
    hip = poses.position(f"{side}UpperLeg")
    at_hip = (norms(palm - hip) < AT_HIP * length) & flexed
    if at_hip.any():
        own = rotations.rotate(rotations.conjugate(poses.pelvis), palm - hip) / length
        yield "hips", at_hip & (_velocity(own, rate) < 0.5 * SLOW)


def _flexion(poses: RecordedPoses, side: str) -> Floats:
    """``(T,)`` radians that an elbow is bent."""
    upper = poses.position(f"{side}LowerArm") - poses.position(f"{side}UpperArm")
    lower = poses.position(f"{side}Hand") - poses.position(f"{side}LowerArm")
    return np.asarray(np.arctan2(norms(np.cross(upper, lower)), np.sum(upper * lower, axis=1)))


def _stays(poses: RecordedPoses, side: str) -> Bools:
    """``(T,)`` whether a hand stays in the world while the body moves."""
    rate, length = poses.motion.rate, poses.arm_length
    hand = _velocity(poses.position(f"{side}Hand") / length, rate)
    own = _velocity(poses.wrist(side), rate)
    return np.asarray((hand < PLACE_SPEED) & (own > np.maximum(BODY_SPEED, 2.0 * hand)))


def _aims(poses: RecordedPoses, side: str, taken: Bools) -> Iterator[Referent]:
    """What a stretched arm that is still points at."""
    rate, wrist = poses.motion.rate, poses.position(f"{side}Hand")
    ray = wrist - poses.position(f"{side}UpperArm")
    # Who lies has arms along the body that are level; who bows has arms that hang before it.
    along = rotations.rotate(rotations.conjugate(poses.chest), ray)
    down = -np.minimum(ray[:, 1], along[:, 1]) / np.maximum(norms(ray), 1e-9)
    still = _velocity(wrist / poses.arm_length, rate) < AIM_SPEED
    points = (_flexion(poses, side) < AIM_STRAIGHT) & (down < AIM_RAISED) & still & ~taken
    for first, last in stretches(points, rate, SHORTEST["aim"]):
        middle = (first + last) // 2
        forearm = wrist[middle] - poses.position(f"{side}LowerArm")[middle]
        x, y, z = (wrist[middle] + FAR * poses.arm_length * unit(forearm)).tolist()
        times = first / rate, last / rate
        yield Referent(Kind.AIM, side, *times, target=(x, y, z), before=FADE, after=FADE)


def touched_place(poses: RecordedPoses, side: str, joint: str) -> tuple[Floats, Floats]:
    """``(T, 3)`` about where a part of the body is touched by a hand, and that part's rotation ``(T, 4)``."""
    if joint in ("head", "neck"):
        return _mouth(poses), poses.head
    if joint == "hips":
        return poses.position(f"{side}UpperLeg"), poses.pelvis
    return 0.5 * (poses.position("leftUpperArm") + poses.position("rightUpperArm")), poses.chest
