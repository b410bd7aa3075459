import { readFileSync } from "node:fs";
import { createApprovalAgent, seedWorkspace, workspaceTools, type PolicyInput } from "countersign";

/** A folder that the agent may work in. Made with a few files in it when it is not there. */
const workspace = process.env["COUNTERSIGN_WORKSPACE"] ?? "workspace";
seedWorkspace(workspace);

/** `careful`, `everyday` or `headless`, one of the files in `policies/`; or the path of a policy of one's own. */
const policyName = process.env["COUNTERSIGN_POLICY"] ?? "everyday";
const policyNames = ["careful", "everyday", "headless"];
const isPath = policyName.includes("/") || policyName.endsWith(".json");
if (!isPath && !policyNames.includes(policyName)) {
  const names = policyNames.join(", ");
  throw new Error(
    `COUNTERSIGN_POLICY is "${policyName}"; the names there are: ${names}; or the path of a .json file.`,
  );
}
const policyFile = isPath ? policyName : new URL(`./policies/${policyName}.json`, import.meta.url);

/** Servers of this machine that the agent may send requests to, as `127.0.0.1:8080`, with commas between. */
const localTargets = (process.env["COUNTERSIGN_HTTP_LOCAL"] ?? "").split(",").filter(Boolean);

/** The bundled agent: it works on the files of one folder, and asks before what cannot be undone. */
export const agent = createApprovalAgent({
  model: process.env["COUNTERSIGN_MODEL"] ?? "rehearsal",
  tools: workspaceTools(workspace, { localTargets }),
  policy: readPolicy(),
  prompt:
    "You work on the files of one folder for the user. Say plainly what you did and what you did not do.",
});

function readPolicy(): PolicyInput {
  try {
    return JSON.parse(readFileSync(policyFile, "utf8")) as PolicyInput;
  } catch (error) {
    // What JSON.parse says quotes the file, line breaks and all.
    const why = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
    throw new Error(`COUNTERSIGN_POLICY is "${policyName}", which cannot be read: ${why}`, { cause: error });
  }
}
