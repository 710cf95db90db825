// SPDX-License-Identifier: Apache-2.0
import type { L1Allocator } from "./l1_allocator.ts";

/** One step of an allocation history. Buffers are named by the caller. */
export type AllocationEvent =
  | { readonly kind: "allocate"; readonly buffer: number; readonly bytes: number }
  | { readonly kind: "free"; readonly buffer: number };

/** Outcome of a replay. */
export interface ReplayResult {
  /** Address of every buffer that is live at the end. */
  readonly addresses: ReadonlyMap<number, number>;
  /** Index of the first allocation that found no room; the replay stops there. `undefined` when all fitted. */
  readonly failedAt: number | undefined;
}

/**
 * Replays an allocation history on an allocator, event by event, so that fragmentation is what it would be on the
 * device. A buffer that does not fit is never recorded as placed.
 *
 * @throws {RangeError} when the log frees a buffer that is not live or allocates one that is
 */
export function replayAllocations(
  allocator: Pick<L1Allocator, "allocate" | "free">,
  log: readonly AllocationEvent[],
): ReplayResult {
  const addresses = new Map<number, number>();
  for (const [index, event] of log.entries()) {
    const address = addresses.get(event.buffer);
    if (event.kind === "free") {
      if (address === undefined) throw new RangeError(`Cannot free buffer ${event.buffer}: it is not live`);
      allocator.free(address);
      addresses.delete(event.buffer);
      continue;
    }
    if (address !== undefined) throw new RangeError(`Cannot allocate buffer ${event.buffer}: it is live`);
    const placed = allocator.allocate(event.bytes);
    if (placed === undefined) return { addresses, failedAt: index };
    addresses.set(event.buffer, placed);
  }
  return { addresses, failedAt: undefined };
}
