import { describe, expect, test } from 'vitest';
import { maskPodInfo, maskText, redactValue } from './redact.ts';

const token = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl`;

describe('maskText', () => {
  test.each([
    ['api_token: abc', 'api_token: ***'],
    ['{"password": "a\\"b", "kept": 1}', '{"password": "**"*", "kept": 1}'],
    ["{secret: 'x y', kept: z}", "{secret: '***', kept: z}"],
    ['AWS_SECRET_ACCESS_KEY: a#b, c', 'AWS_SECRET_ACCESS_KEY: ******'],
    ['{statusPrt: 1, m: {API_TOKEN: ab}, a: 1}', '{statusPrt: 1, m: {API_TOKEN: **********'],
    ['key: ab', 'key: **'],
    ['monkey: ab', 'monkey: ab'],
    [`note: ${token}`, `note: ${'*'.repeat(token.length)}`],
    ['address: https://user:word@host/x', 'address: https://*********@host/x'],
    ['Authorization: Bearer abcdef', 'Authorization: *************'],
    ['x: Bearer abcdef', 'x: Bearer ******'],
    ['statusPort: 15020', 'statusPort: 15020'],
    ['discoveryAddress: meshd.mesh-system.svc:15012', 'discoveryAddress: meshd.mesh-system.svc:15012'],
  ])('makes of %s %s', (text, masked) => {
    expect(maskText(text)).toBe(masked);
    expect(masked).toHaveLength(text.length);
  });

  test('is done with a long word soon', () => {
    const began = performance.now();
    maskText(`a: ${'tokeN_'.repeat(50_000)}`);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('leaves lines where they are inside a private key', () => {
    const text = 'a: |\n  -----BEGIN EC PRIVATE KEY-----\n  AAAA\n  -----END EC PRIVATE KEY-----\nb: 1\n';
    const masked = maskText(text);
    expect(masked.split('\n').map(({ length }) => length)).toEqual(text.split('\n').map(({ length }) => length));
    expect(masked).not.toContain('AAAA');
    expect(masked.endsWith('\nb: 1\n')).toBe(true);
  });
});

describe('maskPodInfo', () => {
  test('leaves the keys alone', () => {
    expect(maskPodInfo('a="b=c"\nproxy.mesh.io/config=bad\n')).toBe('a="***"\nproxy.mesh.io/config=***\n');
  });
});

describe('redactValue', () => {
  test.each<[unknown, unknown]>([
    [
      { token: 'x', kept: 'y' },
      { token: '[redacted]', kept: 'y' },
    ],
    [[{ name: 'X-Api-Key', value: 'x' }], [{ name: 'X-Api-Key', value: '[redacted]' }]],
    [{ tokens: ['a'] }, { tokens: ['a'] }],
    [{ secret: '' }, { secret: '' }],
    [
      { monkey: 'm', keys: 'k', keyboard: 1 },
      { monkey: 'm', keys: 'k', keyboard: 1 },
    ],
    [`a ${token}`, 'a [redacted]'],
    [undefined, undefined],
  ])('shows %j as %j', (value, shown) => {
    expect(redactValue(value)).toEqual(shown);
  });
});
