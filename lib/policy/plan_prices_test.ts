// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { GraphBuilder } from "../../testing/graph_builder.ts";
import type { Graph } from "../graph/graph.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { realModels } from "../propagation/testing/real_models.ts";
import { cheapestFunctions } from "./cheapest_plan.ts";
import { DEFAULT_POLICY_OPTIONS } from "./options.ts";
import { PlanPrices } from "./plan_prices.ts";
import { policy as bfInterleaved } from "./policies/bf_interleaved.ts";
import { policy as dram } from "./policies/dram.ts";

const CACHE = { shape: [8, 1, 4096, 64], dataType: "bf16" } as const;
const MASK = { shape: [8, 1, 32, 4096], dataType: "bf16" } as const;
const QUERY = { shape: [1, 8, 32, 64], dataType: "bf16" } as const;

/** Decode attention with a mask that the step before made, declared in DRAM or L1. */
function decode(buffer: "dram" | "l1"): Graph {
  const builder = new GraphBuilder();
  const layout = makeLayout(
    { ...MASK, bufferType: buffer, memoryLayout: "interleaved", grid: buffer === "l1" ? [8, 8] : [1, 1] },
    { rows: 8, columns: 8 },
  );
  const query = builder.argument(QUERY);
  const [keys, values] = [builder.argument(CACHE), builder.argument(CACHE)];
  const mask = builder.op("ttnn.relu", [builder.argument(MASK)], MASK, { layouts: [layout] });
  builder.return(
    builder.op("ttnn.scaled_dot_product_attention_decode", [query, keys, values, mask], QUERY, {
      attributes: { is_causal: { kind: "bool", value: false } },
    }),
  );
  return builder.buildGraph();
}

function prices(buffer: "dram" | "l1") {
  const graph = decode(buffer);
  const context = { graph, ...realModels(), options: DEFAULT_POLICY_OPTIONS };
  const planPrices = new PlanPrices(context);
  const [chain, passes] = [bfInterleaved.decide(context), dram.decide(context)];
  const priceOf = ({ functions: [plan] }: typeof chain) => {
    assert(plan !== undefined);
    return planPrices.of(plan, 0);
  };
  return {
    chain: priceOf(chain),
    passes: priceOf(passes),
    best: cheapestFunctions(context, planPrices, [passes, chain]),
  };
}

Deno.test("a faster plan whose chains feed decode attention with a mask from L1 loses to one that does not", () => {
  const { chain, passes, best } = prices("dram");
  assert(chain.microseconds < passes.microseconds);
  assertEquals([chain.misfit, passes.misfit], [0, 0]);
  assertEquals([chain.unverifiedOps, passes.unverifiedOps], [1, 0]);
  assertEquals(best.origins, [0]);
});

Deno.test("operand layouts of the input itself do not count against a plan", () => {
  const { chain, best } = prices("l1");
  assertEquals(chain.unverifiedOps, 0);
  assertEquals(best.origins, [1]);
});
