// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import { l1Region } from "../../memory/l1_schedule.ts";
import { DEFAULT_POLICY_OPTIONS } from "../../policy/options.ts";
import { SMALL_CHIP } from "../../propagation/testing/random_graphs.ts";
import { ToyCostModel, ToyOpModel } from "../../propagation/testing/toy_models.ts";
import { OpEvaluator } from "../../search/op_evaluator.ts";
import { opRoles } from "../../search/op_roles.ts";
import { BufferPlaces } from "./buffer_places.ts";
import { DEFAULT_OPTIMIZER_LIMITS } from "../layout_optimizer.ts";
import { LayoutSpace } from "../exploration/layout_space.ts";

const KIB = 1024;

/** Two ops; the second one reads the result of the first one in L1. */
interface Pair {
  /** L1 per core, in KiB. */
  readonly l1: number;
  /** Bytes per core of the results, in KiB. */
  readonly results: readonly [number, number];
  /** Circular buffers of the second op, in KiB per core; copies have 8. */
  readonly buffers: number;
}

/** KiB per core that must be above a new buffer next to the second result. */
function leastAboveSecond({ l1, results, buffers }: Pair, made: number): number {
  const chip = { ...SMALL_CHIP, workerGrid: { rows: 2, columns: 2 }, l1Size: l1 * KIB };
  const opModel = new ToyOpModel({
    "ttnn.second": {
      circularBufferBytes: () => buffers * KIB,
      primary: "all",
      legal: ([read]) => read?.bufferType === "l1",
    },
  }, chip);
  const tensor = (kib: number) => ({ shape: [64 * kib, 32], dataType: "bf16" }) as const;
  const builder = new GraphBuilder();
  const first = builder.op("ttnn.first", [builder.argument(tensor(8))], tensor(results[0]));
  const second = builder.op("ttnn.second", [first], tensor(results[1]));
  builder.return(builder.op("ttnn.last", [second], tensor(8)));
  const cost = new ToyCostModel(opModel.layouts, chip);
  const evaluator = new OpEvaluator(builder.build(), opModel, cost, DEFAULT_POLICY_OPTIONS);
  const region = l1Region(chip, 1, 0);
  const space = new LayoutSpace(evaluator, opRoles(evaluator), {
    combinations: DEFAULT_OPTIMIZER_LIMITS.combinations,
    l1Bytes: region.budget,
    freedom: "hinted",
  });
  const inL1 = space.layoutsOf(second).find((id) => evaluator.facts(id).l1Bytes === results[1] * KIB);
  assert(inL1 !== undefined);
  return new BufferPlaces(space, region).leastAbove(second, inL1, made * KIB) / KIB;
}

/** L1 in which copies do not fit below 64 and 32 KiB. */
const PAIR: Pair = { l1: 100, results: [32, 64], buffers: 1 };

Deno.test("BufferPlaces.leastAbove() follows buffers to their sources", () => {
  assertEquals(leastAboveSecond(PAIR, 32), 0, "made below what it reads, if that lies high");
  assertEquals(
    leastAboveSecond({ ...PAIR, results: [36, 64] }, 32),
    64,
    "what it reads has no room above it",
  );
  assertEquals(leastAboveSecond({ ...PAIR, buffers: 8 }, 32), 64, "nothing can be made so far down");
  assertEquals(leastAboveSecond({ ...PAIR, buffers: 8 }, 28), 0, "a copy can be made further up");
});
