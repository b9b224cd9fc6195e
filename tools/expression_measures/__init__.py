"""Measures of expression: what Effort and words do to a body. ``tools/measure_expression.py`` runs them.

- ``takes``: joint positions of any performance, with the strokes of its leading hand.
- ``weight``, ``timing``, ``space``, ``flow``: measures of one stroke. A module has ``MEASURES`` and ``measure(take,
  stroke)``. ``whole``: measures of a take. ``measuring`` puts them together.
- ``catalogue``: units, noticeable differences, and each Effort element's own measure.
- ``performing``: performances to measure; ``effects``: Cohen's d, and each element on every element's measure;
  ``combinations``, ``flourishes``, ``words``, ``clean``: what else is asked of them; ``performers``: captures.
- ``summary``: all of it as one table, ours beside the performers'; ``report``: Markdown, before → after.
"""
