"""Comparison of two takes of one movement: what differs in how it is performed, from positions alone.

The observer of ``observer`` measures strokes that begin and end at rest. Captured movement seldom rests, but where the
same movement is at hand as it was recorded, both can be compared moment by moment. Takes are aligned by dynamic time
warping of poses; nothing is known of the clock that made one from the other. Every measure is a difference of the take
from the recording at the same moments, in heights of the body, radians, or logarithms of ratios.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.analysis.compared_strokes import log_ratio, measure_stroke
from kinesphere.analysis.measures import wrist_flexion
from kinesphere.analysis.observation import RATE, ObservedBody, observe_body
from kinesphere.analysis.strokes import Stroke, find_strokes
from kinesphere.maths import dtw
from kinesphere.maths.filters import derivative, gaussian
from kinesphere.maths.vectors import Floats, norms, reject, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

TINY = 1e-6
MATCHED = ("pelvis", "chest", "head", *(f"{side} {part}" for side in SIDES for part in ("elbow", "wrist", "foot")))
ALIGNED_STEP = 4  # frames at ``RATE`` of which one is aligned
NEAR = 24  # such frames about a coarser alignment in which a finer one is looked for
ROUNDS = 3
WAITING = 0.004  # heights that each frame costs in which one of both waits
SMOOTH = 0.10  # seconds of σ of the alignment: its path waits and jumps
PACES = (0.15, 6.0)
RESTLESS = 0.05  # heights a second: faster is a movement of the hand
LAG = 0.2  # seconds, the most that a part is looked for behind another
ACCENTS = 0.15  # seconds of σ: what is quicker in a hand's way makes its accents
LIVELY = 0.004  # of heights or radians: what varies less counts as still


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two takes of one movement, aligned.

    Attributes
    ----------
    take, recording
        What is seen of both.
    moments : (T,)
        The recording's frame that each frame of the take shows, with fractions.
    """

    take: ObservedBody
    recording: ObservedBody
    moments: Floats

    @classmethod
    def of(cls, take: Motion, recording: Motion) -> Comparison:
        """Of two motions, aligned by their poses."""
        one, other = observe_body(take), observe_body(recording)
        return cls(one, other, _align(one, other))

    @cached_property
    def pace(self) -> Floats:
        """``(T,)`` frames of the recording in a frame."""
        if len(self.moments) < 2:
            return np.ones(len(self.moments))
        return np.clip(np.gradient(self.moments), *PACES)

    @cached_property
    def measures(self) -> dict[str, float]:
        """All measures, by name (``MEASURES``)."""
        lasting = {
            "duration": log_ratio(len(self.take), len(self.recording)),
            "acceleration": log_ratio(_acceleration(self.take), _acceleration(self.recording)),
        }
        return lasting | _pace(self) | _attitude(self) | _variation(self) | _strokes(self)

    @cached_property
    def recorded_strokes(self) -> dict[str, tuple[Stroke, ...]]:
        """Side to the recording's strokes of that hand."""
        return {side: find_strokes(self.recording.from_chest(f"{side} wrist")) for side in SIDES}

    @property
    def strokes(self) -> int:
        """How many there are, of both hands."""
        return sum(len(own) for own in self.recorded_strokes.values())

    def shown(self, values: Floats) -> Floats:
        """Values of the recording's frames ``(R, ...)`` at the moments that the take shows."""
        low = np.floor(self.moments).astype(np.intp)
        high = np.minimum(low + 1, len(values) - 1)
        share = (self.moments - low).reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray((1.0 - share) * values[low] + share * values[high])

    def at(self, frame: int) -> int:
        """The take's frame that shows a frame of the recording."""
        return int(np.clip(np.searchsorted(self.moments, frame), 0, len(self.moments) - 1))


def _align(take: ObservedBody, recording: ObservedBody) -> Floats:
    """``(T,)`` moments of the recording, increasing; both begin and end together."""
    if len(take) < 2 or len(recording) < 2:
        return np.linspace(0.0, len(recording) - 1.0, len(take))
    rows = []
    for body in (take, recording):
        origin = body["pelvis"] * [1.0, 0.0, 1.0]
        rows.append(np.concatenate([(body[name] - origin) for name in MATCHED], axis=1)[::ALIGNED_STEP])
    # What is held otherwise throughout says nothing of when: first by each one's own mean, then by matching moments.
    held = rows[0].mean(axis=0) - rows[1].mean(axis=0)
    for _ in range(ROUNDS):
        signals = np.ascontiguousarray(rows[0] - held), rows[1]
        path = dtw.dtw(*signals, dtw.PoseCost(penalty=WAITING), coarse=NEAR).path
        held = (rows[0][path[:, 0]] - rows[1][path[:, 1]]).mean(axis=0)
    path = np.concatenate([ALIGNED_STEP * path, [[len(take) - 1, len(recording) - 1]]])
    times, first = np.unique(path[:, 0], return_index=True)
    last = np.concatenate([first[1:], [len(path)]]) - 1
    middle = 0.5 * (path[first, 1] + path[last, 1])
    middle[0], middle[-1] = 0.0, len(recording) - 1.0
    frames = np.arange(len(take))
    lead = np.interp(frames, times, middle) - frames * ((len(recording) - 1.0) / (len(take) - 1.0))
    made = gaussian(lead, SMOOTH * RATE, ends="point") + frames * ((len(recording) - 1.0) / (len(take) - 1.0))
    return np.clip(np.maximum.accumulate(made), 0.0, len(recording) - 1.0)


