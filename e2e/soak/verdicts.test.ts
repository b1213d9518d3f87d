import { beforeEach, describe, expect, test } from 'vitest';
import { type Call, Verdicts } from './verdicts.ts';

const call = (startedMs: number, status: number, endedMs = startedMs + 10): Call => ({
  ...{ name: 'a -> b', startedMs, endedMs, status },
});

describe('Verdicts', () => {
  let verdicts: Verdicts;
  beforeEach(() => {
    const proxies = ['a', 'b'];
    verdicts = new Verdicts([{ name: 'a -> b', through: proxies }]);
    verdicts.decided('a -> b', 200, 0);
  });

  test('let a call have the verdict of a policy that was in force while it ran', () => {
    expect(verdicts.faultOf(call(100, 200))).toBeUndefined();
    expect(verdicts.faultOf(call(100, 403))).toBe('wrong verdict');
    verdicts.decided('a -> b', 403, 1_000);
    expect([call(1_100, 200), call(1_100, 403), call(990, 403)].map((it) => verdicts.faultOf(it))).toEqual(
      Array(3).fill(undefined),
    );
    expect(verdicts.faultOf(call(900, 403))).toBe('wrong verdict');
    verdicts.settled('a -> b', 2_000);
    expect(verdicts.faultOf(call(1_999, 200, 5_000))).toBeUndefined();
    expect(verdicts.faultOf(call(2_001, 200))).toBe('wrong verdict');
    expect(verdicts.faultOf(call(2_001, 403))).toBeUndefined();
  });

  test('let a call fail while an Envoy on its way is away, and two seconds longer', () => {
    for (const status of [0, 503]) {
      expect(verdicts.faultOf(call(100, status))).toBe('failed');
      verdicts.envoyAway('b', 1_000);
      expect(verdicts.faultOf(call(100, status, 900))).toBe('failed');
      expect(verdicts.faultOf(call(900, status, 1_100))).toBeUndefined();
      verdicts.envoyBack('b', 3_000);
      expect(verdicts.faultOf(call(5_000, status))).toBeUndefined();
      expect(verdicts.faultOf(call(5_001, status))).toBe('failed');
    }
    verdicts.envoyAway('c', 10_000);
    expect(verdicts.faultOf(call(10_000, 503))).toBe('failed');
    // No absence gives anybody access.
    verdicts.envoyAway('a', 20_000);
    expect(verdicts.faultOf(call(20_000, 403))).toBe('wrong verdict');
  });
});
