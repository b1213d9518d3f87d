import { service, topologyText } from '../../src/testbed/mesh-objects.ts';
import { applicationPort, loadTopology } from '../load/load-mesh.ts';
import { stranger } from '../load/reloads.ts';
import { type Judge, judges, type ServedLoad, servers } from './served-load.ts';

/** What one change writes and removes. */
interface Change {
  readonly files?: Readonly<Record<string, string>>;
  readonly removed?: string;
  /** The policy in force after it. */
  readonly judge: Judge;
}

/**
 * Makes so many changes, one after the other as soon as every proxy has the last one: policies, which server is ready, and
 * services that come and go, also the one that has all of the load. Throws when the policy of a change does not judge.
 */
export async function makeChanges({ mesh: { testbed }, untilJudgedBy }: ServedLoad, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const change = cycle(i)[i % 8] as Change;
    if (change.files !== undefined) await testbed.apply(change.files);
    if (change.removed !== undefined) await testbed.remove(change.removed);
    await untilJudgedBy(change.judge);
  }
}

function cycle(i: number): readonly Change[] {
  const ready = (server: number): NonNullable<Change['files']> => ({ 'topology.yaml': loadTopology(servers, server) });
  const moved = { 'moved.yaml': topologyText(loadMovedTo(`other-${i}`, i)) };
  return [
    { files: judges.second, judge: 'second' },
    { files: moved, judge: 'second' },
    { files: { ...ready(1), 'stranger.yaml': topologyText(stranger(i)) }, judge: 'second' },
    { files: { ...judges.first, ...moved }, judge: 'first' },
    { files: ready(2), judge: 'first' },
    { files: moved, judge: 'first' },
    { removed: 'stranger.yaml', judge: 'first' },
    { files: ready(0), removed: 'moved.yaml', judge: 'first' },
  ];
}

/** A service of this name on the same servers, and the route that sends it all requests to the service that is called. */
function loadMovedTo(name: string, i: number): readonly object[] {
  const made = service({ namespace: 'foo', name, index: 100 + (i % 100), ports: { http: applicationPort } }) as {
    spec: object;
  };
  return [
    { ...made, spec: { ...made.spec, selector: { app: 'server' } } },
    {
      apiVersion: 'networking.mesh.io/v1',
      kind: 'VirtualService',
      metadata: { namespace: 'foo', name: 'server' },
      spec: {
        hosts: ['server.foo.svc.cluster.local'],
        http: [{ route: [{ destination: { host: `${name}.foo.svc.cluster.local` } }] }],
      },
    },
  ];
}
