"""Hand key positions under Laban Shape: rotated, moved out of the body, and both hands kept together.

Keys are rotated by Shape (``shape``), moved off a body that Shape bends as well (``clearance``), and kept together
where the two hands meet. What does not depend on dials is kept with the gesture, in one table for both arms.

Keys in the table are out, up and ahead of their shoulder, left arm first; distances are in metres of the figure, whose
arms are as long as the body's. What is around a hand is the engine's own pose of the body (``engine.posture``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.channels import INDEX, add_channels, sample_rows
from kinesphere.engine.embodiment import embody
from kinesphere.engine.posture import BodyView, PosedBodies, bodies_at, no_channels, upright_shoulder
from kinesphere.engine.proportions import ARM
from kinesphere.engine.referents import SHOULDER_ASIDE, MeetingKeys, find_meeting_keys
from kinesphere.laban.clearance import (
    BodyCapsules,
    HandSamples,
    MovableKeys,
    SampledPaths,
    flourish_scale,
    hand_model,
    key_weights,
    penetration,
    resolve_collisions,
    sample_paths,
)
from kinesphere.laban.dials import CombinedDials
from kinesphere.laban.shape import rotate_keys
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import SAMPLES, Phrase, Track

CLAVICLE = (0.156, 0.0, -0.034)  # metres
SAME_PLACE, OTHER_PLACE = 0.12, 0.25  # metres up and ahead between hands that would collide, and that pass each other
HANDS_APART, SOFT_GAP = (
    0.14,
    0.08,
)  # metres aside between wrists and arms that Shape brings together, and over which it slows
HANGING_SHAPE = 0.25  # of its Shape that a hanging hand shows
# Metres above the shoulder: hands that hang; from where on hands move aside as far as any, and in other directions.
LOW, RAISED_ASIDE, RAISED = -0.50, -0.38, -0.22
MOUTH = (-0.18, 0.12, 0.15)  # metres from the shoulder: out, up, ahead
AT_MOUTH, OFF_MOUTH = 0.15, 0.19  # metres between wrist and mouth of a hand that eats or drinks, and of others
KEPT_VIEWS = 16  # views of the body under Shape that are kept
KNOT_DELAY = 0.15  # of the time from key to key, after which the narrower key decides about flourishes
KNOT_HOLD = 2.0 / SAMPLES  # seconds around a key that depend on no other key, nor do curves through their frames
DISPLACEMENT_MARGIN = 0.10  # metres that a displacement of the whole elbow's angle leads a hand off its path


# Hands that meet


def shoulder_shift(forward: Floats, up: Floats, side: str) -> Floats:
    """How far ``(K, 3)`` a shoulder moves when its clavicle rotates forward and up by these angles ``(K,)``."""
    sign = 1.0 if side == "left" else -1.0
    rotation = rotations.from_rotation_vector(np.stack([np.zeros_like(up), -sign * forward, sign * up], axis=-1))
    bone = np.array([sign * CLAVICLE[0], CLAVICLE[1], CLAVICLE[2]])
    return np.asarray(rotations.rotate(rotation, bone) - bone)


def keep_hands_together(pairs: MeetingKeys, written: Floats, moved: Floats, forward: Floats, up: Floats) -> Floats:
    """Keys ``(K, 3)`` as Shape moves them; two that meet move by the mean of both displacements.

    ``forward`` and ``up (K,)`` are what Shape adds to the clavicles: hands that meet do not follow their shoulders.
    """
    ends = {"left": pairs.left, "right": pairs.right}
    shifts = {side: moved[rows] - written[rows] for side, rows in ends.items()}
    mean = 0.5 * (shifts["left"] + shifts["right"])
    together = moved.copy()
    for side, rows in ends.items():
        own = mean - shifts[side] - shoulder_shift(forward[rows], up[rows], side)
        together[rows] += pairs.shares[:, None] * own
    return together


# The keys of both arms, without dials


class ArmKnots(NamedTuple):
    """Times of one arm at which the scale of its flourishes is set, each between two of its keys."""

    times: Floats  # (N,)
    first: Ints  # (N,)
    second: Ints  # (N,)


class PathDeviation(NamedTuple):
    """What Effort does to hands and body between keys."""

    margins: Floats  # (K,) metres that flourishes lead hands off their paths
    added: Floats | None  # (K + 1, C) what breath adds to the body's channels; None: nothing


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys ``(K, ...)`` of the left arm and then of the right one.

    Attributes
    ----------
    sides
        The rows of each side.
    times : (K,)
        Seconds.
    positions : (K, 3)
        As written: relative to the shoulder in the chest's axes, or fixed in the world.
    mirrors : (K, 3)
        What positions are multiplied by to be out, up and ahead.
    below, above : (K, 4)
        How much of Shape each key shows, of values below zero and of values above.
    bodies
        The body at each key, as the phrase itself poses it.
    hanging : (K, 1)
        1 where the key is the hanging hand's position, else 0.
    paths
        Sample points between the keys.
    keys
        What may move, and how.
    knots
        Each side's times at which flourishes are scaled.
    pairs
        Keys at which hands meet.
    """

    sides: Mapping[str, slice]
    times: Floats
    positions: Floats
    mirrors: Floats
    below: Floats
    above: Floats
    bodies: PosedBodies
    hanging: Floats
    paths: SampledPaths
    keys: MovableKeys
    knots: Mapping[str, ArmKnots]
    pairs: MeetingKeys | None
    views: dict[bytes, BodyView] = field(default_factory=dict, repr=False)  # by what was added to channels

    @cached_property
    def flourish_scale(self) -> Floats:
        """``(K,)`` factors by which flourishes are scaled down at the keys as written."""
        body = self.capsules(None, PathDeviation(np.zeros(len(self.times)), None))
        return np.where(self.keys.free, flourish_scale(self.keys.written, body, self.model), 1.0)

    @cached_property
    def other_weights(self) -> Floats:
        """``(K, K)`` weights of the other arm's keys at each key's time: straight between two of them."""
        weights = np.zeros((len(self.times), len(self.times)))
        for side, other in (SIDES, SIDES[::-1]):
            own, rows = self.sides[side], self.sides[other]
            one = np.eye(rows.stop - rows.start)
            weights[own, rows] = np.stack(
                [np.interp(self.times[own], self.times[rows], column) for column in one], axis=1
            )
        return weights

    @cached_property
    def model(self) -> HandSamples:
        """The hand, its arm, and the radii of the body around it."""
        return hand_model(self.bodies.actor)

    @cached_property
    def _view(self) -> BodyView:
        """The body around each key's hand, as written."""
        return self.bodies.around(no_channels(len(self.times) + 1))

    def _view_with(self, added: Floats) -> BodyView:
        """The body with ``added (K + 1, C)`` on its channels; the last few are kept, as an Effort that is dragged, or a
        crowd's, leaves Shape alone.
        """
        key = added.tobytes()
        view = self.views.get(key)
        if view is None:
            view = self.bodies.around(added)
            if len(self.views) >= KEPT_VIEWS:
                self.views.clear()
            self.views[key] = view
        return view

    def capsules(self, added: Floats | None, deviation: PathDeviation) -> BodyCapsules:
        """The body around each key's hand, with ``added (K + 1, C)`` on its channels; None: as written."""
        view = self._view if added is None else self._view_with(added)
        between = view
        if deviation.added is not None:
            between = self._view_with(deviation.added if added is None else added + deviation.added)
        return BodyCapsules(view.lines, between.lines, self.hanging * view.sags, deviation.margins)


