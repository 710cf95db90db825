// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../../../ir/mod.ts";
import { DEFAULT_L1_CAP } from "../../../device/chip_description.ts";
import { checkMemory } from "../../../../pipeline/check_memory.ts";
import { createWorkbench } from "../../../../pipeline/load.ts";
import { preparedGraph } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";

const N150 = getDevice("n150");

function typeOf(columns: number, pages: "tiles" | "rows"): string {
  const element = pages === "tiles" ? `32x${columns / 32}x!ttcore.tile<32x32, bf16>` : `1024x${columns}xbf16`;
  return `tensor<1024x${columns}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, ` +
    `memref<${element}, #ttnn.buffer_type<dram>>, <interleaved>>>`;
}

/** A concat along columns of tensors in these pages, whose result is in tiles. */
function concat(...pages: readonly ("tiles" | "rows")[]): string {
  const args = pages.map((page, index) => `%arg${index}: ${typeOf(64, page)}`);
  const result = typeOf(64 * pages.length, "tiles");
  return `func.func @main(${args.join(", ")}) -> ${result} {
  %0 = "ttnn.concat"(${pages.map((_, index) => `%arg${index}`).join(", ")}) <{dim = 1 : si32}> : (${
    pages.map((page) => typeOf(64, page)).join(", ")
  }) -> ${result}
  return %0 : ${result}
}`;
}

/** Names of the ops behind all passes, and the verdict. */
function passed(text: string) {
  const input = parseModule(text, "test.mlir");
  const { module, changes } = preparedGraph(undefined, input, N150, DEFAULT_PASS_OPTIONS, {});
  const workbench = createWorkbench(module, N150);
  return {
    ops: workbench.binding.graph.functions.flatMap(({ ops }) =>
      ops.map(({ name }) => name.replace("ttnn.", ""))
    ),
    changes: changes.map(({ pass }) => pass),
    status: checkMemory(workbench, DEFAULT_L1_CAP).verdict.status,
  };
}

Deno.test("a concat whose kernel takes tiles beside rows stays", () => {
  assertEquals(passed(concat("tiles", "rows", "tiles")), { ops: ["concat"], changes: [], status: "fits" });
});

Deno.test("an op that runs as it is stays", () => {
  assertEquals(passed(concat("tiles", "tiles")).changes, []);
});

Deno.test("rows stay rows where converting the result is less than converting every operand", () => {
  const { ops, status } = passed(concat("rows", "rows", "rows"));
  assertEquals([ops.filter((name) => name === "to_layout").length, status], [1, "fits"]);
});

Deno.test("block formats stay tiled if an op refuses row-major", () => {
  const block = typeOf(64, "tiles").replace("x64xbf16", "x64x!ttcore.tile<32x32, bfp_bf8>").replace(
    "tile<32x32, bf16>",
    "tile<32x32, bfp_bf8>",
  );
  const text = `func.func @main(%a: ${block}, %b: ${typeOf(64, "rows")}) -> ${block} {
  %0 = "ttnn.concat"(%a, %b) <{dim = 0 : si32}> : (${block}, ${typeOf(64, "rows")}) -> ${block}
  return %0 : ${block}
}`.replaceAll(/-> tensor<1024x/g, "-> tensor<2048x").replaceAll(
    /return %0 : tensor<1024x/g,
    "return %0 : tensor<2048x",
  );
  assertEquals(typeof passed(text).status, "string");
});

Deno.test("tensors stay in L1 when their pages change", () => {
  const layout = (rows: number): string =>
    `#ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * ${64 * rows} + d1 * ${rows} + d2, d3), <8x8>, ` +
    "memref<1x16x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<l1>>, <interleaved>>";
  const [input, result] = [
    `tensor<1x64x112x112xbf16, ${layout(128)}>`,
    `tensor<1x64x114x114xbf16, ${layout(128)}>`,
  ];
  const { ops, changes, status } = passed(`func.func @main(%x: ${input}) -> ${result} {
  %0 = "ttnn.pad"(%x) <{padding = array<i32: 0, 0, 0, 0, 1, 1, 1, 1>, use_multicore = true, value = 0.0 : f32}> : (${input}) -> ${result}
  return %0 : ${result}
}`);
  assertEquals([ops, changes, status], [["to_layout", "pad", "to_layout"], ["in-one-page-layout"], "fits"]);
});
