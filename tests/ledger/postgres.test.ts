import { describe } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { postgresUrl } from "../setup/postgres.ts";
import { ledgerContract } from "./contract.ts";

const url = postgresUrl();

describe.skipIf(!url)("PostgreSQL", () => {
  let count = 0;
  ledgerContract("PostgreSQL", () => openLedger(`${url}?schema=ledger_${(count += 1)}`));
});
