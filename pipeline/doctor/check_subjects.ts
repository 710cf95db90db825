// SPDX-License-Identifier: Apache-2.0
import type { CheckSubject } from "./check_subject.ts";
import { OUTSIDE_SUBJECTS } from "./outside_subjects.ts";

const TILE = 32;

/** How to see what an op takes; nothing if the op is unknown. */
const pricing = (ops: readonly string[] | undefined): readonly string[] =>
  ops?.[0] === undefined ? [] : [
    `'tilewright price ${
      ops[0].replace("ttnn.", "")
    } SHAPE…' lists the layouts and configs that it takes, and why others are refused`,
  ];

/** A check whose words match no subject. */
export const OTHER_SUBJECT: CheckSubject = {
  name: "other",
  pattern: /(?:)/,
  meaning: ({ ops }) => [
    ops === undefined
      ? "A check of the backend that many ops share"
      : `A check of ${ops.join(" or ")}: layouts, formats or config are none that it takes`,
  ],
  advice: ({ ops }) => [
    "run the op from DRAM interleaved to DRAM interleaved, in tiles of bf16: nearly every op takes that",
    ...pricing(ops),
  ],
};

/**
 * Subjects in order of precedence: the first whose pattern matches counts. Patterns are written against the refusals
 * of `testdata/backend` and against public reports; `check_subjects_test.ts` holds samples.
 */
