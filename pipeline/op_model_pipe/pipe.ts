// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import type { CostModel, RuntimeEstimate } from "../../lib/cost/cost_model.ts";
import { takesNoTime } from "../../lib/cost/takes_no_time.ts";
import { type ChipDescription, DEFAULT_L1_CAP, isArchitecture } from "../../lib/device/chip_description.ts";
import { LayoutTable } from "../../lib/layout/layout_table.ts";
import { placeBesideLive } from "../../lib/memory/allocation_query.ts";
import { l1Region } from "../../lib/memory/l1_schedule.ts";
import { effectiveConfig } from "../../lib/op_config/config_key.ts";
import { parseOpConfig } from "../../lib/op_config/parse.ts";
import { createOpModel } from "../../lib/opmodel/create_op_model.ts";
import { layoutMisfit } from "../../lib/opmodel/layout_checks.ts";
import { isView, type OpModel, type ValidConstraints } from "../../lib/opmodel/op_model.ts";
import { convolutionRequest, preparedWeightsExtent } from "../../lib/programs/conv/convolution.ts";
import { programTensor } from "../../lib/programs/program_tensor.ts";
import { createCostModel } from "../../sim/cost/runtime.ts";
import { chipDescription, type Device } from "../../sim/devices/device.ts";
import { type PipeQuestion, QuestionReader, UnreadableQuestion } from "./question_reader.ts";
import { type ConstraintsReply, refusalReply, type Reply, unreadableReply, wireLayout } from "./reply.ts";
import {
  type ConstraintsRequest,
  type HelloRequest,
  type LayoutLegalRequest,
  type PreparedWeightsRequest,
  REQUEST,
  type Request,
  REQUEST_KINDS,
  type RequestId,
  type ReshardRuntimeRequest,
  type RuntimeRequest,
} from "./request.ts";
import { DiagnosticError, errorText } from "../../lib/diagnostics/diagnostic.ts";
import { parseSystemDesc } from "../../lib/dialect/system_desc.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { DEFAULT_DEVICE, targetOfChip } from "../target.ts";

/** Any question after `hello`, which chooses the device. */
type DeviceQuestion = Exclude<Request, { readonly kind: "hello" }>;

