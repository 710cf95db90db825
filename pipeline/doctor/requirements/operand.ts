// SPDX-License-Identifier: Apache-2.0
import { type CppExpression, type CppStep, spelled } from "./cpp_expression.ts";
import type { AskedConstant, AskedOperand, Aspect, Term } from "./requirement.ts";

/** Names of aspects in C++ source, methods or parts of variables: `out_dtype`, `input_shape`. */
const ASPECTS: readonly (readonly [aspect: Aspect, name: RegExp])[] = [
  ["dtype", /^(?:get_)?(?:dtype|data_type|data_format|df)$/],
  ["memory_layout", /^(?:get_)?(?:memory|mem|tensor_memory)_layout$/],
  ["layout", /^(?:get_)?(?:page_)?layout$/],
  ["buffer_type", /^(?:get_)?buffer_type$|^is_(?:dram|l1)$/],
  ["memory_config", /^(?:get_)?(?:memory|mem)_config(?:uration)?$/],
  ["shard_spec", /^(?:get_)?(?:nd_)?shard_spec$|^spec$/],
  ["shard_shape", /^(?:nd_)?shard_shape$/],
  ["shard_grid", /^(?:shard_)?(?:grid|cores)$/],
  ["orientation", /^(?:shard_)?orientation$/],
  ["storage", /^storage(?:_type)?$/],
  ["device", /^(?:mesh_)?device$/],
  ["buffer", /^(?:mesh_)?buffer$|^is_allocated$/],
  ["shape", /^(?:get_)?(?:(?:logical|padded|legacy)_)?shape(?:_(?:(?:un)?padded|without_padding|aligned))?$/],
  ["rank", /^rank$/],
  ["volume", /^(?:(?:logical|physical)_)?volume$|^numel$/],
  ["tile", /^tile(?:_shape|_spec)?$|^get_tile_shape$/],
  ["page_size", /^(?:aligned_)?page_size(?:_bytes)?$/],
];

/** Steps of a path that only hold or unpack an argument. */
const HOLDERS = /^(?:value|get|at|front|begin|this|value_or|tensors?_args|tensors|tensor_spec|reference)$/;

/** Steps of a path that hold arguments of the call, or fields of its config. */
const ARGUMENTS =
  /^(?:(?:operation_|op_)?(?:attributes|attrs?|args?|params)|opts|cfg|(?!mem(?:ory)?_|output_mem)\w*config)$/;

const NAMED_VALUES: Readonly<Record<string, number>> = {
  TILE_WIDTH: 32,
  TILE_HEIGHT: 32,
  TILE_SIZE: 32,
  TILE_HW: 1024,
  tile_width: 32,
  tile_height: 32,
};

/** Ends of variables whose aspect their first part does not have: `num_cores` are no cores. */
const COUNTS =
  /^(?:num|n|number_of|total|max|min|valid|is|has|same|use|all|both|supported)_|^(?:num|n)?cores$/;

/** The term that an expression is. */
export function termOf(expression: CppExpression): Term {
  if (expression.kind === "number") {
    return { kind: "constant", name: String(expression.value), value: expression.value };
  }
  if (expression.kind === "text") return { kind: "constant", name: `"${expression.value}"` };
  const [call, further] = expression.kind === "path" ? expression.steps : [];
  if (call?.called !== undefined && call.called.length > 1 && further === undefined) {
    return { kind: "computed", text: spelled(expression), parts: call.called.map(termOf) };
  }
  if (expression.kind === "path") return constantOf(expression.steps) ?? operandOf(expression.steps);
  if (expression.kind === "not") {
    return { kind: "computed", text: spelled(expression), parts: [termOf(expression.of)] };
  }
  const parts = [termOf(expression.left), termOf(expression.right)];
  const product = expression.operator === "*"
    ? parts.reduce((all, part) => all * (valueOf(part) ?? NaN), 1)
    : NaN;
  return Number.isNaN(product)
    ? { kind: "computed", text: spelled(expression), operator: expression.operator, parts }
    : { kind: "constant", name: String(product), value: product };
}

function valueOf(term: Term): number | undefined {
  return term.kind === "constant" ? term.value : undefined;
}

/** A path that is a value of the source's: an enumerator, a named constant. */
function constantOf(steps: readonly CppStep[]): AskedConstant | undefined {
  const [only, second] = steps;
  if (only === undefined || second !== undefined || only.called !== undefined) return undefined;
  const name = only.name.replace(/^.*::/, "");
  const value = NAMED_VALUES[name];
  if (value !== undefined) return { kind: "constant", name, value };
  if (["true", "false", "nullptr", "nullopt"].includes(name)) return { kind: "constant", name };
  // Host tensors were owned, borrowed or in parts.
  const today = /^(TILE|ROW_MAJOR)_LAYOUT$/.exec(name)?.[1] ??
    (/\bStorageType::(?:OWNED|BORROWED|MULTI_DEVICE_HOST)$/.test(only.name) ? "HOST" : undefined);
  if (today !== undefined) return { kind: "constant", name: today };
  const isEnumerator = /::[A-Za-z]\w*$/.test(only.name) && /(?:^|::)[A-Z]\w*::\w+$/.test(only.name);
  return isEnumerator || /^k[A-Z]\w+$/.test(name) ? { kind: "constant", name } : undefined;
}

