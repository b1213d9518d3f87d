import { describe, expect, test } from 'vitest';
import { createObjectReader } from '../compiler/read-objects.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';

const object = (kind: string, spec: string): string => `apiVersion: networking.mesh.io/v1
kind: ${kind}
metadata: {name: a, namespace: shop}
spec: ${spec}
`;

function saidOf(text: string) {
  const bag = new DiagnosticBag();
  createObjectReader()([{ path: 'a.yaml', text }], bag);
  return bag.all.map(({ code, message, hint }) => ({ code, message, hint }));
}

const route = (rest: string) => object('VirtualService', `{hosts: [a], http: [{${rest}}]}`);
const destination = 'route: [{destination: {host: a}}]';

describe('one mistake of a field', () => {
  test('is one finding where a credential stands beside several files', () => {
    const tls = '{mode: MUTUAL, clientCertificate: /a, privateKey: /b, caCertificates: /c, credentialName: d}';
    expect(saidOf(object('DestinationRule', `{host: a, trafficPolicy: {tls: ${tls}}}`))).toEqual([
      {
        code: 'conflicting-fields',
        message: '"credentialName", "clientCertificate", "privateKey" and "caCertificates" exclude each other in "tls"',
        hint: 'keep "credentialName", or "clientCertificate", "privateKey" and "caCertificates" without it',
      },
    ]);
  });

  test.each([
    ['reviews.shop.svc.cluster.local', /^write mode MESH_MUTUAL .*, or set "clientCertificate"/],
    ['"*.local"', /^write mode MESH_MUTUAL /],
    ['api.example.com', /^set "clientCertificate"/],
  ])('of client certificates that are missing for %s has the hint for such a host', (host, hint) => {
    const [said] = saidOf(object('DestinationRule', `{host: ${host}, trafficPolicy: {tls: {mode: MUTUAL}}}`));
    expect([said?.code, said?.hint]).toEqual(['incomplete-client-certificate', expect.stringMatching(hint)]);
  });

  test('names the Secret alone where its namespace stands before it', () => {
    const tls = '{mode: SIMPLE, credentialName: edge/shop-cert}';
    const server = `{port: {number: 443, name: https, protocol: HTTPS}, hosts: ["*"], tls: ${tls}}`;
    expect(saidOf(object('Gateway', `{selector: {app: edge}, servers: [${server}]}`))).toMatchObject([
      {
        code: 'invalid-name',
        hint: expect.stringMatching(/^write "shop-cert": the Secret is read from the namespace/),
      },
    ]);
  });

  test('is one finding where an unknown field stands in place of the only one', () => {
    const said = saidOf(route('route: [{destination: {host: a, port: {name: http}}}]'));
    expect(said.map(({ code, hint }) => [code, hint])).toEqual([
      ['unknown-field', 'write "number" in its place: that is the only field'],
    ]);
  });

  test.each([
    ['redirect: {uri: /x}, rewrite: {uri: /y}', 'remove "redirect", or "route" and "rewrite"'],
    ['directResponse: {status: 200}', 'remove "directResponse", or "route"'],
  ])('does not say that a route excludes its rewrite: %s', (rest, hint) => {
    expect(saidOf(route(`${destination}, ${rest}`)).map((it) => it.hint)).toEqual([hint]);
  });

  test.each([
    ['/a[0-9+', undefined],
    ['/a(?=b)', expect.stringContaining('lookaround')],
    ['(a)\\1', expect.stringContaining('backreferences')],
  ])('of the expression %s has a hint about RE2 only where that is the cause', (regex, hint) => {
    const match = `match: [{uri: {regex: '${regex}'}}]`;
    expect(saidOf(route(`${match}, ${destination}`)).map((it) => it.hint)).toEqual([hint]);
  });

  test.each([
    ['from: [{source: {namespaces: [b]}, to: [{operation: {methods: [GET]}}]}]', 'from'],
    ['to: [{operation: {methods: [GET]}, when: [{key: a, values: [b]}]}]', 'to'],
  ])('of a field that stands too far in says where it belongs: %s', (rest, holder) => {
    const text = object('AuthorizationPolicy', `{rules: [{${rest}}]}`).replace('networking', 'security');
    expect(saidOf(text).map(({ hint }) => hint)).toEqual([expect.stringMatching(`^move it out of "${holder}"`)]);
  });
});
