// SPDX-License-Identifier: Apache-2.0
import { attributeOf } from "../ir/attribute_reader.ts";
import { sameText } from "../ir/canonical_text.ts";
import { type Operation, textOf, type Value } from "../ir/module_text.ts";
import { definitionOf, isKnownOp } from "../ops/op_book.ts";
import type { Reporter } from "./reporter.ts";

/**
 * V1: every use is dominated by its definition; V2: operand types match the definitions, and operand and result counts
 * the op; V10: `operandSegmentSizes` adds up. (The parser has already checked that names are defined, unique and in
 * range, and that type lists are as long as operand lists.)
 */
export function verifyValues(reporter: Reporter): void {
  for (const operation of reporter.module.operations) {
    if (operation.form === "opaque") verifyKnown(reporter, operation);
    verifyOperands(reporter, operation);
    verifyOperandCount(reporter, operation);
    verifyResultCount(reporter, operation);
    verifySegments(reporter, operation);
  }
}

/** Dialects whose custom forms we do not check: those of MLIR itself and of the frontends before TTIR. */
const FOREIGN_DIALECTS: ReadonlySet<string> = new Set(
  ("affine arith bufferization builtin cf chlo complex d2m emitc emitpy func gpu index linalg llvm math memref mhlo " +
    "ml_program quant scf sdy sfpi shape spirv stablehlo tensor tosa transform ttkernel ttmetal ub vector vhlo")
    .split(" "),
);

/** Ops whose form only lowering reads; lowering reports their faults. */
const READ_BY_LOWERING: ReadonlySet<string> = new Set(["ttir.while", "ttir.yield"]);

/** Warns about ops in a form that we cannot read although we should: nothing in them is checked. */
function verifyKnown(reporter: Reporter, operation: Operation): void {
  if (READ_BY_LOWERING.has(operation.name)) return;
  if (FOREIGN_DIALECTS.has(operation.name.split(".")[0] ?? "")) return;
  reporter.warning(
    "V2/unread-form",
    operation.nameSpan,
    `'${operation.name}' has a form that is not known; it is passed through unchecked`,
  );
}

function verifyOperands(reporter: Reporter, operation: Operation): void {
  const { module } = reporter;
  operation.operands.forEach((operand, index) => {
    const { value } = operand;
    if (value === undefined) return;
    if (!dominates(value, operation)) {
      reporter.error(
        "V1/dominance",
        operand.span,
        `'${operation.name}' uses '${value.name}' before its definition; move the definition up`,
      );
    }
    const type = operation.operandTypes?.[index];
    if (type === undefined || value.type === undefined || sameText(module, type, value.type)) return;
    reporter.error(
      "V2/operand-type",
      type,
      `'${operation.name}' takes '${value.name}' as ${textOf(module, type)}, but it is defined as ` +
        textOf(module, value.type),
    );
  });
}

/** Whether a value is defined when an op runs. Between several blocks of a region every order is accepted. */
function dominates(value: Value, user: Operation): boolean {
  const { source } = value;
  if (source.kind === "argument") return true;
  const definition = source.operation;
  let holder: Operation | undefined = user;
  while (holder !== undefined && holder.block !== definition.block) holder = holder.parent;
  if (holder === undefined) return (definition.block?.region.blocks.length ?? 1) > 1;
  return definition.id < holder.id;
}

function verifyOperandCount(reporter: Reporter, operation: Operation): void {
  const { operands: groups, family } = definitionOf(operation.name);
  const least = groups.reduce((sum, group) => sum + group.least, 0);
  const most = groups.reduce((sum, group) => sum + group.most, 0);
  const count = operation.operands.length;
  // ttnn's own functions of two tensors take a number in place of the second.
  const takesNumber = family === "binary" && attributeOf(reporter.module, operation, "scalar") !== undefined;
  if (takesNumber && count === 1) return;
  if (count >= least && count <= most) return;
  const range = Number.isFinite(most) ? `${least} to ${most}` : `at least ${least}`;
  const wanted = least === most ? String(least) : range;
  reporter.error(
    "V2/operand-count",
    operation.nameSpan,
    `'${operation.name}' takes ${wanted} operand(s), but has ${count}` +
      (count === most + operation.results.length && passesDestinations(operation)
        ? ": one operand is the tensor to write to, as in TTNN before mid 2025; print the program with a newer " +
          "compiler, or give its TTIR"
        : ""),
  );
}

function verifyResultCount(reporter: Reporter, operation: Operation): void {
  const { results } = definitionOf(operation.name);
  const count = operation.results.length;
  if (!isKnownOp(operation.name) || results === undefined || count === results) return;
  reporter.error(
    "V2/result-count",
    operation.nameSpan,
    `'${operation.name}' has ${results} result(s), but ${count} are declared`,
  );
}

/** Whether `ttnn.empty` or `ttnn.full` makes the last operands, one for each result: destination-passing style. */
function passesDestinations(operation: Operation): boolean {
  const last = operation.operands.slice(operation.operands.length - operation.results.length);
  return last.length > 0 &&
    last.every(({ value }) =>
      value?.source.kind === "result" && /^ttnn\.(?:empty|full)$/.test(value.source.operation.name)
    );
}

function verifySegments(reporter: Reporter, operation: Operation): void {
  const sizes = attributeOf(reporter.module, operation, "operandSegmentSizes");
  if (sizes?.kind !== "denseArray") return;
  const sum = sizes.values.reduce((total, size) => total + size, 0);
  if (sum === operation.operands.length) return;
  reporter.error(
    "V10/operand-segments",
    operation.nameSpan,
    `operandSegmentSizes of '${operation.name}' add up to ${sum}, but it has ${operation.operands.length} operand(s)`,
  );
}

/**
 * V13: within a block a value is deallocated at most once, and neither used nor returned afterwards. Views may outlive
 * the tensor they view: the runtime counts references to the buffer.
 */
export function verifyDeallocation(reporter: Reporter): void {
  const freed = new Map<Value, Operation>();
  for (const operation of reporter.module.operations) {
    const isDeallocate = operation.name === "ttnn.deallocate";
    for (const operand of operation.operands) {
      const { value } = operand;
      if (value === undefined) continue;
      const before = freed.get(value);
      if (before !== undefined && before.block === operation.block) {
        reporter.error(
          isDeallocate ? "V13/double-deallocate" : "V13/use-after-deallocate",
          operand.span,
          isDeallocate
            ? `'${value.name}' is deallocated twice; remove this one`
            : `'${operation.name}' uses '${value.name}' after its deallocation; move the deallocation down`,
        );
      }
      if (isDeallocate) freed.set(value, operation);
    }
  }
}