@memoised
def key_table(phrase: Phrase) -> KeyTable | None:
    """The table of a phrase's keys; None where both arms hang throughout."""
    actor = embody(phrase.body).actor
    arms = {side: own for side in SIDES if (own := arm_keys(phrase, side, actor.arm_size)) is not None}
    if not arms:
        return None
    counts = [1 if arm.lone else len(arm.times) for arm in arms.values()]
    ends = np.cumsum(counts).tolist()
    sides = {side: slice(end - count, end) for side, count, end in zip(arms, counts, ends, strict=True)}

    def rows(name: str) -> Any:
        return np.concatenate([getattr(arm, name)[:n] for arm, n in zip(arms.values(), counts, strict=True)])

    times, fixed, hanging, positions = rows("times"), rows("fixed"), rows("rests"), rows("places")
    signs = np.repeat([1.0 if side == "left" else -1.0 for side in arms], counts)
    mirrors = np.column_stack([signs, np.ones((len(signs), 2))])
    # Keys in the world are taken relative to the shoulder of an upright body.
    written = positions * mirrors - np.where(fixed[:, None], upright_shoulder(actor), 0.0)
    paths = sample_paths(written, rows("stops"), fixed, signs * rows("swivels"), sides.values())
    ends = _resting_ends(hanging, sides, phrase.loop)
    below, above = (rows * ~ends[:, None] for rows in _visible_shape(written))
    return KeyTable(
        sides=sides,
        times=times,
        positions=positions,
        mirrors=mirrors,
        below=below,
        above=above,
        bodies=bodies_at(phrase, times, [side for side, count in zip(arms, counts, strict=True) for _ in range(count)]),
        hanging=hanging[:, None].astype(np.float64),
        paths=paths,
        keys=MovableKeys(written, ~(fixed | ends), _owners(phrase, sides), key_weights(paths.neutral, hanging)),
        knots={side: _knots(times[own]) for side, own in sides.items()},
        pairs=find_meeting_keys(times, positions, fixed, sides),
    )


