// SPDX-License-Identifier: Apache-2.0
import type { ChainOptions } from "../chains/chain_model.ts";
import { DEFAULT_L1_CAP } from "../device/chip_description.ts";
import type { Conv2dConfig, Conv3dConfig } from "../op_config/op_config.ts";
import { FIDELITIES, fidelityNamed, type MathFidelity } from "../op_config/math_fidelity.ts";
import { parseConv2dConfigOverrides, parseConv3dConfigOverrides } from "../overrides/conv_config_override.ts";
import {
  parseMemReconfigOverrides,
  parseOutputLayoutOverrides,
} from "../overrides/output_layout_override.ts";
import type { OutputLayoutOverride } from "../overrides/overrides.ts";
import { SCORE_NAMES, type ScoreName } from "../propagation/layout_score.ts";
import type { CandidateLimits } from "../search/layout_catalog.ts";
import { SPILL_POLICY_NAMES, type SpillPolicyName } from "../spill/spill_policy.ts";
import { FREE_NAMES, FREEDOMS, type FreeWord, parseFreeWords } from "./free.ts";
import {
  choiceOption,
  countOption,
  durationOption,
  type OptionInput,
  type PolicyOption,
  shareOption,
  switchOption,
  textOption,
} from "./policy_option.ts";

// Options that more than one policy reads, and the groups in which they are used. An option of a single policy
// is in the file of that policy. Names and defaults follow the code of ttmlir-opt (tt-mlir:options), not its
// documentation.

export const BEAM_WIDTH: PolicyOption<number> = countOption({
  name: "beam-width",
  value: "K",
  default: 8,
  description: "Candidates kept per op; 1 is greedy",
});

export const SCORE: PolicyOption<ScoreName | undefined> = choiceOption({
  name: "score",
  choices: SCORE_NAMES,
  description: "How pass 1 ranks candidates; default: the policy's own",
});

export const SPILL: PolicyOption<SpillPolicyName | undefined> = choiceOption({
  name: "spill",
  choices: SPILL_POLICY_NAMES,
  description: "What pass 2 spills first; default: the policy's own",
});

export const SCHEDULE: PolicyOption<"input" | "memory" | undefined> = choiceOption({
  name: "schedule",
  choices: ["input", "memory"],
  description:
    "Order of the ops: the input's, or reordered where that removes spills; default: the policy's own",
});

export const MAX_LEGAL_LAYOUTS: PolicyOption<number> = countOption({
  name: "max-legal-layouts",
  value: "N",
  default: 64,
  // 0 is tt-mlir's way to compile without sharding.
  least: 0,
  description: "Sharded layouts considered per op",
});

const MAX_INPUT_CANDIDATES: PolicyOption<number> = countOption({
  name: "max-input-candidates-per-operand",
  value: "N",
  default: 64,
  description: "Candidate layouts per operand",
});

export const MAX_RESHARD_CANDIDATES: PolicyOption<number> = countOption({
  name: "max-reshard-candidates-per-type",
  value: "N",
  default: 4,
  least: 0,
  description: "Reshard targets considered per sharding type",
});

/** `--enable-l1-sharding-layouts`; off at lower optimization levels. */
export const ENABLE_L1_SHARDING: PolicyOption<boolean> = switchOption({
  name: "enable-l1-sharding-layouts",
  default: true,
  description: "Consider sharded layouts",
});

const ROW_MAJOR_ENABLED: PolicyOption<boolean> = switchOption({
  name: "row-major-enabled",
  description: "Consider row-major layouts",
});

export const MATH_FIDELITIES: PolicyOption<readonly MathFidelity[]> = textOption({
  name: "math-fidelities",
  description: "Math fidelities that matmuls and convolutions may also use, for example hifi2,lofi",
}, parseMathFidelities);

function parseMathFidelities(text: string): readonly MathFidelity[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase()).filter((name) => name !== "");
  return names.map((name) => {
    const fidelity = fidelityNamed(name);
    if (fidelity !== undefined) return fidelity;
    throw new RangeError(`Option --math-fidelities names '${name}'; choose from ${FIDELITIES.join(", ")}`);
  });
}

export const FREE: PolicyOption<readonly FreeWord[] | undefined> = textOption({
  name: "free",
  description: `What may change: ${
    FREE_NAMES.map((name) => `${name} (${FREEDOMS[name].changes})`).join(", ")
  }; +NAME and -NAME change the default, which is the policy's own`,
}, parseFreeWords);

