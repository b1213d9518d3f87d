import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Client, type ClientDuplexStream, status } from '@grpc/grpc-js';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { ControlConfig, DistributionConfig } from '../control-config.ts';
import { type ConnectionLimits, usualConnectionLimits } from '../server/connection-limits.ts';
import { ControlBench, type RawRequest } from './control-bench.ts';
import { createTestRequest } from './signing-requests.ts';

const program = resolve(import.meta.dirname, '../../../dist/meshd-compile.cjs');

/** A response as a client sees it. */
export interface Seen {
  readonly nonce: string;
  readonly type_url: string;
  readonly resources?: readonly { readonly name: string; readonly version: string; readonly resource: unknown }[];
  readonly removed_resources?: readonly string[];
}

/** Settings in which a bench differs from the default. */
export interface ServingChanges extends Partial<Omit<DistributionConfig, 'compile'>> {
  readonly compile?: object;
  readonly replica?: ControlConfig['replica'];
  readonly connections?: Partial<ConnectionLimits>;
  readonly dns?: ControlConfig['dns'];
}

/** One stream of a client. */
export interface RawStream {
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly seen: readonly Seen[];
  /** Names of gRPC's status codes. */
  readonly ends: readonly string[];
  ask(fields: object): void;
  subscribe(list: ConfigurationList, id?: string): void;
}

/** A control plane that serves a folder, and clients that acknowledge all that they are sent. */
export class ServingBench {
  readonly control: ControlBench;
  readonly #clients: Client[] = [];
  /** Whose folder it serves, and with whose authority it signs. */
  readonly #first: ServingBench;
  root = '';

  private constructor(control: ControlBench, first?: ServingBench) {
    this.control = control;
    this.#first = first ?? this;
  }

  static async create(): Promise<ServingBench> {
    const bench = new ServingBench(await ControlBench.create());
    await mkdir(bench.path('config'));
    return bench;
  }

  /** Another replica, which does not run yet. */
  async replica(): Promise<ServingBench> {
    return new ServingBench(await ControlBench.create(), this.#first);
  }

  path(name: string): string {
    return this.control.path(name);
  }

  get debugSocket(): string {
    return this.path('run/meshd.sock');
  }

  /** A file of the folder, by rename, as editors and volumes do. */
  async put(name: string, text: string): Promise<void> {
    await writeFile(this.path(`${name}.new`), text);
    await rename(this.path(`${name}.new`), join(this.#first.path('config'), name));
  }

  /** `compile` and all else but replica, connections and DNS are parts of how proxies get their configuration. */
  async start({ compile, replica, connections, dns, ...rest }: ServingChanges = {}) {
    const distribution: DistributionConfig = {
      compile: {
        ...{
          source: { type: 'folder', folder: this.#first.path('config') },
          settings: { environment: {} },
          trustDomain: 'cluster.local',
        },
        ...{ debounce: { afterMs: 100, maxMs: 10_000 }, gathersEndpoints: true },
        ...(dns && { tellsNames: true }),
        ...compile,
      },
      ...{ throttle: 100, takesAnyAddress: false, jwksAllowedHosts: [], program, trackedMs: 60_000 },
      ...rest,
    };
    const { settings } = distribution.compile;
    const folder = this.#first.path('ca');
    await this.control.start((config) => ({
      ...config,
      ...{ settings, distribution, replica, dns },
      ...{ debugSocket: this.debugSocket, debugAddress: { host: '127.0.0.1', port: 0 } },
      authority: config.authority && { ...config.authority, folder },
      secure: config.secure && { ...config.secure, connections: { ...usualConnectionLimits, ...connections } },
    }));
    this.root = await readFile(join(folder, 'self-signed-root.pem'), 'utf8');
  }

  /** A certificate and its key, of `namespace/account`, for a day or so many seconds. */
  async identity(account: string, seconds = 0n): Promise<NonNullable<RawRequest['client']>> {
    const { csr, privateKey } = await createTestRequest();
    const token = await this.control.mint.mint(account);
    const { chain } = await this.control.call(this.root, { csr, token, seconds });
    return { certificate: chain.slice(0, -1).join(''), privateKey };
  }

  open(client: RawRequest['client'] | undefined, method = 'DeltaAggregatedResources'): RawStream {
    const connection = this.control.connect(this.root, client);
    this.#clients.push(connection);
    return openRawStream(connection, method);
  }

  /** What the debug socket answers to a GET. */
  debug(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = request({ socketPath: this.debugSocket, path }, (answer) => resolve(text(answer)));
      sent.on('error', reject).end();
    });
  }

  async metric(name: string): Promise<string | undefined> {
    const metrics = await (await fetch(`${this.control.monitoring}/metrics`)).text();
    return new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1];
  }

  /** What was logged at a level. */
  logged(level: string): string {
    return this.control.lines
      .filter((line) => line.level === level)
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
      .join('\n');
  }

  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    await this.control.close();
  }
}

/** A stream that acknowledges all that it is sent. */
export function openRawStream(connection: Client, method = 'DeltaAggregatedResources'): RawStream {
  const asIs = (bytes: Buffer): Buffer => bytes;
  const path = `/envoy.service.discovery.v3.AggregatedDiscoveryService/${method}`;
  const call: ClientDuplexStream<Buffer, Buffer> = connection.makeBidiStreamRequest(path, asIs, asIs);
  const seen: Seen[] = [];
  const ends: string[] = [];
  const ask = (fields: object): void => {
    call.write(Buffer.from(encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryRequest', fields)));
  };
  call.on('data', (bytes: Buffer) => {
    const response = decodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', bytes) as Seen;
    seen.push(response);
    ask({ type_url: response.type_url, response_nonce: response.nonce });
  });
  call.on('error', (error: { code: number }) => void ends.push(status[error.code] ?? ''));
  const subscribe = (list: ConfigurationList, id = 'sidecar~127.0.0.1~httpbin.foo~foo.svc.cluster.local'): void =>
    ask({ type_url: configurationTypes[list].typeUrl, node: { id } });
  return { call, seen, ends, ask, subscribe };
}

/** The content of the response's resources. */
export function textOf(seen: Seen | undefined): string {
  return JSON.stringify(seen?.resources ?? []);
}
