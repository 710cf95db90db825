// SPDX-License-Identifier: Apache-2.0
import { type CheckSubject, subjectsIn, TELLING } from "./check_subject.ts";
import { rowOf } from "./subject_table.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** Words of a variable without a value. */
const NOT_SET = /\b(?:not|isn't|must be|un)[ -]?(?:been )?(?:set|defined)\b/i;

/** Subjects recognized by the words of the message in any file. */
const TOLD_SUBJECTS = subjectsIn("outside", {
  hang: {
    title: "The device does not answer",
    pattern:
      /^(?!.*(?:init: failed|initiali[sz]e FW|resetting the board)).*(?:device timeout|potential hang|waiting for physical cores to finish|timeout.{0,40}fetch queue|fetch queue.{0,20}timed out|timeout detected|(?:core|device|dispatch) timeout at\b|^[\x60'\x22]?(?:[\w:./()-]+[\x60'\x22]? ){0,4}(?:hangs?|hung|deadlocks?|froze|freezes?|is stuck|gets stuck)\b(?! (?:read|PCIe?|detection))|\bhangs (?:the |my |our )?(?:device|board|chip|card)s?\b|(?:runs?|takes?|spins?) forever|(?:localhost|127\.0\.0\.1|0\.0\.0\.0).{0,60}Read timed out|(?:stopped|not|stops) respond|never returns)/i,
    because: ({ ops }) =>
      `The device stopped answering: a kernel waits for data or a semaphore that never comes. ${
        ops === undefined ? "Which op it is does not stand in the message, and the" : "The"
      } board has to be reset`,
    advice: [
      "find the op: run with TT_METAL_OPERATION_TIMEOUT_SECONDS set and without a trace, or synchronize after every op; where it is set to few seconds, a larger one tells a long op from a hang",
      "'tilewright lint FILE' and 'tilewright confirm FILE' name configs that ttnn's checks refuse; a hang is often one that older checks let pass",
      remedy`${asks.DRAM}then run that op from DRAM interleaved to DRAM interleaved: if it still hangs, layouts are not the cause`,
      remedy`${asks.NEWER}a newer version: two of five reported hangs were mended by one`,
    ],
  },
  host_memory: rowOf("host_memory"),
  hidden_cache_miss: rowOf("hidden_cache_miss"),
  kernel_build: {
    title: "A kernel does not compile",
    pattern:
      /(?:trisc|brisc|ncrisc|erisc|kernel)\w* (?:build|compil\w+|link\w*) (?:fail|error)|failed to (?:compile|build|link|generate) (?:\w+ )?(?:kernel|binar)|riscv\S*-g\+\+|sfpi\b|kernel (?:source|file|binar\w+).{0,40}(?:not|missing)|binary not found|JIT compile|narrowing conversion|static_assert|(?:undeclared|was not declared in this) (?:identifier|scope)|no matching function for call|static assertion failed|\belf\b/i,
    files: /jit_build|elf_?file|jit_server|remote_compile|\bsfpi/,
    because:
      "ttnn compiles the kernels of an op for its formats and blocks when it first runs; the compiler's own error stands below the message",
    advice: ({ words }) => [
      /\blink/i.test(words)
        ? "where the linker names a region or section ('not within', 'overflowed'), code or data of the kernel are larger than a core's: smaller arrays, fewer unrolled loops and templates, the work divided among more kernels"
        : [],
      remedy`${asks.DRAM}another format or program config selects other kernels: bf16 from DRAM interleaved to DRAM interleaved is the most used one`,
      remedy`${asks.NEWER}a newer ttnn: a kernel of its own that does not compile for what its checks let pass is a bug of that version`,
      "where the error is about files or the toolchain, the installation is broken: empty the cache of kernels (TT_METAL_CACHE)",
    ],
  },
}, TELLING);

