import type { ProxiesAnswer } from '../../src/control/debug/answers.ts';
import { repository } from '../../src/testbed/sandbox.ts';
import { proxyUid } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import { workloadPolicies } from '../demo/machine-files.ts';
import {
  addressOf,
  callers,
  networkOf,
  planes,
  servicePort,
  type WorkloadName,
  workloads,
} from '../demo/machine-plan.ts';
import { openVirtualMachines, type VirtualMachines } from '../demo/virtual-machines.ts';
import { memoryScript } from './memory-samples.ts';
import type { FaultKind, MeshPart, SoakedMesh } from './soaked-mesh.ts';

const wellMs = 120_000;
const discoveryPort = 15_012;
const changing = 'frontend -> mail';
/** Who calls whom; the Envoys of both are on the way. */
const pairs: readonly (readonly [WorkloadName, WorkloadName])[] = [
  ...(['cart', 'payments', 'mail'] as const).map((to) => ['frontend', to] as const),
  ...(['mail', 'catalog'] as const).map((to) => ['orders', to] as const),
  ['cart', 'mail'],
];

/** The mesh of `make virtual-machines`, with certificates of 30 s. */
export async function openSoakedMachines(onProgress: (step: string) => void): Promise<SoakedMesh> {
  const machines = await openVirtualMachines(onProgress, { 'soak.conf': '[Service]\nEnvironment=SECRET_TTL=30s\n' });
  const targets = pairs.map(([from, to]) => ({
    name: `${from} -> ${to}`,
    through: [from, to],
    status: callers[to].includes(from) ? 200 : 403,
  }));
  return {
    ...{ targets, changing },
    parts: [[consulPart(machines)], planes.map((name) => planePart(machines, name)), ...proxyParts(machines)],
    decide: (isLetIn) =>
      machines.commit(
        'mail.yaml',
        workloadPolicies(machines.guide, 'mail', isLetIn ? [...callers.mail, 'frontend'] : callers.mail),
      ),
    startCalls: () => startCalls(machines),
    isWell: () => isWell(machines),
    countCertificates: async () => {
      const units = planes.flatMap((name) => ['-u', name]);
      const journal = await machines.machine.must('journalctl', '--no-pager', '--output=cat', ...units);
      return journal.split('certificate issued').length - 1;
    },
    listMemory: () => machines.machine.must('sh', '-c', memoryScript),
    close: () => machines.close(),
  };
}

/** A probe client on each machine that calls. */
async function startCalls({ machine }: VirtualMachines): Promise<() => Promise<string>> {
  const froms = [...new Set(pairs.map(([from]) => from))];
  for (const from of froms) {
    const urls = pairs.flatMap(([client, to]) =>
      client === from ? [`${from} -> ${to}=http://${to}.service.consul:${servicePort}/ip`] : [],
    );
    const properties = [
      `--property=NetworkNamespacePath=/run/netns/${networkOf(from)}`,
      `--property=StandardOutput=file:/run/calls-${from}`,
    ];
    const argv = ['/usr/local/bin/node', `${repository}/e2e/soak/probe-client.ts`, '500', ...urls];
    await machine.must('systemd-run', '--quiet', `--unit=calls-${from}`, '--uid=1000', ...properties, ...argv);
  }
  return () => machine.must('sh', '-c', 'cat /run/calls-*');
}

async function isWell(machines: VirtualMachines): Promise<boolean> {
  const answers = await Promise.all(planes.map((plane) => machines.ask<ProxiesAnswer>(plane, '/debug/syncz')));
  const rows = answers.flatMap((answer) => answer?.proxies ?? []);
  const inStep = new Set(rows.filter((row) => row.isInStep).map(({ proxy }) => proxy));
  return answers.every((answer) => answer !== undefined) && inStep.size === workloads.length;
}

/** A unit that is killed, stopped and cut off; `isUp` says whether it works. */
function unitPart(
  { machine }: VirtualMachines,
  { unit, place, isUp }: { readonly unit: string; readonly place: string; readonly isUp: () => Promise<boolean> },
): Pick<MeshPart, 'begin' | 'end'> {
  const kill = (signal: string): Promise<unknown> =>
    machine.must('systemctl', 'kill', `--signal=${signal}`, '--kill-whom=main', unit);
  return {
    begin: async (fault) => {
      if (fault === 'cut') await cut(machine, place, 'I', []);
      else await kill(fault === 'kill' ? 'KILL' : 'STOP');
    },
    end: async (fault) => {
      if (fault === 'cut') await cut(machine, place, 'D', []);
      if (fault === 'stop') await kill('CONT');
      await until(async () => (await isUp()) || undefined, {
        ...{ timeoutMs: wellMs, everyMs: 200 },
        otherwise: async () => `${unit} does not work again after ${fault}: ${await wordsOf(machine, unit)}`,
      });
    },
  };
}

