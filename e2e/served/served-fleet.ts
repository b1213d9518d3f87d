import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProxiesAnswer, ProxyRow, StatusAnswer } from '../../src/control/debug/answers.ts';
import type { PlannedPod } from '../../src/testbed/floor-plan.ts';
import { scratch } from '../../src/testbed/sandbox.ts';
import { envoyBinary, type Sidecar } from '../../src/testbed/sidecar.ts';
import {
  agentStarter,
  certificatesOf,
  type FleetPlace,
  type ProxyFleet,
  type SidecarsOptions,
  type StartSidecar,
} from '../../src/testbed/sidecars.ts';
import { until } from '../../src/testbed/until.ts';
import type { ConfigurationList } from '../../src/xds/aggregated-service.ts';
import { ControlPlane } from '../identity/control-plane.ts';
import { textsOf } from '../testing/texts-of.ts';
import { DirectEnvoys } from './direct-envoy.ts';

/** How a proxy gets its configuration, and in which form its Envoy asks for it. */
export interface ProxyManner {
  readonly via: 'agent' | 'direct';
  readonly form: 'delta' | 'state of the world';
}

/** A replica of the control plane, by the name of its pod in `mesh-system`. */
export interface Replica {
  readonly name: string;
  readonly ipv4: string;
}

/** `host:port` of the control plane, as workloads know it. */
export const discoveryAddress = 'meshd.mesh-system.svc:15012';
const port = 15_012;

/** Where the control planes read the mesh from. */
export interface ServedSource {
  /** Absent: the folder of policies. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What a control plane needs for it, before it starts. */
  prepare(place: FleetPlace, plane: ControlPlane): Promise<void>;
}

/** What a fleet is made of. */
export interface ServedFleetOptions {
  readonly replicas: readonly Replica[];
  /** The folder of policies when absent. */
  readonly source?: ServedSource;
  readonly mannerOf: (pod: PlannedPod) => ProxyManner;
  /** Variables of the control planes, which compile. */
  readonly planeEnv?: Readonly<Record<string, string>> | undefined;
}

/** Resources by type, as their messages in JSON. */
export type ServedResources = Readonly<
  Record<ConfigurationList, readonly { readonly name: string; readonly version: string; readonly resource: object }[]>
>;

interface Parts extends ServedFleetOptions {
  readonly planes: readonly ControlPlane[];
  readonly agents: Readonly<Record<ProxyManner['form'], StartSidecar>>;
  /** `drainDuration` of the mesh configuration. */
  readonly drainSeconds: number;
}

/** Agents find every replica under the one name, whatever the machine says of names with several lines in its hosts. */
const allLines = { RESOLV_MULTI: 'on' };

/** Proxies that are clients of `meshd serve --config`, over mutual TLS. */
export class ServedFleet implements ProxyFleet {
  readonly planes: readonly ControlPlane[];
  readonly #place: FleetPlace;
  readonly #parts: Parts;
  readonly #direct: DirectEnvoys;

  private constructor(place: FleetPlace, parts: Parts) {
    this.#place = place;
    this.#parts = parts;
    this.planes = parts.planes;
    this.#direct = new DirectEnvoys(place);
  }

  /** Starts the control planes, all with one authority; returns when each serves the policy folder. */
  static async create(
    place: FleetPlace,
    options: SidecarsOptions,
    { replicas, mannerOf, source, planeEnv = {} }: ServedFleetOptions,
  ): Promise<ServedFleet> {
    const { sandbox, folder, ca } = place;
    const { meshConfig, env, ...rest } = options;
    const proxies = { drainDuration: '45s', ...(meshConfig?.defaultConfig as object | undefined), discoveryAddress };
    const served = {
      ...{ ...rest, env: { ...env, ...allLines } },
      meshConfig: { ...meshConfig, defaultConfig: proxies },
    };
    const hosts = replicas.map(({ ipv4 }) => `${ipv4} ${discoveryAddress.split(':')[0]}\n`);
    await appendFile(join(sandbox.folder, 'hosts'), hosts.join(''));
    const delta = await agentStarter(place, served, []);
    const flags = ['--proxyBinary', await writeWholeEnvoy(sandbox.folder)];
    const provision: SidecarsOptions['provision'] = async (...at) => ({
      ...(await certificatesOf(ca, options)(...at)),
      flags,
    });
    const agents = { delta, 'state of the world': await agentStarter(place, { ...served, provision }, []) };
    // The authority of the testbed makes its root with its first certificate.
    await ca.issue('spiffe://cluster.local/ns/mesh-system/sa/meshd');
    const authority = await textsOf(join(sandbox.folder, 'authority'));
    const given = source?.flags ?? ['--config', join(scratch, folder.name)];
    const config = [...given, '--meshConfig', join(scratch, 'mesh-config.yaml')];
    const starting = replicas.map(async ({ name }) => {
      const plane = await ControlPlane.create(sandbox, { name, authority, flags: config, env: planeEnv });
      await source?.prepare(place, plane);
      await plane.start(source?.env);
      return plane;
    });
    const drainSeconds = Number.parseInt(proxies.drainDuration, 10);
    return new ServedFleet(place, { replicas, mannerOf, agents, drainSeconds, planes: await Promise.all(starting) });
  }

