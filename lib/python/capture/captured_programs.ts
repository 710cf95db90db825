// SPDX-License-Identifier: Apache-2.0

/** Device operations as calls of ttnn in Python: the parts of a call that TTNN text cannot express (ttnn:backend-0-81-1). */

import { splitTopLevel } from "../../ir/balanced.ts";
import { roundUp } from "../../layout/make_layout.ts";
import { isKnownOp } from "../../ops/op_book.ts";
import { Unsayable } from "../python_text.ts";
import { CAPTURED_CALLS } from "./captured_calls.ts";
import { functionsIn } from "./captured_config.ts";
import { type CapturedProgram, type CapturedTrace, isDeviceOperation } from "./captured_graph.ts";
import { numbersIn } from "./captured_tensor.ts";

export const CONVOLUTION = "Conv2dDeviceOperation";

/** A device operation in Python's words. */
export interface ProgramCall {
  /** Without `ttnn.`. */
  readonly name: string;
  readonly given: Map<string, string>;
  /** Remark on what the call leaves out or replaces; `undefined` if it is complete. */
  readonly note: string | undefined;
}

/** Functions of gates, which their device operations do not name. */
const FUNCTIONS: Readonly<Partial<Record<string, string>>> = {
  geglu: "gelu",
  glu: "sigmoid",
  reglu: "relu",
  swiglu: "silu",
};

/** Functions that a binary device operation applies, in the order of its parameters. */
const ACTIVATIONS = ["input_tensor_a_activations", "input_tensor_b_activations", "activations"];

/** Dimensions that a reduction takes. */
const DIMS: Readonly<Partial<Record<string, string>>> = { W: "-1", H: "-2", HW: "[-2, -1]" };

/** Device operations with the same words as a call: its name, then its arguments by their places in the parameters. */
const SAME_WORDS: Readonly<Partial<Record<string, readonly [name: string, ...given: string[]]>>> = {
  CopyDeviceOperation: ["to_memory_config"],
  InterleavedToShardedDeviceOperation: ["to_memory_config"],
  PermuteDeviceOperation: ["permute", "dims"],
  RepeatDeviceOperation: ["expand"],
  ReshapeViewDeviceOperation: ["reshape"],
  "Tensor::reshape": ["reshape"],
  ReshardDeviceOperation: ["to_memory_config"],
  ShardedToInterleavedDeviceOperation: ["to_memory_config"],
  SliceDeviceOperation: ["slice", "starts", "ends", "steps"],
  TilizeDeviceOperation: ["to_layout"],
  TilizeWithValPaddingDeviceOperation: ["to_layout"],
  TypecastDeviceOperation: ["typecast"],
  UntilizeDeviceOperation: ["to_layout"],
  UntilizeWithUnpaddingDeviceOperation: ["to_layout"],
};

/**
 * A device operation as a call, with its tensors in order.
 *
 * @param call name of the call that runs it, without `ttnn.`
 * @param functions functions that the call applies, as Python prints them
 * @throws {Unsayable} for a device operation that is no call of its own
 */
