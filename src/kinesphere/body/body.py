"""Body: what any room may know about a skeleton, found once and kept with it.

``body_of`` takes a skeleton, a motion or a character. Models speak of a body's parts, by roles and in limb lengths, and
never of joint 0 or of a person of 1.70 m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

from kinesphere.body.anatomy import Anatomy, find_anatomy
from kinesphere.body.collision import BodyVolumes, find_volumes
from kinesphere.body.ground import SolePoint, sole_points
from kinesphere.body.limits import LimitedJoint, find_limited_joints
from kinesphere.body.mass import Segment, segments
from kinesphere.body.require_roles import require_motion_roles, require_roles
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

# What a body may lack, and by which roles it is recognised.
PARTS: Mapping[str, tuple[str, ...]] = {
    "neck": ("neck",),
    "clavicles": tuple(f"{side}Shoulder" for side in SIDES),
    "toes": tuple(f"{side}Toes" for side in SIDES),
    "eyes": tuple(f"{side}Eye" for side in SIDES),
    "fingers": tuple(f"{side}{finger}Proximal" for side in SIDES for finger in FINGERS[1:]),
}


@dataclass(frozen=True, eq=False)
class Body:
    """A humanoid skeleton with its anatomy."""

    skeleton: Skeleton
    anatomy: Anatomy
    volumes: BodyVolumes | None = None  # of a character with a surface

    def __repr__(self) -> str:
        return f"<Body of {len(self.skeleton)} joints, {len(self.roles)} of them humanoid>"

    @property
    def roles(self) -> Mapping[str, int]:
        """Humanoid role to joint."""
        return self.skeleton.roles

    @property
    def lengths(self) -> Mapping[str, float]:
        """Metres of ``leftArm``, ``rightArm``, ``leftLeg``, ``rightLeg``: upper plus lower bone."""
        return self.anatomy.lengths

    @cached_property
    def lacks(self) -> tuple[str, ...]:
        """Parts that this body does not have, of neck, clavicles, toes, eyes and fingers."""
        return tuple(part for part, roles in PARTS.items() if not any(role in self.roles for role in roles))

    @property
    def lacking(self) -> str:
        """What it lacks, as a sentence; empty where it lacks nothing."""
        return f"the body lacks {', '.join(self.lacks)}: what a gesture says of them is left out" if self.lacks else ""

    @cached_property
    def mass(self) -> tuple[Segment, ...]:
        """Segments of the body with their shares of its mass."""
        return segments(self.skeleton)

    @cached_property
    def limits(self) -> tuple[LimitedJoint, ...]:
        """Joints whose range is limited."""
        return tuple(find_limited_joints(self.skeleton))

    @cached_property
    def soles(self) -> tuple[SolePoint, ...]:
        """Heels and balls of the feet."""
        return tuple(sole_points(self.skeleton))


_known: WeakKeyDictionary[Skeleton, Body] = WeakKeyDictionary()
_known_characters: WeakKeyDictionary[Character, Body] = WeakKeyDictionary()  # with the volumes of their surface


def body_of(source: Skeleton | Motion | Character) -> Body:
    """The body of a skeleton, or of a motion or character on it. Raises ``ValueError`` where it is no humanoid.

    A motion helps where the rest pose is no body's pose: then the body is measured in its most upright frame.
    """
    skeleton = source if isinstance(source, Skeleton) else source.skeleton
    if isinstance(source, Character):
        if source not in _known_characters:
            anatomy = find_anatomy(require_roles(skeleton))
            _known_characters[source] = Body(anatomy.skeleton, anatomy, find_volumes(source, anatomy))
        return _known_characters[source]
    if skeleton in _known:
        return _known[skeleton]
    if isinstance(source, Motion):
        with_roles = require_motion_roles(source)
        body = Body(with_roles.skeleton, find_anatomy(with_roles.skeleton, with_roles))
    else:
        humanoid = require_roles(skeleton)
        body = Body(humanoid, find_anatomy(humanoid))
    _known[skeleton] = body
    return body
