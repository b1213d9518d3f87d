import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const policies = `# <Who> may read.
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules:
  - to: [{operation: {methods: [GET, POST]}}]
  - to: [{operation: {methods: [PUT]}}]
`;
const suite = `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [policies.yaml]
  workloads: [{name: shop/cart, labels: {app: cart}, ports: ["http:8080"]}]
  cases:
  - name: reads
    request: {from: outside, to: "shop/cart"}
    table: [{expect: {reaches: shop/cart}}, {request: {method: DELETE}, expect: {status: 403}}]
`;

/** The public key of an example in RFC 7517. */
const publicKey =
  '{"kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}';

describe('meshpol test --coverage', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coverage-forms-'));
    writeFileSync(join(folder, 'policies.yaml'), policies);
    writeFileSync(join(folder, 'test.yaml'), suite);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const runTests = (options: string) => run(`test ${folder} ${options}`);

  test('has the counts, and each place that is not covered with its line', async () => {
    const { code, out, error } = await runTests('--coverage text');
    expect([code, error]).toEqual([0, '']);
    const place = (at: string, field: string, value = ''): string =>
      `${join(folder, 'policies.yaml')}:${at}: AuthorizationPolicy shop/cart spec.rules${field}${value}`;
    const never = 'never true in a request that the rule matched';
    expect(out.split('\n')).toEqual([
      '2 passed, 0 failed',
      'coverage',
      '  policies    1 of 1        100 %',
      '  rules       1 of 2        50 %',
      '  predicates  1 of 3        33.3 %',
      '  tokens      0 of 0        100 %',
      '  mutual-tls  0 of 0        100 %',
      '  routes      0 of 0        100 %',
      `${place('8:38', '[0].to[0].operation.methods[1]', ' "POST"')}: ${never}`,
      `${place('9:5', '[1]')}: it decided no case`,
      `${place('9:33', '[1].to[0].operation.methods[0]', ' "PUT"')}: ${never}`,
      '',
    ]);
  });

  test('writes several forms in one run, and fails where less is covered than wanted', async () => {
    const file = (name: string): string => join(folder, name);
    const forms = ['json', 'lcov', 'html'].map((form) => `--coverage ${form}=${file(form)}`).join(' ');
    const { code, out, error } = await runTests(`${forms} --fail-under rules=50,predicates=33.4 -o markdown`);
    expect([code, out]).toEqual([1, '**meshpol test: 2 passed, 0 failed**\n']);
    expect(error).toBe('coverage of predicates is 33.3 % (1 of 3), less than 33.4 % (--fail-under)\n');

    const { format, groups, places } = JSON.parse(readFileSync(file('json'), 'utf8'));
    expect([format, groups.predicates]).toEqual([1, { covered: 1, total: 3 }]);
    expect(places[0]).toMatchObject({ group: 'policies', field: '', line: 4, seen: { 'in force': 1 } });
    expect(places[2]).toMatchObject({ group: 'predicates', value: 'GET', line: 8, seen: { true: 1, false: 1 } });

    const record = readFileSync(file('lcov'), 'utf8').split('\n');
    expect(record.slice(0, 2)).toEqual(['TN:meshpol', `SF:${file('policies.yaml')}`]);
    expect(record.filter((line) => line.startsWith('DA:'))).toEqual(['DA:4,1', 'DA:8,1', 'DA:9,0']);
    expect(record.filter((line) => line.startsWith('BRDA:8,2'))).toEqual(['BRDA:8,2,0,0', 'BRDA:8,2,1,1']);
    expect(record.slice(-3)).toEqual(['LH:2', 'end_of_record', '']);

    const page = readFileSync(file('html'), 'utf8');
    expect(page).toContain('# &lt;Who&gt; may read.');
    expect(
      [...page.matchAll(/<span class="(partly|missed|covered)"><span class="number">(\d+)/g)].map(
        ([, mark, line]) => `${line} ${mark}`,
      ),
    ).toEqual(['4 covered', '8 partly', '9 partly']);
    expect(page).toContain('methods[1] &quot;POST&quot;: never true in a request that the rule matched</li>');
    expect(page).not.toMatch(/<(?:script|link)|https?:|src=/);
  });

  test('names each policy that is in force nowhere, and no other', async () => {
    const [authorization, peer, request] = ['AuthorizationPolicy', 'PeerAuthentication', 'RequestAuthentication'];
    const object = (kind = '', name = '', spec = ''): string =>
      `---\napiVersion: security.mesh.io/v1\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec: {${spec}}\n`;
    const [cart, none] = ['cart', 'none'].map((app) => `selector: {matchLabels: {app: ${app}}}`);
    const rule = 'rules: [{to: [{operation: {methods: [GET]}}]}]';
    const issuer = (name: string): string => `jwtRules: [{issuer: ${name}, jwks: '{"keys": [${publicKey}]}'}]`;
    const text = [
      object(authorization, 'allowed', `${cart}, ${rule}`),
      object(authorization, 'dry', `${cart}, ${rule}`).replace(
        'shop}',
        'shop, annotations: {mesh.io/dry-run: "true"}}',
      ),
      object(authorization, 'nothing', `${cart}`),
      object(authorization, 'idle-1', `${none}, ${rule}`),
      object(authorization, 'idle-2', none),
      object(peer, 'default', 'mtls: {mode: PERMISSIVE}'),
      object(peer, 'port', `${cart}, portLevelMtls: {8080: {mode: DISABLE}}`),
      object(peer, 'idle-3', `${none}, mtls: {mode: STRICT}`),
      object(request, 'staff', `${cart}, ${issuer('a')}`),
      object(request, 'idle-4', `${none}, ${issuer('b')}`),
    ].join('');
    const own = join(folder, 'idle');
    mkdirSync(own);
    writeFileSync(join(own, 'policies.yaml'), text);
    writeFileSync(join(own, 'test.yaml'), suite);
    const { out } = await run(`test ${own} --coverage text --fail-under policies=60`);
    rmSync(own, { recursive: true });
    const idle = out.split('\n').filter((line) => line.endsWith(': in force at no proxy of the inputs'));
    expect(idle.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'AuthorizationPolicy shop/idle-1:',
      'AuthorizationPolicy shop/idle-2:',
      'PeerAuthentication shop/idle-3:',
      'RequestAuthentication shop/idle-4:',
    ]);
    expect(out).toContain('  policies    6 of 10       60 %');
  });

  test.each([
    ['--coverage json', "the results (text) and the coverage (json) can't both go to standard output"],
    ['-o json --coverage text', "the results (json) and the coverage (text) can't both go to standard output"],
    ['--coverage xml', 'Expected FORM or FORM=FILE, where FORM is one of text, json, lcov, html.'],
    [
      '--fail-under lines=3',
      'where GROUP is one of policies, rules, predicates, tokens, mutual-tls, routes, not "lines=3"',
    ],
    ['--fail-under rules=101', 'not "rules=101"'],
    ['--fail-under rules=1 --fail-under rules=2', 'rules has two values'],
  ])('refuses %s', async (options, message) => {
    const { code, out, error } = await runTests(options);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(message);
  });

  test('counts a rule of two meshes once', async () => {
    const two = suite
      .replace('name: cart}', 'name: other}')
      .replace('- name: reads', '- name: writes')
      .replaceAll('DELETE', 'PUT')
      .replace('status: 403', 'reaches: shop/cart')
      .replace('name: shop/cart, labels', 'name: shop/cart, account: a, labels');
    writeFileSync(join(folder, 'other.yaml'), two);
    const { out } = await runTests('--coverage text');
    rmSync(join(folder, 'other.yaml'));
    expect(out).toContain('rules       2 of 2        100 %');
  });
});
