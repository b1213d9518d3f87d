import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const meshpol = `'${process.execPath}' '${resolve('dist/meshpol.js')}'`;

const mesh = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {mesh-injection: enabled}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}, spec: {containers: [{name: app}]}, status: {podIP: 10.0.0.1}}
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'progress-'));
  writeFileSync(join(folder, 'mesh.yaml'), mesh);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All that a terminal gets from a command whose standard input takes longer than half a second. */
function atTerminal(command: string, environment: Readonly<Record<string, string>> = {}): string {
  const line = `{ sleep 0.6; cat mesh.yaml; } | ${meshpol} ${command}`;
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
    ...{ cwd: folder, encoding: 'utf8', input: '' },
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...environment },
  });
  return stdout.replaceAll('\r\n', '\n').replaceAll('\r\x1b[K', '<erase>').replaceAll('\r', '<back>');
}

describe('progress at a terminal', () => {
  test.each(['lint -', 'compile - -o out', 'compile - -o out --diagnostics json'])(
    'of meshpol %s is a line that is overwritten, and taken away by what follows',
    (command) => {
      expect(atTerminal(command)).toMatch(/^(<erase>[a-z]+ [a-z]+ \d+( of \d+)?<back>)+<erase>[^<]/);
    },
  );

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['in CI', 'lint -', { CI: 'true' }],
    ['with --quiet', 'compile - -o out --quiet', {}],
    ['with standard error elsewhere', 'lint - 2>errors.txt', {}],
  ])('is not shown %s', (_, command, environment) => {
    expect(atTerminal(command, environment)).not.toMatch(/<(?:erase|back)>/);
  });
});
