// SPDX-License-Identifier: Apache-2.0
import {
  type CheckSubject,
  type CheckWords,
  opsInWords,
  subjectsIn,
  TELLING,
  TILE,
} from "./check_subject.ts";
import { remedy } from "./remedy.ts";
import { rowOf } from "./subject_table.ts";
import * as asks from "./remedy_kinds.ts";

/** What of a memory config a message prints, in words. */
const OF_CONFIG: readonly (readonly [what: string, printed: RegExp])[] = [
  ["memory layout", /memory_layout=TensorMemoryLayout::(\w+)/],
  ["memory", /buffer_type=BufferType::(\w+)/],
  ["grid", /grid=\{(.+?)\},/],
  ["shard", /shape=\{([\d, ]+)\}/],
  ["made as an ND shard spec (0 no, 1 yes)", /created_with_nd_shard_spec=(\d)/],
];

/** In what the first two memory configs of a message differ. */
function configsDiffer(words: string): readonly string[] {
  const [, first, second] = words.split("MemoryConfig(");
  if (first === undefined || second === undefined) return [];
  const differences = OF_CONFIG.flatMap(([what, printed]) => {
    const [a, b] = [printed.exec(first)?.[1] ?? "none", printed.exec(second)?.[1] ?? "none"];
    return a === b ? [] : [`${what} ${a} against ${b}`];
  });
  return differences.length === 0 ? [] : [`The two differ: ${differences.join("; ")}`];
}

// Of a range of cores, its last one.
const CORE = /(?:\(x=\d+, ?y=\d+\) ?- ?)?\((?:x=)?(\d+), ?(?:y=)?(\d+)(?:, (?:TENSIX|DRAM)|\))/;

/** The core that a message names, in words. */
function coreIn(words: string): string {
  const [, x, y] = CORE.exec(words) ?? [];
  return x === undefined ? "cores" : `core (${x}, ${y})`;
}

/** Columns and rows of cores that no board has more of. */
const MOST_CORES = 16;

function isBeyondAnyBoard(words: string): boolean {
  return (CORE.exec(words) ?? []).slice(1).some((side) => Number(side) >= MOST_CORES);
}

/** Whether the cores of a message are banks of DRAM. */
function isOfBanks(words: string, condition: string | undefined): boolean {
  return /DRAM (?:bank|core)|dram_bank|Bank ID|num_dram|dram_view|BufferType::DRAM/.test(
    `${condition ?? ""} ${words}`,
  );
}

/** What tt-mlir's optimizer says of a layout that is too large. */
const TRIED = /l1Usage: (\d+), producerL1OutputUsage: (\d+), outputTensorUsage: (\d+), cBUsagePeak: (\d+)/;

/** The grids that a message names, in words. */
function gridsIn(words: string): string {
  // A range of cores is one that ends behind its last.
  const sized = words.replace(
    /\(x=\d+, ?y=\d+\) ?- ?\(x=(\d+), ?y=(\d+)\)/g,
    (_, x, y) => `${Number(x) + 1}x${Number(y) + 1}`,
  );
  const grids = [...sized.matchAll(/[Gg]rid\b[^\d]{0,30}(\d+) ?(?:x|-|, ?y=) ?(\d+)/g)].map(([, x, y]) =>
    `${x}x${y}`
  );
  return grids.length === 0 ? "" : ` (${grids.join(" against ")})`;
}

/** Free bytes of a core's L1 below which tensors lie there. */
const ALL_FREE = 1_250_000;

/** What a message says of the slices of a convolution or pool. */
function slicesIn({ words, numbers }: CheckWords) {
  const [, tried, side = "", extent = "1"] =
    /tried up to (\d+) slices for (\w+)[- ]slicing on output dimension (\d+)/i.exec(words) ?? [];
  const [asked, most] = /number of slices/i.test(words) ? numbers : [];
  const axis = side.toLowerCase();
  const isInTiles = axis === "width" && Number(tried) < Number(extent);
  const unit = axis === ""
    ? ""
    : axis === "height"
    ? "a row"
    : isInTiles
    ? `a tile of ${TILE} columns`
    : "a column";
  const [, free = ALL_FREE] = /Available L1: (\d+)/.exec(words) ?? [];
  return { tried, axis, extent, asked, most, unit, free: Number(free) };
}

/** Words of a table of C++ without the key that was asked for. */
const IN_TABLE = /(?:_|\b)map(?:_base)?::at\b/;

