// SPDX-License-Identifier: Apache-2.0
import type { Architecture } from "../device/chip_description.ts";
import { computeConfigInUse, type ComputeDefaults } from "../op_config/default_compute_config.ts";
import type { ComputeKernelConfig, OpSpecificAttributes } from "../op_config/op_config.ts";
import type { MathFidelity } from "../op_config/math_fidelity.ts";
import type { OutputHint } from "../opmodel/op_model.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";

/** The facts about an op that its compute config depends on. */
export interface ComputedOp {
  readonly op: OpSignature;
  /** The op's config in the input; the rest of its compute config stays. */
  readonly own: OpSpecificAttributes | undefined;
  readonly architecture: Architecture;
}

/**
 * Every hint with every compute config that pass 1 searches (tt-mlir:optimizer-document §5.6.1), in addition to
 * layouts and program configs:
 *
 * - the fastest math fidelity that the user allows. Only the user may: lower ones multiply in fewer phases and
 *   round the factors. Slower ones are never faster; {@linkcode moreExact} has those that may be free.
 * - accumulation of partial results in L1 by the packer. The sum is the same, so this is tried wherever a
 *   compute config does not set it, in which case the backend's default is off. It comes first, so that it wins
 *   ties.
 *
 * Every config that differs from the op's own states all fields, those that stay as the op runs in the input: a written
 * config replaces the backend's default as a whole (`ttnn:backend-0-81-1`).
 *
 * @param fidelities allowed ones beside the op's own
 */
export function withComputeConfigs(
  hints: readonly OutputHint[],
  fidelities: readonly MathFidelity[],
  computed: ComputedOp,
): readonly OutputHint[] {
  // Hints with equal configs share the resulting objects, so that caches can compare by identity.
  const cached = new Map<OutputHint["config"], readonly OutputHint["config"][]>();
  return hints.flatMap(({ layout, config }) => {
    let configs = cached.get(config);
    if (configs === undefined) cached.set(config, configs = offeredConfigs(config, fidelities, computed));
    return configs.map((offered): OutputHint => ({ layout, config: offered }));
  });
}

/** The configs to try in place of a hint's own, best first. */
function offeredConfigs(
  config: OutputHint["config"],
  fidelities: readonly MathFidelity[],
  computed: ComputedOp,
): readonly OutputHint["config"][] {
  const base = config ?? computed.own ?? MATMUL;
  const stated = base.computeConfig ?? computed.own?.computeConfig;
  const leavesSums = stated?.packerL1Acc === undefined;
  const inUse = completed(stated, computed);
  const own = inUse.mathFidelity;
  const mathFidelity = BY_PHASES.find((each) => each === own || fidelities.includes(each));
  if (mathFidelity === undefined || mathFidelity === own) {
    if (stated === undefined || !leavesSums) return [config];
    return [withCompute(base, { ...inUse, packerL1Acc: true }), config];
  }
  const complete = { ...inUse, mathFidelity };
  return leavesSums && complete.packerL1Acc !== true
    ? [withCompute(base, { ...complete, packerL1Acc: true }), withCompute(base, complete)]
    : [withCompute(base, complete)];
}

/** Math fidelities from one to four phases of a product. */
const BY_PHASES: readonly MathFidelity[] = ["lofi", "hifi2", "hifi3", "hifi4"];

/**
 * A config in every math fidelity with more phases that is allowed or that of the input; most phases first.
 * None if the config states no fidelity.
 */
export function moreExact(
  config: OpSpecificAttributes,
  fidelities: readonly MathFidelity[],
  computed: ComputedOp,
): readonly OpSpecificAttributes[] {
  const { mathFidelity } = config.computeConfig ?? {};
  if (mathFidelity === undefined) return [];
  const own = completed(computed.own?.computeConfig, computed).mathFidelity;
  return BY_PHASES.slice(BY_PHASES.indexOf(mathFidelity) + 1)
    .filter((each) => each === own || fidelities.includes(each)).toReversed()
    .map((each) => withCompute(config, { ...config.computeConfig, mathFidelity: each }));
}

/**
 * The compute config with which the op runs if the text has `stated`: the stated fields, and for the others the
 * backend's defaults, if known.
 */
function completed(
  stated: ComputeKernelConfig | undefined,
  { op, own, architecture }: ComputedOp,
): ComputeKernelConfig {
  const isTensor = (tensor: TensorShape | undefined): tensor is TensorShape => tensor !== undefined;
  const [result] = op.results;
  const inUse: ComputeDefaults | undefined = result === undefined ? undefined : computeConfigInUse(stated, {
    op: op.name,
    operands: op.operands.filter(isTensor).map(({ dataType }) => dataType),
    result: result.dataType,
    isPlanned: own?.kind === "matmul" && own.programConfig !== undefined,
    architecture,
  });
  return { ...inUse, ...stated };
}

function withCompute(base: OpSpecificAttributes, computeConfig: ComputeKernelConfig): OpSpecificAttributes {
  return { ...base, computeConfig };
}

/** A matmul without a program config; the backend derives one. */
const MATMUL: OpSpecificAttributes = { kind: "matmul" };
