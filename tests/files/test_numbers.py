"""Decimal text becomes exactly the numbers that Python reads, with their lines."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kinesphere.files.bvh.rows import parse_numbers

finite = st.floats(allow_nan=False, allow_infinity=False)
spelled = st.one_of(
    finite.map(repr),
    st.floats(-1e4, 1e4).map(lambda x: f"{x:.4f}"),
    st.integers(-(10**25), 10**25).map(str),
    st.sampled_from(["-0", "+5", ".5", "5.", "-.5e-3", "1E5", "0000.1", "1e-320", "123456789.123456789e-5"]),
)


IMPLEMENTATIONS = (parse_numbers.numpy, parse_numbers.compiled)


@given(st.lists(st.tuples(spelled, st.sampled_from([" ", "\t", "\n", "\r\n", "\r", "  \n\n"]))))
def test_every_number_is_read_as_python_reads_it(words):
    text = "".join(word + space for word, space in words).encode()
    wanted = np.array([float(word) for word, _ in words])
    for parse in IMPLEMENTATIONS:
        found = parse(text)
        assert found.bad == ()
        assert np.array_equal(found.values, wanted)
        assert np.array_equal(np.signbit(found.values), np.signbit(wanted))


@given(st.text(alphabet="0123456789.-+eE \n\r\tnaifx_,", max_size=80).map(str.encode))
@example(b"1.2.3 4-5 -")
@example(b"1e400 nan inf -inf 1_0 0x10 1,5")
def test_compiled_and_numpy_agree_on_any_text(text):
    fast, plain = parse_numbers.compiled(text), parse_numbers.numpy(text)
    assert np.array_equal(fast.values, plain.values, equal_nan=True)
    assert fast.bad == plain.bad
    assert np.array_equal(fast.line_ends, plain.line_ends)
    assert np.array_equal(fast.line_numbers, plain.line_numbers)
    assert np.isnan(fast.values).sum() == len(fast.bad)


@pytest.mark.parametrize("parse", IMPLEMENTATIONS)
def test_lines_are_counted_whatever_ends_them(parse):
    found = parse(b"1 2\r\n\r\n3\r4 5 6\n\n7")
    assert found.line_ends.tolist() == [2, 3, 6, 7]
    assert found.line_numbers.tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize("parse", IMPLEMENTATIONS)
def test_what_is_no_finite_number_is_named(parse):
    found = parse(b"1 nan 2\n inf 3e999 abc")
    assert found.bad == ((1, b"nan"), (3, b"inf"), (4, b"3e999"), (5, b"abc"))
    assert math.isnan(found.values[4])
