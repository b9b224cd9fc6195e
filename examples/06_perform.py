"""Perform one wave in many styles: Effort, Shape, words, intensity, stillness, parts of the body and time ranges."""

from __future__ import annotations

from kinesphere import Effort, Shape, perform

plain = perform("wave")
print(f"a plain wave takes {plain.duration:.1f} s")

dialled = perform("wave", Effort(space=-0.6, weight=-0.8), Shape(vertical=-0.5, reach=0.4))
top = dialled.positions_world()[..., 1].max()
print(f"indirect, light and rising: {dialled.duration:.1f} s, the hand up to {top:.2f} m")

for words in ("angry", "shy", "gently and proudly"):
    said = perform("wave", words=words)
    print(f"{words}: {said.duration:.1f} s")

louder = perform("wave", words="joyful", intensity=1.6)
print(f"more than joyful: {louder.duration:.1f} s")

late = perform("wave", Effort(time=-1), start=1.8)
print(f"sustained from 1.8 s on: {late.duration:.1f} s")

torso = perform("wave", parts={"torso": Shape(vertical=1), "right_arm": Effort(flow=-1)}, stillness=-0.5, seed=4)
print(f"a sunken torso and a free arm, restless: {torso.duration:.1f} s")

parameters = Effort(weight=1).parameters()
print(f"strong: inflection {parameters.inflection:.2f}, anticipation {parameters.anticipation:.2f}")
