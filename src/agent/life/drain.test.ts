import { describe, expect, test } from 'vitest';
import type { AdminClient, AdminOptions, AdminResponse } from '../../envoy/admin.ts';
import { fileOf } from '../../testing/resource-files.ts';
import { createLog } from '../log/log.ts';
import { type DrainParts, startDrain } from './drain.ts';

const listeners = fileOf({ address: { socket_address: { address: '0.0.0.0', port_value: 15006 } } });

/** An Envoy whose answers the test gives; calls are noted as they come. */
function parts(answer: (path: string, call: number) => AdminResponse | 'fails' | 'hangs', config: object = {}) {
  const calls: string[] = [];
  const lines: string[] = [];
  const ends: number[] = [];
  const gone = new AbortController();
  const ask = (path: string, options: AdminOptions = {}): Promise<AdminResponse> => {
    calls.push(path);
    const said = answer(path, calls.length);
    if (said === 'fails') return Promise.reject(new Error('nobody listens'));
    if (said !== 'hangs') return Promise.resolve(said);
    return new Promise((_resolve, reject) =>
      options.signal?.addEventListener('abort', () => reject(new Error('late'))),
    );
  };
  const admin: AdminClient = { get: ask, post: ask };
  const drainParts: DrainParts = {
    admin,
    config: { role: 'sidecar', terminationDrainMs: 400, ...config },
    listeners: () => listeners,
    gone: gone.signal,
    log: createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) }),
    onEnd: (ms) => ends.push(ms),
  };
  return { calls, lines, ends, gone, drainParts };
}

const ok: AdminResponse = { status: 200, body: 'OK' };
const open = (count: number): AdminResponse => ({
  status: 200,
  body: `listener.0.0.0.0_15006.downstream_cx_active: ${count}\n`,
});

/** A drain, and how long it takes from before its beginning: a busy machine may stop the test between the two. */
function timedDrain(...args: Parameters<typeof startDrain>): ReturnType<typeof startDrain> & { ms: Promise<number> } {
  const startedAt = performance.now();
  const drain = startDrain(...args);
  return { ...drain, ms: drain.ended.then(() => performance.now() - startedAt) };
}

// Side by side: nearly all of the time is waited for.
describe.concurrent('startDrain', () => {
  test.each([
    ['sidecar', 'plain', ['/drain_listeners?inboundonly']],
    ['sidecar', 'graceful', ['/drain_listeners?graceful&inboundonly', '/drain_listeners?inboundonly']],
    ['router', 'plain', ['/drain_listeners']],
    ['router', 'graceful', ['/drain_listeners?graceful', '/drain_listeners']],
  ] as const)('of a %s, %s, makes its calls and takes its time', async (role, form, expected) => {
    const { calls, ends, drainParts } = parts(() => ok, { role });
    const drain = timedDrain(drainParts, form);
    expect(await drain.isTaken).toBe(true);
    const ms = await drain.ms;
    expect(calls).toEqual(expected);
    expect(ms).toBeGreaterThan(380);
    expect(ends[0]).toBeGreaterThanOrEqual(399);
  });

  test.each(['fails', 'hangs', { status: 503, body: 'busy' }] as const)(
    'is bounded by its time, and says why, when Envoy %j',
    async (answer) => {
      const { lines, drainParts } = parts(() => answer);
      const drain = timedDrain(drainParts, 'graceful');
      const ms = await drain.ms;
      expect(ms).toBeGreaterThan(380);
      expect(ms).toBeLessThan(30_000);
      expect(await drain.isTaken).toBe(false);
      if (answer !== 'hangs') expect(lines.join('')).toContain('Envoy cannot be asked to drain');
    },
  );

  test('asks again after a failure that passes', async () => {
    const { calls, drainParts } = parts((_path, call) => (call === 1 ? 'fails' : ok));
    const drain = startDrain(drainParts, 'plain');
    expect(await drain.isTaken).toBe(true);
    expect(calls).toHaveLength(2);
    await drain.ended;
  });

  test('ends when Envoy is gone', async () => {
    const { gone, drainParts } = parts(() => ok, { terminationDrainMs: 60_000 });
    const drain = timedDrain(drainParts, 'graceful');
    gone.abort();
    expect(await drain.ms).toBeLessThan(30_000);
  });

  test('ends early once no connection is open, not before the minimum; a failing count is counted again', async () => {
    const { calls, drainParts } = parts(
      (path, call) => (path.startsWith('/drain') ? ok : call === 2 ? 'fails' : open(call < 4 ? 1 : 0)),
      { terminationDrainMs: 60_000, earliestDrainEndMs: 300 },
    );
    const ms = await timedDrain(drainParts, 'plain').ms;
    // The call, then counts at 300 (fails), 550 (one is open) and 800 ms (none is).
    expect(calls).toHaveLength(4);
    expect(ms).toBeGreaterThan(780);
    expect(ms).toBeLessThan(30_000);
  });

  test('closes its listeners before it believes, in the graceful form, that no connection is open', async () => {
    const { calls, drainParts } = parts((path) => (path.startsWith('/drain') ? ok : open(0)), {
      terminationDrainMs: 60_000,
      earliestDrainEndMs: 50,
    });
    await startDrain(drainParts, 'graceful').ended;
    expect(calls.map((path) => path.replace(/filter=.*/, ''))).toEqual([
      '/drain_listeners?graceful&inboundonly',
      '/stats?',
      '/drain_listeners?inboundonly',
      '/stats?',
    ]);
  });

  test.each([open(1), 'fails', { status: 200, body: '' }] as const)(
    'takes its full time while a connection may be open (%j)',
    async (answer) => {
      const { drainParts } = parts((path) => (path.startsWith('/drain') ? ok : answer), { earliestDrainEndMs: 0 });
      expect(await timedDrain(drainParts, 'plain').ms).toBeGreaterThan(380);
    },
  );
});
