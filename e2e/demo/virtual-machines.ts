import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startBackends } from '../../src/testbed/backends.ts';
import { applicationUid } from '../../src/testbed/curl.ts';
import { buildNetwork } from '../../src/testbed/network.ts';
import type { RunResult } from '../../src/testbed/program.ts';
import { until } from '../../src/testbed/until.ts';
import { debianConsul } from '../../src/testing/consul/consul-server.ts';
import { type Machine, openMachine } from '../systemd/machine.ts';
import {
  authorityFolder,
  consulFiles,
  type MachineFiles,
  planeFiles,
  policyFiles,
  serviceDefinition,
  unitNames,
  workloadFiles,
} from './machine-files.ts';
import { addressOf, homeOf, machinePlan, networkOf, planes, type WorkloadName, workloads } from './machine-plan.ts';
import { PrintedFiles } from './printed-files.ts';

/** Consul, two control planes and six workloads, each on a machine of its own as far as its units can see. */
export interface VirtualMachines {
  readonly guide: PrintedFiles;
  readonly machine: Machine;
  /** Runs a program as an application of a workload's machine. */
  run(workload: string, ...argv: readonly string[]): Promise<RunResult>;
  /** Commits a file of policies and pushes the commit to both control planes. */
  commit(file: string, text: string): Promise<void>;
  /** Makes a certificate for a workload, as the guide says, and puts it on its machine. */
  giveCertificate(workload: WorkloadName): Promise<void>;
  /** What a control plane answers on its debug socket; undefined: nothing, or an error. */
  ask<T>(plane: string, path: string): Promise<T | undefined>;
  close(): Promise<void>;
}

