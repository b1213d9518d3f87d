import { describe, expect, test } from 'vitest';
import type { LogFields, PlainLog } from '../../lib/log.ts';
import { RefusalLog, reasonOf } from './refusal-log.ts';

describe('RefusalLog', () => {
  test('writes 100 lines at once and 5 a second, and how many it left out', () => {
    const written: LogFields[] = [];
    const nothing = (): void => undefined;
    const warn = (_message: string, fields: LogFields = {}): void => void written.push(fields);
    const log: PlainLog = { debug: nothing, info: nothing, error: nothing, warn };
    let now = 0;
    const refusals = new RefusalLog(log, () => now);
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

  test('names the cause of an error', () => {
    expect(reasonOf(new Error('not understood', { cause: new Error('5 names') }))).toBe('not understood: 5 names');
    expect(reasonOf(new Error('not understood'))).toBe('not understood');
  });
});
