import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { run } from '../testing/run-meshpol.ts';

const example = 'examples/policy-tests/policies/cart.yaml';

describe('meshpol test --init', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'init-'));
    file = join(folder, 'tests', 'first.yaml');
    mkdirSync(join(folder, 'tests'));
    mkdirSync(join(folder, 'policies'));
    cpSync(example, join(folder, 'policies', 'cart.yaml'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const init = (more = '') => run(`test --init ${file} ${join(folder, 'policies')} ${more}`);

  test('writes cases that pass, for each rule and just outside it, and the same text each time', async () => {
    const written = await init();
    expect(written).toMatchObject({ code: 0, error: '' });
    expect(written.out).toBe(
      `wrote ${file}: 9 cases for 2 rules, 5 cases for tokens, mutual TLS and routes; 1 not shown by any request, as its comments say\n`,
    );
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('  inputs: [../policies]\n');
    expect(text).toContain('    # ../policies/cart.yaml:23\n');
    expect(text).toContain('    - name: "just outside AuthorizationPolicy shop/cart spec.rules[0]"\n');
    expect(text).toMatch(/# No request was found for this: .*requestPrincipals\[0\]/);
    expect(await run(`test ${file}`)).toEqual({ code: 0, out: '14 passed, 0 failed\n', error: '' });
    await init('--force');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await run(`test --init - ${join(folder, 'policies')}`)).out).toContain('  cases:\n');
  });

  test('keeps a file that is there already, unless it is told to overwrite it', async () => {
    writeFileSync(file, 'mine');
    const { code, out, error } = await init();
    expect([code, out, readFileSync(file, 'utf8')]).toEqual([2, '', 'mine']);
    expect(error).toContain(`"${file}" is there already, and stays as it is: name another file, or add --force`);
    expect(await init('--force')).toMatchObject({ code: 0 });
  });

  test('never overwrites the policies, but a test beside them', async () => {
    const [policies, beside] = [join(folder, 'policies', 'cart.yaml'), join(folder, 'policies', 'first.yaml')];
    const before = readFileSync(policies, 'utf8');
    expect(await run(`test --init ${policies} --force ${policies}`)).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('is one of the inputs, and stays as it is') },
    });
    expect(readFileSync(policies, 'utf8')).toBe(before);
    for (const force of ['', '--force']) {
      expect(await run(`test --init ${beside} ${force} ${join(folder, 'policies')}`)).toMatchObject({ code: 0 });
    }
  });

  test('is refused with standard input, which no test can name', async () => {
    expect(await run(`test --init ${file} -`)).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('--init needs files') },
    });
  });

  test.each([
    ['--coverage text', 'leave --coverage out'],
    ['--filter a', 'leave --filter out'],
    ['-o json', 'leave --output out'],
  ])('is refused with %s', async (options, message) => {
    expect(await init(options)).toMatchObject({ code: 2, error: expect.stringContaining(message) });
    expect(existsSync(file)).toBe(false);
  });

  test('finds what a rule with a pattern that must not match decides', async () => {
    const rule = `to: [{operation: {notPaths: ["/health*"], notMethods: [GET]}}]\n    when: [{key: "request.headers[x-a]", notValues: ["b*"]}]`;
    const head = 'apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: cart, namespace: shop}';
    const text = `${head}\nspec:\n  action: DENY\n  rules:\n  - ${rule}\n`;
    writeFileSync(join(folder, 'policies', 'cart.yaml'), text);
    expect((await init()).out).toBe(`wrote ${file}: 4 cases for 1 rules\n`);
  });

  test('asks for paths beyond ASCII as they are sent', async () => {
    const head = 'apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: cart, namespace: shop}';
    const rule = 'to: [{operation: {ports: ["80"], notPaths: ["/á"]}}]';
    writeFileSync(join(folder, 'policies', 'cart.yaml'), `${head}\nspec:\n  rules:\n  - ${rule}\n`);
    expect(await init()).toMatchObject({ code: 0, error: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/name: "not paths \/á", request: \{.*path: "\/%C3%A1"/);
  });

  test('says that there is nothing to write where the inputs have no rule', async () => {
    writeFileSync(join(folder, 'policies', 'cart.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n');
    expect(await init()).toMatchObject({
      code: 2,
      error: expect.stringContaining('no rule of an AuthorizationPolicy'),
    });
    expect(await run('test --force')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--force is of --init'),
    });
  });

  test('notices 38 of 40 faults in one predicate of the policies of the examples', async () => {
    const outcomes: string[] = [];
    for (const name of [example, ...edge]) {
      const path = join(folder, 'policies', 'cart.yaml');
      cpSync(name, path);
      if (name !== example) writeFileSync(join(folder, 'policies', 'tokens.yaml'), readFileSync(tokens));
      expect(await init('--force')).toMatchObject({ code: 0 });
      for (const { what, text } of faultsIn(readFileSync(name, 'utf8'))) {
        writeFileSync(path, text);
        const { code, error } = await run(`test ${file}`);
        expect(error).not.toContain(': error: ');
        outcomes.push(`${code === 0 ? 'missed' : 'noticed'} ${what}`);
      }
    }
    // The example takes tokens of one issuer alone, so that these two change nothing.
    expect(outcomes.filter((outcome) => outcome.startsWith('missed'))).toEqual([
      'missed rules[1] requestPrincipals https://login.example.com/* has any value',
      'missed rules[1] requestPrincipals https://login.example.com/* is missing',
    ]);
    expect(outcomes.length).toBeGreaterThanOrEqual(40);
  });
});