# Differences of one number


def _acceleration(body: ObservedBody) -> float:
    return float(
        np.mean([norms(derivative(derivative(body.from_chest(f"{s} wrist"), RATE), RATE)).mean() for s in SIDES])
    )


def _pace(pair: Comparison) -> dict[str, float]:
    """How much quicker moments are in which hands move, and how uneven the pace is."""
    moving = np.maximum(*[norms(derivative(pair.recording.from_chest(f"{side} wrist"), RATE)) for side in SIDES])
    weight = np.maximum(pair.shown(moving) - RESTLESS, 0.0) + TINY
    weight = weight / weight.sum()
    pace = np.log(pair.pace)
    mean = float(weight @ pace)
    return {"quickness": mean, "unevenness": float(np.sqrt(weight @ (pace - mean) ** 2))}


def _attitude(pair: Comparison) -> dict[str, float]:
    """How the body is held, on the mean."""

    def differs(name: str, axis: int, frm: str | None = None) -> float:
        one, other = pair.take[name], pair.recording[name]
        if frm is not None:
            one, other = one - pair.take[frm], other - pair.recording[frm]
        return float((one[:, axis] - pair.shown(other)[:, axis]).mean())

    feet = [np.mean([body[f"{side} foot"] for side in SIDES], axis=0) for body in (pair.take, pair.recording)]
    ahead = [body["chest"] - foot for body, foot in zip((pair.take, pair.recording), feet, strict=True)]
    elbows = [
        np.mean([norms(reject(body[f"{side} elbow"] - body["pelvis"], _trunk(body))) for side in SIDES], axis=0)
        for body in (pair.take, pair.recording)
    ]
    values = {
        "pelvis_height": differs("pelvis", 1),
        "chest_height": differs("chest", 1, "pelvis"),
        "head_height": differs("head", 1, "chest"),
        "ankle_height": float(np.mean([differs(f"{side} foot", 1) for side in SIDES])),
        "chest_ahead": float((ahead[0][:, 2] - pair.shown(ahead[1])[:, 2]).mean()),
        "elbows": float((elbows[0] - pair.shown(elbows[1])).mean()),
        "face_aside": 0.0,
    }
    if "face" in pair.take and "face" in pair.recording:
        side = _leading(pair.recording)
        angles = [_angle_to(body, side) for body in (pair.take, pair.recording)]
        values["face_aside"] = float((angles[0] - pair.shown(angles[1])).mean())
    return values


def _trunk(body: ObservedBody) -> Floats:
    return unit(body["chest"] - body["pelvis"])


def _leading(body: ObservedBody) -> str:
    """The hand that goes farther."""
    return max(SIDES, key=lambda side: float(norms(np.diff(body.from_chest(f"{side} wrist"), axis=0)).sum()))


def _angle_to(body: ObservedBody, side: str) -> Floats:
    """``(T,)`` radians between where the face is turned and where a hand is."""
    face = unit(body["face"] - body["head"])
    hand = unit(body[f"{side} wrist"] - body["head"])
    return np.asarray(np.arccos(np.clip(np.sum(face * hand, axis=1), -1.0, 1.0)))


# How much things vary


def _variation(pair: Comparison) -> dict[str, float]:
    """How much more the trunk twists, the head moves on the chest, the face roams, the body sways and bounces."""
    rows: dict[str, list[float]] = {}
    for body in (pair.take, pair.recording):
        shoulders = body["left shoulder"] - body["right shoulder"]
        yaw = np.unwrap(np.arctan2(shoulders[:, 2], shoulders[:, 0]))
        neck = reject(body["head"] - body["chest"], _trunk(body))
        free = "left" if _leading(pair.recording) == "right" else "right"
        own = {
            "trunk_twist": _spread(yaw),
            "neck": _spread(neck),
            "shoulders": _spread(shoulders),
            "sway": _spread((body["chest"] - 0.5 * (body["left foot"] + body["right foot"]))[:, 0]),
            "bounce": _spread(body["pelvis"][:, 1]),
            "free_arm": _spread(body.from_chest(f"{free} wrist")),
            "roll": _spread(unit(shoulders)[:, 1]),
            "arms": float(np.mean([_spread(body.from_chest(f"{side} wrist")) for side in SIDES])),
            "accents": float(np.mean([_quick(body.from_chest(f"{side} wrist")) for side in SIDES])),
        }
        if "face" in body:
            face = unit(body["face"] - body["head"])
            own["gaze_roam"] = _spread(unit(body.world["face"] - body.world["head"]))
            own |= {"face_roam": _spread(face), "face_travel": float(norms(np.diff(face, axis=0)).sum())}
        if all(f"{side} knuckle" in body for side in SIDES):
            own["wrist_swing"] = float(np.mean([_spread(wrist_flexion(body, side)) for side in SIDES]))
        for name, value in own.items():
            rows.setdefault(name, []).append(value)
    made = {name: log_ratio(two[0] + LIVELY, two[1] + LIVELY) for name, two in rows.items() if len(two) == 2}
    made = dict.fromkeys(("face_roam", "face_travel", "gaze_roam", "wrist_swing"), 0.0) | made
    side = _leading(pair.recording)
    made["trail"] = _lag(pair.take, side) - _lag(pair.recording, side)
    made["drag"] = _drag(pair.take) - _drag(pair.recording)
    return made


