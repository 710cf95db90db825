// SPDX-License-Identifier: Apache-2.0
import { fillsTiles } from "../layout/extents.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import { configKey } from "../op_config/config_key.ts";
import { CONV_3D_COMPUTE } from "../op_config/default_compute_config.ts";
import type { Conv2dConfig, Conv2dSliceConfig, MatmulProgramConfig } from "../op_config/op_config.ts";
import { parseOpConfig } from "../op_config/parse.ts";
import { MATMUL } from "../ops/attributes/matmul.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { conv3dConfigs, conv3dShape } from "./conv3d_blocking.ts";
import {
  activationToFuse,
  dramShardedConfigs,
  freeProgramConfigs,
  matmulProgramConfig,
  type MatmulProgramRequest,
  programGrid,
} from "./matmul_program_config.ts";
import type { HintConfigs, OutputHint, OutputHints } from "./op_model.ts";
import { DRAM_INTERLEAVED } from "./place_output.ts";
import type { HintStrategy, RuleContext } from "./rule.ts";

/** Convolutions without slices. */
const IN_L1: Conv2dSliceConfig = { sliceType: "l1_full", numSlices: 0 };

const NULL_HINT: OutputHint = { layout: undefined, config: undefined };

/** Output hints of an op for its legal layouts, by the hint strategy of its rule (tt-mlir:op-rules). */
export function outputHintsOf(
  strategy: HintStrategy,
  op: OpSignature,
  legalLayouts: readonly LayoutId[],
  context: RuleContext,
  configs: HintConfigs = "upstream",
): OutputHints {
  const { layouts } = context;
  const plain = (ids: readonly LayoutId[]) => ids.map((layout) => ({ layout, config: undefined }));
  const sharded = legalLayouts.filter((id) => isSharded(layouts.get(id)));
  const interleaved = legalLayouts.filter((id) => !isSharded(layouts.get(id)));
  const isTiledL1 = (id: LayoutId): boolean => {
    const { bufferType, tile } = layouts.get(id);
    return bufferType === "l1" && tile !== undefined;
  };
  switch (strategy) {
    case "default":
      return { primary: [NULL_HINT], fallback: plain(sharded) };
    case "null":
      return { primary: [NULL_HINT], fallback: [] };
    case "non_sharded":
      return { primary: plain(interleaved), fallback: [] };
    case "any":
      return { primary: plain(interleaved), fallback: plain(sharded) };
    case "null_and_sharded":
      return { primary: [NULL_HINT, ...plain(sharded)], fallback: [] };
    case "null_or_dram":
      return {
        primary: [NULL_HINT, ...plain(interleaved.filter((id) => layouts.get(id).bufferType === "dram"))],
        fallback: [],
      };
    case "concat":
      return (op.results[0]?.shape.length ?? 0) >= 2 && fillsTiles(op.results[0]?.shape ?? [])
        ? { primary: [NULL_HINT, ...plain(sharded)], fallback: [] }
        : { primary: [NULL_HINT], fallback: [] };
    case "matmul":
      return {
        primary: matmulHints(op, legalLayouts, context, configs),
        fallback: sharded.length === 0 ? [] : plain(interleaved.filter(isTiledL1)),
      };
    case "conv2d":
      return { primary: conv2dHints(op, legalLayouts, context), fallback: [] };
    case "conv3d":
      return { primary: conv3dHints(op, interleaved, context), fallback: [] };
  }
}

/**
 * Hints of a matmul: DRAM interleaved (unless `dram_sharded` programs are asked for), then per sharding every
 * distinct program config, with the physical grid left to the backend. A sharded output without a program config
 * is not offered. If any sharding is possible, L1 interleaved is the fallback (the ladder of
 * tt-mlir:optimizer-document §5.6.1).
 */
