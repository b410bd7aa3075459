/*
 * What a user of the package may write, checked by the compiler: each line either compiles or says that it must not.
 * `npm run typecheck` and public-surface.test.ts compile this file; it is never run.
 */
import type * as countersign from "countersign";

// @ts-expect-error: what is not exported from the root is not public.
export type Missing = typeof countersign.notPublic;
