import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import type { Finding } from './smallest-finding.ts';
import { writeFinding } from './write-finding.ts';

const finding = {
  documents: [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'security.mesh.io/v1', kind: 'AuthorizationPolicy', metadata: { name: 'cart', namespace: 'shop' } },
  ],
  request: { from: 'shop/web', to: 'cart:80' },
  proof: { results: [] },
} as unknown as Finding;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-finding-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('writeFinding', () => {
  test('writes the objects as a fixture, and a test beside it, and never over what is there', async () => {
    const first = await writeFinding(join(folder, 'new/one'), finding, { trustDomain: 'other.example' });
    expect(first).toEqual({ folder: first.folder, isNew: true, objects: 2 });
    expect(readdirSync(join(folder, 'new/one'))).toHaveLength(1);
    expect(readdirSync(first.folder, { recursive: true }).sort()).toEqual([
      'case',
      'case/case.json',
      'case/policies.yaml',
      'case/topology.yaml',
      'test.yaml',
    ]);
    expect(JSON.parse(readFileSync(join(first.folder, 'case/case.json'), 'utf8'))).toEqual({
      workloads: [],
      flags: { trustDomain: 'other.example' },
    });
    writeFileSync(join(first.folder, 'test.yaml'), 'mine');
    const again = await writeFinding(join(folder, 'new/one'), finding, { trustDomain: 'other.example' });
    expect(again).toEqual({ ...first, isNew: false });
    expect(readFileSync(join(first.folder, 'test.yaml'), 'utf8')).toBe('mine');
    const elsewhere = await writeFinding(join(folder, 'new/one'), finding, {});
    expect([elsewhere.isNew, elsewhere.folder === first.folder]).toEqual([true, false]);
    writeFileSync(join(folder, 'mesh.yaml'), 'trustDomain: a.example\n');
    const configured = { meshConfig: join(folder, 'mesh.yaml') };
    const one = await writeFinding(join(folder, 'new/one'), finding, configured);
    writeFileSync(join(folder, 'mesh.yaml'), 'trustDomain: b.example\n');
    const other = await writeFinding(join(folder, 'new/one'), finding, configured);
    expect([one.isNew, other.isNew]).toEqual([true, true]);
  });

  test('leaves nothing of a finding that cannot be written as a whole', async () => {
    const parent = join(folder, 'half');
    const options = { meshConfig: join(folder, 'no-such-file') };
    await expect(writeFinding(parent, finding, options)).rejects.toThrow(/^cannot write ".*\/half\/finding-\w{10}"$/);
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('meshpol prove --write', () => {
  const mesh = '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}';

  test.each([
    ['a file', (): string => import.meta.filename, '', /^meshpol: --write ".*" is no folder$/m],
    [
      'what findings do not hold',
      (): string => folder,
      '--jwks a=b',
      /^meshpol: --write and --jwks exclude each other/m,
    ],
  ])('refuses %s', async (_name, target, options, message) => {
    const words = `prove - --cases 3 --write ${target()} ${options}`;
    const { code, out, error } = await run(words, mesh, { ENVOY_BINARY: process.execPath });
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });
});
