"""Beside actors: the same content by the same person, neutral and in a style, and ours from the neutral one.

For each pair the neutral take is performed with a word, and both are measured: walks by ``analysis.gait``, all by how
trunk, head and hands are carried and how fast they move. Differences are in standard deviations of each measure over
all takes here. The share of the way is the projection of ours on the actor's: 1 is as far and in no other direction,
negative is the wrong way.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kinesphere
from kinesphere import Motion
from kinesphere.analysis.gait import measure_gait
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.stepping import find_steps
from kinesphere.maths import rotations
from kinesphere.maths.filters import derivative, low_pass
from kinesphere.maths.vectors import norms
from kinesphere.motion.humanoid import SIDES
from recording_measures.clips import manifest

LONGEST = 25.0  # seconds
LITTLE = 0.35  # standard deviations: where the actor does no more, no direction is wrong
GAIT = (
    *("cadence", "stride", "stance", "width", "bounce", "hips", "knee", "lift", "impact", "sway"),
    *("hip_turn", "shoulder_turn", "arm_swing", "arm_centre", "elbow", "arm_out", "lean", "head", "look"),
)
STRIDES = "strides"  # that were measured: no measure


class Pair(NamedTuple):
    """A neutral take or several, an actor's in a style, and the words that are tried for it."""

    about: str
    neutral: tuple[str, ...]
    actor: str
    words: tuple[str, ...]
    walk: bool


# Clips of one subject with one content; the mood takes of subject 79 have no neutral take of their own content, and are
# compared with the same person's plain pantomimes.
PLAIN = ("79_36", "79_38", "79_41", "79_06")
PAIRS = (
    Pair("old man, walk", ("137_29",), "137_33", ("tired", "heavily"), True),
    Pair("strong man, walk", ("137_29",), "137_42", ("proudly", "menacingly"), True),
    Pair("graceful lady, walk", ("137_29",), "137_24", ("gracefully",), True),
    Pair("gangly teen, walk", ("137_29",), "137_20", ("freely", "nonchalantly"), True),
    Pair("drunk, walk", ("137_29",), "137_16", ("clumsily", "haphazardly"), True),
    Pair("slow walk", ("07_01",), "07_04", ("slowly",), True),
    Pair("brisk walk", ("07_01",), "07_12", ("briskly", "urgently"), True),
    Pair("quick walk", ("91_36",), "91_17", ("quickly", "urgently"), True),
    Pair("lavish walk", ("91_36",), "91_11", ("grandly",), True),
    Pair("march", ("91_36",), "91_19", ("marching", "solemnly", "mechanically"), True),
    Pair("mope", ("141_25",), "141_27", ("sad",), True),
    Pair("strong man, pick up", ("137_27",), "137_40", ("strongly", "proudly"), False),
    Pair("graceful lady, pick up", ("137_27",), "137_22", ("gracefully",), False),
    Pair("graceful lady, coffee mug", ("137_26",), "137_21", ("gracefully",), False),
    Pair("very happy", PLAIN, "79_69", ("joyful",), False),
    Pair("sad", PLAIN, "79_71", ("sad",), False),
    Pair("scared", PLAIN, "79_73", ("afraid",), False),
    Pair("upset", PLAIN, "79_74", ("angry",), False),
)

Values = dict[str, float]


def measure(motion: Motion, walk: bool) -> Values:
    """How a take is carried and how it moves; of a walk its gait as well."""
    poses = RecordedPoses.of(performed_motion(motion))
    found = _carriage(poses)
    if not walk:
        return found
    found |= _travel(poses)
    try:
        gait = measure_gait(motion[len(motion.calibration_frames) :])
    except ValueError:  # no stride goes straight ahead from contact to contact
        return found
    return found | {name: gait[name] for name in GAIT} | {STRIDES: float(gait.strides)}


