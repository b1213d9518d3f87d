import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { line, ms } from './measure.ts';
import { runUse } from './process.ts';
import { ruledWorkload } from './ruled-workload.ts';

const workloads = 20;
const rulesEach = 100;
const lineCount = 1_000_000;

/** `meshpol replay` of a million JSON lines, of a few clients and of as many client addresses as lines. */
export function replaying(): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  for (const kind of ['before', 'after'] as const)
    writeFileSync(join(folder, `${kind}.yaml`), mesh(kind === 'after', false));
  for (const kind of ['before', 'after'] as const)
    writeFileSync(join(folder, `${kind}-addresses.yaml`), mesh(kind === 'after', true));
  const log = join(folder, 'access.log');
  for (const [label, suffix, addresses] of [
    ['a few clients', '', workloads],
    ['as many client addresses, rules of addresses', '-addresses', lineCount],
  ] as const) {
    writeLog(log, addresses);
    const [before, after] = ['before', 'after'].map((kind) => join(folder, `${kind}${suffix}.yaml`)) as [
      string,
      string,
    ];
    const { wallMs, cpuMs, peakMib } = runUse(['dist/meshpol.js', 'replay', after, '--old', before, '--log', log]);
    line(`${lineCount} lines, ${label}`, ms(wallMs), `${ms(cpuMs)} of a processor`, `peak ${peakMib.toFixed(0)} MiB`);
  }
  rmSync(folder, { recursive: true });
}

/** Each workload with `rulesEach` rules, each for a client, a method and paths; the change takes a rule away, and adds one. */
function mesh(isAfter: boolean, hasAddresses: boolean): string {
  return Array.from({ length: workloads }, (_, i) => {
    const rules = Array.from({ length: rulesEach }, (_, r) =>
      rule((isAfter ? r + 1 : r) % (rulesEach + 1), hasAddresses),
    );
    return ruledWorkload(i, { address: `10.1.0.${i + 1}`, clusterIP: `10.96.0.${i + 1}`, rules });
  }).join('');
}

function rule(r: number, hasAddresses: boolean): string {
  const source = hasAddresses
    ? `ipBlocks: [10.${2 + (r % 100)}.0.0/16]`
    : `principals: [cluster.local/ns/shop/sa/w-${r % workloads}]`;
  return `  - {from: [{source: {${source}}}], to: [{operation: {methods: [GET], paths: [/r${r}/*, /all/*]}}]}\n`;
}

function logged(k: number, addresses: number): object {
  const [to, r] = [k % workloads, k % rulesEach];
  const from = (k >> 4) % workloads;
  const address =
    addresses > workloads ? `10.${2 + ((k >> 16) % 100)}.${(k >> 8) & 255}.${k & 255}` : `10.1.0.${from + 1}`;
  return {
    ...{ start_time: '2026-11-27T10:00:00.000Z', method: 'GET', path: `/all/${r}`, protocol: 'HTTP/1.1' },
    ...{ response_code: 200, response_flags: null, response_code_details: 'via_upstream' },
    ...{ connection_termination_details: null, upstream_transport_failure_reason: null },
    ...{ bytes_received: 0, bytes_sent: 17, duration: 3, upstream_service_time: '2', x_forwarded_for: null },
    ...{ user_agent: 'bench', request_id: `r-${k}`, authority: `w-${to}:8080`, upstream_host: `10.1.0.${to + 1}:8080` },
    ...{ upstream_cluster: 'inbound|8080||', upstream_local_address: '127.0.0.6:40000', route_name: 'default' },
    ...{ downstream_local_address: `10.1.0.${to + 1}:8080`, downstream_remote_address: `${address}:40000` },
    requested_server_name: `outbound_.8080_._.w-${to}.shop.svc.cluster.local`,
    downstream_peer_uri_san: `spiffe://cluster.local/ns/shop/sa/w-${from}`,
  };
}

/** Lines as the default JSON format has them; with few addresses those of workloads. */
function writeLog(path: string, addresses: number): void {
  const file = openSync(path, 'w');
  for (let from = 0; from < lineCount; from += 1_000) {
    let text = '';
    for (let k = from; k < from + 1_000; k++) text += `${JSON.stringify(logged(k, addresses))}\n`;
    writeSync(file, text);
  }
  closeSync(file);
}
