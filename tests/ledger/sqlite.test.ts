import { openLedger } from "../../src/ledger/index.ts";
import { ledgerContract } from "./contract.ts";
import { tempFolder } from "./temp-folder.ts";

const newPath = tempFolder();

ledgerContract("SQLite", () => openLedger(`file:${newPath()}`));
