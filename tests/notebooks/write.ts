import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findJupyter } from "../setup/jupyter.ts";
import { execute, folder, notebooks } from "./execute.ts";

// Runs the notebooks and writes what they gave into them. Look at the difference: a kernel may lose the end of an output.
const jupyter = findJupyter();
if ("missing" in jupyter) {
  console.error(`The notebooks cannot be run: ${jupyter.missing}. Install Jupyter's nbconvert.`);
  process.exitCode = 1;
} else {
  for (const name of notebooks()) {
    writeFileSync(join(folder, name), `${JSON.stringify(await execute(jupyter.path, name), null, 1)}\n`);
    console.log(`${name}: written`);
  }
}
