export { loadModel } from "./load-model.ts";
export { ModelError } from "./model-error.ts";
export { assertProviderValid } from "./provider-valid.ts";
export { RehearsalModel, rehearsalModel } from "./rehearsal-model.ts";
export { ScriptedModel, scriptedModel } from "./scripted-model.ts";
export { withoutRepairedCalls } from "./unrepaired.ts";

export type { ModelErrorCode } from "./model-error.ts";
export type {
  ScriptedCall,
  ScriptedInvalidCall,
  ScriptedModelOptions,
  ScriptedReply,
  Step,
} from "./scripted-model.ts";
