// SPDX-License-Identifier: Apache-2.0
import { anyNumber, defineOps, type OpDefinition, operand, optional } from "./definition.ts";

/** Families of collectives. */
export type CollectiveFamily = "all_gather" | "reduce_scatter" | "all_reduce" | "mesh_partition" | "fixed";

function collective(names: string, deviceOperation?: string): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(names, "fixed", "ccl", {
    operands: [anyNumber("activation")],
    results: undefined,
    movable: false,
    acceptsHost: true,
    deviceOperation,
  });
}

/** An exchange whose operand and result lie where a plan wants them. */
function placedCollective(
  name: "all_gather" | "reduce_scatter" | "all_reduce",
  deviceOperation: string,
): readonly OpDefinition<CollectiveFamily>[] {
  return defineOps(name, name, "ccl", {
    operands: [operand("activation")],
    keepsPages: true,
    formatOf: 0,
    deviceOperation,
  });
}

/** Ops of several chips. How many take part decides their results, so that no shape follows from the operands. */
export const COLLECTIVE: readonly OpDefinition<CollectiveFamily>[] = [
  ...placedCollective("all_gather", "AllGatherAsyncDeviceOperation"),
  ...placedCollective("all_reduce", "AllReduceAsyncDeviceOperation"),
  ...placedCollective("reduce_scatter", "ReduceScatterMinimalAsyncDeviceOperation"),
  // The receiver's tensor is written where it lies; all other chips keep theirs.
  ...collective("point_to_point").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    operands: [operand("activation"), optional("activation")],
    minOperands: 1,
    maxOperands: 2,
    inPlaceOperand: 1,
  })),
  ...collective("all_to_all_dispatch all_to_all_combine collective_permute"),
  ...collective("distributed_layer_norm"),
  // Semaphores of collectives are set up when the program is loaded.
  ...defineOps("create_global_semaphore reset_global_semaphore", "fixed", "free", {
    operands: [anyNumber("activation")],
    results: undefined,
    movable: false,
    acceptsHost: true,
  }),
  ...collective("distributed_rms_norm").map((op): OpDefinition<CollectiveFamily> => ({
    ...op,
    config: { kind: "norm", program: "program_config", searched: false },
  })),
  // Every chip cuts its own part out of a tensor that all have.
  ...defineOps("mesh_partition", "mesh_partition", "slice"),
];
