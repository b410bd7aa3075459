import { createApprovalRoutes } from "countersign";

/** The routes about approvals, for servers that run the graphs themselves, as `langgraphjs dev` does. */
export const app = await createApprovalRoutes();
