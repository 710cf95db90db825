// SPDX-License-Identifier: Apache-2.0
import { isSharded, type TensorMemoryLayout, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import {
  autoMatmulConfig,
  type MatmulExtents,
  type MatmulMemory,
} from "../../programs/matmul_auto_config.ts";
import type { ComputeKernelConfig, MatmulProgramConfig } from "../../op_config/op_config.ts";
import type { RuleContext } from "../rule.ts";
import { holdingCores, type Tensor, tileSize } from "../tensor.ts";
import { type OrRefusal, refuse } from "../verdict.ts";

/** Program that a matmul runs, and the shards that it would write. */
export interface MatmulChoice {
  /** `undefined` is the program without data reuse. */
  readonly config: MatmulProgramConfig | undefined;
  /** Shard grid and shard (in tiles) of a sharded output; `undefined` when the program writes interleaved only. */
  readonly outputShard: {
    readonly memoryLayouts: readonly TensorMemoryLayout[];
    readonly grid: readonly [number, number];
    readonly shard: readonly [number, number];
  } | undefined;
}

/** A matmul that comes without a program config. */
export interface AutoProgramRequest {
  /** Name of the op, for messages. */
  readonly name: string;
  readonly a: Tensor;
  readonly b: Tensor;
  readonly bias: Tensor | undefined;
  /** Memory of the result; its shards are not looked at. */
  readonly output: TtnnLayout;
  /** Bytes of a tile of the result. */
  readonly outTileBytes: number;
  readonly extents: MatmulExtents;
  readonly compute: ComputeKernelConfig | undefined;
}

/** The program that the backend derives ({@linkcode autoMatmulConfig}), or why none can run. */
export function autoProgram(request: AutoProgramRequest, context: RuleContext): OrRefusal<MatmulChoice> {
  const { name, a, b, bias, output, outTileBytes, extents, compute } = request;
  const message = operandFault(request);
  if (message !== undefined) {
    return refuse("unsupported_layout", message.rule, `${name}: ${message.text}`, SOURCE);
  }
  const memory = ({ layout }: Pick<Tensor, "layout">): MatmulMemory => ({
    ...layout,
    shardCores: holdingCores(layout, context.chip),
  });
  const config = autoMatmulConfig({
    extents,
    a: memory(a),
    b: memory(b),
    output: memory({ layout: output }),
    bias: bias === undefined ? undefined : memory(bias),
    tileBytes: { a: tileSize(a.layout), b: tileSize(b.layout), output: outTileBytes },
    compute,
  }, context.chip);
  if (config === undefined) return { config, outputShard: undefined };
  const program = programOfConfig(config, extents);
  const { outputShard } = program;
  // The choice of the program ignores block layouts on a single row or column, so it cannot write one.
  return outputShard === undefined
    ? program
    : { ...program, outputShard: { ...outputShard, memoryLayouts: outputShard.memoryLayouts.slice(0, 1) } };
}

/** Why the backend cannot derive a program for these operands (tt-metal:matmul-auto-config). */
function operandFault(
  { a, b, extents }: AutoProgramRequest,
): { readonly rule: string; readonly text: string } | undefined {
  const inL1 = isSharded(a.layout) && a.layout.bufferType === "l1";
  if (isSharded(b.layout)) {
    if (inL1 && a.layout.memoryLayout === "width_sharded" && extents.batchB === 1) return undefined;
    const text = "a B that is sharded over DRAM banks needs an A that is width sharded in L1, and no batch";
    return { rule: "matmul/dram-sharded-b", text };
  }
  if (!inL1) return undefined;
  if (a.layout.shardShape.length !== 2) {
    return { rule: "matmul/shard", text: "operand 0 has no two-dimensional shard" };
  }
  if (a.layout.memoryLayout === "block_sharded" && a.layout.gridShape.some((extent) => extent === 1)) {
    const text = "a block-sharded operand 0 needs a grid of more than one row and column";
    return { rule: "matmul/block-sharded-a-grid", text };
  }
  return undefined;
}

/** What a program config means for a matmul: the shards that it would write. */
export function programOfConfig(config: MatmulProgramConfig, extents: MatmulExtents): MatmulChoice {
  const mFused = "fuseBatch" in config && config.fuseBatch ? extents.batchA * extents.mt : extents.mt;
  const rows = Math.ceil(mFused / config.perCoreM);
  const columns = Math.ceil(extents.nt / config.perCoreN);
  const shard: readonly [number, number] = [config.perCoreM, config.perCoreN];
  switch (config.kind) {
    case "matmul_multi_core_reuse": {
      const blocks = (extents.batchA * extents.mt / config.perCoreM) * columns;
      return {
        config,
        outputShard: {
          memoryLayouts: ["height_sharded", "block_sharded"],
          grid: [Math.ceil(blocks), 1],
          shard,
        },
      };
    }
    case "matmul_multi_core_reuse_multi_cast":
      return {
        config,
        outputShard: { memoryLayouts: ["block_sharded"], grid: [rows, columns], shard },
      };
    case "matmul_multi_core_reuse_multi_cast_1d":
      return config.mcastIn0
        ? {
          config,
          outputShard: { memoryLayouts: ["width_sharded", "block_sharded"], grid: [1, columns], shard },
        }
        : {
          config,
          outputShard: { memoryLayouts: ["height_sharded", "block_sharded"], grid: [rows, 1], shard },
        };
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return {
        config,
        outputShard: { memoryLayouts: ["width_sharded"], grid: [1, columns], shard },
      };
  }
}

const SOURCE = "tt-metal:matmul-auto-config";
