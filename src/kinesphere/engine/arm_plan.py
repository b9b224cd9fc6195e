"""Hand path planning: one arm's keys, its clock, and splines through wrists, joint angles and elbows.

The path is fitted through wrists, through joint angles (the shoulder's rotation since the stroke's first key, and the
elbow's angle) and through elbows. All three go by the distance along the wrist's path, and pass every key together: any
blend of them reaches every goal and passes every via. For goals fixed in the world that the arm is too short for, the
body leans towards them, and what is missed is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.clocks import StrokeClock, StrokePhase, stroke_clock, stroke_phases
from kinesphere.engine.embodiment import embody
from kinesphere.engine.overlays import flourish_strength
from kinesphere.engine.paths import PARTS, StrokePaths, segment_paths
from kinesphere.engine.pose import Actor, FigureLimb
from kinesphere.engine.proportions import ARM
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, differences, norms, smoothstep
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.gesture import resting_swivel, resting_wrist
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import CHEST, WORLD, Phrase, Track

SAME = 1e-4  # metres: a key nearer to rest than this is relaxed, one nearer to the key before is a hold
BRIEFLY = 0.1  # seconds that a lone key is kept at least
# Of a stroke's time before and after a via, and seconds at least, in which flourishes that would miss it fade: however
# quickly a hand passes a via, they do not fade in a frame.
NEAR_VIA, NEAR_VIA_SECONDS = 0.25, 0.2
# Columns of a path: 0 to 2 the wrist, 3 the swivel, then weights of the world's space and of the relaxed arm.
IN_WORLD, RELAXED = 4, 5
# With all spaces, three more of the shoulder's rotation vector and one of the elbow's angle, then three of the elbow.
SHOULDER, ELBOW_ANGLE, ELBOW, COLUMNS = 6, 9, 10, 13
EASY = 0.985  # of its reach that an arm is left with when the body leans
MOST = 0.16  # metres that the hips lean at most, for a figure 1.70 m tall
SAME_PLACE = 1e-6  # metres: keys in the world that are no farther from each other are one place, where the hand stays
AROUND = 0.55  # seconds before and after a goal in which the body leans
# Hands at the face, in metres of the figure: the wrist at the mouth from the shoulder (out, up, ahead), and how far
# from there hands go by the face alone, and not at all.
AT_FACE, NEAR_FACE, OFF_FACE = (-0.18, 0.12, 0.15), 0.15, 0.30
SHOULDER_ASIDE = 0.1802  # metres from the middle to the shoulder of a figure 1.70 m tall
MISSED = 0.005  # metres of which the user is warned


class ArmKeys(NamedTuple):
    """K keys and the S strokes between them. A lone key is kept from its time on."""

    times: Floats  # (K,) seconds
    stops: Bools  # (K,) whether the hand rests there
    places: Floats  # (K, 3) from the shoulder or in the world, in metres of the figure
    swivels: Floats  # (K,) radians
    fixed: Bools  # (K,) whether the key is in the world, or goes with another joint
    rests: Bools  # (K,) whether it is the relaxed arm's wrist
    edges: Ints  # (S + 1,) the keys at which strokes begin and end
    inflections: Floats  # (S,) when each stroke is fastest, as written
    locked: bool  # whether the keys keep their times
    lone: bool
    spaces: tuple[str, ...]  # K, see ``motion.phrase.Keys``
    offsets: Floats  # (K, 3) from the joints that keys go with, in metres of the figure


@memoised
def arm_keys(phrase: Phrase, side: str, arm_size: float = 1.0) -> ArmKeys | None:
    """The arm's keys, or None where the phrase leaves it relaxed; ``arm_size``: the arm's length over the figure's."""
    keys = phrase.arm(side).keys
    if keys is None:
        return None
    times, rest, swivels, eases = keys.times, keys.stops, keys.swivels, keys.inflections
    spaces, fixed = keys.spaces, np.array([space != CHEST for space in keys.spaces])
    offsets, world = ARM * keys.positions, np.array([space == WORLD for space in spaces])
    places = np.where(world[:, None], keys.positions / arm_size, offsets)
    rest_places = embody(phrase.body).actor.skeleton.rest_world()[1]
    for i in np.flatnonzero(fixed & ~world):  # about where the joint is, for how long strokes are
        places[i] += rest_places[embody(phrase.body).actor.skeleton.index(spaces[i])] / arm_size
    rests = (np.linalg.norm(places - np.array(resting_wrist(side)), axis=1) < SAME) & ~fixed
    placed = phrase.arm(side).placed
    if placed is not None:
        places = np.where(fixed[:, None], places, ARM * placed)
    swivels = np.where(rests, resting_swivel(side), swivels)
    lone = len(times) == 1
    if lone:
        times = np.array([times[0], max(phrase.duration, times[0] + BRIEFLY)])
        rest, places, swivels, fixed, rests, eases, offsets = (
            np.repeat(row, 2, axis=0) for row in (rest, places, swivels, fixed, rests, eases, offsets)
        )
        spaces = spaces * 2
    edges = np.flatnonzero(rest)
    timing = edges, eases[edges[1:]], keys.locked, lone
    return ArmKeys(times, rest, places, swivels, fixed, rests, *timing, spaces, offsets)


