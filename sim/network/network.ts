// SPDX-License-Identifier: Apache-2.0
import { ARCHITECTURE_FILES } from "../devices/architecture_files.ts";
import type { Device } from "../devices/device.ts";

/** A node of the torus: `y × columns + x`. */
export type TorusNode = number;

/** Positions of the cores and banks of one chip on its NoC torus. */
export interface Network {
  readonly columns: number;
  readonly rows: number;
  /** Torus node per place of the layout library's numbering: worker cores row by row, then DRAM banks. */
  readonly nodes: readonly TorusNode[];
  /** How many of {@linkcode nodes} are worker cores. */
  readonly cores: number;
  /** Bytes that one DRAM bank sustains per AICLK cycle. */
  readonly bankBytesPerCycle: number;
  /** Cycles of a core's read of its own L1 through the network. */
  readonly localReadLatency: number;
  /** Cycles for which an unlinked multicast reserves its path. */
  readonly multicastReserve: number;
}

/**
 * The network of a device.
 *
 * @returns `undefined` if the device's worker grid or banks do not fit the known torus of its architecture
 */
export function networkOf(device: Device): Network | undefined {
  const file = ARCHITECTURE_FILES[device.architecture].network;
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

/** A run of equal transactions that one core issues before it waits. */
export interface Transfer {
  readonly kind: "read" | "write";
  readonly transactionBytes: number;
  readonly transactions: number;
}

/** Cycles in which one core issues and moves transactions, without the latency of the first. */
export function issueCycles(device: Device, transfer: Transfer): number {
  const { kind, transactionBytes, transactions } = transfer;
  const read = kind === "read";
  const rate = read ? device.noc.readBytesPerCycle : device.noc.writeBytesPerCycle;
  const issue = read ? device.noc.readIssue : device.noc.writeIssue;
  const bursts = Math.max(1, Math.ceil(transactionBytes / device.noc.maxBurst));
  return transactions * Math.max(issue * bursts, transactionBytes / rate);
}

/** Cycles from the first issue to the barrier that waits for all transactions, on an idle network. */
export function transferCycles(device: Device, transfer: Transfer): number {
  if (transfer.transactions === 0) return 0;
  const latency = transfer.kind === "read" ? device.noc.readLatency : device.noc.writeLatency;
  return latency + issueCycles(device, transfer);
}
