"""Displacement mapping: a pose changed at a few frames, and the motion between follows (Bruderlin and Williams 1995).

    knock = Displace([Target("rightHand", seconds=1.2, by=(0.0, 0.2, 0.0))])(motion)

At the edited frames the pose is as asked, at the ends of the range it is as it was, and between them a spline of
displacements runs and is added. It may be done again on what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kinesphere.body.bodies import motion_with_roles
from kinesphere.body.ground import performed_runs
from kinesphere.body.limb_displacement import MOVABLE, needed_roles
from kinesphere.files.errors import MotionFileWarning
from kinesphere.kernels import kinematics
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.telling import tell
from kinesphere.signals.curves import Curves
from kinesphere.signals.displacement_feet import Standing, lay_feet, plan_feet, stands
from kinesphere.signals.displacement_points import Point, Target, Turn, joint_of, point, role_of
from kinesphere.signals.displacement_reach import HANDS, go_along, help_along, reach_out
from kinesphere.signals.displacement_spline import Range
from kinesphere.signals.displacement_stretch import Placed, PlacedTarget, PlacedTurn, Stretch
from kinesphere.signals.edit import Edit, window
from kinesphere.signals.groups import chosen

DIALS = ("tension", "continuity", "bias")
MISSED = 0.001  # metres of which is told

__all__ = ["Displace", "OutOfReach", "Target", "Turn"]


class OutOfReach(MotionFileWarning):
    """A target lies farther away than the body can go; it is approached."""


@dataclass(frozen=True)
class Displace(Edit):
    """Pose edits at frames, and a spline of displacements between them.

    Parameters
    ----------
    edits
        ``Turn``s of joints and ``Target``s for hands, feet, head and hips, also as plain data.
    tension, continuity, bias
        How the spline runs through the edits that don't say so themselves (Kochanek and Bartels); 0 is plain.
    overshoot
        How far it may go past its points, as a share of the step between two; None: as far as it likes.
    width
        Seconds before and after edits in which displacements come and go, in place of the whole range.
    joints
        What may move besides what is edited: with ``"right_arm"`` the trunk does not help the right hand.
    start, end
        The range, in seconds: at its first and last frame there is no displacement, unless an edit says so.
    fade
        Not used: the spline comes and goes by itself.
    feet
        Whether feet that stood in the input stand as they did; where legs are too short, hips then give way, and
        rise no higher than they allow.
    strength
        How much of every displacement, from 0 to 1.
    """

    edits: Sequence[Point | Mapping[str, Any]] = ()
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0
    overshoot: float | None = 0.0
    width: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.edits] if isinstance(self.edits, (Point, Mapping)) else self.edits
        object.__setattr__(self, "edits", tuple(point(edit) for edit in given))
        for name in ("tension", "continuity", "bias"):
            if not np.isfinite(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)!r}; a finite number is expected")
        if self.overshoot is not None and not 0.0 <= self.overshoot <= 10.0:
            raise ValueError(f"overshoot is {self.overshoot!r}; 0 to 10 is allowed, or None for no bound")
        if self.width is not None and not 0.0 < self.width < np.inf:
            raise ValueError(f"width is {self.width!r}; seconds above zero are expected")

    @property
    def neutral(self) -> bool:
        return all(_nothing(edit) for edit in self.edits)

    def __call__(self, motion: Motion) -> Motion:
        """The motion, displaced. Edits that it has no frame or joint for are refused."""
        allowed = chosen(motion.skeleton, self.joints)
        window(motion, self.start, self.end, self.fade)  # refuses ranges in which nothing of the motion lies
        known = _with_roles(motion, self.edits)
        placed = _consistent([self._placed(edit, known) for edit in self.edits])
        if self.neutral or self.strength == 0.0:
            return motion
        standing = cache(lambda: stands(known))
        local, places, missed = motion.rotations.copy(), motion.translations.copy(), list[Missed]()
        for run in performed_runs(motion):
            own = [one for one in placed if run.start <= one.frame < run.stop]
            if own:
                curve = self._range(motion, run, own)
                rows = slice(curve.first, curve.last + 1)
                part = replace(known[rows], calibration_frames=())
                stretch = Stretch(part, curve, allowed)
                missed += _displaced(stretch, own, partial(_within, standing, rows) if self.feet else None)
                local[rows], places[rows] = stretch.pose.local, stretch.pose.places
        for target, gap in missed:
            if gap > MISSED:
                tell(_said(motion, target, gap, feet=self.feet), OutOfReach)
        return replace(motion, rotations=frozen(local), translations=frozen(places))

    def changed(self, curves: Curves, joints: Bools) -> Floats:
        raise TypeError("displacements are of poses and not of curves; call the edit with a motion")

    def _placed(self, edit: Point | Mapping[str, Any], motion: Motion) -> Placed:
        """An edit with its frame, its joint and how the spline runs through it."""
        assert isinstance(edit, (Turn, Target))
        dials = [getattr(self if getattr(edit, name) is None else edit, name) for name in DIALS]
        tension, continuity, bias = (float(dial) for dial in dials)
        frame, own = edit.frame_of(motion), (tension, continuity, bias)
        if isinstance(edit, Turn):
            return PlacedTurn(frame, joint_of(edit, motion.skeleton), edit.partly(self.strength), own)
        role = role_of(edit, motion.skeleton)
        joint = motion.skeleton.roles[role]
        if self.strength != 1.0:
            edit = edit.partly(self.strength, motion[frame : frame + 1].positions_world()[0, joint])
        return PlacedTarget(frame, joint, edit, own, role)

    def _range(self, motion: Motion, run: slice, placed: Sequence[Placed]) -> Range:
        """The frames that may change for edits in a run of performed frames."""
        first, last = run.start, run.stop - 1
        if self.start is not None:
            first = max(first, int(np.ceil(self.start * motion.rate - 1e-6)))
        if self.end is not None:
            last = min(last, int(np.floor(self.end * motion.rate + 1e-6)))
        for own in placed:
            if not first <= own.frame <= last:
                when = f"from {first / motion.rate:g} to {last / motion.rate:g} s, frames {first} to {last}"
                raise ValueError(f"{own.edit}: the range is {when}; give it a wider one, or another moment")
        width = None if self.width is None else max(self.width * motion.rate, 1.0)
        if width is not None and not any(isinstance(own, PlacedTarget) and own.edit.plant for own in placed):
            frames = [own.frame for own in placed]
            first = max(first, int(np.floor(min(frames) - width)))
            last = min(last, int(np.ceil(max(frames) + width)))
        return Range(first, last, width, (self.start is not None, self.end is not None), self.overshoot)


class Missed(NamedTuple):
    """How far a target is missed."""

    target: Target
    by: float  # metres


def _displaced(stretch: Stretch, placed: Sequence[Placed], standing: Standing | None) -> list[Missed]:
    """Displace a stretch; how far each target is missed.

    Turns come first, then hips, feet, what helps, and last the arms. Turned joints follow curves of rotation vectors as
    their parents see them, so that an elbow stays a hinge; hips, feet and hands follow curves in the world.
    ``placed`` are in the order of their frames. ``standing`` finds when feet stand; None: they go along with the body.
    """
    turns = [own for own in placed if isinstance(own, PlacedTurn)]
    targets: dict[str, list[PlacedTarget]] = {}
    for own in placed:
        if isinstance(own, PlacedTarget):
            targets.setdefault(own.role, []).append(own)
    stretch.turn(turns)
    stretch.move_hips(targets.get("hips", []))
    go_along(stretch, targets)
    goals = plan_feet(stretch, turns, targets, standing)
    facing = stretch.q
    leaned = help_along(stretch, targets)
    lay_feet(stretch, goals)
    for role in HANDS:
        if role in targets:
            reach_out(stretch, targets[role], facing, leaned)
    return _missed(stretch, [own for role in targets.values() for own in role])


def _missed(stretch: Stretch, targets: Sequence[PlacedTarget]) -> list[Missed]:
    rows = stretch.rows(targets)
    _, p = kinematics.forward(stretch.pose.local[rows], stretch.pose.places[rows], stretch.skeleton.parents)
    gaps = lengths(p[np.arange(len(rows)), [own.joint for own in targets]] - stretch.places(targets))
    return [Missed(own.edit, float(gap)) for own, gap in zip(targets, gaps, strict=True)]


def _nothing(edit: Point | Mapping[str, Any]) -> bool:
    """Whether an edit is the pose itself, whatever the motion."""
    if isinstance(edit, Target):
        return edit.by is not None and not any(edit.by) and edit.swivel == 0.0
    return isinstance(edit, Turn) and not edit.vector.any()


def _with_roles(motion: Motion, edits: Sequence[Point | Mapping[str, Any]]) -> Motion:
    """The motion with the roles that its edits need."""
    parts = [edit.part for edit in edits if isinstance(edit, Target) and edit.part in MOVABLE]
    needed = {role for part in parts for role in needed_roles(part)}
    known = motion_with_roles(motion, sorted(needed), f"moving {', '.join(parts)}") if needed else motion
    return replace(known, skeleton=known.skeleton.with_found_roles())


def _consistent(placed: list[Placed]) -> list[Placed]:
    """The edits in the order of their frames; two of one joint at one frame are refused."""
    seen: dict[tuple[type, int, int], Placed] = {}
    for own in placed:
        key = (type(own.edit), own.joint, own.frame)
        if key in seen:
            raise ValueError(
                f"{own.edit} and {seen[key].edit}: two edits of one thing at frame {own.frame}; leave one of them out"
            )
        seen[key] = own
    return sorted(placed, key=lambda own: own.frame)


def _within(standing: Callable[[], dict[str, Bools]], rows: slice) -> dict[str, Bools]:
    return {role: flags[rows] for role, flags in standing().items()}


def _said(motion: Motion, target: Target, gap: float, *, feet: bool) -> str:
    name = f"{motion.name}: " if motion.name else ""
    why = "; with feet=False the feet would go along" if feet and target.part == "hips" else ""
    gone = "which is approached as far as the body goes"
    return f"{name}{target} stays {1000.0 * gap:.0f} mm short of its target, {gone}{why}"