class ArmPaths(NamedTuple):
    """An arm's paths through all three spaces."""

    starts: Floats  # (S, 4) the shoulder's rotation at each stroke's first key
    path: StrokePaths  # of ``COLUMNS`` columns


@dataclass(frozen=True, eq=False)
class ArmPlan:
    """The task of one arm.

    Attributes
    ----------
    times, stops, positions, swivels : (K, ...)
        The keys as written: seconds, whether the hand rests there, metres, radians.
    fixed, relaxed : (K,)
        Whether a key is in the world or goes with another joint, and whether it is the relaxed arm's wrist.
    edges : (S + 1,)
        The keys at which strokes begin and end.
    """

    limb: FigureLimb
    times: Floats
    stops: Bools
    positions: Floats
    swivels: Floats
    fixed: Bools
    relaxed: Bools
    edges: Ints
    tension: Floats
    pass_speed: Floats  # (S,) speed at the stroke's goal as a share of its peak
    detour: Floats  # (S,) how far its path leads aside, as a share of its chord
    lengths: Floats  # (S,) metres from key to key, 0 for a hold
    clock: StrokeClock
    spaces: tuple[str, ...]  # K, see ``motion.phrase.Keys``
    offsets: Floats  # (K, 3) metres from the joints that keys go with

    @cached_property
    def flourish_shares(self) -> Floats:
        """``(S,)`` the strength of each stroke's flourishes, from 0 to 1."""
        return flourish_strength(self.lengths, differences(self.clock.goals))

    @cached_property
    def frames(self) -> Ints:
        """The frame of each key: vias by their share of the stroke's time."""
        return np.round(self.clock.to_output(self.times) * self.clock.rate).astype(np.intp)

    @cached_property
    def leaves_path(self) -> bool:
        """Whether its strokes take detours, or pass their goals."""
        return bool(self.detour.any() or self.pass_speed.any())

    @cached_property
    def in_world(self) -> bool:
        """Whether any key is in the world, or goes with another joint."""
        return bool(self.fixed.any())

    @cached_property
    def in_place(self) -> Bools:
        """``(K,)`` which keys are fixed in the world."""
        return np.array([space == WORLD for space in self.spaces])

    @cached_property
    def fixed_vias(self) -> dict[int, Ints]:
        """The vias in the world, or with another joint, of each stroke that has some."""
        keys = np.flatnonzero(self.fixed & ~self.stops)
        strokes = np.searchsorted(self.edges, keys) - 1
        return {int(own): keys[strokes == own] for own in np.unique(strokes)}

    @cached_property
    def carriers(self) -> tuple[str, ...]:
        """Joints that keys go with."""
        return tuple(sorted({space for space in self.spaces if space not in (CHEST, WORLD)}))

    @cached_property
    def _own_wrist_path(self) -> StrokePaths:
        return self._fit_wrist_path(self.positions)

    def wrist_path(self, positions: Floats) -> StrokePaths:
        """The path through wrists at ``positions (K, 3)``, with swivel and the weights of world and relaxed arm."""
        return self._own_wrist_path if positions is self.positions else self._fit_wrist_path(positions)

    def _fit_wrist_path(self, positions: Floats) -> StrokePaths:
        keys = self._key_rows(positions)
        return segment_paths(keys[:-1], keys[1:], self.stops, self.tension, counted=3, bows=((0, 3),))

    def _key_rows(self, positions: Floats) -> Floats:
        keys = np.empty((len(positions), SHOULDER))
        keys[:, :3], keys[:, 3], keys[:, IN_WORLD], keys[:, RELAXED] = positions, self.swivels, self.fixed, self.relaxed
        return keys

    @cached_property
    def _own_paths(self) -> ArmPaths:
        return self._fit_paths(self.positions)

    def paths(self, positions: Floats) -> ArmPaths:
        """The paths through wrists, joint angles and elbows for keys at ``positions (K, 3)``."""
        return self._own_paths if positions is self.positions else self._fit_paths(positions)

    def _fit_paths(self, positions: Floats) -> ArmPaths:
        upper, flexion, elbow = self.limb.solve(positions, self.swivels)
        keys = self._key_rows(positions)
        first, last = np.empty((2, len(keys) - 1, COLUMNS))
        for row, at in ((first, slice(None, -1)), (last, slice(1, None))):
            row[:, :SHOULDER], row[:, ELBOW_ANGLE], row[:, ELBOW:] = keys[at], flexion[at], elbow[at]
        first[:, SHOULDER:ELBOW_ANGLE], last[:, SHOULDER:ELBOW_ANGLE] = shoulder_rotations(upper, self.stops)
        bows = ((0, 3), (ELBOW, COLUMNS))
        path = segment_paths(first, last, self.stops, self.tension, counted=3, bows=bows, along=SHOULDER)
        return ArmPaths(upper[self.edges[:-1]], path)

    def farthest(self, positions: Floats) -> float:
        """Distance from the shoulder of the farthest key that is to be reached and can be, of ``positions (K, 3)``."""
        return self._own_farthest if positions is self.positions else self._farthest(positions)

    @cached_property
    def _own_farthest(self) -> float:
        return self._farthest(self.positions)

    def _farthest(self, positions: Floats) -> float:
        reach = norms(positions[self.stops | self.fixed])
        return float(np.where(reach <= self.limb.reach, reach, 0.0).max())

    def via_shares(self, path: StrokePaths, own: int, keys: Ints) -> Floats:
        """Shares of a stroke's path at which it passes vias."""
        return np.asarray((path.reached[PARTS * keys] - path.start[own]) / path.length[own])

    def via_fade(self, path: StrokePaths, phase: StrokePhase, rate: float) -> Floats | float:
        """``(F,)`` factor of flourishes that would miss a via: 0 when it is passed, 1 some time before and after."""
        if self.stops.all():
            return 1.0
        shown = np.ones(len(phase.stroke))
        for key in (~self.stops).nonzero()[0]:
            own = int(np.searchsorted(self.edges, key)) - 1
            first, last = np.searchsorted(phase.stroke, (own, own + 1))
            if first == last:
                continue
            near = rate * max(NEAR_VIA * (self.clock.goals[own + 1] - self.clock.goals[own]), NEAR_VIA_SECONDS)
            at = float(self.via_shares(path, own, np.array([key]))[0])
            away = np.arange(last - first) - passing_frame(phase.path_share[first:last], at)
            shown[first:last] *= smoothstep(np.abs(away) / near)
        return shown

    def _stroke_frames(self, own: int, rate: float) -> tuple[int, int]:
        """The frames at which a stroke begins and ends."""
        first, last = np.round(self.clock.goals[own : own + 2] * rate).astype(np.intp)
        return int(first), int(last)

    def passing_frames(self, path: StrokePaths, phase: StrokePhase, at: Ints, rate: float) -> Ints:
        """The keys' frames ``at (K,)``, with those of vias in the world as the path passes them, each its own frame."""
        made = at.copy()
        for own, keys in self.fixed_vias.items():
            first, last = self._stroke_frames(own, rate)
            last = min(last, len(phase.stroke) - 1)
            if last - first <= len(keys):  # too few frames for all of them
                continue
            shares = phase.path_share[first:last]
            frames = [first + round(passing_frame(shares, at)) for at in self.via_shares(path, own, keys)]
            for i in range(len(frames)):
                frames[i] = max(frames[i], frames[i - 1] + 1 if i else first + 1)
            for i in reversed(range(len(frames))):
                frames[i] = min(frames[i], last - len(frames) + i)
            made[keys] = frames
        return made

    def pass_vias(self, path: StrokePaths, phase: StrokePhase, at: Ints, rate: float) -> StrokePhase:
        """The phase, changed a little so that vias in the world are passed exactly in their frames ``at (K,)``."""
        share = phase.path_share.copy()
        for own, keys in self.fixed_vias.items():
            first, last = self._stroke_frames(own, rate)
            knots = np.array([first, *at[keys], last])
            if (np.diff(knots) <= 0).any():
                continue
            late = self.via_shares(path, own, keys) - share[at[keys]]
            frames = np.arange(first, min(last + 1, len(share)))
            share[frames] += monotone_cubic(knots, [0.0, *late, 0.0], frames.astype(np.float64))
        return phase._replace(path_share=share)

    def same_progress(self, path: StrokePaths, other: StrokePaths, phase: StrokePhase) -> StrokePhase:
        """The phase on another path through the same keys that passes vias in the world when this path does."""
        share = phase.path_share.copy()
        for own, keys in self.fixed_vias.items():
            here, there = (self.via_shares(each, own, keys) for each in (path, other))
            rows = phase.stroke == own
            share[rows] += monotone_cubic([0.0, *here, 1.0], [0.0, *(there - here), 0.0], share[rows])
        return phase._replace(path_share=share)