  readonly start: StartSidecar = (pod, env) => {
    const { replicas, agents, mannerOf, drainSeconds } = this.#parts;
    const { via, form } = mannerOf(pod);
    if (via === 'agent') return agents[form](pod, { SERVICE_ACCOUNT: pod.serviceAccount, ...env });
    const controlPlanes = replicas.map(({ ipv4 }) => ({ host: ipv4, port }));
    return this.#direct.start(pod, { apiType: form === 'delta' ? 'DELTA_GRPC' : 'GRPC', controlPlanes, drainSeconds });
  };

  async change(sidecars: readonly Sidecar[], make: () => Promise<string>): Promise<void> {
    await this.untilInForce(sidecars, await make());
  }

  /** Returns when the control planes that run say that these proxies have all of a change; throws when it is refused. */
  async untilInForce(sidecars: readonly Sidecar[], marker: string): Promise<void> {
    let missing = '';
    const probe = async (): Promise<true | undefined> => {
      missing = await this.#missing(sidecars, marker);
      return missing === '' ? true : undefined;
    };
    await until(probe, {
      timeoutMs: 90_000,
      everyMs: 100,
      otherwise: async () => `${marker} is not in force: ${missing}`,
    });
  }

  async close(): Promise<void> {
    await this.#direct.close();
  }

  /** What a proxy (`namespace/name`) is to have, as the first control plane says. */
  async resourcesOf(proxy: string): Promise<ServedResources> {
    const [plane] = this.planes;
    const [answer] = plane === undefined ? [] : await this.ask(plane, [`/debug/config_dump?proxy=${proxy}`]);
    if (answer === undefined) throw new Error(`no control plane knows what ${proxy} is to have`);
    return answer as ServedResources;
  }

  /** Streams of all proxies, as the control planes that run tell of them. */
  async rows(): Promise<readonly ProxyRow[]> {
    const answers = await Promise.all(this.planes.map((plane) => this.ask(plane, ['/debug/syncz'])));
    return answers.flatMap(([answer]) => (answer as ProxiesAnswer | undefined)?.proxies ?? []);
  }

  /** Answers of the debug socket; undefined where there is none, nobody answers, or the control plane does not run. */
  async ask(plane: ControlPlane, paths: readonly string[]): Promise<readonly unknown[]> {
    if (!plane.isServing) return [];
    const socket = join(plane.home, 'var/run/mesh/meshd.sock');
    const curl = ['curl', '-s', '-m', '30', '--unix-socket', socket, '-w', '\n@%{http_code}\n'];
    const { stdout } = await this.#place.sandbox.run([...curl, ...paths.map((path) => `http://meshd${path}`)]);
    const answers = [...stdout.matchAll(/(.*?)\n@(\d{3})\n/gs)];
    return answers.map(([, body = '', status]) => (status === '200' ? JSON.parse(body) : undefined));
  }

  /** Who has not what; empty: all have all. */
  async #missing(sidecars: readonly Sidecar[], marker: string): Promise<string> {
    // In this order: who is in step with what a control plane has compiled is asked once it has compiled the change.
    const paths = [`/debug/config_distribution?resource=Pod/testbed/${marker}`, '/debug/status', '/debug/syncz'];
    const rows: ProxyRow[] = [];
    for (const plane of this.planes.filter(({ isServing }) => isServing)) {
      const [known, status, streams] = await this.ask(plane, paths);
      const refused = (status as StatusAnswer | undefined)?.refusedInputs;
      if (refused !== undefined) throw new Error(refused.text);
      if (known === undefined) return 'a control plane has not compiled it';
      rows.push(...((streams as ProxiesAnswer | undefined)?.proxies ?? []));
    }
    const faults = sidecars.map(({ pod: { namespace, name } }) => faultOf(`${namespace}/${name}`, rows));
    return faults.filter((fault) => fault !== undefined).join(', ');
  }
}

function faultOf(proxy: string, rows: readonly ProxyRow[]): string | undefined {
  const own = rows.filter((row) => row.proxy === proxy);
  const refusal = own.find(({ refused, message }) => refused.length > 0 || message !== undefined);
  if (refusal !== undefined) throw new Error(`${proxy} refuses ${refusal.refused}: ${refusal.message}`);
  if (own.length === 0) return `${proxy} is not connected`;
  const behind = own.filter(({ isInStep }) => !isInStep);
  return behind.length === 0
    ? undefined
    : `${proxy} is not in step: ${JSON.stringify(behind.map(({ types }) => types))}`;
}

/** Of an agent, an Envoy that asks it for the state of the world: the same Envoy, with another word in its bootstrap. */
async function writeWholeEnvoy(folder: string): Promise<string> {
  const name = 'envoy-state-of-the-world';
  const script = `#!/bin/sh -e
for word; do
  shift
  case $word in
    *.json)
      sed 's/"DELTA_GRPC"/"GRPC"/' "$word" > "$word.whole.json"
      word=$word.whole.json ;;
  esac
  set -- "$@" "$word"
done
exec ${envoyBinary} "$@"
`;
  await writeFile(join(folder, name), script);
  await chmod(join(folder, name), 0o755);
  return join(scratch, name);
}
