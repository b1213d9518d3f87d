import { join } from 'node:path';
import { Client, credentials, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { createMeshCa, type IssuedCertificate, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { gatewayOf, gatewayPod } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { objects } from './testing/sample-mesh.ts';

const topology = objects(
  gatewayPod,
  gatewayOf(
    '{port: {number: 8443, name: https, protocol: HTTPS}, hosts: [shop.example.com], tls: {mode: SIMPLE, credentialName: shop}}',
    '{port: {number: 8444, name: other, protocol: HTTPS}, hosts: [shop.example.com], tls: {mode: SIMPLE, credentialName: other}}',
  ),
);

const secret = (name: string, namespace: string, { certificateChain, privateKey }: IssuedCertificate): string => `
---
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: ${namespace}}
data: {cert: ${btoa(certificateChain)}, key: ${btoa(privateKey)}}
`;

describe('pilot-agent proxy router, for its secrets,', () => {
  let proxy: ProxyProgram;
  let ca: MeshCa;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(topology);
    ca = await createMeshCa();
  });
  afterEach(() => proxy.close());

  const issue = (name: string) => ca.issue('', { uris: [], dnsNames: ['shop.example.com', name] });
  const start = (environment: Readonly<Record<string, string>>): void =>
    proxy.start({ role: 'router', environment: { PROV_CERT: '', ...environment } });
  /** DNS names of the certificate that a client meets. */
  const met = (port = 8443): string =>
    proxy.run([
      'sh',
      '-c',
      `openssl s_client -connect 127.0.0.1:${port} -servername shop.example.com 2>/dev/null | openssl x509 -noout -ext subjectAltName 2>/dev/null`,
    ]).stdout;
  const meets = (name: string, port = 8443) =>
    eventually(() => expect(met(port)).toContain(`DNS:${name}`), { interval: 100 });

  test('takes secrets from the namespace that INGRESS_GATEWAY_NAMESPACE names, follows them, and shows the fallback', async () => {
    const [one, two, three] = [await issue('one'), await issue('two'), await issue('three')] as const;
    const spare = secret('spare', 'certs', await issue('spare'));
    const own = secret('shop', 'foo', await issue('own'));
    const put = (text: string): Promise<void> => proxy.write('mesh/secrets.yaml', own + spare + text);
    await put(secret('shop', 'certs', one));
    start({ INGRESS_GATEWAY_NAMESPACE: 'certs', INGRESS_GATEWAY_FALLBACK_SECRET: 'spare' });
    await meets('one');
    await put(secret('shop', 'certs', two));
    await meets('two');
    await put(secret('shop', 'certs', { ...three, privateKey: two.privateKey }));
    await proxy.logged('the last valid one stays');
    expect(met()).toContain('DNS:two');
    await put('');
    await meets('spare');
    await put(secret('shop', 'certs', three));
    await meets('three');
    const { envoyPid } = proxy;
    expect(proxy.output.match(/Envoy started/g)).toHaveLength(1);
    expect(envoyPid).toBeGreaterThan(0);
  });

  test('starts with Secrets that cannot serve, whose servers alone stay closed until they can, and are held from then on', async () => {
    const [own, other] = [secret('shop', 'foo', await issue('own')), await issue('other')];
    const put = (texts: Partial<IssuedCertificate>): Promise<void> =>
      proxy.write('mesh/secrets.yaml', own + secret('other', 'foo', { ...other, ...texts }));
    const locked = other.privateKey.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY');
    await put({ privateKey: locked });
    start({});
    await meets('own');
    expect(proxy.output).toMatch(
      /Secret "other" cannot be used by a gateway: "tls\.key" is no private key .* refuse connections/,
    );
    expect(met(8444)).toBe('');
    await put({ certificateChain: other.certificateChain.slice(0, 300) });
    await proxy.logged('"tls.crt" is no certificate in PEM; servers');
    await put({});
    await meets('other', 8444);
    await put({ privateKey: locked });
    await proxy.logged('the last valid version of Secret foo/other stays in force');
    expect(met(8444)).toContain('DNS:other');
  });

  test('reads its inputs anew at SECRET_WATCHER_RESYNC_PERIOD', async () => {
    await proxy.write('mesh/secrets.yaml', secret('shop', 'foo', await issue('own')));
    start({ SECRET_WATCHER_RESYNC_PERIOD: '500ms' });
    await meets('own');
    const compilations = (): number =>
      Number(
        /^mesh_agent_compilations_total (\d+)/m.exec(proxy.curl('http://127.0.0.1:15020/stats/prometheus').body)?.[1],
      );
    await eventually(() => expect(compilations()).toBeGreaterThan(2), { interval: 100 });
  });

  test('ends the stream of a client that does not answer for STALED_CONNECTION_RECYCLE_RUN_INTERVAL', async () => {
    await proxy.write('mesh/secrets.yaml', secret('shop', 'foo', await issue('own')));
    start({ STALED_CONNECTION_RECYCLE_RUN_INTERVAL: '1s' });
    await meets('own');
    const client = new Client(`unix:${join(proxy.folder, 'etc/mesh/proxy/SDS')}`, credentials.createInsecure());
    const asIs = (bytes: Buffer): Buffer => bytes;
    const path = '/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets';
    const call = client.makeBidiStreamRequest(path, asIs, asIs);
    const ended = new Promise<number>((resolve) =>
      call.on('error', (error) => resolve((error as { code?: number }).code ?? 0)),
    );
    const names = { node: { id: 'n' }, resource_names: ['kubernetes://shop'] };
    call.on('data', () => undefined);
    call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', names)));
    expect(await ended).toBe(status.UNAVAILABLE);
    client.close();
    // Envoy answers, and keeps its stream: a new certificate reaches it.
    await proxy.write('mesh/secrets.yaml', secret('shop', 'foo', await issue('next')));
    await meets('next');
  });
});
