// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import type { OpSignature } from "../ops/op_signature.ts";
import { type LaunchEvent, launchPeaks } from "../programs/launch_sequence.ts";
import { coresOf, type KnownPrograms, type OpPrograms } from "../programs/program.ts";
import { circularBufferPeak, circularBufferPeakOnCore } from "../programs/circular_buffer.ts";
import type { ConstraintQuery } from "./rule.ts";
import type { FailureClass, InvalidConstraints, OpConstraints, ValidConstraints } from "./op_model.ts";
import { allocatedBytesPerBank, reportedL1Bytes, type Tensor } from "./tensor.ts";

/** The source of rules without a source of their own: the backend's answers. */
const BACKEND = "ttnn:backend-0-81-1";

/** A refusal as an answer. */
export function refusalOf(
  failure: FailureClass,
  rule: string,
  message: string,
  source: string = BACKEND,
): InvalidConstraints {
  return { status: "invalid", failure, rule, message, source };
}

/**
 * Thrown where a rule refuses, as `TT_FATAL` ends ttnn's own validation of an op; the op model makes it the answer.
 * Thousands of queries end so, therefore it carries no stack.
 */
export class RuleRefusal {
  readonly answer: InvalidConstraints;

  constructor(answer: InvalidConstraints) {
    this.answer = answer;
  }
}

/** The op that a refusal is about. */
interface Refused {
  readonly op: Pick<OpSignature, "name">;
}

/** Refuses what the backend may take but what is not modelled. */
export function refuseUnmodelled(rule: string, fault: string): never {
  throw new RuleRefusal(refusalOf("not_implemented", rule, fault));
}

/** Refuses layouts of operands or results of an op. */
export function refuseLayout({ op }: Refused, rule: string, fault: string, source: string = BACKEND): never {
  throw new RuleRefusal(refusalOf("unsupported_layout", rule, `${op.name}: ${fault}`, source));
}

/** Refuses shapes, attributes or the config of an op. */
export function refuseConfig({ op }: Refused, rule: string, fault: string, source: string = BACKEND): never {
  throw new RuleRefusal(refusalOf("unsupported_config", rule, `${op.name}: ${fault}`, source));
}

/**
 * Refuses the layout of an operand.
 *
 * @param fault completes the sentence after the operand's description: `has another memory layout`
 */
export function refuseOperand(
  query: ConstraintQuery,
  index: number,
  rule: string,
  fault: string,
  source: string = BACKEND,
): never {
  refuseLayout(query, rule, `${describeOperand(query, index)} ${fault}`, source);
}

/**
 * Remedy to append to a fault of a `to_layout` that changes more than ttnn's `to_layout` does in one call: the text
 * predates tt-mlir's pass that decomposes it. Empty for other ops.
 */
export function takenApart(name: string): string {
  return name === "ttnn.to_layout"
    ? ": run tt-mlir's --ttnn-decompose-layouts, which takes such a to_layout apart, or write the to_memory_config, typecast or from_device behind it"
    : "";
}

/** A rule's findings about a legal op. Byte figures are per core. */
export interface Verdict {
  /** One entry per result; `undefined` for results that are not tensors. */
  readonly outputs: readonly (Tensor | undefined)[];
  /** L1 bytes of the outputs as the backend reports them, if that is not the sum over the results. */
  readonly outputL1Bytes?: number;
  readonly config?: OpSpecificAttributes | undefined;
  /** The op's programs if the rule planned them; otherwise they are derived from the layouts. */
  readonly launched?: () => OpPrograms;
  /** Operand whose buffer result 0 shares or overwrites: no result buffer is placed. */
  readonly aliasedOperand?: number;
}

/** Bytes per core of the results that get L1 buffers of their own: a lower bound of the op's need. */
export function allocatedL1Bytes({ outputs, aliasedOperand }: Verdict, chip: ChipDescription): number {
  const own = aliasedOperand === undefined ? outputs : outputs.slice(1);
  return own.reduce(
    (sum, output) => output?.layout.bufferType === "l1" ? sum + allocatedBytesPerBank(output, chip) : sum,
    0,
  );
}

