// SPDX-License-Identifier: Apache-2.0
import { roundUp } from "../../lib/layout/make_layout.ts";
import { type CheckSubject, subjectsIn, TILE } from "./check_subject.ts";
import { rowOf } from "./subject_table.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

const SHARD_TOOL = "'tilewright layout' prints the shards that a tensor can have";

/** Boards by their banks of DRAM, which shards there count in place of cores. */
const BANKS: Readonly<Record<number, string>> = {
  12: " (Wormhole)",
  8: " (Blackhole)",
  7: " (a P100 without one of them)",
};

/** Subjects about layouts of tensors: pages, formats, memory, shards. */
export const LAYOUT_SUBJECTS: readonly CheckSubject[] = subjectsIn("ops", {
  shard_tiles: {
    pattern:
      /shard shape .{0,40}must be tile|shard shape\b.{0,60}\balignment\D*32, 32\b|shard.{0,60}(?:must be|not|be|fit neatly|a?) ?(?:tile[- ]?(?:\w+ )?aligned|(?:an? )?(?:\w+ )?multiple of (?:the )?(?:\w+_)?tile|into tiles|divisible by (?:the )?tile)/i,
    condition:
      /shard\w*(?:\(\)|\.value\(\)|->)?[.\w()]*(?:shape|height|width)\S* % \S*(?:TILE|tile|align)\w*|tile\w*_shard/,
    because: "A tensor in tiles is cut at the edges of tiles only, also its last shard",
    advice: ({ words }) => {
      const [height = 0, width = 0] = (/(\d+)(?:, ?|x)(\d+)/.exec(words) ?? []).slice(1).map(Number);
      return [
        height % TILE + width % TILE === 0
          ? "make both sides of the shard multiples of the tile (32)"
          : `shards of ${roundUp(height, TILE)}x${
            roundUp(width, TILE)
          } instead of ${height}x${width}: the last core gets less`,
        remedy`${asks.ROWS}or keep the tensor in rows, where the op takes them`,
      ];
    },
  },
  alignment: rowOf("alignment"),
  shard_spec: rowOf("shard_spec"),
  shard_count: {
    pattern:
      /number of shards.{0,80}(?:must not exceed|less than or equal|match number of cores)|shards along (?:width|height|x|y)\b|shards.{0,40}(?:exceed|more than).{0,30}(?:cores|banks)|shard grid must have|n(?:um)?_?cores\w*.{0,20} (?:!=|==) .{0,40}cores|number of cores.{0,30}not equal/i,
    condition: /num_shards\w* [<=]= \S*(?:grid|cores|banks)|cores\w* == .*num_?cores/,
    because:
      "Every shard needs a core (in DRAM, a bank) of its own, and block shards a whole rectangle of them",
    advice: ({ words }) => {
      const [shards, places] = [...words.matchAll(/(?<![\w.])[1-9]\d*/g)].map(([digits]) => Number(digits));
      if (shards === undefined || places === undefined) return "larger shards";
      const [, side] = /\bof (column|row)s\b/.exec(words) ?? [];
      return [
        /!=|not equal|match number of cores/.test(words)
          ? `a grid with as many cores as there are shards (${shards} against ${places}): shards are the padded rows (or columns) over the side of a shard, rounded up; or larger or smaller shards, so that they are as many as the cores`
          : `larger shards: ${shards} of them have to become ${places} or fewer`,
        side === undefined
          ? []
          : `or a grid with more ${side}s; one ${side} of cores is for ${
            side === "row" ? "width" : "height"
          } shards, which are whole ${side === "row" ? "columns" : "rows"} of the tensor`,
        /along width/.test(words) && BANKS[places] !== undefined
          ? `if they lie in DRAM, ${places} is its banks${
            BANKS[places]
          }: shards of the padded width over device.dram_grid_size().x, rounded up to ${TILE}`
          : [],
      ];
    },
  },
  shard_grid: rowOf("shard_grid"),
  shard_extent: {
    pattern:
      /physical size .{0,40}multiple of page size|shard (?:width|height|(?:spec )?shape(?:\[\d\])?) \(?\d*\)?.{0,44}(?:must|to) (?:match|equal)|shard (?:width|height|shape|size)s? .{0,60}(?:equal|match|same|divisible|large enough|must be|should be|not supported)|shard width \(\d+\) equal to|must be (?:the )?shard shape|\bshards? .{0,40}(?:cannot hold|too few)|divisible by shard (?:height|width)|(?:uneven|multiple of).{0,20} shard|same shard (?:shape|width|height)|shard_spec\[\d\].{0,30}(?:same|equal|match)/i,
    condition:
      /(?:width|height)_remainder == 0|shard(?:_spec\S*)?(?:\.|->)shape\b|shard_(?:shape|width|height|[wh]\b)|nd_shard/,
    because:
      "Height shards are as wide as the padded tensor and width shards as high; only block shards cut both. Ops add rules of their own, such as shards that divide the tensor, or equal shards of two operands",
    advice: ({ words, ops }) => [
      /page size/i.test(words)
        ? remedy`shards whose sides divide the tensor${
          pagesThatFit(words)
        }${asks.PAD}, or pad the tensor (ttnn.pad) to whole shards: a row of a shard is a page`
        : `where it is the op's result: another layout for it (interleaved or block shards)${
          ops?.some((op) => /matmul|linear/.test(op)) === false
            ? ""
            : `, or a program config of a product whose ${
              /for width/i.test(words) ? "per_core_M is the whole height" : "per_core_N is the whole width"
            }`
        }`,
      remedy`${SHARD_TOOL}${asks.DRAM}; an interleaved tensor has no shard that could be wrong`,
    ],
  },
  storage: rowOf("storage"),
  data_type: rowOf("data_type"),
  tile_shape: rowOf("tile_shape"),
  page_layout: rowOf("page_layout"),
  memory_layout: {
    weight: 3,
    pattern:
      /(?:height|width|block)[ _-]?shard(?:ed|ing)|\bshard(?:ed|ing)\b|\bND-?shard|(?<!_layout: TensorMemoryLayout::)interleaved|memory (?:layouts?|configs?)|mem(?:ory)?_config|buffer.?types? .{0,30}(?:must|should|match|not |unsupported|invalid|expect|need|requires?)|(?:unsupported|invalid|same|matching) buffer.?type|must be (?:allocated )?(?:in|on) (?:DRAM|L1)|need to be (?:DRAM|L1)|(?:same|matching) (?:shard spec|memory)|output mem config|(?:in|from) (?:DRAM|L1) (?:memory|only)/i,
    condition:
      /^(?!.*contains\().*(?:memory_layout\(?\)?|TensorMemoryLayout::|is_sharded|buffer_type\(?\)?|BufferType::|mem(?:ory)?_config|is_dram|is_l1|interleaved)/i,
    because: ({ words }) =>
      ONLY_SHARDS.test(words)
        ? []
        : "{The op} takes its operands and makes its result in certain memory layouts only, and some have to agree",
    advice: ({ words, condition }) => [
      ONLY_SHARDS.test(words)
        ? remedy`a to_memory_config of the sharded operand into ${
          ONLY_SHARDS.exec(words)?.[1]?.toLowerCase() ?? ""
        } shards before the op${asks.DRAM}${
          FOR_SHARDED.test(words) ? ", or into interleaved, of which it asks nothing here" : ""
        }`
        : "a to_memory_config before the op into what the message asks for, or another layout of the op before it",
      /(?:must|should|only|need\w*|requires?|expect\w*)\b.{0,60}\bshard|^(?!!).*is_sharded\(\)$/i.test(
          `${words} ${condition ?? ""}`,
        )
        ? []
        : remedy`${asks.DRAM}or DRAM interleaved for all operands and the result, which nearly every op takes`,
    ],
  },
});

/** The only shards that a message allows, and that it says so of operands that are sharded. */
const [ONLY_SHARDS, FOR_SHARDED] = [
  /\bonly (height|width|block)[ _-]?shard/i,
  /\b(?:for|if|when) (?:\w+ )?sharded\b/i,
] as const;

/** Widths of shards of 8 elements and more that divide a row of which a message says that its pages do not. */
function pagesThatFit(words: string): string {
  const [width = 0, page = 0] = [...words.matchAll(/\(\d+, (\d+)\)/g)].map(([, side]) => Number(side));
  const fitting = Array.from({ length: page }, (_, index) => page - index).filter((side) =>
    side % 8 === 0 && width % side === 0
  ).slice(0, 2);
  return fitting.length === 0 ? "" : ` (${fitting.join(" or ")} where it is ${page}, of rows of ${width})`;
}
