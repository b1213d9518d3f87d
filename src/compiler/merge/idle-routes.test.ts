import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { DestinationRule } from '../../policy/destination-rule.ts';
import type { VirtualService } from '../../policy/virtual-service.ts';
import * as make from '../../testing/objects.ts';
import { meshService, ports } from '../../testing/topology.ts';
import { reportIdleRoutes } from './idle-routes.ts';
import { reportIdleTraffic } from './idle-traffic.ts';
import { ServiceHosts } from './service-hosts.ts';

const settings = defaultSettings;
const destination = { destination: { host: 'web' } };

describe('reportIdleRoutes', () => {
  const told = (spec: Partial<VirtualService['spec']>, list: string): string[] => {
    const service = meshService('web', { ports: ports(...list.split(' ')) });
    const bag = new DiagnosticBag();
    const virtualService = make.virtualService('default/web', { hosts: ['web'], ...spec });
    reportIdleRoutes(virtualService, new ServiceHosts([service]), settings, bag);
    return bag.all.map(({ code }) => code);
  };
  const http = [{ route: [destination] }];
  const tcp = [{ route: [destination] }];
  const tls = [{ match: [{ sniHosts: ['web'] }], route: [destination] }];

  test.each([
    ['http', { http }, '443/tls'],
    ['http', { http }, '443/https 5432/tcp'],
    ['tcp', { tcp }, '80/http 81/grpc'],
    ['tls', { tls }, '80/http 5432/tcp'],
    ['http for a port', { http: [{ ...http[0], match: [{ port: 5432 }] }] }, '80/http 5432/tcp'],
    ['http for a port that nobody serves', { http: [{ ...http[0], match: [{ port: 9 }] }] }, '80/http'],
  ])('reports %s routes %j for ports %s', (_, spec, list) => {
    expect(told(spec, list)).toEqual(['routes-without-port']);
  });

  test.each([
    ['one match', [{ port: 9 }, { port: 80 }], /^this match in the http routes for .* has no effect: port 9 /],
    ['all routes', undefined, /^http routes for "web.*" have no effect: its ports are 443 /],
  ])('tells that %s has no effect', (_, match, message) => {
    const bag = new DiagnosticBag();
    const services = new ServiceHosts([meshService('web', { ports: ports(match ? '80/http' : '443/tls') })]);
    const spec = { hosts: ['web'], http: [{ ...http[0], ...(match && { match }) }] };
    reportIdleRoutes(make.virtualService('default/web', spec), services, settings, bag);
    expect(bag.all.map((it) => it.message)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ['6379/http 80/http', 'write the "port" of one of the ports of the Service'],
    ['80/http', 'write 80, its only port'],
  ])('of http routes for a port that is none of %s names the port that is meant', (list, hint) => {
    const bag = new DiagnosticBag();
    const services = new ServiceHosts([meshService('web', { ports: ports(...list.split(' ')) })]);
    const spec = { hosts: ['web'], http: [{ ...http[0], match: [{ port: 6380 }] }] };
    reportIdleRoutes(make.virtualService('default/web', spec), services, settings, bag);
    expect(bag.all.map((it) => it.hint)).toEqual([hint]);
  });

  test.each([
    [{ http }, '80/http 443/tls'],
    [{ http, tls, tcp }, '80/auto'],
    [{ tcp }, '443/https'],
    [{ tls }, '443/https'],
    [{ http, gateways: ['edge', 'mesh'] }, '443/tls'],
    [{ http: [{ ...http[0], match: [{ port: 80 }] }] }, '80/http 5432/tcp'],
  ])('is silent about %j for ports %s', (spec, list) => {
    expect(told(spec, list)).toEqual([]);
  });
});

describe('reportIdleTraffic', () => {
  const told = (trafficPolicy: DestinationRule['spec']['trafficPolicy'], list: string): string[] => {
    const service = meshService('web', { ports: ports(...list.split(' ')) });
    const bag = new DiagnosticBag();
    const rule = make.destinationRule('default/web', { host: 'web', ...(trafficPolicy && { trafficPolicy }) });
    reportIdleTraffic(rule, service.host, [service], settings, bag);
    return bag.all.map(({ code, message }) => `${code} ${message.split('"')[1]}`);
  };
  const hash = { loadBalancer: { consistentHash: { httpHeaderName: 'x-user' } } };
  const requests = { connectionPool: { http: { idleTimeout: '5s', maxRetries: 1 } } };
  const bytes = { connectionPool: { tcp: { idleTimeout: '5s', maxConnections: 1, maxConnectionDuration: '5s' } } };

  test('reports hash keys and timeouts of requests on TCP ports, and those of TCP on HTTP ports', () => {
    expect(told(hash, '5432/tcp')).toEqual(['field-without-effect httpHeaderName']);
    expect(told(requests, '5432/tcp')).toEqual(['field-without-effect idleTimeout']);
    expect(told(bytes, '80/http')).toEqual(['field-without-effect idleTimeout']);
    const ofPort = { portLevelSettings: [{ port: { number: 5432 }, ...hash }] };
    expect(told(ofPort, '80/http 5432/tcp')).toEqual(['field-without-effect httpHeaderName']);
  });

  test.each(['80/http 5432/tcp', '80/auto', '53/udp'])('is silent where ports %s may heed them', (list) => {
    expect([...told(hash, list), ...told(requests, list), ...told(bytes, list)]).toEqual([]);
  });
});
