// SPDX-License-Identifier: Apache-2.0
import type { ModuleText } from "../ir/mod.ts";
import { resolvedLocation } from "../ir/location.ts";
import { LOAD_CACHED } from "../ops/calls.ts";
import type { TtnnFunction } from "../ttnn/function.ts";
import { TtnnOp } from "../ttnn/op.ts";
import type { TtnnValue } from "../ttnn/value.ts";
import type { GraphChange, MergedOp } from "./graph_pass.ts";

/** Ops that compute nothing. */
const SILENT: ReadonlySet<string> = new Set(["ttnn.get_device", "ttnn.deallocate", LOAD_CACHED]);

/** Ops that only bring a result into another form, behind the op that computes it. */
const FORMS: ReadonlySet<string> = new Set(
  ["reshape", "permute", "typecast", "to_layout", "to_memory_config"].map((name) => `ttnn.${name}`),
);

/** The op behind a value, of an op that computes the one that does so too. */
function makerOf({ producer }: TtnnValue, gone: TtnnOp): TtnnOp | undefined {
  let op = producer;
  while (op !== undefined && FORMS.has(op.name) && !FORMS.has(gone.name)) op = op.operands[0]?.producer;
  return op ?? producer;
}

/** Follows ops of the input through the changes of passes. */
export class MergeTracker {
  readonly #ops: readonly { readonly body: TtnnFunction; readonly ops: readonly TtnnOp[] }[];
  readonly #original: ReadonlySet<TtnnOp>;
  /** The change in which an op lost its readers. */
  readonly #changeOf: Map<TtnnOp, number> = new Map();
  /** By change: names of the ops that it made. */
  readonly #made: Map<number, Set<string>> = new Map();
  readonly #successors: Map<TtnnOp, TtnnValue | TtnnOp> = new Map();

  readonly #module: ModuleText;

  constructor(module: ModuleText, functions: readonly TtnnFunction[]) {
    this.#module = module;
    this.#ops = functions.map((body) => ({ body, ops: [...body.ops()] }));
    this.#original = new Set(this.#ops.flatMap(({ ops }) => ops));
  }

  /** Takes note of what lost its readers up to a change. */
  see(change: number): void {
    for (const { body: { successors, madeNames } } of this.#ops) {
      for (const [op, successor] of successors) {
        this.#successors.set(op, successor);
        this.#changeOf.set(op, change);
      }
      for (const name of madeNames) this.#made.getOrInsertComputed(change, () => new Set()).add(name);
      // Clearing allocates, also where nothing is to be cleared: a module has hundreds of const-eval functions.
      if (successors.size > 0) successors.clear();
      if (madeNames.size > 0) madeNames.clear();
    }
  }

  /** The changes, with the ops that are gone. */
  told(changes: readonly GraphChange[]): readonly GraphChange[] {
    this.see(changes.length);
    const where = ({ location = "" }: TtnnOp) => resolvedLocation(this.#module, location);
    const merged = new Map<number, MergedOp[]>();
    for (const op of this.#original) {
      if (!op.isErased || SILENT.has(op.name)) continue;
      const { change, into } = this.#heirOf(op);
      // The same op in another form.
      if (into !== undefined && into.name === op.name && !this.#original.has(into)) continue;
      const isGone = into === undefined ||
        this.#original.has(into) && !into.isRespelled && into.name !== op.name;
      merged.getOrInsertComputed(Math.min(change, changes.length - 1), () => []).push({
        op: op.name,
        location: where(op),
        ...(into?.name !== op.name && this.#made.get(change)?.has(op.name) === true
          ? { into: op.name, intoLocation: where(op) }
          : isGone
          ? {}
          : { into: into.name, intoLocation: where(into) }),
      });
    }
    return changes.map((change, index) => {
      const gone = merged.get(index);
      return gone === undefined ? change : { ...change, merged: gone };
    });
  }

  /** What does the work of an op that is gone, and the change that took it in. */
  #heirOf(gone: TtnnOp): { readonly change: number; readonly into: TtnnOp | undefined } {
    const seen = new Set<TtnnOp>();
    let change: number | undefined;
    let op: TtnnOp | undefined = gone;
    while (op?.isErased === true && !seen.has(op)) {
      seen.add(op);
      const successor: TtnnValue | TtnnOp | undefined = this.#successors.get(op);
      // An op that only lost its reader went with that reader.
      if (!(successor instanceof TtnnOp) || !successor.isErased) change ??= this.#changeOf.get(op);
      op = successor instanceof TtnnOp || successor === undefined ? successor : makerOf(successor, gone);
    }
    return { change: change ?? this.#changeOf.get(gone) ?? 0, into: op?.isErased === true ? undefined : op };
  }
}
