// SPDX-License-Identifier: Apache-2.0

// Attributes of ops across chips (tt-mlir:op-attributes).

/** The axis of the mesh that an op exchanges along, the links that it takes and the way it runs them. */
export const COLLECTIVE_AXIS = {
  cluster_axis: "ui32?",
  num_links: "ui32?",
  topology: "#ttcore.topology?",
} as const;

// Dimensions and kinds had other names until early 2025.
const SUM = {
  reduce_type: { type: "#ttcore.reduce_type", default: "sum", spelled: ["reduce_type", "math_op"] },
} as const;

export const ALL_REDUCE: typeof COLLECTIVE_AXIS & typeof SUM = { ...COLLECTIVE_AXIS, ...SUM };

const GATHERED = { all_gather_dim: { type: "si32", spelled: ["all_gather_dim", "dim"] } } as const;

export const ALL_GATHER: typeof COLLECTIVE_AXIS & typeof GATHERED = { ...COLLECTIVE_AXIS, ...GATHERED };

const SCATTERED = { scatter_dim: { type: "si32", spelled: ["scatter_dim", "scatter_split_dim"] } } as const;

export const REDUCE_SCATTER: typeof ALL_REDUCE & typeof SCATTERED = { ...ALL_REDUCE, ...SCATTERED };

const PARTED = { dim: "si32?" } as const;

/** A product with an exchange; the dimension is that of the result's parts. */
export const FUSED_COLLECTIVE: typeof COLLECTIVE_AXIS & typeof PARTED = { ...COLLECTIVE_AXIS, ...PARTED };

export const MESH_PARTITION = { dim: "si32?", cluster_axis: "ui32?" } as const;

const NORMED = { epsilon: "f32?", program_config: "any?" } as const;

export const DISTRIBUTED_NORM: typeof COLLECTIVE_AXIS & typeof NORMED = { ...COLLECTIVE_AXIS, ...NORMED };

/** Here the axis is printed as `i64`. */
export const EXPERT_EXCHANGE = {
  cluster_axis: "i64?",
  num_devices: "i64?",
  num_experts_per_tok: "i64?",
  output_shard_dim: "i64?",
  num_links: "ui32?",
  topology: "#ttcore.topology?",
} as const;

export const POINT_TO_POINT = {
  // Both names were shorter until autumn 2025.
  sender_coord: {
    type: "array<i64>",
    order: ["place along the axis"],
    spelled: ["sender_coord", "send_coord"],
  },
  receiver_coord: {
    type: "array<i64>",
    order: ["place along the axis"],
    spelled: ["receiver_coord", "receive_coord"],
  },
} as const;

const PERMUTED = { source_target_pairs: "any?" } as const;

export const COLLECTIVE_PERMUTE: typeof COLLECTIVE_AXIS & typeof PERMUTED = {
  ...COLLECTIVE_AXIS,
  ...PERMUTED,
};

export const MESH_SHARD = {
  shard_dims: { type: "array<i64>", order: ["dimension along the axis"] },
  shard_shape: { type: "array<i64>", order: ["parts of the dimension"] },
  shard_direction: "#ttcore.shard_direction?",
  shard_type: "#ttcore.shard_type",
} as const;

export const DISTRIBUTE = { mapper_config: "any?" } as const;

export const AGGREGATE = { composer_config: "any?" } as const;

export const CREATE_SEMAPHORE = { core_range_set: "any?", initial_value: "ui32?" } as const;

export const RESET_SEMAPHORE = { value: "ui32?" } as const;
