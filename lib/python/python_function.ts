// SPDX-License-Identifier: Apache-2.0
import type { FunctionView, Operation } from "../ir/mod.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import type { TensorOperand } from "./call_site.ts";
import type { PythonText } from "./python_text.ts";

/** A result of an op: the variable that holds it. */
export interface ResultVariable extends TensorOperand {
  /** Makes a tensor of its type; `None` where no such tensor can be made, or nobody asked for one. */
  readonly standIn: PythonText;
}

/** One statement of a function. */
export interface Statement {
  /** Without indentation, comment and line end. */
  readonly text: PythonText;
  /** What stands behind it as a comment; empty for none. */
  readonly comment: string;
  /** The op whose call it is; `undefined` for a statement that belongs to none. */
  readonly operation: Operation | undefined;
  /** Why the op cannot be said; the statement only makes tensors of its results' types. */
  readonly unsayable: string | undefined;
  /** Results of the op, with the variables that hold them. */
  readonly results: readonly ResultVariable[];
}

/** An argument of a function. */
export interface PythonArgument {
  readonly name: string;
  readonly type: TtnnTensorType;
  /** `input`, `parameter`, `constant`, `default`. */
  readonly role: string;
  /** Whether it is held among the weights, and no parameter of the Python function. */
  readonly isWeight: boolean;
}

/** A const-eval call: it runs once, before the function. */
export interface PreparedCall {
  /** Variables that hold what is made. */
  readonly results: readonly PythonText[];
  /** Python name of the const-eval function. */
  readonly callee: string;
  readonly operands: readonly PythonText[];
}

/** A function of the program. */
export interface PythonFunction {
  readonly view: FunctionView;
  readonly name: string;
  /** `tt.function_type`; `undefined` if the text does not say. */
  readonly kind: string | undefined;
  /** Whether another function of the program calls it: it is no entry. */
  readonly isCalled: boolean;
  readonly arguments: readonly PythonArgument[];
  /** Further parameters, for the constants in which functions that it stands for differ. */
  readonly parameters: readonly string[];
  readonly statements: readonly Statement[];
  readonly results: readonly PythonText[];
  /** In the order of the text. */
  readonly prepared: readonly PreparedCall[];
}

/** An op that cannot be said, and why. */
export interface UnsayableOp {
  readonly operation: Operation;
  readonly reason: string;
}
