"""The JSON Schemas in docs/schema: written by tools/schemas.py, true of every file that we ship."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from conftest import ROOT
from kinesphere.builtin.library import FOLDER

SCHEMAS = ROOT / "docs" / "schema"
WALKS = ("walk", "walk_in_place")
SHIPPED = [
    *(("walk" if path.stem in WALKS else "gesture", path) for path in sorted(FOLDER.glob("*.toml"))),
    *(("gesture", path) for path in sorted((ROOT / "examples" / "gestures").glob("*.toml"))),
    ("words", files("kinesphere.direction") / "words.toml"),
    *(("action", path) for path in sorted((files("kinesphere.scripts") / "actions").glob("*.toml"))),
    *(("sketch", path) for path in sorted((files("kinesphere.performance") / "sketches").glob("*.toml"))),
    *(("composite", path) for path in sorted((files("kinesphere.performance") / "composites").glob("*.toml"))),
    *(("script", path) for path in sorted((ROOT / "examples" / "scripts").glob("*.toml"))),
    *(("effort-model", path) for path in (files("kinesphere.laban") / "models").iterdir()),
]


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_schemas_are_those_that_the_tool_writes():
    code = (
        "import sys; sys.path.insert(0, 'tools'); import schemas\n"
        "for name in schemas.SCHEMAS:\n"
        "    file = schemas.FOLDER / f'{name}.schema.json'\n"
        "    assert file.read_text(encoding='utf-8') == schemas.schema_text(name), f'run tools/schemas.py: {name}'\n"
        "print(len(schemas.SCHEMAS))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(list(SCHEMAS.glob("*.json")))


@pytest.mark.parametrize(("name", "path"), SHIPPED, ids=lambda value: getattr(value, "stem", value))
def test_every_shipped_file_is_valid(name, path):
    assert [error.message for error in validator(name).iter_errors(tomllib.loads(path.read_text("utf-8")))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gesture", "about = 'no duration'"),
        ("gesture", "duration = 0"),
        ("gesture", "duration = 2\n[torso]\nforwards = [[0, 1]]"),
        ("gesture", "duration = 2\n[torso]\nforward = [[0, 181]]"),
        ("gesture", "duration = 2\n[torso]\nforward = [0, 1]"),
        ("gesture", "duration = 2\n[right]\nkeys = [{ at = 0, to = 'relaxed' }]"),
        ("gesture", "duration = 2\n[right.hand]\npalm = [[0, 'left']]"),
        ("gesture", "duration = 2\n[right.foot]\nsteps = [[0, 1, 0, 0]]"),
        ("walk", "period = 1"),
        ("words", "[words]\nodd = { effort = [0, 0, 2, 0] }"),
        ("words", "[words]\nodd = { tempo = 9 }"),
        ("action", "kind = 'action'"),
        ("action", "kind = 'action'\nabout = 'x'\n[[goal]]\nat = 1"),
        ("action", "kind = 'action'\nabout = 'x'\n[[property]]\nname = 'postur'"),
        ("script", "kind = 'script'\n[[action]]\nstart = 1"),
        ("script", "kind = 'script'\n[[action]]\ndo = 'shrug'\n[[action.property]]\nname = 'posture'\namount = 3"),
        ("sketch", "kind = 'sketch'\nabout = 'x'\n[[behaviour]]\nname = 'breathe'"),
        ("composite", "kind = 'property'\nabout = 'x'\n[[property]]\nname = 'tempo'\nfaktor = 2"),
        ("effort-model", "like = 'nobody'"),
        ("effort-model", "[wrist_bend]\nlihgt = 1"),
        ("score", "kind = 'kinesphere score'\nversion = 2"),
        ("score", "kind = 'kinesphere score'\nversion = 1\nsource = { name = 'wave' }"),
        ("score", "kind = 'kinesphere score'\nversion = 2\nsource = { name = 'wave', file = 'x.bvh' }"),
        ("score", "kind = 'kinesphere score'\nversion = 2\nsource = { name = 'wave' }\nlayers = [{ edit = 'efort' }]"),
        (
            "score",
            "kind = 'kinesphere score'\nversion = 2\nsource = { name = 'wave' }\n"
            "layers = [{ edit = 'effort', weight = 2 }]",
        ),
        (
            "score",
            "kind = 'kinesphere score'\nversion = 2\nsource = { name = 'wave' }\n"
            "behaviours = [{ behaviour = 'breath', start = 1 }]",
        ),
    ],
)
def test_broken_files_are_not(name, text):
    assert list(validator(name).iter_errors(tomllib.loads(text)))


@pytest.mark.parametrize("name", ["gesture", "walk", "words", "effort-model", "score"])
def test_every_field_has_a_sentence(name):
    def tables(schema):
        if isinstance(schema, dict):
            if isinstance(schema.get("properties"), dict):
                yield schema
            for value in schema.values():
                yield from tables(value)

    whole = validator(name).schema
    found = list(tables(whole))
    assert found
    for table in found:
        assert table["description"]
        for field, own in table["properties"].items():
            shared = whole.get("$defs", {}).get(own.get("$ref", "").rpartition("/")[2], {})
            assert (shared | own).get("description", "").endswith("."), (table["title"], field)
