// SPDX-License-Identifier: Apache-2.0
import { TILE } from "../layout/tile_shape.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { boundingBox } from "../layout/core_range.ts";
import { matrixCount } from "../layout/extents.ts";
import { isSharded, type TtnnLayout } from "../layout/ttnn_layout.ts";
import { fusedActivationOf, spelledActivation } from "../op_config/activations.ts";
import type {
  ComputeKernelConfig,
  MatmulProgramConfig,
  OpSpecificAttributes,
} from "../op_config/op_config.ts";
import type { UnaryWithParam } from "../op_config/value_kinds.ts";
import { chooseSubblock, largestDivisor, subblockRegisterTiles } from "../programs/matmul/matmul_blocking.ts";
import {
  multicastAlongBothAxes,
  multicastAlongOneAxis,
  type MulticastBlocking,
} from "../programs/matmul/matmul_blocks.ts";

/** The inputs of a matmul program config. */
export interface MatmulProgramRequest {
  /** Logical shapes. */
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly output: readonly number[];
  readonly transposeA?: boolean | undefined;
  readonly transposeB?: boolean | undefined;
  /**
   * Whether the batch of A counts as rows, as with `fuseBatch` in the backend; default `true`. tt-mlir counts
   * only the last two dimensions, so the backend accepts none of its configs for a batched A.
   */
  readonly foldBatch?: boolean | undefined;
  /** Requested sharded L1 layout of the output. */
  readonly layout: TtnnLayout;
  readonly fusedActivation?: UnaryWithParam | undefined;
  readonly computeConfig?: ComputeKernelConfig | undefined;
}

/**
 * The activation that a program config of an op must apply: the op's own attribute or that of its program
 * config; `"twice"` if both have one, which no other config can express.
 */
export function activationToFuse(
  attributes: AttributeMap,
  own: OpSpecificAttributes | undefined,
): UnaryWithParam | "twice" | undefined {
  const spelled = spelledActivation(attributes);
  const fused = fusedActivationOf(own);
  if (spelled === undefined) return fused;
  return fused === undefined ? { opType: spelled, params: [] } : "twice";
}

/** Width in tiles above which a width-sharded matmul uses small K blocks. */
const WIDE_N_TILES = 128;

/**
 * The program config of a matmul or linear whose output is sharded over L1 (tt-mlir `MatmulProgramConfig.cpp`,
 * tt-mlir:matmul-program-config). Counts are in tiles; cores are those of the bounding box of the layout's core ranges.
 *
 * @returns `undefined` when the output is not sharded in L1, an operand has less than two dimensions, or B is batched
 *   (the backend then chooses itself)
 */
export function matmulProgramConfig(request: MatmulProgramRequest): MatmulProgramConfig | undefined {
  const { a, b, output, layout } = request;
  if (layout.bufferType !== "l1" || !isSharded(layout)) return undefined;
  if (a.length < 2 || b.length < 2 || output.length < 2) return undefined;
  if (b.slice(0, -2).some((extent) => extent !== 1)) return undefined;
  const batch = request.foldBatch === false ? 1 : matrixCount(output);
  const tilesM = batch * Math.ceil((output.at(-2) ?? 1) / TILE);
  const tilesN = Math.ceil((output.at(-1) ?? 1) / TILE);
  const tilesK = tilesOfK(request);
  const [gridX, gridY] = programGrid(layout);
  if (gridX === undefined || gridY === undefined) return undefined;
  const shape: MatmulShape = {
    tilesM,
    tilesN,
    tilesK,
    gridX,
    gridY,
    maxSubblock: subblockRegisterTiles(request.computeConfig),
  };
  const activation = request.fusedActivation === undefined
    ? {}
    : { fusedActivation: request.fusedActivation };
  switch (layout.memoryLayout) {
    case "block_sharded":
      if (gridX > 1 && gridY > 1) return { ...blockConfig(shape), ...activation };
      return { ...(gridY === 1 ? widthConfig(shape) : heightConfig(shape)), ...activation };
    case "width_sharded":
      return { ...widthConfig(shape), ...activation };
    case "height_sharded":
      return { ...heightConfig(shape), ...activation };
    default:
      return undefined;
  }
}

/** Cores `[columns, rows]` of the program config for a result layout, up to its last core; none without cores. */
export function programGrid({ coreRanges }: TtnnLayout): readonly [number, number] | readonly [] {
  const box = boundingBox(coreRanges);
  return box === undefined ? [] : [box.end.x + 1, box.end.y + 1];
}

/**
 * Configs for the same cores and per-core shares that are often faster: wider subblocks, and K blocks of up
 * to {@linkcode LONG_K_BLOCK} tiles, of all of K, or of the K that a core holds if A is sharded over as many
 * columns. They need more L1 or other shards of A than upstream's config, which is the last one.
 */
