// SPDX-License-Identifier: Apache-2.0
import { type CheckSubject, OF_COMPILER, subjectsIn } from "./check_subject.ts";
import { refusedCallIn } from "./python_call.ts";
import { rowOf } from "./subject_table.ts";
import { remedy } from "./remedy.ts";
import * as asks from "./remedy_kinds.ts";

/** The first class of tt-mlir that a backtrace names. */
function passesIn(words: string): readonly string[] {
  return [
    ...words.matchAll(
      /\bmlir::tt::(?:(?:[a-z]\w*|\(anonymous namespace\))::)*([A-Z]\w+)::\w+|\b(\w+(?:ConversionPattern|RewritePattern))::|\b([A-Z]\w+)::(?:matchAndRewrite|runOnOperation)\b|\blib\/(?:\w+\/)+(\w+)\.cpp:\d+/g,
    ),
  ]
    .slice(0, 1).map(([, ...names]) => names.find((name) => name !== undefined) ?? "");
}

/** Properties of a tensor, by their place in its printed type. */
const PROPERTIES: readonly (readonly [name: string, of: RegExp])[] = [
  ["shape", /^((?:\d+x)+)/],
  ["elements", /^(?:\d+x)+(\w+)/],
  ["memory", /buffer_type<(\w+)>/],
  ["memory layout", /<((?:block|height|width)_sharded|interleaved)>/],
  ["encoding", /#(\w+\.mesh_sharding)/],
  ["pages", /memref<(?:\d+x)+(!ttcore\.tile|\w)/],
];

/** In what the first two types of tensors that a message prints differ. */
function differencesIn(words: string): readonly string[] {
  const [first, second] = [...words.matchAll(/'tensor<([^']{3,})/g)].map(([, type = ""]) => type);
  if (first === undefined || second === undefined) return [];
  const differences = PROPERTIES.flatMap(([name, of]) => {
    const none = name === "encoding" ? "none" : undefined;
    const [a = none, b = none] = [of.exec(first)?.[1], of.exec(second)?.[1]];
    return a === undefined || b === undefined || a === b ? [] : [
      name === "pages" ? "one is in tiles and the other in rows" : `${name} ${clean(a)} against ${clean(b)}`,
    ];
  });
  return differences.length === 0 ? [] : [`The two types differ: ${differences.join(", ")}`];
}

function clean(text: string): string {
  return text.replace(/x$/, "").replace("_", " ");
}

/** Words of a process whose own memory is damaged. */
const HEAP = /\bfree\(\)|double free|corrupted|munmap_chunk|\bheap\b|stack smashing/i;

/** Words of a tensor that no device holds. */
const ON_HOST = /\bnot (?:\w+ ){0,2}on (?:the |a )?device\b|\bhost tensor|\bon (?:the )?host\b/i;

