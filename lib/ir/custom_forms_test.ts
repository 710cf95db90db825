// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { toolTest } from "../../testing/corpus.ts";
import {
  attributeMap,
  attributeText,
  type ModuleText,
  type Operation,
  parseModule,
  printGeneric,
} from "./mod.ts";

/** Every custom form that we rewrite, in the spellings that upstream prints and people write. */
const FORMS = `#host = #ttnn.host<1>
#device = #ttcore.device<workerGrid = #ttcore.grid<8x8>, chipIds = [0]>
ttcore.device_module attributes {a.b} {
  builtin.module @"inner module" attributes {} {
    ttcore.device @default_device = <workerGrid = #ttcore.grid<8x8, (d0, d1) -> (0, d0, d1)>, l1Map = (d0, d1)[s0] -> (d0, d1 + s0)>
    ttcore.device @other = #device {x.y}
    ttcore.global @lhs = tensor<2x2xf32> [0]
    ttcore.global @rhs = tensor<2x2xf32>
    func.func public @variants(
      %arg0: tensor<2x2xf32> {ttcore.argument_type = #ttcore.argument_type<input>} loc("a"),
      // a comment between arguments
      %arg1: tensor<2x2xf32>
    ) -> (tensor<2x2xf32> {r.s = "t"}, tensor<2x2xf32>)
      attributes {tt.function_type = "forward_device"} {
      %0 = ttir.empty() : tensor<2x2xf32> loc("empty")
      %1 = ttir.empty() {k = 1 : i32} : tensor<2x2xf32>
      %2 = ttir.to_layout %arg0, %0 : tensor<2x2xf32> into tensor<2x2xf32> hostInfo = #host {l} -> tensor<2x2xf32>
      ttir.to_layout %arg0, %1 : tensor<2x2xf32> into tensor<2x2xf32>
      %t = ttcore.tuple %2, %arg1 : tuple<tensor<2x2xf32>, tensor<2x2xf32>>
      %3 = ttcore.get_tuple_element %t[1] : (tuple<tensor<2x2xf32>, tensor<2x2xf32>>) -> tensor<2x2xf32>
      %4 = ttcore.get_global @lhs : tensor<2x2xf32>
      %5:2 = ttcore.load_cached(@cached, [%3, %4]) : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
      %6 = ttcore.load_cached(@constant, []) {once} : () -> tensor<2x2xf32>
      %7 = ttnn.d2m_subgraph @graph
          ins(%5#0, %6 : tensor<2x2xf32>, tensor<2x2xf32>)
          outs(%5#1 : tensor<2x2xf32>) : tensor<2x2xf32>
      %8 = ttnn.tt_lang_op(%7) {kernel = "k"} : (tensor<2x2xf32>) -> (tensor<2x2xf32>)
      func.call @nothing() : () -> ()
      %d = "x.dict"() : () -> !ttcore.dict
      ttcore.set_key_value %d["multi"] = %8, %3 : !ttcore.dict, tensor<2x2xf32>, tensor<2x2xf32>
      %9, %10 = ttcore.get_key_value %d[3 : index] : (!ttcore.dict) -> (tensor<2x2xf32>, tensor<2x2xf32>)
      %11 = ttir.ttnn_metal_layout_cast %9 {map = affine_map<(d0) -> (d0)>} : tensor<2x2xf32> -> memref<2x2xf32>
      return %8, %arg1 : tensor<2x2xf32>, tensor<2x2xf32>
    }
    func.func private @cached(tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
    func.func private @constant() -> tensor<2x2xf32>
    func.func private @graph(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    func.func @nothing() { return }
  }
}
`;

function only(module: ModuleText, name: string): Operation[] {
  return module.operations.filter((operation) => operation.name === name);
}

Deno.test("custom forms tell operands, types, attributes and symbols", () => {
  const module = parseModule(FORMS, "forms.mlir");
  const seen = module.operations.map((operation) => {
    const attributes = [...attributeMap(module, operation)].map(([key, value]) =>
      `${key}=${attributeText(value)}`
    );
    const uses = operation.operands.map((operand) => operand.value?.name ?? "?");
    return `${operation.results.map((result) => result.name).join(",")}=${operation.name}(${
      uses.join(",")
    }) ${attributes.join(" ")}`;
  });
  assertEquals(seen, [
    "=ttcore.device_module() a.b=unit",
    '=builtin.module() sym_name="inner module"',
    '=ttcore.device() sym_name="default_device" device_attr=#ttcore.device<workerGrid = #ttcore.grid<8x8, (d0, d1) -> ' +
    "(0, d0, d1)>, l1Map = (d0, d1)[s0] -> (d0, d1 + s0)>",
    '=ttcore.device() sym_name="other" device_attr=#device x.y=unit',
    '=ttcore.global() sym_name="lhs" type=tensor<2x2xf32> index=0 : si32',
    '=ttcore.global() sym_name="rhs" type=tensor<2x2xf32>',
    '=func.func() sym_visibility="public" sym_name="variants" tt.function_type="forward_device"',
    "%0=ttir.empty() ",
    "%1=ttir.empty() k=1 : i32",
    "%2=ttir.to_layout(%arg0,%0) layout=#host l=unit",
    "=ttir.to_layout(%arg0,%1) ",
    "%t=ttcore.tuple(%2,%arg1) ",
    "%3=ttcore.get_tuple_element(%t) index=1 : i32",
    '%4=ttcore.get_global() sym_name="lhs"',
    "%5#0,%5#1=ttcore.load_cached(%3,%4) callee=@cached",
    "%6=ttcore.load_cached() callee=@constant once=unit",
    "%7=ttnn.d2m_subgraph(%5#0,%6,%5#1) d2m_func=@graph operandSegmentSizes=array<i32: 2, 1>",
    '%8=ttnn.tt_lang_op(%7) kernel="k"',
    "=func.call() callee=@nothing",
    "%d=x.dict() ",
    '=ttcore.set_key_value(%d,%8,%3) key="multi"',
    "%9,%10=ttcore.get_key_value(%d) key=3 : index",
    "%11=ttir.ttnn_metal_layout_cast(%9) map=affine_map<(d0) -> (d0)>",
    "=func.return(%8,%arg1) ",
    '=func.func() sym_visibility="private" sym_name="cached"',
    '=func.func() sym_visibility="private" sym_name="constant"',
    '=func.func() sym_visibility="private" sym_name="graph"',
    '=func.func() sym_name="nothing"',
    "=func.return() ",
  ]);
  assert(module.operations.every(({ name, form }) => form === (name === "x.dict" ? "generic" : "custom")));
});