export function programCall(program: CapturedProgram, call: string, functions: string): ProgramCall {
  const parameters = splitTopLevel(/^\w+\((.*)\)$/s.exec(program.arguments[0] ?? "")?.[1] ?? "", ",");
  const [first = "", second = ""] = parameters;
  const kind = /::(\w+)$/.exec(first)?.[1]?.toLowerCase() ?? "";
  const read = tensorsRead(program);
  switch (program.name) {
    case "UnaryDeviceOperation": {
      const chain = functionsIn(functions) ?? [];
      const wanted = FUNCTIONS[call] ?? chain[0]?.opType ?? call.replace(/_$/, "");
      const made = standIn(wanted, "relu", read);
      return chain.length > 1 ? { ...made, note: `ttnn.${made.name} stands for its chain` } : made;
    }
    case "BinaryNgDeviceOperation": {
      const applied = ACTIVATIONS.flatMap((key, at): Given => {
        const text = `[${parameters[at + 1] ?? ""}]`;
        return text.includes("UnaryOpType") ? [[key, text]] : [];
      });
      const known = applied.filter(([, text]) =>
        functionsIn(text)?.every(({ opType }) => isKnownOp(`ttnn.${opType}`))
      );
      const made = standIn(kind, "add", read.length < 2 ? [...read, "1"] : read, known);
      return known.length === applied.length
        ? made
        : { ...made, note: "a function that it applies is left out" };
    }
    case "TernaryDeviceOperation":
      return standIn(kind, "addcmul", read);
    case "ReduceDeviceOperation":
      return asCall(kind, read, reduced(second));
    case "FastReduceNCDeviceOperation":
      return asCall("sum", read, [["dim", first], ["keepdim", "True"]]);
    case "WelfordReduceDeviceOperation":
      return { ...asCall("mean", read, reduced(second)), note: "priced as ttnn.mean" };
    case "ConcatDeviceOperation":
      return asCall("concat", [read.join()], [["dim", first]]);
    case "MatmulDeviceOperation":
      return asCall(read.length > 2 ? "linear" : "matmul", read);
    case "SoftmaxDeviceOperation":
      return {
        ...asCall("softmax", read.slice(0, 1), [["dim", second]]),
        note: read.length > 1 ? "its mask is left out" : undefined,
      };
    default: {
      const [word, ...places] = SAME_WORDS[program.name] ?? [];
      if (word === undefined) throw new Unsayable(`${program.name} is no call of its own`);
      return asCall(word, read.slice(0, 1), places.map((place, at) => [place, parameters[at] ?? ""]));
    }
  }
}

/** Tensors that a program reads, as arguments: those that it makes follow them. */
export function tensorsRead({ tensors, made }: CapturedProgram): readonly string[] {
  const isNew = tensors.length > made.length && tensors.at(-1) === made.at(-1);
  return tensors.slice(0, isNew ? -made.length : undefined).map((id) => `Tensor(tensor_id=${id})`);
}

type Given = readonly (readonly [string, string])[];

function asCall(name: string, tensors: readonly string[], given: Given = []): ProgramCall {
  const positional = tensors.map((text, at) => [`${at}`, text] as const);
  return { name, given: new Map([...positional, ...given]), note: undefined };
}

/** A call of a function, or of another one whose program is of the same kind. */
function standIn(wanted: string, other: string, tensors: readonly string[], given?: Given): ProgramCall {
  return CAPTURED_CALLS.has(wanted) || isKnownOp(`ttnn.${wanted}`)
    ? asCall(wanted, tensors, given)
    : { ...asCall(other, tensors, given), note: `priced as ttnn.${other}` };
}

/** The dimensions of a reduction, which stay. */
function reduced(dims: string): Given {
  return [["dim", DIMS[dims.replace(/^.*::/, "")] ?? ""], ["keepdim", "True"]];
}

/**
 * The shape of the operand of an index that a program reads, its last extent padded to the tensor's alignment;
 * `undefined` if the program does not state it.
 */
export function alignedShape({ arguments: texts }: CapturedProgram, operand: number): string | undefined {
  const found = [
    ...texts.join().matchAll(/logical_shape=Shape\((\[[^\]]*\])\).*?alignment=Alignment\((\[[^\]]*\])\)/gs),
  ];
  const [extents, alignment] = (found[operand]?.slice(1) ?? []).map(numbersIn);
  const last = roundUp(extents?.at(-1) ?? 0, alignment?.at(-1) ?? 1);
  return last === 0 ? undefined : `[${extents?.with(-1, last).join(", ")}]`;
}

/** The parts of a call: device operations, and views of their results. */
export function partsOf(trace: CapturedTrace | undefined): readonly CapturedProgram[] {
  return trace?.programs.filter((program) =>
    !program.isInside && (isDeviceOperation(program) || program.name === "Tensor::reshape")
  ) ?? [];
}

/** The first program of a convolution that computes; `undefined` if none does. */
export function convolutionIn(trace: CapturedTrace | undefined): CapturedProgram | undefined {
  return trace?.programs.find(({ name }) => name === CONVOLUTION || name === "MatmulDeviceOperation");
}
