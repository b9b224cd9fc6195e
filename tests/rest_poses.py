"""The same motion on skeletons with other rest poses, some of which no body can stand in, and with other joint axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere import Motion
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.transform import with_plain_rest
from rerig import bend_rest, point_all_bones, turn_axes_anyhow

X, Y, Z = np.eye(3)


def with_rest(motion: Motion, turns: dict[str, object], whole: object = (0.0, 0.0, 0.0)) -> Motion:
    """Bend the rest pose by rotation vectors about world axes, in degrees, by role; and first all of it."""
    roles = motion.skeleton.with_found_roles().roles
    added = {roles[role]: _turn(vector) for role, vector in turns.items() if role in roles}
    return bend_rest(bend_rest(motion, {0: _turn(whole)}), added)


def _turn(degrees: object) -> np.ndarray:
    return R.from_rotation_vector(np.radians(degrees))


def at_origin(motion: Motion) -> Motion:
    """All joints at the origin at rest: every joint has positions in the file."""
    skeleton = motion.skeleton.with_found_roles()
    return replace(motion, skeleton=replace(skeleton, offsets=np.zeros_like(skeleton.offsets)))


def _limbs(part: str, left: object, mirror: object) -> dict[str, object]:
    return {f"{side}{part}": np.array(left) * (1.0 if side == "left" else np.array(mirror)) for side in SIDES}


UPWARD = _limbs("UpperArm", (0.0, 0.0, 125.0), (1.0, -1.0, -1.0))
AHEAD = _limbs("UpperArm", (0.0, -90.0, 0.0), (1.0, -1.0, -1.0))
DOWN = _limbs("UpperArm", (0.0, 0.0, -40.0), (1.0, -1.0, -1.0))
SITTING = _limbs("UpperLeg", (-90.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (90.0, 0.0, 0.0), 1.0)
CROUCHED = _limbs("UpperLeg", (-60.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (110.0, 0.0, 0.0), 1.0)
BACKWARD = _limbs("UpperLeg", (25.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (-50.0, 0.0, 0.0), 1.0)
TWISTED = _limbs("UpperArm", (120.0, 0.0, 0.0), 1.0) | _limbs("UpperLeg", (0.0, 70.0, 0.0), (1.0, -1.0, 1.0))
ELBOWS = _limbs("LowerArm", (0.0, 70.0, 0.0), (1.0, -1.0, -1.0))  # bent the wrong way

# By class, several each: (another rest pose of the same motion).
REST_POSES = {
    "along X": lambda m: with_plain_rest(point_all_bones(m, X)),
    "along -X": lambda m: point_all_bones(m, -X),
    "along Y": lambda m: with_plain_rest(point_all_bones(m, Y)),
    "along -Z": lambda m: turn_axes_anyhow(point_all_bones(m, -Z), 1),
    "axes dropped": lambda m: turn_axes_anyhow(m, 2, plain=True),
    "axes dropped again": lambda m: turn_axes_anyhow(m, 3, plain=True),
    "sitting": lambda m: with_plain_rest(with_rest(m, SITTING)),
    "crouched": lambda m: with_rest(m, CROUCHED | DOWN),
    "arms overhead": lambda m: with_plain_rest(with_rest(m, UPWARD)),
    "arms overhead, bent back": lambda m: with_rest(m, UPWARD | ELBOWS),
    "arms ahead": lambda m: with_rest(m, AHEAD),
    "lying on the back": lambda m: with_plain_rest(with_rest(m, {}, (-90.0, 0.0, 0.0))),
    "lying on the side": lambda m: with_rest(m, DOWN, (0.0, 0.0, 90.0)),
    "at the origin": at_origin,
    "at the origin, other axes": lambda m: at_origin(turn_axes_anyhow(m, 4)),
    "knees backward": lambda m: with_plain_rest(with_rest(m, BACKWARD)),
    "knees and elbows backward": lambda m: turn_axes_anyhow(with_rest(m, BACKWARD | ELBOWS), 5),
    "twisted limbs": lambda m: with_plain_rest(with_rest(m, TWISTED)),
    "twisted axes": lambda m: turn_axes_anyhow(m, 6),
}
