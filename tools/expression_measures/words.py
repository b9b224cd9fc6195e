"""Words: how long each takes, how much of the body it uses, and which of them can hardly be told apart.

A performance is a silhouette and a rhythm. The silhouette is where landmarks are relative to the pelvis, their mean and
their range; the rhythm is durations, speeds, accents and hesitations. Both are in just noticeable differences. The
distance of two words is the root mean square over gestures of the larger of both: two words are one where neither the
stills nor the timing tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from expression_measures.measuring import MEASURES, measure_take
from expression_measures.performing import Spec, Values, perform_each
from expression_measures.takes import HEIGHT, Take, take_of
from kinesphere.direction import Word, vocabulary
from kinesphere.maths.vectors import Floats

Pair = tuple[str, str, float, float, float]  # two words; how far apart they are, by silhouette and by rhythm

NEUTRAL = "neutral"
# Two performances that are not seen side by side: a fiftieth of the body's height, root mean square over landmarks, of
# where they are and of how far they go; and a quarter more than single strokes' rhythm. With these the groups of words
# that readers could not tell apart (sharply and abruptly, slowly, calmly, smoothly and solemnly,
# directly and neutral, forcefully and angry, timidly and shy) are just below one.
SILHOUETTE = 0.02 * HEIGHT  # metres
ELSEWHERE = 1.25
RHYTHM = ("length", "duration", "speed", "acceleration", "arrest", "peak_time", "flatness", "goal_speed", "hesitations")
LANDMARKS = (
    *("chest", "head", "left shoulder", "right shoulder", "left elbow", "right elbow", "left wrist", "right wrist"),
    *("left knuckle", "right knuckle", "left knee", "right knee", "left foot", "right foot"),
)
EDGES = (0.05, 0.95)  # quantiles between which a range lies
ONE = 1.0  # noticeable differences: below, two words are one
PACES = (0.6, 2.5)  # of the actors' tempo: durations over neutral


def silhouette(take: Take) -> Floats:
    """``(L, 6)`` mean place and range of landmarks from the pelvis, metres, while the take moves."""
    moving = slice(take.strokes[0].start, take.strokes[-1].end + 1) if take.strokes else slice(None)
    from_pelvis = np.stack([(take[name] - take["pelvis"])[moving] for name in LANDMARKS], axis=1)
    low, high = np.quantile(from_pelvis, EDGES, axis=0)
    return np.concatenate([from_pelvis.mean(axis=0), high - low], axis=1)


def compare_silhouettes(a: Floats, b: Floats) -> float:
    """Noticeable differences between two silhouettes: the larger of places' and ranges'."""
    off = np.square(a - b)
    places, ranges = (float(np.sqrt(off[:, part].sum(axis=1).mean())) for part in (slice(0, 3), slice(3, 6)))
    return max(places, ranges) / SILHOUETTE


def compare_rhythms(a: Values, b: Values) -> float:
    """Noticeable differences between two rhythms, root mean square over what both show."""
    off = [(a[name] - b[name]) / MEASURES[name].noticeable for name in RHYTHM if name in a and name in b]
    return float(np.sqrt(np.mean(np.square(off)))) / ELSEWHERE if off else 0.0


def are_aliases(a: Word, b: Word) -> bool:
    """Whether two words are said to be one: all but their names is the same."""
    return replace(a, name="", kind="") == replace(b, name="", kind="")


def measure_words(gestures: Sequence[str], names: Sequence[str] = ()) -> dict[str, Any]:
    """Durations over neutral and trunk ranges by word, and pairs of words by distance, nearest first."""
    words = list(names or vocabulary())
    specs = [Spec(gesture, word=word, seed=None) for word in ("", *words) for gesture in gestures]
    values: dict[str, list[Values]] = {}
    shapes: dict[str, list[Floats]] = {}
    for spec, motion in perform_each(specs):
        take = take_of(motion)
        values.setdefault(spec.word or NEUTRAL, []).append(measure_take(take))
        shapes.setdefault(spec.word or NEUTRAL, []).append(silhouette(take))
    known, pairs, aliases = vocabulary(), list[Pair](), list[tuple[str, str]]()
    for a, b in combinations([NEUTRAL, *words], 2):
        if NEUTRAL not in (a, b) and are_aliases(known[a], known[b]):
            aliases.append((a, b))
            continue
        seen = [compare_silhouettes(x, y) for x, y in zip(shapes[a], shapes[b], strict=True)]
        heard = [compare_rhythms(x, y) for x, y in zip(values[a], values[b], strict=True)]
        apart = float(np.sqrt(np.mean(np.square(np.maximum(seen, heard)))))
        pairs.append((a, b, apart, float(np.mean(seen)), float(np.mean(heard))))
    pairs.sort(key=lambda row: row[2])
    return {
        "tempo": {word: _pace(values[word], values[NEUTRAL]) for word in words},
        "trunk": {word: _trunk(values[word]) for word in (NEUTRAL, *words)},
        "nearest": pairs[: 2 * len(words)],
        "one": [row for row in pairs if row[2] < ONE],
        "aliases": aliases,
        "count": len(words),
    }


def _pace(values: Sequence[Values], neutral: Sequence[Values]) -> float:
    """How many times as long as neutral, on the mean."""
    off = [a["length"] - b["length"] for a, b in zip(values, neutral, strict=True) if "length" in a and "length" in b]
    return float(np.exp(np.mean(off)))


def _trunk(values: Sequence[Values]) -> dict[str, float]:
    """Medians over gestures of what the trunk does."""
    return {name: float(np.median([own[name] for own in values])) for name in ("shoulder_yaw", "lean", "head_travel")}
