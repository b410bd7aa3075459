import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const folder = fileURLToPath(new URL("../../notebooks/", import.meta.url));
const deno = fileURLToPath(new URL("../../node_modules/.bin/deno", import.meta.url));

/** A cell of a notebook, as far as it matters here. Texts are lists of lines. */
export interface Cell {
  cell_type: "code" | "markdown";
  source: string[] | string;
  execution_count?: number | null;
  outputs?: Output[];
  metadata: Record<string, unknown>;
}

export interface Output {
  output_type: "stream" | "execute_result" | "display_data" | "error";
  name?: string;
  text?: string[];
  data?: Record<string, unknown>;
  evalue?: string;
}

export interface Notebook {
  cells: Cell[];
  metadata: Record<string, unknown>;
}

/** The names of the notebooks. */
export function notebooks(): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(".ipynb"));
}

/**
 * Runs a notebook with the Deno kernel, from its own folder.
 *
 * @throws when a cell throws, with what it threw.
 */
export async function execute(jupyter: string, name: string): Promise<Notebook> {
  const place = mkdtempSync(join(tmpdir(), "countersign-notebook-"));
  try {
    const kernel = join(place, "kernels/deno");
    mkdirSync(kernel, { recursive: true });
    const argv = [deno, "jupyter", "--kernel", "--conn", "{connection_file}"];
    writeFileSync(
      join(kernel, "kernel.json"),
      JSON.stringify({ argv, display_name: "Deno", language: "typescript" }),
    );
    const { stdout } = await promisify(execFile)(
      jupyter,
      ["--to", "notebook", "--execute", "--stdout", "--log-level=ERROR", join(folder, name)],
      {
        env: { ...process.env, JUPYTER_PATH: place, JUPYTER_RUNTIME_DIR: place, NO_COLOR: "1" },
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    return withoutTimes(JSON.parse(stdout) as Notebook);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A notebook without what differs from run to run. */
function withoutTimes({ cells, metadata, ...rest }: Notebook): Notebook {
  const { kernelspec } = metadata;
  return {
    ...rest,
    cells: cells.map((cell) => ({ ...cell, metadata: {} })),
    metadata: { kernelspec },
  };
}

/** What the cells of a notebook gave, one entry for each cell with code. */
export function outputsOf({ cells }: Notebook): Output[][] {
  return cells.flatMap(({ outputs }) => (outputs === undefined ? [] : [outputs]));
}

/**
 * A notebook with, in each cell, the longest output of two runs: the kernel may lose the end of one, which is no fault of
 * the notebook.
 */
export function fullest(a: Notebook, b: Notebook): Notebook {
  const length = (cell: Cell | undefined) => JSON.stringify(cell?.outputs ?? null).length;
  return {
    ...a,
    cells: a.cells.map((cell, at) => (length(b.cells[at]) > length(cell) ? (b.cells[at] ?? cell) : cell)),
  };
}
