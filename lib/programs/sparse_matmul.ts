// SPDX-License-Identifier: Apache-2.0
import { SPARSE_MATMUL } from "../ops/attributes/matmul.ts";
import { readAttributes } from "../ops/attributes/read_attributes.ts";
import { matmulProgram } from "./matmul.ts";
import { type MatmulProblem, matmulProblem } from "./matmul_problem.ts";
import type { LaunchContext, OpLaunch } from "./op_launch.ts";
import { inOrder, type OpPrograms, unknownPrograms } from "./program.ts";
import type { ProgramTensor } from "./program_tensor.ts";
import { expertsAtWork } from "./run_assumptions.ts";

/**
 * `sparse_matmul`: one product after the other of a batch of rows with the weights of an expert, for each pair that the
 * sparsity tensor marks. A is multicast, the columns of the expert are spread over the cores, and a core makes all of its
 * columns at a time whatever the config says of output blocks.
 *
 * How many pairs are marked is data: `nnz` says it where the op has one, else it is supposed
 * ({@linkcode expertsAtWork}).
 */
export function sparseMatmulPrograms(op: OpLaunch, { chip, assumed }: LaunchContext): OpPrograms {
  const dense = matmulProblem({ ...op, inputs: op.inputs.slice(0, 2) }, chip);
  const config = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  if (dense === undefined) return unknownPrograms(op.name, "needs two operands and a result");
  if (config?.kind !== "matmul_multi_core_reuse_multi_cast_1d" || !config.mcastIn0) {
    return unknownPrograms(op.name, "needs a 1D program config that multicasts operand 0");
  }
  const { is_input_a_sparse: isPaired, nnz: told } = readAttributes(op, SPARSE_MATMUL);
  const groups = isPaired ? 1 : dense.batchA;
  const products = told ?? groups * expertsAtWork(assumed, dense.batchB);
  const problem: MatmulProblem = {
    ...dense,
    in1: share(dense.in1, products / dense.batchB),
    output: share(dense.output, products / (groups * dense.batchB)),
    batchA: 1,
    batchB: products,
  };
  const { perCoreM, perCoreN } = config;
  const whole = { ...config, fuseBatch: false, outBlockH: perCoreM, outBlockW: perCoreN };
  const program = matmulProgram(problem, whole, chip);
  return inOrder(told === undefined ? { ...program, byExpert: true } : program);
}

/** What marked pairs touch of a tensor; weights that several groups want are read for each. */
function share(tensor: ProgramTensor, part: number): ProgramTensor {
  return { ...tensor, bytes: part * tensor.bytes };
}
