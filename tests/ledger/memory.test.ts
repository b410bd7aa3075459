import { openLedger } from "../../src/ledger/index.ts";
import { ledgerContract } from "./contract.ts";

ledgerContract("memory:", () => openLedger("memory:"));
