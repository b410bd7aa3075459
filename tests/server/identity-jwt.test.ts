import { createServer as createHttp, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import type { JwtOptions } from "../../src/wire.ts";
import { bench, remove, resumeOf, runOf, textOf, until, type Bench } from "./bench.ts";

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

/** An issuer that signs with a key, which it can change. */
async function issuer() {
  const made = {
    kid: "k1",
    pair: await generateKeyPair("RS256", { extractable: true }),
    asked: [] as string[],
  };
  const state = { ...made, isDown: false, describes: null as string | null };
  const server = createHttp((request, response) => {
    state.asked.push(request.url ?? "");
    const answer = async (): Promise<unknown> => {
      if (request.url?.includes("openid-configuration"))
        return { issuer: state.describes ?? url, jwks_uri: `${url}/keys` };
      return { keys: [{ ...(await exportJWK(state.pair.publicKey)), kid: state.kid, alg: "RS256" }] };
    };
    response.statusCode = state.isDown ? 500 : 200;
    void answer().then((json) => response.end(JSON.stringify(json)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...{ url, state }, sign: (claims?: Claims, more?: Signing) => sign(url, state, claims, more) };
}

interface Claims {
  [name: string]: unknown;
}
interface Signing {
  kid?: string;
  key?: CryptoKey | Uint8Array;
  alg?: string;
}

function sign(
  url: string,
  { kid, pair }: { kid: string; pair: Pair },
  claims: Claims = {},
  { key = pair.privateKey, alg = "RS256", ...more }: Signing = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: url, aud: "countersign", sub: "ana", exp: now + 300, roles: ["requester"] };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid: more.kid ?? kid }).sign(key);
}

async function served(more: Partial<JwtOptions> = {}) {
  const by = await issuer();
  const jwt = { issuer: by.url, audience: "countersign", ...more };
  const server = await bench([remove("a"), { content: "done" }], { jwt });
  return { ...by, server };
}

const ask = async ({ get }: Bench, token: string, path = "/approvals") => {
  const { status, body } = await get(path, { authorization: `Bearer ${token}` });
  return typeof body === "object" && "code" in body ? `${status} ${textOf(body["code"])}` : String(status);
};

describe("a JWT of the issuer", () => {
  it("says who somebody is and what they may do", async () => {
    const { server, sign } = await served();
    expect((await server.get("/approvals")).status).toBe(401);
    const ana = { authorization: `Bearer ${await sign({ roles: ["requester", "king"] })}` };
    const rita = { "x-api-key": await sign({ sub: "rita", roles: ["reviewer"] }) };
    const thread_id = textOf((await server.post("/threads", {}, ana)).body["thread_id"]);
    await server.post(`/threads/${thread_id}/runs/wait`, runOf("go"), ana);
    const answer = resumeOf({ type: "approve" });
    expect((await server.post(`/threads/${thread_id}/runs/wait`, answer, ana)).status).toBe(403);
    expect((await server.post(`/threads/${thread_id}/runs/wait`, answer, rita)).status).toBe(200);
    const [decided] = (await server.server.ledger.approvals({ status: "all" })).approvals;
    expect(decided).toMatchObject({
      requested_by: "ana",
      decision: { decided_by: { kind: "user", id: "rita" } },
    });
  });

  it("may have its roles as one text, or deeper, by the settings", async () => {
    const { server, sign } = await served({ rolesClaim: "realm_access.roles", subjectClaim: "email" });
    const claims = { email: "ana@example.com", realm_access: { roles: "viewer  other" } };
    expect(await ask(server, await sign(claims))).toBe("200");
    expect(await ask(server, await sign({ ...claims, email: undefined }))).toBe("401 unauthorized");
  });

  it("without a role that there is may do nothing", async () => {
    const { server, sign } = await served();
    for (const roles of [undefined, [], ["king"], "", { admin: true }, [["admin"]]])
      expect(await ask(server, await sign({ roles }))).toBe("403 forbidden");
  });

  it("is refused when it is another's, another server's, over, or wrongly signed", async () => {
    const { server, sign, state, url } = await served();
    const now = Math.floor(Date.now() / 1_000);
    const other = await generateKeyPair("RS256");
    const spki = new TextEncoder().encode(await exportSPKI(state.pair.publicKey));
    const jwk = new TextEncoder().encode(JSON.stringify(await exportJWK(state.pair.publicKey)));
    const all = { iss: url, aud: "countersign", sub: "ana", roles: ["admin"], exp: now + 300 };
    const bad: Record<string, string> = {
      audience: await sign({ aud: "another" }),
      issuer: await sign({ iss: "https://issuer.example" }),
      expired: await sign({ exp: now - 60 }),
      unending: await sign({ exp: undefined }),
      early: await sign({ nbf: now + 120 }),
      nameless: await sign({ sub: undefined }),
      key: await sign({}, { key: other.privateKey }),
      none: new UnsecuredJWT(all).encode(),
      "HS256 with the public key": await sign({}, { alg: "HS256", key: spki }),
      "HS256 with its JWK": await sign({}, { alg: "HS256", key: jwk }),
    };
    for (const [name, token] of Object.entries(bad))
      expect([name, await ask(server, token)]).toEqual([name, "401 unauthorized"]);
    expect(await ask(server, await sign({}, { kid: "unknown" }))).toMatch(/^(401|429)/);
    expect(await ask(server, await sign())).toBe("200");
  });

  it("is taken when it is signed with a new key, and not when with the old one", async () => {
    const { server, sign, state } = await served();
    const old = await sign();
    expect(await ask(server, old)).toBe("200");
    state.pair = await generateKeyPair("RS256", { extractable: true });
    state.kid = "k2";
    const fresh = await sign();
    await until(async () => (await ask(server, fresh)) === "200", 8_000);
    expect(await ask(server, old)).toMatch(/^(401|429)/);
  });

  it("cannot be checked while the issuer is down, or describes another", async () => {
    const { server, sign, state } = await served();
    state.isDown = true;
    expect(await ask(server, await sign())).toBe("503 identity_unavailable");
    state.isDown = false;
    state.describes = "https://issuer.example";
    expect(await ask(server, await sign())).toBe("503 identity_unavailable");
    state.describes = null;
    expect(await ask(server, await sign())).toBe("200");
  });
});

describe("the settings of an issuer", () => {
  it("name one over https, or on this machine", async () => {
    for (const jwt of [
      { issuer: "http://issuer.example", audience: "a" },
      { issuer: "https://issuer.example", audience: "a", jwksUri: "http://issuer.example/keys" },
      { issuer: "https://issuer.example", audience: "" },
      { issuer: "nothing", audience: "a" },
    ])
      await expect(bench([], { jwt })).rejects.toMatchObject({ code: "bad_identity" });
    const server = await bench([], {
      jwt: { issuer: "https://issuer.example", audience: ["a"] },
      host: "0.0.0.0",
    });
    expect((await server.get("/approvals")).status).toBe(401);
  });
});
