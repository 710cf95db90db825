// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { readMesh } from "../lib/dialect/module_mesh.ts";
import { type ModuleText, parseModule, printGeneric } from "../lib/ir/mod.ts";
import { DEFAULT_POLICY_OPTIONS } from "../lib/policy/options.ts";
import { getPolicy } from "../lib/policy/policies.ts";
import { createdLayouts, verifyModule } from "../lib/verify/verify_module.ts";
import type { Device } from "../sim/devices/device.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { FunctionTimeline } from "../sim/timeline/timeline.ts";
import { corpusFiles, corpusName, corpusTest, IS_FULL_SWEEP } from "../testing/corpus.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { createWorkbench } from "./load.ts";
import { meshOfModule } from "./mesh.ts";
import { optimizeModule } from "./optimize.ts";
import { readCorpusInput } from "./testing/corpus_input.ts";

/** `TILEWRIGHT_FULL_SWEEP=1` takes every file. */
const EVERY = IS_FULL_SWEEP ? 1 : 5;

const OF_SEVERAL_CHIPS =
  /all_gather|all_reduce|reduce_scatter|mesh_shard|mesh_partition|(distribute|aggregate)_tensor|point_to_point|all_to_all|collective_permute|distributed_(rms|layer)_norm/;

/** Every spelling of a mesh in a text, in order. */
function meshTexts(text: string): readonly string[] {
  return text.match(
    /#ttcore\.meshes<[^\n]*?>\]>|meshShape = [\dx]+|meshTopology = \[[^\]]*\]|#ttnn<mesh_shape [\dx]+>/g,
  ) ?? [];
}

function figures({ totalUs, peakL1Bytes, steps, verdict }: FunctionTimeline): unknown {
  return { microseconds: totalUs.toFixed(6), peakL1Bytes, steps: steps.length, status: verdict.status };
}

/** Exchanges between chips with the shapes that one chip has. */
function exchanges(timelines: readonly FunctionTimeline[]): readonly string[] {
  return timelines.flatMap(({ steps }) => steps).filter(({ kind, costClass }) =>
    kind === "op" && costClass === "ccl"
  )
    .map(({ name, inputShapes, outputShapes }) =>
      `${name} ${inputShapes.join(";")} ${outputShapes.join(";")}`
    );
}

function check(module: ModuleText, device: Device): void {
  const workbench = createWorkbench(module, device, DEFAULT_POLICY_OPTIONS);
  const { text, memory, timeline } = optimizeModule(workbench, getPolicy("greedy"), DEFAULT_POLICY_OPTIONS);
  assert(memory.verdict.status !== "does_not_fit", "fits on each chip");
  const again = parseModule(text, "optimized");
  assertEquals(meshTexts(printGeneric(again)), meshTexts(printGeneric(module)));
  assertEquals(readMesh(again), readMesh(module));
  const written = createWorkbench(again, device, DEFAULT_POLICY_OPTIONS);
  assertEquals(written.mesh, workbench.mesh);
  const { functions } = simulateGraph(written.binding.graph, undefined, written, DEFAULT_POLICY_OPTIONS);
  assertEquals(functions.map(figures), timeline.functions.map(figures));
  assertEquals(exchanges(functions), exchanges(timeline.functions));
  for (const step of functions.flatMap(({ steps }) => steps)) {
    if (step.costClass === "ccl") assertEquals(step.estimate.unknown, undefined, step.name);
  }
  const isCreated = createdLayouts(module, again);
  assertEquals(verifyModule(again, { isCreated }).filter(({ severity }) => severity === "error"), []);
}

corpusTest(
  "every file of several chips optimizes, fits per chip, keeps its mesh and reads back",
  async (t) => {
    const files = corpusFiles().filter((file) => OF_SEVERAL_CHIPS.test(Deno.readTextFileSync(file)))
      .filter((_, index) => index % EVERY === 0);
    assert(files.length >= 5);
    for (const file of files) {
      await t.step(corpusName(file), () => {
        const { module, device } = readCorpusInput(Deno.readTextFileSync(file), corpusName(file));
        check(module, device);
      });
    }
  },
);

Deno.test("meshes in every spelling of upstream survive optimizing", () => {
  const text = (meshes: string, device: string) =>
    `#dram = #ttnn.buffer_type<dram>
#system_desc = #ttcore.system_desc<[{role = host, target_triple = "x86_64-pc-linux"}], [{arch = <wormhole_b0>, grid = 8x8, coord_translation_offsets = 18x18, l1_size = 1499136, num_dram_channels = 12, dram_channel_size = 1073741824, noc_l1_address_align_bytes = 16, pcie_address_align_bytes = 32, noc_dram_address_align_bytes = 32, l1_unreserved_base = 103712, erisc_l1_unreserved_base = 98304, dram_unreserved_base = 32, dram_unreserved_end = 1073119552, supported_data_types = [<bf16>], supported_tile_sizes = [ 32x32], dst_physical_size_tiles = 16, num_cbs = 32, num_compute_threads = 1, num_datamovement_threads = 2}], [0], [1 : i32], [ 0x0x0x0]>
#layout = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
module attributes {ttcore.meshes = #ttcore.meshes<[${meshes}]>, ttcore.system_desc = #system_desc} {
  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, d0, d1), ${device}>
  func.func @main(%arg0: tensor<64x64xbf16, #layout>) -> tensor<64x64xbf16, #layout> {
    %0 = "ttnn.all_reduce"(%arg0) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<64x64xbf16, #layout>) -> tensor<64x64xbf16, #layout>
    return %0 : tensor<64x64xbf16, #layout>
  }
}
`;
  for (
    const [meshes, device, topology] of [
      ['<"mesh" = 2x4>', "meshShape = 2x4, chipIds = [0, 1, 2, 3, 4, 5, 6, 7]", []],
      [
        '<"mesh" = 2x4>',
        "meshShape = 2x4, chipIds = [0, 1, 2, 3, 4, 5, 6, 7], meshTopology = [linear, ring]",
        ["linear", "ring"],
      ],
      ['<"mesh" = 1x8>, <"other" = 2x4>', "meshShape = 1x8, chipIds = [0, 1, 2, 3, 4, 5, 6, 7]", []],
    ] as const
  ) {
    const { module, device: machine } = readCorpusInput(text(meshes, device), "mesh.mlir");
    assertEquals(readMesh(module).topology, [...topology]);
    check(module, machine);
  }
});

Deno.test("meshTopology begins with how chips of a row are joined, which is the last axis", () => {
  const module = parseModule(
    `module {
  ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8>, dramGrid = #ttcore.grid<1x12>, l1Map = (d0, d1, d2)[s0] -> (0, d0, d1, d2 + s0), dramMap = (d0, d1, d2)[s0, s1, s2, s3, s4, s5, s6] -> (0, 0, d0, d1), meshShape = 2x4, chipIds = [0, 1, 2, 3, 4, 5, 6, 7], meshTopology = [ring, disabled]>
}
`,
    "mesh.mlir",
  );
  const { mesh } = meshOfModule(module, getDevice("t3000"));
  assertEquals(mesh.map(({ chips, topology }) => [chips, topology]), [[2, "linear"], [4, "ring"]]);
});
