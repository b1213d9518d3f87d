import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { PathNormalization } from '../../config/settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { AuthorizationAction, Operation } from '../../policy/authorization-policy.ts';
import * as make from '../../testing/objects.ts';
import { checkPaths } from './path-checks.ts';

/** Hints about the paths of one operation. */
function hints(action: AuthorizationAction, operation: Operation, level: PathNormalization): (string | undefined)[] {
  const bag = new DiagnosticBag();
  const policy = make.authorizationPolicy('a/p', { action, rules: [{ to: [{ operation }] }] });
  checkPaths([policy], { ...defaultSettings, pathNormalization: level }, bag);
  return bag.all.map(({ hint }) => /"(.*)"/.exec(hint ?? '')?.[1]);
}

describe('checkPaths', () => {
  test.each<[string, PathNormalization, string | undefined]>([
    ['/a//b', 'DECODE_AND_MERGE_SLASHES', '/a/b'],
    ['/a//b', 'MERGE_SLASHES', '/a/b'],
    ['//a*', 'MERGE_SLASHES', '/a*'],
    ['/a/../b', 'BASE', '/b'],
    ['/./a', 'BASE', '/a'],
    ['/a/.', 'BASE', '/a/'],
    ['/a/b/..', 'BASE', '/a/'],
    ['/a/%2E%2e/b', 'BASE', '/b'],
    ['/a\\..\\b', 'BASE', '/b'],
    ['/a%2f..%2fb', 'DECODE_AND_MERGE_SLASHES', '/b'],
    ['/a/%5c/b*', 'DECODE_AND_MERGE_SLASHES', '/a/b*'],
  ])('a DENY of path "%s" under %s is reported, and "%s" is offered', (path, level, expected) => {
    expect(hints('DENY', { paths: [path] }, level)).toEqual([expected]);
  });

  test.each(['*/../a', '*//', '/{*}/./a', '/{**}//a', '/a%00b', '/..'])(
    'a DENY of path "%s", which no request can have, is reported',
    (path) => {
      expect(hints('DENY', { paths: [path] }, 'DECODE_AND_MERGE_SLASHES')).toHaveLength(1);
    },
  );

  test.each<[string, PathNormalization]>([
    ['/a//b', 'NONE'],
    ['/a/../b', 'NONE'],
    ['/a//b', 'BASE'],
    ['/a%2f..%2fb', 'MERGE_SLASHES'],
    ['//', 'MERGE_SLASHES'],
    ['/a/..*', 'BASE'],
    ['*..', 'BASE'],
    ['/...', 'BASE'],
    ['/a%61', 'BASE'],
    ['/..;/a', 'BASE'],
    ['/a/{*}', 'DECODE_AND_MERGE_SLASHES'],
  ])('a DENY of path "%s" under %s is not reported', (path, level) => {
    expect(hints('DENY', { paths: [path] }, level)).toEqual([]);
  });

  test('paths are checked where a match takes access away: in DENY, CUSTOM and AUDIT, and under notPaths of ALLOW', () => {
    const both = { paths: ['/a//b'], notPaths: ['/c//d'] };
    const level = 'DECODE_AND_MERGE_SLASHES';
    expect(hints('ALLOW', both, level)).toEqual(['/c/d']);
    for (const action of ['DENY', 'CUSTOM', 'AUDIT'] as const) expect(hints(action, both, level)).toEqual(['/a/b']);
  });
});
