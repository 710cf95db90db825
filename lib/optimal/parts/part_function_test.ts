// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { idAt, type OpId, type ValueId } from "../../graph/graph.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { randomRules, SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { unplaced } from "../addresses/address_search.ts";
import { PartFunction } from "./part_function.ts";
import { layeredFunction } from "../testing/layered_functions.ts";

const { fn, shared, borders } = layeredFunction(
  4,
  [{ operands: 1, readsShared: true }, { operands: 1, readsShared: false }],
  true,
);
const opModel = new ToyOpModel(randomRules(1), SMALL_CHIP);
const evaluator = new OpEvaluator(
  fn,
  opModel,
  new ToyCostModel(opModel.layouts, SMALL_CHIP),
  DEFAULT_POLICY_OPTIONS,
);
const ops = (...ids: readonly number[]) => ids.map((id) => idAt<OpId>(id));
const partOf = (...ids: readonly number[]) => new PartFunction(evaluator, opRoles(evaluator), ops(...ids));
const value = (id: number) => idAt<ValueId>(id);

Deno.test("a part reads what comes from elsewhere as arguments, and returns what is read or returned elsewhere", () => {
  // The op that produces the border, and the layer after it.
  const part = partOf(4, 5, 6, 7);
  assertEquals(part.fn.ops.map(({ id, operands, results }) => ({ id, operands, results })), [
    { id: idAt<OpId>(0), operands: [value(0), value(1)], results: [value(3)] },
    { id: idAt<OpId>(1), operands: [value(3), value(2)], results: [value(4)] },
    { id: idAt<OpId>(2), operands: [value(4)], results: [value(5)] },
    { id: idAt<OpId>(3), operands: [value(5), value(3)], results: [value(6)] },
  ]);
  assertEquals(part.fn.arguments.map((own) => part.valueOf(own)), [value(5), value(3), shared]);
  // What the function itself returns, and the next border.
  assertEquals(part.fn.results.map((own) => part.valueOf(own)), [value(7), borders[1]]);
  assertEquals(part.fn.values.map(({ uses }) => uses.map(({ op }) => op)), [
    ops(0),
    ops(0),
    ops(1),
    ops(1, 3),
    ops(2),
    ops(3),
    [],
  ]);
  assertEquals(part.fn.values.map(({ id }) => part.hasAllReaders(id)), [
    true,
    false,
    false,
    true,
    false,
    true,
    false,
  ]);
});

Deno.test("what one part keeps to is what parts that are like it keep to, each with its own ops, values and readers", () => {
  const [first, second] = [partOf(4, 5, 6, 7), partOf(7, 8, 9, 10)];
  const layout = evaluator.declared[value(6)];
  const own = {
    caps: {
      ops: new Map([[idAt<OpId>(2), 100]]),
      values: new Map([[value(4), new Map([[1, 0]])], [value(3), new Map([[1, 8]])]]),
      moved: new Map([[value(6), new Set([0])]]),
      copiedFrom: new Map(),
      without: new Map(),
    },
    schedule: ops(0, 2, 1, 3),
    early: layout === undefined ? [] : [{ value: value(3), layout }],
    detours: layout === undefined ? [] : [{ value: value(6), layout, via: layout }],
  };
  let whole = unplaced(fn.ops.map(({ id }) => id));
  for (const part of [first, second]) whole = PartFunction.within(whole, own, part);
  assertEquals([...whole.caps.ops], [[idAt(6), 100], [idAt(9), 100]]);
  assertEquals([...whole.caps.values].map(([of, readers]) => [of, [...readers]]), [
    // The value that every layer reads does not wait in L1 for the first reader in either part.
    [shared, [[1, 0], [2, 0]]],
    // Returned: the reader after its only use.
    [value(7), [[1, 0]]],
    [borders[0], [[1, 8]]],
    [value(10), [[1, 0]]],
    [borders[1], [[1, 8]]],
  ]);
  // What a part returns for the next one waits for its first reader there.
  assertEquals([...whole.caps.moved].map(([of, readers]) => [of, [...readers]]), [
    [borders[1], [0]],
    [borders[2], [0]],
  ]);
  assertEquals(whole.early.map((copy) => copy.value), [borders[0], borders[1]]);
  assertEquals(whole.detours.map((copy) => copy.value), [borders[1], borders[2]]);
  assertEquals(whole.schedule.slice(4, 11), ops(4, 6, 5, 7, 9, 8, 10));
});
