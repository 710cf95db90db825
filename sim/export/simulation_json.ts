// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { type Mesh, type MeshAxis, meshChips } from "../../lib/device/mesh.ts";
import { describeLayout } from "../../lib/layout/describe.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { ConversionReason } from "../../lib/plan/plan.ts";
import type { BackendRefusal, MemoryVerdict, Shortage, Unchecked } from "../../lib/memory/memory_verdict.ts";
import {
  type AxisLoad,
  axisLoads,
  type ChipClass,
  chipClasses,
  inferenceLoads,
} from "../timeline/mesh_load.ts";
import type { L1Pressure } from "../timeline/l1_pressure.ts";
import { COST_CLASSES, type OpCategory } from "../../lib/ops/cost_class.ts";
import type {
  AssumptionUse,
  FunctionTimeline,
  StepTimeline,
  TimeBand,
  Timeline,
  TimelineTotals,
  UnpricedOp,
  Utilisation,
  Work,
} from "../timeline/timeline.ts";

/** One operand or result of a step; `null` in its list where the op has no tensor. */
export interface TensorDocument {
  /** Logical extents. */
  readonly shape: readonly number[];
  /** `l1/block_sharded/8x8` and so on, `null` when the layout is not understood. */
  readonly layout: string | null;
}

/** One step in `tilewright.simulation/1`. Times in µs, bytes per core for L1 and per chip otherwise. */
export interface StepDocument extends
  Work,
  Pick<
    StepTimeline,
    | "index"
    | "kind"
    | "id"
    | "op"
    | "name"
    | "costClass"
    | "shape"
    | "location"
    | "inputTypes"
    | "outputTypes"
    | "startUs"
    | "deviceUs"
    | "gapUs"
    | "bound"
    | "utilisation"
  >,
  Pick<RuntimeEstimate, "dominant" | "terms" | "relativeError" | "cores" | "extrapolated"> {
  /** Why a conversion exists; absent for ops. */
  readonly reason?: ConversionReason;
  /** tt-perf-report's category. */
  readonly category: OpCategory;
  /** One entry per operand. */
  readonly inputs: readonly (TensorDocument | null)[];
  /** One entry per result. */
  readonly outputs: readonly (TensorDocument | null)[];
  /** Fidelity of the matrix engine; absent where it is not used. */
  readonly fidelity?: MathFidelity;
  /** L1 of one core while the step runs. */
  readonly l1: L1Pressure & {
    /** Tensors that are live before the step makes anything. */
    readonly beforeBytes: number;
    /** Tensors and circular buffers together. */
    readonly peakBytes: number;
    /** Tensors alone. */
    readonly tensorBytes: number;
    /** Circular buffers alone. */
    readonly circularBufferBytes: number;
  };
  /** Present when chips exchange data: what a row of chips along each axis that is used carries, in bytes. */
  readonly links?: readonly AxisLoad[];
  /** Present when the step does not fit. */
  readonly shortage?: Shortage;
  /** Present when the step's circular buffers and intermediates are not known; they count as 0. */
  readonly unchecked?: Unchecked;
  /** Present for a step that the backend refuses. */
  readonly refused?: BackendRefusal;
}

/** One function in `tilewright.simulation/1`. */
export interface FunctionDocument extends
  TimelineTotals,
  Pick<
    FunctionTimeline,
    | "name"
    | "kind"
    | "role"
    | "traced"
    | "utilisation"
    | "peakL1Bytes"
    | "l1BudgetBytes"
    | "peakDramBytes"
  > {
  /** Whether it fits, by address. */
  readonly status: MemoryVerdict["status"];
  /** Steps of the function in execution order. */
  readonly steps: readonly StepDocument[];
}

/** Chips that run a program in step; figures of one inference. */
export interface MeshDocument {
  /** Axes of the mesh. */
  readonly axes: readonly Pick<MeshAxis, "chips" | "links" | "topology">[];
  /** Bytes over the links of a row of chips along each axis that is used. */
  readonly links: readonly AxisLoad[];
  /** Chips by what they send and receive; programs and times are the same on all. */
  readonly chipClasses: readonly ChipClass[];
}

