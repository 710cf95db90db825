// SPDX-License-Identifier: Apache-2.0
import { aliasTextOf, meshOf } from "../dialect/ttnn_layout.ts";
import type { TtnnProfile } from "../dialect/ttnn_profile.ts";
import type { FunctionBinding } from "../graph/binding.ts";
import { opAt, type SchedulePoint, valueAt, type ValueId } from "../graph/graph.ts";
import { tensorTypeAt } from "../ir/mod.ts";
import { layoutsEqual } from "../layout/layout_table.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import { parseOpConfig, readOpConfig } from "../op_config/parse.ts";
import { opConfigProperties } from "../op_config/print.ts";
import { conversionChain, type ConvertingChip } from "../plan/conversion_chain.ts";
import { freesActivation } from "../plan/live_activations.ts";
import type { Conversion, FunctionPlan } from "../plan/plan.ts";
import { type InstanceId, planExecution, type PlannedExecution, type PlanStep } from "../plan/steps.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnType, TtnnValue } from "../ttnn/value.ts";
import type { AttributeMap } from "../ir/attribute.ts";
import { fusedActivationOf, spelledActivation } from "../op_config/activations.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";

/** What a plan is written for. */
export interface RewriteTarget {
  /** The chip that the plan was made for. */
  readonly chip: ConvertingChip;
  /** Generation of the dialect in which configs are spelled. */
  readonly profile: TtnnProfile;
}

/** Carries out the plan of one function: types, properties, inserted memory ops, the schedule, and what is freed. */
export class FunctionRewrite {
  readonly binding: FunctionBinding;
  readonly execution: PlannedExecution;
  /** The function in which the plan is carried out. */
  readonly body: TtnnFunction;
  readonly #plan: FunctionPlan;
  readonly #target: RewriteTarget;
  /** By op id; last `return`. */
  readonly #ops: readonly TtnnOp[];
  /** By value id: type in the text. */
  readonly #written: readonly TtnnType[];
  /** By instance: values, then copies as they are made. */
  readonly #instances: TtnnValue[];

