import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { postgresUrl } from "../setup/postgres.ts";
import { bench } from "./bench.ts";

const url = postgresUrl();
const stores: [string, string | undefined][] = [["SQLite", undefined]];
if (url !== undefined) stores.push(["PostgreSQL", url]);

describe.each(stores)("saved assistants on %s", (_name, store) => {
  it("get one version for each of several changes at once, and any text", async () => {
    const server = await bench([], store === undefined ? {} : { store });
    const { assistants } = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
    const name = "nul \0 and 🌍";
    const { assistant_id } = await assistants.create({ graphId: "agent", name, metadata: { name } });
    const ids = [1, 2, 3, 4, 5];
    await Promise.all(ids.map((id) => assistants.update(assistant_id, { metadata: { [`m${id}`]: id } })));
    const versions = await assistants.getVersions(assistant_id);
    expect(versions.map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
    const latest = await assistants.get(assistant_id);
    expect(latest).toMatchObject({ version: 6, name, metadata: { name, m1: 1, m2: 2, m3: 3, m4: 4, m5: 5 } });
    expect(await assistants.search({ metadata: { name } })).toEqual([latest]);
    await assistants.delete(assistant_id);
    expect(await assistants.count()).toBe(1);
  });

  it("answer a save that comes twice at once with one assistant", async () => {
    const server = await bench([], store === undefined ? {} : { store });
    const { assistants } = new Client({ apiUrl: server.url, callerOptions: { maxRetries: 0 } });
    const assistantId = "0d2f6d3e-6b0e-4c56-9b86-4b1f0f0f0f0f";
    const save = () => assistants.create({ graphId: "agent", assistantId, ifExists: "do_nothing" });
    const [one, other] = await Promise.all([save(), save()]);
    expect(one).toEqual(other);
    await assistants.delete(assistantId);
  });
});
