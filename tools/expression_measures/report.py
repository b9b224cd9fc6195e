"""Markdown tables of everything that was measured, alone or as before → after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from expression_measures.catalogue import ELEMENTS, SIGNS
from expression_measures.effects import ENOUGH
from expression_measures.measuring import MEASURES
from expression_measures.summary import SHOULD

Found = Mapping[str, Any]


def number(value: object, digits: int = 3) -> str:
    """A number in few digits; a dash for what was not measured."""
    if not isinstance(value, int | float):
        return "–"
    if value == 0.0 or abs(value) >= 10.0 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:.{max(digits - 1 - max(int(np.floor(np.log10(abs(value)))), -1), 0)}f}"


class Cells:
    """Numbers of a run, beside those of an earlier one where there is one."""

    def __init__(self, now: Found, before: Found | None = None) -> None:
        self.now, self.before = now, before

    def __call__(self, *path: str, digits: int = 3) -> str:
        """The number at a path; with an earlier run "before → after" where they differ."""
        after = number(_at(self.now, path), digits)
        if self.before is None:
            return after
        earlier = number(_at(self.before, path), digits)
        return after if earlier == after else f"{earlier} → {after}"


def _at(found: Any, path: Sequence[str]) -> Any:
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of a Markdown table."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def report(now: Found, before: Found | None = None) -> str:
    """The whole report of a run."""
    cell = Cells(now, before)
    about = now["about"]
    lines = [
        "# Measures of expression",
        "",
        f"{len(about['gestures'])} gestures ({', '.join(about['gestures'])}) × {about['seeds']} individuals, each "
        "element at full against the same individual's neutral. Joint positions alone, of a body 1.70 m tall, smoothed "
        "at 8 Hz as the observer does." + (" Numbers are before → after." if before else ""),
        "",
        *_summary(now, cell),
        *_matrix(now, cell),
        *_effects(now, cell),
        *_combinations(now, cell),
        *_performers(now, cell),
    ]
    for key, section in (("words", _words), ("clean", _clean)):
        if key in now:
            lines += section(now, cell)
    return "\n".join(lines)


def _summary(now: Found, cell: Cells) -> Iterator[str]:
    yield "## What was measured"
    yield ""
    rows = []
    for name, parts in now["table"].items():
        ours, theirs = [], []
        for part, own in parts.items():
            unit = f" {own['unit']}" if own["unit"] else ""
            ours.append(f"{part} {cell('table', name, part, 'ours')}{unit}")
            if own["performers"] is not None:
                theirs.append(f"{part} {number(own['performers'])}{unit}")
        rows.append([name, "; ".join(ours), "; ".join(theirs) or "–", SHOULD[name]])
    yield from table(["", "ours", "performers", "should be"], rows)


def _matrix(now: Found, cell: Cells) -> Iterator[str]:
    yield "## Each element on every element's own measure (Cohen's d)"
    yield ""
    yield f"An element is to move its own measure by {ENOUGH} or more, and no other's by more (rows); none may move"
    yield "it more than it does (columns). An own measure is the mean over its cues, in noticeable differences."
    yield ""
    rows = []
    for own in ELEMENTS:
        cells = [cell("matrix", own, other, digits=2) for other in ELEMENTS]
        cells[ELEMENTS.index(own)] = f"**{cells[ELEMENTS.index(own)]}**"
        rows.append([own, *cells, "; ".join(now["short"][own]) or "holds"])
    yield from table(["performed", *ELEMENTS, "falls short"], rows)
    for own in ELEMENTS:
        cues = [f"{'+' if sign > 0 else '−'}{name}" for name, sign in SIGNS[own].items()]
        yield f"- **{own}**: {' '.join(cues)}"
    yield ""


def _effects(now: Found, cell: Cells) -> Iterator[str]:
    yield "## Every measure"
    yield ""
    yield "Neutral's mean; with each element the ratio (×) or difference, and d in brackets."
    yield ""
    rows = []
    for name, measure in MEASURES.items():
        if name not in now["effects"]:
            continue
        row = [f"{name}{f' ({measure.unit})' if measure.unit else ''}", cell("effects", name, "neutral")]
        for own in ELEMENTS:
            size, d = (cell("effects", name, own, key, digits=digits) for key, digits in (("change", 3), ("d", 2)))
            row.append(f"{'×' if measure.ratio else ''}{size} ({d})")
        rows.append(row)
    yield from table(["", "neutral", *ELEMENTS], rows)
    for measure in MEASURES.values():
        if not measure.name.startswith("main_"):
            yield f"- *{measure.name}*: {measure.about}; noticeable from {measure.noticeable:g}" + (
                " of its logarithm" if measure.ratio else f" {measure.unit}"
            )
    yield ""


def _combinations(now: Found, cell: Cells) -> Iterator[str]:
    yield "## Elements beside each other"
    yield ""
    yield "The row's element on its own measure, added to the column's (d):"
    yield ""
    beside = now["combinations"]["beside"]
    rows = [
        [a, *(cell("combinations", "beside", a, b, digits=2) if b in beside[a] else "" for b in ELEMENTS)]
        for a in ELEMENTS
    ]
    yield from table(["", *ELEMENTS], rows)
    yield "Intensity 2 against 1: what is added to its own measure (noticeable differences; d), and the duration:"
    yield ""
    keys = ("before", "added", "d", "duration")
    rows = [[own, *(cell("combinations", "intensity", own, key, digits=2) for key in keys)] for own in ELEMENTS]
    yield from table(["", "at 1", "added at 2", "d", "duration ×"], rows)
    yield "Gestures without strokes of the hands, moved from neutral (mean noticeable differences of the whole take):"
    yield ""
    handless = now["handless"]
    rows = [[name, *(cell("handless", name, own, digits=2) for own in ELEMENTS)] for name in handless]
    yield from table(["", *ELEMENTS], rows)


def _performers(now: Found, cell: Cells) -> Iterator[str]:
    yield "## Performers"
    yield ""
    performers = now.get("performers")
    if not performers:
        yield "No captures in KINESPHERE_DATA: performers are not measured."
        yield ""
        return
    yield "The four actions, ours (means over gestures) beside a trained performer's:"
    yield ""
    rows = []
    for name, measure in MEASURES.items():
        row = [f"{name}{f' ({measure.unit})' if measure.unit else ''}"]
        for action in ("punch", "dab", "float", "glide"):
            ours = _shown(now["combinations"]["actions"][action].get(name), name)
            theirs = _shown(performers["efforts"][action].get(name), name)
            row.append(f"{number(ours)} / {number(theirs)}")
        rows.append(row)
    yield from table(["ours / performer", "punch", "dab", "float", "glide"], rows)
    yield "Captures: medians, with least and most; styles against the same person's normal take:"
    yield ""
    kinds = [kind for kind in ("gestures", "forceful", "moods") if kind in performers]
    rows = []
    for name, measure in MEASURES.items():
        row = [f"{name}{f' ({measure.unit})' if measure.unit else ''}"]
        for kind in kinds:
            found = [_shown(own[name], name) for own in performers[kind].values() if name in own]
            ends = f" ({number(min(found))}–{number(max(found))})" if found else ""
            row.append(f"{number(float(np.median(found)))}{ends}" if found else "–")
        for own in performers["styles"].values():
            change = _shown(own.get(name), name)
            row.append(("×" if measure.ratio and change is not None else "") + number(change))
        rows.append(row)
    heads = [f"{kind} ({len(performers[kind])})" for kind in kinds]
    yield from table(["", *heads, *performers["styles"]], rows)


def _shown(value: float | None, name: str) -> Any:
    return None if value is None else float(np.exp(value)) if MEASURES[name].ratio else value


def _words(now: Found, cell: Cells) -> Iterator[str]:
    words = now["words"]
    yield "## Words"
    yield ""
    yield f"{words['count']} words, durations over neutral:"
    yield ""
    tempo = sorted(words["tempo"], key=words["tempo"].get)
    yield ", ".join(f"{word} {cell('words', 'tempo', word, digits=2)}" for word in tempo)
    yield ""
    yield f"Pairs that are nearly one ({len(words['one'])}), aliases apart ({len(words['aliases'])}):"
    yield ""
    earlier = {f"{a} ~ {b}": apart for a, b, apart, *_ in _at(cell.before, ("words", "nearest")) or []}
    rows = []
    for a, b, apart, seen, heard in words["one"] or words["nearest"][:10]:
        was = f"{number(earlier.get(f'{a} ~ {b}'), 2)} → " if cell.before else ""
        rows.append([f"{a} ~ {b}", was + number(apart, 2), number(seen, 2), number(heard, 2)])
    yield from table(["", "apart (noticeable)", "silhouette", "rhythm"], rows)


def _clean(now: Found, cell: Cells) -> Iterator[str]:
    yield "## Clean"
    yield ""
    names = {
        "performances": "performances",
        "inside_percent": "frames with a hand deeper than 1 cm, %",
        "performances_inside": "performances with such a frame",
        "deepest_cm": "deepest, cm",
        "wrist_fastest": "fastest wrist, °/s",
        "wrist_too_fast_percent": "performances with a wrist above 900 °/s, %",
        "limit_most": "most beyond a joint's limit, °",
        "beyond_limit_percent": "performances beyond a limit by more than 10°, %",
        "largest_pop_mm": "largest change of a hand's step, mm a frame",
        "elbow_pop_mm": "largest change of an elbow's step, mm a frame",
        "elbow_pops_percent": "performances with an elbow's step that changes by more than 60 mm, %",
    }
    kinds = list(now["clean"])
    rows = [[about, *(cell("clean", kind, key) for kind in kinds)] for key, about in names.items()]
    yield from table(["", *kinds], rows)
    yield "By gesture: frames inside, %; deepest, cm; fastest wrist, °/s; most beyond a limit, °; largest pop, mm:"
    yield ""
    keys = ("inside_percent", "deepest_cm", "wrist_fastest", "limit_most", "largest_pop_mm")
    rows = [
        [name, *("; ".join(cell("clean", kind, "gestures", name, key, digits=2) for key in keys) for kind in kinds)]
        for name in now["clean"][kinds[0]]["gestures"]
    ]
    yield from table(["", *kinds], rows)
    for kind in kinds:
        own = now["clean"][kind]
        for key, unit, scale in (
            ("depth", "cm", 100.0),
            ("wrist", "°/s", 1.0),
            ("limit", "°", 1.0),
            ("pop", "mm", 1.0),
        ):
            cases = ", ".join(f"{name} {number(scale * value)}" for name, value in own["worst"][key])
            yield f"- {kind}, worst {key} ({unit}): {cases}"
        if own["limits"]:
            yield f"- {kind}, beyond limits: " + ", ".join(f"{role} {number(v)}°" for role, v in own["limits"].items())
    yield ""
