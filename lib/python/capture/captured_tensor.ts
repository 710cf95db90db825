// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../device/chip_description.ts";
import { coreCount, type CoreRange, mergeCoreRanges, walkCores } from "../../layout/core_range.ts";
import { ttnnFormat } from "../../layout/data_type.ts";
import { makeLayout, physicalExtent } from "../../layout/make_layout.ts";
import { type BufferType, DEFAULT_TILE, type TensorMemoryLayout } from "../../layout/ttnn_layout.ts";
import { tensorType } from "../../ttnn/tensor_type.ts";
import type { TtnnTensorType } from "../../ttnn/value.ts";
import { Unsayable } from "../python_text.ts";

/** A tensor as a capture prints it; the texts are C++'s or Python's. */
export interface CapturedTensor {
  /** `Shape([1, 1, 512, 768])` */
  readonly shape: string;
  /** `DataType::BFLOAT16` */
  readonly dtype: string;
  /** `Layout::TILE` */
  readonly layout: string;
  /** `MemoryConfig(memory_layout=TensorMemoryLayout::INTERLEAVED,buffer_type=BufferType::DRAM,shard_spec=…)`; `""` on the host. */
  readonly memoryConfig: string;
}

const MEMORY_LAYOUTS: Readonly<Partial<Record<string, TensorMemoryLayout>>> = {
  INTERLEAVED: "interleaved",
  HEIGHT_SHARDED: "height_sharded",
  WIDTH_SHARDED: "width_sharded",
  BLOCK_SHARDED: "block_sharded",
};

const BUFFER_TYPES: Readonly<Partial<Record<string, BufferType>>> = { DRAM: "dram", L1: "l1" };

/** The last word of a name of C++ or Python: `BFLOAT16`. */
const wordOf = (text: string): string => /(\w+)\W*$/.exec(text)?.[1] ?? "";

/**
 * The TTNN type of a captured tensor, with its shard shape and core ranges.
 *
 * @throws {Unsayable} for types or memory TTNN IR lacks, or a missing shard spec
 * @throws {LayoutError} if the chip cannot hold it
 */
export function capturedType(chip: ChipDescription, captured: CapturedTensor): TtnnTensorType {
  const shape = numbersIn(captured.shape);
  const dataType = ttnnFormat(wordOf(captured.dtype));
  if (dataType === undefined) throw new Unsayable(`elements of ${captured.dtype}`);
  const rowMajor = wordOf(captured.layout) !== "TILE";
  if (captured.memoryConfig === "") {
    return tensorType(chip, shape, dataType, { rowMajor, bufferType: "system_memory" });
  }
  const field = (name: string): string =>
    new RegExp(`${name}=\\w+::(\\w+)`).exec(captured.memoryConfig)?.[1] ?? "";
  const memoryLayout = MEMORY_LAYOUTS[field("memory_layout")];
  const bufferType = BUFFER_TYPES[field("buffer_type")];
  if (memoryLayout === undefined || bufferType === undefined) {
    throw new Unsayable(`memory ${field("buffer_type")} ${field("memory_layout")}`);
  }
  if (memoryLayout === "interleaved") return tensorType(chip, shape, dataType, { rowMajor, bufferType });
  const spec =
    /[{,(]?shard_spec=ShardSpec[({](.*?),\s*shape=[[{]([\d, ]+)[\]}],\s*orientation=ShardOrientation::(\w+)/s
      .exec(captured.memoryConfig);
  const [rows = 0, columns = 0] = numbersIn(spec?.[2] ?? "");
  const cores = rangesIn(spec?.[1] ?? "");
  if (rows === 0 || columns === 0 || cores.length === 0) {
    throw new Unsayable("a sharded tensor without its shards");
  }
  const tile = rowMajor ? undefined : DEFAULT_TILE;
  const [height, width] = physicalExtent(shape, tile);
  const grid: [number, number] = [Math.ceil(height / rows), Math.ceil(width / columns)];
  const isColumnMajor = spec?.[3] === "COL_MAJOR";
  const layout = makeLayout(
    {
      shape,
      dataType,
      ...(rowMajor ? { tile: null } : {}),
      bufferType,
      memoryLayout,
      grid,
      coreRanges: withShards(cores, memoryLayout, grid, isColumnMajor),
      shardOrientation: isColumnMajor ? "col_major" : "row_major",
    },
    chip.workerGrid,
    chip.dramBanks,
  );
  const shardShape = tile === undefined ? [rows, columns] : [rows / tile.height, columns / tile.width];
  return { kind: "tensor", shape, dataType, layout: { ...layout, shardShape } };
}

/** Cores with a shard: the first in shard order; of a block-sharded range, its corner. */
function withShards(
  cores: readonly CoreRange[],
  memoryLayout: TensorMemoryLayout,
  [rows, columns]: readonly [number, number],
  isColumnMajor: boolean,
): readonly CoreRange[] {
  const [first] = cores;
  if (memoryLayout === "block_sharded" && first !== undefined && cores.length === 1) {
    const [width, height] = isColumnMajor ? [rows, columns] : [columns, rows];
    const { start: { x, y }, end } = first;
    return [{
      start: { x, y },
      end: { x: Math.min(end.x, x + width - 1), y: Math.min(end.y, y + height - 1) },
    }];
  }
  if (coreCount(cores) <= rows * columns) return cores;
  const filled = walkCores(cores, isColumnMajor).slice(0, rows * columns);
  return mergeCoreRanges(filled.map((core) => ({ start: core, end: core })), isColumnMajor);
}

/** The integers of a text. */
export function numbersIn(text: string): readonly number[] {
  return (text.match(/-?\d+/g) ?? []).map(Number);
}

/** Core ranges in either printed form: `{"start":{"x":0,"y":0},"end":{"x":7,"y":7}`, `(x=0,y=0) - (x=7,y=7)`. */
export function rangesIn(text: string): readonly CoreRange[] {
  const numbers = [...text.matchAll(/["(, ]?[xy]"?\s*[=:]\s*(\d+)/g)].map(([, number]) => Number(number));
  return Array.from({ length: Math.floor(numbers.length / 4) }, (_, index): CoreRange => {
    const [x = 0, y = 0, endX = 0, endY = 0] = numbers.slice(4 * index, 4 * index + 4);
    return { start: { x, y }, end: { x: endX, y: endY } };
  });
}