const edge = ['deny-without-token.yaml', 'deny-without-token-on-headers.yaml'].map(
  (name) => `examples/edge/policies/${name}`,
);
const tokens = 'examples/edge/policies/request-authentication.yaml';

type Fields = Record<string, string[] | undefined>;

/** The policies of a text with one fault each, in one value of one field of one rule. */
function faultsIn(text: string): readonly { readonly what: string; readonly text: string }[] {
  const found: { readonly what: string; readonly text: string }[] = [];
  const objects = (): { kind: string; spec: { rules: Rule[] } }[] => parseAllDocuments(text).map((one) => one.toJS());
  const changes: Readonly<Record<string, (fields: Fields, field: string, i: number) => boolean>> = {
    'has another value': (fields, field, i) => replace(fields[field], i, (value) => other(value)),
    'has any value': (fields, field, i) =>
      !/[aA]ccounts|hosts/.test(field) && fields[field]?.[i] !== '*' && replace(fields[field], i, () => '*'),
    'is missing': (fields, field, i) => {
      fields[field]?.splice(i, 1);
      if (fields[field]?.length === 0) delete fields[field];
      return true;
    },
    'is negated': (fields, field) => {
      const name = field.startsWith('not')
        ? field.charAt(3).toLowerCase() + field.slice(4)
        : `not${field.charAt(0).toUpperCase()}${field.slice(1)}`;
      fields[name] = fields[field];
      delete fields[field];
      return true;
    },
  };
  objects().forEach(({ kind, spec }, o) => {
    if (kind !== 'AuthorizationPolicy') return;
    spec.rules.forEach((rule, r) => {
      fieldsOf(rule).forEach((fields, f) => {
        for (const field of Object.keys(fields).filter((key) => Array.isArray(fields[key]))) {
          (fields[field] ?? []).forEach((value, i) => {
            for (const [what, change] of Object.entries(changes)) {
              const changed = objects();
              const own = fieldsOf(changed[o]?.spec.rules[r] ?? {})[f];
              if (own === undefined || !change(own, field, i)) continue;
              dropEmpty(changed[o]?.spec.rules[r]);
              found.push({
                what: `rules[${r}] ${field} ${value} ${what}`,
                text: changed.map((one) => stringify(one)).join('---\n'),
              });
            }
          });
        }
      });
    });
  });
  return found;
}

interface Rule extends Record<string, unknown> {
  readonly from?: readonly { readonly source: Fields }[];
  readonly to?: readonly { readonly operation: Fields }[];
  readonly when?: readonly Fields[];
}

function fieldsOf({ from = [], to = [], when = [] }: Rule): readonly Fields[] {
  return [...from.map(({ source }) => source), ...to.map(({ operation }) => operation), ...when];
}

/** A rule without the sources, operations and conditions that say nothing any more. */
function dropEmpty(rule: Record<string, unknown> | undefined): void {
  for (const [part, list] of Object.entries(rule ?? {})) {
    const kept = (list as readonly object[]).filter((one) => {
      const { source, operation, key, ...fields } = one as { source?: object; operation?: object; key?: string };
      return Object.keys(source ?? operation ?? fields).length > 0;
    });
    if (rule !== undefined && kept.length === 0) delete rule[part];
    else if (rule !== undefined) rule[part] = kept;
  }
}

function replace(values: string[] | undefined, i: number, change: (value: string) => string): boolean {
  if (values?.[i] === undefined) return false;
  values[i] = change(values[i]);
  return true;
}

/** A value of the same form. */
function other(value: string): string {
  if (value === 'GET' || value === 'POST' || value === 'DELETE') return 'PATCH';
  return value === '*' ? 'https://other.example.com/*' : value.replace(/([a-z])(?=[^a-z]*$)/, '$1z');
}