def _owners(phrase: Phrase, sides: Mapping[str, slice]) -> Ints:
    """The key that each one moves with: a loop's last key moves with its first."""
    owners = np.arange(max(own.stop for own in sides.values()), dtype=np.intp)
    for own in sides.values() if phrase.loop else ():
        owners[own.stop - 1] = own.start
    return owners


def _resting_ends(hanging: Bools, sides: Mapping[str, slice], loop: bool) -> Bools:
    """``(K,)`` keys where a hand hangs at the start or at the end: they stay, so that phrases join. Loops have none."""
    ends = np.zeros(len(hanging), dtype=np.bool_)
    for own in () if loop else sides.values():
        ends[[own.start, own.stop - 1]] = True
    return ends & hanging


def _visible_shape(written: Floats) -> tuple[Floats, Floats]:
    """How much of Shape below and above zero keys show, each ``(K, 4)``.

    The lower a hand, the less it shows. A hanging hand opens, but neither rises nor closes: it hangs, thighs are in
    the way, and the elbow of an arm that points back has no clear direction. A hand at the mouth is there for a reason
    and stays.
    """
    off_mouth = smoothstep((norms(written - np.array(MOUTH)) - AT_MOUTH) / (OFF_MOUTH - AT_MOUTH))
    aside, raised = (smoothstep((written[:, 1] - LOW) / (full - LOW)) for full in (RAISED_ASIDE, RAISED))
    spreads, opens = (off_mouth * (HANGING_SHAPE + (1.0 - HANGING_SHAPE) * share) for share in (aside, raised))
    rises, encloses, closes = off_mouth * aside, off_mouth * aside, raised * opens
    below = np.stack([spreads, rises, opens, closes], axis=1)
    return below, np.stack([encloses, closes, closes, opens], axis=1)


def _knots(times: Floats) -> ArmKnots:
    """Times at the keys, and shortly after and before them."""
    keys, gaps = np.arange(len(times)), np.diff(times)
    hold, delay = np.minimum(KNOT_HOLD, 0.6 * KNOT_DELAY * gaps), KNOT_DELAY * gaps
    at = [times, times[:-1] + hold, times[1:] - hold, times[:-1] + delay, times[1:] - delay]
    first = [keys, keys[:-1], keys[1:], keys[:-1], keys[:-1]]
    second = [keys, keys[:-1], keys[1:], keys[1:], keys[1:]]
    order = np.argsort(np.concatenate(at), kind="stable")
    return ArmKnots(*(np.concatenate(rows)[order] for rows in (at, first, second)))


# The keys of both arms under Effort and Shape


class PlacedKeys(NamedTuple):
    """One arm's keys under Shape."""

    positions: Floats | None  # (K, 3) in arm lengths, where Shape puts them; None: where they are written
    knots: ArmKnots
    flourish_scale: Floats  # (K,) factors by which flourishes are scaled down because the body is near

    def flourish_scale_over(self, time: Floats) -> Floats | float:
        """The factor over time: between two keys that of the narrower one. A number where it is 1 throughout."""
        scale = self.flourish_scale
        if (scale == 1.0).all():
            return 1.0
        return np.interp(time, self.knots.times, np.minimum(scale[self.knots.first], scale[self.knots.second]))


def place_keys(
    phrase: Phrase,
    arms: Mapping[str, CombinedDials],
    torso: Mapping[str, Floats],
    efforts: Mapping[str, Track],
) -> dict[str, PlacedKeys]:
    """The keys of each side of a phrase under Shape; keys fixed in the world stay.

    ``torso`` is what Shape adds to the body's channels; ``efforts`` are the strokes of each arm under Effort.
    """
    table = key_table(phrase)
    if table is None:
        return {}
    if not torso and all(shape.neutral for shape in arms.values()):
        scale = table.flourish_scale
        return {side: PlacedKeys(None, table.knots[side], scale[rows]) for side, rows in table.sides.items()}
    written, free, model = table.keys.written, table.keys.free, table.model
    added = _shape_channels(table, torso)
    deviation = _path_deviation(table, efforts)
    body, bent_body = table.capsules(None, deviation), table.capsules(added, deviation)
    samples = table.paths.with_tension(np.concatenate([efforts[side].strokes["tension"] for side in table.sides]))
    allowed = norms(penetration(written, body, samples, model))
    rotated = _rotate_apart(table, _key_shapes(table, arms))
    moved = resolve_collisions(rotated, bent_body, samples, table.keys, allowed, model)
    scale = np.where(free, flourish_scale(moved, bent_body, model), 1.0)
    positions = np.where(free[:, None], moved * table.mirrors, table.positions)
    if table.pairs is not None:
        forward, up = (added[:-1, INDEX[f"left.clavicle.{angle}"]] for angle in ("forward", "raise"))
        positions = keep_hands_together(table.pairs, table.positions, positions, forward, up)
    return {
        side: PlacedKeys(positions[rows] / ARM, table.knots[side], scale[rows]) for side, rows in table.sides.items()
    }


