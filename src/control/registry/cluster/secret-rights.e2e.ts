import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa } from '../../../testing/certificates.ts';
import { eventually } from '../../../testing/eventually.ts';
import { applyInstallation } from '../../../testing/kubernetes/apply.ts';
import { type Cluster, startCluster } from '../../../testing/kubernetes/cluster.ts';
import { defineAll } from '../../../testing/kubernetes/definitions.ts';
import { grant, makeAccount } from '../../../testing/kubernetes/rights.ts';
import { runPod } from '../../../testing/kubernetes/run-pod.ts';
import { ServingBench } from '../../testing/serving-bench.ts';

const shop = 'kubernetes://shop';
/** What a Role of a gateway says, here with the one Secret that it shows. */
const reading = {
  ...{ name: 'gateway', namespace: 'edge' },
  rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['shop'], verbs: ['get'] }],
};

describe('meshd, giving Secrets to gateways in a cluster', () => {
  let cluster: Cluster;
  let bench: ServingBench;

  beforeAll(async () => {
    cluster = await startCluster();
    await defineAll(cluster);
    await applyInstallation(cluster);
    for (const account of ['gateway', 'other']) {
      await makeAccount(cluster, 'edge', account);
      await runPod(cluster.api, {
        metadata: { name: account, namespace: 'edge', labels: { app: 'edge' } },
        spec: { serviceAccountName: account, containers: [{ name: 'mesh-proxy', args: ['proxy', 'router'] }] },
        status: {
          phase: 'Running',
          podIP: '10.1.0.1',
          podIPs: [{ ip: account === 'other' ? '10.1.0.2' : '10.1.0.1' }],
        },
      });
    }
    const { certificateChain, privateKey } = await (await createMeshCa()).issue('', {
      uris: [],
      dnsNames: ['a.example'],
    });
    await cluster.api.must('POST', '/api/v1/namespaces/edge/secrets', {
      ...{ metadata: { name: 'shop' }, type: 'kubernetes.io/tls' },
      data: { 'tls.crt': btoa(certificateChain), 'tls.key': btoa(privateKey) },
    });
    const port = { number: 443, name: 'https', protocol: 'HTTPS' };
    const servers = [{ port, hosts: ['a.example'], tls: { mode: 'SIMPLE', credentialName: 'shop' } }];
    await cluster.api.must('POST', '/apis/networking.mesh.io/v1beta1/namespaces/edge/gateways', {
      ...{ apiVersion: 'networking.mesh.io/v1beta1', kind: 'Gateway', metadata: { name: 'edge' } },
      spec: { selector: { app: 'edge' }, servers },
    });
    const following = [{ ...reading.rules[0]!, verbs: ['list', 'watch'] }];
    await grant(cluster, 'mesh-system/meshd', { ...reading, name: 'meshd', rules: following });
    bench = await ServingBench.create();
    const kubeconfig = cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd'));
    const address = { kubeconfig, context: undefined };
    await bench.start({ compile: { source: { type: 'cluster', address, namespaces: [], slices: true } } });
    await eventually(async () => expect(await secretsOf('gateway')).toBeDefined());
  });
  afterAll(async () => {
    await bench?.close();
    await cluster?.close();
  });

  /** SDS names of what a gateway is given; undefined: it is not known yet. */
  async function secretsOf(gateway: string): Promise<readonly string[] | undefined> {
    const dump = JSON.parse(await bench.debug(`/debug/config_dump?proxy=edge/${gateway}`));
    return dump.secrets?.map(({ name }: { readonly name: string }) => name);
  }
  const untilGiven = (gateway: string, names: readonly string[]): Promise<void> =>
    eventually(async () => expect(await secretsOf(gateway)).toEqual(names), { interval: 200 });

  test('sends a Secret only to gateways whose account may get it, as soon as it has the right', async () => {
    const told = /account edge\/gateway are not given the Secret edge\/shop, .* may not get it: allow it by a Role/;
    await eventually(() => expect(bench.logged('warn')).toMatch(told));
    expect([await secretsOf('gateway'), await secretsOf('other')]).toEqual([[], []]);
    await grant(cluster, 'edge/gateway', reading);
    await untilGiven('gateway', [shop]);
    expect(await secretsOf('other')).toEqual([]);
  });

  test("sends a Secret with the Role of Istio's charts for a gateway, which allows get, watch and list for all Secrets", async () => {
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch', 'list'] }];
    await grant(cluster, 'edge/other', { ...reading, name: 'sds', rules });
    await untilGiven('other', [shop]);
  });

  test('sends no Secret without the right to ask, and logs that', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/meshd-mesh-system';
    const { rules } = await cluster.api.must('GET', path);
    const without = rules.filter(
      ({ resources }: { resources: string[] }) => !resources.includes('subjectaccessreviews'),
    );
    await cluster.api.must('PATCH', path, { rules: without }, 'application/merge-patch+json');
    await bench.control.stop();
    const address = {
      kubeconfig: cluster.kubeconfig('meshd', await cluster.accountToken('mesh-system', 'meshd')),
      context: undefined,
    };
    await bench.start({ compile: { source: { type: 'cluster', address, namespaces: [], slices: true } } });
    await eventually(() =>
      expect(bench.logged('warn')).toMatch(/edge\/other may get the Secret edge\/shop is not known now: .*403/),
    );
    await eventually(async () => expect(await secretsOf('other')).toEqual([]));
    await cluster.api.must('PATCH', path, { rules }, 'application/merge-patch+json');
    await untilGiven('other', [shop]);
  });
});
