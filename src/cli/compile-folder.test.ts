import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from './testing/run-meshpol.ts';
import { secondPod, strict, topology } from './testing/shop-mesh.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'meshpol-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function mesh(...texts: string[]): string {
  const path = join(folder, 'mesh.yaml');
  writeFileSync(path, texts.join('---\n'));
  return path;
}

describe('compile with --output or --check', () => {
  test('refuses its input folder as its output folder, by whatever path, and writes nothing', async () => {
    mesh(topology);
    const { code, error } = await run(`compile ${folder} -o ${folder}/../${basename(folder)}/`);
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/^meshpol: --output "[^"]*" is the input folder "[^"]*": name another/),
    ]);
    expect(readdirSync(folder)).toEqual(['mesh.yaml']);
  });

  test.each(['/proc/x', '/proc/x/y', '/dev/null/x'])(
    'ends with 3 for the folder %s, which cannot be made',
    async (path) => {
      const { code, error } = await run(`compile ${mesh(topology)} -o ${path}`);
      expect([code, error]).toEqual([3, expect.stringContaining(`cannot write to "${path}": `)]);
    },
  );

  test('writes a folder, finds no difference in it, and writes nothing the second time', async () => {
    const input = mesh(topology, strict);
    const out = join(folder, 'out');
    expect((await run(`compile ${input} -o ${out}`)).code).toBe(0);
    expect(readdirSync(join(out, 'shop/cart')).sort()).toEqual([
      'bootstrap.json',
      'clusters.json',
      'listeners.json',
      'origins.json',
      'routes',
    ]);
    expect(await run(`compile ${input} --check ${out}`)).toEqual({ code: 0, out: '', error: '' });
    expect((await run(`compile ${input} -o ${out}`)).error).toContain(' 0 written');
  });

  test('shows a difference as a diff and exits with 1', async () => {
    const out = join(folder, 'out');
    await run(`compile ${mesh(topology, strict)} -o ${out}`);
    const changed = await run(`compile ${mesh(topology, strict.replace('STRICT', 'PERMISSIVE'))} --check ${out}`);
    expect(changed.code).toBe(1);
    expect(changed.out).toMatch(/^--- a\/shop\/cart\/listeners\.json$/m);
    expect(changed.out).toMatch(/^\+ .*"raw_buffer"/m);
  });

  test('writes nothing when there is an error, and shows its place', async () => {
    const out = join(folder, 'out');
    const { code, error } = await run(`compile - -o ${out}`, `${topology}---\n${strict.replace('mtls', 'mtsl')}`);
    expect(code).toBe(1);
    expect(error).toMatch(/^-:23:3: error: .*\n {4}mtsl:\n {4}\^~~~\n {2}hint: did you mean "mtls"/);
    expect(existsSync(out)).toBe(false);
  });

  test('removes the folder of a workload that is gone, and only with all workloads', async () => {
    const out = join(folder, 'out');
    await run(`compile ${mesh(topology, secondPod)} -o ${out}`);
    await run(`compile ${mesh(topology)} -o ${out} --workload shop/cart`);
    expect(readdirSync(join(out, 'shop'))).toEqual(['cart', 'web']);
    await run(`compile ${mesh(topology)} -o ${out}`);
    expect(readdirSync(join(out, 'shop'))).toEqual(['cart']);
  });

  test('leaves the folder alone when no workload has a proxy', async () => {
    const out = join(folder, 'out');
    await run(`compile ${mesh(topology)} -o ${out}`);
    const empty = await run(`compile - -o ${out}`, 'apiVersion: v1\nkind: List\nitems: []\n');
    expect(empty).toMatchObject({ code: 1, error: expect.stringContaining('[empty-input]') });
    expect(readdirSync(join(out, 'shop'))).toEqual(['cart']);
  });

  test('gives the same bytes whatever the order of the inputs', async () => {
    const names = [topology, secondPod, strict].map((text, index) => {
      const path = join(folder, `${index}.yaml`);
      writeFileSync(path, text);
      return path;
    });
    const out = join(folder, 'out');
    await run(`compile ${names.join(' ')} -o ${out}`);
    expect(await run(`compile ${names.reverse().join(' ')} --check ${out}`)).toMatchObject({ code: 0, out: '' });
  });
});