/** Limits of the device and its runtime, recognized by the words of the message in any file. */
export const LIMIT_SUBJECTS: readonly CheckSubject[] = subjectsIn("ops", {
  missing_value: {
    title: "ttnn ended without a message",
    pattern:
      /wrong index for variant|bad[ _](?:optional[ _]access|variant[ _]access|any_cast|cast\b|function call)|(?:_|\b)map(?:_base)?::at\b|_range_check|basic_string::|\b(?:stoi|stoul|stof)\b(?!:)|std::(?:out_of_range|length_error|bad_(?!alloc)\w+)/i,
    because: ({ words }) =>
      `{An op} read or looked up what its operand, config or tables do not have${
        IN_TABLE.test(words)
          ? ""
          : ", mostly the shard spec of a tensor that is interleaved or has an ND shard spec"
      }`,
    advice: ({ words, ops }) =>
      IN_TABLE.test(words)
        ? [
          ops === undefined
            ? "where a mesh is opened: its shape and device ids among those that the host sees (tt-smi), and boards flashed for that topology (tt-topology)"
            : [],
          remedy`${asks.DRAM}${
            ops === undefined ? "in an op: " : ""
          }a format, an op type or a config that it knows; bf16 from DRAM interleaved to DRAM interleaved is the most used one`,
        ]
        : [
          "write the shard (shape, grid, orientation) with the memory config, 2D and not ND",
          remedy`${asks.DRAM}or let the operand and the result be interleaved`,
        ],
  },
  declared_layout: {
    title: "A result is not as declared",
    pattern:
      /(?:memory config|layout|data ?type) mismatch, expected|checkTensorRefMatchesTTNNTensor|expected\w+ == actual\w+|mismatch between computed \w+ and provided|mismatch between computed MemoryConfig|UnmatchedReference\w*/i,
    because: ({ words }) => [
      "What runs is compared with what the program declares (by tt-mlir's optimizer and its runtime, which end there; by some ops, which warn and take theirs), and differs",
      ...configsDiffer(words),
    ],
    advice: ({ words }) => [
      /data ?type/i.test(words)
        ? "an input of the program in the format that it declares (x.to(dtype) before the call); the result of an op by a typecast behind it, or declared as the op makes it"
        : "the op makes a layout of its own choice: declare that one, or convert it by an op of its own",
      remedy`'tilewright confirm FILE' lists every op whose result differs from what is declared${asks.NEWER}; a newer tt-mlir, where a pass declared it`,
    ],
  },
  model_size: rowOf("model_size"),
  slices: {
    pattern: /auto.?slice|valid slice configuration|number of slices\b.{0,40}(?:exceed|less|at most)/i,
    ops: ["ttnn.conv2d", "ttnn.conv_transpose2d", "ttnn.max_pool2d"],
    because: (check) => {
      const { tried, axis, extent, most, unit } = slicesIn(check);
      return [
        "What does not fit L1 is cut into slices through DRAM: a slice config (Conv2dSliceConfig) names the side of the result that is cut, height or width, and into how many parts (num_slices); each runs in L1 by itself, with the rows and columns that it reads",
        tried !== undefined
          ? `It tried ${
            tried === "1" ? "one slice" : `1 to ${tried} slices`
          } of the ${axis}, which is ${extent}: even the smallest, ${unit}, needs more L1 than is free`
          : most === undefined
          ? `The smallest slice is a row of the result, or ${TILE} columns (a tile; of a result in rows one), and even that needs more L1 than is free`
          : `More than ${most} there are not: the smallest slice is a row of the result, or ${TILE} columns (a tile; of a result in rows one)`,
      ];
    },
    advice: (check) => {
      const { tried, axis, extent, asked, most, unit, free } = slicesIn(check);
      const isOfPool = /pool/i.test(check.words);
      const isInTiles = unit !== "a column" && (axis !== "height" || tried === "1");
      return [
        asked === undefined
          ? []
          : `num_slices of at most ${most} instead of ${asked}, or 0: then the backend looks for the fewest that fit`,
        isInTiles
          ? `the result in rows (${
            isOfPool ? "" : "Conv2dConfig's "
          }output_layout ROW_MAJOR): its slices may be single columns${
            axis === "width" ? `, up to ${extent}` : ""
          }`
          : [],
        remedy`or the other side cut (DRAM_HEIGHT, DRAM_WIDTH), if a slice config names one${asks.NEWER}; without it newer versions try both`,
        free < ALL_FREE
          ? `free what lies in L1, or move it to DRAM: only ${free} bytes of a core are free`
          : [],
        isOfPool
          ? []
          : remedy`slices that need less${asks.ACT_BLOCK}: act_block_h_override = 32${asks.OR}, no double buffers (enable_act_double_buffer, enable_weights_double_buffer), weights in bfp_bf8, block shards for many channels`,
        isOfPool
          ? "fewer channels in a call, which no slice cuts: parts of them, joined behind"
          : "fewer channels in a call, which no slice cuts: parts of the output channels (joined), of the input channels (results added), or of both where groups = channels; such a convolution with a short kernel also as shifted slices, each multiplied by its tap and added",
      ];
    },
  },
  no_shards: rowOf("no_shards"),
  no_dimension: {
    title: "A dimension is asked for that the tensor does not have",
    pattern:
      /ShapeBase\[\] index out of range|out of bounds for the rank|invalid dim(?:ension)? index|dimension out of range|\bdim\w* -?\d+ (?:is )?(?:out of (?:range|bounds)|not (?:valid|in))/i,
    condition: /^normalized_index\b/,
    because: ({ words }) => {
      const [, last, above] = /between 0 and (\d+) however is (\d+)/.exec(words) ?? [];
      const [, asked = above, rank = last === undefined ? undefined : String(Number(last) + 1)] =
        /range\.? (-?\d+) not in \[-\d+, (\d+)\)/.exec(words) ?? [];
      return rank === undefined
        ? "The op reads an extent that a tensor of this rank does not have"
        // −1 of a rank that has none, as an unsigned number of 64 bits.
        : `The op reads dimension ${
          asked !== undefined && asked.length > 10 ? -1 : asked
        } of a tensor that has ${
          rank === "1" ? "one dimension, 0" : `${rank} dimensions, 0 to ${Number(rank) - 1}`
        }: it was written for tensors of more`;
    },
    advice: [
      "dim of the call among those that the tensor has (negative ones count from the last), or as many dimensions as it was written for: a reshape before the op (1xN, 1x1xHxW, ttnn.unsqueeze_to_4D; of several operands to one rank), and one back behind it",
      remedy`${asks.NEWER}where a compiler or its runtime wrote the call: a newer tt-mlir`,
    ],
  },
  division_by_zero: rowOf("division_by_zero"),
  trace_region: {
    pattern: /trace[ _](?:region|buffers?)(?![a-z])(?! type)/i,
    because: "A captured trace is kept in a part of DRAM that is reserved when the device is opened",
    advice: ({ numbers }) => [
      numbers.length === 0
        ? "open the device with a larger trace_region_size"
        : `open the device with a trace_region_size of ${Math.max(...numbers)} bytes and more`,
      "or run without a trace: layouts do not change what a trace needs, the number of ops does",
    ],
  },
  reserved_room: {
    title: "The device is opened with less room than that",
    pattern:
      /Worker L1 size \d+ is larger|Reserved size must be less|Memory map end address|dispatch_s buffer end/i,
    because:
      "Parts of L1 and DRAM are set aside when the device is opened (worker_l1_size, l1_small_size, trace_region_size, buffers of dispatch), and together they are more than there is",
    advice: ({ numbers: [asked, most] }) =>
      asked === undefined || most === undefined
        ? "smaller sizes when the device is opened: worker_l1_size, l1_small_size and trace_region_size as small as the program allows"
        : `${most} bytes and less where ${asked} are asked for, when the device is opened`,
  },
  kernel_size: {
    pattern: /too large for kernel config buffer|program (?:is|size).{0,20}too large/i,
    because:
      "Kernels of a program, their arguments, semaphores and circular buffer configs lie in a part of L1 that is fixed when the device is opened; layouts hardly change how long they are",
    advice: ({ numbers: [size, buffer] }) => [
      size === undefined || buffer === undefined
        ? "a smaller worker_l1_size when the device is opened: what it leaves of L1 is the room for kernels"
        : `open the device with a worker_l1_size that is ${
          size - buffer
        } bytes smaller: what it leaves of L1 is the room for kernels`,
      "profiler zones and watcher code are part of the kernels: run without them, or with fewer zones",
    ],
  },
  runtime_arguments: {
    pattern: /runtime.?arg(?:ument)?s.{0,200}(?:too large|exceed|max)/i,
    because: ({ words }) =>
      `A kernel takes at most ${
        /(?:\bmax\w*|most|limit)\b\D{0,60}?(\d{2,}|\d+ KB)/i.exec(words)?.[1] ?? 341
      } ${
        /\bbytes\b/i.test(words)
          ? "bytes of arguments (4 each)"
          : /\d KB\b/.test(words)
          ? "of arguments (4 bytes each)"
          : "arguments"
      } per core, and ops that list an address for each operand, shard or page need more with every one of them`,
    advice: (check) => [
      opsInWords(check, "").includes("reshard")
        ? []
        : "fewer operands per op: a concat of many tensors as a concat of concats",
      "fewer shards per tensor, or shards of both layouts that begin in the same places: each piece that is copied is an entry of the list",
      remedy`${asks.DRAM}interleaved operands, whose pages need no list: a reshard as a copy to interleaved and one to the new shards`,
    ],
  },
  semaphores: {
    pattern:
      /no available semaphore|out of semaphore|semaphore.{0,120}(?:in use|exceed|unable|max)|unable to (?:initialize|create) semaphore|program semaphores/i,
    because: ({ words }) =>
      `A core has ${
        /\b(?:only|max\w*|supports?|limit\w*)\b\D{0,30}(\d+)/i.exec(words)?.[1] ?? 16
      } semaphores, and programs that run at once share them: fused ops and collectives take several each`,
    advice: [
      "run what was fused as ops of their own, or collectives on fewer links; a matmul with another program config (1D multicast, or none)",
      remedy`${asks.NEWER}a newer ttnn: a core had 4 semaphores, then 8, and has 16 since 2025`,
      "layouts do not change how many an op takes: an op from DRAM to DRAM takes as many",
    ],
  },
  no_fallback: rowOf("no_fallback"),
  optimizer_room: {
    title: "The optimizer finds no room in L1",
    // Not the spill pass whose result in DRAM an op refuses: that is a rule of the op.
    pattern:
      /L1Spill\w*\b(?!: DRAM output config)|no contiguous L1 placement|evicting every spillable|spill(?!Management: DRAM output config).{0,40}(?:no-?fit|exhaust|fail|no (?:more )?victim)|memory budget.{0,40}exceed|(?:REPLAY|FRAG)[-_]NO-?FIT|L1 region \[\d+, ?\d+\] clash|not enough L1 memory.{0,20}OpModel constraints/i,
    because: ({ words }) => {
      const [, all, operand, result, buffers] = TRIED.exec(words) ?? [];
      if (all !== undefined) {
        return `A layout that the optimizer tried needs ${all} bytes per core (operand ${operand}, result ${result}, circular buffers ${buffers}), of about 1.4 MB: it goes on with others, and this line ends nothing by itself`;
      }
      const [, from, to, end] =
        /L1 region \[(\d+), ?(\d+)\] clash\w* with CB region ending at (\d+)/i.exec(words) ??
          [];
      return [
        from === undefined || end === undefined
          ? "tt-mlir's optimizer gave results places in L1 as a device would, and for one tensor no hole is left that is large enough, although it spilled all that it may: what lies there (copies that it inserted, operands of the op itself) cuts L1 into pieces"
          : `A tensor lies at ${from} to ${to}, and the circular buffers of the op reach up to ${end}: ${
            Number(end) - Number(from)
          } bytes per core too far`,
        "Sizes alone would fit: it is where tensors lie, by the order in which they are made and freed",
      ];
    },
    advice: (check) => [
      TRIED.test(check.words)
        ? remedy`an operand that is counted although it lies in DRAM${asks.NEWER}, or a grid that is smaller than the board's, is a fault of that version: a newer tt-mlir`
        : [],
      remedy`the result of that op${asks.DRAM}, or of the one before it, in DRAM: --override-output-layout for it${asks.OR}, or no copy inserted there (memreconfig-enabled=false)`,
      remedy`a lower tensor-l1-usage-cap, which keeps more of L1 free${asks.LEVEL_1}, or optimization-level=1, which shards nothing`,
      remedy`${asks.NEWER}a newer tt-mlir: its spill pass then places tensors elsewhere; 'tilewright optimize FILE' plans L1 by address, and writes layouts that fit`,
    ],
  },
  op_model: rowOf("op_model"),
  worker_grid: {
    title: "Cores are used that are not there to compute",
    pattern:
      /no core coordinate found|kernel placement|placed on (?:dispatch|storage|harvested) cores?|dispatch cores?!|targets node \(|cores (?:specified .{1,120} )?do not match sub.?device cores|cores .{1,120} specified in sub.?device|num_intersections == num_cores|Bounds-Error|has no DRAM bank|no DRAM bank exists|Invalid Bank ID|not map to any logical worker|worker grid is different|exceeds (?:the )?device compute grid|(?:core|node|coord\w*) \(?(?:x=)?\d+.{0,40}(?:out of (?:bounds|range)|not a worker|outside (?:of )?the (?:worker|compute) grid)/i,
    because: ({ words, condition }) =>
      /sub.?device|num_intersections/.test(words)
        ? "Every kernel of a program has to lie within the cores of one sub-device, and the op took cores beyond those of the sub-device that is loaded"
        : /worker grid is different/.test(words)
        ? `The chip that is compiled for has another grid than the device that is asked${gridsIn(words)}`
        : isOfBanks(words, condition)
        ? `A shard in DRAM is on ${
          coreIn(words)
        }: there the grid is of banks, one row of 12 (Wormhole), 8 (Blackhole) or 7 (a P100, or a board without one of them)`
        : isBeyondAnyBoard(words)
        ? `The op itself counted to ${
          coreIn(words)
        }, which no board has: either it takes a core for each of its parts, and there are too many, or its cores were counted in one line and not laid over rows and columns`
        : `A grid, or a shard, is on ${coreIn(words)} that this board does not have for programs${
          gridsIn(words)
        }: rows are harvested, and dispatch takes cores (8x8 of n150 are 8x7 on n300 and with dispatch on workers)`,
    advice: ({ words, condition }) => [
      /sub.?device|num_intersections/.test(words)
        ? [
          "cores of that sub-device for the op: sub_core_grids, a core_grid, shards or a program config on them, and its sub_device_id",
          "or the sub-device manager unloaded before it (clear_loaded_sub_device_manager): then the op has the whole grid",
        ]
        : /worker grid is different/.test(words)
        ? "the system description of the board that compiles: ttrt query --save-artifacts there, in place of a mock one or one of another board"
        : isOfBanks(words, condition)
        ? [
          "the grid of that shard spec from device.dram_grid_size(), and shards of the padded width over its banks, rounded up to 32",
          remedy`${asks.DRAM}or DRAM interleaved, which needs no grid`,
        ]
        : isBeyondAnyBoard(words)
        ? [
          "fewer parts at a time (chunks, heads, groups or shards of one call), so that the op has a core for each, or the call in steps",
          remedy`its operand in rows${asks.DRAM}, or interleaved in DRAM, which may take another program of the op${asks.NEWER}; or a newer ttnn`,
        ]
        : [
          remedy`compute_with_storage_grid_size, core_grid and shards within device.compute_with_storage_grid_size(), from (0, 0) on, with per_core_M, per_core_N and the shard's sides anew for fewer cores${asks.NO_PROGRAM_CONFIG}; or no program config at all`,
          "the grid of DRAM banks (device.dram_grid_size()) is none of cores in L1: 8 or 12 banks in a row may be more than a row of cores",
          "dispatch on Ethernet cores (DispatchCoreType.ETH, DispatchCoreConfig), where the board has them: it leaves the whole grid to programs",
          "a compiled program: with the system description of the board that runs it",
        ],
    ],
  },
  shared_buffer: {
    title: "A circular buffer is larger than the shard it lies on",
    pattern:
      /globally allocated buffer|dynamically allocated L1 buffer|(?:DFB|CB|circular buffer).{0,90}(?:larger than the per-bank allocation|exceeds allocated L1 buffer)/i,
    because: ({ numbers: [wanted, there] }) =>
      `The op works on its operand or result where it lies, in a circular buffer on the shard of each core, and the shard is smaller${
        wanted === undefined || there === undefined ? "" : `: ${wanted} bytes on ${there}`
      }`,
    advice: [
      "larger shards (of whole tiles, or rows as wide as the op reads them) on fewer cores, in one format for operand and result",
      remedy`${asks.DRAM}or the sharded one interleaved: then the op has buffers of its own`,
    ],
  },
  fallback: rowOf("fallback"),
}, TELLING);
