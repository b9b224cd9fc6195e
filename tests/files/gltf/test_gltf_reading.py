"""What a glTF says, against values worked out by hand."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, chain

import kinesphere
from kinesphere import MotionFileError, MotionFileWarning
from kinesphere.maths import rotations

QUARTER = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]  # a quarter turn about Z, x y z w
HALF = [0.0, 0.0, 1.0, 0.0]
NONE = [0.0, 0.0, 0.0, 1.0]


def one_node(path: Path, what: str, times: Any, values: Any, *interpolation: str, **options: Any) -> kinesphere.Motion:
    scene = Scene([{"name": "a"}]).clip((0, what, times, values, *interpolation))
    return kinesphere.load(scene.write(path / "clip.glb"), **options)


class TestInterpolation:
    def test_linear_translations(self, tmp_path: Path) -> None:
        motion = one_node(tmp_path, "translation", [0.0, 1.0], [[0, 0, 0], [4, 8, -4]], rate=4.0)
        np.testing.assert_allclose(motion.translations[:, 0, 0], [0, 1, 2, 3, 4], atol=1e-12)
        np.testing.assert_allclose(motion.translations[:, 0, 2], [0, -1, -2, -3, -4], atol=1e-12)

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_linear_rotations_turn_evenly_the_short_way(self, tmp_path: Path, sign: float) -> None:
        end = [sign * v for v in QUARTER]
        motion = one_node(tmp_path, "rotation", [0.0, 1.0], [NONE, end], rate=3.0)
        angles = 2.0 * np.arctan2(motion.rotations[:, 0, 3], motion.rotations[:, 0, 0])
        np.testing.assert_allclose(angles, np.radians([0, 30, 60, 90]), atol=1e-6)

    def test_steps_hold(self, tmp_path: Path) -> None:
        motion = one_node(tmp_path, "translation", [0.0, 1.0], [[0, 0, 0], [4, 0, 0]], "STEP", rate=4.0)
        assert motion.translations[:, 0, 0].tolist() == [0, 0, 0, 0, 4]

    def test_cubic_splines(self, tmp_path: Path) -> None:
        # From 0 with slope 2 to 1 with slope -1, over two seconds: at half way
        # ½·0 + 2·⅛·2 + ½·1 + 2·(-⅛)·(-1) = 1.25
        keys = [[9, 9, 9], [0, 0, 0], [2, 0, 0], [-1, 0, 0], [1, 0, 0], [9, 9, 9]]
        motion = one_node(tmp_path, "translation", [1.0, 3.0], keys, "CUBICSPLINE", rate=1.0)
        np.testing.assert_allclose(motion.translations[:, 0, 0], [0.0, 1.25, 1.0], atol=1e-12)

    def test_cubic_splines_of_rotations_are_made_unit(self, tmp_path: Path) -> None:
        zero = [0, 0, 0, 0]
        keys = [zero, NONE, zero, zero, HALF, zero]
        motion = one_node(tmp_path, "rotation", [0.0, 1.0], keys, "CUBICSPLINE", rate=2.0)
        np.testing.assert_allclose(motion.rotations[1, 0], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)], atol=1e-12)

    def test_channels_hold_before_their_first_key_and_after_their_last(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b"))
        scene.clip(
            (0, "translation", [0.0, 1.0, 2.0, 3.0], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]),
            (1, "translation", [1.0, 2.0], [[5, 0, 0], [7, 0, 0]]),
        )
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        assert (motion.rate, len(motion)) == (1.0, 4)
        assert motion.translations[:, 1, 0].tolist() == [5, 5, 7, 7]


class TestNumbers:
    def test_normalised_integers(self, tmp_path: Path) -> None:
        scene = Scene([{"name": "a"}]).clip((0, "rotation", [0.0, 1.0], [NONE, NONE]))
        output = scene.accessor([[0, 0, 0, 127], [0, 0, 127, 0]], "int8", normalized=True)
        scene.json["animations"][0]["samplers"][0]["output"] = output
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        np.testing.assert_allclose(motion.rotations[:, 0], [[1, 0, 0, 0], [0, 0, 0, 1]], atol=1e-12)

    @pytest.mark.parametrize(("dtype", "largest"), [("uint8", 255), ("uint16", 65535), ("int16", 32767)])
    def test_every_integer_type(self, tmp_path: Path, dtype: str, largest: int) -> None:
        scene = Scene([{"name": "a"}]).clip((0, "translation", [0.0, 1.0], np.zeros((2, 3))))
        output = scene.accessor([[0, 0, largest], [largest, 0, 0]], dtype, normalized=True)
        scene.json["accessors"][output]["count"] = 2
        scene.json["animations"][0]["samplers"][0]["output"] = output
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        assert motion.translations[:, 0].tolist() == [[0, 0, 1], [1, 0, 0]]

    def test_interleaved(self, tmp_path: Path) -> None:
        times, values = np.arange(5, dtype="<f4"), np.arange(15, dtype="<f4").reshape(5, 3)
        rows = np.concatenate([times[:, None], values], axis=1)
        scene = Scene([{"name": "a"}]).clip((0, "translation", [0.0], [[0, 0, 0]]))
        view = scene.view(rows.tobytes(), byteStride=16)
        scene.json["accessors"] = [
            {"bufferView": view, "componentType": 5126, "count": 5, "type": "SCALAR"},
            {"bufferView": view, "byteOffset": 4, "componentType": 5126, "count": 5, "type": "VEC3"},
        ]
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        np.testing.assert_array_equal(motion.translations[:, 0], values)

    @pytest.mark.parametrize("base", [True, False])
    def test_sparse(self, tmp_path: Path, base: bool) -> None:
        scene = Scene([{"name": "a"}]).clip((0, "translation", np.arange(4.0), np.ones((4, 3))))
        accessor = scene.json["accessors"][1]
        if not base:
            del accessor["bufferView"]
        accessor["sparse"] = {
            "count": 2,
            "indices": {"bufferView": scene.view(np.array([1, 3], "<u2").tobytes()), "componentType": 5123},
            "values": {"bufferView": scene.view(np.full((2, 3), 7, "<f4").tobytes())},
        }
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        plain = 1.0 if base else 0.0
        assert motion.translations[:, 0, 0].tolist() == [plain, 7, plain, 7]


class TestRate:
    @pytest.mark.parametrize(
        "rate",
        [1.0, 12.0, 24.0, 25.0, 30.0, 60.0, 120.0, 144.0, 240.0, 24000 / 1001, 30000 / 1001, 60000 / 1001],
    )
    @pytest.mark.parametrize("frames", [2, 3, 90, 5000])
    def test_usual_rates_are_found_exactly(self, tmp_path: Path, rate: float, frames: int) -> None:
        times = (np.arange(frames) / rate).astype(np.float32)
        motion = one_node(tmp_path, "translation", times, np.zeros((frames, 3)))
        assert (motion.rate, len(motion)) == (rate, frames)

    def test_unusual_rates_stay_unusual(self, tmp_path: Path) -> None:
        times = (np.arange(2000) / 119.8753).astype(np.float32)
        motion = one_node(tmp_path, "translation", times, np.zeros((2000, 3)))
        assert motion.rate == pytest.approx(119.8753, rel=1e-6)
        assert motion.rate != 120.0
        assert len(motion) == 2000

    def test_keys_may_skip_frames(self, tmp_path: Path) -> None:
        at = np.array([0, 7, 10, 25, 60])
        motion = one_node(tmp_path, "translation", at / 30.0, np.stack([at, 0 * at, 0 * at], axis=1))
        assert (motion.rate, len(motion)) == (30.0, 61)
        np.testing.assert_allclose(motion.translations[:, 0, 0], np.arange(61), atol=1e-5)
        assert "5 of 61 frames are keys" in " ".join(motion.source.evidence)

    def test_keys_that_fall_on_frames_are_kept_exactly(self, tmp_path: Path) -> None:
        values = np.random.default_rng(1).normal(size=(500, 3)).astype(np.float32)
        motion = one_node(tmp_path, "translation", 3.0 + np.arange(500) / 30.0, values)
        np.testing.assert_array_equal(motion.translations[:, 0], values)

    def test_no_grid_is_sampled_at_60(self, tmp_path: Path) -> None:
        motion = one_node(tmp_path, "translation", [0.0, 0.1415927, 0.7182818, 1.0], np.zeros((4, 3)))
        assert (motion.rate, len(motion)) == (60.0, 61)
        assert "no uniform grid" in " ".join(motion.source.evidence)

    def test_time_starts_at_the_first_key(self, tmp_path: Path) -> None:
        motion = one_node(tmp_path, "translation", [5.0, 5.5, 6.0], [[1, 0, 0], [2, 0, 0], [3, 0, 0]])
        assert (motion.rate, motion.duration) == (2.0, 1.0)
        assert motion.translations[0, 0, 0] == 1.0

    def test_one_key_is_one_frame(self, tmp_path: Path) -> None:
        assert len(one_node(tmp_path, "translation", [2.0], [[1, 2, 3]])) == 1


class TestClips:
    def scene(self, *names: str | None) -> Scene:
        scene = Scene([{"name": "a"}])
        for i, name in enumerate(names):
            scene.clip((0, "translation", [0.0, 1.0], [[i, 0, 0], [i, 1, 0]]), name=name)
        return scene

    @pytest.mark.parametrize(
        ("names", "known"),
        [
            (["walk", "run"], ("walk", "run")),
            ([None], ("clip",)),
            ([""], ("clip",)),
            ([None, "run", None], ("clip_0", "run", "clip_2")),
            (["walk", "walk", "walk"], ("walk", "walk (2)", "walk (3)")),
            (["walk", "walk", "walk (2)"], ("walk", "walk (3)", "walk (2)")),
            (["clip_1", None], ("clip_1", "clip_1 (2)")),
        ],
    )
    def test_names(self, tmp_path: Path, names: list[str | None], known: tuple[str, ...]) -> None:
        file = self.scene(*names).write(tmp_path / "clip.glb")
        assert kinesphere.clip_names(file) == known
        for i, name in enumerate(known):
            for asked in (name, i):
                motion = kinesphere.load(file, clip=asked)
                assert motion.translations[0, 0, 0] == i
                assert (motion.name, motion.source.clip) == (name, name)

    def test_the_first_of_several_is_taken_and_said(self, tmp_path: Path) -> None:
        motion = kinesphere.load(self.scene("walk", "run").write(tmp_path / "clip.glb"))
        assert motion.name == "walk"
        assert "first of 2" in motion.source.evidence[-1]

    @pytest.mark.parametrize("clip", ["jump", 2, -1])
    def test_unknown(self, tmp_path: Path, clip: str | int) -> None:
        with pytest.raises(MotionFileError, match="'walk', 'run'"):
            kinesphere.load(self.scene("walk", "run").write(tmp_path / "clip.glb"), clip=clip)

    def test_none(self, tmp_path: Path) -> None:
        with pytest.raises(MotionFileError, match="load_character"):
            kinesphere.load(Scene(chain("a", "b")).write(tmp_path / "clip.glb"))


class TestJoints:
    def test_static_nodes_above_are_folded_in(self, tmp_path: Path) -> None:
        nodes = chain("scene", "armature", "hips", "spine", "hand", "prop")
        nodes[1] |= {"rotation": [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], "scale": [100.0] * 3}
        scene = Scene(nodes).clip((2, "rotation", [0.0, 1.0], [NONE, QUARTER]), (4, "rotation", [0.0], [NONE]))
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        assert motion.skeleton.names == ("hips", "spine", "hand")
        assert motion.skeleton.parents.tolist() == [-1, 0, 1]
        # The armature stands on 2 metres and turns what is up in it into -Z, a hundred times as long.
        np.testing.assert_allclose(motion.skeleton.rest_world()[1][0], [0, 2, -100], atol=1e-9)
        np.testing.assert_allclose(motion.skeleton.bone_lengths, [0, 100, 100])
        np.testing.assert_allclose(motion.positions_world()[1, 1], [-100, 2, -100], atol=1e-4)
        assert motion.scales is None

    def test_skins_make_joints_of_nodes_that_stand_still(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b", "c")).clip((0, "rotation", [0.0], [NONE]))
        scene.json["skins"] = [{"joints": [1, 2]}]
        assert kinesphere.load(scene.write(tmp_path / "clip.glb")).skeleton.names == ("a", "b", "c")

    def test_other_clips_make_joints_too(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b", "c"))
        scene.clip((0, "rotation", [0.0], [NONE]), name="one").clip((2, "scale", [0.0], [[1, 1, 1]]), name="two")
        assert len(kinesphere.load(scene.write(tmp_path / "clip.glb"), clip="one").skeleton) == 3

    def test_children_that_come_first_in_the_file(self, tmp_path: Path) -> None:
        nodes: list[dict[str, Any]] = [
            {"name": "hand"},
            {"name": "arm", "children": [0]},
            {"children": [3, 1]},
            {},
        ]
        scene = Scene(nodes).clip(*((i, "rotation", [0.0], [NONE]) for i in range(4)))
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        assert motion.skeleton.names == ("node_2", "arm", "hand", "node_3")
        assert motion.skeleton.parents.tolist() == [-1, 0, 1, 0]

    def test_scale_and_up_can_be_given(self, tmp_path: Path) -> None:
        scene = Scene([{"name": "a", "children": [1]}, {"name": "b", "translation": [0, 0, 2]}])
        scene.clip((0, "translation", [0.0], [[3, 0, 1]]), (1, "rotation", [0.0], [NONE]))
        file = scene.write(tmp_path / "clip.glb")
        motion = kinesphere.load(file, scale=0.01, up="z")
        np.testing.assert_allclose(motion.positions_world()[0], [[0.03, 0.01, 0], [0.03, 0.03, 0]], atol=1e-12)
        np.testing.assert_allclose(motion.skeleton.rest_world()[1], [[0, 0, 0], [0, 0.02, 0]], atol=1e-12)
        assert (motion.source.scale, motion.source.up) == (0.01, "z")

    def test_surface_scales_are_what_the_rest_pose_does_not_have(self, tmp_path: Path) -> None:
        nodes = chain("a", "b")
        nodes[0]["scale"] = [2.0, 2.0, 2.0]
        scene = Scene(nodes).clip((0, "scale", [0.0, 1.0], [[2, 2, 2], [3, 3, 3]]), (1, "rotation", [0.0], [NONE]))
        motion = kinesphere.load(scene.write(tmp_path / "clip.glb"))
        assert motion.scales is not None
        np.testing.assert_allclose(motion.scales[0], 1.0)
        np.testing.assert_allclose(motion.scales[1], 1.5)
        np.testing.assert_allclose(motion.positions_world()[:, 1, 1], [3.0, 4.0])

    def test_external_and_embedded_buffers(self, tmp_path: Path) -> None:
        scene = Scene([{"name": "a"}]).clip((0, "translation", [0.0, 1.0], [[1, 2, 3], [4, 5, 6]]))
        (tmp_path / "sub folder").mkdir()
        (tmp_path / "sub folder" / "data.bin").write_bytes(scene.blob)
        encoded = "data:;base64," + base64.b64encode(scene.blob).decode()
        for uri in ("sub%20folder/data.bin", "sub folder/data.bin", encoded):
            scene.json["buffers"] = [{"byteLength": len(scene.blob), "uri": uri}]
            file = tmp_path / "clip.gltf"
            file.write_text(json.dumps(scene.json))
            assert kinesphere.load(file).translations[1, 0].tolist() == [4, 5, 6]


class TestHumanoids:
    def test_vrm_1(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b")).clip((0, "rotation", [0.0], [NONE]))
        bones = {"hips": {"node": 0}, "spine": {"node": 1}, "tail": {"node": 1}}
        scene.json["extensions"] = {"VRMC_vrm": {"humanoid": {"humanBones": bones}}}
        assert dict(kinesphere.load(scene.write(tmp_path / "a.vrm")).skeleton.roles) == {
            "hips": 0,
            "spine": 1,
        }

    def test_thumbs_of_vrm_0(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b", "c")).clip((0, "rotation", [0.0], [NONE]))
        names = ("leftThumbProximal", "leftThumbIntermediate", "leftThumbDistal")
        bones = [{"bone": bone, "node": i} for i, bone in enumerate(names)]
        scene.json["extensions"] = {"VRM": {"humanoid": {"humanBones": bones}}}
        roles = kinesphere.load(scene.write(tmp_path / "a.vrm")).skeleton.roles
        assert dict(roles) == {"leftThumbMetacarpal": 0, "leftThumbProximal": 1, "leftThumbDistal": 2}

    def test_expressions_and_gaze_are_not_joints(self, tmp_path: Path) -> None:
        scene = Scene([*chain("hips", "spine"), {"name": "happy"}, {"name": "gaze"}])
        scene.clip(*((i, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]) for i in (0, 2, 3)))
        scene.json["extensions"] = {
            "VRMC_vrm_animation": {
                "humanoid": {"humanBones": {"hips": {"node": 0}}},
                "expressions": {"preset": {"happy": {"node": 2}}},
                "lookAt": {"node": 3},
            }
        }
        assert kinesphere.load(scene.write(tmp_path / "a.vrma")).skeleton.names == ("hips",)


class TestSalvage:
    def test_broken_channels_are_left_out(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b"))
        scene.clip((0, "rotation", [0.0, 1.0], [NONE, QUARTER]), (1, "rotation", [0.0, 1.0], [NONE, HALF]))
        scene.json["animations"][0]["samplers"][1]["output"] = 99
        file = scene.write(tmp_path / "clip.glb")
        with pytest.warns(MotionFileWarning, match=r"samplers\[1\].output"):
            motion = kinesphere.load(file, salvage=True)
        assert rotations.angle(motion.rotations[1, 0]) == pytest.approx(np.pi / 2)
        assert len(motion.source.warnings) == 1

    def test_broken_keys_are_left_out(self, tmp_path: Path) -> None:
        values = [[0, 0, 0], [np.nan, 0, 0], [2, 0, 0], [9, 9, 9], [3, 0, 0]]
        scene = Scene(chain("a")).clip((0, "translation", [0.0, 1.0, 2.0, 1.5, 3.0], values))
        with pytest.warns(MotionFileWarning):
            motion = kinesphere.load(scene.write(tmp_path / "clip.glb"), salvage=True)
        assert (motion.rate, motion.translations[:, 0, 0].tolist()) == (1.0, [0, 1, 2, 3])

    def test_broken_clips_are_passed_over(self, tmp_path: Path) -> None:
        scene = Scene(chain("a")).clip((0, "rotation", [0.0], [NONE]), name="one")
        scene.clip((0, "rotation", [0.0], [QUARTER]), name="two")
        scene.json["animations"][0]["samplers"] = "none"
        with pytest.warns(MotionFileWarning):
            motion = kinesphere.load(scene.write(tmp_path / "clip.glb"), salvage=True)
        assert motion.name == "two"
        assert "passed over" in motion.source.warnings[-1]

    def test_files_that_were_cut_off(self, tmp_path: Path) -> None:
        scene = Scene(chain("a", "b"))
        scene.clip((0, "rotation", [0.0, 1.0], [NONE, QUARTER]), (1, "rotation", [0.0, 1.0], [NONE, HALF]))
        file = tmp_path / "clip.glb"
        file.write_bytes(scene.data()[:-16])
        with pytest.raises(MotionFileError, match="cut off"):
            kinesphere.load(file)
        with pytest.warns(MotionFileWarning):
            motion = kinesphere.load(file, salvage=True)
        assert rotations.angle(motion.rotations[1, 0]) == pytest.approx(np.pi / 2)
