// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, type StreamProgram, unknownPrograms } from "./program.ts";
import { isPresent, type ProgramTensor } from "./program_tensor.ts";
import { streamProgram, tileBuffer, wholeTensor } from "./stream.ts";

const NORM_BUFFERS = ["in0", "mean", "variance", "eps", "weight", "bias", "denominator", "scaled", "out"];

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
 * Batch norm: every tile minus its channel's mean, over the deviation, times weight plus bias. Training updates the
 * running statistics in a program of its own before. Two tiles per buffer (derived:circular-buffers, fit 5/5).
 */
export function batchNormPrograms(op: OpLaunch, chip: ChipDescription): OpPrograms {
  const [input, ...rest] = op.inputs;
  const [output] = op.outputs;
  if (input === undefined || output === undefined) {
    return unknownPrograms(op.name, "needs an input and a result");
  }
  const statistics = rest.filter(isPresent);
  const program = (
    tensor: ProgramTensor,
    result: ProgramTensor,
    names: readonly string[],
  ): StreamProgram =>
    streamProgram({
      units: result.tiles,
      reads: [...new Set([tensor, ...statistics])].map(wholeTensor),
      writes: [wholeTensor(result)],
      compute: { work: [{ operation: "eltwise", count: 4 }] },
      flops: result.tiles * 1024 * 4,
      circularBuffers: names.map((name) => tileBuffer(name, 2, input.dataType)),
    }, chip);
  const norm = program(input, output, NORM_BUFFERS);
  if (definitionOf(op.name).family !== "batch_norm_training") return inOrder(norm);
  const running = statistics[0] ?? output;
  return inOrder(program(running, running, STATISTICS_BUFFERS), norm);
}
