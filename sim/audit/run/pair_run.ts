// SPDX-License-Identifier: Apache-2.0
import { diffArrays } from "diff";
import type { ExecutionRole } from "../../../lib/graph/function_role.ts";
import { deviceOperation } from "../../export/perf_csv.ts";
import type { StepTimeline, Timeline } from "../../timeline/timeline.ts";
import type { MeasuredStep } from "./profiler_csv.ts";

/** A predicted step that a profiler would see. */
export interface PredictedStep {
  /** Function without `@`. */
  readonly function: string;
  /** Whether its function runs before the first inference only. */
  readonly role: ExecutionRole;
  /** As the profiler would name it. */
  readonly opCode: string;
  /** The step itself. */
  readonly step: StepTimeline;
}

/** Key by which two ops are paired. */
export type PairedBy = "order and shape" | "order" | "shape";

/** A measured op and the predicted one that it is. */
export interface RunPair {
  readonly measured: MeasuredStep;
  readonly predicted: PredictedStep;
  readonly by: PairedBy;
}

/** A run with a prediction of it. */
export interface PairedRun {
  /** In the order of the prediction. */
  readonly pairs: readonly RunPair[];
  /** Measured ops that nothing predicted. */
  readonly extra: readonly MeasuredStep[];
  /** Predicted ops that were not measured. */
  readonly missing: readonly PredictedStep[];
}

/** Steps of a timeline in the order in which the profiler's CSV has them: what runs once first. */
export function predictedSteps(timeline: Timeline): readonly PredictedStep[] {
  return (["once", "inference"] as const).flatMap((role) =>
    timeline.functions.filter((fn) => fn.role === role).flatMap((fn) =>
      fn.steps.filter((step) => step.deviceUs > 0 && step.bound !== "HOST")
        .map((step): PredictedStep => ({ function: fn.name, role, opCode: deviceOperation(step), step }))
    )
  );
}

/**
 * Pairs measured with predicted ops in three passes: by order, op and shape (longest common subsequence,
 * which tolerates extra and missing ops); then by op and shape anywhere; then the rest between two pairs by
 * order and op.
 */
export function pairRun(measured: readonly MeasuredStep[], predicted: readonly PredictedStep[]): PairedRun {
  const partner = new Map<PredictedStep, { readonly measured: MeasuredStep; readonly by: PairedBy }>();
  const take = (by: PairedBy) => (m: MeasuredStep, p: PredictedStep) => partner.set(p, { measured: m, by });
  const saysProducts = measured.some(({ problem }) => problem !== undefined);
  const keyOf = (step: PredictedStep) => predictedKey(step, saysProducts);
  const gaps = align(measured, predicted, measuredKey, keyOf, take("order and shape"));
  const taken = () => new Set([...partner.values()].map((pair) => pair.measured));
  const waiting = Map.groupBy(without(measured, taken()), measuredKey);
  for (const step of predicted) {
    const found = partner.has(step) ? undefined : waiting.get(keyOf(step))?.shift();
    if (found !== undefined) take("shape")(found, step);
  }
  for (const [gapM, gapP] of gaps) {
    const leftP = gapP.filter((step) => !partner.has(step));
    align(
      without(gapM, taken()),
      leftP,
      ({ opCode }) => opCodeClass(opCode),
      ({ opCode }) => opCodeClass(opCode),
      take("order"),
    );
  }
  const lone = new Set(without(measured, taken()));
  const pairs = predicted.flatMap((step): RunPair[] => {
    const found = partner.get(step);
    if (found === undefined) return [];
    const whole = step.step.costClass === "conv2d" || step.step.costClass === "pool"
      ? withHelpers(found.measured, measured, lone)
      : found.measured;
    return [{ ...found, measured: whole, predicted: step }];
  });
  return {
    pairs,
    extra: measured.filter((step) => lone.has(step)),
    missing: predicted.filter((step) => !partner.has(step)),
  };
}

/** Programs that a convolution or a pool of windows launches before its own: one op here, several rows in a profile. */
const BEFORE_WINDOWS: ReadonlySet<string> = new Set([
  "halo",
  "untilizewithhalo",
  "move",
  "tilize",
  "untilize",
  "interleavedtosharded",
  "reshard",
  "shardedtointerleaved",
]);

/** Helpers after an op of windows, which move its result to the layout that the program wants. */
const BEHIND_WINDOWS: ReadonlySet<string> = new Set(["shardedtointerleaved", "reshard", "tilize"]);

