import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { tries } from '../testing/effort.ts';
import { type Fault, type FaultyCommands, faults, installFaults } from './testing/lab/fault.ts';
import { type Lab, openLab } from './testing/lab/lab.ts';
import { parseCall } from './testing/lab/parse-call.ts';

const redirect = ['-u', '1337', '-g', '1337', '-b', '*', '-i', '*'];
const tproxy = [...redirect, '-m', 'TPROXY'];

/** Whatever is half done: a packet is taken by the proxy or goes where it went before. */
const calls = ['peer > workload:8080', 'app > peer:80', 'app > loopback:8080', 'proxy at delivery > workload:8080'];
const mayMeet = [
  ['app:8080 for workload:8080 from peer', 'proxy:15006 for workload:8080 from peer'],
  ['peer:80 for peer:80 from workload', 'proxy:15001 for peer:80 from workload'],
  ['app:8080 for loopback:8080 from loopback'],
  ['app:8080 for workload:8080 from delivery'],
];
const captured = mayMeet.map((answers) => answers.at(-1));

let lab: Lab;
let commands: FaultyCommands;
let untouched: string;

beforeAll(async () => {
  lab = await openLab();
  await Promise.all([
    lab.listen({ who: 'proxy', network: 'workload', uid: 1337, tcp: [15001, 15006], transparent: true }),
    lab.listen({ who: 'app', network: 'workload', uid: 1000, tcp: [8080] }),
    lab.listen({ who: 'peer', network: 'peer', uid: 1000, tcp: [80] }),
  ]);
  commands = await installFaults(lab);
  untouched = await lab.state();
});
afterAll(() => lab?.close());

/** The namespace's state after a run without fault: with these flags, or of the clean-up. */
async function settle(flags: readonly string[] | undefined): Promise<string> {
  const args = flags === undefined ? ['istio-clean-iptables'] : ['istio-iptables', ...flags];
  const { exitCode, stderr } = await lab.agent(args);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return lab.state();
}

/** Situations with their faults: another one for each in `make test`, all for all in `make soak`. */
const situations = [
  { title: 'in an empty namespace', before: undefined, wanted: tproxy },
  { title: 'in place of other rules', before: redirect, wanted: tproxy },
  { title: 'back from TPROXY', before: tproxy, wanted: redirect },
].flatMap((situation, i) => {
  const rotated = [...faults.slice(2 * i + 1), ...faults.slice(0, 2 * i + 1)];
  return rotated.slice(0, tries(1, faults.length)).map((fault) => ({ ...situation, fault }));
});

/** Few ports for many calls: the proxy still remembers (TIME-WAIT) an earlier connection from nearly each of them. */
async function reuseClientPorts(): Promise<void> {
  const script = 'cd /proc/sys/net/ipv4; echo 40000 40299 > ip_local_port_range; echo 1 > tcp_tw_reuse';
  await lab.sandbox.must(['sh', '-ec', script], { network: 'peer' });
}

interface Attempt {
  readonly at: number;
  readonly fault: Fault;
  readonly before: readonly string[] | undefined;
  readonly wanted: readonly string[];
  readonly stateBefore: string;
  readonly stateAfter: string;
}

/** One run with a fault at command `at`, and what it leaves. */
async function attempt({ at, fault, before, wanted, stateBefore, stateAfter }: Attempt): Promise<void> {
  expect(await settle(before)).toBe(stateBefore);
  const env = await commands.environment(fault, at);
  const { exitCode, stderr } = await lab.agent(['istio-iptables', ...wanted], { env });
  const state = await lab.state();
  const where = { command: (await commands.changes())[at - 1], stderr };
  if (fault.startsWith('is killed')) {
    expect({ ...where, exitCode }).toEqual({ ...where, exitCode: 137 });
    const answers = await lab.dial('IPv4', calls.map(parseCall));
    for (const [i, answer] of answers.entries()) expect(mayMeet[i]).toContain(answer);
    if (before !== undefined) expect({ ...where, answers }).toEqual({ ...where, answers: captured });
    expect(await settle(wanted)).toBe(stateAfter);
  } else if (exitCode === 0) {
    expect(fault).toBe('is stopped after');
    expect({ ...where, state }).toEqual({ ...where, state: stateAfter });
  } else {
    expect({ ...where, exitCode, state }).toEqual({ ...where, exitCode: 3, state: stateBefore });
    expect(stderr).toMatch(fault.startsWith('fails') ? /the test wants it so/ : /stopped before all rules/);
  }
}

describeMesh('istio-iptables at a fault', () => {
  test.each(situations)(
    'leaves all or nothing $title when a command, or the agent at it, $fault',
    async (situation) => {
      const { before, wanted, fault } = situation;
      await settle(undefined);
      const stateBefore = await settle(before);
      const env = await commands.environment();
      expect((await lab.agent(['istio-iptables', ...wanted], { env })).exitCode).toBe(0);
      const stateAfter = await lab.state();
      const count = (await commands.changes()).length;
      expect(count).toBeGreaterThan(1);
      for (let at = 1; at <= count; at += 1) {
        await attempt({ at, fault, before, wanted, stateBefore, stateAfter });
      }
      expect(await settle(undefined)).toBe(untouched);
    },
  );

  test.each([
    { by: 'rules of the same mode', other: [...redirect, '-x', '10.78.0.0/16,fd78::/64', '-d', '9090'] },
    { by: 'rules of the other mode', other: tproxy },
  ])('neither loses a connection nor lets one past while rules are replaced by $by', async ({ other }) => {
    await reuseClientPorts();
    await settle(redirect);
    const storms = await Promise.all([
      lab.storm('IPv4', ['peer > workload:8080'].map(parseCall)),
      lab.storm('IPv4', ['app > peer:80'].map(parseCall)),
      lab.storm('IPv6', ['peer > workload:8080'].map(parseCall)),
    ]);
    for (let i = 0; i < tries(4); i += 1) await settle(i % 2 === 0 ? other : redirect);
    const seen = (await Promise.all(storms.map((storm) => storm.end()))).flat();
    await settle(undefined);
    const inbound = ['proxy:15006 for workload:8080 from peer'];
    expect(seen.map((answers) => Object.keys(answers))).toEqual([
      inbound,
      ['proxy:15001 for peer:80 from workload'],
      inbound,
    ]);
  });
});
