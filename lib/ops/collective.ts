// SPDX-License-Identifier: Apache-2.0
import { anyNumber, defineOps, type OpDefinition, operand, optional } from "./definition.ts";

/** Families of collectives. */
export type CollectiveFamily =
  | "all_gather"
  | "reduce_scatter"
  | "all_reduce"
  | "fused_collective"
  | "mesh_partition"
  | "fixed";

function collective(names: string): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(names, "fixed", "ccl", {
    operands: [anyNumber("activation")],
    results: undefined,
    movable: false,
    acceptsHost: true,
  });
}

/**
 * An exchange whose operand and result may be placed by a plan. Until November 2025 the device was a further operand
 * (tt-mlir:ccl-device-operand).
 */
function placedCollective(
  names: string,
  family: "all_gather" | "reduce_scatter" | "all_reduce",
  deviceOperation: string,
): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(names, family, "ccl", {
    operands: [operand("activation"), optional("device")],
    keepsPages: true,
    formatOf: 0,
    deviceOperation,
  });
}

/** A product whose operand is gathered, or whose result is scattered, while it is made (tt-mlir:fused-collectives). */
function fusedCollective(name: string, deviceOperation: string): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(name, "fused_collective", "ccl", {
    operands: [
      operand("activation"),
      operand("weight"),
      optional("bias"),
      optional("activation"),
      optional("activation"),
      // Semaphores of both directions, and of the barrier.
      anyNumber("device"),
      optional("device"),
      operand("device"),
    ],
    results: undefined,
    formatOf: 0,
    config: { kind: "matmul", program: undefined, searched: false },
    deviceOperation,
  });
}

/** Ops across chips. Their result shapes depend on the number of chips, so none is inferred from the operands. */
export const COLLECTIVE: readonly OpDefinition<CollectiveFamily>[] = [
  ...placedCollective("all_gather", "all_gather", "AllGatherAsyncDeviceOperation"),
  ...placedCollective("all_reduce all_reduce_async", "all_reduce", "AllReduceAsyncDeviceOperation"),
  ...placedCollective("reduce_scatter", "reduce_scatter", "ReduceScatterMinimalAsyncDeviceOperation"),
  // The receiver's tensor is overwritten in place; all other chips keep theirs.
  ...collective("point_to_point").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    operands: [operand("activation"), optional("activation")],
    minOperands: 1,
    maxOperands: 2,
    inPlaceOperand: 1,
  })),
  ...fusedCollective("all_gather_minimal_matmul_async", "AllGatherMinimalMatmulAsyncOp"),
  ...fusedCollective(
    "minimal_matmul_strided_reduce_scatter_async",
    "MinimalMatmulStridedReduceScatterAsyncOp",
  ),
  ...collective(
    "all_to_all all_to_all_dispatch all_to_all_combine collective_permute",
  ),
  // Experts and scores of all tokens are gathered for one reader (tt-mlir:workarounds).
  ...collective("all_to_all_dispatch_metadata").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    gathersOnOneCore: true,
  })),
  ...collective("distributed_layer_norm").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    norm: { subtractsMean: true },
  })),
  // Semaphores of collectives are set up when the program is loaded.
  ...defineOps("create_global_semaphore reset_global_semaphore", "fixed", "free", {
    operands: [anyNumber("activation")],
    results: undefined,
    movable: false,
    acceptsHost: true,
  }),
  ...collective("distributed_rms_norm").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    norm: { subtractsMean: false },
    config: { kind: "norm", program: "program_config", searched: false },
  })),
  // Every chip slices its part from a tensor that all chips have.
  ...defineOps("mesh_partition", "mesh_partition", "slice"),
];
