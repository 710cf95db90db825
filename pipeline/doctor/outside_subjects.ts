// SPDX-License-Identifier: Apache-2.0
import { type CheckSubject, subjectsIn, TELLING } from "./check_subject.ts";
import { rowOf } from "./subject_table.ts";

/** Subjects recognized by the words of the message in any file. */
const TOLD_SUBJECTS = subjectsIn("outside", {
  hang: rowOf("hang"),
  host_memory: rowOf("host_memory"),
  hidden_cache_miss: rowOf("hidden_cache_miss"),
  kernel_build: rowOf("kernel_build"),
}, TELLING);

/** Words of the parts of a tensor of a mesh. */
const PARTS = /\b(?:chunks?|(?:tensor|host) shards?|shards?|pieces)\b.{0,60}\b(?:mesh|devices?)\b/i;

/** Subjects recognized by the file of the check, by its words if the file is unknown. */
const PLACED_SUBJECTS = subjectsIn("outside", {
  streams: rowOf("streams"),
  queue: rowOf("queue"),
  settings: rowOf("settings"),
  tools: rowOf("tools"),
  files: rowOf("files"),
  kernel_program: rowOf("kernel_program"),
  board: rowOf("board"),
  mesh: {
    weight: 4,
    title: "Tensors and meshes of devices do not belong together",
    pattern:
      /(?:at least|requires?|more than|only) (?:one|two|a single|\d+) devices?\b|mesh (?:shape|coord\w*|device|view|mapper|composer)s?\b|\bMesh(?!Workload)[A-Z]\w+|submesh|(?:number|num)(?: of)? devices|\bnum_devices|cluster_axis|cluster axis|\bring(?:_| )size|\bring directions?|\bnum_links|\b(?:number of|num) links?\b|not connected\b|line coordinates?\b|\btopology\b|neighbou?rs?\b(?! pad)|forwarding (?:link|direction)|links? (?:is |are )?(?:un)?available|(?:global|local|at) coord(?:inate)?\b|global.?semaphores?|\bfabric\b|multi-?device|\bmesh\b|axis .{0,20}(?:mesh|devices)|remote device/i,
    condition:
      /^(?!.*padded_shape).*(?:num_devices|ring_size|cluster_axis|num_links|topology|mesh_?(?:shape|view|device|size)|fabric|semaphore\w*\.(?:size|empty)|neighbor|device_index)/i,
    files: /tt_metal\/distributed|core\/distributed|distributed_tensor|unit_mesh|mesh_/,
    because: ({ words }) =>
      PARTS.test(words)
        ? "A tensor that is divided among the devices of a mesh has one part for each of them along its axis"
        : "It is about the mesh of devices, not about layouts of one chip's tensors",
    advice: ({ words, numbers: [parts, devices] }) =>
      PARTS.test(words)
        ? [
          `as many parts as devices${
            parts === undefined || devices === undefined
              ? ""
              : ` (${parts} and ${devices} here): that dimension padded or repeated (a larger batch) until it makes ${devices} parts, or a mesh whose axis has ${parts} devices`
          }`,
          "or another dimension divided along that axis, or the tensor replicated there (dims of ShardTensor2dMesh, None; ReplicateTensorToMesh)",
        ]
        : "the mesh opened in the shape that the call asks for, with the fabric config of its topology (FABRIC_1D for a line, FABRIC_1D_RING for a ring), and cluster_axis, num_links and the mapper's dims of that mesh",
  },
});

/** Subjects of ttnn's and tt-metal's own checks that layouts have no part in: boards, meshes, queues, kernels, tools. */
export const OUTSIDE_SUBJECTS: readonly CheckSubject[] = [...TOLD_SUBJECTS, ...PLACED_SUBJECTS];
