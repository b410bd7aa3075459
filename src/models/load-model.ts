import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MODEL_PROVIDER_CONFIG, initChatModel } from "langchain/chat_models/universal";
import { ModelError } from "./model-error.ts";
import { rehearsalModel } from "./rehearsal-model.ts";

type Provider = keyof typeof MODEL_PROVIDER_CONFIG;

// Where one of these is set, the provider's package finds its key. Other providers name what they miss themselves.
const KEYS: Partial<Record<Provider, readonly string[]>> = {
  openai: ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY"],
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  cohere: ["COHERE_API_KEY"],
  "google-genai": ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
  mistralai: ["MISTRAL_API_KEY"],
  groq: ["GROQ_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  xai: ["XAI_API_KEY"],
  cerebras: ["CEREBRAS_API_KEY"],
  fireworks: ["FIREWORKS_API_KEY"],
  together: ["TOGETHER_AI_API_KEY"],
  perplexity: ["PERPLEXITY_API_KEY"],
};

/**
 * The chat model that a setting names.
 *
 * @param spec a chat model, returned as it is; "rehearsal"; or "provider:model" as LangChain's `initChatModel` reads
 *   it ("openai:gpt-5", "anthropic:claude-sonnet-4-5"). Without a provider it is told from the model's name.
 * @param fields what the provider's class takes beside the model's name: `apiKey`, `temperature`, `configuration`, …
 *   Addresses and keys in the provider's own environment variables work without it.
 * @throws {ModelError} `model_unknown`, `model_package_missing` (names the package) or `model_key_missing`.
 */
export async function loadModel(
  spec: string | BaseChatModel,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<BaseChatModel> {
  if (typeof spec !== "string") return spec;
  const text = spec.trim();
  if (text === "rehearsal") return rehearsalModel();
  const { provider, model } = split(text);
  try {
    const found = await initChatModel(
      model,
      provider === undefined ? { ...fields } : { ...fields, modelProvider: provider },
    );
    // The wrapper would let a run's `configurable` change the model; the instance behind it listens to nobody.
    const instance = await found._getModelInstance();
    requireKey(text, provider ?? providerOf(instance), fields);
    return instance;
  } catch (error) {
    throw explain(error, text, provider, fields);
  }
}

function split(spec: string): { provider: Provider | undefined; model: string } {
  const colon = spec.indexOf(":");
  const provider = spec.slice(0, colon);
  const model = spec.slice(colon + 1).trim();
  if (spec === "" || colon === 0 || (colon > 0 && model === "")) {
    throw new ModelError(
      "model_unknown",
      `The model ${JSON.stringify(spec)} is not of the form "provider:model". ${EXAMPLES}`,
    );
  }
  if (colon === -1) return { provider: undefined, model: spec };
  if (!isProvider(provider)) {
    const known = Object.keys(MODEL_PROVIDER_CONFIG).join(", ");
    throw new ModelError(
      "model_unknown",
      `Unknown provider ${JSON.stringify(provider)} in the model ${JSON.stringify(spec)}. Known are: rehearsal, ${known}.`,
    );
  }
  return { provider, model };
}

const EXAMPLES = 'Use "rehearsal", or for example "openai:gpt-5" or "anthropic:claude-sonnet-4-5".';

function isProvider(text: string): text is Provider {
  return Object.hasOwn(MODEL_PROVIDER_CONFIG, text);
}

function providerOf(instance: BaseChatModel): Provider | undefined {
  const name = instance.constructor.name;
  return Object.keys(MODEL_PROVIDER_CONFIG)
    .filter(isProvider)
    .find((provider) => MODEL_PROVIDER_CONFIG[provider].className === name);
}

function requireKey(
  spec: string,
  provider: Provider | undefined,
  fields: Readonly<Record<string, unknown>>,
): void {
  const names = provider === undefined ? undefined : KEYS[provider];
  if (names === undefined || fields["apiKey"] !== undefined) return;
  if (names.some((name) => (process.env[name] ?? "") !== "")) return;
  throw keyMissing(spec, names[0]);
}

function keyMissing(spec: string, name: string | undefined, cause?: unknown): ModelError {
  const set = name === undefined ? "Set the key of its provider" : `Set ${name}`;
  return new ModelError(
    "model_key_missing",
    `The model ${JSON.stringify(spec)} needs a key. ${set}, or use the model "rehearsal", which needs none.`,
    { cause },
  );
}

function explain(
  error: unknown,
  spec: string,
  provider: Provider | undefined,
  fields: Readonly<Record<string, unknown>>,
): ModelError {
  if (error instanceof ModelError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const missing = /Unable to import (\S+?)\.? |Cannot find (?:package|module) '([^']+)'/u.exec(text);
  if (missing !== null) {
    const name =
      provider === undefined ? (missing[1] ?? missing[2]) : MODEL_PROVIDER_CONFIG[provider].package;
    return new ModelError(
      "model_package_missing",
      `The model ${JSON.stringify(spec)} needs the package "${name}". Install it: npm install ${name}`,
      { cause: error },
    );
  }
  if (fields["apiKey"] === undefined && /api[ _-]?key|credentials/iu.test(text)) {
    return keyMissing(spec, provider === undefined ? undefined : KEYS[provider]?.[0], error);
  }
  const line = text.split("\n")[0] ?? "";
  return new ModelError(
    "model_unknown",
    `The model ${JSON.stringify(spec)} cannot be loaded: ${line} ${EXAMPLES}`,
    {
      cause: error,
    },
  );
}
