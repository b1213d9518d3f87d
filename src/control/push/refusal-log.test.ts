import { describe, expect, test } from 'vitest';
import type { LogFields, PlainLog } from '../../lib/log.ts';
import { RefusalLog, reasonOf } from './refusal-log.ts';

const nothing = (): void => undefined;
function logTo(written: LogFields[]): PlainLog {
  const warn = (_message: string, fields: LogFields = {}): void => void written.push(fields);
  return { debug: nothing, info: nothing, error: nothing, warn };
}

describe('RefusalLog', () => {
  test('writes 100 lines at once and 5 a second, and how many it left out', () => {
    const written: LogFields[] = [];
    let now = 0;
    const refusals = new RefusalLog(logTo(written), () => now);
    const identity = 'spiffe://cluster.local/ns/foo/sa/app';
    const origin = { peer: '10.0.0.1:4000', nodeId: `sidecar~${'x'.repeat(1_000)}` };
    for (let i = 0; i < 1_000; i++) refusals.tell('no', { ...origin, identity });
    expect(written).toHaveLength(100);
    expect(written[0]).toEqual({ reason: 'no', peer: '10.0.0.1:4000', identity, proxy: origin.nodeId.slice(0, 300) });
    now = 1_000;
    for (let i = 0; i < 10; i++) refusals.tell('no', { peer: '10.0.0.2:5' });
    expect(written.slice(100)).toEqual([
      { reason: 'no', peer: '10.0.0.2:5', leftOut: 900 },
      ...Array.from({ length: 4 }, () => ({ reason: 'no', peer: '10.0.0.2:5' })),
    ]);
  });

  test('writes 20 lines at once and one a second of what a proxy refuses, and as many of another one', () => {
    const written: LogFields[] = [];
    let now = 0;
    const refusals = new RefusalLog(logTo(written), () => now);
    const [typeUrl, message] = ['type', 'no'];
    const refuse = (nodeId: string): void => refusals.tellResponse({ typeUrl, message, nodeId });
    const long = `sidecar~10.0.0.1~web.foo~${'x'.repeat(4_000_000)}`;
    for (let i = 0; i < 1_000; i++) refuse(long);
    expect(written).toEqual(Array.from({ length: 20 }, () => ({ type: typeUrl, proxy: long.slice(0, 300), message })));
    refuse('another');
    now = 1_000;
    for (let i = 0; i < 10; i++) refuse(long);
    expect(written.slice(20)).toEqual([
      { type: typeUrl, proxy: 'another', message, leftOut: 980 },
      { type: typeUrl, proxy: long.slice(0, 300), message },
    ]);
  });

  test('names the cause of an error', () => {
    expect(reasonOf(new Error('not understood', { cause: new Error('5 names') }))).toBe('not understood: 5 names');
    expect(reasonOf(new Error('not understood'))).toBe('not understood');
  });
});
