import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findJupyter } from "../setup/jupyter.ts";
import { execute, folder, fullest, notebooks } from "./execute.ts";

const RUNS = 3;

// Runs the notebooks and writes what they gave into them.
const jupyter = findJupyter();
if ("missing" in jupyter) {
  console.error(`The notebooks cannot be run: ${jupyter.missing}. Install Jupyter's nbconvert.`);
  process.exitCode = 1;
} else {
  for (const name of notebooks()) {
    let notebook = await execute(jupyter.path, name);
    for (let more = 1; more < RUNS; more += 1)
      notebook = fullest(notebook, await execute(jupyter.path, name));
    writeFileSync(join(folder, name), `${JSON.stringify(notebook, null, 1)}\n`);
    console.log(`${name}: written`);
  }
}
