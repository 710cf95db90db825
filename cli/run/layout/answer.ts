// SPDX-License-Identifier: Apache-2.0
import { ttnnLayoutText } from "../../../lib/dialect/ttnn_layout_text.ts";
import { formatAffineMap } from "../../../lib/layout/affine/affine_map.ts";
import { describeLayout } from "../../../lib/layout/describe.ts";
import { type AlignedChip, layoutFootprint } from "../../../lib/layout/ttnn/layout_footprint.ts";
import { volume } from "../../../lib/layout/extents.ts";
import { physicalExtent } from "../../../lib/layout/make_layout.ts";
import { formatExtents } from "../../../lib/layout/layout_error.ts";
import { metalToTtnn } from "../../../lib/layout/metal/metal_conversion.ts";
import { metalCoordinates } from "../../../lib/layout/metal/metal_coordinates.ts";
import {
  type MetalLayout,
  metalPhysicalShape,
  metalShardShape,
  paddedShardShape,
} from "../../../lib/layout/metal/metal_layout.ts";
import { formatMetalLayout } from "../../../lib/layout/metal/metal_layout_text.ts";
import { metalFootprint, paddedElements } from "../../../lib/layout/metal/metal_padding.ts";
import { formatNode } from "../../../lib/layout/ttnn/nodes.ts";
import { reshardClass } from "../../../lib/layout/ttnn/reshard_class.ts";
import { reshardTransfers } from "../../../lib/layout/ttnn/reshard_transfers.ts";
import {
  isDrawable,
  metalDrawings,
  type ShardDrawing,
  ttnnDrawing,
} from "../../../lib/layout/render/shard_drawing.ts";
import { delinearize, ttnnCoordinates } from "../../../lib/layout/ttnn/ttnn_coordinates.ts";
import { type TtnnGeometry, ttnnGeometry } from "../../../lib/layout/ttnn/ttnn_geometry.ts";
import { isSharded, type TtnnLayout } from "../../../lib/layout/ttnn_layout.ts";
import { virtualGridMap } from "../../../lib/layout/metal/virtual_grid.ts";
import type { LayoutQuestion } from "./question.ts";

/** Traffic of a reshard, in bytes of the source. */
export interface ReshardSummary {
  readonly from: string;
  readonly to: string;
  /** For example `reshard`, `interleaved_to_sharded, tilize`. */
  readonly class: string;
  readonly totalBytes: number;
  /** Bytes that are already in place. */
  readonly localBytes: number;
  readonly pages: number;
  /** Number of pairs of different nodes that exchange bytes. */
  readonly transfers: number;
  /** The node that sends, and the node that receives, the most bytes, without those to itself. */
  readonly busiestSource: string;
  readonly busiestSourceBytes: number;
  readonly busiestDestination: string;
  readonly busiestDestinationBytes: number;
}

/** Everything that `layout` prints. Bytes are per core (or bank) unless named total. */
export interface LayoutAnswer {
  readonly tensor: string;
  readonly attribute: string;
  /** Shape and grid in a line. */
  readonly title: string;
  /** Extents of the collapsed tensor, in elements. */
  readonly physicalShape: readonly number[];
  /** Elements per shard without padding; `undefined` if interleaved. */
  readonly shardShape: readonly number[] | undefined;
  /** The same with padding. */
  readonly paddedShardShape: readonly number[] | undefined;
  readonly virtualToPhysicalMap: string | undefined;
  readonly inL1: boolean;
  /** Number of cores, banks or hosts that reserve memory. */
  readonly nodes: number;
  readonly bytesPerNode: number;
  readonly totalBytes: number;
  readonly logicalBytes: number;
  readonly wastedShare: number;
  /** Distribution of interleaved pages over the banks; `undefined` if nothing is interleaved. */
  readonly pages: { readonly pages: number; readonly perNode: number; readonly nodes: number } | undefined;
  /** Fewest and most elements of a shard, if shards are no boxes and therefore not drawn. */
  readonly elements: { readonly fewest: number; readonly most: number } | undefined;
  /**
   * The layout in TTNN's terms; `undefined` for layouts of the compiler and for shards of more than two
   * dimensions.
   */
  readonly ttnn: TtnnGeometry | undefined;
  readonly drawings: readonly ShardDrawing[];
  /** Facts about the element of `--at`, by name, in order. */
  readonly at: Readonly<Record<string, string>> | undefined;
  readonly reshard: ReshardSummary | undefined;
}

