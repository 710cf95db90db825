// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { parseModule } from "../../../ir/mod.ts";
import { loadModule } from "../../../../pipeline/load_module.ts";
import { preparedGraph } from "../../../../pipeline/prepared_graph.ts";
import { getDevice } from "../../../../sim/devices/device_registry.ts";
import { DEFAULT_PASS_OPTIONS } from "../../pass_options.ts";

/** A pool of images of 64 channels, 3x3 by 2, and what reads its result in rows. */
function pool(images: number, extent: number): string {
  const [rows, half] = [images * extent ** 2, images * (extent / 2) ** 2];
  const typeOf = (count: number, element: string) =>
    `tensor<1x1x${count}x64xbf16, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * ${count} + d1 * ${count} + d2, d3), ` +
    `<1x1>, memref<${element}, #ttnn.buffer_type<dram>>, <interleaved>>>`;
  const [input, pooled, tiled] = [
    typeOf(rows, `${rows}x64xbf16`),
    typeOf(half, `${half}x64xbf16`),
    typeOf(half, `${Math.ceil(half / 32)}x2x!ttcore.tile<32x32, bf16>`),
  ];
  return `func.func @main(%image: ${input}) -> ${tiled} {
  %0 = "ttnn.max_pool2d"(%image) <{batch_size = ${images} : si32, ceil_mode = false, channels = 64 : si32, config_tensors_in_dram = true, dilation = array<i32: 1, 1>, input_height = ${extent} : si32, input_width = ${extent} : si32, kernel_size = array<i32: 3, 3>, padding = array<i32: 1, 1, 1, 1>, reallocate_halo_output = false, stride = array<i32: 2, 2>}> : (${input}) -> ${pooled}
  %1 = "ttnn.to_layout"(%0) <{layout = #ttnn.layout<tile>}> : (${pooled}) -> ${tiled}
  return %1 : ${tiled}
}`;
}

function passed(text: string): string {
  return preparedGraph(undefined, parseModule(text, "test.mlir"), getDevice("n150"), DEFAULT_PASS_OPTIONS, {})
    .module.text;
}

function opsOf(text: string): readonly string[] {
  const { graph } = loadModule(text, { device: "n150", passes: "none" }).binding;
  return graph.functions.flatMap(({ ops }) => ops.map(({ name }) => name));
}

// ttnn 0.81.1 returns 32x56x56x64 and 8x112x112x64 from the first two, 1x1x50176x64 from the third.
Deno.test("the result of a pool that ttnn slices is reshaped to its declared shape, once", () => {
  for (const [images, extent] of [[32, 112], [8, 224]] as const) {
    const text = passed(pool(images, extent));
    assertEquals(opsOf(text), ["ttnn.max_pool2d", "ttnn.reshape", "ttnn.to_layout"]);
    assertEquals(opsOf(passed(text)), opsOf(text));
  }
  assertEquals(opsOf(passed(pool(16, 112))), ["ttnn.max_pool2d", "ttnn.to_layout"]);
});
