// SPDX-License-Identifier: Apache-2.0
import { type CheckSubject, opsInWords, pricing, TELLING } from "./check_subject.ts";
import { LAYOUT_SUBJECTS } from "./layout_subjects.ts";
import { HOST_SUBJECTS } from "./host_subjects.ts";
import { OUTSIDE_SUBJECTS } from "./outside_subjects.ts";
import { adviceForRoom } from "./room_advice.ts";

/** A check whose words match no subject. */
export const OTHER_SUBJECT: CheckSubject = {
  name: "other",
  pattern: /(?:)/,
  meaning: (check) => [
    `What ${
      opsInWords(check, "the backend")
    } checks here is none of the kinds that doctor knows: its words are all that is known`,
  ],
  advice: (check) => [
    "compare the call's arguments, shapes and layouts with the words of the message",
    ...pricing(check),
  ],
};

/** Limits of the device and its runtime that are told by their words wherever the check stands. */
export const LIMIT_SUBJECTS: readonly CheckSubject[] = [
  {
    name: "missing_value",
    weight: TELLING,
    title: "ttnn ended without a message",
    pattern:
      /bad[ _](?:optional[ _]access|variant[ _]access|any_cast|cast\b|function call)|(?:_|\b)map(?:_base)?::at\b|_range_check|basic_string::|\b(?:stoi|stoul|stof)\b(?!:)|std::(?:out_of_range|length_error|bad_(?!alloc)\w+)/i,
    meaning: (check) => [
      `${
        opsInWords(check, "An op")
      } read or looked up what its operand, config or tables do not have, mostly the shard spec of a tensor that is interleaved or has an ND shard spec`,
    ],
    advice: (check) => [
      "write the shard (shape, grid, orientation) with the memory config, 2D and not ND",
      "or let the operand and the result be interleaved",
      ...pricing(check),
    ],
  },
  {
    name: "declared_layout",
    weight: TELLING,
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
    name: "model_size",
    weight: TELLING,
    title: "The model does not fit the memory of the device",
    pattern:
      /too (?:large|big) (?:for|to fit|to run) .{0,20}(?:chips?|devices?|boards?|DRAM)\b|(?:does not|doesn't|cannot) fit (?:on|in|into|onto) (?:a |the |one )?(?:single )?(?:chip|device|board|DRAM)|(?:multi.?chip|more (?:chips|devices)|multi.?device) (?:is|are) (?:required|needed)|\bDRAM OOM\b|\bOOM (?:in|on) (?:the )?(?:DRAM|device|chip)|out of (?:DRAM|device) memory|ran out of DRAM/i,
    meaning: () => [
      "Weights, caches and results of the whole model need more DRAM than the chip has: 12 GiB on n150, 32 GiB on p150; where tensors lie in L1 changes nothing about that",
    ],
    advice: () => [
      "weights in bfp_bf8 or bfp_bf4, a smaller batch or context, or the model divided among more chips (tensor parallel)",
      "'tilewright simulate FILE' says what the program needs of DRAM, and when",
    ],
  },
  {
    name: "slices",
    weight: TELLING,
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
    name: "no_shards",
    weight: TELLING,
    title: "The op finds no shards for its operand",
    pattern:
      /auto.?shard|(?:could not|cannot|unable to|failed to) (?:determine|find|compute) .{0,30}shard\w* (?:scheme|spec|config)|no (?:valid )?shard\w* (?:scheme|config)/i,
    meaning: (check) => [
      `${
        opsInWords(check, "The op")
      } chooses height, block or width shards for an interleaved operand by itself, and none of them meets its rules: rows in shards of whole tiles or sticks, channels a multiple of 8 (in rows) or 32 (in tiles) that divide among the columns, all within the cores of the board`,
    ],
    advice: (check) => [
      "pad the channels to a multiple of 16 or 32 (ttnn.pad, and cut the result)",
      "shard the operand by a to_memory_config of its own before the op: then it takes these shards",
      "or a smaller operand: a part of the batch at a time, or slices through DRAM where the op has them",
      ...pricing(check),
    ],
  },
  {
    name: "division_by_zero",
    weight: TELLING,
    title: "The backend divides by zero",
    pattern: /divi(?:de|sion) by (?:0|zero)|integer divide/i,
    meaning: (check) => [
      `${
        opsInWords(check, "An op")
      } computed 0 for something that it divides by: blocks, pages or cores of a shard that is narrower or lower than a tile, or an extent of 0`,
    ],
    advice: (check) => [
      "rows instead of tiles for its operand (to_layout ROW_MAJOR), or shards of at least one whole tile (32x32)",
      ...pricing(check),
    ],
  },
  {
    name: "trace_region",
    weight: TELLING,
    pattern: /trace (?:region|buffers?)\b(?! type)/i,
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
    weight: TELLING,
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
    weight: TELLING,
    pattern: /runtime.?arg(?:ument)?s.{0,200}(?:too large|exceed|max)/i,
    meaning: ({ numbers: [, ...more], words }) => [
      `A kernel takes at most ${more.at(-1) ?? 341} ${
        /\bbytes\b/i.test(words) ? "bytes of arguments (4 each)" : "arguments"
      } per core, and ops that list an address for each operand, shard or page need more with every one of them`,
    ],
    advice: (check) => [
      ...(opsInWords(check, "").includes("reshard") ? [] : [
        "fewer operands per op: a concat of many tensors as a concat of concats",
      ]),
      "fewer shards per tensor, or shards of both layouts that begin in the same places: each piece that is copied is an entry of the list",
      "interleaved operands, whose pages need no list: a reshard as a copy to interleaved and one to the new shards",
    ],
  },
  {
    name: "semaphores",
    weight: TELLING,
    pattern:
      /no available semaphore|out of semaphore|semaphore.{0,120}(?:in use|exceed|unable|max)|unable to (?:initialize|create) semaphore|program semaphores/i,
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
    weight: TELLING,
    title: "The compiler finds no layout that the backend takes",
    pattern: /no fallback configuration worked/i,
    meaning: (check) => [
      `The compiler asked the backend about ${
        opsInWords(check, "an op")
      } in every layout that it tries, and got refusals only: it stops there`,
    ],
    advice: (check) => [
      "the refusal that it quotes is of the first try; 'tilewright lint FILE' and 'tilewright simulate FILE' name the rule that is broken",
      "the op needs another form, not another layout: other extents, formats or config, or ops in its place",
      ...pricing(check),
    ],
  },
  {
    name: "shared_buffer",
    weight: TELLING,
    pattern:
      /globally allocated buffer|(?:DFB|CB|circular buffer).{0,90}(?:larger than the per-bank allocation|exceeds allocated L1 buffer)/i,
    meaning: ({ numbers: [wanted, there] }) => [
      `A circular buffer of the op lies on a shard, which is smaller than what the op works on per core${
        wanted === undefined || there === undefined ? "" : `: ${wanted} bytes on ${there}`
      }; operand and result differ in grid, shard or format`,
    ],
    advice: (check) => [
      "the same grid and shard for operand and result",
      "or one of them interleaved: then the op has buffers of its own",
      ...pricing(check),
    ],
  },
  {
    name: "fallback",
    weight: TELLING,
    title: "The compiler took other layouts than it had decided",
    pattern:
      /operation.{0,60}validation|validation.{0,40}fallback|constraints?.{0,40}(?:fail|fallback)|fallback.{0,60}(?:fail|config|layout)|ValidationAndFallback/i,
    meaning: (check) => [
      `The compiler asked the backend about ${
        opsInWords(check, "an op")
      } as it was decided, got a refusal, and looked for layouts that are taken: the op runs, slower than was planned`,
    ],
    advice: () => [
      "'tilewright lint FILE' and 'tilewright simulate FILE' name the rule that is broken",
      "an override that keeps the op out of the refused layout saves the search for another one",
    ],
  },
];

/** What a check of an op is about if nothing else. */
export const ARGUMENTS: CheckSubject = {
  name: "arguments",
  weight: 1,
  title: "Arguments do not fit",
  pattern:
    /(?:must|should|need|has|have|required?|cannot|can not|not|are|is) (?:to )?(?:be |both |also )?(?:provided|specified|set|given|passed|none|null|empty|populated|supplied|present|configured)|out of (?:range|bounds)|cannot (?:specify|use|set|pass|have)|(?:must|should|cannot|has to) (?:be|have|not|equal|match|exceed)|not (?:currently |yet )?(?:be )?(?:support(?:ed)?|implemented|valid|allowed|compatible)|unsupported|invalid|only (?:supports?|works?|be|one|\w+ (?:is|are) supported)|does not (?:currently |yet )?support|is required|requires|expected?s?\b|at (?:least|most) |mutually exclusive|not both|pass (?:one|either|exactly)|exactly one|number of|(?:greater|less|larger|smaller) than|[<>!]=?|need|\bmust\b|\bcannot\b|\bonly\b|exceeds?|does(?: not|n't) match|inconsistent|incompatible|doesn't support|do(?:es)?(?: not|n't) (?:have|exist|contain)|no such|missing|already|not (?:been )?(?:previously|yet)|no \w+ (?:found|available)|(?:failed|unable) to|could not|expects|overflow|diverged|not divided|\bbut\b|mismatch|\bempty\b|more than once|\boptional\b|outside (?:of )?(?:the|its) (?:range|bounds)|\bdiffers?\b|overlaps?\b|yet to be|more than one|left of|too (?:many|few|large|small)/i,
  condition:
    /has_value\(\)|empty\(\)|\w [<>]=? -?\d|\b(?:attributes|attr\w*|args|params|this)\b[.\w>-]* [=!<>]=? |== (?:true|false)|\.size\(\) [=<>!]/,
  meaning: (check) => [
    `An argument, an extent or an optional tensor of ${
      opsInWords(check, "the call")
    } is missing, too much, out of its range, or excluded by another one`,
  ],
  advice: (check) => [
    "compare the call, or the op's attributes in the program, with what the message names; layouts do not matter here unless it names one",
    "what a compiler wrote is a bug of that compiler: report it with the op's line",
    ...pricing(check),
  ],
};

/** Words of a grid that reaches too far, not of too many parts. */
const OUTSIDE_OF_GRID =
  /\b(?:within|outside|inside|contain\w*|subset|out of (?:range|bounds)|not (?:in|part))\b/i;

/** Configs, cores, extents and arguments of ops; the widest last. */
export const OP_SUBJECTS: readonly CheckSubject[] = [
  {
    name: "prepared_weights",
    ops: ["ttnn.conv2d", "ttnn.conv_transpose2d"],
    pattern:
      /weight_matrix_(?:width|height)|weight_block_[hw]_ntiles|bias_ntiles|prepared? (?:weights?|bias)|weights? .{0,30}(?:prepared|preparation)/i,
    condition: /weight_matrix_(?:width|height)|weight_block_[hw]_ntiles|bias_ntiles/,
    meaning: () => [
      "Weights and bias of a convolution are prepared for one config (shards, grid, blocks of columns, slices): these are of another one, or their tiles of channels do not divide among the columns of the grid",
    ],
    advice: (check) => [
      "prepare weights and bias with the config, the shards and the slices that the convolution runs with",
      "height shards, or block shards on a grid whose columns divide the tiles of output channels",
      ...pricing(check),
    ],
  },
  {
    name: "blocks",
    pattern:
      /(?:in0_block_w|act_block_[hw]|out_subblock|out_block|per_core_[MNK]|num_output_blocks|fuse_batch|batch fusion|subblock)|M blocks|block_[hwt]+\b.{0,40}(?:must|divis|equal)|block (?:width|height) of|ntiles\b|program config/i,
    condition:
      /in0_block_w|subblock|per_core_(?:[MNK]|out)|out_block|program_config(?!\S*grid)|block_[hw]\b|act_block|block_(?:size|tiles)/,
    meaning: ({ ops }) => [
      /norm|softmax/.test(ops?.[0] ?? "")
        ? "Each core gets a block of the rows and columns of tiles, and works on it in subblocks: rows, columns, groups and blocks have to divide among the cores of the grid in whole tiles of 32"
        : "The numbers of a program config must fit each other and the shards: in0_block_w divides the tiles of K (and of a shard of A), out_subblock divides out_block and that per_core, per_core_M and per_core_N are those of sharded operands and results, and a subblock has at most 8 tiles (4 where the destination register holds f32)",
    ],
    advice: (check) => [
      ...(/norm|softmax/.test(check.ops?.[0] ?? "")
        ? [
          "a grid whose rows and columns divide the tiles of the operand (fewer cores along the side that does not come out even), or an operand padded to what divides",
        ]
        : []),
      check.ops?.includes("ttnn.conv2d") === true
        ? "a convolution derives its blocks from shards and act_block_h_override: leave both to the backend (0), or choose a shard whose tiles have divisors of at most 8 and an act_block_h_override that is a multiple of 32"
        : "no program config at all: then the backend chooses one that fits",
      "after changing a shard, decide its program config anew: 'tilewright optimize FILE' writes both",
      ...pricing(check),
    ],
  },
  {
    name: "capacity",
    pattern:
      /exceeds? L1 capacity|cannot allocate .{0,30}\bL1\b|\bL1 OOM\b|\bOOM (?:in|on) L1\b|exceeds? (?:the )?(?:available|usable) L1|not enough (?:space in )?L1|(?:not|cannot|doesn't) fit.{0,60}\b(?:L1|memory)\b|bytes of L1 per core|number of CB pages|slices > \d+ not yet supported|L1 (?:ceiling|memory|space|budget|size|span|footprint)|out of (?:memory|L1|DRAM)\b|exceeds? (?:the )?(?:max\w* |available )?(?:memory|cache size)|circular buffers?.{0,90}(?:clash|beyond|grow to)|(?:bytes|\d B\b).{0,40}(?:available|usable|free)|(?:circular buffer|CB|DFB|buffer|scratch|staging)\w*.{0,60}(?:exceeds?(?! device compute grid)|larger than(?! 0\b)|too (?:large|big|small))|exceeds? (?:(?:the|its|per-core|available|usable|max\w*|total) ){0,2}(?:L1|capacity)|\bfit in (?:L1|dst|DST)/i,
    condition:
      /(?:l1|L1)_?(?:size|bytes|budget|available|capacity|limit)|usable_l1|num_cb_pages|\bl1_\w+ [<>]|fits\(/,
    meaning: ({ words }) => [
      /clash/i.test(words)
        ? "The circular buffers of one op reach up into a tensor that lies in L1; both addresses stand in the message, where it is whole"
        : "What one core works on does not fit into its L1, whatever else is there",
    ],
    advice: ({ ops, words }) => [
      ...(/clash/i.test(words) ? ["move the tensors that lie lowest in L1 to DRAM before the op"] : []),
      ...(ops === undefined ? [] : adviceForRoom(ops)),
      "more cores, or smaller shards: each core then works on less",
      "operands and result in DRAM: then the op streams them",
    ],
  },
  ...LAYOUT_SUBJECTS,
  {
    name: "architecture",
    title: "The op is not there for this chip",
    pattern:
      /(?:only|not) (?:\w+ )?(?:supported|implemented|available|works?|valid) (?:on|for|with) \W?(?:Blackhole|Wormhole|Grayskull|Quasar|WH|BH|\w*arch)|(?:Blackhole|Wormhole(?:_B0)?|Grayskull|Quasar)[- ]?only|(?:requires?|needs|unsupported|invalid|unknown) (?:Blackhole|Wormhole|Quasar|arch\w*)|not support\w* (?:\w+ )?this (?:device )?arch|arch(?:itecture)? .{0,30}(?:not supported|unsupported)|(?:\b(?:not?|cannot|only)|un\w+ed|n't)\b.{0,50} (?:on|in|for|to|by|with) (?:the |this )?(?:Blackhole|Wormhole|Grayskull|Quasar|device arch|architecture)\b/i,
    condition: /\barch\(\)|tt::ARCH::|is_blackhole|is_wormhole/,
    meaning: (
      check,
    ) => [`${opsInWords(check, "The op")}, or this mode of it, is written for another generation of chips`],
    advice: () => [
      "the mode, format or op that both generations have (leave the option off, or write the op in others), or the other chip",
      "no layout changes that",
    ],
  },
  {
    name: "divisible",
    weight: 4.5,
    pattern:
      /divisible|divides?\b|not divided by|% \w*(?:TILE\w*|\d) [!=]= 0|multiple of|power of (?:2|two)|pow-?(?:of-?)?2|evenly|cannot be (?:split|divided)|split (?:evenly|across)|tile[-_ ](?:width-|height-)?aligned|aligned to tile|even number|factor of|whole (?:number of )?tiles|full tiles/i,
    condition:
      /% \S.* == 0|padded_shape.*\* (?:ring_size|num_devices)|logical_\w+\S* == \S*(?:padded|legacy)_\w+|(?:padded|legacy)_\w+\S* == \S*logical_\w+|is_pow|power_of|div_?up|% 2\b|(?<!&)& \(/,
    meaning: (check) => [
      `${
        opsInWords(check, "The op")
      } cuts an extent into equal parts (tiles of 32, cores, blocks, groups, heads or devices), and the parts do not come out even`,
    ],
    advice: (check) => [
      "pad that extent to the next multiple (ttnn.pad, and cut the result), or choose a number of parts that divides it",
      "extents that count are the padded ones: in tiles multiples of 32",
      ...pricing(check),
    ],
  },
  {
    name: "cores",
    weight: 3,
    pattern:
      /(?:num_(?:blocks|cores)\w*|number of (?:blocks|cores)|(?:output )?blocks along|grid|cores?).{0,60}(?:exceed|greater than|less than or equal|smaller than or equal|<=|outside|out of bounds|larger than|must (?:be (?:fully )?)?(?:contained|lie within|fit within|within))|at least (?:one|two|\d+) (?:\w+ )?cores?\b|has no L1 bank|no (?:L1 |DRAM )?bank exists for core|not enough (?:\w+ )?cores|empty compute grid|\bcores? .{0,30}not (?:in|within|part|included|covered)|cores? (?:available|required|needed)|sub_core_grids?|(?:device|compute|worker|storage)\w* grid|(?:num|number of) (?:\w+ )?cores|\bnum_cores|\d cores\b|(?:at least|requires?|needs?) (?:\w+ ){0,4}(?:active |worker )?cores?\b|contained in (?:\w+ ){1,4}cores|(?:subset|union|part) of the cores|worker cores|\ba core must|placement collision/i,
    condition:
      /device_grid|compute_with_storage_grid|num_cores|(?:available|worker|all)_cores|core_grids?\b.*contains|grid\S*contains|\.contains\(.*(?:core|grid)/i,
    meaning: ({ numbers: [wanted, there, ...more], words }) => [
      OUTSIDE_OF_GRID.test(words)
        ? "A shard, or a part of the op, is on a core that the grid of the config or of the board does not have: grids mostly begin at core (0, 0), and boards differ (8x8 on n150, 10x11 on p150)"
        : `The op is cut into more parts than there are cores${
          wanted === undefined || there === undefined || wanted <= there || more.length > 0
            ? ""
            : `: ${wanted}, of ${there}`
        }; boards differ (8x8 on n150, 10x11 on p150)`,
    ],
    advice: ({ words }) => [
      ...(OUTSIDE_OF_GRID.test(words)
        ? [
          "shards on cores of that grid, from (0, 0) on, or a config whose grid includes those of the shards",
        ]
        : []),
      "a grid that the board has: compile with the system description of the board that runs it",
      "larger per_core_M and per_core_N of a matmul, or no program config at all: then the backend chooses",
    ],
  },
  {
    name: "rank",
    weight: 2,
    pattern:
      /(?<!(?:parallel|per|mesh|host|MPI|world|local|distributed)[ -])\branks?\b|\b[1-9]-?D\b(?! (?:mesh|grid|mcast|multicast|fabric|rout|config|block|matmul|core|system|dispatch))|\b\w+[- ]dimensional|number of dim\w*|(?:have|be|has|least|most|exactly|only) [1-9](?: or [1-9])? dim\w*/i,
    condition:
      /rank(?:_of)?\b(?:\([\w.]*\))? *[=<>!]|\.dims\(\)|(?:shape|dims)\w*(?:\(\))?\.size\(\)|MAX_NUM_DIMENSIONS/,
    meaning: (check) => [
      `${
        opsInWords(check, "The op")
      } takes tensors of a certain number of dimensions only, or of the same number for all`,
    ],
    advice: (check) => [
      "a reshape before it (leading dimensions of 1 cost nothing; joined ones cost nothing where the last two stay) and one back behind it",
      ...pricing(check),
    ],
  },
  {
    name: "shapes",
    weight: 1.5,
    condition:
      /shape|volume\(|\b(?:(?:height|width|head_dim|batch)\w*|[MNKHWCBSDTmnkhwcbsdt]t?|N[CHW]+) [=!<>]=? |(?:num_heads|seq_?len|hidden|channels)\w*(?:\(\))? ==|\[(?:-?\d|i|dim)\] ==|size\(-?\d\)|_(?:height|width|dim|rows|cols) ==/,
    pattern:
      /unsupported broadcast|different volumes|with volume 0|reshape|power of (?:2|two)|broadcast|padded to|dims must|(?:expects?|requires?) input tensors of shapes|different shape|(?:shape|dim\w*)s? .{0,30}(?:not correct|wrong|incorrect)|dimensions? (?:mismatch|must)|shape mismatch|divisible by|multiple of|factor of|tile[-_](?:width-|height-)?aligned|(?:width|height|last dim\w*|rank|batch(?: size)?|seq\w*|heads|volume|number of \w+) .{0,80}(?:must|equal|match)|out of range|range_check|padding is not supported|page geometry|only .{0,30}last dim|shapes? .{0,60}(?:must|be|match|mismatch|equal|same|expect|too|incorrect|got|differ)|(?:incorrect|invalid|unsupported|mismatch\w*|same|identical) (?:\w+ )?(?:shape|size|dimension|volume)s?|(?:height|width|dims?|channels|heads|batch|length|head_dim|hidden|sequence|tokens|rows|columns|entries|elements|volume)\b.{0,80}(?:must|should|expect|equal|match|mismatch|got|same|exceed|at least)|must (?:have|be) (?:the same|equal|identical)|\bpadd(?:ed|ing)\b(?![-_ ]slice)|per-device|inner dim|\b(?:[KMNCHWDST]|dim ?\d|embedding|hidden|heads?)\b[^.]{0,60}(?:must|equal|match|square)|square|_shape\b|shape\[|cannot fit|volume|\bshapes?\b|\bbatch size\b|shared dimension|\w*padded_\w+|(?:be|is) \[[^\]]*\],? (?:or|but|got)/i,
    meaning: () => [
      "Extents of the operands do not belong together, or are none that this op or config takes; the padded ones count, in tiles multiples of 32",
    ],
    advice: (check) => [
      ...(/broadcast/i.test(check.words)
        ? [
          "only extents of 1 are stretched, and not by every op: repeat the smaller operand (ttnn.repeat), or reshape it so that its rank and its other extents are those of the larger one",
        ]
        : []),
      ...(/\b(?:gamma|beta)\b.*tile_?width/i.test(`${check.condition ?? ""} ${check.words}`)
        ? [
          "a weight or bias of W elements is W/32 x 32 in rows, or 1 x W in tiles: reshape it, or a to_layout",
        ]
        : []),
      ...(/\[-?\d\] == 1\b/.test(check.condition ?? "")
        ? [
          "an extent that has to be 1: call the op for one of them at a time (slices of the operand), or permute that dimension elsewhere",
        ]
        : []),
      "an extent that has to be another one is padded (ttnn.pad, and the result cut); one that contradicts another operand is an error of the call",
      "compare the op's types in the program with the call: 'tilewright lint FILE' checks shapes against the op",
      "where a trace or a mesh is involved, captured inputs have the shapes of one chip, not the whole tensor's",
      ...pricing(check),
    ],
  },
  {
    name: "internal",
    weight: 2,
    title: "ttnn contradicts itself",
    pattern:
      /internal error|incompatible \w+ states?|core not in|moved-from|unexpected|unreachable|unknown|not (?:been )?(?:initiali[sz]ed|finali[sz]ed|found)|\bnull\b|nullptr|duplicate|out of sync|should (?:never|not happen)|never assigned|drifted|missing from|no (?:shards|programs)|map::at|already|logic error|bug\b|sanity/i,
    condition:
      /(?<!(?:buffer(?:\(\))?|device(?:\(\))?|\bdev) [!=]= )nullptr|\binsert(?:ed)?\b|_impl\b|\bit\b|initialized/,
    meaning: (check) => [
      `An inner state of ${
        opsInWords(check, "ttnn")
      } is none that its authors expected: rarely what you passed, mostly a bug or a case that nobody wrote`,
    ],
    advice: (check) => [
      "a newer or older ttnn, or the op with other layouts, formats or shapes, which may take another path of it",
      "report it with the call, shapes and layouts; 'tilewright minimise' makes the program small",
      ...pricing(check),
    ],
  },
  ARGUMENTS,
];

/** Subjects in order of precedence. */
export const CHECK_SUBJECTS: readonly CheckSubject[] = [
  ...LIMIT_SUBJECTS,
  ...HOST_SUBJECTS,
  ...OUTSIDE_SUBJECTS,
  ...OP_SUBJECTS,
];
