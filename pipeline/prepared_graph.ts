// SPDX-License-Identifier: Apache-2.0
import type { RuntimeEstimate } from "../lib/cost/cost_model.ts";
import { takesNoTime } from "../lib/cost/takes_no_time.ts";
import type { ChipDescription } from "../lib/device/chip_description.ts";
import { type ModuleText, parseModule } from "../lib/ir/mod.ts";
import { LayoutTable } from "../lib/layout/layout_table.ts";
import type { LoweringOptions, lowerModule } from "../lib/lowering/lower_module.ts";
import { keptOps, needsLowering } from "../lib/lowering/needs_lowering.ts";
import { parseOpConfig } from "../lib/op_config/parse.ts";
import { createOpModel } from "../lib/opmodel/create_op_model.ts";
import { isView, type OpModel } from "../lib/opmodel/op_model.ts";
import { operandSegments } from "../lib/ops/operand_groups.ts";
import type { OpSignature } from "../lib/ops/op_signature.ts";
import type { GraphChange, GraphQuestions, ProposedOp, UnfinishedPass } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import { GRAPH_PASSES } from "../lib/passes/pass_table.ts";
import { convertReturned } from "../lib/passes/patterns/formats/convert_returned.ts";
import { patternPass } from "../lib/passes/rewrite_pattern.ts";
import { type PassTools, runPasses } from "../lib/passes/run_passes.ts";
import { convolutionRequest, preparedWeightsExtent } from "../lib/programs/conv/convolution.ts";
import { poolRequest, routePool } from "../lib/programs/pool/pool.ts";
import { programTensor } from "../lib/programs/program_tensor.ts";
import { isRefused } from "../lib/programs/sliding_window/sliding_window.ts";
import type { TtnnType } from "../lib/ttnn/value.ts";
import { createCostModel } from "../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../sim/devices/device.ts";
import { createClock } from "../sim/timeline/device_clock.ts";
import { foldedInLowering } from "./graph_changes.ts";
import { requireSoundPasses } from "./require_sound.ts";

/** The graph that layouts are decided on. */
export interface PreparedGraph {
  /** The input itself if nothing changed. */
  readonly module: ModuleText;
  /** Names of non-TTNN ops without a lowering, which stay as they are; one entry per op. */
  readonly kept: readonly string[];
  /** Changes by graph passes. */
  readonly changes: readonly GraphChange[];
  /** Passes that stopped at their limit while patterns still matched. */
  readonly unfinished: readonly UnfinishedPass[];
}

/** Type of `lowerModule`, which callers that need no lowering do not load. */
export type LowerModule = typeof lowerModule;

/**
 * Like `prepareGraph`, with the lowering as an argument, so that only callers that need it load it: the rules
 * of TTIR ops are a tenth of the program.
 *
 * @throws {RangeError} if the module needs a lowering and none is given
 */
export function preparedGraph(
  lower: LowerModule | undefined,
  input: ModuleText,
  device: Device,
  options: PassOptions | undefined,
  lowering: LoweringOptions,
): PreparedGraph {
  const chip = chipDescription(device);
  const isLowered = needsLowering(input);
  const module = isLowered ? parseModule(lowered(lower, input, chip, lowering), input.fileName) : input;
  const kept = keptOps(module);
  const folded = isLowered ? foldedInLowering(input, module) : [];
  if (options === undefined) {
    const declared = isLowered ? declaredAsReturned(module, device) : module;
    requireSoundPasses(declared, input, [], () => declared, chip);
    return { module: declared, kept, changes: folded, unfinished: [] };
  }
  // From level 1 on upstream leaves fidelity to the kernels, so the attributes of level 0 are removed.
  const keepsFidelity = options.selection === "upstream-level-0";
  const effective: PassOptions = keepsFidelity ? options : { computeConfig: {}, ...options };
  const tools: PassTools = {
    ...graphQuestions(device),
    ownsSignature: isLowered,
    passes: isLowered ? [...GRAPH_PASSES, DECLARE_RETURNED] : GRAPH_PASSES,
  };
  const { text, changes, unfinished } = runPasses(module, chip, effective, tools);
  const parsed = (made: string) => made === module.text ? module : parseModule(made, input.fileName);
  const passed = parsed(text);
  requireSoundPasses(
    passed,
    input,
    changes,
    (mostChanges) => parsed(runPasses(module, chip, effective, { ...tools, mostChanges }).text),
    chip,
  );
  return { module: passed, kept, changes: [...folded, ...changes], unfinished };
}

/**
 * Lowering declares TTIR's types; this pass declares the types that kernels return, even if all passes are
 * off.
 */
const DECLARE_RETURNED = patternPass("declare-returned", undefined, [convertReturned]);