export function freeProgramConfigs(
  written: MatmulProgramConfig,
  { a, transposeA, computeConfig }: Pick<MatmulProgramRequest, "a" | "transposeA" | "computeConfig">,
): readonly MatmulProgramConfig[] {
  if (!("outBlockH" in written)) return [written];
  const { outBlockH, outBlockW, computeWithStorageGridSize: [gridX] } = written;
  const most = subblockRegisterTiles(computeConfig);
  const { height, width } = chooseSubblock(outBlockH, outBlockW, most);
  const isWhole = width === outBlockW || height === 1;
  const wide = {
    ...written,
    outSubblockH: isWhole ? height : 1,
    outSubblockW: isWhole ? width : largestDivisor(outBlockW, most),
  };
  const tilesK = tilesOfK({ a, transposeA });
  const lengths = [tilesK, ...tilesK % gridX === 0 ? [tilesK / gridX] : []]
    .map((tiles) => largestDivisor(tiles, LONG_K_BLOCK));
  return [...[...new Set(lengths)].map((in0BlockW) => ({ ...wide, in0BlockW })), wide, written];
}

/** K block in tiles above which longer blocks hardly save time. */
const LONG_K_BLOCK = 8;

/** K blocks of matmuls with DRAM-sharded weights, in tiles: every block costs a multicast (published:ops-3). */
const DRAM_SHARDED_K_BLOCKS = [2, 4, 8, 16, 32] as const;

/**
 * The program configs of a matmul whose weight is sharded over the DRAM banks, for a width-sharded result. None for
 * more than one tile row, or for operands that would be copied first (`ttnn:backend-0-81-1`).
 */
export function dramShardedConfigs(request: MatmulProgramRequest): readonly MatmulProgramConfig[] {
  const { a, b, output, layout, transposeA, transposeB, fusedActivation } = request;
  if (layout.bufferType !== "l1" || layout.memoryLayout !== "width_sharded") return [];
  if (!isOneTileRow(output) || transposeA === true || transposeB === true || matrixCount(b) !== 1) return [];
  const tilesK = tilesOfK({ a, transposeA });
  const lengths = new Set(DRAM_SHARDED_K_BLOCKS.map((most) => largestDivisor(tilesK, most)));
  return [...lengths].map((in0BlockW) => ({
    kind: "matmul_multi_core_reuse_multi_cast_dram_sharded",
    in0BlockW,
    perCoreM: 1,
    perCoreN: layout.shardShape[1] ?? 1,
    ...(fusedActivation === undefined ? {} : { fusedActivation }),
  }));
}

/** Whether a result is a single matrix of at most one tile row. */
export function isOneTileRow(output: readonly number[]): boolean {
  return matrixCount(output) === 1 && (output.at(-2) ?? 1) <= TILE;
}

function tilesOfK({ a, transposeA }: Pick<MatmulProgramRequest, "a" | "transposeA">): number {
  return Math.ceil((a.at(transposeA === true ? -2 : -1) ?? 1) / TILE);
}

interface MatmulShape {
  readonly tilesM: number;
  readonly tilesN: number;
  readonly tilesK: number;
  readonly gridX: number;
  readonly gridY: number;
  readonly maxSubblock: number;
}

function blockConfig(shape: MatmulShape): MatmulProgramConfig {
  const { tilesM, tilesN, tilesK, gridX, gridY } = shape;
  const in0BlockW = tilesK % 2 === 0 ? 2 : 1;
  const cut = blocking(shape, Math.ceil(tilesM / gridY), Math.ceil(tilesN / gridX), in0BlockW);
  return multicastAlongBothAxes(cut, { fuseBatch: true });
}

function widthConfig(shape: MatmulShape): MatmulProgramConfig {
  const { tilesM, tilesN, tilesK, gridX, gridY } = shape;
  const in0BlockW = tilesN > WIDE_N_TILES
    ? (tilesK % 2 === 0 ? 2 : 1)
    : [8, 4, 2].find((width) => tilesK % width === 0) ?? 1;
  const cut = blocking(shape, tilesM, Math.ceil(tilesN / (gridX * gridY)), in0BlockW);
  return multicastAlongOneAxis(cut, { mcastIn0: true, fuseBatch: true });
}

function heightConfig(shape: MatmulShape): MatmulProgramConfig {
  const { tilesM, tilesN, tilesK, gridX, gridY } = shape;
  const cut = blocking(shape, Math.ceil(tilesM / (gridX * gridY)), tilesN, tilesK);
  return multicastAlongOneAxis(cut, { mcastIn0: false, fuseBatch: true });
}

/** One output block per core, computed one tile row at a time. */
function blocking(
  { gridX, gridY, maxSubblock }: MatmulShape,
  perCoreM: number,
  perCoreN: number,
  in0BlockW: number,
): MulticastBlocking {
  return {
    grid: [gridX, gridY],
    perCoreM,
    perCoreN,
    block: { height: perCoreM, width: perCoreN, in0BlockW },
    subblock: { height: 1, width: largestDivisor(perCoreN, maxSubblock) },
  };
}