/** Words of the watcher, when it stops a kernel. */
const WATCHED = /using noc\d tried|\bbad (?:read|write|NOC)|\bnoc\d:\w+\{/i;

/** Words of the parts of a tensor of a mesh. */
const PARTS = /\b(?:chunks?|(?:tensor|host) shards?|shards?|pieces)\b.{0,60}\b(?:mesh|devices?)\b/i;

/** Subjects recognized by the file of the check, by its words if the file is unknown. */
const PLACED_SUBJECTS = subjectsIn("outside", {
  streams: rowOf("streams"),
  queue: {
    title: "The device's queues are used in a way that they refuse",
    pattern:
      /command queues?|packed commands?|\bCQ\b|(?<!contained in .{0,40})sub.?devices?\b|(?:slow|fast) dispatch|dispatch (?:core|kernel|engine|mode|class)\w*|prefetch(?:er|_q)\b.{0,40}(?:queue|entry|cmd)|(?:begin|end|release|capture|replay|record)\w* (?:a )?trace|active trace|trace (?:id|capture)|\bevents?\b.{0,30}(?:queue|sync|record)|worker.?config|launch message/i,
    files:
      /impl\/(?:dispatch|trace|event|sub_device)|command_queue|command_list|mesh_trace|mesh_workload|mesh_event|dispatch/,
    because:
      "Command queues, traces, events and sub-devices have rules of their own, in the host's code: what may be enqueued when, on which cores, by which dispatch",
    advice: ({ words }) => [
      /during (?:a )?trace|trace capture|active trace/i.test(words)
        ? "a captured trace holds programs only: run everything once before the capture (so that kernels, constants and tensors exist), and move data to and from the device outside of it"
        : [],
      "look at the calls around the message: begin and end of a trace, sub-device managers, the number of queues when the device is opened, TT_METAL_SLOW_DISPATCH_MODE",
    ],
  },
  settings: {
    title: "A setting is none that the runtime takes",
    pattern:
      /environment variable|\bTT_[A-Z]+_\w+|config overrides|command.?line option|Unknown option|pass option|(?<![-\w])--[a-z]+(?:[-_][a-z]+)*\b|max_(?:model_len|num_seqs|seq_len|batch_size)\b|tensor_parallel/i,
    files: /rtoptions|core\/config|env_lib/,
    because: ({ words }) =>
      NOT_SET.test(words)
        ? "The program reads an environment variable that is not set"
        : "An environment variable or option has a value that is not understood, or excludes another one",
    advice: ({ words }) => [
      NOT_SET.test(words)
        ? `set ${
          /\b[A-Z]+_\w+/.exec(words)?.[0] ?? "it"
        } before the run (export, docker run -e): mostly the script or image that starts the program sets it, and it was started without`
        : "the name in the message unset, or a value that this version takes, and nothing set that excludes it",
    ],
  },
  tools: {
    title: "A tool beside the program fails",
    pattern:
      /profil(?:er|ing)\b|\btensix_\w+:|debug printing|device data (?:mismatch|missing)|instrumentation|signpost|perf_report|\bTracy\b|using noc\d tried|watcher|hardware fault|tripped an assert|\bDPRINT\b|inspector|light.?metal|graph (?:capture|report|tracker)|perf_?(?:report|model)|tt-triage|\bCHECK(?:-\w+)?: (?:expected|excluded)/i,
    files:
      /profiler|device data (?:mismatch|missing)|instrumentation|signpost|perf_report|watcher|debug\/|inspector|lightmetal|light_metal|\bgraph\/|tools\/|sanitize_noc|reports/,
    because: ({ words }) =>
      WATCHED.test(words)
        ? "The watcher stopped the device: a kernel reads or writes where it must not (an address that is not aligned, or outside of a buffer), which without the watcher hangs or gives wrong numbers"
        : "Profilers, watchers, recorders, reports and simulators have limits of their own; the program may run without them",
    advice: ({ words }) =>
      WATCHED.test(words)
        ? remedy`${asks.DRAM}the kernel that it names above, of the op that ran last: that op with other shapes or layouts (DRAM interleaved)${asks.NEWER}, or a newer ttnn; report it with these`
        : [
          "run without the tool, or with fewer ops between two reads of the profiler",
          remedy`${asks.NEWER}or a newer version of the tool`,
        ],
  },
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
