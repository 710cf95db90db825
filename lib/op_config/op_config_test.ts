// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { attributeMap, parseModule, parseModules } from "../ir/mod.ts";
import type { OpSpecificAttributes } from "./op_config.ts";
import { configKeys } from "./property_keys.ts";
import { parseOpConfig } from "./parse.ts";
import { opConfigProperties } from "./print.ts";
import { aliasTextOf } from "../dialect/ttnn_layout.ts";

function configOf(opName: string, properties: string, aliases = ""): OpSpecificAttributes | undefined {
  const module = parseModule(`${aliases}\n"${opName}"() <{${properties}}> : () -> ()`, "c.mlir");
  const [operation] = module.operations;
  return operation && parseOpConfig(opName, attributeMap(module, operation), aliasTextOf(module));
}

function roundTrip(opName: string, config: OpSpecificAttributes): OpSpecificAttributes | undefined {
  const text = opConfigProperties(opName, config).map(({ key, value }) => `${key} = ${value}`).join(", ");
  return configOf(opName, text);
}

const CONFIGS: readonly (readonly [opName: string, config: OpSpecificAttributes])[] = [
  ["ttnn.conv2d", {
    kind: "conv2d",
    conv2dConfig: {
      weightsDtype: "bfp_bf8",
      activation: { opType: "leaky_relu", params: [0.25] },
      deallocateActivation: true,
      actBlockHOverride: 64,
      shardLayout: "height_sharded",
      coreGrid: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 6 } }],
      outputLayout: "tile",
      configTensorsInDram: false,
    },
    sliceConfig: { sliceType: "dram_width", numSlices: 4 },
    computeConfig: { mathFidelity: "hifi2", packerL1Acc: true },
  }],
  ["ttnn.conv3d", {
    kind: "conv3d",
    conv3dConfig: { tOutBlock: 1, cOutBlock: 32, computeWithStorageGridSize: [11, 10] },
  }],
  ["ttnn.matmul", {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse_multi_cast",
      computeWithStorageGridSize: [8, 7],
      in0BlockW: 2,
      outSubblockH: 1,
      outSubblockW: 4,
      outBlockH: 2,
      outBlockW: 4,
      perCoreM: 2,
      perCoreN: 4,
      transposeMcast: false,
      fusedActivation: { opType: "silu", params: [] },
      fuseBatch: true,
    },
    computeConfig: { mathFidelity: "lofi", mathApproxMode: false, fp32DestAccEn: true, dstFullSyncEn: false },
  }],
  ["ttnn.linear", {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse_multi_cast_1d",
      computeWithStorageGridSize: [11, 6],
      in0BlockW: 8,
      outSubblockH: 1,
      outSubblockW: 2,
      outBlockH: 1,
      outBlockW: 2,
      perCoreM: 1,
      perCoreN: 2,
      fuseBatch: true,
      mcastIn0: true,
      gatherIn0: false,
      hopCores: [{ start: { x: 1, y: 2 }, end: { x: 1, y: 2 } }],
      numGlobalCbReceivers: 1,
      untilizeOut: false,
    },
  }],
  ["ttnn.matmul", {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse",
      computeWithStorageGridSize: [8, 8],
      in0BlockW: 1,
      outSubblockH: 1,
      outSubblockW: 1,
      perCoreM: 3,
      perCoreN: 5,
    },
  }],
  ["ttnn.matmul", {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
      in0BlockW: 4,
      perCoreM: 1,
      perCoreN: 9,
    },
  }],
  ["ttnn.distributed_rms_norm", {
    kind: "norm",
    programConfig: {
      computeWithStorageGridSize: [8, 4],
      subblockW: 1,
      blockH: 2,
      blockW: 3,
      inplace: true,
    },
  }],
  ["ttnn.scaled_dot_product_attention", {
    kind: "sdpa",
    programConfig: {
      computeWithStorageGridSize: [11, 10],
      qChunkSize: 32,
      kChunkSize: 64,
      expApproxMode: false,
    },
  }],
];

Deno.test("parseOpConfig() reads back what opConfigProperties() prints, for every kind of config", () => {
  for (const [opName, config] of CONFIGS) assertEquals(roundTrip(opName, config), config);
});

Deno.test("opConfigProperties() prints a matmul config as upstream does", () => {
  const text = opConfigProperties("ttnn.matmul", {
    kind: "matmul",
    programConfig: {
      kind: "matmul_multi_core_reuse_multi_cast",
      computeWithStorageGridSize: [8, 8],
      in0BlockW: 2,
      outSubblockH: 1,
      outSubblockW: 4,
      outBlockH: 2,
      outBlockW: 4,
      perCoreM: 2,
      perCoreN: 4,
      transposeMcast: false,
      fuseBatch: true,
    },
    computeConfig: { mathFidelity: "hifi4", fp32DestAccEn: true },
  });
  assertEquals(text, [
    {
      key: "compute_config",
      value: "#ttnn.device_compute_kernel_config<math_fidelity = hifi4, fp32_dest_acc_en = true>",
    },
    {
      key: "matmul_program_config",
      value: "#ttnn.matmul_multi_core_reuse_multi_cast_program_config<compute_with_storage_grid_size = " +
        "#ttnn.core_coord<8, 8>, in0_block_w = 2, out_subblock_h = 1, out_subblock_w = 4, out_block_h = 2, " +
        "out_block_w = 4, per_core_m = 2, per_core_n = 4, transpose_mcast = false, fuse_batch = true>",
    },
  ]);
});

Deno.test("parseOpConfig() reads hand-written spellings: free order and space, aliases, strings", () => {
  assertEquals(
    configOf(
      "ttnn.conv2d",
      "conv2d_config = #config",
      `#cores = #ttnn.core_range_set<[#ttnn.core_range<(0, 0), (7, 7)>]>
       #config = #ttnn.conv2d_config<
         core_grid = #cores, output_layout=row_major,
         activation = "relu", weights_dtype = bf16>`,
    ),
    {
      kind: "conv2d",
      conv2dConfig: {
        weightsDtype: "bf16",
        activation: { opType: "relu", params: [] },
        coreGrid: [{ start: { x: 0, y: 0 }, end: { x: 7, y: 7 } }],
        outputLayout: "row_major",
      },
    },
  );
  assertEquals(configOf("ttnn.add", "compute_config = 1 : i32"), undefined);
  assertEquals(configOf("ttnn.matmul", "transpose_a = false"), undefined);
});

/** Fields that we read past: they stay in the text unless the config is rewritten. */
const UNREAD_FIELD = /, max_cores_per_head_batch = \d+/;

corpusTest(
  "parseOpConfig() and opConfigProperties() give back every config of the dumps as it stands",
  () => {
    let configs = 0;
    for (const path of corpusFiles("dumps/ttnn")) {
      for (const module of parseModules(Deno.readTextFileSync(path), path)) {
        for (const operation of module.operations) {
          if (configKeys(operation.name) === undefined) continue;
          const config = parseOpConfig(operation.name, attributeMap(module, operation), aliasTextOf(module));
          if (config === undefined) continue;
          const entries = new Map(
            operation.properties?.entries.map(({ key, valueSpan }) => [
              key,
              valueSpan && module.text.slice(valueSpan.start, valueSpan.end).replace(UNREAD_FIELD, ""),
            ]),
          );
          for (const { key, value } of opConfigProperties(operation.name, config)) {
            assertEquals(value, entries.get(key), `${corpusName(path)} ${operation.name}`);
            configs++;
          }
        }
      }
    }
    assert(configs > 1000, `only ${configs} configs seen`);
  },
);