export const KEEP: PolicyOption<ReadonlySet<string>> = textOption({
  name: "keep",
  description: "Ops that keep formats and fidelity, by location name, for example matmul_1,conv_2",
}, (text) => new Set(text.split(",").map((name) => name.trim()).filter((name) => name !== "")));

export const TENSOR_L1_USAGE_CAP: PolicyOption<number> = shareOption({
  name: "tensor-l1-usage-cap",
  default: DEFAULT_L1_CAP,
  description: "Share of L1 that tensors and circular buffers may use",
});

const OVERRIDE_OUTPUT_LAYOUT: PolicyOption<ReadonlyMap<string, OutputLayoutOverride>> = textOption({
  name: "override-output-layout",
  description: "Fix result layouts by location name, for example add_1=8x8:l1:block_sharded:tile",
}, parseOutputLayoutOverrides);

const INSERT_MEMRECONFIG: PolicyOption<ReadonlyMap<string, readonly number[]>> = textOption({
  name: "insert-memreconfig",
  description: "Convert operands to the op's own layout, for example add_1=0,add_2=0:1",
}, parseMemReconfigOverrides);

const OVERRIDE_CONV2D_CONFIG: PolicyOption<ReadonlyMap<string, Conv2dConfig>> = textOption({
  name: "override-conv2d-config",
  description: "Fix conv2d fields, for example conv_1=act_block_h_override#64",
}, parseConv2dConfigOverrides);

const OVERRIDE_CONV3D_CONFIG: PolicyOption<ReadonlyMap<string, Conv3dConfig>> = textOption({
  name: "override-conv3d-config",
  description: "Fix conv3d block sizes, for example conv_1=c_in_block#32",
}, parseConv3dConfigOverrides);

const MEMRECONFIG_ENABLED: PolicyOption<boolean> = switchOption({
  name: "memreconfig-enabled",
  default: true,
  description: "Convert operands where no pair of configs is compatible",
});

const L1_INTERLEAVED_FALLBACK: PolicyOption<boolean> = switchOption({
  name: "l1-interleaved-fallback-analysis-enabled",
  description: "Move results left in DRAM to L1 interleaved if their reader comes next",
});

const SOLVE_FOR_OPTIMAL_FIRST_OP_INPUT: PolicyOption<boolean> = switchOption({
  name: "solve-for-optimal-first-op-input",
  description: "Let the shard solver pick the input layout of a chain",
});

const LEGACY_QUIRKS: PolicyOption<boolean> = switchOption({
  name: "legacy-quirks",
  description: "Reproduce bugs of the original that change decisions",
});

/** `--trace-solver`; the output goes to `PolicyContext.traceSolver`. */
export const TRACE_SOLVER: PolicyOption<boolean> = switchOption({
  name: "trace-solver",
  description: "Print bitsets and paths after each phase of the shard solver, on standard error",
});

export const TIME_BUDGET: PolicyOption<number> = durationOption({
  name: "time-budget",
  value: "SECONDS",
  default: 0.8,
  description:
    "About how long to search, and a millisecond per op, counted in work: the same input gives the same plan on any machine",
});

/** Decisions made by hand, which every search obeys. */
export const OVERRIDE_OPTIONS: readonly PolicyOption<unknown>[] = [
  OVERRIDE_OUTPUT_LAYOUT,
  OVERRIDE_CONV2D_CONFIG,
  OVERRIDE_CONV3D_CONFIG,
  INSERT_MEMRECONFIG,
];

/** Limits of the explored layouts; they affect the lower bound as well. */
export const LAYOUT_LIMITS: readonly PolicyOption<unknown>[] = [
  MAX_LEGAL_LAYOUTS,
  MAX_RESHARD_CANDIDATES,
  ENABLE_L1_SHARDING,
  ROW_MAJOR_ENABLED,
];

/** Options of both passes. */
export const PASS_OPTIONS: readonly PolicyOption<unknown>[] = [
  SCORE,
  SPILL,
  SCHEDULE,
  MAX_INPUT_CANDIDATES,
  MATH_FIDELITIES,
  KEEP,
  ...LAYOUT_LIMITS,
  TENSOR_L1_USAGE_CAP,
  ...OVERRIDE_OPTIONS,
];

