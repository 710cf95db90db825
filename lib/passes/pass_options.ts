// SPDX-License-Identifier: Apache-2.0
import type { ComputeKernelConfig } from "../op_config/op_config.ts";

/** Formats that weights may be stored in: `--experimental-weight-dtype`. */
export const WEIGHT_FORMATS = ["bfp_bf8", "bfp_bf4"] as const;

/** One of {@linkcode WEIGHT_FORMATS}. */
export type WeightFormat = (typeof WEIGHT_FORMATS)[number];

/** Upstream's options that switch passes and patterns off, without `--`. */
export const PASS_SWITCHES = [
  "enable-fusing-pass",
  "enable-fusing-conv2d-with-multiply-pattern",
  "enable-permute-matmul-fusion",
  "enable-eltwise-activation-fusion",
  "enable-erase-inverse-ops-pass",
  "enable-const-eval",
  "enable-const-eval-inputs-to-system-memory",
] as const;

/** One of {@linkcode PASS_SWITCHES}. */
export type PassSwitch = (typeof PASS_SWITCHES)[number];

/**
 * The optimization levels at which upstream's pipeline does the same as a pass or pattern (tt-mlir:pass-order,
 * tt-mlir:ttnn-fusing): from level 0 on, from level 1 on (with its optimizer), or `"none"`. `"only-…"` marks transformations
 * of upstream that another pass here improves on. They run only if upstream's graph is requested: that of level 0
 * (`"only-level-0"`), that of level 1 (`"only-level-1"`), or either (`"only-upstream"`).
 */
export type UpstreamLevel =
  | "level-0"
  | "level-1"
  | "none"
  | "only-upstream"
  | "only-level-0"
  | "only-level-1";

/**
 * Selections of graph passes: all of ours, or those of upstream's level 1 and 2 (`upstream`), or of its level 0.
 */
export const PASS_SELECTIONS = ["all", "upstream", "upstream-level-0"] as const;

/** One of {@linkcode PASS_SELECTIONS}. */
export type PassSelection = (typeof PASS_SELECTIONS)[number];

/** Options for graph passes, under upstream's names (tt-mlir:options). */
export interface PassOptions {
  /** The selection of passes; all if absent. */
  readonly selection?: PassSelection;
  /** Switches that are off. */
  readonly off: ReadonlySet<PassSwitch>;
  /** `experimental-weight-dtype`; absent for `none`. */
  readonly weightDtype?: WeightFormat;
  /**
   * Fields of `compute-cfg-…`; one without a value is not set. An empty record (`compute-cfg-math-fidelity=undefined`)
   * removes the config that the lowering wrote, so that kernels choose, as upstream does from level 1 on. Absent:
   * ops stay unchanged.
   */
  readonly computeConfig?: ComputeKernelConfig;
  /** Whether inputs may arrive with another page layout or order of dimensions. */
  readonly freesInputs?: boolean;
  /** Whether results may leave with another page layout. */
  readonly freesResults?: boolean;
  /** Names of ops whose weights keep their format. */
  readonly keptOps?: ReadonlySet<string>;
  /** Names of ops that passes leave as and where they are. */
  readonly untouchedOps?: ReadonlySet<string>;
  /** Names of patterns, and of passes without patterns, that are left out, for ablation. */
  readonly leftOut?: ReadonlySet<string>;
}

/** All passes on; formats and fidelities as in the graph. */
export const DEFAULT_PASS_OPTIONS: PassOptions = { off: new Set() };

/** Upstream levels that each selection includes. */
const SELECTED: Readonly<Record<PassSelection, readonly UpstreamLevel[]>> = {
  "all": ["level-0", "level-1", "none"],
  "upstream": ["level-0", "level-1", "only-upstream", "only-level-1"],
  "upstream-level-0": ["level-0", "only-upstream", "only-level-0"],
};

/** Whether a pass or pattern runs. Of a pass with patterns, only these are left out by name. */
export function isEnabled(
  { off, selection = "all", leftOut }: PassOptions,
  { name, option = [], upstream, patterns }: {
    readonly name: string;
    readonly option?: PassSwitch | readonly PassSwitch[] | undefined;
    readonly upstream: UpstreamLevel;
    readonly patterns?: unknown;
  },
): boolean {
  return SELECTED[selection].includes(upstream) && ![option].flat().some((each) => off.has(each)) &&
    (patterns !== undefined || leftOut?.has(name) !== true);
}
