import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestServer } from '../../testing/http-server.ts';
import { runWait, type WaitArguments } from './wait.ts';

describe('runWait', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  const serve = async (answer: RequestListener, address: string): Promise<number> => {
    const server = await startTestServer(answer, { address });
    ends.push(() => server.close());
    return server.port;
  };
  const wait = async (url: string, given: Partial<WaitArguments> = {}) => {
    let told = '';
    const startedAt = performance.now();
    const usual = { url, timeoutSeconds: 100, requestTimeoutMillis: 100_000, periodMillis: 20 };
    const code = await runWait({ ...usual, ...given }, (text) => {
      told += text;
    });
    return { code, told, ms: performance.now() - startedAt };
  };

  test.each(['127.0.0.1', '::1'])('finds localhost where it listens on %s alone, and asks at once', async (host) => {
    const port = await serve((_, response) => response.end(), host);
    const { code, told, ms } = await wait(`http://localhost:${port}/healthz/ready`, { periodMillis: 60_000 });
    expect([code, told]).toEqual([0, '']);
    expect(ms).toBeLessThan(60_000);
  });

  test('asks until the answer is 200, and nothing else', async () => {
    const statuses = [503, 204, 301, 200];
    const asked: (string | undefined)[] = [];
    const port = await serve(({ url }, response) => {
      asked.push(url);
      response.writeHead(statuses.shift() ?? 500).end();
    }, '127.0.0.1');
    expect(await wait(`http://127.0.0.1:${port}/a/../ready?x`)).toMatchObject({ code: 0, told: '' });
    expect(asked).toEqual(Array(4).fill('/ready?x'));
  });

  test.each<[string, Partial<WaitArguments>, RequestListener, RegExp]>([
    [
      'the reason of the answer',
      { timeoutSeconds: 0 },
      (_, r) => r.writeHead(503).end('no listener\n'),
      /is answered 503: no listener\n$/,
    ],
    [
      'that nobody answers',
      { timeoutSeconds: 0, requestTimeoutMillis: 300 },
      () => undefined,
      /after 0 s: .* does not answer within 300 ms\n$/,
    ],
    [
      'that the answer does not end',
      { timeoutSeconds: 0, requestTimeoutMillis: 300 },
      (_, r) => void r.writeHead(200).write('x'),
      /within 300 ms\n$/,
    ],
    [
      'the last reason, in time',
      { timeoutSeconds: 2 },
      (_, r) => r.writeHead(404).end(),
      /after 2 s: .* is answered 404\n$/,
    ],
  ])('tells %s with 1 when the time is over', async (_name, given, answer, reason) => {
    const port = await serve(answer, '127.0.0.1');
    const { code, told, ms } = await wait(`http://localhost:${port}/`, given);
    expect(code).toBe(1);
    expect(told).toMatch(reason);
    expect(ms).toBeLessThan(60_000);
  });

  test.each<[string, number, RegExp]>([
    ['is the first', 0, /after 2 s: .* does not answer within 2000 ms\n$/],
    ['is not, and then tells what was answered before', 1, /after 2 s: .* is answered 503\n$/],
  ])('lets no request outlast the time where it %s', async (_name, answered, reason) => {
    let asked = 0;
    const port = await serve((_, response) => ++asked <= answered && response.writeHead(503).end(), '127.0.0.1');
    const given = { timeoutSeconds: 2, periodMillis: 100 };
    const { code, told, ms } = await wait(`http://localhost:${port}/`, given);
    expect(code).toBe(1);
    expect(told).toMatch(reason);
    expect(ms).toBeLessThan(60_000);
    expect(asked).toBe(answered + 1);
  });

  test('accepts timeouts that are longer than the longest timer of Node', async () => {
    const port = await serve((_, response) => response.end(), '127.0.0.1');
    const patience = { timeoutSeconds: 99_999_999_999, requestTimeoutMillis: 99_999_999_999 };
    expect(await wait(`http://localhost:${port}/`, patience)).toMatchObject({ code: 0, told: '' });
  });

  test('reports that the connection is refused, with the address that was tried first', async () => {
    const { code, told } = await wait('http://localhost:1/', { timeoutSeconds: 0 });
    expect(code).toBe(1);
    expect(told).toMatch(/does not answer: connect ECONNREFUSED 127\.0\.0\.1:1\n$/);
  });
});