/**
 * Answers a question about one layout.
 *
 * @throws {LayoutError} if the layout does not belong to the tensor or does not fit the chip
 */
export function answerLayoutQuestion(question: LayoutQuestion, chip: AlignedChip): LayoutAnswer {
  const { layout } = question;
  return layout.kind === "metal"
    ? answerMetal(question, layout.metal, layout.written?.attribute, chip)
    : answerTtnn(question, layout.ttnn, chip);
}

function titleOf({ shape }: LayoutQuestion, grid: readonly number[]): string {
  return `${formatExtents(shape)} on ${formatExtents(grid)} shards`;
}

function answerMetal(
  question: LayoutQuestion,
  layout: MetalLayout,
  written: string | undefined,
  chip: AlignedChip,
): LayoutAnswer {
  const { shape, at, reshardTo, devices } = question;
  const target = { workerGrid: chip.workerGrid, devices };
  const coordinates = metalCoordinates(shape, layout, target);
  const footprint = metalFootprint(shape, layout);
  const place = at === undefined ? undefined : coordinates.locate(at);
  const { memorySpace } = layout.memref;
  const onCores = memorySpace === "l1";
  return {
    tensor: question.tensorText,
    attribute: written ?? formatMetalLayout(layout),
    title: titleOf(question, layout.grid),
    physicalShape: metalPhysicalShape(shape, layout),
    shardShape: metalShardShape(shape, layout),
    paddedShardShape: paddedShardShape(layout.memref),
    virtualToPhysicalMap: onCores ? formatAffineMap(virtualGridMap(layout.grid, target)) : undefined,
    inL1: onCores,
    nodes: footprint.shards,
    bytesPerNode: footprint.shardBytes,
    totalBytes: footprint.allocatedBytes,
    logicalBytes: footprint.logicalBytes,
    wastedShare: footprint.wastedShare,
    pages: undefined,
    elements: isDrawable(shape, layout) ? undefined : elementsOf(shape, layout),
    ttnn: undefined,
    drawings: isDrawable(shape, layout) ? metalDrawings(shape, layout, target) : [],
    at: place === undefined ? undefined : {
      element: `[${at?.join(", ")}]`,
      collapsed: `(${place.physical.join(", ")})`,
      shard: `[${place.grid.join(", ")}]`,
      ...(place.core === undefined ? {} : { core: `(${place.core.x},${place.core.y})` }),
      ...(devices === 1 ? {} : { device: `${place.device}` }),
      offset: `(${place.offset.join(", ")}) in the shard`,
      ...(place.face === undefined ? {} : {
        tile: `(${place.memrefIndex.join(", ")}), face ${place.face.face}, row ${place.face.row}, ` +
          `column ${place.face.column}`,
      }),
      byte: place.byteOffset === undefined
        ? "none of its own: block-float shares exponents"
        : `${place.byteOffset} from the start of the shard`,
    },
    reshard: reshardTo === undefined
      ? undefined
      : summarizeReshard(shape, metalToTtnn(shape, layout, chip), reshardTo, chip),
  };
}

/** Counts the elements of every shard; shards whose coordinates share dims may be empty. */
function elementsOf(
  shape: readonly number[],
  layout: MetalLayout,
): { readonly fewest: number; readonly most: number } {
  const capacity = volume(paddedShardShape(layout.memref));
  const counts = Array.from(
    { length: volume(layout.grid) },
    (_, shard) => capacity - paddedElements(shape, layout, delinearize(shard, layout.grid)),
  );
  return { fewest: Math.min(...counts), most: Math.max(...counts) };
}

