// SPDX-License-Identifier: Apache-2.0
import { AT } from "./answers.ts";

/** What has to be in the answer to a message about shards, grids, traces, overrides or the room of an op. */
export const PLACEMENT_ANSWERS: readonly (readonly [answer: string, text: string])[] = [
  [
    "1, 3, 7, 21 of its cores for 21 tiles",
    `ttnn.conv2d(x)\n${AT}/conv/conv2d/conv2d_utils.cpp:3: channels % num_cores_channels == 0\ninfo:\nChannels: 672, num core channels: 5`,
  ],
  ["mcast_in0 = False for height shards", "ttnn.matmul(a, b)\nTT_THROW: Unsupported op for output sharding"],
  [
    "10 of them as 5x2",
    `${AT}/normalization/layernorm/device/x.cpp:1: grid.num_cores() == bbox_num_cores\ninfo:\nnon-rectangular core grids are not supported: the shard grid has 10 cores but its bounding box spans 16 cores`,
  ],
  [
    "the same shard width on both sides",
    `${AT}/data_movement/sharded/reshard/reshard_op.cpp:1: same_row_size\ninfo:\nrow major must have shard_spec[1] be the same on both input and output`,
  ],
  ["use_height_and_width_as_shard_shape", "RuntimeError: Invalid sharding core_grid"],
  [
    "under another sub-device manager",
    "TT_FATAL @ /x/tt_metal/distributed/mesh_device.cpp:8: trace_buffer != nullptr\ninfo:\nTrace instance 3 must exist on device",
  ],
  ["--emit overrides=FILE", "error: Trying to override non-existing op: matmul_5. Check logs for details"],
];