Deno.test("printGeneric() leaves no custom form behind, and parses back to the same ops", () => {
  const module = parseModule(FORMS, "forms.mlir");
  const generic = parseModule(printGeneric(module), "generic.mlir");
  assertEquals(
    generic.operations.map(({ name, form }) => [name, form]),
    module.operations.map(({ name }) => [name, "generic"]),
  );
  assertEquals(
    generic.operations.map((operation) => operation.operands.map((operand) => operand.value?.name)),
    module.operations.map((operation) => operation.operands.map((operand) => operand.value?.name)),
  );
  assertEquals(printGeneric(generic), generic.text, "idempotent");
});

toolTest("mlir-opt-22", "printGeneric() of every custom form is accepted by mlir-opt", async (tool) => {
  const child = new Deno.Command(tool, {
    args: ["--allow-unregistered-dialect"],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(printGeneric(parseModule(FORMS, "forms.mlir"))));
  await writer.close();
  const { success, stderr } = await child.output();
  assert(success, new TextDecoder().decode(stderr));
});

Deno.test("opaque forms of other dialects are carried with their regions and uses", () => {
  const module = parseModule(
    `module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @f(%arg0: tensor<4xf32>, %i: index) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %c0 = arith.constant 0 : index
    %r = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %w:2 = stablehlo.while(%iter = %c0, %acc = %r) : index, tensor<f32>
      cond {
        %p = arith.cmpi slt, %iter, %i : index
        stablehlo.return %p : i1
      } do {
        stablehlo.return %iter, %acc : index, tensor<f32>
      }
    %s = scf.for %k = %c0 to %i step %i iter_args(%sum = %r) -> (tensor<f32>) {
      scf.yield %sum : tensor<f32>
    }
    %if = scf.if %p0 -> (index) { scf.yield %i : index } else { scf.yield %c0 : index }
    %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%arg0 : tensor<4xf32>) where affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)> outs(%arg0 : tensor<4xf32>) attrs = {x.y} {
    ^bb0(%in: f32, %out: f32):
      %m = arith.mulf %in, %out {fastmath = #arith.fastmath<none>} : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    cf.switch %i : index, [
      default: ^bb1(%g : tensor<4xf32>)
    ]
  ^bb1(%z: tensor<4xf32>):  // pred: ^bb0
    "x.use"(%z, %s, %w#1, %if) : (tensor<4xf32>, tensor<f32>, tensor<f32>, index) -> ()
    return %g : tensor<4xf32>
  }
  llvm.func @puts(!llvm.ptr, ...) -> i32 attributes {passthrough = ["nounwind"]}
  llvm.mlir.global internal constant @str("a{b\\00") {addr_space = 0 : i32} : !llvm.array<4 x i8>
  llvm.func @g(%arg0: !llvm.ptr {llvm.noalias}, %arg1: i64) -> i64 {
    %0 = llvm.getelementptr inbounds|nuw %arg0[%arg1, 1] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.cond_br %arg1, ^bb1(%arg1 : i64), ^bb2
  ^bb1(%1: i64 loc("x")):  // 2 preds: ^bb0, ^bb1
    llvm.return %1 : i64
  ^bb2:
    llvm.unreachable
  }
}`.replace("scf.if %p0", "scf.if %i"),
    "opaque.mlir",
  );
  assertEquals(only(module, "stablehlo.return").length, 2);
  assertEquals(only(module, "scf.yield").length, 3);
  const [use] = only(module, "x.use");
  assertEquals(use?.operands.map((operand) => operand.value?.name), ["%z", "%s", "%w#1", "%if"]);
  assertEquals(use?.block?.label, "^bb1");
  const [generic] = only(module, "linalg.generic");
  assertEquals(generic?.regions[0]?.blocks[0]?.arguments.map(({ value }) => value.name), ["%in", "%out"]);
  assertEquals(generic?.operands.map((operand) => operand.value?.name), ["%arg0", "%arg0"]);
  const [gep] = only(module, "llvm.getelementptr");
  assertEquals(gep?.operands.map((operand) => operand.value?.name), ["%arg0", "%arg1"]);
  assertEquals(only(module, "llvm.func").map((fn) => fn.regions.length), [0, 1]);
  assertEquals(only(module, "llvm.mlir.global").length, 1);
});

Deno.test("an opaque region that does not parse as operations is carried by its brackets", () => {
  const text = `module {
  emitc.weird @k(%a: i32) {
    case 4 [%a] -> { "not an op" } { x = "}" }
  }
  "x.after"() : () -> ()
}`;
  const module = parseModule(text, "weird.mlir");
  assertEquals(module.operations.map((operation) => operation.name), [
    "builtin.module",
    "emitc.weird",
    "x.after",
  ]);
  assertEquals(module.text, text);
});
