// SPDX-License-Identifier: Apache-2.0
import type { CoreCoord } from "../core_range.ts";
import { LayoutError } from "../layout_error.ts";
import { gridCores, type WorkerGrid } from "../make_layout.ts";

/**
 * The places of one chip where tensor bytes can be: the part of a `ChipDescription` that placements and transfers need.
 */
export interface ChipNodes {
  /** Worker cores that hold shards and pages in L1. */
  readonly workerGrid: WorkerGrid;
  /** DRAM banks as the allocator sees them. */
  readonly dramBanks: number;
}

/**
 * A place that holds bytes, as one small integer:
 *
 * - `0 … cores − 1`: L1 of the worker core (x, y), numbered `y × columns + x`;
 * - `cores … cores + dramBanks − 1`: DRAM bank `node − cores`;
 * - `cores + dramBanks`: host memory.
 */
export type NodeId = number;

/** The place of a {@linkcode NodeId}. */
export type NodePlace =
  | { readonly kind: "core"; readonly core: CoreCoord }
  | { readonly kind: "dram"; readonly bank: number }
  | { readonly kind: "host" };

/**
 * Node of a worker core.
 *
 * @throws {LayoutError} `core-ranges/outside-worker-grid`
 */
export function coreNode(chip: ChipNodes, core: CoreCoord): NodeId {
  const { rows, columns } = chip.workerGrid;
  if (core.x < 0 || core.y < 0 || core.x >= columns || core.y >= rows) {
    throw new LayoutError(
      "core-ranges/outside-worker-grid",
      `Cannot use the core (${core.x},${core.y}): the worker grid has ${columns} columns and ${rows} rows`,
    );
  }
  return core.y * columns + core.x;
}

/**
 * Node of a DRAM bank.
 *
 * @throws {LayoutError} `grid/exceeds-dram-banks`
 */
export function dramNode(chip: ChipNodes, bank: number): NodeId {
  if (bank < 0 || bank >= chip.dramBanks) {
    throw new LayoutError(
      "grid/exceeds-dram-banks",
      `Cannot use the DRAM bank ${bank}: the chip has ${chip.dramBanks} banks`,
    );
  }
  return gridCores(chip.workerGrid) + bank;
}

/** Node of host memory; also the number of nodes minus one. */
export function hostNode(chip: ChipNodes): NodeId {
  return gridCores(chip.workerGrid) + chip.dramBanks;
}

/** Decodes a node. */
export function nodePlace(chip: ChipNodes, node: NodeId): NodePlace {
  const { rows, columns } = chip.workerGrid;
  const cores = rows * columns;
  if (node < cores) return { kind: "core", core: { x: node % columns, y: Math.floor(node / columns) } };
  if (node < cores + chip.dramBanks) return { kind: "dram", bank: node - cores };
  return { kind: "host" };
}

/** `core (3,1)`, `DRAM bank 5`, `host`. */
export function formatNode(chip: ChipNodes, node: NodeId): string {
  const place = nodePlace(chip, node);
  switch (place.kind) {
    case "core":
      return `core (${place.core.x},${place.core.y})`;
    case "dram":
      return `DRAM bank ${place.bank}`;
    case "host":
      return "host";
  }
}
