import { describe, expect, test } from 'vitest';
import { createMeshCa } from '../../../testing/certificates.ts';
import { GivenMesh, listenersOf, wordsOf } from './testing/given-mesh.ts';
import { edge, proxies, route, secret, standard } from './testing/mesh-texts.ts';

const http = '{name: http, port: 80, protocol: HTTP}';
const sound = { Accepted: 'True Accepted', ResolvedRefs: 'True ResolvedRefs', Conflicted: 'False NoConflicts' };
const served = { ...sound, Programmed: 'True Programmed' };
const ofRequests = 'HTTPRoute,GRPCRoute';
const gatewayOf = (yaml: string, mesh = new GivenMesh()) => mesh.statusOf('Gateway edge', yaml);
const tls = (refs: string, more = '') =>
  `{name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{${refs}}]}${more}}`;

describe('the status of a GatewayClass', () => {
  const classOf = (spec: string) =>
    new GivenMesh().statusOf('GatewayClass edges', proxies + standard('GatewayClass', 'edges', spec));

  test.each([
    ['of ours: accepted', 'controllerName: mesh.io/gateway-controller', 'True Accepted'],
    [
      'with parameters: not accepted',
      'controllerName: mesh.io/gateway-controller, parametersRef: {group: a, kind: B, name: c}',
      'False InvalidParameters',
    ],
    ['with an unknown field: not accepted', 'controllerName: istio.io/gateway-controller, a: b', 'False Unsupported'],
  ])('%s', async (_, spec, accepted) => {
    expect(wordsOf((await classOf(spec))?.conditions)).toEqual({ Accepted: accepted });
  });

  test('of another controller is not written', async () => {
    expect(await classOf('controllerName: example.com/other, parametersRef: {group: a, kind: B, name: c}')).toBe(
      undefined,
    );
  });
});

