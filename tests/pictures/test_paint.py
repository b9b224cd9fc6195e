"""Textures and colours of characters: known colours at known pixels of a square that fills the middle of a picture."""

from __future__ import annotations

import base64
import io
import pickle
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene
from PIL import Image

from kinesphere import pictures
from kinesphere.files.loading import load_character
from kinesphere.motion.character import Character
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.motion import Motion
from kinesphere.pictures.paint import mip_levels
from kinesphere.pictures.render import Stage, render
from kinesphere.pictures.surface import WOOD, make_skin
from pictures.painted import BLUE, GREEN, PLACES, RED, UNLIT, WHITE, four, png, square
from pictures.solids import front_shot

STAGE = Stage(floor=-5.0, height=2.0, supersampling=3)


def read(scene: Scene, folder: Path, name: str = "square.glb") -> Character:
    return load_character(scene.write(folder / name))


def draw(character: Character, clay: bool = False, scale: float = 60.0) -> np.ndarray:
    """200 × 200 pixels; the square is in the middle and 120 pixels wide."""
    surface = make_skin(character, clay=clay).pose(*character.skeleton.rest_world())
    return render(surface, front_shot(scale=scale), STAGE).astype(int)


def quarters(pixels: np.ndarray) -> list[tuple[int, ...]]:
    """Colours in the middles of the square's quarters: upper left, upper right, lower left, lower right."""
    return [tuple(pixels[row, column].tolist()) for row in (70, 130) for column in (70, 130)]


def near(found: Any, expected: Any, by: int = 2) -> bool:
    return bool(np.abs(np.asarray(found) - np.asarray(expected)).max() <= by)


# Where a texture is, and how it is placed


@pytest.mark.parametrize("where", ["inside", "data", "beside"])
def test_a_texture_is_the_right_way_up_and_has_its_own_colours(tmp_path: Path, where: str) -> None:
    data = png(four())
    (tmp_path / "a picture.png").write_bytes(data)
    image: Any = {
        "inside": data,
        "data": {"uri": "data:image/png;base64," + base64.b64encode(data).decode()},
        "beside": {"uri": "a%20picture.png"},
    }[where]
    assert near(quarters(draw(read(square(image), tmp_path))), [RED, GREEN, BLUE, WHITE])


def test_a_palette_a_grey_picture_and_a_jpeg_are_decoded(tmp_path: Path) -> None:
    for kind, convert in (("PNG", "P"), ("PNG", "L"), ("JPEG", "RGB")):
        file = io.BytesIO()
        picture = Image.fromarray(four(64))
        picture = picture.quantize(8) if convert == "P" else picture.convert(convert)
        picture.save(file, kind)
        reread = Image.open(io.BytesIO(file.getvalue())).convert("RGB")
        expected = [reread.getpixel(at) for at in ((32, 32), (96, 32))]
        assert near(quarters(draw(read(square(file.getvalue()), tmp_path)))[:2], expected, 8)


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ({"offset": [0.5, 0.0]}, [GREEN, RED, WHITE, BLUE]),
        ({"offset": [0.0, 0.5]}, [BLUE, WHITE, RED, GREEN]),
        ({"scale": [0.5, 0.5]}, [RED] * 4),
        ({"scale": [0.5, 0.5], "offset": [0.5, 0.5]}, [WHITE] * 4),
        # The picture turns clockwise about its upper left corner, and goes on by repeating.
        ({"rotation": np.pi / 2}, [BLUE, RED, WHITE, GREEN]),
        ({"rotation": -np.pi / 2}, [GREEN, WHITE, RED, BLUE]),
        ({"texCoord": 1}, [WHITE, BLUE, GREEN, RED]),
    ],
)
def test_texture_transforms(tmp_path: Path, transform: dict[str, Any], expected: list[Any]) -> None:
    texture = {"extensions": {"KHR_texture_transform": transform}}
    assert near(quarters(draw(read(square(png(four()), texture=texture), tmp_path))), expected)


def test_a_second_set_of_coordinates(tmp_path: Path) -> None:
    found = quarters(draw(read(square(png(four()), texture={"texCoord": 1}), tmp_path)))
    assert near(found, [WHITE, BLUE, GREEN, RED])


@pytest.mark.parametrize(
    ("code", "expected"), [(10497, [GREEN, RED]), (33648, [RED, GREEN]), (33071, [GREEN, GREEN]), (None, [GREEN, RED])]
)
def test_a_texture_goes_on_beyond_its_edge(tmp_path: Path, code: int | None, expected: list[Any]) -> None:
    """Coordinates from 0.5 to 2.5 across: the second half of the square is from 1.5 on."""
    sampler = {} if code is None else {"wrapS": code}
    places = PLACES * [2.0, 1.0] + [0.5, 0.0]
    pixels = draw(read(square(png(four()), places=places, sampler=sampler), tmp_path))
    assert near([pixels[70, 55], pixels[70, 85]], [GREEN, expected[1] if code != 33648 else GREEN])
    assert near(pixels[70, 115], {33648: RED, 33071: GREEN}.get(code or 0, GREEN))
    assert near(pixels[70, 145], {33648: RED, 33071: GREEN}.get(code or 0, RED))


