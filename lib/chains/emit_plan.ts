// SPDX-License-Identifier: Apache-2.0
import { type OpConfig, pickOpConfig } from "../analysis/op_config.ts";
import { type GraphOp, type OpId, returnPlace, type SchedulePoint, type ValueId } from "../graph/graph.ts";
import { describeLayout } from "../layout/describe.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import { isSharded } from "../layout/ttnn_layout.ts";
import { CALLS } from "../ops/calls.ts";
import { withLiveActivationsKept } from "../plan/live_activations.ts";
import type { FunctionPlan } from "../plan/plan.ts";
import { stepsAsMade } from "../search/arrange.ts";
import { layoutsInMemoryOf } from "../search/op_overrides.ts";
import { ITSELF, type ProgramCopy, type ProgramDecision, type Source } from "../search/program.ts";
import { toPlan } from "../search/to_plan.ts";
import type { OutputChoice } from "../search/impls.ts";
import type { ChainContext } from "./chain_context.ts";
import type { ReasonLog } from "./decide_chains.ts";
import type { L1ChainConfig } from "./l1_chain_config.ts";

/** The decisions that become a plan. */
export interface PlanRequest {
  readonly context: ChainContext;
  /** All ops, in execution order. */
  readonly order: readonly OpId[];
  /** Only completed chains are used. */
  readonly chains: readonly L1ChainConfig[];
  /** Configs of ops outside chains that are moved individually. */
  readonly singles: ReadonlyMap<OpId, OpConfig>;
  /** Last ops of chains whose spilled output must not be read from L1 by a conversion any more. */
  readonly noDirectReads: ReadonlySet<OpId>;
  readonly reasons: ReasonLog;
}

/** A decided op that the op model refuses with its final operands. */
export interface BrokenDecision {
  readonly op: OpId;
  readonly reason: string;
}

/** The plan, and the decisions that make it invalid. */
export interface EmittedPlan {
  readonly plan: FunctionPlan;
  readonly broken: readonly BrokenDecision[];
}

/**
 * Turns chains into a plan (tt-mlir:ttnn-optimizer): result layouts and configs, conversions where a chain
 * wants another operand layout, spills after chains, and finally every returned result in the layout of the
 * signature. An op outside chains gets its first legal config; if the op model refuses that, it stays as in the
 * input. Operands that it cannot accept are converted back to the layout of the input.
 */
export function emitPlan(request: PlanRequest): EmittedPlan {
  return new PlanEmitter(request).emit();
}

/** An instance of a value, and its layout. */
interface Instance {
  readonly source: Source;
  readonly layout: LayoutId | undefined;
}

/** A copy without its source. */
type WantedCopy = Omit<ProgramCopy, "source">;

