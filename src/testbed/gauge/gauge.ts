import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTemporaryAuthority, type WorkloadCertificate } from '../../control/ca/temporary-authority.ts';
import type { GaugeAnswer, SentCase } from '../../gauge/gauge-case.ts';
import { openSandbox, repository, scratch } from '../sandbox.ts';
import { type GaugedWorkload, gaugeBootstrap, usualLogFile } from './envoy-config.ts';
import type { GaugeJob } from './job.ts';

/** What became of the cases, and the requests in the form of log that a mesh has by default as JSON. */
export interface Gauged {
  readonly answers: readonly GaugeAnswer[];
  readonly log: string;
}

/**
 * Sends each case to a real Envoy that has the inbound listeners of many workloads, each behind the redirection of its own
 * address, and gives what became of it, in the order of the cases.
 */
export async function gauge(
  workloads: readonly GaugedWorkload[],
  cases: readonly SentCase[],
): Promise<readonly GaugeAnswer[]> {
  return (await gaugeLogged(workloads, cases)).answers;
}

/** Changes what Envoy is started with. */
export type EditBootstrap = (form: ReturnType<typeof gaugeBootstrap>) => object | Promise<object>;

/** The same, with the log. */
export async function gaugeLogged(
  workloads: readonly GaugedWorkload[],
  cases: readonly SentCase[],
  edit: EditBootstrap = ({ bootstrap }) => bootstrap,
): Promise<Gauged> {
  const sandbox = await openSandbox();
  const authority = createTemporaryAuthority(sandbox.folder);
  try {
    const identities = new Set(cases.flatMap(({ connection }) => connection.tls?.identities ?? []));
    const certificates: Record<string, WorkloadCertificate> = {};
    for (const identity of identities) certificates[identity] = await authority.issue(identity);
    const server = await authority.issue('spiffe://cluster.local/ns/gauge/sa/server');
    const strange = createTemporaryAuthority(join(sandbox.folder, 'strange'));
    const strangeRoot = (await strange.issue('spiffe://strange/x')).rootCertificate;
    await strange.close();
    const form = gaugeBootstrap(workloads, { server, strangeRoot });
    const job: GaugeJob = {
      envoy: `${repository}/.tools/bin/envoy`,
      bootstrap: await edit(form),
      redirects: form.redirects,
      certificates,
      cases,
    };
    await writeFile(join(sandbox.folder, 'job.json'), JSON.stringify(job));
    await sandbox.must(['sh', '-e'], { stdin: networkScript });
    await sandbox.must(['iptables-restore'], { stdin: redirection(job) });
    const node = `${repository}/.tools/bin/node`;
    const worker = `${repository}/src/testbed/gauge/worker.ts`;
    await sandbox.must([node, worker], { cwd: scratch, timeoutMs: 1_800_000 });
    return {
      answers: JSON.parse(await readFile(join(sandbox.folder, 'answers.json'), 'utf8')),
      log: await readFile(join(sandbox.folder, usualLogFile), 'latin1'),
    };
  } finally {
    await authority.close();
    await sandbox.close();
  }
}

/** Every address of the block is this machine's: a client may have any, and a workload may be at any. */
const networkScript = `
ip link set lo up
ip route add local 10.0.0.0/8 dev lo
echo 1 > /proc/sys/net/ipv4/tcp_tw_reuse
echo "30000 65535" > /proc/sys/net/ipv4/ip_local_port_range
`;

function redirection({ redirects }: GaugeJob): string {
  const rules = redirects.map(({ address, from, port }) => {
    const only = from === undefined ? '' : ` --dport ${from}`;
    return `-A OUTPUT -d ${address} -p tcp${only} -j REDIRECT --to-ports ${port}`;
  });
  return `*nat\n${rules.join('\n')}\nCOMMIT\n`;
}