const page = (path: string): Promise<string> => readFile(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

/**
 * Starts everything under the units that the guide prints, with further drop-ins by name for those of agents; returns when every
 * proxy is ready. Needs root and systemd.
 */
export async function openVirtualMachines(
  onProgress: (step: string) => void,
  dropIns: Readonly<Record<string, string>> = {},
): Promise<VirtualMachines> {
  debianConsul();
  const guide = new PrintedFiles(await page('guides/virtual-machines.md'));
  onProgress('network namespaces, and systemd in namespaces of its own');
  const machine = await openMachine((sandbox) => buildNetwork(sandbox, machinePlan));
  const machines = machinesOf(machine, guide);
  try {
    await install(machine, guide);
    for (const [name, text] of Object.entries(dropIns)) await addDropIn(machine, name, text);
    await startUnits(machine, unitNames.consul);
    await startBackends(machine.sandbox, machinePlan);
    onProgress('Consul, and the services of six machines');
    for (const name of workloads) await register(machines, serviceDefinition(guide, name));
    onProgress('two control planes, redirection, agents and Envoys');
    await startUnits(machine, [...unitNames.planes, ...unitNames.workloads]);
    return machines;
  } catch (error) {
    await machine.close();
    throw error;
  }
}

function machinesOf(machine: Machine, guide: PrintedFiles): VirtualMachines {
  const asUser = ['setpriv', `--reuid=${applicationUid}`, `--regid=${applicationUid}`, '--clear-groups'];
  return {
    guide,
    machine,
    run: (place, ...argv) => machine.run('nsenter', `--net=/run/netns/${networkOf(place)}`, ...asUser, ...argv),
    commit: async (file, text) => {
      await machine.write(join(policies, file), text);
      await machine.must('sh', '-ec', commitScript, 'sh', `Change ${file}`, ...planes);
    },
    giveCertificate: async (name) => {
      const { copies, owned } = workloadFiles(guide, '', name);
      await makeCertificates(machine, [name]);
      await machine.write('/root/install', writeScript([{ copies, owned, texts: {} }]));
      await machine.must('sh', '-e', '/root/install');
    },
    ask: async <T>(plane: string, path: string) => {
      const socket = `${homeOf(plane)}/var/lib/meshd/var/run/mesh/meshd.sock`;
      const argv = ['curl', '-s', '-f', '-m', '30', '--unix-socket', socket, `http://meshd${path}`];
      const { exitCode, stdout } = await machine.run(...argv);
      return exitCode === 0 ? (JSON.parse(stdout) as T) : undefined;
    },
    close: () => machine.close(),
  };
}

/** The operator's clone of the repository of policies. */
const policies = '/srv/policies';

/** $1 is the message, the rest the remotes. */
const commitScript = `
cd ${policies}
chown -R meshd: .
asMeshd() { HOME=${policies} setpriv --reuid=meshd --regid=meshd --clear-groups "$@"; }
asMeshd git add .
asMeshd git commit --quiet --message "$1"
shift
for remote; do asMeshd git push --quiet "$remote" main & done
wait
`;

const usersScript = `
useradd --system --user-group --no-create-home consul
useradd --system --user-group --no-create-home meshd
useradd --system --uid 1337 --user-group --no-create-home mesh-proxy
rm -f /etc/resolv.conf
`;

/** Writes every machine's files, users and repositories; starts nothing. */
async function install(machine: Machine, guide: PrintedFiles): Promise<void> {
  const agentUnit = /```ini\n([\s\S]*?)```/.exec(await page('explanation/pilot-agent-lifecycle.md'))?.[1] ?? '';
  const all = [
    consulFiles(guide),
    ...planes.map((name) => planeFiles(guide, name)),
    ...workloads.map((name) => workloadFiles(guide, agentUnit, name)),
  ];
  const hosts = planes.map((name) => `${addressOf(name)} meshd.internal\n`).join('');
  const common = {
    '/etc/hosts': `127.0.0.1 localhost\n${hosts}`,
    // Nobody is there: what is resolved is resolved by the mesh.
    '/etc/resolv.conf': 'nameserver 192.0.2.53\n',
  };
  const own = Object.fromEntries(
    Object.entries(policyFiles(guide)).map(([name, text]) => [join(policies, name), text]),
  );
  await machine.must('sh', '-ec', usersScript);
  await makeAuthority(machine, guide);
  await makeCertificates(machine, workloads);
  await machine.write('/root/install', writeScript([{ copies: {}, texts: { ...common, ...own }, owned: [] }, ...all]));
  await machine.must('sh', '-e', '/root/install');
  await machine.must('sh', '-ec', repositoryScript, 'sh', ...planes);
  await machine.must('sh', '-ec', commitScript, 'sh', 'First policies', ...planes);
  await machine.must('systemctl', 'daemon-reload');
}

async function addDropIn(machine: Machine, name: string, text: string): Promise<void> {
  for (const workload of workloads)
    await machine.write(`/etc/systemd/system/mesh-proxy-${workload}.service.d/${name}`, text);
  await machine.must('systemctl', 'daemon-reload');
}

/** By the script of the guide. */
async function makeAuthority(machine: Machine, guide: PrintedFiles): Promise<void> {
  for (const name of ['make-ca.sh', 'make-certificate.sh']) await machine.write(`/root/${name}`, guide.text(name));
  await machine.must('sh', '-ec', `mkdir ${authorityFolder}; cd ${authorityFolder}; sh /root/make-ca.sh`);
}

/** By the script of the guide, for the machines of these workloads. */
async function makeCertificates(machine: Machine, names: readonly WorkloadName[]): Promise<void> {
  const script = `cd ${authorityFolder}; for name; do sh /root/make-certificate.sh "$name"; done`;
  await machine.must('sh', '-ec', script, 'sh', ...names);
}

/** The clone of each control plane, $1 and the rest, as remotes of the operator's. */
const repositoryScript = `
for name; do git init --quiet --bare "${homeOf('$name')}/srv/mesh.git"; chown -R meshd: "${homeOf('$name')}/srv"; done
cd ${policies}
git init --quiet --initial-branch main
git config user.name Operator
git config user.email operator@mesh.internal
for name; do git remote add "$name" "${homeOf('$name')}/srv/mesh.git"; done
`;

function writeScript(machines: readonly MachineFiles[]): string {
  const texts = machines.flatMap((one) => Object.entries(one.texts));
  const owned = machines.flatMap((one) => one.owned);
  const copies = machines.flatMap((one) => Object.entries(one.copies));
  const folders = new Set([
    ...texts.map(([path]) => dirname(path)),
    ...copies.map(([to]) => to),
    ...owned.map(({ folder }) => folder),
  ]);
  return [
    `mkdir -p ${[...folders].join(' ')}`,
    ...texts.map(([path, text]) => `cat > ${path} <<'END'\n${text.replace(/\n?$/, '\n')}END`),
    ...copies.map(([to, from]) => `cp ${from}/*.pem ${to}`),
    ...owned.map(({ folder, user }) => `chown -R ${user}: ${folder}`),
    `chmod -R go= ${owned.map(({ folder }) => folder).join(' ')}`,
    '',
  ].join('\n');
}

/** Returns when all of them are active: an agent's unit once its proxy is ready. */
async function startUnits(machine: Machine, units: readonly string[]): Promise<void> {
  await machine.must('systemctl', 'start', '--no-block', ...units);
  const areActive = async (): Promise<true | undefined> => {
    const { stdout } = await machine.run('systemctl', 'is-active', ...units);
    return stdout === 'active\n'.repeat(units.length) ? true : undefined;
  };
  const otherwise = async (): Promise<string> => {
    const journal = await machine.must('journalctl', '--no-pager', '--output=cat', '--lines=60');
    return `units are not active after five minutes; the journal ends with:\n${journal}`;
  };
  await until(areActive, { timeoutMs: 300_000, everyMs: 100, otherwise });
}

async function register(machines: VirtualMachines, definition: string): Promise<void> {
  const url = `http://${addressOf('consul')}:8500/v1/agent/service/register`;
  const put = ['curl', '-sS', '-f', '-m', '10', '-X', 'PUT', '-d', definition, url];
  let said = '';
  const probe = async (): Promise<true | undefined> => {
    const { exitCode, stderr } = await machines.run('consul', ...put);
    said = stderr;
    return exitCode === 0 ? true : undefined;
  };
  await until(probe, { timeoutMs: 60_000, everyMs: 100, otherwise: async () => `Consul takes no service: ${said}` });
}