  constructor(body: TtnnFunction, binding: FunctionBinding, plan: FunctionPlan, target: RewriteTarget) {
    this.body = body;
    this.binding = binding;
    this.#plan = plan;
    this.#target = target;
    this.execution = planExecution(binding.fn, plan);
    this.#ops = [...body.ops()];
    this.#instances = [
      ...body.arguments.map(({ value }) => value),
      ...this.#ops.flatMap(({ results }) => results),
    ];
    this.#written = this.#instances.map(({ type }) => type);
  }

  /**
   * Changes the function as planned.
   *
   * @throws {RangeError} if the plan changes an op whose form is not understood, or does not belong to the function
   */
  carryOut(): void {
    const { body } = this;
    for (const id of this.#plan.schedule ?? []) body.moveBefore(this.opAt(id), body.terminator);
    for (const step of this.execution.steps) {
      if (step.kind === "op") this.#rewriteOp(step);
      else this.#convert(step);
    }
    this.execution.results.forEach((instance, index) =>
      body.setOperand(body.terminator, index, this.#instance(instance))
    );
    const isMoved = this.#plan.conversions.length > 0 || this.#instances.some(({ isRetyped }) => isRetyped);
    if (body.frees === "tensors") this.#freeActivations();
    else if (isMoved) body.frees = "l1";
  }

  /** The op at a point of the schedule. */
  opAt(point: SchedulePoint): TtnnOp {
    const op = this.#ops[point];
    if (op === undefined) {
      throw new RangeError(`Cannot change op ${point} of @${this.binding.fn.name}: unknown`);
    }
    return op;
  }

  #instance(id: InstanceId): TtnnValue {
    const instance = this.#instances[id];
    if (instance === undefined) throw new RangeError(`Cannot name instance ${id}: it is unknown`);
    return instance;
  }

  /** Type of a value with a layout: that of the text if it is the layout there. */
  #typeWith(id: ValueId, layout: TtnnLayout | undefined): TtnnType {
    const { name, tensor, layout: written } = valueAt(this.binding.fn, id);
    const [span, type] = [this.binding.values[id]?.type, this.#written[id]];
    if (span === undefined || type === undefined) {
      throw new RangeError(`Cannot spell the type of ${name}: its op is opaque`);
    }
    const isWritten = layout === undefined || written !== undefined && layoutsEqual(written, layout);
    const text = isWritten ? undefined : tensorTypeAt(this.body.module, span);
    if (layout === undefined || text === undefined || tensor === undefined) return type;
    const mesh = meshOf(this.body.module, text);
    return {
      kind: "tensor",
      shape: tensor.shape,
      dataType: layout.dataType,
      layout,
      // The element keeps its spelling if the format stays.
      ...(layout.dataType === tensor.dataType ? { element: text.elementType } : {}),
      ...(mesh === undefined ? {} : { mesh }),
    };
  }

  #rewriteOp(step: Extract<PlanStep, { kind: "op" }>): void {
    const { fn } = this.binding;
    const { name, attributes, operands } = opAt(fn, step.op);
    const op = this.opAt(step.op);
    step.operands.forEach((instance, index) => {
      if (instance !== operands[index]) this.body.setOperand(op, index, this.#instance(instance));
    });
    if (step.config !== undefined) {
      const present = { attributes: op.attributeMap(), alias: aliasTextOf(this.body.module) };
      const properties = opConfigProperties(name, step.config, this.#target.profile, present);
      for (const { key, value } of properties) op.setProperty(key, value);
      const activation = movedActivation(name, attributes, step.config);
      if (activation !== undefined) op.setProperty(ACTIVATION, activation.text);
    }
    for (const result of step.results) {
      const type = valueAt(fn, result).layout === undefined
        ? undefined
        : this.#typeWith(result, this.execution.layouts[result]);
      if (type !== undefined && type !== this.#written[result]) this.#instance(result).type = type;
    }
  }

  #convert({ conversion, operands: [from], results: [to] }: Extract<PlanStep, { kind: "conversion" }>): void {
    const { fn } = this.binding;
    const { tensor, name } = valueAt(fn, conversion.value);
    const layout = this.execution.layouts[from];
    if (tensor === undefined || layout === undefined) {
      throw new RangeError(`Cannot convert ${name}: it is not a tensor with a layout`);
    }
    const anchor = this.opAt(conversion.beforeOp);
    const { location } = this.#namedOf(conversion) ?? anchor;
    const wish = `%${conversion.reason}_${conversion.id}`;
    const chain = conversionChain(tensor, layout, conversion.layout, this.#target.chip);
    this.#instances[to] = chain.reduce((value, { op, layout }, index) =>
      this.body.insertBefore(anchor, {
        name: op,
        // Ops of the text stay in the order of the schedule, other conversions stand before them.
        operands: op === "ttnn.to_device" ? [value, this.body.device(anchor, location, false)] : [value],
        resultTypes: [this.#typeWith(conversion.value, layout)],
        location,
        wish: index === chain.length - 1 ? wish : `${wish}_${index}`,
      }).result, this.#instance(from));
  }

  /** The op whose location a conversion gets, if that is not the one that it is inserted before. */
  #namedOf({ reason, value }: Conversion): TtnnOp | undefined {
    const { definition } = valueAt(this.binding.fn, value);
    return reason === "typecast" && definition.kind === "result" ? this.opAt(definition.op) : undefined;
  }

  /** Frees explicitly the activations that convolutions of the text free after reading them, and those of the plan do not. */
  #freeActivations(): void {
    const { fn } = this.binding;
    for (const step of this.execution.steps) {
      if (step.kind !== "op") continue;
      const { name, attributes, operands: [value] } = opAt(fn, step.op);
      const own = readOpConfig(name, attributes).config;
      if (value === undefined || !freesActivation(own)) continue;
      if (freesActivation(step.config ?? own) && step.operands[0] === value) continue;
      const made = this.#instance(value);
      if (made.producer !== undefined) this.body.deallocates.getOrInsert(made, undefined);
    }
  }
}

/** The property that spells an activation. */
const ACTIVATION = "activation";

/** The place of a matmul's activation if the op gets another config. */
interface MovedActivation {
  /**
   * Text of the property that spells it, if only the old program config did; `undefined` if the new program config applies
   * it, so that the op must not spell it: it would be applied twice.
   */
  readonly text: string | undefined;
}

/**
 * The change to the activation of a matmul or linear whose config a plan changes; `undefined` for no change
 * (tt-mlir:program-config-fixes).
 *
 * @throws {RangeError} if the op would have to spell an activation with parameters, which no property holds
 */
function movedActivation(
  opName: string,
  attributes: AttributeMap,
  config: OpSpecificAttributes,
): MovedActivation | undefined {
  if (config.kind !== "matmul" || config.programConfig === undefined) return undefined;
  const spelled = spelledActivation(attributes);
  const fused = fusedActivationOf(config);
  if (fused !== undefined) return spelled === undefined ? undefined : { text: undefined };
  const before = fusedActivationOf(parseOpConfig(opName, attributes));
  if (before === undefined || spelled !== undefined) return undefined;
  if (before.params.length > 0) {
    throw new RangeError(
      `Cannot spell ${before.opType} of ${opName} with parameters beside its program config`,
    );
  }
  return { text: `"${before.opType}"` };
}
