// SPDX-License-Identifier: Apache-2.0
import { type AffineMap, formatAffineMap, ttnnLinearMap } from "../affine/affine_map.ts";
import { sameExtents } from "../extents.ts";
import { layoutsEqual } from "../layout_table.ts";
import { formatExtents, LayoutError } from "../layout_error.ts";
import { stridedSums } from "../affine/linear_map.ts";
import { makeLayout, type WorkerGrid } from "../make_layout.ts";
import { type MemorySpace, type MetalLayout, metalShardShape, verifyMetalLayout } from "./metal_layout.ts";
import type { BufferType, TensorMemoryLayout, TtnnLayout } from "../ttnn_layout.ts";

/** The chip that layouts are converted on. */
export interface ConversionChip {
  /** Worker cores that shards are placed on. */
  readonly workerGrid: WorkerGrid;
  /** Banks of DRAM, needed for shards in DRAM only. */
  readonly dramBanks?: number;
}

/**
 * The TTNN layout equivalent to a `metal_layout`.
 *
 * Grids become height (`Nx1`), width (`1xN`) or block sharding. A 1x1 grid becomes interleaved in DRAM and one block in
 * L1; system memory has no memory layout. The padding value is dropped: TTNN does not track it.
 *
 * @throws {LayoutError} `conversion/unsupported` when TTNN cannot say it: it always collapses all dims but the last,
 * pads the rows of every batch to whole tiles and divides whole tiles; else if the layout does not belong to the tensor
 * or its grid does not fit the chip
 */
export function metalToTtnn(
  shape: readonly number[],
  layout: MetalLayout,
  chip: ConversionChip,
): TtnnLayout {
  verifyMetalLayout(shape, layout);
  const { memref, grid, linear } = layout;
  const refuse = refusal(shape, "metal_layout", "ttnn_layout");
  if (grid.length !== 2) {
    refuse(
      `TTNN always collapses all dims but the last into rows, ${
        formatAffineMap(linear)
      } has ${grid.length} ` +
        "results; divide the outer dims over a mesh and lay out the tensor of one device",
    );
  }
  const wanted = ttnnLinearMap(shape, memref.tile);
  if (!sameMap(linear, wanted, shape)) {
    refuse(`TTNN's rows are ${formatAffineMap(wanted)}, not ${formatAffineMap(linear)}`);
  }
  const [rows = 1, columns = 1] = grid;
  const bufferType = BUFFER_OF_SPACE[memref.memorySpace];
  if (bufferType === undefined) {
    return refuse(`the memory space ${memref.memorySpace} has no counterpart in TTNN`);
  }
  const isWhole = rows * columns === 1;
  if (bufferType === "system_memory" && !isWhole) refuse("host tensors of TTNN are not divided");
  const memoryLayout: TensorMemoryLayout | undefined = bufferType === "system_memory"
    ? undefined
    : isWhole
    ? bufferType === "dram" ? "interleaved" : "block_sharded"
    : columns === 1
    ? "height_sharded"
    : rows === 1
    ? "width_sharded"
    : "block_sharded";
  const partial = partialTileDim(shape, layout);
  if (partial !== undefined) refuse(partial);
  const ttnn = makeLayout(
    {
      shape,
      dataType: memref.dataType,
      tile: memref.tile ?? null,
      bufferType,
      memoryLayout,
      grid: [rows, columns],
    },
    chip.workerGrid,
    chip.dramBanks,
  );
  if (layout.alignedShape !== undefined && !sameExtents(ttnn.shardShape, memref.shape)) {
    refuse(`its shards are ${formatExtents(memref.shape)}, TTNN's are ${formatExtents(ttnn.shardShape)}`);
  }
  return ttnn;
}

/**
 * Why a tiled layout places elements differently than TTNN; `undefined` if it does not. A `metal_layout` divides
 * elements by the grid and then pads every shard to tiles, TTNN pads the tensor to tiles and then divides the
 * tiles.
 */
function partialTileDim(shape: readonly number[], layout: MetalLayout): string | undefined {
  const { tile } = layout.memref;
  if (tile === undefined) return undefined;
  const shard = metalShardShape(shape, layout);
  const dim = [0, 1].find((position) =>
    layout.grid[position] !== 1 && (shard[position] ?? 0) % (position === 0 ? tile.height : tile.width) !== 0
  );
  return dim === undefined
    ? undefined
    : `its shards hold ${shard[dim]} ${dim === 0 ? "rows" : "columns"} each, TTNN divides whole tiles`;
}

