// SPDX-License-Identifier: Apache-2.0
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { takesNoTime } from "../../lib/cost/takes_no_time.ts";
import { type ChipDescription, DEFAULT_L1_CAP } from "../../lib/device/chip_description.ts";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { placeBesideLive } from "../../lib/memory/allocation_query.ts";
import { l1Region } from "../../lib/memory/l1_schedule.ts";
import { effectiveConfig } from "../../lib/op_config/config_key.ts";
import { parseOpConfig } from "../../lib/op_config/parse.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import { layoutMisfit } from "../../lib/opmodel/layout_checks.ts";
import { isView, type OpModel, type ValidConstraints } from "../../lib/opmodel/op_model.ts";
import { convolutionRequest, preparedWeightsExtent } from "../../lib/programs/convolution.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { createCostModel } from "../../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { type PipeQuestion, QuestionReader } from "./question_reader.ts";
import { type ConstraintsReply, refusalReply, type Reply, unreadableReply, wireLayout } from "./reply.ts";
import type {
  ConstraintsRequest,
  LayoutLegalRequest,
  PreparedWeightsRequest,
  Request,
  ReshardRuntimeRequest,
  RuntimeRequest,
} from "./request.ts";

/** Any question after `hello`, which chooses the device. */
export type DeviceQuestion = Exclude<Request, { readonly kind: "hello" }>;

/** Answers questions for one device. Pure: equal questions get equal answers. */
export class DeviceAnswers {
  /** The device that is asked about. */
  readonly device: Device;
  readonly #chip: ChipDescription;
  readonly #layouts = new LayoutTable();
  readonly #opModel: OpModel;
  readonly #cost: CostModel;
  readonly #reader = new QuestionReader(this.#layouts);

  constructor(device: Device) {
    this.device = device;
    this.#chip = chipDescription(device);
    this.#opModel = createOpModel({ chip: this.#chip, layouts: this.#layouts, checksWrittenText: false });
    this.#cost = createCostModel({ device, layouts: this.#layouts, opModel: this.#opModel });
  }

  /** @throws {UnreadableQuestion} if a text in it cannot be read */
  answer(question: DeviceQuestion): Reply {
    switch (question.kind) {
      case "constraints":
        return this.#constraints(question);
      case "runtime":
        return this.#runtime(question);
      case "reshardRuntime":
        return this.#reshardRuntime(question);
      case "layoutLegal":
        return this.#layoutLegal(question);
      case "preparedConv2dWeights":
        return this.#preparedWeights(question);
    }
  }

