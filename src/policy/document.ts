import { z } from "zod";
import { DURATION_PATTERN } from "./duration.ts";
import { SCOPES } from "./grants.ts";
import { MASK_PATTERN } from "./mask-pattern.ts";
import { DecisionType, Mode, Tier } from "./tier.ts";
import { When } from "./when.ts";

const Review = z
  .strictObject({
    ask: z
      .enum(["together", "one-by-one"])
      .describe("Whether the questions of one turn are open together or one after the other."),
    onNewInput: z
      .enum(["refuse", "withdraw"])
      .describe("New input while a question is open: refuse it, or withdraw the question first."),
    decisions: z
      .array(DecisionType)
      .min(1)
      .describe("The answers a reviewer is offered. Reject is always among them."),
    timeout: z
      .string()
      .regex(DURATION_PATTERN)
      .describe('How long a question waits, like "30s", "15m", "4h" or "7d".'),
    onTimeout: z.literal("reject").describe("What becomes of a question that nobody answered in time."),
    requireReason: z.array(DecisionType).min(1).describe("The answers that need a reason."),
    remember: z
      .boolean()
      .describe("Whether a decision may be remembered; what is remembered decides nothing where it may not."),
  })
  .partial()
  .meta({ id: "Review", description: "How a call is asked about." });

/** How a call is asked about, as written. */
export type ReviewInput = z.infer<typeof Review>;

const Rule = z
  .strictObject({
    id: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,99}$/u)
      .describe("The name of the rule, shown to reviewers and kept in the record."),
    tools: z
      .array(
        z
          .string()
          .regex(/^[^\s[\]{}!]{1,128}$/)
          .describe("A tool's exact name, or a glob such as `read_*`."),
      )
      .min(1)
      .describe("The tools the rule speaks of. A glob cannot go below a tool's declared risk."),
    when: When.optional().describe("The calls the rule speaks of; every call when absent."),
    tier: Tier,
    reason: z.string().min(1).max(500).optional().describe("Why, in words for the reviewer and the model."),
    review: Review.optional().describe("How these calls are asked about; only tightens."),
  })
  .meta({ id: "Rule", description: "One line of a policy: which calls, which tier." });

/** One line of a policy, as written. */
export type Rule = z.infer<typeof Rule>;

const Grants = z
  .strictObject({
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .describe(
        "For whose calls: of the same thread, of the user who asked, of everyone. Default: `thread`.",
      ),
    maxTtl: z.string().regex(DURATION_PATTERN).describe('For how long at most. Default: "8h".'),
    maxUses: z.number().int().min(1).max(10_000).describe("For how many calls at most. Default: 50."),
  })
  .partial()
  .meta({ id: "Grants" });

const Fatigue = z
  .strictObject({
    repeat: z
      .strictObject({
        afterReject: z
          .enum(["reject", "ask"])
          .describe(
            "A call that was rejected in this thread, with the same arguments again. Default: `reject`.",
          ),
        afterExpiry: z
          .enum(["reject", "ask"])
          .describe("One whose question nobody answered in time. Default: `ask`."),
      })
      .partial()
      .describe("What becomes of a call that was put to people before, in the same thread."),
  })
  .partial()
  .meta({ id: "Fatigue" });
/** What keeps questions from being asked again, as written. */
export type FatigueInput = z.infer<typeof Fatigue>;

const shared = {
  mode: Mode.optional(),
  default: Tier.optional().describe(
    "The tier of a tool with no declared risk, no annotation and no matching rule.",
  ),
  rules: z
    .array(Rule)
    .max(2_000)
    .optional()
    .describe("All matching rules count, the strictest wins, order is irrelevant."),
  review: Review.optional().describe("How every call is asked about."),
  grants: Grants.optional().describe("What of decisions may be remembered at most."),
  fatigue: Fatigue.optional().describe("What keeps questions from being asked again and again."),
  mask: z
    .array(z.string().max(200).regex(MASK_PATTERN))
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Dot paths of arguments that people and logs see as `***`, of whichever tool: `*` is any one key or index, `**` any number of them. The tool gets the whole value.",
    ),
  $schema: z.string().optional().describe("The address of this schema, for editors. Not part of the policy."),
};

/** The JSON of a policy. */
export const PolicyDocument = z
  .strictObject({ version: z.literal(1).describe("The version of the policy language."), ...shared })
  .meta({
    title: "Countersign policy",
    description: "Which tool calls run, which ask first and which never run.",
  });
export type PolicyInput = z.input<typeof PolicyDocument>;

/** The JSON of an overlay: a partial policy that can only tighten. */
export const OverlayDocument = z
  .strictObject({ version: z.literal(1).optional(), ...shared })
  .meta({ title: "Countersign policy overlay" });

/** Every key of a policy that exists in the language but that this version does not enforce. */
export const UNENFORCED: readonly string[] = [
  ...["allowances", "reviewers", "groups", "budget", "rubberStamp", "asksPerRun"],
  ...["quorum", "separateDuties", "by", "escalate", "allowTimeoutApproval"],
];
