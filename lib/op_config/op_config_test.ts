// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { attributeMap, type ModuleText, type Operation, parseModule, parseModules } from "../ir/mod.ts";
import { configKind, type Conv2dConfig, OP_CONFIGS, type OpSpecificAttributes } from "./op_config.ts";
import { definitionOf, OP_DEFINITIONS } from "../ops/op_book.ts";
import { type ConfigReading, parseOpConfig, readOpConfig } from "./parse.ts";
import { opConfigProperties, UnspelledField } from "./print.ts";
import { verifyModule } from "../verify/verify_module.ts";
import { aliasTextOf } from "../dialect/ttnn_layout.ts";
import { detectProfile, HEAD_PROFILE } from "../dialect/ttnn_profile.ts";

function operationOf(opName: string, properties: string, aliases: string): [ModuleText, Operation] {
  const module = parseModule(`${aliases}\n"${opName}"() <{${properties}}> : () -> ()`, "c.mlir");
  const [operation] = module.operations;
  assert(operation !== undefined);
  return [module, operation];
}

function configOf(opName: string, properties: string): OpSpecificAttributes | undefined {
  return parseOpConfig(opName, attributeMap(...operationOf(opName, properties, "")));
}

/** What is read of properties in which aliases stand. */
function readingOf(opName: string, properties: string, aliases = ""): ConfigReading {
  const [module, operation] = operationOf(opName, properties, aliases);
  return readOpConfig(opName, attributeMap(module, operation), aliasTextOf(module));
}

