// Prints, for each VRM file given, one line of JSON: what three-vrm finds in it, and where its humanoid bones are, at
// rest and at `--time` seconds of its first clip. three-vrm turns VRM 0 characters round, so that all face +Z.
import fs from "node:fs";

globalThis.self = globalThis; // three.js looks for its Blob and URL there

const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
const { VRMLoaderPlugin, VRMUtils } = await import("@pixiv/three-vrm");

// Without a browser nothing decodes pictures; a single white point stands for each.
const blankTextures = () => ({
  name: "blank-textures",
  loadTexture: async () => {
    const texture = new THREE.DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1);
    texture.needsUpdate = true;
    return texture;
  },
});

function opened(file) {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register(blankTextures);
  const data = fs.readFileSync(file);
  return loader.parseAsync(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength), "");
}

function places(vrm) {
  vrm.scene.updateMatrixWorld(true);
  const found = {};
  for (const name of Object.keys(vrm.humanoid.humanBones)) {
    const node = vrm.humanoid.getRawBoneNode(name);
    if (node) found[name] = node.getWorldPosition(new THREE.Vector3()).toArray();
  }
  return found;
}

function placesInClip(gltf, vrm, time) {
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true; // the last frame is not the first one again
  action.play();
  mixer.setTime(time);
  return places(vrm);
}

async function main() {
  const asked = process.argv.slice(2);
  const time = asked[0] === "--time" ? Number(asked.splice(0, 2)[1]) : null;
  for (const file of asked) {
    const gltf = await opened(file);
    const vrm = gltf.userData.vrm;
    if (!vrm) throw new Error(`${file}: three-vrm finds no VRM in it`);
    VRMUtils.rotateVRM0(vrm);
    const rest = places(vrm);
    const clips = gltf.animations.map((clip) => clip.name);
    const moved = time === null || !clips.length ? null : placesInClip(gltf, vrm, time);
    const meshes = [];
    vrm.scene.traverse((object) => object.isMesh && meshes.push(object.name));
    console.log(JSON.stringify({ file, version: vrm.meta.metaVersion, clips, meshes: meshes.length, rest, moved }));
  }
}

await main();
