// SPDX-License-Identifier: Apache-2.0
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import type { CostModel } from "../../lib/cost/cost_model.ts";
import { workerCores } from "../../lib/device/chip_description.ts";
import type { Graph, GraphFunction } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import { makeInterleaved } from "../../lib/layout/make_layout.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { FIDELITIES, type MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { OpSignature } from "../../lib/ops/op_signature.ts";
import { cheapestSpread, loadWork } from "./layout_advice.ts";
import type { SimulationContext } from "./simulate.ts";
import { type FunctionTimeline, type StepTimeline, stepUs, type Timeline } from "./timeline.ts";

/** Section of a piece of advice; the first three are those of tt-perf-report. */
export type AdviceTopic = (typeof ADVICE_TOPICS)[number];

/** The sections in their order. */
export const ADVICE_TOPICS = [
  "Fallback",
  "High Op-to-Op Gap",
  "Matmul Optimization",
  "Layout Changes",
  "Core Usage",
  "Load",
] as const;

/** One suggestion, with its saving. */
export interface Advice {
  /** Section that it belongs to. */
  readonly topic: AdviceTopic;
  /** Function that it is about. */
  readonly functionName: string;
  /** Steps that it is about. */
  readonly steps: readonly number[];
  /** The suggestion and its reason, without the saving. */
  readonly message: string;
  /**
   * Predicted saving in µs per run of the function; 0 if nothing was found that saves time, `undefined` if it cannot be
   * priced.
   */
  readonly savedUs: number | undefined;
  /** Whether the saving is smaller than its own error: too close to call. */
  readonly withinError: boolean;
  /** Command to try it with; `undefined` if there is none. */
  readonly tryCommand: string | undefined;
}

/** Gap in µs above which tt-perf-report marks it as high. */
export const HIGH_GAP_US = 6.5;

/** The part of a gap in µs that tt-perf-report counts as unavoidable. */
const USUAL_GAP_US = 6;

/** Cores below which tt-perf-report marks the count of an op. */
export const FEW_CORES = 10;

/**
 * Advice for the functions of a timeline that run in an inference: by saving, largest first; then unpriced
 * advice in the order of topics. Each saving is priced by the cost model with only that change.
 *
 * @example
 * ```ts
 * import { advise, loadModule, simulateGraph } from "@tilewright/tilewright";
 * import { assert } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const { graph } = workbench.binding;
 * const advice = advise(graph, simulateGraph(graph, undefined, workbench), workbench);
 * assert(advice.every(({ message }) => message !== ""));
 * ```
 */
export function advise(graph: Graph, timeline: Timeline, context: SimulationContext): readonly Advice[] {
  const all: Advice[] = [];
  for (const fn of timeline.functions) {
    const source = graph.functions.find((candidate) => candidate.name === fn.name);
    if (fn.role !== "inference" || source === undefined) continue;
    all.push(
      ...hostAdvice(fn),
      ...gapAdvice(fn),
      ...matmulAdvice(fn, source, context),
      ...layoutAdvice(fn),
      ...coreAdvice(fn, source, context),
      ...loadAdvice(fn, source),
    );
  }
  return joinRepeated(all, timeline).sort((a, b) =>
    (b.savedUs ?? 0) - (a.savedUs ?? 0) || ADVICE_TOPICS.indexOf(a.topic) - ADVICE_TOPICS.indexOf(b.topic) ||
    (a.steps[0] ?? 0) - (b.steps[0] ?? 0)
  );
}

/** Merges advice about ops of repeated layers: ops with equal name and problem size share one entry. */
function joinRepeated(all: readonly Advice[], timeline: Timeline): Advice[] {
  const joined = new Map<string, Advice>();
  for (const advice of all) {
    const fn = timeline.functions.find((candidate) => candidate.name === advice.functionName);
    const step = fn?.steps[advice.steps[0] ?? 0];
    const key = [advice.topic, advice.functionName, advice.message, step?.name, step?.shape].join("|");
    const same = joined.get(key);
    joined.set(
      key,
      same === undefined ? advice : {
        ...same,
        steps: [...same.steps, ...advice.steps],
        savedUs: same.savedUs === undefined ? undefined : same.savedUs + (advice.savedUs ?? 0),
      },
    );
  }
  return [...joined.values()];
}

/** A suggestion about steps of a function; unless said, unpriced and without an option. */
interface Suggestion
  extends Pick<Advice, "message">, Partial<Pick<Advice, "savedUs" | "withinError" | "tryCommand">> {}

function adviceOn(
  topic: AdviceTopic,
  fn: FunctionTimeline,
  steps: readonly number[],
  { message, savedUs, withinError = false, tryCommand }: Suggestion,
): Advice {
  return { topic, functionName: fn.name, steps, message, savedUs, withinError, tryCommand };
}

function indices(steps: readonly StepTimeline[]): readonly number[] {
  return steps.map((step) => step.index);
}

