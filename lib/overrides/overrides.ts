// SPDX-License-Identifier: Apache-2.0
import type { OpId } from "../graph/graph.ts";
import type { DataType } from "../layout/data_type.ts";
import type { BufferType, TensorMemoryLayout } from "../layout/ttnn_layout.ts";
import type { Conv2dConfig, Conv3dConfig } from "../op_config/op_config.ts";

/** Requirements of `--override-output-layout` for one op's result; absent fields are free. */
export interface OutputLayoutOverride {
  /** Shard grid `[rows, columns]`. */
  readonly grid?: readonly [number, number];
  /** Memory that the result goes to. */
  readonly bufferType?: BufferType;
  /** Interleaved, or the kind of sharding. */
  readonly memoryLayout?: TensorMemoryLayout;
  /** Tiles or row-major. */
  readonly pageLayout?: "row_major" | "tile";
  /** Element format of the result. */
  readonly dataType?: DataType;
}

/** All overrides of a run. Names are those of locations; if several ops share one, it refers to all of them. */
export interface OptimizerOverrides {
  /** `--override-output-layout`. */
  readonly outputLayouts: ReadonlyMap<string, OutputLayoutOverride>;
  /** `--insert-memreconfig`: operand indices to convert. */
  readonly memReconfigs: ReadonlyMap<string, readonly number[]>;
  /** `--override-conv2d-config`. */
  readonly conv2dConfigs: ReadonlyMap<string, Conv2dConfig>;
  /** `--override-conv3d-config`. */
  readonly conv3dConfigs: ReadonlyMap<string, Conv3dConfig>;
  /**
   * By function and op: result layouts fixed by an earlier plan (`--pin`), for ops that no override refers to
   * by name. Formats and pages are those of the result.
   */
  readonly heldLayouts: ReadonlyMap<string, ReadonlyMap<OpId, OutputLayoutOverride>>;
}

/** Nothing is overridden. */
export const NO_OVERRIDES: OptimizerOverrides = {
  outputLayouts: new Map(),
  memReconfigs: new Map(),
  conv2dConfigs: new Map(),
  conv3dConfigs: new Map(),
  heldLayouts: new Map(),
};

/** Whether anything is overridden. */
export function isOverridden(overrides: OptimizerOverrides): boolean {
  return Object.values(overrides).some((given) => given.size > 0);
}

/** Whether an override fixes the layout completely; the element format may be the tensor's own. */
export function isFullOverride(
  override: OutputLayoutOverride,
): override is Required<Omit<OutputLayoutOverride, "dataType">> & Pick<OutputLayoutOverride, "dataType"> {
  return override.grid !== undefined && override.bufferType !== undefined &&
    override.memoryLayout !== undefined && override.pageLayout !== undefined;
}

/**
 * The name of an MLIR `NameLoc`: `loc("add_1"("model.py":3:7))` and `loc("add_1")` have one; file, fused,
 * call-site and unknown locations do not. Overrides refer to ops by it (tt-mlir `OptimizerOverrides`).
 *
 * @param location text of a location with aliases resolved, with or without the `loc(…)` around it
 */
export function nameOfLocation(location: string): string | undefined {
  const inner = /^\s*(?:loc\()?\s*"((?:[^"\\]|\\.)*)"\s*(.?)/s.exec(location);
  if (inner === null || inner[1] === undefined) return undefined;
  return inner[2] === ":" ? undefined : inner[1];
}
