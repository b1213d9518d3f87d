import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { standInKid } from '../compiler/lower/authentication/stand-in.ts';
import { checkAny } from '../envoy/api/check.ts';
import { keySetText, kidsOf, publicJwk } from '../jwks/testing/keys.ts';
import { run } from './testing/run-meshpol.ts';
import { secondPod, strict, topology } from './testing/shop-mesh.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'meshpol-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Allows nothing, where its namespace is the root namespace. */
const nothing =
  'apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: nothing, namespace: policies}\nspec: {}\n';

function mesh(...texts: string[]): string {
  const path = join(folder, 'mesh.yaml');
  writeFileSync(path, texts.join('---\n'));
  return path;
}

describe('compile', () => {
  test('writes one JSON value and nothing else to standard error with --diagnostics json', async () => {
    const line = `compile ${mesh(topology, strict)} -o ${join(folder, 'out')}`;
    expect(JSON.parse((await run(`${line} --diagnostics json`)).error)).toMatchObject({
      diagnostics: expect.anything(),
    });
    expect((await run(line)).error).toContain(' unchanged, 0 removed\n');
  });

  test.each(['first-mesh', 'edge'])(
    'takes examples/%s as a folder, whose list leaves alternatives out',
    async (name) => {
      const { code, error } = await run(`compile examples/${name} -o ${join(folder, 'out')}`);
      expect([code, error]).toEqual([0, expect.stringMatching(/^info: left out by --exclude or .meshpolignore: /m)]);
    },
  );

  test('says how one gets a proxy where no workload has one', async () => {
    const { code, error } = await run(`compile ${mesh(topology.replace('enabled', 'disabled'))}`);
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(/no workload that has a proxy[\s\S]*mesh-injection: enabled/),
    ]);
  });

  test('writes the key sets that --jwks names, and the one that verifies nothing where none is named', async () => {
    const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: "https://a.example"}, {issuer: "https://b.example"}]}