/** The document of `simulate --json`. Same input, same bytes. */
export interface SimulationDocument extends
  Pick<
    Timeline,
    | "device"
    | "traced"
    | "network"
    | "inference"
    | "once"
    | "peakL1Bytes"
    | "l1BudgetBytes"
    | "peakDramBytes"
    | "dramBankBytes"
  > {
  /** Version of this format. */
  readonly schema: "tilewright.simulation/1";
  /** The tool that wrote it. */
  readonly tool: { readonly name: string; readonly version: string };
  /** The input as the user named it. */
  readonly input: string;
  /** Always true: nothing here was measured. */
  readonly simulated: true;
  /** Present for several chips. */
  readonly mesh?: MeshDocument;
  /** Totals of the program. */
  readonly summary: {
    /** Whether it fits, by address: every function of the inference and every one that runs once. */
    readonly verdict: MemoryVerdict;
    /** Time of one inference: `inference.totalUs`. */
    readonly predictedUs: number;
    /** Band of it. */
    readonly predictedBand: TimeBand;
    /** Ops without a predicted time; totals leave them out. */
    readonly unpriced: readonly UnpricedOp[];
    /** Assumptions of the predicted time beyond the graph. */
    readonly assumptions: readonly AssumptionUse[];
  };
  /** Every function, in the order of the input. */
  readonly functions: readonly FunctionDocument[];
}

/**
 * The document of a simulation. Times are rounded to a nanosecond's thousandth and shares to a millionth, so that the
 * text does not depend on the last bits of sums.
 *
 * @example
 * ```ts
 * import { loadModule, simulateGraph, simulationDocument } from "@tilewright/tilewright";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const workbench = loadModule(ttir, { device: "n150" });
 * const timeline = simulateGraph(workbench.binding.graph, undefined, workbench);
 * assertEquals(simulationDocument(timeline, "relu.mlir", "0.1.0").simulated, true);
 * ```
 *
 * @param input name of the input as the user gave it
 * @param mesh axes of the mesh that the program runs on; `[]` for one chip
 */
export function simulationDocument(
  timeline: Timeline,
  input: string,
  version: string,
  mesh: Mesh = [],
): SimulationDocument {
  const inference = totals(timeline.inference);
  return {
    schema: "tilewright.simulation/1",
    tool: { name: "tilewright", version },
    input,
    device: timeline.device,
    summary: {
      verdict: timeline.verdict,
      predictedUs: inference.totalUs,
      predictedBand: inference.band,
      unpriced: timeline.unpriced,
      assumptions: timeline.assumptions,
    },
    simulated: true,
    traced: timeline.traced,
    network: timeline.network,
    ...(meshChips(mesh.map(({ chips }) => chips)) > 1 ? { mesh: meshDocument(timeline, mesh) } : {}),
    inference,
    once: totals(timeline.once),
    peakL1Bytes: timeline.peakL1Bytes,
    l1BudgetBytes: timeline.l1BudgetBytes,
    peakDramBytes: timeline.peakDramBytes,
    dramBankBytes: timeline.dramBankBytes,
    functions: timeline.functions.map((fn) => functionDocument(fn, mesh)),
  };
}

function meshDocument({ functions }: Timeline, mesh: Mesh): MeshDocument {
  const loads = inferenceLoads(functions, mesh);
  return {
    axes: mesh.map(({ chips, links, topology }) => ({ chips, links, topology })),
    links: loads.map(wholeBytes),
    chipClasses: chipClasses(loads, mesh).map(({ chips, sentBytes, receivedBytes }) => ({
      chips,
      sentBytes: Math.round(sentBytes),
      receivedBytes: Math.round(receivedBytes),
    })),
  };
}

function wholeBytes(load: AxisLoad): AxisLoad {
  const edges = load.edges.map(({ forward, backward }) => ({
    forward: Math.round(forward),
    backward: Math.round(backward),
  }));
  return { ...load, edges };
}

