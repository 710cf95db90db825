// SPDX-License-Identifier: Apache-2.0

// The part of `jsr:@cliffy/table` that help prints, behaving like the original: same options, same defaults, same text.

export { Cell, type CellType, type CellValue, type ColumnOptions, type RowType, Table } from "./table.ts";