def test_few_texels_are_blurred_or_sharp_as_the_sampler_says(tmp_path: Path) -> None:
    small = png(four(1))
    blurred = draw(read(square(small, sampler={"wrapS": 33071, "wrapT": 33071}), tmp_path))[70]
    sharp = draw(read(square(small, sampler={"magFilter": 9728}), tmp_path))[70]
    assert near(sharp[45:95], RED, 0)
    assert near(sharp[105:155], GREEN)
    assert near(blurred[45:65], RED, 6)
    assert len(np.unique(blurred[70:130, 1])) > 20


# Light


def test_a_fine_checker_is_as_bright_from_afar_as_near_by(tmp_path: Path) -> None:
    """Half of the light of white is sRGB 188, not 128; and what is far away does not flicker."""
    checker = (np.indices((256, 256)).sum(axis=0) % 2 * 255).astype(np.uint8)
    pixels = draw(read(square(png(checker, "L")), tmp_path))[50:150, 50:150]
    assert near(pixels, 188, 3)


def test_a_grey_texture_comes_out_as_the_same_byte(tmp_path: Path) -> None:
    for byte in (10, 128, 240):
        pixels = draw(read(square(png(np.full((8, 8), byte), "L")), tmp_path))
        assert near(pixels[60:140, 60:140], byte, 1)


def test_factor_and_vertex_colours_multiply_in_linear_light(tmp_path: Path) -> None:
    grey = png(np.full((8, 8), 255), "L")
    half = draw(read(square(grey, factor=(0.5, 1.0, 0.25, 1.0)), tmp_path))[100, 100]
    assert near(half, (188, 255, 137))
    ramp = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]], dtype=float)
    pixels = draw(read(square(places=None, colours=ramp, factor=(1.0, 1.0, 1.0, 1.0)), tmp_path))
    assert near(pixels[100, 100], (188, 0, 0), 3)
    assert pixels[100, 45, 0] < 80
    assert pixels[100, 155, 0] > 245


def test_lit_textures_are_shaded_and_keep_their_hue(tmp_path: Path) -> None:
    lit = np.array(quarters(draw(read(square(png(four()), lit=True), tmp_path))))
    assert [int(np.argmax(colour)) for colour in lit[:3]] == [0, 1, 2]
    assert np.ptp(lit[3]) < 25
    toon = UNLIT["extensions"] | {"VRMC_materials_mtoon": {"specVersion": "1.0"}}
    shaded = quarters(draw(read(square(png(four()), extensions=toon), tmp_path)))
    assert near(shaded, lit, 0)


def test_clay_and_bodies_of_plain_colours_are_drawn_as_before(tmp_path: Path) -> None:
    character = read(square(png(four()), lit=True), tmp_path)
    clay = draw(character, clay=True)
    assert near(np.ptp(clay[60:140, 60:140], axis=(0, 1)), 0, 12)
    assert make_skin(character, clay=True).colours[0] == pytest.approx(WOOD)
    plain = read(square(places=None, factor=(0.1, 0.2, 0.8, 1.0), lit=True), tmp_path, "plain.glb")
    assert make_skin(plain).paint is None
    assert (draw(plain) == draw(plain, clay=True)).all()


# What is seen through, and from behind


def test_masked_texels_are_holes(tmp_path: Path) -> None:
    pixels = four(extra=(255,))
    pixels[:32, :32, 3] = 90
    background = draw(read(square(places=None, factor=(0, 0, 0, 0), alphaMode="MASK"), tmp_path))
    for cutoff, shown in ((None, False), (0.2, True)):
        more = {} if cutoff is None else {"alphaCutoff": cutoff}
        found = draw(read(square(png(pixels, "RGBA"), alphaMode="MASK", **more), tmp_path))
        assert near(found[70, 70], RED if shown else background[70, 70])
        assert near(found[70, 130], GREEN)
    opaque = draw(read(square(png(pixels, "RGBA")), tmp_path))
    assert near(opaque[70, 70], RED)


