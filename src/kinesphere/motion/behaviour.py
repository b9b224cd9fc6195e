"""Behaviours: motion that goes on by itself, step by step, on top of poses: breath, sway, fidgeting.

A behaviour is a frozen document, registered by name. ``start`` makes its state, ``step`` takes one pose and gives the
next state and the changed pose. Rendering folds the steps over a motion's frames, streaming calls them one by one; both
give the same bits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.document import document
from kinesphere.motion.registry import RegisteredDocument, Registry, blame_plugin, registering

if TYPE_CHECKING:
    from kinesphere.body.body import Body
    from kinesphere.motion.motion import Motion


class Pose(NamedTuple):
    """One frame of a motion."""

    rotations: Floats  # (J, 4) local
    translations: Floats  # (J, 3) local, in metres
    scales: Floats | None = None  # (J, 3) of the surface


@document(frozen=True)
class Scene:
    """What is around a character. Empty yet: objects and other agents come with attention."""


class Behaviour(RegisteredDocument):
    """Motion on top of poses. Subclasses are documents: ``@behaviour("name") @document(frozen=True) class …``.

    With every dial at its neutral value a behaviour changes nothing; by default it does what its name says.
    """

    @abstractmethod
    def start(self, body: Body, scene: Scene) -> Any:
        """The state before the first step."""

    @abstractmethod
    def step(self, state: Any, pose: Pose, scene: Scene, dt: float) -> tuple[Any, Pose]:
        """The state ``dt`` seconds later, and the pose of now, changed. Neither argument is changed in place."""


BEHAVIOURS: Registry[Behaviour] = Registry("behaviour", ("kinesphere.engine.behaviours",), ("behaviour",))
behaviour = registering(BEHAVIOURS)


@dataclass(eq=False)
class BehaviourStack:
    """Several behaviours on one body, one after the other in every frame."""

    behaviours: Sequence[Behaviour]
    body: Body
    scene: Scene

    def __post_init__(self) -> None:
        self._states = []
        for own in self.behaviours:
            with blame_plugin(own):
                self._states.append(own.start(self.body, self.scene))
        self._last: Floats | None = None

    def step(self, pose: Pose, dt: float) -> Pose:
        """The pose of now with all behaviours; their states go on by ``dt`` seconds."""
        for i, own in enumerate(self.behaviours):
            with blame_plugin(own):
                self._states[i], pose = own.step(self._states[i], pose, self.scene, dt)
                if not isinstance(pose, Pose):
                    raise TypeError(f"step gave {type(pose).__name__}; a state and a Pose are expected")
        if self._last is not None:  # quaternions stay in the hemisphere of the frame before
            flipped = np.einsum("ij,ij->i", pose.rotations, self._last) < 0.0
            if flipped.any():
                pose = pose._replace(rotations=np.where(flipped[:, None], -pose.rotations, pose.rotations))
        self._last = pose.rotations
        return pose


def poses_of(motion: Motion) -> Iterator[Pose]:
    """A motion's frames, one by one."""
    scales: Iterable[Floats | None] = [None] * len(motion) if motion.scales is None else motion.scales
    for row in zip(motion.rotations, motion.translations, scales, strict=True):
        yield Pose(*row)


def stream_behaviours(
    motion: Motion, behaviours: Sequence[Behaviour], body: Body | None, scene: Scene | None = None
) -> Iterator[Pose]:
    """The frames of a motion with behaviours on top, one by one; ``body`` is None where there is no behaviour."""
    if body is None:
        yield from poses_of(motion)
        return
    stack, dt = BehaviourStack(behaviours, body, Scene() if scene is None else scene), 1.0 / motion.rate
    for pose in poses_of(motion):
        yield stack.step(pose, dt)


def fold_behaviours(motion: Motion, behaviours: Sequence[Behaviour], body: Body, scene: Scene | None = None) -> Motion:
    """What ``stream_behaviours`` yields, as a motion; the same object where no behaviour changes anything."""
    active = [own for own in behaviours if not own.neutral]
    if not active:
        return motion
    poses = list(stream_behaviours(motion, active, body, scene))
    scales = None
    if any(pose.scales is not None for pose in poses):
        ones = np.ones_like(poses[0].translations)
        scales = freeze(np.stack([ones if pose.scales is None else pose.scales for pose in poses]))
    return replace(
        motion,
        rotations=freeze(np.stack([pose.rotations for pose in poses])),
        translations=freeze(np.stack([pose.translations for pose in poses])),
        scales=scales,
    )
