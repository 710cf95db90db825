// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import { loadModule } from "../../pipeline/load_module.ts";
import { idOf, idsOf } from "../../testing/ids.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { DATA_TYPES } from "../layout/data_type.ts";
import { makeLayout } from "../layout/make_layout.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS } from "../layout/ttnn_layout.ts";
import type { Conv2dConfig } from "../op_config/op_config.ts";
import { checkOverrides } from "./check_overrides.ts";
import { parseConv2dConfigOverrides, parseConv3dConfigOverrides } from "./conv_config_override.ts";
import { obeysOverride } from "./op_overrides.ts";
import {
  PAGE_LAYOUTS,
  parseMemReconfigOverrides,
  parseOutputLayoutOverrides,
  printOutputLayoutOverrides,
} from "./output_layout_override.ts";
import { isFullOverride, nameOfLocation, NO_OVERRIDES, type OutputLayoutOverride } from "./overrides.ts";
import fc from "fast-check";

function failure(run: () => unknown): { message: string; column: number | undefined } {
  const error = assertThrows(run, DiagnosticError);
  return { message: error.message, column: error.diagnostics[0]?.location?.column };
}

Deno.test("nameOfLocation() reads name locations and no others", () => {
  assertEquals(nameOfLocation('loc("add_1"("model.py":3:7))'), "add_1");
  assertEquals(nameOfLocation('loc("add_1")'), "add_1");
  assertEquals(nameOfLocation('"add_1"(unknown)'), "add_1");
  assertEquals(nameOfLocation('loc("model.py":3:7)'), undefined);
  assertEquals(nameOfLocation('loc(fused["a", "b"])'), undefined);
  assertEquals(nameOfLocation("loc(unknown)"), undefined);
  assertEquals(nameOfLocation(""), undefined);
});

Deno.test("parseOutputLayoutOverrides() reads any subset of the fields in any order", () => {
  const overrides = parseOutputLayoutOverrides(
    "op0=1x1:dram:interleaved:row_major:bf16,op1=tile:width_sharded,op2=",
  );
  assertEquals(overrides.get("op0"), {
    grid: [1, 1],
    bufferType: "dram",
    memoryLayout: "interleaved",
    pageLayout: "row_major",
    dataType: "bf16",
  });
  assertEquals(overrides.get("op1"), { memoryLayout: "width_sharded", pageLayout: "tile" });
  assertEquals(overrides.get("op2"), {});
});

Deno.test("parseOutputLayoutOverrides() points at a repeated field and at an unknown word", () => {
  assertEquals(failure(() => parseOutputLayoutOverrides("op0=2x2:4x4")), {
    message: 'Cannot read --override-output-layout: "op0" has two values for the grid',
    column: 9,
  });
  const unknown = failure(() => parseOutputLayoutOverrides("op0=l1,op1=l3"));
  assertEquals(unknown.column, 12);
  assertEquals(unknown.message.startsWith('Cannot read --override-output-layout: "l3" is not a grid'), true);
  assertEquals(failure(() => parseOutputLayoutOverrides("op0")).column, 1);
  assertEquals(failure(() => parseOutputLayoutOverrides("op0=l1,op0=dram")).column, 8);
});

Deno.test("isFullOverride() asks for the four layout fields, not for the data type", () => {
  const full = parseOutputLayoutOverrides("a=1x1:dram:interleaved:tile").get("a") ?? {};
  assertEquals(isFullOverride(full), true);
  const { grid: _, ...partial } = full;
  assertEquals(isFullOverride(partial), false);
});

Deno.test("printOutputLayoutOverrides() is read back as the same overrides", () => {
  const override = fc.record<OutputLayoutOverride>({
    grid: fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 })),
    bufferType: fc.constantFrom(...BUFFER_TYPES),
    memoryLayout: fc.constantFrom(...TENSOR_MEMORY_LAYOUTS),
    pageLayout: fc.constantFrom(...PAGE_LAYOUTS),
    dataType: fc.constantFrom(...DATA_TYPES),
  }, { requiredKeys: [] });
  const names = fc.stringMatching(/^[a-z_.0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(names, override), { selector: ([name]) => name }), (entries) => {
      const overrides = new Map(entries);
      assertEquals(parseOutputLayoutOverrides(printOutputLayoutOverrides(overrides)), overrides);
    }),
  );
});