function functionDocument(fn: FunctionTimeline, mesh: Mesh): FunctionDocument {
  return {
    name: fn.name,
    kind: fn.kind,
    role: fn.role,
    traced: fn.traced,
    ...totals(fn),
    utilisation: share(fn.utilisation),
    peakL1Bytes: fn.peakL1Bytes,
    l1BudgetBytes: fn.l1BudgetBytes,
    peakDramBytes: fn.peakDramBytes,
    status: fn.verdict.status,
    steps: fn.steps.map((step) => stepDocument(step, mesh)),
  };
}

/** One step of the document. */
export function stepDocument(step: StepTimeline, mesh: Mesh): StepDocument {
  const { terms } = step.estimate;
  const links = axisLoads(step.estimate.programs, mesh);
  return {
    index: step.index,
    kind: step.kind,
    id: step.id,
    op: step.op,
    name: step.name,
    ...(step.reason === undefined ? {} : { reason: step.reason }),
    costClass: step.costClass,
    category: COST_CLASSES[step.costClass].category,
    shape: step.shape,
    location: step.location,
    inputs: step.inputShapes.map((shape, index) => tensor(shape, step.inputLayouts[index])),
    outputs: step.outputShapes.map((shape, index) => tensor(shape, step.outputLayouts[index])),
    inputTypes: step.inputTypes,
    outputTypes: step.outputTypes,
    ...(step.fidelity === undefined ? {} : { fidelity: step.fidelity }),
    startUs: time(step.startUs),
    deviceUs: time(step.deviceUs),
    gapUs: time(step.gapUs),
    bound: step.bound,
    dominant: step.estimate.dominant,
    terms: {
      launch: time(terms.launch),
      read: time(terms.read),
      compute: time(terms.compute),
      write: time(terms.write),
    },
    relativeError: step.estimate.relativeError,
    ...(step.estimate.extrapolated === undefined ? {} : { extrapolated: step.estimate.extrapolated }),
    cores: step.estimate.cores,
    dramBytes: step.dramBytes,
    nocBytes: step.nocBytes,
    flops: step.flops,
    utilisation: share(step.utilisation),
    l1: {
      beforeBytes: step.l1.beforeBytes,
      peakBytes: step.l1.peakBytes,
      tensorBytes: step.l1.tensorBytes,
      circularBufferBytes: step.l1.circularBufferBytes,
      fullnessPercent: round(step.l1.fullnessPercent, 1e4),
      freeSegments: step.l1.freeSegments,
      largestFreeBytes: step.l1.largestFreeBytes,
      largestFreePercent: round(step.l1.largestFreePercent, 1e4),
    },
    ...(links.length === 0 ? {} : { links: links.map(wholeBytes) }),
    ...(step.shortage === undefined ? {} : { shortage: step.shortage }),
    ...(step.unchecked === undefined ? {} : { unchecked: step.unchecked }),
    ...(step.refused === undefined ? {} : { refused: step.refused }),
  };
}

function tensor(
  shape: readonly number[] | undefined,
  layout: StepTimeline["inputLayouts"][number],
): TensorDocument | null {
  if (shape === undefined) return null;
  return { shape, layout: layout === undefined ? null : describeLayout(layout) };
}

function totals(of: TimelineTotals): TimelineTotals {
  return {
    totalUs: time(of.totalUs),
    deviceUs: time(of.deviceUs),
    gapUs: time(of.gapUs),
    band: {
      lowerUs: time(of.band.lowerUs),
      upperUs: time(of.band.upperUs),
      lower90Us: time(of.band.lower90Us),
      upper90Us: time(of.band.upper90Us),
    },
    extrapolatedUs: time(of.extrapolatedUs),
    dramBytes: of.dramBytes,
    nocBytes: of.nocBytes,
    flops: of.flops,
  };
}

function share(utilisation: Utilisation): Utilisation {
  return { dram: round(utilisation.dram, 1e6), flops: round(utilisation.flops, 1e6) };
}

function time(microseconds: number): number {
  return round(microseconds, 1e6);
}

function round(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
