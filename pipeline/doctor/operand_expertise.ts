// SPDX-License-Identifier: Apache-2.0
import { type CheckWords, COLLECTIVES, type Expertise } from "./check_subject.ts";
import { DECLARED_RESULT } from "./requirements/changes.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** The two numbers of a check that contradict each other; `undefined` if it has not two different ones. */
export function twoOf({ numbers: [a, b] }: CheckWords): readonly [number, number] | undefined {
  return a === undefined || b === undefined || a === b ? undefined : [a, b];
}

/** The least power of two that is not below `value`. */
function powerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(value));
}

/** Advice on the formats, shapes and ranks that an op takes. */
export const OPERAND_EXPERTISE: readonly Expertise[] = [
  {
    subjects: ["verifier"],
    says: /\b(?:repeated using \S+ must match|does not broadcast to) (?:the )?output/i,
    advice: DECLARED_RESULT,
  },
  {
    says: /\bheads\b.*\b(?:up to|at most) \d+|\bheads? ?<= ?\d/i,
    advice:
      remedy`fewer heads in a call: parts of the heads (ttnn.slice, each with its keys and values), one call each and a ttnn.concat; or the heads divided among devices${asks.NEWER}; or a newer ttnn, which takes more than a tile of them`,
    instead: true,
  },
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
    subjects: ["data_type"],
    ops: /^(?:from_torch|as_tensor)$/,
    says: /torch\.\w+|\b(?:u?int|float)64\b/i,
    because: "The device has no types of 64 bits, and no bool or half floats of torch",
    advice:
      "the cast in torch before the call: x.to(torch.int32) of i64 (and dtype = ttnn.uint32 or ttnn.int32), x.float() or x.bfloat16() of f64 and f16, x.to(torch.uint8) or bfloat16 of bool",
  },
  {
    subjects: ["data_type", "page_layout"],
    says: /dtype cannot be/i,
    advice: "the call without dtype, and a typecast of its own in tiles before or behind it",
    instead: true,
  },
  {
    subjects: ["data_type"],
    ops: /^(?:argmax|sort|topk|max|gather)$/,
    says: /bfloat16|bf16/i,
    advice:
      "as bf16 whole numbers above 256 are no longer exact: where these count, f32 if this version takes it, or the host",
  },
  {
    says: /size mismatch in memcpy|^\s*output tensor size mismatch/i,
    because:
      "The host's tensor for a result has the size that the program declares, and the op made another: the declared type is not what the op returns (keep_dim, a dimension that is kept or dropped, padding that is counted)",
    advice:
      remedy`the result's declared type as the op makes it: 'tilewright lint FILE' compares them; a frontend or pass that writes another is to be mended${asks.NEWER}, or a newer tt-mlir, whose verifier refuses it`,
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
      "an op that was fused or moved in front of it (pad, permute, slice) changed the shape: report the op before it",
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
    ops: /^(?:matmul|linear)$/,
    says: /\bbias\w*\[-2\]|\bbias\b.{0,60}\b(?:tile height|second last|(?:one|single) row)/i,
    because:
      "A bias that is fused into the product is one row (1xN, a single row of tiles), which is added to every row of the result: here it has more",
    advice: [
      "the product without bias, and a ttnn.add of it behind: what differs from row to row is no bias",
      "or one row of it (ttnn.slice), where all rows are the same",
    ],
  },
  {
    ops: /^(?:matmul|linear)$/,
    says: /front dim|in1 rank|rank .{0,30}in1/i,
    because:
      "B has more dimensions than A, or a batch of its own that A has not: this version repeats B only",
    advice: [
      "A with the batch of B: a reshape (unsqueeze) to its rank, and ttnn.repeat along those dimensions",
      remedy`or the operands swapped, as A may have what B may not: (B^T A^T)^T, with transpose_a, transpose_b and a transpose of the result${asks.NEWER}; or a newer ttnn`,
    ],
  },
  {
    subjects: ["shapes", "divisible", "page_layout", "rank"],
    ops: /^group_norm$/,
    says: /gamma|beta|weight|bias|mask/i,
    advice:
      "ttnn.create_group_norm_weight_bias_rm and create_group_norm_input_mask make weight, bias and mask as the op reads them: rows of 32 channels, per column of cores",
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
    says: /packed as uint32_t|even width|(?:width|\[-1\]|\bW)\S* % 2 == 0|% sizeof\(u?int32_t\)/,
    because: "Rows are copied in words of 4 bytes: a row of bf16 needs an even number of elements",
    advice:
      remedy`keep it in tiles${asks.PAD}, or pad the width to an even number (ttnn.pad: 3 channels to 4, and cut the result)${asks.OR}, or f32, or the host${asks.NEWER}, or a newer ttnn`,
  },
  {
    says: /single buffer from host storage|buffers\.size\(\) == 1/,
    because: "A host tensor has one part for each device of the mesh, and the call reads one buffer",
    advice: [
      "one of its parts (ttnn.get_device_tensors, or ttnn.to_torch with a mesh_composer) where all are alike, or numbers that the call takes as a list of Python",
      "a tensor of indices or bounds made for one device, not with a mapper; or kept on the device where the op reads it there",
    ],
  },
  {
    says: /\b(?:Borrowed|Owned|Multi\w+Host) ?[Ss]torage\b/,
    because:
      "A host tensor keeps its elements as its maker left them: borrowed from torch or numpy (ttnn.from_torch), owned (by ttnn's own ops on the host) or in one part for each device; this call of this version reads one kind",
    advice: ({ words }) => [
      /must have borrowed|not owned/i.test(words)
        ? "the tensor straight from ttnn.from_torch, without an op of ttnn on the host between (to_layout, reshape, typecast: do these in torch)"
        : "the tensor through torch once more (ttnn.from_torch of ttnn.to_torch), or on the device before the call (ttnn.to_device)",
      remedy`${asks.NEWER}a newer ttnn, which knows one storage of the host`,
    ],
  },
  {
    says: /input_tile_size == output_tile_size|input and output tile sizes? (?:should|must)/i,
    because: "In shards this op writes its result over tiles of the same size: the formats of both are alike",
    advice: [
      "the result in the operand's format (no dtype in the call, a preallocated result of that format), with a ttnn.typecast before or behind it",
      remedy`${asks.DRAM}or an interleaved operand (to_memory_config), whose result has a buffer of its own`,
    ],
  },
  {
    says: /round_up: multiple must not be 0/,
    because: "A size is rounded up to a multiple of an extent that is 0: a tensor, or a shard, is empty",
    advice:
      remedy`no call with an empty operand: leave the op out where an extent is 0 (a slice, a mask or a past of length 0), or give it one row that is cut off again${asks.NEWER}; or a newer ttnn, which returns an empty result`,
  },
  {
    says: /can't convert shape rank/i,
    because:
      "A shape loses dimensions in front only where they are 1: the op brings its operand to four dimensions and its result back, and a dimension to drop is not 1",
    advice:
      "operands of the rank that the op works with: unsqueeze or reshape each of them to the same rank (leading 1s, the op's dim counted from behind), and reshape the result back",
  },
  {
    subjects: ["storage"],
    says: /on a device tensor|already on (?:the )?device/i,
    because: "The tensor is on the device already",
    advice:
      "leave the to_device out, or to_memory_config in its place; a from_device before it where the host's copy is wanted",
  },
  {
    subjects: ["arguments", "storage", "memory_layout"],
    says:
      /^(?!.*(?:expect\w*|must be|requires?|needs?|only) (?:an? |on )?host tensors?)(?=.*\bhost tensors?\b)/i,
    because: "The tensor is on the host, where this op knows less than on the device",
    advice: "move it to the device first (ttnn.to_device), or do it on the host in torch",
  },
  {
    subjects: ["rank"],
    says: /alignment/i,
    because: "A tensor in tiles has two dimensions at least, in this version",
    advice:
      remedy`keep it as 1xN${asks.ROWS}, or in rows (ROW_MAJOR) while it has one dimension${asks.NEWER}; or a newer ttnn`,
  },
  {
    subjects: ["data_type", "page_layout"],
    says: /^(?=.*(?:bfloat[84]_b|\bbfp[84]|block (?:float|format))).*(?:tile|layout|row)/i,
    advice: "block formats (bfp_bf8, bfp_bf4) exist in tiles only: layout = TILE with them, or bf16 in rows",
  },
  {
    subjects: ["data_type"],
    says: /conversion.*tili[sz]ed|tili[sz]ed.*conversion/i,
    advice:
      remedy`${asks.TILES}a typecast of its own in tiles (to_layout TILE before it)${asks.OR}, or the same format for operand and result`,
    instead: true,
  },
];