/** Answers questions for one device. Pure: equal questions get equal answers. */
class DeviceAnswers {
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
    // The allocator below decides whether a stateful question fits, so no sum of bytes may refuse it here.
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
    if (takesNoTime(op, isView(answer))) return { ok: true, microseconds: 0, relativeError: 0, cores: 0 };
    return runtimeReply(this.#cost.getOpRuntime(op, inputs, answer.outputLayouts, config));
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

const PROTOCOL = 1;

/** Size of the cache in characters of questions and replies; when full, it is cleared. */
const MEMO_CHARACTERS = 1 << 28;

/** The id of a question at its place in the line. */
const ID = /"id"\s*:\s*(-?\d+)/g;

interface PipeStatistics {
  readonly answers: number;
  /** Answers from the cache. */
  readonly remembered: number;
  readonly unreadable: number;
}

/**
 * One session of the protocol between a compiler and an op model: a JSON object per line in, one per line out. An
 * unreadable line gets an answer as well.
 */
export class OpModelPipe {
  readonly #given: Device | undefined;
  readonly #remark: (text: string) => void;
  #answers: DeviceAnswers | undefined;
  /** Replies by line, both without ids. */
  readonly #memo: Map<string, string> = new Map();
  #memoCharacters = 0;
  #count = { answers: 0, remembered: 0, unreadable: 0 };

  /**
   * @param device device to answer for; `undefined` takes the one that `hello` describes
   * @param remark receives notes for a reader about a device that `hello` describes
   */
  constructor(device: Device | undefined, remark: (text: string) => void = () => {}) {
    this.#given = device;
    this.#remark = remark;
  }

  /** Figures up to now. */
  get statistics(): PipeStatistics {
    return { ...this.#count };
  }

  /** The reply to a line, without a line end. Never throws. */
  answerLine(line: string): string {
    this.#count.answers++;
    const split = splitId(line);
    if (split === undefined) return this.#answer(line).text;
    const known = this.#memo.get(split.rest);
    if (known !== undefined) {
      this.#count.remembered++;
      return `{"id":${split.id}${known.slice(known.indexOf(","))}`;
    }
    const { text, kind, id } = this.#answer(line);
    // Lines whose id occurs elsewhere, or that change the device, are not cached.
    if (kind !== undefined && kind !== "hello" && String(id) === split.id) this.#remember(split.rest, text);
    return text;
  }

  #remember(line: string, reply: string): void {
    this.#memoCharacters += line.length + reply.length;
    if (this.#memoCharacters > MEMO_CHARACTERS) {
      this.#memo.clear();
      this.#memoCharacters = line.length + reply.length;
    }
    this.#memo.set(line, reply);
  }

  #answer(
    line: string,
  ): { readonly text: string; readonly kind?: string; readonly id?: RequestId | undefined } {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      return { text: this.#unreadable(undefined, `the line is not JSON: ${errorText(error)}`) };
    }
    const read = v.safeParse(REQUEST, json);
    if (!read.success) return { text: this.#unreadable(idOf(json), faultOf(json, read.issues[0])) };
    const question = read.output;
    const { kind, id } = question;
    try {
      if (question.kind === "hello") return { text: replyText(id, this.#greet(question)), kind, id };
      return { text: replyText(id, this.#current().answer(question)), kind, id };
    } catch (error) {
      if (
        error instanceof UnreadableQuestion || error instanceof DiagnosticError || error instanceof RangeError
      ) return { text: this.#unreadable(id, error.message), kind, id };
      return { text: this.#unreadable(id, `internal error of tilewright: ${errorText(error)}`) };
    }
  }

  #unreadable(id: RequestId | undefined, reason: string): string {
    this.#count.unreadable++;
    return replyText(id, unreadableReply(reason));
  }

  /** Answers for the current device, created at the first question. */
  #current(): DeviceAnswers {
    return this.#answers ??= new DeviceAnswers(this.#given ?? getDevice(DEFAULT_DEVICE));
  }

  #greet(hello: HelloRequest): Reply {
    const { device, remark } = this.#given === undefined
      ? targetOfHello(hello)
      : { device: this.#given, remark: undefined };
    if (JSON.stringify(device) !== JSON.stringify(this.#answers?.device)) {
      if (remark !== undefined) this.#remark(remark);
      this.#answers = new DeviceAnswers(device);
      this.#memo.clear();
      this.#memoCharacters = 0;
    }
    return { ok: true, protocol: PROTOCOL, device: device.name };
  }
}

/** The chip of a `hello`: its description, with the worker grid that the compiler uses. */
function targetOfHello(
  { arch, workerGrid: [rows, columns], l1Size, usableL1Size, systemDesc }: HelloRequest,
) {
  if (!isArchitecture(arch)) throw new UnreadableQuestion(`'${arch}' is not a known architecture`);
  const described = parseSystemDesc(systemDesc)?.[0];
  return targetOfChip({
    architecture: arch,
    l1Size,
    l1UnreservedBase: l1Size - usableL1Size,
    ...described,
    workerGrid: { rows, columns },
  });
}

/** A line without its id, and the id; `undefined` if the id occurs not exactly once. */
function splitId(line: string): { readonly rest: string; readonly id: string } | undefined {
  ID.lastIndex = 0;
  const found = ID.exec(line);
  const id = found?.[1];
  if (found === null || id === undefined || ID.exec(line) !== null) return undefined;
  const end = found.index + found[0].length;
  // A following digit, dot or exponent would continue the number.
  return /^\s*[,}]/.test(line.slice(end, end + 8))
    ? { rest: `${line.slice(0, found.index)}\n${line.slice(end)}`, id }
    : undefined;
}

function replyText(id: RequestId | undefined, reply: Reply): string {
  return JSON.stringify(id === undefined ? reply : { id, ...reply });
}

function idOf(json: unknown): RequestId | undefined {
  if (typeof json !== "object" || json === null || !("id" in json)) return undefined;
  return typeof json.id === "number" || typeof json.id === "string" ? json.id : undefined;
}

function faultOf(json: unknown, issue: v.BaseIssue<unknown>): string {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return "the line is not a JSON object";
  }
  const path = v.getDotPath(issue);
  if (path === "kind" || path === null) return `kind must be one of ${REQUEST_KINDS.join(", ")}`;
  return `${path}: ${issue.message}`;
}
