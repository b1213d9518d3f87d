import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InboundListeners, type InboundPort, startInboundListeners } from '../testing/inbound-listeners.ts';

/** Rules in YAML's flow form. */
const rules: Readonly<Record<string, readonly [action: string, rules: string]>> = {
  'deny whoever has no identity': ['DENY', '[{from: [{source: {notPrincipals: ["*"]}}]}]'],
  'deny other namespaces': ['DENY', '[{from: [{source: {notNamespaces: [a]}}]}]'],
  'deny namespaces by prefix': ['DENY', '[{from: [{source: {namespaces: ["b*"]}}]}]'],
  'allow a principal': ['ALLOW', '[{from: [{source: {principals: [cluster.local/ns/b/sa/x]}}]}]'],
  'allow principals by suffix': ['ALLOW', '[{from: [{source: {principals: ["*/ns/b/sa/x"]}}]}]'],
  'allow namespaces by suffix': ['ALLOW', '[{from: [{source: {namespaces: ["*b"]}}]}]'],
  'allow service accounts': ['ALLOW', '[{from: [{source: {serviceAccounts: [b/x, y]}}]}]'],
  'allow a trust domain': ['ALLOW', '[{from: [{source: {trustDomains: [cluster.local]}}]}]'],
  'allow any principal': ['ALLOW', '[{from: [{source: {principals: ["*"]}}]}]'],
  'deny paths': ['DENY', '[{to: [{operation: {paths: [/data]}}]}]'],
  'allow paths': ['ALLOW', '[{to: [{operation: {paths: [/data]}}]}]'],
  'allow an address': ['ALLOW', '[{from: [{source: {ipBlocks: [127.0.0.0/8]}}]}]'],
  'deny an address': ['DENY', '[{from: [{source: {ipBlocks: [127.0.0.1]}}]}]'],
  'deny other addresses': ['DENY', '[{from: [{source: {notIpBlocks: [10.0.0.0/8]}}]}]'],
  'allow a destination': ['ALLOW', '[{when: [{key: destination.ip, values: [127.0.0.1]}]}]'],
  'allow a server name': ['ALLOW', '[{when: [{key: connection.sni, values: ["*.example.com"]}]}]'],
  'deny a server name': ['DENY', '[{when: [{key: connection.sni, values: ["*.example.com"]}]}]'],
  'allow a port of nobody': ['ALLOW', '[{to: [{operation: {ports: ["1"]}}]}]'],
  'allow the HTTP port': ['ALLOW', '[{to: [{operation: {ports: ["$http"]}}]}]'],
  'allow the undeclared port': ['ALLOW', '[{when: [{key: destination.port, values: ["$undeclared"]}]}]'],
  'allow all but the TCP port': ['ALLOW', '[{to: [{operation: {notPorts: ["$tcp"]}}]}]'],
  'deny the TCP port': ['DENY', '[{to: [{operation: {ports: ["$tcp", "1"]}}]}]'],
  'deny all but the HTTP port': ['DENY', '[{when: [{key: destination.port, notValues: ["$http"]}]}]'],
  'allow nothing': ['ALLOW', '[]'],
  audit: ['AUDIT', '[{}]'],
};

let inbound: InboundListeners;

beforeAll(async () => {
  const texts = Object.entries(rules).map(([name, [action, text]]) => {
    const head = 'apiVersion: security.mesh.io/v1beta1\nkind: AuthorizationPolicy\nmetadata: {name: p, namespace: a}';
    return [name, `${head}\nspec: {action: ${action}, rules: ${text}}`] as const;
  });
  inbound = await startInboundListeners(Object.fromEntries(texts));
});
afterAll(() => inbound?.close());

const plain = undefined;
const own = 'ns/a/sa/httpbin';

