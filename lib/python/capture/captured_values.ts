// SPDX-License-Identifier: Apache-2.0
import type { AttributeTexts } from "../../dialect/printed_attributes.ts";
import type { TtnnFunction } from "../../ttnn/function.ts";
import type { TensorBuilder } from "../../ttnn/tensor_builder.ts";
import type { TensorValue, TtnnTensorType } from "../../ttnn/value.ts";
import { Unsayable } from "../python_text.ts";
import { idsIn, tensorIn } from "./captured_arguments.ts";
import { type CapturedTensor, capturedType } from "./captured_tensor.ts";

/** Attribute of tensors that device ops read from the host: weights, which are parameters of the program. */
const PARAMETER: AttributeTexts = new Map([
  ["ttcore.argument_type", "#ttcore.argument_type<parameter>"],
]);

/** The tensors of a capture, by their ids there, and the values of the program that stand for them. */
export class CapturedValues {
  readonly #func: TtnnFunction;
  readonly #builder: TensorBuilder;
  readonly #captured: Map<number, CapturedTensor>;
  readonly #values = new Map<number, TensorValue>();

  constructor(func: TtnnFunction, builder: TensorBuilder, captured: Map<number, CapturedTensor>) {
    this.#func = func;
    this.#builder = builder;
    this.#captured = captured;
  }

  get(id: number): TensorValue | undefined {
    return this.#values.get(id);
  }

  has(id: number): boolean {
    return this.#values.has(id);
  }

  set(id: number, value: TensorValue): void {
    this.#values.set(id, value);
  }

  /** The value of `other`, if it has one, also stands for `id`. */
  same(id: number, other: number): void {
    const value = this.#values.get(other);
    if (value !== undefined) this.#values.set(id, value);
  }

  /** The tensor as captured. */
  captured(id: number): CapturedTensor | undefined {
    return this.#captured.get(id);
  }

  /** A new id for a tensor like another one, for a value of its own. */
  anotherOf(id: number): number {
    const fresh = -2 - this.#captured.size;
    const tensor = this.#captured.get(id);
    if (tensor !== undefined) this.#captured.set(fresh, tensor);
    return fresh;
  }

  /** The type of a tensor; `undefined` if the capture does not contain it. */
  typeOf(id: number): TtnnTensorType | undefined {
    const captured = this.#captured.get(id);
    return captured === undefined ? undefined : capturedType(this.#builder.chip, captured);
  }

  /** The tensors that the text of an argument names: known ones, or new arguments of the program. */
  read(text: string): readonly TensorValue[] {
    return text.split(/(?=\bTensor\()/).flatMap((part) =>
      idsIn(part).map((id) => this.#values.get(id) ?? this.#argumentOf(id, part))
    );
  }

  #argumentOf(id: number, text: string): TensorValue {
    const { tensor, isOnHost } = tensorIn(text);
    const captured = this.#captured.get(id) ?? tensor;
    if (captured === undefined) throw new Unsayable("the capture does not say what its operand is");
    // Python prints a memory for tensors on the host as well.
    const value = isOnHost
      ? this.weight({ ...captured, memoryConfig: "" })
      : this.argument(capturedType(this.#builder.chip, captured));
    this.#values.set(id, value);
    return value;
  }

  /** A new argument of the program, which does not free it. */
  argument(type: TtnnTensorType, attributes?: AttributeTexts): TensorValue {
    const value = this.#func.addArgument(type, attributes);
    this.#func.kept.add(value);
    return value;
  }

  /** A new argument that stays the same from run to run. */
  weight(tensor: CapturedTensor): TensorValue {
    return this.argument(capturedType(this.#builder.chip, tensor), PARAMETER);
  }

  /** The caller freed a tensor, so that the program may free it too. */
  keepNoLonger(id: number): void {
    const value = this.#values.get(id);
    if (value !== undefined) this.#func.kept.delete(value);
  }
}
