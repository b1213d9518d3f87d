import { describe, expect, test } from 'vitest';
import { type InterceptionFacts, judgeInterception } from './interception.ts';

describe('judgeInterception', () => {
  test.each<[boolean, InterceptionFacts, RegExp | undefined, RegExp | undefined]>([
    [false, { routing: 'none', netAdmin: 'never' }, undefined, undefined],
    [false, { routing: 'of others', netAdmin: 'lacks' }, undefined, undefined],
    [false, { routing: 'ours', netAdmin: 'has' }, /rules .* are for TPROXY.*INTERCEPTION_MODE=TPROXY/, undefined],
    [true, { routing: 'ours', netAdmin: 'has' }, undefined, undefined],
    [true, { routing: 'of others', netAdmin: 'has' }, undefined, undefined],
    [true, { routing: undefined, netAdmin: 'has' }, undefined, undefined],
    [true, { routing: 'none', netAdmin: 'has' }, /no rules for it.*istio-iptables -m TPROXY/, undefined],
    [true, { routing: 'ours', netAdmin: 'never' }, /capability NET_ADMIN/, undefined],
    [true, { routing: 'ours', netAdmin: 'lacks' }, undefined, /capability NET_ADMIN/],
  ])('configuration for TPROXY %s, %j', (isTproxy, facts, error, warning) => {
    const verdict = judgeInterception(isTproxy, facts);
    expect(verdict.error ?? '').toMatch(error ?? /^$/);
    expect(verdict.warning ?? '').toMatch(warning ?? /^$/);
  });
});
