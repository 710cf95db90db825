// SPDX-License-Identifier: Apache-2.0
import type { ModuleText, Operation, Value } from "../ir/mod.ts";
import type { Graph, GraphFunction, ValueId } from "./graph.ts";

/** A `ttnn.deallocate` of the input. */
export interface DeallocateBinding {
  readonly operation: Operation;
  readonly value: ValueId;
}

/** One graph function and the text that it was read from. */
export interface FunctionBinding {
  readonly fn: GraphFunction;
  /** The `func.func`. */
  readonly operation: Operation;
  /** By op id. */
  readonly ops: readonly Operation[];
  /** By value id. */
  readonly values: readonly Value[];
  /** `undefined` for declarations and for functions whose body is not one block. */
  readonly returnOperation: Operation | undefined;
  readonly deallocates: readonly DeallocateBinding[];
}

/** A graph and the module that it was read from; `functions` run parallel to `graph.functions`. */
export interface GraphBinding {
  readonly module: ModuleText;
  readonly graph: Graph;
  readonly functions: readonly FunctionBinding[];
}
