"""Waveshaping: pass every curve's values through a shaping function (Bruderlin and Williams 1995).

A shaping function (``signals.shaping``) is over values from −1 to 1 of a range: of what a curve does in the clip, or of
what the joint can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import PlainValidator

from kinesphere.body.limits import NEEDED, LimitedJoint, find_limited_joints
from kinesphere.body.require_roles import require_motion_roles
from kinesphere.maths import rotation_curves, rotations, waveshaping
from kinesphere.maths.hinges import Hinge, shape_hinge
from kinesphere.maths.threads import share_work
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.document import Either, Flag, Setting, dial, document, expected_type
from kinesphere.motion.edit import motion_edit
from kinesphere.motion.errors import MotionFileWarning, unknown_name, warn_caller
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit
from kinesphere.signals.shaping import ControlPoint, Ends, Shapes, Shaping, find_shaping, parse_shapes
from kinesphere.signals.shaping import shapes as builtin_shapes

By = Literal["clip", "joint"]
NARROW = 1e-9  # radians or metres: curves that move by less are constant
MOST_EXCESS = float(np.radians(60.0))  # that a joint goes past its limits; farther, and they are not this body's


class LimitsDontFit(MotionFileWarning):
    """Limits of some joints are not known well enough on this body; these joints stay as they are."""


def _check_name(name: Any) -> str:
    if not isinstance(name, str):
        raise expected_type("a shaping function, or the name of one of ours")
    find_shaping(name)
    return name


def parse_shape(text: str) -> str:
    """The name of a shaping function, as it is written in a library: dashes and underscores are blanks."""
    return text.strip().lower().replace("-", " ").replace("_", " ")


def parse_points(text: str) -> tuple[tuple[float, ...], ...]:
    """Control points with blanks between; their numbers have commas between."""
    found = []
    for piece in text.split():
        try:
            numbers = tuple(float(number) for number in piece.split(","))
        except ValueError:
            numbers = ()
        if not 2 <= len(numbers) <= 5:
            raise ValueError(f'found {piece!r}; x,y pairs such as "-1,-1 0,0.3 1,1" are expected')
        found.append(numbers)
    return tuple(found)


@motion_edit("waveshape")
@document(frozen=True)
class Waveshape(Edit):
    """Cap, exaggerate, wave or quantise what joints do, frame by frame.

    Values of curves are passed through a shaping function. By clip, −1 and 1 are the least and the greatest value of
    each curve in this clip. By joint, they are what the joint can do, as flexion, side and twist from limit to limit.
    Joints whose limits are not known (fingers, the hips) then stay as they are, and so, with a warning, do those that
    limits don't fit: joints that are at or past them in most frames, or past them by more than 60° in any.
    ``Waveshape("limits", by="joint")`` brings joints softly to their limits and leaves what is well inside alone.
    """

    shape: Annotated[
        str | Shaping,
        Either(
            lambda value: "function" if isinstance(value, Shaping | Mapping) else "name",
            function=Shaping,
            name=Annotated[str, PlainValidator(_check_name, json_schema_input_type=str)],
        ),
        Setting(
            "What becomes of values: soft cap, hard cap, limits, cosine, undulation, quantise, snap, reserved, stiff, "
            "grand, or a function of your own.",
            metavar="NAME",
        ),
    ] = "identity"
    amount: Annotated[float, dial(0.0, 1.0, "How much of it.", "nothing", "all of it")] = 1.0
    by: Annotated[By, Setting("What −1 and 1 are: the range of this clip, or what the joint can do.")] = "clip"
    root: Annotated[
        Flag,
        Setting(
            "Whether the body's heading and path are shaped, too; by clip alone.",
            help="Shape the body's heading and path, too.",
        ),
    ] = False

    def __post_init__(self) -> None:
        if self.root and self.by == "joint":
            raise ValueError("root=True with by='joint': heading and path have no limits to be shaped by")

    @classmethod
    def from_options(
        cls,
        *,
        shape: Annotated[
            str | None,
            Setting(
                "What becomes of values: soft-cap, hard-cap, limits, cosine, undulation, quantise, snap, reserved, "
                "stiff, grand, or one of --shapes.",
                metavar="NAME",
            ),
        ] = None,
        points: Annotated[
            tuple[tuple[float, ...], ...] | None,
            Setting(
                'A curve of your own in place of --shape: x,y pairs such as "-1,-1 0,0.3 1,1", from the least (-1) to '
                "the greatest (1). After y: tension, continuity and bias, if you like.",
                parse=parse_points,
                metavar="X,Y …",
            ),
        ] = None,
        ends: Annotated[
            Ends, Setting("How a curve of --points leaves its ends: natural, clamped (level) or chord (straight).")
        ] = "natural",
        shapes: Annotated[
            Shapes | None,
            Setting("A file of your own curves, in TOML.", parse=parse_shapes, metavar="FILE", file=True),
        ] = None,
        **rest: Any,
    ) -> Self:
        if (shape is None) == (points is None):
            raise ValueError("one of --shape and --points is expected: a name, or a curve of your own")
        if points is not None:
            if shapes is not None:
                raise ValueError("--shapes goes with --shape, the name of a curve in it, not with --points")
            return cls(shape=Shaping(points, ends), **rest)  # type: ignore[arg-type]
        assert shape is not None
        known = {**builtin_shapes(), **(shapes or {})}
        by_name = {parse_shape(one): one for one in known}
        found = shape if shape in known else by_name.get(parse_shape(shape))
        if found is None:
            raise ValueError(f"--shape: {unknown_name('shape', shape, sorted(known))}")
        return cls(shape=found if known[found] == builtin_shapes().get(found) else known[found], **rest)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        own = Shaping((ControlPoint(-1.0, -1.0), ControlPoint(0.0, 0.3), ControlPoint(1.0, 1.0)))
        return cls("undulation"), cls("grand", root=True), cls("limits", by="joint"), cls(own, amount=0.5)

    @property
    def shaping(self) -> Shaping:
        """The shaping function."""
        return find_shaping(self.shape) if isinstance(self.shape, str) else self.shape

    @property
    def neutral(self) -> bool:
        return self.amount == 0.0 or self.shaping.identity

    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        if self.by == "joint":
            return self._shape_by_joint(curves, joints)
        centre, half = waveshaping.column_ranges(curves.table)
        half[half < NARROW] = 0.0
        half[~joints[curves.owners]] = 0.0
        if not self.root:
            half[curves.heading_column :] = 0.0
        table = waveshaping.waveshape(curves.table, centre, half, self.shaping.curve, self.amount)
        if not self.root and joints[curves.root]:
            _keep_heading(curves, table)
        return table

    def _shape_by_joint(self, curves: Curves, joints: Bools) -> Floats:
        motion = require_motion_roles(curves.motion, NEEDED, "shaping by what joints can do")
        known, table = _find_limited_hinges(motion.skeleton), curves.table.copy()
        local, soft_limits = np.ascontiguousarray(motion.rotations[:, known.joints]), find_shaping("limits")
        limiting = self.shaping == soft_limits

        def shape(hinge: Hinge) -> bool:
            """Whether limits fit the joint, by what they would do to it; it stays as it is if they don't."""
            row, joint = int(hinge.path[-1]), int(known.joints[hinge.path[-1]])
            before, reference = motion.rotations[:, joint], curves.reference[joint]
            columns = table[:, 3 * joint : 3 * joint + 3]
            amount = self.amount if limiting else 1.0
            shape_hinge(local, columns, reference, hinge, soft_limits.curve, amount)
            fits = _limits_fit(before, local[:, row], amount)
            if not (fits and limiting):
                local[:, row], columns[:] = before, curves.table[:, 3 * joint : 3 * joint + 3]
                if fits:
                    shape_hinge(local, columns, reference, hinge, self.shaping.curve, self.amount)
            return fits

        unfit: list[int] = []
        for level in known.levels:
            chosen = [hinge for hinge in level if joints[known.joints[hinge.path[-1]]]]
            fits = share_work(shape, chosen)
            unfit += [int(known.joints[one.path[-1]]) for one, fit in zip(chosen, fits, strict=True) if not fit]
        if unfit:
            name = f"{motion.name}: " if motion.name else ""
            names = ", ".join(motion.skeleton.names[joint] for joint in sorted(unfit))
            kept = f"{'it stays' if len(unfit) == 1 else 'they stay'} as before"
            warn_caller(f"{name}the limits that are known don't fit {names} on this body; {kept}", LimitsDontFit)
        return table


