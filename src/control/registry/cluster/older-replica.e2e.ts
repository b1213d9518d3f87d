import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { type Cluster, startCluster, usualControllers } from '../../../testing/kubernetes/cluster.ts';
import { define } from '../../../testing/kubernetes/definitions.ts';
import { type FaultingProxy, startFaultingProxy } from '../../../testing/kubernetes/faulting-proxy.ts';
import { configurationTypes } from '../../../xds/aggregated-service.ts';
import { positionIn, positionName } from '../../../xds/position.ts';
import { setType } from '../../../xds/whole-sets.ts';
import { makeSampleMesh } from '../../testing/cluster-mesh.ts';
import { type RawStream, ServingBench, textOf } from '../../testing/serving-bench.ts';

const policies = '/apis/security.mesh.io/v1beta1/namespaces/foo/authorizationpolicies';
const id = 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local';
const ofPolicies = /^\/apis\/security\.mesh\.io\/v1beta1\/authorizationpolicies\?watch=/;

describe('two replicas of meshd, one of which gets no events of policies', () => {
  let cluster: Cluster;
  let proxy: FaultingProxy;
  let bench: ServingBench;
  let slow: ServingBench;
  /** Holds back the events of policies; they come with the next one once it is false. */
  let isHeld = true;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: [...usualControllers, 'endpoints-controller'] });
    proxy = await startFaultingProxy(cluster);
    let held = '';
    const change = (text: string): string => {
      held += text;
      const passed = isHeld ? '' : held;
      if (!isHeld) held = '';
      return passed;
    };
    proxy.fault = ({ url = '' }) => (ofPolicies.test(url) ? { change } : 'pass');
    await define(cluster, { group: 'security.mesh.io', kind: 'AuthorizationPolicy' });
    await makeSampleMesh(cluster);
    bench = await ServingBench.create();
    slow = await bench.replica();
    await start(bench);
    await start(slow, proxy);
  });
  afterAll(async () => {
    await slow?.close();
    await bench?.close();
    await proxy?.close();
    await cluster?.close();
  });

  async function start(replica: ServingBench, through?: FaultingProxy): Promise<void> {
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken, through), context: undefined };
    const source = { type: 'cluster', address, namespaces: [], slices: false };
    await replica.start({ takesAnyAddress: true, compile: { source } });
    await eventually(async () =>
      expect(await replica.debug('/debug/config_dump?proxy=foo/httpbin')).toMatch(/10\.1\.0\.1/),
    );
  }

  const deny = async (name: string): Promise<void> => {
    const spec = { action: 'DENY', rules: [{ to: [{ operation: { paths: [`/${name}`] } }] }] };
    const policy = { apiVersion: 'security.mesh.io/v1beta1', kind: 'AuthorizationPolicy', metadata: { name }, spec };
    await cluster.api.must('POST', policies, policy);
  };

  /** A client that comes back, with another set of listeners than anybody serves. */
  async function comesBack(replica: ServingBench, position: string): Promise<RawStream> {
    const stream = replica.open(await bench.identity('foo/httpbin'));
    const { typeUrl } = configurationTypes.listeners;
    const versions = { [typeUrl]: 'another', [positionName]: position };
    stream.ask({ type_url: setType, node: { id }, initial_resource_versions: versions });
    return stream;
  }

  test('the one that has read less refuses a proxy that comes from the other one, until it has read as much', async () => {
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    await deny('first');
    await eventually(() => expect(stream.seen.map(textOf).join()).toContain('/first'));
    const { system_version_info: told = '' } = stream.seen.at(-1) as { readonly system_version_info?: string };
    const position = positionIn(told) ?? '';
    expect(position).toMatch(/^[\da-f]{8}(\.[\da-z]*)+$/);

    const refused = await comesBack(slow, position);
    await eventually(() => expect(refused.ends).toEqual(['FAILED_PRECONDITION']));
    expect(refused.seen).toEqual([]);
    // What changes no policy changes nothing in that.
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'later' } });
    await eventually(async () =>
      expect(await slow.metric('meshd_registry_objects{kind="Namespace",group=""}')).toBe('6'),
    );
    const again = await comesBack(slow, position);
    await eventually(() => expect(again.ends).toEqual(['FAILED_PRECONDITION']));

    const same = await comesBack(bench, position);
    await eventually(() => expect(same.seen).toMatchObject([{ type_url: setType }]));
    isHeld = false;
    await deny('second');
    await eventually(async () => expect(await slow.debug('/debug/config_dump?proxy=foo/httpbin')).toContain('/second'));
    const served = await comesBack(slow, position);
    await eventually(() => expect(served.seen.length + served.ends.length).toBe(1));
    expect(served.ends).toEqual([]);
    expect(served.seen).toMatchObject([
      { type_url: setType, removed_resources: [configurationTypes.listeners.typeUrl] },
    ]);
  });
});