function totalUs(steps: readonly StepTimeline[]): number {
  return steps.reduce((sum, step) => sum + stepUs(step), 0);
}

function hostAdvice(fn: FunctionTimeline): Advice[] {
  const steps = fn.steps.filter((step) => step.bound === "HOST");
  if (steps.length === 0) return [];
  const message = "These ops wait for the host; keep their tensors on the device if the program allows it";
  return [adviceOn("Fallback", fn, indices(steps), { message, savedUs: totalUs(steps) })];
}

function gapAdvice(fn: FunctionTimeline): Advice[] {
  const hostPart = (step: StepTimeline) => step.gapUs - step.estimate.terms.launch;
  // An op with many programs has a long gap that the host does not cause; a nanosecond is no saving.
  const steps = fn.steps.filter((step) =>
    step.gapUs > HIGH_GAP_US && hostPart(step) > 1e-3 && step.bound !== "HOST"
  );
  if (steps.length === 0) return [];
  return [adviceOn("High Op-to-Op Gap", fn, indices(steps), {
    message:
      `These ops have a gap of more than ${USUAL_GAP_US} µs before them; a trace saves the host's part`,
    savedUs: steps.reduce((sum, step) => sum + hostPart(step), 0),
    tryCommand: "simulate --trace",
  })];
}

function matmulAdvice(fn: FunctionTimeline, source: GraphFunction, context: SimulationContext): Advice[] {
  const signatures = opSignatures(source);
  return fn.steps.flatMap((step) => {
    const signature = step.kind === "op" ? signatures[step.op] : undefined;
    if (step.costClass !== "matmul" || signature === undefined) return [];
    return [
      firstOperandInL1(step, signature, context),
      lowerFidelity(step, signature, context),
      ...programConfigAdvice(step, context).map((message) => ({ message })),
    ].flatMap((item) => item === undefined ? [] : [adviceOn("Matmul Optimization", fn, [step.index], item)]);
  });
}

/** Input 0 in L1 instead of DRAM, if the op model allows it and the predicted time is shorter. */
function firstOperandInL1(
  step: StepTimeline,
  signature: OpSignature,
  context: SimulationContext,
): Suggestion | undefined {
  const [layout] = step.inputLayouts;
  const [tensor] = signature.operands;
  const { opModel } = context;
  if (layout === undefined || tensor === undefined || layout.bufferType !== "dram") return undefined;
  if (!opModel.traits(signature).movable) return undefined;
  const paged = { ...tensor, tile: layout.tile };
  const inL1 = opModel.layouts.intern(makeInterleaved("l1", paged, opModel.chip.workerGrid));
  const inputs = context.opModel.layouts.internAll(step.inputLayouts);
  const outputs = context.opModel.layouts.internAll(step.outputLayouts);
  const changed = inputs.with(0, inL1);
  if (opModel.queryOpConstraints(signature, changed, outputs[0], step.config).status !== "valid") {
    return undefined;
  }
  const savedUs = saving(step, context, signature, changed, outputs, step.config);
  return savedUs <= 0 ? undefined : {
    message: `If possible place input 0 in L1 (currently in ${describeLayout(layout)})`,
    savedUs,
    withinError: isWithinError(step, savedUs),
    tryCommand: "optimize",
  };
}

/**
 * The next cheaper fidelity without loss of precision, by mantissa bits, as in tt-perf-report's
 * evaluate_fidelity.
 */
function lowerFidelity(
  step: StepTimeline,
  signature: OpSignature,
  context: SimulationContext,
): Suggestion | undefined {
  const [in0, in1] = step.inputTypes;
  let enough: MathFidelity | undefined;
  if (in1 === "bfp_bf4") enough = "lofi";
  else if (in0 === "bfp_bf8" && in1 === "bfp_bf8") enough = "hifi2";
  if (enough === undefined || step.fidelity === undefined) return undefined;
  if (FIDELITIES.indexOf(step.fidelity) <= FIDELITIES.indexOf(enough)) return undefined;
  const config: OpSpecificAttributes = {
    ...(step.config?.kind === "matmul" ? step.config : { kind: "matmul" }),
    computeConfig: { ...step.config?.computeConfig, mathFidelity: enough },
  };
  const inputs = context.opModel.layouts.internAll(step.inputLayouts);
  const outputs = context.opModel.layouts.internAll(step.outputLayouts);
  const savedUs = saving(step, context, signature, inputs, outputs, config);
  return {
    message: `${step.fidelity} is more than ${in0} x ${in1} needs; ${enough} loses no precision`,
    savedUs: Math.max(0, savedUs),
    withinError: isWithinError(step, savedUs),
    tryCommand: `ttmlir-opt --compute-cfg-math-fidelity=${enough}`,
  };
}

