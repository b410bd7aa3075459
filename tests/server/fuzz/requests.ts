import fc, { type Arbitrary } from "fast-check";
import { readFileSync } from "node:fs";
import { BY_NAME, junk, oddText } from "./values.ts";

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
}
interface Operation {
  parameters?: { in: "path" | "query" | "header"; name: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: { "application/json"?: { schema: Schema } } };
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** A request in which ids are references still. */
export interface FuzzRequest {
  method: string;
  /** The route as it is described, for reports. */
  route: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const description = JSON.parse(
  readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8"),
) as Description;

function valid(schema: Schema, name = "", depth = 0): Arbitrary<unknown> {
  if (name in BY_NAME) return BY_NAME[name]!;
  if (depth > 5) return fc.constant(null);
  if (schema.$ref !== undefined) {
    const inner = description.components.schemas[schema.$ref.split("/").at(-1)!]!;
    return valid(inner, name, depth + 1);
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, name, depth + 1)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return junk;
  return fc.oneof(...types.map((type) => ofType(type, schema, name, depth)));
}

function ofType(type: string, schema: Schema, name: string, depth: number): Arbitrary<unknown> {
  switch (type) {
    case "object": {
      const { properties = {}, required = [] } = schema;
      const parts = Object.entries(properties).map(
        ([key, one]) => [key, valid(one, key, depth + 1)] as const,
      );
      // A few of what may be there: with all of it at once, something would always be wrong.
      const optional = parts.map(([key]) => key).filter((key) => !required.includes(key));
      const named = fc
        .tuple(
          fc.record(Object.fromEntries(parts)),
          fc.subarray(optional, { maxLength: Math.min(4, optional.length) }),
        )
        .map(([all, kept]) =>
          Object.fromEntries(
            Object.entries(all).filter(([key]) => required.includes(key) || kept.includes(key)),
          ),
        );
      return parts.length > 0 ? named : fc.oneof(fc.constant({}), fc.constant({ k: 1 }), junk);
    }
    case "array":
      return fc.array(valid(schema.items ?? {}, name, depth + 1), { maxLength: 2 });
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: (schema.minimum ?? 0) + 9 });
    case "number":
      return fc.constantFrom(schema.minimum ?? 0, 1, 2.5);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.oneof(fc.constantFrom("a", "agent"), oddText);
  }
}

/** Puts junk somewhere into a valid body: in place of it, of one of its members, or beside them. */
const mutated = (body: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(body, junk, fc.nat(9), oddText).map(([value, odd, at, key]) => {
    if (typeof value !== "object" || value === null || at === 0) return odd;
    const entries = Object.entries(value);
    const place = at % (entries.length + 1);
    if (place === entries.length) return Object.fromEntries([...entries, [key, odd]]);
    return Object.fromEntries(entries.map(([name, one], n) => [name, n === place ? odd : one]));
  });

function bodyOf({ requestBody }: Operation): Arbitrary<string | undefined> {
  const schema = requestBody?.content["application/json"]?.schema;
  const text = (value: unknown): string => JSON.stringify(value);
  if (!schema)
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: junk.map(text) },
    );
  const good = valid(schema);
  return fc.oneof(
    { weight: 20, arbitrary: good.map(text) },
    { weight: 6, arbitrary: mutated(good).map(text) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "{", "[]", "nul", '{"a":1}}', "[".repeat(200), '"\\ud800"', "\u0000"),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const queryValue = (name: string, schema: Schema = {}): Arbitrary<string> =>
  fc.oneof({ weight: 20, arbitrary: valid(schema, name) }, { weight: 1, arbitrary: junk }).map(asText);
const asText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Encoded as a client would, with a reference left as it is: what it stands for needs no encoding. */
const encoded = (text: string): string =>
  encodeURIComponent(Buffer.from(text).toString())
    .replaceAll("%EE%80%80", "\ue000")
    .replace(/(\ue000[a-z]+)%3A/g, "$1:");

function pathOf(route: string, { parameters = [] }: Operation): Arbitrary<string> {
  const named = parameters.filter((one) => one.in === "path");
  const inPath: Arbitrary<Record<string, string | undefined>> = fc.record(
    Object.fromEntries(named.map(({ name }) => [name, (BY_NAME[name] ?? oddText).map(asText)])),
  );
  const inQuery = fc.record(
    Object.fromEntries(
      parameters
        .filter((one) => one.in === "query")
        .map(({ name, schema }) => [name, queryValue(name, schema)]),
    ),
    { requiredKeys: [] },
  );
  return fc.tuple(inPath, inQuery).map(([params, query]) => {
    const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encoded(params[name] ?? "") || "%20");
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encoded(value ?? "")}`);
    return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
  });
}

const JSON_TYPE = { "content-type": "application/json" };
/** What a request says of itself: rarely anything but that its body is JSON. */
const headers: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 200, arbitrary: fc.constant(JSON_TYPE) },
  ...[
    ...["text/plain", "application/json; charset=utf-8", "x", "multipart/form-data"].map((type) => ({
      "content-type": type,
    })),
    ...[
      ...["null", "http://evil.example", "http://127.0.0.1"].map((origin) => ({ origin })),
      ...["k1", "k2", "x".repeat(201)].map((key) => ({ "idempotency-key": key })),
      ...["0", "-1", "x", "99999999999999999999", "1.5"].map((id) => ({ "last-event-id": id })),
      ...["Bearer x", "Basic eDp5", "Bearer"].map((authorization) => ({ authorization })),
      ...[{ "x-api-key": "x" }, { accept: "text/event-stream" }, { "sec-fetch-site": "cross-site" }, {}],
    ].map((more): Record<string, string> => ({ ...JSON_TYPE, ...more })),
  ].map((one): { weight: number; arbitrary: Arbitrary<Record<string, string>> } => ({
    weight: 1,
    arbitrary: fc.constant(one),
  })),
);

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

/** What begins, steers or answers runs is asked for more often than what only reads. */
function weightOf(route: string): number {
  if (route.includes("/crons")) return 1;
  return /\/runs(\/wait|\/stream|\/batch|\/cancel)?$|commands|decision|\/state$|approvals/.test(route)
    ? 10
    : 3;
}

/** A request to some route: well-formed more often than not, so that it gets behind the first checks. */
export const anyRequest: Arbitrary<FuzzRequest> = fc
  .oneof(
    ...Object.entries(description.paths).flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        weight: weightOf(route),
        arbitrary: fc.record({
          route: fc.constant(route),
          method: fc.oneof(
            { weight: 40, arbitrary: fc.constant(method.toUpperCase()) },
            { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
          ),
          path: pathOf(route, operation),
          headers,
          body: bodyOf(operation),
        }),
      })),
    ),
  )
  .map((request) => {
    const isBare = request.method === "GET" || request.method === "HEAD";
    return { ...request, body: isBare ? undefined : request.body };
  });