def passing_frame(shares: Floats, at: float) -> float:
    """When shares ``(F,)`` of a path first come to ``at``, in frames, linearly between them."""
    after = int(np.argmax(shares >= at)) if shares[-1] >= at else len(shares)
    if after in (0, len(shares)):
        return float(max(after - 1, 0))
    low, high = shares[after - 1], shares[after]
    return float(after - 1 + (at - low) / (high - low))


def shoulder_rotations(upper: Floats, stops: Bools) -> tuple[Floats, Floats]:
    """Rotation vectors ``(G, 3)`` of shoulders ``(K, 4)`` at both ends of segments since their stroke's first key."""
    stroke = stops[:-1].cumsum() - 1
    back = rotations.conjugate(upper[stops.nonzero()[0][stroke]])
    since = rotations.to_rotation_vector(rotations.multiply(np.stack([upper[:-1], upper[1:]]), back))
    return since[0], since[1]


def arm_plan(phrase: Phrase, side: str, actor: Actor, rate: float = RATE) -> ArmPlan | None:
    """The arm's plan on an actor, or None where the phrase leaves it relaxed."""
    keys = arm_keys(phrase.original, side, actor.arm_size)
    if keys is None:
        return None
    track = phrase.arm(side)
    places = keys.places if track.placed is None else _placed(keys, track)
    edges = keys.edges
    lengths = np.add.reduceat(norms(places[1:] - places[:-1]), edges[:-1])
    lengths = np.where(lengths > SAME, lengths, 0.0)
    locked = phrase.locked or keys.locked
    pass_speed = track.stroke("pass_speed", len(edges) - 1) * _passes(lengths, keys.rests[edges])
    clock = stroke_clock(keys.times[edges], lengths, track, keys.inflections, locked, rate, pass_speed)
    tension, detour = track.stroke("tension", len(edges) - 1), track.stroke("detour", len(edges) - 1)
    scaled = scale_keys(places, side, actor)
    if keys.fixed.any():
        scaled = np.where(keys.fixed[:, None], actor.arm_size * places, scaled)
    written = keys.times, keys.stops, scaled, keys.swivels, keys.fixed, keys.rests, edges
    timing = tension, pass_speed, detour, lengths, clock
    return ArmPlan(actor.arms[side], *written, *timing, keys.spaces, actor.arm_size * keys.offsets)


