import { z } from "zod";
import { Allowance, Fatigue, FatigueOverlay, Grants } from "./fatigue-document.ts";
import { MASK_PATTERN } from "./mask-pattern.ts";
import { AutomaticReviewer, Groups } from "./people-document.ts";
import { Review } from "./review-document.ts";
import { Mode, Tier } from "./tier.ts";
import { When } from "./when.ts";

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

const ownersOnly = {
  fatigue: Fatigue.optional().describe("What keeps reviewers awake."),
  allowances: z
    .array(Allowance)
    .min(1)
    .max(200)
    .optional()
    .describe("Calls that would be asked about and run without, as long as a sum stays small."),
  reviewers: z
    .array(AutomaticReviewer)
    .min(1)
    .max(20)
    .optional()
    .describe("Automatic reviewers, asked in this order before a person."),
  groups: Groups.optional().describe("Groups of reviewers: the ids of their members."),
};

/** The JSON of a policy. */
export const PolicyDocument = z
  .strictObject({
    version: z.literal(1).describe("The version of the policy language."),
    ...shared,
    ...ownersOnly,
  })
  .meta({
    title: "Countersign policy",
    description: "Which tool calls run, which ask first and which never run.",
  });
export type PolicyInput = z.input<typeof PolicyDocument>;

/** The JSON of an overlay: a partial policy that can only tighten. */
export const OverlayDocument = z
  .strictObject({
    version: z.literal(1).optional(),
    ...shared,
    fatigue: FatigueOverlay.optional().describe("How often people are asked."),
  })
  .meta({ title: "Countersign policy overlay" });

/** The keys that only the owner's own policy may have. */
export const OWNERS_ONLY: readonly string[] = ["allowances", "reviewers", "groups", "rubberStamp"];
