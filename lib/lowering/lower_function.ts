// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import {
  type FunctionView,
  type ModuleText,
  type Operation,
  tensorTypeAt,
  textOf,
  type Value,
} from "../ir/mod.ts";
import { SIGNATURE_ATTRIBUTES } from "../ir/functions.ts";
import { knownResult, knownTruth } from "./known_numbers.ts";
import { LayoutError } from "../layout/layout_error.ts";
import { type AttributeTexts, stringText } from "../dialect/printed_attributes.ts";
import { TtnnFunction } from "../ttnn/function.ts";
import type { TensorValue } from "../ttnn/value.ts";
import { isBlockFloat } from "../layout/data_type.ts";
import { argumentPlace, type ArgumentUse, CACHE_OPS, localShape } from "./argument_place.ts";
import { inputsOf } from "./destination.ts";
import { fromTensor, FunctionLowering } from "./function_lowering.ts";
import type { LazyTensor } from "./lazy_tensor.ts";
import { calleeOf } from "./callee.ts";
import { complexPart } from "./element_type.ts";
import { customFormTypes } from "../ir/custom_form_types.ts";
import { COMPLEX } from "./families/complex.ts";
import { operandsByRule } from "./lowering_rule.ts";
import { OP_TABLE } from "./op_table.ts";
import { attributeTexts, dictionaryTexts, TtirOp } from "./ttir_op.ts";
import { typedComposite } from "./typed_composite.ts";

/** A body of ops to lower: a function, or a region of an op. */
type BodyView = Pick<FunctionView, "operation" | "name" | "blocks">;

/** State shared by all functions of a module. */
export interface ModuleContext {
  readonly module: ModuleText;
  readonly chip: ChipDescription;
  readonly mesh: readonly number[];
  /** Whether ops without a rule are refused; otherwise they stay as they are. */
  readonly isStrict: boolean;
  /** Ops of inlined functions and of runs of loops so far, those within loops, and how many loops are open now. */
  readonly copied: { ops: number; inLoops: number; loops: number };
  /** The function of a name in the module that holds an op, for inlining. */
  readonly calledFrom: (operation: Operation, name: string) => FunctionView | undefined;
}

/** Largest depth of inlining: each level uses stack. */
const MAXIMUM_DEPTH = 64;

/** Most copied ops of a module: functions that call others twice double them with every level. */
const MAXIMUM_INLINED = 200_000;

/** Most ops that the loops of a module are unrolled to: each run of a body is a part of the graph. */
const MAXIMUM_UNROLLED = 10_000;

/**
 * Lowers one function with a body.
 *
 * @param name its name in the lowered module
 */
export function lowerFunction(view: FunctionView, name: string, context: ModuleContext): TtnnFunction {
  const { module } = context;
  const op = new TtirOp(module, view.operation, []);
  const body = new TtirBody(view, context);
  const func = new TtnnFunction(module, {
    name,
    kind: "forward_device",
    source: undefined,
    attributes: functionAttributes(module, view),
    location: op.location,
    mesh: context.mesh,
  });
  const lowering = new FunctionLowering(func, context.chip, context.mesh, body.lastUses);
  view.arguments.forEach((argument) => {
    const { value } = argument;
    if (value === undefined) return;
    const place = argumentPlace(argument.attributes, body.usesOf(value));
    const { shape, element } = op.tensorType(localShape(module, body.usesOf(value)) ?? argument.type);
    // Block floats exist only in tiles.
    const pages = isBlockFloat(element.dataType) ? { rowMajor: false } : {};
    const type = withPlace(op, () => lowering.type(shape, element, { ...place.place, ...pages }));
    const texts = new Map([...attributeTexts(module, argument.attributes), ...place.inferred]);
    lowering.define(value, fromTensor(func.addArgument(type, texts), element));
  });
  const returned = body.lower(lowering, 0);
  const place = new TtirOp(module, view.terminator ?? view.operation, []);
  func.return(returned.map((lazy) => withPlace(place, () => resultTensor(lowering, lazy))));
  func.resultAttributes = view.resultAttributes.map((given) => attributeTexts(module, given));
  return func;
}

