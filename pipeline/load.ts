// SPDX-License-Identifier: Apache-2.0
import { readAttributes } from "../lib/ops/attributes/read_attributes.ts";
import { COLLECTIVE_AXIS } from "../lib/ops/attributes/collective.ts";
import type { CostModel } from "../lib/cost/cost_model.ts";
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { axisOf, type Mesh } from "../lib/device/mesh.ts";
import { detectProfile } from "../lib/dialect/ttnn_profile.ts";
import type { GraphBinding } from "../lib/graph/binding.ts";
import { readGraph } from "../lib/graph/read_graph.ts";
import { opSignatures } from "../lib/graph/signature.ts";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import type { OpModelOptions } from "../lib/opmodel/op_model_options.ts";
import type { OpModel } from "../lib/opmodel/op_model.ts";
import type { CandidateFilter } from "../lib/opmodel/candidate_filter.ts";
import type { GraphChange } from "../lib/passes/graph_pass.ts";
import { FULL_RUN, type RunAssumptions } from "../lib/programs/op_launch.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";
import { withCongestion } from "../sim/network/congestion.ts";
import type { Timeline } from "../sim/timeline/timeline.ts";
import { meshOfModule } from "./mesh.ts";

/** A module with everything needed to decide, simulate and check it. All parts share one layout table and one chip. */
export interface Workbench extends Models {
  /** The parsed text. */
  readonly module: ModuleText;
  /** Graph of the text, with the text span of each id. */
  readonly binding: GraphBinding;
  /** The chip with every constant that times depend on, and its machine. */
  readonly device: Device;
  /** Axes of the mesh that the module runs on; `[]` for one chip. */
  readonly mesh: Mesh;
  /** Whether the links between the chips of that mesh are unknown. */
  readonly meshIsAssumed: boolean;
  /** The part of the same chip that legality and memory depend on. */
  readonly chip: ChipDescription;
  /**
   * The models for planning: they answer for ops with the configs that a plan writes for them. They share the
   * layout table and are made at the first call.
   */
  readonly planning: () => Models;
  /** Legality checks behind the rule book that {@linkcode planning} makes. */
  readonly filters: readonly CandidateFilter[];
  /** Changes by graph passes since the text was read. */
  readonly graphChanges: readonly GraphChange[];
  /**
   * The text as read, before graph passes and decisions; missing for TTIR, which is no program of the device.
   */
  readonly asWritten?: () => AsWritten;
  /**
   * The graph that policies decide on, if it is another one: TTNN that was loaded without a choice of graph
   * passes is judged as written, and decided after the default passes.
   */
  readonly toDecide?: () => Workbench;
}

/** A program with the graph and the layouts of its text. */
export interface AsWritten {
  /** Its graph and models. */
  readonly workbench: Workbench;
  /** Its prediction. */
  readonly timeline: Timeline;
  /** Whether it has what the graph passes were asked for, other than speed: they were the default ones or none. */
  readonly obeysPasses: boolean;
}

/** Op model and cost model. */
export interface Models {
  /** Its L1 excludes the module's const-eval results. */
  readonly opModel: OpModel;
  /** Prices on the device; its layout ids are those of `opModel.layouts`. */
  readonly cost: CostModel;
}

/** Options of {@linkcode createWorkbench}. */
export interface WorkbenchOptions {
  /** Share of L1 that may be used, `--tensor-l1-usage-cap`. */
  readonly tensorL1UsageCap?: number;
  /** Chips along each axis of the mesh, for modules that do not say it, `--mesh-shape`. */
  readonly meshShape?: readonly number[];
  /**
   * Facts about a run that no graph states: `--cache-filled`, `--active-users`; default {@linkcode FULL_RUN}.
   */
  readonly assumed?: RunAssumptions;
  /** Further legality checks behind the rule book; default none. */
  readonly filters?: readonly CandidateFilter[] | undefined;
}

