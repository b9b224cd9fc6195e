"""Work on several threads."""

from __future__ import annotations

import pytest

from kinesphere.maths import compiled


def test_shared_work_comes_back_in_its_order():
    compiled.warm_up()
    inside = []

    def work(n):
        shared = []
        compiled.share_frames(10, 10**9, lambda part: shared.append((part.start, part.stop)))
        inside.append(shared)
        return n * n

    assert compiled.share_work(work, range(50)) == [n * n for n in range(50)]
    assert all(parts == [(0, 10)] for parts in inside)  # nothing is shared twice, so nothing waits for itself
    with pytest.raises(ZeroDivisionError):
        compiled.share_work(lambda n: 1 // (n - 3), range(8))
    assert compiled.share_work(work, []) == []
