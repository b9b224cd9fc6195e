"""Change poses at a few frames: a higher knock, three frames of a long clip, a filtered walk repaired twice."""

from __future__ import annotations

import numpy as np

from captures import captured
from kinesphere import Motion, find_contacts
from kinesphere.builtin import motion
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.signals import Displace, Equalize
from kinesphere.signals.pose_edits import Target, Turn

UP = np.array([0.0, 1.0, 0.0])
KNOCK = 1.2  # seconds: the second of three raps
SHARES = (0.145, 0.6, 0.86)  # of the long clip's length at which it is edited


def role_path(given: Motion, role: str) -> Floats:
    """``(T, 3)`` where a part of the body is."""
    return given.positions_world()[:, given.skeleton.with_found_roles().roles[role]]


def higher_knock() -> dict[str, Motion]:
    """One frame is edited: over the whole clip all three raps rise; with a narrow width the second does alone."""
    knock = motion("knock")
    up = [Target("rightHand", seconds=KNOCK, by=(0.0, 0.2, 0.0))]
    whole, one = Displace(up, width="all"), Displace(up, width=0.2)
    return {"knock": knock, "higher knock": whole(knock), "one rap higher": one(knock)}


def three_frames() -> dict[str, Motion]:
    """Three frames of a long clip: who waits greets somebody, bows deeper, and puts a hand to the mouth."""
    waiting = captured("141_20", "idle")
    first, second, third = (share * waiting.duration for share in SHARES)
    left, right = (role_path(waiting, f"{side}UpperArm")[round(first * waiting.rate)] for side in SIDES)
    aside = (right - left) / np.linalg.norm(right - left)
    greeting = right + 0.15 * aside + 0.25 * UP + 0.25 * np.cross(UP, aside)
    edits = [
        Target("rightHand", seconds=first, to=greeting.tolist(), keep_orientation=False),
        Turn("spine", np.radians([25.0, 0.0, 0.0]).tolist(), seconds=second),
        Target("rightHand", seconds=third, by=(0.0, 0.16, 0.0), keep_orientation=False),
    ]
    return {"waiting": waiting, "three frames edited": Displace(edits, width=0.7)(waiting)}


def repaired() -> dict[str, Motion]:
    """A walk whose bands are raised without care for its feet; then they are put right, and again more finely."""
    walk = captured("91_36", "walk", 0.5, 6.0)
    filtered = Equalize(preset="exaggerate", feet=False)(walk)
    stands = [(f"{one.side}Foot", one.first, one.last) for one in find_contacts(walk).intervals]
    middles = {(foot, (first + last) // 2) for foot, first, last in stands}
    ends = {(foot, frame) for foot, *frames in stands for frame in frames if 0 < frame < len(walk) - 1}
    once = Displace([*_where(walk, middles), *_lower(middles)], width="all", feet=False)(filtered)
    twice = Displace(_where(walk, middles | ends), width="all", feet=False)(once)
    return {"walk": walk, "filtered": filtered, "once repaired": once, "twice repaired": twice}


def lost(made: Motion, walk: Motion) -> float:
    """How far standing feet are from where they stood, on the mean, in metres."""
    off = {f"{s}Foot": np.linalg.norm(role_path(made, f"{s}Foot") - role_path(walk, f"{s}Foot"), axis=1) for s in SIDES}
    stands = find_contacts(walk).intervals
    return float(np.mean([off[f"{one.side}Foot"][one.first : one.last + 1].mean() for one in stands]))


def _where(walk: Motion, moments: set[tuple[str, int]]) -> list[Target]:
    """Feet brought to where they were in the walk, at frames."""
    return [Target(foot, frame=frame, to=role_path(walk, foot)[frame].tolist()) for foot, frame in sorted(moments)]


def _lower(moments: set[tuple[str, int]]) -> list[Target]:
    """Hips that come down a little, so that legs are long enough."""
    return [Target("hips", frame=frame, by=(0.0, -0.025, 0.0)) for frame in sorted({at for _, at in moments})]


def main() -> None:
    """Say what came of each."""
    for name, made in higher_knock().items():
        hand = role_path(made, "rightHand")[:, 1]
        print(f"{name:>20}: the hand at {hand[round(KNOCK * made.rate)]:.3f} m, at most {hand.max():.3f} m")
    before, after = three_frames().values()
    moved = np.linalg.norm(after.positions_world() - before.positions_world(), axis=-1).max(axis=1) > 1e-3
    print(f"{'three frames edited':>20}: {moved.mean():.0%} of {len(moved)} frames have changed")
    walked = repaired()
    for name, made in walked.items():
        print(f"{name:>20}: feet that should stand are {1000.0 * lost(made, walked['walk']):.0f} mm away on the mean")


if __name__ == "__main__":
    main()
