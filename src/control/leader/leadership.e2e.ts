import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aborted, delay } from '../../lib/abort.ts';
import { eventually } from '../../testing/eventually.ts';
import { type Cluster, startCluster } from '../../testing/kubernetes/cluster.ts';
import { joinReplicas, leaseName, type Replica } from './join-replicas.ts';

const times = { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 };

describe('Leadership, on a real API server', () => {
  let cluster: Cluster;
  let lines: string[] = [];
  const closing: Replica[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.close());
  afterEach(async () => {
    for (const replica of closing.splice(0)) await replica.close();
    lines = [];
  });

  async function join(namespace: string): Promise<Replica> {
    const address = { kubeconfig: cluster.kubeconfig('meshd', cluster.adminToken), context: undefined };
    const tell = (message: string): void => void lines.push(message);
    const log = { debug: tell, info: tell, warn: tell, error: tell };
    const replica = await joinReplicas({ address, namespace, times }, log);
    closing.push(replica);
    return replica;
  }

  const holderIn = async (namespace: string): Promise<string> =>
    (await cluster.api.must('GET', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${leaseName}`)).spec
      .holderIdentity;

  test('runs work only in the replica that leads, and gives the Lease back once the work has ended', async () => {
    const [first, second] = [await join('default'), await join('default')];
    const steps: string[] = [];
    for (const [name, { leadership }] of Object.entries({ first, second })) {
      leadership.whileLeading('test', async ({ signal }) => {
        steps.push(`${name} begins`);
        await aborted(signal);
        await delay(300);
        steps.push(`${name} ends, of ${(await holderIn('default')) === first.identity ? 'first' : 'second'}`);
      });
    }
    first.leadership.start();
    await eventually(() => expect(steps).toEqual(['first begins']));
    second.leadership.start();
    await eventually(() => expect(second.leadership.state.leader).toBe(first.identity));
    await first.close();
    await eventually(() => expect(steps).toContain('second begins'));
    expect(steps).toEqual(['first begins', 'first ends, of first', 'second begins']);
  });

  test('restarts work that has failed, and starts work that is added while it leads', async () => {
    const { leadership } = await join('default');
    let tries = 0;
    leadership.start();
    await eventually(() => expect(leadership.state.leads).toBe(true));
    leadership.whileLeading('test', async () => {
      if (++tries < 2) throw new Error('not now');
    });
    await eventually(() => expect(tries).toBe(2));
    expect(lines).toContain('work of the leader failed; it is tried again');
  });

  test('is elected as soon as the namespace exists', async () => {
    const { leadership } = await join('later');
    leadership.start();
    await eventually(() => expect(leadership.state.problem).toMatch(/404 \(.*"later" not found/));
    await cluster.api.must('POST', '/api/v1/namespaces', { metadata: { name: 'later' } });
    await eventually(() => expect(leadership.state).toMatchObject({ leads: true, problem: undefined }));
  });
});