Deno.test("parseMemReconfigOverrides() reads operand lists", () => {
  const text = "op1=0,op2=0:1";
  const overrides = parseMemReconfigOverrides(text);
  assertEquals(overrides, new Map([["op1", [0]], ["op2", [0, 1]]]));
  assertEquals(failure(() => parseMemReconfigOverrides("op1=x")).column, 5);
  assertEquals(failure(() => parseMemReconfigOverrides("op1=")).column, 5);
  assertEquals(failure(() => parseMemReconfigOverrides("op1=1:1")).column, 7);
});

Deno.test("parseConv2dConfigOverrides() reads full, partial, empty and several overrides", () => {
  // Cases of test/unittests/Optimizer/TestOptimizerOverrides.cpp in tt-mlir, and the fields that it cannot override.
  const full =
    "op0=weights_dtype#bf16:activation#relu:deallocate_activation#false:reallocate_halo_output#true:act_block_h_override#0:act_block_w_div#1:reshard_if_not_optimal#false:override_sharding_config#false:shard_layout#block_sharded:transpose_shards#true:output_layout#row_major:enable_act_double_buffer#false:enable_weights_double_buffer#false:in_place#true:enable_kernel_stride_folding#false:config_tensors_in_dram#true";
  const config: Conv2dConfig = {
    weightsDtype: "bf16",
    activation: { opType: "relu", params: [] },
    deallocateActivation: false,
    reallocateHaloOutput: true,
    actBlockHOverride: 0,
    actBlockWDiv: 1,
    reshardIfNotOptimal: false,
    overrideShardingConfig: false,
    shardLayout: "block_sharded",
    transposeShards: true,
    outputLayout: "row_major",
    enableActDoubleBuffer: false,
    enableWeightsDoubleBuffer: false,
    inPlace: true,
    enableKernelStrideFolding: false,
    configTensorsInDram: true,
  };
  const overrides = parseConv2dConfigOverrides(`${full},op1=enable_act_double_buffer#TRUE,op2=`);
  assertEquals(overrides.get("op0"), config);
  assertEquals(overrides.get("op1"), { enableActDoubleBuffer: true });
  assertEquals(overrides.get("op2"), {});
});

Deno.test("parseConv2dConfigOverrides() refuses what tt-mlir refuses", () => {
  for (
    const [text, column] of [
      ["op0=activation#none", 16],
      ["op0=activation#sigmoid", 16],
      ["op0=shard_layout#invalid", 18],
      ["op0=dtype#bf16", 5],
      ["op0=core_grid#8x8", 15],
      ["op0=act_block_w_div#-1", 21],
      ["op0=act_block_w_div#4294967296", 21],
      ["op0=weights_dtype#bfloat16", 19],
      ["op0=in_place#yes", 14],
      ["op0=act_block_w_div#1:act_block_w_div#1", 23],
      ["op0=transpose_shards", 5],
      ["op0:transpose_shards#true", 1],
    ] as const
  ) {
    assertEquals(failure(() => parseConv2dConfigOverrides(text)).column, column, text);
  }
});

Deno.test("parseConv3dConfigOverrides() reads block sizes", () => {
  assertEquals(
    parseConv3dConfigOverrides("c=t_out_block#1:c_in_block#32").get("c"),
    { tOutBlock: 1, cInBlock: 32 },
  );
  assertEquals(
    failure(() => parseConv3dConfigOverrides("c=compute_with_storage_grid_size#8x8")).message,
    'Cannot read --override-conv3d-config: "8x8" is not a value for compute_with_storage_grid_size, which takes a grid ' +
      "<rows x columns> of at least <1x1>",
  );
});

Deno.test("checkOverrides() explains names, operands and ops that do not fit", () => {
  const graph = {
    constEvalL1Bytes: 0,
    functions: [{
      name: "main",
      kind: "forward_device",
      ops: [{
        id: idOf(0),
        name: "ttnn.add",
        operands: idsOf(0, 1),
        results: idsOf(2),
        attributes: new Map(),
        operandSegmentSizes: undefined,
        location: 'loc("add_1")',
      }],
      values: [],
      arguments: idsOf(0, 1),
      results: idsOf(2),
      freedArguments: [],
    }],
  } as const;
  const findings = checkOverrides(graph, {
    ...NO_OVERRIDES,
    outputLayouts: new Map([["add_2", { bufferType: "l1" }], ["add_1", { grid: [65, 1] }]]),
    memReconfigs: new Map([["add_1", [0, 2]]]),
    conv2dConfigs: new Map([["add_1", { actBlockHOverride: 48 }]]),
  }, { rows: 8, columns: 8 });
  assertEquals(findings.map(({ severity, message }) => `${severity}: ${message}`), [
    'error: Cannot apply --override-output-layout to "add_2": no op has a location with that name',
    'error: Cannot apply --override-output-layout to "add_1": grid 65x1 is not within the worker grid, 8x8',
    'error: Cannot apply --override-conv2d-config to "add_1": act_block_h_override 48 is no multiple of 32: 64 is',
    'error: Cannot apply --insert-memreconfig to operand 2 of "add_1": ttnn.add has 2',
    'warning: --override-conv2d-config of "add_1" has no effect: the op is ttnn.add, not ttnn.conv2d',
  ]);
  assertEquals(findings[0]?.notes?.[0]?.message, 'similar names: "add_1"');
});

