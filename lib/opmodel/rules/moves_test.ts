// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { TEST_WORMHOLE } from "../../../testing/chips.ts";
import {
  integerAttribute,
  integersAttribute,
  layoutOf,
  signatureOf,
  tensorOf,
} from "../../../testing/op_queries.ts";
import type { Attribute } from "../../ir/attribute.ts";
import type { DataType } from "../../layout/data_type.ts";
import { LayoutTable } from "../../layout/layout_table.ts";
import { isSharded, type TtnnLayout } from "../../layout/ttnn_layout.ts";
import { createOpModel } from "../create_op_model.ts";

/**
 * An op on one tensor: operand and result as `SHAPE FORMAT MEMORY`, a result in `null` memory without hint, in `hs ?`
 * with a hint that has no shard spec; dimensions of `permute` and `transpose`.
 */
type Question = readonly [op: string, operand: string, result: string, dimensions: string];

/**
 * Circular buffers, peak of L1 tensors and memory of the result, bytes per core; or the rule that refuses; or `takes`
 * where only that was asked.
 */
type Expected = readonly [cb: number, tensorPeak: number, memory: string] | string;

/** What ttnn 0.81.1 answered for n150. */
const ANSWERS: readonly (readonly [...Question, Expected])[] = [
  ["to_memory_config", "1x12x384x64 dram", "1x12x384x64 hs 48x1", "", [0, 12288, "hs 96x64"]],
  ["to_memory_config", "1x12x384x64 hs 48x1", "1x12x384x64 bs 8x2", "", [0, 36864, "bs 576x32"]],
  ["to_memory_config", "1x12x384x64 bs 8x2", "1x12x384x64 l1", "", [0, 10240, "l1"]],
  ["to_memory_config", "512x512 dram", "512x512 l1", "", [4096, 8192, "l1"]],
  ["to_memory_config", "512x512 dram-rm", "512x512 hs-rm 16x1", "", [4224, 32768, "hs 32x512 rm"]],
  ["to_memory_config", "512x512 ws-rm 1x4", "512x512 ws-rm 1x8", "", [0, 65536, "ws 512x64 rm"]],
  ["to_memory_config", "512x512 ws-rm 1x4", "512x512 bs-rm 4x2", "", [2176, 65536, "bs 128x256 rm"]],
  ["to_memory_config", "512x10 dram-rm", "512x10 hs-rm 16x1", "", [84, 1024, "hs 32x10 rm"]],
  ["to_memory_config", "512x512 dram", "512x512 hs ?", "", "output/no-shard-spec"],
  // Rows of shards are pages of a buffer, which are counted in 16 bits.
  ["to_memory_config", "65536x8 dram-rm", "65536x8 hs-rm 1x1", "", "layout/pages"],
  ["to_memory_config", "65536x8 hs-rm 1x1", "65536x8 dram-rm", "", "layout/pages"],
  ["to_memory_config", "65535x8 dram-rm", "65535x8 hs-rm 1x1", "", "takes"],
  ["to_memory_config", "65535x8 hs-rm 1x1", "65535x8 dram-rm", "", "takes"],
  // Rows that are not aligned are copied.
  ["to_memory_config", "65536x4 dram-rm", "65536x4 hs-rm 1x1", "", "takes"],
  ["typecast", "512x512 dram", "512x512 f32 l1", "", [12288, 16384, "l1 f32"]],
  ["typecast", "512x512 hs 16x1", "512x512 f32 null", "", [12288, 65536, "hs 32x512 f32"]],
  ["typecast", "512x512 f32 hs 16x1", "512x512 u32 null", "", [0, 65536, "hs 32x512 u32"]],
  ["typecast", "512x512 f32 hs 16x1", "512x512 u32 hs 8x1", "", "typecast/cores"],
  ["typecast", "512x512 dram", "512x512 f32 hs 16x1", "", "typecast/memory-layout"],
  ["typecast", "512x512 hs 16x1", "512x512 f32 hs ?", "", "output/no-shard-spec"],
  ["typecast", "512x512 dram-rm", "512x512 f32 dram-rm", "", [12288, 0, "dram rm f32"]],
  ["typecast", "512x4 hs-rm 16x1", "512x4 f32 null", "", "typecast/row-alignment"],
  ["to_layout", "512x512 dram-rm", "512x512 bs 4x4", "", [65536, 32768, "bs 128x128"]],
  ["to_layout", "512x512 hs 16x1", "512x512 dram-rm", "", [32768, 0, "dram rm"]],
  ["to_layout", "512x512 hs-rm 16x1", "512x512 null", "", [0, 32768, "hs 32x512"]],
  ["to_layout", "128x784 ws-rm 1x25", "128x784 null", "", [0, 8192, "ws 128x32"]],
  ["to_layout", "128x784 hs-rm 4x1", "128x784 null", "", "to_layout/shard"],
  ["to_layout", "512x512 bs 4x4", "512x512 bs-rm 4x4", "", [0, 32768, "bs 128x128 rm"]],
  ["to_layout", "1000x512 hs-rm 50x1", "1000x512 dram", "", "to_layout/shard"],
  ["to_layout", "512x512 dram", "512x512 hs-rm 50x1", "", "to_layout/shard"],
  ["to_layout", "512x512 f32 dram", "512x512 dram-rm", "", "to_layout/row-major-format"],
  ["to_layout", "512x512 bfp_bf8 dram", "512x512 dram-rm", "", [25088, 0, "dram rm"]],
  ["to_layout", "512x512 dram-rm", "512x512 bfp_bf8 dram", "", [50176, 0, "dram bfp_bf8"]],
  ["to_layout", "1x197x768 dram", "1x197x768 dram-rm", "", [98304, 0, "dram rm"]],
  ["to_layout", "512x512 dram", "512x512 hs-rm ?", "", "output/no-shard-spec"],
  ["transpose", "1x1x256x64 hs 8x1", "1x1x64x256 null", "2,3", [0, 4096, "ws 64x32"]],
  ["transpose", "1x12x384x64 hs 12x1", "1x12x64x384 null", "-1,-2", [0, 49152, "hs 64x384"]],
  ["transpose", "1x12x384x64 bfp_bf8 dram", "1x384x12x64 bfp_bf8 l1", "1,2", [6272, 37632, "l1 bfp_bf8"]],
  ["transpose", "8x12x32x64 dram", "12x8x32x64 null", "0,1", [4096, 0, "dram"]],
  ["transpose", "1x12x384x64 dram", "384x12x1x64 l1", "0,2", [4128, 294912, "l1"]],
  ["transpose", "1x1x256x64 hs 8x1", "1x1x256x64 dram", "0,1", "transpose/clone"],
  ["transpose", "1x12x384x64 dram", "1x384x12x64 hs ?", "1,2", [4608, 24576, "hs 192x64"]],
  ["permute", "1x3x224x224 dram", "1x224x224x3 l1", "0, 2, 3, 1", [12288, 51200, "l1"]],
  ["permute", "1x64x32x32 hs 32x1", "1x32x32x64 null", "0, 2, 3, 1", [4096, 8192, "hs 32x64"]],
  ["permute", "1x64x32x32 hs 32x1", "1x32x32x64 dram", "0, 3, 2, 1", [8192, 8192, "dram"]],
  ["permute", "8x384x64 bfp_bf8 dram", "64x8x384 bfp_bf8 dram", "2, 0, 1", [8224, 0, "dram bfp_bf8"]],
  ["permute", "1x12x384x64 dram-rm", "1x384x12x64 dram-rm", "0, 2, 1, 3", [256, 0, "dram rm"]],
  // Rows in shards: pages are exchanged wherever they lie, in shards of whole rows or matrices without moving them.
  ["permute", "1x8x64x128 bs-rm 2x2", "1x64x8x128 null", "0, 2, 1, 3", [2048, 32768, "bs 256x64 rm"]],
  ["permute", "1x8x64x128 hs-rm 32x1", "1x8x128x64 null", "0, 1, 3, 2", [40960, 4096, "hs 32x64 rm"]],
  ["permute", "1x8x64x128 hs-rm 2x1", "1x128x64x8 null", "0, 3, 2, 1", [32768, 196608, "hs 4096x8 rm"]],
  ["permute", "16x1x32x128 hs-rm 32x1", "1x16x128x32 bs-rm 4x4", "1, 0, 3, 2", [12288, 8192, "bs 512x8 rm"]],
  ["permute", "32x1x2048 hs-rm 32x1", "1x32x2048 null", "1, 0, 2", [0, 4096, "hs 1x2048 rm"]],
  // Matrices that are not whole tiles are moved out of shards that cut their rows.
  ["permute", "1x64x16x32 bs-rm 1x4", "1x16x64x32 l1-rm", "0, 2, 1, 3", [128, 2048, "l1 rm"]],
  ["permute", "1x64x16x32 bs-rm 8x1", "1x64x32x16 null", "0, 1, 3, 2", [12288, 2048, "l1 rm"]],
  ["permute", "1x8x64x128 bs-rm 4x1", "1x64x128x8 null", "0, 2, 3, 1", [12288, 36864, "l1 rm"]],
  ["transpose", "1x12x384x64 hs-rm 36x1", "1x12x64x384 null", "2,3", [106496, 9216, "l1 rm"]],
  ["transpose", "1x384x768 f32 hs-rm 16x1", "1x768x384 f32 null", "1,2", "l1/budget"],
  ["permute", "1x1x256x64 hs 8x1", "1x1x256x64 dram", "1, 0, 2, 3", [0, 0, "dram"]],
  ["permute", "1x12x384x64 dram-rm", "12x1x64x384 hs-rm 24x1", "1, 0, 3, 2", [12288, 24576, "hs 32x384 rm"]],
  ["permute", "1x64x12x20 dram-rm", "1x12x20x64 hs-rm 24x1", "0, 2, 3, 1", [12288, 1280, "hs 10x64 rm"]],
  ["permute", "1x12x20x64 dram-rm", "1x64x12x20 hs-rm 24x1", "0, 3, 1, 2", "permute/row-alignment"],
  ["reshape", "1x384x768 dram", "1x384x12x64 l1", "", [4608, 24576, "l1"]],
  ["reshape", "1x1x384x768 hs 12x1", "384x768 null", "", [0, 0, "hs 32x768"]],
  ["reshape", "1x384x768 hs 12x1", "1x384x12x64 null", "", [4608, 34816, "l1"]],
  ["reshape", "1x384x768 hs 10x1", "1x384x12x64 null", "", [4608, 34816, "l1"]],
  ["reshape", "1x384x768 dram", "1x384x12x64 hs ?", "", "reshape/no-shard-spec"],
  ["reshape", "1x384x768 bfp_bf8 dram", "1x384x12x64 bfp_bf8 l1", "", [12288, 37632, "l1 bfp_bf8"]],
  ["reshape", "32x1x3072 dram", "1x1x32x3072 l1", "", [5120, 4096, "l1"]],
  ["reshape", "96x64 dram-rm", "64x96 dram-rm", "", [592, 0, "dram rm"]],
  ["reshape", "1x1x64x20 dram-rm", "1x1x16x80 dram-rm", "", [3840, 0, "dram rm"]],
  ["reshape", "512x10 hs-rm 16x1", "256x20 dram-rm", "", "reshape/row-alignment"],
  // Narrow whole numbers: no copy by a reshape, and bytes get no padding.
  ["reshape", "2x33x65 u16 dram", "66x65 u16 dram", "", "reshape/format"],
  ["reshape", "2x64x64 u8 dram-rm", "8192 u8 dram-rm", "", "reshape/format"],
  ["reshape", "2x64x64 u8 dram", "128x64 u8 null", "", [0, 0, "dram u8"]],
  ["to_layout", "2x33x65 u8 dram-rm", "2x33x65 u8 dram", "", "layout/padded-bytes"],
  ["to_layout", "197 u8 dram-rm", "197 u8 dram", "", "layout/padded-bytes"],
];