def _passes(lengths: Floats, rests: Bools) -> Bools:
    """``(S,)`` strokes whose goal a hand may pass without stopping: it goes on from there, and does not hang there."""
    goes_on = np.append(lengths[1:] > 0.0, False)
    return np.asarray((lengths > 0.0) & goes_on & ~rests[1:])


def _placed(keys: ArmKeys, track: Track) -> Floats:
    """``(K, 3)`` where an edit has put the keys; those in the world stay."""
    placed = np.asarray(track.placed)
    placed = np.repeat(placed, 2, axis=0) if keys.lone else placed
    return np.where(keys.fixed[:, None], keys.places, ARM * placed)


def scale_keys(places: Floats, side: str, actor: Actor) -> Floats:
    """Keys ``(K, 3)`` from the shoulder, in metres of the figure, for a body with other proportions, in its metres.

    Distances go by the arm's length, from the shoulder for hands beside the body, and aside from the middle for hands
    in the middle: so hands that meet, or touch the chest, do so on any body. Hands at the face go to where its face is.
    """
    size, inward = actor.arm_size, actor.inward
    out = places[:, 0] if side == "left" else -places[:, 0]
    scaled = size * places
    if inward != size:
        share = clip(1.0 + out / SHOULDER_ASIDE, 0.0, 1.0)  # 0 in the middle, 1 at the shoulder
        wider = (inward - size) * SHOULDER_ASIDE * (share * share - 1.0)
        scaled[:, 0] += wider if side == "left" else -wider
    if any(actor.face):
        away = norms(np.column_stack([out, places[:, 1:]]) - np.array(AT_FACE))
        near = 1.0 - smoothstep((away - NEAR_FACE) / (OFF_FACE - NEAR_FACE))
        scaled[:, 1:] += size * near[:, None] * np.array(actor.face)
    return scaled


