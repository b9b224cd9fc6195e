"""Joint limits: degrees by which performances exceed the human range, beyond what the recording does there.

What the recording does between two of its frames counts as well: a joint that passes by the pole of its angles exceeds
them there, though it does in neither frame.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.ground import running_maximum
from kinesphere.engine.recorded_frames import sample_frames
from recording_measures.performances import Found, Performance

AROUND = 0.05  # seconds in which the recording's own excess counts


def measure(own: Performance) -> dict[str, Found]:
    """The greatest excess of any joint at the moments shown, and beyond the recording's greatest of all."""
    worst, beyond = Found(0.0), Found(0.0)
    plain = own.recorded.plain
    between = own.recorded.excess_of(sample_frames(plain, own.frames / plain.rate)[0])
    for role, excess in own.recorded.excess_of(own.motion.rotations).items():
        before = own.recorded.excess[role]
        around = own.shown(running_maximum(before, AROUND, plain.rate))
        more = excess - np.maximum(around, running_maximum(between[role], AROUND, own.motion.rate))
        at = int(np.argmax(more))
        if more[at] > worst.value:
            worst = Found(float(more[at]), f"{role} {own.at(at)}")
        most = float(excess.max() - before.max())
        if most > beyond.value:
            beyond = Found(most, f"{role} {own.at(int(np.argmax(excess)))}")
    return {"limits": worst, "limits of clip": beyond}