def test_half_clear_is_about_half_of_what_is_behind(tmp_path: Path) -> None:
    behind = draw(read(square(places=None, factor=(0, 0, 0, 0), alphaMode="BLEND"), tmp_path))[100, 100]
    found = draw(read(square(places=None, factor=(0, 0, 0, 0.5), alphaMode="BLEND"), tmp_path))[100, 100]
    expected = 255.0 * (0.5 * (behind / 255.0) ** 2.2) ** (1 / 2.2)
    assert near(found, expected, 14)
    full = draw(read(square(places=None, factor=(0, 0, 0, 1), alphaMode="BLEND"), tmp_path))[100, 100]
    assert near(full, 0)


def test_one_sided_triangles_are_not_seen_from_behind(tmp_path: Path) -> None:
    turned = square(png(four()))
    turned.json["nodes"][0]["rotation"] = [0.0, 1.0, 0.0, 0.0]
    nothing = draw(read(square(places=None, factor=(0, 0, 0, 0), alphaMode="MASK"), tmp_path))
    assert near(quarters(draw(read(turned, tmp_path))), quarters(nothing), 25)  # but for its shadow
    turned.json["materials"][0]["doubleSided"] = True
    assert near(quarters(draw(read(turned, tmp_path))), [GREEN, RED, WHITE, BLUE])


def test_two_materials_of_one_character(tmp_path: Path) -> None:
    blue = {"pbrMetallicRoughness": {"baseColorFactor": [0.0, 0.0, 1.0, 1.0]}, **UNLIT}
    pixels = draw(read(square(png(four()), second=blue), tmp_path))
    assert near(pixels[100, 100], (0, 0, 255))
    assert near([pixels[50, 50], pixels[150, 150]], [RED, WHITE])
    white = {"pbrMetallicRoughness": {}, "doubleSided": True}
    lit = draw(read(square(png(four()), second=white), tmp_path))
    assert np.ptp(lit[100, 100]) < 30  # white teeth are white, not wood


# VRM 0.x and older exporters


def test_colours_of_vrm_0_and_of_specular_glossiness(tmp_path: Path) -> None:
    scene = square(png(four()), lit=True)
    expected = quarters(draw(read(scene, tmp_path)))
    scene.json["materials"][0] = {"name": "skin"}
    properties = {
        "shader": "VRM/MToon",
        "vectorProperties": {"_Color": [1, 1, 1, 1]},
        "textureProperties": {"_MainTex": 0},
    }
    scene.json["extensions"] = {"VRM": {"materialProperties": [properties]}}
    (mesh,) = read(scene, tmp_path).meshes
    assert mesh.material.texture is not None
    assert not mesh.material.unlit
    properties["textureProperties"] = {}
    properties["vectorProperties"]["_Color"] = [1.0, 188 / 255, 0.0, 1.0]
    (mesh,) = read(scene, tmp_path).meshes
    assert mesh.colour == pytest.approx((1.0, 0.503, 0.0, 1.0), abs=1e-3)
    del scene.json["extensions"]
    older = {"diffuseFactor": [1, 1, 1, 1], "diffuseTexture": {"index": 0}}
    scene.json["materials"][0] = {"extensions": {"KHR_materials_pbrSpecularGlossiness": older}}
    assert near(quarters(draw(read(scene, tmp_path))), expected, 0)


# Broken and hostile pictures


