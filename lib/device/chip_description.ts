// SPDX-License-Identifier: Apache-2.0

/** Chip families, named as `ttcore.system_desc` names them. */
export const ARCHITECTURES = ["wormhole_b0", "blackhole", "quasar"] as const;

/** One of {@linkcode ARCHITECTURES}. */
export type Architecture = (typeof ARCHITECTURES)[number];

/** Chip families that TTNN has kernels for, whose rules and tables are known. */
export type KernelArchitecture = Exclude<Architecture, "quasar">;

/**
 * The family whose kernels a chip runs. TTNN has no kernels for Quasar yet (`tt-mlir:quasar`); those of Blackhole, the nearest
 * family, stand in, with a warning to the user.
 */
export function kernelsOf(architecture: Architecture): KernelArchitecture {
  return architecture === "quasar" ? "blackhole" : architecture;
}

/** Whether a value names a chip family. */
export function isArchitecture(value: unknown): value is Architecture {
  return ARCHITECTURES.some((name) => name === value);
}

/**
 * The facts about one chip on which everything but time depends. They come from a device JSON file (`sim/devices`), from the
 * `ttcore.system_desc` of an input, or from a user's own JSON; no other file has a number of a chip.
 */
export interface ChipDescription {
  /** For messages and plans; need not be a bundled device's. */
  readonly name: string;
  /** As `arch` of `ttcore.system_desc`. */
  readonly architecture: Architecture;
  /** Worker cores that ops may use: rows (y) and columns (x). */
  readonly workerGrid: { readonly rows: number; readonly columns: number };
  /** Bytes of L1 per core. */
  readonly l1Size: number;
  /** First byte of L1 that the allocator may hand out. */
  readonly l1UnreservedBase: number;
  /** Bytes at the top of L1 set aside as L1_SMALL. */
  readonly l1SmallSize: number;
  /** DRAM banks as the allocator sees them. */
  readonly dramBanks: number;
  /** Bytes per DRAM bank. */
  readonly dramBankSize: number;
  /** First byte of a DRAM bank that the allocator may hand out. */
  readonly dramUnreservedBase: number;
  /** One past the last byte of a DRAM bank that the allocator may hand out. */
  readonly dramUnreservedEnd: number;
  /** Address alignment in bytes. */
  readonly l1Alignment: number;
  /** Bytes; addresses of tensors in L1 keep it as well. */
  readonly dramAlignment: number;
  /** Bytes, for transfers from and to the host. */
  readonly pcieAlignment: number;
  /** Tiles (16-bit) of the destination register, full sync. */
  readonly dstTiles: number;
  /** Circular buffers per core. */
  readonly circularBuffers: number;
  /** First byte of an Ethernet core's L1 that programs may use. Only system descriptions that we write say it. */
  readonly ethernetL1UnreservedBase: number;
  /** Logical worker core `[x, y]` next to each DRAM bank. Only system descriptions that we write say it. */
  readonly dramBankWorkers: readonly (readonly number[])[];
}

/** Default share of L1 that tensors may use: that of ttmlir-opt's `--tensor-l1-usage-cap`. */
export const DEFAULT_L1_CAP = 0.95;

/** Cores of the worker grid. */
export function workerCores(chip: ChipDescription): number {
  return chip.workerGrid.rows * chip.workerGrid.columns;
}

/**
 * Bytes of L1 per core that tensors and circular buffers share:
 * `floor(cap × (l1Size − l1UnreservedBase)) − reserved` (tt-mlir `usableL1PerCore`, tt-mlir:validation).
 *
 * @example
 * ```ts
 * import { getDevice } from "@tilewright/tilewright";
 * import { chipDescription, usableL1Bytes } from "@tilewright/tilewright/device";
 * import { assertEquals } from "@std/assert";
 *
 * const chip = chipDescription(getDevice("n150"));
 * assertEquals(usableL1Bytes(chip, 0.5, 1024), Math.floor((chip.l1Size - chip.l1UnreservedBase) / 2) - 1024);
 * ```
 *
 * @param cap share that may be used, `--tensor-l1-usage-cap` ({@linkcode DEFAULT_L1_CAP})
 * @param reserved bytes per core held by const-eval results in L1 (`ttnn.l1_const_eval_usage`)
 */
export function usableL1Bytes(chip: ChipDescription, cap: number, reserved: number): number {
  return Math.floor(Math.fround(cap) * (chip.l1Size - chip.l1UnreservedBase)) - reserved;
}
