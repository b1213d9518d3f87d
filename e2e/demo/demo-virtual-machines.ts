import { delay } from '../../src/lib/abort.ts';
import { until } from '../../src/testbed/until.ts';
import { type AsksMeshd, arrivalsOf, type Distribution, versionOf } from './arrivals.ts';
import { createDemoReport } from './demo-report.ts';
import { workloadPolicies } from './machine-files.ts';
import { callers, networkOf, planes, servicePort, type WorkloadName, workloads } from './machine-plan.ts';
import { openVirtualMachines, type VirtualMachines } from './virtual-machines.ts';

/**
 * `make virtual-machines`: a mesh without Kubernetes. Consul knows the services, two meshd read policies from git, and six
 * workloads call each other by names that the mesh's DNS resolves. Exit 1 when an outcome differs or a call fails.
 */
const callsFile = '/run/calls';
const report = createDemoReport();
if (process.getuid?.() === 0) {
  report.say('A mesh of virtual machines: Consul, two meshd and six workloads, each under the units of the guide.');
  const machines = await openVirtualMachines((step) => report.step(step));
  try {
    process.exitCode = (await demonstrate(machines)) === 0 ? 0 : 1;
  } finally {
    await machines.close();
  }
} else {
  report.say(
    'make virtual-machines: it runs systemd in namespaces of its own, which only root can make: run it as root',
  );
  process.exitCode = 1;
}

/** Gives the number of outcomes and calls that are not as they should be. */
async function demonstrate(machines: VirtualMachines): Promise<number> {
  report.step('every proxy is ready');
  let differing = await showTable(machines, callers);
  await startCalls(machines);
  report.step('frontend calls cart all the while, ten times a second');

  await change(machines, planes, ['orders', 'frontend']);
  report.step('a commit lets frontend call mail');
  differing += await showTable(machines, { ...callers, mail: ['orders', 'frontend'] });

  const [killed, other] = planes;
  await machines.machine.must('systemctl', 'kill', '--signal=KILL', killed);
  await machines.machine.must('systemctl', 'stop', killed);
  report.step(`${killed} is killed, and stays away`);
  await change(machines, [other], callers.mail);
  report.step(`the next commit takes that back, and ${other} alone has sent it`);
  differing += await showTable(machines, callers);
  await machines.machine.must('systemctl', 'start', killed);

  const { calls, failed } = await endCalls(machines);
  const isWell = differing + failed === 0 && calls > 0;
  report.step(
    isWell
      ? `every outcome is as expected, and none of ${calls} calls failed`
      : `${differing} outcomes differ, ${failed} of ${calls} calls failed`,
  );
  return isWell ? 0 : differing + failed + 1;
}

/** Every workload calls every other one; gives the number of outcomes that differ from who is let in. */
async function showTable(
  machines: VirtualMachines,
  letIn: Readonly<Record<WorkloadName, readonly WorkloadName[]>>,
): Promise<number> {
  let differing = 0;
  const rows = await Promise.all(workloads.map(async (from) => [from, await callOthers(machines, from)] as const));
  report.say(`      ${cells(['', ...workloads.map((name) => `${name}`)])}`);
  for (const [from, answers] of rows) {
    const statuses = workloads.map((to) => {
      if (to === from) return '-';
      const status = answers.get(to) ?? 'none';
      const expected = letIn[to].includes(from) ? '200' : '403';
      if (status === expected) return status;
      differing += 1;
      return `${status}!=${expected}`;
    });
    report.say(`      ${cells([from, ...statuses])}`);
  }
  return differing;
}

/** HTTP statuses by the name of the service; `000`: no answer. */
async function callOthers(machines: VirtualMachines, from: WorkloadName): Promise<ReadonlyMap<string, string>> {
  const others = workloads.filter((name) => name !== from);
  const urls = others.flatMap((name) => ['-o', '/dev/null', urlOf(name)]);
  const { stdout } = await machines.run(from, 'curl', '-s', '-m', '10', '-w', '%{http_code}\n', ...urls);
  const statuses = stdout.split('\n');
  return new Map(others.map((name, at) => [name, statuses[at] ?? '']));
}

function urlOf(name: WorkloadName): string {
  return `http://${name}.service.consul:${servicePort}/ip`;
}

/** Commits who may call `mail`, and prints how fast that has reached the proxies that these control planes serve, and a call. */
async function change(
  machines: VirtualMachines,
  serving: readonly string[],
  from: readonly WorkloadName[],
): Promise<void> {
  const object = 'AuthorizationPolicy/default/mail';
  const asks = asker(machines, serving);
  const before = await versionOf(asks, object);
  const startedAt = performance.now();
  const commit = (): Promise<void> => machines.commit('mail.yaml', workloadPolicies(machines.guide, 'mail', from));
  const arrivals = await arrivalsOf(asks, object, { before, proxies: workloads.length, change: commit });
  // A connection that was open before keeps the old policy until it is drained.
  const expected = from.includes('frontend') ? '200' : '403';
  const isThere = async (): Promise<true | undefined> =>
    (await callOthers(machines, 'frontend')).get('mail') === expected ? true : undefined;
  const otherwise = async (): Promise<string> => `frontend -> mail does not become ${expected}`;
  await until(isThere, { timeoutMs: 60_000, everyMs: 100, otherwise });
  const calledMs = Math.round(performance.now() - startedAt);
  const times = [...arrivals].map(([proxy, ms]) => `${proxy.replace(/^default\/(\w+)\..*$/, '$1')} ${ms} ms`).sort();
  report.say(`      from git commit until each proxy has acknowledged it: ${times.join(', ')}`);
  report.say(`      from git commit until frontend -> mail is answered with ${expected}: ${calledMs} ms`);
}

/** What several control planes say together, each of the proxies that are connected to it. */
function asker(machines: VirtualMachines, serving: readonly string[]): AsksMeshd {
  return {
    ask: async <T>(path: string) => {
      const answers = await Promise.all(serving.map((plane) => machines.ask<Distribution>(plane, path)));
      const [first, ...rest] = answers.filter((answer) => answer !== undefined);
      const isOne = rest.length === answers.length - 1 && rest.every(({ version }) => version === first?.version);
      if (first === undefined || !isOne) return undefined;
      return { ...first, proxies: [first, ...rest].flatMap(({ proxies }) => proxies) } as T;
    },
  };
}

/** Each call is a program of its own, which asks DNS anew. */
async function startCalls({ machine }: VirtualMachines): Promise<void> {
  const loop = `while [ ! -e ${callsFile}.end ]; do curl -s -o /dev/null -m 10 -w '%{http_code}\\n' ${urlOf('cart')} || :; sleep 0.1; done`;
  const properties = [
    `--property=NetworkNamespacePath=/run/netns/${networkOf('frontend')}`,
    `--property=StandardOutput=file:${callsFile}`,
  ];
  await machine.must('systemd-run', '--quiet', '--unit=calls', '--uid=1000', ...properties, 'sh', '-c', loop);
}

async function endCalls({ machine }: VirtualMachines): Promise<{ readonly calls: number; readonly failed: number }> {
  await machine.write(`${callsFile}.end`, '');
  while ((await machine.run('systemctl', 'is-active', '--quiet', 'calls')).exitCode === 0) await delay(50);
  const statuses = (await machine.must('cat', callsFile)).split('\n').filter((line) => line !== '');
  return { calls: statuses.length, failed: statuses.filter((status) => status !== '200').length };
}

function cells(texts: readonly string[]): string {
  return texts
    .map((text) => text.padEnd(10))
    .join('')
    .trimEnd();
}
