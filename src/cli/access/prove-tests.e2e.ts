import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

const text = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules:
  - to: [{operation: {methods: [GET]}}]
---
apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  workloads:
  - {name: shop/cart, ports: ["http:8080"]}
  - {name: shop/web}
  cases:
  - {name: reads, request: {from: shop/web, to: "cart:8080"}, expect: {reaches: shop/cart}}
  - {name: writes, request: {from: shop/web, to: "cart:8080", method: PUT}, expect: {reaches: shop/cart}}
  - {name: asks, request: {from: shop/web, to: "cart:8080", authorizer: deny}, expect: {reaches: shop/cart}}
`;

describe('meshpol test --prove', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'proved-tests-'));
    writeFileSync(join(folder, 'cart.yaml'), text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('sends the requests of the cases to a real Envoy, and shows both results in every form', async () => {
    const file = (form: string): string => join(folder, `results.${form}`);
    const forms = ['json', 'junit', 'markdown', 'github'];
    const outputs = forms.flatMap((form) => ['-o', `${form}=${file(form)}`]);
    const { code, out, error } = await run(['test', folder, '--prove', '--verbose', '-o', 'text', ...outputs], '', {
      PATH: process.env.PATH ?? '',
    });
    expect([code, error]).toEqual([1, '']);
    expect(out).toContain('ok     cart > reads: reaches shop/cart; on Envoy: as predicted\n');
    expect(out).toMatch(
      /FAILED cart > writes .*\n {2}expected that it reaches shop\/cart, not 403\n {2}on Envoy: as predicted\n/,
    );
    expect(out).toMatch(/FAILED cart > asks .*\n {2}on Envoy: not tried\n {4}not tried: no external authorizer/);
    expect(out).toMatch(/\n1 passed, 2 failed; on Envoy: 2 as predicted, 0 not as predicted, 1 not tried\n$/);

    const read = (form: string): string => readFileSync(file(form), 'utf8');
    const { cases } = JSON.parse(read('json'));
    expect(cases).toMatchObject([
      { passed: true, onEnvoy: { standing: 'as-predicted', gaps: [] } },
      { passed: false, onEnvoy: { standing: 'as-predicted' } },
      { passed: false, mismatches: [], onEnvoy: { standing: 'not-tried', gaps: [expect.any(String)] } },
    ]);
    expect(cases[1].onEnvoy.proxies.at(-1).seen).toMatchObject({ status: 403 });
    expect(read('junit')).toMatch(/name="reads"[^>]*>\s*<system-out>on Envoy: as predicted/);
    expect(read('junit')).toContain('<failure message="on Envoy: not tried: no external authorizer');
    expect(read('markdown')).toContain('on Envoy: 2 as predicted, 0 not as predicted, 1 not tried');
    expect(read('markdown')).toMatch(/\| cart &#62; asks \| .* \| on Envoy: not tried: no external authorizer/);
    expect(read('github')).toMatch(/title=cart > asks::on Envoy: not tried: no external authorizer/);
  });

  test('says that no Envoy was found before it reads anything', async () => {
    const { code, out, error } = await run(['test', join(folder, 'none'), '--prove', '--envoy', '/nowhere/envoy']);
    expect([code, out]).toEqual([3, '']);
    expect(error).toContain('/nowhere/envoy');
  });

  test.each([
    [['--envoy', '/bin/true'], '--envoy is of --prove'],
    [['--init', '-', '--prove'], 'leave --prove out'],
    [['--init', '-', '--watch'], 'leave --watch out'],
  ])('refuses %s', async (args, message) => {
    const { code, error } = await run(['test', folder, ...args]);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });
});
