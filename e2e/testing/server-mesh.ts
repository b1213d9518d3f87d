import { pod, service, topologyText } from '../../src/testbed/mesh-objects.ts';
import type { Testbed, TestbedOptions } from '../../src/testbed/testbed.ts';

/** Ports of the server; the names of the service's ports declare a protocol or leave it to detection. */
const declared = { http: 8000, 'http-strictly': 8001, 'tcp-echo': 9000, 'tcp-greeting': 9001, 'http-private': 9002 };
const detected = { web: 8002, echoed: 9003, greeted: 9004 };

const topology = topologyText([
  pod({
    namespace: 'foo',
    name: 'server',
    index: 10,
    ports: {
      http: 8000,
      'http-strictly': 8001,
      'http-web': 8002,
      'http-undeclared': 8003,
      echo: 9000,
      greeting: 9001,
      'echo-detected': 9003,
      'greeting-detected': 9004,
    },
    privatePorts: { 'http-private': 9002, 'http-more': 9005 },
  }),
  service({ namespace: 'foo', name: 'server', index: 10, ports: { ...declared, ...detected } }),
  pod({ namespace: 'foo', name: 'client', index: 11 }),
  pod({ namespace: 'foreign', name: 'client', index: 12 }),
  pod({ namespace: 'legacy', name: 'client', index: 13, hasSidecar: false }),
]);

/** A server with every kind of port, a client beside it, one of a foreign trust domain, and one without a sidecar. */
export const serverMesh: TestbedOptions = {
  topology,
  trustDomains: { 'foreign/client': 'cluster.local.evil' },
  meshConfig: { protocolDetectionTimeout: '0.2s' },
};

/** The server's name for clients. */
export const server = 'server.foo';
/** X-Forwarded-Client-Cert as the server's `/headers` shows it. */
export const forwarded = /"x-forwarded-client-cert": "([^"]*)"/;

/** What a client gets on an HTTP port: the status, or curl's exit code, and by which transport the server was reached. */
export async function outcome(testbed: Testbed, from: string, port = 8000, ipv6 = false): Promise<string> {
  const { status, exitCode, body } = await testbed.request({ from, to: server, port, path: '/headers', ipv6 });
  if (status !== '200') return status === '000' ? `exit ${exitCode}` : status;
  return forwarded.test(body) ? 'mutual TLS' : 'plain';
}

/** Applies objects, runs `check`, and takes them back. */
export async function under(testbed: Testbed, objects: readonly object[], check: () => Promise<void>): Promise<void> {
  await testbed.apply({ 'policies.yaml': topologyText(objects) });
  try {
    await check();
  } finally {
    await testbed.remove('policies.yaml');
  }
}
