import { policyJsonSchema } from "../../policy/index.ts";

/** `policy schema`: the JSON Schema of a policy, JSON with or without `--json`. */
export function printSchema(): void {
  process.stdout.write(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`);
}
