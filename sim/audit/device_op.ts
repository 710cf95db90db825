// SPDX-License-Identifier: Apache-2.0
import type { Params } from "./measured_ops/measured_op.ts";
import { integersIn, numberIn, textIn } from "./measured_ops/texts.ts";

/** A tensor of a device op, as its source prints it. */
export interface DeviceTensor {
  /** Logical extents. */
  readonly shape: readonly number[];
  /** Whether pages are tiles. */
  readonly tiled: boolean;
  /** Format as spelled, for example `bfp8`. */
  readonly dtype: string;
  /** Memory as spelled, for example `l1 height_sharded`. */
  readonly memory: string;
  /** Extents of a shard in elements, where printed. */
  readonly shardShape: readonly [number, number] | undefined;
}

/** A measured device op, as every reader of `readers/` returns it. */
export interface DeviceOp {
  /** Device operation, for example `MatmulDeviceOperation`. */
  readonly op: string;
  /** Chip as the source names it. */
  readonly chip: string;
  /** Operands. */
  readonly inputs: readonly DeviceTensor[];
  /** Results, the main one first. */
  readonly outputs: readonly DeviceTensor[];
  /** Fields by name: function, program config, window. Fields that the source does not state are absent. */
  readonly params: Params;
  /** Attributes as one text, `name=value` with blanks between. */
  readonly attributes: string;
  /** Whether the source prints only the beginning of the attributes. */
  readonly isCut: boolean;
  /** Position in the order of execution; in a part of a profile, neighbours may be missing. */
  readonly order: number | undefined;
  /** Cores that it ran on. */
  readonly cores: number;
  /** Device kernel duration in µs. */
  readonly us: number;
  /** µs between the end of the op before and the start of this one; `undefined` where not recorded. */
  readonly gapUs: number | undefined;
}

/** Kind of a device op: its name without the suffix that all have. */
export function kindOf({ op }: Pick<DeviceOp, "op">): string {
  return op.replace(/(Device)?Operation$/, "");
}

/** What a source states of a run, a device op or a row of a table, beside tensors and time. */
export type Stated = Pick<DeviceOp, "params" | "attributes">;

/** The number of a field or of an attribute by any of its names; `undefined` where none is stated. */
export function statedNumber(
  { params, attributes }: Stated,
  ...names: readonly string[]
): number | undefined {
  const told = numberIn(params, ...names);
  if (told !== undefined) return told;
  for (const name of names) {
    const printed = new RegExp(`\\b${name}[= ](\\d+)`).exec(attributes)?.[1];
    if (printed !== undefined) return Number(printed);
  }
  return undefined;
}

/**
 * Two numbers of a field or of an attribute, in any spelling: `8x8`, `[8, 8]`, `(x=8;y=8)`; a single one counts for
 * both. `undefined` where none is stated.
 */
export function statedPair(
  { params, attributes }: Stated,
  ...names: readonly string[]
): readonly [number, number] | undefined {
  for (const name of names) {
    const value = params[name];
    const list = integersIn(value) ??
      (typeof value === "string" && /^\d+x\d+$/.test(value) ? value.split("x").map(Number) : undefined);
    const [first = numberIn(params, name), second = first] = list ?? [];
    if (first !== undefined && second !== undefined) return [first, second];
    const printed = new RegExp(`\\b${name}(?:=\\(| )(?:x=)?(\\d+)(?:(?:[;,] ?|x)(?:y=)?(\\d+))?`).exec(
      attributes,
    );
    if (printed !== null) return [Number(printed[1]), Number(printed[2] ?? printed[1])];
  }
  return undefined;
}

/** Whether an attribute or a field is `1` or `true`; `undefined` if none of the names is stated. */
export function statedFlag(
  { params, attributes }: Stated,
  ...names: readonly string[]
): boolean | undefined {
  for (const name of names) {
    const value = params[name];
    if (typeof value === "boolean") return value;
    const text = textIn(params, name) || (new RegExp(`\\b${name}[= ](\\w+)`).exec(attributes)?.[1] ?? "");
    if (/^(1|true)$/.test(text)) return true;
    if (/^(0|false)$/.test(text)) return false;
  }
  return undefined;
}