Deno.test("checkOverrides() is content where one of several ops of a name takes an override", () => {
  const { binding: { graph } } = loadModule(
    `func.func @main(%x: tensor<1x32x32x64xbf16>, %w: tensor<64x64x3x3xbf16> {ttcore.argument_type = #ttcore.argument_type<parameter>}) -> tensor<1x32x32x64xbf16> {
  %0 = "ttir.conv2d"(%x, %w) <{stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32}> : (tensor<1x32x32x64xbf16>, tensor<64x64x3x3xbf16>) -> tensor<1x32x32x64xbf16> loc("conv_1")
  return %0 : tensor<1x32x32x64xbf16>
}`,
    { device: "n150" },
  );
  // A load of the prepared weight and two reshapes share the name; the last operand of the convolution is the device.
  const findings = checkOverrides(graph, {
    ...NO_OVERRIDES,
    memReconfigs: new Map([["conv_1", [2, 3]]]),
    conv2dConfigs: new Map([["conv_1", {}]]),
    conv3dConfigs: new Map([["conv_1", {}]]),
  });
  assertEquals(findings.map(({ code }) => code), ["override/unknown-operand", "override/no-effect"]);
});

Deno.test("checkOverrides() refuses blocks of input channels that a conv3d's weights are not prepared for", () => {
  const { binding: { graph } } = loadModule(
    `func.func @main(%a: tensor<1x4x6x6x64xbf16>, %w: tensor<64x64x3x3x3xbf16>) -> tensor<1x4x6x6x64xbf16> {
  %0 = "ttir.conv3d"(%a, %w) <{groups = 1 : i32, padding = array<i32: 1, 1, 1>, padding_mode = "zeros", stride = array<i32: 1, 1, 1>}> : (tensor<1x4x6x6x64xbf16>, tensor<64x64x3x3x3xbf16>) -> tensor<1x4x6x6x64xbf16> loc("c1")
  return %0 : tensor<1x4x6x6x64xbf16>
}`,
    { device: "n150" },
  );
  const codes = (config: { readonly cInBlock?: number; readonly cOutBlock?: number }) =>
    checkOverrides(graph, { ...NO_OVERRIDES, conv3dConfigs: new Map([["c1", config]]) }).map(({ code }) =>
      code
    );
  assertEquals(codes({ cInBlock: 64 }), ["override/prepared-weights"]);
  assertEquals([codes({ cInBlock: 32 }), codes({ cOutBlock: 64 })], [[], []]);
});

Deno.test("override texts need a name, and grids need whole positive numbers", () => {
  assertEquals(
    failure(() => parseOutputLayoutOverrides("=l1")).message.includes('expected "name=value:value"'),
    true,
  );
  for (const grid of ["0x4", "4x0", "x4", "4x", "x"]) {
    assertEquals(
      failure(() => parseOutputLayoutOverrides(`op=${grid}`)).message.includes(`"${grid}" is not a grid`),
      true,
    );
  }
});

Deno.test("obeysOverride() holds a layout against every field that is given, and no other", () => {
  const layout = makeLayout(
    { shape: [256, 256], dataType: "bf16", bufferType: "l1", memoryLayout: "block_sharded", grid: [4, 2] },
    { rows: 8, columns: 8 },
  );
  const obeys = (override: OutputLayoutOverride) => obeysOverride(layout, override);
  assertEquals(obeys({}), true);
  assertEquals([obeys({ bufferType: "l1" }), obeys({ bufferType: "dram" })], [true, false]);
  assertEquals([obeys({ grid: [4, 2] }), obeys({ grid: [2, 4] })], [true, false]);
  assertEquals([obeys({ memoryLayout: "block_sharded" }), obeys({ memoryLayout: "interleaved" })], [
    true,
    false,
  ]);
  assertEquals([obeys({ pageLayout: "tile" }), obeys({ pageLayout: "row_major" })], [true, false]);
  assertEquals([obeys({ dataType: "bf16" }), obeys({ dataType: "f32" })], [true, false]);
});