function declaredAsReturned(module: ModuleText, device: Device): ModuleText {
  const { text } = runPasses(module, chipDescription(device), DEFAULT_PASS_OPTIONS, {
    ...graphQuestions(device),
    ownsSignature: true,
    passes: [DECLARE_RETURNED],
  });
  return text === module.text ? module : parseModule(text, module.fileName);
}

function lowered(lower: LowerModule | undefined, ...input: Parameters<LowerModule>): string {
  if (lower === undefined) throw new RangeError(`Cannot lower ${input[0].fileName}: no lowering is loaded`);
  return lower(...input);
}

/** {@linkcode GraphQuestions.comesAsImages} on a chip. */
function comesAsImages(chip: ChipDescription, { name, attributes, operands }: ProposedOp): boolean {
  const [input] = operands;
  if (input?.kind !== "tensor") return false;
  const request = poolRequest({ name, attributes }, programTensor(input, input.layout), chip);
  const route = request && routePool(request, () => chip.l1Size - chip.l1UnreservedBase);
  return route !== undefined && !isRefused(route) && route.kind === "sliced";
}

/** Rows of prepared weights, from the operands of the convolution. */
function preparedRows(
  chip: ChipDescription,
  { name, attributes, operands, results }: ProposedOp,
): number | undefined {
  const view = (type: TtnnType | undefined) =>
    type?.kind === "tensor" ? programTensor(type, type.layout) : undefined;
  const [input, weight] = [view(operands[0]), view(operands[1])];
  const output = view(results[0]);
  if (input === undefined || weight === undefined || output === undefined) return undefined;
  const config = parseOpConfig(name, attributes);
  // Operands after the weights are the bias, if there is one, and the device.
  const request = convolutionRequest(
    { name, attributes, config },
    { input, weight, hasBias: operands.length > 3, outType: output.dataType },
    { chip },
  );
  return request === undefined ? undefined : preparedWeightsExtent(request)?.[0];
}

/** Answers to graph passes' questions, for a device. */
export function graphQuestions(device: Device): GraphQuestions {
  const layouts = new LayoutTable();
  const chip = chipDescription(device);
  const opModel = createOpModel({ chip, layouts });
  const cost = createCostModel({ device, layouts, opModel });
  const estimate = (question: ProposedOp): RuntimeEstimate | "no time" | undefined => {
    const { signature, answer } = ask(opModel, question);
    if (answer.status !== "valid") return undefined;
    if (takesNoTime(signature, isView(answer))) return "no time";
    const ids = (types: readonly TtnnType[]) =>
      types.map((type) => type.kind === "tensor" ? layouts.intern(type.layout) : undefined);
    const runtime = cost.getOpRuntime(signature, ids(question.operands), ids(question.results), undefined);
    return runtime.unknown === undefined ? runtime : undefined;
  };
  return {
    preparedRows: (convolution) => preparedRows(chip, convolution),
    comesAsImages: (pool) => comesAsImages(chip, pool),
    isLegal: (question) => ask(opModel, question).answer.status === "valid",
    microseconds: (question) => {
      const runtime = estimate(question);
      return runtime === "no time" ? 0 : runtime?.microseconds;
    },
    inSequence: (questions) => {
      const clock = createClock(true, device);
      let microseconds = 0;
      let alone = 0;
      for (const question of questions) {
        const runtime = estimate(question);
        if (runtime === undefined) return undefined;
        if (runtime === "no time") continue;
        const { startUs, deviceUs } = clock(runtime);
        microseconds = startUs + deviceUs;
        alone += runtime.microseconds;
      }
      return { microseconds, waited: microseconds - alone };
    },
  };
}

function ask(opModel: OpModel, { name, attributes, operands, results }: ProposedOp) {
  const tensors = (types: readonly TtnnType[]) =>
    types.map((type) =>
      type.kind === "tensor" ? { shape: type.shape, dataType: type.dataType, layout: type.layout } : undefined
    );
  const inputs = tensors(operands);
  const signature: OpSignature = {
    name,
    attributes,
    operands: inputs,
    operandSegmentSizes: operandSegments(attributes),
    results: tensors(results),
  };
  const ids = opModel.layouts.internAll(inputs.map((tensor) => tensor?.layout));
  const asChosen = opModel.queryOpConstraints(signature, ids, undefined, undefined);
  const [declared] = results;
  // A decided op may be too large for the memory that the backend would choose, and fit where it declares its result.
  const answer = asChosen.status === "invalid" && declared?.kind === "tensor"
    ? opModel.queryOpConstraints(signature, ids, opModel.layouts.intern(declared.layout), undefined)
    : asChosen;
  return { signature, answer };
}