const FORMATS: readonly DataType[] = ["f32", "u32", "u16", "u8", "bfp_bf8"];
const KINDS = {
  interleaved: "",
  height_sharded: "hs",
  width_sharded: "ws",
  block_sharded: "bs",
  nd_sharded: "nd",
} as const;

/** A layout as the answers write it: shards with their extents in elements. */
function written(
  { bufferType, memoryLayout = "interleaved", shardShape, tile, dataType }: TtnnLayout,
): string {
  const unit = tile === undefined ? 1 : 32;
  const memory = memoryLayout === "interleaved"
    ? bufferType
    : `${KINDS[memoryLayout]} ${shardShape.map((extent) => extent * unit).join("x")}`;
  return `${memory}${tile === undefined ? " rm" : ""}${dataType === "bf16" ? "" : ` ${dataType}`}`;
}

function attributesOf(op: string, dimensions: string, shape: readonly number[]): Record<string, Attribute> {
  const numbers = dimensions.split(",").map(Number);
  switch (op) {
    case "permute":
      return { permutation: integersAttribute(numbers) };
    case "transpose":
      return { dim0: integerAttribute(numbers[0] ?? 0), dim1: integerAttribute(numbers[1] ?? 0) };
    case "reshape":
      return { shape: integersAttribute(shape) };
    default:
      return {};
  }
}