function roundTrip(opName: string, config: OpSpecificAttributes): OpSpecificAttributes | undefined {
  const text = opConfigProperties(opName, config, HEAD_PROFILE).map(({ key, value }) => `${key} = ${value}`)
    .join(", ");
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
  ["ttnn.scaled_dot_product_attention_decode", {
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

Deno.test("opConfigProperties() writes no config that the op has no property for", () => {
  const chunks = CONFIGS.find(([, { kind }]) => kind === "sdpa")?.[1];
  assert(chunks !== undefined);
  assertEquals(opConfigProperties("ttnn.scaled_dot_product_attention", chunks, HEAD_PROFILE), []);
});

Deno.test("fields that only the backend has are read and kept, but never written anew", () => {
  const readers = "in0_block_w = 4, per_core_m = 1, per_core_n = 16, num_workers_per_dram_bank = 2";
  const cases: readonly (readonly [opName: string, property: string, field: string])[] = [
    ["ttnn.conv2d", "conv2d_config = #ttnn.conv2d_config<full_inner_dim = true>", "full_inner_dim"],
    ["ttnn.conv2d", "conv2d_config = #ttnn.conv2d_config<force_split_reader = true>", "force_split_reader"],
    [
      "ttnn.matmul",
      `matmul_program_config = #ttnn.matmul_multi_core_reuse_multi_cast_dram_sharded_program_config<${readers}>`,
      "num_workers_per_dram_bank",
    ],
  ];
  for (const [opName, property, field] of cases) {
    const config = configOf(opName, property);
    assert(config !== undefined);
    assertThrows(
      () => opConfigProperties(opName, config, HEAD_PROFILE),
      UnspelledField,
      `${field} is a field of`,
    );
    const module = parseModule(`"${opName}"() <{${property}}> : () -> ()`, "c.mlir");
    const [operation] = module.operations;
    assert(operation !== undefined);
    const present = { attributes: attributeMap(module, operation), alias: aliasTextOf(module) };
    assertEquals(opConfigProperties(opName, config, HEAD_PROFILE, present), []);
    assertStringIncludes(verifyModule(module).map(({ message }) => message).join(), `${field} is a field of`);
  }
});

Deno.test("fields that ttnn no longer has stay in the text without a warning, unknown ones are named together", () => {
  const warnings = (fields: string): string => {
    const config = `#ttnn.conv2d_config<weights_dtype = bf16, ${fields}>`;
    const module = parseModule(`"ttnn.conv2d"() <{conv2d_config = ${config}}> : () -> ()`, "c.mlir");
    return verifyModule(module).filter(({ code }) => code === "V15/op-config")
      .map(({ message }) => message).join();
  };
  assertEquals(warnings("dtype = bf16, input_channels_alignment = 32, enable_split_reader = false"), "");
  assertEquals(
    warnings("dtype = bf16, first_guess = 1, second_guess = 2"),
    "conv2d_config of 'ttnn.conv2d' is not read in full: first_guess, second_guess are fields that we do not know",
  );
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
  }, HEAD_PROFILE);
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

Deno.test("readOpConfig() reads hand-written spellings: free order and space, aliases, strings", () => {
  assertEquals(
    readingOf(
      "ttnn.conv2d",
      "conv2d_config = #config",
      `#cores = #ttnn.core_range_set<[#ttnn.core_range<(0, 0), (7, 7)>]>
       #config = #ttnn.conv2d_config<
         core_grid = #cores, output_layout=row_major,
         activation = "relu", weights_dtype = bf16>`,
    ).config,
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

const MATMUL_1D =
  "#ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config<compute_with_storage_grid_size = " +
  "#ttnn.core_coord<8, 2>, in0_block_w = 4, out_subblock_h = 1, out_subblock_w = 2, out_block_h = 1, " +
  "out_block_w = 2, per_core_m = 1, per_core_n = 2, fuse_batch = true, mcast_in0 = true, gather_in0 = false, " +
  "hop_cores = #ttnn.core_range_set<>, num_global_cb_receivers = 0, untilize_out = false>";

/** What was not read of one property of an op. */
function faultsOf(opName: string, properties: string): readonly (readonly [string, boolean])[] {
  const { faults } = readingOf(opName, properties);
  return faults.map(({ reason, isFatal }) => [reason, isFatal]);
}

Deno.test("a struct without a field that it needs is not read, and says which field", () => {
  assertEquals(faultsOf("ttnn.matmul", `matmul_program_config = ${MATMUL_1D}`), []);
  for (const field of ["in0_block_w", "out_block_h", "per_core_m", "num_global_cb_receivers", "fuse_batch"]) {
    const text = MATMUL_1D.replace(new RegExp(` ${field} = \\w+,`), "");
    assert(text !== MATMUL_1D);
    const properties = `matmul_program_config = ${text}`;
    assertEquals(faultsOf("ttnn.matmul", properties), [[`${field} is missing`, true]]);
    assertThrows(
      () => configOf("ttnn.matmul", properties),
      RangeError,
      `Cannot read matmul_program_config of ttnn.matmul: ${field} is missing`,
    );
  }
  assertEquals(
    faultsOf(
      "ttnn.distributed_rms_norm",
      "program_config = #ttnn.layernorm_sharded_multicore_program_config<compute_with_storage_grid_size = <8, 4>, " +
        "subblock_w = 1, block_h = 0, inplace = maybe>",
    ),
    [
      ["block_h = 0 is not a valid value, it takes an integer of at least 1", true],
      ["block_w is missing", true],
      ["inplace = maybe is not a valid value, it takes true, false", true],
    ],
  );
});

Deno.test("every kind of bad value is told, and leaves an optional field missing", () => {
  const cases: readonly (readonly [opName: string, property: string, field: string, expected: string])[] = [
    ["ttnn.conv2d", "conv2d_config", "act_block_h_override = -32", "an integer from 0 to 4294967295"],
    ["ttnn.conv2d", "conv2d_config", "act_block_w_div = 4294967296", "an integer from 0 to 4294967295"],
    ["ttnn.conv2d", "conv2d_config", "in_place = 1", "true, false"],
    ["ttnn.conv2d", "conv2d_config", "output_layout = invalid", "tile, row_major"],
    ["ttnn.conv2d", "conv2d_config", "core_grid = <8x8>", "a core range set"],
    ["ttnn.conv2d", "conv2d_config", "activation = <params = []>", "a unary function"],
    ["ttnn.conv2d", "conv2d_config", "activation = <op_type = pow, params = [x : f32]>", "a unary function"],
    ["ttnn.conv2d", "conv2d_config", "weights_dtype = f8", "f32, f16, bf16"],
    ["ttnn.conv3d", "conv3d_config", "compute_with_storage_grid_size = #ttcore.grid<0x8>", "a grid"],
    ["ttnn.matmul", "compute_config", "math_fidelity = hifi5", "lofi, hifi2, hifi3, hifi4"],
  ];
  for (const [opName, property, field, expected] of cases) {
    const mnemonic = property === "compute_config" ? "device_compute_kernel_config" : property;
    const properties = `${property} = #ttnn.${mnemonic}<${field}>`;
    const [[reason, isFatal] = ["", true], ...rest] = faultsOf(opName, properties);
    assertStringIncludes(reason, `${field} is not a valid value, it takes ${expected}`);
    assertEquals([isFatal, rest], [false, []]);
    const config = configOf(opName, properties);
    assert(config !== undefined);
    assertEquals(Object.values(config).filter((part) => typeof part === "object"), [{}], field);
  }
  assertEquals(faultsOf("ttnn.matmul", "matmul_program_config = #ttnn.new_program_config<a = 1>"), [[
    "it is not #ttnn.matmul_multi_core_reuse_program_config or " +
    "#ttnn.matmul_multi_core_reuse_multi_cast_program_config or " +
    "#ttnn.matmul_multi_core_reuse_multi_cast_1d_program_config or " +
    "#ttnn.matmul_multi_core_reuse_multi_cast_dram_sharded_program_config",
    false,
  ]]);
  assertEquals(faultsOf("ttnn.conv2d", "conv2d_slice_config = #ttnn.conv2d_slice_config<l1_full>"), [
    ["num_slices is missing", true],
  ]);
});

Deno.test("a rewritten config keeps what we could not read, and the text of what stays", () => {
  const module = parseModule(
    `#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (7,7)>]>
     "ttnn.conv2d"() <{conv2d_config = #ttnn.conv2d_config<new_field = <a = 1, b = "x, y">, activation = "relu",
       core_grid = #cores, output_layout = newer, in_place = true, act_block_h_override = 32>}> : () -> ()`,
    "c.mlir",
  );
  const [operation] = module.operations;
  assert(operation !== undefined);
  const attributes = attributeMap(module, operation);
  const alias = aliasTextOf(module);
  const { config } = readOpConfig("ttnn.conv2d", attributes, alias);
  assert(config?.kind === "conv2d" && config.conv2dConfig !== undefined);
  const write = (conv2dConfig: Conv2dConfig) =>
    opConfigProperties("ttnn.conv2d", { ...config, conv2dConfig }, HEAD_PROFILE, { attributes, alias });
  assertEquals(write(config.conv2dConfig), []);
  const { inPlace: _, ...rest } = config.conv2dConfig;
  assertEquals(write({ ...rest, actBlockHOverride: 64, weightsDtype: "bf16", configTensorsInDram: true }), [{
    key: "conv2d_config",
    value:
      '#ttnn.conv2d_config<new_field = <a = 1, b = "x, y">, weights_dtype = bf16, activation = "relu", ' +
      "core_grid = #cores, output_layout = newer, config_tensors_in_dram = true, act_block_h_override = 64>",
  }]);
});

Deno.test("a profile before mid 2025 spells the activation of a convolution by its name", () => {
  const profile = (name: "g1" | "g2") => ({ ...HEAD_PROFILE, name });
  const config = { kind: "conv2d", conv2dConfig: { activation: { opType: "relu", params: [] } } } as const;
  const value = (name: "g1" | "g2") => opConfigProperties("ttnn.conv2d", config, profile(name))[0]?.value;
  assertEquals(value("g1"), '#ttnn.conv2d_config<activation = "relu">');
  assertEquals(value("g2"), "#ttnn.conv2d_config<activation = <op_type = relu>>");
  const steep = {
    kind: "conv2d",
    conv2dConfig: { activation: { opType: "leaky_relu", params: [0.25] } },
  } as const;
  assertThrows(
    () => opConfigProperties("ttnn.conv2d", steep, profile("g1")),
    RangeError,
    "by its name alone",
  );
});

/** Text as we print it: aliases resolved, one blank between fields. */
function normalForm(text: string, alias: (text: string) => string): string {
  return alias(text).replaceAll(/\s+/g, " ").replace("< ", "<").replace(/ >$/, ">");
}

corpusTest(
  "parseOpConfig() and opConfigProperties() give back every config of the corpus in its own generation",
  () => {
    let configs = 0;
    const profiles = new Set<string>();
    for (
      const folder of [
        "dumps/ttnn",
        "ops/ttnn",
        "models/ttnn",
        "lowered/ops",
        "lowered/models",
        "upstream-level2/models",
      ]
    ) {
      for (const path of corpusFiles(folder)) {
        for (const module of parseModules(Deno.readTextFileSync(path), path)) {
          const profile = detectProfile(module);
          const alias = aliasTextOf(module);
          for (const operation of module.operations) {
            if (definitionOf(operation.name).config === undefined) continue;
            const attributes = attributeMap(module, operation);
            const { config, faults } = readOpConfig(operation.name, attributes, alias);
            assertEquals(faults, [], `${corpusName(path)} ${operation.name}`);
            if (config === undefined) continue;
            const entries = new Map(
              [...operation.properties?.entries ?? [], ...operation.attributes?.entries ?? []]
                .map(({ key, valueSpan }) => [
                  key,
                  valueSpan && normalForm(module.text.slice(valueSpan.start, valueSpan.end), alias),
                ]),
            );
            for (const { key, value } of opConfigProperties(operation.name, config, profile)) {
              assertEquals(value, entries.get(key), `${corpusName(path)} ${operation.name}`);
              configs++;
              profiles.add(profile.name);
            }
            assertEquals(
              opConfigProperties(operation.name, config, profile, { attributes, alias }),
              [],
              `${corpusName(path)} ${operation.name}`,
            );
          }
        }
      }
    }
    assert(configs > 3500, `only ${configs} configs seen`);
    assertEquals([...profiles].sort(), ["dtype", "g2", "g3", "head"]);
  },
);

Deno.test("every config that an op's definition names has a table, and no other is read", () => {
  for (const { name, config } of OP_DEFINITIONS) {
    if (config !== undefined) assert(Object.keys(OP_CONFIGS).includes(configKind(config.kind)), name);
  }
  assertThrows(() => configKind("pool"), RangeError, "pool");
});
