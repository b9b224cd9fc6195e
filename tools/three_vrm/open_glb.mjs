// Prints, for each GLB file given, one line of JSON: how many vertices and bones three.js finds, and the box that the
// skinned surface fills at rest.
import fs from "node:fs";

globalThis.self = globalThis; // three.js looks for its Blob and URL there

const THREE = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");

for (const file of process.argv.slice(2)) {
  const data = fs.readFileSync(file);
  const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const gltf = await new GLTFLoader().parseAsync(buffer, "");
  gltf.scene.updateMatrixWorld(true);
  const box = new THREE.Box3();
  const point = new THREE.Vector3();
  let vertices = 0;
  const bones = new Set();
  gltf.scene.traverse((object) => {
    if (!object.isSkinnedMesh) return;
    const count = object.geometry.attributes.position.count;
    vertices += count;
    object.skeleton.bones.forEach((bone) => bones.add(bone));
    for (let i = 0; i < count; i++) {
      object.getVertexPosition(i, point);
      box.expandByPoint(object.localToWorld(point));
    }
  });
  console.log(JSON.stringify({ vertices, bones: bones.size, low: box.min.toArray(), high: box.max.toArray() }));
}
