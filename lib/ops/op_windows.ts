// SPDX-License-Identifier: Apache-2.0
import type { AttributeMap } from "../ir/attribute.ts";
import { definitionOf } from "./op_book.ts";
import {
  paddingValues,
  readPadding,
  readWindow,
  type SlidingWindow,
  type WindowForm,
  type WindowPadding,
} from "./sliding_window.ts";

/** An op by its name, dialect included, and its attributes. */
export interface WindowOp {
  readonly name: string;
  readonly attributes: AttributeMap;
}

/** The window of an op; `undefined` when it has none, a property is missing, or the window does not fit. */
export function windowOf({ name, attributes }: WindowOp): SlidingWindow | undefined {
  const form = definitionOf(name).window;
  return form === undefined ? undefined : readWindow(attributes, form);
}

/** The padding of an op's window, by side. @throws {RangeError} if the op has no window */
export function paddingOf({ name, attributes }: WindowOp): WindowPadding {
  return readPadding({ name, attributes }, formOf(name));
}

/** The attribute `padding` of an op as it lists it. @throws {RangeError} if the op has no window */
export function writtenPadding(name: string, padding: WindowPadding): readonly number[] {
  return paddingValues(padding, formOf(name));
}

/** Whether the result of the op's window grows with the stride. */
export function isTransposedWindow(name: string): boolean {
  return definitionOf(name).window?.transposed === true;
}

function formOf(name: string): WindowForm {
  const form = definitionOf(name).window;
  if (form === undefined) throw new RangeError(`${name} has no window`);
  return form;
}
