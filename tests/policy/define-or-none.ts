import { definePolicy, PolicyError, type Policy, type PolicyInput } from "../../src/policy/index.ts";

/** The policy, or undefined when lint refuses it, as it does for rules that can never match. */
export function defineOrNone(input: PolicyInput): Policy | undefined {
  try {
    return definePolicy(input);
  } catch (error) {
    if (error instanceof PolicyError) return undefined;
    throw error;
  }
}
