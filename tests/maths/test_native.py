"""Native loops check what they are given: type, axes, order, writability, the number of arguments and of fields."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinesphere
from kinesphere import _native

SOURCE = Path(kinesphere.__file__).parent
QUATERNIONS = np.tile([1.0, 0.0, 0.0, 0.0], (5, 1))


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("vectors", "out", "message"),
    [
        (np.zeros((5, 3), dtype=np.float32), np.empty((5, 4)), "float64 with 2 axes; found format 'f' with 2 axes"),
        (np.zeros((5, 3), dtype=np.int64), np.empty((5, 4)), "float64 with 2 axes; found format '"),
        (np.zeros(15), np.empty((5, 4)), "float64 with 2 axes; found format 'd' with 1 axes"),
        (np.zeros((3, 5)).T, np.empty((5, 4)), "C-ordered array of float64"),
        (np.zeros((5, 6))[:, ::2], np.empty((5, 4)), "C-ordered array of float64"),
        (np.zeros((5, 3)), read_only(np.empty((5, 4))), "C-ordered, writable array of float64"),
        ([[0.0, 0.0, 0.0]], np.empty((1, 4)), "found <class 'list'>"),
        (None, np.empty((5, 4)), "found <class 'NoneType'>"),
    ],
)
def test_arrays_of_another_kind_are_refused(vectors, out, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        _native.rotations.exponential(vectors, out)


def test_arrays_that_are_only_read_may_be_read_only():
    out = np.empty((5, 4))
    _native.rotations.exponential(read_only(np.zeros((5, 3))), out)
    np.testing.assert_array_equal(out, QUATERNIONS)


def test_no_buffer_is_kept_after_a_call():
    vectors, out = np.zeros((5, 3)), np.empty((5, 4))
    before = sys.getrefcount(vectors), sys.getrefcount(out)
    for _ in range(10):
        _native.rotations.exponential(vectors, out)
        with pytest.raises(TypeError):
            _native.rotations.exponential(vectors, None)
    assert (sys.getrefcount(vectors), sys.getrefcount(out)) == before
    vectors.resize((7, 3), refcheck=True)  # NumPy refuses while somebody holds the buffer


def test_arguments_are_counted():
    with pytest.raises(TypeError, match="exponential: expected 2 arguments; found 1"):
        _native.rotations.exponential(np.zeros((5, 3)))


def test_errors_name_the_loop_and_the_argument():
    with pytest.raises(TypeError, match="exponential, argument 2: expected a C-ordered, writable array"):
        _native.rotations.exponential(np.zeros((5, 3)), None)


@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer ends a process that asks for it"
)
def test_more_memory_than_there_is_is_an_error_and_no_crash():
    values, out = np.zeros(5), np.zeros(5)
    for reach, fade in ((1, 2**60), (1, 2**62), (2**60, 1), (1, -(2**40))):
        try:
            _native.filters.widen(values, reach, fade, out)
        except MemoryError:
            continue
        assert np.isfinite(out).all()


def test_submodules_can_be_imported():
    from importlib import import_module

    assert import_module("kinesphere._native.rotations") is _native.rotations


def test_empty_arrays_are_fine():
    out = np.empty((0, 4))
    _native.rotations.exponential(np.zeros((0, 3)), out)
    assert out.shape == (0, 4)


def test_every_file_of_loops_is_there_and_every_loop_has_a_caller():
    """A submodule for each C++ file that says so, and no loop that neither a module nor a test calls."""
    folders = SOURCE, Path(__file__).parent.parent
    python = "\n".join(path.read_text() for folder in folders for path in folder.rglob("*.py"))
    files = {path: path.read_text() for path in SOURCE.rglob("*.cpp")}
    found = 0
    for path, text in files.items():
        for name in re.findall(r"^KERNELS\((\w+)\)", text, re.M):
            loops = set(re.findall(r'kernel<[\w:]+>\("(\w+)"\)', text))
            module = getattr(_native, name)
            assert {each for each in vars(module) if not each.startswith("__")} == loops, path
            uncalled = {each for each in loops if f"_native.{name}.{each}" not in python}
            assert not uncalled, path
            assert path.with_suffix(".py").is_file(), "a file of loops stands beside the module that calls them"
            found += len(loops)
    assert found > 60


def test_structs_of_several_files_have_names_of_their_own():
    """The linker would merge the bindings of two structs of one name; those of one file stand in unnamed namespaces."""
    places: dict[str, list[str]] = {}
    for path in [*SOURCE.rglob("*.cpp"), *SOURCE.rglob("*.hpp")]:
        text = re.sub(r"namespace \{\n.*?\n\}  // namespace\n", "", path.read_text(), flags=re.S)
        for name in re.findall(r"^struct (\w+) (?:: .*)?\{", text, re.M):
            places.setdefault(name, []).append(path.name)
    assert len(places) > 10
    assert {name: files for name, files in places.items() if len(set(files)) > 1} == {}


def test_a_checkout_that_was_not_built_says_what_to_do(tmp_path):
    package = tmp_path / "kinesphere"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_native.py").write_text((SOURCE / "_native.py").read_text())
    done = subprocess.run(
        [sys.executable, "-S", "-c", "from kinesphere import _native"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "compiled loops are missing" in done.stderr
    assert "make demo" in done.stderr
