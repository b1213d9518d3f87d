import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../../testbed/until.ts';
import { freePorts } from '../free-ports.ts';
import { builtProgram } from '../kubernetes/programs.ts';
import { ServerProcess } from '../kubernetes/server-process.ts';

/** The last release that Debian has, and the newest that its Go modules build. */
export type ConsulRelease = '1.8.7' | '1.19.2';

export interface ConsulOptions {
  readonly release: ConsulRelease;
  readonly datacenter?: string;
  /** Servers that elect a leader; absent: this one alone. */
  readonly servers?: number;
  /** Port for members of a server to join. */
  readonly joins?: number;
  /** Further settings, as its configuration file has them. */
  readonly settings?: object;
  readonly tls?: { readonly ca: string; readonly certificate: string; readonly key: string };
  readonly token?: string;
}

/** A request of a test to the HTTP API: 2xx, and JSON, or it throws. */
export type ConsulCall = (method: 'GET' | 'PUT', path: string, body?: object) => Promise<unknown>;

/** A real Consul server on loopback, in a folder of its own. */
export class ConsulServer {
  readonly port: number;
  readonly memberPort: number;
  readonly #folder: string;
  readonly #process: ServerProcess;
  readonly #options: ConsulOptions;

  private constructor(
    program: string,
    options: ConsulOptions,
    [port = 0, rpc = 0, members = 0, wide = 0]: readonly number[],
  ) {
    this.port = port;
    this.memberPort = members;
    this.#options = options;
    this.#folder = mkdtempSync(join(tmpdir(), 'consul-'));
    const { datacenter = 'dc1', servers = 1, joins, settings = {}, tls } = options;
    const config = {
      ...{ datacenter, server: true, bootstrap_expect: servers, node_name: `node-${port}`, disable_update_check: true },
      ...{ disable_host_node_id: true, bind_addr: '127.0.0.1', client_addr: '127.0.0.1', log_level: 'warn' },
      ports: {
        ...{ http: tls === undefined ? port : -1, https: tls === undefined ? -1 : port, dns: -1, grpc: -1 },
        ...(options.release === '1.19.2' && { grpc_tls: -1 }),
        ...{ server: rpc, serf_lan: members, serf_wan: wide },
      },
      performance: { raft_multiplier: 1 },
      ...(tls && { ca_file: tls.ca, cert_file: tls.certificate, key_file: tls.key, verify_incoming_https: true }),
      ...(joins !== undefined && { retry_join: [`127.0.0.1:${joins}`], retry_interval: '1s' }),
      ...settings,
    };
    writeFileSync(join(this.#folder, 'config.json'), JSON.stringify(config));
    const args = ['agent', '-config-file', join(this.#folder, 'config.json'), '-data-dir', join(this.#folder, 'data')];
    this.#process = new ServerProcess({ program, args, log: join(this.#folder, 'log') });
  }

  /** Starts it; `ready` says when it has a leader. */
  static async start(options: ConsulOptions): Promise<ConsulServer> {
    const program = options.release === '1.8.7' ? debianConsul() : await builtProgram('consul');
    const server = new ConsulServer(program, options, await freePorts(4));
    server.#process.start();
    return server;
  }

  get origin(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  async ready(): Promise<void> {
    await until(async () => ((await this.call('GET', '/v1/status/leader').catch(() => '')) === '' ? undefined : true), {
      timeoutMs: 60_000,
      otherwise: async () => `Consul has no leader: ${this.#process.lastWords}`,
    });
  }

  /** Registers or replaces an instance on a node of its own, with one check in this state. */
  async register(service: string, id: string, changes: RegisterChanges = {}): Promise<void> {
    const { address = '10.1.0.1', port = 80, tags = [], meta = {}, status = 'passing' } = changes;
    await this.call('PUT', '/v1/catalog/register', {
      ...{ Node: `node-of-${id}`, Address: address, SkipNodeUpdate: false },
      Service: { ID: id, Service: service, Address: address, Port: port, Tags: tags, Meta: meta },
      Check: { Node: `node-of-${id}`, CheckID: `check-of-${id}`, Name: 'alive', ServiceID: id, Status: status },
    });
  }

  async deregister(id: string): Promise<void> {
    await this.call('PUT', '/v1/catalog/deregister', { Node: `node-of-${id}` });
  }

  /** Sends JSON, and gives the JSON that comes back, or its text. */
  readonly call: ConsulCall = async (method, path, body) => {
    const { tls, token } = this.#options;
    const options = {
      method,
      ...(token !== undefined && { headers: { 'x-consul-token': token } }),
      ...(tls && { rejectUnauthorized: false, cert: readFileSync(tls.certificate), key: readFileSync(tls.key) }),
      timeout: 10_000,
    };
    const answer = await new Promise<{ readonly status: number; readonly said: string }>((resolve, reject) => {
      const send = tls === undefined ? requestPlain : requestSecure;
      send(this.origin + path, options, async (response) => {
        resolve({ status: response.statusCode ?? 0, said: await text(response) });
      })
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.said}`);
    return answer.said.trim() === '' ? undefined : JSON.parse(answer.said);
  };

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.signal(name);
  }

  /** Ends at once; its state stays in its folder. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Starts it again at the same place; `isEmpty`: it has lost all that it knew. */
  async again(isEmpty = false): Promise<void> {
    if (isEmpty) await rm(join(this.#folder, 'data'), { recursive: true, force: true });
    this.#process.start();
  }

  async close(): Promise<void> {
    await this.#process.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export interface RegisterChanges {
  readonly address?: string;
  readonly port?: number;
  readonly tags?: readonly string[];
  readonly meta?: Readonly<Record<string, string>>;
  readonly status?: 'passing' | 'warning' | 'critical';
}

/** Fetches it where set-up did not; throws with the reason where it is not to be had. */
export function debianConsul(): string {
  const checkout = resolve(import.meta.dirname, '../../..');
  execFileSync(join(checkout, 'scripts/backends/debian-consul.sh'), { encoding: 'utf8' });
  return join(checkout, '.tools/bin/consul-1.8');
}
