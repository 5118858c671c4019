// `ponte mcp` with programs of the protocol's authors: the client of their SDK, and the command
// line of their inspector.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createPonte } from '../../host/embed.js';
import { npmPackages } from '../support/npm-packages.js';
import { programArguments } from '../support/servers/host-process.js';

const packages = npmPackages('mcp', {
  '@modelcontextprotocol/sdk': '1.32.2',
  '@modelcontextprotocol/inspector': '2.12.0',
});

/** As far as the tests use it. */
interface AgentClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  close(): Promise<void>;
}

async function opened(t: TestContext) {
  const ponte = await createPonte();
  t.after(() => ponte.close());
  const env = { PONTE_KEY: ponte.apiKey };
  const { id } = await ponte.post('/v1/payment-intents', {
    externalId: 'order-7',
    amount: '250.00',
    buyer: { email: 'ana@buyer.example' },
  });
  return {
    id: String(id),
    env,
    words: [...programArguments, 'mcp', '--url', await ponte.listen()],
  };
}

test('the client of the official SDK lists the tools, and explains a payment', async (t) => {
  const { id, env, words } = await opened(t);
  const sdk = join(await packages, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client');
  const { Client } = await import(pathToFileURL(join(sdk, 'index.js')).href);
  const { StdioClientTransport } = await import(pathToFileURL(join(sdk, 'stdio.js')).href);
  const client: AgentClient = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: words, env }));
  t.after(() => client.close());
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'simulate_event'));
  const story = await client.callTool({ name: 'explain_payment', arguments: { id } });
  assert.match(story.content[0]?.text ?? '', /created by key test/);
});

test('the inspector calls a tool', async (t) => {
  const { id, env, words } = await opened(t);
  const folder = await packages;
  const call = ['--method', 'tools/call', '--tool-name', 'read_payment', '--tool-arg', `id=${id}`];
  const given = ['--cli', '-e', `PONTE_KEY=${env.PONTE_KEY}`, process.execPath, ...words, ...call];
  const { stdout } = await promisify(execFile)(
    join(folder, 'node_modules/.bin/mcp-inspector'),
    given,
    { cwd: folder },
  );
  const { content } = JSON.parse(stdout);
  assert.equal(JSON.parse(content[0].text).externalId, 'order-7');
});
