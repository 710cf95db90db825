// SPDX-License-Identifier: Apache-2.0
import { type CheckWords, COLLECTIVES, type Expertise } from "./check_subject.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** The two numbers of a check that contradict each other; `undefined` if it has not two different ones. */
function twoOf({ numbers: [a, b] }: CheckWords): readonly [number, number] | undefined {
  return a === undefined || b === undefined || a === b ? undefined : [a, b];
}

/** The least power of two that is not below `value`. */
function powerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(value));
}

/** Matches checks of an op that takes certain formats only. */
const FORMAT_ASKED = /dtype\(\) [=!]= DataType::|must be (?:bfloat16|float32)/i;

/** Advice on the formats, shapes, ranks and pages that an op takes. */
export const OPERAND_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["shapes", "verifier"],
    ops: /^conv(?!3d)/,
    says: /channels\b.*\bweight/i,
    advice: ({ words, numbers: [a = 0, b = 0] }) => {
      const isTransposed = /transpose/.test(words);
      const groups = !isTransposed && b > 0 && b < a && a % b === 0 ? a / b : undefined;
      return `the weight as the op reads it, ${
        isTransposed ? "C_in x C_out/groups x KH x KW" : "C_out x C_in/groups x KH x KW"
      }: a permute where the channels stand in the other order${
        groups === undefined ? "" : `, or groups = ${groups} where it is a grouped convolution`
      }`;
    },
  },
  {
    subjects: ["shapes"],
    says: /(?:new|old)_volume|volume\(\) ==|different volumes|arguments to reshape/i,
    because: (check) => {
      const [a, b] = twoOf(check) ?? [];
      return a === undefined || b === undefined
        ? ["A reshape keeps the number of elements, and the target has another one"]
        : [`A reshape keeps the number of elements, and ${a} is not ${b}`];
    },
    advice: ({ condition }) => [
      /padded/.test(condition ?? "")
        ? remedy`${asks.ROWS}extents in tiles count with their padding: to_layout ROW_MAJOR before it${asks.OR}, or the operand as the op makes it itself (1x1xNHWxC for a convolution)`
        : [],
      "a target whose extents multiply to as many elements as the operand has (its logical ones): results of pools and convolutions are 1x1xNHWxC with the output's height and width, which padding, stride and ceil_mode change",
      remedy`an op that was fused or moved in front of it (pad, permute, slice) changed the shape: report the op before it${asks.NEWER}; a newer tt-mlir, where the program is compiled`,
    ],
  },
  {
    ops: COLLECTIVES,
    says: /no scatter dim|divisib\w* by (?:the )?(?:ring|num|number of dev)|% (?:ring_size|num_devices)/i,
    because:
      "The op scatters its parts among the devices and gathers them: it needs one dimension whose tiles (or entries, of the outer ones) the number of devices divides",
    advice: ({ words, ops }) => {
      const devices = /(?:ring[_ ]size|devices|workers)\D{0,6}([1-9]\d*)/i.exec(words)?.[1];
      return [
        `one dimension padded so: rows or columns to a multiple of ${
          devices === undefined ? "32 times the number of devices" : 32 * Number(devices)
        } (ttnn.pad with zeros, which change no sum, and cut the result)`,
        ops?.some((op) => /reduce/.test(op)) === true
          ? remedy`or ttnn.all_gather along a new dimension and a ttnn.sum over it, which divide nothing${asks.NEWER}; or a newer ttnn`
          : remedy`or another dimension of the call${asks.NEWER}; or a newer ttnn, which pads by itself`,
      ];
    },
  },
  {
    subjects: ["shapes", "divisible"],
    ops: COLLECTIVES,
    says:
      /^(?!.*(?:[Nn]o scatter dim|divisib|% (?:ring_size|num_devices)|multiple of|TILE_|ring_size\S* %|\.size\(\)|\brank\b)).*(?:==|!=|match|equal|same)/,
    because: (check) => {
      const [a, b] = twoOf(check)?.toSorted((x, y) => y - x) ?? [];
      return a !== undefined && b !== undefined && a % b === 0
        ? [
          `${a} is ${a / b} x ${b}: one operand has the extent of one device, the other that of ${
            a / b
          } of them`,
        ]
        : ["Extents of a collective's operands differ by the number of devices along its axis"];
    },
    advice: [
      "the tensors divided so that one device's extent times the devices of that axis is the whole: the dims of the mapper (ShardTensor2dMesh), cluster_axis and dim of the call",
      "an extent that the devices do not divide evenly, in tiles of 32, is padded to a multiple before it is divided",
    ],
  },
  {
    subjects: ["divisible", "shapes", "arguments", "alignment"],
    says: /power of (?:2|two)|is_pow_?(?:of_?)?2/i,
    because: "This version asks for a power of two, not for a multiple of a tile",
    advice: ({ numbers, words }) => {
      const size = numbers.find((value) => value > 2 && powerOfTwo(value) !== value);
      return [
        size === undefined
          ? remedy`${asks.PAD}pad that extent to the next power of two (ttnn.pad), and cut the result`
          : remedy`${asks.PAD}pad it from ${size} to ${powerOfTwo(size)}${
            /bytes|row size/i.test(words)
              ? ` (bytes of a row of bf16 are channels times 2: ${size / 2} to ${
                powerOfTwo(size) / 2
              } channels)`
              : ""
          }, and cut the result`,
        remedy`${asks.NEWER}a newer ttnn, which takes other sizes`,
      ];
    },
  },
  {
    subjects: ["shapes"],
    says: /fit input/,
    because:
      "A pad, called or run by another op, would make its result smaller than the operand: a negative padding cuts, and this op only adds; or the operand has not the four dimensions that this version counts",
    advice: ({ ops }) => [
      ops?.[0] === "ttnn.pad" ? "ttnn.slice for what is cut, and a pad for what is added" : [],
      remedy`an operand of four dimensions (ttnn.unsqueeze_to_4D), the op with its dims counted anew, and a reshape back behind it${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    ops: /^(?:pad|slice)$/,
    says: /tile/i,
    because:
      "In tiles this version pads and cuts whole tiles only: begins and extents of the last two dimensions at multiples of 32",
    advice: ({ ops }) => {
      const op = ops?.[0]?.replace("ttnn.", "") ?? "the op";
      return remedy`${asks.ROWS}in rows (to_layout ROW_MAJOR, ${op}, to_layout TILE)${asks.OR}, or a larger part up to multiples of 32, and what is too much cut behind it${asks.NEWER}; a newer ttnn does so by itself`;
    },
  },
  {
    subjects: ["alignment", "divisible", "arguments", "shapes"],
    says: /valid_page_size|page size \d+ must equal buffer size|total_size_bytes % page_size/,
    because: (check) => {
      const [page, bytes] = twoOf(check) ?? [];
      return `A buffer holds whole pages (rows or tiles)${
        page === undefined || bytes === undefined || bytes % page === 0
          ? ""
          : `, and ${bytes} bytes are no whole number of ${page}`
      }: extents of the tensor are not those that its layout counts, mostly by padding`;
    },
    advice: [
      remedy`${asks.TILES}the operand in tiles (layout=TILE, to_layout), which are padded to whole ones, where it is in rows`,
      remedy`${asks.PAD}extents that are whole rows and tiles: ttnn.pad to multiples of 32 in tiles (channels to 16 or 32 in rows)${asks.OR}, or a reshape to the shape that the op reads (1x1xNHWxC of convolutions and pools)`,
      remedy`${asks.NEWER}or a newer ttnn, which pads by itself`,
    ],
  },
  {
    ops: /^to_layout$/,
    says: ({ condition = "", words }) =>
      /typecast|data ?type/i.test(words) && !FORMAT_ASKED.test(`${condition} ${words}`),
    advice:
      remedy`${asks.TILES}in steps: to_layout TILE, ttnn.typecast there, and back to ROW_MAJOR where rows are wanted${asks.OR}; or the cast on the host${asks.NEWER}; or a newer version`,
    instead: true,
  },
  {
    subjects: ["divisible", "alignment", "shapes"],
    says: /new page size|page_size == 0 \? size_/,
    because:
      "A view keeps the buffer and cuts it into pages anew: rows of the new shape (tiles, in tiles) have to divide what was allocated, padding included",
    advice: ({ ops }) => [
      ops === undefined || ops.some((op) => /reshape|view/.test(op))
        ? []
        : "where the operands have more than four dimensions: join leading ones (ttnn.reshape) before the op, or ttnn.repeat the one that is broadcast, so that it makes no view of its own",
      remedy`a reshape that copies: in tiles with both last dimensions multiples of 32${asks.ROWS}${asks.DRAM}, or in rows from DRAM interleaved (to_memory_config before it, where the operand is in shards)`,
      remedy`${asks.PAD}or pad the operand so that the new rows divide it${asks.NEWER}; or a newer ttnn, which copies by itself`,
    ],
  },
];
