import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { FleetState } from '../../live/fleet-state.ts';
import { StateFile } from './state-file.ts';
import { StateKeeper } from './state-keeper.ts';

const files = [
  {
    path: 'a.yaml',
    text: `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: foo}
spec: {action: DENY, rules: [{}]}
---
apiVersion: v1
kind: Secret
metadata: {name: cert, namespace: foo}
type: kubernetes.io/tls
data: {tls.crt: c2VjcmV0, tls.key: c2VjcmV0}
`,
  },
];
const objects = createObjectReader()(files, new DiagnosticBag());
const state: FleetState = {
  ...{ version: 'v1', files, rootBefore: 'mesh-system', heldSince: [['key', 'v0']], denying: ['a/b'] },
  frozen: [{ version: 'v0', proxies: ['a/c'], policies: [{ path: 'p', text: '{}' }] }],
};
const hourMs = 3_600_000;

describe('StateFile', () => {
  let folder: string;
  let nowMs: number;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'state-'));
    nowMs = Date.UTC(2026, 0, 1);
  });
  afterEach(() => rm(folder, { recursive: true }));
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  const fileOf = (source = '/config'): StateFile =>
    new StateFile({ folder: join(folder, 'made'), source, now: () => nowMs });

  test('stores everything but Secrets, readable by its user alone', async () => {
    expect(await fileOf().read()).toBeUndefined();
    await fileOf().write(state, objects);
    const [policy = ''] = files[0]?.text.split('---') ?? [];
    const kept = { ...state, files: [{ path: 'a.yaml', text: policy + '\n'.repeat(6) }] };
    expect(await fileOf().read()).toEqual({ state: kept });
    expect((await stat(fileOf().path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'made'))).mode & 0o777).toBe(0o700);
    expect(await readFile(fileOf().path, 'utf8')).not.toMatch(/Secret|c2VjcmV0/);
  });

  test.each([
    ['is cut short', 'damaged', (path: string, text: string) => writeFile(path, text.slice(0, -9))],
    ['has other content', 'damaged', (path: string, text: string) => writeFile(path, text.replace('DENY', 'ALLOW'))],
    ['is of another layout', 'no layout', (path: string, text: string) => writeFile(path, text.replace('t 1', 't 2'))],
    ['is empty', 'no layout', (path: string) => writeFile(path, '')],
    ['others can write to', 'other users', (path: string) => chmod(path, 0o620)],
    ['is a pipe', 'no plain file', (path: string) => execFileSync('sh', ['-c', 'rm "$0" && mkfifo -m 600 "$0"', path])],
    ['was in force a day ago', 'last day', async () => wait(24 * hourMs + 1)],
    ['is of a time to come', 'last day', async () => wait(-hourMs)],
  ])('is not used when it %s', async (_name, problem, change) => {
    await fileOf().write(state, objects);
    await change(fileOf().path, await readFile(fileOf().path, 'utf8'));
    expect(await fileOf().read()).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('is not used for another source', async () => {
    await fileOf().write(state, objects);
    expect(await fileOf('/other').read()).toEqual({ problem: 'it is of "/config"' });
  });

  test('is written at once for security policies, for other changes within its interval or on request', async () => {
    const failures: Error[] = [];
    const keeper = new StateKeeper(fileOf(), (error) => failures.push(error));
    await keeper.keep({ state, objects }, false);
    expect(await fileOf().read()).toBeUndefined();
    await keeper.flush();
    expect(await fileOf().read()).toMatchObject({ state: { version: 'v1' } });
    await keeper.keep({ state: { ...state, version: 'v2' }, objects }, true);
    expect(await fileOf().read()).toMatchObject({ state: { version: 'v2' } });
    await rm(join(folder, 'made'), { recursive: true });
    await writeFile(join(folder, 'made'), '');
    await keeper.keep({ state, objects }, true);
    expect(failures).toEqual([expect.objectContaining({ code: 'EEXIST' })]);
    await rm(join(folder, 'made'));
  });
});
