import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";

/**
 * A checkpointer that reads what another one has and keeps what is written to itself until it is committed. So a write
 * can be looked at, and thrown away, before anything of it is stored.
 *
 * It is for one thread, and nothing may write to that thread meanwhile.
 */
export class Draft extends BaseCheckpointSaver {
  readonly #base: BaseCheckpointSaver;
  readonly #tuples = new Map<string, CheckpointTuple>();
  readonly #writes = new Map<string, CheckpointPendingWrite[]>();
  /** The newest drafted checkpoint, by namespace. */
  readonly #heads = new Map<string, string>();
  readonly #log: (() => Promise<unknown>)[] = [];

  constructor(base: BaseCheckpointSaver) {
    super(base.serde);
    this.#base = base;
  }

  /** Writes to the other checkpointer what was written here, in the same order. */
  async commit(): Promise<void> {
    for (const write of this.#log.splice(0)) await write();
  }

  /** Reads on as if these writes were stored. They never are. */
  pretend(config: RunnableConfig, writes: CheckpointPendingWrite[]): void {
    const { checkpoint_ns = "", checkpoint_id = "" } = placeOf(config);
    const key = keyOf(checkpoint_ns, checkpoint_id);
    this.#writes.set(key, [...(this.#writes.get(key) ?? []), ...writes]);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = placeOf(config);
    if (thread_id === undefined) return undefined;
    const id = checkpoint_id ?? this.#heads.get(checkpoint_ns);
    const drafted = id === undefined ? undefined : this.#tuples.get(keyOf(checkpoint_ns, id));
    const tuple = drafted ?? (await this.#base.getTuple(config));
    if (tuple === undefined) return undefined;
    const added = this.#writes.get(keyOf(checkpoint_ns, tuple.checkpoint.id)) ?? [];
    // In the order of their tasks, as a store gives them.
    const pendingWrites = [...(tuple.pendingWrites ?? []), ...added].sort(([one], [other]) =>
      one === other ? 0 : one < other ? -1 : 1,
    );
    return this.#stored({ ...tuple, pendingWrites }, tuple.checkpoint);
  }

  /** Lists what is stored: the draft itself is only ever read one by one. */
  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#base.list(config, options);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread_id, checkpoint_ns = "", checkpoint_id: parent } = placeOf(config);
    if (thread_id === undefined) throw new TypeError('"thread_id" is missing: whose checkpoint is this?');
    const placed = { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
    const parentConfig = parent && { configurable: { thread_id, checkpoint_ns, checkpoint_id: parent } };
    const tuple = { config: placed, checkpoint, metadata, ...(parentConfig && { parentConfig }) };
    this.#tuples.set(keyOf(checkpoint_ns, checkpoint.id), await this.#stored(tuple, checkpoint));
    this.#heads.set(checkpoint_ns, checkpoint.id);
    this.#log.push(() => this.#base.put(config, checkpoint, metadata, newVersions));
    return placed;
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = placeOf(config);
    if (thread_id === undefined || checkpoint_id === undefined)
      throw new TypeError(
        '"thread_id" or "checkpoint_id" is missing: to which checkpoint do these writes belong?',
      );
    const key = keyOf(checkpoint_ns, checkpoint_id);
    const added = writes.map(([channel, value]): CheckpointPendingWrite => [taskId, channel, value]);
    const [type, data] = await this.serde.dumpsTyped(added);
    const stored = (await this.serde.loadsTyped(type, data)) as CheckpointPendingWrite[];
    this.#writes.set(key, [...(this.#writes.get(key) ?? []), ...stored]);
    this.#log.push(() => this.#base.putWrites(config, writes, taskId));
  }

  override getNextVersion(current: number | undefined): number {
    return this.#base.getNextVersion(current);
  }

  override deleteThread(): Promise<void> {
    return Promise.reject(new TypeError("A draft deletes nothing."));
  }

  /** The tuple as a store would give it back: what cannot be stored fails here. */
  async #stored(tuple: CheckpointTuple, checkpoint: Checkpoint): Promise<CheckpointTuple> {
    const [type, data] = await this.serde.dumpsTyped(checkpoint);
    return { ...tuple, checkpoint: (await this.serde.loadsTyped(type, data)) as Checkpoint };
  }
}

function placeOf(config: RunnableConfig): {
  thread_id?: string;
  checkpoint_ns?: string;
  checkpoint_id?: string;
} {
  return config.configurable ?? {};
}

function keyOf(checkpoint_ns: string, checkpoint_id: string): string {
  return `${checkpoint_ns}\n${checkpoint_id}`;
}
