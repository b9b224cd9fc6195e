"""Compiled bands. Import this only through ``compiled``.

Columns ``first`` to ``last`` only, so that several threads can share them, and not too many at a time, so that two
levels of them stay in some cache. The order of sums is that of ``bands.smoother_reference``: both give the same to the
last bit.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact

_TOGETHER = 256  # columns


@compile_exact
def split_bands(signal, first, last, bands, rest):  # type: ignore[no-untyped-def]
    """Bands (K, T, C) and the rest (T, C) of a signal (T, C); see ``bands.split``."""
    frames = signal.shape[0]
    together = max(min(_TOGETHER, last - first), 1)
    level, smoother = np.empty((frames, together)), np.empty((frames, together))
    for start in range(first, last, together):
        width = min(together, last - start)
        _copy(signal, start, level, 0, width)
        for k in range(bands.shape[0]):
            for i in range(frames):
                _smooth(level, i, 1 << k, width, smoother[i])
                out, here, less = bands[k, i, start : start + width], level[i], smoother[i]
                for c in range(width):
                    out[c] = here[c] - less[c]
            level, smoother = smoother, level
        _copy(level, 0, rest, start, width)


@compile_exact
def mix_bands(signal, first, last, extra, mixture):  # type: ignore[no-untyped-def]
    """A signal (T, C) and extra (K, C) of each of its bands; see ``bands.mixed``."""
    frames = signal.shape[0]
    together = max(min(_TOGETHER, last - first), 1)
    level, smoother = np.empty((frames, together)), np.empty((frames, together))
    for start in range(first, last, together):
        width = min(together, last - start)
        _copy(signal, start, level, 0, width)
        _copy(signal, start, mixture, start, width)
        for k in range(extra.shape[0]):
            gain = extra[k, start : start + width]
            for i in range(frames):
                _smooth(level, i, 1 << k, width, smoother[i])
                out, here, less = mixture[i, start : start + width], level[i], smoother[i]
                for c in range(width):
                    out[c] += gain[c] * (here[c] - less[c])
            level, smoother = smoother, level


@compile_exact
def _smooth(level, i, step, width, smoother):  # type: ignore[no-untyped-def]
    """One frame of the level after this one. It writes one array only: with two, LLVM gives up on vectors."""
    end = level.shape[0] - 1
    before, after = level[max(i - step, 0)], level[min(i + step, end)]
    far_before, far_after = level[max(i - 2 * step, 0)], level[min(i + 2 * step, end)]
    here = level[i]
    for c in range(width):
        x = here[c]
        near = (x - before[c]) + (x - after[c])
        far = (x - far_before[c]) + (x - far_after[c])
        smoother[c] = x - (0.25 * near + 0.0625 * far)


@compile_exact
def _copy(source, start, target, at, width):  # type: ignore[no-untyped-def]
    for i in range(source.shape[0]):
        for c in range(width):
            target[i, at + c] = source[i, start + c]