def large_png(side: int) -> bytes:
    """A PNG of side × side that is a few kilobytes long."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("image", "found"),
    [
        (b"no picture at all", "cannot be decoded"),
        (png(four())[:60], "cannot be decoded"),
        (large_png(60_000), "cannot be decoded"),
        (large_png(10_000), "10000 × 10000 pixels"),
        ({"uri": "gone.png"}, "missing"),
        ({"uri": "../outside.png"}, "relative path"),
        ({"uri": "data:image/png;base64,???"}, "broken base64"),
        ({"bufferView": 99}, "bufferViews"),
        ({}, "uri"),
    ],
)
def test_pictures_that_cannot_be_read_leave_clay_and_a_warning(tmp_path: Path, image: Any, found: str) -> None:
    (tmp_path / "in").mkdir()
    character = read(square(image, lit=True), tmp_path / "in")
    with pytest.warns(MotionFileWarning, match=found):
        pixels = draw(character)
    assert pixels[100, 100, 0] - pixels[100, 100, 2] > 25  # wood
    assert near(pixels[60:140, 60:140], draw(character, clay=True)[60:140, 60:140], 0)


@pytest.mark.parametrize(
    "broken",
    [
        {"textures": []},
        {"textures": [{"source": 7}]},
        {"textures": [{}]},
        {"textures": [{"extensions": {"KHR_texture_basisu": {"source": 0}}}]},
        {"textures": [{"source": 0, "sampler": 9}]},
    ],
)
def test_textures_that_name_nothing_leave_a_warning(tmp_path: Path, broken: dict[str, Any]) -> None:
    scene = square(png(four()))
    scene.json.update(broken)
    with pytest.warns(MotionFileWarning, match="the surface is shown without it"):
        character = read(scene, tmp_path)
    draw(character)


@pytest.mark.parametrize("value", [None, -1, 1e308, "x", [], {}, True, [1], {"index": {}}, {"index": -5}])
@pytest.mark.parametrize(
    "field", ["alphaMode", "alphaCutoff", "doubleSided", "extensions", "pbrMetallicRoughness", "baseColorTexture"]
)
def test_fields_of_the_wrong_kind_are_refused_or_left_out(tmp_path: Path, field: str, value: Any) -> None:
    scene = square(png(four()), lit=True)
    owner = scene.json["materials"][0]
    (owner["pbrMetallicRoughness"] if field == "baseColorTexture" else owner)[field] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionFileWarning)
        character, refusal = None, ""
        try:  # any other error is one of ours
            character = read(scene, tmp_path)
        except MotionFileError as error:
            refusal = str(error)
        if character is None:
            assert "materials[0]" in refusal
            return
        assert np.isfinite(np.asarray(draw(character), dtype=float)).all()
    assert sum(len(mesh.positions) for mesh in character.meshes) == 4


def test_coordinates_that_are_broken_leave_a_warning(tmp_path: Path) -> None:
    scene = square(png(four()), places=np.full((4, 2), np.nan), lit=True)
    with pytest.warns(MotionFileWarning, match="TEXCOORD_0: found a value that is no number"):
        character = read(scene, tmp_path)
    draw(character)
    draw(read(square(png(four()), places=PLACES * 1e9), tmp_path))  # far out, but numbers


def test_reading_a_character_decodes_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a picture was decoded")

    monkeypatch.setattr(Image, "open", refuse)
    character = read(square(png(four())), tmp_path)
    assert character.meshes[0].material.texture is not None
    make_skin(character, clay=True)
    monkeypatch.undo()
    copy = pickle.loads(pickle.dumps(character))
    assert near(quarters(draw(copy)), [RED, GREEN, BLUE, WHITE])


def test_mip_levels_are_means_in_linear_light_and_clear_texels_have_no_colour() -> None:
    texels = np.zeros((5, 3, 4), dtype=np.uint8)
    texels[..., 3] = 255
    texels[0] = 255
    assert [level.shape[:2] for level in mip_levels(texels, 8)] == [(5, 3), (2, 1), (1, 1)]
    assert [level.shape[:2] for level in mip_levels(texels, 2)] == [(2, 1), (1, 1)]
    half = np.array([[[255, 0, 0, 255], [0, 255, 0, 0]]], dtype=np.uint8)
    assert mip_levels(half, 8, weighted=True)[1].ravel().tolist() == [255, 0, 0, 128]
    assert mip_levels(half, 8)[1].ravel().tolist() == [188, 188, 0, 128]


def test_sheets_stills_and_films_take_clay(tmp_path: Path) -> None:
    character = read(square(png(four())), tmp_path)
    motion = Motion(character.skeleton, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1, 1)))
    for clay in (False, True):
        still = np.asarray(pictures.still(motion, 0.0, character=character, size=(120, 120), clay=clay)).astype(int)
        sheet = pictures.sheet(motion, character=character, frames=1, size=(240, 240), ghosts=1, clay=clay)
        for pixels in (still, np.asarray(sheet).astype(int)):
            green = (pixels[..., 1] - np.maximum(pixels[..., 0], pixels[..., 2]) > 60).sum()
            assert bool(green > 200) is (not clay)
        assert pictures.film(motion, tmp_path / f"{clay}.gif", character=character, size=(96, 96), clay=clay) >= 1


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "colours"),
    [
        ("CesiumMan.glb", [(70, 100, 30), (110, 160, 200), (220, 220, 220)]),
        ("mesh2motion_human_male.glb", [(215, 140, 60), (50, 90, 160)]),
        ("kaykit_manny/manny_med_mod.gltf", [(30, 130, 200), (190, 50, 30), (220, 220, 220)]),
        ("debug_robot.vrm", [(255, 0, 0), (0, 255, 0), (0, 0, 255)]),
        ("RobotExpressive.glb", [(215, 150, 50)]),
    ],
)
def test_real_characters_have_their_colours(data_dir: Path, name: str, colours: list[Any]) -> None:
    character = load_character(data_dir / "characters" / name)
    motion = Motion(character.skeleton, 30.0, np.tile(character.skeleton.rest_rotations, (2, 1, 1)))
    pixels = np.asarray(pictures.still(motion, 0.0, character=character, size=(200, 200))).astype(int).reshape(-1, 3)
    for colour in colours:
        assert (np.abs(pixels - colour).max(axis=1) < 45).sum() > 60, colour
