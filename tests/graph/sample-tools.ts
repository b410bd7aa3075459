import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { withRisk } from "../../src/graph/index.ts";

/** What tools did, in order, so that a test can say what had an effect. */
export interface Effects {
  deleted: string[];
  read: string[];
  noted: string[];
  wiped: string[];
  paid: { to: string; amount: number }[];
}

export function noEffects(): Effects {
  return { deleted: [], read: [], noted: [], wiped: [], paid: [] };
}

/** A tool for each tier: read_file runs, note is announced, delete_file and pay ask, wipe never runs. */
export function sampleTools(effects: Effects) {
  const path = z.object({ path: z.string().min(1) });
  const remove = tool(
    (args) => {
      effects.deleted.push(args.path);
      return `deleted ${args.path}`;
    },
    { name: "delete_file", description: "Deletes a file.", schema: path },
  );
  const read = tool(
    (args) => {
      effects.read.push(args.path);
      return `contents of ${args.path}`;
    },
    { name: "read_file", description: "Reads a file.", schema: path },
  );
  const note = tool(
    (args) => {
      effects.noted.push(args.text);
      return "noted";
    },
    { name: "note", description: "Writes a note.", schema: z.object({ text: z.string() }) },
  );
  const wipe = tool(
    (args) => {
      effects.wiped.push(args.path);
      return "wiped";
    },
    { name: "wipe", description: "Wipes a disk.", schema: path },
  );
  const pay = tool(
    (args) => {
      effects.paid.push(args);
      return `paid ${args.amount} to ${args.to}`;
    },
    {
      name: "pay",
      description: "Pays somebody.",
      schema: z.object({ to: z.string(), amount: z.number().positive() }),
    },
  );
  return [
    withRisk(remove, "approve"),
    withRisk(read, "auto", { readOnly: true }),
    withRisk(note, "suggest"),
    withRisk(wipe, "deny"),
    withRisk(pay, "approve"),
  ];
}
