import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiRequest } from '../../kubernetes/api.ts';
import { KubernetesError } from '../../kubernetes/kubernetes-error.ts';
import type { Rate } from '../../lib/token-bucket.ts';
import type { ObjectReport, Verdict } from './object-report.ts';
import { StatusBook } from './status-book.ts';
import { StatusWriter } from './status-writer.ts';

const type = {
  ...{ group: 'security.mesh.io', version: 'v1beta1', kind: 'AuthorizationPolicy', resource: 'authorizationpolicies' },
  isNamespaced: true,
};

function report(name: string, more: Partial<ObjectReport> = {}): ObjectReport {
  const verdict: Verdict = { version: 'v1', errors: [], lint: undefined };
  return { path: name, type, namespace: 'foo', name, generation: 1, revision: '1', conditions: [], verdict, ...more };
}

const reports = (count: number): readonly ObjectReport[] =>
  Array.from({ length: count }, (_, i) => report(`deny-${i}`));

/** A write as the server gets it. */
interface Write {
  readonly ms: number;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

describe('StatusWriter', () => {
  let book: StatusBook;
  let writes: Write[];
  /** What the server says to a write. */
  let answer: () => void;
  let term: AbortController;

  beforeEach(() => {
    vi.useFakeTimers();
    [book, writes, term] = [new StatusBook(), [], new AbortController()];
    answer = () => undefined;
  });
  afterEach(() => {
    term.abort();
    vi.useRealTimers();
  });

  /** Starts it on a server that takes each write. */
  function start(rate: Rate): StatusWriter {
    const startMs = performance.now();
    const api = {
      ask: async <T>({ body }: ApiRequest): Promise<T> => {
        const { metadata, status } = body as Pick<Write, 'metadata'> & { readonly status: object };
        writes.push({ ms: performance.now() - startMs, metadata });
        answer();
        return { metadata: { ...metadata, resourceVersion: '2' }, status } as T;
      },
    };
    const config = { reconciliation: true, analysis: false, rate };
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const writer = new StatusWriter({ api, book, config, reach: undefined, log, count: () => undefined });
    run(writer);
    return writer;
  }

  function run(writer: StatusWriter): void {
    const { signal } = term;
    void writer.run({
      signal,
      get holds() {
        return !signal.aborted;
      },
    });
  }

  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

  test.each([
    { perSecond: 2, burst: 5 },
    { perSecond: 0.5, burst: 1 },
    { perSecond: 50, burst: 1 },
  ])('writes $burst at once, and then $perSecond per second', async (rate) => {
    book.take(reports(60), []);
    start(rate);
    await pass(10);
    expect(writes).toHaveLength(rate.burst);
    await pass(4_000);
    const expected = Math.min(60, rate.burst + 4 * rate.perSecond);
    expect(writes.length).toBeLessThanOrEqual(expected);
    // A timer of a millisecond may be late by one.
    expect(writes.length).toBeGreaterThanOrEqual(expected * 0.9);
    for (const [index, { ms }] of writes.entries())
      expect(ms).toBeGreaterThanOrEqual(((index + 1 - rate.burst) / rate.perSecond) * 1_000 - 0.001);
    await pass((60 / rate.perSecond) * 1_100);
    expect(new Set(writes.map(({ metadata }) => metadata.name)).size).toBe(60);
    expect(writes).toHaveLength(60);
  });

  test('writes what is known when the rate allows it, and nothing that was known before', async () => {
    book.take(reports(3), []);
    start({ perSecond: 0.1, burst: 1 });
    await pass(1_000);
    book.take([report('deny-1', { revision: '7', generation: 2 })], ['deny-2']);
    await pass(30_000);
    expect(writes.map(({ metadata: { name, resourceVersion } }) => `${name} ${resourceVersion}`)).toEqual([
      'deny-0 1',
      'deny-1 7',
    ]);
  });

  test('a term that ends while writes wait costs the next one nothing', async () => {
    book.take(reports(20), []);
    const writer = start({ perSecond: 0.1, burst: 1 });
    await pass(9_000);
    term.abort();
    await pass(0);
    term = new AbortController();
    run(writer);
    await pass(1_600);
    expect(writes.map(({ ms }) => Math.round(ms / 1_000))).toEqual([0, 10]);
  });

  test('counts failed writes, and tries the others after 5 seconds if the API server does not answer', async () => {
    answer = () => {
      throw new KubernetesError('api-unreachable', 'PATCH: no answer');
    };
    book.take(reports(100), []);
    start({ perSecond: 10, burst: 3 });
    await pass(4_900);
    expect(writes).toHaveLength(3);
    await pass(5_000);
    expect(writes).toHaveLength(6);
  });
});
