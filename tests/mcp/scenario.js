// scenario - what the conformance harness runs as the client: does what its scenario asks, with our
// driver. The last argument is the address of the harness's server.
import { Driver } from './driver.js';

const url = process.argv.at(-1);
const name = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

const SCENARIOS = {
  async 'tools_call'(driver) {
    await driver.call('add_numbers', { a: 5, b: 3 });
  },
  async 'elicitation-sep1034-client-defaults'(driver) {
    await driver.call('test_client_elicitation_defaults');
  },
  async 'sse-retry'(driver) {
    await driver.call('test_reconnection');
  },
  async 'json-schema-2020-12-preservation'(driver, tools) {
    const { schema } = tools.find((tool) => tool.name === 'json_schema_2020_12_tool');
    await driver.call('json_schema_echo', { schema });
  },
  // The unrelated call is on its way while the others are asked back.
  async 'sep-2322-client-request-state'(driver) {
    const names = ['test_mrtr_echo_state', 'test_mrtr_unrelated', 'test_mrtr_no_state',
      'test_mrtr_no_result_type'];
    names.forEach((tool, at) => driver.start(`k${at}`, tool));
    for (const at of names.keys()) await driver.ask('await', `k${at}`);
  },
  async 'http-standard-headers'(driver, tools) {
    for (const tool of tools) await driver.call(tool.name);
  },
  async 'http-custom-headers'(driver) {
    for (const call of context.toolCalls) await driver.call(call.name, call.arguments);
  },
  async 'http-invalid-tool-headers'(driver, tools) {
    for (const tool of tools) await driver.call(tool.name, { region: 'us-west1', value: 'v' });
  },
};

const driver = Driver.begin(url, name.startsWith('elicitation') ? ['--defaults'] : []);
const { tools, problems } = await driver.list();
for (const problem of problems) console.error(problem.text);
await SCENARIOS[name]?.(driver, tools);
process.exitCode = await driver.leave() || problems.length;
