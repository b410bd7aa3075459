import { join } from "node:path";
import ts from "typescript";
import { root } from "./docs-run.ts";

/**
 * What the compiler says of files that exist in memory only, as if they lay in `tests/.docs/` of this repository:
 * `name(line): message`, an empty list if all is well.
 */
export function compile(files: ReadonlyMap<string, string>): string[] {
  const read = (path: string) => ts.sys.readFile(path);
  const config = ts.readConfigFile(join(root, "tsconfig.json"), read);
  const { options } = ts.parseJsonConfigFileContent(
    { ...(config.config as object), include: [], files: [] },
    ts.sys,
    root,
  );
  const folder = join(root, "tests/.docs");
  const texts = new Map([...files].map(([name, text]) => [join(folder, name), text]));

  const host = ts.createCompilerHost({ ...options, moduleDetection: ts.ModuleDetectionKind.Force });
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram(
    [...texts.keys()],
    { ...options, moduleDetection: ts.ModuleDetectionKind.Force },
    host,
  );
  const diagnostics = [...texts.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  return diagnostics.map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start ?? 0).line + 1 : 0;
    const name = file?.fileName.slice(folder.length + 1) ?? "";
    return `${name}(${line}): ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
