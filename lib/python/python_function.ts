// SPDX-License-Identifier: Apache-2.0
import type { FunctionView, Operation } from "../ir/mod.ts";
import type { TtnnTensorType } from "../ttnn/value.ts";
import type { TensorOperand } from "./call_site.ts";
import type { PythonText } from "./python_text.ts";

/** A result of an op: the variable that holds it. */
export interface ResultVariable extends TensorOperand {
  /** Expression that makes a tensor of its type; `None` if impossible or not requested. */
  readonly standIn: PythonText;
}

/** One statement of a function. */
export interface Statement {
  /** Without indentation, comment and line end. */
  readonly text: PythonText;
  /** Comment at the end of its line; empty for none. */
  readonly comment: string;
  /** The op that it calls; `undefined` for a statement without op. */
  readonly operation: Operation | undefined;
  /** Why the op has no Python call; `text` then assigns stand-ins. */
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
  /** Whether it is a field of `weights` instead of a parameter. */
  readonly isWeight: boolean;
}

/** A const-eval call: it runs once, before the function. */
export interface PreparedCall {
  /** Variables of its results. */
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
  /** Whether it is const-eval or called by a function: no entry. */
  readonly isCalled: boolean;
  readonly arguments: readonly PythonArgument[];
  /** Further parameters: differing constants of the functions it replaces. */
  readonly parameters: readonly string[];
  readonly statements: readonly Statement[];
  readonly results: readonly PythonText[];
  /** In program order. */
  readonly prepared: readonly PreparedCall[];
}

/** An op without Python call, and why. */
export interface UnsayableOp {
  readonly operation: Operation;
  readonly reason: string;
}