`;
    const keys = join(folder, 'keys.jwks');
    writeFileSync(keys, keySetText(await publicJwk('ours')));
    const { code, out, error } = await run(`compile ${mesh(topology, tokens)} --jwks https://a.example=${keys}`);
    const texts = [...out.matchAll(/"inline_string": ("\{.*\}")/g)].map(([, text = '""']) => JSON.parse(text));
    expect(code).toBe(0);
    expect(new Set(texts.map((text) => kidsOf(text).join()))).toEqual(new Set(['ours', standInKid]));
    expect(error).toContain('warning: the keys of issuer "https://b.example" are not available');
    expect(error).not.toContain('keys of "https://a.example"');
  });

  test('prints one workload as one document', async () => {
    const { code, out } = await run('compile -', `${topology}---\n${strict}`);
    expect(code).toBe(0);
    const document = JSON.parse(out);
    expect(Object.keys(document)).toEqual(['bootstrap', 'listeners', 'clusters', 'routes', 'origins', 'mesh']);
    expect(document.listeners.resources.map(({ name }: { name: string }) => name)).toContain('virtualInbound');
    expect(Object.keys(document.routes)).toContain('inbound.8080');
  });

  test('wants one name when several workloads would be printed', async () => {
    const input = mesh(topology, secondPod);
    expect(await run(`compile ${input}`)).toMatchObject({ code: 2, out: '' });
    expect(await run(`compile ${input} --workload shop/web`)).toMatchObject({ code: 0, error: '' });
    expect((await run(`compile ${input} --workload shop/wbe`)).error).toContain('did you mean "shop/web"?');
  });

  test('writes YAML that means the same', async () => {
    const json = await run('compile -', topology);
    const yaml = await run('compile - --format yaml', topology);
    expect(parseYaml(yaml.out)).toEqual(JSON.parse(json.out));
  });

  test('puts origins into the output, which Envoy accepts', async () => {
    const plain = JSON.parse((await run('compile -', `${topology}---\n${strict}`)).out);
    const { listeners, clusters, routes } = JSON.parse(
      (await run('compile - --annotate', `${topology}---\n${strict}`)).out,
    );
    const inbound = listeners.resources.find(({ name }: { name: string }) => name === 'virtualInbound');
    const chains: { name: string; metadata?: { filter_metadata: Record<string, unknown> } }[] = inbound.filter_chains;
    const decided = chains.map(({ metadata }) => JSON.stringify(metadata?.filter_metadata['mesh.origin'] ?? ''));
    expect(decided.some((text) => text.includes('"field":"spec.mtls.mode"'))).toBe(true);
    expect(listeners.version_info).not.toBe(plain.listeners.version_info);
    const all = [listeners, clusters, ...Object.values(routes)] as { resources: Record<string, unknown>[] }[];
    for (const resource of all.flatMap(({ resources }) => resources)) expect(checkAny(resource)).toEqual([]);
  });

  test("renders a user's bootstrap template, and shows the line of a faulty one", async () => {
    const template = join(folder, 'bootstrap.hbs');
    const withTemplate = async (text: string) => {
      writeFileSync(template, text);
      return run(`compile - --templateFile ${template}`, topology);
    };
    const builtIn = JSON.parse((await run('compile -', topology)).out).bootstrap;
    const text = readFileSync(join(import.meta.dirname, '../../templates/bootstrap.json.hbs'), 'utf8');
    expect(JSON.parse((await withTemplate(text)).out).bootstrap).toEqual(builtIn);
    const faulty = await withTemplate('{\n  "node": {{#if}}\n}\n');
    expect([faulty.code, faulty.out]).toEqual([1, '']);
    expect(faulty.error).toContain(`${template}:4:1: error: `);
  });

  test('prints diagnostics as JSON, and only errors when quiet', async () => {
    const input = `${topology}---\n${strict.replace('STRICT', 'STRCT')}`;
    const { diagnostics } = JSON.parse((await run('compile - --diagnostics json', input)).error);
    expect(diagnostics).toMatchObject([{ file: '-', line: 24, severity: 'error' }]);
    const withOthers = `${topology}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n`;
    expect((await run('compile - --quiet', withOthers)).error).toBe('');
  });

  const notice = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n';
  const twice = `${strict}---\n${strict.replace('default', 'other')}`;
  test.each([
    ['nothing', strict, 0],
    ['an information', notice, 0],
    ['a warning', twice, 0],
    ['an error', strict.replace('STRICT', 'STRCT'), 1],
  ])('ends in every form of diagnostics with the same code for %s', async (_, text, code) => {
    const lines = ['text', 'json', 'github'].flatMap((form) => [
      `compile - --diagnostics ${form}`,
      `compile - --quiet --diagnostics ${form}`,
      `compile - --format yaml --max-diagnostics 1 --diagnostics ${form}`,
    ]);
    const codes = await Promise.all(lines.map(async (line) => (await run(line, `${topology}---\n${text}`)).code));
    expect(codes).toEqual(lines.map(() => code));
  });

  test('takes the trust domain, the root namespace and the size limit from the command line', async () => {
    expect((await run('compile - --trust-domain example.org', `${topology}---\n${strict}`)).out).toContain(
      'spiffe://example.org/',
    );
    const denied = `${topology}---\n${nothing}`;
    expect((await run('compile -', denied)).out).not.toContain('envoy.filters.http.rbac');
    expect((await run('compile - --root-namespace policies', denied)).out).toContain('envoy.filters.http.rbac');
    expect(await run('compile - --root-namespace A.b', denied)).toMatchObject({ code: 2, out: '' });
    expect(await run('compile - --max-file-size 1K', topology.repeat(3))).toMatchObject({ code: 1, out: '' });
    const long = `${topology}${`#${'x'.repeat(1023)}\n`.repeat(17 * 1024)}`;
    expect(await run('compile -', long)).toMatchObject({ code: 1, out: '' });
    expect(await run('compile - --max-file-size 30MiB', long)).toMatchObject({ code: 0 });
  });
});
