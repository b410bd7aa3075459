import { z } from "@hono/zod-openapi";

/** A problem document, as each error is answered. */
export const ProblemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    code: z.string().describe("Stable; what programs look at."),
    detail: z.string().describe("For people: what is wrong, where, and what to do."),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

/** The answer of every route that fails. */
export const problemAnswer = {
  description: "A problem document (RFC 9457) with a stable `code`.",
  content: { "application/problem+json": { schema: ProblemSchema } },
};

export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

export function jsonBody<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { required: true, description, content: { "application/json": { schema } } };
}

export const ThreadId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, "letters, digits and ._:-, at most 128")
  .describe("The thread, of letters, digits and `._:-`.");

const SECONDS = "must be a number of seconds from 0 to 60";

export const Wait = z.coerce
  .number({ error: SECONDS })
  .min(0, SECONDS)
  .max(60, SECONDS)
  .openapi({ type: "number" })
  .optional()
  .describe("Seconds to hold the answer, from 0 to 60.");
