// SPDX-License-Identifier: Apache-2.0

/** What is written for compilers of every age is in one spelling and reads back. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { DiagnosticError } from "../lib/diagnostics/diagnostic.ts";
import { detectProfile, getProfile, HEAD_PROFILE, TTNN_PROFILES } from "../lib/dialect/ttnn_profile.ts";
import { parseModule } from "../lib/ir/mod.ts";
import { identityPlan } from "../lib/plan/steps.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { respellModule } from "../lib/rewrite/respell_module.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import { loadModule } from "./load_module.ts";
import { optimizeModule } from "./optimize.ts";

/** A cache changed in place takes its update in height shards from lowering on; the weight is moved to load time. */
const DECODE = `func.func @main(
    %cache: tensor<2x2x64x32xbf16> {ttcore.kv_cache}, %x: tensor<1x2x2x32xbf16>, %i: tensor<2xi32>,
    %w: tensor<32x32xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}
  ) -> (tensor<2x2x64x32xbf16>, tensor<128x32xf32>) {
  %0 = "ttir.paged_update_cache"(%cache, %x, %i) <{share_cache = false}> : (tensor<2x2x64x32xbf16>, tensor<1x2x2x32xbf16>, tensor<2xi32>) -> tensor<2x2x64x32xbf16>
  %1 = "ttir.constant"() <{value = dense<2.0> : tensor<32x32xbf16>}> : () -> tensor<32x32xbf16>
  %2 = "ttir.multiply"(%w, %1) : (tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<32x32xbf16>
  %3 = "ttir.reshape"(%0) <{shape = [256 : i32, 32 : i32]}> : (tensor<2x2x64x32xbf16>) -> tensor<256x32xbf16>
  %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32], ends = [128 : i32, 32 : i32], step = [1 : i32, 1 : i32]}> : (tensor<256x32xbf16>) -> tensor<128x32xbf16>
  %5 = "ttir.matmul"(%4, %2) : (tensor<128x32xbf16>, tensor<32x32xbf16>) -> tensor<128x32xbf16>
  %6 = "ttir.typecast"(%5) : (tensor<128x32xbf16>) -> tensor<128x32xf32>
  return %0, %6 : tensor<2x2x64x32xbf16>, tensor<128x32xf32>
}
`;

const IMAGE = Deno.readTextFileSync(new URL("../testdata/ttir/mobile_block.mlir", import.meta.url));

for (const profile of TTNN_PROFILES) {
  for (const [name, text] of [["decode", DECODE], ["image", IMAGE]] as const) {
    Deno.test(`${name} for compilers of ${profile.name}: one spelling, which reads back to the same time`, () => {
      const workbench = loadModule(text, { device: "n150", fileName: name });
      const optimized = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS, { profile });
      const written = parseModule(optimized.text, name);
      assertEquals(verifyModule(written), []);

      const back = loadModule(optimized.text, { device: "n150", fileName: name });
      const { binding: { graph }, device, opModel, cost } = back;
      const functions = graph.functions.map(identityPlan);
      const plan = { schema: "tilewright.plan/1", policy: "none", device: "n150", functions } as const;
      const tensorL1UsageCap = DEFAULT_POLICY_OPTIONS.tensorL1UsageCap;
      const timeline = simulateGraph(graph, plan, { device, opModel, cost }, { tensorL1UsageCap });
      assertEquals(timeline.inference.totalUs, optimized.timeline.inference.totalUs);
      assertEquals(timeline.once.totalUs, optimized.timeline.once.totalUs);

      assertEquals(detectProfile(written), profile);
      const otherDialect = profile.dialect === "tt" ? /[#!]ttcore\b|\bttcore\./ : /[#!]tt[.<]/;
      assertEquals(optimized.text.match(otherDialect)?.[0], undefined);
      const layouts = optimized.text.split("\n").filter((line) => line.includes("#ttnn.ttnn_layout<"));
      const sharded = layouts.filter((line) => line.includes("_sharded>"));
      assert(sharded.length > 0);
      for (const line of sharded) {
        assertEquals(line.includes("core_ranges ="), profile.layoutGeneration === "G4", line);
        assertEquals(line.includes("virt_to_physical_map ="), profile.layoutGeneration === "G3", line);
      }
      for (const op of written.operations) {
        const head = optimized.text.slice(op.span.start, op.span.end).split(" : (")[0] ?? "";
        if (op.name === "ttnn.typecast") assertEquals(head.includes("dtype ="), profile.dtypeProperty, head);
        if (op.name === "ttnn.to_layout") {
          assertEquals(head.includes("layout ="), profile.layoutProperty, head);
        }
      }
    });
  }
}

Deno.test("text of any age is spelled for the newest compilers and back", () => {
  const { module, chip } = loadModule(DECODE, { device: "n150" });
  for (const profile of TTNN_PROFILES) {
    const old = respellModule(module, chip, profile);
    assertEquals(respellModule(parseModule(old, "old"), chip, profile), old, profile.name);
    assertEquals(respellModule(parseModule(old, "old"), chip, HEAD_PROFILE), module.text, profile.name);
  }
});

