// SPDX-License-Identifier: Apache-2.0
import { CONV2D } from "../../lib/ops/attributes/window.ts";
import { readAttributes } from "../../lib/ops/attributes/read_attributes.ts";
import { MATMUL } from "../../lib/ops/attributes/matmul.ts";
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { takesNoTime } from "../../lib/cost/takes_no_time.ts";
import { type GraphFunction, type GraphOp, opAt, valueAt } from "../../lib/graph/graph.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { LayoutId } from "../../lib/layout/layout_table.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { conversionSignature, opFootprint } from "../../lib/memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import type { MathFidelity } from "../../lib/op_config/math_fidelity.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import { COST_CLASSES, type CostClass } from "../../lib/ops/cost_class.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { ConvertingChip } from "../../lib/plan/conversion_chain.ts";
import type { Conversion } from "../../lib/plan/plan.ts";
import type { Preparations } from "../../lib/plan/preparations.ts";
import type { InstanceId, PlannedExecution, PlanStep } from "../../lib/plan/steps.ts";
import { type DeviceProgram, inOrder, NO_PROGRAMS } from "../../lib/programs/program.ts";
import { estimateOf } from "../cost/estimate.ts";
import { type Device, idealTileCycles } from "../devices/device.ts";
import type { CongestionModel } from "../network/congestion.ts";
import type { StepTimeline, Utilisation } from "./timeline.ts";

/** Models and tables for pricing; all for the same chip and layout table. */
export interface PricingContext {
  readonly device: Device;
  readonly opModel: OpModel;
  readonly cost: CostModel;
  /** Adds congestion to layout changes; `undefined` keeps the cost model's answers. */
  readonly congestion: CongestionModel | undefined;
  /** How often ops that prepare weights run; `undefined` if all run once. */
  readonly preparations?: Preparations;
}

/** A priced step without its times and its L1 use. */
export type PricedStep = Omit<
  StepTimeline,
  "index" | "startUs" | "deviceUs" | "gapUs" | "l1" | "shortage" | "unchecked" | "refused"
>;

/** A step with the cost model's answer. */
type EstimatedStep =
  & Readonly<{ estimate: RuntimeEstimate }>
  & (Extract<PlanStep, { kind: "conversion" }> | PricedOpStep);

type PricedOpStep = Extract<PlanStep, { kind: "op" }> & {
  readonly graphOp: GraphOp;
  readonly signature: OpSignature;
  readonly costClass: CostClass;
  /** Config that the op runs with. */
  readonly runsWith: OpSpecificAttributes | undefined;
};

/**
 * The cost model's answers for every step of a planned execution, in order; yielded one at a time because
 * functions are long.
 */
export function* estimateSteps(
  fn: GraphFunction,
  { steps, layouts }: PlannedExecution,
  context: PricingContext,
): Generator<EstimatedStep, void> {
  const { opModel, cost, device, congestion, preparations } = context;
  const signatures = opSignatures(fn);
  const ids = opModel.layouts.internAll(layouts);
  const idOf = (instance: InstanceId): LayoutId | undefined => ids[instance];
  const refined = (
    estimate: RuntimeEstimate,
    tensor: TensorShape | undefined,
    from: LayoutId | undefined,
    to: LayoutId | undefined,
  ): RuntimeEstimate =>
    congestion === undefined || tensor === undefined || from === undefined || to === undefined
      ? estimate
      : congestion.refine(estimate, tensor, from, to);

  for (const step of steps) {
    if (step.kind === "conversion") {
      const tensor = valueAt(fn, step.conversion.value).tensor;
      const from = idOf(step.operands[0]);
      const to = idOf(step.results[0]);
      if (tensor === undefined || from === undefined || to === undefined) {
        throw new RangeError(
          `Cannot price conversion ${step.conversion.id} of @${fn.name}: its layouts are not known`,
        );
      }
      const estimate = refined(cost.getReshardRuntime(tensor, from, to), tensor, from, to);
      yield { ...step, estimate };
      continue;
    }
    const graphOp = opAt(fn, step.op);
    const signature = signatures[step.op];
    if (signature === undefined) throw new RangeError(`Cannot simulate op ${step.op} of ${fn.name}`);
    const inputs = step.operands.map(idOf);
    const outputs = step.results.map(idOf);
    const traits = opModel.traits(signature);
    const { config: runsWith, isView } = opFootprint(
      opModel,
      signature,
      inputs,
      outputs,
      step.config,
    );
    const times = preparations?.timesOf(graphOp) ?? 1;
    const run = (): RuntimeEstimate =>
      repeated(cost.getOpRuntime(signature, inputs, outputs, step.config), times, traits.costClass, device);
    const estimate = takesNoTime(signature, isView)
      ? nothing(device)
      : COST_CLASSES[traits.costClass].changesLayout
      ? refined(run(), signature.operands[0], inputs[0], outputs[0])
      : run();
    yield { ...step, estimate, graphOp, signature, costClass: traits.costClass, runsWith };
  }
}

