"""Decimal text becomes exactly the numbers that Python reads, with their lines."""

from __future__ import annotations

import math
import re

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


NUMBER = re.compile(rb"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?")


def read_plainly(text):
    """Values, line ends, line numbers and bad tokens, line by line and token by token."""
    values, ends, numbers, bad = [], [], [], []
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", text)):
        for token in line.split():
            value = float(token) if NUMBER.fullmatch(token) else math.nan
            if not math.isfinite(value):
                value = math.nan
                bad.append((len(values), token))
            values.append(value)
        if line.split():
            ends.append(len(values))
            numbers.append(number)
    return values, ends, numbers, bad


@given(st.lists(st.tuples(spelled, st.sampled_from([" ", "\t", "\n", "\r\n", "\r", "  \n\n"]))))
def test_every_number_is_read_as_python_reads_it(words):
    text = "".join(word + space for word, space in words).encode()
    wanted = np.array([float(word) for word, _ in words])
    found = parse_numbers(text)
    assert found.bad == ()
    assert np.array_equal(found.values, wanted)
    assert np.array_equal(np.signbit(found.values), np.signbit(wanted))


@given(st.text(alphabet="0123456789.-+eE \n\r\t\v\fnaifx_,", max_size=80).map(str.encode))
@example(b"1.2.3 4-5 -")
@example(b"1e400 nan inf -inf 1_0 0x10 1,5")
def test_any_text_is_read_as_token_by_token(text):
    found, (values, ends, numbers, bad) = parse_numbers(text), read_plainly(text)
    assert np.array_equal(found.values, values, equal_nan=True)
    assert found.bad == tuple(bad)
    assert found.line_ends.tolist() == ends
    assert found.line_numbers.tolist() == numbers


def test_lines_are_counted_whatever_ends_them():
    found = parse_numbers(b"1 2\r\n\r\n3\r4 5 6\n\n7")
    assert found.line_ends.tolist() == [2, 3, 6, 7]
    assert found.line_numbers.tolist() == [0, 2, 3, 5]


def test_what_is_no_finite_number_is_named():
    found = parse_numbers(b"1 nan 2\n inf 3e999 abc")
    assert found.bad == ((1, b"nan"), (3, b"inf"), (4, b"3e999"), (5, b"abc"))
    assert math.isnan(found.values[4])


@pytest.mark.parametrize("count", [9_999, 10_000, 10_001, 20_000, 25_000])
def test_many_numbers_of_many_digits_are_all_read(rng, count):
    wanted = rng.normal(size=count)
    text = "".join(f"{x:.20f}" + (" " if i % 7 else "\n") for i, x in enumerate(wanted)).encode()
    found, (values, ends, numbers, _) = parse_numbers(text), read_plainly(text)
    assert np.array_equal(found.values, values)
    assert found.bad == ()
    assert found.line_ends.tolist() == ends
    assert found.line_numbers.tolist() == numbers


def test_bad_tokens_beyond_the_first_ten_thousand_are_not_listed():
    found = parse_numbers(b"# " * 10_500 + b"\n1 x")
    assert len(found.bad) == 10_000
    assert np.isnan(found.values).tolist() == [True] * 10_500 + [False, True]
    assert found.line_ends.tolist() == [10_500, 10_502]