/** Subjects of messages that no check of ttnn makes: of compilers, Python, models, installations and test runs. */
export const HOST_SUBJECTS: readonly CheckSubject[] = subjectsIn("host", {
  wrapper: rowOf("wrapper"),
  warning: rowOf("warning"),
  crash: {
    title: "A program crashed",
    pattern:
      /(?<!xla_bridge\S+ : |InternalError: )Check failed: (?!handle->HasValue)|\bAssertion [\x60'"]|^[\x60'"].{1,300}[\x60'"] failed(?! to)|Segmentation fault|Floating point exception|Fatal Python error|(?<!-> )\bAborted\b(?! exit)|Stack dump|PLEASE submit a bug report|core dumped|segfault|terminate called|double free|free\(\): invalid|corrupted (?:size|double|unsorted)|stack smashing|munmap_chunk|heap corruption|UNREACHABLE executed|process received signal|SIG(?:SEGV|ABRT|FPE|BUS)|pure virtual/i,
    because: ({ words }) => [
      "No check caught what went wrong (a null, a division by zero, a case that nobody wrote): the uppermost functions of the backtrace name the op or the pass",
      OF_COMPILER.test(words)
        ? `Here it is ${
          passesIn(words).map((pass) => `${pass}, a part of the compiler`)[0] ?? "the compiler itself"
        }: the device had no part in it`
        : [],
    ],
    advice: ({ words }) => [
      OF_COMPILER.test(words)
        ? remedy`${asks.NEWER}a newer compiler${asks.OR}, or a lower optimization level, or the option that turns that pass off, until it is mended: report it with the program`
        : [],
      ...(OF_COMPILER.test(words) ? [] : [
        ...(HEAP.test(words)
          ? []
          : ON_HOST.test(words)
          ? ["every operand on the device before the op: ttnn.to_device, or device = … where it is made"]
          : [
            remedy`${asks.DRAM}an op that crashes with shards, or with more than four dimensions, mostly runs from DRAM interleaved to DRAM interleaved in four (ttnn.reshape); none runs on an operand without a buffer (on the host, deallocated before, of another device)`,
          ]),
        "or a newer ttnn",
      ]),
      "reduce the program before reporting it: 'tilewright minimise FILE --keeps CONDITION'",
    ],
  },
  verifier: {
    title: "An op contradicts its own types",
    pattern:
      /^'(?:\w+)\.[\w.]+' op |^(?:ttnn|ttir|ttcore|d2m|stablehlo)\.\w+ op\b|^must be .{1,200}, but got|(?:failed|failing) verification|verification failed|does not verify|failed to (?:verify that|satisfy constraint)|(?:operand|result) #\d|type of return operand \d|doesn't match function result type/,
    because: ({ words }) => {
      const [, kind, symbol] = /\bunknown (\w+): (@[\w$.-]+)/.exec(words) ?? [];
      return [
        `tt-mlir checks ${
          /'([\w.]+)'|^(\w+\.\w+) op\b/.exec(words)?.slice(1).find((name) => name !== undefined) ?? "every op"
        } against its operands, attributes and result after every pass; the pass before wrote what does not belong together`,
        ...differencesIn(words),
        symbol === undefined ? [] : `It names the ${kind} ${symbol}, which the module does not define`,
      ];
    },
    advice: [
      remedy`${asks.NEWER}what a pass of the compiler wrote is its own fault: a newer tt-mlir${asks.OR}, or a lower optimization level, which runs fewer passes`,
      "find the pass: --mlir-print-ir-after-all, then 'tilewright lint DUMP --module NAME' for the dump before the error, which checks the same op by op; what the frontend wrote wrong is there before any pass",
    ],
  },
  partitioner: rowOf("partitioner"),
  compiler: {
    title: "The compiler refuses an op",
    pattern:
      /failed to legalize|fail(?:s|ed)? to (?:convert|lower)|unsupported by .{0,20}lowering|(?:no|not|un)\w* ?(?:lowering|conversion|legali[sz])|unsupported (?:op\b|operation|stablehlo|custom.?call)|not supported by (?:the )?(?:compiler|lowering)|(?<![./=])(?:SHLO|StableHLO|TTIR|TTNN)\b(?![.:/]).{0,40}(?:fail|pipeline)|pass (?:manager|pipeline|failed)|dynamic (?:shape|dim)\w*|could not be (?:lowered|converted)|sharding rules?\b|\bTTLang\w*Error|portable artifact|(?:exponent|axis|stride|padding|dilation|mode) (?:value )?\S+ is not (?:yet )?supported|operand must dominate|UNIMPLEMENTED(?!F)|custom.?call target/i,
    files: /\/forge\/(?:forge\/)?(?:tvm_\w+|compile\.py|op\/|csrc\/)|(?:^|\/)tvm_to_python/,
    because: ({ words }) => {
      const [, from, to] = /materialization from \('(.+?)'\) to \('(.+?)'\)/.exec(words) ?? [];
      return from !== undefined && to !== undefined
        ? `A pass made a value of type ${from} where ${to} is declared, and nothing converts one to the other: an op's result does not follow from its operands`
        : `The compiler has no lowering for ${
          /(?:'|\x60)(\w+[.\w]*)(?:'|\x60)|(?:to TTIR|op node type): ([\w.]+)/.exec(words)?.slice(1).find((
            name,
          ) => name !== undefined) ?? "an op"
        } with these operands and attributes: the backend was never asked, and no layout changes that`;
    },
    advice: ({ words }) => [
      words.includes("unresolved materialization")
        ? "give the op's operands and its result one element type (a typecast before or behind it), or write its declared type as the op makes it"
        : [],
      /'(?:torch|onnx)\.\w/.test(words)
        ? remedy`the operation of the model written in others: the frontend's own converter (torch-mlir) has no rule for it, before tt-mlir sees the program${asks.NEWER}; or a newer frontend`
        : [
          "a version of tt-mlir that lowers it, or the op written in others; errors above it come first, as an op that cannot be converted leaves others behind",
          "'tilewright optimize FILE' lowers TTIR by its own rules and says what is wrong with the op where it refuses it as well",
        ],
    ],
  },
  mlir_text: rowOf("mlir_text"),
  accuracy: rowOf("accuracy"),
  host_out_of_memory: rowOf("host_out_of_memory"),
  download: rowOf("download"),
  model_code: rowOf("model_code"),
  python_call: {
    title: "A Python call does not fit its function",
    pattern:
      /incompatible function arguments|invalid combination of arguments|unexpected keyword argument|missing \d+ required|positional arguments? but|(?<!'NoneType' object )has no attribute|object is not (?:callable|subscriptable|iterable)|unsupported operand type|takes no arguments|indices must be integers|Unable to (?:cast Python|convert function (?:return value|call arguments))|PYBIND11|Invoked with|Available signatures/i,
    because: ({ words }) => [
      `Names or types of the arguments are none that ${
        refusedCallIn(words)?.name ?? /\b(ttnn\.[\w.]+)\(\)/.exec(words)?.[1] ?? "the function"
      } takes in this version: it never ran, and no layout changes that`,
      ...(refusedCallIn(words)?.faults ?? []).map(({ why }) => why),
    ],
    advice: ({ words }) => [
      ...(refusedCallIn(words)?.faults ?? []).map(({ remedy }) => remedy),
      "compare the call with the signatures below the message: a torch.Tensor where a ttnn.Tensor is wanted, None, a list, a keyword of another version",
      "use the ttnn that the code was written for",
    ],
  },
  installation: rowOf("installation"),
  job_limit: rowOf("job_limit"),
  xla_status: rowOf("xla_status"),
  diagnostic: rowOf("diagnostic"),
  python_error: rowOf("python_error"),
});
