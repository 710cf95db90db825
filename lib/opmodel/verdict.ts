// SPDX-License-Identifier: Apache-2.0
import type { OpSignature } from "../ops/op_signature.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { BufferRequest, FailureClass, InvalidConstraints, ValidConstraints } from "./op_model.ts";
import {
  circularBufferPeak,
  circularBufferPeakOnCore,
  coresOf,
  type KnownPrograms,
} from "../programs/program.ts";
import type { LaunchContext } from "../programs/op_launch.ts";
import type { RuleSet } from "./rule_set.ts";
import { allocatedBytesPerBank, reportedL1Bytes, type Tensor } from "./tensor.ts";

/** Builds a refusal. */
export function refuse(
  failure: FailureClass,
  rule: string,
  message: string,
  source: string,
): InvalidConstraints {
  return { status: "invalid", failure, rule, message, source };
}

/** Refuses layouts of operands or results of an op. */
export function refuseLayout(
  op: Pick<OpSignature, "name">,
  rule: string,
  fault: string,
  source: string,
): InvalidConstraints {
  return refuse("unsupported_layout", rule, `${op.name}: ${fault}`, source);
}

/** Refusals of single operands by op, then by layout. */
const REFUSED_OPERANDS: WeakMap<OpSignature, Map<TtnnLayout, Map<string, InvalidConstraints>>> =
  new WeakMap();

/**
 * Refuses the layout of an operand, independent of everything else. Made once per op and layout: searches ask thousands
 * of questions that end in the same refusal.
 *
 * @param fault what follows its description: `has another memory layout`
 */
export function refuseOperand(
  op: OpSignature,
  rule: string,
  index: number,
  tensor: Tensor,
  fault: string,
  source: string,
): InvalidConstraints {
  let byLayout = REFUSED_OPERANDS.get(op);
  if (byLayout === undefined) REFUSED_OPERANDS.set(op, byLayout = new Map());
  let refusals = byLayout.get(tensor.layout);
  if (refusals === undefined) byLayout.set(tensor.layout, refusals = new Map());
  const key = `${index} ${rule}`;
  let refusal = refusals.get(key);
  if (refusal === undefined) {
    refusal = refuseLayout(op, rule, `${describeTensor(index, tensor)} ${fault}`, source);
    refusals.set(key, refusal);
  }
  return refusal;
}

/** Refuses shapes, attributes or the config of an op. */
export function refuseConfig(
  op: Pick<OpSignature, "name">,
  rule: string,
  fault: string,
  source: string,
): InvalidConstraints {
  return refuse("unsupported_config", rule, `${op.name}: ${fault}`, source);
}

/** Whether a placement or a check ended in a refusal. */
export function isRefusal(value: unknown): value is InvalidConstraints {
  return typeof value === "object" && value !== null && "status" in value && value.status === "invalid";
}

/** A rule's findings about a legal op. Byte figures are per core. */
export interface Verdict {
  /** One entry per result; `undefined` for results that are not tensors. */
  readonly outputs: readonly (Tensor | undefined)[];
  /** L1 tensors besides the outputs that are live at the peak, as the trace reports them. Default 0. */
  readonly intermediateL1Bytes?: number;
  /** Peak of the op's own L1 tensors, if it is not outputs plus intermediates. */
  readonly tensorL1PeakBytes?: number;
  /**
   * Given the peak of the buffers, the peak of buffers and tensors together, if that is less than the sum of both
   * peaks.
   */
  readonly l1PeakBytes?: (circularBufferBytes: number) => number;
  /** L1 bytes of the outputs as the backend reports them, if that is not the sum over the results. */
  readonly outputL1Bytes?: number;
  readonly config?: OpSpecificAttributes | undefined;
  /**
   * The op's programs, if the rule already had to plan them, always the same object; otherwise they are derived from
   * the layouts.
   */
  readonly launched?: () => KnownPrograms;
  /** Operand whose buffer result 0 shares or overwrites: no result buffer is placed. */
  readonly aliasedOperand?: number;
}

