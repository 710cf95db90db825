// SPDX-License-Identifier: Apache-2.0
import {
  ALL_GATHER,
  ALL_REDUCE,
  COLLECTIVE_AXIS,
  COLLECTIVE_PERMUTE,
  CREATE_SEMAPHORE,
  DISTRIBUTED_NORM,
  EXPERT_EXCHANGE,
  FUSED_COLLECTIVE,
  MESH_PARTITION,
  POINT_TO_POINT,
  REDUCE_SCATTER,
  RESET_SEMAPHORE,
} from "./attributes/collective.ts";
import type { AttributeForm } from "./attributes/attribute_form.ts";
import { defineOps, type DefinitionFields, type OpDefinition } from "./definition.ts";

/** Families of collectives. */
export type CollectiveFamily =
  | "all_gather"
  | "reduce_scatter"
  | "all_reduce"
  | "fused_collective"
  | "mesh_partition"
  | "fixed";

const FIXED: DefinitionFields = {
  operands: ["activation*"],
  results: undefined,
  movable: false,
  acceptsHost: true,
};

function collective(names: string, facts: DefinitionFields): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(names, "fixed", "ccl", { ...FIXED, ...facts });
}

/**
 * An exchange whose operand and result may be placed by a plan. Until November 2025 the device was a further operand
 * (tt-mlir:ccl-device-operand).
 */
function placedCollective(
  names: string,
  family: "all_gather" | "reduce_scatter" | "all_reduce",
  attributes: AttributeForm,
  deviceOperation: string,
): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(names, family, "ccl", {
    attributes,
    operands: ["activation", "device?"],
    keepsPages: true,
    formatOf: 0,
    deviceOperation,
  });
}

/** A product whose operand is gathered, or whose result is scattered, while it is made (tt-mlir:fused-collectives). */
function fusedCollective(name: string, deviceOperation: string): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(name, "fused_collective", "ccl", {
    attributes: FUSED_COLLECTIVE,
    operands: [
      "activation",
      "weight",
      "bias?",
      "activation?",
      "activation?",
      // Semaphores of both directions, and of the barrier.
      "device*",
      "device?",
      "device",
    ],
    results: undefined,
    formatOf: 0,
    config: { kind: "matmul", program: undefined, searched: false },
    deviceOperation,
  });
}

/** Ops across chips. Their result shapes depend on the number of chips, so none is inferred from the operands. */
export const COLLECTIVE: readonly OpDefinition<CollectiveFamily>[] = [
  ...placedCollective("all_gather", "all_gather", ALL_GATHER, "AllGatherAsyncDeviceOperation"),
  ...placedCollective(
    "all_reduce all_reduce_async",
    "all_reduce",
    ALL_REDUCE,
    "AllReduceAsyncDeviceOperation",
  ),
  ...placedCollective(
    "reduce_scatter",
    "reduce_scatter",
    REDUCE_SCATTER,
    "ReduceScatterMinimalAsyncDeviceOperation",
  ),
  // The receiver's tensor is overwritten in place; all other chips keep theirs. Whoever needs the outcome reads the
  // result, so a copy may take the tensor's place: no written operand.
  ...collective("point_to_point", {
    deviceOperation: "PointToPointOp",
    attributes: POINT_TO_POINT,
    operands: ["activation", "activation?"],
    inPlaceOperand: 1,
    writtenOperands: [],
  }),
  ...fusedCollective("all_gather_minimal_matmul_async", "AllGatherMinimalMatmulAsyncOp"),
  ...fusedCollective(
    "minimal_matmul_strided_reduce_scatter_async",
    "MinimalMatmulStridedReduceScatterAsyncOp",
  ),
  ...collective("all_to_all", { attributes: COLLECTIVE_AXIS }),
  ...collective("collective_permute", { attributes: COLLECTIVE_PERMUTE }),
  ...collective("all_to_all_dispatch", {
    attributes: EXPERT_EXCHANGE,
    expertExchange: { dispatches: true, mapping: 2 },
  }),
  ...collective("all_to_all_combine", {
    attributes: EXPERT_EXCHANGE,
    expertExchange: { dispatches: false, mapping: 2 },
  }),
  // Experts and scores of all tokens are gathered for one reader (tt-mlir:workarounds).
  ...collective("all_to_all_dispatch_metadata", {
    attributes: EXPERT_EXCHANGE,
    expertExchange: { dispatches: true, mapping: 3 },
    gathersOnOneCore: true,
  }),
  ...collective("distributed_layer_norm", { attributes: DISTRIBUTED_NORM, norm: { subtractsMean: true } }),
  // Semaphores of collectives are set up when the program is loaded.
  ...defineOps("create_global_semaphore", "fixed", "free", { ...FIXED, attributes: CREATE_SEMAPHORE }),
  ...defineOps("reset_global_semaphore", "fixed", "free", { ...FIXED, attributes: RESET_SEMAPHORE }),
  ...collective("distributed_rms_norm", {
    attributes: DISTRIBUTED_NORM,
    deviceOperation: "RMSAllGatherDeviceOperation",
    norm: { subtractsMean: false },
    config: { kind: "norm", program: "program_config", searched: false },
  }),
  // Every chip slices its part from a tensor that all chips have.
  ...defineOps("mesh_partition", "mesh_partition", "slice", { attributes: MESH_PARTITION }),
];
