import { encode } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseQuery, type Query } from './message.ts';
import { OwnQueries } from './own-queries.ts';
import { TlsUpstream } from './tls-upstream.ts';

const query = parseQuery(encode({ type: 'query', id: 7, questions: [{ type: 'A', name: 'a.global' }] })) as Query;

describe('TlsUpstream', () => {
  const heard: string[] = [];
  const observer = {
    requested: () => undefined,
    failed: () => undefined,
    asked: (upstream: string) => void heard.push(`asked ${upstream}`),
    missed: (upstream: string) => void heard.push(`missed ${upstream}`),
    answered: () => void heard.push('answered'),
    pending: (count: number) => void heard.push(`pending ${count}`),
  };
  beforeEach(() => {
    heard.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => void vi.useRealTimers());

  /** Of a server whose roots nobody knows yet: no connection is made. */
  const upstream = (own = new OwnQueries()): TlsUpstream =>
    new TlsUpstream({
      ...{ own, observer, queryMs: 2_000 },
      server: { host: 'localhost', port: 1, readRoots: () => new Promise(() => undefined) },
    });

  test('gives a query up after its time, and remembers nothing of it', async () => {
    const own = new OwnQueries();
    const asked = upstream(own).ask(query);
    const ended = expect(asked).rejects.toThrow(
      'the DNS server of the mesh, localhost:1, does not answer: no connection in time',
    );
    await vi.advanceTimersByTimeAsync(1_999);
    expect(heard).toEqual(['pending 1', 'asked tls']);
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    expect(heard).toEqual(['pending 1', 'asked tls', 'pending 0', 'missed tls']);
    expect(Array.from({ length: 0x10000 }, (_, id) => own.has({ ...query, id })).includes(true)).toBe(false);
  });

  test('leaves no timer behind when it is closed, and asks nobody after that', async () => {
    const closed = upstream();
    const ended = Promise.allSettled([closed.ask(query), closed.ask(query)]);
    closed.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(vi.getTimerCount()).toBe(0);
    await expect(closed.ask(query)).rejects.toThrow('the agent ends');
    expect(heard.filter((it) => it === 'asked tls')).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
