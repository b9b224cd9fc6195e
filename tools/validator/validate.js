// Prints, for each glTF file given, one line of JSON: its path and what Khronos' validator found.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

async function main() {
  for (const file of process.argv.slice(2)) {
    const beside = (uri) => fs.promises.readFile(path.resolve(path.dirname(file), decodeURIComponent(uri)));
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: file,
      maxIssues: 100,
      externalResourceFunction: async (uri) => new Uint8Array(await beside(uri)),
    });
    const { numErrors, numWarnings, numInfos, messages } = report.issues;
    console.log(JSON.stringify({ file, errors: numErrors, warnings: numWarnings, infos: numInfos, messages }));
  }
}

main();
