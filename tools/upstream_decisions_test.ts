// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../testing/corpus.ts";
import { agreementOf, greedyDecisions, readDecisions, writeDecisions } from "./upstream_decisions.ts";

const FOLDER = join(PROJECT_ROOT, "testdata", "upstream");

/** Results that may differ, by network and device, with the cause. */
const DIFFERENT: Readonly<Record<string, readonly [count: number, cause: string]>> = {};

for (const device of ["n150", "p150"]) {
  const folder = join(FOLDER, device);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith(".mlir")
  );
  for (const name of names.map((name) => name.slice(0, -".mlir".length)).toSorted()) {
    Deno.test(`greedy decides ${name} on ${device} as tt-mlir's compiler does`, () => {
      const theirs = readDecisions(Deno.readTextFileSync(join(folder, `${name}.tsv`)));
      const ours = greedyDecisions(Deno.readTextFileSync(join(folder, `${name}.mlir`)), `${name}.mlir`);
      const { ops, results, alone, differences } = agreementOf(ours.decisions, theirs);
      const [count, cause] = DIFFERENT[`${device}/${name}`] ?? [0, ""];
      assert(ours.status !== "does_not_fit" && ours.status !== "does_not_run", ours.status);
      assertEquals(
        ops - results,
        count,
        `${cause}\n${
          differences.map(({ ours: a, theirs: b }) => `${a.op} ${a.shape}: ${a.result}, not ${b.result}`)
            .join("\n")
        }`,
      );
      assert(alone <= 1, `${alone} ops that only one side has`);
    });
  }
}

Deno.test("a table of decisions reads back as it was written", () => {
  const decisions = [
    {
      op: "matmul",
      shape: "8x8",
      result: "l1/height_sharded/1x1",
      operands: ["dram/interleaved", "-"],
      config: "a=1",
    },
    { op: "arange", shape: "", result: "-", operands: [], config: "" },
  ];
  assertEquals(readDecisions(writeDecisions(decisions)), decisions);
});

Deno.test("decisions agree op by op, and a difference behind equal operands is a root", () => {
  const op = (name: string, result: string, ...operands: string[]) => ({
    op: name,
    shape: "32",
    result,
    operands,
    config: "",
  });
  const ours = [
    op("relu", "l1/interleaved", "dram/interleaved"),
    op("exp", "dram/interleaved", "l1/interleaved"),
  ];
  const theirs = [
    op("relu", "l1/height_sharded/1x1", "dram/interleaved"),
    op("neg", "dram/interleaved", "dram/interleaved"),
    op("exp", "l1/interleaved", "l1/height_sharded/1x1"),
  ];
  const { ops, memories, results, alone, differences } = agreementOf(ours, theirs);
  assertEquals({ ops, memories, results, alone }, { ops: 2, memories: 1, results: 0, alone: 1 });
  assertEquals(differences.map(({ isRoot }) => isRoot), [true, false]);
});
