import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf, type PageExample } from './testing/page-examples.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'library-'));
const installed = join(folder, 'node_modules/mesh-policy-compiler');
const [inNode, ofStrings, inForce, evaluated, linted, ofOwnRule, inBrowser] = blocksOf(
  readFileSync(join(root, 'docs/reference/library.md'), 'utf8'),
);
let packed: readonly string[];

/** Packs the package, and installs it in a folder that has nothing else. npm fetches nothing: a dependency would fail. */
beforeAll(() => {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename, files }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));
  packed = files.map(({ path }: { readonly path: string }) => path);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}\n');
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, filename)];
  execFileSync('npm', install, { cwd: folder, stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runNode = (args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: {} });

/** The output of an example that Node runs in the folder. */
function outputOf({ code }: PageExample): string {
  writeFileSync(join(folder, 'example.js'), code);
  return runNode(['example.js']);
}

describe('the packed package', () => {
  test('has the programs, their manual pages, the library with its types, schemas, templates and examples, and nothing else', () => {
    const forms = [
      /^(LICENSE|README\.md|package\.json)$/,
      /^dist\/(meshpol|pilot-agent|meshd)[\w-]*\.js(\.map)?$/,
      /^dist\/[\w-]+\.cjs(\.map)?$/,
      /^dist\/THIRD-PARTY-LICENSES\.txt$/,
      /^dist\/man\/(meshpol|pilot-agent|meshd)[a-z-]*\.1$/,
      /^dist\/library\/(library\.js|[\w-]+\.d\.ts)$/,
      /^schemas\/[\w-]+\.json$/,
      /^templates\/(partials\/)?[\w-]+(\.json)?\.hbs$/,
      /^examples\/[\w/-]+(\.md|\.yaml|\/\.meshpolignore)$/,
      /^examples\/ci\/(Containerfile|lint\.mk|pre-commit)$/,
      /^examples\/replay\/access\.log$/,
    ];
    expect(packed.filter((path) => !forms.some((form) => form.test(path)))).toEqual([]);
    expect(forms.filter((form) => !packed.some((path) => form.test(path)))).toEqual([]);
  });

  test('has the text of the licence of each package that a program contains', () => {
    const dist = join(installed, 'dist');
    const maps = readdirSync(dist).filter((name) => name.endsWith('.map'));
    const sources = maps.flatMap((name): string[] => JSON.parse(readFileSync(join(dist, name), 'utf8')).sources);
    const names = sources.flatMap((path) => /.*node_modules\/(@[^/]+\/[^/.][^/]*|[^/@.][^/]*)\//.exec(path)?.[1] ?? []);
    const text = readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const parts = text.split(`${'-'.repeat(80)}\n\n`).slice(1);
    const described = parts.map((part) => /^(\S+) [\d.]+ \([\w.-]+\)\n\n[\s\S]{400}/.exec(part)?.[1]);
    expect(names).toContain('yaml');
    expect([...new Set(names)].filter((name) => !described.includes(name))).toEqual([]);
    expect(described).not.toContain(undefined);
  });

  test('comes alone, and its programs and its library import nothing but parts of Node', async () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'mesh-policy-compiler',
    ]);
    const dist = join(installed, 'dist');
    const scripts = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
    expect(scripts.length).toBeGreaterThan(5);
    const entryPoints = [...scripts, 'library/library.js'].map((name) => join(dist, name));
    // The bundler fails where something that is imported is neither there nor a part of Node.
    const bundled = await build({
      entryPoints,
      outdir: folder,
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    });
    expect(
      bundled.warnings.filter(({ id }) => id === 'unresolved-import' || id === 'require-resolve-not-external'),
    ).toEqual([]);
  });

  test('compiles an example with meshpol', () => {
    const meshpol = join(installed, 'dist/meshpol.js');
    const inputs = ['topology.yaml', 'policies/mesh-strict.yaml'].map((file) =>
      join(installed, 'examples/first-mesh', file),
    );
    const printed = runNode([meshpol, 'compile', ...inputs, '--workload', 'foo/httpbin']);
    expect(Object.keys(JSON.parse(printed))).toEqual([
      'bootstrap',
      'listeners',
      'clusters',
      'routes',
      'origins',
      'mesh',
    ]);
  });

  test('has types that a program in TypeScript is checked by', () => {
    const imports = `import { analyse, compile, type CompileResult, lint, type MeshFile, type Rule, schemas } from 'mesh-policy-compiler';`;
    const uses = [
      `const result: CompileResult = await compile({ files: [{ path: 'a.yaml', text: '' }] });`,
      'for (const { listeners } of result.proxies ?? []) console.log(listeners[0]?.name, schemas.size);',
      'const mesh: MeshFile | undefined = result.mesh;',
      'console.log(mesh?.workloads[0]?.identity, result.proxies?.[0]?.origins.listeners.virtualInbound?.[0]?.decidedBy);',
      `const { snapshot } = await analyse({ files: [{ path: 'a.yaml', text: '' }] });`,
      `const mode: 'STRICT' | 'PERMISSIVE' | 'DISABLE' | undefined = snapshot?.inbound({ namespace: 'a', name: 'b' })?.mtls.mode;`,
      'console.log(mode, snapshot?.format === 1);',
      `const facts = { severity: 'info', confidence: 'likely', needs: 'policies', title: 't', why: 'w', hint: 'h' } as const;`,
      `const rule: Rule = { ...facts, code: 'own', kinds: ['Pod'], check: ({ snapshot, report }) => {`,
      `  for (const object of snapshot.objects) report({ object, path: ['kind'], message: object.kind });`,
      '} };',
      `const { findings } = await lint({ files: [] }, { rules: ['MP304', rule], project: { rules: { own: 'off' } } });`,
      'console.log(findings[0]?.line, findings[0]?.fix?.edits[0]?.text);',
      '// @ts-expect-error: what is likely is no severity',
      `await lint({ files: [] }, { project: { failOn: 'likely' } });`,
      '// @ts-expect-error: analyse compiles for nobody',
      'await analyse({ files: [], workloads: [] });',
      '// @ts-expect-error: there may be no proxies',
      'result.proxies.length;',
      '// @ts-expect-error: a file needs a text',
      `await compile({ files: [{ path: 'a.yaml' }] });`,
    ];
    writeFileSync(join(folder, 'program.ts'), [imports, ...uses].join('\n'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    expect(runNode([join(root, 'node_modules/typescript/bin/tsc'), ...options, '--types', '', 'program.ts'])).toBe('');
  });
});

describe('the examples of the page on the library', () => {
  test('compile files in Node', () => {
    expect(outputOf(inNode)).toBe(inNode.output);
  });

  test('report diagnostics of strings', () => {
    expect(outputOf(ofStrings)).toBe(ofStrings.output);
  });

  test('say what is in force', () => {
    expect(outputOf(inForce)).toBe(inForce.output);
  });

  test('lint a policy and fix it', () => {
    expect(outputOf(evaluated)).toBe(evaluated.output);
    expect(outputOf(linted)).toBe(linted.output);
  });

  test('lint with a rule of a user', () => {
    expect(outputOf(ofOwnRule)).toBe(ofOwnRule.output);
  });

  test('compile in a browser', async () => {
    expect((await shownBy(inBrowser.code)).trim()).toBe(inBrowser.output.trim());
  });
});

test('the library gives in a browser what it gives in Node: keys that are checked, templates of a user, and findings', async () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const input = {
    files: ['topology.yaml', 'policies.yaml'].map((path) => ({
      path,
      text: read(`fixtures/ok/jwt-inline-keys/${path}`),
    })),
    bootstrap: { override: { path: 'override.yaml', text: 'statsFlushInterval: 7s\n' } },
    templates: [{ name: 'routes.json.hbs', path: 'routes.json.hbs', text: read('templates/routes.json.hbs') }],
  };
  const program = (show: string): string =>
    `${['import { allRules, analyse, compile, lint }', "'mesh-policy-compiler'"].join(' from ')};
    const input = ${JSON.stringify(input)};
    const { snapshot } = await analyse({ files: input.files });
    const check = ({ snapshot, report }) => report({ object: snapshot.objects[0], path: ['metadata', 'name'], message: 'first' });
    const facts = { severity: 'info', confidence: 'certain', needs: 'policies', title: 't', why: 'w', hint: 'h' };
    const rules = [...allRules, { ...facts, code: 'first-object', kinds: ['Namespace'], check }];
    const linted = await lint({ files: input.files }, { rules, today: '2026-06-30' });
    ${show}(JSON.stringify({ ...(await compile(input)), objects: snapshot.objects, linted }));`;
  const inNodeToo = outputOf({ code: program('console.log'), output: '' });
  expect(JSON.parse(inNodeToo).proxies).not.toEqual([]);
  expect(JSON.parse(inNodeToo).linted.findings).toContainEqual(expect.objectContaining({ code: 'first-object' }));
  expect(await shownBy(program('document.body.append'))).toBe(inNodeToo.trim());
});

/** What a page shows, as text, after it has run a program that is bundled with the installed package. */
async function shownBy(code: string): Promise<string> {
  const stdin = { contents: code, resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false });
  const page = join(folder, 'page.html');
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script') ?? '';
  writeFileSync(page, `<!doctype html><meta charset="utf-8"><body><script type="module">${script}</script></body>`);
  const profile = `--user-data-dir=${join(folder, 'profile')}`;
  const flags = ['--no-sandbox', '--disable-gpu', profile, '--virtual-time-budget=20000', '--dump-dom'];
  const printed = execFileSync('chromium-headless-shell', [...flags, pathToFileURL(page).href], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
    timeout: 50_000,
  });
  const body = printed.slice(printed.lastIndexOf('</script>') + '</script>'.length, printed.lastIndexOf('</body>'));
  const named: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&nbsp;': '\u00a0' };
  return body.replaceAll(/&\w+;/g, (entity) => named[entity] ?? entity);
}
