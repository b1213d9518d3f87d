import { describe, expect, test } from 'vitest';
import { formatVersion, parseVersion } from './read-version.ts';
import { gateVersion } from './version.ts';

describe('parseVersion', () => {
  test.each([
    ['envoy  version: 0123abc/1.40.0/Clean/RELEASE/BoringSSL', '1.40.0'],
    ['0123abc/1.41.0-dev/Modified/DEBUG/BoringSSL', '1.41.0'],
    ['1.39.1', '1.39.1'],
  ])('reads %s', (text, version) => {
    expect(formatVersion(parseVersion(text) ?? { major: 0, minor: 0, patch: 0 })).toBe(version);
  });

  test.each(['', 'nginx version: nginx/1.22', 'envoy'])('reads no release in %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

describe('gateVersion', () => {
  test.each([
    ['1.39.0', false, undefined],
    ['1.38.9', false, undefined],
    ['0.99.0', false, undefined],
    ['1.39.1', true, undefined],
    ['1.40.7', true, undefined],
    ['1.41.0', true, expect.stringContaining('1.41.0 is newer')],
    ['2.0.0', true, expect.stringContaining('2.0.0 is newer')],
  ])('judges %s', (text, ok, warning) => {
    const gate = gateVersion(parseVersion(text) ?? { major: 0, minor: 0, patch: 0 });
    expect(gate).toMatchObject({ ok, ...(warning !== undefined && { warning }) });
    if (ok && warning === undefined) expect(gate).toEqual({ ok: true });
  });
});
