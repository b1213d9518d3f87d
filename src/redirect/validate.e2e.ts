import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { type AgentPlace, type Lab, type Listener, openLab } from './testing/lab/lab.ts';

const owner = ['-u', '1337', '-g', '1337'];
const standard = [...owner, '-b', '*', '-i', '*'];
const tproxy = [...standard, '-m', 'TPROXY'];
const network = 'workload';
const proxy: Listener = { who: 'proxy', network, uid: 1337, tcp: [15001, 15006] };

let lab: Lab;

beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab?.close());
afterEach(() => run(['istio-clean-iptables']));

/** Standard output says how it went, standard error nothing. */
async function run(args: readonly string[], place?: AgentPlace): Promise<{ exitCode: number; log: string }> {
  const { exitCode, stdout, stderr } = await lab.agent(args, place);
  return { exitCode, log: stdout + stderr };
}

function validate(flags: readonly string[], place?: AgentPlace): ReturnType<typeof run> {
  const probe = ['--run-validation', '--skip-rule-apply', '--probe-timeout', '300ms'];
  return run(['istio-iptables', ...flags, ...probe], place);
}

async function shell(script: string): Promise<void> {
  await lab.sandbox.must(['sh', '-ec', `PATH="$PATH:/usr/sbin:/sbin"; ${script}`], { network });
}

describeMesh('istio-iptables --run-validation', () => {
  test.each<[string, readonly string[]]>([
    ['nothing captured', owner],
    ['a standard sidecar', standard],
    ['one inbound port', [...owner, '-b', '8080']],
    ['ports of its own', [...standard, '-p', '16001', '-z', '16006', '--iptables-probe-port', '16002']],
    ['two owners', ['-u', '1338,1337', '-g', '1338,1337', '-i', '*']],
    ['TPROXY', tproxy],
    ['TPROXY for one port', [...owner, '-m', 'TPROXY', '-b', '8080']],
  ])('passes after the rules were applied: %s', async (_, flags) => {
    const { exitCode, log } = await run(['istio-iptables', ...flags, '--run-validation']);
    expect(log).toContain('validation passed: the IPv4 rules are in force');
    expect(log).toContain('validation passed: the IPv6 rules are in force');
    expect(exitCode).toBe(0);
  });

  test.each<[string, AgentPlace]>([
    ['the proxy', { uid: 1337 }],
    ['root', {}],
    ['root that may not change ids', { through: ['setpriv', '--bounding-set', '-setuid,-setgid'] }],
  ])('passes for rules that somebody else has applied, as %s', async (_, place) => {
    const ids = place.through === undefined ? owner : ['-u', '1337,0', '-g', '1337,0'];
    await run(['istio-iptables', ...ids]);
    expect(await validate(ids, place)).toMatchObject({ exitCode: 0 });
  });

  test('waits until another program has applied the rules', async () => {
    const patient = run([
      'istio-iptables',
      ...owner,
      '--run-validation',
      '--skip-rule-apply',
      '--probe-timeout',
      '20s',
    ]);
    await run(['istio-iptables', ...owner]);
    expect(await patient).toMatchObject({ exitCode: 0 });
  });

  describe('exits with 126 and names the hop', () => {
    test.each<[string, readonly string[] | undefined, readonly string[], AgentPlace, RegExp]>([
      ['capture: no rules', undefined, standard, {}, /"capture" of IPv4: .*uid 1337.*ECONNREFUSED/],
      ['capture: no rules of TPROXY', undefined, tproxy, {}, /"capture" of IPv4: .*ECONNREFUSED/],
      [
        'capture: rules with other ports',
        standard,
        [...standard, '-z', '16006'],
        {},
        /"capture" of IPv4: .*to port 16006/,
      ],
      [
        'capture: rules with other ids',
        standard,
        [...standard, '-u', '1338', '-g', '1338'],
        {},
        /"capture" of IPv4: .*uid 1338/,
      ],
      ['capture: rules of TPROXY', tproxy, standard, {}, /"capture" of IPv4: .*vanished/],
      [
        'capture: TPROXY without inbound ports',
        undefined,
        [...owner, '-m', 'TPROXY'],
        {},
        /"capture": .*no inbound port/,
      ],
      [
        'owner: neither root nor the proxy',
        standard,
        standard,
        { uid: 1000 },
        /"owner": .*uid 1337 or gid 1337.*uid 1000/,
      ],
    ])('%s', async (_, applied, flags, place, words) => {
      if (applied !== undefined) await run(['istio-iptables', ...applied]);
      const { exitCode, log } = await validate(flags, place);
      expect(log).toMatch(words);
      expect(exitCode).toBe(126);
    });

    test('capture: one family without rules', async () => {
      await run(['istio-iptables', ...standard]);
      await shell('ip6tables -t nat -F OUTPUT');
      const { exitCode, log } = await validate(standard);
      expect(log).toContain('validation passed: the IPv4 rules are in force');
      expect(log).toMatch(/"capture" of IPv6/);
      expect(exitCode).toBe(126);
    });

    test('address: the IPv6 address that the proxy calls from is gone', async () => {
      await run(['istio-iptables', ...standard]);
      await shell('ip -6 addr del ::6/128 dev lo');
      expect(await validate(standard)).toMatchObject({
        exitCode: 126,
        log: expect.stringContaining('"address" of IPv6'),
      });
    });

    test("delivery: the rule for the proxy's calls to its application is gone", async () => {
      await run(['istio-iptables', ...standard]);
      await shell('iptables -t nat -D MESH_OUTPUT -s 127.0.0.6/32 -o lo -j RETURN');
      expect(await validate(standard)).toMatchObject({
        exitCode: 126,
        log: expect.stringMatching(/"delivery".*go round/),
      });
    });

    test('listen: the proxy runs already', async () => {
      await run(['istio-iptables', ...standard]);
      const running = await lab.listen(proxy);
      const { exitCode, log } = await validate(standard);
      await running.signal('KILL');
      await running.exited;
      expect(log).toMatch(/"listen" of IPv4: .*127\.0\.0\.1:15006.*EADDRINUSE/);
      expect(exitCode).toBe(126);
    });
  });

  test('sees a proxy that runs under TPROXY', async () => {
    await run(['istio-iptables', ...tproxy]);
    const running = await lab.listen({ ...proxy, transparent: true });
    expect(await validate(tproxy)).toMatchObject({ exitCode: 0 });
    await running.signal('KILL');
    await running.exited;
  });

  test('is not deceived by a program that listens on the probe port', async () => {
    const running = await lab.listen({ who: 'stranger', network, uid: 1000, tcp: [15002] });
    expect(await validate(standard)).toMatchObject({ exitCode: 126, log: expect.stringContaining('another program') });
    await running.signal('KILL');
    await running.exited;
  });
});
