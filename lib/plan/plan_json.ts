// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { DATA_TYPES } from "../layout/data_type.ts";
import { BUFFER_TYPES, TENSOR_MEMORY_LAYOUTS, type TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { FunctionPlan, Plan } from "./plan.ts";

/** `undefined` is written as `null`, so that arrays keep their length and keys stay visible. */
export function orNull<Output>(
  schema: v.GenericSchema<unknown, Output>,
): v.GenericSchema<unknown, Output | undefined> {
  return v.pipe(v.nullable(schema), v.transform((value) => value ?? undefined));
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const pair = v.tuple([count, count]);
const coord = v.strictObject({ x: count, y: count });
const coreRange = v.strictObject({ start: coord, end: coord });
const dataType = v.picklist(DATA_TYPES);
const memoryLayout = v.picklist(TENSOR_MEMORY_LAYOUTS);

const layout: v.GenericSchema<unknown, TtnnLayout> = v.strictObject({
  bufferType: v.picklist(BUFFER_TYPES),
  memoryLayout: orNull(memoryLayout),
  dataType,
  tile: orNull(v.strictObject({ height: count, width: count })),
  gridShape: v.array(count),
  shardShape: v.array(count),
  coreRanges: v.array(coreRange),
  shardOrientation: v.picklist(["row_major", "col_major"]),
  ignorePhysicalLayout: v.boolean(),
});

const unaryWithParam = v.strictObject({ opType: v.string(), params: v.array(v.number()) });
const fusedActivation = v.exactOptional(unaryWithParam);
const computeConfig = v.exactOptional(v.strictObject({
  mathFidelity: v.exactOptional(v.picklist(["lofi", "hifi2", "hifi3", "hifi4"])),
  mathApproxMode: v.exactOptional(v.boolean()),
  fp32DestAccEn: v.exactOptional(v.boolean()),
  packerL1Acc: v.exactOptional(v.boolean()),
  dstFullSyncEn: v.exactOptional(v.boolean()),
}));

const subblock = {
  in0BlockW: count,
  outSubblockH: count,
  outSubblockW: count,
  perCoreM: count,
  perCoreN: count,
};
const outBlock = { outBlockH: count, outBlockW: count };
const matmulProgramConfig = v.variant("kind", [
  v.strictObject({
    kind: v.literal("matmul_multi_core_reuse"),
    computeWithStorageGridSize: pair,
    ...subblock,
  }),
  v.strictObject({
    kind: v.literal("matmul_multi_core_reuse_multi_cast"),
    computeWithStorageGridSize: pair,
    ...subblock,
    ...outBlock,
    transposeMcast: v.boolean(),
    fusedActivation,
    fuseBatch: v.boolean(),
  }),
  v.strictObject({
    kind: v.literal("matmul_multi_core_reuse_multi_cast_1d"),
    computeWithStorageGridSize: pair,
    ...subblock,
    ...outBlock,
    fuseBatch: v.boolean(),
    fusedActivation,
    mcastIn0: v.boolean(),
    gatherIn0: v.boolean(),
    hopCores: v.array(coreRange),
    numGlobalCbReceivers: count,
    untilizeOut: v.boolean(),
  }),
  v.strictObject({
    kind: v.literal("matmul_multi_core_reuse_multi_cast_dram_sharded"),
    in0BlockW: count,
    perCoreM: count,
    perCoreN: count,
    fusedActivation,
  }),
]);

const optionalFlag = v.exactOptional(v.boolean());
const conv2dConfig = v.strictObject({
  weightsDtype: v.exactOptional(dataType),
  activation: v.exactOptional(unaryWithParam),
  deallocateActivation: optionalFlag,
  reallocateHaloOutput: optionalFlag,
  actBlockHOverride: v.exactOptional(count),
  actBlockWDiv: v.exactOptional(count),
  reshardIfNotOptimal: optionalFlag,
  overrideShardingConfig: optionalFlag,
  shardLayout: v.exactOptional(memoryLayout),
  coreGrid: v.exactOptional(v.array(coreRange)),
  transposeShards: optionalFlag,
  outputLayout: v.exactOptional(v.picklist(["tile", "row_major"])),
  enableActDoubleBuffer: optionalFlag,
  enableWeightsDoubleBuffer: optionalFlag,
  inPlace: optionalFlag,
  enableKernelStrideFolding: optionalFlag,
  configTensorsInDram: optionalFlag,
});

const conv3dConfig = v.strictObject({
  weightsDtype: v.exactOptional(dataType),
  tOutBlock: v.exactOptional(count),
  wOutBlock: v.exactOptional(count),
  hOutBlock: v.exactOptional(count),
  cOutBlock: v.exactOptional(count),
  cInBlock: v.exactOptional(count),
  computeWithStorageGridSize: v.exactOptional(pair),
});

/** Schema of an op config. */
export const opSpecificAttributes: v.GenericSchema<unknown, OpSpecificAttributes> = v.variant("kind", [
  v.strictObject({
    kind: v.literal("conv2d"),
    conv2dConfig: v.exactOptional(conv2dConfig),
    sliceConfig: v.exactOptional(v.strictObject({
      sliceType: v.picklist(["dram_height", "dram_width", "l1_full"]),
      numSlices: count,
    })),
    computeConfig,
  }),
  v.strictObject({ kind: v.literal("conv3d"), conv3dConfig: v.exactOptional(conv3dConfig), computeConfig }),
  v.strictObject({
    kind: v.literal("matmul"),
    programConfig: v.exactOptional(matmulProgramConfig),
    computeConfig,
  }),
  v.strictObject({
    kind: v.literal("norm"),
    programConfig: v.exactOptional(v.strictObject({
      computeWithStorageGridSize: pair,
      subblockW: count,
      blockH: count,
      blockW: count,
      inplace: v.boolean(),
    })),
    computeConfig,
  }),
  v.strictObject({
    kind: v.literal("sdpa"),
    programConfig: v.exactOptional(v.strictObject({
      computeWithStorageGridSize: pair,
      qChunkSize: count,
      kChunkSize: count,
      expApproxMode: v.exactOptional(v.boolean()),
    })),
    computeConfig,
  }),
]);

const operandSource = v.variant("kind", [
  v.strictObject({ kind: v.literal("value") }),
  v.strictObject({ kind: v.literal("conversion"), conversion: count }),
]);

const functionPlan: v.GenericSchema<unknown, FunctionPlan> = v.strictObject({
  name: v.string(),
  decisions: v.array(v.strictObject({
    op: count,
    outputLayouts: v.array(orNull(layout)),
    config: orNull(opSpecificAttributes),
    operands: v.array(operandSource),
    reasons: v.array(v.string()),
  })),
  conversions: v.array(v.strictObject({
    id: count,
    value: count,
    source: operandSource,
    layout,
    beforeOp: count,
    reason: v.picklist(["reshard", "spill", "reload", "return", "typecast", "override"]),
    note: v.string(),
  })),
  results: v.array(operandSource),
  schedule: orNull(v.array(count)),
  counters: v.exactOptional(v.record(v.string(), count)),
});

/** Keys beside these (summary, per-op table) may stand in the same document; they are for readers. */
const plan: v.GenericSchema<unknown, Plan> = v.object({
  schema: v.literal("tilewright.plan/1"),
  policy: v.string(),
  device: v.string(),
  functions: v.array(functionPlan),
});

/** JSON text of a value in which `undefined` is written as `null`; equal values give equal bytes. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => part === undefined ? null : part, 2);
}

/** JSON text of a plan; {@linkcode parsePlan} reads it back. */
export function planToJson(value: Plan): string {
  return toJson(value);
}

/**
 * Reads a plan from JSON text, also from the larger document that `optimize --json` prints.
 *
 * @example
 * ```ts
 * import { chipDescription, createWorkbench, DEFAULT_POLICY_OPTIONS, findPolicy, getDevice, lowerModule, parseModule, parsePlan, planToJson } from "@tilewright/tilewright";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
 * const { binding: { graph }, opModel, cost } = workbench;
 * const plan = findPolicy("dram")?.decide({ graph, opModel, cost, options: DEFAULT_POLICY_OPTIONS });
 * assert(plan !== undefined);
 * assertEquals(parsePlan(planToJson(plan), "plan.json"), plan);
 * ```
 *
 * @param file name to show in errors
 * @throws {DiagnosticError} when the text is no JSON or no plan; the message names the JSON path
 */
export function parsePlan(text: string, file: string): Plan {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw invalid(file, error instanceof Error ? error.message : String(error));
  }
  const result = v.safeParse(plan, data);
  if (result.success) return result.output;
  const issue = result.issues[0];
  throw invalid(file, `at ${v.getDotPath(issue) ?? "the top"}: ${issue.message}`);
}

function invalid(file: string, reason: string): DiagnosticError {
  return new DiagnosticError([{
    code: "plan/invalid",
    severity: "error",
    message: `Cannot read a plan from ${file}: ${reason}`,
  }]);
}
