import { readFileSync, writeSync } from "node:fs";
import { answerSql } from "./sql-run.ts";
import type { RunRequest } from "./sql-run.ts";

// The program of the child process in which statements run: a query without an end can be stopped only from outside.
const request = JSON.parse(readFileSync(0, "utf8")) as RunRequest;
const answer = Buffer.from(JSON.stringify(answerSql(request)));
for (let at = 0; at < answer.length;) at += writeSync(1, answer, at);
