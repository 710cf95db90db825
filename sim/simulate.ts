// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../lib/cost/cost_model.ts";
import type { FunctionKind, Graph, GraphFunction, TensorShape } from "../lib/graph/graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import type { DataType } from "../lib/layout/data_type.ts";
import type { LayoutId } from "../lib/layout/layout_table.ts";
import type { TtnnLayout } from "../lib/layout/ttnn_layout.ts";
import type { CostClass, OpConstraints, OpModel, OpSignature, OpTraits } from "../lib/opmodel/op_model.ts";
import type { FunctionPlan, Plan } from "../lib/plan/plan.ts";
import { identityPlan, type InstanceId, planExecution, type PlannedExecution } from "../lib/plan/steps.ts";
import { type CongestionModel, createCongestionModel } from "./congestion.ts";
import type { Device } from "./device.ts";
import { combineErrors } from "./error_band.ts";
import { FREE } from "./kernel.ts";
import { estimateOf } from "./estimate.ts";
import { problemSize } from "./problem_size.ts";
import { stepFidelity, utilisationOf } from "./utilisation.ts";
import type { ExecutionRole, FunctionTimeline, StepTimeline, Timeline, TimelineTotals } from "./timeline.ts";

/** What a simulation runs against. All three must be about the same chip and the same layout table. */
export interface SimulationContext {
  readonly device: Device;
  readonly opModel: OpModel;
  readonly cost: CostModel;
}

/** How a simulation runs. */
export interface SimulationOptions {
  /**
   * Ops run from a captured trace (default): the device goes from kernel to kernel. Otherwise the host issues every
   * op, and the device waits for it when it is quicker than the host.
   */
  readonly traced?: boolean;
  /**
   * Level of the network: `flow` (default) routes every layout change on the torus and adds what its flows lose to
   * congestion; `analytic` takes the cost model's answers as they are, as search does.
   */
  readonly network?: "analytic" | "flow";
}

/**
 * Simulates every function of a graph on its own, in the graph's order.
 *
 * @param plan decisions to run with; functions that it does not name, and all when it is absent, run as written
 * @throws {RangeError} when the plan does not belong to the graph
 */
export function simulateGraph(
  graph: Graph,
  plan: Plan | undefined,
  context: SimulationContext,
  options: SimulationOptions = {},
): Timeline {
  const run = createRun(context, options);
  const functions = graph.functions.map((fn) =>
    runFunction(fn, plan?.functions.find((candidate) => candidate.name === fn.name), run)
  );
  return {
    device: context.device.name,
    traced: run.traced,
    network: run.congestion === undefined ? "analytic" : "flow",
    functions,
    inference: totalsOf(functions.filter((fn) => fn.role === "inference")),
    once: totalsOf(functions.filter((fn) => fn.role === "once")),
  };
}

/**
 * Simulates one function from an idle device: steps in execution order, one after another, each with its launch or
 * host gap before it. Views, calls and bookkeeping take no time and no launch.
 *
 * @param plan decisions to run with; the function as written when absent
 * @throws {RangeError} when the plan does not belong to the function
 */
export function simulateFunction(
  fn: GraphFunction,
  plan: FunctionPlan | undefined,
  context: SimulationContext,
  options: SimulationOptions = {},
): FunctionTimeline {
  return runFunction(fn, plan, createRun(context, options));
}

/** A context with its options, and what is remembered over the functions of one simulation. */
interface Run extends SimulationContext {
  readonly traced: boolean;
  readonly congestion: CongestionModel | undefined;
}

function createRun(context: SimulationContext, options: SimulationOptions): Run {
  return {
    ...context,
    traced: options.traced ?? true,
    congestion: options.network === "analytic"
      ? undefined
      : createCongestionModel(context.device, context.opModel.layouts),
  };
}

function runFunction(fn: GraphFunction, plan: FunctionPlan | undefined, run: Run): FunctionTimeline {
  const execution = planExecution(fn, plan ?? identityPlan(fn));
  const resolved = resolveSteps(fn, execution, run);
  const role = roleOf(fn.kind);
  const clock = createClock(run.traced, run.device);
  const steps = resolved.map((step, index): StepTimeline => ({ ...step, index, ...clock(step.estimate) }));
  const busy = steps.reduce((sum, step) => sum + step.deviceUs, 0);
  const gapUs = steps.reduce((sum, step) => sum + step.gapUs, 0);
  return {
    name: fn.name,
    kind: fn.kind,
    role,
    steps,
    totalUs: busy + gapUs,
    deviceUs: busy,
    gapUs,
    band: combineErrors(uncertainParts(steps, run.device)),
    ...workOf(steps),
    utilisation: {
      dram: weightedMean(steps, (step) => step.utilisation.dram),
      flops: weightedMean(steps, (step) => step.utilisation.flops),
    },
  };
}

/** When functions of a kind run. */
export function roleOf(kind: FunctionKind): ExecutionRole {
  switch (kind) {
    case "forward_device":
    case "trace_main":
    case "other":
      return "inference";
    case "const_eval":
      return "once";
    case "forward_cpu":
    case "forward_cpu_declaration":
    case "kernel":
      return "host";
    case "trace_run_and_capture":
    case "trace_execute":
      return "wrapper";
  }
}

/** A step whose place on the clock is not known yet. */
type ResolvedStep = Omit<StepTimeline, "index" | "startUs" | "deviceUs" | "gapUs">;

/** What a conversion is written as; the rewriter's name for it in the newest generation. */
const CONVERSION_OP = "ttnn.to_memory_config";

