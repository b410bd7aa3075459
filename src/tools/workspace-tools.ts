import type { StructuredToolInterface } from "@langchain/core/tools";
import { deleteFileTool, moveFileTool, writeFileTool } from "./change-tools.ts";
import { httpRequestTool } from "./http-tool.ts";
import { listFilesTool, readFileTool } from "./read-tools.ts";
import { runShellTool } from "./shell-tool.ts";
import { sqlQueryTool } from "./sql-tool.ts";

/** Limits of the workspace tools. Times in milliseconds, sizes in bytes. */
export interface WorkspaceToolsOptions {
  /** How much of a file is read. Default 256 KiB. */
  maxReadBytes?: number;
  /** Default 60 s. */
  shellTimeoutMs?: number;
  /** How much of a command's output is kept, both streams together. Default 64 KiB. */
  maxOutputBytes?: number;
  /** Default 30 s. */
  sqlTimeoutMs?: number;
  /** Default 200. */
  maxRows?: number;
  /** Default 30 s. */
  httpTimeoutMs?: number;
  /** How much of an answer's body is read. Default 256 KiB. */
  maxBodyBytes?: number;
  /**
   * Hosts of this machine that `http_request` may send to, as they stand in the address: `127.0.0.1:8080`. Default: none,
   * since the server that decides about calls may listen here.
   */
  localTargets?: readonly string[];
}

/**
 * The tools of the bundled agent, each with its risk declared, working in one folder.
 *
 * No path of a file tool leaves the folder, and none reaches the folder `.countersign` in it. `run_shell` starts there
 * and is held by no such wall: it always asks.
 *
 * @param root the workspace folder. It may be made later; until then every call is an error.
 */
export function workspaceTools(root: string, options: WorkspaceToolsOptions = {}): StructuredToolInterface[] {
  const maxOutputBytes = options.maxOutputBytes ?? 64 * 1024;
  return [
    listFilesTool(root),
    readFileTool(root, options.maxReadBytes ?? 256 * 1024),
    writeFileTool(root),
    moveFileTool(root),
    deleteFileTool(root),
    runShellTool(root, { timeoutMs: options.shellTimeoutMs ?? 60_000, maxBytes: maxOutputBytes }),
    sqlQueryTool(root, {
      timeoutMs: options.sqlTimeoutMs ?? 30_000,
      maxRows: options.maxRows ?? 200,
      maxBytes: maxOutputBytes,
    }),
    httpRequestTool({
      timeoutMs: options.httpTimeoutMs ?? 30_000,
      maxBytes: options.maxBodyBytes ?? 256 * 1024,
      localTargets: options.localTargets ?? [],
    }),
  ];
}
