// SPDX-License-Identifier: Apache-2.0
import { assigned, equalTo, inMemory, onDevice, otherThan, type RemedyCase, setTo } from "./changes.ts";
import { anyOf, distinct, isOf, type Remedy, remedy } from "../remedy.ts";
import * as asks from "../remedy_kinds.ts";
import { asMultiple, bounded, settableIn } from "./relation_remedies.ts";
import { orList } from "../check_subject.ts";
import type { AskedOperand, Requirement } from "./requirement.ts";
import { isSettable, isTensorName } from "./settable.ts";
import { tensorNamed, termNamed } from "./term_words.ts";
import { holds } from "./values.ts";

/** Changes that fulfil a requirement, most promising first; none if it names nothing that a user can set. */
export function remediesOf(requirement: Requirement, at: RemedyCase): readonly Remedy[] {
  switch (requirement.kind) {
    case "both":
      return withinRange(requirement.parts, at) ?? distinct(
        requirement.parts.filter((part) => holds(part, at.values) !== true).flatMap((part) =>
          remediesOf(part, at)
        ),
      );
    case "either":
      return eitherOf(requirement.parts, at);
    case "one_of":
      return setTo(requirement.operand, requirement.values, at);
    case "given":
      return givenAs(requirement.operand, requirement.isGiven, at);
    case "flag":
      return isSettable(requirement.operand, at.check)
        ? [assigned(requirement.operand.name, `${requirement.isSet ? "True" : "False"} in the call`)]
        : [];
    case "sharded":
      return inMemory(requirement.operand, requirement.isSharded ? "sharded" : "interleaved", at);
    case "contains":
      return !/grid|shard|cores/.test(requirement.inner.kind === "operand" ? requirement.inner.name : "")
        ? []
        : [
          "shards and core grids within the grid that the check names, which mostly begins at (0, 0): shards on its cores, or a config whose grid (compute_with_storage_grid_size, at most device.compute_with_storage_grid_size()) includes those of the shards",
        ];
    case "multiple":
      return requirement.isOne ? asMultiple(requirement.whole, requirement.part, at) : [];
    case "compares":
      return compared(requirement, at);
  }
}

/** The remedy for a term between two numbers; `undefined` where the parts are other than these two bounds. */
function withinRange(parts: readonly Requirement[], at: RemedyCase): readonly Remedy[] | undefined {
  const [least, most, further] = parts;
  if (least?.kind !== "compares" || most?.kind !== "compares" || further !== undefined) return undefined;
  if (least.comparison !== ">=" || most.comparison !== "<=") return undefined;
  const { left } = least;
  const isOfOne = left.kind === "operand" && most.left.kind === "operand" && left.name === most.left.name &&
    left.aspect === most.left.aspect;
  if (!isOfOne || least.right.kind !== "constant" || most.right.kind !== "constant") return undefined;
  const range = `${least.right.name} to ${most.right.name}`;
  if (left.aspect === "rank") {
    return [
      `${
        tensorNamed(left, at.check)
      } with ${range} dimensions: a reshape before the op that joins or adds some, and one back behind it`,
    ];
  }
  const is = at.values(left);
  return isSettable(left, at.check)
    ? [`${termNamed(left, at.check)} of ${range}${is === undefined ? "" : ` instead of ${is}`}`]
    : undefined;
}

/** Any of several ways out: those that change what the check is about first, then those around it. */
function eitherOf(parts: readonly Requirement[], at: RemedyCase): readonly Remedy[] {
  // `exempt || asked`: what is asked for stands last.
  const remedies = parts.toReversed().flatMap((part) => remediesOf(part, at).slice(0, 1));
  // What the model has is changed last, and not at all where something else may be.
  const own = remedies.filter((one) => !isOf(one, asks.OF_MODEL));
  return anyOf(own.length > 0 ? own : remedies);
}

function givenAs(operand: AskedOperand, isGiven: boolean, { check }: RemedyCase): readonly Remedy[] {
  const tensor = tensorNamed(operand, check);
  switch (operand.aspect) {
    case "buffer":
    case "storage":
    case "device":
      return isGiven ? onDevice(tensor) : [];
    case "shard_spec":
      return isGiven
        ? [
          remedy`a shard spec (shape, grid, orientation) in the memory config of ${tensor}${asks.DRAM}; or ${tensor} interleaved, where the op takes that`,
        ]
        : [`${tensor} without a shard spec: interleaved`];
    case "memory_config":
    case "dtype":
    case "layout": {
      const argument = { memory_config: "memory_config", dtype: "dtype", layout: "layout" }[operand.aspect];
      return [
        isGiven ? `${argument} of ${tensor} given in the call` : `no ${argument} of ${tensor} in the call`,
      ];
    }
    default:
      if (!isSettable(operand, check) && operand.aspect !== "count" && !isTensorName(operand)) return [];
      return [
        isGiven
          ? `pass ${operand.name === "" ? "at least one" : operand.name} to the call${
            operand.aspect === "count" ? ", not empty" : ""
          }`
          : `leave ${operand.name || "it"} out of the call (None)${
            operand.name === "bias" ? ", and a ttnn.add of it behind the op" : ""
          }`,
      ];
  }
}

function compared(
  { comparison, left, right }: Extract<Requirement, { kind: "compares" }>,
  at: RemedyCase,
): readonly Remedy[] {
  if (left.kind === "operand" && right.kind === "constant") {
    if (comparison === "==") return setTo(left, [right], at);
    if (comparison === "!=") return otherThan(left, right, at);
    return bounded(left, comparison, right, at);
  }
  // A dimension that an op does not take is moved to where it takes one.
  if (left.kind === "operand" && /^(?:normalized_)?dim$/.test(left.name) && comparison.startsWith("<")) {
    return [
      "a permute before the op that moves that dimension to the front, dim counted anew, and one back behind it",
    ];
  }
  if (left.kind === "computed" || right.kind === "computed") {
    const own = comparison === "==" && left.kind === "operand" ? equalTo(left, right, at).slice(0, 1) : [];
    const names = own.length > 0 && left.kind === "operand" && left.aspect === "value"
      ? []
      : [...new Set([...(own.length > 0 ? [] : settableIn(left, at)), ...settableIn(right, at)])];
    const relation = `${termNamed(left, at.check)} ${comparison} ${termNamed(right, at.check)}`;
    return anyOf([...own, ...(names.length === 0 ? [] : [`${orList(names)} so that ${relation}`])]);
  }
  if (left.kind !== "operand" && right.kind !== "operand") return [];
  if (comparison === "==") return equalTo(left, right, at);
  if (comparison === "!=") {
    return left.kind === "operand" && left.aspect === "buffer"
      ? ["a result of its own: not written into the operand's buffer (no output_tensor, or another one)"]
      : [];
  }
  return bounded(left, comparison, right, at);
}