/**
 * A measured op of windows with the rows beside it that nothing else was paired with and that it launches itself. The
 * rows leave `lone`.
 */
function withHelpers(
  op: MeasuredStep,
  measured: readonly MeasuredStep[],
  lone: Set<MeasuredStep>,
): MeasuredStep {
  const at = measured.indexOf(op);
  const beside = (direction: 1 | -1, helpers: ReadonlySet<string>): readonly MeasuredStep[] => {
    const taken: MeasuredStep[] = [];
    for (let index = at + direction;; index += direction) {
      const step = measured[index];
      if (step === undefined || !lone.has(step) || !helpers.has(opCodeClass(step.opCode))) return taken;
      taken.push(step);
      lone.delete(step);
    }
  };
  const before = beside(-1, BEFORE_WINDOWS);
  const rows = [...before, ...beside(1, BEHIND_WINDOWS)];
  const first = before.at(-1) ?? op;
  return { ...op, us: rows.reduce((sum, { us }) => sum + us, op.us), gapUs: first.gapUs };
}

function without(steps: readonly MeasuredStep[], taken: ReadonlySet<MeasuredStep>): readonly MeasuredStep[] {
  return steps.filter((step) => !taken.has(step));
}

/** Takes what two lists have in common by key, in order; gives back what lies between. */
export function align<M, P>(
  measured: readonly M[],
  predicted: readonly P[],
  keyM: (step: M) => string,
  keyP: (step: P) => string,
  take: (m: M, p: P) => void,
): readonly (readonly [readonly M[], readonly P[]])[] {
  const gaps: [M[], P[]][] = [[[], []]];
  let [atM, atP] = [0, 0];
  for (const part of diffArrays(measured.map(keyM), predicted.map(keyP))) {
    for (let count = 0; count < part.value.length; count++) {
      const m = part.added ? undefined : measured[atM++];
      const p = part.removed ? undefined : predicted[atP++];
      const gap = gaps.at(-1);
      if (m !== undefined && p !== undefined) {
        take(m, p);
        gaps.push([[], []]);
      } else if (m !== undefined) gap?.[0].push(m);
      else if (p !== undefined) gap?.[1].push(p);
    }
  }
  return gaps.filter(([m, p]) => m.length > 0 && p.length > 0);
}

/** Op and shapes, or op and `M x K x N` if the profile has that. */
function measuredKey({ opCode, input, output, problem }: MeasuredStep): string {
  return `${opCodeClass(opCode)} ${problem ?? `${extentsOf(input)} ${extentsOf(output)}`}`;
}

function predictedKey({ opCode, step }: PredictedStep, saysProducts: boolean): string {
  const isProduct = saysProducts && step.costClass === "matmul";
  const shapes = `${extentsOf(step.inputShapes[0])} ${extentsOf(step.outputShapes[0])}`;
  return `${opCodeClass(opCode)} ${isProduct ? step.shape : shapes}`;
}

/** Extents without leading ones. */
function extentsOf(shape: readonly number[] | undefined): string {
  const first = shape?.findIndex((extent) => extent !== 1) ?? -1;
  return first < 0 ? "" : shape?.slice(first).join("x") ?? "";
}

/** Names that releases give to one device operation. */
const ALIASES: readonly (readonly [RegExp, string])[] = [
  [/^(binaryng|eltwisebinary|eltwisebinarybroadcast|bcast)$/, "binary"],
  [/^eltwiseunary$/, "unary"],
  [/^tilizewithvalpadding$/, "tilize"],
  [/^untilizewithunpadding$/, "untilize"],
  [/^optimizedconvnew$/, "conv2d"],
  [/^reshapeview$/, "reshape"],
  [/^pool2d$/, "pool"],
  [/^accumulation$/, "cumsum"],
  [/^(scaleddotproductattention|jointsdpa)$/, "sdpa"],
  [/^scaleddotproductattentiondecode$/, "sdpadecode"],
];

/** An op code without what differs between releases. */
export function opCodeClass(opCode: string): string {
  // Namespaces before the name, remarks behind it: `ttnn::prim::MatmulDeviceOperation (DRAM sharded)`.
  const name = opCode.replace(/\s*\(.*$/, "").replace(/^.*::/, "");
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "").replace(/(device)?operation$/, "")
    // Kernels that 2026 generates are named for how they are made.
    .replace(/codegen$/, "");
  return ALIASES.find(([pattern]) => pattern.test(plain))?.[1] ?? plain;
}
