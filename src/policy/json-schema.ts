import { z } from "zod";
import { PolicyDocument } from "./document.ts";

/** The published JSON Schema of a policy, draft 2020-12. */
export function policyJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(PolicyDocument, { target: "draft-2020-12", io: "input" });
}
