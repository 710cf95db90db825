// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../../testing/corpus.ts";
import { DiagnosticError } from "../diagnostics/diagnostic.ts";
import { parseModule } from "../ir/module_parser.ts";
import type { ModuleText } from "../ir/module_text.ts";
import { definitionOf, isKnownOp, isUncoveredOp, knownOps, OP_DEFINITIONS } from "./op_book.ts";

/** Every module of the corpus that parses. */
function* corpusModules(): Generator<{ readonly name: string; readonly module: ModuleText }> {
  for (const path of corpusFiles()) {
    const name = corpusName(path);
    try {
      yield { name, module: parseModule(Deno.readTextFileSync(path), name) };
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
}

Deno.test("OP_DEFINITIONS defines every op once", () => {
  const names = OP_DEFINITIONS.map(({ name }) => name);
  assertEquals(names.length, new Set(names).size);
});

Deno.test("OP_DEFINITIONS keeps what an op is consistent", () => {
  for (const op of OP_DEFINITIONS) {
    const elementwise = op.costClass.startsWith("eltwise") || op.costClass === "typecast";
    assertEquals(op.vectorFunction !== undefined, elementwise, `${op.name}: vector function`);
    assert(op.minOperands <= op.maxOperands, op.name);
    assert(op.inPlaceOperand === undefined || op.inPlaceOperand < op.maxOperands, op.name);
    if (op.family === "opaque" || op.family === "fixed") assert(!op.movable && op.acceptsHost, op.name);
    else assert(op.movable, op.name);
  }
});

Deno.test("definitionOf() makes an opaque definition of a name that no list has", () => {
  const unknown = definitionOf("ttnn.nobody_knows");
  assertEquals([unknown.name, unknown.family, unknown.costClass], ["ttnn.nobody_knows", "opaque", "opaque"]);
  assertEquals([unknown.movable, unknown.inferShape, unknown.results], [false, undefined, undefined]);
  assert(!isKnownOp("ttnn.nobody_knows") && !isKnownOp("ttnn.generic") && isKnownOp("ttnn.relu"));
  assertEquals(["ttnn.b", "ttnn.relu", "func.func"].map(isUncoveredOp), [true, false, false]);
  assert(knownOps().every(({ family }) => family !== "opaque"));
});

corpusTest("OP_DEFINITIONS has every ttnn op of the corpus, defined or opaque by name", () => {
  const defined = new Set(OP_DEFINITIONS.map(({ name }) => name));
  const missing = new Set<string>();
  for (const { module } of corpusModules()) {
    for (const { name } of module.operations) {
      if (name.startsWith("ttnn.") && !defined.has(name)) missing.add(name);
    }
  }
  assertEquals([...missing], []);
});
