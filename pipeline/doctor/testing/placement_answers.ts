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
  [
    "which takes uneven shards",
    "`no un-even shard size support memory layout TensorMemoryLayout::BLOCK_SHARDED` when calling `ttnn.add`",
  ],
  [
    "from DRAM interleaved to DRAM interleaved",
    "`ttnn.add` hangs when the output grid has fewer cores than the input grid",
  ],
  [
    "device.dram_grid_size(), and shards of the padded width",
    "TT_FATAL @ /x/tt_metal/common/metal_soc_descriptor.cpp:6: (logical_coord.x < num_dram_views)\ninfo:\nBounds-Error -- Logical_core=(x=7,y=0) is outside of logical_grid_size=(x=7,y=1)",
  ],
  [
    "a core holds fewer rows of the padded input",
    `ttnn.conv2d(x)\nTT_FATAL @ /x/tt_metal/impl/buffers/circular_buffer.cpp:1: num_pages <= max_num_cb_pages\ninfo:\nFor buffer index 1, number of CB pages 66820 is greater than 65535.`,
  ],
  ["--emit overrides=FILE", "error: Trying to override non-existing op: matmul_5. Check logs for details"],
  [
    "no second name for the tensor",
    "TT_FATAL: Expect input to be deallocated after move op: there is probably another consumer",
  ],
  [
    "max_cores_per_head_batch",
    "paged_scaled_dot_product_attention_decode: circular buffers grow beyond max L1 size",
  ],
  ["C_in_block first", "ttnn.conv3d: circular buffers grow beyond max L1 size"],
  [
    "operands and result in DRAM",
    "Out of Memory: Cannot allocate at an address below 524288. Allocation at 520192",
  ],
  ["fewer operands at a time", "Buffer index (33) exceeds max number of circular buffers per core (32)"],
  ["use_height_and_width_as_shard_shape", "RuntimeError: Invalid sharding core_grid"],
  [
    "under another sub-device manager",
    "TT_FATAL @ /x/tt_metal/distributed/mesh_device.cpp:8: trace_buffer != nullptr\ninfo:\nTrace instance 3 must exist on device",
  ],
  [
    "may not share a core",
    "Cannot create CoreRangeSet with specified core ranges because core ranges [(x=0,y=0) - (x=3,y=3)] and [(x=0,y=0) - (x=1,y=0)] overlap!",
  ],
  [
    "from (0, 0) on",
    "Circular buffer core range [(x=0,y=0)-(x=11,y=0)] in program 5 exceeds device compute grid (8x7)",
  ],
  [
    "lie lowest in L1",
    "RuntimeError: CB region end (7000) overlaps the already-allocated L1 buffer at 6000 by 1,000 bytes",
  ],
  ["fewer cores, of a number that divides", "TT_FATAL: Output spatial index 32 out of bounds (max 32)"],
  ["ttnn.CoreRangeSet({core_range})", "RuntimeError: Invalid core_grid type"],
  [
    "all interleaved or all sharded alike",
    "writer_x.cpp:9: error: no matching function for call to 'get_noc_addr(uint32_t&, const TensorAccessor<...>&)'",
  ],
  // Links of devices, and what a message of them is about.
  ["set_fabric_config", "ttnn.all_reduce: Fabric context is not initialized"],
  [
    "max_packet_payload_size_bytes",
    "TT_FATAL: Fabric packet size (2048 bytes) must be >= tensor page size (4096 bytes)",
  ],
  [
    "there are 1",
    "ttnn.all_gather: num_links 4 exceeds the number of available links 1 along cluster_axis 0",
  ],
  [
    "no link leads between devices 0 and 3",
    "TT_FATAL @ tt_metal/fabric/fabric.cpp:1: d.has_value()\ninfo:\nCould not find any forwarding direction from src (M0, D0) to dst (M0, D3)",
  ],
  ["wrap-around", "TT_FATAL: MinimalMatmulStridedReduceScatterAsync only supports Ring topology."],
  ["in the order of their links", "TT_FATAL: Device 0 and Device 5 are not connected by any ethernet link"],
  [
    "of a mesh of 1xN devices that is 1",
    "TT_FATAL: 1D fabric on a 2D mesh_device requires cluster_axis to be set",
  ],
  ["topology = ttnn.Topology.Linear", "TT_FATAL: ttnn.all_gather: unsupported topology Mesh"],
  [
    "num_workers_per_link",
    "TT_FATAL: Not enough mux cores! Needed: 8 (num_links=2 * neighbors.size()=4), Available: 4",
  ],
  ["ttnn.slice of the first k", "TT_FATAL: ttnn.topk: k must be at most 32, got 50"],
];
