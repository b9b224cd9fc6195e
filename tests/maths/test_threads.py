"""Work is shared among threads, once, and comes back in its order."""

from __future__ import annotations

import threading
import time

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


def test_threads_that_take_turns_have_theirs_one_at_a_time(monkeypatch):
    monkeypatch.setattr(threads, "_workers", lambda: 3)
    inside, together, loops = [], [], []

    def work(n):
        inside.append(n)
        together.append(len(inside))
        time.sleep(0.001)  # gives the interpreter's lock away, but not the turn
        inside.remove(n)
        with threads.turns_at_loops():
            threads.share_frames(10, 10**9, lambda part: loops.append((part.start, part.stop)))
            with threads.no_turn_needed():
                pass
        return n * n

    assert threads.share_work(work, range(50), in_turns=True) == [n * n for n in range(50)]
    assert set(together) == {1}
    assert loops == [(0, 10)] * 50
    with pytest.raises(ZeroDivisionError):
        threads.share_work(lambda n: 1 // (n - 3), range(8), in_turns=True)
    assert threads.share_work(work, range(3), in_turns=True) == [0, 1, 4]  # nobody has kept a turn


def test_loops_under_a_lock_keep_the_turn(monkeypatch):
    """As of a cached property: whoever has the turn may wait for the same lock."""
    monkeypatch.setattr(threads, "_workers", lambda: 2)
    lock = threading.Lock()

    def work(n):
        with lock:
            threads.share_frames(10, 10**9, lambda _: time.sleep(0.002))
            with threads.no_turn_needed():
                time.sleep(0.002)
        return n

    assert threads.share_work(work, range(10), in_turns=True) == list(range(10))
