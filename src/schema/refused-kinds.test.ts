import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { templateOfPatch } from './refused-kinds.ts';
import { countSkipped, validate } from './validate.ts';

function told(apiVersion: string, kind: string, spec: string) {
  const bag = new DiagnosticBag();
  const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: demo, namespace: shop}\nspec: ${spec}\n`;
  const documents = parse([{ path: 'a.yaml', text }], bag);
  for (const document of documents) validate(document, bag);
  countSkipped(documents, bag);
  return bag.all.map(({ code, severity, hint }) => ({ code, severity, hint }));
}

describe('kinds of Istio that are not read', () => {
  test('an EnvoyFilter is refused, and the hint names the templates of its patches', () => {
    const [only, ...rest] = told(
      'networking.istio.io/v1alpha3',
      'EnvoyFilter',
      '{configPatches: [{applyTo: HTTP_FILTER}, {applyTo: CLUSTER}, {applyTo: HTTP_FILTER}]}',
    );
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ code: 'unsupported-kind-of-group', severity: 'error' });
    expect(only?.hint).toBe(
      'write your own version of the template in a folder that --templateFile names: clusters.json.hbs for CLUSTER, partials/http-connection-manager.hbs for HTTP_FILTER; or leave out the file with --exclude or .meshpolignore',
    );
  });

  test('every template that a hint names is one of ours', () => {
    const templates = join(import.meta.dirname, '../../templates');
    const missing = Object.values(templateOfPatch).filter((name) => !existsSync(join(templates, name)));
    expect(missing).toEqual([]);
  });

  test.each(['AUTHN', 'AUTHZ', 'LATER'])('a WasmPlugin of phase %s is refused', (phase) => {
    const [only, ...rest] = told('extensions.istio.io/v1alpha1', 'WasmPlugin', `{phase: ${phase}}`);
    expect([only?.code, only?.severity, rest]).toEqual(['unsupported-plugin', 'error', []]);
  });

  test.each([
    ['extensions.istio.io/v1alpha1', 'WasmPlugin', '{phase: STATS}'],
    ['extensions.istio.io/v1alpha1', 'WasmPlugin', '{url: oci://example.com/filter}'],
    ['telemetry.istio.io/v1', 'Telemetry', '{}'],
  ])('%s %s %s is warned of, once', (apiVersion, kind, spec) => {
    expect(told(apiVersion, kind, spec)).toMatchObject([{ code: 'kind-without-effect', severity: 'warning' }]);
  });

  test.each([
    ['rbac.istio.io/v1alpha1', 'ServiceRole', /AuthorizationPolicies/],
    ['rbac.istio.io/v1alpha1', 'ClusterRbacConfig', /^it has access checked .* "spec: \{\}".* in each namespace/],
    ['authentication.istio.io/v1alpha1', 'MeshPolicy', /PeerAuthentication/],
  ])('%s %s is refused, with what to write instead', (apiVersion, kind, hint) => {
    expect(told(apiVersion, kind, '{}')).toEqual([
      { code: 'unsupported-kind-of-group', severity: 'error', hint: expect.stringMatching(hint) },
    ]);
  });

  test.each([
    ['HTTPRoutes', /^did you mean "HTTPRoute"\?$/],
    ['GrpcRoute', /^did you mean "GRPCRoute"\?$/],
    ['TCPRoute', /^write it as a VirtualService or a Gateway/],
    ['BackendTLSPolicy', /^write it as a DestinationRule .*"trafficPolicy.tls".*; or leave out the file/],
    ['ListenerSet', /^write its listeners into the Gateway; or/],
    ['UDPRoute', /^proxies carry no UDP: .*; or leave out the file/],
  ])('%s of the Gateway API is refused, with what was meant or what to do', (kind, hint) => {
    expect(told('gateway.networking.k8s.io/v1', kind, '{}')).toEqual([
      { code: 'unsupported-kind-of-group', severity: 'error', hint: expect.stringMatching(hint) },
    ]);
  });

  test.each([
    ['XListenerSet', /^write its listeners into the Gateway; or/],
    ['XBackendTrafficPolicy', /^write it as a DestinationRule/],
  ])('an experimental %s is refused, with what to do', (kind, hint) => {
    expect(told('gateway.networking.x-k8s.io/v1alpha1', kind, '{}')).toEqual([
      { code: 'unsupported-kind-of-group', severity: 'error', hint: expect.stringMatching(hint) },
    ]);
  });

  test('an AuthorizationPolicy of an unknown group is warned of, and one of a known product is counted', () => {
    expect(told('security.example.com/v1', 'AuthorizationPolicy', '{}')).toMatchObject([
      { code: 'kind-without-effect', severity: 'warning' },
    ]);
    expect(told('policy.linkerd.io/v1alpha1', 'AuthorizationPolicy', '{}')).toMatchObject([{ code: 'skipped-kinds' }]);
  });

  test('other kinds of Istio are counted with the rest', () => {
    expect(told('install.istio.io/v1alpha1', 'IstioOperator', '{}')).toMatchObject([{ code: 'skipped-kinds' }]);
  });
});
