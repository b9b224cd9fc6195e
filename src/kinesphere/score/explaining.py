"""Explanations of scores: which movement property set a value of a performance at a moment, as data or as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.generation import body_clock
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.explanation import Explanation, property_spans
from kinesphere.performance.explanation import explain as explain_phrase
from kinesphere.score.rendering import edited_phrase, render
from kinesphere.score.score import Score

if TYPE_CHECKING:
    from PIL import Image

COLUMNS = 1200  # moments at which a timeline's rows have values
LATE = 1e-6  # seconds after the end that are still the end


def explain(source: Score | Phrase, time: float, part: str | None = None) -> Explanation:
    """Say which property set what at a moment of a performance, what that covered, and what it was covered by.

    Parameters
    ----------
    source
        A score, or a phrase.
    time
        Seconds of what is performed.
    part
        A joint group or a role, such as ``"right_arm"`` or ``"head"``; None: the whole body.

    Examples
    --------
    >>> import kinesphere
    >>> from kinesphere import Score
    >>> from kinesphere.performance import Succession
    >>> print(kinesphere.explain(Score("wave", Succession(offset=0.05)), 1.0, "head"))
    1.00 s: head
      delay of neck: +0.150 s
      → succession             edit layer 1                 +0.150 × 1.00
      delay of head: +0.200 s
      → succession             edit layer 1                 +0.200 × 1.00
    """
    phrase = source if isinstance(source, Phrase) else edited_phrase(source)
    clock = body_clock(phrase, _rate(source, phrase))
    end = float(clock(np.array([phrase.duration]))[0])
    if not 0.0 <= time <= end + LATE:
        raise ValueError(f"time {time:g} s: the performance of {phrase.name} lasts from 0 to {end:.4g} s")
    own = float(np.clip(clock.inverse()(np.array([time]))[0], 0.0, phrase.duration))
    return explain_phrase(phrase, own, part, time)


def explain_timeline(score: Score, marks: Sequence[tuple[float, str]] = (), title: str = "") -> Image.Image:
    """Draw all properties of a score over the time of its performance, with the speed of the hands above."""
    from kinesphere.pictures.timeline import TimelineRow, timeline

    phrase, motion = edited_phrase(score), render(score)
    clock = body_clock(phrase, _rate(score, phrase))
    times = np.linspace(0.0, motion.duration, COLUMNS)
    own = np.clip(clock.inverse()(times), 0.0, phrase.duration)
    rows = []
    for span in property_spans(phrase):
        weight, share = (np.interp(own, phrase.times, values) for values in (span.weight, span.share))
        label = span.property.replace("_", " ")
        composite = f" in {span.composite}" if span.composite and span.composite != span.origin else ""
        lane = f"{span.source} {span.origin}".strip()
        rows.append(TimelineRow(lane, label + composite, ", ".join(span.parts), weight, share))
    return timeline(rows, motion.duration, motion=motion, marks=marks, title=title or phrase.name)


def _rate(source: Score | Phrase, phrase: Phrase) -> float:
    if isinstance(source, Score) and source.rate is not None:
        return source.rate
    return RATE if phrase.detail is None else phrase.detail.recording.rate