function answerTtnn(question: LayoutQuestion, layout: TtnnLayout, chip: AlignedChip): LayoutAnswer {
  const { shape, at, reshardTo } = question;
  const footprint = layoutFootprint(shape, layout, chip);
  const { tile } = layout;
  const shard = isSharded(layout)
    ? layout.shardShape.map((extent, dim) =>
      tile === undefined || dim < layout.shardShape.length - 2
        ? extent
        : extent * (dim === layout.shardShape.length - 1 ? tile.width : tile.height)
    )
    : undefined;
  return {
    tensor: question.tensorText,
    title: titleOf(question, layout.gridShape),
    attribute: ttnnLayoutText(layout, shape, { generation: "G4", workerGrid: chip.workerGrid }),
    physicalShape: physicalExtent(shape, tile),
    shardShape: shard,
    paddedShardShape: shard,
    virtualToPhysicalMap: undefined,
    inL1: layout.bufferType === "l1" || layout.bufferType === "l1_small",
    nodes: footprint.nodes,
    bytesPerNode: footprint.bytesPerNode,
    totalBytes: footprint.allocatedBytes,
    logicalBytes: footprint.logicalBytes,
    wastedShare: footprint.wastedShare,
    pages: layout.memoryLayout === "interleaved"
      ? { pages: footprint.pages, perNode: footprint.pagesPerNode, nodes: footprint.nodes }
      : undefined,
    elements: undefined,
    ttnn: layout.gridShape.length === 2 ? ttnnGeometry(shape, layout) : undefined,
    drawings: isSharded(layout) && layout.gridShape.length === 2 ? [ttnnDrawing(shape, layout, chip)] : [],
    at: at === undefined ? undefined : locateTtnn(shape, layout, chip, at),
    reshard: reshardTo === undefined ? undefined : summarizeReshard(shape, layout, reshardTo, chip),
  };
}

function locateTtnn(
  shape: readonly number[],
  layout: TtnnLayout,
  chip: AlignedChip,
  at: readonly number[],
): Record<string, string> {
  const place = ttnnCoordinates(shape, layout, chip).locate(at);
  return {
    element: `[${at.join(", ")}]`,
    node: formatNode(chip, place.node),
    ...(place.shard === undefined ? {} : { shard: `${place.shard}` }),
    page: `${place.page} of the node, row ${place.row}, column ${place.column}`,
    ...(place.face === undefined ? {} : {
      face: `${place.face.face}, row ${place.face.row}, column ${place.face.column}`,
    }),
    byte: place.byteOffset === undefined
      ? "none of its own: block-float shares exponents"
      : `${place.byteOffset} from the start of the buffer, pages packed`,
  };
}

function summarizeReshard(
  shape: readonly number[],
  from: TtnnLayout,
  to: TtnnLayout,
  chip: AlignedChip,
): ReshardSummary {
  const set = reshardTransfers(shape, from, to, chip);
  const { movement, pages, typecast } = reshardClass(from, to);
  const sent = new Map<number, number>();
  const received = new Map<number, number>();
  let transfers = 0;
  for (const [entry, source] of set.source.entries()) {
    const destination = set.destination[entry] ?? 0;
    if (source === destination) continue;
    const bytes = set.bytes[entry] ?? 0;
    transfers++;
    sent.set(source, (sent.get(source) ?? 0) + bytes);
    received.set(destination, (received.get(destination) ?? 0) + bytes);
  }
  const busiest = (bytesByNode: ReadonlyMap<number, number>): [string, number] => {
    let node: number | undefined;
    let most = 0;
    for (const [candidate, bytes] of bytesByNode) if (bytes > most) [node, most] = [candidate, bytes];
    return [node === undefined ? "none" : formatNode(chip, node), most];
  };
  const [busiestSource, busiestSourceBytes] = busiest(sent);
  const [busiestDestination, busiestDestinationBytes] = busiest(received);
  return {
    from: describeLayout(from),
    to: describeLayout(to),
    class: [movement, ...(pages === "none" ? [] : [pages]), ...(typecast ? ["typecast"] : [])].join(", "),
    totalBytes: set.totalBytes,
    localBytes: set.localBytes,
    pages: set.totalPages,
    transfers,
    busiestSource,
    busiestSourceBytes,
    busiestDestination,
    busiestDestinationBytes,
  };
}
