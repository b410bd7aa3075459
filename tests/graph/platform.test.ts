import {
  Command,
  interrupt,
  MemorySaver,
  Send,
  StateGraph,
  START,
  END,
  task,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  addressedAnswers,
  fillPosition,
  forgetAnswer,
  isNested,
  placeOf,
  readState,
  seekPosition,
  setTaskInput,
  STRICT_RESUME,
  type Place,
} from "../../src/graph/platform.ts";

// Each test leans on one private matter of LangGraph and fails when a release moves it.

type Body = (config: LangGraphRunnableConfig) => unknown;

/** A graph of one node that is sent once, or as often as `count` says. */
function graphOf(body: Body, count = 1) {
  const State = z.object({ seen: z.array(z.string()).default(() => []) });
  const graph = new StateGraph(State)
    .addNode("work", async (_state, config) => {
      await body(config);
      return {};
    })
    .addConditionalEdges(START, () => Array.from({ length: count }, (_, n) => new Send("work", { n })))
    .addEdge("work", END)
    .compile({ checkpointer: new MemorySaver() });
  const config = (more: object = {}) => ({
    configurable: { thread_id: "t", ...more },
    durability: "sync" as const,
  });
  return {
    graph,
    enter: (input: unknown, more?: object) =>
      graph.invoke(input as never, config(more) as never) as unknown as Promise<{
        __interrupt__?: { id: string; value: unknown }[];
      }>,
  };
}

const input = { seen: ["first"] };

describe("what is read of LangGraph's private matters", () => {
  it("tells where a task stands: thread, task, path, checkpoint, checkpointer", async () => {
    const places: Place[] = [];
    const { graph, enter } = graphOf((config) => {
      places.push(placeOf(config));
      interrupt("wait");
    });
    await enter(input, { graph_id: "g", assistant_id: "a", run_id: "r" });
    const state = await graph.getState({ configurable: { thread_id: "t" } });
    expect(places).toEqual([
      {
        thread_id: "t",
        task_id: state.tasks[0]?.id,
        path: "",
        checkpoint_id: state.config.configurable?.["checkpoint_id"] as unknown,
        run_id: "r",
        graph_id: "g",
        assistant_id: "a",
        has_checkpointer: true,
      },
    ]);
    await enter(new Command({ resume: 1 }));
    expect(places[1]).toMatchObject({ task_id: places[0]?.task_id, checkpoint_id: places[0]?.checkpoint_id });
  });

  it("tells the root's checkpoint and the path also deep inside", async () => {
    const places: Place[] = [];
    const inner = new StateGraph(z.object({ x: z.number().default(0) }))
      .addNode("deep", (_state, config) => {
        places.push(placeOf(config));
        return {};
      })
      .addEdge(START, "deep")
      .compile();
    const { enter } = graphOf(async (config) => {
      places.push(placeOf(config));
      await task("call", async () => inner.invoke({ x: 1 }))();
    });
    await enter(input);
    const [outer, deep] = places;
    expect(deep?.checkpoint_id).toBe(outer?.checkpoint_id);
    expect(deep?.path.split("|").map((part) => part.split(":")[0])).toEqual(["work", "call"]);
    expect(deep?.has_checkpointer).toBe(true);
  });

  it("tells that a graph is called from inside another", async () => {
    const seen: boolean[] = [];
    const { enter } = graphOf((config) => void seen.push(isNested(config)));
    await enter(input);
    expect(seen).toEqual([true]);
    expect(isNested({ configurable: { thread_id: "t" } })).toBe(false);
    expect(isNested(undefined)).toBe(false);
  });

  it("finds answers that were addressed, and none where an answer was bare", async () => {
    const seen: Record<string, unknown>[] = [];
    const { enter } = graphOf((config) => {
      seen.push({ ...addressedAnswers(config) });
      interrupt("one");
      interrupt("two");
    });
    const first = (await enter(input)).__interrupt__?.[0]?.id ?? "";
    await enter(new Command({ resume: { [first]: "yes" } }));
    await enter(new Command({ resume: "bare" }));
    expect(seen).toEqual([{}, { [first]: "yes" }, {}]);
  });

  it("reads channels of the state", async () => {
    let state: unknown;
    const { enter } = graphOf((config) => (state = readState(config, ["seen"])));
    await enter(input);
    expect(state).toEqual({ seen: ["first"] });
    expect(readState({ configurable: {} }, ["seen"])).toEqual({});
  });

  it("may say what a task's input was", async () => {
    const { getCurrentTaskInput } = await import("@langchain/langgraph");
    let seen: unknown;
    const { enter } = graphOf((config) => {
      setTaskInput(config, { other: 1 });
      seen = getCurrentTaskInput(config);
    });
    await enter(input);
    expect(seen).toEqual({ other: 1 });
  });
});

describe("what is changed of a task's answers", () => {
  it("lets an interrupt keep its id when an answer is forgotten", async () => {
    const { enter } = graphOf((config) => {
      const answer: unknown = interrupt("one");
      if (answer !== "bad") return;
      forgetAnswer(config, 0);
      seekPosition(config, 0);
      interrupt("one again");
    });
    const first = (await enter(input)).__interrupt__?.[0];
    const again = (await enter(new Command({ resume: { [first?.id ?? ""]: "bad" } }))).__interrupt__?.[0];
    expect(again).toEqual({ id: first?.id, value: "one again" });
  });

  it("forgets a bare answer too", async () => {
    const { enter } = graphOf((config) => {
      forgetAnswer(config, 0);
      interrupt("one");
    });
    await enter(input);
    expect((await enter(new Command({ resume: "bare" }))).__interrupt__).toHaveLength(1);
  });

  it("gives the next interrupt another id when a position is filled", async () => {
    const { enter } = graphOf((config) => {
      try {
        interrupt("one");
      } catch {
        fillPosition(config, 0, "settled elsewhere");
      }
      interrupt("two");
    });
    const other = graphOf(() => interrupt("one"));
    const two = (await enter(input)).__interrupt__?.[0];
    const one = (await other.enter(input)).__interrupt__?.[0];
    expect(two?.value).toBe("two");
    expect(two?.id).not.toBe(one?.id);
  });

  it("refuses what names nothing when strictness is on", async () => {
    const { enter } = graphOf(() => interrupt("one"), 2);
    await enter(input);
    const strict = { [STRICT_RESUME]: true };
    await expect(enter(new Command({ resume: "bare" }), strict)).rejects.toThrow(/multiple pending/);
    await expect(enter(new Command({ resume: { ["0".repeat(32)]: 1 } }), strict)).rejects.toThrow(/Unknown/);
  });
});
