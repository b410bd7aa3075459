import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCli, startCli, widest, type RunningCli } from "./run-cli.ts";
import { removeProject, tempProject } from "./temp-project.ts";

// Each test runs several commands, which takes its time on a small machine.
vi.setConfig({ testTimeout: 120_000 });

let folder = "";
const servers: RunningCli[] = [];
const cli = (args: string[], env: Record<string, string> = {}) => runCli(args, { cwd: folder, env });
const token = (...args: string[]) => cli(["token", ...args]);

beforeAll(async () => {
  folder = await tempProject();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop("SIGKILL")));
  await removeProject(folder);
});

describe("countersign token", () => {
  it("makes a token, shows it once, lists it and revokes it, without a server", async () => {
    const roles = ["--role", "requester", "--role", "reviewer"];
    const made = await token("create", "--name", "ana@example.com", ...roles, "--expires", "30d");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const [, id = "", secret = ""] = /^cs_([0-9a-f]{16})_(\S{43})\n/.exec(made.stdout) ?? [];
    expect(made.stdout).toMatch(/roles +requester, reviewer\nexpires +\d{4}-/);
    const listed = await token("list");
    expect(listed.stdout).toMatch(new RegExp(`${id}  requester,reviewer  until \\S+Z  ana@example.com`));
    expect(widest(made.stdout)).toBeLessThanOrEqual(80);
    expect(widest(listed.stdout)).toBeLessThanOrEqual(80);
    expect(listed.stdout + (await token("list", "--json")).stdout).not.toContain(secret);
    expect(readFileSync(join(folder, ".countersign/state.db"), "latin1")).not.toContain(secret);
    expect((await token("revoke", id)).stdout).toBe(`Revoked: ${id}, of ana@example.com.\n`);
    expect((await token("list")).stdout).toMatch(/revoked +ana@example.com/);
  });

  it("prints JSON for programs", async () => {
    const made = await token("create", "--name", "ci", "--role", "viewer", "--json");
    const { token: text, token_id, ...rest } = JSON.parse(made.stdout) as Record<string, unknown>;
    expect(text).toMatch(/^cs_/);
    expect(rest).toMatchObject({ principal: "ci", roles: ["viewer"], expires_at: null, revoked_at: null });
    const { tokens } = JSON.parse((await token("list", "--json")).stdout) as {
      tokens: { token_id: string }[];
    };
    expect(tokens.map((one) => one.token_id)).toContain(token_id);
  });

  it("says in one line what cannot be meant, and makes nothing of it", async () => {
    const wrong = [
      ["create", "--role", "admin"],
      ["create", "--name", "ana"],
      ["create", "--name", "ana", "--role", "king"],
      ["create", "--name", "a b", "--role", "admin"],
      ["create", "--name", "ana", "--role", "admin", "--expires", "soon"],
    ];
    for (const args of wrong) {
      const { code, stderr } = await token(...args);
      expect([args, code, stderr.trimEnd().split("\n").length]).toEqual([args, 2, 1]);
    }
    const unknown = await token("revoke", "0000000000000000");
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("countersign token list") as string,
    });
    expect((await token("list")).stdout).not.toMatch(/king|a b|ana$/m);
  });
});

describe("a server that others can reach", () => {
  it("says which command makes a token, and serves who has one", async () => {
    const store = ["--store", "file:./open.db"];
    const serve = ["serve", "--host", "0.0.0.0", "--port", "0", ...store];
    const refused = await cli(serve);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /countersign token create --name you --role admin --store file:.*open\.db/,
    );
    const made = await token("create", "--name", "ana", "--role", "reviewer", "--json", ...store);
    const { token: text, token_id } = JSON.parse(made.stdout) as { token: string; token_id: string };
    const server = startCli(serve, { cwd: folder });
    servers.push(server);
    const [, url = ""] = await server.until(/listens on (\S+)/);
    const list = (given?: string) =>
      cli(["approvals", "list"], { COUNTERSIGN_URL: url, ...(given && { COUNTERSIGN_TOKEN: given }) });
    expect((await list(text)).stdout).toBe("Nothing is pending.\n");
    expect(await list()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/wants a token. Set COUNTERSIGN_TOKEN/) as string,
    });
    const create = await cli(["chat"], { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: text });
    expect(create.stderr + create.stdout).toMatch(/needs the role requester or admin/);
    await token("revoke", token_id, ...store);
    expect((await list(text)).stderr).toMatch(/does not take the token in COUNTERSIGN_TOKEN/);
  });

  it("takes an issuer of JWTs in place of tokens, both parts or none", async () => {
    const serve = ["serve", "--host", "0.0.0.0", "--port", "0", "--store", "file:./jwt.db"];
    const issuer = { COUNTERSIGN_JWT_ISSUER: "https://issuer.example" };
    expect(await cli(serve, issuer)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--jwt-audience") as string,
    });
    const server = startCli([...serve, "--jwt-audience", "countersign"], { cwd: folder, env: issuer });
    servers.push(server);
    const [, url = ""] = await server.until(/listens on (\S+)/);
    expect((await fetch(`${url}/approvals`)).status).toBe(401);
  });
});
