// SPDX-License-Identifier: Apache-2.0

// The small part of `jsr:@cliffy/table` that Tilewright uses, behaving like the original: same options, same defaults,
// same text. Not here: borders, row spans, flexible widths, `Row` and `Column` objects, `fromJson`.

export { Cell, type CellType, type CellValue, type Direction } from "./cell.ts";
export { type ColumnOptions, type RowType, Table } from "./table.ts";
