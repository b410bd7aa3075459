import tseslint from "typescript-eslint";

/** Packages with a home: pattern of the package, and the rooms that may import it. */
const packages = [
  { name: "@langchain/langgraph", regex: "^@langchain/langgraph($|/)", rooms: ["graph"] },
  {
    name: "LangGraph's checkpointers",
    regex: "^@langchain/langgraph-checkpoint",
    rooms: ["graph", "server", "wire"],
  },
  { name: "hono", regex: "^(hono|@hono)($|/)", rooms: ["server", "wire"] },
  { name: "kysely", regex: "^kysely($|/)", rooms: ["ledger"] },
  { name: "pg", regex: "^pg($|/)", rooms: ["ledger"] },
  { name: "better-sqlite3", regex: "^better-sqlite3($|/)", rooms: ["ledger", "tools"] },
];

/** The rooms: which others each may import, and which of them as types only. The order is the direction. */
const rooms = {
  policy: { may: [], says: "policy is pure and imports nothing of ours" },
  ledger: { may: ["policy"], says: "ledger imports policy only" },
  desk: { may: ["policy", "ledger"], says: "desk imports ledger and policy only" },
  graph: {
    may: ["policy", "ledger", "desk", "models/index.ts"],
    says: "graph imports desk, ledger, policy and models/index.ts only",
  },
  server: { may: ["policy", "ledger", "desk"], says: "server imports desk, ledger and policy only" },
  models: { may: [], says: "models imports nothing of ours: graphs are made with them" },
  tools: {
    may: ["graph/with-risk.ts"],
    types: ["policy"],
    says: "tools imports graph/with-risk.ts and types of policy only",
  },
  cli: {
    may: ["policy", "wire.ts"],
    types: ["ledger", "desk"],
    says: "cli imports wire.ts, policy and types of desk and ledger only",
  },
  inbox: { may: [], says: "inbox knows the HTTP API only and imports nothing of ours" },
};

const places = [...Object.keys(rooms), "wire", "wire.ts", "mount.ts", "index.ts"];

/** The walls around one room, as patterns that a module specifier may not match. */
function wallsOf(room) {
  const { may, types = [], says } = rooms[room];
  const walls = [];
  for (const place of places.filter((place) => place !== room && !may.includes(place))) {
    const door = may.find((file) => file.startsWith(`${place}/`))?.slice(place.length + 1);
    const behind = place.endsWith(".ts") ? "$" : door ? `/(?!${door.replace(".", "\\.")}$)` : "/";
    walls.push({
      regex: `^(\\./)?(\\.\\./)+${place.replace(".", "\\.")}${behind}`,
      message: `src/${room} may not import src/${place}: ${says}.`,
      allowTypeImports: types.includes(place),
    });
  }
  walls.push({
    regex: "^countersign($|/)",
    message: `src/${room} may not import the package root: rooms import each other's files.`,
  });
  if (["policy", "ledger", "desk", "inbox"].includes(room)) {
    walls.push({
      regex: "^(@langchain/(?!langgraph)|langchain($|/))",
      message: `src/${room} may not import LangChain: agents enter at src/graph.`,
    });
  }
  if (room === "policy") {
    walls.push({
      regex: "^(node:)?(fs|child_process|net|http|https|dns|os|worker_threads|timers|process)($|/)",
      message: "src/policy may not look at the world: policy is pure, and facts are handed in.",
    });
  }
  for (const { name, regex, rooms } of packages.filter(({ rooms }) => !rooms.includes(room))) {
    const homes = rooms.map((home) => (home === "wire" ? "src/wire.ts" : `src/${home}`)).join(", ");
    const message = `src/${room} may not import ${name}: only ${homes} may.`;
    // The server starts and resumes graphs, so it may name their types and what steers them.
    const server = room === "server" && name === "@langchain/langgraph";
    walls.push(
      server
        ? {
            regex,
            allowTypeImports: true,
            allowImportNames: ["Command", "RunControl", "isGraphDrained", "isUnknownInterruptError"],
            message:
              "src/server may take what runs a graph from @langchain/langgraph, and nothing that builds one.",
          }
        : { regex, message },
    );
  }
  return walls;
}

const exportAll = {
  selector: "ExportAllDeclaration",
  message: "Write the exported names out: no `export *`.",
};
const defaultExport = {
  selector: "ExportDefaultDeclaration, ExportSpecifier[exported.name='default']",
  message: "Export by name: no default exports.",
};

/** The same walls for `import()`, which no-restricted-imports does not see. */
function dynamicWalls(walls) {
  return walls.map(({ regex, message }) => ({
    selector: `ImportExpression[source.value=/${regex.replaceAll("/", "\\x2F")}/]`,
    message,
  }));
}

function walled(files, walls) {
  return {
    files,
    rules: {
      "@typescript-eslint/no-restricted-imports": ["error", { patterns: walls }],
      "no-restricted-syntax": ["error", exportAll, defaultExport, ...dynamicWalls(walls)],
    },
  };
}

const ts = ["src/**/*.ts", "graphs/**/*.ts", "tests/**/*.ts", "tests/**/*.tsx", "bench/**/*.ts"];

export default tseslint.config(
  { ignores: ["dist/", "coverage/", "node_modules/", ".countersign/", "tests/.docs/", "tests/**/fixtures/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ts,
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true, allowNever: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-unnecessary-condition": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-invalid-void-type": "off",
      "@typescript-eslint/require-await": "off",
      // LangChain marks fields of messages as deprecated that providers still fill, and hands out its classes as types.
      "@typescript-eslint/no-deprecated": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      "@typescript-eslint/no-misused-spread": [
        "error",
        { allow: [{ from: "lib", name: "string" }, "string"] },
      ],
      "no-restricted-syntax": ["error", exportAll, defaultExport],
      eqeqeq: "error",
    },
  },
  {
    files: ["src/**/*.ts"],
    rules: {
      "max-lines": ["error", 250],
      "max-lines-per-function": ["error", { max: 70, skipComments: true, skipBlankLines: true }],
      "no-console": "error",
    },
  },
  { files: ["src/cli/**/*.ts"], rules: { "no-console": "off" } },
  {
    files: ["tests/**/*.ts", "bench/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  ...Object.keys(rooms).map((room) => walled([`src/${room}/**/*.ts`], wallsOf(room))),
  walled(
    ["graphs/**/*.ts"],
    [
      {
        regex: "^(\\.\\./)+(src|dist|tests)/",
        message: 'graphs/ may not reach into the package: a graph imports the public surface, "countersign".',
      },
      {
        regex: "^countersign/",
        message:
          'graphs/ may not import a part of the package: the public surface is its root, "countersign".',
      },
    ],
  ),
  { files: ["vitest.config.ts"], extends: [tseslint.configs.strict] },
);
