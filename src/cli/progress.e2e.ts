import { execFile } from 'node:child_process';
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
  // More than a pipe holds: it is written once the program runs and reads.
  writeFileSync(join(folder, 'mesh.yaml'), `${mesh}${'# a comment\n'.repeat(30_000)}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All that a terminal gets from a command whose standard input ends more than half a second after it began to read. */
async function atTerminal(command: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const line = `{ cat mesh.yaml; sleep 0.6; } | ${meshpol} ${command}`;
  const options = { cwd: folder, env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...environment } };
  const text = await new Promise<string>((done) => {
    execFile('script', ['-qec', line, '/dev/null'], options, (_, stdout) => done(stdout)).stdin?.end();
  });
  return text.replaceAll('\r\n', '\n').replaceAll('\r\x1b[K', '<erase>').replaceAll('\r', '<back>');
}

describe.concurrent('progress at a terminal', () => {
  test.each(['lint -', 'compile - -o out', 'compile - -o json --diagnostics json'])(
    'of meshpol %s is a line that is overwritten, and taken away by what follows',
    async (command) => {
      const text = await atTerminal(command);
      expect(text).toMatch(/^<erase>[a-z]+ [a-z]+ \d+( of \d+)?<back>/);
      expect(text.replaceAll(/<erase>[a-z]+ [a-z]+ \d+( of \d+)?<back>(?=<erase>)|<erase>/g, '')).not.toMatch(/<|^$/);
    },
  );

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['in CI', 'lint -', { CI: 'true' }],
    ['with --quiet', 'compile - -o quiet --quiet', {}],
    ['with standard error elsewhere', 'lint - 2>errors.txt', {}],
  ])('is not shown %s', async (_, command, environment) => {
    expect(await atTerminal(command, environment)).not.toMatch(/<(?:erase|back)>/);
  });
});