def _limits_fit(before: Floats, limited: Floats, amount: float) -> bool:
    """Whether limits fit a joint ``(T, 4)``: an ``amount`` of them changes it in few frames, and not by much."""
    changed = (before[:, 0] != limited[:, 0]) | (before[:, 1] != limited[:, 1])  # the others keep their bits
    count = np.count_nonzero(changed)
    if count == 0:
        return True
    cosines = np.abs(np.einsum("ti,ti->t", before, limited))
    return bool(2 * count <= len(before) and cosines.min() >= np.cos(0.5 * amount * MOST_EXCESS))


class _LimitedHinges(NamedTuple):
    """The joints of a skeleton whose limits are known, and those that they are measured along."""

    joints: Ints
    levels: tuple[list[Hinge], list[Hinge]]  # by number in ``joints``; the second is measured along the first


@memoised
def _find_limited_hinges(skeleton: Skeleton) -> _LimitedHinges:
    limited = find_limited_joints(skeleton)
    joints = np.unique([joint for hinge in limited for joint in hinge.path])
    # Upper arms, which have a cone, are measured past the shoulders: those are shaped before them.
    plain = [_hinge(one, joints) for one in limited if one.limit.cone is None]
    cones = [_hinge(one, joints) for one in limited if one.limit.cone is not None]
    return _LimitedHinges(joints, (plain, cones))


def _hinge(given: LimitedJoint, joints: Ints) -> Hinge:
    limit = given.limit
    axes = np.stack([given.bone, given.neutral, given.forward, given.side])
    ranges = np.array([limit.flexion, limit.side, limit.twist])
    return Hinge(np.searchsorted(joints, given.path), given.before, given.after, axes, ranges, limit.cone or 0.0)


def _keep_heading(curves: Curves, table: Floats) -> None:
    """Take out of the heading, in place, the rotation about the vertical that the shaped tilt now has."""
    if curves.up is None:
        return
    root = curves.root
    vectors = table[:, None, 3 * root : 3 * root + 3]
    tilt = rotation_curves.from_rotation_curves(vectors, curves.reference[root : root + 1])[:, 0]
    rest = curves.motion.skeleton.rest_rotations[root]
    from_rest = rotations.multiply(tilt, rotations.conjugate(rest))
    table[:, curves.heading_column] -= rotation_curves.heading(from_rest, curves.up)[0]
