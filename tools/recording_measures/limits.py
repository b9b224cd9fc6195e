"""Joint limits: degrees by which performances exceed the human range, beyond what the recording does there."""

from __future__ import annotations

import numpy as np

from kinesphere.body.ground import running_maximum
from recording_measures.performances import Found, Performance, limit_excess

AROUND = 0.05  # seconds in which the recording's own excess counts


def measure(own: Performance) -> dict[str, Found]:
    """The greatest excess of any joint at the moments shown, and beyond the recording's greatest of all."""
    worst, beyond = Found(0.0), Found(0.0)
    for role, excess in limit_excess(own.motion).items():
        before = own.recorded.excess[role]
        more = excess - own.shown(running_maximum(before, AROUND, own.recorded.plain.rate))
        at = int(np.argmax(more))
        if more[at] > worst.value:
            worst = Found(float(more[at]), f"{role} {own.at(at)}")
        most = float(excess.max() - before.max())
        if most > beyond.value:
            beyond = Found(most, f"{role} {own.at(int(np.argmax(excess)))}")
    return {"limits": worst, "limits of clip": beyond}
