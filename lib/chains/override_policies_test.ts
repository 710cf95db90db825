// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { GraphBuilder } from "../../testing/graph_builder.ts";
import { present } from "../../testing/present.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import type { TensorShape } from "../ops/op_signature.ts";
import { parseConv2dConfigOverrides } from "../overrides/conv_config_override.ts";
import {
  parseMemReconfigOverrides,
  parseOutputLayoutOverrides,
} from "../overrides/output_layout_override.ts";
import { NO_OVERRIDES, type OptimizerOverrides } from "../overrides/overrides.ts";
import { convolution } from "./testing/convolution.ts";
import { decide, reasonsOf } from "./testing/decide.ts";

function bf16(...shape: number[]): TensorShape {
  return { shape, dataType: "bf16" };
}

const SQUARE = bf16(512, 512);

function withOverrides(overrides: Partial<OptimizerOverrides>) {
  return { options: { overrides: { ...NO_OVERRIDES, ...overrides } } };
}

/** Two unary ops with the location names `first` and `second`. */
function line(builder: GraphBuilder): void {
  const first = builder.op("ttnn.relu", [builder.argument(SQUARE)], SQUARE, { location: 'loc("first")' });
  builder.return(builder.op("ttnn.gelu", [first], SQUARE, { location: 'loc("second")' }));
}

Deno.test("--override-output-layout decides the sharding of a chain, fully or in part", () => {
  const full = withOverrides({
    outputLayouts: parseOutputLayoutOverrides("second=4x4:l1:block_sharded:tile"),
  });
  assertEquals(decide("df-sharding", line, full).outputs, ["l1/block_sharded/4x4", "l1/block_sharded/4x4"]);
  const partial = withOverrides({ outputLayouts: parseOutputLayoutOverrides("first=height_sharded") });
  assertEquals(decide("df-sharding", line, partial).outputs, [
    "l1/height_sharded/16x1",
    "l1/height_sharded/16x1",
  ]);
});

Deno.test("--override-output-layout keeps an op in DRAM and ends the chain there", () => {
  const decided = decide(
    "df-sharding",
    line,
    withOverrides({ outputLayouts: parseOutputLayoutOverrides("first=dram") }),
  );
  assertEquals(decided.outputs, ["dram/interleaved", "l1/block_sharded/8x8"]);
  assertStringIncludes(reasonsOf(decided, 0), "it has no legal sharded config");
});

Deno.test("--override-output-layout that no legal layout has stops with its reason", () => {
  const impossible = withOverrides({ outputLayouts: parseOutputLayoutOverrides("first=3x7:block_sharded") });
  const error = assertThrows(() => decide("df-sharding", line, impossible), DiagnosticError);
  assertStringIncludes(error.message, "%0 (ttnn.relu) with 3x7:block_sharded: none of its");
});

Deno.test("--insert-memreconfig converts an operand to the op's own layout, also inside of a chain", () => {
  // Upstream fails on an assertion if the edge is inside a chain.
  const decided = decide(
    "df-sharding",
    line,
    withOverrides({
      outputLayouts: parseOutputLayoutOverrides("first=8x1:height_sharded"),
      memReconfigs: parseMemReconfigOverrides("second=0"),
    }),
  );
  assertEquals(decided.outputs, ["l1/height_sharded/8x1", "l1/block_sharded/8x8"]);
  assertEquals(decided.conversions[0], "%0 l1/block_sharded/8x8 reshard");
});

