// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../../lib/device/chip_description.ts";
import type { Device } from "../devices/device.ts";
import blackhole from "../devices/network/blackhole.json" with { type: "json" };
import wormhole from "../devices/network/wormhole_b0.json" with { type: "json" };

/** A fact about the network, with where it is known from and how (see `ConstantKind`). */
export interface NetworkConstant<Value> {
  readonly value: Value;
  readonly source: string;
  readonly kind: string;
}

/** A network file: `tilewright.network/1`. Nodes are `[x, y]` in NoC0 coordinates, for both networks. */
export interface NetworkFile {
  readonly schema: string;
  readonly architecture: string;
  /** Extents of the torus in nodes. */
  readonly columns: NetworkConstant<number>;
  readonly rows: NetworkConstant<number>;
  /** Columns and rows of the torus that hold Tensix tiles; logical workers take the first ones in order. */
  readonly tensixColumns: NetworkConstant<readonly number[]>;
  readonly tensixRows: NetworkConstant<readonly number[]>;
  /** Tile through which workers reach each DRAM bank, in bank order. */
  readonly dramTiles: NetworkConstant<readonly (readonly number[])[]>;
  /** Share of a bank's theoretical bandwidth that it sustains. */
  readonly dramBankShare: NetworkConstant<number>;
  /** Cycles of a read that a core makes of its own L1 through the network. */
  readonly localReadLatency: NetworkConstant<number>;
  /** Cycles in which a multicast that is not linked reserves its path. */
  readonly multicastReserve: NetworkConstant<number>;
}

/** The network file of each architecture. */
export const NETWORK_FILES: Readonly<Record<Architecture, NetworkFile>> = {
  wormhole_b0: wormhole,
  blackhole,
};

/** A node of the torus: `y × columns + x`. */
export type TorusNode = number;

/** Where the cores and banks of one chip sit on its torus. */
export interface Network {
  readonly columns: number;
  readonly rows: number;
  /** Torus node per place of the layout library's numbering: worker cores row by row, then DRAM banks. */
  readonly nodes: readonly TorusNode[];
  /** How many of {@linkcode nodes} are worker cores. */
  readonly cores: number;
  /** Bytes that one DRAM bank sustains per AICLK cycle. */
  readonly bankBytesPerCycle: number;
  readonly localReadLatency: number;
  readonly multicastReserve: number;
}

/**
 * The network of a device.
 *
 * @returns `undefined` when the device's worker grid or banks do not fit the torus that is known of its architecture
 */
export function networkOf(device: Device): Network | undefined {
  const file = NETWORK_FILES[device.architecture];
  const { workerRows, workerColumns } = device.grid;
  const columns = file.columns.value;
  const xs = file.tensixColumns.value.slice(0, workerColumns);
  const ys = file.tensixRows.value.slice(0, workerRows);
  const tiles = file.dramTiles.value.slice(0, device.dram.banks);
  if (xs.length < workerColumns || ys.length < workerRows || tiles.length < device.dram.banks) {
    return undefined;
  }
  const nodes: TorusNode[] = [];
  for (const y of ys) {
    for (const x of xs) nodes.push(y * columns + x);
  }
  for (const [x = 0, y = 0] of tiles) nodes.push(y * columns + x);
  const bankPeak = device.dram.peakBandwidth * 1000 / device.clock.aiclk / device.dram.banks;
  return {
    columns,
    rows: file.rows.value,
    nodes,
    cores: workerRows * workerColumns,
    bankBytesPerCycle: bankPeak * file.dramBankShare.value,
    localReadLatency: file.localReadLatency.value,
    multicastReserve: file.multicastReserve.value,
  };
}
