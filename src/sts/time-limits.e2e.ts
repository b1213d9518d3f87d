import { connect } from 'node:net';
import { describe, expect, type TestContext, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { startTokenBench, type TokenBench } from './testing/token-bench.ts';

/** The tests below wait for real clocks, at the same time: each has its own service. */
async function freshBench({ onTestFinished }: TestContext): Promise<TokenBench> {
  const bench = await startTokenBench();
  onTestFinished(() => bench.close());
  return bench;
}

describe.concurrent('serveTokens, bounded in time', () => {
  test('ends a connection that brings nothing, and does not wait for the next request on one', async (context) => {
    const bench = await freshBench(context);
    const bodiless = `POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    const started = performance.now();
    const socket = connect(bench.server.port, '127.0.0.1', () => socket.write('POST /token HTTP/1.1\r\n'));
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(performance.now() - started).toBeLessThan(9_000);
    const one = connect(bench.server.port, '127.0.0.1', () => one.write(`${bodiless}Content-Length: 0\r\n\r\n`));
    const text: string = await new Promise((resolve) => {
      let all = '';
      one.on('data', (part) => (all += part)).once('end', () => resolve(all));
    });
    expect(text).toMatch(/connection: close/i);
  });

  test('gives the cloud 5 s for an answer and 8 s in all', async (context) => {
    const bench = await freshBench(context);
    bench.cloud.answer = () => 'silence';
    const started = performance.now();
    expect((await bench.ask()).json().error_description).toMatch(/does not answer within \d+ ms/);
    const tookMs = performance.now() - started;
    expect(tookMs).toBeGreaterThan(7_000);
    expect(tookMs).toBeLessThan(10_000);
    expect(bench.cloud.seen).toHaveLength(2);
  });

  test('holds 64 connections at a time, and answers again once they are gone', async (context) => {
    const bench = await freshBench(context);
    const sockets = Array.from({ length: 70 }, () =>
      connect(bench.server.port, '127.0.0.1').on('error', () => undefined),
    );
    const closed = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
    await eventually(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(6), { interval: 20 });
    await Promise.all(closed);
    expect((await bench.ask()).status).toBe(200);
  });
});
