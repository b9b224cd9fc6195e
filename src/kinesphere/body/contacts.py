"""Foot contacts: when heel and ball of each foot are in contact with the ground, and at which anchor.

**The detector** is one rule, the same for every clip. For every sole point (``ground`` says where they are), over
performed frames:

1. The path is low-passed without delay (Gaussian, σ = 0.02 s, −3 dB at 6.6 Hz). Its **speed**, in all three directions,
   is the distance from 1/30 s before to 1/30 s after over the time between: 30 and 120 fps agree.
2. Its **height** is measured from the point's lowest height within 0.7 s, or from 0.07 leg lengths above its height
   at rest on the ground if that is lower. (Captured floors slope: CMU's 07_01 climbs 4 cm in 2 s. Solved skeletons put
   the toe joint of a foot in contact centimetres from where the foot would have it.) So a foot that is held still,
   lower than that, counts as in contact.
3. A contact **begins** where the height is under 0.015 leg lengths and the speed under 0.15 leg lengths a second, and
   lasts, in both directions of time, while they are under 0.022 and 0.25.
4. Gaps shorter than 0.1 s in which the point moves less than 0.02 leg lengths are closed. Then contacts shorter than
   0.08 s are dropped.
5. The **anchor** is the geometric median of the (not smoothed) path during the contact: the point from which the
   distances sum to the least, so that landing and leaving hardly move it, whichever direction the foot faces.

Leg length is thigh plus shin, 0.84 m for a person of 1.7 m: there, 1.3 and 1.8 cm, and 0.13 and 0.21 m/s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.ground import (
    Ground,
    SolePaths,
    SolePoint,
    ground_of_paths,
    leg_length,
    performed_runs,
    require_joint,
    smooth_paths,
    sole_paths,
    sole_points,
)
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths.vectors import Bools, Floats, Ints, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

HEIGHTS = (0.015, 0.022)  # leg lengths: to begin, to go on
SPEEDS = (0.15, 0.25)  # leg lengths a second: to begin, to go on
MAX_FLOOR_RISE, FLOOR_WINDOW = 0.07, 0.7  # leg lengths that the floor may rise; seconds to each side to look for it
GAP, GAP_DISTANCE = 0.1, 0.02  # seconds, leg lengths
SHORTEST = 0.08  # seconds
CLOSE = 0.15  # seconds between contacts that follow each other closely


# Contacts as data


@dataclass(frozen=True)
class Contact:
    """One interval in which one point is in contact with the ground."""

    side: str  # "left" or "right"
    point: str  # "heel", "ball" or "sole"
    first: int  # frame
    last: int  # frame, included
    anchor: tuple[float, float, float]  # position of the point during the contact, metres in the world

    @cached_property
    def name(self) -> str:
        """The point's name, such as ``leftHeel``."""
        return self.side + self.point.capitalize()


