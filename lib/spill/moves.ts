// SPDX-License-Identifier: Apache-2.0
import { isOp, type OpId, returnPlace, type ValueId } from "../graph/graph.ts";
import type { LayoutId } from "../layout/layout_table.ts";
import type { OpRoles } from "../search/op_roles.ts";
import type { LayoutProgram } from "../search/layout_program.ts";
import { copyAt, decisionFor, ITSELF, type Source } from "../search/program.ts";
import type { Way } from "../search/ways.ts";

/** A change to a program that takes a tensor out of L1 for some time, with its cost. */
export interface Move {
  readonly kind: "split" | "demote" | "interleave" | "read_dram";
  /** Change of the predicted time in µs; negative if the move itself saves time. */
  readonly microseconds: number;
  /** One sentence for the trace. */
  readonly description: string;
  apply(): void;
}

/** One reader of an instance. */
export type Reader =
  | { readonly kind: "operand"; readonly op: OpId; readonly operand: number; readonly position: number }
  | { readonly kind: "result"; readonly index: number; readonly position: number }
  | { readonly kind: "copy"; readonly copy: number; readonly position: number };

/** All readers of an instance, in schedule order. A copy counts as a reader at the op that it is made before. */
export function readersOfInstance(program: LayoutProgram, value: ValueId, source: Source): readonly Reader[] {
  const { fn } = program.evaluator;
  const readers: Reader[] = [];
  for (const use of program.evaluator.value(value).uses) {
    if (decisionFor(program, use.op).sources[use.operand] !== source) continue;
    readers.push({ kind: "operand", ...use, position: program.positionOf(use.op) });
  }
  for (const copy of program.usedCopiesOf(value)) {
    const { source: from, before } = copyAt(program, copy);
    if (from === source) readers.push({ kind: "copy", copy, position: program.positionOf(before) });
  }
  fn.results.forEach((result, index) => {
    if (result !== value || program.results[index] !== source) return;
    readers.push({ kind: "result", index, position: fn.ops.length });
  });
  return readers.sort((a, b) => a.position - b.position || kindOrder(a) - kindOrder(b));
}

/** Order of readers at one place: operands, then copies by index, then results. */
function kindOrder(reader: Reader): number {
  if (reader.kind === "copy") return 1 + reader.copy;
  return reader.kind === "operand" ? 0 : Infinity;
}

/** How one reader is served once the tensor has another layout. */
interface Service {
  readonly reader: Reader;
  /** Extra µs of reading the other layout directly; `Infinity` if the reader cannot. */
  readonly direct: number;
}

/** Readers that switch to `layout`: some read it directly, the others share one reload from it. */
interface Rerouting {
  readonly microseconds: number;
  readonly direct: readonly Reader[];
  readonly reloaded: readonly Reader[];
}

/**
 * Moves of pass 2. Computing one does not touch the program; `apply` changes it.
 *
 * Readers are validated again one by one: an op may read the other layout only if it still produces the same
 * results with its config; otherwise it gets a reload in the layout that it was validated with.
 */
export class SpillMoves {
  readonly #program: LayoutProgram;
  readonly #roles: OpRoles;

  constructor(program: LayoutProgram, roles: OpRoles) {
    this.#program = program;
    this.#roles = roles;
  }

