"""A recording performed: lift a capture, read its phrase, perform it by dial and by word, edit one key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from captures import captured
from kinesphere import Effort, Express, Score, generate, lift, perform, render

wave = captured("141_16", "wave")
phrase = lift(wave)
keys = phrase.arm("right").keys
assert phrase.detail is not None
assert keys is not None
strokes = [lead or "rest" for lead in phrase.detail.strokes.leads]
print(f"{wave.name}: {wave.duration:.2f} s; strokes of the body: {', '.join(strokes)}")
print(f"keys of the right hand: {len(keys)}; contacts: {len(phrase.referents)}")
assert generate(phrase, wave.rate) is wave  # nothing is edited: it is the recording itself

for name, effort in {"strong": Effort(weight=1), "light": Effort(weight=-1), "sustained": Effort(time=-1)}.items():
    made = perform(wave, effort)
    hips = made.positions_world()[:, phrase.body.roles["hips"], 1]
    print(f"{name}: {made.duration:.2f} s, hips from {hips.min():.2f} to {hips.max():.2f} m")

# A walk in the manner of a word; feet that are planted stay planted, the path is scaled or kept.
walk = captured("07_01", "walk")
for keep in (False, True):
    tired = perform(walk, words="tired", keep_path=keep)
    hips = tired.positions_world()[:, 0]
    way = float(np.linalg.norm(hips[-1] - hips[0]))
    print(f"tired, path {'kept' if keep else 'scaled'}: {way:.2f} m in {tired.duration:.2f} s")

# One arm alone, a stretch alone, two layers in a score.
score = Score(wave, (Effort(space=-1).over(parts="right_arm"), Express(words={"proud": 1.0}).over(start=0.8)))
print(f"two layers: {render(score).duration:.2f} s")

# The phrase itself can be edited: the right hand's middle key, a tenth of an arm higher.
middle = len(keys) // 2
higher = keys.positions.copy()
higher[middle, 1] += 0.1
edited = phrase.with_tracks({"right_arm": replace(phrase.arm("right"), keys=replace(keys, positions=higher))})
hand = phrase.body.roles["rightHand"]
frame = round(keys.times[middle] * wave.rate)
rise = generate(edited, wave.rate).positions_world()[frame, hand, 1] - wave.positions_world()[frame, hand, 1]
print(f"the key at {keys.times[middle]:.2f} s is {100 * rise:.1f} cm higher")
