import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMeshCa, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { DiscoveredProxy } from './testing/discovered-proxy.ts';
import { gatewayOf, gatewayPod, secret } from './testing/gateway-objects.ts';
import { namespace, objects } from './testing/sample-mesh.ts';

const server =
  '{port: {number: 8443, name: https, protocol: HTTPS}, hosts: [shop.example.com], tls: {mode: SIMPLE, credentialName: shop}}';
const pod = gatewayPod.replace('spec: {', 'spec: {serviceAccountName: httpbin, ');

describe('pilot-agent proxy router with a discoveryAddress', () => {
  let mesh: DiscoveredProxy;
  let ca: MeshCa;
  /** Middle parts of all keys that were put into a Secret. */
  let keys: string[];

  beforeEach(async () => {
    ca = await createMeshCa();
    keys = [];
    mesh = await DiscoveredProxy.create(objects(namespace, pod, gatewayOf(server)));
  });
  afterEach(() => mesh.close());

  const put = async (name: string): Promise<void> => {
    const { certificateChain, privateKey } = await ca.issue('', { uris: [], dnsNames: ['shop.example.com', name] });
    keys.push(privateKey.split('\n')[1] ?? '');
    await mesh.bench.put('secrets.yaml', secret('shop', { certificate: certificateChain, key: privateKey }));
  };
  /** DNS names of the certificate that a client meets; empty where the handshake fails. */
  const met = (): string =>
    mesh.proxy.run([
      'sh',
      '-c',
      'openssl s_client -connect 127.0.0.1:8443 -servername shop.example.com 2>/dev/null | openssl x509 -noout -ext subjectAltName 2>/dev/null',
    ]).stdout;
  const meets = (name: string): Promise<void> =>
    eventually(() => expect(met()).toContain(`DNS:${name}`), { interval: 100 });

  test("hands the control plane's secrets to Envoy, each new one too, and keeps them in memory alone", async () => {
    const { bench, proxy } = mesh;
    await put('one');
    mesh.start({}, 'router');
    await proxy.untilReady();
    await meets('one');
    await put('two');
    await meets('two');
    expect(proxy.curl('http://127.0.0.1:15000/stats?filter=lds.update_rejected').body).toMatch(/: 0$/m);

    // An agent that starts without the control plane has the configuration, and no key.
    await bench.control.stop();
    process.kill(proxy.envoyPid ?? 0, 'SIGKILL');
    expect(await proxy.exit).not.toBe(0);
    const cache = await proxy.read('discovery-cache');
    expect(cache).toContain('kubernetes://shop');
    mesh.start({}, 'router');
    await proxy.untilReady();
    expect(met()).toBe('');
    expect(proxy.curl('http://127.0.0.1:15000/config_dump').body).toContain('kubernetes://shop');

    await bench.start();
    await meets('two');
    const said = [
      proxy.output,
      cache,
      await proxy.read('discovery-cache'),
      await readFile(`${proxy.folder}/relay`, 'utf8'),
    ];
    for (const key of keys) expect(said.join('\n').includes(key)).toBe(false);
    expect(said.join('\n').includes('PRIVATE KEY')).toBe(false);
  });

  test('serves no secret any more that was taken away while the control plane was not reached', async () => {
    const { bench, proxy } = mesh;
    await put('one');
    mesh.start({ MESH_RESTART_POLICY: 'always' }, 'router');
    await proxy.untilReady();
    await meets('one');
    await bench.control.stop();
    await bench.put('secrets.yaml', secret('other', { certificate: '', key: '' }));
    await bench.start();
    const isConnected = (): boolean =>
      /^mesh_agent_discovery_connected 1$/m.test(proxy.curl('http://127.0.0.1:15020/stats/prometheus').body);
    await eventually(() => expect(isConnected()).toBe(true), { interval: 100 });
    process.kill(proxy.envoyPid ?? 0, 'SIGKILL');
    await proxy.logged('Envoy is started again');
    await proxy.untilReady();
    expect(met()).toBe('');
    await put('two');
    await meets('two');
  });

  test('gets no secret of another namespace or name, whatever INGRESS_GATEWAY_NAMESPACE and the fallback say', async () => {
    const { bench, proxy } = mesh;
    const issued = await ca.issue('', { uris: [], dnsNames: ['shop.example.com'] });
    const texts = { certificate: issued.certificateChain, key: issued.privateKey };
    const others = secret('spare', texts) + secret('shop', texts).replace('namespace: foo', 'namespace: certs');
    await bench.put('others.yaml', others.replace('---\n', ''));
    const environment = { INGRESS_GATEWAY_NAMESPACE: 'certs', INGRESS_GATEWAY_FALLBACK_SECRET: 'spare' };
    mesh.start(environment, 'router');
    await proxy.untilReady();
    for (const name of Object.keys(environment)) expect(proxy.output).toContain(`${name} has no effect: meshd chooses`);
    expect(met()).toBe('');
    await put('own');
    await meets('own');
  });
});
