// SPDX-License-Identifier: Apache-2.0
import { assertEquals, assertThrows } from "@std/assert";
import {
  COLUMNS,
  gapOf,
  isBetter,
  parseSweep,
  sweepDocument,
  sweepLine,
  type SweepRow,
} from "./sweep_table.ts";

const PROVEN: SweepRow = {
  file: "models/ttir/a.mlir",
  chip: "n150",
  policy: "auto",
  ops: 30,
  status: "fits",
  predictedUs: 100,
  writtenUs: 100,
  boundUs: 100,
  certificate: "exact",
  elapsedMs: 12,
  why: "",
};

/** Figures of the only line of a family in the document, by column. */
function figures(rows: readonly SweepRow[], family: string): Readonly<Record<string, string>> {
  const [head = "", , ...lines] = sweepDocument(rows).split("\n");
  const cells = (line: string): string[] => line.split("|").slice(1, -1).map((cell) => cell.trim());
  const line = lines.find((candidate) => cells(candidate)[0] === family) ?? "";
  return Object.fromEntries(cells(head).map((name, index) => [name, cells(line)[index] ?? ""]));
}

Deno.test("parseSweep() reads what sweepLine() writes, and leaves out a line that was cut off", () => {
  const rows: SweepRow[] = [
    { ...PROVEN, predictedUs: 0.1 + 0.2, elapsedMs: 3 },
    { ...PROVEN, policy: "dram", writtenUs: NaN, boundUs: NaN, certificate: "none" },
    { ...PROVEN, status: "error", why: "a message\tof two\nlines" },
  ];
  const text = `${COLUMNS.join("\t")}\n${rows.map((row) => `${sweepLine(row)}\n`).join("")}`;
  assertEquals(parseSweep(text), rows.map((row) => ({ ...row, why: row.why.replaceAll(/\s/g, " ") })));
  assertEquals(parseSweep(text.slice(0, -5)).length, 2);
  assertThrows(() => parseSweep("models/a.mlir\tn150\n"), RangeError, "not a line of a sweep's table");
});

Deno.test("isBetter() prefers what fits, then what is known to fit, then what is quicker by more than rounding", () => {
  const slow = { ...PROVEN, predictedUs: 200 };
  const unchecked = { ...PROVEN, status: "unchecked", predictedUs: 50 } as const;
  const unfit = { ...PROVEN, status: "does_not_fit", predictedUs: 10 } as const;
  const order = [PROVEN, slow, unchecked, unfit];
  for (const [place, one] of order.entries()) {
    for (const [other, row] of order.entries()) assertEquals(isBetter(one, row), place < other);
  }
  assertEquals(isBetter({ ...PROVEN, predictedUs: 100 - 1e-10 }, PROVEN), false);
});

Deno.test("gapOf() is the share above the bound, and nothing without a bound", () => {
  assertEquals(gapOf({ ...PROVEN, predictedUs: 150 }), 0.5);
  assertEquals(gapOf({ ...PROVEN, predictedUs: 0, boundUs: 0 }), 0);
  assertEquals(gapOf({ ...PROVEN, certificate: "none", boundUs: NaN }), undefined);
});

Deno.test("sweepDocument() counts runs of auto by family and chip, and compares within one chip", () => {
  const bound = { ...PROVEN, certificate: "bound" };
  const rows: SweepRow[] = [
    PROVEN,
    { ...bound, file: "models/ttir/b.mlir", predictedUs: 104 },
    { ...bound, file: "models/ttir/b.mlir", policy: "dram", predictedUs: 103 },
    // Quicker, but on another chip.
    { ...bound, file: "models/ttir/b.mlir", policy: "dram", predictedUs: 1, chip: "p150" },
    { ...bound, file: "models/ttir/c.mlir", predictedUs: 106 },
    { ...bound, file: "models/ttir/c.mlir", policy: "dram", predictedUs: 106 },
    { ...PROVEN, file: "models/ttir/d.mlir", certificate: "none", boundUs: NaN, status: "unchecked" },
    { ...PROVEN, file: "models/ttir/e.mlir", predictedUs: 0, boundUs: 0 },
    { ...PROVEN, file: "models/ttir/f.mlir", status: "does_not_fit", predictedUs: 10 },
    { ...PROVEN, file: "models/ttir/g.mlir", status: "refused", predictedUs: 0 },
  ];
  const found = figures(rows, "models/ttir");
  assertEquals(found, {
    "files": "models/ttir",
    "chip": "n150",
    "runs": "7",
    "refused": "1",
    "take no time": "1",
    "proven optimal": "1",
    "within 1 %": "1",
    "within 5 %": "2",
    "above": "1",
    "no bound": "1",
    "unchecked": "1",
    "do not fit": "1",
    "another policy is better": "1 of 2",
  });
  assertEquals({ ...figures(rows, "all"), files: "models/ttir", chip: "n150" }, found);
});
