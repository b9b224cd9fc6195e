"""The whole body joins: weight that lands, a gaze that leads, words with posture; and a word of your own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from kinesphere import Drive, Effort, Motion, generate, perform, phrase_of
from kinesphere.direction.words import load_words


def lowest_hips(motion: Motion) -> float:
    """How far the hips sink, in centimetres."""
    hips = motion.positions_world()[:, motion.skeleton.index("hips"), 1]
    return 100.0 * float(hips[0] - hips.min())


for name, effort in {"light": Effort(weight=-1), "neutral": Effort(), "strong": Effort(weight=1)}.items():
    print(f"a {name} knock: hips sink {lowest_hips(perform('knock', effort)):.1f} cm")

plain = perform("wave")
for word in ("joyful", "sad", "angry", "afraid"):
    said = perform("wave", words=word)
    head = said.positions_world()[:, said.skeleton.index("head"), 1]
    print(f"{word}: {said.duration / plain.duration:.2f} times as long, the head at {head.mean():.2f} m on the mean")

# A word of your own: dials, and what the rest of the body does.
OWN = """
[words.regally]
effort = [0.5, 0.2, -0.5, 0.3]
shape = [-0.4, -0.6, 0, 0.2]
body = { posture = { head_nod = -8, arm_out = 0.08 }, rhythm = { sigh = 0.5 }, step = [0.1, 0] }
"""
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "mine.toml"
    file.write_text(OWN, encoding="utf-8")
    regal = perform("wave", words="regally", vocabulary=load_words(file))
print(f"regally: {regal.duration:.1f} s")

# One level below: a drive on a phrase. The head nods with each stroke.
timing = {"delay": 0.06, "rise": 0.4, "recover": 0.35}
nods = Drive("accents", np.ones(()), {"head.nod": 0.25}, timing)
phrase = phrase_of("knock")
nodding = generate(phrase.with_tracks({}, drives=(nods,)))
print(f"a knock that nods: {nodding.duration:.1f} s")
