import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';

const program = resolve(import.meta.dirname, '../../dist/meshpol.js');
const manifest = '.meshpol-files';

/** A mesh that takes a second or so to write. */
function manyWorkloads(count: number): string {
  const labelled = 'metadata: {name: shop, labels: {mesh-injection: enabled}}';
  const pods = Array.from({ length: count }, (_, i) => {
    const name = `metadata: {name: pod-${i}, namespace: shop}`;
    const address = `status: {podIP: 10.${i >> 8}.${i & 255}.1}`;
    return `---\napiVersion: v1\nkind: Pod\n${name}\nspec: {containers: [{name: app}]}\n${address}\n`;
  });
  return `apiVersion: v1\nkind: Namespace\n${labelled}\n${pods.join('')}`;
}

describe('meshpol compile -o, told to stop while it writes', () => {
  let folder: string;
  let child: ChildProcess;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interrupt-'));
    await writeFile(join(folder, 'mesh.yaml'), manyWorkloads(1500));
    await mkdir(join(folder, 'out'));
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('ends by %s, and leaves no stage behind', async (signal) => {
    child = spawn(process.execPath, [program, 'compile', 'mesh.yaml', '-o', 'out'], { cwd: folder, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const present = (): string[] => readdirSync(join(folder, 'out'));
    await eventually(() => expect(present()).toEqual([expect.stringMatching(/stage/)]), { interval: 1 });
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(present()).toEqual([]);
    expect(existsSync(join(folder, 'out', manifest))).toBe(false);
  });
});
