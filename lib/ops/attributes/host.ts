// SPDX-License-Identifier: Apache-2.0

// Attributes of ops of the host (tt-mlir:op-attributes).

export const DEALLOCATE = { force: { type: "bool", default: false } } as const;

export const GET_DEVICE = { mesh_shape: "any?", mesh_offset: "any?" } as const;

export const TENSOR_FILE = { file_path: "string?" } as const;

/** Of `begin_trace_capture`, `end_trace_capture` and `execute_trace`; only the last waits or not. */
export const TRACE = { cq_id: "ui32?", blocking: "any?" } as const;

export const WRITE_TENSOR: typeof TRACE = TRACE;