def _travel(poses: RecordedPoses) -> Values:
    """Pace and way of a walk by its strikes, which need no contacts."""
    steps, rate = find_steps(poses), poses.motion.rate
    walks = steps.walking > 0.5
    if not walks.any():  # a shuffle, whose feet hardly go ahead of the hips
        return {}
    hips = low_pass(poses.position("hips"), rate, 1.0)
    speed = norms(derivative(hips * np.array([1.0, 0.0, 1.0]), rate))[walks].mean() / poses.leg_length
    return {
        "strides a second": 1.0 / steps.stride_seconds,
        "travel": float(speed),
        "stride by travel": float(speed * steps.stride_seconds),
    }


def _carriage(poses: RecordedPoses) -> Values:
    rate, arm, leg = poses.motion.rate, poses.arm_length, poses.leg_length
    back = rotations.conjugate(poses.heading)
    trunk = rotations.rotate(back, poses.position("head") - poses.position("hips"))
    face = rotations.rotate(poses.head, np.array([0.0, 0.0, 1.0]))
    feet = np.minimum(poses.position("leftFoot")[:, 1], poses.position("rightFoot")[:, 1])
    wrists = np.stack([poses.wrist(side) for side in SIDES])
    speed = np.stack([norms(derivative(low_pass(wrists[i], rate), rate)) for i in range(2)])
    apart = norms(poses.position("leftHand") - poses.position("rightHand")) / arm
    head_way = rotations.rotate(rotations.conjugate(poses.chest), face)
    return {
        "trunk pitch °": _mean_angle(trunk[:, 2], trunk[:, 1]),
        "face down °": float(np.degrees(np.mean(np.arcsin(np.clip(-face[:, 1], -1.0, 1.0))))),
        "hips height": float(np.mean(poses.position("hips")[:, 1] - feet) / leg),
        "hand height": float(wrists[..., 1].mean()),
        "hands apart": float(apart.mean()),
        "hand ahead": float(wrists[..., 2].mean()),
        "hand speed": float(np.log(max(float(speed.mean()), 1e-6))),
        "hand peak speed": float(np.log(max(float(np.percentile(speed, 95.0)), 1e-6))),
        "trunk speed": float(np.log(max(float(norms(derivative(low_pass(trunk, rate), rate)).mean()), 1e-6))),
        "head turning °": float(np.degrees(np.std(np.arctan2(head_way[:, 0], head_way[:, 2])))),
    }


def _mean_angle(ahead: np.ndarray, up: np.ndarray) -> float:
    return float(np.degrees(np.mean(np.arctan2(ahead, up))))


def report(data: Path) -> str:
    """Tables in Markdown: for each pair the neutral take, the actor, ours, and the share of the way."""
    folder = data / "bvh" / "cmu"
    labels = manifest(data)

    @cache
    def take(name: str) -> Motion:
        motion = kinesphere.load(folder / f"{name}.bvh")
        return motion if motion.duration <= LONGEST else motion.between(0.0, LONGEST)

    @cache
    def measured(name: str, walk: bool) -> Values | None:
        return _try(take(name), walk, name)

    pairs = [own for own in PAIRS if all((folder / f"{name}.bvh").exists() for name in (*own.neutral, own.actor))]
    every: dict[bool, list[Values]] = {True: [], False: []}
    for walk in (True, False):
        names = sorted({name for own in pairs if own.walk == walk for name in (*own.neutral, own.actor)})
        every[walk] = [values for name in names if (values := measured(name, walk)) is not None]
    scales = {walk: _spread(every[walk]) for walk in every if every[walk]}
    summary = [
        "| pair | word | share of the way | cosine | measures on the right way | wrong way | strides measured |",
        "|---|---|---|---|---|---|---|",
    ]
    tables: list[str] = []
    for own in pairs:
        neutral = [values for name in own.neutral if (values := measured(name, own.walk)) is not None]
        actor = measured(own.actor, own.walk)
        if not neutral or actor is None:
            summary.append(f"| {own.about} | | not measured: {own.neutral} or {own.actor} has no stride | | | | |")
            continue
        for word in own.words:
            print(f"\r  actors: {own.about}, {word:30}", end="", file=sys.stderr, flush=True)
            ours = [
                values
                for name in own.neutral
                if (values := _try(kinesphere.perform(take(name), words=word), own.walk, f"{name} {word}")) is not None
            ]
            if not ours:
                summary.append(f"| {own.about} | {word} | not measured: no stride is left | | | | |")
                continue
            rows = _rows(_mean(neutral), actor, _mean(ours), scales[own.walk])
            said = _said(labels, own.actor)
            counts = " / ".join(f"{values.get(STRIDES, 0.0):.0f}" for values in (_mean(neutral), actor, _mean(ours)))
            strides = counts if own.walk else "–"
            summary.append(f"| {own.about} ({said}) | {word} | {_projection(rows)} | {strides} |")
            tables += ["", f"## {own.about}: {', '.join(own.neutral)} → {own.actor}, word “{word}”", "", *_table(rows)]
    print(file=sys.stderr)
    return "\n".join([*summary, *tables])