  /**
   * Live-range splitting: earlier readers still read L1; directly before the op at `position` the tensor is
   * copied to DRAM; later readers read DRAM or share a reload, whichever is cheaper. `undefined` if the tensor
   * has no later reader, or the op at `position` reads it and cannot read DRAM.
   */
  split(value: ValueId, source: Source, position: number): Move | undefined {
    const program = this.#program;
    const { evaluator } = program;
    const { tensor } = evaluator.value(value);
    const layout = program.layoutOf(value, source);
    if (tensor === undefined || layout === undefined || this.#roles.pinned[value] === true) return undefined;
    if (this.#definedAt(value, source) >= position) return undefined;
    const later = readersOfInstance(program, value, source).filter((reader) =>
      reader.position > position || (reader.position === position && reader.kind !== "copy")
    );
    if (later.length === 0) return undefined;
    const dram = evaluator.interleaved(tensor, layout, "dram");
    const existing = this.#dramInstance(value, source, dram, position);
    const store = existing !== undefined ? 0 : evaluator.copyMicroseconds(value, layout, dram);
    if (store === Infinity) return undefined;
    const rerouting = this.#reroute(value, layout, dram, later, position);
    if (rerouting === undefined) return undefined;
    const before = program.schedule[position] ?? returnPlace(program);
    const opName = isOp(program, before) ? evaluator.op(before).name : "return";
    return {
      kind: "split",
      microseconds: store + rerouting.microseconds,
      description:
        `moved to DRAM before ${opName} (op ${before}); ${rerouting.direct.length} later readers read ` +
        `DRAM, ${rerouting.reloaded.length} share a reload`,
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
        this.#apply(value, copy, layout, rerouting);
      },
    };
  }

  /**
   * Spill at birth: the op produces the value in DRAM (or L1 interleaved) instead, with a config that fits.
   * Readers read that or share reloads, one for those before `position` and one for those after it.
   */
  demote(value: ValueId, buffer: "dram" | "l1", position: number): Move | undefined {
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
    const way = this.wayWith(op, index, target);
    if (way === undefined) return undefined;
    const readers = readersOfInstance(program, value, ITSELF);
    const early = this.#reroute(
      value,
      layout,
      target,
      readers.filter((reader) => reader.position < position),
      -1,
    );
    const late = this.#reroute(
      value,
      layout,
      target,
      readers.filter((reader) => reader.position >= position),
      position,
    );
    if (early === undefined || late === undefined) return undefined;
    const inputs = program.inputsOf(op);
    const gain = evaluator.runtime(op, inputs, way) - program.opMicroseconds(op);
    const where = buffer === "dram" ? "DRAM" : "L1 interleaved";
    return {
      kind: buffer === "dram" ? "demote" : "interleave",
      microseconds: gain + early.microseconds + late.microseconds,
      description: `born in ${where} instead; ${early.reloaded.length + late.reloaded.length} of ` +
        `${readers.length} readers get a reload`,
      apply: () => {
        program.setOutputs(
          op,
          way,
          `spill: result ${index} is born in ${where}, L1 is full at position ${position}`,
          true,
        );
        this.#apply(value, ITSELF, layout, early);
        this.#apply(value, ITSELF, layout, late);
      },
    };
  }

  /** The op at `position` reads all operands that are in L1 from DRAM, and produces its results in DRAM. */
  readDram(op: OpId): Move | undefined {
    const program = this.#program;
    const { evaluator } = program;
    if (this.#roles.decided[op] !== true) return undefined;
    const { operands, results } = evaluator.op(op);
    const decision = decisionFor(program, op);
    const present = program.inputsOf(op);
    const inputs = this.#inDram(op, present);
    if (inputs === undefined) return undefined;
    const way = this.#leanestWay(op, inputs);
    if (way === undefined) return undefined;
    if (
      inputs.every((layout, operand) => layout === present[operand]) &&
      way.outputs.every((layout, index) => layout === decision.outputs[index])
    ) return undefined;
    const reroutings: { value: ValueId; from: LayoutId; rerouting: Rerouting }[] = [];
    let microseconds = evaluator.runtime(op, inputs, way) - program.opMicroseconds(op);
    for (const [index, value] of results.entries()) {
      const from = decision.outputs[index];
      const to = way.outputs[index];
      if (from === undefined || to === undefined || from === to) continue;
      const rerouting = this.#reroute(value, from, to, readersOfInstance(program, value, ITSELF), -1);
      if (rerouting === undefined) return undefined;
      microseconds += rerouting.microseconds;
      reroutings.push({ value, from, rerouting });
    }
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
        program.setOutputs(op, way, "spill: runs from DRAM to DRAM, L1 is full", true);
        for (const { value, from, rerouting } of reroutings) this.#apply(value, ITSELF, from, rerouting);
      },
    };
  }

  /**
   * Operand layouts with DRAM instead of L1; `undefined` if a pinned value would have to be read in another
   * layout.
   */
  #inDram(
    op: OpId,
    present: readonly (LayoutId | undefined)[],
  ): readonly (LayoutId | undefined)[] | undefined {
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

  /** The way with the least L1 for results that produces each result either unchanged or in DRAM. */
  #leanestWay(op: OpId, inputs: readonly (LayoutId | undefined)[]): Way | undefined {
    return this.#program.evaluator.ways(op, inputs)
      .filter((candidate) =>
        candidate.outputs.every((layout, index) =>
          layout === undefined || this.#sameOrDram(op, index, layout)
        )
      )
      .sort((a, b) => a.outputL1Bytes - b.outputL1Bytes)[0];
  }

  /** Place in the schedule where an instance is produced; `Infinity` for arguments, which we may not free. */
  #definedAt(value: ValueId, source: Source): number {
    const program = this.#program;
    if (source !== ITSELF) return program.positionOf(copyAt(program, source).before);
    const producer = program.evaluator.producer(value);
    return producer === undefined ? Infinity : program.positionOf(producer);
  }

  /** The instance from which a copy in another layout is best made: a copy's own source if there is one. */
  #earliest(source: Source): Source {
    return source === ITSELF ? source : copyAt(this.#program, source).source;
  }

  #sameOrDram(op: OpId, index: number, layout: LayoutId): boolean {
    return !this.#program.evaluator.facts(layout).isL1 ||
      decisionFor(this.#program, op).outputs[index] === layout;
  }

  /**
   * Cheapest legal way to run an op on its present operands that produces one result in `target` and the others
   * unchanged.
   */
  wayWith(op: OpId, index: number, target: LayoutId): Way | undefined {
    const program = this.#program;
    const inputs = program.inputsOf(op);
    const { outputs } = decisionFor(program, op);
    let best: Way | undefined;
    let bestMicroseconds = Infinity;
    for (const way of program.evaluator.ways(op, inputs)) {
      const fits = way.outputs.every((layout, result) =>
        result === index ? layout === target : layout === outputs[result]
      );
      if (!fits) continue;
      const microseconds = program.evaluator.runtime(op, inputs, way);
      if (microseconds >= bestMicroseconds) continue;
      best = way;
      bestMicroseconds = microseconds;
    }
    return best;
  }

  /** An instance of the value that is already in DRAM when the op at `position` starts. */
  #dramInstance(value: ValueId, source: Source, dram: LayoutId, position: number): Source | undefined {
    const program = this.#program;
    if (source !== ITSELF && program.layoutOf(value, ITSELF) === dram) return ITSELF;
    return [...program.usedCopiesOf(value)].sort((a, b) => a - b).find((id) => {
      const { layout, reason, before } = copyAt(program, id);
      return id !== source && layout === dram && reason !== "return" &&
        program.positionOf(before) <= position;
    });
  }

  /**
   * The cheapest way to serve readers of a tensor in `from` from a copy in `to`; readers at `fixed` cannot wait
   * for a reload.
   */
  #reroute(
    value: ValueId,
    from: LayoutId,
    to: LayoutId,
    readers: readonly Reader[],
    fixed: number,
  ): Rerouting | undefined {
    const services = readers.map((reader): Service => ({
      reader,
      direct: this.directCost(value, reader, from, to),
    }));
    const reload = this.#program.evaluator.copyMicroseconds(value, to, from);
    const mustReload = services.filter((service) => service.direct === Infinity);
    if (
      mustReload.some((service) => service.reader.position === fixed || service.reader.kind !== "operand")
    ) {
      return undefined;
    }
    if (mustReload.length > 0 && reload === Infinity) return undefined;
    const first = Math.min(...mustReload.map((service) => service.reader.position));
    const reloadable = (service: Service): boolean =>
      service.reader.kind === "operand" && service.reader.position !== fixed;
    const gain = services
      .filter((service) => reloadable(service) && service.direct !== Infinity)
      .reduce((sum, service) => sum + Math.max(0, service.direct), 0);
    const joinsReload = (service: Service): boolean =>
      reloadable(service) &&
      (service.direct === Infinity ||
        (mustReload.length > 0
          ? service.reader.position >= first && service.direct > 0
          : gain > reload && service.direct > 0));
    const reloaded = services.filter(joinsReload);
    const direct = services.filter((service) => !joinsReload(service));
    return {
      microseconds: direct.reduce((sum, service) => sum + service.direct, 0) +
        (reloaded.length > 0 ? reload : 0),
      direct: direct.map((service) => service.reader),
      reloaded: reloaded.map((service) => service.reader),
    };
  }

  /** Extra µs if one reader reads `to` instead of `from`; `Infinity` if it cannot. */
  directCost(value: ValueId, reader: Reader, from: LayoutId, to: LayoutId): number {
    const program = this.#program;
    const { evaluator } = program;
    if (reader.kind === "result") return evaluator.returnedIn(value) === to ? 0 : Infinity;
    if (reader.kind === "copy") {
      const target = copyAt(program, reader.copy).layout;
      return target === to
        ? -program.copyMicroseconds(reader.copy)
        : evaluator.copyMicroseconds(value, to, target) - evaluator.copyMicroseconds(value, from, target);
    }
    if (this.#roles.readsElsewhere[reader.op] !== true) return Infinity;
    const decision = decisionFor(program, reader.op);
    const signature = evaluator.signature(reader.op);
    // An op that reads the tensor more than once switches all those operands together; each carries its part of
    // the cost.
    const { operands } = evaluator.op(reader.op);
    const source = decision.sources[reader.operand];
    const inputs = program.inputsOf(reader.op);
    const moves = inputs.map((_layout, operand) =>
      operands[operand] === value && decision.sources[operand] === source
    );
    const accepted = moves.every((moved, operand) =>
      !moved || evaluator.opModel.acceptsInput(signature, operand, to)
    );
    if (!accepted) return Infinity;
    const changed = inputs.map((layout, operand) => moves[operand] === true ? to : layout);
    if (evaluator.footprint(reader.op, changed, decision).refusal !== undefined) return Infinity;
    const extra = evaluator.runtime(reader.op, changed, decision) - program.opMicroseconds(reader.op);
    return extra / moves.filter(Boolean).length;
  }

  #apply(value: ValueId, base: Source, from: LayoutId, rerouting: Rerouting): void {
    const program = this.#program;
    for (const reader of rerouting.direct) this.redirect(reader, base);
    const [first] = rerouting.reloaded;
    if (first === undefined || first.kind !== "operand") return;
    const { name } = program.evaluator.op(first.op);
    const reload = program.addCopy({
      value,
      source: base,
      layout: from,
      before: first.op,
      reason: "reload",
      note: `${name} (op ${first.op}) needs it in L1`,
    });
    for (const reader of rerouting.reloaded) this.redirect(reader, reload);
  }

  /** Lets a reader read another instance of the same value. */
  redirect(reader: Reader, source: Source): void {
    const program = this.#program;
    if (reader.kind === "operand") {
      program.setSource(reader.op, reader.operand, source);
    } else if (reader.kind === "result") {
      program.setResult(reader.index, source);
    } else {
      const copy = copyAt(program, reader.copy);
      if (copy.layout === program.layoutOf(copy.value, source)) this.#replace(reader.copy, source);
      else program.setCopySource(reader.copy, source);
    }
  }

  /** Lets every reader of a copy read another instance in the same layout. */
  #replace(copy: Source, source: Source): void {
    const { value } = copyAt(this.#program, copy);
    for (const reader of readersOfInstance(this.#program, value, copy)) this.redirect(reader, source);
  }
}
