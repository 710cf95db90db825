// SPDX-License-Identifier: Apache-2.0

/**
 * How alike `greedy` and tt-mlir's compiler decide, network by network: reads `NAME.before.mlir`, the graph before the
 * compiler's optimizer, and `NAME.ttnn.mlir`, what it made of it, below the given folders.
 *
 * Usage: `deno task upstream:agreement [FOLDER…]`, by default the shared folder of October 2026.
 *
 * @module
 */

import { basename } from "@std/path";
import { filesBelow, sharedPath } from "../testing/corpus.ts";
import {
  agreementOf,
  type DecisionAgreement,
  type DecisionDifference,
  greedyDecisions,
  writtenDecisions,
} from "./upstream_decisions.ts";

const folders = Deno.args.length > 0 ? Deno.args : [sharedPath("data", "upstream-2026-10")];

function lineOf({ ours, theirs, isRoot }: DecisionDifference): string {
  const read = isRoot
    ? "of the same operands"
    : `of ${ours.operands.join(" ")} against ${theirs.operands.join(" ")}`;
  return `    ${ours.op} ${ours.shape}: ${ours.result} against ${theirs.result}, ${read}`;
}

const all: DecisionAgreement[] = [];
for (const folder of folders) {
  for (const path of filesBelow(folder, ".before.mlir")) {
    const madePath = path.replace(".before.", ".ttnn.");
    const { device, status, decisions } = greedyDecisions(Deno.readTextFileSync(path), basename(path));
    const theirs = writtenDecisions(Deno.readTextFileSync(madePath), basename(madePath));
    const agreement = agreementOf(decisions, theirs);
    all.push(agreement);
    const { ops, memories, results, operands, configured, configs, alone, differences } = agreement;
    console.log(
      `${
        basename(path, ".before.mlir")
      } (${device}, ${status}): ${results} of ${ops} results alike, ${memories} ` +
        `in the same memory, ${operands} with operands alike; ${configs} of ${configured} configs; ${alone} ops alone`,
    );
    for (const difference of differences) console.log(lineOf(difference));
  }
}
const total = (count: (agreement: DecisionAgreement) => number): number =>
  all.reduce((sum, agreement) => sum + count(agreement), 0);
const [ops, results] = [total((each) => each.ops), total((each) => each.results)];
console.log(`\n${results} of ${ops} results alike, ${(100 * results / ops).toFixed(2)} %`);