class PlanEmitter {
  readonly #request: PlanRequest;
  readonly #context: ChainContext;
  /** Position in the order, by op id; `return` comes last. */
  readonly #position: readonly number[];
  readonly #chainOf: Map<OpId, L1ChainConfig> = new Map();
  /** Planned layout per value. */
  readonly #layouts: (LayoutId | undefined)[];
  readonly #copies: ProgramCopy[] = [];
  readonly #ops: ProgramDecision[] = [];
  readonly #broken: BrokenDecision[] = [];

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#context = request.context;
    const position: number[] = [];
    [...request.order, request.context.fn.ops.length].forEach((op, index) => position[op] = index);
    this.#position = position;
    this.#layouts = [...request.context.declared];
    for (const chain of request.chains) {
      if (chain.state !== "Completed") continue;
      for (const op of chain.ops) this.#chainOf.set(op, chain);
    }
  }

  emit(): EmittedPlan {
    const context = this.#context;
    const { fn } = context;
    for (const op of this.#request.order) this.#emitOp(context.op(op));
    const results = fn.results.map((value) => {
      const exposed = this.#exposed(value, returnPlace(fn));
      const declared = context.declared[value];
      if (declared === undefined || exposed.layout === declared) return exposed.source;
      const note = "the signature declares this layout";
      return this.#convert(exposed, {
        value,
        layout: declared,
        before: returnPlace(fn),
        reason: "return",
        note,
      }).source;
    });
    const program = { schedule: this.#request.order, ops: this.#ops, copies: this.#copies, results };
    const plan = toPlan(context, program, stepsAsMade(program));
    return { plan: withLiveActivationsKept(context, plan), broken: this.#broken };
  }

  /** Position of an op in the order; `ops.length` stands for `return`. */
  #positionOf(op: SchedulePoint): number {
    const position = this.#position[op];
    if (position === undefined) throw new RangeError(`Cannot place op ${op}: it is not scheduled`);
    return position;
  }

  #emitOp(op: GraphOp): void {
    const chain = this.#chainOf.get(op.id);
    const config = chain?.configOf(op.id) ?? this.#request.singles.get(op.id) ?? this.#destinationConfig(op);
    const operands = op.operands.map((value, operand) => this.#operand(op, operand, value, chain));
    if (config !== undefined) {
      const refusal = this.#tryConfig(op, operands, config);
      if (refusal === undefined) return;
      this.#broken.push({ op: op.id, reason: refusal });
    }
    this.#emitDefault(op, operands);
  }

  /** The buffer that a dispatch writes to gets the layout of the dispatch's result. */
  #destinationConfig({ id, name }: GraphOp): OpConfig | undefined {
    const value = this.#context.result(id);
    const [use, ...others] = value === undefined ? [] : this.#context.value(value).uses;
    if (name !== "ttnn.empty" || use === undefined || others.length > 0) return undefined;
    return this.#context.dispatchOps.has(use.op) ? this.#request.singles.get(use.op) : undefined;
  }

  /** Emits an op outside chains with its first legal config, or as in the input. */
  #emitDefault(op: GraphOp, operands: readonly Instance[]): void {
    const context = this.#context;
    const configs = context.legalConfigs[op.id] ?? [];
    const current = context.declaredOutput(op.id);
    const isTiled = current !== undefined && context.isTiled(current);
    const first = pickOpConfig(configs, isTiled, context.layouts);
    // If result 0 stays as it is, nothing is decided, and further results must stay as they are too.
    const picked = first?.outputLayout === current && first?.attributes === undefined ? undefined : first;
    const asInput = context.kept(op.id);
    const present = layoutsOf(operands);
    const declared = present.map((layout, operand) => this.#declaredOperand(op, operand) ?? layout);
    // A `to_layout` changes only pages; with an operand in another memory it would have to change that too.
    const keepsMemory = op.name === "ttnn.to_layout" && picked === undefined;
    if (keepsMemory && this.#worksAsInput(op, declared, asInput.outputs)) {
      return this.#decide(op, this.#delivered(op, operands, declared), asInput);
    }
    const isOverridden = current !== undefined && configs.length === 1;
    const usable = picked !== undefined && (context.isTiled(picked.outputLayout) === isTiled || isOverridden)
      ? picked
      : undefined;
    if (usable !== undefined && this.#tryConfig(op, operands, usable) === undefined) return;
    const isDescribed = !context.traits(op.id).isOpaque && !CALLS.has(op.name);
    if (isDescribed && this.#worksAsInput(op, present, asInput.outputs)) {
      return this.#decide(op, operands, asInput);
    }
    if (usable !== undefined && isDescribed) {
      const refusal = this.#tryConfig(op, operands, usable, declared);
      if (refusal === undefined) return;
      if (usable.outputLayout !== current) {
        this.#request.reasons.add(op.id, `stays as in the input: ${refusal}`);
      }
    }
    if (isDescribed && !this.#worksAsInput(op, declared, asInput.outputs)) {
      const offers = [declared, present].flatMap((inputs) => [inputs, ...this.#outOfShards(op, inputs)]);
      const works = offers.find((inputs) => this.#worksAsInput(op, inputs, asInput.outputs));
      if (works !== undefined) return this.#decide(op, this.#delivered(op, operands, works), asInput);
      const others = configs.filter(({ outputLayout }) => outputLayout === current);
      if (others.some((config) => this.#tryConfig(op, operands, config, declared) === undefined)) return;
      for (const inputs of offers) {
        const outputs = this.#ownOutputs(op, inputs);
        if (outputs === undefined) continue;
        return this.#decide(op, this.#delivered(op, operands, inputs), { outputs, config: undefined });
      }
    }
    this.#decide(op, this.#delivered(op, operands, declared), asInput);
  }

  /**
   * Layouts of an op's operands with shards moved to DRAM, those of one operand, then those of all. The input may
   * be the program of another compiler, whose shards the backend refuses, or a graph pass may have fused an
   * operand's producer into an op whose results are always sharded.
   */
  #outOfShards(op: GraphOp, inputs: LayoutIds): readonly LayoutIds[] {
    const context = this.#context;
    const moved = inputs.map((layout, operand) => {
      const value = op.operands[operand];
      return value !== undefined && layout !== undefined && isSharded(context.layouts.get(layout))
        ? context.interleavedOf(value, layout, "dram")
        : layout;
    });
    const alone = moved.flatMap((layout, operand) =>
      layout === inputs[operand] ? [] : [inputs.with(operand, layout)]
    );
    return alone.length > 1 ? [...alone, moved] : alone;
  }

  /** The operands of an op in these layouts, copied where they have others. */
  #delivered(op: GraphOp, operands: readonly Instance[], inputs: LayoutIds): readonly Instance[] {
    const takes = `${this.#context.describeOp(op.id)} takes it only`;
    return operands.map((present, operand) => {
      const value = op.operands[operand];
      const layout = inputs[operand];
      if (value === undefined || layout === undefined || layout === present.layout) return present;
      const note = `${takes} ${
        layout === this.#declaredOperand(op, operand) ? "as in the input" : "without shards"
      }`;
      return this.#convert(present, { value, layout, before: op.id, reason: "reload", note });
    });
  }

  /**
   * The layouts that the backend itself gives the results of an op: it can make no others, whatever the input
   * declares. `undefined` if it refuses the op.
   */
  #ownOutputs(op: GraphOp, inputs: LayoutIds): LayoutIds | undefined {
    const answer = this.#context.constraints(op.id, inputs, undefined, undefined);
    return answer.status === "valid"
      ? this.#context.inDeclaredFormats(op.id, answer.outputLayouts)
      : undefined;
  }

  /**
   * Runs an op with a config on operands in these layouts if the op model accepts it; returns the reason if not,
   * `undefined` if it was decided.
   */
  #tryConfig(
    op: GraphOp,
    operands: readonly Instance[],
    config: OpConfig,
    inputs = layoutsOf(operands),
  ): string | undefined {
    const outputs = this.#context.outputsOf(op.id, inputs, config);
    if (typeof outputs === "string") return outputs;
    this.#decide(op, this.#delivered(op, operands, inputs), { outputs, config: config.attributes });
    return undefined;
  }

  #worksAsInput(op: GraphOp, inputs: LayoutIds, outputs: LayoutIds): boolean {
    const context = this.#context;
    return [...new Set([outputs[0], undefined])].some((hint) => {
      const answer = context.constraints(op.id, inputs, hint, undefined);
      if (answer.status !== "valid") return false;
      const actual = context.inDeclaredFormats(op.id, answer.outputLayouts, outputs[0]);
      return outputs.every((layout, index) => layout === actual[index]);
    });
  }

  #decide(op: GraphOp, operands: readonly Instance[], { outputs, config }: OutputChoice): void {
    op.results.forEach((value, index) => {
      this.#layouts[value] = outputs[index] ?? this.#context.declared[value];
    });
    this.#ops[op.id] = {
      outputs: op.results.map((_, index) => outputs[index]),
      config,
      sources: operands.map(({ source }) => source),
      reasons: this.#request.reasons.of(op.id),
    };
  }

  /**
   * The instance that an op reads: inside a chain the value itself, otherwise the instance that its producer
   * exposes, converted if required.
   */
  #operand(op: GraphOp, operand: number, value: ValueId, chain: L1ChainConfig | undefined): Instance {
    const context = this.#context;
    const producer = context.producer(value);
    const isInside = chain !== undefined && producer !== undefined && this.#chainOf.get(producer) === chain;
    const override = context.overrideEdges.some((edge) => edge.op === op.id && edge.operand === operand);
    const reconfig = chain?.reconfigOf(op.id, operand);
    const wanted = reconfig ?? (override ? this.#overrideLayout(op, operand) : undefined);
    const direct = isInside || (wanted !== undefined && this.#mayReadDirectly(value, op.id));
    const source = direct ? this.#itself(value) : this.#exposed(value, op.id);
    if (wanted === undefined || source.layout === wanted) return source;
    const copy = { value, layout: wanted, before: op.id };
    return reconfig === undefined
      ? this.#convert(source, { ...copy, reason: "override", note: "--insert-memreconfig" })
      : this.#convert(source, {
        ...copy,
        reason: "reshard",
        note: `${context.describeOp(op.id)} wants operand ${operand} so`,
      });
  }

  /** The target layout of a conversion that the user requested: the operand in the memory of the consumer's own result. */
  #overrideLayout(op: GraphOp, operand: number): LayoutId | undefined {
    const config = this.#chainOf.get(op.id)?.configOf(op.id) ?? this.#request.singles.get(op.id) ??
      this.#context.legalConfigs[op.id]?.[0];
    if (config === undefined) return undefined;
    return layoutsInMemoryOf(this.#context, op, operand, [config.outputLayout])[0];
  }

  /**
   * Whether a conversion of a spilled chain output reads it from L1 instead of back from DRAM; only the first
   * reader may.
   */
  #mayReadDirectly(value: ValueId, reader: SchedulePoint): boolean {
    const producer = this.#context.producer(value);
    if (producer === undefined || this.#request.noDirectReads.has(producer)) return false;
    if (this.#chainOf.get(producer)?.lastOp !== producer) return false;
    const position = this.#positionOf(reader);
    return this.#context.value(value).uses.every(({ op }) => this.#positionOf(op) >= position);
  }

  /** The instance that readers outside of the producer's chain read: the value or its spilled copy. */
  #exposed(value: ValueId, reader: SchedulePoint): Instance {
    const own = this.#itself(value);
    const producer = this.#context.producer(value);
    const chain = producer === undefined ? undefined : this.#chainOf.get(producer);
    if (producer === undefined || own.layout === undefined || chain?.lastOp !== producer) return own;
    if (this.#context.result(producer) !== value || chain.spillLocation === "None") return own;
    const bufferType = chain.spillLocation === "DRAM" ? "dram" : "l1";
    const layout = this.#context.interleavedOf(value, own.layout, bufferType);
    if (layout === own.layout) return own;
    const note = bufferType === "dram"
      ? `chain ${chain.id} ends here`
      : `chain ${chain.id} ends here, and it fits L1`;
    const behind = this.#positionOf(producer) + 1;
    const before = behind < this.#positionOf(reader) ? this.#request.order[behind] : undefined;
    return this.#convert(own, { value, layout, before: before ?? reader, reason: "spill", note });
  }

  /** The layout of an operand in the input. */
  #declaredOperand(op: GraphOp, operand: number): LayoutId | undefined {
    const value = op.operands[operand];
    return value === undefined ? undefined : this.#context.declared[value];
  }

  #itself(value: ValueId): Instance {
    return { source: ITSELF, layout: this.#layouts[value] };
  }

  /** A copy of an instance, made with as many memory ops as necessary. */
  #convert(from: Instance, wanted: WantedCopy): Instance {
    const { value, layout } = wanted;
    return this.#context.copyLayouts(value, from.layout, layout)
      .reduce((source, step) => this.#copy(source, { ...wanted, layout: step }), from);
  }

  /**
   * One copy. One of the same value and layout is reused if it is made before the same op, or earlier and is in DRAM
   * or a spill is wanted.
   */
  #copy(from: Instance, wanted: WantedCopy): Instance {
    const { value, layout, before, reason } = wanted;
    const made = this.#context.layouts.get(layout);
    const isReusable = made.bufferType === "dram" || reason === "spill";
    const present = this.#copies.findIndex((copy) =>
      copy.value === value && copy.layout === layout &&
      (copy.before === before || (isReusable && this.#positionOf(copy.before) <= this.#positionOf(before)))
    );
    const source = present >= 0 ? present : this.#copies.push({
      ...wanted,
      source: from.source,
      note: `${describeLayout(made)}: ${wanted.note}`,
    }) - 1;
    return { source, layout };
  }
}

function layoutsOf(operands: readonly Instance[]): LayoutIds {
  return operands.map(({ layout }) => layout);
}
