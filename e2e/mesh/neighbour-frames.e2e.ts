import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Family } from '../../src/redirect/config.ts';
import { addresses } from '../../src/redirect/testing/lab/addresses.ts';
import { type Lab, openLab } from '../../src/redirect/testing/lab/lab.ts';
import { parseCall } from '../../src/redirect/testing/lab/parse-call.ts';
import type { PlannedPod } from '../../src/testbed/floor-plan.ts';
import { scratch } from '../../src/testbed/sandbox.ts';
import { provisionCertificate, type Sidecar, startSidecar } from '../../src/testbed/sidecar.ts';
import { createMeshCa, type IssuedCertificate } from '../../src/testing/certificates.ts';
import { describeMesh } from '../testing/describe-mesh.ts';

const modes = ['REDIRECT', 'TPROXY'] as const;
const network = 'workload';
const ask = 'GET /server_info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

let lab: Lab;
let sidecar: Sidecar;
let refused: Sidecar;
let refusal: string;

function topology(): string {
  const podIPs = [addresses.workload.IPv4, addresses.workload.IPv6].map((ip) => `{ip: "${ip}"}`);
  return `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: foo}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {phase: Running, podIP: ${addresses.workload.IPv4}, podIPs: [${podIPs.join(', ')}]}
`;
}

/** The rules of an earlier version: those that leave addresses of the host itself alone are taken out again. */
async function redirectWithout(mode: string): Promise<void> {
  const flags = ['-u', '1337', '-g', '1337', '-b', '*', '-i', '*'];
  const env = { INTERCEPTION_MODE: mode };
  expect(await lab.agent(['istio-iptables', ...flags], { env })).toMatchObject({ exitCode: 0 });
  const taken = ['iptables', 'ip6tables'].map(
    (tool) => `${tool}-save | sed '/^-A MESH_INBOUND -d [^ ]* ! -i lo /d' | ${tool}-restore`,
  );
  await lab.sandbox.must(['sh', '-ec', `PATH="$PATH:/usr/sbin:/sbin"; ${taken.join('; ')}`], { network });
}

function startProxy(mode: (typeof modes)[number], certificate: IssuedCertificate): Promise<Sidecar> {
  const pod: PlannedPod = {
    namespace: 'foo',
    name: 'a',
    network,
    serviceAccount: 'default',
    ipv4: addresses.workload.IPv4,
    ipv6: addresses.workload.IPv6,
    hasSidecar: true,
    isRouter: false,
    interceptionMode: mode,
    ports: [],
  };
  return startSidecar(lab.sandbox, pod, {
    provision: provisionCertificate(certificate),
    policies: [`${scratch}/mesh.yaml`],
    meshConfigFile: `${scratch}/mesh-config.yaml`,
    env: { INTERCEPTION_MODE: mode },
  });
}

/** What frames of the neighbour meet. The application speaks first, and is no HTTP server. */
async function frames(family: Family, targets: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const calls = targets.map((target) => ({
    ...parseCall(`peer-frames > ${target}`),
    say: target === 'workload:8080' ? '' : ask,
  }));
  const answers = await lab.dial(family, calls);
  return Object.fromEntries(targets.map((target, i) => [target, answers[i] ?? '']));
}

/** Where the kernel refuses a destination although a rule has taken it, nobody answers. */
const expected = {
  REDIRECT: {
    IPv4: {
      'loopback:15000': 'closed',
      'mapped:15000': 'closed',
      'unspecified:15000': 'closed',
      'delivery:8080': 'closed',
    },
    IPv6: { 'mapped:8080': 'closed', 'unspecified:8080': 'closed' },
  },
  TPROXY: {
    IPv4: { 'loopback:15000': 'silent', 'mapped:15000': 'silent' },
    IPv6: { 'unspecified:8080': 'closed', 'delivery:8080': 'closed' },
  },
} as const;

describeMesh("a neighbour's frames for addresses of the host itself, past rules that would let them through", () => {
  describe.each(modes)('%s', (mode) => {
    beforeAll(async () => {
      lab = await openLab();
      await lab.listen({ who: 'app', network, uid: 1000, tcp: [8080] });
      await redirectWithout(mode);
      const write = `cat > ${scratch}/mesh.yaml; echo '{}' > ${scratch}/mesh-config.yaml`;
      await lab.sandbox.must(['sh', '-c', write], { stdin: topology() });
      const certificate = await (await createMeshCa()).issue('spiffe://cluster.local/ns/foo/sa/default');
      refused = await startProxy(mode === 'TPROXY' ? 'REDIRECT' : 'TPROXY', certificate);
      await refused.program.exited;
      refusal = await refused.output();
      sidecar = await startProxy(mode, certificate);
      await sidecar.ready();
    });
    afterAll(() => lab?.close());

    test('an agent for the other mode does not start, and says what to set', () => {
      expect(refused.program.exitCode).toBe(3);
      const found = mode === 'TPROXY' ? /are for TPROXY and the configuration is for REDIRECT/ : /has no rules for it/;
      expect(refusal).toMatch(found);
      expect(refusal).toContain('INTERCEPTION_MODE');
    });

    test('are closed by the inbound listener', async () => {
      const from = mode === 'REDIRECT' ? 'delivery' : 'peer';
      for (const family of ['IPv4', 'IPv6'] as const) {
        const met = await frames(family, ['workload:8080', ...Object.keys(expected[mode][family])]);
        const own = { 'workload:8080': `app:8080 for workload:8080 from ${from}` };
        expect(met).toEqual({ ...own, ...expected[mode][family] });
      }
      expect(sidecar.program.exitCode).toBeUndefined();
    });
  });
});
