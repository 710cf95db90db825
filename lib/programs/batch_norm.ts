// SPDX-License-Identifier: Apache-2.0
import type { DataType } from "../layout/data_type.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { CircularBuffer } from "./circular_buffer.ts";
import type { LaunchContext, UnaryLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram } from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

const STATISTICS_BUFFERS = [
  "batch_mean",
  "batch_variance",
  "old_mean",
  "old_variance",
  "momentum",
  "one",
  "updated_mean",
  "updated_variance",
  "scaled_old",
  "scaled_new",
  "difference",
  "out",
];

/**
 * Batch norm: y = (x − mean) / deviation · weight + bias, tile by tile. Training updates the running
 * statistics in a separate program first.
 */
export function batchNormPrograms(op: UnaryLaunch, { chip }: LaunchContext): OpPrograms {
  const { input, output } = op;
  const statistics = op.inputs.slice(1).filter(isPresent);
  const program = (
    tensor: ProgramTensor,
    result: ProgramTensor,
    circularBuffers: readonly CircularBuffer[],
  ): StreamProgram =>
    streamProgram({
      units: result.tiles,
      reads: [...new Set([tensor, ...statistics])].map(wholeTensor),
      writes: [wholeTensor(result)],
      compute: { work: [{ operation: "eltwise", count: 4 }] },
      flops: result.tiles * 1024 * 4,
      circularBuffers,
    }, chip);
  const norm = program(input, output, normBuffers(input.dataType, statistics));
  if (definitionOf(op.name).family !== "batch_norm_training") return inOrder(norm);
  const running = statistics[0] ?? output;
  const updates = STATISTICS_BUFFERS.map((name) => tileBuffer(name, 2, input.dataType));
  return inOrder(program(running, running, updates), norm);
}

/**
 * Two tiles per buffer: operands in their formats, bf16 for absent weight or bias, all others f32 if any
 * operand is f32; the result is then computed in f32 and copied (`ttnn:backend-0-81-1`).
 */
function normBuffers(dataType: DataType, statistics: readonly ProgramTensor[]): readonly CircularBuffer[] {
  const given = statistics[0]?.dataType ?? dataType;
  const wide = dataType === "f32" || given === "f32" ? "f32" : dataType;
  const affine = (operand: number) => statistics[operand] === undefined ? "bf16" : given;
  const buffers: readonly (readonly [string, DataType])[] = [
    ["in0", dataType],
    ["mean", given],
    ["out", wide],
    ["variance", given],
    ["eps", wide],
    ["weight", affine(2)],
    ["bias", affine(3)],
    ["denominator", wide],
    ["scaled", wide],
    ...wide === dataType ? [] : [["narrow", dataType] as const],
  ];
  return buffers.map(([name, format]) => tileBuffer(name, 2, format));
}