/**
 * Reads the graph of a parsed module and sets up op model and cost model for a device.
 *
 * @example
 * ```ts
 * import { getDevice, parseModule } from "@tilewright/tilewright";
 * import { chipDescription } from "@tilewright/tilewright/device";
 * import { lowerModule } from "@tilewright/tilewright/ir";
 * import { createWorkbench } from "@tilewright/tilewright/pipeline";
 * import { assertEquals } from "@std/assert";
 *
 * const ttir = `func.func @main(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
 *   %0 = "ttir.relu"(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
 *   return %0 : tensor<64x64xbf16>
 * }`;
 * const device = getDevice("n150");
 * const text = lowerModule(parseModule(ttir, "relu.mlir"), chipDescription(device));
 * const workbench = createWorkbench(parseModule(text, "relu.mlir"), device);
 * const [main] = workbench.binding.graph.functions;
 * assertEquals(main?.ops.some((op) => op.name === "ttnn.relu"), true);
 * ```
 *
 * @throws {DiagnosticError} if the module has dynamic shapes or invalid layouts, or a mesh that does not fit the
 * machine
 */
export function createWorkbench(
  module: ModuleText,
  device: Device,
  options: WorkbenchOptions = {},
): Workbench {
  const chip = chipDescription(device);
  const binding = readGraph(module, chip.workerGrid);
  const layouts = new LayoutTable();
  const { mesh, assumed } = meshOfModule(module, device, options.meshShape);
  const model = {
    chip,
    layouts,
    mesh,
    reservedL1Bytes: binding.graph.constEvalL1Bytes,
    writesSliceConfig: detectProfile(module).sliceConfigProperty,
    assumed: options.assumed ?? FULL_RUN,
    ...(options.tensorL1UsageCap === undefined ? {} : { usableL1Cap: options.tensorL1UsageCap }),
  };
  let planning: Models | undefined;
  const { filters = [] } = options;
  return {
    module,
    binding,
    device,
    mesh,
    meshIsAssumed: assumed,
    chip,
    ...modelsOf(model, device),
    planning: () => planning ??= modelsOf({ ...model, asWritten: true, filters }, device),
    filters,
    graphChanges: [],
  };
}

/**
 * A module with the models of another workbench, and all that they know: for the same program after further graph passes.
 * Another workbench with the same options if its const-eval results take other bytes of L1, or its text spells slices
 * otherwise.
 */
export function withModelsOf(like: Workbench, module: ModuleText, options: WorkbenchOptions): Workbench {
  const { mesh, meshIsAssumed, chip, device, opModel, cost, planning, filters } = like;
  const other = workbenchOf(module, like, options);
  const shares = other.binding.graph.constEvalL1Bytes === like.binding.graph.constEvalL1Bytes &&
    detectProfile(module).sliceConfigProperty === detectProfile(like.module).sliceConfigProperty;
  return shares ? { ...other, mesh, meshIsAssumed, chip, device, opModel, cost, planning, filters } : other;
}

/** An op model and the cost model of its answers. */
function modelsOf(options: OpModelOptions, device: Device): Models {
  const opModel = createOpModel(options);
  const { layouts } = options;
  return { opModel, cost: withCongestion(createCostModel({ device, layouts, opModel }), device, layouts) };
}

/**
 * Names of collectives with an unknown number of chips, one per op. The number is derived from the bytes of operand and
 * result.
 */
export function collectivesOfUnknownChips({ mesh, binding, opModel }: Workbench): readonly string[] {
  return binding.graph.functions.flatMap((fn) =>
    opSignatures(fn).filter((op) =>
      opModel.traits(op).costClass === "ccl" && op.operands[0] !== undefined && op.results[0] !== undefined &&
      axisOf(mesh, readAttributes(op, COLLECTIVE_AXIS).cluster_axis) === undefined
    ).map(({ name }) => name)
  );
}

/** The same device and options for another text, for example for the result of a rewrite. */
export function workbenchFor(
  text: string,
  fileName: string,
  like: Workbench,
  options: WorkbenchOptions,
): Workbench {
  return workbenchOf(parseModule(text, fileName), like, options);
}

/** The same device, options and origin for another module. */
export function workbenchOf(module: ModuleText, like: Workbench, options: WorkbenchOptions): Workbench {
  const { graphChanges, asWritten } = like;
  return {
    ...createWorkbench(module, like.device, {
      assumed: like.opModel.assumed,
      filters: like.filters,
      ...options,
    }),
    graphChanges,
    ...(asWritten === undefined ? {} : { asWritten }),
  };
}
