import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa, type IssueOptions, type MeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { gateway, secret, topology } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';

describe('pilot-agent proxy router', () => {
  let proxy: ProxyProgram;
  let ca: MeshCa;
  let key: string;
  let trusted: readonly string[];

  const issue = (options: IssueOptions) => ca.issue('spiffe://cluster.local/ns/x/sa/y', options);
  const wildcard = { dnsNames: ['*.example.com'] };

  beforeAll(async () => {
    ca = await createMeshCa();
    const { certificateChain: certificate, privateKey } = await issue(wildcard);
    key = privateKey;
    const { privateKey: foreign } = await issue(wildcard);
    const client = await issue({ dnsNames: ['friend.example.com'] });
    const stranger = await issue({ dnsNames: ['stranger.example.com'] });
    proxy = await ProxyProgram.create(topology);
    await proxy.write('mesh/gateway.yaml', gateway);
    const good = { certificate, key };
    const secrets = [secret('wide', good), secret('a', good), secret('broken', { certificate, key: foreign })];
    secrets.push(secret('mutual', { ...good, authorities: ca.rootCertificate }));
    await proxy.write('mesh/secrets.yaml', secrets.join(''));
    await proxy.write('ca.pem', ca.rootCertificate);
    trusted = ['--cacert', `${proxy.folder}/ca.pem`];
    await proxy.write('client.pem', client.certificateChain + client.privateKey);
    await proxy.write('stranger.pem', stranger.certificateChain + stranger.privateKey);
    await proxy.write('mesh.yaml', 'autoPassthroughGateways: [foo/edge]\nallowedLocalEndpoints: [127.0.0.1]\n');
    proxy.start({ role: 'router', args: ['--policies', 'mesh', '--meshConfig', 'mesh.yaml'] });
    await proxy.logged('state=running');
    await proxy.untilReady();
  });
  afterAll(() => proxy?.close());

  /** By name, to the gateway, whose ports are those behind its service. */
  const ask = (url: string, ...flags: readonly string[]) => {
    const { hostname, port, protocol } = new URL(url);
    const own = protocol === 'https:' ? '8443' : '8080';
    const connect = `${hostname}:${port || (own === '8443' ? '443' : '80')}:127.0.0.1:${own}`;
    return proxy.curl(url, '--connect-to', connect, ...trusted, ...flags);
  };
  const certificate = (name: string): readonly string[] => ['--cert', `${proxy.folder}/${name}.pem`];

  test('serves plaintext on the target port of its service', () => {
    expect(ask('http://plain.example.com/')).toMatchObject({ status: 200, body: 'plain' });
    expect(ask('http://unknown.example.com/')).toMatchObject({ status: 404 });
  });

  test.each(['--http1.1', '--http2'])('ends TLS by server name, with %s', (version) => {
    expect(ask('https://a.example.com/', version)).toMatchObject({ status: 200, body: 'secure' });
    expect(ask('https://other.example.com/', version)).toMatchObject({ status: 200, body: 'secure' });
  });

  test('closes connections for names that nobody serves', () => {
    expect(ask('https://example.org/').code).toBe(35);
    expect(proxy.curl('http://127.0.0.1:8443/').code).toBe(56);
  });

  test('redirects to the port that serves the host, with the method kept', () => {
    const answer = ask('http://a.example.com:80/x?y=1', '-X', 'POST', '-D', '-');
    expect(answer.status).toBe(308);
    expect(answer.body).toContain('location: https://a.example.com/x?y=1\r\n');
  });

  test('asks for a client certificate of the right name where the server is MUTUAL', () => {
    expect(ask('https://mutual.example.com/').code).not.toBe(0);
    expect(ask('https://mutual.example.com/', ...certificate('stranger')).code).not.toBe(0);
    expect(ask('https://mutual.example.com/', ...certificate('client'))).toMatchObject({ status: 200 });
  });

  test('accepts clients without a certificate and with a valid one if the server is OPTIONAL_MUTUAL', async () => {
    expect(ask('https://optional.example.com/')).toMatchObject({ status: 200 });
    expect(ask('https://optional.example.com/', ...certificate('client'))).toMatchObject({ status: 200 });
    const { certificateChain, privateKey } = await (await createMeshCa()).issue('spiffe://x/ns/x/sa/y');
    await proxy.write('foreign.pem', certificateChain + privateKey);
    expect(ask('https://optional.example.com/', ...certificate('foreign')).code).not.toBe(0);
  });

  test.each(['mutual', 'MUTUAL', 'raw', 'a'])(
    'answers 421 to a request for %s on a connection to the wide server',
    (name) => {
      for (const end of ['', '.', ':8443', '.:8443']) {
        const answer = ask('https://wide.example.com/', '-H', `Host: ${name}.example.com${end}`);
        expect(answer, end).toMatchObject({ status: 421 });
      }
    },
  );

  test('answers 421 to a request for the wide server on a connection to a narrow one', () => {
    expect(ask('https://a.example.com/', '-H', 'Host: wide.example.com')).toMatchObject({ status: 421 });
    expect(ask('https://a.example.com/', '-H', 'Host: example.org')).toMatchObject({ status: 404 });
  });

  test('passes TLS on unopened', () => {
    expect(ask('https://raw.example.com/')).toMatchObject({ status: 200, body: 'behind' });
  });

  test('shares plaintext bytes out by weight', () => {
    const answers = Array.from({ length: 40 }, () => {
      return proxy.curl('http://plain.example.com:7000/', '--connect-to', '::127.0.0.1:7000').status;
    });
    // The one is HTTP; to the other it is a broken handshake.
    expect([...new Set(answers)].sort()).toEqual([0, 200]);
  });

  test('ends TLS for bytes', () => {
    const answer = proxy.curl(
      'https://bytes.example.com/',
      ...trusted,
      '--connect-to',
      '::127.0.0.1:7443',
      '-H',
      'Host: plain.example.com',
    );
    expect(answer).toMatchObject({ status: 200, body: 'plain' });
  });

  test('passes on TLS of mesh clients by server name, and refuses all other clients', () => {
    const dial = (name: string, ...alpn: readonly string[]) => {
      const to = ['-connect', '127.0.0.1:15443', '-servername', name, ...alpn];
      return proxy.run(['openssl', 's_client', ...to, '-CAfile', `${proxy.folder}/ca.pem`]).stdout;
    };
    const mesh = ['-alpn', 'mesh'];
    expect(dial('outbound_.9443_._.raw.internal', ...mesh)).toContain('Verify return code: 0 (ok)');
    expect(dial('outbound_.9443_._.raw.internal')).not.toContain('BEGIN CERTIFICATE');
    expect(dial('outbound_.9443_.v1_.raw.internal', ...mesh)).not.toContain('BEGIN CERTIFICATE');
    expect(dial('raw.example.com', ...mesh)).not.toContain('BEGIN CERTIFICATE');
  });

  test('keeps to the oldest version of the server', () => {
    expect(ask('https://new.example.com/', '--tls-max', '1.2').code).toBe(35);
    expect(ask('https://new.example.com/')).toMatchObject({ status: 200 });
    expect(ask('https://a.example.com/', '--tls-max', '1.2')).toMatchObject({ status: 200 });
  });

  test('closes only the server whose Secret is missing or invalid, and logs the reason without the key', () => {
    expect(ask('https://missing.example.com/').code).toBe(35);
    expect(ask('https://broken.example.com/').code).toBe(35);
    expect(proxy.output).toContain('its private key is not that of its first certificate');
    expect(proxy.output).not.toContain(key.split('\n')[1]);
  });

  test('writes no private key', async () => {
    const line = key.split('\n')[1] ?? '';
    const base64 = Buffer.from(key).toString('base64').slice(40, 100);
    for (const file of ['bootstrap.json', 'listeners.json', 'clusters.json', 'mesh.json', 'origins.json']) {
      const text = await proxy.read(file);
      expect([text.includes(line), text.includes(base64)], file).toEqual([false, false]);
    }
  });

  test('hides what it is, and strips what clients forge', () => {
    const { body } = ask('http://plain.example.com/', '-D', '-');
    expect(body).not.toMatch(/^server: |^x-envoy/im);
    expect(ask('http://plain.example.com/', '-H', 'x_under_score: 1')).toMatchObject({ status: 400 });
  });

  test('removes what clients say of hosts, and keeps what routes say', () => {
    const url = 'http://plain.example.com/twice';
    expect(ask(url, '-H', 'X-Forwarded-Host: ours')).toMatchObject({ status: 200, body: 'gone' });
    expect(ask(url, '-H', 'X-Set: 1')).toMatchObject({ status: 200, body: 'kept' });
  });

  test('serves a secret that comes later, and a renewed one, without a new listener', async () => {
    const before = await proxy.read('listeners.json');
    const { certificateChain, privateKey } = await issue(wildcard);
    await proxy.write('mesh/later.yaml', secret('missing', { certificate: certificateChain, key: privateKey }));
    await eventually(() => expect(ask('https://missing.example.com/').status).toBe(200));
    expect(await proxy.read('listeners.json')).toBe(before);
  });
});

describe('pilot-agent proxy sidecar', () => {
  test('refuses to run as what the inputs say it is not', async () => {
    const proxy = await ProxyProgram.create(topology);
    try {
      proxy.start();
      expect(await proxy.exit).toBe(1);
      expect(proxy.output).toContain('workload "foo/httpbin" is a router in the inputs, not a sidecar');
    } finally {
      await proxy.close();
    }
  });
});