/** What a unit has said last. */
function wordsOf(machine: VirtualMachines['machine'], unit: string): Promise<string> {
  return machine.must('journalctl', '--no-pager', '--output=cat', '--lines=40', '-u', unit);
}

/** Drops what a machine sends and gets, or what of it has these properties; `I` begins, `D` ends it. */
async function cut(
  machine: VirtualMachines['machine'],
  place: string,
  action: 'I' | 'D',
  properties: readonly string[],
): Promise<void> {
  const sent = ['!', '-o', 'lo', ...properties];
  const got = ['!', '-i', 'lo'];
  const rules = [['OUTPUT', ...sent], ...(properties.length === 0 ? [['INPUT', ...got]] : [])];
  for (const rule of rules) {
    const argv = ['iptables', '-w', `-${action}`, ...rule, '-j', 'DROP'];
    await machine.must('nsenter', `--net=/run/netns/${networkOf(place)}`, ...argv);
  }
}

const allFaults: readonly FaultKind[] = ['kill', 'stop', 'cut'];

function consulPart(machines: VirtualMachines): MeshPart {
  const url = `http://${addressOf('consul')}:8500/v1/status/leader`;
  const isUp = async (): Promise<boolean> =>
    (await machines.run('consul', 'curl', '-s', '-f', '-m', '5', url)).stdout.includes(':8300');
  return { name: 'Consul', faults: allFaults, ...unitPart(machines, { unit: 'consul', place: 'consul', isUp }) };
}

function planePart(machines: VirtualMachines, name: string): MeshPart {
  const isUp = async (): Promise<boolean> => (await machines.ask(name, '/debug/status')) !== undefined;
  return { name, faults: allFaults, ...unitPart(machines, { unit: name, place: name, isUp }) };
}

/** Of each workload its agent and its Envoy. An agent that is killed takes its Envoy with it: the unit starts both again. */
function proxyParts(machines: VirtualMachines): readonly (readonly MeshPart[])[] {
  const parts = workloads.map((name): readonly [agent: MeshPart, envoy: MeshPart] => {
    const unit = `mesh-proxy-${name}`;
    const { machine } = machines;
    const isUp = async (): Promise<boolean> => {
      const ready = ['curl', '-s', '-f', '-o', '/dev/null', '-m', '5', 'http://127.0.0.1:15021/healthz/ready'];
      return (await machines.run(name, ...ready)).exitCode === 0;
    };
    const agent = unitPart(machines, { unit, place: name, isUp });
    const onPort = ['-p', 'tcp', '--dport', String(discoveryPort), '-m', 'owner', '--uid-owner', String(proxyUid)];
    const envoys = async (): Promise<readonly string[]> =>
      [...(await machine.processes(`${unit}.service`))].flatMap(([pid, line]) =>
        /^\S*envoy /.test(line) ? [String(pid)] : [],
      );
    return [
      {
        ...{ name: `agent of ${name}`, faults: allFaults, envoyOf: name },
        begin: async (fault) => {
          if (fault === 'cut') await cut(machine, name, 'I', onPort);
          else await agent.begin(fault);
          // A machine that is off for longer than its certificate is good for is given a new one, as the guide says.
          if (fault === 'kill') await machines.giveCertificate(name);
        },
        end: async (fault) => {
          if (fault === 'cut') await cut(machine, name, 'D', onPort);
          else await agent.end(fault);
        },
      },
      {
        ...{ name: `Envoy of ${name}`, faults: ['kill', 'stop'], envoyOf: name },
        begin: async (fault) => {
          await machine.must('kill', fault === 'kill' ? '-KILL' : '-STOP', ...(await envoys()));
        },
        end: async (fault) => {
          if (fault === 'stop') await machine.must('kill', '-CONT', ...(await envoys()));
          await until(async () => (await isUp()) || undefined, {
            ...{ timeoutMs: wellMs, everyMs: 200 },
            otherwise: async () =>
              `the Envoy of ${name} is not ready again after ${fault}: ${await wordsOf(machine, unit)}`,
          });
        },
      },
    ];
  });
  return [parts.map(([agent]) => agent), parts.map(([, envoy]) => envoy)];
}
