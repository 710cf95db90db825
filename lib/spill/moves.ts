// SPDX-License-Identifier: Apache-2.0
import { isOp, type OpId, type ValueId } from "../graph/graph.ts";
import type { LayoutId, LayoutIds } from "../layout/layout_table.ts";
import {
  applyRerouting,
  type InstanceReader,
  type LayoutChange,
  type ReaderCost,
  readerCost,
  readersOfInstance,
  reroute,
  type Rerouting,
} from "../improve/readers.ts";
import { rerouteResults } from "../improve/results.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { OpImpl } from "../search/impls.ts";

/** A change to a program that takes a tensor out of L1 for some time, with its cost. */
export interface SpillMove {
  readonly kind: "split" | "demote" | "interleave" | "read_dram";
  /** Change of the predicted time in µs; negative if the move itself saves time. */
  readonly microseconds: number;
  /** One sentence for the trace. */
  readonly description: string;
  apply(): void;
}

/**
 * Moves of pass 2 for a program as it is: after `apply`, which alone changes it, the others no longer hold. Readers are
 * validated again one by one: an op may read the new layout only if its config still produces the same results;
 * otherwise it gets a reload in its validated layout.
 */
export class SpillMoves {
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;
  /** By instance: its readers, which every move of it asks for. */
  readonly #readers: Map<number, readonly InstanceReader[]> = new Map();
  /** By layout: its readers' answers to reading it there. */
  readonly #costs: Map<LayoutId, Map<InstanceReader, ReaderCost>> = new Map();

  constructor(program: LayoutProgram, roles: OpRoles) {
    this.#program = program;
    this.#roles = roles;
  }

  /** {@linkcode readersOfInstance}. */
  readersOf(value: ValueId, source: Source): readonly InstanceReader[] {
    return this.#readers.getOrInsertComputed(
      this.#program.instance(value, source),
      () => readersOfInstance(this.#program, value, source),
    );
  }

