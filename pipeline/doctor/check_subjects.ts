// SPDX-License-Identifier: Apache-2.0
import { type CheckSubject, subjectsIn } from "./check_subject.ts";
import { LIMIT_SUBJECTS } from "./limit_subjects.ts";
import { LAYOUT_SUBJECTS } from "./layout_subjects.ts";
import { HOST_SUBJECTS } from "./host_subjects.ts";
import { OUTSIDE_SUBJECTS } from "./outside_subjects.ts";
import { COPIED } from "./requirements/changes.ts";
import { adviceForRoom } from "./room_advice.ts";
import { remedy } from "./remedy.ts";
import { rowOf } from "./subject_table.ts";
import * as asks from "./remedy_kinds.ts";

/** What is left where a message neither states a relation that a call can fulfil nor is of a kind that is known. */
const REPORT =
  remedy`${asks.CALL_ALONE}${asks.NEWER}the same call alone, with the shapes, formats and layouts of the message, on a newer version; where it fails there as well, report it with these`;

/** A check whose words match no subject. */
export const OTHER_SUBJECT: CheckSubject = {
  name: "other",
  maker: "ops",
  weight: 0,
  pattern: /(?:)/,
  advice: REPORT,
};

/** Fields of a product's program config. */
const OF_CONFIG =
  /\b(?:mcast_in0|gather_in0|fuse_batch|per_core_[MN]|out_subblock_[hw]|in0_block_w|program_?config)\b/i;

