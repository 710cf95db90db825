// SPDX-License-Identifier: Apache-2.0
import { assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { erf as reference, UNARY } from "../../../../testing/interpreter/elementwise.ts";
import { ACTIVATION_FUNCTIONS, erf } from "../../../ops/scalar_functions.ts";
import { keepsMeaning, type PassCase } from "../../testing/keeps_meaning.ts";
import { passedBody, ttnnModule } from "../../testing/passed_body.ts";
import { fuseFunction } from "./fuse_function.ts";

/** Writes a formula of `%x` op by op. */
class Formula {
  readonly lines: string[] = [];
  readonly type: string;
  readonly #wide: string;

  constructor(element: string, wide: string) {
    this.type = `T<2x3x4, ${element}>`;
    this.#wide = `T<2x3x4, ${wide}>`;
  }

  op(name: string, ...operands: readonly (string | number)[]): string {
    const names = operands.map((operand) => typeof operand === "string" ? operand : this.#number(operand));
    const types = operands.map((operand) => typeof operand === "string" ? this.#wide : "T<1x1x1, f32>");
    return this.#line(`"ttnn.${name}"(${names.join(", ")}) : (${types.join(", ")}) -> ${this.#wide}`);
  }

  cast(value: string, direction: "wider" | "back"): string {
    if (this.type === this.#wide) return value;
    const types = direction === "wider" ? [this.type, this.#wide] : [this.#wide, this.type];
    return this.#line(`"ttnn.typecast"(${value}) : (${types[0]}) -> ${types[1]}`);
  }

  #number(value: number): string {
    const text = value.toExponential(17);
    return this.#line(
      `"ttnn.full"() <{fill_value = ${text} : f32, shape = #ttnn.shape<1x1x1>}> : () -> T<1x1x1, f32>`,
    );
  }

  #line(text: string): string {
    this.lines.push(`%v${this.lines.length} = ${text}`);
    return `%v${this.lines.length - 1}`;
  }
}

/** Abramowitz and Stegun 7.1.26: the error function to 1.5e-7. */
const COEFFICIENTS = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429];

/** `erf(z)` without an op for it. */
function errorFunction(f: Formula, z: string, coefficients: readonly number[]): string {
  const size = f.op("abs", z);
  const t = f.op("reciprocal", f.op("add", f.op("multiply", size, 0.3275911), 1));
  const polynomial = coefficients.toReversed().reduce<string | undefined>(
    (sum, coefficient) =>
      f.op("multiply", t, sum === undefined ? coefficient : f.op("add", coefficient, sum)),
    undefined,
  ) ?? t;
  const tail = f.op("multiply", polynomial, f.op("exp", f.op("neg", f.op("multiply", z, z))));
  const right = f.op("subtract", 1, tail);
  return f.op("where", f.op("lt", z, 0), f.op("neg", right), right);
}

interface Spelling {
  readonly element: string;
  readonly wide: string;
  readonly of: string;
  /** What the last coefficient, or another number of the formula, is off by. */
  readonly error?: number;
}

const SPELLINGS: Readonly<Record<string, (f: Formula, x: string, error: number) => string>> = {
  gelu: (f, x, error) => {
    const coefficients = COEFFICIENTS.with(-1, (COEFFICIENTS.at(-1) ?? 0) * (1 + error));
    const gate = f.op("add", errorFunction(f, f.op("multiply", x, Math.SQRT1_2), coefficients), 1);
    return f.op("multiply", f.op("multiply", 0.5, x), gate);
  },
  sigmoid: (f, x, error) =>
    f.op("add", f.op("multiply", f.op("tanh", f.op("multiply", x, 0.5)), 0.5 + error), 0.5 + error),
  silu: (f, x, error) => f.op("multiply", x, f.op("sigmoid", f.op("multiply", x, 1 + error))),
  // As JAX writes softplus: max(x, 0) + log1p(exp(-|x|)).
  mish: (f, x, error) => {
    const rest = f.op("log1p", f.op("exp", f.op("neg", f.op("abs", x))));
    return f.op("multiply", x, f.op("tanh", f.op("add", f.op("maximum", x, error), rest)));
  },
  hardswish: (f, x, error) =>
    f.op("divide", f.op("multiply", x, f.op("minimum", f.op("relu", f.op("add", x, 3 + error)), 6)), 6),
  tanh: (f, x, error) => {
    const power = f.op("expm1", f.op("multiply", f.op("minimum", x, 40), 2 + error));
    return f.op("divide", power, f.op("add", power, 2));
  },
};

function spelled({ element, wide, of, error = 0 }: Spelling): string {
  const f = new Formula(element, wide);
  const value = SPELLINGS[of]?.(f, f.cast("%x", "wider"), error) ?? "%x";
  const result = f.cast(value, "back");
  return ttnnModule(`(%x: ${f.type}) -> ${f.type}`, [...f.lines, `return ${result} : ${f.type}`]);
}

const spellings = fc.record({
  types: fc.constantFrom(["bf16", "bf16"], ["bf16", "f32"], ["f32", "f32"]),
  of: fc.constantFrom(...Object.keys(SPELLINGS)),
});

keepsMeaning(
  "activations by their numbers",
  [fuseFunction],
  spellings
    // 7.1.26 is one rounding of bf16 off at most, which the interpreter does not round to.
    .filter(({ of }) => of !== "gelu")
    .map(({ types: [element = "", wide = ""], of }): PassCase => ({
      text: spelled({ element, wide, of }),
      ops: [of, "!typecast", "!where", "!add", "!multiply"],
    })),
);

function becomes(given: Omit<Spelling, "wide"> & Partial<Spelling>): readonly string[] {
  const lines = passedBody(spelled({ wide: given.element, ...given }), fuseFunction);
  const names = lines.flatMap((line) => /ttnn\.(\w+)/.exec(line)?.[1] ?? []).filter((name) =>
    name !== "full"
  );
  return names.slice(0, 2);
}

Deno.test("formulas that are off by more than a rounding stay", () => {
  for (const of of Object.keys(SPELLINGS)) {
    assertEquals(becomes({ element: "bf16", of }), [of], of);
    assertEquals(becomes({ element: "bf16", of, error: 0.05 }).length, 2, of);
  }
  assertEquals(
    becomes({ element: "f32", of: "gelu" }).length,
    2,
    "an approximation to 1e-7 of one is none of gelu",
  );
  assertEquals(becomes({ element: "f32", of: "silu", error: 1e-4 }).length, 2);
  assertEquals(becomes({ element: "bf16", of: "silu", error: 1e-4 }), ["silu"]);
});

Deno.test("a formula of two tensors, and one that is cut off far out, stay", () => {
  const t = "T<2x3x4, f32>";
  const gate = (operand: string): string =>
    ttnnModule(`(%x: ${t}, %y: ${t}) -> ${t}`, [
      `%s = "ttnn.sigmoid"(%x) : (${t}) -> ${t}`,
      `%m = "ttnn.multiply"(${operand}, %s) : (${t}, ${t}) -> ${t}`,
      `return %m : ${t}`,
    ]);
  assertEquals(passedBody(gate("%x"), fuseFunction).length, 2);
  assertEquals(passedBody(gate("%y"), fuseFunction).length, 3);
  const cut = (limit: string): string =>
    ttnnModule(`(%x: ${t}) -> ${t}`, [
      `%c = "ttnn.full"() <{fill_value = ${limit} : f32, shape = #ttnn.shape<1x1x1>}> : () -> T<1x1x1, f32>`,
      `%r = "ttnn.relu"(%x) : (${t}) -> ${t}`,
      `%m = "ttnn.minimum"(%r, %c) : (${t}, T<1x1x1, f32>) -> ${t}`,
      `return %m : ${t}`,
    ]);
  assertEquals(passedBody(cut("1.0e+06"), fuseFunction).length, 4);
  assertEquals(passedBody(cut("6.0"), fuseFunction).length, 2, "relu6");
});

Deno.test("scalar functions are those of the interpreter", () => {
  for (const [name, activation] of ACTIVATION_FUNCTIONS) {
    const wanted = name === "ttnn.gelu"
      ? (x: number): number => 0.5 * x * (1 + reference(x / Math.SQRT2))
      : UNARY[name.slice("ttnn.".length)];
    for (let x = -9; x <= 9; x += 0.37) {
      assertAlmostEquals(activation(x), wanted?.(x) ?? NaN, 1e-12, `${name} ${x}`);
    }
  }
  assertEquals([erf(0), erf(7), erf(-7)], [0, 1, -1]);
});