/** An op that runs several times in sequence. */
function repeated(
  once: RuntimeEstimate,
  times: number,
  costClass: CostClass,
  device: Device,
): RuntimeEstimate {
  if (times === 1 || once.unknown !== undefined) return once;
  return estimateOf(inOrder(...Array.from({ length: times }, () => once.programs).flat()), costClass, device);
}

/** Prices every step of a planned execution: its kind, its traffic and the cost model's estimate. */
export function priceSteps(
  fn: GraphFunction,
  execution: PlannedExecution,
  context: PricingContext,
): PricedStep[] {
  const { opModel, device } = context;
  const layoutOf = (instance: InstanceId): TtnnLayout | undefined => execution.layouts[instance];
  const tensorOf = (instance: InstanceId): TensorShape | undefined => {
    const value = execution.valueOf[instance];
    if (value === undefined) throw new RangeError(`Cannot look up instance ${instance} of ${fn.name}`);
    return valueAt(fn, value).tensor;
  };
  const typeOf = (instance: InstanceId): DataType | undefined =>
    layoutOf(instance)?.dataType ?? tensorOf(instance)?.dataType;
  const shapeOf = (instance: InstanceId): readonly number[] | undefined => tensorOf(instance)?.shape;
  const typesOf = (instances: readonly InstanceId[]): readonly DataType[] => {
    const types = instances.map(typeOf);
    return types.every(isKnown) ? types : types.filter(isKnown);
  };

  return Array.from(estimateSteps(fn, execution, context), (step): PricedStep => {
    const { estimate } = step;
    const identity = step.kind === "op"
      ? identityOfOp(step)
      : identityOfConversion(fn, step.conversion, layoutOf(step.operands[0]), opModel.chip);
    // Only one spread, at the start: each further one would take longer than all other fields.
    return {
      ...identity,
      inputLayouts: step.operands.map(layoutOf),
      outputLayouts: step.results.map(layoutOf),
      inputTypes: typesOf(step.operands),
      outputTypes: typesOf(step.results),
      inputShapes: step.operands.map(shapeOf),
      outputShapes: step.results.map(shapeOf),
      reads: step.operands,
      makes: step.results,
      dramBytes: estimate.dramBytes,
      nocBytes: estimate.nocBytes,
      flops: estimate.flops,
      estimate,
      bound: estimate.bound,
      utilisation: utilisationOf(estimate, identity.fidelity, device),
    };
  });
}

/** The identity of a step, without its reads, results and cost. */
type StepIdentity = Pick<
  PricedStep,
  "kind" | "id" | "op" | "name" | "reason" | "costClass" | "shape" | "location" | "fidelity" | "config"
>;

function identityOfOp(
  { op, graphOp, signature, costClass, runsWith, estimate }: PricedOpStep & {
    readonly estimate: RuntimeEstimate;
  },
): StepIdentity {
  return {
    kind: "op",
    id: op,
    op,
    name: graphOp.name,
    reason: undefined,
    costClass,
    shape: problemSize(signature, costClass),
    location: graphOp.location,
    fidelity: stepFidelity(costClass, estimate.programs),
    config: runsWith,
  };
}

