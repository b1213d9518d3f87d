import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram, type StartOptions } from './testing/proxy-program.ts';
import { peerMode, podMesh } from './testing/sample-mesh.ts';

const program = resolve(import.meta.dirname, '../../../dist/pilot-agent.js');
const pod = '10.9.0.1';

/** An application on the pod's address alone, which answers `/ready` and `/metrics`. */
const application = `
  ip addr add ${pod}/32 dev lo
  mkdir site && echo ok > site/ready && echo 'app_metric 1' > site/metrics
  (cd site && exec python3 -m http.server --bind ${pod} 8000 >/dev/null 2>&1) &
`;
const probers = { '/app-health/app/readyz': { httpGet: { path: '/ready', port: 8000 }, timeoutSeconds: 5 } };
const options: StartOptions = {
  prepare: application,
  environment: {
    INSTANCE_IP: pod,
    MESH_APP_PROBERS: JSON.stringify(probers),
    MESH_METRICS_ANNOTATIONS: '{"scrape": "true", "port": "8000", "path": "/metrics"}',
  },
};

describe('the status port of pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(podMesh(pod));
  });
  afterEach(() => proxy.close());

  /** A command line of `pilot-agent`, in the network of the proxy, or `around` it in another one. */
  const run = (
    line: string,
    around = '',
  ): { readonly stdout: string; readonly stderr: string; readonly code: number | null } => {
    const command = `${around} ${process.execPath} ${program} ${line} 2>${proxy.folder}/stderr`;
    const { stdout, code } = proxy.run(['sh', '-c', command]);
    return { stdout, code, stderr: proxy.run(['cat', `${proxy.folder}/stderr`]).stdout };
  };

  test('no spelling of a path through port 15021 reaches /quitquitquit or /drain', async () => {
    proxy.start(options);
    await proxy.untilReady();
    const paths = ['quitquitquit', 'drain'].flatMap((name) => [
      `/${name}`,
      `/healthz/ready/../../${name}`,
      `/healthz/ready/..%2f..%2f${name}`,
      `/healthz/ready/%2e%2e/%2e%2e/${name}`,
      `/healthz/ready%2f..%2f..%2f${name}`,
      `/healthz/ready/..\\..\\${name}`,
      `/healthz/ready;/../../${name}`,
      `/healthz/ready//..//..//${name}`,
      `//${name}`,
      `/healthz/ready%00/${name}`,
      `/healthz/ready?/../../${name}`,
      `/healthz/ready#/../../${name}`,
      `http://127.0.0.1:15020/${name}`,
      `/healthz/ready%20HTTP/1.1%0d%0a%0d%0aPOST%20/${name}`,
    ]);
    const headers = [
      `x-envoy-original-path: /quitquitquit`,
      'x-forwarded-for: 127.0.0.1',
      'x-http-method-override: POST',
    ];
    const flags = headers.flatMap((header) => ['-H', header]);
    for (const version of ['--http1.1', '--http2-prior-knowledge']) {
      for (const target of paths) {
        for (const method of ['POST', 'GET']) {
          const asked = ['--path-as-is', '--request-target', target, version, '-X', method, ...flags];
          const { status } = proxy.curl(`http://${pod}:15021/`, ...asked);
          // What comes after a question or number mark is no path: readiness answers, to those who read.
          const isReadiness = /^\/healthz\/ready[?#]/.test(target) && method === 'GET';
          if (status === 200) expect([target, isReadiness]).toEqual([target, true]);
        }
      }
    }
    expect(proxy.output).not.toMatch(/state=(draining|stopping)/);
    expect(proxy.curl('http://127.0.0.1:15020/healthz/ready').status).toBe(200);
    // The same request is obeyed where it is meant to be made.
    expect(proxy.curl('http://127.0.0.1:15020/quitquitquit', '-X', 'POST')).toMatchObject({ status: 200, body: 'OK' });
    expect(await proxy.exit).toBe(0);
  });

  test('logs who asks at the address of the pod: probes and metrics are answered, stop and drain are not', async () => {
    proxy.start(options);
    await proxy.untilReady();
    const ask = (path: string, ...flags: readonly string[]) => proxy.curl(`http://${pod}:15020${path}`, ...flags);
    // The application starts beside the proxy.
    await eventually(() => expect(ask('/app-health/app/readyz')).toMatchObject({ status: 200, body: 'ok\n' }));
    expect(ask('/app-health/app/livez').status).toBe(400);
    const { body } = ask('/stats/prometheus');
    for (const line of [/^app_metric 1$/m, /^envoy_server_live/m, /^mesh_agent_scrapes_total 1$/m])
      expect(body).toMatch(line);
    for (const path of ['/quitquitquit', '/drain']) expect(ask(path, '-X', 'POST').status).toBe(403);
    expect(proxy.curl('http://[::1]:15020/quitquitquit').status).toBe(405);
  });

  test('pilot-agent request calls Envoy and the agent, prints the answer alone, and errors on standard error', async () => {
    proxy.start(options);
    await proxy.logged('state=configuring');
    expect(run('wait')).toEqual({ stdout: '', stderr: '', code: 0 });
    expect(run('request GET server_info').stdout).toMatch(/^\{.*"state": "LIVE".*}\n\n$/s);
    expect(run('request GET /ready')).toMatchObject({ stdout: 'LIVE\n\n', stderr: '', code: 0 });
    const missing = run('request GET nosuch');
    expect(missing).toMatchObject({ stderr: '', code: 0 });
    expect(missing.stdout).toContain('invalid path');
    const bad = run('request POST logging?level=loud');
    expect(bad).toMatchObject({ stdout: '', code: 1 });
    expect(bad.stderr).toMatch(/^pilot-agent: POST \/logging\?level=loud is answered 400: ./);
    expect(run('request get ready').code).toBe(1);
    expect(run('request GET config_dump | head -c 1')).toMatchObject({ stdout: '{', stderr: '', code: 0 });
    expect(run('request --debug-port 15020 POST drain')).toMatchObject({ stdout: 'OK\n', code: 0 });
    await proxy.logged('state=draining');
    expect(run('request --debug-port=15021 GET healthz/ready')).toMatchObject({ stdout: '', code: 1 });
  });

  test('request prints nothing and gives 3 when Envoy is down; wait says why with 1', async () => {
    proxy.start(options);
    await proxy.untilReady();
    proxy.run(['kill', '-STOP', String(proxy.envoyPid)]);
    const late = run(
      'wait --timeoutSeconds 1 --requestTimeoutMillis 200 --periodMillis 5000 --url http://localhost:15020/healthz/ready',
    );
    expect(late).toMatchObject({ stdout: '', code: 1 });
    expect(late.stderr).toMatch(/^pilot-agent: the proxy is not ready after 1 s: .* does not answer within 200 ms\n$/);
    const once = run('wait --timeoutSeconds 0 --requestTimeoutMillis 3000 --url http://localhost:15020/healthz/ready');
    expect(once.stderr).toMatch(/is answered 503: Envoy does not answer: /);
    const down = run('request GET stats', `unshare --net sh -c 'ip link set lo up; exec "$@"' sh`);
    expect(down).toMatchObject({ stdout: '', code: 3 });
    expect(down.stderr).toMatch(/^pilot-agent: port 15000 of this machine does not answer: .*ECONNREFUSED/);
  });

  test('behind redirection probes reach the application past STRICT, and callers from outside do not count as the pod', async () => {
    await proxy.write('mesh/peer.yaml', peerMode('STRICT'));
    const peer = `
      unshare --net sleep 100 &
      until [ "$(readlink /proc/$!/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.01; done
      ip link add name pod0 type veth peer name peer0 netns $! && ip addr add 10.9.1.1/24 dev pod0 && ip link set pod0 up
      nsenter -t $! -n sh -c 'ip addr add 10.9.1.2/24 dev peer0; ip link set peer0 up; ip route add ${pod} via 10.9.1.1'
      echo $! > peer; ${process.execPath} ${program} istio-iptables -u 0 -g 0 -b '*' -d '' >/dev/null 2>&1`;
    proxy.start({ ...options, prepare: `${application}${peer}` });
    await proxy.untilReady();
    expect(proxy.curl('http://127.0.0.1:15020/app-health/app/readyz')).toMatchObject({ status: 200, body: 'ok\n' });
    // What the proxy's user asks for without the address that redirection lets through meets the policy.
    expect(proxy.curl(`http://${pod}:8000/ready`)).toMatchObject({ status: 0, code: 56 });
    const pid = (await proxy.readOwn('peer')).trim();
    const ask = (path: string, ...flags: readonly string[]): string =>
      proxy.run([
        'nsenter',
        '-t',
        pid,
        '-n',
        'curl',
        '-s',
        '-m',
        '10',
        '-w',
        '%{http_code}',
        ...flags,
        `http://${pod}:15020${path}`,
      ]).stdout;
    expect(ask('/healthz/ready')).toBe('000');
    await proxy.remove('mesh/peer.yaml');
    await eventually(() => expect(ask('/healthz/ready')).toBe('200'));
    for (const path of ['/quitquitquit', '/drain'])
      expect(ask(path, '-X', 'POST')).toBe('only programs of this pod may ask for this\n403');
    expect(proxy.output).not.toMatch(/state=(draining|stopping)/);
  });

  test('a probe map with a named port is a usage error that names its place, and nothing is started', async () => {
    const environment = { MESH_APP_PROBERS: '{"/app-health/app/livez": {"httpGet": {"port": "http"}}}' };
    proxy.start({ environment });
    expect(await proxy.exit).toBe(2);
    expect(proxy.stderr).toBe(
      'pilot-agent: MESH_APP_PROBERS:1:48: ["/app-health/app/livez"].httpGet.port: a port number is expected, not "http"\n',
    );
    expect(proxy.envoyPid).toBeUndefined();
  });
});
