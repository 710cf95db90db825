// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { takesNoTime } from "../../lib/cost/takes_no_time.ts";
import type { GraphFunction } from "../../lib/graph/graph.ts";
import type { TensorShape } from "../../lib/ops/op_signature.ts";
import { opSignatures } from "../../lib/graph/signature.ts";
import type { DataType } from "../../lib/layout/data_type.ts";
import type { LayoutId } from "../../lib/layout/layout_table.ts";
import type { TtnnLayout } from "../../lib/layout/ttnn_layout.ts";
import { conversionSignature, opFootprint } from "../../lib/memory/op_footprint.ts";
import type { OpModel } from "../../lib/opmodel/op_model.ts";
import { COST_CLASSES } from "../../lib/ops/cost_class.ts";
import type { InstanceId, PlannedExecution } from "../../lib/plan/steps.ts";
import type { CongestionModel } from "../network/congestion.ts";
import type { Device } from "../devices/device.ts";
import { estimateOf } from "../cost/estimate.ts";
import { NO_PROGRAMS } from "../../lib/programs/program.ts";
import { problemSize } from "./problem_size.ts";
import type { StepTimeline } from "./timeline.ts";
import { stepFidelity, utilisationOf } from "./utilisation.ts";

/** What pricing needs; all of it about the same chip and the same layout table. */
export interface PricingContext {
  readonly device: Device;
  readonly opModel: OpModel;
  readonly cost: CostModel;
  /** Adds congestion to layout changes; `undefined` leaves them as the cost model has them. */
  readonly congestion: CongestionModel | undefined;
}

/** A step that is priced, but has no place on the clock and in L1 yet. */
export type PricedStep = Omit<
  StepTimeline,
  "index" | "startUs" | "deviceUs" | "gapUs" | "l1" | "shortage" | "unchecked"
>;

/** Prices every step of a planned execution: what it is, what it does, what the cost model says. */
export function priceSteps(
  fn: GraphFunction,
  execution: PlannedExecution,
  context: PricingContext,
): PricedStep[] {
  const { opModel, cost, device, congestion } = context;
  const signatures = opSignatures(fn);
  const layoutOf = (instance: InstanceId): TtnnLayout | undefined => execution.layouts[instance];
  const idOf = (instance: InstanceId): LayoutId | undefined => {
    const layout = layoutOf(instance);
    return layout === undefined ? undefined : opModel.layouts.intern(layout);
  };
  const typeOf = (instance: InstanceId): DataType | undefined => {
    const value = execution.valueOf[instance];
    return layoutOf(instance)?.dataType ??
      (value === undefined ? undefined : fn.values[value]?.tensor?.dataType);
  };
  const shapeOf = (instance: InstanceId): readonly number[] | undefined =>
    fn.values[execution.valueOf[instance] ?? -1]?.tensor?.shape;
  const typesOf = (instances: readonly InstanceId[]): DataType[] =>
    instances.map(typeOf).filter((type) => type !== undefined);

  const refined = (
    estimate: RuntimeEstimate,
    tensor: TensorShape | undefined,
    from: LayoutId | undefined,
    to: LayoutId | undefined,
  ): RuntimeEstimate =>
    congestion === undefined || tensor === undefined || from === undefined || to === undefined
      ? estimate
      : congestion.refine(estimate, tensor, from, to);

  return execution.steps.map((step): PricedStep => {
    const inputLayouts = step.operands.map(layoutOf);
    const outputLayouts = step.results.map(layoutOf);
    const common = {
      inputLayouts,
      outputLayouts,
      inputTypes: typesOf(step.operands),
      outputTypes: typesOf(step.results),
      inputShapes: step.operands.map(shapeOf),
      outputShapes: step.results.map(shapeOf),
      reads: step.operands,
      makes: step.results,
    };
    if (step.kind === "conversion") {
      const tensor = fn.values[step.conversion.value]?.tensor;
      const from = idOf(step.operands[0]);
      const to = idOf(step.results[0]);
      const estimate = tensor === undefined || from === undefined || to === undefined
        ? nothing(device)
        : refined(cost.getReshardRuntime(tensor, from, to), tensor, from, to);
      return {
        ...common,
        ...workOfEstimate(estimate),
        kind: "conversion",
        id: step.conversion.id,
        op: step.conversion.beforeOp,
        name: conversionSignature(
          tensor,
          layoutOf(step.operands[0]),
          step.conversion.layout,
          opModel.chip.workerGrid,
        ).name,
        reason: step.conversion.reason,
        costClass: "reshard",
        shape: tensor === undefined ? "" : tensor.shape.join("x"),
        location: fn.ops[step.conversion.beforeOp]?.location ?? "",
        fidelity: undefined,
        config: undefined,
        estimate,
        bound: estimate.bound,
        utilisation: utilisationOf(estimate, undefined, device),
      };
    }
    const op = fn.ops[step.op];
    const signature = signatures[step.op];
    if (op === undefined || signature === undefined) {
      throw new RangeError(`Cannot simulate op ${step.op} of ${fn.name}: it does not exist`);
    }
    const inputs = step.operands.map(idOf);
    const outputs = step.results.map(idOf);
    const traits = opModel.traits(signature);
    const footprint = opFootprint(opModel, signature, inputs, outputs, step.config);
    const config = footprint.config;
    const estimate = takesNoTime(signature, traits, footprint.aliasedOperand)
      ? nothing(device)
      : COST_CLASSES[traits.costClass].changesLayout
      ? refined(
        cost.getOpRuntime(signature, inputs, outputs, config),
        signature.operands[0],
        inputs[0],
        outputs[0],
      )
      : cost.getOpRuntime(signature, inputs, outputs, config);
    const fidelity = stepFidelity(traits.costClass, config);
    return {
      ...common,
      ...workOfEstimate(estimate),
      kind: "op",
      id: step.op,
      op: step.op,
      name: op.name,
      reason: undefined,
      costClass: traits.costClass,
      shape: problemSize(signature, traits.costClass),
      location: op.location,
      fidelity,
      config,
      estimate,
      bound: estimate.bound,
      utilisation: utilisationOf(estimate, fidelity, device),
    };
  });
}

function nothing(device: Device): RuntimeEstimate {
  return estimateOf(NO_PROGRAMS, "free", device);
}

function workOfEstimate(estimate: RuntimeEstimate): Pick<StepTimeline, "dramBytes" | "nocBytes" | "flops"> {
  return { dramBytes: estimate.dramBytes, nocBytes: estimate.nocBytes, flops: estimate.flops };
}