@dataclass(frozen=True)
class Contacts:
    """All contacts of a motion, by ``find_contacts`` or by hand."""

    frames: int
    rate: float
    ground: Ground
    points: tuple[str, ...]  # every point that could be in contact, such as leftHeel
    intervals: tuple[Contact, ...]  # by point, then in time

    def __post_init__(self) -> None:
        for contact in self.intervals:
            if contact.name not in self.points:
                raise ValueError(f"{contact} is of no known point; known are {', '.join(self.points)}")
            if not 0 <= contact.first <= contact.last < self.frames:
                raise ValueError(f"{contact} does not fit into frames 0 to {self.frames - 1}")
            if not all(map(math.isfinite, contact.anchor)):
                raise ValueError(f"{contact} has no finite anchor")
        order = {name: i for i, name in enumerate(self.points)}
        arranged = tuple(sorted(self.intervals, key=lambda contact: (order[contact.name], contact.first)))
        for a, b in zip(arranged[:-1], arranged[1:], strict=True):
            if a.name == b.name and b.first <= a.last:
                raise ValueError(f"{a} and {b} overlap; a point has one anchor at a time")
        object.__setattr__(self, "intervals", arranged)

    @property
    def labels(self) -> Mapping[str, Bools]:
        """For each point ``(T,)``, whether it is in contact."""
        labels = {name: np.zeros(self.frames, dtype=bool) for name in self.points}
        for contact in self.intervals:
            labels[contact.name][contact.first : contact.last + 1] = True
        return MappingProxyType(labels)

    def of(self, name: str) -> tuple[Contact, ...]:
        """The contacts of one point, in time."""
        return tuple(contact for contact in self.intervals if contact.name == name)

    def in_contact(self) -> Bools:
        """``(T,)``, whether any point is in contact."""
        return np.any(list(self.labels.values()), axis=0) if self.points else np.zeros(self.frames, dtype=bool)

    def anchors(self, names: Sequence[str], paths: Floats) -> Floats:
        """``(T, P, 3)`` anchors of one foot's points in frames of contact, moved so that they agree with each other.

        Heel and ball that are in contact at the same time are as far apart as the foot is long. Contacts that follow
        each other closely are as far apart as the foot moved between them, the more so the closer they are: there is
        no time to make up for a difference.
        """
        listed = [(k, contact) for k, name in enumerate(names) for contact in self.of(name)]
        anchors = np.array([contact.anchor for _, contact in listed]).reshape(-1, 3)
        pairs = _contact_pairs(listed, paths, CLOSE * self.rate)
        if len(pairs.together) or len(pairs.following):
            mobility = np.array([1.0 / (contact.last - contact.first + 1) for _, contact in listed])
            tolerance = 1e-9 * math.dist(paths[0, -1].tolist(), paths[0, 0].tolist())
            _native.contacts.settle_anchors(pairs, mobility, tolerance, anchors)
        result = np.zeros(paths.shape)
        for (k, contact), anchor in zip(listed, anchors, strict=True):
            result[contact.first : contact.last + 1, k] = anchor
        return result

    def at_height(self, height: float, clearances: Mapping[str, float] | None = None) -> Contacts:
        """The same with every anchor on a level ground: at ``height``, plus the point's clearance if given."""
        raised = clearances or {}
        moved = tuple(
            replace(contact, anchor=(contact.anchor[0], height + raised.get(contact.name, 0.0), contact.anchor[2]))
            for contact in self.intervals
        )
        return replace(self, intervals=moved)

    def as_json(self) -> dict[str, Any]:
        """Plain data: frames count from 0, both ends included; anchors in metres."""
        return {
            "kinesphere": "plants",
            "frames": self.frames,
            "rate": self.rate,
            "ground": {"height": self.ground.height, "evidence": self.ground.evidence, "share": self.ground.share},
            "points": list(self.points),
            "intervals": [
                {"side": c.side, "point": c.point, "first": c.first, "last": c.last, "anchor": list(c.anchor)}
                for c in self.intervals
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contacts:
        """The contacts of which ``as_json`` made the data."""
        if data.get("kinesphere") != "plants":
            raise ValueError(f"contacts are expected: 'kinesphere' is {data.get('kinesphere')!r}, not 'plants'")
        ground = data["ground"]
        return cls(
            int(data["frames"]),
            float(data["rate"]),
            Ground(float(ground["height"]), str(ground["evidence"]), float(ground["share"])),
            tuple(data["points"]),
            tuple(
                Contact(c["side"], c["point"], int(c["first"]), int(c["last"]), _position(c["anchor"]))
                for c in data["intervals"]
            ),
        )


def _position(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


# Detection


class ContactRule(NamedTuple):
    """Thresholds of the detector, in metres, seconds and frames."""

    height: float  # metres, to begin
    go_height: float  # metres, to go on
    speed: float  # metres a second, to begin
    go_speed: float  # metres a second, to go on
    floor_rise: float  # metres above the ground that the floor may be taken to be
    floor_window: int  # frames to each side in which the lowest height is the floor
    gap: float  # seconds: shorter gaps are closed
    gap_distance: float  # metres that the point may move in them
    shortest: float  # seconds: shorter contacts are dropped


class ContactRuns(NamedTuple):
    """When points are in contact: contacts without their anchors."""

    ground: Ground
    points: tuple[SolePoint, ...]
    rows: Ints  # (N, 3) point, first and last frame
    paths: Floats  # (T, P, 3)


def find_contacts(
    motion: Motion,
    *,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> Contacts:
    """When heels and balls are in contact with the ground, and where, by the rule of this module.

    Parameters
    ----------
    motion
        Its skeleton needs the roles of both legs, or to be a humanoid in which they can be found; toes are optional.
    ground
        Height of the floor, or the result of ``find_ground``. Left out: found.
    heights, speed_limits
        To begin and to go on: leg lengths above the floor, leg lengths a second.
    shortest
        Seconds.
    """
    motion = require_motion_roles(motion, LEGS, "finding contacts")
    found = find_contact_runs(motion, ground, heights, speed_limits, shortest)
    return contacts_on_paths(found, found.paths, len(motion), motion.rate)


def find_contact_runs(
    motion: Motion,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> ContactRuns:
    """``find_contacts`` without anchors: the motion must have its roles."""
    soles = smooth_paths(motion, sole_points(motion.skeleton))
    found = ground if isinstance(ground, Ground) else ground_of_paths(motion, soles, ground)
    labels = _label_contacts(motion, soles, found, _contact_rule(motion, heights, speed_limits, shortest))
    return ContactRuns(found, soles.points, label_runs(labels), soles.paths)


def contacts_on_paths(found: ContactRuns, paths: Floats, frames: int, rate: float) -> Contacts:
    """Contacts with the anchors that these paths ``(T, P, 3)`` of the same points have."""
    anchors = zip(found.rows.tolist(), geometric_medians(paths, found.rows).tolist(), strict=True)
    points = found.points
    intervals = tuple(Contact(points[i].side, points[i].point, a, b, (x, y, z)) for (i, a, b), (x, y, z) in anchors)
    return Contacts(frames, rate, found.ground, tuple(point.name for point in points), intervals)


def contact_labels(
    motion: Motion,
    ground: Ground,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
    points: tuple[SolePoint, ...] | None = None,
) -> tuple[tuple[SolePoint, ...], Bools, Floats]:
    """The points, when each is in contact ``(T, P)``, and their paths ``(T, P, 3)``."""
    motion = require_motion_roles(motion, LEGS, "finding contacts")
    points = sole_points(motion.skeleton) if points is None else points
    soles = smooth_paths(motion, points)
    labels = _label_contacts(motion, soles, ground, _contact_rule(motion, heights, speed_limits, shortest))
    return points, labels, soles.paths


def _contact_rule(
    motion: Motion, heights: tuple[float, float], speeds: tuple[float, float], shortest: float
) -> ContactRule:
    length = leg_length(motion.skeleton)
    return ContactRule(
        height=length * heights[0],
        go_height=length * heights[1],
        speed=length * speeds[0],
        go_speed=length * speeds[1],
        floor_rise=length * MAX_FLOOR_RISE,
        floor_window=round(FLOOR_WINDOW * motion.rate),
        gap=GAP,
        gap_distance=length * GAP_DISTANCE,
        shortest=float(shortest),
    )


def _label_contacts(motion: Motion, soles: SolePaths, ground: Ground, rule: ContactRule) -> Bools:
    """``(T, P)`` when each point is in contact."""
    labels = np.zeros(soles.speed.shape, dtype=bool)
    floors = np.array([ground.height + point.clearance for point in soles.points])
    for run in soles.runs:
        labels[run] = label_paths(soles.smooth[run], soles.speed[run], floors, float(motion.rate), rule)
    return labels


def label_paths(smooth: Floats, speed: Floats, floors: Floats, rate: float, rule: ContactRule) -> Bools:
    """When points are in contact ``(T, P)``: low-passed paths ``(T, P, 3)``, speeds ``(T, P)``, floors ``(P,)``."""
    labels = np.empty(speed.shape, dtype=bool)
    paths, slow = np.ascontiguousarray(smooth), np.ascontiguousarray(speed)
    _native.contacts.label_contacts(paths, slow, floors, rate, rule, labels)
    return labels


def label_runs(labels: Bools) -> Ints:
    """``(N, 3)`` point, first and last frame of every stretch of true labels ``(T, P)``, by point, then in time."""
    frames, points = labels.shape
    rows = np.empty((points * ((frames + 1) // 2), 3), dtype=np.intp)
    return rows[: _native.contacts.find_runs(labels, rows)].copy()


# Anchors


def geometric_medians(paths: Floats, rows: Ints) -> Floats:
    """``(N, 3)`` geometric medians of paths ``(T, P, 3)`` during runs ``(N, 3)``: point, first and last frame."""
    medians = np.empty((len(rows), 3))
    _native.contacts.geometric_medians(np.ascontiguousarray(paths), rows, medians)
    return medians


def geometric_median(path: Floats) -> Floats:
    """The geometric median ``(3,)`` of positions ``(N, 3)``."""
    (median,) = geometric_medians(path[:, None], np.array([(0, 0, len(path) - 1)], dtype=np.intp))
    return np.asarray(median)


class ContactPairs(NamedTuple):
    """Pairs of one foot's contacts that constrain each other, by their indices in a list."""

    following: Ints  # (F, 2) one closely after the other
    steps: Floats  # (F, 3) from the one to the other
    stiffness: Floats  # (F,) 1 if there is no time between them, 0 if there is just enough
    together: Ints  # (G, 2) at one time
    distances: Floats  # (G,) how far apart


def _contact_pairs(listed: list[tuple[int, Contact]], paths: Floats, close: float) -> ContactPairs:
    """Contacts of one foot at one time, and those that follow closely; ``close`` is in frames."""
    together, following = [], []
    order = sorted(range(len(listed)), key=lambda i: listed[i][1].first)
    recent: list[int] = []  # those that a contact beginning now may be paired with
    for j in order:
        m, b = listed[j]
        recent = [i for i in recent if b.first - listed[i][1].last < close]
        for i in recent:
            k, a = listed[i]
            if b.first > a.last:
                following.append((i, j, b.first, m, a.last, k))
            elif k != m:
                middle = (b.first + min(a.last, b.last)) // 2
                together.append((i, j, middle, m, k) if k < m else (j, i, middle, m, k))
        recent.append(j)
    after = np.array(sorted(following), dtype=np.intp).reshape(-1, 6)
    beside = np.array(sorted(together), dtype=np.intp).reshape(-1, 5)
    _, _, starts, begun, ends, ended = after.T
    steps, stiffness = paths[starts, begun] - paths[ends, ended], 1.0 - (starts - ends) / close
    _, _, frames, one, other = beside.T
    distances = norms(paths[frames, one] - paths[frames, other])
    return ContactPairs(after[:, :2].copy(), steps, stiffness, beside[:, :2].copy(), distances)


# Report


@dataclass(frozen=True)
class FootReport:
    """How well feet stay on their anchors, and how smoothly: the numbers of a before-and-after table."""

    contacts: int  # number of them
    slide: float  # metres: the farthest that a point is from its middle during a contact, of all contacts
    slide_mean: float  # metres: the same, the mean over contacts
    ankle_acceleration: float  # metres a second squared, the greatest of both ankles
    knee_snap: float  # radians a second: the greatest change of a knee's angular velocity from frame to frame


def foot_report(motion: Motion, contacts: Contacts | None = None) -> FootReport:
    """Slide, ankle acceleration and knee snap over performed frames.

    Contacts left out are found. To compare an edit with its input, give both the input's.
    """
    motion = require_motion_roles(motion, LEGS, "a foot report")
    contacts = find_contacts(motion) if contacts is None else contacts
    points = sole_points(motion.skeleton)
    paths, names = sole_paths(motion, points), [point.name for point in points]
    slides = [0.0]
    for contact in contacts.intervals:
        path = paths[contact.first : contact.last + 1, names.index(contact.name)]
        middle = 0.5 * (path.min(axis=0) + path.max(axis=0))
        slides.append(float(np.linalg.norm(path - middle, axis=1).max()))
    positions = motion.positions_world()
    acceleration, snap = 0.0, 0.0
    for side in SIDES:
        hip, knee, ankle = (
            positions[:, require_joint(motion.skeleton, f"{side}{part}")] for part in ("UpperLeg", "LowerLeg", "Foot")
        )
        thigh, shin = knee - hip, ankle - knee
        sine = np.linalg.norm(np.cross(thigh, shin), axis=1)
        flexion = np.arctan2(sine, np.sum(thigh * shin, axis=1))
        for run in performed_runs(motion):
            accelerations = np.linalg.norm(np.diff(ankle[run], 2, axis=0), axis=1) * motion.rate**2
            acceleration = max(acceleration, float(accelerations.max(initial=0.0)))
            snap = max(snap, float(np.abs(np.diff(flexion[run], 2)).max(initial=0.0)) * motion.rate)
    count = len(contacts.intervals)
    return FootReport(count, max(slides), sum(slides) / max(count, 1), acceleration, snap)
