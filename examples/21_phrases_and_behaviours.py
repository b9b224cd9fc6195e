"""A phrase edited by hand, an edit of one's own, and behaviours streamed pose by pose; with a folder, a sheet of it.

.venv/bin/python examples/21_phrases_and_behaviours.py [FOLDER]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np

import kinesphere
from kinesphere import Breath, Effort, Phrase, Scope, Score, Sway, body_of, generate, phrase_of, render, stream
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import PhraseEdit, phrase_edit
from kinesphere.motion.scope import WHOLE

mo = body_of(kinesphere.mo())
wave = phrase_of("wave", mo)
keys = wave.arm("right").keys
assert keys is not None
far = np.linalg.norm(keys.positions, axis=1).max()
print(f"wave on Mo: {len(keys)} keys of the right hand, the farthest {far:.2f} arm lengths from the shoulder")


# How it is done is edited before anything moves: the same goals, later, with more weight.
heavy = Effort(weight=1.0, time=-0.5)(wave)
for name, phrase in {"as it is": wave, "heavy and slow": heavy}.items():
    for rate in (24.0, 60.0):
        motion = generate(phrase, rate)
        print(f"{name}, {rate:g} frames a second: {len(motion)} frames, {motion.duration:.2f} s")


@phrase_edit("hesitate")
@document(frozen=True)
class Hesitate(PhraseEdit):
    """Pauses: every second stroke takes longer. An edit of one's own is one class; it is also a command, and JSON."""

    amount: Annotated[float, dial(0, 3, "How much longer, in its own time.", "not at all", "for ever")] = 0.0

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.amount == 0.0

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase with longer strokes of its arms, as far as they begin within the scope."""
        tracks = {}
        for part in scope.parts or ("left_arm", "right_arm"):
            track = phrase.track(part)
            if track.keys is not None:
                begins = track.keys.times[track.keys.stops][:-1]
                longer = track.stroke("duration", len(begins))
                longer[1::2] *= 1.0 + self.amount * scope.strength * scope.window(begins)[1::2]
                tracks[part] = replace(track, strokes={**track.strokes, "duration": longer})
        return phrase.with_tracks(tracks)


hesitant = Score("knock", (Hesitate(amount=1.0), Effort(flow=0.5)), character="mo")
print(f"knock lasts {render(Score('knock')).duration:.2f} s, hesitant {render(hesitant).duration:.2f} s")

# Behaviours go on by themselves, on any motion: folded by render, one pose at a time by stream, with the same bits.
alive = Score("walk", behaviours=(Breath(depth=1.5), Sway(amount=1.0, seed=3)))
whole = render(alive)
for i, pose in enumerate(stream(alive)):
    assert np.array_equal(pose.rotations, whole.rotations[i])
print(f"streamed {i + 1} poses of a walk that breathes and sways, as rendered")

if len(sys.argv) > 1:
    path = Path(sys.argv[1]) / "hesitant_mo.png"
    kinesphere.pictures.save_picture(kinesphere.sheet(render(hesitant), character=kinesphere.mo()), path)
    print(f"wrote {path}")
