import { describe, expect, test } from 'vitest';
import { compiledWorld } from '../../testing/compiled-world.ts';
import { AddressClasses } from './address-classes.ts';
import { LogReader } from './known-formats.ts';
import { loggedRequest } from './logged-request.ts';
import { Replayer } from './replayer.ts';

const topology = `apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {selector: {app: cart}, clusterIP: 10.96.0.1, ports: [{port: 80, name: http, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart, sidecar.mesh.io/inject: "true"}}
spec: {containers: [{name: app}]}
status: {podIP: 10.0.0.1}
---
apiVersion: v1
kind: Pod
metadata: {name: edge, namespace: shop, labels: {app: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {podIP: 10.0.0.2}
---
apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec: {selector: {app: edge}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: ["*"]}]}
---
apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: cart, namespace: shop}
spec: {hosts: ["*"], gateways: [edge], http: [{route: [{destination: {host: cart}}]}]}
---
`;
const allow = (app: string, source: string, when = ''): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${app}, namespace: shop}
spec:
  selector: {matchLabels: {app: ${app}}}
  rules: [{from: [{source: {${source}}}]${when}}]
---
`;
const both =
  'ipBlocks: [192.0.2.0/24, "2001:db8::/32"], remoteIpBlocks: [192.0.2.128/25, 198.51.100.7, "2001:db8:1::/48"]';

describe('AddressClasses', () => {
  const world = compiledWorld([topology, allow('cart', both)]);
  const classes = new AddressClasses([world], ['198.18.0.1']);

  test('are equal for addresses that are in the same blocks of all proxies, and for no others', () => {
    const same = [
      ['192.0.2.1', '192.0.2.127'],
      ['192.0.2.128', '192.0.2.255'],
      ['198.51.100.6', '203.0.113.9'],
      ['2001:db8::1', '2001:DB8:0:0::2'],
      ['2001:db8:1::1', '2001:db8:1:ffff::1'],
      ['::1', '2001:db9::1'],
      ['198.51.100.7', '::ffff:198.51.100.7'],
    ].map((addresses) => new Set(addresses.map((address) => classes.of(address))));
    expect(same.map(({ size }) => size)).toEqual(same.map(() => 1));
    expect(new Set(same.flatMap((one) => [...one])).size).toBe(same.length);
    expect([...(same[0] ?? [])]).not.toContain(undefined);
  });

  test.each(['10.0.0.1', '10.96.0.1', '198.18.0.1', '192.0.2', '192.0.2.1.', '192.0.2.01', 'x', ''])(
    'have nothing for %j',
    (address) => {
      expect(classes.of(address)).toBeUndefined();
    },
  );

  test('keep what a forwarded address tells of the peer, and leave other texts alone', () => {
    const of = (text: string): string | undefined => classes.ofForwarded(text, '192.0.2.1');
    expect(of('192.0.2.2,192.0.2.3')).toBe(of('192.0.2.4, 192.0.2.5'));
    expect(of('192.0.2.2,192.0.2.1')).not.toBe(of('192.0.2.2,192.0.2.3'));
    expect(of('192.0.2.200')).not.toBe(of('192.0.2.3'));
    expect(of('192.0.2.1')).not.toBe(of('192.0.2.1,192.0.2.1'));
    for (const text of ['192.0.2.2:80', '192.0.2.2,', '', '192.0.2.2\u00a0', 'unknown'])
      expect(of(text)).toBeUndefined();
    const reads = compiledWorld([
      topology,
      allow('cart', 'ipBlocks: [192.0.2.1]', ", when: [{key: 'request.headers[X-Forwarded-For]', values: ['a']}]"),
    ]);
    expect(new AddressClasses([reads]).ofForwarded('192.0.2.2', '')).toBeUndefined();
  });

  test('do not change what replay says of a line, whichever lines came before', () => {
    const next = compiledWorld([
      topology,
      allow('cart', 'notRemoteIpBlocks: [192.0.2.200/29]') + allow('edge', 'notRemoteIpBlocks: [198.51.100.0/24]'),
    ]);
    const versions = { before: world, after: next, unchanged: new Set<string>() };
    const reader = new LogReader({ accessLogFormat: '', accessLogEncoding: 'JSON' });
    const addresses = [
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.130',
      '192.0.2.200',
      '198.51.100.7',
      '10.0.0.2',
      '2001:db8:1::1',
      '2001:db8::3',
    ];
    const forwarded = [
      null,
      ...addresses.slice(0, 5),
      '192.0.2.2:80',
      '198.51.100.7, 192.0.2.130',
      '192.0.2.130,198.51.100.7',
    ];
    const logged = addresses.flatMap((address) =>
      forwarded.flatMap((x_forwarded_for) =>
        ['cart', 'edge'].flatMap((app) =>
          ['via_upstream', 'rbac_access_denied_matched_policy[none]'].map((details) => {
            const isDelivered = details === 'via_upstream';
            const own = app === 'cart' ? '10.0.0.1:8080' : '10.0.0.2:80';
            const line = {
              ...{ method: 'GET', path: '/', protocol: 'HTTP/1.1', authority: 'cart', x_forwarded_for },
              ...{ response_code: isDelivered ? 200 : 403, response_code_details: details },
              ...{ downstream_local_address: own, upstream_host: isDelivered ? '10.0.0.1:8080' : null },
              downstream_remote_address: address.includes(':') ? `[${address}]:4000` : `${address}:4000`,
              upstream_cluster: app === 'cart' ? 'inbound|8080||' : 'outbound|80||cart.shop.svc.cluster.local',
            };
            const read = reader.read(JSON.stringify(line));
            if ('fault' in read) throw new Error(read.fault);
            return loggedRequest(read.values);
          }),
        ),
      ),
    );
    const verdictsOf = (replayerOf: () => Replayer): readonly string[] =>
      logged.map((one) => {
        const replayed = replayerOf().replay(one);
        return 'unplaced' in replayed ? replayed.unplaced : replayed.verdict.kind;
      });
    const shared = new Replayer(versions);
    const alone = verdictsOf(() => new Replayer(versions));
    expect(verdictsOf(() => shared)).toEqual(alone);
    expect(new Set(alone)).toEqual(new Set(['same', 'changed', 'may change', 'miss']));
  });
});
