// SPDX-License-Identifier: Apache-2.0
import type { TimeComparison } from "../../sim/timeline/error_band.ts";
import type { TimeBand } from "../../sim/timeline/timeline.ts";

/** Microseconds with the significant digits: `0.84`, `12.6`, `1,204`. */
export function formatMicroseconds(microseconds: number): string {
  const magnitude = Math.abs(microseconds);
  return groupThousands(decimals(microseconds, magnitude < 10 ? 2 : magnitude < 1000 ? 1 : 0));
}

/** A time with the unit of its size: `12.6 µs`, `10.6 ms`, `4.34 s`. */
export function timeOf(microseconds: number): { readonly text: string; readonly unit: "µs" | "ms" | "s" } {
  const magnitude = Math.abs(microseconds);
  if (magnitude < 10_000) return { text: formatMicroseconds(microseconds), unit: "µs" };
  const [value, unit] = magnitude < 1e6
    ? [microseconds / 1e3, "ms" as const]
    : [microseconds / 1e6, "s" as const];
  return { text: groupThousands(value.toFixed(Math.abs(value) < 10 ? 2 : 1)), unit };
}

/** {@linkcode timeOf} as one text. */
export function formatTime(microseconds: number): string {
  const { text, unit } = timeOf(microseconds);
  return `${text} ${unit}`;
}

/** Bytes in binary units: `512 B`, `24.0 KiB`, `1.33 MiB`. */
export function formatBytes(bytes: number): string {
  const magnitude = Math.abs(bytes);
  if (magnitude < 1024) return `${bytes} B`;
  if (magnitude < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  if (magnitude < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(2)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

/** A share as per cent: `12.3 %`. */
export function formatPercent(share: number): string {
  return `${decimals(share * 100, 1)} %`;
}

/** A signed share as per cent: `+12.3 %`, `-4.0 %`. */
export function formatChange(share: number): string {
  return `${share > 0 ? "+" : ""}${formatPercent(share)}`;
}

/** `us / baselineUs − 1`; 0 without a baseline. */
export function timeChange(us: number, baselineUs: number): number {
  return baselineUs === 0 ? 0 : us / baselineUs - 1;
}

/** Half-width of a band's 68 % interval relative to its time; 0 for a time of 0. */
export function bandShare({ upperUs }: TimeBand, us: number): number {
  return us === 0 ? 0 : upperUs / us - 1;
}

/** The intervals of a time: `±20.1 %, 90 %: 1.13 ms to 2.34 ms`. */
export function bandText(band: TimeBand, us: number): string {
  return `±${formatPercent(bandShare(band, us))}, 90 %: ${formatTime(band.lower90Us)} to ${
    formatTime(band.upper90Us)
  }`;
}

/** The claim about a difference, `""` without predictions: `faster (93.0 % confidence)`. */
export function comparisonText(comparison: TimeComparison | undefined): string {
  if (comparison === undefined) return "";
  const { verdict, confidence } = comparison;
  return verdict === "too_close_to_call"
    ? "too close to call (within the error of the difference)"
    : `${verdict} (${formatPercent(confidence)} confidence)`;
}

/** A count with its noun: `1 op`, `1,204 ops`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** An integer with commas: `14,295`. */
export function formatCount(count: number): string {
  return groupThousands(String(count));
}

/** `toFixed` without the sign of a value that rounds to zero. */
function decimals(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function groupThousands(digits: string): string {
  const [whole = "", fraction] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `; 31.8 % extrapolated`: the share of a time outside the measured range; empty if there is none. */
export function extrapolatedText(extrapolatedUs: number, totalUs: number): string {
  const share = totalUs === 0 ? 0 : extrapolatedUs / totalUs;
  return share < 0.001 ? "" : `; ${formatPercent(share)} extrapolated`;
}

/** Words with a capital, as lines and cells begin. */
export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