  #constraints(request: ConstraintsRequest): Reply {
    const { op, inputs, declared } = this.#reader.question(request);
    const hint = request.outputLayout === null ? undefined : this.#reader.layout(request.outputLayout.text);
    const config = this.#reader.config(op.name, request.opConfig);
    const stateful = request.liveRecords !== null;
    const extra = stateful ? Number.NEGATIVE_INFINITY : request.additionalL1;
    const answer = this.#opModel.queryOpConstraints(op, inputs, hint, config, extra);
    if (answer.status === "invalid") return refusalReply(answer);
    const reply: ConstraintsReply = {
      ok: true,
      outputLayouts: returnedLayouts(answer, inputs).map((made, result) =>
        wireLayout(this.#layouts, made, result === 0 ? hint ?? declared[result] : declared[result])
      ),
      cbPeak: answer.cbPeakBytes,
      tensorPeak: answer.tensorL1PeakBytes,
      totalPeak: answer.l1PeakBytes,
      outputL1: answer.outputL1Bytes,
    };
    if (request.liveRecords === null) return { ...reply };
    const region = l1Region(this.#opModel.chip, DEFAULT_L1_CAP, 0);
    const budget = Math.min(region.budget, request.usableL1);
    const placed = placeBesideLive(op, answer, request.liveRecords, { ...region, budget }, this.#opModel);
    if (placed.status === "out_of_memory") {
      return { ok: false, status: "oom", reason: `${placed.message} [l1/${placed.kind}]` };
    }
    return { ...reply, outputAllocations: placed.outputs };
  }

  #runtime(request: RuntimeRequest): Reply {
    const { op, inputs } = this.#reader.question(request);
    const hint = request.outputLayout === null ? undefined : this.#reader.layout(request.outputLayout.text);
    const config = this.#reader.config(op.name, request.opConfig);
    const answer = this.#opModel.queryOpConstraints(op, inputs, hint, config);
    if (answer.status === "invalid") return refusalReply(answer);
    if (takesNoTime(op, isView(answer))) {
      return { ok: true, microseconds: 0, relativeError: 0, cores: 0 };
    }
    return runtimeReply(
      this.#cost.getOpRuntime(op, inputs, answer.outputLayouts, config),
    );
  }

  #reshardRuntime({ operands: [operand], outputLayout }: ReshardRuntimeRequest): Reply {
    const question = this.#reader.question({
      op: "ttnn.to_memory_config",
      attrs: {},
      operands: [operand],
      results: [],
    });
    const [tensor] = question.op.operands;
    const [from] = question.inputs;
    if (tensor === undefined || from === undefined) {
      return unreadableReply("the operand has no layout, or a format that the device does not have");
    }
    const to = this.#reader.layout(outputLayout.text);
    if (from === to) return { ok: true, microseconds: 0, relativeError: 0, cores: 0 };
    return runtimeReply(this.#cost.getReshardRuntime(tensor, from, to));
  }

  #layoutLegal({ shape, layout, maxGrid: [rows, columns] }: LayoutLegalRequest): Reply {
    const { text } = layout;
    const chip = { ...this.#chip, workerGrid: { rows, columns } };
    const reason = layoutMisfit(shape, this.#layouts.get(this.#reader.layout(text)), chip);
    return reason === undefined ? { ok: true } : { ok: false, reason };
  }

  #preparedWeights(request: PreparedWeightsRequest): Reply {
    const question = this.#reader.question(request);
    const { op, inputs, declared } = question;
    const asked = this.#reader.config(op.name, { conv2dConfig: request.conv2dConfig });
    const tensors = (shapes: PipeQuestion["op"]["operands"], layouts: PipeQuestion["inputs"]) =>
      shapes.map((shape, index) => {
        const layout = layouts[index];
        if (shape === undefined) return undefined;
        return programTensor(shape, layout === undefined ? undefined : this.#layouts.get(layout));
      });
    const launch = {
      name: op.name,
      attributes: op.attributes,
      inputs: tensors(op.operands, inputs),
      outputs: tensors(op.results, declared),
      config: effectiveConfig(parseOpConfig(op.name, op.attributes), asked),
    };
    const [input, weight, bias] = launch.inputs;
    const [output] = launch.outputs;
    if (input === undefined || weight === undefined || output === undefined) return { ok: true };
    const convolution = convolutionRequest(
      launch,
      { input, weight, hasBias: bias !== undefined, outType: output.dataType },
      { chip: this.#chip },
    );
    const extent = convolution === undefined ? undefined : preparedWeightsExtent(convolution);
    return extent === undefined ? { ok: true } : { ok: true, shape: [1, 1, ...extent] };
  }
}

/** For an op without results, TTNN returns the cache that it writes into. */
function returnedLayouts(
  { outputLayouts, aliasedOperand }: ValidConstraints,
  inputs: PipeQuestion["inputs"],
): PipeQuestion["inputs"] {
  return outputLayouts.length > 0 || aliasedOperand === undefined ? outputLayouts : [inputs[aliasedOperand]];
}

function runtimeReply(estimate: RuntimeEstimate): Reply {
  const { unknown, microseconds, relativeError, bound, cores } = estimate;
  if (unknown !== undefined) return { ok: false, status: "notImplemented", reason: unknown };
  return { ok: true, microseconds, relativeError, bound, cores };
}
