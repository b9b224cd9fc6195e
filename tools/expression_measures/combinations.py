"""Elements beside each other: Punch over Dab, Light and Strong under Sudden and Free, what survives, intensity 2.

Pairs are performances of the same gesture by the same individual, with and without one element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from expression_measures.catalogue import DIALS, ELEMENTS, SIGNS
from expression_measures.effects import Pairs, cohens_d, differences, element_d, element_scores
from expression_measures.measuring import MEASURES
from expression_measures.performing import Spec, Values

PUNCH, DAB = ("direct", "strong", "sudden"), ("direct", "light", "sudden")
FLOAT, GLIDE = ("indirect", "light", "sustained"), ("direct", "light", "sustained")
UNDER = ("sudden", "free")
Cases = Sequence[tuple[str, int | None]]  # gestures and seeds


def others(element: str) -> tuple[str, ...]:
    """Elements of the other factors."""
    return tuple(own for own in ELEMENTS if DIALS[own][0] != DIALS[element][0])


def specs_needed(cases: Cases) -> Iterator[Spec]:
    """All performances that ``measure_combinations`` compares, but for single elements and neutral."""
    combined = [PUNCH, DAB, FLOAT, GLIDE, ("light", *UNDER), ("strong", *UNDER), UNDER]
    combined += [tuple(sorted((a, b))) for a in ELEMENTS for b in others(a)]
    for (gesture, seed), elements in product(cases, dict.fromkeys(combined)):
        yield Spec(gesture, elements, seed=seed)
    for (gesture, seed), element in product(cases, ELEMENTS):
        yield Spec(gesture, (element,), intensity=2.0, seed=seed)


def measure_combinations(values: Mapping[Spec, Values], cases: Cases) -> dict[str, Any]:
    """All comparisons, by name."""

    def pairs(with_it: Iterable[str], without: Iterable[str], intensity: float = 1.0) -> Pairs:
        a, b = tuple(with_it), tuple(without)
        return [
            (values[Spec(gesture, a, intensity=intensity, seed=seed)], values[Spec(gesture, b, seed=seed)])
            for gesture, seed in cases
        ]

    def both(a: str, b: str) -> Pairs:
        return pairs(sorted((a, b)), (b,))

    punch = pairs(PUNCH, DAB)
    strong = ("strong", *UNDER), ("light", *UNDER)
    kept, alone = both("strong", "free"), pairs(("strong",), ())
    return {
        "punch_over_dab": {name: _ratio(punch, name) for name in ("speed", "acceleration", "energy")},
        "strong_over_light_under_sudden_free": _weight_apart(pairs(*strong)),
        "strong_beside_free": {
            "strong_d": element_d(kept, "strong"),
            "light_d": element_d(kept, "light"),
            "kept": _share(kept, alone, "strong"),
            "press_kept": _ratio_of_means(kept, alone, "main_pelvis_drop"),
            "against_neutral_strong_d": element_d(pairs(("free", "strong"), ()), "strong"),
            "against_neutral_light_d": element_d(pairs(("free", "strong"), ()), "light"),
        },
        "beside": {a: {b: element_d(both(a, b), a) for b in others(a)} for a in ELEMENTS},
        "intensity": {own: _intensified(pairs((own,), (own,), 2.0), pairs((own,), ()), own) for own in ELEMENTS},
        "actions": {
            name: {measure: _mean([values[Spec(gesture, own, seed=seed)] for gesture, seed in cases], measure)
                   for measure in MEASURES}
            for name, own in (("punch", PUNCH), ("dab", DAB), ("float", FLOAT), ("glide", GLIDE))
        },
    }  # fmt: skip


def _ratio(pairs: Pairs, name: str) -> float:
    return float(np.exp(differences(pairs, name).mean()))


def _mean(values: Sequence[Values], name: str) -> float | None:
    found = [own[name] for own in values if name in own]
    return float(np.mean(found)) if found else None


def _weight_apart(pairs: Pairs) -> dict[str, float]:
    """How far Strong is from Light: its d, and its cues in noticeable differences."""
    cues = [
        sign * float(differences(pairs, name).mean()) / MEASURES[name].noticeable
        for name, sign in SIGNS["strong"].items()
    ]
    return {
        "d": element_d(pairs, "strong"),
        "noticeable": float(np.mean(cues)),
        "cues": float(len(cues)),
        "clear_cues": float(sum(own > 2.0 for own in cues)),
    }


def _share(pairs: Pairs, alone: Pairs, element: str) -> float:
    """An element's own measure in this company, over what it is by itself."""
    return float(element_scores(pairs, element).mean() / max(abs(float(element_scores(alone, element).mean())), 0.05))


def _ratio_of_means(pairs: Pairs, alone: Pairs, name: str) -> float:
    return float(differences(pairs, name).mean() / max(abs(float(differences(alone, name).mean())), 1e-6))


def _intensified(twice: Pairs, once: Pairs, element: str) -> dict[str, float]:
    """What doubling an element adds to its own measure, and to the duration."""
    more, before = (element_scores(own, element, saturated=False) for own in (twice, once))
    return {
        "d": cohens_d(more, 1.0 / float(np.sqrt(len(SIGNS[element])))),
        "added": float(more.mean()),
        "before": float(before.mean()),
        "duration": _ratio(twice, "duration"),
    }
