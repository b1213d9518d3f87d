import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { plainGateway, topology } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

const policy = (spec: string): string => `
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: first, namespace: foo}
spec: ${spec}
`;

const deny = policy('{action: DENY, rules: [{to: [{operation: {paths: [/denied]}}]}]}');
const allowNothing = policy('{}');

/** Connects without a pause, and writes one line a try: a status, or why there was none; ends after many statuses. */
const asker = `
const { connect } = require('node:net');
let answered = 0;
const ask = () => {
  let line = 'closed';
  const socket = connect(8080, '127.0.0.1');
  socket.write('GET /denied HTTP/1.1\\r\\nHost: plain.example.com\\r\\nConnection: close\\r\\n\\r\\n');
  socket.on('data', (data) => {
    line = /^HTTP\\/1.1 (\\d+)/.exec(data)?.[1] ?? line;
    socket.destroy();
  });
  socket.on('error', ({ code }) => (line = code));
  socket.on('close', () => {
    console.log(line);
    if (/^\\d/.test(line)) answered += 1;
    if (answered < 500) ask();
  });
};
ask();
setTimeout(() => process.exit(), 30000).unref();
`;

describe('the first policies of a proxy', () => {
  const started: ProxyProgram[] = [];
  afterEach(async () => {
    for (const proxy of started.splice(0)) await proxy.close();
  });

  /** Every outcome of a request that is repeated from before the start on, in order, each once where it repeats. */
  async function outcomesOfStart(text: string): Promise<{ readonly all: string[]; readonly changes: string[] }> {
    const proxy = await ProxyProgram.create(topology);
    started.push(proxy);
    await proxy.write('mesh/gateway.yaml', objects(plainGateway(80, '*'), text));
    await proxy.write('asker.cjs', asker);
    proxy.start({ role: 'router', prepare: `"${process.execPath}" asker.cjs >answers &` });
    const linesOf = async (): Promise<string[]> => (await proxy.readOwn('answers')).split('\n').slice(0, -1);
    const answered = (lines: readonly string[]): string[] => lines.filter((line) => /^\d/.test(line));
    await eventually(async () => expect(answered(await linesOf())).toHaveLength(500));
    const all = await linesOf();
    return { all, changes: all.filter((line, i) => line !== all[i - 1]) };
  }

  test('answers 200 where nothing is denied, as soon as it listens', async () => {
    const { changes } = await outcomesOfStart(
      policy('{action: DENY, rules: [{to: [{operation: {paths: [/other]}}]}]}'),
    );
    expect(changes).toEqual(['ECONNREFUSED', '200']);
  });

  test.each([
    ['DENY of a path', deny],
    ['ALLOW of nothing', allowNothing],
  ])('hold before the listener takes connections: %s', async (_, text) => {
    const { all, changes } = await outcomesOfStart(text);
    expect(all.filter((line) => line === 'ECONNREFUSED').length).toBeGreaterThan(100);
    expect(changes).toEqual(['ECONNREFUSED', '403']);
  });
});