/** tt-perf-report's advice on program configs; not priced. */
function programConfigAdvice(step: StepTimeline, context: SimulationContext): string[] {
  const program = step.config?.kind === "matmul" ? step.config.programConfig : undefined;
  const sharded = program?.kind === "matmul_multi_core_reuse_multi_cast_dram_sharded";
  const messages: string[] = [];
  if (
    (step.bound === "DRAM" || step.bound === "BOTH") && !sharded &&
    step.inputLayouts[1]?.bufferType === "dram"
  ) {
    messages.push("Try a DRAM-sharded program config for the weights");
  }
  const cores = workerCores(context.opModel.chip);
  if ((step.bound === "FLOP" || step.bound === "BOTH") && step.estimate.cores < cores) {
    messages.push(`Increase the grid (currently ${step.estimate.cores} of ${cores} cores)`);
  }
  if (step.bound === "SLOW" && program !== undefined) {
    if (program.in0BlockW < 2) messages.push(`in0_block_w=${program.in0BlockW} is small, try 2 or above`);
    if ("outSubblockH" in program && program.outSubblockH * program.outSubblockW < 2) {
      messages.push(
        `Output subblock ${program.outSubblockH}x${program.outSubblockW} is small, try an area of 2 or more`,
      );
    }
  }
  return messages;
}

function layoutAdvice(fn: FunctionTimeline): Advice[] {
  // A copy into an existing tensor (`ttnn.copy`) is needed in any layout; moves bound by the host are advised on separately.
  const moves = fn.steps.filter(({ costClass, makes, bound }) =>
    COST_CLASSES[costClass].changesLayout && makes.length > 0 && bound !== "HOST"
  );
  const savedUs = totalUs(moves);
  if (moves.length === 0 || fn.totalUs === 0 || savedUs / fn.totalUs < 0.05) return [];
  const costliest = [...moves].sort((a, b) => b.deviceUs - a.deviceUs || a.index - b.index);
  return [adviceOn("Layout Changes", fn, indices(costliest), {
    message: `${moves.length} layout change${
      moves.length === 1 ? "" : "s"
    }, gaps included; other layouts may need fewer`,
    savedUs,
    tryCommand: "optimize",
  })];
}

/** Ops of at least 1 % of the time on fewer than {@linkcode FEW_CORES} cores. */
function coreAdvice(fn: FunctionTimeline, source: GraphFunction, context: SimulationContext): Advice[] {
  const cores = workerCores(context.opModel.chip);
  if (cores < FEW_CORES) return [];
  const signatures = opSignatures(source);
  return fn.steps.flatMap((step): Advice[] => {
    const signature = step.kind === "op" ? signatures[step.op] : undefined;
    const isSlow = step.estimate.cores > 0 && step.estimate.cores < FEW_CORES &&
      step.deviceUs >= fn.totalUs * 0.01;
    if (!isSlow || signature === undefined) return [];
    const spread = cheapestSpread(step, signature, context);
    const where = `Runs on ${step.estimate.cores} of ${cores} cores`;
    return [adviceOn("Core Usage", fn, [step.index], {
      message: spread === undefined
        ? `${where}; no interleaved or sharded input makes it faster`
        : `${where}; with input 0 in ${spread.input} ${
          spread.cores > step.estimate.cores ? `it runs on ${spread.cores}` : "it is faster"
        }`,
      savedUs: spread?.savedUs ?? 0,
      withinError: spread !== undefined && isWithinError(step, spread.savedUs),
      tryCommand: spread === undefined ? undefined : "optimize",
    })];
  });
}

/** Arguments that look like parameters, if together they cost at least 1 % of the time. */
function loadAdvice(fn: FunctionTimeline, source: GraphFunction): Advice[] {
  const works = [...loadWork(fn, source)].sort((a, b) => b.microseconds - a.microseconds);
  const [costliest] = works;
  const savedUs = works.reduce((sum, { microseconds }) => sum + microseconds, 0);
  if (costliest === undefined || savedUs < fn.totalUs * 0.01) return [];
  const named = works.length === 1
    ? `argument ${costliest.argument} (${costliest.name}), which feeds`
    : `each of ${works.length} arguments, ${costliest.name} first, which feed`;
  return [adviceOn("Load", fn, works.flatMap(({ steps }) => steps), {
    message:
      `Computed from nothing but ${named} weights alone: for parameters this runs once, at load, but the ` +
      "input does not mark them as parameters",
    savedUs,
    tryCommand: "optimize --argument-types",
  })];
}

function isWithinError(step: StepTimeline, savedUs: number): boolean {
  return savedUs < step.estimate.microseconds * step.estimate.relativeError;
}

/** µs that a step saves if its op is another one, or in other layouts. */
function saving(
  step: StepTimeline,
  { cost }: SimulationContext,
  ...other: Parameters<CostModel["getOpRuntime"]>
): number {
  return step.estimate.microseconds - cost.getOpRuntime(...other).microseconds;
}
