"""A trunk gives way: where a hand could not reach its goal in the world any more, the spine is bent less."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from kinesphere.engine.recorded_referents import windows
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.goals import goal_places
from kinesphere.maths import rotations
from kinesphere.maths.filters import smooth_envelope
from kinesphere.maths.vectors import Floats, clip, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import Kind

STRETCHED = 0.94  # of an arm's length from shoulder to wrist, from which on goals are held softly
GIVES = 0.3  # seconds before and after in which it gives way
ROUNDS = 3
HOLDS = 0.02  # of a goal's window from which on it asks
ENOUGH = 1e-4  # metres
Places: TypeAlias = list[tuple[str, Floats, Floats]]


def fixed_places(
    context: PerformanceContext, side: str, world: RecordedWorld, local: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """What holds a wrist in the world: how far ``(T,)``, and where it must be ``(T, 3)``."""
    for window, place, _ in goal_places(context, side, world, local):
        yield window, place
    for _, window in windows(context.phrase, side, context.clock.source, (Kind.PLACE,)):
        yield window, world.p(context.roles[f"{side}Hand"])


def give_way(
    context: PerformanceContext, before: RecordedWorld, unbent: Floats, local: Floats, translations: Floats
) -> None:
    """Bend the trunk of poses ``(T, J, 4)`` back to that of ``unbent`` ones where goals are out of reach, in place."""
    trunk = (context.roles["hips"], *context.body.anatomy.spine)
    spine = [joint for joint in trunk if (local[:, joint] != unbent[:, joint]).any()]
    places = held_places(context, before, unbent) if spine else []
    if not places:
        return
    bent = local[:, spine].copy()

    def shown(share: Floats) -> RecordedWorld:
        if share.any():
            for column, joint in enumerate(spine):
                local[:, joint] = rotations.slerp(bent[:, column], unbent[:, joint], share)
        return context.world(local, translations)

    share_given_up(context, places, context.world(unbent, translations), shown)


def held_places(context: PerformanceContext, before: RecordedWorld, local: Floats) -> Places:
    """What holds either wrist in the world: its side, how far ``(T,)``, and where it must be ``(T, 3)``."""
    return [(side, *own) for side in SIDES for own in fixed_places(context, side, before, local)]


def share_given_up(
    context: PerformanceContext, places: Places, plain: RecordedWorld, shown: Callable[[Floats], RecordedWorld]
) -> Floats:
    """``(T,)`` from 0 to 1: how far a body goes back to how it was ``plain`` for hands to reach, smoothly.

    ``shown`` gives it as it is when it goes back by shares.
    """
    share = np.zeros(context.clock.frames)
    for _ in range(ROUNDS if places else 0):
        now, needed = shown(share), np.zeros(len(share))
        for side, window, place in places:
            shoulder, length = context.roles[f"{side}UpperArm"], context.body.lengths[f"{side}Arm"]
            least, far = (norms(place - world.p(shoulder)) for world in (plain, now))
            beyond = np.where(window > HOLDS, far - np.maximum(STRETCHED * length, least), 0.0)
            left = (1.0 - share) / np.maximum(far - least, ENOUGH)
            needed = np.maximum(needed, np.where(beyond > ENOUGH, beyond * left, 0.0))
        if needed.max() < ENOUGH:
            break
        share = clip(np.maximum(share, smooth_envelope(clip(share + needed, 0.0, 1.0), GIVES, context.rate)), 0.0, 1.0)
    shown(share)
    return share
