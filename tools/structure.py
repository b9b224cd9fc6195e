"""Figures of the source tree: files, lines, names used twice, modules with one importer, participles as names.

.venv/bin/python tools/structure.py [ROOT …]       # several checkouts stand side by side
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

# Past participles that name functions: what was done instead of what is done.
IRREGULAR = {
    "bent",
    "built",
    "chosen",
    "drawn",
    "driven",
    "felt",
    "found",
    "given",
    "gone",
    "grown",
    "held",
    "hung",
    "kept",
    "known",
    "laid",
    "made",
    "met",
    "ran",
    "said",
    "seen",
    "sent",
    "shown",
    "spoken",
    "stood",
    "sunk",
    "swung",
    "swollen",
    "taken",
    "told",
    "torn",
    "wound",
    "unwound",
    "worn",
    "written",
}
NOUNS = {"speed", "seed", "need", "feed"}


def modules(root: Path) -> dict[str, ast.Module]:
    """Module name to its syntax tree."""
    source = root / "src"
    found = {}
    for path in sorted(source.rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text())
    return found


def importers(trees: dict[str, ast.Module]) -> Counter[str]:
    """How many modules import each one."""
    count: Counter[str] = Counter()
    for tree in trees.values():
        used = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    used.add(full if full in trees else node.module)
            elif isinstance(node, ast.Import):
                used |= {alias.name for alias in node.names}
        count.update(used & trees.keys())
    return count


def is_participle(name: str) -> bool:
    """Whether a function's name is, or begins with, a past participle."""
    first = name.strip("_").split("_")[0]
    return first not in NOUNS and (first in IRREGULAR or (first.endswith("ed") and len(first) > 4))


def lines_of(folder: Path) -> int:
    """Lines of all Python files below a folder."""
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def figures(root: Path) -> dict[str, int]:
    """Everything that is counted."""
    trees = modules(root)
    used = importers(trees)
    code = [path for path in (root / "src").rglob("*.py") if path.name != "__init__.py"]
    classes = Counter(n.name for tree in trees.values() for n in tree.body if isinstance(n, ast.ClassDef))
    names = Counter(path.name for path in code)
    functions = [n for tree in trees.values() for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    compiled = [n for n in functions if any(_is_jit(mark) for mark in n.decorator_list)]
    native = [path for path in (root / "src").rglob("*.?pp") if path.stem != "binding"]
    text = "\n".join(path.read_text() for path in (root / "src").rglob("*.py"))
    return {
        "Python files in src": len(trees),
        "… without __init__": len(code),
        "lines of src": lines_of(root / "src"),
        "lines of tests": lines_of(root / "tests"),
        "class names used twice": sum(1 for count in classes.values() if count > 1),
        "file names in several rooms": sum(1 for count in names.values() if count > 1),
        "modules with one importer": sum(1 for name in trees if used[name] == 1 and not name.endswith("__init__")),
        "modules below 60 lines": sum(1 for path in code if len(path.read_text().splitlines()) < 60),
        "functions named by participles": sum(1 for n in functions if is_participle(n.name)),
        "functions compiled by numba": len(compiled),
        "lines of these": sum((n.end_lineno or 0) - n.lineno + 1 for n in compiled),
        "C++ files": len(native),
        "lines of C++": sum(len(path.read_text().splitlines()) for path in native),
        "loops in C++": sum(len(re.findall(r"\bkernel<", path.read_text())) for path in native),
        "NumPy twins (*_reference)": sum(1 for n in functions if n.name.endswith("_reference")),
        "dispatch branches": len(re.findall(r"compiled\.(?:loaded|kernels)\(|(?<!def )\buse_compiled\(\)", text)),
        "the word way": len(re.findall(r"\bways?\b", text)),
    }


def _is_jit(mark: ast.expr) -> bool:
    return isinstance(mark, ast.Name) and mark.id in {"jit", "compile_exact", "compile_kernel", "njit"}


def main() -> None:
    roots = [Path(name) for name in sys.argv[1:]] or [Path(__file__).resolve().parent.parent]
    columns = [figures(root) for root in roots]
    for name in columns[0]:
        print(f"{name:<34}" + "".join(f"{column[name]:>10,}" for column in columns))


if __name__ == "__main__":
    main()
