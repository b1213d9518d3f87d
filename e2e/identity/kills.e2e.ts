import { afterAll, beforeAll, expect, test } from 'vitest';
import { delay } from '../../src/lib/abort.ts';
import { until } from '../../src/testbed/until.ts';
import type { RunningLoad } from '../load/load.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { forwarded } from '../testing/server-mesh.ts';
import { clientId, createIdentityMesh, freshPort, type IdentityMesh, serverId } from './identity-mesh.ts';
import { failuresOf, serialsOf, startCalls, untilRotated } from './watching.ts';

const moments = ['before the first certificate', 'between two certificates', 'during a renewal'] as const;
type Moment = (typeof moments)[number];

const pod = 'foo/server';

describeMesh('SIGKILL', () => {
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh({ lifetime: '20s', graceRatio: 0.9 });
  });
  afterAll(() => mesh?.testbed.close());

  async function killAgent(): Promise<void> {
    const { program } = mesh.testbed.sidecar(pod);
    await program.signal('KILL');
    await program.exited;
  }

  /** The agent ends with its Envoy, and whoever runs it starts it again. */
  async function killEnvoy(): Promise<void> {
    const { program } = mesh.testbed.sidecar(pod);
    const started = [...(await mesh.testbed.sidecar(pod).output()).matchAll(/Envoy started\tpid=(\d+)/g)];
    await mesh.testbed.sandbox.must(['sh', '-c', `kill -KILL ${started.at(-1)?.[1]}`]);
    expect(await program.exited).toBe(137);
  }

  /** Until the CA, which is stopped, has a request of the agent on its socket. */
  async function untilAsking(): Promise<void> {
    const argv = ['ss', '-Htn', 'state', 'established', 'dport', '=', ':15012'];
    const { network } = mesh.testbed.sidecar(pod).pod;
    const asks = async (): Promise<true | undefined> =>
      (await mesh.testbed.sandbox.must(argv, { network })).trim() === '' ? undefined : true;
    await until(asks, { timeoutMs: 60_000, everyMs: 100, otherwise: async () => 'the agent asks for nothing' });
  }

  /** Another Envoy of the pod, which waits for its first certificate. */
  async function startWithoutAuthority(): Promise<void> {
    await killAgent();
    await mesh.plane.freeze();
    const from = (await mesh.testbed.sidecar(pod).output()).length;
    const sidecar = await mesh.testbed.startAgain(pod);
    const waits = async (): Promise<true | undefined> =>
      /Envoy waits for a secret.*name=default/.test((await sidecar.output()).slice(from)) ? true : undefined;
    await until(waits, { timeoutMs: 60_000, otherwise: () => sidecar.output() });
    await untilAsking();
  }

  /** A new connection of the client is served, by a certificate that the CA has signed. */
  async function untilServed(): Promise<void> {
    const request = { from: 'foo/client', to: 'server.foo', port: freshPort, path: '/headers' };
    const isServed = async (): Promise<true | undefined> => {
      const { status, body } = await mesh.testbed.request(request);
      if (status !== '200') return undefined;
      expect(forwarded.exec(body)?.[1]).toMatch(new RegExp(`^By=${serverId};Hash=[0-9a-f]{64};URI=${clientId}$`));
      return true;
    };
    await until(isServed, { timeoutMs: 60_000, everyMs: 100, otherwise: () => mesh.testbed.sidecar(pod).output() });
    // In this order: a certificate that is renewed between the two is issued, too.
    const served = [...(await serialsOf(mesh.testbed, pod))];
    const issued = (await mesh.plane.issued()).map(({ serial }) => serial);
    expect(served.filter((serial) => !issued.includes(serial))).toEqual([]);
  }

  /** Gives the calls under way, where there can be any; before the first certificate and in a renewal meshd is stopped. */
  async function reach(moment: Moment): Promise<RunningLoad | undefined> {
    if (moment === 'before the first certificate') {
      await startWithoutAuthority();
      return undefined;
    }
    const load = await startCalls(mesh, 5);
    if (moment === 'during a renewal') {
      await mesh.plane.freeze();
      await untilAsking();
    }
    return load;
  }

  async function expectNoFailure(load: RunningLoad | undefined): Promise<void> {
    if (load !== undefined) expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  }

  test.each(moments)('of meshd %s fails no request, and its successor renews', async (moment) => {
    const load = await reach(moment);
    await mesh.plane.kill();
    await mesh.plane.start();
    await mesh.testbed.sidecar(pod).ready();
    await untilServed();
    await untilRotated(mesh);
    await expectNoFailure(load);
  });

  test.each(moments)(
    'of the agent %s fails no request as long as its Envoy runs, and its successor serves',
    async (moment) => {
      const load = await reach(moment);
      await killAgent();
      await mesh.plane.thaw();
      await delay(500);
      await expectNoFailure(load);
      await mesh.testbed.startAgain(pod);
      await mesh.testbed.sidecar(pod).ready();
      await untilServed();
    },
  );

  test.each(moments)('of Envoy %s ends the agent, and the next ones serve', async (moment) => {
    await expectNoFailure(await reach(moment));
    await killEnvoy();
    await mesh.plane.thaw();
    await mesh.testbed.startAgain(pod);
    await mesh.testbed.sidecar(pod).ready();
    await untilServed();
  });
});
