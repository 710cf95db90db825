// SPDX-License-Identifier: Apache-2.0
import { tileBytes } from "../../layout/data_type.ts";
import { readBool, readInteger } from "../../dialect/attribute_values.ts";
import { placeOutput } from "../place_output.ts";
import { type ConstraintQuery, defineRule, type OpRule, type RuleContext } from "../rule.ts";
import { tileCounts, tileSize } from "../tensor.ts";
import { accept, isRefusal, refuse, type RuleAnswer } from "../verdict.ts";
import { missingOperand } from "./program.ts";
import { largestDivisor } from "../../programs/matmul_blocking.ts";
import { BLOCK_TILES, normComputeConfig, tiledFloat } from "./norm_operands.ts";

const SOFTMAX = "tt-metal:softmax";

/** Rule of `softmax`. */
export function softmaxRule(): OpRule {
  return defineRule({ evaluate: evaluateSoftmax });
}

function evaluateSoftmax(query: ConstraintQuery, context: RuleContext): RuleAnswer {
  const input = query.operands[0];
  if (input === undefined) return missingOperand(query.op, 0);
  const format = tiledFloat(query, 0, input, SOFTMAX);
  if (format !== undefined) return format;
  const rank = input.shape.length;
  const dimension = readInteger(query.op.attributes, "dimension") ?? -1;
  if (dimension >= rank || dimension < -rank) {
    return refuse(
      "unsupported_config",
      "softmax/dimension",
      `${query.op.name}: dimension ${dimension} of ${rank}`,
      SOFTMAX,
    );
  }
  const output = placeOutput(query, context, { whenNull: input.layout });
  if (isRefusal(output)) return output;
  const { columns } = tileCounts(input.shape);
  const lastDimension = dimension === -1 || dimension === rank - 1;
  const compute = normComputeConfig(query);
  const tileIn = tileSize(input.layout);
  const tileOut = tileSize(output.layout);
  const interm = compute?.fp32DestAccEn === true ? tileBytes("f32") : tileIn;
  const stable = readBool(query.op.attributes, "numericStable") ?? false;
  const freeL1 = context.chip.l1Size - context.chip.l1UnreservedBase;
  const cbBytes = lastDimension && rank <= 4
    ? attentionSoftmaxBytes(columns, tileIn, tileOut, interm, stable, freeL1)
    : generalSoftmaxBytes(
      dimensionTiles(input.shape, dimension),
      tileIn,
      interm,
      context.chip.l1UnreservedBase,
    );
  return accept({
    outputs: [output],
    cbBytes,
  }, context);
}

/**
 * Attention-optimised path along the last dimension: two blocks in and out, the whole row of exponentials, one
 * scaler, two reciprocals; a numerically stable run keeps the row minus its maximum too. Rows that do not fit run
 * with rows cut to 80 tiles (tt-metal `softmax_multi_core`, large kernel).
 */
function attentionSoftmaxBytes(
  columns: number,
  tileIn: number,
  tileOut: number,
  interm: number,
  stable: boolean,
  freeL1: number,
): number {
  const block = largestDivisor(columns, BLOCK_TILES);
  const bytesOf = (row: number) =>
    2 * block * tileIn + 2 * block * tileOut + row * interm + tileBytes("bf16") + 2 * interm +
    (stable ? (row + 1) * interm : 0);
  const whole = bytesOf(Math.ceil(columns / block) * block);
  return whole < freeL1 ? whole : bytesOf(80);
}

/** General path: the whole reduced dimension when it fits into 512 KiB, else a dozen tiles. */
function generalSoftmaxBytes(tiles: number, tileIn: number, interm: number, base: number): number {
  const small = (2 * tiles + 2) * tileIn + (2 * tiles + 3) * interm;
  return base + small <= 512 * 1024 ? small : 6 * tileIn + 6 * interm;
}

function dimensionTiles(shape: readonly number[], dimension: number): number {
  const position = dimension < 0 ? shape.length + dimension : dimension;
  const extent = shape[position] ?? 1;
  return position >= shape.length - 2 ? Math.ceil(extent / 32) : extent;
}