export const CHECK_SUBJECTS: readonly CheckSubject[] = [
  ...OUTSIDE_SUBJECTS,
  {
    name: "missing_value",
    title: "ttnn ended without a message",
    pattern: /bad optional access/i,
    meaning: ({ ops }) => [
      `${
        ops?.[0] ?? "An op"
      } read what its operand or config does not have, mostly the shard spec of a tensor that is interleaved or has an ND shard spec`,
    ],
    advice: ({ ops }) => [
      "write the shard (shape, grid, orientation) with the memory config, 2D and not ND",
      "or let the operand and the result be interleaved",
      ...pricing(ops),
    ],
  },
  {
    name: "declared_layout",
    title: "A result is not as declared",
    pattern:
      /(?:memory config|layout|data ?type) mismatch, expected|checkTensorRefMatchesTTNNTensor|expected\w+ == actual\w+|mismatch between computed \w+ and provided|mismatch between computed MemoryConfig/i,
    meaning: () => [
      "What an op makes is compared with the layout that the program declares (by tt-mlir's runtime, which ends there; by some ops, which warn and take theirs): the op made another one",
    ],
    advice: () => [
      "'tilewright confirm FILE' lists every op whose result differs from what is declared",
      "the op before it makes a layout of its own choice: declare that one, or convert it by an op of its own",
      "compile again with the system description of this board: harvested boards have smaller grids",
    ],
  },
  {
    name: "shard_spec",
    pattern:
      /must have shard spec|requires either nd_shard_spec or shard_spec|without a shard_spec|shard_spec.{0,30}(?:must be|not) (?:provided|set|specified)/i,
    meaning: () => ["A sharded memory config names its grid and its shard; here only the kind is given"],
    advice: () => [
      "write the shard with the memory config; 'tilewright layout' prints the shards that a tensor can have",
      "or shard by an op of its own (to_memory_config) behind an interleaved result",
    ],
  },
  {
    name: "shard_tiles",
    pattern:
      /shard shape \(?\[?\d+, \d+\)?\]? must be tile|shard.{0,40}(?:must be|not) (?:tile.?aligned|a multiple of (?:the )?tile)/i,
    meaning: () => ["A tensor in tiles is cut at the edges of tiles only, also its last shard"],
    advice: ({ numbers: [height, width] }) => [
      height === undefined || width === undefined
        ? "make both sides of the shard multiples of 32"
        : `shards of ${roundUp(height)}x${
          roundUp(width)
        } instead of ${height}x${width}: the last core gets less`,
      "or keep the tensor in rows, where the op takes them",
    ],
  },
  {
    name: "shard_extent",
    pattern:
      /shard (?:width|height|(?:spec )?shape\[\d\]) \(?\d*\)?.{0,44}(?:must|to) (?:match|equal)|shard width \(\d+\) equal to|divisible by shard height|% \S*shard_spec\(\)\S*shape\[\d\] == 0/i,
    meaning: () => [
      "Height shards are as wide as the padded tensor and width shards as high; only block shards cut both",
    ],
    advice: ({ numbers: [is, wanted] }) => [
      is === undefined || wanted === undefined
        ? "give the shard that side of the padded tensor"
        : `a shard of ${wanted} where it is ${is}, or block shards`,
      "'tilewright layout' prints the shards that a tensor can have",
    ],
  },
  {
    name: "shard_count",
    pattern:
      /number of shards.{0,80}(?:must not exceed|less than or equal)|shards.{0,40}(?:exceed|more than).{0,30}(?:cores|banks)|shard grid must (?:be one full rect|have)/i,
    meaning: () => [
      "Every shard needs a core (in DRAM, a bank) of its own, and block shards a whole rectangle of them",
    ],
    advice: ({ numbers: [shards, places] }) => [
      shards === undefined || places === undefined
        ? "larger shards"
        : `larger shards: ${shards} of them have to become ${places} or fewer`,
      "for block shards, count rows and columns of the grid apart, and mind the orientation",
      "harvested boards have fewer cores: compile with the system description of the board that runs it",
    ],
  },
  {
    name: "slices",
    pattern: /auto.?slice|valid slice configuration/i,
    meaning: ({ words }) => [
      "The backend cuts what does not fit into slices through DRAM, and no number of slices makes one fit",
      ...[...words.matchAll(/tried up to (\d+)/gi)].map(([, most]) => `It tried up to ${most} of them`),
    ],
    advice: () => [
      "slices along the other dimension (conv2d_slice_config), or a smaller act_block_h_override",
      "one slice is a row or a column of the image: where that is too large, fewer channels per op (split them, add the results) help, more cores and spilling do not",
    ],
  },
  {
    name: "trace_region",
    pattern: /trace (?:region|buffer)/i,
    meaning: () => ["A captured trace is kept in a part of DRAM that is reserved when the device is opened"],
    advice: ({ numbers }) => [
      numbers.length === 0
        ? "open the device with a larger trace_region_size"
        : `open the device with a trace_region_size of ${Math.max(...numbers)} bytes and more`,
      "or run without a trace: layouts do not change what a trace needs, the number of ops does",
    ],
  },
  {
    name: "kernel_size",
    pattern: /too large for kernel config buffer|program (?:is|size).{0,20}too large/i,
    meaning: () => [
      "Kernels of a program, their arguments, semaphores and circular buffer configs lie in a part of L1 that is fixed when the device is opened; layouts hardly change how long they are",
    ],
    advice: ({ numbers: [size, buffer] }) => [
      size === undefined || buffer === undefined
        ? "a smaller worker_l1_size when the device is opened: what it leaves of L1 is the room for kernels"
        : `open the device with a worker_l1_size that is ${
          size - buffer
        } bytes smaller: what it leaves of L1 is the room for kernels`,
      "profiler zones and watcher code are part of the kernels: run without them, or with fewer zones",
    ],
  },
  {
    name: "runtime_arguments",
    pattern: /runtime.?arg(?:ument)?s.{0,80}(?:too large|exceed|max)/i,
    meaning: ({ numbers: [, ...more] }) => [
      `A kernel takes at most ${
        more.at(-1) ?? 341
      } arguments per core, and ops that list an address for each operand, shard or page need more with every one of them`,
    ],
    advice: ({ numbers: [first] }) => [
      `fewer operands per op${
        first === undefined ? "" : ` than need ${first} arguments`
      }: a concat of many tensors as a concat of concats`,
      "fewer shards per tensor: a smaller grid, or interleaved operands, whose pages need no list",
    ],
  },
  {
    name: "semaphores",
    pattern: /semaphore.{0,120}(?:in use|exceed|unable|max)|unable to (?:initialize|create) semaphore/i,
    meaning: () => [
      "A core has 16 semaphores, and programs that run at once share them: fused ops and collectives take several each",
    ],
    advice: () => [
      "run what was fused as ops of their own, or collectives on fewer links",
      "layouts do not change how many an op takes: an op from DRAM to DRAM takes as many",
    ],
  },
  {
    name: "no_fallback",
    title: "The compiler finds no layout that the backend takes",
    pattern: /no fallback configuration worked/i,
    meaning: ({ ops }) => [
      `The compiler asked the backend about ${
        ops?.[0] ?? "an op"
      } in every layout that it tries, and got refusals only: it stops there`,
    ],
    advice: ({ ops }) => [
      "the refusal that it quotes is of the first try; 'tilewright lint FILE' and 'tilewright simulate FILE' name the rule that is broken",
      "the op needs another form, not another layout: other extents, formats or config, or ops in its place",
      ...pricing(ops),
    ],
  },
  {
    name: "prepared_weights",
    pattern: /weight_matrix_(?:width|height)_ntiles|weight_block_[hw]_ntiles|bias_ntiles/i,
    meaning: () => [
      "Weights and bias of a convolution are prepared for one config (shards, grid, blocks of columns, slices): these are of another one, or their tiles of channels do not divide among the columns of the grid",
    ],
    advice: ({ ops }) => [
      "prepare weights and bias with the config, the shards and the slices that the convolution runs with",
      "height shards, or block shards on a grid whose columns divide the tiles of output channels",
      ...pricing(ops),
    ],
  },
  {
    name: "shared_buffer",
    pattern:
      /globally allocated buffer|(?:DFB|CB|circular buffer).{0,90}(?:larger than the per-bank allocation|exceeds allocated L1 buffer)/i,
    meaning: ({ numbers: [wanted, there] }) => [
      `A circular buffer of the op lies on a shard, which is smaller than what the op works on per core${
        wanted === undefined || there === undefined ? "" : `: ${wanted} bytes on ${there}`
      }; operand and result differ in grid, shard or format`,
    ],
    advice: ({ ops }) => [
      "the same grid and shard for operand and result",
      "or one of them interleaved: then the op has buffers of its own",
      ...pricing(ops),
    ],
  },
  {
    name: "fallback",
    title: "The compiler took other layouts than it had decided",
    pattern:
      /(?:validation|constraints?).{0,40}(?:fail|fallback)|fallback.{0,60}(?:fail|config|layout)|ValidationAndFallback/i,
    meaning: ({ ops }) => [
      `The compiler asked the backend about ${
        ops?.[0] ?? "an op"
      } as it was decided, got a refusal, and looked for layouts that are taken: the op runs, slower than was planned`,
    ],
    advice: () => [
      "'tilewright lint FILE' and 'tilewright simulate FILE' name the rule that is broken",
      "an override that keeps the op out of the refused layout saves the search for another one",
    ],
  },
  {
    name: "blocks",
    pattern:
      /(?:in0_block_w|out_subblock|out_block|per_core_[MNK]|num_output_blocks|fuse_batch|batch fusion|subblock)|M blocks/i,
    meaning: () => [
      "The numbers of a program config must fit each other and the shards: in0_block_w divides the tiles of K (and of a shard of A), out_subblock divides out_block and that per_core, per_core_M and per_core_N are those of sharded operands and results, and a subblock has at most 8 tiles (4 where the destination register holds f32)",
    ],
    advice: ({ ops }) => [
      "no program config at all: then the backend chooses one that fits",
      "after changing a shard, decide its program config anew: 'tilewright optimize FILE' writes both",
      ...pricing(ops),
    ],
  },
  {
    name: "cores",
    pattern:
      /(?:num_(?:blocks|cores)\w*|number of (?:blocks|cores)|(?:output )?blocks along|grid|cores?).{0,60}(?:exceed|greater than|less than or equal|smaller than or equal|<=|outside|out of bounds|larger than|must (?:be (?:fully )?)?(?:contained|lie within|fit within|within))|has no L1 bank/i,
    meaning: ({ numbers: [wanted, there, ...more] }) => [
      `The op is cut into more parts than there are cores${
        wanted === undefined || there === undefined || wanted <= there || more.length > 0
          ? ""
          : `: ${wanted}, of ${there}`
      }; boards differ (8x8 on n150, 10x11 on p150)`,
    ],
    advice: () => [
      "a grid that the board has: compile with the system description of the board that runs it",
      "larger per_core_M and per_core_N of a matmul, or no program config at all: then the backend chooses",
    ],
  },
  {
    name: "capacity",
    pattern:
      /exceeds? L1 capacity|exceeds? (?:the )?(?:available|usable) L1|not enough (?:space in )?L1|(?:not|cannot|doesn't) fit.{0,60}\bL1\b|bytes of L1 per core|number of CB pages|slices > \d+ not yet supported/i,
    meaning: () => ["What one core works on does not fit into its L1, whatever else is there"],
    advice: () => [
      "more cores, or smaller shards: each core then works on less",
      "operands and result in DRAM: then the op streams them",
    ],
  },
  {
    name: "alignment",
    pattern:
      /(?:must be|not|requires?|be)[^.]{0,40}(?<!tile[-_ ](?:(?:width|height)[-_ ])?)align(?:ed|ment)|page size.{0,60}multiple of|page_size %|page size.{0,60}must\b/i,
    meaning: () => [
      "Rows are pages, and a page starts at multiples of 16 bytes in L1 and of 32 (Wormhole) or 64 (Blackhole) in DRAM: 8 elements of bf16 are the narrowest row of a shard",
    ],
    advice: () => [
      "wider rows: shards whose width is a multiple of 8 elements of bf16 (4 of f32), or height shards, which keep rows whole",
      "or run the op in tiles, whose pages are always aligned",
    ],
  },
  {
    name: "data_type",
    pattern:
      /dtypes?\b|unsupported data ?type|data ?types?\b.{0,80}(?:support|must|same|expect)|(?:must be|only|expects?|support(?:ed|s)?).{0,50}\b(?:b?float(?:16|32)|bfloat\d|u?int\d+|bfp\d)|(?:b?float(?:16|32)|bfloat\d\w*|u?int\d+).{0,60}(?:not supported|unsupported)/i,
    meaning: ({ ops }) => [
      `Formats of the operands or of the result are none that ${
        ops?.[0] ?? "the op"
      } takes together; block formats (bfp8, bfp4) lie in tiles only`,
    ],
    advice: ({ ops }) => [
      "a typecast before the op: nearly every op takes bf16 for all operands",
      "where a weight is bfp8 or bfp4, keep that format for operands of products, and bf16 for the others",
      ...pricing(ops),
    ],
  },
  {
    name: "page_layout",
    pattern:
      /(?:must|only|support(?:ed|s)?|expect(?:ed|s)?|requires?|be in).{0,50}(?:\bTILE[_ ]LAYOUT|\bTILE\b|Layout::(?:TILE|ROW_MAJOR)|\btili[sz]ed\b|\btiled\b|ROW[ _-]MAJOR(?! orientation))|layout\(\) [!=]= Layout::|in TILE_LAYOUT to|convert .{0,30}to ROW_MAJOR|have (?:the )?same layout/,
    meaning: () => ["The op takes tiles where it got rows, or rows where it got tiles"],
    advice: ({ ops }) => [
      "a to_layout before the op; 'tilewright optimize' prices where it is cheapest",
      "parameters are best converted once, in a const-eval function or before the program runs",
      ...pricing(ops),
    ],
  },
  {
    name: "memory_layout",
    pattern:
      /(?:height|width|block)[ _-]?sharded|\bsharded\b|interleaved|memory (?:layouts?|configs?)|buffer type (?:must|DRAM|L1)|must be in (?:DRAM|L1)|need to be (?:DRAM|L1)|(?:same|matching) (?:shard (?:spec|grid)s?|grid|memory)|on.?device|allocated in (?:buffers|a device)/i,
    meaning: ({ words, ops }) => {
      const [wanted, got] = layoutsIn(words);
      return [
        `${ops?.[0] ?? "The op"} takes its operands and makes its result in certain memory layouts only${
          wanted === undefined || got === undefined ? "" : `: ${wanted}, and not ${got}`
        }`,
      ];
    },
    advice: ({ words, ops }) => [
      ...(/(?:must|to|should|needs?) (?:to )?be (?:\w+[ _-])?sharded/i.test(words)
        ? [
          "a to_memory_config into shards before the op, or shards as the result of the op before it",
          "'tilewright layout' prints the shards that a tensor can have",
        ]
        : [
          "a to_memory_config before the op into what it takes, or no sharding of the op before it",
          "DRAM interleaved for all operands and the result: nearly every op takes that",
        ]),
      ...pricing(ops),
    ],
  },
  {
    name: "shapes",
    pattern:
      /different volumes|with volume 0|reshape|power of (?:2|two)|broadcast|padded to|dims must|(?:expects?|requires?) input tensors of shapes|different shape|dimensions? (?:mismatch|must)|shape mismatch|divisible by|multiple of|factor of|tile[-_](?:width-|height-)?aligned|(?:width|height|last dim\w*|rank|batch(?: size)?|seq\w*|heads|volume|number of \w+) .{0,80}(?:must|equal|match)|out of range|range_check|padding is not supported|page geometry|only .{0,30}last dim|shape must (?:be|match)/i,
    meaning: () => [
      "Extents of the operands do not belong together, or are none that this op or config takes; the padded ones count, in tiles multiples of 32",
    ],
    advice: ({ ops }) => [
      "compare the op's types in the program with the call: 'tilewright lint FILE' checks shapes against the op",
      "where a trace or a mesh is involved, captured inputs have the shapes of one chip, not the whole tensor's",
      ...pricing(ops),
    ],
  },
];

/** Two memory layouts that a message names: what it wants, then what it got. */
function layoutsIn(words: string): readonly (string | undefined)[] {
  if (!/\bmust be\b|\bonly\b|\bexpect/i.test(words) || !/\bgot\b|\bis\b/i.test(words)) return [];
  return [...words.matchAll(/(HEIGHT|WIDTH|BLOCK)_SHARDED|\b(INTERLEAVED)\b|BufferType::(DRAM|L1)/gi)]
    .map(([whole, kind, interleaved, buffer]) =>
      kind !== undefined
        ? `${kind.toLowerCase()} sharded`
        : interleaved?.toLowerCase() ?? buffer?.toUpperCase() ?? whole
    );
}

function roundUp(extent: number): number {
  return Math.ceil(extent / TILE) * TILE;
}