/** Host tensors are returned as they are, everything else in tiles in DRAM. */
function resultTensor(f: FunctionLowering, { form, ...rest }: LazyTensor): TensorValue {
  if (form.kind === "tensor" && form.tensor.type.layout.bufferType === "system_memory") return form.tensor;
  return f.tile({ form, ...rest });
}

/** Gives errors of shape and layout arithmetic the location of the op. */
function withPlace<T>(op: TtirOp, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) {
      throw op.error(error.message, error instanceof LayoutError ? "layout" : "shape");
    }
    throw error;
  }
}

/** Uses and liveness of the ops in the one block of a function or region. */
class TtirBody {
  /** Shared with the bodies that are inlined here. */
  readonly lastUses: Map<Value, number>;
  readonly #view: BodyView;
  readonly #context: ModuleContext;
  /** Whether it runs as often as numbers say that are followed from one run to the next. */
  readonly #isCounted: boolean;
  readonly #operations: readonly Operation[];
  readonly #uses: Map<Value, ArgumentUse[]> = new Map();

  /** @param caller last uses of the body that this one is inlined into */
  constructor(view: BodyView, context: ModuleContext, caller?: Map<Value, number>, isCounted = false) {
    this.lastUses = caller ?? new Map();
    this.#view = view;
    this.#context = context;
    this.#isCounted = isCounted;
    const [block, ...others] = view.blocks;
    if (block === undefined || others.length > 0) {
      throw new TtirOp(context.module, view.operation, []).error(
        `function '${view.name}' must have one block, it has ${view.blocks.length}`,
      );
    }
    this.#operations = liveOperations(block.operations);
    for (const operation of this.#operations) {
      // Ids of an inlined body say nothing about what follows the call.
      const unordered = caller !== undefined || calleeOf(context.module, operation) !== undefined ||
        operation.regions.length > 0;
      operation.operands.forEach(({ value }, index) => {
        if (value === undefined) return;
        this.lastUses.set(value, unordered ? Infinity : operation.id);
        this.#uses.getOrInsertComputed(value, () => []).push({ operation, index });
      });
    }
  }

