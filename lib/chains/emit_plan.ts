// SPDX-License-Identifier: Apache-2.0
import { type OpConfig, pickOpConfig } from "../analysis/op_config.ts";
import { ownOpConfig } from "../analysis/own_op_config.ts";
import type { GraphOp, OpId, ValueId } from "../graph/graph.ts";
import { describeLayout } from "../layout/describe.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { withLiveActivationsKept } from "../plan/live_activations.ts";
import type { Conversion, ConversionReason, FunctionPlan, OpDecision, OperandSource } from "../plan/plan.ts";
import { conversionChain } from "../plan/conversion_chain.ts";
import type { ChainContext } from "./chain_context.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";
import type { ReasonLog } from "./reason_log.ts";

/** What is decided before it becomes a plan. */
export interface PlanRequest {
  readonly context: ChainContext;
  /** All ops, in execution order. */
  readonly order: readonly OpId[];
  /** Only completed chains count. */
  readonly chains: readonly L1ChainConfig[];
  /** Configs of ops that are moved on their own, outside of chains. */
  readonly singles: ReadonlyMap<OpId, OpConfig>;
  /** Last ops of chains whose spilled output may not be read from L1 by a conversion any more. */
  readonly noDirectReads: ReadonlySet<OpId>;
  readonly reasons: ReasonLog;
}

/** A decided op that the op model refuses with the operands that it really gets. */
export interface BrokenDecision {
  readonly op: OpId;
  readonly reason: string;
}

/** The plan, or the decisions that stand in its way. */
export interface EmittedPlan {
  readonly plan: FunctionPlan;
  readonly broken: readonly BrokenDecision[];
}

/**
 * Turns chains into a plan (tt-mlir:ttnn-optimizer): result layouts and configs, conversions where a chain wants an operand
 * otherwise, spills behind chains, and at the end every result in the layout of the signature. An op outside of chains
 * gets its first legal config, and stays as the input has it when the op model refuses that; operands that it cannot
 * take are brought back to the layout of the input.
 */
export function emitPlan(request: PlanRequest): EmittedPlan {
  return new PlanEmitter(request).emit();
}

/** Where a copy or a value can be read, and how it is laid out there. */
interface Source {
  readonly source: OperandSource;
  readonly layout: LayoutId | undefined;
}

interface PendingConversion {
  readonly value: ValueId;
  readonly source: OperandSource;
  readonly layout: LayoutId;
  /** Place in the order before which the copy is made. */
  readonly position: number;
  readonly reason: ConversionReason;
  readonly note: string;
}

