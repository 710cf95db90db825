// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import type { ComputeKernelConfig, MatmulProgramConfig, OpSpecificAttributes } from "../op_config.ts";
import type { InvalidConstraints, OpConstraints } from "../op_model.ts";
import { DRAM_INTERLEAVED, intern, placeOutput, shardedLayout } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { splitWorkToCores } from "../split_work.ts";
import { reportedL1Bytes, type Tensor, tileSize } from "../tensor.ts";
import { accept, describeTensor, isRefusal, refuse } from "../verdict.ts";
import { missingOperand } from "./program.ts";
import { blockOf, matmulCbBytes, type MatmulTileBytes } from "./matmul_blocking.ts";
import { autoMatmulConfig, type ProgramChoice } from "./matmul_auto_config.ts";
import { checkMatmulConfig } from "./matmul_config_checks.ts";
import { type MatmulShapes, matmulShapes } from "./matmul_shapes.ts";

const SOURCE = "specs 03 §B2 matmul";

/** Rule of `ttnn.matmul` and `ttnn.linear`; operand 2 of a linear is the bias. */
export function matmulRule(linear: boolean): OpRule {
  return defineRule({
    costClass: "matmul",
    roles: linear ? ["activation", "weight", "bias"] : ["activation", "weight"],
    minOperands: 2,
    maxOperands: linear ? 3 : 2,
    strategy: { hints: "matmul", inputs: ["any", "not_sharded", "any"], exploresReshards: true },
    evaluate: evaluateMatmul,
  });
}

function evaluateMatmul(query: ConstraintQuery, context: RuleContext): OpConstraints {
  const { op } = query;
  const a = query.operands[0];
  const b = query.operands[1];
  const bias = query.operands[2];
  if (a === undefined) return missingOperand(op, 0);
  if (b === undefined) return missingOperand(op, 1);
  for (const [index, operand] of [a, b, bias].entries()) {
    if (operand !== undefined && operand.layout.tile === undefined) {
      return refuse(
        "unsupported_layout",
        "matmul/tile",
        `${op.name}: ${describeTensor(index, operand)} must be tiled`,
        SOURCE,
      );
    }
  }
  if (isSharded(b.layout) && b.layout.bufferType === "l1") {
    return refuse(
      "unsupported_layout",
      "matmul/sharded-b",
      `${op.name}: ${
        describeTensor(1, b)
      } must be interleaved; multicast programs read B from interleaved pages`,
      SOURCE,
    );
  }
  const shapes = matmulShapes(op);
  if ("status" in shapes) return shapes;
  const batchFault = checkBatches(query, shapes);
  if (batchFault !== undefined) return batchFault;

  const fusedBias = bias !== undefined && isRowVector(bias.shape) ? bias : undefined;
  const addedBias = bias !== undefined && fusedBias === undefined ? bias : undefined;
  const compute = computeConfigOf(query);
  const tile = tileBytesOf(query, a, b, fusedBias, compute);
  const explicit = programConfigOf(query);
  const choice = explicit === undefined
    ? autoMatmulConfig({ a, b, bias, hint: query.hint, shapes, tile, compute }, context)
    : explicitChoice(explicit, shapes);
  if (isRefusal(choice)) return choice;
  if (choice.config !== undefined) {
    const fault = checkMatmulConfig({
      name: op.name,
      config: choice.config,
      a,
      b,
      hint: query.hint,
      shapes,
      compute,
    }, context);
    if (fault !== undefined) return fault;
  }
  const produced = placeProduct(query, context, choice, a);
  if (isRefusal(produced)) return produced;
  const cbBytes = choice.config === undefined
    ? 2 * tile.in0 + 2 * tile.in1 + 2 * tile.out
    : matmulCbBytes(shapes.kt, blockOf(choice.config), tile, {
      a: shardingOfA(a),
      outputSharded: isSharded(produced.layout),
    });
  const config: OpSpecificAttributes | undefined = choice.config === undefined ? undefined : {
    kind: "matmul",
    programConfig: choice.config,
    ...(compute === undefined ? {} : { computeConfig: compute }),
  };
  if (addedBias === undefined) {
    return accept({ outputs: [produced], cbBytes, cores: choice.cores, config }, context);
  }
  return addBias(query, context, { produced, bias: addedBias, cbBytes, cores: choice.cores, config });
}

/** A bias that is no row vector is added by a separate binary program: the product stays alive beside the sum. */
function addBias(
  query: ConstraintQuery,
  context: RuleContext,
  matmul: {
    readonly produced: Tensor;
    readonly bias: Tensor;
    readonly cbBytes: number;
    readonly cores: number;
    readonly config: OpSpecificAttributes | undefined;
  },
): OpConstraints {
  const { hint } = query;
  const sum = hint === undefined || hint.ignorePhysicalLayout || !isSharded(hint)
    ? matmul.produced
    : placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  if (isRefusal(sum)) return sum;
  const product = matmul.produced;
  const addBytes = 2 * tileSize(product.layout) + 2 * tileSize(matmul.bias.layout) + 2 * tileSize(sum.layout);
  const aliased = isSharded(product.layout) && isSharded(matmul.bias.layout);
  return accept({
    outputs: [sum],
    cbBytes: aliased ? matmul.cbBytes : Math.max(matmul.cbBytes, addBytes),
    intermediateL1Bytes: reportedL1Bytes(product.shape, product.layout, context.chip),
    cores: matmul.cores,
    config: matmul.config,
  }, context);
}

