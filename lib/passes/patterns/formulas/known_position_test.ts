// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { TEST_WORMHOLE } from "../../../../testing/chips.ts";
import { parseModule } from "../../../ir/mod.ts";
import { lowerModule } from "../../../lowering/mod.ts";
import { keepsMeaning } from "../../testing/keeps_meaning.ts";
import { foldKnownPosition, foldKnownSelection, foldNumbers } from "./canonical_formulas.ts";

const [ROWS, COLUMNS] = [5, 4];

/** What lowering makes of `x[place : place + length, column :]` as JAX writes it, a negative place counted from the end. */
function sliced(place: string, length: number, column: number): string {
  const [scalar, one, two] = ["tensor<i32>", "tensor<1xi32>", "tensor<2xi32>"];
  const width = COLUMNS - column;
  const [x, result] = [`tensor<${ROWS}x${COLUMNS}xbf16>`, `tensor<${length}x${width}xbf16>`];
  const number = (name: string, value: number) =>
    `${name} = "ttir.constant"() <{value = dense<${value}> : ${scalar}}> : () -> ${scalar}`;
  const clamped = (name: string, from: string, max: number) => [
    `${name}r = "ttir.reshape"(${from}) <{shape = [1 : i32]}> : (${scalar}) -> ${one}`,
    `${name} = "ttir.clamp_scalar"(${name}r) <{max = ${max} : i32, min = 0 : i32}> : (${one}) -> ${one}`,
  ];
  const lines = [
    ...place === "%i"
      ? ['%p = "ttir.abs"(%i) : (tensor<i32>) -> tensor<i32>']
      : [number("%p", Number(place))],
    number("%zero", 0),
    number("%rows", ROWS),
    number("%column", column),
    `%less = "ttir.lt"(%p, %zero) : (${scalar}, ${scalar}) -> tensor<i1>`,
    `%sum = "ttir.add"(%p, %rows) : (${scalar}, ${scalar}) -> ${scalar}`,
    `%q = "ttir.where"(%less, %sum, %p) : (tensor<i1>, ${scalar}, ${scalar}) -> ${scalar}`,
    ...clamped("%a", "%q", ROWS - length),
    ...clamped("%b", "%column", column),
    `%begins = "ttir.concat"(%a, %b) <{dim = 0 : si32}> : (${one}, ${one}) -> ${two}`,
    `%sizes = "ttir.constant"() <{value = dense<[${length}, ${width}]> : ${two}}> : () -> ${two}`,
    `%ends = "ttir.add"(%begins, %sizes) : (${two}, ${two}) -> ${two}`,
    `%s = "ttir.slice_dynamic"(%x, %begins, %ends) : (${x}, ${two}, ${two}) -> ${result}`,
    `return %s : ${result}`,
  ];
  const text = `func.func @main(%x: ${x}, %i: ${scalar}) -> ${result} {\n${lines.join("\n")}\n}\n`;
  return lowerModule(parseModule(text, "sliced.mlir"), TEST_WORMHOLE);
}

const PATTERNS = [foldNumbers, foldKnownSelection, foldKnownPosition];
const lengths = fc.integer({ min: 1, max: ROWS });
const columns = fc.integer({ min: 0, max: COLUMNS - 1 });

keepsMeaning(
  "a slice at a constant index of JAX, from either end, is static",
  PATTERNS,
  fc.tuple(fc.integer({ min: -ROWS, max: ROWS }), lengths, columns).map(([place, length, column]) => ({
    text: sliced(`${place}`, length, column),
    ops: ["slice_static", "!slice_dynamic"],
  })),
);

keepsMeaning(
  "a slice at an index that arrives stays dynamic",
  PATTERNS,
  fc.tuple(lengths, columns).map(([length, column]) => ({
    text: sliced("%i", length, column),
    ops: ["slice_dynamic", "!slice_static"],
    limit: ROWS,
  })),
  10,
);
