"""Work is shared among threads, once, and comes back in its order."""

from __future__ import annotations

import pytest

from kinesphere.maths import threads


def test_shared_work_comes_back_in_its_order():
    inside = []

    def work(n):
        shared = []
        threads.share_frames(10, 10**9, lambda part: shared.append((part.start, part.stop)))
        inside.append(shared)
        return n * n

    assert threads.share_work(work, range(50)) == [n * n for n in range(50)]
    assert all(parts == [(0, 10)] for parts in inside)  # nothing is shared twice, so nothing waits for itself
    with pytest.raises(ZeroDivisionError):
        threads.share_work(lambda n: 1 // (n - 3), range(8))
    assert threads.share_work(work, []) == []


def test_parts_cover_every_frame_once(monkeypatch):
    monkeypatch.setattr(threads, "_workers", lambda: 3)
    for frames in (0, 1, 2, 3, 10, 1001):
        parts = []
        threads.share_frames(frames, 10**9, lambda part, parts=parts: parts.append((part.start, part.stop)))
        assert [i for start, stop in sorted(parts) for i in range(start, stop)] == list(range(frames))