def _spread(values: Floats) -> float:
    """How far values ``(T,)`` or ``(T, 3)`` are from their own slow mean: what comes and goes within two seconds."""
    columns = values.reshape(len(values), -1)
    slow = gaussian(columns, 1.0 * RATE, ends="reflect")
    return float(np.sqrt(np.mean(np.sum((columns - slow) ** 2, axis=1))))


def _quick(path: Floats) -> float:
    """How far a path ``(T, 3)`` is from itself without what is quick in it, its accents."""
    off = path - gaussian(path, ACCENTS * RATE, ends="point")
    return float(np.sqrt(np.mean(np.sum(off * off, axis=1))))


def _drag(body: ObservedBody) -> float:
    """How far hands are bent against the way that their wrists go about the chest, faster moments counting more."""
    rows = []
    for side in SIDES:
        tip = next((own for own in (f"{side} fingers", f"{side} knuckle") if own in body), None)
        if tip is None:
            continue
        wrist = body[f"{side} wrist"]
        bend = unit(body[tip] - wrist) - unit(wrist - body[f"{side} elbow"])
        bend = bend - gaussian(bend, 1.0 * RATE, ends="reflect")  # how a hand is held is no drag
        way = derivative(body.from_chest(f"{side} wrist"), RATE)
        rows.append(-float(np.sum(bend * way)) / max(float(norms(way).sum()), TINY))
    return float(np.mean(rows)) if rows else 0.0


def _lag(body: ObservedBody, side: str) -> float:
    """Seconds by which wrist and fingers move later than the elbow, where their speeds are alike."""
    lead = norms(derivative(body.from_chest(f"{side} elbow"), RATE))
    lead = lead - lead.mean()
    fingers = f"{side} fingers" if f"{side} fingers" in body else f"{side} wrist"
    late = norms(derivative(body.from_chest(fingers), RATE))
    late = late - late.mean()
    most = min(int(LAG * RATE), len(lead) // 4)
    if most < 1:
        return 0.0
    inner = slice(most, len(lead) - most)
    match = [float(lead[inner] @ late[most + s : len(late) - most + s]) for s in range(-most, most + 1)]
    at = int(np.argmax(match))
    if not 0 < at < len(match) - 1:
        return (at - most) / RATE
    before, peak, after = match[at - 1 : at + 2]
    bend = before - 2.0 * peak + after
    return (at - most + (0.5 * (before - after) / bend if bend < 0.0 else 0.0)) / RATE


# Strokes, found in the recording, at the moments that the take shows


def _strokes(pair: Comparison) -> dict[str, float]:
    """What differs in strokes: their paths, arrivals, energy beyond the pace, and the body's part in them."""
    plain = ("turning", "pelvis_drop", "passes", "hesitations", "goal_speed", "straight", "gaze_goal")
    sums = dict.fromkeys((*plain, "wander", "reach", "coast", "energy", "arrest"), 0.0)
    total = 0.0
    for side in SIDES:
        for stroke in pair.recorded_strokes[side]:
            own = Stroke(*(pair.at(frame) for frame in (stroke.start, stroke.begin, stroke.stop, stroke.end)))
            if own.stop - own.begin < 4:
                continue
            now, was = measure_stroke(pair.take, side, own), measure_stroke(pair.recording, side, stroke)
            weight = was["chord"]
            pace = float(np.log(pair.pace[own.begin : own.stop + 1]).mean())
            sums["wander"] += weight * log_ratio(now["wander"], was["wander"])
            for name in plain:
                sums[name] += weight * (now[name] - was[name])
            sums["reach"] += weight * (now["chord"] - was["chord"])
            sums["coast"] += weight * (now["coast"] - was["coast"] - pace)
            sums["energy"] += weight * (log_ratio(now["energy"], was["energy"]) - 2.0 * pace)
            sums["arrest"] += weight * (log_ratio(now["arrest"], was["arrest"]) - 2.0 * pace)
            total += weight
    return {name: value / max(total, TINY) for name, value in sums.items()}
