// SPDX-License-Identifier: Apache-2.0

/**
 * Single-precision floats as MLIR's printer writes them: six digits in scientific form where they are enough to get the
 * same float back, else the form of llvm's `APFloat::toString`, else the bit pattern. Followed step by step, including
 * the truncation in front of the rounding, so that the text is the same digit by digit.
 *
 * @module
 */

/** A float attribute of type `f32`, `1.000000e+00 : f32`; the value is rounded to single precision. */
export function f32Text(value: number): string {
  return `${f32Digits(value)} : f32`;
}

/** The digits of {@linkcode f32Text} without the type. */
export function f32Digits(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return bitPattern(single);
  const scientific = decimalText(single, { precision: 6, padding: 0, truncateZero: false });
  if (Object.is(Math.fround(Number(scientific)), single)) return scientific;
  const natural = decimalText(single, { precision: NATURAL_PRECISION, padding: 3, truncateZero: true });
  return natural.includes(".") ? natural : bitPattern(single);
}

/** Bits of the significand of a single-precision float. */
const SIGNIFICAND_BITS = 24;

/** Digits that always give the same float back: `2 + precision * 59 / 196`. */
const NATURAL_PRECISION: number = 2 + Math.floor(SIGNIFICAND_BITS * 59 / 196);

function bitPattern(value: number): string {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return `0x${view.getUint32(0).toString(16).toUpperCase().padStart(8, "0")}`;
}

interface DecimalFormat {
  /** Significant digits at most. */
  readonly precision: number;
  /** Zeros that may pad a positional number before the scientific form is taken. */
  readonly padding: number;
  readonly truncateZero: boolean;
}

/** llvm `APFloat::toString`. */
function decimalText(value: number, format: DecimalFormat): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}${format.truncateZero ? "0.0" : "0.000000e+00"}`;
  let { significand, exponent } = exactDecimal(Math.abs(value));
  // Drop digits that cannot matter, by truncation (196/59 is a slight overestimate of log2 10).
  const bits = significand.toString(2).length;
  const needed = Math.floor((format.precision * 196 + 58) / 59);
  const removable = bits <= needed ? 0 : Math.floor((bits - needed) * 59 / 196);
  significand /= 10n ** BigInt(removable);
  exponent += removable;
  const all = significand.toString();
  const trimmed = all.replace(/0+$/, "");
  exponent += all.length - trimmed.length;
  const rounded = roundHalfUp(trimmed, format.precision);
  return sign + placePoint(rounded.digits, exponent + rounded.dropped, format);
}

/** A positive float as `significand * 10^exponent`, exactly. */
function exactDecimal(value: number): { significand: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const biased = bits >>> 23;
  let significand = BigInt(bits & 0x7fffff) | (biased === 0 ? 0n : 1n << 23n);
  let exponent = (biased === 0 ? 1 : biased) - 127 - (SIGNIFICAND_BITS - 1);
  while ((significand & 1n) === 0n) {
    significand >>= 1n;
    exponent++;
  }
  if (exponent >= 0) return { significand: significand << BigInt(exponent), exponent: 0 };
  return { significand: significand * 5n ** BigInt(-exponent), exponent };
}

/** Rounds to the given digits and drops zeros at the end; `dropped` counts the digits taken away. */
function roundHalfUp(digits: string, precision: number): { digits: string; dropped: number } {
  if (digits.length <= precision) return { digits, dropped: 0 };
  const kept = BigInt(digits.slice(0, precision)) + (digits.charAt(precision) >= "5" ? 1n : 0n);
  const text = kept.toString();
  const trimmed = text.replace(/0+$/, "");
  return { digits: trimmed, dropped: digits.length - precision + (text.length - trimmed.length) };
}

function placePoint(digits: string, exponent: number, format: DecimalFormat): string {
  const magnitude = exponent + digits.length - 1;
  if (format.padding > 0) {
    if (exponent >= 0) {
      if (exponent <= format.padding && digits.length + exponent <= format.precision) {
        return digits + "0".repeat(exponent);
      }
    } else if (magnitude >= 0) {
      return `${digits.slice(0, magnitude + 1)}.${digits.slice(magnitude + 1)}`;
    } else if (-magnitude <= format.padding) {
      return `0.${"0".repeat(-magnitude - 1)}${digits}`;
    }
  }
  const sign = magnitude < 0 ? "-" : "+";
  const power = Math.abs(magnitude).toString();
  const fraction = digits.slice(1);
  if (format.truncateZero) return `${digits.charAt(0)}.${fraction === "" ? "0" : fraction}E${sign}${power}`;
  return `${digits.charAt(0)}.${fraction.padEnd(format.precision, "0")}e${sign}${power.padStart(2, "0")}`;
}
