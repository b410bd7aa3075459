import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Approval, Args } from "../ledger/index.ts";
import type { Fault } from "./error.ts";

type Schema = Record<string, unknown>;

/** Edited arguments after their check: as they will run, or what is wrong with them. */
export type CheckedEdit = { ok: true; args: Args } | { ok: false; errors: Fault[] };

/**
 * Checks edited arguments with the schema that the approval carries. A text where the schema wants a number, a truth
 * value or null is read as one, since forms send texts. Without a schema, what was there before says what is wanted.
 */
export function checkEdit(approval: Approval, args: Args): CheckedEdit {
  const schema = approval.args_schema;
  if (schema === null) return { ok: true, args: likeBefore(args, approval.args) };
  const coerced = coerce(args, schema) as Args;
  const errors = checkArgs(schema, coerced);
  return errors.length === 0 ? { ok: true, args: coerced } : { ok: false, errors };
}

/** What a JSON Schema finds wrong with the arguments of a call. A schema that cannot be read finds nothing right. */
export function checkArgs(schema: Schema, args: Args): Fault[] {
  try {
    const validate = validatorOf(schema);
    return validate(args) ? [] : (validate.errors ?? []).slice(0, 20).map(faultOf);
  } catch (error) {
    return [{ path: "args", message: `the tool's schema cannot be used: ${(error as Error).message}` }];
  }
}

const validators = new WeakMap<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
  const validate = new Ajv2020(options).compile(schema);
  validators.set(schema, validate);
  return validate;
}

function faultOf(error: ErrorObject): Fault {
  const at = error.instancePath.split("/").slice(1).join(".");
  const extra: unknown = error.params["additionalProperty"];
  return {
    path: ["args", at, typeof extra === "string" ? extra : ""].filter(Boolean).join("."),
    message: error.message ?? "does not fit the tool's schema",
  };
}

function coerce(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  if (typeof value === "string") return coerceText(value, typesOf(schema));
  if (Array.isArray(value)) return value.map((item) => coerce(item, schema["items"]));
  if (!isObject(value) || !isObject(schema["properties"])) return value;
  const fields = schema["properties"];
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    Object.hasOwn(fields, name) ? coerce(inner, fields[name]) : inner,
  ]);
  return Object.fromEntries(entries);
}

/** Reads texts as what stood in their place before. What cannot be read so is left as it is. */
function likeBefore(args: Args, before: Args): Args {
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    if (typeof value !== "string" || known === undefined || known === null) return [name, value];
    return [name, coerceText(value, [Array.isArray(known) ? "array" : typeof known])];
  });
  return Object.fromEntries(entries);
}

function typesOf(schema: Schema): string[] {
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].filter(isObject).flatMap(typesOf);
  const type = schema["type"];
  return Array.isArray(type)
    ? type.filter((one) => typeof one === "string")
    : typeof type === "string"
      ? [type]
      : [];
}

function coerceText(text: string, types: string[]): unknown {
  if (types.length === 0 || types.includes("string")) return text;
  const trimmed = text.trim();
  if (
    (types.includes("number") || types.includes("integer")) &&
    /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)
  ) {
    return Number(trimmed);
  }
  if (types.includes("boolean") && (trimmed === "true" || trimmed === "false")) return trimmed === "true";
  if (types.includes("null") && (trimmed === "null" || trimmed === "")) return null;
  if (types.includes("object") || types.includes("array")) return parsed(trimmed) ?? text;
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