/** The subject of an op's check that matches no other. */
export const ARGUMENTS: CheckSubject = {
  name: "arguments",
  maker: "ops",
  weight: 0.4,
  title: "Arguments do not fit",
  pattern:
    /(?:must|should|need|has|have|required?|cannot|can not|not|are|is) (?:to )?(?:be |both |also )?(?:provided|specified|set|given|passed|none|null|empty|populated|supplied|present|configured)|out of (?:range|bounds)|cannot (?:specify|use|set|pass|have)|(?:must|should|cannot|has to) (?:be|have|not|equal|match|exceed)|not (?:currently |yet )?(?:be )?(?:support(?:ed)?|implemented|valid|allowed|compatible)|unsupported|invalid|only (?:supports?|works?|be|one|\w+ (?:is|are) supported)|does not (?:currently |yet )?support|is required|requires|expected?s?\b|at (?:least|most) |mutually exclusive|not both|pass (?:one|either|exactly)|exactly one|number of|(?:greater|less|larger|smaller) than|[<>!]=?|need|\bmust\b|\bcannot\b|\bonly\b|exceeds?|does(?: not|n't) match|inconsistent|incompatible|doesn't support|do(?:es)?(?: not|n't) (?:have|exist|contain)|no such|missing|already|not (?:been )?(?:previously|yet)|no \w+ (?:found|available)|(?:failed|unable) to|could not|expects|overflow|diverged|not divided|\bbut\b|mismatch|\bempty\b|more than once|\boptional\b|outside (?:of )?(?:the|its) (?:range|bounds)|\bdiffers?\b|overlaps?\b|yet to be|more than one|left of|too (?:many|few|large|small)/i,
  condition:
    /has_value\(\)|empty\(\)|\w [<>]=? -?\d|\b(?:attributes|attr\w*|args|params|this)\b[.\w>-]* [=!<>]=? |== (?:true|false)|\.size\(\) [=<>!]/,
  advice: ({ words, condition }) => [
    OF_CONFIG.test(`${words} ${condition ?? ""}`)
      ? "another program config, or none at all: then the backend chooses one that fits"
      : [],
    REPORT,
  ],
};

/** Words of circular buffers that are larger than L1. */
const BEYOND = /beyond (?:the )?max L1|grow (?:to|beyond)/i;

/** Families of chips by the bytes of a core's L1. */
export const L1_OF_CHIPS: Readonly<Record<number, string>> = {
  1048576: "Grayskull",
  1499136: "Wormhole",
  1572864: "Blackhole",
};

/** The chips whose cores have as much L1 as numbers of a message, a sentence each. */
export function chipsOfL1(numbers: readonly number[]): readonly string[] {
  return numbers.flatMap((size) =>
    L1_OF_CHIPS[size] === undefined
      ? []
      : [`${size.toLocaleString("en-US")} bytes of L1 are ${L1_OF_CHIPS[size]}'s`]
  );
}

const SMALLEST_L1 = Math.min(...Object.keys(L1_OF_CHIPS).map(Number));

/** Words of a grid that reaches too far, not of too many parts. */
const OUTSIDE_OF_GRID =
  /\b(?:within|outside|inside|contain\w*|subset|out of (?:range|bounds)|not (?:in|part))\b/i;

/** Words of the memory of one core. */
const OF_L1 = /\bL1\b|\bper[- ]core\b|circular buffer/i;

/** Circular buffers that reach into a tensor. */
const CLASH = /clash|CB region.{0,60}overlap/i;

/** A condition that compares a grid with that of the device. */
const WITHIN_GRID = /grid\S* <=? \S*(?:device|compute|worker)\w*grid/;

/** The share of a core along the axis that a message names. */
function perCoreAlong(words: string): string {
  const [, axis, rows] = /\balong (?:the )?([xy])\b|\b(?:(M)|N) blocks\b/.exec(words) ?? ["", "", ""];
  return axis === ""
    ? "per_core_M and per_core_N"
    : axis === "y" || rows === "M"
    ? "per_core_M (rows, y)"
    : "per_core_N (columns, x)";
}

/** How a board leaves the whole grid to programs. */
export const DISPATCH_ELSEWHERE =
  "dispatch on Ethernet cores (DispatchCoreType.ETH, DispatchCoreConfig), where the board has them: it leaves the whole grid to programs; or fewer cores asked for";

/** Configs, cores, extents and arguments of ops; the widest last. */
const OP_SUBJECTS: readonly CheckSubject[] = [
  ...subjectsIn("ops", {
    prepared_weights: rowOf("prepared_weights"),
    blocks: rowOf("blocks"),
    capacity: {
      weight: 6,
      pattern:
        /exceeds? (?:L1|memory) capacity|no room for \w*buffers?|required L1 memory usage|grow beyond max L1 size|cannot allocate .{0,30}\bL1\b|\bL1 OOM\b|\bOOM (?:in|on) L1\b|exceeds? (?:the )?(?:available|usable) L1|not enough (?:space in )?L1|(?:not|cannot|doesn't) fit.{0,60}\b(?:L1|memory)\b|bytes of L1 per core|\bOOM on (?:the )?device\b|L1 (?:ceiling|memory|space|budget|size|span|footprint|usage)|out of (?:memory|L1|DRAM)\b|exceeds? (?:the )?(?:max\w* |available )?(?:memory|cache size)|circular buffers?.{0,90}(?:clash|beyond|grow to)|CB region.{0,60}overlap|(?:bytes|\d B\b).{0,40}(?:available|usable|free)|(?:circular buffer|CB|DFB|buffer|scratch|staging)\w*.{0,60}(?:exceeds?\b(?! device compute grid)|larger than(?! 0\b)|too (?:large|big|small))|exceeds? (?:(?:the|its|per-core|available|usable|max\w*|total) ){0,2}(?:L1|capacity)|\bfit in (?:L1|dst|DST)/i,
      condition: /(?:l1|L1)_?(?:size|bytes|budget|available|capacity|limit)|usable_l1|\bl1_\w+ [<>]|fits\(/,
      because: ({ words, numbers }) => [
        CLASH.test(words)
          ? "The circular buffers of one op reach up into a tensor that lies in L1; both addresses stand in the message, where it is whole"
          : BEYOND.test(words)
          ? "The circular buffers of one op exceed L1 by themselves: with this config it never fits, whatever else is in L1"
          : numbers.some((bytes) => bytes >= SMALLEST_L1)
          ? "What one core works on does not fit into its L1, whatever else is there"
          : OF_L1.test(words)
          ? "What one core works on finds no room in its L1"
          : "A buffer finds no room",
        ...chipsOfL1(numbers),
      ],
      advice: ({ ops, words }) => [
        CLASH.test(words)
          ? remedy`${asks.DRAM}move the tensors that lie lowest in L1 to DRAM before the op`
          : [],
        ...(ops === undefined ? [] : adviceForRoom(ops)),
        BEYOND.test(words)
          ? remedy`${asks.MORE_CORES}smaller blocks or more cores, so that each works on less; spilling other tensors does not help`
          : [
            remedy`${asks.MORE_CORES}more cores${asks.OR}, or smaller shards: each core then works on less`,
            remedy`${asks.DRAM}operands and result in DRAM: then the op streams them`,
          ],
      ],
    },
  }),
  ...LAYOUT_SUBJECTS,
  ...subjectsIn("ops", {
    architecture: rowOf("architecture"),
    divisible: rowOf("divisible"),
    cores: {
      weight: 3,
      pattern:
        /(?:num_(?:blocks|cores)\w*|number of (?:blocks|cores)|(?:output )?blocks along|grid|cores?(?!.{0,60}\d B\b)).{0,60}(?:exceed|greater than|less than or equal|smaller than or equal|<=|outside|out of bounds|larger than|must (?:be (?:fully )?)?(?:contained|lie within|fit within|within))|at least (?:one|two|\d+) (?:\w+ )?cores?\b|has no L1 bank|no (?:L1 |DRAM )?bank exists for core|not enough (?:\w+ )?cores|empty compute grid|\bcores? .{0,30}not (?:in|within|part|included|covered)|cores? (?:available|required|needed)|sub_core_grids?|(?:device|compute|worker|storage)\w* grid|(?:num|number of) (?:\w+ )?cores|\bnum_cores|\d cores\b|(?:at least|requires?|needs?) (?:\w+ ){0,4}(?:active |worker )?cores?\b|contained in (?:\w+ ){1,4}cores|(?:subset|union|part) of the cores|worker cores|core ?ranges?\b|\ba core must|placement collision/i,
      condition:
        /device_grid|compute_with_storage_grid|num_cores|(?:available|worker|all)_cores|core_grids?\b.*contains|grid\S*contains|\.contains\(.*(?:core|grid)/i,
      because: ({ words, condition }) =>
        OUTSIDE_OF_GRID.test(words) || WITHIN_GRID.test(condition ?? "")
          ? "A shard, or a part of the op, is on a core that the grid of the config or of the board does not have: grids mostly begin at core (0, 0), and boards differ (8x8 on n150, 8x7 on n300, 10x11 on p150)"
          : "The op needs cores, in a number or an arrangement, that its grid does not have; boards differ (8x8 on n150, 8x7 on n300, 10x11 on p150)",
      advice: ({ words, condition, ops }) => {
        const isOfProduct = ops === undefined || ops.some((op) => /matmul|linear/.test(op));
        const share = remedy`larger ${
          perCoreAlong(words)
        } of a matmul, so that it makes no more blocks than there are cores${asks.NO_PROGRAM_CONFIG}, or no program config at all: then the backend chooses`;
        const grid =
          "a grid that the board has (device.compute_with_storage_grid_size()), with larger shards and blocks for fewer cores; a compiled program with the system description of the board that runs it";
        return [
          OUTSIDE_OF_GRID.test(words)
            ? "shards on cores of that grid, from (0, 0) on, or a config whose grid includes those of the shards"
            : [],
          ...(isOfProduct && /\bblocks\b/.test(words) ? [share, grid] : [
            grid,
            isOfProduct && /program_config/.test(condition ?? "")
              ? remedy`${asks.NO_PROGRAM_CONFIG}or no program config at all: then the backend chooses one that fits`
              : [],
            DISPATCH_ELSEWHERE,
          ]),
        ];
      },
    },
    rank: rowOf("rank"),
    shapes: {
      weight: 1.5,
      condition:
        /shape|volume\(|\b(?:(?:height|width|head_dim|batch)\w*|[MNKHWCBSDTmnkhwcbsdt]t?|N[CHW]+) [=!<>]=? |(?:num_heads|seq_?len|hidden|channels)\w*(?:\(\))? ==|\[(?:-?\d|i|dim)\] ==|size\(-?\d\)|_(?:height|width|dim|rows|cols) ==/,
      pattern:
        /unsupported broadcast|different volumes|with volume 0|reshape|power of (?:2|two)|broadcast|padded to|dims must|(?:expects?|requires?) input tensors of shapes|different shape|(?:shape|dim\w*)s? .{0,30}(?:not correct|wrong|incorrect)|dimensions? (?:mismatch|must)|shape mismatch|divisible by|multiple of|factor of|tile[-_](?:width-|height-)?aligned|(?:width|height|last dim\w*|rank|batch(?: size)?|seq\w*|heads|volume|number of \w+) .{0,80}(?:must|equal|match)|out of range|range_check|padding is not supported|page geometry|only .{0,30}last dim|shapes? .{0,60}(?:must|be|match|mismatch|equal|same|expect|too|incorrect|got|differ)|(?:incorrect|invalid|unsupported|mismatch\w*|same|identical) (?:\w+ )?(?:shape|size|dimension|volume)s?|(?:height|width|dims?|channels|heads|batch|length|head_dim|hidden|sequence|tokens|rows|columns|entries|elements|volume)\b.{0,80}(?:must|should|expect|equal|match|mismatch|got|same|exceed|at least)|must (?:have|be) (?:the same|equal|identical)|\bpadd(?:ed|ing)\b(?![-_ ]slice)|per-device|inner dim|\b(?:[KMNCHWDST]|dim ?\d|embedding|hidden|heads?)\b[^.]{0,60}(?:must|equal|match|square)|square|_shape\b|shape\[|cannot fit|volume|\bshapes?\b|\bbatch size\b|shared dimension|\w*padded_\w+|(?:be|is) \[[^\]]*\],? (?:or|but|got)/i,
      advice: (check) => [
        /broadcast/i.test(check.words)
          ? "only extents of 1 are stretched, and not by every op: repeat the smaller operand (ttnn.repeat), or reshape it so that its rank and its other extents are those of the larger one"
          : [],
        /host tensor/i.test(check.words)
          ? COPIED
          : /match|\bsame\b|equal|differ|broadcast|==/i.test(`${check.condition ?? ""} ${check.words}`)
          ? "the two extents equal: a permute or reshape if the order is wrong, ttnn.repeat if one is 1, else the op before it that made the wrong one"
          : REPORT,
      ],
    },
    internal: rowOf("internal"),
  }),
  ARGUMENTS,
];

/** All subjects. A check gets the one with the most evidence ({@linkcode subjectOf}), of equal ones the earlier. */
export const CHECK_SUBJECTS: readonly CheckSubject[] = [
  ...LIMIT_SUBJECTS,
  ...HOST_SUBJECTS,
  ...OUTSIDE_SUBJECTS,
  ...OP_SUBJECTS,
];
