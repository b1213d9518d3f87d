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
  folder = mkdtempSync(join(tmpdir(), 'colours-'));
  writeFileSync(join(folder, 'mesh.yaml'), mesh);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All that a terminal gets from a command. */
function atTerminal(command: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...environment } };
  return new Promise((done) => {
    // Progress is shown on standard error.
    const line = `{ ${meshpol} ${command}; } 2>errors.txt`;
    execFile('script', ['-qec', line, '/dev/null'], options, (_, stdout) => done(stdout)).stdin?.end();
  });
}

const explain = 'explain mesh.yaml --from outside --to shop/cart:80';

describe('colours at a terminal', () => {
  test.each([
    ['the verdict of explain', explain, '\x1b[32mreaches shop/cart\x1b[39m'],
    ['the titles of describe', 'describe shop/cart mesh.yaml', '\x1b[1mwho is let in:\x1b[22m'],
  ])('are those of %s', async (_, command, expected) => {
    expect(await atTerminal(command)).toContain(expected);
  });

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['with NO_COLOR', explain, { NO_COLOR: '1' }],
    ['in JSON', `${explain} --format json`, {}],
    ['in a file', `${explain} >out.txt; cat out.txt`, {}],
  ])('are not there %s', async (_, command, environment) => {
    const text = await atTerminal(command, environment);
    expect(text).toContain('shop');
    expect(text).not.toContain('\x1b');
  });
});
