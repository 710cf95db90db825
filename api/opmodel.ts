// SPDX-License-Identifier: Apache-2.0

/**
 * The op model: may an op run so, what comes out, what does it launch, how much L1 does it take.
 *
 * @module
 */

export type {
  ComputeKernelConfig,
  Conv2dConfig,
  Conv2dSliceConfig,
  Conv3dConfig,
  MatmulProgramConfig,
  NormProgramConfig,
  OpSpecificAttributes,
  SdpaProgramConfig,
} from "../lib/op_config/op_config.ts";
export type { MathFidelity } from "../lib/op_config/math_fidelity.ts";
export type { ComputeDefaults } from "../lib/op_config/default_compute_config.ts";
export type { UnaryWithParam } from "../lib/op_config/value_kinds.ts";
export * from "../lib/ops/cost_class.ts";
export type { OperandRole, VectorFunction } from "../lib/ops/definition.ts";
export * from "../lib/ops/op_signature.ts";
export * from "../lib/ops/op_traits.ts";
export * from "../lib/opmodel/op_model.ts";
export type { BufferKind, CircularBuffer } from "../lib/programs/circular_buffer.ts";
export type { AllocatedTensor, LaunchEvent } from "../lib/programs/launch_sequence.ts";
export type * from "../lib/programs/op_launch.ts";
export type * from "../lib/programs/program.ts";
export type * from "../lib/programs/program_work.ts";
export type { Exchange, ExchangeLeg, ExchangeWork, PermutePath } from "../lib/programs/ccl/exchange.ts";
export type { CacheFill, RunAssumptions } from "../lib/programs/op_launch.ts";
export type { MatmulBlocks, MatmulDataflow } from "../lib/programs/matmul/matmul_blocks.ts";
export type { MatmulProblem } from "../lib/programs/matmul/matmul_blocks.ts";
export type { ProgramTensor, TensorPlacement } from "../lib/programs/program_tensor.ts";
export { createOpModel } from "../lib/opmodel/create_op_model.ts";
export type { OpModelOptions } from "../lib/opmodel/op_model_options.ts";
export type { Candidate, CandidateFilter } from "../lib/opmodel/candidate_filter.ts";
export { RefusedCandidates } from "../lib/opmodel/refused_candidates.ts";
export * from "../lib/opmodel/backend_revision.ts";
