import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

const used = packagesOf(sources());

describe('the lists of packages in package.json', () => {
  test('dependencies is empty: the build puts what the product imports into its files', () => {
    expect(dependencies).toBeUndefined();
  });

  test('devDependencies has what product, tests, scripts, benchmarks and make use, and nothing else', () => {
    const types = [...used, 'node'].map((name) => `@types/${name}`);
    const wanted = [...used, ...commandsOfMake(), ...types.filter((name) => devDependencies?.[name] !== undefined)];
    expect(Object.keys(devDependencies ?? {}).sort()).toEqual([...new Set(wanted)].sort());
  });

  test('every release is exact', () => {
    const releases = Object.values(devDependencies ?? {});
    expect(releases.filter((release) => !/^\d+\.\d+\.\d+$/.test(release))).toEqual([]);
  });

  test('package-lock.json names no place that packages come from', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});

function sources(): readonly string[] {
  const inFolders = ['src', 'e2e', 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  );
  return [...inFolders, 'vitest.config.ts'].filter(
    (file) => /\.(ts|mjs|js)$/.test(file) && !file.startsWith('src/generated/'),
  );
}

/** Packages that files import, types included. */
function packagesOf(names: readonly string[]): ReadonlySet<string> {
  const imports = /^(?:import|export) (?:[\w*{},\s]+ from )?'([^'$\n]+)'|\bimport\(\s*'([^'$\n]+)'/gm;
  const specifiers = names.flatMap((file) => [...read(file).matchAll(imports)].map(([, of, at]) => of ?? at ?? ''));
  const isPackage = (text: string): boolean => !/^(node:|\.|\/)/.test(text) && !builtinModules.includes(text);
  return new Set(specifiers.filter(isPackage).map((text) => /^(@[^/]+\/)?[^/]+/.exec(text)?.[0] ?? text));
}

/** Packages whose commands the Makefile starts. */
function commandsOfMake(): readonly string[] {
  const started = new Set([...read('Makefile').matchAll(/node_modules\/\.bin\/([\w-]+)/g)].map(([, name]) => name));
  return Object.keys(devDependencies ?? {}).filter((name) => {
    const { bin = {} } = JSON.parse(read(`node_modules/${name}/package.json`)) as { bin?: Record<string, string> };
    return Object.keys(bin).some((command) => started.has(command));
  });
}