/** Cost classes whose whole work is to move one tensor from one layout to another. */
const LAYOUT_CHANGES: ReadonlySet<CostClass> = new Set(["reshard", "to_layout"]);

function resolveSteps(
  fn: GraphFunction,
  execution: PlannedExecution,
  run: Run,
): ResolvedStep[] {
  const { opModel, cost, device, congestion } = run;
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

  return execution.steps.map((step): ResolvedStep => {
    const inputLayouts = step.operands.map(layoutOf);
    const outputLayouts = step.results.map(layoutOf);
    const common = {
      inputLayouts,
      outputLayouts,
      inputTypes: typesOf(step.operands),
      outputTypes: typesOf(step.results),
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
        name: CONVERSION_OP,
        reason: step.conversion.reason,
        costClass: "reshard",
        shape: tensor === undefined ? "" : tensor.shape.join("x"),
        location: fn.ops[step.conversion.beforeOp]?.location ?? "",
        fidelity: undefined,
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
    const constraints = opModel.queryOpConstraints(signature, inputs, outputs[0], step.config);
    const config = step.config ?? (constraints.status === "valid" ? constraints.config : undefined);
    const estimate = takesNoTime(signature, traits, constraints)
      ? nothing(device)
      : LAYOUT_CHANGES.has(traits.costClass)
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
      estimate,
      bound: estimate.bound,
      utilisation: utilisationOf(estimate, fidelity, device),
    };
  });
}

/** Views and calls: a view moves nothing, and the time of a called function is that function's own. */
function takesNoTime(op: OpSignature, traits: OpTraits, constraints: OpConstraints): boolean {
  for (const attribute of op.attributes.values()) {
    if (attribute.kind === "symbol") return true;
  }
  if (!op.name.startsWith("ttnn.")) return true;
  return constraints.status === "valid" && constraints.aliasedOperand !== undefined &&
    traits.inPlaceOperand === undefined;
}

function nothing(device: Device): RuntimeEstimate {
  return estimateOf(FREE, "free", device);
}

/**
 * The device's and the host's clock. With a trace every kernel starts one launch after the end of the one before.
 * Without, the host needs `dispatch.untracedHost` to issue each op and runs ahead of the device as far as it can; ops
 * that end on the host make it wait for them.
 */
function createClock(
  traced: boolean,
  device: Device,
): (estimate: RuntimeEstimate) => Pick<StepTimeline, "startUs" | "deviceUs" | "gapUs"> {
  let deviceFree = 0;
  let hostFree = 0;
  return (estimate) => {
    const launch = estimate.terms.launch;
    const deviceUs = Math.max(0, estimate.microseconds - launch);
    if (estimate.microseconds === 0) return { startUs: deviceFree, deviceUs: 0, gapUs: 0 };
    let startUs = deviceFree + launch;
    if (!traced) {
      hostFree += device.dispatch.untracedHost;
      startUs = Math.max(startUs, hostFree);
    }
    const gapUs = startUs - deviceFree;
    deviceFree = startUs + deviceUs;
    if (estimate.bound === "HOST") hostFree = Math.max(hostFree, deviceFree);
    return { startUs, deviceUs, gapUs };
  };
}

/** Times with their errors: each step's own, and what the host adds to the gaps. */
function* uncertainParts(steps: readonly StepTimeline[], device: Device) {
  for (const step of steps) {
    yield {
      errorClass: step.costClass,
      microseconds: step.estimate.microseconds,
      relativeError: step.estimate.relativeError,
    };
    const waiting = step.gapUs - step.estimate.terms.launch;
    if (waiting > 0) {
      yield { errorClass: "host", microseconds: waiting, relativeError: device.accuracy.dataMovement };
    }
  }
}

function totalsOf(functions: readonly FunctionTimeline[]): TimelineTotals {
  const sum = (pick: (fn: FunctionTimeline) => number) =>
    functions.reduce((total, fn) => total + pick(fn), 0);
  return {
    totalUs: sum((fn) => fn.totalUs),
    deviceUs: sum((fn) => fn.deviceUs),
    gapUs: sum((fn) => fn.gapUs),
    // Functions of one program are priced by the same kernel models: their errors share causes and add up.
    band: { lowerUs: sum((fn) => fn.band.lowerUs), upperUs: sum((fn) => fn.band.upperUs) },
    dramBytes: sum((fn) => fn.dramBytes),
    nocBytes: sum((fn) => fn.nocBytes),
    flops: sum((fn) => fn.flops),
  };
}

function workOf(steps: readonly StepTimeline[]): Pick<StepTimeline, "dramBytes" | "nocBytes" | "flops"> {
  return {
    dramBytes: steps.reduce((sum, step) => sum + step.dramBytes, 0),
    nocBytes: steps.reduce((sum, step) => sum + step.nocBytes, 0),
    flops: steps.reduce((sum, step) => sum + step.flops, 0),
  };
}

function workOfEstimate(estimate: RuntimeEstimate): Pick<StepTimeline, "dramBytes" | "nocBytes" | "flops"> {
  return { dramBytes: estimate.dramBytes, nocBytes: estimate.nocBytes, flops: estimate.flops };
}

/** Mean over device time. */
function weightedMean(steps: readonly StepTimeline[], pick: (step: StepTimeline) => number): number {
  const total = steps.reduce((sum, step) => sum + step.deviceUs, 0);
  return total === 0 ? 0 : steps.reduce((sum, step) => sum + step.deviceUs * pick(step), 0) / total;
}
