// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { copyAt } from "../search/program.ts";
import { spillByEviction } from "./evict_spill.ts";
import { type ScenarioOp, scenarioProgram } from "./testing/scenario.ts";

/** Evicts in a scenario; sizes in KiB. */
function evict(budget: number, ops: readonly ScenarioOp[]) {
  const { program, roles, region, evaluator, values } = scenarioProgram(budget, ops);
  const { fits } = spillByEviction(program, roles, region);
  const names = new Map([...values].map(([name, id]) => [id, name]));
  const steps = program.steps().map((step) => {
    if (step.kind === "op") return evaluator.op(step.op).name.replace("ttnn.", "");
    const { value, layout } = copyAt(program, step.copy);
    return `${names.get(value)} to ${evaluator.layouts.get(layout).bufferType}`;
  });
  const producedIn = Object.fromEntries(ops.map(({ name }, id) => {
    const layout = program.ops[id]?.outputs[0];
    return [name, layout === undefined ? "" : evaluator.layouts.get(layout).bufferType];
  }));
  return { fits, steps, producedIn };
}

const TWO_READERS: readonly ScenarioOp[] = [
  { name: "A", size: 500 },
  { name: "B", size: 500 },
  { name: "early", size: 100, reads: ["A", "B"] },
  { name: "pressure", size: 600, reads: ["early"] },
  { name: "useB", size: 1, reads: ["B", "pressure"] },
  { name: "useA", size: 1, reads: ["A", "useB"] },
];

Deno.test("the tensor with the farthest last reader is copied after its producer, which still writes L1", () => {
  const { fits, steps, producedIn } = evict(1300, TWO_READERS);
  assert(fits);
  assertEquals(producedIn.A, "l1");
  assertEquals(steps[steps.indexOf("A") + 1], "A to dram");
});

Deno.test("readers before the step that lacks room get a reload, later ones read DRAM", () => {
  const { steps } = evict(1300, TWO_READERS);
  assertEquals(steps.filter((step) => step === "A to l1").length, 1);
  assertEquals(steps[steps.indexOf("early") - 1], "A to l1");
});

Deno.test("later readers that need their operand in L1 get a reload each", () => {
  const { fits, steps } = evict(1300, [
    { name: "A", size: 500 },
    { name: "pressure", size: 1000 },
    { name: "first", size: 1, reads: ["A", "pressure"], readsL1: true },
    { name: "second", size: 1, reads: ["A", "first"], readsL1: true },
  ]);
  assertEquals(steps.filter((step) => step === "A to l1").length, 2, `${steps}`);
  assert(fits);
});

Deno.test("a result that does not fit alone is produced in DRAM", () => {
  const { producedIn } = evict(1300, [{ name: "A", size: 2000 }]);
  assertEquals(producedIn.A, "dram");
});

Deno.test("no tensor moves if everything fits", () => {
  const { fits, steps } = evict(1300, [{ name: "A", size: 100 }, { name: "B", size: 100, reads: ["A"] }]);
  assert(fits);
  assertEquals(steps.filter((step) => step === "A to dram"), []);
});
