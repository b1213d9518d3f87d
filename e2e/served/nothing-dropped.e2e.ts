import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { until } from '../../src/testbed/until.ts';
import { tries } from '../../src/testing/effort.ts';
import type { ControlPlane } from '../identity/control-plane.ts';
import { loadTopology, refusals } from '../load/load-mesh.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { makeChanges } from './changes.ts';
import { type Judge, judges, openServedLoad, type ServedLoad, servers } from './served-load.ts';

/** Each kind of change once. */
const changes = tries(8);
/** So long the mesh is on its own, at least. */
const awayMs = 1_000;

describeMesh('a mesh under load that meshd serves', () => {
  let load: ServedLoad;
  beforeAll(async () => {
    load = await openServedLoad({ MESH_RESTART_POLICY: 'always' });
  });
  afterAll(() => load?.close());

  const planes = (): readonly ControlPlane[] => load.mesh.fleet.planes;
  const all = (work: (plane: ControlPlane) => Promise<void>): Promise<unknown> => Promise.all(planes().map(work));

  /** Returns when all proxies have the policy, and the server that is ready judges by it. */
  async function put(judge: Judge, ready = 0): Promise<void> {
    await load.mesh.testbed.apply({ ...judges[judge], 'topology.yaml': loadTopology(servers, ready) });
    await load.untilJudgedBy(judge);
  }

  /** Writes it, and waits for nobody. */
  const decide = (judge: Judge): Promise<void> => load.mesh.testbed.apply(judges[judge], []);

  /** Does it while all call; none may be answered otherwise than both policies say. */
  async function underLoad(what: string, work: Parameters<ServedLoad['during']>[0]): Promise<void> {
    const { failures, requests, text } = await load.during(work);
    process.stdout.write(`  ${what}:\n${text}`);
    const withAgent = ['foo/client', 'foo/server-0'];
    expect(failures, failures.length > 0 ? await refusals(load.mesh.testbed, withAgent) : '').toEqual([]);
    expect(requests).toBeGreaterThan(50);
  }

  test(`loses no request, and has none judged by neither policy, in ${changes} changes of policies, endpoints and services`, () =>
    underLoad(`${changes} changes`, () => makeChanges(load, changes)));

  test('loses no request while meshd is stopped (SIGSTOP) and continued, and then gets what was decided meanwhile', async () => {
    await put('first');
    await underLoad('meshd stopped', async () => {
      await all((plane) => plane.freeze());
      await decide('second');
      await delay(awayMs);
      expect(await load.judge()).toBe('first');
      await all((plane) => plane.thaw());
      await put('second');
    });
  });

  describe('once meshd was killed (SIGKILL)', () => {
    const pod = 'foo/server-0';
    beforeAll(() => put('second', 1));

    /** Process ids of the Envoys that the pod's agents have started. */
    async function envoys(): Promise<readonly string[]> {
      const output = await load.mesh.testbed.sidecar(pod).output();
      return [...output.matchAll(/Envoy started\tpid=(\d+)/g)].map(([, pid = '']) => pid);
    }

    async function killEnvoy(): Promise<void> {
      const before = await envoys();
      await load.mesh.testbed.sandbox.must(['sh', '-c', `kill -KILL ${before.at(-1)}`]);
      const isAgain = async (): Promise<true | undefined> =>
        (await envoys()).length > before.length ? true : undefined;
      const otherwise = (): Promise<string> => load.mesh.testbed.sidecar(pod).output();
      await until(isAgain, { timeoutMs: 60_000, otherwise });
    }

    async function killAgent(): Promise<void> {
      const { program } = load.mesh.testbed.sidecar(pod);
      await program.signal('KILL');
      await program.exited;
      await load.mesh.testbed.startAgain(pod);
    }

    test('loses no request, and goes on with the policy of before', () =>
      underLoad('meshd killed', async () => {
        await all((plane) => plane.kill());
        await decide('first');
        await delay(awayMs);
        expect(await load.judge()).toBe('second');
      }));

    test.each([
      ['an Envoy', killEnvoy],
      ['an agent', killAgent],
    ])('loses no request of other servers when %s is killed, and the next one judges as the one before', (what, kill) =>
      underLoad(`${what} killed while meshd is away`, async (callOnly) => {
        await callOnly(1, 2);
        await kill();
        await load.mesh.testbed.sidecar(pod).ready();
        await callOnly(0);
        await delay(awayMs);
      }),
    );

    test('loses no request as meshd is started again, and then gets what was decided meanwhile', () =>
      underLoad('meshd started', async () => {
        await all((plane) => plane.start());
        await put('first', 0);
      }));
  });

  test('loses no request when a replica is killed or stopped, and gets its changes from the other one', async () => {
    const [one, other] = planes() as [ControlPlane, ControlPlane];
    await underLoad('replicas killed and stopped', async () => {
      await one.kill();
      await put('second');
      await one.start();
      await other.kill();
      await put('first');
      await other.start();
      // All are clients of the first one now.
      await one.freeze();
      await put('second');
      await one.thaw();
    });
    const connected = new Set((await load.mesh.fleet.rows()).map(({ proxy }) => proxy));
    const proxies = load.mesh.testbed.pods.filter(({ hasSidecar }) => hasSidecar);
    expect([...connected].sort()).toEqual(proxies.map(({ namespace, name }) => `${namespace}/${name}`));
  });
});
