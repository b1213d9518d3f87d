import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { type Lab, openLab } from './testing/lab/lab.ts';
import { dnsScenarios, redirectScenarios } from './testing/lab/matrix.ts';
import { frameScenarios, guestFrameScenarios } from './testing/lab/matrix-frames.ts';
import { tproxyScenarios } from './testing/lab/matrix-tproxy.ts';
import { parseCall } from './testing/lab/parse-call.ts';
import type { Scenario } from './testing/lab/scenario.ts';

let lab: Lab;
let untouched: string;

/** The workload's proxy and application, and a server outside; each port says who took the connection. */
async function openScene(isTransparent: boolean, isRoot?: boolean): Promise<void> {
  lab = await openLab(isRoot);
  await Promise.all([
    lab.listen({
      who: 'proxy',
      network: 'workload',
      uid: 1337,
      tcp: [15001, 15006, 15053],
      udp: [15013, 15053],
      transparent: isTransparent,
    }),
    lab.listen({ who: 'app', network: 'workload', uid: 1000, tcp: [22, 8080, 9090, 15008, 15021, 15090] }),
    lab.listen({ who: 'peer', network: 'peer', uid: 1000, tcp: [53, 80, 5432, 9999, 15021, 15090], udp: [53, 54] }),
  ]);
  untouched = await lab.state();
}

async function must(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { exitCode, stdout, stderr } = await lab.agent(args, { env });
  expect({ exitCode, output: exitCode === 0 ? '' : stdout + stderr }).toEqual({ exitCode: 0, output: '' });
}

/** What meets the scenario's calls, in both families, and that clean-up leaves the namespace as it was. */
async function play({ flags, env, rows, families = ['IPv4', 'IPv6'] }: Scenario): Promise<void> {
  const calls = Object.keys(rows);
  await must(['istio-iptables', ...flags], env);
  for (const family of families) {
    const answers = await lab.dial(family, calls.map(parseCall));
    expect({ family, ...Object.fromEntries(calls.map((call, i) => [call, answers[i]])) }).toEqual({ family, ...rows });
  }
  await must(['istio-clean-iptables']);
  expect(await lab.state()).toBe(untouched);
}

describeMesh('redirection', () => {
  describe('REDIRECT', () => {
    beforeAll(() => openScene(false));
    afterAll(() => lab?.close());

    const frames = [...frameScenarios('REDIRECT'), ...guestFrameScenarios];
    test.each([...redirectScenarios, ...dnsScenarios, ...frames])(
      '$title: every packet goes where it should',
      (scenario) => play(scenario),
    );
  });

  describe('TPROXY', () => {
    beforeAll(() => openScene(true));
    afterAll(() => lab?.close());

    test.each([...tproxyScenarios, ...frameScenarios('TPROXY')])(
      '$title: every packet goes where it should',
      (scenario) => play(scenario),
    );
  });

  describe('in a user namespace', () => {
    beforeAll(() => openScene(true, false));
    afterAll(() => lab?.close());

    test.each([
      ['REDIRECT', redirectScenarios[0]!],
      ['TPROXY', tproxyScenarios[0]!],
    ])('%s: every packet goes where it should', (_, scenario) => play(scenario));
  });
});
