// SPDX-License-Identifier: Apache-2.0
import { type CppExpression, type CppStep, readCpp } from "./cpp_expression.ts";
import { termOf } from "./operand.ts";
import {
  type AskedOperand,
  type Aspect,
  type Comparator,
  joined,
  negated,
  type Requirement,
  type Term,
} from "./requirement.ts";

/** Reads what a condition of C++ asks for; `undefined` where it is none that doctor knows. */
export function requirementOfCondition(condition: string): Requirement | undefined {
  // Running text behind a condition that nothing ends is none of it.
  const expression = readCpp(condition.replace(/[`.;]+$/, "")) ??
    readCpp(condition.replace(/`[^`]*$|(?<=[)\w]) [A-Z][a-z]+ [a-z].*$/, ""));
  return expression === undefined ? undefined : requirementOf(expression);
}

function requirementOf(expression: CppExpression): Requirement | undefined {
  if (expression.kind === "not") {
    const of = requirementOf(expression.of);
    return of === undefined ? undefined : negated(of);
  }
  if (expression.kind === "path") return requirementOfPath(expression.steps);
  if (expression.kind !== "binary") return undefined;
  const { operator, left, right } = expression;
  if (operator === "&&" || operator === "||") {
    const parts = [left, right].map(requirementOf);
    const known = parts.filter((part) => part !== undefined);
    // Half of an `and` still holds; half of an `or` does not.
    if (known.length === 0 || operator === "||" && known.length < parts.length) return undefined;
    return joined(operator === "&&" ? "both" : "either", known);
  }
  return isComparison(operator) ? compared(operator, left, right) : undefined;
}

function isComparison(operator: string): operator is Comparator {
  return ["==", "!=", "<", "<=", ">", ">="].includes(operator);
}

function compared(
  comparison: Comparator,
  left: CppExpression,
  right: CppExpression,
): Requirement | undefined {
  if (left.kind === "binary" && left.operator === "%" && right.kind === "number" && right.value === 0) {
    return {
      kind: "multiple",
      whole: termOf(left.left),
      part: termOf(left.right),
      isOne: comparison === "==" || comparison === "<=",
    };
  }
  const [a, b] = [termOf(left), termOf(right)];
  // `32 == x` is `x == 32`.
  if (a.kind === "constant" && b.kind !== "constant") return comparedTerms(MIRRORED[comparison], b, a);
  return comparedTerms(comparison, a, b);
}

const MIRRORED: Readonly<Record<Comparator, Comparator>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

function comparedTerms(comparison: Comparator, left: Term, right: Term): Requirement {
  const isEqual = comparison === "==";
  if (left.kind === "operand" && right.kind === "constant" && (isEqual || comparison === "!=")) {
    if (right.name === "true" || right.name === "false") {
      if (left.aspect === "memory_layout") {
        return { kind: "sharded", operand: left, isSharded: (right.name === "true") === isEqual };
      }
      return { kind: "flag", operand: left, isSet: (right.name === "true") === isEqual };
    }
    if (right.name === "nullptr" || right.name === "nullopt") {
      return { kind: "given", operand: asBuffer(left), isGiven: !isEqual };
    }
  }
  return { kind: "compares", comparison, left, right };
}

/** `input_buffer` is the buffer of `input`. */
function asBuffer(operand: AskedOperand): AskedOperand {
  const of = /^(\w+?)_buffer$/.exec(operand.name)?.[1];
  return operand.aspect === "value" && of !== undefined
    ? { ...operand, name: of, aspect: "buffer" }
    : operand;
}

/** What a method of an operand asks of it: `x.has_value()`. */
const METHODS: Readonly<Record<string, (operand: AskedOperand) => Requirement>> = {
  has_value: (operand) => ({ kind: "given", operand, isGiven: true }),
  empty: (operand) =>
    operand.aspect === "shape"
      ? {
        kind: "compares",
        comparison: "<",
        left: { ...operand, aspect: "rank" },
        right: { kind: "constant", name: "1", value: 1 },
      }
      : { kind: "given", operand: { ...operand, aspect: "count" }, isGiven: false },
  is_sharded: (operand) => ({ kind: "sharded", operand, isSharded: true }),
  is_dram: (operand) => kindOf(operand, "buffer_type", "DRAM"),
  is_l1: (operand) => kindOf(operand, "buffer_type", "L1"),
};

/** What a function asks of its only argument: `is_device_tensor(x)`. */
function askedBy(name: string, about: AskedOperand): Requirement | undefined {
  if (/^is_(?:cpu|host)_tensor$/.test(name)) return kindOf(about, "storage", "HOST");
  if (name === "is_device_tensor") return kindOf(about, "storage", "DEVICE");
  const format = /^is_(floating_point|integer|block_float)(?:_d?type|_format)?$/.exec(name)?.[1];
  return format === undefined ? undefined : kindOf(about, "dtype", format.replaceAll("_", " "));
}

/** The requirement of a path that is a condition by itself: `x.has_value()`, `x.is_sharded()`, `use_mcast`. */
function requirementOfPath(steps: readonly CppStep[]): Requirement | undefined {
  const last = steps.at(-1);
  if (last === undefined) return undefined;
  const before = steps.slice(0, -1);
  const of = (of: readonly CppStep[]): AskedOperand | undefined => {
    const term = termOf({ kind: "path", steps: of });
    return term.kind === "operand" ? term : undefined;
  };
  const name = last.name.replace(/^.*::/, "");
  const operand = of(before.length === 0 ? steps : before);
  if (operand === undefined) return undefined;
  if (last.called !== undefined) {
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method !== undefined) return method(operand);
    const [first, second] = last.called;
    const about = first === undefined ? undefined : termOf(first);
    if (name === "contains" && about !== undefined) return { kind: "contains", outer: operand, inner: about };
    const asked = before.length === 0 && second === undefined && about?.kind === "operand"
      ? askedBy(name, about)
      : undefined;
    if (asked !== undefined) return asked;
  }
  const whole = of(steps);
  if (whole === undefined) return undefined;
  if (whole.aspect === "buffer" || whole.aspect === "device") return kindOf(whole, "storage", "DEVICE");
  if (whole.aspect !== "value") return { kind: "given", operand: whole, isGiven: true };
  // Calls ask for what no name tells.
  return last.called === undefined ? { kind: "flag", operand: whole, isSet: true } : undefined;
}

/** The requirement that an aspect of an operand is of one kind. */
function kindOf(operand: AskedOperand, aspect: Aspect, name: string): Requirement {
  return {
    kind: "compares",
    comparison: "==",
    left: { ...operand, aspect },
    right: { kind: "constant", name },
  };
}