Deno.test("--memreconfig-enabled=false lets a chain fail that needs a conversion", () => {
  const make = (builder: GraphBuilder): void => convolution(builder, 1);
  const converted = decide("df-sharding", make);
  // conv2d_sharding.mlir in tt-mlir: both the input and the output of the convolution are sharded.
  assert(converted.inputs[0]?.[0]?.includes("sharded"), converted.inputs[0]?.[0]);
  assert(converted.outputs[0]?.includes("sharded"));
  const refused = decide("df-sharding", make, { options: { memReconfigEnabled: false } });
  assertEquals(refused.outputs, ["dram/interleaved"]);
  assertStringIncludes(reasonsOf(refused, 0), "chain 0 failed: operand 0 of");
  const overridden = decide(
    "df-sharding",
    make,
    withOverrides({ conv2dConfigs: parseConv2dConfigOverrides("conv=act_block_h_override#64") }),
  );
  const { config } = overridden.functionPlan.decisions[0] ?? {};
  assertEquals(config?.kind === "conv2d" && config.conv2dConfig?.actBlockHOverride, 64);
});

Deno.test("--solve-for-optimal-first-op-input reads the input of a chain in shards", () => {
  const decided = decide("df-sharding", line, { options: { solveForOptimalFirstOpInput: true } });
  assertEquals(decided.inputs[0], ["l1/block_sharded/8x8"]);
  assertEquals(decided.conversions[0], "%arg0 l1/block_sharded/8x8 reshard");
});

Deno.test("--max-legal-layouts=0 leaves no op in L1", () => {
  // sharding_matmul_override_0.mlir in tt-mlir.
  const decided = decide("df-sharding", (builder) => {
    const x = builder.argument(SQUARE);
    builder.return(builder.op("ttnn.matmul", [builder.op("ttnn.matmul", [x, x], SQUARE), x], SQUARE));
  }, { options: { maxLegalLayouts: 0 } });
  assertEquals(decided.outputs, ["dram/interleaved", "dram/interleaved"]);
  assertEquals(decided.conversions, []);
});

Deno.test("a convolution is height sharded with 32 legal layouts", () => {
  // max_legal_layouts_override_32.mlir in tt-mlir.
  const decided = decide("df-sharding", (builder) => convolution(builder, 16), {
    options: { maxLegalLayouts: 32 },
  });
  assertEquals(decided.outputs, ["l1/height_sharded/64x1"]);
});

Deno.test("a chain of add, gelu, add over a wide row is width sharded", () => {
  // gelu_sharding_input.mlir in tt-mlir.
  const row = bf16(32, 1, 8192);
  const decided = decide("df-sharding", (builder) => {
    const [x, y, z] = [0, 1, 2].map(() => builder.argument(row));
    const sum = builder.op("ttnn.add", [present(x), present(y)], row);
    builder.return(builder.op("ttnn.add", [builder.op("ttnn.gelu", [sum], row), present(z)], row));
  });
  assertEquals(decided.inputs[1], ["l1/width_sharded/1x64"]);
  assertEquals(decided.outputs[1], "l1/width_sharded/1x64");
});

Deno.test("rotary embeddings are height sharded", () => {
  // rope_key_llama3.2_sharding.mlir and rope_query_llama3.2_sharding.mlir in tt-mlir.
  for (const heads of [8, 32]) {
    const tensor = bf16(1, 1, heads, 64);
    const decided = decide("df-sharding", (builder) => {
      const flat = builder.argument(bf16(1, heads * 64));
      const reshaped = builder.op("ttnn.reshape", [flat], tensor);
      const cos = builder.argument(bf16(1, 1, heads, 64));
      const sin = builder.argument(bf16(1, 1, heads, 64));
      builder.return(builder.op("ttnn.rotary_embedding", [reshaped, cos, sin], tensor));
    });
    assertEquals(decided.outputs[1]?.split("/").slice(0, 2), ["l1", "height_sharded"]);
  }
});

Deno.test("--insert-memreconfig on the first op of a chain leads to the layout that the op was going to make", () => {
  const overridden = withOverrides({ memReconfigs: parseMemReconfigOverrides("first=0") });
  const decided = decide("df-sharding", line, overridden);
  assertEquals(decided.conversions[0], "%arg0 l1/block_sharded/8x8 override");
  assertEquals(decided.outputs, ["l1/block_sharded/8x8", "l1/block_sharded/8x8"]);
});
