import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { parseAssumedWorkload } from './assume-option.ts';

const policies = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart, tier: db}}
  rules: [{from: [{source: {principals: [cluster.local/ns/shop/sa/web-account]}}]}]
`;
const cart = '--assume shop/cart,labels=app:cart+tier:db,ports=http:8080+tcp:3306';
const web = '--assume shop/web,account=web-account';
const bare = '--assume old/cron,proxy=none';
const firstLine = ({ out }: { readonly out: string }): string | undefined => out.split('\n')[0];

describe('--assume', () => {
  test('answers about policies alone, and prints every assumption', async () => {
    const { code, out, error } = await run(`explain - ${cart} ${web} --from shop/web --to cart:8080`, policies);
    expect([code, error, firstLine({ out })]).toEqual([0, '', 'reaches shop/cart']);
    expect(out).toContain('inbound-8080-mtls-http');
    const [, assumed] = out.split('\nassumed:\n');
    expect(assumed?.split('\n').slice(0, 5)).toEqual([
      '  - there is a workload shop/cart: labels app=cart, tier=db, service account default, ports 8080 (http), 3306 (tcp), a sidecar',
      '  - there is a workload shop/web: labels app=web, service account web-account, no ports, a sidecar',
      '  - shop/web has no address in the input: 198.19.0.2 stands for it',
      '  - shop/cart has no address in the input: 198.19.0.1 stands for it',
      '  - Service shop/cart has no address in the input: 198.18.1.1 stands for it',
    ]);
  });

  test.each([
    [`${cart} ${bare} --from old/cron --to cart.shop:8080`, /^000 .*PeerAuthentication shop\/default/],
    [`${cart} --assume shop/web --from shop/web --to cart:8080`, /^403 .*AuthorizationPolicy shop\/cart/],
    ['--assume shop/cart,ports=80 --assume shop/web --from shop/web --to cart', /^reaches shop\/cart/],
    ['--assume shop/edge,proxy=router,ports=80 --from outside --to shop/edge:80', /^(?!reaches)/],
  ])('makes of "%s" a verdict of its own', async (args, verdict) => {
    expect(firstLine(await run(`explain - ${args}`, policies))).toMatch(verdict);
  });

  test('describes an assumed workload, with the text of the option as its file', async () => {
    const { out } = await run(`describe shop/cart - ${cart}`, policies);
    expect(out).toMatch(/^shop\/cart: Pod, with a sidecar, .*\n\nwho is let in:\n {2}port 3306 \(cart.shop/);
    expect(out).toContain('\nassumed:\n  there is a workload shop/cart: labels app=cart, tier=db,');
  });

  test('reads a file with one workload a line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assume-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'workloads');
    writeFileSync(path, `# who calls\n\n${web.slice('--assume '.length)}\n`);
    const line = `explain - ${cart} --assume @${path} --from shop/web --to cart:8080`;
    expect(firstLine(await run(line, policies))).toBe('reaches shop/cart');
    writeFileSync(path, '\nshop/web,acount=a\n');
    const wrong = await run(line, policies);
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining(`${path}:2: "acount" is unknown`)]);
    const missing = await run(`explain - --assume @${folder}/none --from a/b --to c`, policies);
    expect([missing.code, missing.error]).toEqual([3, expect.stringContaining(`cannot read "${folder}/none"`)]);
  });

  test.each(['Pod', 'Deployment'])('refuses a workload of which the input has a %s', async (kind) => {
    const template = '{template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: app}]}}}';
    const spec = kind === 'Pod' ? '{containers: [{name: app}]}' : template;
    const object = `apiVersion: v1\nkind: ${kind}\nmetadata: {name: cart, namespace: shop}\nspec: ${spec}\n`;
    const text = `${kind === 'Pod' ? object : object.replace('apiVersion: v1', 'apiVersion: apps/v1')}---\n${policies}`;
    const { code, error } = await run(`describe shop/cart - ${cart}`, text);
    expect([code, error]).toEqual([2, expect.stringContaining(`the input has a ${kind} of this name already`)]);
  });

  test('refuses ports of a workload whose Service the input has', async () => {
    const service =
      'apiVersion: v1\nkind: Service\nmetadata: {name: cart, namespace: shop}\nspec: {ports: [{port: 80}]}\n';
    const { code, error } = await run(`describe shop/cart - ${cart}`, `${service}---\n${policies}`);
    expect([code, error]).toEqual([2, expect.stringContaining('a Service of this name, leave "ports" out')]);
  });
});

describe('parseAssumedWorkload', () => {
  test('takes defaults that are printed: a label by the name, the default account, no ports, a sidecar', () => {
    expect(parseAssumedWorkload('shop/cart')).toEqual({
      ...{ namespace: 'shop', name: 'cart', labels: { app: 'cart' } },
      ...{ account: 'default', ports: [], proxy: 'sidecar' },
    });
  });

  test.each([
    ['cart', '"cart" names no workload'],
    ['shop/cart,label=a:b', '"label" is unknown, expected labels, account, ports, proxy; did you mean "labels"?'],
    ['shop/cart,labels', '"labels" has no value'],
    ['shop/cart,account=a,account=b', '"account" is given twice'],
    ['shop/cart,labels=app', '"app" is no label, expected KEY:VALUE'],
    ['shop/cart,account=A', '"A" is no service account'],
    ['shop/cart,ports=99999', '"99999" is no port'],
    ['shop/cart,ports=htp:80', '"htp" is no protocol'],
    ['shop/cart,labels=,ports=80', '"ports" needs a label'],
    ['shop/cart,proxy=gateway', '"gateway" is no proxy, expected sidecar, router (a gateway) or none'],
  ])('refuses %s', (text, message) => {
    expect(() => parseAssumedWorkload(text)).toThrow(message);
  });
});
