// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS, type PolicyOptions } from "../../policy/options.ts";
import { SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel, type ToyRule } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import type { LayoutId } from "../../layout/layout_table.ts";
import { type GraphOp, idAt, opAt, type OpId } from "../../graph/graph.ts";
import type { Choice } from "../../search/impls.ts";
import { AddressNoGoods } from "./address_no_goods.ts";
import { type L1Caps, NO_CAPS } from "./l1_branching.ts";
import { DEFAULT_OPTIMIZER_LIMITS, LayoutOptimizer } from "../layout_optimizer.ts";
import { implsOf } from "../exploration/impl_table.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";
import { boundFunction } from "../lower_bound.ts";
import { leastPlan } from "../testing/plan_oracle.ts";

/** Few layouts, so that everything can be tried. */
const OPTIONS: PolicyOptions = {
  ...DEFAULT_POLICY_OPTIONS,
  maxReshardCandidatesPerType: 1,
  maxLegalLayouts: 4,
};

/** Number of chains; `TILEWRIGHT_PROPERTY_RUNS` sets more. */
const RUNS = Number(Deno.env.get("TILEWRIGHT_PROPERTY_RUNS") ?? 6);

const MOST_STATES = 5_000;

/**
 * A chain of ops whose results and circular buffers take a part of L1 each. Optionally another value is in L1
 * in the meantime, for the last op, which needs fewer circular buffers if it reads that value from DRAM. Sizes
 * in KiB per core.
 */
const chains: fc.Arbitrary<Chain> = fc.record({
  /** L1 left beside the two largest neighbours. */
  spare: fc.integer({ min: 1, max: 12 }),
  results: fc.array(fc.constantFrom(8, 32, 32, 64, 64), { minLength: 3, maxLength: 3 }),
  buffers: fc.tuple(
    fc.constantFrom(1, 8),
    fc.constantFrom(1, 8, 16),
    fc.constantFrom(1, 4),
    fc.constantFrom(16, 48, 80),
  ),
  /** Before which ops the result is viewed as another tensor. */
  isView: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  beside: fc.constantFrom(undefined, 8, 32),
  isNarrow: fc.boolean(),
});

interface Chain {
  readonly spare: number;
  readonly results: readonly number[];
  readonly buffers: readonly number[];
  readonly isView: readonly boolean[];
  readonly beside: number | undefined;
  /** Whether tensors have a quarter of a tile in columns. */
  readonly isNarrow: boolean;
}

/** The inputs of the bound of a chain. */
function bench({ spare, results, buffers, isView, beside, isNarrow }: Chain) {
  const most = Math.max(...results.map((kib, index) => kib + (results[index + 1] ?? 0)));
  const chip = { ...SMALL_CHIP, workerGrid: { rows: 2, columns: 2 }, l1Size: (spare + most) * 1024 };
  const rules = buffers.map((kib, index): [string, ToyRule] => [`ttnn.toy_${index}`, {
    circularBufferBytes: ([, other]) => kib * (other?.bufferType === "dram" ? 512 : 1024),
  }]);
  const opModel = new ToyOpModel(
    { ...Object.fromEntries(rules), "ttnn.toy_view": { viewOf: 0, primary: "none" } },
    chip,
  );
  const tensor = (kib: number) => ({ shape: [64 * kib, isNarrow ? 8 : 32], dataType: "bf16" }) as const;
  const builder = new GraphBuilder();
  const other = beside === undefined
    ? []
    : [builder.op("ttnn.toy_1", [builder.argument(tensor(beside))], tensor(beside))];
  let made = builder.argument(tensor(8));
  results.forEach((kib, index) => {
    made = builder.op(`ttnn.toy_${index}`, [made], tensor(kib));
    if (isView[index] === true) made = builder.op("ttnn.toy_view", [made], tensor(kib));
  });
  builder.return(builder.op(`ttnn.toy_${results.length}`, [made, ...other], tensor(8)));
  const cost = new ToyCostModel(opModel.layouts, chip);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, OPTIONS);
  const roles = opRoles(evaluator);
  const region = l1Region(chip, 1, 0);
  const space = new LayoutSpace(evaluator, roles, {
    combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
    l1Bytes: region.budget,
    freedom: "hinted",
  });
  return { evaluator, roles, region, space };
}

/** The bound of a chain, the best plan by byte sums and the best one by address, as far as they are found. */
function study(chain: Chain) {
  const { evaluator, roles, region, space } = bench(chain);
  const question = { region, keepsOrder: false, limit: Infinity, mostStates: MOST_STATES };
  return {
    boundUs: boundFunction(evaluator, roles, region, "hinted").microseconds,
    byBytes: leastPlan(space, { ...question, byAddress: false }).microseconds,
    byAddress: leastPlan(space, { ...question, byAddress: true }).microseconds,
  };
}