class OutOfReach(MotionFileWarning):
    """A goal lies farther away than a hand can go; it is approached."""


def lean_to_reach(plan: ArmPlan, shoulder: Floats, time: Floats, size: float) -> Floats:
    """``(T, 3)`` displacement of the body so that an arm reaches its keys in the world, for ``shoulder (T, 3)``."""
    keys = np.flatnonzero(plan.in_place)
    if not keys.size:
        return np.zeros_like(shoulder)
    when = _frames_in_world(plan, shoulder, time)[keys] / plan.clock.rate
    at = np.stack([np.interp(when, time, shoulder[:, i]) for i in range(3)], axis=1)
    offset = plan.positions[keys] - at
    distance = norms(offset)
    short = clip(distance - EASY * plan.limb.reach, 0.0, MOST * size)
    if not short.any():
        return np.zeros_like(shoulder)
    needed = offset * (short / np.maximum(distance, 1e-9))[:, None]
    held = (np.diff(keys) == 1) & (norms(np.diff(plan.positions[keys], axis=0)) < SAME_PLACE)
    until = np.where(np.append(held, False), np.append(when[1:], 0.0), when)  # a hand that stays needs the body there
    away = np.maximum(np.maximum(when - time[:, None], time[:, None] - until), 0.0)
    weight = smoothstep(1.0 - away / AROUND)
    # Between two goals near each other the nearer one counts for more, and at each its own alone.
    sharp = weight**4
    blend = sharp @ needed / np.maximum(sharp.sum(axis=1), 1e-9)[:, None]
    return np.asarray(blend * weight.max(axis=1, keepdims=True))


def _frames_in_world(plan: ArmPlan, shoulder: Floats, time: Floats) -> Ints:
    """The keys' frames ``(K,)``; vias in the world as a path from ``shoulder (T, 3)`` to them passes them."""
    if not plan.fixed_vias:
        return plan.frames
    at = np.stack([np.interp(plan.frames / plan.clock.rate, time, shoulder[:, i]) for i in range(3)], axis=1)
    path = plan.wrist_path(np.where(plan.fixed[:, None], plan.positions, at + plan.positions))
    phase = stroke_phases(plan.clock, int(plan.frames[-1]) + 1)
    return plan.passing_frames(path, phase, plan.frames, plan.clock.rate)


def goal_warnings(
    name: str,
    side: str,
    plan: ArmPlan,
    hand: Floats,
    carriers: Mapping[str, tuple[Floats, Floats]],
    solved: Sequence[tuple[float, float]] = (),
) -> Iterator[str]:
    """A warning for every goal in the world, or at a joint, that the hand ``(T, 3)`` does not reach.

    ``carriers`` are world rotations ``(T, 4)`` and positions ``(T, 3)`` of the joints that keys go with. Keys at times
    that are ``solved`` are met by the whole body afterwards.
    """
    for key in np.flatnonzero(plan.fixed & plan.stops):
        if any(start - 1e-6 <= plan.times[key] <= end + 1e-6 for start, end in solved):
            continue
        frame, space = min(int(plan.frames[key]), len(hand) - 1), plan.spaces[key]
        goal = plan.positions[key]
        if space in carriers:
            q, p = carriers[space]
            goal = p[frame] + rotations.rotate(q[frame], plan.offsets[key])
        gap = float(np.linalg.norm(hand[frame] - goal))
        if gap > MISSED:
            where = f"at the {space}" if space in carriers else "in the world"
            yield (
                f"{name}: the {side} hand stays {1000.0 * gap:.0f} mm short of its goal {where} at "
                f"{plan.times[key]:g} s; the goal is approached as far as body and arm go"
            )
