// SPDX-License-Identifier: Apache-2.0
import { meshOf } from "../dialect/ttnn_layout.ts";
import type { FunctionBinding } from "../graph/binding.ts";
import { opAt, type OpId, type SchedulePoint, valueAt, type ValueId } from "../graph/graph.ts";
import {
  functionOf,
  type FunctionView,
  type ModuleText,
  type Operation,
  type Patch,
  tensorTypeAt,
  textOf,
} from "../ir/mod.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { WorkerGrid } from "../layout/make_layout.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { Conversion, FunctionPlan } from "../plan/plan.ts";
import {
  copyInstance,
  type InstanceId,
  isValue,
  planExecution,
  type PlannedExecution,
  type PlanStep,
} from "../plan/steps.ts";
import { freesActivation } from "../plan/live_activations.ts";
import { readOpConfig } from "../op_config/parse.ts";
import { conversionChain } from "../plan/conversion_chain.ts";
import type { PreparedWeights } from "./prepared_weights.ts";
import { movedActivation } from "./moved_activation.ts";
import { propertyEdits, propertyRemovals } from "./property_edits.ts";
import { deallocateText } from "../ttnn/deallocate.ts";
import { type ModuleSpelling, presentKeys, tensorText } from "../ttnn/spelling.ts";
import { type InsertedLines, StatementEdits } from "./statement_edits.ts";
import { writePreparations } from "./write_preparations.ts";

type RewrittenStep = Extract<PlanStep, { kind: "op" }>;

/** State that the functions of a module share while they are rewritten. */
export interface ModuleRewrite {
  readonly module: ModuleText;
  readonly spelling: ModuleSpelling;
  /** Worker cores of the chip that the plan was made for. */
  readonly workerGrid: WorkerGrid;
  /** Decisions about convolutions, for the ops that prepare their weights. */
  readonly prepared: PreparedWeights;
}

/**
 * Applies the plan of one function as patches of the module's text: types, properties, inserted memory ops
 * and `deallocate`s. All other bytes are unchanged. Every function of a module must rewrite its ops before
 * the first one makes its patches, because weights may be prepared in another function than the convolution
 * that determines the preparation.
 */
export class FunctionRewrite {
  readonly #module: ModuleText;
  readonly #binding: FunctionBinding;
  readonly #plan: FunctionPlan;
  readonly #spelling: ModuleSpelling;
  readonly #workerGrid: WorkerGrid;
  readonly #prepared: PreparedWeights;
  readonly #execution: PlannedExecution;
  readonly #edits: StatementEdits;
  /** SSA name per instance. */
  readonly #names: readonly string[];
  /** By instance, once they were asked for: whoever makes or reads one does. */
  readonly #changed: (boolean | undefined)[];
  readonly #types: (string | undefined)[];
  /** By copy: its last line. */
  readonly #copies: Map<Conversion, InsertedLines> = new Map();
  /** By name: the last op that reads an additional preparation of a weight. */
  readonly #preparedReaders: Map<string, RewrittenStep> = new Map();
  readonly #signature: FunctionView | undefined;

  constructor(
    { module, spelling, workerGrid, prepared }: ModuleRewrite,
    binding: FunctionBinding,
    plan: FunctionPlan,
  ) {
    this.#module = module;
    this.#binding = binding;
    this.#plan = plan;
    this.#spelling = spelling;
    this.#workerGrid = workerGrid;
    this.#prepared = prepared;
    this.#edits = new StatementEdits(module);
    this.#execution = planExecution(binding.fn, plan);
    const instances = this.#execution.layouts.length;
    this.#changed = new Array(instances).fill(undefined);
    this.#types = new Array(instances).fill(undefined);
    this.#names = this.#instanceNames();
    this.#signature = functionOf(module, binding.operation);
  }

  /**
   * First half: rewrites every op and every copy, in the order of the plan.
   *
   * @throws {RangeError} if the plan changes an op whose form is not understood, or does not belong to the
   * function
   */
  rewriteOps(): void {
    for (const step of this.#execution.steps) {
      if (step.kind === "op") this.#rewriteOp(step);
      else this.#insertConversion(step);
    }
  }

  /** Second half: all edits, including those that the first halves of all functions require here. */
  patches(): readonly Patch[] {
    this.#rewriteReturn();
    this.#rewriteDeallocates();
    this.#rewritePreparations();
    return this.#plan.schedule === undefined ? this.#edits.patches() : this.#scheduled(this.#plan.schedule);
  }

