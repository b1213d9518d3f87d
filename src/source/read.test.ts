import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { SourceError } from './find.ts';
import { defaultLimits } from './limits.ts';
import { parse } from './parse.ts';
import { readSources } from './read.ts';

let folder: string;
let bag: DiagnosticBag;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-'));
  bag = new DiagnosticBag();
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function* stream(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe('readSources', () => {
  test('reads folders recursively, sorted, and nothing but YAML and JSON', async () => {
    for (const name of ['b.yml', 'a/z.json', 'a/y.yaml', 'c.txt', 'D.YAML', 'e.Yml', '.hidden.yaml']) write(name, name);
    const files = await readSources([`${folder}/`], bag);
    expect(files.map(({ path }) => path.slice(folder.length))).toEqual([
      '/.hidden.yaml',
      '/D.YAML',
      '/a/y.yaml',
      '/a/z.json',
      '/b.yml',
      '/e.Yml',
    ]);
  });

  test('paths below "." and "./folder" begin without "./", as git writes them, also where files are left out', async () => {
    const exclude = ['/[A-Za-df-z]*', '/.?*', '/e2e/', 'policies/'];
    const below = await readSources(['.'], bag, { exclude });
    expect(below.map(({ path }) => path)).toContain('examples/first-mesh/topology.yaml');
    expect(below.filter(({ path }) => !path.startsWith('examples/') || path.includes('policies/'))).toEqual([]);
    const named = await readSources(['./examples/first-mesh', './/examples/first-mesh/topology.yaml'], bag);
    expect(named.map(({ path }) => path)).toContain('examples/first-mesh/policies/mesh-strict.yaml');
    expect(named.filter(({ path }) => path === 'examples/first-mesh/topology.yaml')).toHaveLength(1);
  });

  test('reads a named file whatever its name, and each file once', async () => {
    const path = write('policy.txt', 'x');
    expect(await readSources([path, path, `${folder}/./policy.txt`], bag)).toEqual([{ path, text: 'x' }]);
  });

  test('follows links once, also when they lead back', async () => {
    write('a/x.yaml', 'x');
    symlinkSync(folder, join(folder, 'a/back'));
    symlinkSync(join(folder, 'a'), join(folder, 'b'));
    expect((await readSources([folder], bag)).map(({ path }) => path)).toEqual([`${folder}/a/x.yaml`]);
  });

  test.each([
    ['a file', 'etc/shadow', 'x.yaml'],
    ['a file by way of a link inside', 'etc/shadow', 'a/../x.yaml'],
    ['a folder', 'etc', 'below'],
    ['the folder around', '', 'up'],
  ])('refuses a link that leads out of the folder: %s', async (_, target, name) => {
    const named = join(folder, 'named');
    mkdirSync(join(named, 'a'), { recursive: true });
    write('etc/shadow', 'root:secret');
    symlinkSync(join(folder, target), join(named, name));
    await expect(readSources([named], bag)).rejects.toThrow(/named\/.*" is a link out of the folder ".*", to "/);
    await expect(readSources([named], bag)).rejects.toBeInstanceOf(SourceError);
  });

  test.each([
    ['nowhere', 'gone.yaml', 'leads nowhere, by "gone.yaml"'],
    ['to itself', 'x.yaml', 'leads back to itself, by "x.yaml"'],
  ])('names a link that leads %s, and its target', async (_, target, words) => {
    symlinkSync(target, join(folder, 'x.yaml'));
    for (const named of [folder, join(folder, 'x.yaml')]) {
      const path = join(folder, 'x.yaml');
      const thrown = await readSources([named], bag).catch((error: Error) => error);
      expect(thrown).toMatchObject({
        message: `cannot read "${path}"`,
        cause: { message: `"${path}" is a link that ${words}: mend the link, or remove it` },
      });
    }
  });

  test('refuses a link of which nobody knows whether it leads to a folder', async () => {
    symlinkSync('policies', join(folder, 'policies'));
    await expect(readSources([folder], bag)).rejects.toThrow(`cannot read "${join(folder, 'policies')}"`);
  });

  test('refuses a link that leads nowhere whatever its name, since it may have led to a folder, unless it is left out', async () => {
    write('x.yaml', 'x');
    symlinkSync('gone', join(folder, 'policies'));
    const thrown = await readSources([folder], bag).catch((error: Error) => error);
    expect(thrown).toMatchObject({
      message: `cannot read "${join(folder, 'policies')}"`,
      cause: { message: expect.stringContaining('is a link that leads nowhere, by "gone"') },
    });
    for (const pattern of ['policies', 'policies/'])
      expect(await readSources([folder], bag, { exclude: [pattern] })).toHaveLength(1);
  });

  test("passes over an editor's lock, which is a link to no file, and over no file of such a name", async () => {
    write('x.yaml', 'x');
    write('.#z.yaml', 'z');
    symlinkSync('ada@desk.4711:1700000000', join(folder, '.#x.yaml'));
    symlinkSync('x.yaml', join(folder, '.#y.yaml'));
    expect((await readSources([folder], bag)).map(({ path }) => path)).toEqual([
      `${folder}/.#y.yaml`,
      `${folder}/.#z.yaml`,
    ]);
  });

  test('takes a link that was named itself, to a file and to a folder, and links inside of it', async () => {
    write('real/x.yaml', 'x');
    symlinkSync('x.yaml', join(folder, 'real/y.yaml'));
    symlinkSync('real', join(folder, 'current'));
    symlinkSync('real/x.yaml', join(folder, 'one.yaml'));
    const paths = async (path: string) => (await readSources([join(folder, path)], bag)).map((file) => file.path);
    expect(await paths('current')).toEqual([`${folder}/current/x.yaml`]);
    expect(await paths('one.yaml')).toEqual([`${folder}/one.yaml`]);
  });

  test('warns of each file without an object beside others', async () => {
    for (const [name, text] of Object.entries({ a: 'kind: A', b: '', c: '# c\n---\n' })) write(`${name}.yaml`, text);
    await readSources([folder], bag);
    const told = bag.all.map(({ code, severity, span }) => `${severity} ${code} ${span?.file.slice(folder.length)}`);
    expect(told).toEqual(['warning empty-file /b.yaml', 'warning empty-file /c.yaml']);
  });

  test('warns of files that look like policies and are skipped for their names', async () => {
    const policy = '# mine\n---\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\n';
    const json = '{"apiVersion": "networking.mesh.io/v1", "kind": "Gateway"}';
    const texts = {
      ...{ 'a.yaml': policy, 'b.yaml.bak': policy, 'c.ymal': policy, d: `\uFEFF${policy}`, 'e.txt': json },
      ...{ 'README.md': `# How to\n\nDeny it:\n\n    ${policy}`, 'f.txt': 'apiVersion: v1\nkind: Service', empty: '' },
    };
    for (const [name, text] of Object.entries(texts)) write(name, text);
    await readSources([folder], bag);
    expect(bag.all.map(({ code, span }) => `${code} ${span?.file.slice(folder.length + 1)}`)).toEqual([
      ...['b.yaml.bak', 'c.ymal', 'd', 'e.txt'].map((name) => `skipped-by-name ${name}`),
    ]);
  });

  test('reads a mounted volume by the names of its links', async () => {
    write('..2026_01_01/policy.yaml', 'x');
    symlinkSync('..2026_01_01', join(folder, '..data'));
    symlinkSync('..data/policy.yaml', join(folder, 'policy.yaml'));
    expect((await readSources([folder], bag)).map(({ path }) => path)).toEqual([`${folder}/policy.yaml`]);
  });

  test('reads everything in a folder that the compiler wrote to but what it wrote there', async () => {
    const made = ['mesh.json', 'shop/cart/bootstrap.json', 'shop/cart/routes/80.json', 'shop/cart/clusters.yaml'];
    // A list that somebody edited hides no policy.
    write('m/.meshpol-files', [...made, 'deny.yaml', 'shop/deny.yaml', '../deny.yaml', ''].join('\n'));
    for (const name of made) write(`m/${name}`, '{}');
    const mine = ['deny.yaml', 'm/deny.yaml', 'm/shop/cart/mine.yaml', 'm/shop/deny.yaml', 'm/topology.yaml'];
    for (const name of mine) write(name, 'x');
    expect((await readSources([folder], bag)).map(({ path }) => path)).toEqual(mine.map((name) => `${folder}/${name}`));
    expect(bag.all).toEqual([]);
    rmSync(join(folder, 'm/.meshpol-files'));
    symlinkSync('/etc/hostname', join(folder, 'm/.meshpol-files'));
    await expect(readSources([folder], bag)).rejects.toThrow(/link out of the folder/);
  });

  test('leaves out what the compiler wrote to a folder, unless that is named', async () => {
    write('a.yaml', 'x');
    write('out/.meshpol-files', 'mesh.json\n');
    const made = write('out/mesh.json', '{}');
    expect((await readSources([folder], bag)).map(({ path }) => path)).toEqual([`${folder}/a.yaml`]);
    expect((await readSources([join(folder, 'out')], bag)).map(({ path }) => path)).toEqual([made]);
  });

  test('reads standard input, with characters cut between chunks', async () => {
    const stdin = (async function* () {
      yield Buffer.from([0x61, 0xc3]);
      yield Buffer.from([0xa9]);
    })();
    expect(await readSources(['-', '-'], bag, { stdin })).toEqual([{ path: '-', text: 'aé' }]);
  });

  test('refuses pipes and devices in folders, and named ones where only files will do', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    await expect(readSources([folder], bag)).rejects.toThrow(/pipe\.yaml" is a pipe or device/);
    await expect(readSources([join(folder, 'pipe.yaml')], bag, { filesOnly: true })).rejects.toThrow(SourceError);
    rmSync(join(folder, 'pipe.yaml'));
    symlinkSync('/dev/zero', join(folder, 'endless.yaml'));
    await expect(readSources([folder], bag)).rejects.toThrow(/endless\.yaml" is a link out of/);
  });

  test('throws for what is not there', async () => {
    const missing = readSources([join(folder, 'none.yaml')], bag);
    await expect(missing).rejects.toBeInstanceOf(SourceError);
    await expect(missing).rejects.toThrow(`cannot read "${folder}/none.yaml"`);
  });

  test.each<[string, Uint8Array]>([
    ['UTF-16 with a mark', Buffer.from('\uFEFFa: 1', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('a: 1', 'utf16le')],
    ['Latin-1', Buffer.from('a: é', 'latin1')],
  ])('refuses %s', async (_, bytes) => {
    expect(await readSources([write('a.yaml', bytes)], bag)).toEqual([]);
    expect(bag.all.map(({ code }) => code)).toEqual(['wrong-encoding']);
  });

  test('takes a byte order mark away', async () => {
    expect(await readSources([write('a.yaml', '\uFEFFa: 1')], bag)).toMatchObject([{ text: 'a: 1' }]);
  });

  test('refuses what is too large, from files and from standard input', async () => {
    const path = write('a.yaml', 'x'.repeat(100));
    expect(
      await readSources([path, '-'], bag, { maxFileBytes: 99, stdin: stream('x'.repeat(60), 'y'.repeat(60)) }),
    ).toEqual([]);
    expect(bag.all.map(({ code }) => code)).toEqual(['file-too-large', 'file-too-large']);
  });

  test('refuses inputs without any object, and an empty standard input beside other files', async () => {
    const comment = write('a.yaml', '# nothing here\n---\n');
    await readSources([folder], bag);
    await readSources([comment, write('b.yaml', 'kind: A'), '-'], bag, { stdin: stream('') });
    expect(bag.all.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([
      'the input contains no object',
      'standard input contains no object',
    ]);
  });

  test('reads a valid file of 16 MiB', async () => {
    const unit = (index: number): string =>
      `kind: A\nmetadata: {name: "object-${String(index).padStart(8, '0')}"}\n---\n`;
    const count = Math.floor(defaultLimits.maxFileBytes / unit(0).length);
    const path = write('a.yaml', Array.from({ length: count }, (_, index) => unit(index)).join(''));
    const documents = parse(await readSources([path], bag), bag);
    expect(bag.all).toEqual([]);
    expect(documents.length).toBe(count);
  });
});
