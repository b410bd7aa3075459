export { ask, askOne, isConstraintError } from "./database.ts";
export type { ThreadIds } from "./among.ts";
export type { Database, Dialect, Migration, OpenOptions, Read, Work } from "./database.ts";
export { Operation } from "./operation.ts";
export { openDatabase } from "./open-database.ts";
export { verifyDatabase } from "./verify-database.ts";
