// SPDX-License-Identifier: Apache-2.0
import { AGGREGATE, DISTRIBUTE, MESH_SHARD } from "./attributes/collective.ts";
import { PREPARE_CONV2D, PREPARE_CONV3D } from "./attributes/window.ts";
import { CONV2D_SLOT, CONV3D_SLOT } from "./convolution.ts";
import type { CostClass } from "./cost_class.ts";
import { defineOps, type DefinitionFields, type OpDefinition } from "./definition.ts";
import { PREPARING_OPS } from "./preparing_ops.ts";
import { likeOperand } from "./shape_inference.ts";

export type HostFamily = "fixed";

/** Ops that run as in the input; their operands may be in host memory. */
function fixed(
  names: string,
  costClass: CostClass,
  facts: DefinitionFields = {},
): readonly OpDefinition<HostFamily>[] {
  return defineOps(names, "fixed", costClass, {
    operands: ["activation*"],
    results: undefined,
    movable: false,
    acceptsHost: true,
    ...facts,
  });
}

const MOVE: DefinitionFields = {
  operands: ["activation"],
  results: 1,
  inferShape: likeOperand(0),
  memoryOp: true,
};

// Attributes of ops of the host (tt-mlir:op-attributes).

const DEALLOCATE = { force: { type: "bool", default: false } } as const;

const GET_DEVICE = { mesh_shape: "any?", mesh_offset: "any?" } as const;

const TENSOR_FILE = { file_path: "string?" } as const;

/** Of ops of a command queue: `write_tensor` and those of traces, some of which do not say whether they wait. */
const QUEUED = { cq_id: "ui32?", blocking: "any?" } as const;

/** Work of the host, and bookkeeping that never reaches the device. */
export const HOST: readonly OpDefinition<HostFamily>[] = [
  ...fixed("deallocate", "free", { attributes: DEALLOCATE, operands: ["activation"], results: 0 }),
  ...fixed("get_device", "free", { attributes: GET_DEVICE, operands: [], results: 1 }),
  // TTNN of 2024.
  ...fixed("open_device", "free", { attributes: { device_ids: "any?" }, operands: [], results: 1 }),
  ...fixed("close_device", "free", { attributes: {}, operands: ["device"], results: 0 }),
  ...fixed("to_device", "host_transfer", { ...MOVE, operands: ["activation", "device"] }),
  ...fixed("from_device", "host_transfer", MOVE),
  // Any change of a layout, until the compiler takes it apart; between host and device it moves.
  ...fixed("to_tensor_spec", "to_layout", { ...MOVE, formatOf: "same_pages" }),
  ...fixed("to_dtype", "host_transfer"),
  ...fixed("write_tensor", "host_transfer", { attributes: QUEUED }),
  // What a trace replays counts in the function that it captured.
  ...fixed("begin_trace_capture end_trace_capture execute_trace", "free", { attributes: QUEUED }),
  ...fixed("load_tensor dump_tensor", "host_transfer", { attributes: TENSOR_FILE }),
  ...fixed("distribute_tensor", "host_transfer", { attributes: DISTRIBUTE }),
  ...fixed("aggregate_tensor", "host_transfer", { attributes: AGGREGATE }),
  ...fixed("mesh_shard", "host_transfer", { attributes: MESH_SHARD }),
  ...fixed([...PREPARING_OPS.keys()].join(" "), "host_transfer", {
    attributes: PREPARE_CONV2D,
    config: { ...CONV2D_SLOT, searched: false },
  }),
  ...fixed("prepare_conv3d_weights", "host_transfer", {
    attributes: PREPARE_CONV3D,
    config: { ...CONV3D_SLOT, searched: false },
  }),
  // Ops of other dialects that occur between TTNN ops.
  ...fixed("ttcore.load_cached func.call ttcore.optimization_barrier", "view", { attributes: undefined }),
];
