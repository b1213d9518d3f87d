import { describe, expect, test } from 'vitest';
import { GivenMesh, parentsOf, wordsOf } from './testing/given-mesh.ts';
import { edge, proxies, route, standard } from './testing/mesh-texts.ts';

const sound = { Accepted: 'True Accepted', ResolvedRefs: 'True ResolvedRefs' };
const listeners = [
  '{name: http, port: 80, protocol: HTTP, hostname: "*.example.com"}',
  '{name: calls, port: 81, protocol: HTTP, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}',
  '{name: closed, port: 82, protocol: HTTP, allowedRoutes: {namespaces: {from: None}}}',
  '{name: tls, port: 443, protocol: TLS, tls: {mode: Passthrough}}',
];
const mesh = `${proxies}---
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: shop}
spec: {type: ExternalName, externalName: example.com}
---
apiVersion: v1
kind: Service
metadata: {name: far, namespace: bank}
spec: {clusterIP: 10.96.0.2, selector: {app: far}, ports: [{name: http, port: 80}]}
${edge(listeners)}`;
const routeOf = (name: string, yaml: string, given = new GivenMesh()) => given.statusOf(name, mesh + yaml);

describe('the status of a route', () => {
  test.each([
    ['whose host names a listener has', 'hostnames: [a.example.com], ', { edge: sound }],
    [
      'whose host names no listener has',
      'parentRefs: [{name: edge, sectionName: http}], hostnames: [example.org], ',
      { 'edge http': { ...sound, Accepted: 'False NoMatchingListenerHostname' } },
    ],
    [
      'for a listener that is not there, and for one that is',
      'parentRefs: [{name: edge, sectionName: none}, {name: edge, sectionName: http, port: 80}], ',
      { 'edge none': { ...sound, Accepted: 'False NoMatchingParent' }, 'edge http 80': sound },
    ],
    [
      'for a port that no listener has',
      'parentRefs: [{name: edge, port: 8080}], ',
      { 'edge 8080': { ...sound, Accepted: 'False NoMatchingParent' } },
    ],
    [
      'of a kind that the listener does not allow',
      'parentRefs: [{name: edge, sectionName: calls}], ',
      { 'edge calls': { ...sound, Accepted: 'False NotAllowedByListeners' } },
    ],
    [
      'of a namespace that the listener does not allow',
      'parentRefs: [{name: edge, sectionName: closed}], ',
      { 'edge closed': { ...sound, Accepted: 'False NotAllowedByListeners' } },
    ],
    [
      'for a Gateway that is not there, and for a Service',
      'parentRefs: [{name: none}, {name: edge, sectionName: http}], ',
      { 'edge http': sound },
    ],
  ])('%s', async (_, more, parents) => {
    expect(parentsOf(await routeOf('HTTPRoute web', route('web', more)))).toEqual(parents);
  });

  test.each([
    ['a Service that is not there', 'name: gone, port: 80', 'BackendNotFound'],
    ['a port that the Service does not have', 'name: web, port: 81', 'BackendNotFound'],
    ['another kind', 'name: web, kind: Bucket, group: example.com', 'InvalidKind'],
    ['a Service of another namespace', 'name: far, namespace: bank, port: 80', 'RefNotPermitted'],
    ['a Service without endpoints of its own', 'name: outside, port: 80', 'UnsupportedValue'],
  ])('with the backend %s is accepted, and its references are not resolved', async (_, backend, reason) => {
    const expected = { Accepted: 'True Accepted', ResolvedRefs: `False ${reason}` };
    expect(parentsOf(await routeOf('HTTPRoute web', route('web', '', { backend })))).toEqual({ edge: expected });
    const tls = route('web', 'hostnames: [a.example.com], ', { kind: 'TLSRoute', backend });
    expect(parentsOf(await routeOf('TLSRoute web', tls))).toEqual({ edge: expected });
  });

  test('with a backend of another namespace is resolved by a ReferenceGrant there', async () => {
    const web = route('web', '', { backend: 'name: far, namespace: bank, port: 80' });
    const from = (kind: string) => `{group: gateway.networking.k8s.io, kind: ${kind}, namespace: shop}`;
    const grant = (kind: string) =>
      standard('ReferenceGrant', 'bank/grant', `from: [${from(kind)}], to: [{group: "", kind: Service}]`);
    expect(parentsOf(await routeOf('HTTPRoute web', web + grant('HTTPRoute')))).toEqual({ edge: sound });
    expect(parentsOf(await routeOf('HTTPRoute web', web + grant('GRPCRoute')))).toMatchObject({
      edge: { ResolvedRefs: 'False RefNotPermitted' },
    });
  });

  test('looks up the backends, mirrors included, of a route that no listener serves', async () => {
    const mirror = 'filters: [{type: RequestMirror, requestMirror: {backendRef: {name: gone, port: 80}}}]';
    const parents = 'parentRefs: [{name: edge, sectionName: none}]';
    const web = standard(
      'HTTPRoute',
      'shop/web',
      `${parents}, rules: [{backendRefs: [{name: web, port: 80}], ${mirror}}]`,
    );
    const status = await routeOf('HTTPRoute web', web);
    expect(parentsOf(status)).toEqual({
      'edge none': { Accepted: 'False NoMatchingParent', ResolvedRefs: 'False BackendNotFound' },
    });
    expect(status?.parents?.[0]?.conditions[1]?.message).toBe(
      'backend "shop/gone" cannot be used: there is no such Service',
    );
  });

  test('that is invalid is not accepted, by the Gateways that it names now', async () => {
    const given = new GivenMesh();
    const cors = standard(
      'HTTPRoute',
      'shop/web',
      'parentRefs: [{name: edge, sectionName: http}], rules: [{filters: [{type: CORS}], backendRefs: [{name: web, port: 80}]}]',
    );
    const invalid = { Accepted: 'False UnsupportedValue', ResolvedRefs: 'Unknown Pending' };
    const never = await routeOf('HTTPRoute web', cors);
    expect(parentsOf(never)).toEqual({ 'edge http': invalid });
    expect(never?.parents?.[0]?.conditions[0]?.message).toMatch(/CORS.*; no version of the route is in force$/);
    await routeOf('HTTPRoute web', route('web'), given);
    const held = await routeOf('HTTPRoute web', cors, given);
    expect(parentsOf(held)).toEqual({ 'edge http': invalid });
    expect(held?.parents?.[0]?.conditions[0]?.message).toMatch(/; the last valid version of the route is in force$/);
  });

  test('whose host names an older route has is not accepted', async () => {
    const names = 'hostnames: [a.example.com], ';
    const older = standard(
      'GRPCRoute',
      'shop/calls',
      `parentRefs: [{name: edge}], ${names}rules: [{backendRefs: [{name: web, port: 80}]}]`,
      '2026-01-01',
    );
    const parents = 'parentRefs: [{name: edge, sectionName: http}], ';
    expect(parentsOf(await routeOf('HTTPRoute web', older + route('web', parents + names)))).toEqual({
      'edge http': { ...sound, Accepted: 'False HostnameConflict' },
    });
    const tls = route('web', names, { kind: 'TLSRoute' });
    const before = tls.replace('name: web', 'name: first, creationTimestamp: "2026-01-01T00:00:00Z"');
    expect(parentsOf(await routeOf('TLSRoute first', before + tls))).toEqual({ edge: sound });
    expect(parentsOf(await routeOf('TLSRoute web', before + tls))).toMatchObject({
      edge: { Accepted: 'False HostnameConflict' },
    });
  });

  test('of a Gateway that is not served waits', async () => {
    const gateway = edge(['{name: http, port: 80, protocol: HTTP}'], ', addresses: [{type: Hostname, value: gone}]');
    const status = await new GivenMesh().statusOf('HTTPRoute web', proxies + gateway + route('web'));
    expect(parentsOf(status)).toEqual({ edge: { ...sound, Accepted: 'Unknown Pending' } });
  });

  test('has entries of Gateways of ours alone, each by the name of the controller of its class', async () => {
    const gateway = (name: string) =>
      standard(
        'Gateway',
        `shop/${name}`,
        `gatewayClassName: ${name}, listeners: [{name: http, port: 80, protocol: HTTP}]`,
      );
    const classes =
      standard('GatewayClass', 'first', 'controllerName: istio.io/gateway-controller') +
      standard('GatewayClass', 'other', 'controllerName: example.com/other');
    const parents = 'parentRefs: [{name: first}, {name: other}, {name: edge, namespace: shop}], ';
    const texts = mesh + classes + gateway('first') + gateway('other') + route('web', parents);
    const status = await new GivenMesh().statusOf('HTTPRoute web', texts);
    const [group, kind] = ['gateway.networking.k8s.io', 'Gateway'];
    expect(status?.parents?.map(({ controllerName, parentRef }) => ({ controllerName, parentRef }))).toEqual([
      { controllerName: 'istio.io/gateway-controller', parentRef: { group, kind, name: 'first' } },
      { controllerName: 'mesh.io/gateway-controller', parentRef: { group, kind, namespace: 'shop', name: 'edge' } },
    ]);
    expect(wordsOf(status?.parents?.[0]?.conditions)).toEqual(sound);
  });
});
