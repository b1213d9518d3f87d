import { statSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { runProxies, runStatus, runWhy } from '../../cli/control/debug-commands.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RawStream, ServingBench, textOf } from '../testing/serving-bench.ts';

describe('the debug socket of meshd, and the commands that ask it', () => {
  let bench: ServingBench;
  let stream: RawStream;

  beforeAll(async () => {
    bench = await ServingBench.create();
    await bench.put('mesh.yaml', objects(namespace, httpbinPod()));
    await bench.put('deny.yaml', denyPath('/secret'));
    await bench.start();
    stream = bench.open(await bench.identity('foo/httpbin'));
    for (const list of ['clusters', 'listeners'] as const) stream.subscribe(list);
    await eventually(() => expect(stream.seen.length).toBe(2));
  });
  afterAll(() => bench.close());

  type Command = typeof runStatus;
  async function run(command: Command, options: { readonly json?: true } = {}): Promise<string> {
    let written = '';
    const write = async (part: string): Promise<void> => {
      written += part;
    };
    await command({ socket: [bench.debugSocket], ...options }, { write, stop: new AbortController().signal });
    return written;
  }
  const why = (name?: string): Promise<string> => run((options, io) => runWhy('foo/httpbin', name, options, io));

  function ask(method: string, path: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: bench.debugSocket, method, path }, async (answer) =>
        resolve({ status: answer.statusCode, body: await text(answer) }),
      );
      sent.on('error', reject).end();
    });
  }

  test('can be opened by its user alone', () => {
    expect(statSync(bench.debugSocket).mode & 0o777).toBe(0o600);
    expect(statSync(bench.path('run')).mode & 0o777).toBe(0o700);
  });

  test('status says that it serves, how many proxies are in step, and that the inputs are sound', async () => {
    await eventually(async () => expect(await run(runStatus)).toContain('1 known, 1 connected, 1 in step, 0 waiting'));
    expect(await run(runStatus)).toMatch(/^meshd test at .*: serves\n.*\n {2}inputs {3}valid\n$/);
    expect(JSON.parse(await run(runStatus, { json: true }))[0].answer).toMatchObject({
      format: 1,
      connected: 1,
      inStep: 1,
    });
  });

  test('proxies lists what a proxy has acknowledged, and what it refuses', async () => {
    expect(await run(runProxies)).toMatch(/^PROXY .*ROUTES\nfoo\/httpbin {2}in step {2}.* [0-9a-f]{8} /);
    const [{ answer }] = JSON.parse(await run(runProxies, { json: true }));
    expect(answer.proxies[0]).toMatchObject({ identity: 'spiffe://cluster.local/ns/foo/sa/httpbin', refused: [] });
    const { listeners, routes } = answer.proxies[0].types;
    expect(listeners.acknowledged).toBe(listeners.current);
    expect(routes.acknowledged).toBeUndefined();
  });

  test('why names the fields that decided a listener, with file and line, and what is wrong with an object', async () => {
    const decided = await why('virtualInbound');
    expect(decided).toMatch(/^foo\/httpbin has the configuration of the current inputs\n\nlisteners virtualInbound\n/);
    expect(decided).toMatch(/by AuthorizationPolicy\/foo\/p spec\.\S* \(.*deny\.yaml:\d+:\d+\)/);
    await bench.put('deny.yaml', denyPath('/secret').replace('DENY', 'DENI'));
    await eventually(async () => expect(await why()).toContain('is invalid; its last valid version is in force'));
    expect(await why()).toMatch(/deny\.yaml:4:\d+: "action" is "DENI"/);
    expect(await run(runStatus)).toMatch(/inputs {3}refused at .*:\n {4}.*deny\.yaml:4:/);
    await bench.put('deny.yaml', denyPath('/other'));
    await eventually(() => expect(textOf(stream.seen.at(-1))).toContain('/other'));
    expect(await run(runStatus)).toContain('inputs   valid');
  });

  test('why refuses an unknown proxy and an unknown resource', async () => {
    const io = { write: async () => undefined, stop: new AbortController().signal };
    const options = { socket: [bench.debugSocket] };
    await expect(runWhy('foo/gone', undefined, options, io)).rejects.toThrow('the mesh has no proxy foo/gone');
    await expect(runWhy('foo/httpbin', 'gone', options, io)).rejects.toThrow('named "gone"');
    await expect(runWhy('httpbin', undefined, options, io)).rejects.toThrow('a proxy is namespace/name');
    const nobody = { socket: [bench.path('run/nobody.sock')] };
    await expect(runStatus(nobody, io)).rejects.toThrow(/no meshd answers at ".*nobody\.sock" \(ENOENT\)/);
  });

  test('status adds up the proxies of several replicas', async () => {
    let written = '';
    const write = async (part: string): Promise<void> => {
      written += part;
    };
    const socket = [bench.debugSocket, bench.debugSocket];
    await runStatus({ socket }, { write, stop: new AbortController().signal });
    expect(written).toContain('2 replicas\n  proxies  1 known, 2 connected, 2 in step');
  });

  test('answers with the resources of a proxy, answers unknown paths with 404, and changes nothing by GET', async () => {
    const dump = JSON.parse((await ask('GET', '/debug/config_dump?proxy=foo/httpbin')).body);
    expect(dump.listeners.map(({ name }: { readonly name: string }) => name)).toContain('virtualInbound');
    expect((await ask('GET', '/debug/config_dump?proxy=foo/gone')).status).toBe(404);
    expect(await ask('GET', '/debug/forget?kind=AuthorizationPolicy')).toMatchObject({ status: 404 });
    expect(await ask('POST', '/debug/forget?kind=AuthorizationPolicy')).toEqual({
      status: 200,
      body: '{"objects":0}\n',
    });
    expect(await ask('POST', '/debug/status')).toMatchObject({ status: 404 });
    expect((await ask('GET', '/__proto__')).status).toBe(404);
  });
});
