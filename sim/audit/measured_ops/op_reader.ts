// SPDX-License-Identifier: Apache-2.0
import type { OpQuestion } from "../op_question.ts";
import type { MeasuredChip } from "./measured_chip.ts";
import type { MeasuredOp } from "./measured_op.ts";

/** The ops of a row, whose times are added; or why it is excluded. */
export type Asked = readonly OpQuestion[] | string;

/** Turns the rows of one family into questions. */
export type OpReader = (row: MeasuredOp, chip: MeasuredChip) => Asked;
