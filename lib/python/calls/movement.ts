// SPDX-License-Identifier: Apache-2.0
import { isOnHost } from "../call_site.ts";
import { pythonCall, pythonList, pythonString, pythonTuple, Unsayable } from "../python_text.ts";
import { call, callsOf, type CallWriter, type CallWriters, constantArray, fillValue } from "../writers.ts";

/** Tensors on the device are made there, others in host memory, which has no memory config. */
const PLACE = "=dtype layout=pages device=place memory";

/** Where the text moves a tensor between host and device in one op, ttnn's Python takes two. */
const toLayout: CallWriter = (site) => {
  const { text, type } = site.typed(0);
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

/** How `ttnn.scatter` spells what becomes of what was there (ttnn:backend-0-81-1). */
const SCATTERED_AS: ReadonlyMap<string, string | undefined> = new Map([
  ["invalid", undefined],
  ["sum", "add"],
  ["prod", "multiply"],
]);

/** Moves, views, joins, creations. */
export const MOVEMENT_CALLS: CallWriters = {
  reshape: call("ttnn.reshape 0 shape memory"),
  permute: call("ttnn.permute 0 permutation:ints memory =pad_value:float?0.0"),
  transpose: call("ttnn.transpose 0 dim0:int dim1:int memory"),
  concat: call("ttnn.concat tensors dim:int memory", {
    tensors: ({ operands }) => pythonList(operands.map(({ text }) => text)),
  }),
  slice_static: call("ttnn.slice 0 begins:ints ends:ints step:ints memory"),
  // ttnn reads the bounds on the host before it slices.
  slice_dynamic: call("ttnn.slice 0 1 2 step memory", {
    step: (site) => pythonList(site.integersOr("step", site.result.shape.map(() => 1))),
  }),
  pad: call("ttnn.pad 0 pairs value:float?0.0 =use_multicore:bool?True memory", {
    pairs: (site) => {
      const edges = site.integers("padding");
      return pythonList(
        edges.flatMap((low, at) => at % 2 === 0 ? [pythonTuple([low, edges[at + 1] ?? 0])] : []),
      );
    },
  }),
  repeat: call("ttnn.repeat 0 repeat_dims:ints memory"),
  repeat_interleave: call("ttnn.repeat_interleave 0 repeats:int dim:int memory"),
  embedding: call("ttnn.embedding 0 1 layout=pages =dtype memory"),
  // Only the number of rows is read of the weights; the gradient's rows are added up by index.
  embedding_bw: call("ttnn.embedding_bw 0 1 2 =dtype memory"),
  gather: call("ttnn.gather 0 dim:int index=1 memory"),
  scatter: call("ttnn.scatter 0 dim:int 1 2 memory =reduce", {
    reduce: (site) => {
      const type = /^#ttcore\.reduce_type<(\w+)>$/.exec(site.text("scatter_reduce_type") ?? "")?.[1] ??
        "invalid";
      if (!SCATTERED_AS.has(type)) throw new Unsayable(`scatter with ${type}`);
      const spelled = SCATTERED_AS.get(type);
      return spelled === undefined ? undefined : pythonString(spelled);
    },
  }),
  assign: call("ttnn.assign 0 memory =dtype"),
  to_memory_config: (site) =>
    call(site.memory === undefined ? "ttnn.from_device 0" : `ttnn.to_memory_config 0 ${site.memory}`)(site),
  to_layout: toLayout,
  to_tensor_spec: toLayout,
  to_device: call("ttnn.to_device 0 device memory"),
  from_device: call("ttnn.from_device 0"),
  full: call(`ttnn.full shape value ${PLACE}`, {
    value: fillValue,
  }),
  ...callsOf("zeros ones empty", (callee) => call(`${callee} shape ${PLACE}`)),
  arange: call(`ttnn.arange start:int end:int step:int ${PLACE}`),
  rand: call(
    "ttnn.rand extent device =dtype layout=pages memory =low:float?0.0 =high:float?1.0 =seed:int?0 -size",
    { extent: ({ result }) => pythonCall("ttnn.Shape", [pythonList(result.shape)]) },
  ),
  constant: call("ttnn.Tensor array dtype layout=pages device=place mem_config=memory", {
    array: constantArray,
  }),
  upsample: call('ttnn.upsample 0 factors =mode:text?"nearest" memory', {
    factors: (site) => {
      const [factor = 1, ...others] = site.integers("scale_factor");
      return others.length === 0 ? factor : pythonList([factor, ...others]);
    },
  }),
};