  /** Values keep their names; copies are named after their reason, avoiding all names of the function. */
  #instanceNames(): readonly string[] {
    const { fn } = this.#binding;
    const names = fn.values.map((value) => value.name);
    if (this.#plan.conversions.length === 0) return names;
    const taken = new Set(names.map((name) => name.includes("#") ? name.replace(/#\d+$/, "") : name));
    for (const conversion of this.#plan.conversions) {
      let number = conversion.id;
      while (taken.has(`%${conversion.reason}_${number}`)) number += this.#plan.conversions.length;
      taken.add(`%${conversion.reason}_${number}`);
      names.push(`%${conversion.reason}_${number}`);
    }
    return names;
  }

  #isChanged(instance: InstanceId): boolean {
    return this.#changed[instance] ??= this.#isOtherwise(instance);
  }

  #isOtherwise(instance: InstanceId): boolean {
    const { fn } = this.#binding;
    if (!isValue(fn, instance)) return true;
    const original = valueAt(fn, instance).layout;
    const layout = this.#execution.layouts[instance];
    return original !== undefined && layout !== undefined && !layoutsEqual(original, layout);
  }

  #name(instance: InstanceId): string {
    const name = this.#names[instance];
    if (name === undefined) throw new RangeError(`Cannot name instance ${instance}: it is unknown`);
    return name;
  }

