import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { until } from '../../testbed/until.ts';
import { freePort } from '../../testing/free-ports.ts';
import { ServerProcess } from '../../testing/kubernetes/server-process.ts';
import type { ZoneName } from '../zone-name.ts';
import { ask } from './dns-client.ts';

/** Names of a zone, by the zone's own name. */
export type ZoneFiles = Readonly<Record<string, readonly ZoneName[]>>;

/** Knot DNS on loopback: another server of the same zones. */
export class KnotServer {
  readonly port: number;
  readonly #folder: string;
  readonly #process: ServerProcess;

  private constructor(port: number, zones: ZoneFiles) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), 'knot-'));
    for (const [zone, names] of Object.entries(zones))
      writeFileSync(join(this.#folder, `${zone}.zone`), zoneText(zone, names));
    const path = join(this.#folder, 'knot.conf');
    writeFileSync(path, configuration(this.#folder, port, Object.keys(zones)));
    this.#process = new ServerProcess({
      program: '/usr/sbin/knotd',
      args: ['-c', path],
      log: join(this.#folder, 'log'),
    });
  }

  /** Starts it, and waits until it answers for all zones. */
  static async start(zones: ZoneFiles): Promise<KnotServer> {
    const server = new KnotServer(await freePort(), zones);
    server.#process.start();
    for (const zone of Object.keys(zones)) {
      const look = async (): Promise<true | undefined> => {
        const heard = await ask(server.port, zone, { type: 'SOA', tcp: true }).catch(() => undefined);
        return heard?.rcode === 'NOERROR' ? true : undefined;
      };
      await until(look, {
        timeoutMs: 60_000,
        otherwise: async () => `knotd does not serve ${zone}: ${server.#process.lastWords}`,
      });
    }
    return server;
  }

  async close(): Promise<void> {
    await this.#process.kill();
    await rm(this.#folder, { recursive: true });
  }
}

function configuration(folder: string, port: number, zones: readonly string[]): string {
  const user = userInfo().uid === 0 ? 'user: root:root' : '';
  return `
server:
    rundir: ${folder}
    ${user}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    udp-max-payload: 1232
log:
  - target: stderr
    any: warning
database:
    storage: ${folder}
template:
  - id: default
    storage: ${folder}
    file: "%s.zone"
    semantic-checks: off
    zonefile-sync: -1
    journal-content: none
zone:
${zones.map((zone) => `  - domain: ${zone}`).join('\n')}
`;
}

/** A zone in the form of RFC 1035 5, with the same start of authority as ours. */
function zoneText(zone: string, names: readonly ZoneName[]): string {
  const soa = `${zone}. 5 SOA ns.dns.${zone}. hostmaster.${zone}. 1 7200 1800 86400 5`;
  const records = names.flatMap(({ name, target, addresses }) => {
    if (target !== undefined) return [`${name}. 30 CNAME ${target}.`];
    // A record that nobody asks for says that the name is there.
    if (addresses.length === 0) return [`${name}. 30 TYPE65280 \\# 0`];
    return addresses.map((address) => `${name}. 30 ${isIPv4(address) ? 'A' : 'AAAA'} ${address}`);
  });
  return `${[soa, ...records].join('\n')}\n`;
}
