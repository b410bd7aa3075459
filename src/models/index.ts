export { ModelError } from "./model-error.ts";
export { assertProviderValid } from "./provider-valid.ts";
export { ScriptedModel, scriptedModel } from "./scripted-model.ts";

export type { ModelErrorCode } from "./model-error.ts";
export type {
  ScriptedCall,
  ScriptedInvalidCall,
  ScriptedModelOptions,
  ScriptedReply,
  Step,
} from "./scripted-model.ts";