  /** Type of an instance; the spelling of its value if the layout is the input's. */
  #typeText(instance: InstanceId): string {
    return this.#types[instance] ??= this.#spelledType(instance);
  }

  #spelledType(instance: InstanceId): string {
    const value = this.#execution.valueOf[instance];
    if (value === undefined) {
      throw new RangeError(`Cannot spell the type of instance ${instance}: it is unknown`);
    }
    return this.#typeWith(value, this.#execution.layouts[instance]);
  }

  /** Type of a value with a layout; the element is spelled anew only if the format changes. */
  #typeWith(value: ValueId, layout: TtnnLayout | undefined): string {
    const { fn, values } = this.#binding;
    const graphValue = fn.values[value];
    const span = values[value]?.type;
    if (span === undefined || graphValue === undefined) {
      throw new RangeError(`Cannot spell the type of ${graphValue?.name ?? "a value"}: its op is opaque`);
    }
    const { tensor, layout: original } = graphValue;
    const type = tensorTypeAt(this.#module, span);
    const isOriginal = original !== undefined && layout !== undefined &&
      layoutsEqual(original, layout);
    if (isOriginal || type === undefined || layout === undefined || tensor === undefined) {
      return textOf(this.#module, span);
    }
    const element = layout.dataType === tensor.dataType
      ? type.elementType
      : this.#spelling.element(layout.dataType);
    const encoding = this.#spelling.layout(layout, tensor.shape, meshOf(this.#module, type));
    return tensorText(tensor.shape, element, encoding);
  }

  #rewriteOp(step: RewrittenStep): void {
    const { fn, ops } = this.#binding;
    const op = fn.ops[step.op];
    const operation = ops[step.op];
    if (op === undefined || operation === undefined) {
      throw new RangeError(`Cannot rewrite op ${step.op}: unknown`);
    }
    step.operands.forEach((instance, index) => {
      const renamed = instance !== op.operands[index];
      if (renamed) this.#edits.replace(operation.operands[index]?.span, this.#name(instance));
      if (renamed || this.#isChanged(instance)) {
        this.#edits.replace(operation.operandTypes?.[index], this.#typeText(instance));
      }
    });
    let keys: ReadonlySet<string> | undefined;
    const present = () => keys ??= presentKeys(operation.properties, operation.attributes);
    const properties = step.config === undefined
      ? []
      : [...this.#spelling.configProperties(operation, step.config)];
    const activation = movedActivation(op.name, op.attributes, step.config);
    if (activation?.property !== undefined) properties.push(activation.property);
    op.results.forEach((instance, index) => {
      if (!this.#isChanged(instance)) return;
      this.#edits.replace(operation.resultTypes?.[index], this.#typeText(instance));
      const layout = this.#execution.layouts[instance];
      if (index === 0 && layout !== undefined) {
        properties.push(...this.#spelling.resultProperties(present(), layout));
      }
    });
    this.#edits.add(
      activation?.isFused === true
        ? propertyRemovals(
          this.#module,
          operation,
          ["activation", ...properties.map(({ key }) => key)],
          properties,
        )
        : propertyEdits(operation, properties),
    );
    const [input] = step.operands;
    const isAsWritten = properties.length === 0 && input !== undefined && !this.#isChanged(input);
    const decided = isAsWritten ? undefined : properties;
    const prepared = this.#prepared.follow(fn, this.#execution, step, operation, decided);
    for (const [index, name] of prepared) {
      this.#edits.replace(operation.operands[index]?.span, name);
      this.#preparedReaders.set(name, step);
    }
  }

  #rewritePreparations(): void {
    const added = writePreparations({
      module: this.#module,
      binding: this.#binding,
      prepared: this.#prepared,
      edits: this.#edits,
      typeOf: (value) => this.#typeText(value),
    });
    if (!this.#binding.fn.hasDeallocates) return;
    for (const { name, type, op } of added) {
      const anchor = this.#anchor(this.#preparedReaders.get(name)?.op ?? op.id);
      this.#edits.insertAfter(anchor, this.#deallocate(name, type, this.#locationSuffix(anchor)));
    }
  }

  #insertConversion(step: Extract<PlanStep, { kind: "conversion" }>): void {
    const { fn } = this.#binding;
    const { conversion } = step;
    const anchor = this.#anchor(conversion.beforeOp);
    const tensor = valueAt(fn, conversion.value).tensor;
    const from = this.#execution.layouts[step.operands[0]];
    if (tensor === undefined || from === undefined) {
      throw new RangeError(
        `Cannot convert ${valueAt(fn, conversion.value).name}: it is not a tensor with a layout`,
      );
    }
    const chain = conversionChain(tensor, from, conversion.layout, this.#workerGrid);
    let operand = this.#name(step.operands[0]);
    let operandType = this.#typeText(step.operands[0]);
    const target = this.#name(step.results[0]);
    const location = this.#locationSuffix(this.#namedOf(conversion) ?? anchor);
    chain.forEach(({ op, layout }, index) => {
      const name = index === chain.length - 1 ? target : `${target}_${index}`;
      const type = this.#typeWith(conversion.value, layout);
      const properties = this.#spelling.memoryOpProperties(op, layout)
        .map((property) => `${property.key} = ${property.value}`).join(", ");
      const dictionary = properties === "" ? "" : ` <{${properties}}>`;
      const device = op === "ttnn.to_device" ? this.#deviceBefore(conversion, name, location) : undefined;
      const operands = device === undefined ? operand : `${operand}, ${device.name}`;
      const types = device === undefined ? operandType : `${operandType}, ${device.type}`;
      const text = `${name} = "${op}"(${operands})${dictionary} : (${types}) -> ${type}${location}`;
      this.#copies.set(conversion, this.#edits.insertBefore(anchor, text));
      const made = chain[index - 1]?.layout;
      if (made !== undefined && (fn.hasDeallocates || made.bufferType === "l1")) {
        this.#edits.insertBefore(anchor, this.#deallocate(operand, operandType, location));
      }
      operand = name;
      operandType = type;
    });
  }

  /** A device for a copy: one that is already open where the copy is made, or one that is opened for it. */
  #deviceBefore(
    { beforeOp }: Conversion,
    copy: string,
    location: string,
  ): { readonly name: string; readonly type: string } {
    const { fn, values } = this.#binding;
    const opener = fn.ops.find(({ id, name }) => name === "ttnn.get_device" && id < beforeOp);
    const [device] = opener?.results ?? [];
    const type = device === undefined ? undefined : values[device]?.type;
    // In another schedule it might be opened later.
    if (device !== undefined && type !== undefined && this.#plan.schedule === undefined) {
      return { name: this.#name(device), type: textOf(this.#module, type) };
    }
    const opened = { name: `${copy}_device`, type: "!ttnn.device" };
    const text =
      `${opened.name} = "ttnn.get_device"()${this.#spelling.deviceProperties} : () -> ${opened.type}${location}`;
    this.#edits.insertBefore(this.#anchor(beforeOp), text);
    return opened;
  }

  #deallocate(name: string, type: string, location: string): string {
    return deallocateText(name, type, this.#spelling.deallocateProperties, location);
  }

  #rewriteReturn(): void {
    const { fn, returnOperation } = this.#binding;
    this.#execution.results.forEach((instance, index) => {
      const declared = fn.results[index];
      if (declared === undefined) return;
      if (instance !== declared) {
        this.#edits.replace(returnOperation?.operands[index]?.span, this.#name(instance));
      }
      const before = valueAt(fn, declared).layout;
      const layout = this.#execution.layouts[instance];
      if (before === undefined || layout === undefined || layoutsEqual(before, layout)) return;
      // The result of a dispatched function has the layout in which its only caller reads it.
      this.#edits.replace(returnOperation?.operandTypes?.[index], this.#typeText(instance));
      this.#edits.replace(this.#signature?.resultTypes[index], this.#typeText(instance));
    });
  }

  /**
   * Keeps each `deallocate` directly behind the last reader; adds one for every copy and for every value that is no
   * longer returned or no longer freed by the convolution that reads it. A function without `deallocate`s gets them
   * for tensors in L1 if the plan changes a layout.
   */
  #rewriteDeallocates(): void {
    const { fn, deallocates } = this.#binding;
    const lastReader = this.#lastReaders();
    if (!fn.hasDeallocates) {
      this.#deallocateInL1(lastReader);
      return;
    }
    const returned = new Set(this.#execution.results);
    const handled = new Set<InstanceId>();
    for (const { operation, value } of deallocates) {
      handled.add(value);
      const reader = lastReader.get(value);
      const { definition, uses } = valueAt(fn, value);
      const originalReader = uses.at(-1)?.op ?? (definition.kind === "result" ? definition.op : undefined);
      const stays = this.#plan.schedule === undefined &&
        (reader === undefined || (reader.kind === "op" && reader.op === originalReader));
      if (stays) {
        if (this.#isChanged(value)) this.#edits.replace(operation.operandTypes?.[0], this.#typeText(value));
      } else {
        this.#edits.remove(operation);
        this.#deallocateAfter(reader, value);
      }
    }
    const noLongerReturned = fn.results.filter((value) => valueAt(fn, value).definition.kind === "result")
      .toSorted((a, b) => a - b);
    const copies = this.#plan.conversions.map(({ id }) => copyInstance(fn, id));
    for (const instance of [...noLongerReturned, ...copies, ...this.#noLongerFreed()]) {
      if (handled.has(instance) || returned.has(instance)) continue;
      handled.add(instance);
      this.#deallocateAfter(lastReader.get(instance), instance);
    }
  }

  /** Activations that convolutions of the input free after reading them, and those of the plan do not. */
  #noLongerFreed(): readonly InstanceId[] {
    const { fn } = this.#binding;
    return this.#execution.steps.flatMap((step) => {
      if (step.kind !== "op") return [];
      const { name, attributes, operands: [value] } = opAt(fn, step.op);
      const own = readOpConfig(name, attributes).config;
      if (value === undefined || !freesActivation(own)) return [];
      if (valueAt(fn, value).definition.kind !== "result") return [];
      return freesActivation(step.config ?? own) && step.operands[0] === value ? [] : [value];
    });
  }

  /** If the plan changes a layout: writes a `deallocate` for everything in L1 that is neither given nor returned. */
  #deallocateInL1(lastReader: ReadonlyMap<InstanceId, PlanStep>): void {
    const { steps, results, layouts } = this.#execution;
    const isAsWritten = this.#plan.conversions.length === 0 &&
      steps.every((step) =>
        step.kind === "op" && step.results.every((instance) => !this.#isChanged(instance))
      );
    if (isAsWritten) return;
    const returned = new Set(results);
    for (const step of steps) {
      for (const instance of step.results) {
        if (returned.has(instance) || layouts[instance]?.bufferType !== "l1") continue;
        this.#deallocateAfter(lastReader.get(instance), instance);
      }
    }
  }

  /** The last step that reads each instance; the step that makes it if none does. */
  #lastReaders(): ReadonlyMap<InstanceId, PlanStep> {
    const lastReader = new Map<InstanceId, PlanStep>();
    for (const step of this.#execution.steps) {
      for (const instance of [...step.operands, ...step.results]) lastReader.set(instance, step);
    }
    return lastReader;
  }

  #deallocateAfter(reader: PlanStep | undefined, instance: InstanceId): void {
    if (reader === undefined) return;
    const anchor = this.#anchor(reader.kind === "conversion" ? reader.conversion.beforeOp : reader.op);
    const location = this.#locationSuffix(anchor);
    const line = this.#deallocate(this.#name(instance), this.#typeText(instance), location);
    const copy = reader.kind === "conversion" ? this.#copies.get(reader.conversion) : undefined;
    if (copy !== undefined) copy.push(line);
    else this.#edits.insertAfter(anchor, line);
  }

  /** The operation at a point of the schedule; `ops.length` is `return`. */
  #anchor(op: SchedulePoint): Operation {
    const operation = op === this.#binding.ops.length ? this.#binding.returnOperation : this.#binding.ops[op];
    if (operation === undefined) {
      throw new RangeError(`Cannot insert before op ${op} of @${this.#binding.fn.name}`);
    }
    return operation;
  }

  /** The op whose location a conversion gets, if that is not the one that it is inserted before. */
  #namedOf({ reason, value }: Conversion): Operation | undefined {
    const definition = valueAt(this.#binding.fn, value).definition;
    return reason === "typecast" && definition.kind === "result"
      ? this.#binding.ops[definition.op]
      : undefined;
  }

  #locationSuffix(operation: Operation): string {
    return operation.location === undefined ? "" : ` ${textOf(this.#module, operation.location)}`;
  }

  #scheduled(schedule: readonly OpId[]): readonly Patch[] {
    const { ops, returnOperation } = this.#binding;
    const [first] = ops;
    if (first === undefined || returnOperation === undefined) return this.#edits.patches();
    const inOrder = schedule.map((id) => {
      const operation = ops[id];
      if (operation === undefined) throw new RangeError(`Cannot schedule op ${id}: unknown`);
      return operation;
    });
    return this.#edits.reordered(first, inOrder, returnOperation);
  }
}