  /** Uses of a value, looking through permutes that move nothing, which upstream folds first. */
  usesOf(value: Value): readonly ArgumentUse[] {
    const found: ArgumentUse[] = [];
    const open = [...this.#uses.get(value) ?? []].reverse();
    for (let use = open.pop(); use !== undefined; use = open.pop()) {
      const [result] = use.operation.results;
      const isPassedOn = result !== undefined && this.#movesNothing(use.operation);
      if (isPassedOn) open.push(...[...this.#uses.get(result) ?? []].reverse());
      else found.push(use);
    }
    return found;
  }

  #movesNothing(operation: Operation): boolean {
    if (operation.name !== "ttir.permute") return false;
    const permutation = new TtirOp(this.#context.module, operation, []).integers("permutation");
    return permutation?.every((dim, index) => dim === index) === true;
  }

  /** Lowers all ops and returns what the function returns. */
  lower(f: FunctionLowering, depth: number): readonly LazyTensor[] {
    const { module } = this.#context;
    for (const operation of this.#operations) {
      const stated = typedComposite(module, operation, this.#context.chip.architecture);
      const op = new TtirOp(module, operation, inputsOf(module, operation), stated);
      f.location = op.location;
      if (operation.name === "func.return" || operation.name === "ttir.yield") return f.operandsFrom(op, 0);
      if (operation.name === "ttir.while") {
        this.#unroll(op, f, depth);
        continue;
      }
      const callee = calleeOf(module, operation);
      if (callee !== undefined && stated === undefined) {
        this.#inline(op, callee, f, depth);
        continue;
      }
      const rule = OP_TABLE.get(op.name);
      if (rule === undefined) {
        this.#keep(op, f);
        continue;
      }
      const expected = operandsByRule(rule, operation);
      if (expected !== undefined && expected !== op.operands.length) {
        throw op.error(`it has ${op.operands.length} operands, expected ${expected}`, "operands");
      }
      requireComplexOp(op);
      const known = this.#isCounted ? knownResult(op, f) : undefined;
      if (known === undefined) withPlace(op, () => rule.lower(op, f));
      else f.defineResult(op, known);
    }
    throw new TtirOp(module, this.#view.operation, []).error(`function '${this.#view.name}' does not return`);
  }

  /** An op without a rule stays as it is, between tensors in tiles in DRAM. */
  #keep(op: TtirOp, f: FunctionLowering): void {
    const { operation } = op;
    if (operation.regions.some(({ blocks }) => blocks.length > 0)) {
      throw op.error(
        "which of its regions run is known only at run time; unroll it, " +
          "or give the ops of one region as a function of their own",
        "control-flow",
      );
    }
    const { module } = this.#context;
    const isGeneric = operation.form === "generic";
    const spans = isGeneric ? operation.resultTypes : customFormTypes(module, operation);
    if (this.#context.isStrict || spans === undefined || spans.length === 0) {
      throw op.error("there is no lowering for this op; remove it or give TTNN input");
    }
    const texts = (attributes: Operation["properties"]): Map<string, string> => {
      const made = new Map(dictionaryTexts(module, attributes));
      // They count the destinations that are left out.
      if (op.operands.length < operation.operands.length) made.delete("operandSegmentSizes");
      return made;
    };
    withPlace(op, () => {
      const types = spans.map((span) => op.tensorType(span));
      const kept = f.insert(
        operation.name,
        f.operandsFrom(op, 0).map((operand) => f.tile(operand)),
        types.map(({ shape, element }) => f.type(shape, element)),
        texts(operation.properties),
        // The attributes of a custom form stay as they are written.
        isGeneric
          ? texts(operation.attributes)
          : new Map([["custom_form", stringText(textOf(module, operation.span))]]),
      );
      kept.tensorResults.forEach((tensor, index) => {
        const value = operation.results[index];
        if (value !== undefined) f.define(value, fromTensor(tensor));
      });
    });
  }

  /**
   * Unrolls a loop whose condition is known in every iteration. The counter is then no tensor, and the condition is not read
   * back to the host, as a loop of TTNN does in every iteration.
   */
  #unroll(op: TtirOp, f: FunctionLowering, depth: number): void {
    const { operation } = op;
    const [condition, body, ...others] = operation.regions.map(({ blocks }) =>
      new TtirBody({ operation, name: op.name, blocks }, this.#context, this.lastUses, true)
    );
    if (condition === undefined || body === undefined || others.length > 0) {
      throw op.error(`it has ${operation.regions.length} regions, expected a condition and a body`);
    }
    const given = operation.operands.flatMap(({ value }) => value === undefined ? [] : [f.lazy(op, value)]);
    const captured = given.slice(operation.results.length);
    let carried: readonly LazyTensor[] = given.slice(0, operation.results.length);
    this.#context.copied.loops++;
    for (;;) {
      const [goesOn, ...more] = condition.#run(op, [...carried, ...captured], f, depth);
      const isTrue = goesOn === undefined || more.length > 0 ? undefined : knownTruth(goesOn);
      if (isTrue === undefined) {
        throw op.error(
          "how often its body runs is known only at run time; count with constants, unroll it, " +
            "or give its body as a function of its own",
          "control-flow",
        );
      }
      if (!isTrue) break;
      carried = body.#run(op, [...carried, ...captured], f, depth);
      if (carried.length !== operation.results.length) {
        throw op.error(`its body yields ${carried.length} values, expected ${operation.results.length}`);
      }
    }
    this.#context.copied.loops--;
    operation.results.forEach((value, index) => {
      const lazy = carried[index];
      if (lazy !== undefined) f.define(value, lazy);
    });
  }

  #countCopy(): void {
    const { copied } = this.#context;
    copied.ops += this.#operations.length;
    if (copied.loops > 0) copied.inLoops += this.#operations.length;
  }

  /** Lowers the ops of a region of a loop once more. */
  #run(
    op: TtirOp,
    given: readonly LazyTensor[],
    f: FunctionLowering,
    depth: number,
  ): readonly LazyTensor[] {
    const parameters = this.#view.blocks[0]?.arguments ?? [];
    if (parameters.length !== given.length) {
      throw op.error(`a region of it takes ${parameters.length} values, and gets ${given.length}`);
    }
    this.#countCopy();
    if (this.#context.copied.inLoops > MAXIMUM_UNROLLED) {
      throw op.error(
        `unrolled, it makes the module larger than ${MAXIMUM_UNROLLED} ops; give its body as a function of its own`,
        "control-flow",
      );
    }
    given.forEach((lazy, index) => {
      const parameter = parameters[index];
      if (parameter !== undefined) f.define(parameter.value, lazy);
    });
    return this.lower(f, depth + 1);
  }

  #inline(op: TtirOp, callee: string, f: FunctionLowering, depth: number): void {
    const view = this.#context.calledFrom(op.operation, callee);
    if (view === undefined || view.blocks.length === 0) {
      throw op.error(`function '${callee}' has no body here`);
    }
    if (depth >= MAXIMUM_DEPTH) {
      throw op.error(
        `calls nest deeper than ${MAXIMUM_DEPTH} functions, or '${callee}' calls itself; inline some of them first`,
      );
    }
    const body = new TtirBody(view, this.#context, this.lastUses);
    body.#countCopy();
    if (this.#context.copied.ops > MAXIMUM_INLINED) {
      throw op.error(
        `with its calls inlined, the module has more than ${MAXIMUM_INLINED} ops; ` +
          "give a part of it",
      );
    }
    view.arguments.forEach(({ value }, index) => {
      if (value !== undefined) f.define(value, f.operand(op, index));
    });
    const results = body.lower(f, depth + 1);
    results.forEach((lazy, index) => f.defineResult(op, lazy, index));
  }
}

/** Ops that mean the same on complex numbers and on the pairs that stand for them. */
const OPS_OF_PAIRS: ReadonlySet<string> = new Set([...Object.keys(COMPLEX), "ttir.constant", "ttir.reshape"]);

/** Refuses arithmetic on complex numbers, which is something else on their parts. */
function requireComplexOp(op: TtirOp): void {
  if (OPS_OF_PAIRS.has(op.name)) return;
  const isComplex = ({ type }: Value): boolean =>
    type !== undefined && complexPart(tensorTypeAt(op.module, type)?.elementType ?? "") !== undefined;
  if (!op.operands.some(isComplex) && !op.operation.results.some(isComplex)) return;
  throw op.error(
    "TTNN has no complex numbers; write it on their parts, which ttir.stablehlo_real and ttir.stablehlo_imag take out",
    "type",
  );
}

/** Attributes that the function had. */
function functionAttributes(module: ModuleText, view: FunctionView): AttributeTexts {
  return new Map(
    [...dictionaryTexts(module, view.operation.attributes)].filter(([key]) => !SIGNATURE_ATTRIBUTES.has(key)),
  );
}

/** Ops that change operands in place; their results denote these operands. */
const IN_PLACE_OPS: ReadonlySet<string> = new Set([...CACHE_OPS, "ttir.adamw"]);

/** Ops that something needs: all but those without side effects whose results are unused. */
function liveOperations(operations: readonly Operation[]): readonly Operation[] {
  const needed = new Set<Value>();
  const live: Operation[] = [];
  for (const operation of operations.toReversed()) {
    const used = operation.results.length === 0 || hasEffect(operation) ||
      operation.results.some((result) => needed.has(result));
    if (!used) continue;
    live.push(operation);
    addUsed(operation, needed);
  }
  return live.reverse();
}

/** Adds the operands of an op, and what its regions use of the values around it. */
function addUsed(operation: Operation, used: Set<Value>): void {
  for (const { value } of operation.operands) if (value !== undefined) used.add(value);
  for (const { blocks } of operation.regions) {
    for (const block of blocks) for (const inner of block.operations) addUsed(inner, used);
  }
}

function hasEffect(operation: Operation): boolean {
  return IN_PLACE_OPS.has(operation.name) || operation.name === "func.call" || !OP_TABLE.has(operation.name);
}