function matmulHints(
  op: OpSignature,
  legalLayouts: readonly LayoutId[],
  context: RuleContext,
  configs: HintConfigs,
): readonly OutputHint[] {
  const a = op.operands[0]?.shape;
  const b = op.operands[1]?.shape;
  const output = op.results[0]?.shape;
  const dram = legalLayouts.find((id) => {
    const layout = context.layouts.get(id);
    return layout.bufferType === "dram" && !isSharded(layout) && layout.tile !== undefined;
  });
  const hints: OutputHint[] = configs === "dram_sharded" ? [] : [{ layout: dram, config: undefined }];
  if (a === undefined || b === undefined || output === undefined) return hints;
  const own = parseOpConfig(op.name, op.attributes);
  const computeConfig = own?.computeConfig;
  const { transpose_a: transposeA, transpose_b: transposeB } = readAttributes(op, MATMUL);
  const fusedActivation = activationToFuse(op.attributes, own);
  if (fusedActivation === "twice") return hints;
  const seen = new Set<string>();
  for (const memoryLayout of ["height_sharded", "width_sharded", "block_sharded"] as const) {
    const seenExtents = new Set<string>();
    for (const id of legalLayouts) {
      const layout = context.layouts.get(id);
      if (layout.bufferType !== "l1" || layout.memoryLayout !== memoryLayout) continue;
      if (layout.tile === undefined) continue;
      // Of a layout, its program configs depend on this alone.
      const extents = (configs === "dram_sharded" ? layout.shardShape : programGrid(layout)).join();
      if (seenExtents.has(extents)) continue;
      seenExtents.add(extents);
      const request = { a, b, output, transposeA, transposeB, layout, computeConfig, fusedActivation };
      for (const programConfig of programConfigs(request, configs)) {
        const config = {
          kind: "matmul",
          programConfig,
          ...(computeConfig === undefined ? {} : { computeConfig }),
        } as const;
        const key = `${memoryLayout} ${configKey(config)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        hints.push({ layout: context.layouts.intern({ ...layout, ignorePhysicalLayout: true }), config });
      }
    }
  }
  return hints;
}

function programConfigs(request: MatmulProgramRequest, configs: HintConfigs): readonly MatmulProgramConfig[] {
  if (configs === "dram_sharded") return dramShardedConfigs(request);
  const written = matmulProgramConfig(request);
  if (written === undefined) return [];
  return configs === "free" ? freeProgramConfigs(written, request) : [written];
}

const SHARDINGS = ["height_sharded", "block_sharded", "width_sharded"] as const;

/**
 * Hints of a convolution: every conv config with every legal sharding, shards left to the backend (fixed
 * shards would cost a reshard), and with every interleaved layout. An activation in DRAM has its result in L1 only
 * with a slice config that says so (`ttnn:backend-0-81-1`), which is given if the text has slice configs.
 */
function conv2dHints(
  op: OpSignature,
  legalLayouts: readonly LayoutId[],
  context: RuleContext,
): readonly OutputHint[] {
  const carried = parseOpConfig(op.name, op.attributes);
  const { conv2dConfig: own = {}, ...rest } = carried?.kind === "conv2d"
    ? carried
    : { kind: "conv2d" } as const;
  const weightsDtype = own.weightsDtype ?? op.operands[1]?.dataType;
  const base = weightsDtype === undefined ? own : { ...own, weightsDtype };
  const layouts = legalLayouts.map((id) => ({ id, layout: context.layouts.get(id) }));
  const shardings = SHARDINGS.filter((kind) => layouts.some(({ layout }) => layout.memoryLayout === kind));
  const interleaved = layouts.filter(({ layout }) => !isSharded(layout) && layout.tile !== undefined);
  const slices = context.writesSliceConfig ? { sliceConfig: IN_L1 } : {};
  return conv2dConfigs(base).flatMap((conv2dConfig): readonly OutputHint[] => {
    const inL1 = { ...rest, conv2dConfig, ...slices };
    const plain = { ...rest, conv2dConfig };
    return [
      ...shardings.map((shardLayout) => ({
        layout: undefined,
        config: { ...inL1, conv2dConfig: { ...conv2dConfig, shardLayout } },
      })),
      ...interleaved.map(({ id, layout }) => ({
        layout: id,
        config: layout.bufferType === "l1" ? inL1 : plain,
      })),
    ];
  });
}

/**
 * Hints of a conv3d: unsharded layouts with every blocking; the compute config is always HiFi4 with f32
 * accumulation. Results are row-major; if the search knows no layout for them, DRAM and L1.
 */
function conv3dHints(
  op: OpSignature,
  interleaved: readonly LayoutId[],
  { layouts }: RuleContext,
): readonly OutputHint[] {
  const dataType = op.results[0]?.dataType ?? "bf16";
  const inL1 = layouts.intern({ ...DRAM_INTERLEAVED, bufferType: "l1", tile: undefined, dataType });
  const memories = interleaved.length > 0 ? interleaved : [undefined, inL1];
  const carried = parseOpConfig(op.name, op.attributes);
  const own = carried?.kind === "conv3d" ? carried.conv3dConfig ?? {} : {};
  return conv3dConfigs(conv3dShape(op), own, {}).flatMap((conv3dConfig) => {
    const config = { kind: "conv3d", conv3dConfig, computeConfig: CONV_3D_COMPUTE } as const;
    return memories.map((layout) => ({ layout, config }));
  });
}

/** Values to try for one field of a conv2d config. */
export interface SearchedField {
  readonly name: "deallocateActivation" | "actBlockHOverride";
  readonly values: readonly Partial<Conv2dConfig>[];
}

/**
 * The fields that are searched and their values, best first, most significant field first: `act_block_h_override` 0
 * lets the backend choose (tt-mlir `Conv2dConfigSearchSpaceFactory`, tt-mlir:conv2d-config-search).
 */
const CONV2D_SEARCH_SPACE: readonly SearchedField[] = [
  { name: "deallocateActivation", values: [{ deallocateActivation: true }] },
  { name: "actBlockHOverride", values: [0, 64, 32].map((actBlockHOverride) => ({ actBlockHOverride })) },
];

/**
 * Conv2d configs to try on top of a base: every combination of the searched fields that the base leaves open,
 * the last field varying fastest. A config that reshards without a shard layout is left out.
 *
 * @param base fields fixed by the op or the user
 */
export function conv2dConfigs(
  base: Conv2dConfig,
  space: readonly SearchedField[] = CONV2D_SEARCH_SPACE,
): readonly Conv2dConfig[] {
  let configs: Conv2dConfig[] = [base];
  for (const field of space) {
    if (base[field.name] !== undefined) continue;
    configs = configs.flatMap((config) => field.values.map((value) => ({ ...config, ...value })));
  }
  return configs.filter((config) => config.reshardIfNotOptimal !== true || config.shardLayout !== undefined);
}