class PlanEmitter {
  readonly #request: PlanRequest;
  readonly #context: ChainContext;
  readonly #position: Map<OpId, number>;
  readonly #chainOf: Map<OpId, L1ChainConfig> = new Map();
  /** Layout per value as planned. */
  readonly #layouts: (LayoutId | undefined)[];
  readonly #conversions: PendingConversion[] = [];
  readonly #decisions: OpDecision[] = [];
  readonly #broken: BrokenDecision[] = [];

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#context = request.context;
    this.#position = new Map(request.order.map((op, index) => [op, index]));
    this.#layouts = [...request.context.inputLayouts];
    for (const chain of request.chains) {
      if (chain.state !== "Completed") continue;
      for (const op of chain.ops) this.#chainOf.set(op, chain);
    }
  }

  emit(): EmittedPlan {
    const { fn } = this.#context;
    const { order } = this.#request;
    order.forEach((id, position) => this.#emitOp(this.#context.op(id), position));
    const results = fn.results.map((value) => {
      const exposed = this.#exposed(value, order.length);
      const declared = this.#context.inputLayouts[value];
      if (declared === undefined || exposed.layout === declared) return exposed.source;
      return this.#convert(
        value,
        exposed,
        declared,
        order.length,
        "return",
        "the signature declares this layout",
      )
        .source;
    });
    const { conversions, renumbered } = this.#orderedConversions();
    const renumber = (source: OperandSource): OperandSource =>
      source.kind === "value"
        ? source
        : { kind: "conversion", conversion: renumbered[source.conversion] ?? 0 };
    const decisions = this.#decisions.toSorted((a, b) => a.op - b.op)
      .map((decision) => ({ ...decision, operands: decision.operands.map(renumber) }));
    const keepsOrder = order.every((op, index) => op === index);
    const plan: FunctionPlan = {
      name: fn.name,
      decisions,
      conversions: conversions.map((conversion) => ({
        ...conversion,
        source: renumber(conversion.source),
      })),
      results: results.map(renumber),
      schedule: keepsOrder ? undefined : order,
    };
    return {
      plan: withLiveActivationsKept(fn, plan, {
        ownConfig: (op) => ownOpConfig(op.name, op.attributes),
        viewOf: (op) => {
          const signature = this.#context.signatures[op];
          return signature === undefined ? undefined : this.#context.opModel.traits(signature).viewOf;
        },
      }),
      broken: this.#broken,
    };
  }

  #emitOp(op: GraphOp, position: number): void {
    const chain = this.#chainOf.get(op.id);
    const single = this.#request.singles.get(op.id);
    const config = chain?.configOf(op.id) ?? single;
    const sources = op.operands.map((value, operand) =>
      this.#operandSource(op, operand, value, chain, position)
    );
    if (config !== undefined) {
      const outputs = this.#outputsOf(op, sources, config);
      if (typeof outputs !== "string") {
        this.#decide(op, sources, outputs, config.attributes);
        return;
      }
      this.#broken.push({ op: op.id, reason: outputs });
    }
    this.#emitDefault(op, sources, position);
  }

  /** An op outside of chains: its first legal config, else as the input has it. */
  #emitDefault(op: GraphOp, sources: readonly Source[], position: number): void {
    const context = this.#context;
    const configs = context.legalConfigs[op.id] ?? [];
    const [result] = op.results;
    const current = result === undefined ? undefined : context.inputLayouts[result];
    const isTiled = current !== undefined && context.layout(current).tile !== undefined;
    const first = pickOpConfig(configs, isTiled, context.layouts);
    // With result 0 as it is, nothing is decided: further results must stay as they are too.
    const picked = first?.outputLayout === current && first?.attributes === undefined ? undefined : first;
    const inputOutputs = op.results.map((value) => context.inputLayouts[value]);
    const restored = (): readonly Source[] =>
      op.operands.map((value, operand) =>
        this.#restore(value, sources[operand] ?? this.#value(value), position, op)
      );
    // A to_layout changes pages only; with an operand elsewhere it would have to change memory too.
    if (op.name === "ttnn.to_layout" && picked === undefined) {
      this.#decide(op, restored(), inputOutputs, undefined);
      return;
    }
    const isOverridden = current !== undefined && picked !== undefined && configs.length === 1;
    const keepsPages = picked !== undefined &&
      ((context.layout(picked.outputLayout).tile !== undefined) === isTiled || isOverridden);
    if (picked !== undefined && keepsPages) {
      const outputs = this.#outputsOf(op, sources, picked);
      if (typeof outputs !== "string") {
        this.#decide(op, sources, outputs, picked.attributes);
        return;
      }
    }
    const signature = context.signatures[op.id];
    const known = signature !== undefined && context.opModel.traits(signature).known;
    if (known && this.#worksAsInput(op, sources, inputOutputs)) {
      this.#decide(op, sources, inputOutputs, undefined);
      return;
    }
    const asInput = restored();
    if (picked !== undefined && keepsPages && known) {
      const outputs = this.#outputsOf(op, asInput, picked);
      if (typeof outputs !== "string") {
        this.#decide(op, asInput, outputs, picked.attributes);
        return;
      }
      if (picked.outputLayout !== current) {
        this.#request.reasons.add(op.id, `stays as the input has it: ${outputs}`);
      }
    }
    this.#decide(op, asInput, inputOutputs, undefined);
  }

  #outputsOf(
    op: GraphOp,
    sources: readonly Source[],
    config: OpConfig,
  ): readonly (LayoutId | undefined)[] | string {
    return this.#context.outputsOf(op.id, sources.map(({ layout }) => layout), config);
  }

  #worksAsInput(
    op: GraphOp,
    sources: readonly Source[],
    outputs: readonly (LayoutId | undefined)[],
  ): boolean {
    const context = this.#context;
    const inputs = sources.map(({ layout }) => layout);
    for (const hint of new Set([outputs[0], undefined])) {
      const answer = context.query(op.id, inputs, hint, undefined);
      if (answer.status !== "valid") continue;
      const actual = context.declaredFormats(op.id, answer.outputLayouts, outputs[0]);
      if (outputs.every((layout, index) => layout === actual[index])) return true;
    }
    return false;
  }

  #decide(
    op: GraphOp,
    sources: readonly Source[],
    outputs: readonly (LayoutId | undefined)[],
    attributes: OpSpecificAttributes | undefined,
  ): void {
    const context = this.#context;
    op.results.forEach((value, index) => {
      this.#layouts[value] = outputs[index] ?? context.inputLayouts[value];
    });
    this.#decisions.push({
      op: op.id,
      outputLayouts: op.results.map((_, index) => {
        const layout = outputs[index];
        return layout === undefined ? undefined : context.layout(layout);
      }),
      config: attributes,
      operands: sources.map(({ source }) => source),
      reasons: this.#request.reasons.of(op.id),
    });
  }

  /** Where an op reads an operand: inside its chain the value itself, else what its producer exposes, converted if asked. */
  #operandSource(
    op: GraphOp,
    operand: number,
    value: ValueId,
    chain: L1ChainConfig | undefined,
    position: number,
  ): Source {
    const context = this.#context;
    const producer = context.producer(value);
    const isInside = chain !== undefined && producer !== undefined && this.#chainOf.get(producer) === chain &&
      producer !== chain.lastOp;
    const override = context.overrideEdges.some((edge) => edge.op === op.id && edge.operand === operand);
    const reconfig = chain?.reconfigs.find((entry) => entry.op === op.id && entry.operand === operand);
    const wanted = reconfig?.layout ?? (override ? this.#overrideLayout(op) : undefined);
    if (wanted === undefined) return isInside ? this.#value(value) : this.#exposed(value, position);
    const source = isInside || this.#mayReadDirectly(value, position)
      ? this.#value(value)
      : this.#exposed(value, position);
    if (source.layout === wanted) return source;
    const note = reconfig === undefined
      ? "--insert-memreconfig"
      : `${context.describeOp(op.id)} wants operand ${operand} so`;
    return this.#convert(
      value,
      source,
      wanted,
      position,
      reconfig === undefined ? "override" : "reshard",
      note,
    );
  }

  /** A conversion on request leads to the layout of the consumer's own result. */
  #overrideLayout(op: GraphOp): LayoutId | undefined {
    const config = this.#chainOf.get(op.id)?.configOf(op.id) ?? this.#request.singles.get(op.id) ??
      this.#context.legalConfigs[op.id]?.[0];
    return config?.outputLayout;
  }

  /**
   * The first conversion of a spilled chain output reads it from L1 rather than back from DRAM (tt-mlir:ttnn-optimizer).
   */
  #mayReadDirectly(value: ValueId, position: number): boolean {
    const producer = this.#context.producer(value);
    if (producer === undefined || this.#request.noDirectReads.has(producer)) return false;
    if (this.#chainOf.get(producer)?.lastOp !== producer) return false;
    const uses = this.#context.fn.values[value]?.uses ?? [];
    return uses.every(({ op }) => (this.#position.get(op) ?? 0) >= position);
  }

  /** What readers outside of the producer's chain see: the value, or its spilled copy. */
  #exposed(value: ValueId, position: number): Source {
    const own = this.#value(value);
    const producer = this.#context.producer(value);
    const chain = producer === undefined ? undefined : this.#chainOf.get(producer);
    if (producer === undefined || own.layout === undefined || chain?.lastOp !== producer) return own;
    if (this.#context.result(producer) !== value || chain.spillLocation === "None") return own;
    const bufferType = chain.spillLocation === "DRAM" ? "dram" : "l1";
    const layout = this.#context.interleaved(value, own.layout, bufferType);
    if (layout === own.layout) return own;
    const note = bufferType === "dram"
      ? `chain ${chain.id} ends here`
      : `chain ${chain.id} ends here, and it fits L1`;
    const behind = Math.min((this.#position.get(producer) ?? 0) + 1, position);
    return this.#convert(value, own, layout, behind, "spill", note);
  }

  /** The operand as the input has it. */
  #restore(value: ValueId, source: Source, position: number, op: GraphOp): Source {
    const declared = this.#context.inputLayouts[value];
    if (declared === undefined || source.layout === declared) return source;
    const note = `${this.#context.describeOp(op.id)} takes it only as the input has it`;
    return this.#convert(value, source, declared, position, "reload", note);
  }

  #value(value: ValueId): Source {
    return { source: { kind: "value" }, layout: this.#layouts[value] };
  }

  /** A copy of a value in a layout, made by as many memory ops as that takes. */
  #convert(
    value: ValueId,
    from: Source,
    layout: LayoutId,
    position: number,
    reason: ConversionReason,
    note: string,
  ): Source {
    const context = this.#context;
    const tensor = context.fn.values[value]?.tensor;
    const chain = tensor === undefined || from.layout === undefined ? [] : conversionChain(
      tensor,
      context.layout(from.layout),
      context.layout(layout),
      context.opModel.chip.workerGrid,
    );
    return chain.slice(0, -1)
      .map((step) => context.layouts.intern(step.layout))
      .concat(layout)
      .reduce((source, step) => this.#copy(value, source, step, position, reason, note), from);
  }

  /** One copy; an earlier one of the same layout serves when it is still wanted from the same source. */
  #copy(
    value: ValueId,
    from: Source,
    layout: LayoutId,
    position: number,
    reason: ConversionReason,
    note: string,
  ): Source {
    const isReusable = this.#context.layout(layout).bufferType === "dram" || reason === "spill";
    let id = this.#conversions.findIndex((known) =>
      known.value === value && known.layout === layout &&
      (known.position === position || (isReusable && known.position <= position))
    );
    if (id < 0) {
      id = this.#conversions.length;
      this.#conversions.push({ value, source: from.source, layout, position, reason, note });
    }
    return { source: { kind: "conversion", conversion: id }, layout };
  }

  /** Conversions in the order in which they are made, with their final ids. */
  #orderedConversions(): { conversions: readonly Conversion[]; renumbered: readonly number[] } {
    const { order } = this.#request;
    const sorted = this.#conversions.map((conversion, id) => ({ ...conversion, id }))
      .toSorted((a, b) => a.position - b.position || a.id - b.id);
    const renumbered: number[] = [];
    sorted.forEach(({ id }, index) => renumbered[id] = index);
    const conversions = sorted.map(({ value, source, layout, position, reason, note }, id): Conversion => ({
      id,
      value,
      source,
      layout: this.#context.layout(layout),
      beforeOp: order[position] ?? this.#context.fn.ops.length,
      reason,
      note: `${describeLayout(this.#context.layout(layout))}: ${note}`,
    }));
    return { conversions, renumbered };
  }
}
