"""Every registered movement property on captures: feet stay where they stand, hands keep what they touch, nothing pops.

It runs because a property is registered. Clips are spread over all that there are.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinesphere
from captures import CLIPS, RATE, clips, jerk, loses, shown_frames, size_of, slides
from kinesphere import Phrase
from kinesphere.maths import rotations
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.performance.property import MovementProperty

PROPERTIES = {name: own for name, own in PHRASE_EDITS.classes().items() if issubclass(own, MovementProperty)}
SLIDES, KEEPS = 0.005, 0.005  # metres of a person
JERKS = 0.03  # metres a frame², at 60 a second, beyond what the recording does, that a wrist or a head may change


@pytest.fixture(scope="module", params=range(CLIPS))
def recorded(request, data_dir) -> Phrase:
    return kinesphere.lift(clips(data_dir)[request.param])


@pytest.mark.data
@pytest.mark.parametrize("name", PROPERTIES)
def test_captures_keep_feet_and_contacts(recorded, name):
    size, recording, roles = size_of(recorded), recorded.detail.recording, recorded.body.roles
    first = recorded.detail.leading_frames  # an inserted T-pose stays as it is
    assert PROPERTIES[name]().apply(recorded) is recorded
    for asked in PROPERTIES[name].examples():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            edited = asked.apply(recorded)
            made = kinesphere.generate(edited, RATE)
            frames = shown_frames(edited, made)
        pace = max(float(np.diff(frames).max(initial=1.0)), 1.0)
        assert np.isfinite(made.translations).all()
        assert rotations.unit_error(made.rotations) < 1e-9
        assert slides(recording, made, frames) < SLIDES * size, asked
        assert loses(recorded, made, frames) < KEEPS * size, asked
        larger = max(getattr(asked, "factor", 1.0), 1.0) if name == "amplitude" else 1.0  # twice as far, twice as quick
        allowed = jerk(recording, roles, first) * larger * pace**2 + JERKS * size
        assert jerk(made, roles, first) < allowed, asked