/** Options of everything in the chain architecture: legal configs, the L1 cap, decisions made by hand. */
export const CHAIN_OPTIONS: readonly PolicyOption<unknown>[] = [
  MAX_LEGAL_LAYOUTS,
  ROW_MAJOR_ENABLED,
  TENSOR_L1_USAGE_CAP,
  ...OVERRIDE_OPTIONS,
  LEGACY_QUIRKS,
];

/** Options of the chains and their shard solver. */
export const SHARD_SOLVER_OPTIONS: readonly PolicyOption<unknown>[] = [
  ...CHAIN_OPTIONS,
  MEMRECONFIG_ENABLED,
  L1_INTERLEAVED_FALLBACK,
  SOLVE_FOR_OPTIMAL_FIRST_OP_INPUT,
  TRACE_SOLVER,
];

/** The values of options that more than one policy reads. */
export interface PolicyOptions extends CandidateLimits, ChainOptions {
  /** {@linkcode BEAM_WIDTH}. */
  readonly beamWidth: number;
  /** {@linkcode MAX_INPUT_CANDIDATES}. */
  readonly maxInputCandidatesPerOperand: number;
  /** {@linkcode SCORE}; `undefined` leaves it to the policy. */
  readonly score: ScoreName | undefined;
  /** Predicted time replaces scores that count cores (level 3 of tt-mlir:optimizer-document §5.8.3). */
  readonly costMode: boolean;
  /** {@linkcode SPILL}; `undefined` leaves it to the policy. */
  readonly spill: SpillPolicyName | undefined;
  /**
   * {@linkcode SCHEDULE}; `undefined` leaves it to the policy: both orders if it tries everything, otherwise
   * the input's.
   */
  readonly schedule: "input" | "memory" | undefined;
  /** {@linkcode FREE}; `undefined` leaves it to the policy. */
  readonly free: readonly FreeWord[] | undefined;
  /** The given options by name; an option that only one policy reads is looked up here. */
  readonly given: ReadonlyMap<string, OptionInput>;
}

/**
 * Reads the values of all options.
 *
 * @param given by option name; missing ones get their default
 * @param costMode decide by predicted time where a policy would count cores
 * @throws {RangeError} for numbers out of range
 * @throws {DiagnosticError} for an override that cannot be parsed, with the position in its text
 */
export function readPolicyOptions(
  given: ReadonlyMap<string, OptionInput>,
  costMode = false,
): PolicyOptions {
  const read = <Value>(option: PolicyOption<Value>): Value => option.read(given.get(option.name));
  return {
    tensorL1UsageCap: read(TENSOR_L1_USAGE_CAP),
    beamWidth: read(BEAM_WIDTH),
    maxLegalLayouts: read(MAX_LEGAL_LAYOUTS),
    maxInputCandidatesPerOperand: read(MAX_INPUT_CANDIDATES),
    maxReshardCandidatesPerType: read(MAX_RESHARD_CANDIDATES),
    enableL1ShardingLayouts: read(ENABLE_L1_SHARDING),
    rowMajorEnabled: read(ROW_MAJOR_ENABLED),
    mathFidelities: read(MATH_FIDELITIES),
    keptOps: read(KEEP),
    score: read(SCORE),
    costMode,
    spill: read(SPILL),
    schedule: read(SCHEDULE),
    free: read(FREE),
    overrides: {
      outputLayouts: read(OVERRIDE_OUTPUT_LAYOUT),
      memReconfigs: read(INSERT_MEMRECONFIG),
      conv2dConfigs: read(OVERRIDE_CONV2D_CONFIG),
      conv3dConfigs: read(OVERRIDE_CONV3D_CONFIG),
      heldLayouts: new Map(),
    },
    memReconfigEnabled: read(MEMRECONFIG_ENABLED),
    l1InterleavedFallback: read(L1_INTERLEAVED_FALLBACK),
    solveForOptimalFirstOpInput: read(SOLVE_FOR_OPTIMAL_FIRST_OP_INPUT),
    legacyQuirks: read(LEGACY_QUIRKS),
    given,
  };
}

/** All options at their defaults. */
export const DEFAULT_POLICY_OPTIONS: PolicyOptions = readPolicyOptions(new Map());
