// SPDX-License-Identifier: Apache-2.0

/**
 * The tables of a memory report as ttnn 0.81.1 writes them and ttnn-visualizer 0.108 opens them, schema version 3.5
 * (ttnn:backend-0-81-1): columns, `int` unless another SQLite type stands behind them, followed by the rank of the
 * process. Tables of run-time facts stay empty.
 */
const TABLES = `
devices: device_id num_y_cores num_x_cores num_y_compute_cores num_x_compute_cores worker_l1_size
  l1_num_banks l1_bank_size address_at_first_l1_bank address_at_first_l1_cb_buffer
  num_banks_per_storage_core num_compute_cores num_storage_cores total_l1_memory total_l1_for_tensors
  total_l1_for_interleaved_buffers total_l1_for_sharded_buffers cb_limit
operations: operation_id name:text duration:float
operation_arguments: operation_id name:text value:text
tensors: tensor_id shape:text dtype:text layout:text memory_config:text device_id address buffer_type
device_tensors: tensor_id device_id address
input_tensors: operation_id input_index tensor_id
output_tensors: operation_id output_index tensor_id
tensor_consumers: tensor_id operation_id input_index
tensor_producers: tensor_id operation_id output_index
tensor_lifetime: tensor_id producer_operation_id last_use_operation_id deallocate_operation_id
  producer_source_file:text producer_source_line last_use_source_file:text last_use_source_line
buffers: operation_id device_id address max_size_per_bank buffer_type buffer_layout
buffer_chunks: operation_id device_id address bank_id core_x core_y chunk_address chunk_size page_size
  num_pages buffer_type
captured_graph: operation_id captured_graph:text
nodes: operation_id unique_id node_operation_id name:text
edges: operation_id source_unique_id sink_unique_id source_output_index sink_input_index key
errors: operation_id operation_name:text error_type:text error_message:text stack_trace:text timestamp:text
stack_traces: operation_id stack_trace:text source_file_id
sub_device_managers: device_id sub_device_manager_id
sub_devices: device_id sub_device_manager_id sub_device_id worker_core_ranges:text
operation_executions: execution_id operation_id device_id physical_device_id runtime_id global_call_count
  command_queue_id
execution_sub_devices: execution_id device_id sub_device_manager_id sub_device_id
local_tensor_comparison_records: tensor_id golden_tensor_id matches desired_pcc:float actual_pcc:float
global_tensor_comparison_records: tensor_id golden_tensor_id matches desired_pcc:float actual_pcc:float
`;

/** Columns by table, each with its type: `name text`. */
export const VISUALIZER_TABLES: ReadonlyMap<string, readonly string[]> = new Map(
  TABLES.trim().replaceAll(/\n +/g, " ").split("\n").map((line) => {
    const [table = "", ...columns] = line.split(/:? /);
    return [
      table,
      columns.map((column) => column.includes(":") ? column.replace(":", " ") : `${column} int`),
    ];
  }),
);

/** The table with the version of all others. */
const METADATA = "report_metadata";

const SCHEMA_VERSION = "3.5";

/** The statements that create the tables and store their version; `storage_type` follows the rank, because it was added later. */
export function visualizerStatements(): readonly string[] {
  return [
    ...[...VISUALIZER_TABLES].map(([name, columns]) =>
      `CREATE TABLE ${name} (${columns.join(", ")}, rank int NOT NULL DEFAULT 0${
        name === "tensors" ? ", storage_type text DEFAULT 'DEVICE'" : ""
      })`
    ),
    "CREATE TABLE source_files (id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text)",
    `CREATE TABLE ${METADATA} (key text UNIQUE, value text)`,
    `INSERT INTO ${METADATA} VALUES ('schema_version', '${SCHEMA_VERSION}')`,
  ];
}
