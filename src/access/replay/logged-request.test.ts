import { describe, expect, test } from 'vitest';
import type { LogValue } from './log-format.ts';
import { loggedRequest } from './logged-request.ts';

const loggedValue = (name: string, value: string, argument = '', limit?: number): LogValue => ({
  operator: { name, argument, limit },
  value,
});

describe('loggedRequest', () => {
  test('has a header whole that the format has cut and whole, in either order', () => {
    const both = [loggedValue('REQ', 'adm', 'x-role', 3), loggedValue('REQ', 'admin', 'x-role')];
    for (const values of [both, both.toReversed()]) {
      const { headers, tells } = loggedRequest(values);
      expect(new Set(headers.map(([name, value]) => `${name}=${value}`))).toEqual(new Set(['x-role=admin']));
      expect(tells.headers).toEqual(['x-role']);
    }
    const cut = loggedRequest(both.slice(0, 1));
    expect([cut.headers, cut.tells.headers]).toEqual([[], []]);
  });

  test('tells a header once that the format has twice', () => {
    const { tells, headers } = loggedRequest(Array(2).fill(loggedValue('REQ', '192.0.2.1', 'x-forwarded-for')));
    expect([tells.headers, headers]).toEqual([['x-forwarded-for'], [['x-forwarded-for', '192.0.2.1']]]);
  });

  test.each<[text: string, status: number | undefined]>([
    ['200', 200],
    ['0', 0],
    ...['abc', '', ' ', '-0', '0x0', '1e3'].map((text) => [text, undefined] as [string, undefined]),
  ])('reads the response code %j as %s', (text, status) => {
    expect(loggedRequest([loggedValue('RESPONSE_CODE', text)]).status).toBe(status);
  });
});
