import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { ask, askOne, type Database } from "../../ledger/sql/index.ts";
import { StartError } from "../start-error.ts";

interface OwnerRow {
  slot: number;
  owner_id: string;
  pid: number;
  host: string;
  beat_ms: number;
}

interface ServerTables {
  server_owner: OwnerRow;
}

/** How often an owner shows that it is alive, and after how long without that it counts as gone; in milliseconds. */
const BEAT_MS = 2_000;
const STALE_MS = 6_000;
const LOOK_MS = 250;

/** Owners of this process: whether they are alive is known without looking at the process table. */
const ours = new Set<string>();

/** The right to serve a store, which one server has at a time. */
export interface StoreLease {
  release(): Promise<void>;
}

/**
 * Takes a SQLite file for one server; PostgreSQL is left to whoever runs it. An owner whose process is gone is replaced
 * at once where that can be seen, else after it has shown nothing for 6 s, which `onError` is told of.
 *
 * @param onLost is called when another server has taken the store over, as after this machine was asleep.
 * @throws {StartError} `store_in_use` when its owner is alive.
 */
export async function takeStore(
  database: Database,
  { onError, onLost }: { onError: (error: unknown) => void; onLost: () => void },
): Promise<StoreLease> {
  if (database.dialect !== "sqlite") return { release: () => Promise.resolve() };
  const owner_id = randomUUID();
  const mine = (): OwnerRow => ({
    ...{ slot: 1, owner_id, pid: process.pid, host: hostname(), beat_ms: Date.now() },
  });
  ours.add(owner_id);
  try {
    for (let first: OwnerRow | undefined; ;) {
      const held = await claim(database, mine(), (row) => isGone(row));
      if (held === undefined) break;
      if (first === undefined && !ours.has(held.owner_id))
        onError(
          `The store may be in use by process ${held.pid} on ${held.host}. Waiting for up to 6 s to see.`,
        );
      first ??= held;
      const isAlive = held.owner_id !== first.owner_id || held.beat_ms !== first.beat_ms;
      if (isAlive || ours.has(held.owner_id)) throw inUse(held);
      await wait(LOOK_MS);
    }
  } catch (error) {
    ours.delete(owner_id);
    throw error;
  }
  let beating = Promise.resolve();
  const beat = async (): Promise<void> => {
    if ((await renew(database, mine())) || !ours.delete(owner_id)) return;
    clearInterval(timer);
    const message = "Another server has taken over the store of this one, which stops. Start it again alone.";
    onError(new StartError("store_in_use", message));
    onLost();
  };
  // A store that cannot be written is told of by whatever else writes to it.
  const timer = setInterval(() => {
    beating = beating.then(beat).catch(() => undefined);
  }, BEAT_MS).unref();
  return {
    async release() {
      clearInterval(timer);
      await beating;
      ours.delete(owner_id);
      await remove(database, owner_id).catch(() => undefined);
    },
  };
}

/** Whether an owner cannot be alive any more. */
function isGone({ owner_id, pid, host, beat_ms }: OwnerRow): boolean {
  if (ours.has(owner_id)) return false;
  // An owner of another clock may have a time that is still to come.
  if (Math.abs(Date.now() - beat_ms) > STALE_MS) return true;
  // With this process's own id it was an earlier one, as in a container, where they begin anew.
  return host === hostname() && (pid === process.pid || !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Becomes the owner where there is none, or one that is gone; else gives the one there is. */
async function claim(
  database: Database,
  mine: OwnerRow,
  isGone: (row: OwnerRow) => boolean,
): Promise<OwnerRow | undefined> {
  const build = database.builder<ServerTables>();
  return database.run(function* () {
    const held = yield* askOne(build.selectFrom("server_owner").selectAll().compile());
    if (held && !isGone(held)) return held;
    yield* ask(build.deleteFrom("server_owner").compile());
    yield* ask(build.insertInto("server_owner").values(mine).compile());
    return undefined;
  });
}

async function renew(database: Database, { owner_id, beat_ms }: OwnerRow): Promise<boolean> {
  const update = database
    .builder<ServerTables>()
    .updateTable("server_owner")
    .set({ beat_ms })
    .where("owner_id", "=", owner_id)
    .returning("owner_id")
    .compile();
  return (await database.run(() => askOne(update))) !== undefined;
}

async function remove(database: Database, owner_id: string): Promise<void> {
  const drop = database
    .builder<ServerTables>()
    .deleteFrom("server_owner")
    .where("owner_id", "=", owner_id)
    .compile();
  await database.run(() => ask(drop));
}

function inUse({ pid, host }: OwnerRow): StartError {
  const message = `The store is in use by another server, process ${pid} on ${host}. Stop that one, or give another store.`;
  return new StartError("store_in_use", message);
}
