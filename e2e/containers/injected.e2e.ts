import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTokenMint } from '../../src/control/testing/token-mint.ts';
import { applicationProgram } from './application.ts';
import { startAuthority } from './beside-pods.ts';
import { areContainersImpossible } from './containers-impossible.ts';
import { type Engine, openEngine } from './engine.ts';
import { buildAgentImage, buildApplicationImage } from './images.ts';
import { injectedPod, rootConfigMap } from './injected-pod.ts';
import { PlayedPod, podIp } from './played.ts';
import type { Probe } from './pod-manifest.ts';

const web = `https://${podIp}:8080`;

describe.skipIf(areContainersImpossible())('injected pods in containers', () => {
  let engine: Engine;
  let pod: PlayedPod | undefined;

  beforeAll(async () => {
    engine = await openEngine();
    await buildAgentImage(engine);
    await buildApplicationImage(engine, applicationProgram);
    await engine.podman('network', 'create', '--disable-dns', '--subnet', '10.91.7.0/24', 'pods');
  });
  afterEach(() => pod?.remove());
  afterAll(() => engine?.close());

  test('an ordinary proxy is ready, is asked for the probe of the application, and holds its policies', async () => {
    const identity = { name: 'identity', secret: { secretName: 'web-identity', defaultMode: 0o440 } };
    const injected = injectedPod({
      env: [{ name: 'PROV_CERT', value: '/etc/certs' }],
      volumes: [{ mountPath: '/etc/certs', volume: identity }],
    });
    pod = await PlayedPod.play(engine, injected, { objects: [rootConfigMap('')], mint: async () => '' });
    await pod.untilProbed(probeOf(pod, 'mesh-proxy'));
    await pod.untilProbed(probeOf(pod, 'web'));
    expect(probeOf(pod, 'web').httpGet.path).toBe('/app-health/web/readyz');
    expect(await pod.request('GET', `${web}/headers`, 'orders')).toMatch(/^200 /);
    expect((await pod.request('GET', web, 'cart')).slice(0, 3)).toBe('403');
    expect(await pod.request('GET', `http://${podIp}:8080/`)).toMatch(/^000 /);
    expect(await pod.stop()).toEqual({ 'mesh-init': 0, 'mesh-proxy': 0, web: 0 });
  });

  test('a native sidecar gets its certificate with the token and the root that were injected', async () => {
    const mint = createTokenMint();
    const roots = await startAuthority(engine, mint);
    const injected = injectedPod({
      env: [{ name: 'CA_ADDR', value: 'meshd.mesh-system.svc:15012' }],
      volumes: [],
      annotations: { 'sidecar.mesh.io/nativeSidecar': 'true' },
    });
    pod = await PlayedPod.play(engine, injected, {
      objects: [rootConfigMap(roots)],
      mint: (audience) => mint.mint('shop/web', { claims: { aud: [audience] } }),
    });
    await pod.untilProbed(probeOf(pod, 'web'));
    const connect = `openssl s_client -connect ${podIp}:8080 -alpn mesh-http/1.1 </dev/null`;
    const { stdout } = await engine.sandbox.run(['sh', '-c', `${connect} | openssl x509 -noout -ext subjectAltName`]);
    expect(stdout).toContain('URI:spiffe://cluster.local/ns/shop/sa/web');
    expect(await pod.stop()).toEqual({ 'mesh-init': 0, 'mesh-proxy': 0, web: 0 });
  });
});

function probeOf(pod: PlayedPod, name: string): Probe {
  const { readinessProbe } = pod.container(name);
  if (readinessProbe === undefined) throw new Error(`${name} has no readiness probe`);
  return readinessProbe;
}
