// SPDX-License-Identifier: Apache-2.0
import { ownOpConfig } from "../analysis/op_config.ts";
import type { GraphFunction, GraphOp, GraphValue, OpId, ValueId } from "../graph/graph.ts";
import { opSignatures } from "../graph/signature.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../layout/layout_table.ts";
import { makeInterleaved } from "../layout/make_layout.ts";
import { givenTensors } from "../memory/given_tensors.ts";
import type { L1Schedule } from "../memory/l1_schedule.ts";
import { opFootprint } from "../memory/op_footprint.ts";
import type { OpSpecificAttributes } from "../op_config/op_config.ts";
import { leanerConfigs } from "../opmodel/leaner_configs.ts";
import type { OpConstraints, OpModel } from "../opmodel/op_model.ts";
import { COST_CLASSES } from "../ops/cost_class.ts";
import { isEmptyTensor } from "../ops/empty_tensors.ts";
import { definitionOf } from "../ops/op_book.ts";
import type { OpSignature, TensorShape } from "../ops/op_signature.ts";
import type { OpTraits } from "../ops/op_traits.ts";
import { conversionChain, otherPages } from "../plan/conversion_chain.ts";
import type { Choice } from "./impls.ts";

/**
 * The IR of one function as all searches see it: ops and values by id, the layouts that the input declares,
 * and the op model's facts about single ops. Unknown ids throw.
 */
export class FunctionModel {
  readonly fn: GraphFunction;
  readonly opModel: OpModel;
  readonly layouts: LayoutTable;
  /** Layout per value as in the input; `undefined` if the value is not a tensor or its layout is not understood. */
  readonly declared: LayoutIds;
  /** The arguments, as L1 schedules hold them. */
  readonly given: L1Schedule["liveIn"];
  readonly #returns: ReadonlyMap<ValueId, readonly number[]>;
  readonly #signatures: readonly OpSignature[];
  readonly #traits: readonly OpTraits[];
  readonly #leaner: Map<OpId, OpSpecificAttributes | null> = new Map();
  readonly #interleaved: WeakMap<TensorShape, Readonly<Record<"dram" | "l1", Map<LayoutId, LayoutId>>>> =
    new WeakMap();

  constructor(fn: GraphFunction, opModel: OpModel) {
    this.fn = fn;
    this.opModel = opModel;
    this.layouts = opModel.layouts;
    this.declared = opModel.layouts.internAll(fn.values.map(({ layout }) => layout));
    this.given = givenTensors(fn, opModel.chip);
    const returns = new Map<ValueId, number[]>();
    fn.results.forEach((value, index) => returns.getOrInsertComputed(value, () => []).push(index));
    this.#returns = returns;
    this.#signatures = opSignatures(fn);
    this.#traits = this.#signatures.map((signature) => opModel.traits(signature));
  }

  /** @throws {RangeError} for an id that the function does not have */
  op(id: OpId): GraphOp {
    return this.#existing("op", id, this.fn.ops[id]);
  }

  /** @throws {RangeError} for an id that the function does not have */
  value(id: ValueId): GraphValue {
    return this.#existing("value", id, this.fn.values[id]);
  }

  /** The places of `return` at which the function returns a value, ascending. */
  returnsOf(id: ValueId): readonly number[] {
    return this.#returns.get(id) ?? [];
  }

  /** The signature with which the op model is queried. */
  signature(id: OpId): OpSignature {
    return this.#existing("op", id, this.#signatures[id]);
  }

  /** Properties of the op that do not depend on layouts. */
  traits(id: OpId): OpTraits {
    return this.#existing("op", id, this.#traits[id]);
  }

  /** Whether a result may share the buffer of an operand in some layouts. */
  mayShareBuffer(id: OpId): boolean {
    const { viewOf, inPlaceOperand, costClass } = this.traits(id);
    return viewOf !== undefined || inPlaceOperand !== undefined || COST_CLASSES[costClass].changesLayout ||
      definitionOf(this.op(id).name).isView !== undefined;
  }