Deno.test("shards on cores that an old generation cannot spell are refused before anything is written", () => {
  const ttnn = `#l1 = #ttnn.buffer_type<l1>
#a = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <2x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #l1>, <height_sharded>, core_ranges = <[#ttnn.core_range<(3,2), (4,2)>]>>
func.func @main(%x: tensor<64x64xbf16, #a>) -> tensor<64x64xbf16, #a> {
  %0 = "ttnn.relu"(%x) : (tensor<64x64xbf16, #a>) -> tensor<64x64xbf16, #a>
  return %0 : tensor<64x64xbf16, #a>
}
`;
  for (const name of ["g1", "g2", "g3"]) {
    const profile = getProfile(name);
    const workbench = loadModule(ttnn, { device: "n150" });
    assertThrows(
      () => optimizeModule(workbench, getPolicy("dram"), DEFAULT_POLICY_OPTIONS, { profile }),
      DiagnosticError,
      "choose --ttnn-profile memory-config or a newer one",
    );
  }
});

/** A type in DRAM, or in shards of columns that do not say on which cores they are. */
function tensorOf(rows: number, columns: number, shards?: number): string {
  const memory = shards === undefined
    ? ["<1x1>", "dram", "interleaved"]
    : [`<1x${shards}>`, "l1", "width_sharded"];
  return `tensor<${rows}x${columns}xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), ${memory[0]}, memref<${
    rows / 32
  }x${columns / 32 / (shards ?? 1)}x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<${memory[1]}>>, <${
    memory[2]
  }>>>`;
}

Deno.test("collectives of before November 2025, which take the device, are read, priced, decided and written again", () => {
  const axis = "cluster_axis = 1 : ui32, num_links = 1 : ui32";
  const sum = "reduce_type = #ttcore.reduce_type<sum>";
  const norm = `cluster_axis = 1 : ui32, epsilon = 1.0e-5 : f32`;
  for (
    const [op, properties, columns] of [
      ["all_gather", `all_gather_dim = 1 : si32, ${axis}`, 256],
      ["reduce_scatter", `${axis}, ${sum}, scatter_dim = 1 : si32`, 64],
      ["all_reduce", `${axis}, ${sum}`, 128],
      [
        "mesh_shard",
        "shard_dims = array<i64: -1, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, " +
        "shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>",
        64,
      ],
      ["collective_permute", "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", 128],
      ["point_to_point", "receive_coord = array<i64: 0, 1>, send_coord = array<i64: 0, 0>", 128],
      ["distribute_tensor", "mapper_config = #ttnn.mesh_mapper_config<placements = [<shard, 1 : i64>]>", 64],
      ["aggregate_tensor", "composer_config = #ttnn.mesh_composer_config<dims = [0 : i64, 1 : i64]>", 256],
      // Before it took a semaphore, and since.
      ["distributed_rms_norm", `${norm}, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1>`, 128],
      ["distributed_rms_norm", `${norm}, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 1>`, 128],
      ["distributed_layer_norm", `${norm}, operandSegmentSizes = array<i32: 1, 0, 0, 0, 1>`, 128],
    ] as const
  ) {
    const [from, to] = [tensorOf(32, 128), tensorOf(32, columns)];
    const text = `module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @forward(%x: ${from}) -> ${to} {
    %0 = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x2>}> : () -> !ttnn.device
    %1 = "ttnn.${op}"(%x, %0) <{${properties}}> : (${from}, !ttnn.device) -> ${to}
    return %1 : ${to}
  }
}
`;
    assertEquals(verifyModule(parseModule(text, op)), [], op);
    const workbench = loadModule(text, { device: "n300", fileName: op });
    const optimized = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
    assertEquals(verifyModule(parseModule(optimized.text, op)), [], op);
    assert(new RegExp(`"ttnn.${op}"\\(%\\w+, %0\\)`).test(optimized.text), optimized.text);
    assert(optimized.timeline.inference.totalUs > 0, op);
  }
});

Deno.test("shards of a text from before core ranges lie on the first cores where nothing says more", () => {
  const [whole, shards] = [tensorOf(32, 256), tensorOf(32, 256, 8)];
  const text = (memoryConfig: string) =>
    `func.func @forward(%x: ${whole}) -> ${shards} {
  %0 = "ttnn.to_memory_config"(%x) ${memoryConfig} : (${whole}) -> ${shards}
  return %0 : ${shards}
}
`;
  const old = text("<{memory_config = #ttnn.memory_config<#ttnn.buffer_type<l1>, <width_sharded>>}>");
  assertEquals(verifyModule(parseModule(old, "old")), []);
  const { binding: { graph } } = loadModule(old, { device: "n150" });
  const fn = graph.functions[0];
  assertEquals(
    fn?.values.map(({ layout }) => layout?.coreRanges).filter((ranges) => ranges?.length === 1),
    [[{ start: { x: 0, y: 0 }, end: { x: 7, y: 0 } }]],
  );
  // Compilers of today refuse it.
  const codes = verifyModule(parseModule(text(""), "new")).map(({ code }) => code);
  assertEquals(new Set(codes), new Set(["V5/core-ranges/required"]));
});
