// SPDX-License-Identifier: Apache-2.0

/** Joins alternatives, separated by ` | `, to one pattern of whole words. */
function anyOf(alternatives: string): RegExp {
  return new RegExp(String.raw`(?<![\w/])(?:${alternatives.trim().split(/ \|\s+/).join("|")})(?!\w)`, "gi");
}

/**
 * Nouns by subject that its checks use and checks of ops hardly ever do. Collected from half of the texts in the binaries of
 * ttnn 0.81.1 and of a plugin of tt-mlir: words whose share in libtt_metal and libtt-umd, or in tt-mlir, is at least six
 * times that in ops.
 */
export const ROOM_NOUNS: Readonly<Record<string, RegExp>> = {
  model_code: anyOf(String.raw`
    deepcopy | graph leaves | autograd | requires_grad | converted to Scalar | nn\.Module |
    (?:training|eval) mode | non-singleton | expanded size | torch\.\w+ | in-?place operation | tokenizers? |
    loader | tt-?forge-?models | past_key_values | use_cache | forward\(\) | unpack_forward\w* |
    boolean value of Tensor | CUDA | index out of range in self | pytree | invalid for input of size |
    view size is not compatible | given groups | number of dims don't match | expects each tensor |
    scalar type | leaf variable | (?:Static|Dynamic)Cache | generate\(\) |
    incompatible shapes for broadcasting | concrete values? | valid JAX type | vmap | flax |
    (?:hugging ?face|(?<!ttnn\.)transformers) | arity
  `),
  board: anyOf(String.raw`
    NUMA | sysfs | physical device |
    (?<!per |this )chips?(?:_id)?(?! mesh) | (?:mother)?boards?(?: types?| ID)? | DMA | MMIO | system memory |
    UPI | tray(?:_id)? | F?P?SD | MGD |
    (?:factory|cluster|SoC|graph|mesh graph|cabling|deployment|grouping|switch|system|node) descriptors? |
    (?:Cluster|Soc|MeshGraph|Cabling|Deployment)\w*(?:Descriptor|Generator) | cabl(?:es?|ing) | hostnames? |
    host_ids? | live hosts? | torus | routers? |
    (?:no|next hop|find a|routing) (?:route|plane|direction|table)s? | tunnels? |
    (?:upstream |downstream )?VCs?(?: index)? | DRAM training | retrain | harvest\w* | telemetry |
    clock state | cold reset | reset marker | firmware | FW | simulat(?:or|ion) | emulation | TTSim\w* |
    ATT (?:map|window|program) | NOC\d? (?:coord\w*|register|address|translation|hang|endpoint) | NOC\d |
    (?:translated|literal|virtual|NOC0|physical) (?:coord\w*|DRAM core) | coordinate system | core type |
    CoreType | HAL | bus ID | BDF | device (?:IDs?|\d+) (?:exceeds|has no|not found|did not|init) |
    (?:supported|active|matching|valid) devices | device has not been initialized | re-initialize device |
    (?:\w*TTDevice|RemoteChip|DeviceManager|ScopedDevices) | device (?:close|info|open|init) | Fabric\w* |
    ETH|ethernet | packets? | ports | pinning | architecture \d+ | physical (?:links?|edges?|graph) |
    (?:target|global) (?:nodes?|graph) | (?:graph|child|switch) instances?(?: id)? | \w*fabric_?node\w* |
    fabric | (?:DRAM|eth|ethernet) channels? | reserved (?:DRAM )?(?:region|address\w*) |
    channel (?:trimming|allocator) | assigned devices | \w*(?:relay|mux)\w* | edges? | ARC | interconnect |
    connections? found | port types? | topology
  `),
  verifier: anyOf(String.raw`
    (?:variadic|ranked tensors?|memrefs?|signless|element types?|result types?|scalable vectors?) (?:of|of \w+|must|or|but|type) |
    (?:un)?ranked(?: tensors?)? | shaped (?:tensors?|types?) | memrefs? | element types? |
    (?:result|operand|argument|loop-carried) types? | block (?:arguments?|with|must) |
    (?:boolean|integer|float|string|array|unit|dictionary) attribute | (?:compare|return|yield|reduce) op |
    specified type | (?:'\w+'|body|before|after|nested|one) regions? |
    (?:op|operation) (?:must|expects|with|has) .{0,40}(?:operands?|results?|inputs?) | terminat(?:e with|or) |
    symbol table | dialect attributes | attributes?(?: values?| names?)?(?: must| is| are| \x60) | _attr |
    function body | module level
  `),
  mlir_text: anyOf(String.raw`
    expected (?:keyword|integer|floating|an? (?:un)?signed|new-line|white space|trailing|SSA)\b.{0,40} |
    bytecode | type code | MLIRContext | \w{3,}Attr | (?:type|attribute) .{0,20}not registered
  `),
  compiler: anyOf(String.raw`
    (?:tensor )?shardings?(?= (?:to|from|for|could|cannot|propag)) | propagated | reshards | GSPMD |
    custom_call | shape annotation | mhlo | (?:cannot|not) fuse | loc\( | lowering | legal layouts? |
    (?:op|operation) must not be nested | (?:trace|capture|forward) functions? | shardy | SPMD |
    AutoSharding | (?:TTNN|TTIR)[A-Z][a-z]\w+ | system.?desc | backend_config |
    quantized types? | compile option | (?:unable to|could not|cannot) convert |
    (?:ttir|stablehlo|shlo|tosa|sdy)\.\w+ | unhandled \w+ | attribute type
  `),
  kernel_build: anyOf(String.raw`
    JIT(?: build)? | compiler version | PCH | dependency hash | kernel_?artifact |
    (?:trisc|brisc|ncrisc|erisc)\d?
  `),
  cores: anyOf(String.raw`
    CoreRangeSets? | core ranges?
  `),
  tools: anyOf(String.raw`
    (?:real-time )?profiler | watcher | d(?:evice_)?print | timestamps?(?: header)? | debug (?:entry|delay) |
    (?:read|write) barrier(?:/flush)? | data race | noc (?:sanit\w+|transactions?) | inline dw writes |
    failed to log \w+ | fast-path parity | tracing | perf metrics
  `),
  queue: anyOf(String.raw`
    cq_id | (?:issue|completion|command|prefetch) queues? | SD queues? | dispatch_[dsh] |
    dispatch(?:er|-engine)?(?![- ](?:algorithm|group))(?= ) | worker counts? | in-flight programs? |
    (?:trace|program) (?:cache|instance|binar\w+|buffers?) |
    traces? (?:ID|instance|worker|region|cache|binar\w+) | TraceCache | trace_buffers? | Enqueue\w+ |
    enqueue_\w+ | memory barrier | DispatchKernel\w* | MetalEnv | (?:prefetch|packed|dispatch) commands? |
    launch messages?
  `),
  kernel_program: anyOf(String.raw`
    global_id | info_id |
    \w*(?:DFB|PrefetcherPipe|ProgramSpec|RunArgs|TensorParameter|TensorArgument|WorkUnitSpec|BufferBinding|CBHandle|CreateCircularBuffer|CBDescriptor|KernelSpec|KernelGroup)\w* |
    tile counters? | remapper | hart | arg_idx | buffer ind(?:ex|ices) | remote buffer | credit lanes? |
    (?:producer|consumer)s? (?:kernel|count|access|pattern|but) | scratchpad |
    tensix (?:info|only|engines?|producer|consumer) | program(?: id:?)? \d+ | kernel \d+(?!\.) |
    compute kernels?(?=\.|s? must|s? can) | packer | kernels? (?:handle|not found|already|binar\w+) |
    bundled kernel | context_id | compile_time_args? |
    (?:Tensix|DRISC|Ethernet|data ?movement)(?: ?kernels?| cores?| processors?) | program binaries
  `),
  streams: anyOf(String.raw`
    peers? | listeners? | RPC | endpoints? \d+ | network interfaces? | SHM | shm_name | shared memory |
    memfd | dma-buf | address famil(?:y|ies) | DNS | sockaddr | (?:completion|layer-completion) ring |
    \w*CompletionQueue\w* | InterProcess\w+ | inter-process | bind address | local_rank |
    (?:host|process) (?:ranks?|authentication) | handshake | remote (?:server|JIT|process|message) |
    message from remote | distributed context | MPI\w* | prefetcher | services?
  `),
  files: anyOf(String.raw`
    fsync | (?:parent )?director(?:y|ies) | files?(?: size| path)?(?! (?:pattern|store|a)) | hard_link |
    (?:flatbuffer|protobuf|text-format|json|YAML|serializ\w+) | tokens? '
  `),
};