describe('the status of a Gateway', () => {
  test('that proxies serve: programmed, with its Service as its address', async () => {
    const status = await gatewayOf(proxies + edge([http]));
    expect(wordsOf(status?.conditions)).toEqual({ Accepted: 'True Accepted', Programmed: 'True Programmed' });
    expect(status?.addresses).toEqual([{ type: 'Hostname', value: 'edges.shop.svc.cluster.local' }]);
    expect(listenersOf(status)).toEqual({ http: { routes: 0, kinds: ofRequests, ...served } });
  });

  test('of the class of another controller is not written, also if it is invalid', async () => {
    const others = standard('GatewayClass', 'others', 'controllerName: example.com/other');
    const gateway = (more: string) =>
      standard('Gateway', 'shop/edge', `gatewayClassName: others, listeners: [${http}]${more}`);
    expect(await gatewayOf(proxies + others + gateway(''))).toBe(undefined);
    expect(await gatewayOf(proxies + others + gateway(', unknown: {}'))).toBe(undefined);
  });

  test.each([
    ['that no proxy serves', '', { Accepted: 'True Accepted', Programmed: 'False NoResources' }],
    [
      'whose address is of no Service of the cluster',
      ', addresses: [{type: Hostname, value: edge.example.com}]',
      { Accepted: 'False UnsupportedAddress', Programmed: 'False Invalid' },
    ],
    [
      'whose address is of a Service that is not there',
      ', addresses: [{type: Hostname, value: other}]',
      { Accepted: 'True Accepted', Programmed: 'False AddressNotUsable' },
    ],
    [
      'with an address of an unsupported type',
      ', addresses: [{type: IPAddress, value: 192.0.2.1}]',
      { Accepted: 'False UnsupportedAddress', Programmed: 'False Invalid' },
    ],
    [
      'with labels for workloads that are not made',
      ', infrastructure: {labels: {a: b}}',
      { Accepted: 'False InvalidParameters', Programmed: 'False Invalid' },
    ],
  ])('%s: not programmed', async (_, more, conditions) => {
    const status = await gatewayOf(standard('GatewayClass', 'x', 'controllerName: a/b') + edge([http], more));
    expect(wordsOf(status?.conditions)).toEqual(conditions);
    expect(status?.addresses).toEqual([]);
    expect(listenersOf(status)).toMatchObject({ http: { Accepted: 'True Accepted', Programmed: 'False Pending' } });
  });

  test('whose proxies are frozen by another object: pending', async () => {
    const mesh = new GivenMesh();
    const texts = proxies + edge([http]);
    await gatewayOf(texts, mesh);
    const status = await gatewayOf(texts + route('never', 'unknown: {}, '), mesh);
    expect(wordsOf(status?.conditions)).toEqual({ Accepted: 'True Accepted', Programmed: 'False Pending' });
  });

  test('counts the routes at each listener, also those whose backends cannot be used', async () => {
    const listeners = [
      '{name: one, port: 80, protocol: HTTP, hostname: one.example.com}',
      '{name: two, port: 80, protocol: HTTP, hostname: two.example.com, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}',
    ];
    const status = await gatewayOf(
      proxies +
        edge(listeners) +
        route('both') +
        route('lost', '', { backend: 'name: gone, port: 80' }) +
        route('section', 'parentRefs: [{name: edge, sectionName: one}, {name: edge, port: 80}], ') +
        route('elsewhere', 'hostnames: [example.org], ') +
        route('calls', 'parentRefs: [{name: edge, sectionName: two}], ', { kind: 'GRPCRoute' }),
    );
    expect(listenersOf(status)).toEqual({
      one: { routes: 3, kinds: ofRequests, ...served },
      two: { routes: 1, kinds: 'GRPCRoute', ...served },
    });
  });

  test('with an invalid listener: not accepted, the last valid version counts its routes', async () => {
    const mesh = new GivenMesh();
    const before = proxies + edge([http]) + route('web');
    await gatewayOf(before, mesh);
    const tcp = '{name: tcp, port: 81, protocol: TCP}';
    const status = await gatewayOf(proxies + edge([http, tcp]) + route('web'), mesh);
    expect(wordsOf(status?.conditions)).toEqual({ Accepted: 'False ListenersNotValid', Programmed: 'False Invalid' });
    expect(status?.conditions?.[0]?.message).toMatch(/TCP.*; the last valid version of the Gateway is in force$/);
    expect(status?.addresses).toHaveLength(1);
    expect(listenersOf(status)).toEqual({
      http: { routes: 1, kinds: ofRequests, ...sound, Programmed: 'False Pending' },
      tcp: { routes: 0, kinds: '', ...sound, Accepted: 'False UnsupportedProtocol', Programmed: 'False Invalid' },
    });
    const never = await gatewayOf(proxies + edge([http, tcp]));
    expect(never?.conditions?.[0]?.message).toMatch(/; no version of the Gateway is in force$/);
  });

  test('says of all listeners that conflict that they do, and of no others', async () => {
    const status = await gatewayOf(
      proxies +
        edge([
          http,
          tls('name: shop').replace('443', '80'),
          '{name: other, port: 8080, protocol: HTTP, hostname: a.example.com}',
          '{name: same, port: 8080, protocol: HTTP, hostname: A.example.com}',
          '{name: alone, port: 8081, protocol: HTTP}',
        ]),
    );
    const [protocol, host] = ['ProtocolConflict', 'HostnameConflict'].map((reason) => {
      return { Accepted: `False ${reason}`, Conflicted: `True ${reason}`, Programmed: 'False Invalid' };
    });
    expect(listenersOf(status)).toMatchObject({
      ...{ http: protocol, https: protocol, other: host, same: host },
      alone: { ...sound, Programmed: 'False Pending' },
    });
  });

  test.each([
    ['a kind that does not exist', '{kind: FooRoute}', ''],
    ['a kind of another protocol beside one of its own', '{kind: TLSRoute}, {kind: HTTPRoute}', 'HTTPRoute'],
  ])('refuses %s in allowedRoutes', async (_, kinds, supported) => {
    const listener = `{name: http, port: 80, protocol: HTTP, allowedRoutes: {kinds: [${kinds}]}}`;
    expect(listenersOf(await gatewayOf(proxies + edge([listener])))).toEqual({
      http: {
        ...sound,
        routes: 0,
        kinds: supported,
        ResolvedRefs: 'False InvalidRouteKinds',
        Programmed: 'False Invalid',
      },
    });
  });

  test('resolves the Secret of a listener', async () => {
    const { certificateChain, privateKey } = await (await createMeshCa()).issue('', { dnsNames: ['example.com'] });
    const pair = { 'tls.crt': certificateChain, 'tls.key': privateKey };
    const status = await gatewayOf(proxies + edge([tls('name: shop')]) + secret('shop/shop', pair));
    expect(wordsOf(status?.conditions)).toEqual({ Accepted: 'True Accepted', Programmed: 'True Programmed' });
    expect(listenersOf(status)).toEqual({ https: { routes: 0, kinds: ofRequests, ...served } });
  });

  const unresolved = 'True ListenersNotValid';
  test.each([
    ['a Secret that is not there', 'name: gone', 'InvalidCertificateRef', unresolved],
    ['a Secret without a certificate', 'name: broken', 'InvalidCertificateRef', unresolved],
    ['a reference of another kind', 'name: shop, kind: Key', 'InvalidCertificateRef', 'False ListenersNotValid'],
    ['a Secret of another namespace', 'name: a, namespace: b', 'RefNotPermitted', 'False ListenersNotValid'],
  ])('refuses %s', async (_, ref, reason, accepted) => {
    const broken = secret('shop/broken', { 'tls.crt': 'x', 'tls.key': 'y' });
    const status = await gatewayOf(proxies + edge([tls(ref)]) + broken);
    expect(wordsOf(status?.conditions)).toEqual({ Accepted: accepted, Programmed: 'False Invalid' });
    expect(listenersOf(status)).toEqual({
      https: {
        ...{ ...sound, routes: 0, kinds: ofRequests },
        ...{ ResolvedRefs: `False ${reason}`, Programmed: 'False Invalid' },
      },
    });
  });

  test('refuses a Secret that a ReferenceGrant lets it name, but that its proxies do not get', async () => {
    const from = '{group: gateway.networking.k8s.io, kind: Gateway, namespace: shop}';
    const grant = standard('ReferenceGrant', 'b/grant', `from: [${from}], to: [{group: "", kind: Secret}]`);
    const status = await gatewayOf(proxies + edge([tls('name: a, namespace: b')]) + grant);
    expect(listenersOf(status)).toMatchObject({ https: { ResolvedRefs: 'False InvalidCertificateRef' } });
  });

  test('says of a listener that another Gateway leaves no port that it is not programmed', async () => {
    const older = standard(
      'Gateway',
      'shop/older',
      'gatewayClassName: mesh, addresses: [{type: Hostname, value: edges}], listeners: [{name: tls, port: 80, protocol: TLS, tls: {mode: Passthrough}}]',
      '2026-01-01',
    );
    const status = await gatewayOf(proxies + older + edge([http]));
    expect(listenersOf(status)).toMatchObject({ http: { Accepted: 'True Accepted', Programmed: 'False Invalid' } });
    expect(wordsOf(status?.conditions)).toMatchObject({ Programmed: 'False Invalid' });
  });
});
