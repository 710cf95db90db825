// SPDX-License-Identifier: Apache-2.0
import { type CallSite, isOnHost } from "../call_site.ts";
import {
  type Keywords,
  pythonBool,
  pythonCall,
  pythonFloat,
  pythonList,
  pythonString,
  type PythonText,
  pythonTuple,
} from "../python_text.ts";
import { Unsayable } from "../unsayable.ts";
import type { CallWriter, CallWriters } from "../writers.ts";
import { denseArray } from "../dense_array.ts";

/** Tensors on the device are made there, others in host memory. */
function place(site: CallSite): Keywords {
  const device = isOnHost(site.result) ? {} : { device: "device", memory_config: site.memory };
  return { dtype: site.dtype, layout: site.pages, ...device };
}

/** The shape of the result; the op repeats it. */
function shape(site: CallSite): PythonText {
  site.attribute("shape");
  return pythonList(site.result.shape);
}

/** Marks the attributes of creating ops that repeat their result's type as read. */
function readRepeated(site: CallSite): void {
  for (const key of ["dtype", "layout", "memory_config"]) site.attribute(key);
}

const create: (callee: string) => CallWriter = (callee) => (site) => {
  readRepeated(site);
  return pythonCall(callee, [shape(site)], place(site));
};

const full: CallWriter = (site) => {
  readRepeated(site);
  const value = site.number("fill_value");
  const isFloat = site.attribute("fill_value")?.kind === "float";
  return pythonCall("ttnn.full", [shape(site), isFloat ? pythonFloat(value) : value], place(site));
};

const arange: CallWriter = (site) => {
  readRepeated(site);
  return pythonCall(
    "ttnn.arange",
    [site.integer("start"), site.integer("end"), site.integer("step")],
    place(site),
  );
};

const constant: CallWriter = (site) => {
  readRepeated(site);
  const value = site.attribute("value");
  if (value === undefined || !("text" in value)) throw new Unsayable("a constant without its elements");
  const array = denseArray(value.text, site.result);
  const device = isOnHost(site.result) ? {} : { device: "device", mem_config: site.memory };
  return pythonCall("ttnn.Tensor", [array, site.dtype], { layout: site.pages, ...device });
};

/** Where the text moves a tensor between host and device in one op, ttnn's Python takes two. */
const toLayout: CallWriter = (site) => {
  const { text, type } = site.typed(0);
  readRepeated(site);
  const isCast = type.layout.dataType !== site.result.layout.dataType;
  const [from, to] = [isOnHost(type), isOnHost(site.result)];
  if (from && !to) {
    const host = isCast ? pythonCall("ttnn.to_dtype", [text, site.dtype]) : text;
    return pythonCall("ttnn.to_device", [pythonCall("ttnn.to_layout", [host, site.pages]), "device"], {
      memory_config: site.memory,
    });
  }
  if (!from && to) {
    const host = pythonCall("ttnn.to_layout", [pythonCall("ttnn.from_device", [text]), site.pages]);
    return isCast ? pythonCall("ttnn.to_dtype", [host, site.dtype]) : host;
  }
  if (from && isCast) {
    return pythonCall("ttnn.to_layout", [pythonCall("ttnn.to_dtype", [text, site.dtype]), site.pages]);
  }
  return pythonCall("ttnn.to_layout", [text, site.pages], {
    dtype: isCast ? site.dtype : undefined,
    memory_config: site.memory,
  });
};

const pad: CallWriter = (site) => {
  const edges = site.integers("padding");
  const pairs = edges.flatMap((low, at) => at % 2 === 0 ? [pythonTuple([low, edges[at + 1] ?? 0])] : []);
  return pythonCall("ttnn.pad", [
    site.operand(0),
    pythonList(pairs),
    pythonFloat(site.numberOr("value", 0)),
  ], { use_multicore: pythonBool(site.flag("use_multicore", true)), memory_config: site.memory });
};

const embedding: CallWriter = (site) =>
  pythonCall("ttnn.embedding", [site.operand(0), site.operand(1)], {
    layout: site.pages,
    dtype: site.dtype,
    memory_config: site.memory,
  });

/** Only the number of rows is read of the weights; the gradient's rows are added up by index. */
const embeddingGradient: CallWriter = (site) =>
  pythonCall("ttnn.embedding_bw", [site.operand(0), site.operand(1), site.operand(2)], {
    dtype: site.dtype,
    memory_config: site.memory,
  });

