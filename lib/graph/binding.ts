// SPDX-License-Identifier: Apache-2.0
import type { ModuleText, Operation, Value } from "../ir/mod.ts";
import type { Graph, GraphFunction, ValueId } from "./graph.ts";

/** A `ttnn.deallocate` of the input. */
export interface DeallocateBinding {
  /** The op in the text, for code that moves or removes it. */
  readonly operation: Operation;
  /** The value that it frees. */
  readonly value: ValueId;
}

/** One graph function and the text that it was read from. */
export interface FunctionBinding {
  /** The analysis view; its op and value ids index the lists below. */
  readonly fn: GraphFunction;
  /** The `func.func`. */
  readonly operation: Operation;
  /** By op id. */
  readonly ops: readonly Operation[];
  /** By value id. */
  readonly values: readonly Value[];
  /** `undefined` for declarations and for functions whose body is not a single block. */
  readonly returnOperation: Operation | undefined;
  /** In source order. */
  readonly deallocates: readonly DeallocateBinding[];
}

/** A graph and the module that it was read from; `functions` is parallel to `graph.functions`. */
export interface GraphBinding {
  /** Text that every span of the binding refers to. */
  readonly module: ModuleText;
  /** The analysis view of the whole module. */
  readonly graph: Graph;
  /** Same order and length as `graph.functions`. */
  readonly functions: readonly FunctionBinding[];
}
