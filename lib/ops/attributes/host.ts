// SPDX-License-Identifier: Apache-2.0

// Attributes of ops of the host (tt-mlir:op-attributes).

export const DEALLOCATE = { force: { type: "bool", default: false } } as const;

export const GET_DEVICE = { mesh_shape: "any?", mesh_offset: "any?" } as const;

export const TENSOR_FILE = { file_path: "string?" } as const;

/** Of ops of a command queue: `write_tensor` and those of traces, some of which do not say whether they wait. */
export const QUEUED = { cq_id: "ui32?", blocking: "any?" } as const;
