import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../testing/run-meshpol.ts';

describe('meshpol test --init', () => {
  test('writes cases for each issuer of tokens, each mode of mutual TLS and each route, and just outside', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] });
    const folder = mkdtempSync(join(tmpdir(), 'init-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [policies, file] = [join(folder, 'shop.yaml'), join(folder, 'first.yaml')];
    writeFileSync(policies, shop(keys));
    expect(await run(`test --init ${file} ${policies}`)).toEqual({
      ...{
        code: 0,
        out: `wrote ${file}: 12 cases for tokens, mutual TLS and routes; 1 not shown by any request, as its comments say\n`,
        error: '',
      },
    });
    const { spec }: Written = parse(readFileSync(file, 'utf8'));
    const rows = spec.cases.map(({ name, table }) => [
      name,
      ...table.map((row) => `${row.name}: ${JSON.stringify(row.expect)}`),
    ]);
    const issuer = 'https://a.example.com';
    expect(rows).toEqual([
      [
        'RequestAuthentication shop/tokens',
        `a token of ${issuer}: {"reaches":"shop/cart"}`,
        'a token of b: {"reaches":"shop/cart"}',
      ],
      [
        'just outside RequestAuthentication shop/tokens',
        `a token of ${issuer} for another audience: {"status":403,"by":"RequestAuthentication shop/tokens"}`,
        'a token of another issuer: {"status":401,"by":"RequestAuthentication shop/tokens"}',
        'no token: {"reaches":"shop/cart"}',
      ],
      [
        'PeerAuthentication shop/modes spec.mtls.mode',
        'with mutual TLS: {"reaches":"shop/cart"}',
        'without mutual TLS: {"exit":56}',
      ],
      [
        'PeerAuthentication shop/modes spec.portLevelMtls["9000"].mode',
        'with mutual TLS: {"exit":[52,56]}',
        'without mutual TLS: {"reaches":"shop/cart"}',
      ],
      [
        'VirtualService shop/cart spec.http[0]',
        'takes the route: {"status":301,"by":"VirtualService shop/cart spec.http[0]"}',
      ],
      ['just outside VirtualService shop/cart spec.http[0]', 'another path: {"reaches":"shop/cart"}'],
      ['VirtualService shop/cart spec.http[2]', 'takes the route: {"reaches":"shop/cart"}'],
    ]);
    expect(readFileSync(file, 'utf8')).toContain(
      '# No request was found for this: VirtualService shop/cart spec.http[1]: no request took it\n',
    );
    expect(await run(`test ${file} --coverage text --fail-under tokens=100,mutual-tls=100`)).toMatchObject({
      ...{ code: 0, error: '' },
    });
  });

  test('writes no header that may be a secret, and knows the ports of gateways by their numbers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'init-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [policies, file] = [join(folder, 'shop.yaml'), join(folder, 'first.yaml')];
    writeFileSync(policies, edge);
    expect(await run(`test --init ${file} ${policies}`)).toMatchObject({ code: 0, error: '' });
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('s3cr3t');
    const { spec }: Written = parse(text);
    const targets = spec.cases.flatMap(({ name, table }) => (/VirtualService/.test(name) ? table : []));
    expect(targets.map(({ name, request }) => `${name}: ${request?.to}`)).toEqual([
      'takes the route: shop2/edge:8080',
      'another path: shop2/edge:8080',
    ]);
  });
});

interface Written {
  readonly spec: {
    readonly cases: readonly {
      readonly name: string;
      readonly table: readonly {
        readonly name: string;
        readonly expect: object;
        readonly request?: { readonly to?: string };
      }[];
    }[];
  };
}

/** A workload with tokens of two issuers, and with two modes of mutual TLS. */
const shop = (keys: string): string => `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec:
  jwtRules:
  - {issuer: https://a.example.com, audiences: [shop], jwks: '${keys}'}
  - {issuer: b, jwks: '${keys}'}
---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: modes, namespace: shop}
spec: {selector: {matchLabels: {app: cart}}, mtls: {mode: STRICT}, portLevelMtls: {9000: {mode: DISABLE}}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.1, ports: [{name: http, port: 80, targetPort: 8080}, {name: tcp, port: 9000}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {serviceAccountName: cart, containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: cart, namespace: shop}
spec:
  hosts: [cart]
  http:
  - {match: [{uri: {prefix: /a/}, method: {exact: POST}, headers: {x-user: {exact: me}}}], redirect: {uri: /b}}
  - {match: [{uri: {regex: '/[0-9]+'}}], directResponse: {status: 418}}
  - {route: [{destination: {host: cart, port: {number: 80}}}]}
`;

/** A gateway with one port in plain text and one with TLS, in a namespace with a digit. */
const edge = `apiVersion: v1
kind: Namespace
metadata: {name: shop2}
---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: shop2, labels: {app: edge}}
spec: {serviceAccountName: edge, containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.9}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: gw, namespace: shop2}
spec:
  selector: {app: edge}
  servers:
  - {port: {number: 8080, name: http, protocol: HTTP}, hosts: [a.example.com]}
  - port: {number: 8443, name: https, protocol: HTTPS}
    hosts: [b.example.com]
    tls: {mode: SIMPLE, serverCertificate: /etc/a.pem, privateKey: /etc/k.pem}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: plain, namespace: shop2}
spec:
  hosts: [a.example.com]
  gateways: [gw]
  http:
  - {match: [{uri: {prefix: /s}, headers: {authorization: {exact: Bearer s3cr3t}}}], directResponse: {status: 418}}
  - {match: [{uri: {prefix: /x}}], directResponse: {status: 418}}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: secure, namespace: shop2}
spec: {hosts: [b.example.com], gateways: [gw], http: [{match: [{uri: {prefix: /x}}], directResponse: {status: 418}}]}
`;