/** Layout of the product: from the hint when interleaved, from the program's per-core block when sharded. */
function placeProduct(
  query: ConstraintQuery,
  context: RuleContext,
  choice: ProgramChoice,
  a: Tensor,
): Tensor | InvalidConstraints {
  const { hint, op } = query;
  if (hint === undefined || !isSharded(hint)) {
    return placeOutput(query, context, { whenNull: DRAM_INTERLEAVED });
  }
  const type = op.results[0];
  if (type === undefined) {
    return refuse("unsupported_config", "result/missing", `${op.name} has no tensor result`, SOURCE);
  }
  const spec = choice.outputShard;
  if (spec === undefined || !spec.memoryLayouts.includes(hint.memoryLayout ?? "interleaved")) {
    return refuse(
      "unsupported_config",
      "matmul/output-sharding",
      `${op.name}: the program writes ${
        spec?.memoryLayouts.join(" or ") ?? "interleaved"
      }, not ${hint.memoryLayout}`,
      SOURCE,
    );
  }
  if (isSharded(a.layout) && a.layout.bufferType !== hint.bufferType) {
    return refuse(
      "unsupported_layout",
      "matmul/output-buffer",
      `${op.name}: a sharded output must be in ${a.layout.bufferType} like operand 0`,
      SOURCE,
    );
  }
  const grid = spec.grid;
  const { workerGrid } = context.chip;
  const fits = hint.memoryLayout === "block_sharded"
    ? grid[0] <= workerGrid.rows && grid[1] <= workerGrid.columns
    : grid[0] * grid[1] <= context.cores;
  if (!fits) {
    return refuse(
      "unsupported_config",
      "matmul/output-grid",
      `${op.name}: ${
        grid.join("x")
      } output shards exceed the ${workerGrid.rows}x${workerGrid.columns} worker grid`,
      SOURCE,
    );
  }
  const layout: TtnnLayout = shardedLayout(context, hint.dataType, hint, grid, spec.shard);
  return intern(type.shape, layout, context);
}

function explicitChoice(config: MatmulProgramConfig, shapes: MatmulShapes): ProgramChoice {
  const mFused = "fuseBatch" in config && config.fuseBatch ? shapes.batchA * shapes.mt : shapes.mt;
  const rows = Math.ceil(mFused / config.perCoreM);
  const columns = Math.ceil(shapes.nt / config.perCoreN);
  const shard: readonly [number, number] = [config.perCoreM, config.perCoreN];
  switch (config.kind) {
    case "matmul_multi_core_reuse": {
      const blocks = (shapes.batchA * shapes.mt / config.perCoreM) * columns;
      return {
        config,
        cores: Math.ceil(blocks),
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
        cores: rows * columns,
        outputShard: { memoryLayouts: ["block_sharded"], grid: [rows, columns], shard },
      };
    case "matmul_multi_core_reuse_multi_cast_1d":
      return config.mcastIn0
        ? {
          config,
          cores: columns,
          outputShard: { memoryLayouts: ["width_sharded", "block_sharded"], grid: [1, columns], shard },
        }
        : {
          config,
          cores: rows,
          outputShard: { memoryLayouts: ["height_sharded", "block_sharded"], grid: [rows, 1], shard },
        };
    case "matmul_multi_core_reuse_multi_cast_dram_sharded":
      return {
        config,
        cores: columns,
        outputShard: { memoryLayouts: ["width_sharded"], grid: [1, columns], shard },
      };
  }
}

function checkBatches(query: ConstraintQuery, shapes: MatmulShapes): InvalidConstraints | undefined {
  const { batchA, batchB } = shapes;
  if (batchB === 1 || batchA === batchB || batchA === 1) return undefined;
  return refuse(
    "unsupported_config",
    "matmul/batch",
    `${query.op.name}: batches ${batchA} and ${batchB} do not broadcast`,
    SOURCE,
  );
}

function shardingOfA(a: Tensor): "interleaved" | "height" | "block_or_width" {
  if (!isSharded(a.layout)) return "interleaved";
  return a.layout.memoryLayout === "height_sharded" ? "height" : "block_or_width";
}

/** Whether a bias has one row, so that the matmul program adds it by itself. */
function isRowVector(shape: readonly number[]): boolean {
  return shape.slice(0, -1).every((extent) => extent === 1);
}

function programConfigOf(query: ConstraintQuery): MatmulProgramConfig | undefined {
  return query.config?.kind === "matmul" ? query.config.programConfig : undefined;
}

function computeConfigOf(query: ConstraintQuery): ComputeKernelConfig | undefined {
  return query.config?.kind === "matmul" ? query.config.computeConfig : undefined;
}

/**
 * Tile bytes of the circular buffers. Partials are f32 when the destination register accumulates in f32, else bf16
 * with L1 accumulation, else the output's own format (tt-metal matmul program factories).
 */
function tileBytesOf(
  query: ConstraintQuery,
  a: Tensor,
  b: Tensor,
  fusedBias: Tensor | undefined,
  compute: ComputeKernelConfig | undefined,
): MatmulTileBytes {
  const outType = query.hint?.dataType ?? query.op.results[0]?.dataType ?? a.layout.dataType;
  const out = tileBytes(outType);
  let partials = out;
  if (compute?.fp32DestAccEn === true) partials = tileBytes("f32");
  else if (compute?.packerL1Acc === true) partials = tileBytes("bf16");
  return {
    in0: tileSize(a.layout),
    in1: tileSize(b.layout),
    out,
    partials,
    bias: fusedBias === undefined ? 0 : tileSize(fusedBias.layout),
  };
}

/** Cores of the program without data reuse: output tiles over the whole grid. */
export function coresWithoutReuse(shapes: MatmulShapes, context: RuleContext): number {
  return splitWorkToCores(context.cores, Math.max(shapes.batchA, shapes.batchB) * shapes.mt * shapes.nt)
    .cores;
}
