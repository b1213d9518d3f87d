import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { gatewayPod, plainGateway } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

/** A gateway that answers by itself. */
const mesh = objects(gatewayPod, plainGateway(8080, 'plain.example.com'));

/** Writes what arrives at ports of its own, over TCP (8…) and UDP (8125), to a file a port. */
const listener = `
import socket, threading
def tcp(port):
    server = socket.create_server(('127.0.0.1', port))
    while True:
        threading.Thread(target=take, args=(server.accept()[0], port)).start()
def take(connection, port):
    while True:
        data = connection.recv(65536)
        if not data: return
        open('seen-%d' % port, 'ab').write(data)
        if data.startswith(b'POST'): connection.sendall(b'HTTP/1.1 202 Accepted\\r\\ncontent-length: 0\\r\\n\\r\\n')
def udp(port):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(('127.0.0.1', port))
    while True: open('seen-%d' % port, 'ab').write(server.recv(65536) + b'\\n')
for port in (8701, 8702, 8703): threading.Thread(target=tcp, args=(port,)).start()
udp(8125)
`;

const reports = (tracing: string): string => `
enableEnvoyAccessLogService: true
defaultConfig:
  tracing: {${tracing}, sampling: 100}
  statsdUdpAddress: 127.0.0.1:8125
  envoyMetricsService: {address: localhost:8702}
  envoyAccessLogService: {address: 127.0.0.1:8703}
`;

describe('pilot-agent proxy router', () => {
  // Statistics and spans leave every 5 seconds: all wait for theirs at the same time.
  test.concurrent.for([
    ['zipkin: {address: localhost:8701}', /^POST \/api\/v2\/spans HTTP\/1\.1[\s\S]*plain\.example\.com/],
    ['datadog: {address: 127.0.0.1:8701}', /^(?:POST|PUT|GET) \/(?:v0\.\d|info|telemetry)/m],
    ['openTelemetry: {address: 127.0.0.1:8701}', /^PRI \* HTTP\/2\.0[\s\S]*mesh-proxy/],
  ] as const)(
    'reports to the servers of the proxy configuration, and traces with %s',
    async ([tracing, spans], { onTestFinished }) => {
      const proxy = await ProxyProgram.create(mesh);
      onTestFinished(() => proxy.close());
      await proxy.write('listener.py', listener);
      await proxy.write('mesh.yaml', reports(tracing));
      const prepare = '{ python3 listener.py & }';
      proxy.start({ role: 'router', args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'], prepare });
      await proxy.untilReady();
      const ask = () => proxy.curl('http://127.0.0.1:8080/', '-H', 'Host: plain.example.com');
      expect(ask()).toMatchObject({ status: 200, body: 'plain' });

      const seen = (port: number): Promise<string> => proxy.readOwn(`seen-${port}`).catch(() => '');
      const soon = { interval: 200 };
      await eventually(async () => expect(await seen(8125)).toContain('envoy.server.live:1|g'), soon);
      await eventually(async () => expect(await seen(8702)).toMatch(/\.downstream_cx_total/), soon);
      await eventually(async () => expect(await seen(8703)).toContain('plain.example.com'), soon);
      await eventually(async () => expect(await seen(8701)).toMatch(spans), soon);
    },
  );
});
