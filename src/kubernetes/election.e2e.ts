import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { type Cluster, startCluster } from '../testing/kubernetes/cluster.ts';
import { type FaultingProxy, startFaultingProxy } from '../testing/kubernetes/faulting-proxy.ts';
import { kubeconfigText } from '../testing/kubernetes/kubeconfig-text.ts';
import { KubernetesApi } from './api.ts';
import { Election, type ElectionTimes, type Term } from './election.ts';
import { accessOfKubeconfig } from './kubeconfig.ts';
import { Lease } from './lease.ts';

/** Leases count whole seconds. */
const times: ElectionTimes = { durationMs: 2_000, renewWithinMs: 1_200, retryMs: 250 };

describe('Election, on a real API server', () => {
  let cluster: Cluster;
  let proxy: FaultingProxy;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    proxy = await startFaultingProxy(cluster);
  });
  afterAll(async () => {
    await proxy?.close();
    await cluster?.close();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    proxy.fault = () => 'pass';
  });

  interface Candidate {
    readonly election: Election;
    readonly terms: Term[];
    readonly problems: string[];
    /** When it was seen to lead, in milliseconds of one clock. */
    readonly led: { from: number; until: number }[];
  }

  function apiOf({ port, ca }: { readonly port: number; readonly ca: string }): KubernetesApi {
    const api = new KubernetesApi(accessOfKubeconfig('/test', kubeconfigText(port, ca, cluster.adminToken), undefined));
    closing.push(async () => api.close());
    return api;
  }

  function stand(name: string, identity: string, { isApart = false } = {}): Candidate {
    const api = apiOf(isApart ? proxy : cluster);
    const [terms, problems, led]: [Term[], string[], Candidate['led']] = [[], [], []];
    const election = new Election({
      ...{ lease: new Lease(api, { namespace: 'default', name }), identity, times },
      onTerm: (term) => {
        terms.push(term);
        const row = { from: performance.now(), until: Number.POSITIVE_INFINITY };
        led.push(row);
        term.signal.addEventListener('abort', () => {
          row.until = performance.now();
        });
      },
      onProblem: (text) => problems.push(text),
    });
    closing.unshift(() => election.close());
    election.start();
    return { election, terms, problems, led };
  }

  const specOf = async (name: string) =>
    (await cluster.api.must('GET', `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`)).spec;

  test('elects one of three, which renews; the Lease names it, since when and for how long', async () => {
    const candidates = ['a', 'b', 'c'].map((identity) => stand('one', identity));
    const leaders = () => candidates.filter(({ election }) => election.state.leads);
    await eventually(() => expect(leaders()).toHaveLength(1));
    const [leader] = leaders();
    const spec = await specOf('one');
    expect(spec).toMatchObject({ holderIdentity: leader?.election.state.identity, leaseDurationSeconds: 2 });
    await eventually(async () => expect((await specOf('one')).renewTime > spec.renewTime).toBe(true));
    expect((await specOf('one')).acquireTime).toBe(spec.acquireTime);
    await eventually(() => {
      expect(new Set(candidates.map(({ election }) => election.state.leader))).toEqual(new Set([spec.holderIdentity]));
    });
    expect(leader?.terms).toHaveLength(1);
  });

  test('a leader that gets no answer from the API server ends its term before another one begins', async () => {
    const cut = stand('cut', 'a', { isApart: true });
    await eventually(() => expect(cut.terms[0]?.holds).toBe(true));
    const other = stand('cut', 'b');
    await eventually(() => expect(other.election.state.leader).toBe('a'));
    proxy.fault = () => ({ status: 500 });
    await eventually(() => expect(other.terms[0]?.holds).toBe(true));
    expect(cut.terms[0]?.signal.aborted).toBe(true);
    expect(cut.led[0]?.until).toBeLessThan(other.led[0]?.from ?? 0);
    expect(cut.problems).toHaveLength(1);
    expect((await specOf('cut')).leaseTransitions).toBe(1);
    // It comes back as a candidate.
    proxy.fault = () => 'pass';
    await eventually(() => expect(cut.election.state).toMatchObject({ leader: 'b', problem: undefined }));
    expect(cut.terms).toHaveLength(1);
  });

  test('a leader whose process was suspended knows at once that it no longer leads', async () => {
    const { election, terms } = stand('still', 'a', { isApart: true });
    await eventually(() => expect(terms[0]?.holds).toBe(true));
    // Nothing of this process runs, no timer either.
    const until = performance.now() + times.renewWithinMs + 100;
    while (performance.now() < until);
    expect(terms[0]?.holds).toBe(false);
    expect(election.state.leads).toBe(false);
    await eventually(() => expect(terms[1]?.holds).toBe(true));
    expect(terms[0]?.signal.aborted).toBe(true);
    // It was its own before.
    expect((await specOf('still')).leaseTransitions).toBe(0);
  });

  test('a leader that gives the Lease back is replaced before the Lease expires', async () => {
    const first = stand('given', 'a');
    await eventually(() => expect(first.terms[0]?.holds).toBe(true));
    const second = stand('given', 'b');
    await eventually(() => expect(second.election.state.leader).toBe('a'));
    await first.election.close();
    await first.election.release();
    expect(await specOf('given')).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await eventually(() => expect(second.terms[0]?.holds).toBe(true));
    expect(await specOf('given')).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('a candidate does not rely on the clock of the leader', async () => {
    const written = {
      holder: 'old',
      durationMs: 2_000,
      acquiredAt: new Date(0),
      renewedAt: new Date(0),
      transitions: 7,
    };
    const api = apiOf(cluster);
    await new Lease(api, { namespace: 'default', name: 'skewed' }).write(written, undefined, 5_000);
    const from = performance.now();
    const { led } = stand('skewed', 'a');
    await eventually(() => expect(led).toHaveLength(1));
    // By its own clock it has seen no change for the whole duration.
    expect((led[0]?.from ?? 0) - from).toBeGreaterThan(1_900);
    expect((await specOf('skewed')).leaseTransitions).toBe(8);
  });

  test('nobody leads without the right to write the Lease, and the reason is reported once', async () => {
    proxy.fault = ({ method }) => (method === 'GET' ? 'pass' : { status: 403, body: '{"message":"no right"}' });
    const { election, problems, terms } = stand('forbidden', 'a', { isApart: true });
    await eventually(() => expect(election.state.problem).toMatch(/403 \(no right\)/));
    await pause(4 * times.retryMs);
    expect(problems).toHaveLength(1);
    expect(terms).toEqual([]);
    proxy.fault = () => 'pass';
    await eventually(() => expect(election.state).toMatchObject({ leads: true, problem: undefined }));
  });
});
