import Database from "better-sqlite3";
import { afterAll } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Step } from "../../../src/models/index.ts";
import { createServer, type CountersignServer } from "../../../src/wire.ts";
import { agent, call, Effects } from "../bench.ts";
import type { Pool, Ref } from "./values.ts";

/** Tables that a refused request may write to: kept first answers, and the key of one that is made, and what a process says of itself. */
const OWN_MATTERS = new Set([
  ...["keeping_answers", "keeping_keys", "server_answers", "server_processes", "server_duties"],
]);
/** How many of each kind a request may name, the newest first. */
const POOL_SIZE = 12;

const POOL_SQL: Record<Pool, string> = {
  thread: "select thread_id as id from server_threads order by created_at desc",
  approval:
    "select approval_id as id from ledger_approvals order by (status = 'pending') desc, request_seq desc",
  interrupt: `select json_extract(record, '$.interrupt_id') as id from ledger_approvals
    where status = 'pending' order by request_seq desc`,
  run: "select run_id as id from server_runs order by run_id desc",
  assistant: "select assistant_id as id from server_assistants order by created_at desc",
  checkpoint: "select checkpoint_id as id from checkpoints order by checkpoint_id desc",
  call: "select tool_call_id as id from ledger_calls order by started_seq desc",
};

/** What goes on by itself, or will in a moment: no run that waits for a decision, or for a time that is far. */
const GOES_ON = `select run_id from server_runs where status = 'running'
  union all select r.run_id from server_runs r join server_threads t using (thread_id)
    where r.status = 'pending' and t.status <> 'interrupted'
      and coalesce(r.starts_at, '') < strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+5 seconds')
  union all select thread_id from server_threads where lane_owner is not null limit 1`;

/** A change of one row, as a trigger saw it. */
interface Change {
  id: number;
  what: string;
}

/** One server on a file of its own, whose every written row is seen. */
export class World {
  readonly server: CountersignServer;
  readonly folder: string;
  readonly errors: unknown[];
  readonly effects: Effects;
  readonly #look: Database.Database;
  #seen = 0;

  private constructor(folder: string, server: CountersignServer, effects: Effects, errors: unknown[]) {
    this.folder = folder;
    this.server = server;
    this.effects = effects;
    this.errors = errors;
    this.#look = new Database(join(folder, "state.db"));
    watch(this.#look);
  }

  static async open(): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), "countersign-fuzz-"));
    const effects = new Effects();
    const errors: unknown[] = [];
    const server = await createServer({
      config: {
        graphs: {
          agent: agent(
            effects,
            Array.from({ length: 500 }, () => reply),
          ),
        },
      },
      store: `file:${join(folder, "state.db")}`,
      port: 0,
      logger: {
        error(_message, error) {
          if (!isForeign(error)) errors.push(error);
        },
      },
    });
    const world = new World(folder, server, effects, errors);
    afterAll(() => world.#close());
    await server.start();
    return world;
  }

  async #close(): Promise<void> {
    this.#look.close();
    await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  find({ pool, index }: Ref): string {
    const ids = this.#look.prepare<[], { id: string }>(`${POOL_SQL[pool]} limit ${POOL_SIZE}`).all();
    return ids[index % Math.max(1, ids.length)]?.id ?? "00000000-0000-7000-8000-000000000000";
  }

  /** What was written since this was asked last, but for what every request may write. */
  changes(): string[] {
    const rows = this.#look
      .prepare<[number], Change>("select id, what from fuzz_changes where id > ?")
      .all(this.#seen);
    this.#seen = rows.at(-1)?.id ?? this.#seen;
    return rows.map(({ what }) => what);
  }

  isRunning(): boolean {
    return this.#look.prepare(GOES_ON).get() !== undefined;
  }
}

/** Nobody listens where webhooks of these requests go. */
function isForeign(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("The webhook of run");
}

/** Notes each written row, whoever writes it, but for which process works on a thread right now. */
function watch(database: Database.Database): void {
  const tables = database
    .prepare<[], { name: string }>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !OWN_MATTERS.has(name));
  database.exec("create table fuzz_changes (id integer primary key, what text)");
  for (const table of tables) {
    const columns = database
      .prepare<[], { name: string }>(`select name from pragma_table_info('${table}')`)
      .all();
    const told = columns.map(({ name }) => name).filter((name) => name !== "lane_owner");
    const isOther = `when ${told.map((name) => `old."${name}" is not new."${name}"`).join(" or ")}`;
    for (const verb of ["insert", "update", "delete"])
      database.exec(
        `create trigger fuzz_${table}_${verb} after ${verb} on ${table} ${verb === "update" ? isOther : ""}
         begin insert into fuzz_changes (what) values ('${verb} ${table}'); end`,
      );
  }
}

/** What the model says follows from what the user said last. */
const reply: Step = (messages) => {
  const last = messages.at(-1);
  const said = last?.type === "human" ? last.text : "";
  const path = `p${messages.length}`;
  if (said === "delete") return { tool_calls: [call("delete_file", { path })] };
  if (said === "read") return { tool_calls: [call("read_file", { path })] };
  if (said === "both") return { tool_calls: [call("delete_file", { path }), call("read_file", { path })] };
  if (said === "fail") throw new Error("The model does not answer.");
  return { content: "done" };
};