  /**
   * Live-range splitting: readers before `position` read L1; the tensor is copied to DRAM directly before the
   * op at `position`; that op reads DRAM, later readers DRAM or a shared reload, whichever is cheaper.
   * `undefined` without such readers, if pinned, or if that op cannot read it from DRAM.
   */
  split(value: ValueId, source: Source, position: number): SpillMove | undefined {
    const program = this.#program;
    const { evaluator } = program;
    const { tensor } = evaluator.value(value);
    const layout = program.layoutOf(value, source);
    if (tensor === undefined || layout === undefined || this.#roles.pinned[value] === true) return undefined;
    if (this.#definedAt(value, source) >= position) return undefined;
    const later = this.readersOf(value, source).filter((reader) =>
      reader.position > position || (reader.position === position && reader.kind !== "copy")
    );
    if (later.length === 0) return undefined;
    const dram = evaluator.interleaved(tensor, layout, "dram");
    const existing = this.#dramInstance(value, source, dram, position);
    const store = existing !== undefined ? 0 : evaluator.copyMicroseconds(value, layout, dram);
    if (store === Infinity) return undefined;
    const rerouting = this.#reroute({ value, from: layout, to: dram }, later, position);
    if (rerouting === undefined) return undefined;
    const before = program.placeAt(position);
    const opName = isOp(program, before) ? evaluator.op(before).name : "return";
    return {
      kind: "split",
      microseconds: store + rerouting.microseconds,
      description:
        `moved to DRAM before ${opName} (op ${before}); ${rerouting.direct.length} later readers read ` +
        `DRAM, ${rerouting.copied.length} share a reload`,
      apply: () => {
        const copy = existing ??
          program.addCopy({
            value,
            source,
            layout: dram,
            before,
            reason: "spill",
            note: `makes room for ${opName} (op ${before})`,
          });
        this.#apply(copy, rerouting);
      },
    };
  }

  /**
   * Spill at its definition: the op produces the value in DRAM (or fewer bytes of L1 interleaved), by
   * {@linkcode implWith}. Readers read that layout or share reloads, one before `position`, one after it.
   * `undefined` if pinned, if the op's layouts are not decided or it cannot, or if a reader that gets no reload cannot
   * read it there.
   */
  demote(value: ValueId, buffer: "dram" | "l1", position: number): SpillMove | undefined {
    const program = this.#program;
    const { evaluator } = program;
    const { tensor, definition } = evaluator.value(value);
    if (tensor === undefined || definition.kind !== "result") return undefined;
    const { op, index } = definition;
    const layout = program.layoutOf(value, ITSELF);
    if (layout === undefined || this.#roles.decided[op] !== true || this.#roles.pinned[value] === true) {
      return undefined;
    }
    const target = evaluator.interleaved(tensor, layout, buffer);
    if (target === layout) return undefined;
    if (buffer === "l1" && evaluator.facts(target).l1Bytes >= evaluator.facts(layout).l1Bytes) {
      return undefined;
    }
    const impl = implWith(program, op, index, target);
    if (impl === undefined) return undefined;
    const change = { value, from: layout, to: target };
    const readers = this.readersOf(value, ITSELF);
    const early = this.#reroute(change, readers.filter((reader) => reader.position < position), -1);
    const late = this.#reroute(change, readers.filter((reader) => reader.position >= position), position);
    if (early === undefined || late === undefined) return undefined;
    const inputs = program.inputsOf(op);
    const gain = evaluator.runtime(op, inputs, impl) - program.opMicroseconds(op);
    const where = buffer === "dram" ? "DRAM" : "L1 interleaved";
    return {
      kind: buffer === "dram" ? "demote" : "interleave",
      microseconds: gain + early.microseconds + late.microseconds,
      description: `produced in ${where} instead; ${early.copied.length + late.copied.length} of ` +
        `${readers.length} readers get a reload`,
      apply: () => {
        program.setOutputs(
          op,
          impl,
          `spill: result ${index} is produced in ${where}, L1 is full at position ${position}`,
          true,
        );
        this.#apply(ITSELF, early);
        this.#apply(ITSELF, late);
      },
    };
  }

  /**
   * The op reads its L1 operands from DRAM and produces its results in DRAM or unchanged; `undefined` if it cannot, or
   * does so already.
   */
  readDram(op: OpId): SpillMove | undefined {
    const program = this.#program;
    const { evaluator } = program;
    if (this.#roles.decided[op] !== true) return undefined;
    const { operands } = evaluator.op(op);
    const decision = decisionFor(program, op);
    const present = program.inputsOf(op);
    const inputs = this.#inDram(op, present);
    if (inputs === undefined) return undefined;
    const impl = this.#leanestImpl(op, inputs);
    if (impl === undefined) return undefined;
    if (
      inputs.every((layout, operand) => layout === present[operand]) &&
      impl.outputs.every((layout, index) => layout === decision.outputs[index])
    ) return undefined;
    const reroutings = rerouteResults(program, this.#roles, op, impl);
    if (reroutings === undefined) return undefined;
    const microseconds = reroutings.reduce(
      (sum, each) => sum + each.microseconds,
      evaluator.runtime(op, inputs, impl) - program.opMicroseconds(op),
    );
    return {
      kind: "read_dram",
      microseconds,
      description: "reads its operands from DRAM and makes its results there",
      apply: () => {
        operands.forEach((value, operand) => {
          const layout = inputs[operand];
          const source = decision.sources[operand] ?? ITSELF;
          if (layout === undefined || program.layoutOf(value, source) === layout) return;
          const copy = program.layoutOf(value, ITSELF) === layout ? ITSELF : program.addCopy({
            value,
            source: this.#earliest(source),
            layout,
            before: op,
            reason: "spill",
            note: "L1 is full",
          });
          program.setSource(op, operand, copy);
        });
        program.setOutputs(op, impl, "spill: runs from DRAM to DRAM, L1 is full", true);
        for (const rerouting of reroutings) this.#apply(ITSELF, rerouting);
      },
    };
  }

  /** Operand layouts with DRAM instead of L1; `undefined` if that changes the layout of a pinned value. */
  #inDram(
    op: OpId,
    present: LayoutIds,
  ): LayoutIds | undefined {
    const { evaluator } = this.#program;
    const inputs = present.map((layout, operand) => {
      const tensor = evaluator.signature(op).operands[operand];
      if (layout === undefined || tensor === undefined || !evaluator.facts(layout).isL1) return layout;
      return evaluator.interleaved(tensor, layout, "dram");
    });
    const isKept = evaluator.op(op).operands.every((value, operand) =>
      this.#roles.pinned[value] !== true || inputs[operand] === present[operand]
    );
    return isKept ? inputs : undefined;
  }

  /**
   * The implementation with the least L1 for results that produces each result either unchanged or in DRAM.
   */
  #leanestImpl(op: OpId, inputs: LayoutIds): OpImpl | undefined {
    return this.#program.evaluator.impls(op, inputs)
      .filter((candidate) =>
        candidate.outputs.every((layout, index) =>
          layout === undefined || this.#sameOrDram(op, index, layout)
        )
      )
      .sort((a, b) => a.outputL1Bytes - b.outputL1Bytes)[0];
  }

  /**
   * Position in the schedule at which an instance is produced; `Infinity` for arguments, which must not be
   * freed.
   */
  #definedAt(value: ValueId, source: Source): number {
    const program = this.#program;
    if (source !== ITSELF) return program.positionOf(copyAt(program, source).before);
    const producer = program.evaluator.producer(value);
    return producer === undefined ? Infinity : program.positionOf(producer);
  }

  /** The cheapest source of a further copy: a copy's own source, or the instance itself. */
  #earliest(source: Source): Source {
    return source === ITSELF ? source : copyAt(this.#program, source).source;
  }

  #sameOrDram(op: OpId, index: number, layout: LayoutId): boolean {
    return !this.#program.evaluator.facts(layout).isL1 ||
      decisionFor(this.#program, op).outputs[index] === layout;
  }

  /** An instance of the value that is already in DRAM when the op at `position` starts. */
  #dramInstance(value: ValueId, source: Source, dram: LayoutId, position: number): Source | undefined {
    const program = this.#program;
    if (source !== ITSELF && program.layoutOf(value, ITSELF) === dram) return ITSELF;
    return [...program.usedCopiesOf(value)].sort((a, b) => a - b).find((id) => {
      const { layout, before } = copyAt(program, id);
      return id !== source && layout === dram && program.positionOf(before) <= position;
    });
  }