/**
 * The `metal_layout` equivalent to a TTNN layout.
 *
 * @example
 * ```ts
 * import { describeLayout } from "@tilewright/tilewright/layout";
 * import { makeMetalLayout, metalToTtnn, ttnnToMetal } from "@tilewright/tilewright/metal";
 * import { assertEquals } from "@std/assert";
 *
 * const tile = { height: 32, width: 32 };
 * const layout = makeMetalLayout({ shape: [256, 64], dataType: "bf16", grid: [8, 1], tile });
 * const chip = { workerGrid: { rows: 8, columns: 8 } };
 * const ttnn = metalToTtnn([256, 64], layout, chip);
 * assertEquals(describeLayout(ttnn), "l1/height_sharded/8x1");
 * assertEquals(ttnnToMetal([256, 64], ttnn, chip), layout);
 * ```
 *
 * @throws {LayoutError} `conversion/unsupported` when a `metal_layout` cannot say it: interleaved L1, `nd_sharded`,
 * column-major shards, cores other than the canonical ones, hints without shards, several shards that are not whole
 * tiles, `l1_small` and `trace`; else if the layout does not fit the chip
 */
export function ttnnToMetal(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: ConversionChip,
): MetalLayout {
  const refuse = refusal(shape, "ttnn_layout", "metal_layout");
  const { bufferType, memoryLayout } = layout;
  const memorySpace = SPACE_OF_BUFFER[bufferType];
  if (memorySpace === undefined) return refuse(`the buffer type ${bufferType} has no memory space`);
  if (memoryLayout === "nd_sharded") refuse("nd shards go round the cores, a grid has one core per shard");
  if (memoryLayout === "interleaved" && bufferType !== "dram") {
    refuse("pages interleaved over the cores are not shards of a grid");
  }
  if (layout.ignorePhysicalLayout) refuse("it is a hint, the backend chooses the shards");
  if (layout.shardOrientation === "col_major") refuse("grids are row-major, the shards are column-major");
  const expected = makeLayout(
    {
      shape,
      dataType: layout.dataType,
      tile: layout.tile ?? null,
      bufferType,
      memoryLayout,
      grid: layout.gridShape,
    },
    chip.workerGrid,
    chip.dramBanks,
  );
  if (!layoutsEqual(expected, layout)) {
    refuse(
      `its shards or cores are not those that follow from the grid ${formatExtents(layout.gridShape)}: ` +
        `${formatExtents(expected.shardShape)} per core on the canonical cores`,
    );
  }
  const metal: MetalLayout = {
    linear: ttnnLinearMap(shape, layout.tile),
    oobValue: "undef",
    grid: layout.gridShape,
    memref: { shape: layout.shardShape, dataType: layout.dataType, tile: layout.tile, memorySpace },
  };
  const partial = partialTileDim(shape, metal);
  if (partial !== undefined) refuse(`as a metal_layout ${partial}`);
  verifyMetalLayout(shape, metal);
  return metal;
}

function refusal(shape: readonly number[], from: string, to: string): (reason: string) => never {
  return (reason) => {
    throw new LayoutError(
      "conversion/unsupported",
      `Cannot turn a ${from} of a tensor of shape ${formatExtents(shape)} into a ${to}: ${reason}`,
    );
  };
}

const BUFFER_OF_SPACE: Readonly<Record<MemorySpace, BufferType | undefined>> = {
  system: "system_memory",
  mmio: undefined,
  dram: "dram",
  l1: "l1",
};

const SPACE_OF_BUFFER: Readonly<Record<BufferType, MemorySpace | undefined>> = {
  system_memory: "system",
  dram: "dram",
  l1: "l1",
  l1_small: undefined,
  trace: undefined,
};

/** Whether two maps agree on all elements of a tensor; strides of dims with one element do not matter. */
function sameMap(a: AffineMap, b: AffineMap, shape: readonly number[]): boolean {
  const others = stridedSums(b, shape);
  return stridedSums(a, shape).every(({ offset, dims }, result) => {
    const other = others[result];
    return offset === other?.offset && dims.length === other.dims.length &&
      dims.every(({ dim, stride }, at) => dim === other.dims[at]?.dim && stride === other.dims[at]?.stride);
  });
}
