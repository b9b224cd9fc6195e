"""Measures of the field trial: one file each. ``tools/measure_field.py`` finds and runs them.

A module has a sentence as its docstring and three names:

- ``ORDER``: an integer; measures are printed in this order.
- ``measure(motion, characters) -> dict[str, float]``: numbers of one clip, by name; empty where the clip has nothing to
  measure. ``characters`` maps names to the characters of the folder and may be empty. It calls public functions of
  Kinesphere alone, so that the same file measures an older version as well.
- ``summarise(rows) -> str``: one line from the numbers of all clips, by clip. It names the worst clip.
"""