  #existing<Item>(what: string, id: number, item: Item | undefined): Item {
    if (item === undefined) {
      throw new RangeError(`Cannot look up ${what} ${id}: @${this.fn.name} has no such ${what}`);
    }
    return item;
  }

  /** The op that produces a value; `undefined` for arguments. */
  producer(id: ValueId): OpId | undefined {
    const { definition } = this.value(id);
    return definition.kind === "result" ? definition.op : undefined;
  }

  /** The layout that the input declares for an op's first result; `undefined` if it declares none. */
  declaredOutput(id: OpId): LayoutId | undefined {
    const [result] = this.op(id).results;
    return result === undefined ? undefined : this.declared[result];
  }

  /** An op with the layouts of the input, and without a config: it runs with its own. */
  asInput(id: OpId, ...reasons: readonly string[]): Choice {
    const { operands, results } = this.op(id);
    return {
      inputs: operands.map((value) => this.declared[value]),
      outputs: results.map((value) => this.declared[value]),
      config: undefined,
      reasons,
    };
  }

  /**
   * An op with the layouts of the input, for ops without another implementation. If the op model refuses
   * these only because the op's own buffers are too large, the op gets the nearest accepted config; if there
   * is none, it stays as in the input.
   */
  kept(id: OpId, ...reasons: readonly string[]): Choice {
    const written = this.asInput(id, ...reasons);
    let leaner = this.#leaner.get(id);
    if (leaner === undefined) this.#leaner.set(id, leaner = this.#findLeaner(id, written) ?? null);
    if (leaner === null) return written;
    return {
      ...written,
      config: leaner,
      reasons: [...reasons, "its own config needs more L1 than there is"],
    };
  }

  #findLeaner(id: OpId, { inputs, outputs }: Choice): OpSpecificAttributes | undefined {
    const signature = this.signature(id);
    const { refusal, config } = opFootprint(this.opModel, signature, inputs, outputs, undefined);
    if (refusal?.failure !== "out_of_memory") return undefined;
    return this.#leanerConfigs(id, { inputs, outputs, config }).find((candidate) =>
      opFootprint(this.opModel, signature, inputs, outputs, candidate).refusal === undefined
    );
  }

  #leanerConfigs(
    id: OpId,
    { inputs: [input], outputs: [output], config }: Pick<Choice, "inputs" | "outputs" | "config">,
  ): readonly OpSpecificAttributes[] {
    const isInDram = [input, output].every((layout) =>
      layout !== undefined && this.layouts.get(layout).bufferType === "dram"
    );
    return leanerConfigs({ name: this.op(id).name, used: config, isInDram }, this.opModel.chip.workerGrid);
  }

  /**
   * The first config in the op model's list ({@linkcode OpModel.freeConfigs}) that it accepts with these layouts;
   * configs that change one field of `config` come first, those that need less L1 last. `undefined` if it accepts none.
   *
   * @param config the config that is refused; `undefined` for the op's own
   * @param room bytes of L1 per core for circular buffers
   */
  closestConfig(
    id: OpId,
    { inputs, outputs, config }: Pick<Choice, "inputs" | "outputs" | "config">,
    room: number,
  ): OpSpecificAttributes | undefined {
    const signature = this.signature(id);
    const { name, attributes } = this.op(id);
    const used = config ?? ownOpConfig(name, attributes);
    const lists = this.opModel.freeConfigs?.(signature, inputs, outputs[0], used, room) ?? [];
    const leaner = this.#leanerConfigs(id, { inputs, outputs, config: used });
    return [...lists.toReversed().flat(), ...leaner].find((candidate) => {
      const answer = this.opModel.queryOpConstraints(signature, inputs, outputs[0], candidate);
      return answer.status === "valid" && answer.cbPlacedBytes <= room &&
        outputs.every((layout, index) => layout === undefined || answer.outputLayouts[index] === layout);
    });
  }

  /** The layout in which `return` passes a value on; `undefined` for values that are not returned. */
  returnedIn(id: ValueId): LayoutId | undefined {
    return this.value(id).returned > 0 ? this.declared[id] : undefined;
  }

  /** Uses of an op's results, `return` included. */
  useCount(id: OpId): number {
    return this.op(id).results.reduce((sum, value) => {
      const { uses, returned } = this.value(value);
      return sum + uses.length + returned;
    }, 0);
  }

  /** Config of an op in the input, for ops whose configs are searched; `undefined` for others, and without one. */
  ownConfig(id: OpId): OpSpecificAttributes | undefined {
    const { name, attributes } = this.op(id);
    return ownOpConfig(name, attributes);
  }

  /** One query to the op model, while other tensors hold `extraL1Bytes` per core. */
  constraints(
    id: OpId,
    inputs: LayoutIds,
    hint: LayoutId | undefined,
    config: OpSpecificAttributes | undefined,
    extraL1Bytes = 0,
  ): OpConstraints {
    return this.opModel.queryOpConstraints(this.signature(id), inputs, hint, config, extraL1Bytes);
  }

  /**
   * Result layouts with the element formats that the input declares, not those that the backend reports: a
   * layout choice never changes a format (tt-mlir:memory-layout-propagation).
   *
   * @param first layout that gives the format of result 0 instead, if an override changed it
   */
  inDeclaredFormats(id: OpId, outputs: LayoutIds, first?: LayoutId): LayoutIds {
    const { results } = this.op(id);
    const isAsDeclared = (value: ValueId, index: number): boolean => {
      const layout = outputs[index];
      const like = index === 0 && first !== undefined ? first : this.declared[value];
      return layout === undefined || like === undefined || layout === like ||
        this.layouts.get(layout).dataType === this.layouts.get(like).dataType;
    };
    // This is the usual case; sharing the array saves memory, because searches keep many answers.
    if (outputs.length === results.length && results.every(isAsDeclared)) return outputs;
    return results.map((value, index) => {
      const layout = outputs[index];
      const like = index === 0 && first !== undefined ? first : this.declared[value];
      if (layout === undefined || like === undefined) return layout;
      const { dataType } = this.layouts.get(like);
      const made = this.layouts.get(layout);
      return made.dataType === dataType ? layout : this.layouts.intern({ ...made, dataType });
    });
  }

  /** Whether the pages of a layout are tiles. */
  isTiled(layout: LayoutId): boolean {
    return this.layouts.get(layout).tile !== undefined;
  }

  /** Whether a layout has the same kind of pages (tiles or row-major) as the input's layout of the value. */
  keepsPages(id: ValueId, layout: LayoutId): boolean {
    const declared = this.declared[id];
    return declared === undefined || this.isTiled(declared) === this.isTiled(layout);
  }

  /**
   * The interleaved layout of a tensor in DRAM or L1, with the element format and pages of `like`; `like`
   * itself for an empty tensor, which takes no space.
   */
  interleaved(tensor: TensorShape, like: LayoutId, bufferType: "dram" | "l1"): LayoutId {
    if (isEmptyTensor(tensor)) return like;
    let memo = this.#interleaved.get(tensor);
    if (memo === undefined) this.#interleaved.set(tensor, memo = { dram: new Map(), l1: new Map() });
    let id = memo[bufferType].get(like);
    if (id === undefined) {
      const { dataType, tile } = this.layouts.get(like);
      const paged = { shape: tensor.shape, dataType, tile };
      id = this.layouts.intern(makeInterleaved(bufferType, paged, this.opModel.chip.workerGrid));
      memo[bufferType].set(like, id);
    }
    return id;
  }

  /**
   * The same buffer type and distribution with the other kind of pages (tiles ↔ row-major); `undefined` if no
   * op converts between them there ({@linkcode otherPages}).
   */
  inOtherPages(tensor: TensorShape, id: LayoutId): LayoutId | undefined {
    const other = otherPages(tensor, this.layouts.get(id), this.opModel.chip.workerGrid);
    return other === undefined ? undefined : this.layouts.intern(other);
  }

  /**
   * Layouts of the copies that lead from one layout of a value to another, one per memory op
   * ({@linkcode conversionChain}). The last is `to`, the only one if `from` is unknown.
   */
  copyLayouts(value: ValueId, from: LayoutId | undefined, to: LayoutId): readonly LayoutId[] {
    const { tensor } = this.value(value);
    const chain = tensor === undefined || from === undefined
      ? []
      : conversionChain(tensor, this.layouts.get(from), this.layouts.get(to), this.opModel.chip);
    return [...chain.slice(0, -1).map(({ layout }) => this.layouts.intern(layout)), to];
  }
}
