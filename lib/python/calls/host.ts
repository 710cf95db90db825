// SPDX-License-Identifier: Apache-2.0
import { numpyFormat } from "../dense_array.ts";
import type { CallSite } from "../call_site.ts";
import { pythonCall, pythonList, type PythonText, pythonTuple, Unsayable } from "../python_text.ts";
import { call, callsOf, type CallWriter, type CallWriters, constantArray, fillValue } from "../writers.ts";

/** The format of the result's elements. */
function formatOf({ result }: CallSite): PythonText {
  return `numpy.${numpyFormat(result.dataType)}`;
}

function elementwise(site: CallSite, name: string): PythonText {
  return pythonCall(`numpy.${name}`, site.operands.map(({ text }) => text));
}

/** Elementwise ops whose result has the format of their operands, by the name that numpy has for them. */
const SAME_FORMAT = {
  add: "add",
  subtract: "subtract",
  multiply: "multiply",
  maximum: "maximum",
  minimum: "minimum",
  neg: "negative",
  abs: "absolute",
} as const;

/** The same of floats alone: of integers numpy would make others. */
const OF_FLOATS = {
  div: "divide",
  sqrt: "sqrt",
  exp: "exp",
  log: "log",
  cos: "cos",
  sin: "sin",
  tanh: "tanh",
  reciprocal: "reciprocal",
} as const;

/** Comparisons. */
const PREDICATES = {
  eq: "equal",
  ne: "not_equal",
  gt: "greater",
  ge: "greater_equal",
  lt: "less",
  le: "less_equal",
} as const;

/** A writer for each name, given numpy's name for it. */
function calledAs(
  names: Readonly<Record<string, string>>,
  writer: (site: CallSite, called: string) => PythonText,
): CallWriters {
  return Object.fromEntries(
    Object.entries(names).map(([name, called]) => [name, (site: CallSite) => writer(site, called)]),
  );
}

function requireFloats({ result }: CallSite): void {
  if (result.dataType !== "f32") throw new Unsayable(`it makes ${result.dataType}`);
}

function filled(site: CallSite, value: PythonText | number): PythonText {
  site.attribute("shape");
  return pythonCall("numpy.full", [pythonTuple(site.result.shape), value, formatOf(site)]);
}

const RANGE = call("numpy.arange start:int end:int step:int dtype=format", { format: formatOf });

const arange: CallWriter = (site) => {
  if (site.integer("arange_dimension") === 0 && site.result.shape.length === 1) return RANGE(site);
  throw new Unsayable("a range along one of several dimensions");
};

const matmul: CallWriter = (site) => {
  const operand = (index: number, transposed: string): PythonText =>
    site.flag(transposed, false) ? `${site.operand(index)}.swapaxes(-1, -2)` : site.operand(index);
  const product = pythonCall("numpy.matmul", [operand(0, "transpose_a"), operand(1, "transpose_b")]);
  const bias = site.optional(2);
  return bias === undefined ? product : pythonCall("numpy.add", [product, bias]);
};

const sliceStatic: CallWriter = (site) => {
  const [begins, ends, steps] = [site.integers("begins"), site.integers("ends"), site.integers("step")];
  const ranges = begins.map((begin, at) => {
    const step = steps[at] ?? 1;
    return `${begin}:${ends[at] ?? ""}${step === 1 ? "" : `:${step}`}`;
  });
  return `${site.operand(0)}[${ranges.join(", ")}]`;
};

const embedding: CallWriter = (site) => {
  if (site.typed(1).type.shape.length !== 2) throw new Unsayable("a table of rows of several dimensions");
  const { text, type } = site.typed(0);
  return `${site.operand(1)}[${type.dataType === "f32" ? `${text}.astype(numpy.int64)` : text}]`;
};

/** Ops of TTIR on arrays of numpy: what tt-mlir leaves to the host. */
export const HOST_CALLS: CallWriters = {
  ...calledAs(SAME_FORMAT, elementwise),
  ...calledAs(OF_FLOATS, (site, called) => {
    requireFloats(site);
    return elementwise(site, called);
  }),
  // TTIR's predicates are numbers, 0 and 1.
  ...calledAs(PREDICATES, (site, called) => `${elementwise(site, called)}.astype(${formatOf(site)})`),
  rsqrt: (site) => {
    requireFloats(site);
    return pythonCall("numpy.reciprocal", [elementwise(site, "sqrt")]);
  },
  where: (site) => pythonCall("numpy.where", [`${site.operand(0)} != 0`, site.operand(1), site.operand(2)]),
  ...callsOf("matmul linear", () => matmul),
  typecast: (site) => {
    site.attribute("conservative_folding");
    const { text, type } = site.typed(0);
    return type.dataType === site.result.dataType ? text : `${text}.astype(${formatOf(site)})`;
  },
  permute: call("numpy.transpose 0 permutation:ints"),
  transpose: call("numpy.swapaxes 0 dim0:int dim1:int"),
  reshape: (site) => {
    site.attribute("shape");
    return pythonCall("numpy.reshape", [site.operand(0), pythonTuple(site.result.shape)]);
  },
  broadcast: (site) => {
    site.attribute("broadcast_dimensions");
    return pythonCall("numpy.broadcast_to", [site.operand(0), pythonTuple(site.result.shape)]);
  },
  repeat: (site) =>
    pythonCall("numpy.tile", [site.operand(0), pythonTuple(site.integers("repeat_dimensions"))]),
  concat: (site) =>
    pythonCall("numpy.concatenate", [pythonList(site.operands.map(({ text }) => text))], {
      axis: site.integer("dim"),
    }),
  slice_static: sliceStatic,
  embedding,
  full: (site) => filled(site, fillValue(site)),
  ones: (site) => filled(site, 1),
  zeros: (site) => filled(site, 0),
  arange,
  constant: constantArray,
};
