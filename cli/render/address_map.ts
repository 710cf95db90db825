// SPDX-License-Identifier: Apache-2.0
import type { L1Region } from "../../lib/memory/l1_schedule.ts";
import type { FittedCell } from "./fitted_table.ts";
import type { Style } from "./style.ts";

/** A piece of L1 of one core, by address. */
export interface AddressRange<Buffer> {
  readonly kind: "buffer" | "free" | "circular_buffers" | "clash";
  readonly from: number;
  /** One past the last byte. */
  readonly to: number;
  /** The buffer, for kind `buffer`. */
  readonly buffer: Buffer | undefined;
}

/**
 * L1 of one core from the top down: buffers, holes between them, circular buffers.
 *
 * @param buffers from the top down, in bytes
 * @param circularBufferEnd one past the last byte of the circular buffers
 */
export function addressRanges<Buffer extends { readonly address: number; readonly bytes: number }>(
  region: L1Region,
  buffers: readonly Buffer[],
  circularBufferEnd: number,
): readonly AddressRange<Buffer>[] {
  const ranges: AddressRange<Buffer>[] = [];
  let above = region.top;
  const freeFrom = (from: number): void => {
    if (from < above) ranges.push({ kind: "free", from, to: above, buffer: undefined });
  };
  for (const buffer of buffers) {
    const to = buffer.address + buffer.bytes;
    freeFrom(to);
    ranges.push({ kind: "buffer", from: buffer.address, to, buffer });
    above = buffer.address;
  }
  freeFrom(circularBufferEnd);
  if (circularBufferEnd > region.base) {
    const kind = circularBufferEnd > above ? "clash" : "circular_buffers";
    ranges.push({ kind, from: region.base, to: circularBufferEnd, buffer: undefined });
  }
  return ranges;
}

/** Content of an address range, as text. */
export function rangeWords<Buffer>(
  { kind, buffer }: AddressRange<Buffer>,
  words: (buffer: Buffer) => string,
  style: Style,
): FittedCell {
  if (buffer !== undefined) return { text: words(buffer) };
  switch (kind) {
    case "clash":
      return { text: "circular buffers, reaching a tensor", paint: style.red };
    case "circular_buffers":
      return { text: "circular buffers", paint: style.cyan };
    default:
      return { text: "free", paint: style.dim };
  }
}
