// SPDX-License-Identifier: Apache-2.0
import { COMMON } from "../../ops/attributes/common.ts";
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { definitionOf } from "../../ops/op_book.ts";
import { activationsOf } from "../eltwise/eltwise.ts";
import { matmulPrograms } from "../matmul/matmul.ts";
import { normPrograms } from "./normalization.ts";
import { type LaunchContext, type OpLaunch, unary, type UnaryLaunch } from "../op_launch.ts";
import { type DeviceProgram, inOrder, type OpPrograms } from "../program.ts";
import { isPresent, type ProgramTensor } from "../program_tensor.ts";
import type { TileWork } from "../program_work.ts";
import { pageBuffer, streamProgram, wholeTensor } from "../stream.ts";

/** Kernels of diffusion transformers (tt-mlir:dit-ops), for which no times are published. */
export function ditPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  return definitionOf(op.name).family === "gated_product"
    ? gatedProduct(op, context)
    : unary(fusedNorm)(op, context);
}

/**
 * `dit_matmul_addcmul_fused`: the matmul, then residual and gate per output tile, in one program. How far
 * they overlap is unknown, so their times are added.
 */
function gatedProduct(op: OpLaunch, context: LaunchContext): OpPrograms {
  const [input, weight, residual, gate, bias] = op.inputs;
  const [output] = op.outputs;
  const product = matmulPrograms({ ...op, name: "ttnn.linear", inputs: [input, weight, bias] }, context);
  if (product.status === "unknown" || output === undefined) return product;
  const operands = [residual, gate].filter(isPresent);
  const epilogue = streamProgram({
    units: output.tiles,
    reads: operands.map((tensor) => ({ tensor, bytes: gateBytes(tensor, output) })),
    writes: [],
    compute: { work: [{ operation: "eltwise", count: operands.length }] },
    flops: output.tiles * 1024 * operands.length,
    circularBuffers: operands.map((tensor, index) => pageBuffer(`gate${index}`, 2, tensor)),
  }, context.chip);
  return inOrder(...product.programs, epilogue);
}

/** Bytes that are read of an operand: a tile per tile of the output. A gate of one row is read again for every row. */
function gateBytes(tensor: ProgramTensor, output: ProgramTensor): number {
  return tensor.bytes * output.tiles / Math.max(1, tensor.tiles);
}

/**
 * `dit_rms_norm_unary_fused`: adds the residual before and applies the activation after the norm, in one
 * program.
 */
function fusedNorm(op: UnaryLaunch, context: LaunchContext): OpPrograms {
  const { input, inputs: [, ...others] } = op;
  const { operandSegmentSizes: sizes } = readAttributes(op, COMMON);
  const affine = sizes === undefined ? others.length : (sizes[1] ?? 0) + (sizes[2] ?? 0);
  const inputs = [input, ...others.slice(0, affine)];
  const norm = normPrograms({ ...op, name: "ttnn.rms_norm", inputs }, context);
  const residual = others.slice(affine).filter(isPresent);
  if (norm.status === "unknown") return norm;
  return inOrder(...norm.programs.map((program): DeviceProgram => {
    if (program.kind !== "stream") return program;
    const count = input.tiles / program.units;
    const fused: readonly TileWork[] = [
      ...activationsOf(op).ofResult.filter((operation) => operation !== "none")
        .map((operation) => ({ operation, count })),
      ...residual.map(() => ({ operation: "eltwise", count }) as const),
    ];
    return {
      ...program,
      reads: [...program.reads, ...residual.map(wholeTensor)],
      compute: { ...program.compute, work: [...program.compute.work, ...fused] },
      circularBuffers: [
        ...program.circularBuffers,
        ...residual.map((tensor) => pageBuffer("residual", 2, tensor)),
      ],
    };
  }));
}
