import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const built = resolve(import.meta.dirname, '../../dist');

/** A Node that says it is older: the machine need not have one that is. */
const saysOlder = (version: string): readonly string[] => [
  process.execPath,
  `--import=data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'${version}'}})`,
];

/** Version and file of a Node. */
function askNode(node: string): readonly [version: string, file: string] {
  const { stdout } = spawnSync(node, ['-p', "process.versions.node + ' ' + process.execPath"], { encoding: 'utf8' });
  const [version = '', file = ''] = (stdout ?? '').trim().split(' ');
  return [version, file];
}

/** The machine's own, where they are older. */
const olderOnes = new Map(
  (process.env.PATH ?? '')
    .split(':')
    .map((folder) => askNode(join(folder, 'node')))
    .filter(([version]) => Number.parseFloat(version) < 22),
);

const nodes: readonly (readonly [string, readonly string[]])[] = [
  ...['12.22.0', '21.7.3', '22.18.0'].map((version) => [version, saysOlder(version)] as const),
  ...[...olderOnes].map(([version, file]) => [version, [file]] as const),
];

describe.each(['meshpol', 'pilot-agent', 'meshd'])('%s.js', (name) => {
  test.each(nodes)('says in one line which Node it needs, and ends with 3, on %s', (version, node) => {
    const [program = '', ...flags] = node;
    const run = spawnSync(program, [...flags, join(built, `${name}.js`), '--help'], { encoding: 'utf8' });
    const expected = `${name}: Node 22.19 or newer is needed, and this is ${version} (${program}): install a newer one\n`;
    expect(run.stderr).toBe(expected);
    expect(run.stdout).toBe('');
    expect(run.status).toBe(3);
  });

  test('runs on the oldest Node that it says it needs', () => {
    const run = spawnSync('.tools/bin/node22', [join(built, `${name}.js`), '--help'], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain('Usage:');
    expect(run.status).toBe(0);
  });
});