for (const [op, operand, result, dimensions, expected] of ANSWERS) {
  Deno.test(`ttnn.${op}(${operand}) -> ${result} ${dimensions} answers as the backend did`, () => {
    const layouts = new LayoutTable();
    const model = createOpModel({ chip: TEST_WORMHOLE, layouts, checksWrittenText: false });
    const read = (text: string) => {
      const [shape = "", ...rest] = text.split(" ");
      const dataType = FORMATS.find((format) => format === rest[0]) ?? "bf16";
      const memory = rest.filter((word) => word !== dataType).join(" ");
      return { type: tensorOf(shape.split("x").map(Number), dataType), memory };
    };
    const [input, output] = [read(operand), read(result)];
    const asked = (): TtnnLayout | undefined => {
      if (output.memory === "null") return undefined;
      const free = output.memory.endsWith("?");
      const layout = layouts.get(layoutOf(model, output.type, output.memory.replace("?", "1x1")));
      return free && isSharded(layout) ? { ...layout, ignorePhysicalLayout: true } : layout;
    };
    const hint = asked();
    const signature = signatureOf(
      `ttnn.${op}`,
      [input.type],
      [output.type],
      attributesOf(op, dimensions, output.type.shape),
    );
    const answer = model.queryOpConstraints(
      signature,
      [layoutOf(model, input.type, input.memory)],
      hint === undefined ? undefined : layouts.intern(hint),
      undefined,
    );
    if (typeof expected === "string") {
      assertEquals(answer.status === "invalid" ? answer.rule : "takes", expected);
      return;
    }
    assert(answer.status === "valid", answer.status === "invalid" ? answer.message : "");
    const [made] = answer.outputLayouts;
    assert(made !== undefined);
    assertEquals([answer.cbPeakBytes, answer.tensorL1PeakBytes, written(layouts.get(made))], expected);
  });
}