  /** {@linkcode reroute}, with reloads for ops only, and none at position `fixed`. */
  #reroute(change: LayoutChange, readers: readonly InstanceReader[], fixed: number): Rerouting | undefined {
    const costs = this.#costs.getOrInsertComputed(change.to, () => new Map());
    return reroute(
      this.#program,
      change,
      readers.map((reader) =>
        costs.getOrInsertComputed(
          reader,
          () => readerCost(this.#program, this.#roles, change, reader, false),
        )
      ),
      (reader) => reader.kind === "operand" && reader.position !== fixed,
    );
  }

  #apply(base: Source, rerouting: Rerouting): void {
    const [first] = rerouting.copied;
    const reader = first?.kind === "operand"
      ? `${this.#program.evaluator.op(first.op).name} (op ${first.op})`
      : "";
    applyRerouting(this.#program, rerouting, base, { reason: "reload", note: `${reader} needs it in L1` });
  }
}

/**
 * Cheapest implementation of an op on its present operands that produces one result in `target` and the
 * others unchanged; `undefined` if there is none.
 */
export function implWith(
  program: LayoutProgram,
  op: OpId,
  index: number,
  target: LayoutId,
): OpImpl | undefined {
  const { outputs } = decisionFor(program, op);
  return program.evaluator.impls(op, program.inputsOf(op))
    .filter((impl) =>
      impl.outputs.every((layout, result) => layout === (result === index ? target : outputs[result]))
    )
    .reduce<OpImpl | undefined>(
      (best, impl) => best === undefined || impl.microseconds < best.microseconds ? impl : best,
      undefined,
    );
}