Deno.test("no plan undercuts the bound with no-goods, which sums of bytes do not reach, by exhaustive search over candidates, copies, orders and addresses", () => {
  const count = { tried: 0, raised: 0 };
  fc.assert(
    fc.property(chains, (chain) => {
      const { boundUs, byBytes, byAddress } = study(chain);
      if (byBytes !== undefined && boundUs > byBytes * (1 + 1e-9)) count.raised++;
      if (byAddress === undefined) return;
      count.tried++;
      assert(boundUs <= byAddress * (1 + 1e-9), `the bound is ${boundUs} µs, a plan takes ${byAddress}`);
    }),
    { numRuns: RUNS, seed: 1, endOnFailure: true },
  );
  assert(count.tried > 0.6 * RUNS, `${count.tried} of ${RUNS} chains were small enough to try everything`);
  assert(count.raised > 0, "no address raises the bound of any chain");
});

/**
 * A chain of three ops in 100 KiB: 64 KiB, next to which 32 are produced, whose reader has 40 KiB of circular
 * buffers.
 */
const TIGHT: Chain = {
  spare: 4,
  results: [64, 32],
  buffers: [8, 1, 40],
  isView: [false, false],
  beside: undefined,
  isNarrow: false,
};

/** The no-good of the best assignment without L1 capacity. */
function noGoodOf(chain: Chain): { readonly caps: readonly L1Caps[]; readonly space: LayoutSpace } {
  const { evaluator, roles, region, space } = bench(chain);
  const optimizer = new LayoutOptimizer(evaluator, roles, region, "hinted");
  const noGood = new AddressNoGoods(space, region).find(optimizer.tighten("exact").assignment);
  return { caps: noGood?.map((change) => change(NO_CAPS)) ?? [], space };
}

Deno.test("AddressNoGoods.find() returns the alternatives of the ops", () => {
  const { caps: [made, moved, read, ...more], space } = noGoodOf({ ...TIGHT, beside: 8 });
  assert(made !== undefined && moved !== undefined && read !== undefined && more.length === 0);
  const { fn, catalog } = space.evaluator;
  const [maker, reader] = [opAt(fn, idAt<OpId>(2)), opAt(fn, idAt<OpId>(3))];
  const isL1 = (layout: LayoutId | undefined): boolean => layout !== undefined && catalog.facts(layout).isL1;
  const choices = (op: GraphOp, caps: L1Caps): readonly Choice[] => {
    const impls = implsOf(space.table(op.id));
    assert([...caps.without.keys()].join() === `${op.id}`, "one op has less ways");
    return [...caps.without.get(op.id) ?? []].flatMap((index) => {
      const row = impls[index];
      return row === undefined ? [] : [space.choiceOf(space.table(op.id), row, "left out")];
    });
  };
  const without = choices(maker, made);
  assert(without.length > 0);
  assert(
    without.every(({ inputs, outputs }) => isL1(inputs[0]) && isL1(outputs[0])),
    "what is made beside L1",
  );
  const [value] = maker.results;
  assert(value !== undefined);
  const sources = [...moved.copiedFrom.get(value)?.get(0) ?? []];
  assert(sources.some((layout) => !isL1(layout)), "a copy from DRAM has nothing to lie below");
  // If the other operand is read from DRAM, the reader fits: it has half the circular buffers.
  const others = choices(reader, read).map(({ inputs: [own, other] }) => [isL1(own), isL1(other)]);
  assert(others.length > 0 && others.every(([own, other]) => own === true && other === true));
});

Deno.test("AddressNoGoods.find() finds no no-good if some address may have room", () => {
  const { buffers } = TIGHT;
  assertEquals(noGoodOf(TIGHT).caps.length, 3);
  assertEquals(noGoodOf({ ...TIGHT, spare: 40 }).caps.length, 0, "both and the circular buffers have room");
  const small = buffers.with(0, 1);
  assertEquals(
    noGoodOf({ ...TIGHT, buffers: small }).caps.length,
    0,
    "the operand may lie below what is made",
  );
  assertEquals(noGoodOf({ ...TIGHT, isView: [true, false] }).caps.length, 3, "a view of what lies above");
  const viewed = { ...TIGHT, buffers: small, isView: [true, false] };
  assertEquals(noGoodOf(viewed).caps.length, 0, "a view of what may lie below");
});