/** A legal op before its programs are derived. */
export interface Acceptance
  extends Omit<ValidConstraints, "programs" | "cores" | "cbPeakBytes" | "cbPlacedBytes" | "l1PeakBytes"> {
  /** Given the peak of the buffers, the peak of buffers and tensors together, bytes per core. */
  readonly l1PeakBytes: (circularBufferBytes: number) => number;
  /** As in {@linkcode Verdict}. */
  readonly launched: (() => KnownPrograms) | undefined;
}

/** What the figures of an answer depend on beside the verdict; a `RuleContext` has it. */
interface AnswerContext extends Pick<LaunchContext, "chip"> {
  readonly ruleSet: RuleSet;
}

/** Builds the answer to a query from a rule's verdict. */
export function accept(verdict: Verdict, context: AnswerContext): Acceptance {
  const { outputs, aliasedOperand } = verdict;
  const buffers: BufferRequest[] = [];
  let outputL1Bytes = 0;
  let allocated = 0;
  for (let result = 0; result < outputs.length; result++) {
    const output = outputs[result];
    if (output === undefined) continue;
    const bytes = reportedL1Bytes(output, context.chip);
    allocated += aliasedOperand !== undefined && result === 0 ? 0 : bytes;
    if (result === 0 || context.ruleSet.reportsAllOutputs) outputL1Bytes += bytes;
    if (aliasedOperand !== undefined && result === 0) continue;
    const { bufferType } = output.layout;
    if (bufferType !== "l1" && bufferType !== "dram") continue;
    buffers.push({
      bufferType,
      sizePerBank: allocatedBytesPerBank(output, context.chip),
      result,
    });
  }
  const intermediate = verdict.intermediateL1Bytes ?? 0;
  const tensorL1PeakBytes = verdict.tensorL1PeakBytes ?? allocated + intermediate;
  const transient = tensorL1PeakBytes - allocated;
  if (transient > 0) buffers.push({ bufferType: "l1", sizePerBank: transient, result: undefined });
  return {
    status: "valid",
    outputLayouts: outputs.map((output) => output?.layoutId),
    config: verdict.config,
    tensorL1PeakBytes,
    l1PeakBytes: verdict.l1PeakBytes ?? ((buffers) => buffers + tensorL1PeakBytes),
    outputL1Bytes: verdict.outputL1Bytes ?? outputL1Bytes,
    // Answers are cached, so spare capacity of the array is dropped.
    buffers: buffers.slice(),
    launched: verdict.launched,
    aliasedOperand,
  };
}

/** The answer about an op whose result is a view of its first operand: no program, no buffer of its own. */
export function acceptView(output: Tensor, context: AnswerContext): Acceptance {
  return accept({ outputs: [output], aliasedOperand: 0 }, context);
}

/** Names an operand and its layout for a message. */
export function describeTensor(index: number, tensor: Tensor): string {
  const { layout } = tensor;
  const memory = layout.memoryLayout === undefined ? "" : ` ${layout.memoryLayout}`;
  const page = layout.tile === undefined ? "row-major" : "tile";
  return `operand ${index} (${
    tensor.shape.join("x")
  } ${layout.dataType} ${page}, ${layout.bufferType}${memory})`;
}

/** A value, or the refusal that ends a rule's evaluation. */
export type OrRefusal<T> = T | InvalidConstraints;

/** What a rule answers. */
export type RuleAnswer = Acceptance | InvalidConstraints;

/** Completes a legal answer with the op's programs, which give its cores and circular buffers. */
export function withPrograms(answer: Acceptance, launched: KnownPrograms): ValidConstraints {
  const cbPeakBytes = circularBufferPeak(launched);
  return {
    status: "valid",
    outputLayouts: answer.outputLayouts,
    config: answer.config,
    cbPeakBytes,
    cbPlacedBytes: circularBufferPeakOnCore(launched),
    tensorL1PeakBytes: answer.tensorL1PeakBytes,
    l1PeakBytes: answer.l1PeakBytes(cbPeakBytes),
    outputL1Bytes: answer.outputL1Bytes,
    buffers: answer.buffers,
    programs: launched.programs,
    cores: coresOf(launched),
    aliasedOperand: answer.aliasedOperand,
  };
}
