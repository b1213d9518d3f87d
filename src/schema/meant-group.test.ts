import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { isSkipped } from './dispatch.ts';
import { meantGroups } from './meant-group.ts';
import { validate } from './validate.ts';

/** Severity, code and hint of an object that has nothing but this head. */
function told(apiVersion: string, kind: string) {
  const bag = new DiagnosticBag();
  const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: demo, namespace: shop}\n`;
  for (const document of parse([{ path: 'a.yaml', text, isFound: true }], bag, undefined, isSkipped))
    validate(document, bag);
  return bag.all.map(({ severity, code, hint, span }) => [severity, code, hint, span?.start]);
}

describe('an object whose group is a mistake', () => {
  test.each([
    ['istio.io/v1', 'AuthorizationPolicy', 'did you mean "security.istio.io"?'],
    ['istio/v1', 'AuthorizationPolicy', 'did you mean "security.istio.io"?'],
    ['policy.istio.io/v1', 'AuthorizationPolicy', 'did you mean "security.istio.io"?'],
    ['rbac.istio.io/v1', 'AuthorizationPolicy', 'did you mean "security.istio.io"?'],
    ['mesh.io/v1', 'AuthorizationPolicy', 'did you mean "security.mesh.io"?'],
    ['Security.Istio.IO/v1', 'AuthorizationPolicy', 'did you mean "security.istio.io"?'],
    ['security/v1', 'AuthorizationPolicy', 'did you mean "security.mesh.io"?'],
    ['security.istio.io', 'AuthorizationPolicy', 'did you mean "security.mesh.io/v1"?'],
    ['v1', 'AuthorizationPolicy', 'did you mean "security.mesh.io/v1"?'],
    ['gateway.networking.k8s.io/v1', 'AuthorizationPolicy', 'did you mean "security.mesh.io"?'],
    ['istio.io/v1', 'VirtualService', 'did you mean "networking.istio.io"?'],
    ['istio.io/v1', 'Gateway', 'did you mean "networking.istio.io"?'],
    ['v1', 'Gateway', 'did you mean "networking.mesh.io/v1" or "gateway.networking.k8s.io/v1"?'],
    ['networking.x-k8s.io/v1alpha1', 'Gateway', 'did you mean "gateway.networking.k8s.io" or "networking.mesh.io"?'],
    ['v1', 'HTTPRoute', 'did you mean "gateway.networking.k8s.io/v1"?'],
    ['gateway.networking.x-k8s.io/v1', 'HTTPRoute', 'did you mean "gateway.networking.k8s.io"?'],
    ['istio.io/v1', 'HTTPRoute', 'did you mean "gateway.networking.k8s.io"?'],
    ['networking.k8s.io/v1', 'GRPCRoute', 'did you mean "gateway.networking.k8s.io"?'],
    ['gateway/v1', 'TLSRoute', 'did you mean "gateway.networking.k8s.io"?'],
    ['v1', 'Deployment', 'did you mean "apps/v1"?'],
    ['extensions/v1beta1', 'DaemonSet', 'did you mean "apps"?'],
    ['apps/v1', 'Job', 'did you mean "batch"?'],
    ['core/v1', 'Service', 'did you mean "v1"?'],
    ['security.istio.oi/v1', 'AuthorizationPolcy', 'did you mean AuthorizationPolicy of "security.istio.io"?'],
    ['istio.io/v1', 'AuthorizationPolicyy', 'did you mean AuthorizationPolicy of "security.istio.io"?'],
    ['v1', 'VirtualServce', 'did you mean VirtualService of "networking.mesh.io"?'],
    ['security.example.com/v1', 'PeerAuthentcation', 'did you mean PeerAuthentication of "security.mesh.io"?'],
  ])('%s %s is refused, at its place and with what was meant', (apiVersion, kind, hint) => {
    expect(told(apiVersion, kind)).toEqual([['error', 'unknown-api-group', hint, 'apiVersion: '.length]]);
  });
});

test('an access rule whose kind is misspelt and whose group nobody knows has no effect, and that is told', () => {
  const [[severity, code] = []] = told('security.example.com/v1', 'AuthorizationPolcy');
  expect([severity, code]).toEqual(['warning', 'kind-without-effect']);
});

test.each([
  ['k8s.nginx.org/v1', 'VirtualServer'],
  ['install.istio.io/v1', 'IstioOperator'],
  ['example.com/v1', 'AuthenticationPolicy'],
  ['policy.linkerd.io/v1', 'AuthorizationPolicys'],
  ['v1', 'ConfigMap'],
])('an object of %s %s is somebody else’s', (apiVersion, kind) => {
  expect(told(apiVersion, kind)).toEqual([]);
});

describe('meantGroups', () => {
  test.each([
    ['gateway.solo.io', 'Gateway'],
    ['gateway.solo.io', 'VirtualService'],
    ['appmesh.k8s.aws', 'VirtualService'],
    ['policy.linkerd.io', 'AuthorizationPolicy'],
    ['policy.linkerd.io', 'HTTPRoute'],
    ['serving.knative.dev', 'Service'],
    ['openslo', 'Service'],
    ['install.istio.io', 'IstioOperator'],
    ['gateway.networking.k8s.io', 'Gateway'],
    ['networking.mesh.io', 'Gateway'],
    ['', 'ConfigMap'],
  ])('knows none of an object of %s: %s', (group, kind) => {
    expect(meantGroups(group, kind)).toEqual([]);
  });
});
