// SPDX-License-Identifier: Apache-2.0
import type { Device } from "../devices/device.ts";

/** A run of equal transactions that one core issues before it waits. */
export interface Transfer {
  readonly kind: "read" | "write";
  /** Bytes of one transaction. */
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