def _rotate_apart(table: KeyTable, shapes: Floats) -> Floats:
    """The keys ``(K, 3)`` under Shape ``(K, 4)``; a hand that would run into the other arm encloses less.

    Where nothing is in its way, it may go across the middle.
    """
    written = table.keys.written
    rotated = rotate_keys(written, shapes)
    enclosing = np.maximum(shapes[:, 0], 0.0)
    if len(table.sides) < 2 or not enclosing.any():
        return rotated
    inwards = rotate_keys(written, np.stack([enclosing, *np.zeros((3, len(written)))], axis=1)) - written
    before = rotated - inwards
    other, other_before = _other_arm(table, np.stack([rotated, before]))
    gap, room = _width_between(rotated, other), _width_between(before, other_before)
    allowed = np.minimum(HANDS_APART, room)
    soft = np.maximum(np.minimum(room - allowed, SOFT_GAP), 1e-9)
    over = np.maximum(allowed + soft - gap, 0.0)
    kept = np.where(over > 0.0, allowed + soft + soft * np.expm1(-over / soft), gap)
    share = clip((room - kept) / np.maximum(room - gap, 1e-9), 0.0, 1.0)
    collides = 1.0 - smoothstep((norms((rotated[:, None] - other)[..., 1:]) - SAME_PLACE) / (OTHER_PLACE - SAME_PLACE))
    return np.asarray(rotated - (collides * (1.0 - share)).max(axis=1)[:, None] * inwards)


def _other_arm(table: KeyTable, positions: Floats) -> Floats:
    """Points ``(N, K, 4, 3)`` of the other arm at each key, for keys at N ``positions (N, K, 3)``; straight between its
    keys.

    They are the wrist, the elbow, and the middles of both bones, each out, up and ahead of that arm's own shoulder.
    """
    size, swivels = table.bodies.actor.arm_size, table.paths.neutral.swivels
    elbow = table.bodies.actor.arms["left"].solve(size * positions, swivels)[2] / size
    points = np.stack([positions, 0.5 * (positions + elbow), elbow, 0.5 * elbow], axis=2)
    return np.asarray((table.other_weights @ points.reshape(*points.shape[:2], -1)).reshape(points.shape))


def _width_between(positions: Floats, other: Floats) -> Floats:
    """How far ``(K, 4)`` wrists ``(K, 3)`` and points ``(K, 4, 3)`` of the other arm are apart aside.

    It is negative where arms are crossed.
    """
    return np.asarray(positions[:, :1] + other[..., 0] + 2.0 * SHOULDER_ASIDE)


def _path_deviation(table: KeyTable, efforts: Mapping[str, Track]) -> PathDeviation:
    displacement = _flourish_at_keys(table, efforts, "displacement")
    return PathDeviation(DISPLACEMENT_MARGIN * displacement * (1.0 - table.hanging[:, 0]), None)


def _flourish_at_keys(table: KeyTable, efforts: Mapping[str, Track], name: str) -> Floats:
    values = np.zeros(len(table.times))
    for side, rows in table.sides.items():
        curve = efforts[side].overlays[name]
        values[rows] = float(curve) if curve.ndim == 0 else sample_rows(curve, table.times[rows], False)
    return values


def _key_shapes(table: KeyTable, arms: Mapping[str, CombinedDials]) -> Floats:
    """Each key's Shape ``(K, 4)``. It saturates at ±1: beyond, arms would go behind the body."""
    factors = np.zeros_like(table.below)
    for side, rows in table.sides.items():
        own = arms[side].factors
        factors[rows] = own if arms[side].steady else sample_rows(np.stack(own, axis=1), table.times[rows], False)
    return np.asarray(table.below * np.minimum(factors, 0.0) + table.above * np.maximum(factors, 0.0))


def _shape_channels(table: KeyTable, torso: Mapping[str, Floats]) -> Floats:
    """What Shape adds to the body's channels at the keys and at the start ``(K + 1, C)``."""
    times = np.append(table.times, 0.0)
    added = no_channels(len(times))
    add_channels(added, torso, times, False)
    return added
