// SPDX-License-Identifier: Apache-2.0
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { join } from "@std/path";
import { PROJECT_ROOT } from "../../testing/corpus.ts";
import { COMMANDS } from "../command_table.ts";
import { EXIT } from "../command.ts";
import { denoHost } from "../deno_host.ts";
import { runCommandLine } from "../dispatch.ts";

const MNIST = join(PROJECT_ROOT, "testdata/models/mnist.mlir");

async function written(folder: string, device = "n150"): Promise<DatabaseSync> {
  const args = ["report", MNIST, "--policy", "greedy", "--device", device, "--visualizer", folder];
  assertEquals(await runCommandLine(args, denoHost, "0.0.0", COMMANDS), EXIT.ok);
  return new DatabaseSync(join(folder, "db.sqlite"), { readOnly: true });
}

Deno.test("report --visualizer writes every op with its tensors, buffers that do not overlap, and circular buffers", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using database = await written(folder);
    const all = (sql: string) => database.prepare(sql).all();
    const names = all("SELECT name FROM operations ORDER BY operation_id").map(({ name }) => name);
    assertEquals(names.filter((name) => name === "ttnn.linear").length, 3);
    assertEquals(all("SELECT value FROM report_metadata"), [{ __proto__: null, value: "3.5" }]);
    // Every tensor that an op reads is made by one before it, or by none.
    assertEquals(
      all(
        "SELECT * FROM input_tensors i JOIN output_tensors o ON o.tensor_id = i.tensor_id WHERE o.operation_id >= i.operation_id",
      ),
      [],
    );
    const overlaps = all(
      "SELECT * FROM buffers a JOIN buffers b ON a.operation_id = b.operation_id AND a.buffer_type = b.buffer_type " +
        "AND a.address < b.address AND a.address + a.max_size_per_bank > b.address",
    );
    assertEquals(overlaps, []);
    const sharded = all("SELECT * FROM buffers WHERE buffer_type = 1 AND buffer_layout = 4");
    assert(sharded.length > 0);
    const [config] = all("SELECT memory_config FROM tensors WHERE memory_config LIKE '%BLOCK%' LIMIT 1");
    assert(
      /shard_spec=ShardSpec\(grid=\{\[\(x=0,y=0\) - \(x=\d,y=\d\)\]\},shape=\{\d+, \d+\},/.test(
        String(config?.memory_config),
      ),
      String(config?.memory_config),
    );
    const buffers = all("SELECT captured_graph FROM captured_graph").flatMap(({ captured_graph: text }) =>
      JSON.parse(String(text)).filter(({ node_type }: { node_type: string }) =>
        node_type === "circular_buffer_allocate"
      )
    );
    assert(buffers.length > 10);
    const log = await Deno.readTextFile(join(folder, "perf", "profile_log_device.csv"));
    assert(log.startsWith("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"), log);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** The environment with ttnn-visualizer, as `confirm` is told of the one with ttnn. */
const VISUALIZER = join(Deno.env.get("TILEWRIGHT_TTNN") ?? "", "v", "bin", "ttnn-visualizer");
const isThere = await Deno.stat(VISUALIZER).then(() => true, () => false);

Deno.test({
  name: "ttnn-visualizer opens the output of report --visualizer (skipped without it: TILEWRIGHT_TTNN)",
  ignore: !isThere,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    (await written(join(folder, "report"), "n300")).close();
    const port = 20000 + Deno.pid % 20000;
    const server = new Deno.Command(VISUALIZER, {
      args: [
        ...["--profiler-path", join(folder, "report")],
        ...["--performance-path", join(folder, "report", "perf")],
        ...["--host", "127.0.0.1", "--port", String(port)],
      ],
      env: { APP_DATA_DIRECTORY: folder, REPORT_DATA_DIRECTORY: folder },
      stdout: "null",
      stderr: "piped",
      // It starts another server, which ends with its group alone.
      detached: true,
    }).spawn();
    try {
      let said = "";
      for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
        said += text;
        const [instance] = /instanceId=[\w-]+/.exec(said) ?? [];
        if (instance === undefined) continue;
        const get = async (
          path: string,
          tries = 60,
        ): Promise<Record<string, unknown>[] & Record<string, unknown>> => {
          const address = `http://127.0.0.1:${port}/api/${path}?${instance}`;
          // It says where it will listen before it does.
          const answer = await fetch(address).catch(() => undefined);
          if (answer === undefined && tries > 0) {
            await new Promise((done) => setTimeout(done, 500));
            return await get(path, tries - 1);
          }
          if (answer === undefined) throw new Error(`no answer from ${address}`);
          assertEquals(answer.status, 200, path);
          return await answer.json();
        };
        const operations = await get("operations");
        assert(operations.length > 7);
        assert(Object((await get("operations/2")).device_operations).length > 3);
        assert((await get("tensors")).length > 10);
        assert((await get("buffers")).length > 10);
        // Topology is empty without chips, and without their places.
        const { arch, ethernet_connections: links } = await get("cluster-descriptor");
        assertEquals([Object.keys(Object(arch)).length, Object(links).length > 0], [2, true]);
        assertEquals((await get("mesh-descriptor")).chips, { "0": [0, 0], "1": [1, 0] });
        assertEquals((await get("devices"))[0]?.worker_l1_size, 1_499_136);
        assert(Object((await get("performance/perf-results/report")).report).length > 7);
        break;
      }
    } finally {
      Deno.kill(-server.pid);
      await server.status;
      await Deno.remove(folder, { recursive: true });
    }
  },
});
