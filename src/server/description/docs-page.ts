import { createHash } from "node:crypto";
import type { openApiOf } from "./open-api.ts";

type Description = ReturnType<typeof openApiOf>;

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color-scheme: light dark }
  table { border-collapse: collapse; width: 100% }
  td { border-top: 1px solid #8884; padding: .4rem .6rem; vertical-align: top }
`;

/** What a browser lets the page do: show itself with its own style, and nothing else. */
export const DOCS_POLICY =
  `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** One page that lists the routes. It loads nothing from anywhere. */
export function docsPage(description: Description): string {
  const rows = Object.entries(description.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { summary?: string; description?: string }>).map(
      ([method, { summary = "", description: more = "" }]) =>
        `<tr><td><code>${escape(method.toUpperCase())}</code></td><td><code>${escape(path)}</code></td>` +
        `<td>${escape(summary)}${more ? `<br><small>${escape(more)}</small>` : ""}</td></tr>`,
    ),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign API</title>
<style>${STYLE}</style>
<h1>Countersign API ${escape(description.info.version)}</h1>
<p>The whole description is <a href="openapi.json">openapi.json</a>.</p>
<table>${rows.join("\n")}</table>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