const rand: CallWriter = (site) => {
  readRepeated(site);
  site.attribute("size");
  return pythonCall("ttnn.rand", [pythonCall("ttnn.Shape", [pythonList(site.result.shape)]), "device"], {
    dtype: site.dtype,
    layout: site.pages,
    memory_config: site.memory,
    low: pythonFloat(site.numberOr("low", 0)),
    high: pythonFloat(site.numberOr("high", 1)),
    seed: site.integerOr("seed", 0),
  });
};

/** How `ttnn.scatter` spells what becomes of what was there (ttnn:backend-0-81-1). */
const SCATTERED_AS: ReadonlyMap<string, Keywords> = new Map([
  ["invalid", {}],
  ["sum", { reduce: pythonString("add") }],
  ["prod", { reduce: pythonString("multiply") }],
]);

/** Moves, views, joins, creations. */
export const MOVEMENT_CALLS: CallWriters = {
  reshape: (site) => {
    site.attribute("shape");
    return pythonCall("ttnn.reshape", [site.operand(0), pythonList(site.result.shape)], {
      memory_config: site.memory,
    });
  },
  permute: (site) =>
    pythonCall("ttnn.permute", [site.operand(0), pythonList(site.integers("permutation"))], {
      memory_config: site.memory,
      pad_value: pythonFloat(site.numberOr("pad_value", 0)),
    }),
  transpose: (site) =>
    pythonCall("ttnn.transpose", [site.operand(0), site.integer("dim0"), site.integer("dim1")], {
      memory_config: site.memory,
    }),
  concat: (site) =>
    pythonCall("ttnn.concat", [
      pythonList(site.operands.map(({ text }) => text)),
      site.integer("dim"),
    ], { memory_config: site.memory }),
  slice_static: (site) =>
    pythonCall(
      "ttnn.slice",
      [
        site.operand(0),
        ...["begins", "ends", "step"].map((key) => pythonList(site.integers(key))),
      ],
      { memory_config: site.memory },
    ),
  pad,
  repeat: (site) =>
    pythonCall("ttnn.repeat", [site.operand(0), pythonList(site.integers("repeat_dims"))], {
      memory_config: site.memory,
    }),
  repeat_interleave: (site) =>
    pythonCall("ttnn.repeat_interleave", [
      site.operand(0),
      site.integer("repeats"),
      site.integer("dim"),
    ], { memory_config: site.memory }),
  embedding,
  embedding_bw: embeddingGradient,
  gather: (site) =>
    pythonCall("ttnn.gather", [site.operand(0), site.integer("dim")], {
      index: site.operand(1),
      memory_config: site.memory,
    }),
  scatter: (site) => {
    const reduce = /^#ttcore\.reduce_type<(\w+)>$/.exec(site.text("scatter_reduce_type") ?? "")?.[1] ??
      "invalid";
    const spelled = SCATTERED_AS.get(reduce);
    if (spelled === undefined) throw new Unsayable(`scatter with ${reduce}`);
    return pythonCall("ttnn.scatter", [
      site.operand(0),
      site.integer("dim"),
      site.operand(1),
      site.operand(2),
    ], { memory_config: site.memory, ...spelled });
  },
  assign: (site) => {
    readRepeated(site);
    return pythonCall("ttnn.assign", [site.operand(0)], { memory_config: site.memory, dtype: site.dtype });
  },
  to_memory_config: (site) => {
    readRepeated(site);
    const { memory } = site;
    if (memory === undefined) return pythonCall("ttnn.from_device", [site.operand(0)]);
    return pythonCall("ttnn.to_memory_config", [site.operand(0), memory]);
  },
  to_layout: toLayout,
  to_tensor_spec: toLayout,
  to_device: (site) => {
    readRepeated(site);
    return pythonCall("ttnn.to_device", [site.operand(0), "device"], { memory_config: site.memory });
  },
  from_device: (site) => pythonCall("ttnn.from_device", [site.operand(0)]),
  full,
  zeros: create("ttnn.zeros"),
  ones: create("ttnn.ones"),
  empty: create("ttnn.empty"),
  arange,
  rand,
  constant,
  upsample: (site) => {
    const factors = site.integers("scale_factor");
    const [factor = 1, ...others] = factors;
    return pythonCall("ttnn.upsample", [
      site.operand(0),
      others.length === 0 ? factor : pythonList(factors),
    ], { mode: pythonString(site.string("mode") ?? "nearest"), memory_config: site.memory });
  },
};
