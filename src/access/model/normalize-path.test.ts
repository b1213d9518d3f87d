import { describe, expect, test } from 'vitest';
import { normalizePath, type PathOptions } from './normalize-path.ts';

const none: PathOptions = { normalizes: false, mergesSlashes: false, escapedSlashes: 'keep' };
const base: PathOptions = { ...none, normalizes: true };
const merged: PathOptions = { ...base, mergesSlashes: true };
const decoded: PathOptions = { ...merged, escapedSlashes: 'unescape' };

describe('normalizePath', () => {
  // Each was seen at the real Envoy, which the gauge asks about many more.
  test.each<[string, PathOptions, string]>([
    ['/a/../b', none, '/a/../b'],
    ['/a.b/.c/', decoded, '/a.b/.c/'],
    ['/a.b/c;v=.', decoded, '/a.b/c;v=.'],
    ['/a/.', decoded, '/a/'],
    ['/%61dmin', base, '/admin'],
    ['/x/%2e%2E/admin', base, '/admin'],
    ['/../admin', base, '/admin'],
    ['/x\\..\\admin', base, '/admin'],
    ['/x/..;v=1/admin', base, '/admin'],
    ['/x/%2e%2e;v=1/admin', base, '/x/..;v=1/admin'],
    ['/a/.;x', base, '/a/'],
    ['//admin', base, '//admin'],
    ['/%2fadmin', base, '/%2fadmin'],
    ['/%4%41', base, '/%254A'],
    ['/a"<>^`{|}', base, '/a%22%3C%3E%5E%60%7B%7C%7D'],
    ['/a\xe9', base, '/a%E9'],
    ['//admin//x', merged, '/admin/x'],
    ['//', merged, '//'],
    ['/a?x=//../', merged, '/a?x=//../'],
    ['/x%2f..%2Fadmin', decoded, '/admin'],
    ['/%5cadmin', decoded, '/admin'],
  ])('makes of %s with %j: %s', (raw, options, path) => {
    expect(normalizePath(raw, options)).toEqual({ kind: 'path', path });
  });

  test.each<[string, PathOptions]>([
    ['/a#b', none],
    ['/a%00', base],
    ['/a%2fb', { ...base, escapedSlashes: 'reject' }],
  ])('refuses %s with %j', (raw, options) => {
    expect(normalizePath(raw, options)).toEqual({ kind: 'bad-request' });
  });

  test('redirects the client to the path without escaped slashes if configured so', () => {
    expect(normalizePath('/a%2fb', { ...base, escapedSlashes: 'redirect' })).toEqual({
      kind: 'redirect',
      path: '/a/b',
    });
  });
});