def _said(labels: dict[str, dict[str, str]], name: str) -> str:
    return labels.get(f"bvh/cmu/{name}.bvh", {}).get("desc", name)


def _try(motion: Motion, walk: bool, name: str) -> Values | None:
    try:
        return measure(motion, walk)
    except ValueError as error:
        print(f"\n  {name}: {error}", file=sys.stderr)
        return None


def _mean(given: Sequence[Values]) -> Values:
    return {name: float(np.mean([values[name] for values in given])) for name in _shared(given)}


def _shared(given: Sequence[Values]) -> list[str]:
    """Measures that all of them show, in order."""
    return [name for name in given[0] if all(name in values for values in given)]


def _spread(given: Sequence[Values]) -> Values:
    every = {name for values in given for name in values}
    return {name: max(float(np.std([own[name] for own in given if name in own])), 1e-6) for name in every}


class _Row(NamedTuple):
    name: str
    neutral: float
    actor: float
    ours: float
    wanted: float  # standard deviations
    done: float


def _rows(neutral: Values, actor: Values, ours: Values, scale: Values) -> list[_Row]:
    return [
        _Row(
            name,
            neutral[name],
            actor[name],
            ours[name],
            (actor[name] - neutral[name]) / scale[name],
            (ours[name] - neutral[name]) / scale[name],
        )
        for name in _shared([neutral, actor, ours])
        if name != STRIDES
    ]


def _projection(rows: Sequence[_Row]) -> str:
    wanted, done = np.array([row.wanted for row in rows]), np.array([row.done for row in rows])
    share = float(wanted @ done / max(float(wanted @ wanted), 1e-12))
    cosine = float(wanted @ done / max(float(np.linalg.norm(wanted) * np.linalg.norm(done)), 1e-12))
    clear = [row for row in rows if abs(row.wanted) > LITTLE]
    right = sum(row.wanted * row.done > 0.0 for row in clear)
    wrong = [row.name for row in clear if row.wanted * row.done < 0.0 and abs(row.done) > 0.2]
    return f"{share:.2f} | {cosine:.2f} | {right} of {len(clear)} | {', '.join(wrong)}"


def _table(rows: Sequence[_Row]) -> list[str]:
    lines = ["| measure | neutral | actor | ours | actor (σ) | ours (σ) | |", "|---|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: -abs(row.wanted)):
        said = ""
        if abs(row.wanted) > LITTLE:
            share = row.done / row.wanted
            said = f"{100 * share:.0f} %" if share >= 0.0 else "**wrong way**" if abs(row.done) > 0.2 else "stays"
        lines.append(
            f"| {row.name} | {row.neutral:.3g} | {row.actor:.3g} | {row.ours:.3g} | "
            f"{row.wanted:+.1f} | {row.done:+.1f} | {said} |"
        )
    return lines
