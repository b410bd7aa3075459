import { nearest, parseOverlay, PolicyError } from "../../policy/index.ts";

/** What a client says of how a graph with a gate of ours is run. */
interface Said {
  context?: Record<string, unknown> | null | undefined;
  configurable?: Record<string, unknown> | null | undefined;
}

/**
 * Refuses a context whose policy or mode the gate could not read, or would not find: a policy that its sender believes
 * in and nobody applies is worse than none.
 *
 * @param what whose context it is, for the message.
 * @throws {PolicyError} with the path in the request.
 */
export function checkOverlay({ context, configurable }: Said, what: string): void {
  const { policy, mode, ...others } = context ?? {};
  if (policy !== undefined) at("context.policy", what, () => parseOverlay(policy));
  if (mode !== undefined) at("context", what, () => parseOverlay({ mode }));
  const misspelt = Object.keys(others).find((key) => nearest(key, ["policy"]) !== undefined);
  if (misspelt !== undefined)
    throw refusal(`context.${misspelt}`, 'is nothing that the gate reads; did you mean "policy"?', what);
  if (configurable?.["policy"] !== undefined)
    throw refusal("config.configurable.policy", 'is not read there; send it as "context.policy"', what);
}

/** Says where in the request it is what a policy is refused for. */
function at(place: string, what: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const errors = error.errors.map(({ path, message }) => ({
      path: path === "" ? place : `${place}.${path}`,
      message,
    }));
    throw new PolicyError(errors, what);
  }
}

function refusal(path: string, message: string, what: string): PolicyError {
  return new PolicyError([{ path, message }], what);
}
