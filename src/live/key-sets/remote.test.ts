import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '../../agent/log/log.ts';
import { createKeySetResolver } from '../../jwks/resolve.ts';
import { keySetText, kidsOf, publicJwk } from '../../jwks/testing/keys.ts';
import { eventually } from '../../testing/eventually.ts';
import { startTestServer, type TestServer } from '../../testing/http-server.ts';
import { FetchedKeySets, type FetchOptions } from './remote.ts';

let server: TestServer | undefined;
let keySets: FetchedKeySets;
let logged: string;

afterEach(async () => {
  keySets.close();
  await server?.close();
});

/** Key sets that may come from loopback; what is told goes to `logged`. */
function create(options: Partial<FetchOptions> = {}): void {
  logged = '';
  const write = (line: string): void => {
    logged += line;
  };
  const log = createLog({ isJson: true, level: 'debug', write });
  keySets = new FetchedKeySets({ allowedHosts: ['127.0.0.1'], log, ...options });
}

const rule = () => ({ issuer: 'i', jwksUri: `http://127.0.0.1:${server?.port}/keys` });

describe('FetchedKeySets', () => {
  test('has the keys after it fetched them', async () => {
    const text = keySetText(await publicJwk('a'));
    server = await startTestServer((_request, response) => response.end(text));
    create();
    expect(keySets.find(rule())).toEqual({ reason: 'they are still being fetched' });
    await keySets.fetch([rule()]);
    expect(keySets.find(rule())).toMatchObject({ text: expect.stringContaining('"kid":"a"') });
  });

  test('says why it has none', async () => {
    server = await startTestServer((_request, response) => response.writeHead(404).end());
    create();
    await keySets.fetch([rule()]);
    expect(keySets.find(rule())).toEqual({ reason: `"${rule().jwksUri}" answers 404` });
    expect(logged).toContain('cannot fetch the keys of an issuer');
  });

  test('asks no private host that nobody allowed', async () => {
    server = await startTestServer((_request, response) => response.end('{}'));
    create({ allowedHosts: [] });
    await keySets.fetch([rule()]);
    expect(keySets.find(rule())).toMatchObject({ reason: expect.stringContaining('loopback') });
    expect(server.requests).toEqual([]);
  });

  test('waits no longer than its limit, and reports keys that arrive later', async () => {
    const text = keySetText(await publicJwk('late'));
    let answer: (() => void) | undefined;
    server = await startTestServer((_request, response) => {
      answer = () => void response.end(text);
    });
    create({ waitMs: 50 });
    await keySets.fetch([rule()]);
    expect(keySets.find(rule())).toEqual({ reason: 'they are still being fetched' });
    const news = new Promise<void>((resolve) => keySets.onChange(resolve));
    // On a busy machine the request may reach the server after the wait for its answer has ended.
    await eventually(() => expect(answer).toBeDefined());
    answer?.();
    await news;
    expect(kidsOf((keySets.find(rule()) as { text: string }).text)).toEqual(['late']);
  });

  test('waits for a source once: a change that brings no new one is held up by none', async () => {
    server = await startTestServer(() => undefined);
    create({ waitMs: 300, laterWaitMs: 60_000 });
    await keySets.fetch([rule()]);
    await keySets.fetch([rule()]);
    expect(keySets.find(rule())).toEqual({ reason: 'they are still being fetched' });
  });

  test('asks no source any more that no rule of the last compilation names', async () => {
    server = await startTestServer((_request, response) => response.writeHead(404).end());
    create({ createResolver: (options) => createKeySetResolver({ ...options, timings: { refreshMs: 20 } }) });
    await keySets.fetch([rule()]);
    await eventually(() => expect(server?.requests.length).toBeGreaterThan(3));
    await keySets.fetch([]);
    const asked = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    // One may have been on its way. One that went on would have asked ten times.
    expect(server.requests.length).toBeLessThanOrEqual(asked + 1);
  });

  test('keeps the last valid keys when Envoy refuses the new ones', async () => {
    let text = keySetText(await publicJwk('good'));
    server = await startTestServer((_request, response) => response.end(text));
    create({
      judgeKeys: async (keySet) => (keySet.includes('"kid":"bad"') ? 'invalid local jwks' : undefined),
      createResolver: (options) => createKeySetResolver({ ...options, timings: { refreshMs: 20 } }),
    });
    await keySets.fetch([rule()]);
    text = keySetText(await publicJwk('bad'));
    await eventually(() => expect(logged).toContain('Envoy refuses the key set: \\"invalid local jwks\\"'));
    expect(kidsOf((keySets.find(rule()) as { text: string }).text)).toEqual(['good']);
  });

  test('reports changed keys', async () => {
    let text = keySetText(await publicJwk('old'));
    server = await startTestServer((_request, response) => response.end(text));
    create({ createResolver: (options) => createKeySetResolver({ ...options, timings: { refreshMs: 20 } }) });
    await keySets.fetch([rule()]);
    const news = new Promise<void>((resolve) => keySets.onChange(resolve));
    text = keySetText(await publicJwk('new'));
    await news;
    expect(kidsOf((keySets.find(rule()) as { text: string }).text)).toEqual(['new']);
  });

  test('looks up keys without fetching them', async () => {
    server = await startTestServer((_request, response) => response.end('{}'));
    create({ waitMs: 60_000 });
    keySets.find(rule());
    await keySets.fetch([]);
    expect(server.requests).toEqual([]);
  });
});
