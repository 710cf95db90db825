// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../../ops/attributes/read_attributes.ts";
import { SPARSE_MATMUL } from "../../ops/attributes/matmul.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { eltwisePrograms } from "../eltwise/eltwise.ts";
import { LaunchSequence } from "../launch_sequence.ts";
import { expertsAtWork, type LaunchContext, type OpLaunch } from "../op_launch.ts";
import { type OpPrograms, unknownPrograms } from "../program.ts";
import { alignmentOf, type ProgramTensor } from "../program_tensor.ts";
import { matmulProgram } from "./matmul.ts";
import { matmulBuffers } from "./matmul_buffers.ts";
import { type MatmulProblem, matmulProblem } from "./matmul_problem.ts";

/**
 * `sparse_matmul`: the whole result becomes zeros (`ttnn:backend-0-81-1`); then, for each pair marked in the sparsity
 * tensor, a batch of rows is multiplied with one expert's weights. A is multicast and the expert's columns are
 * distributed over the cores. Buffers hold the configured output blocks; the measured time is that of cores that make
 * all of their columns at once. The number of marked pairs is data: the attribute `nnz`, or an assumption
 * ({@linkcode expertsAtWork}).
 */
export function sparseMatmulPrograms(op: OpLaunch, context: LaunchContext): OpPrograms {
  const { chip, assumed, programRules } = context;
  const dense = matmulProblem({ ...op, inputs: op.inputs.slice(0, 2) }, chip);
  const config = op.config?.kind === "matmul" ? op.config.programConfig : undefined;
  const sparsity = op.inputs[2];
  if (dense === undefined || sparsity === undefined) {
    return unknownPrograms(op.name, "needs three operands and a result");
  }
  if (config?.kind !== "matmul_multi_core_reuse_multi_cast_1d" || !config.mcastIn0) {
    return unknownPrograms(op.name, "needs a 1D program config that multicasts operand 0");
  }
  const { is_input_a_sparse: isPaired, nnz: told } = readAttributes(op, SPARSE_MATMUL);
  const groups = isPaired ? dense.batchA / dense.batchB : dense.batchA;
  const products = told ?? groups * expertsAtWork(assumed, dense.batchB);
  const problem: MatmulProblem = {
    ...dense,
    in1: share(dense.in1, products / dense.batchB),
    output: share(dense.output, products / (groups * dense.batchB)),
    batchA: 1,
    batchB: products,
  };
  const unfused = { ...config, fuseBatch: false };
  const { perCoreM, perCoreN } = config;
  const program = matmulProgram(problem, { ...unfused, outBlockH: perCoreM, outBlockW: perCoreN }, chip);
  const pairs = groups * dense.batchB;
  const circularBuffers = [
    ...matmulBuffers({ ...dense, batchA: pairs, batchB: pairs }, unfused, chip),
    // One for the core that sends A, one for the cores that read the weights.
    { name: "sparsity", bytes: 2 * roundUp(sparsity.pageBytes, alignmentOf(sparsity, chip)) },
  ];
  const zeros = eltwisePrograms(
    {
      name: "ttnn.relu",
      attributes: new Map(),
      inputs: [dense.output],
      outputs: [dense.output],
      config: undefined,
    },
    chip,
    programRules,
  );
  if (zeros.status === "unknown") return zeros;
  const sequence = new LaunchSequence(chip);
  sequence.allocateResult(0, dense.output);
  sequence.run(...zeros.programs);
  sequence.run({ ...program, circularBuffers, ...(told === undefined ? { byExpert: true } : {}) });
  return sequence.launched();
}

/** The part of a tensor that marked pairs read or write; weights used by several groups are read for each. */
function share(tensor: ProgramTensor, part: number): ProgramTensor {
  return { ...tensor, bytes: part * tensor.bytes };
}
