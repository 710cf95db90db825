// SPDX-License-Identifier: Apache-2.0
import type { CheckSubject } from "./check_subject.ts";

/** Subjects that layouts have no part in: the board, the compiler, kernels, numbers. */
export const OUTSIDE_SUBJECTS: readonly CheckSubject[] = [
  {
    name: "hang",
    title: "The device does not answer",
    pattern:
      /device timeout|potential hang|waiting for physical cores to finish|timeout.{0,40}fetch queue|timeout detected/i,
    meaning: () => [
      "The device stopped answering: a kernel waits for data or a semaphore that never comes. Which op it is does not stand in the message, and the board has to be reset",
    ],
    advice: () => [
      "find the op: run with TT_METAL_OPERATION_TIMEOUT_SECONDS set and without a trace, or synchronize after every op",
      "'tilewright lint FILE' and 'tilewright confirm FILE' name configs that ttnn's checks refuse; a hang is often one that older checks let pass",
      "then run that op from DRAM interleaved to DRAM interleaved: if it still hangs, layouts are not the cause",
    ],
  },
  {
    name: "host_memory",
    title: "The board cannot be opened",
    pattern: /host channel|hugepages?|sysmem|pinned? memory.{0,40}fail/i,
    meaning: () => [
      "Host memory for the board's command queues is missing, before any op runs: layouts have no part in it",
    ],
    advice: () => [
      "set up 1 GiB huge pages, or an IOMMU with a driver that uses it, and one channel per board",
      "inside a container, mount /dev/hugepages-1G as well",
    ],
  },
  {
    name: "board",
    title: "The board or its mesh does not answer as described",
    pattern:
      /eth(?:ernet)? (?:links?|cores?)|physical[_ ]chip|mesh[_ ]graph|mesh_(?:ew|ns)_size|run_mailbox|initialize FW|ARC (?:core|startup)|no (?:visible )?(?:chips|devices)/i,
    meaning: () => [
      "The chips, their links or their firmware are not those that the description of the mesh expects, before any op runs: layouts have no part in it",
    ],
    advice: () => [
      "reset the boards (tt-smi -r) and look at the links that are up (tt-smi, or tt-topology for a mesh)",
      "a mesh graph descriptor with the links that there are (TT_MESH_GRAPH_DESC_PATH), or a smaller mesh",
    ],
  },
  {
    name: "compiler",
    title: "The compiler refuses an op",
    pattern: /failed to legalize/i,
    meaning: ({ words }) => [
      `tt-mlir has no lowering for ${
        /'([\w.]+)'/.exec(words)?.[1] ?? "an op"
      } with these operands and attributes: the backend was never asked, and no layout changes that`,
    ],
    advice: () => [
      "read the errors above it first: an op that cannot be converted leaves others behind that wait for it, such as a reverse of weights in front of a convolution",
      "'tilewright optimize FILE' lowers TTIR by its own rules and says what is wrong with the op where it refuses it as well",
      "a version of tt-mlir that lowers it, or the op written in others",
    ],
  },
  {
    name: "verifier",
    title: "An op contradicts its own types",
    pattern: /^'(?:ttnn|ttir|ttcore|stablehlo)\.[\w.]+' op /,
    meaning: ({ words }) => [
      `tt-mlir checks ${
        /'([\w.]+)'/.exec(words)?.[1] ?? "every op"
      } against its operands, attributes and result after every pass; the pass before wrote what does not belong together`,
    ],
    advice: () => [
      "'tilewright lint FILE' checks the same in a text, op by op",
      "find the pass: --mlir-print-ir-after-all, then 'tilewright lint DUMP --module NAME' for the dump before the error",
      "an input that the frontend wrote wrong shows the same error before any pass",
    ],
  },
  {
    name: "kernel_build",
    title: "A kernel does not compile",
    pattern: /(?:trisc|brisc|ncrisc|erisc|kernel)\w* (?:build|compil\w+) fail/i,
    meaning: () => [
      "ttnn compiles the kernels of an op for its formats and blocks when it first runs; the compiler's own error stands below the message",
    ],
    advice: () => [
      "another format or program config selects other kernels: bf16 from DRAM interleaved to DRAM interleaved is the most used one",
      "where the error is about files or the toolchain, the installation is broken: empty the cache of kernels (TT_METAL_CACHE)",
    ],
  },
  {
    name: "crash",
    title: "A program crashed",
    pattern:
      /\bAssertion [\x60'"]|^[\x60'"].{1,300}[\x60'"] failed|Segmentation fault|Floating point exception|Aborted|UNREACHABLE executed|process received signal|SIG(?:SEGV|ABRT|FPE|BUS)|pure virtual/i,
    meaning: () => [
      "No check caught what went wrong (a null, a division by zero, a case that nobody wrote): the uppermost functions of the backtrace name the op or the pass",
    ],
    advice: () => [
      "'tilewright lint FILE' and 'tilewright confirm FILE' find ops that newer checks refuse",
      "reduce the program before reporting it: 'tilewright minimise FILE --keeps CONDITION'",
      "an op that crashes with shards mostly runs from DRAM interleaved to DRAM interleaved",
    ],
  },
  {
    name: "accuracy",
    title: "The numbers differ",
    pattern: /\b(?:PCC|ATOL)\b.{0,40}(?:fail|below|less than|required|comparison)/i,
    meaning: () => [
      "The program ran, and its result is too far from the reference: formats, fidelity and approximations change numbers, layouts must not",
    ],
    advice: () => [
      "'tilewright advise FILE' estimates what formats and fidelities do to the numbers: try HiFi4 with fp32 accumulation and bf16 weights first",
      "if that changes nothing, run the program without sharding (policy dram): where the numbers then agree, a layout hits a bug of an op",
    ],
  },
  {
    name: "wrapper",
    title: "tt-xla reports that something failed",
    pattern: /Bad StatusOr access|^Error code: 13\b|async operation is in flight/i,
    meaning: () => ["This line only passes an error on: what failed stands above it in the log"],
    advice: () => [
      "give the whole log, or run with TTXLA_LOGGER_LEVEL=DEBUG set, which logs the program as well",
      "'tilewright doctor FILE' without a message names what does not fit or run in the program",
    ],
  },
];