/** The aspect that a variable is named for, with the rest of its name: `out_dtype` is the dtype of `out`. */
function namedAspect(
  name: string,
): { readonly aspect: Aspect; readonly rest: string; readonly dim?: number } | undefined {
  if (COUNTS.test(name) || /shard_layout$/.test(name)) return undefined;
  const parts = name.split("_");
  for (let from = 0; from < parts.length; from++) {
    const end = parts.slice(from).join("_");
    const found = ASPECTS.find(([, pattern]) => pattern.test(end));
    // `q_shape` is one, `device_grid` are cores of no shard.
    if (found !== undefined && !["shard_grid", "device", "buffer"].includes(found[0])) {
      return {
        aspect: found[0],
        rest: parts.slice(0, from).filter((part) => !/^(?:logical|padded)$/.test(part)).join("_"),
      };
    }
  }
  const [, rest = "", end] = /^([a-z]\w*?)_?(shape|rank)$/.exec(name) ?? [];
  if (end === "shape" || end === "rank") return { aspect: end, rest };
  const [, of = "", side] = /^(?:(\w+)_)?shard_(width|height|w|h)$/.exec(name) ?? [];
  return side === undefined
    ? undefined
    : { aspect: "shard_side", rest: of, dim: side.startsWith("h") ? 0 : 1 };
}

/** Tensor of an argument without a tensor's name: `args.memory_config` is the result's. */
export const RESULT = "output";

/** Reads a path from its root on: names of tensors and arguments, then what is looked at of them. */
function operandOf(steps: readonly CppStep[]): AskedOperand {
  let operand: AskedOperand = { kind: "operand", name: "", aspect: "value" };
  for (const { name: whole, called, index } of steps) {
    const name = whole.replace(/^.*::/, "").replace(/(?<=\w\w)_(?:val|ptr|opt|ref)?$/, "");
    const at = index ?? (name === "back" && called !== undefined ? LAST : undefined);
    if (at !== undefined) {
      operand = indexed(operand, at);
      continue;
    }
    // An optional tensor of the call is one of its arguments.
    if (/^tensors?_args$/.test(name)) operand = { ...operand, isArgument: true };
    if (HOLDERS.test(name) && (called !== undefined || operand.name === "" || name === "tensor_spec")) {
      continue;
    }
    operand = member(operand, name, called);
  }
  return operand;
}

/** What `dims.back()` reads. */
const LAST: CppExpression = { kind: "number", value: -1 };

function indexed(operand: AskedOperand, index: CppExpression): AskedOperand {
  const dim = index.kind === "number" ? index.value : undefined;
  const at = dim === undefined ? {} : { dim };
  if (operand.aspect === "shape") return { ...operand, aspect: "extent", ...at };
  if (operand.aspect === "shard_shape") return { ...operand, aspect: "shard_side", ...at };
  const of = /^(\w+?)_(?:logical|padded|unpadded)$/.exec(operand.name)?.[1];
  if (operand.aspect === "value" && of !== undefined) {
    return { ...operand, name: of, aspect: "extent", ...at };
  }
  return operand.aspect === "tile" || dim === undefined
    ? operand
    : { ...operand, name: `${operand.name}[${dim}]` };
}

/** Marks a shape that counts its padding. */
function paddedOwner(aspect: Aspect, name: string): Pick<AskedOperand, "owner"> {
  return aspect === "shape" && /padded|legacy/.test(name) ? { owner: "padded" } : {};
}

function member(
  operand: AskedOperand,
  name: string,
  called: readonly CppExpression[] | undefined,
): AskedOperand {
  if (name === "is_sharded" && called !== undefined) return { ...operand, aspect: "memory_layout" };
  if (operand.aspect === "shape" && (name === "rank" || name === "size")) {
    return { ...operand, aspect: "rank" };
  }
  if (operand.aspect === "shape" && /volume/.test(name)) return { ...operand, aspect: "volume" };
  if (/^(?:shard_spec|shard_grid)$/.test(operand.aspect)) {
    if (name === "shape") return { ...operand, aspect: "shard_shape" };
    if (name === "num_cores") return { ...operand, aspect: "shard_cores" };
    if (/ranges|bounding_box|start_coord|end_coord|^[xy]$|^size$|grid|cores/.test(name)) {
      return { ...operand, aspect: "shard_grid" };
    }
  }
  if (operand.aspect === "tile" || operand.name !== "" && /^(?:first|second|x|y)$/.test(name)) return operand;
  if (/^(?:get_)?(?:width|height)$/.test(name) && /tile/.test(operand.name)) {
    return { ...operand, aspect: "tile" };
  }
  if (name === "size" && called !== undefined) return { ...operand, aspect: "count" };
  const found = ARGUMENTS.test(operand.name) ? undefined : ASPECTS.find(([, pattern]) => pattern.test(name));
  if (found !== undefined && operand.name !== "" || found !== undefined && called !== undefined) {
    return { ...operand, aspect: found[0], ...paddedOwner(found[0], name) };
  }
  // A variable, or a field: `output_mem_config` is the memory config of the output.
  const own = namedAspect(name);
  if (own !== undefined) {
    const isArgument = ARGUMENTS.test(operand.name) && !ARGUMENTS.test(name);
    return {
      ...operand,
      name: own.rest || (isArgument ? RESULT : operand.name),
      aspect: own.aspect,
      ...paddedOwner(own.aspect, name),
      ...(own.dim === undefined ? {} : { dim: own.dim }),
      ...(isArgument ? { isArgument } : {}),
    };
  }
  return {
    kind: "operand",
    name,
    aspect: "value",
    ...(operand.name === "" ? {} : { owner: operand.aspect === "device" ? "the device" : operand.name }),
    ...(operand.isArgument === true || ARGUMENTS.test(operand.name) ? { isArgument: true } : {}),
  };
}