function identityOfConversion(
  fn: GraphFunction,
  { id, value, beforeOp, layout, reason }: Conversion,
  from: TtnnLayout | undefined,
  chip: ConvertingChip,
): StepIdentity {
  const { tensor } = valueAt(fn, value);
  return {
    kind: "conversion",
    id,
    op: beforeOp,
    name: conversionSignature(tensor, from, layout, chip).name,
    reason,
    costClass: "reshard",
    shape: tensor === undefined ? "" : tensor.shape.join("x"),
    // Copies of results belong to the return, which is not an op.
    location: fn.ops[beforeOp]?.location ?? "",
    fidelity: undefined,
    config: undefined,
  };
}

function nothing(device: Device): RuntimeEstimate {
  return estimateOf(NO_PROGRAMS, "free", device);
}

function isKnown(type: DataType | undefined): type is DataType {
  return type !== undefined;
}

/**
 * The problem size of an op, as tt-perf-report writes it: `[batch x] M x K x N` for matmuls, `NHW x Cin·kh·kw x Cout`
 * for convolutions, the shape of the first result otherwise.
 */
export function problemSize(op: OpSignature, costClass: CostClass): string {
  const output = op.results.find((tensor) => tensor !== undefined)?.shape ?? op.operands[0]?.shape;
  if (output === undefined) return "";
  const [in0, in1] = op.operands;
  if (costClass === "matmul" && in0 !== undefined && in1 !== undefined) {
    const k = in0.shape.at(readAttributes(op, MATMUL).transpose_a ? -2 : -1) ?? 1;
    const batch = volume(output.slice(0, -2));
    const size = `${output.at(-2) ?? 1} x ${k} x ${output.at(-1) ?? 1}`;
    return batch === 1 ? size : `${batch} x ${size}`;
  }
  if (costClass === "conv2d") {
    const rows = volume(output.slice(0, -1));
    return `${rows} x ${convolutionPatch(op)} x ${output.at(-1) ?? 1}`;
  }
  return output.join("x");
}

/**
 * Input values that one output value of a convolution sums over: channels per group × kernel extent. From the
 * attributes, because weights may have a prepared shape.
 */
function convolutionPatch(op: OpSignature): number {
  const { in_channels, groups, kernel_size } = readAttributes(op, CONV2D);
  return in_channels / groups * volume(kernel_size);
}

/** Fidelity that a step's matrix engine runs at, `undefined` for steps that do not use it. */
export function stepFidelity(
  costClass: CostClass,
  programs: readonly DeviceProgram[],
): MathFidelity | undefined {
  if (!COST_CLASSES[costClass].matrixEngine) return undefined;
  for (const program of programs) if ("fidelity" in program) return program.fidelity;
  return undefined;
}

/** Peak of one core's matrix engine in floating point operations per µs. */
function peakFlopsPerMicrosecond(device: Device, fidelity: MathFidelity): number {
  return 2 * 32 ** 3 / idealTileCycles(device, fidelity) * device.clock.aiclk;
}

/** Theoretical DRAM bandwidth of the chip in bytes per µs. */
function peakDramBytesPerMicrosecond(device: Device): number {
  return device.dram.peakBandwidth * 1000;
}

/** Shares of the peaks that a step reaches during its kernel, as tt-perf-report counts them. */
export function utilisationOf(
  estimate: RuntimeEstimate,
  fidelity: MathFidelity | undefined,
  device: Device,
): Utilisation {
  const deviceUs = estimate.microseconds - estimate.terms.launch;
  if (deviceUs <= 0) return { dram: 0, flops: 0 };
  const peakFlops = fidelity === undefined ? 0 : peakFlopsPerMicrosecond(device, fidelity) * estimate.cores;
  return {
    dram: estimate.dramBytes / deviceUs / peakDramBytesPerMicrosecond(device),
    flops: peakFlops === 0 ? 0 : estimate.flops / deviceUs / peakFlops,
  };
}
