// SPDX-License-Identifier: Apache-2.0
import { assertEquals } from "@std/assert";
import { corpusFiles, corpusName, corpusTest } from "../testing/corpus.ts";
import { attributeMap, functionsOf, type FunctionView, parseModule, type Value } from "../lib/ir/mod.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import { isDeterministicOp } from "../lib/ops/effects.ts";
import { DEFAULT_PASS_OPTIONS, PASS_SELECTIONS } from "../lib/passes/pass_options.ts";
import { verifyModule } from "../lib/verify/verify_module.ts";
import { getDevice } from "../sim/devices/device_registry.ts";
import { prepareGraph } from "./load_module.ts";

/** Every how many models are looked at. */
const STRIDE = 7;

const device = getDevice("n150");

corpusTest(
  "TTIR models become sound graphs in which nothing on parameters alone is left and every tensor dies once",
  async (t) => {
    const files = [...corpusFiles("models/ttir"), ...corpusFiles("dumps/ttir")];
    for (const [index, file] of files.entries()) {
      if (index % STRIDE !== 0) continue;
      const selection = PASS_SELECTIONS[index % PASS_SELECTIONS.length] ?? "all";
      await t.step(`${corpusName(file)}, ${selection}`, () => {
        const input = parseModule(Deno.readTextFileSync(file), file);
        const { module } = prepareGraph(input, device, { ...DEFAULT_PASS_OPTIONS, selection });
        assertEquals(
          verifyModule(module).filter(({ severity }) => severity !== "remark").map(({ message }) => message),
          [],
        );
        const forward = functionsOf(module).filter((view) => {
          const kind = attributeMap(module, view.operation).get("tt.function_type");
          return kind?.kind === "string" && kind.value === "forward_device";
        });
        assertEquals(forward.flatMap(constantOps), []);
        assertEquals(forward.flatMap(wrongDeaths), []);
      });
    }
  },
);

Deno.test("convolutions that read one weight in the same way prepare it once, also where it comes with the input", () => {
  const image = "tensor<1x8x8x32xbf16>";
  const weight = "tensor<32x32x1x1xbf16>";
  const convolution = (result: string, input: string) =>
    `  ${result} = "ttir.conv2d"(${input}, %w) <{stride = 1 : i32, padding = 0 : i32, dilation = 1 : i32, ` +
    `groups = 1 : i32}> : (${image}, ${weight}) -> ${image}\n`;
  for (const role of ["input", "parameter"]) {
    const text = `func.func @main(%x: ${image}, %y: ${image}, ` +
      `%w: ${weight} {ttcore.argument_type = #ttcore.argument_type<${role}>}) -> (${image}, ${image}) {\n` +
      `${convolution("%0", "%x")}${convolution("%1", "%y")}  return %0, %1 : ${image}, ${image}\n}\n`;
    const { module } = prepareGraph(parseModule(text, "siamese.mlir"), device, DEFAULT_PASS_OPTIONS);
    const names = module.operations.map(({ name }) => name);
    assertEquals(names.filter((name) => name === "ttnn.prepare_conv2d_weights").length, 1, role);
    assertEquals(names.filter((name) => name === "ttnn.conv2d").length, 2, role);
  }
});

/** Ops that give the same in every inference. */
function constantOps(view: FunctionView): readonly string[] {
  const operations = view.blocks.flatMap((block) => block.operations);
  const written = new Set(operations.flatMap(({ name, operands }) => {
    const { inPlaceOperand } = definitionOf(name);
    return inPlaceOperand === undefined ? [] : operands[inPlaceOperand]?.value ?? [];
  }));
  const constants = new Set<Value | undefined>([
    ...view.arguments.filter(({ attributes }) => {
      const role = attributes.get("ttcore.argument_type");
      return role?.kind === "dialect" && /parameter|constant/.test(role.body);
    }).map(({ value }) => value).filter((value) => value !== undefined && !written.has(value)),
    ...operations.filter(({ name }) => name === "ttcore.load_cached" || name === "ttnn.get_device")
      .flatMap(({ results }) => results),
  ]);
  return operations.filter(({ name, operands, results }) =>
    name.startsWith("ttnn.") && name !== "ttnn.get_device" && results.length > 0 && isDeterministicOp(name) &&
    results.every((result) => !written.has(result)) && operands.every(({ value }) => constants.has(value))
  ).map(({ name }) => name);
}

/** Tensors that are not deallocated once behind their last reader, or are though they are returned. */
function wrongDeaths(view: FunctionView): readonly string[] {
  const operations = view.blocks.flatMap((block) => block.operations);
  const deaths = new Map<Value, number[]>();
  const lastReader = new Map<Value, number>();
  const returned = new Set<Value>();
  for (const [index, { name, operands }] of operations.entries()) {
    for (const { value } of operands) {
      if (value === undefined) continue;
      if (name === "ttnn.deallocate") deaths.set(value, [...deaths.get(value) ?? [], index]);
      else lastReader.set(value, index);
      if (name === "func.return") returned.add(value);
    }
  }
  const tensors = operations.filter(({ name }) => !/get_device|semaphore/.test(name))
    .flatMap(({ name, results }) => results.map((value) => ({ name, value })));
  return tensors.filter(({ value }) => {
    const at = deaths.get(value) ?? [];
    if (returned.has(value)) return at.length > 0;
    return at.length !== 1 || (at[0] ?? 0) < (lastReader.get(value) ?? 0);
  }).map(({ name }) => name);
}