/** The verdict on an op whose result is a view of its first operand: no program, no buffer. */
export function viewOf(output: Tensor): Verdict {
  return { outputs: [output], aliasedOperand: 0 };
}

/** {@linkcode describeTensor} of an operand. */
export function describeOperand({ operands }: ConstraintQuery, index: number): string {
  const tensor = operands[index];
  return tensor === undefined ? `operand ${index}` : describeTensor(index, tensor);
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

/**
 * Completes a legal answer with the op's programs, which give its cores, circular buffers and intermediates.
 *
 * @param dependsOnRoom whether rule or programs have read the free L1
 */
export function withPrograms(
  verdict: Verdict,
  launched: KnownPrograms,
  chip: ChipDescription,
  dependsOnRoom: boolean,
): ValidConstraints {
  const { outputs, config, aliasedOperand } = verdict;
  const { programs } = launched;
  const events = launched.events ?? allAtOnce(verdict, programs.length, chip);
  const peaks = launchPeaks(events, programs);
  const reported = (sum: number, output: Tensor | undefined) =>
    output === undefined ? sum : sum + reportedL1Bytes(output, chip);
  return {
    status: "valid",
    outputLayouts: outputs.map((output) => output?.layoutId),
    config,
    cbPeakBytes: circularBufferPeak(launched),
    cbPlacedBytes: circularBufferPeakOnCore(launched),
    tensorL1PeakBytes: peaks.tensorBytes,
    l1PeakBytes: peaks.reportedBytes,
    ownPeakBytes: peaks.placedBytes,
    outputL1Bytes: verdict.outputL1Bytes ?? outputs.reduce(reported, 0),
    events,
    cores: coresOf(launched),
    dependsOnRoom,
    programs,
    aliasedOperand,
  };
}

/** Allocates all results first, then runs the programs. */
function allAtOnce(
  { outputs, aliasedOperand }: Verdict,
  programs: number,
  chip: ChipDescription,
): readonly LaunchEvent[] {
  const events: LaunchEvent[] = [];
  for (const [result, output] of outputs.entries()) {
    if (output === undefined || (result === 0 && aliasedOperand !== undefined)) continue;
    const { bufferType } = output.layout;
    if (bufferType !== "l1" && bufferType !== "dram") continue;
    const allocated = { memory: bufferType, bytesPerBank: allocatedBytesPerBank(output, chip), result };
    events.push({ kind: "allocate", tensor: result, allocated });
  }
  for (let program = 0; program < programs; program++) events.push({ kind: "run", program });
  return events;
}

/**
 * A legal answer whose programs are not derived yet: the tensors' L1 bytes alone are enough to refuse most
 * queries about large tensors, and deriving programs is most of the work of an answer.
 */
export class UnlaunchedAnswer {
  readonly status = "unlaunched";
  /** Lower bound of the bytes per core that the op needs, without circular buffers. */
  readonly leastL1Bytes: number;
  readonly #launch: () => OpConstraints;
  #launched: OpConstraints | undefined;

  constructor(leastL1Bytes: number, launch: () => OpConstraints) {
    this.leastL1Bytes = leastL1Bytes;
    this.#launch = launch;
  }

  /** The full answer; a refusal if the programs are unknown. */
  launched(): OpConstraints {
    return this.#launched ??= this.#launch();
  }
}

/**
 * The refusal for lack of L1. Its message is built lazily, because thousands of queries end here.
 *
 * @param extra bytes per core that other live tensors hold
 * @param usable bytes per core
 */
export function outOfMemory(
  op: OpSignature,
  answer: ValidConstraints | UnlaunchedAnswer,
  extra: number,
  usable: number,
): InvalidConstraints {
  return {
    status: "invalid",
    failure: "out_of_memory",
    rule: "l1/budget",
    get message() {
      const whole = answer.status === "valid" ? answer : answer.launched();
      const needed = whole.status === "valid" ? `${whole.l1PeakBytes}` : "too many";
      return `${op.name} needs ${needed} bytes of L1 per core besides ${extra} live bytes; ${usable} are usable`;
    },
    source: "tt-mlir:validation usable L1",
  };
}
