// SPDX-License-Identifier: Apache-2.0

/**
 * The tables of a memory report as ttnn 0.81.1 writes them and ttnn-visualizer 0.108 opens them, schema version 3.5
 * (ttnn:backend-0-81-1): columns with their SQLite types, followed by the rank of the process. Tables of run-time facts stay empty.
 */
export const VISUALIZER_TABLES: Readonly<Record<string, readonly string[]>> = {
  devices: [
    "device_id int",
    "num_y_cores int",
    "num_x_cores int",
    "num_y_compute_cores int",
    "num_x_compute_cores int",
    "worker_l1_size int",
    "l1_num_banks int",
    "l1_bank_size int",
    "address_at_first_l1_bank int",
    "address_at_first_l1_cb_buffer int",
    "num_banks_per_storage_core int",
    "num_compute_cores int",
    "num_storage_cores int",
    "total_l1_memory int",
    "total_l1_for_tensors int",
    "total_l1_for_interleaved_buffers int",
    "total_l1_for_sharded_buffers int",
    "cb_limit int",
  ],
  operations: ["operation_id int", "name text", "duration float"],
  operation_arguments: ["operation_id int", "name text", "value text"],
  tensors: [
    "tensor_id int",
    "shape text",
    "dtype text",
    "layout text",
    "memory_config text",
    "device_id int",
    "address int",
    "buffer_type int",
  ],
  device_tensors: ["tensor_id int", "device_id int", "address int"],
  input_tensors: ["operation_id int", "input_index int", "tensor_id int"],
  output_tensors: ["operation_id int", "output_index int", "tensor_id int"],
  tensor_consumers: ["tensor_id int", "operation_id int", "input_index int"],
  tensor_producers: ["tensor_id int", "operation_id int", "output_index int"],
  tensor_lifetime: [
    "tensor_id int",
    "producer_operation_id int",
    "last_use_operation_id int",
    "deallocate_operation_id int",
    "producer_source_file text",
    "producer_source_line int",
    "last_use_source_file text",
    "last_use_source_line int",
  ],
  buffers: [
    "operation_id int",
    "device_id int",
    "address int",
    "max_size_per_bank int",
    "buffer_type int",
    "buffer_layout int",
  ],
  buffer_chunks: [
    "operation_id int",
    "device_id int",
    "address int",
    "bank_id int",
    "core_x int",
    "core_y int",
    "chunk_address int",
    "chunk_size int",
    "page_size int",
    "num_pages int",
    "buffer_type int",
  ],
  captured_graph: ["operation_id int", "captured_graph text"],
  nodes: ["operation_id int", "unique_id int", "node_operation_id int", "name text"],
  edges: [
    "operation_id int",
    "source_unique_id int",
    "sink_unique_id int",
    "source_output_index int",
    "sink_input_index int",
    "key int",
  ],
  errors: [
    "operation_id int",
    "operation_name text",
    "error_type text",
    "error_message text",
    "stack_trace text",
    "timestamp text",
  ],
  stack_traces: ["operation_id int", "stack_trace text", "source_file_id int"],
  sub_device_managers: ["device_id int", "sub_device_manager_id int"],
  sub_devices: [
    "device_id int",
    "sub_device_manager_id int",
    "sub_device_id int",
    "worker_core_ranges text",
  ],
  operation_executions: [
    "execution_id int",
    "operation_id int",
    "device_id int",
    "physical_device_id int",
    "runtime_id int",
    "global_call_count int",
    "command_queue_id int",
  ],
  execution_sub_devices: [
    "execution_id int",
    "device_id int",
    "sub_device_manager_id int",
    "sub_device_id int",
  ],
  local_tensor_comparison_records: [
    "tensor_id int",
    "golden_tensor_id int",
    "matches int",
    "desired_pcc float",
    "actual_pcc float",
  ],
  global_tensor_comparison_records: [
    "tensor_id int",
    "golden_tensor_id int",
    "matches int",
    "desired_pcc float",
    "actual_pcc float",
  ],
};

/** The table with the version of all others. */
const METADATA = "report_metadata";

/** Version of the tables. */
const SCHEMA_VERSION = "3.5";

/** The statements that create the tables and store their version; `storage_type` follows the rank, because it was added later. */
export function visualizerStatements(): readonly string[] {
  return [
    ...Object.entries(VISUALIZER_TABLES).map(([name, columns]) =>
      `CREATE TABLE ${name} (${columns.join(", ")}, rank int NOT NULL DEFAULT 0${
        name === "tensors" ? ", storage_type text DEFAULT 'DEVICE'" : ""
      })`
    ),
    "CREATE TABLE source_files (id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text)",
    `CREATE TABLE ${METADATA} (key text UNIQUE, value text)`,
    `INSERT INTO ${METADATA} VALUES ('schema_version', '${SCHEMA_VERSION}')`,
  ];
}