describe('rules about identities and connections', () => {
  test.each<[gate: string, port: InboundPort, identity: string | undefined, outcome: number | boolean]>([
    ['deny whoever has no identity', 'http', plain, 403],
    ['deny whoever has no identity', 'http', own, 200],
    ['deny whoever has no identity', 'tcp', plain, false],
    ['deny whoever has no identity', 'tcp', own, true],
    ['deny whoever has no identity', 'undeclared', plain, 403],
    ['deny other namespaces', 'http', own, 200],
    ['deny other namespaces', 'http', 'ns/b/sa/x', 403],
    ['deny other namespaces', 'http', 'ns/aa/sa/x', 403],
    ['deny other namespaces', 'http', plain, 403],
    ['deny other namespaces', 'tcp', own, true],
    ['deny other namespaces', 'tcp', 'ns/b/sa/x', false],
    ['deny namespaces by prefix', 'http', 'ns/blue/sa/x', 403],
    ['deny namespaces by prefix', 'http', own, 200],
    ['allow a principal', 'http', 'ns/b/sa/x', 200],
    ['allow a principal', 'http', 'ns/b/sa/xy', 403],
    ['allow a principal', 'http', plain, 403],
    ['allow a principal', 'tcp', 'ns/b/sa/x', true],
    ['allow a principal', 'tcp', plain, false],
    ['allow principals by suffix', 'tcp', 'ns/b/sa/x', true],
    ['allow principals by suffix', 'tcp', 'ns/b/sa/y', false],
    ['allow namespaces by suffix', 'http', 'ns/bob/sa/x', 200],
    ['allow namespaces by suffix', 'tcp', 'ns/bob/sa/x', true],
    ['allow namespaces by suffix', 'http', 'ns/ba/sa/b', 403],
    ['allow service accounts', 'http', 'ns/b/sa/x', 200],
    ['allow service accounts', 'http', 'ns/a/sa/y', 200],
    ['allow service accounts', 'http', 'ns/b/sa/y', 403],
    ['allow a trust domain', 'http', own, 200],
    ['allow a trust domain', 'http', plain, 403],
    ['allow any principal', 'http', own, 200],
    ['allow any principal', 'tcp', plain, false],
    ['deny paths', 'http', plain, 200],
    ['deny paths', 'tcp', own, false],
    ['allow paths', 'tcp', own, false],
    ['allow an address', 'http', plain, 200],
    ['allow an address', 'tcp', plain, true],
    ['deny an address', 'http', own, 403],
    ['deny an address', 'tcp', own, false],
    ['deny other addresses', 'tcp', plain, false],
    ['allow a destination', 'http', plain, 200],
    ['allow a destination', 'tcp', plain, true],
    ['allow a server name', 'tcp', plain, false],
    ['deny a server name', 'tcp', plain, true],
    ['allow a port of nobody', 'http', plain, 403],
    ['allow a port of nobody', 'undeclared', plain, 403],
    ['allow the HTTP port', 'http', plain, 200],
    ['allow the HTTP port', 'tcp', plain, false],
    ['allow the HTTP port', 'tcp', own, false],
    ['allow the HTTP port', 'undeclared', plain, 403],
    ['allow the undeclared port', 'http', plain, 403],
    ['allow the undeclared port', 'tcp', plain, false],
    ['allow the undeclared port', 'undeclared', plain, 200],
    ['allow all but the TCP port', 'http', plain, 200],
    ['allow all but the TCP port', 'tcp', own, false],
    ['allow all but the TCP port', 'undeclared', plain, 200],
    ['deny the TCP port', 'http', plain, 200],
    ['deny the TCP port', 'tcp', plain, false],
    ['deny the TCP port', 'undeclared', plain, 200],
    ['deny all but the HTTP port', 'http', plain, 200],
    ['deny all but the HTTP port', 'tcp', plain, false],
    ['deny all but the HTTP port', 'undeclared', plain, 403],
    ['allow nothing', 'http', own, 403],
    ['allow nothing', 'tcp', own, false],
    ['allow nothing', 'undeclared', own, 403],
    ['audit', 'http', plain, 200],
    ['audit', 'tcp', plain, true],
  ])('%s: port %s, client %s: %s', async (gate, port, identity, outcome) => {
    const client = { identity };
    const seen = await (typeof outcome === 'number'
      ? inbound.ask(gate, port, client)
      : inbound.echoes(gate, port, client));
    expect(seen).toBe(outcome);
  });

  test('see the path on HTTP ports', async () => {
    expect(await inbound.ask('deny paths', 'http', {}, '/data')).toBe(403);
    expect(await inbound.ask('allow paths', 'http', {}, '/data')).toBe(200);
    expect(await inbound.ask('allow paths', 'http', {}, '/other')).toBe(403);
  });

  test('see the server name of TLS connections', async () => {
    const client = { identity: own, serverName: 'x.example.com' };
    expect(await inbound.echoes('allow a server name', 'tcp', client)).toBe(true);
    expect(await inbound.echoes('deny a server name', 'tcp', client)).toBe(false);
    expect(await inbound.ask('deny a server name', 'http', client)).toBe(403);
  });
});
