import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { policies, policyTestsBench, request, suite } from './testing/policy-tests-bench.ts';

describe('meshpol test', () => {
  const { inFolder, write, runTests } = policyTestsBench();

  test.each(['text', 'github'])('escapes what would move the cursor in the name of a case (form %s)', async (form) => {
    const name = String.raw`"a\nok     forged\u001b[31m\u202e"`;
    write(
      suite(`  - {name: ${name}, request: {${request}}, expect: {by: "Other x\\u001b"}}
  - {name: ${name}, request: {${request}}, expect: {reaches: shop/cart}}
`),
    );
    const { out } = await runTests(`--verbose -o ${form}`);
    expect(out).toContain(String.raw`a\u000aok     forged\u001b[31m\u202e`);
    expect(out).toContain(String.raw`Other x\u001b decides`);
    expect(['\nok     forged', '\u001b', '\u202e'].filter((raw) => out.includes(raw))).toEqual([]);
  });

  test('escapes the name of a case in a message about it', async () => {
    write(suite(String.raw`  - {name: "a\u001b[31m", request: {${request}}}`));
    expect((await runTests()).error).toContain(String.raw`the case "a\u001b[31m" expects nothing`);
  });

  test('passes the cases that come as expected: delivered, refused by a rule, and closed', async () => {
    write(
      suite(`  - name: reads
    request: {${request}}
    table:
    - {expect: {reaches: shop/cart}}
    - {request: {method: POST}, expect: {status: 403, by: AuthorizationPolicy shop/cart}}
  - name: outside
    request: {from: outside, to: shop/cart}
    expect: {exit: 56, by: PeerAuthentication shop/default spec.mtls}
`),
    );
    const { code, out, error } = await runTests('--verbose');
    expect([code, error]).toEqual([0, '']);
    expect(out.split('\n')).toEqual([
      'ok     cart > reads > row 1: reaches shop/cart',
      'ok     cart > reads > method POST: 403',
      'ok     cart > outside: closed, exit 56',
      '3 passed, 0 failed',
      '',
    ]);
  });

  test.each([
    [
      'a status of what is delivered',
      '{status: 200}',
      'what the application answers is not known: expect "reaches" instead',
    ],
    ['another workload', '{reaches: shop/web}', 'expected that it reaches shop/web, not reaches shop/cart'],
    ['an exit code', '{exit: 56}', 'expected exit 56, not reaches shop/cart'],
    ['a gRPC status', '{grpcStatus: 7}', 'expected gRPC status 7, not reaches shop/cart'],
    [
      'another object',
      '{by: AuthorizationPolicy shop/other}',
      'expected that AuthorizationPolicy shop/other decides, not',
    ],
    ['an authorizer', '{authorizer: opa}', 'expected that the external authorizer opa is asked, not none'],
  ])('fails a case that expects %s, with place, reason and the way of the request', async (_what, expected, reason) => {
    write(suite(`  - name: reads\n    request: {${request}}\n    expect: ${expected}\n`));
    const { code, out } = await runTests();
    expect(code).toBe(1);
    expect(out).toContain(`FAILED cart > reads (${inFolder('test.yaml')}:10)\n  `);
    expect(out).toContain(reason);
    expect(out).toContain('    reaches shop/cart\n      shop/web, client: listener');
    expect(out).toMatch(/\n0 passed, 1 failed\n$/);
  });

  test('fails a case of which one possible outcome is not as expected, and passes it once nothing is left to chance', async () => {
    const meshConfig = inFolder('mesh');
    writeFileSync(
      meshConfig,
      'extensionProviders:\n- name: opa\n  envoyExtAuthzHttp: {service: opa.example.com, port: 80}\n',
    );
    writeFileSync(
      inFolder('policies.yaml'),
      `${policies}---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ask, namespace: shop}
spec: {action: CUSTOM, provider: {name: opa}, rules: [{}], selector: {matchLabels: {app: cart}}}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: opa, namespace: shop}
spec: {hosts: [opa.example.com], ports: [{number: 80, name: http}], resolution: DNS}
`,
    );
    const asked = (more: string, expected = 'reaches: shop/cart') =>
      suite(`  - name: reads\n    request: {${request}${more}}\n    expect: {${expected}}\n`);
    write(asked(''));
    const { code, out } = await runTests(`--meshConfig ${meshConfig}`);
    expect([code, out]).toEqual([1, expect.stringContaining('outcomes are possible')]);
    write(asked(', authorizer: allow'));
    expect((await runTests(`--meshConfig ${meshConfig}`)).code).toBe(0);
    // Whatever it answers.
    write(asked('', 'authorizer: opa'));
    expect((await runTests(`--meshConfig ${meshConfig}`)).code).toBe(0);
    write(asked('', 'authorizer: none'));
    expect(await runTests(`--meshConfig ${meshConfig}`)).toMatchObject({
      code: 1,
      out: expect.stringContaining('expected that no external authorizer is asked, not opa'),
    });
  });

  test('reads the time that decides about tokens from the test', async () => {
    const tokens = `---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: staff, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, jwtRules: [{issuer: i, jwks: '{"keys": [{"kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}'}]}
`;
    writeFileSync(inFolder('policies.yaml'), policies + tokens);
    const claims = 'claims: {iss: i, sub: a, exp: 1767225600}';
    const at = (now: string, expected: string) =>
      suite(`  - name: token\n    request: {${request}, ${claims}}\n    expect: {${expected}}\n`, `  now: "${now}"\n`);
    write(at('2025-12-31T00:00:00Z', 'reaches: shop/cart'));
    expect(await runTests()).toMatchObject({ code: 0 });
    write(at('2026-01-02T00:00:00Z', 'status: 401'));
    expect(await runTests()).toMatchObject({ code: 0 });
  });

  test('runs the cases that a text and tags select, and ends with 2 where none is left', async () => {
    write(
      suite(`  - {name: first, tags: [a, b], request: {${request}}, expect: {reaches: shop/cart}}
  - {name: second, tags: [a], request: {${request}}, expect: {status: 403}}
`),
    );
    expect((await runTests('--tag a --tag b --verbose')).out).toContain('first: reaches');
    expect(await runTests('--filter first')).toMatchObject({ code: 0, out: '1 passed, 0 failed\n' });
    expect(await runTests('--filter third')).toMatchObject({
      code: 2,
      error: expect.stringContaining('none of 2 cases'),
    });
    write('kind: ConfigMap\n');
    expect(await runTests()).toMatchObject({ code: 2, error: expect.stringContaining('no "kind: PolicyTest"') });
  });

  test('writes several forms in one run, with the same exit code in each', async () => {
    write(suite(`  - {name: "a|b <c>", request: {${request}}, expect: {status: 403}}\n`));
    const file = (name: string) => inFolder(name);
    const outputs = ['json', 'junit', 'markdown', 'github'].map((form) => `-o ${form}=${file(form)}`).join(' ');
    expect(await runTests(`-o text ${outputs}`)).toMatchObject({
      code: 1,
      out: expect.stringContaining('0 passed, 1 failed'),
    });
    const read = (name: string) => readFileSync(file(name), 'utf8');
    expect(JSON.parse(read('json'))).toMatchObject({
      ...{ format: 1, passed: 0, failed: 1 },
      cases: [
        {
          suite: 'cart',
          name: 'a|b <c>',
          line: 10,
          passed: false,
          mismatches: [expect.stringContaining('status 403')],
        },
      ],
    });
    expect(read('junit')).toContain('<testsuite name="cart" tests="1" failures="1" errors="0" skipped="0">');
    expect(read('junit')).toContain('name="a|b &lt;c&gt;"');
    expect(read('markdown')).toContain('| cart &#62; a&#124;b &#60;c&#62; |');
    expect(read('github')).toContain(`,line=10,title=cart > a|b <c>::expected status 403`);
    expect((await runTests('-o json')).code).toBe(1);
  });
});
