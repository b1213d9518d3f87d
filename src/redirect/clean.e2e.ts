import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { openSandbox, repository, type Sandbox, scratch } from '../testbed/sandbox.ts';
import { node } from '../testbed/sidecar.ts';
import { chooseVariant, stateScript, withoutEmptyTables } from './testing/filter-tools.ts';

const network = 'pod';
const isRoot = process.getuid?.() === 0;
const standard = ['istio-iptables', '-u', '1337', '-g', '1337', '-b', '*', '-i', '*'];
const everything = [...standard, '-m', 'TPROXY', '-k', 'eth1', '-x', '10.0.0.0/8'];

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox();
});
beforeEach(() =>
  shell(`ip netns del ${network} 2>/dev/null || :; ip netns add ${network}; ip -n ${network} link set lo up`, true),
);
afterAll(() => sandbox?.close());

function shell(script: string, isHub = false): Promise<string> {
  return sandbox.must(['sh', '-ec', `PATH="$PATH:/usr/sbin:/sbin"; ${script}`], isHub ? {} : { network });
}

async function agent(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout, stderr } = await sandbox.run([node, `${repository}/dist/pilot-agent.js`, ...args], {
    network,
    env,
  });
  return { exitCode, output: stdout + stderr };
}

async function state(): Promise<string> {
  return withoutEmptyTables(await shell(stateScript));
}

describeMesh('istio-clean-iptables', () => {
  test('reports what it has removed, or that there is nothing to remove', async () => {
    expect(await agent(['istio-clean-iptables'])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('there is nothing of ours to remove'),
    });
    await agent(everything, { DNS_CAPTURE: 'true' });
    const { exitCode, output } = await agent(['istio-clean-iptables']);
    expect(exitCode).toBe(0);
    const removed = output.split('\n').flatMap((line) => /\tremoved: (.*)/.exec(line)?.[1] ?? []);
    expect(removed).toEqual([
      'IPv4 mangle (nft): 3 chains (MESH_DIVERT, MESH_INBOUND, MESH_TPROXY); 6 rules in PREROUTING, OUTPUT',
      'IPv4 nat (nft): 3 chains (MESH_IN_REDIRECT, MESH_OUTPUT, MESH_REDIRECT); 13 rules in PREROUTING, OUTPUT, POSTROUTING',
      'IPv6 mangle (nft): 3 chains (MESH_DIVERT, MESH_INBOUND, MESH_TPROXY); 6 rules in PREROUTING, OUTPUT',
      'IPv6 nat (nft): 3 chains (MESH_IN_REDIRECT, MESH_OUTPUT, MESH_REDIRECT); 13 rules in PREROUTING, OUTPUT, POSTROUTING',
      'IPv4 local route of table 133',
      'IPv4 routing rule: mark 1337 to table 133',
      'address ::6 of lo',
      'IPv6 local route of table 133',
      'IPv6 routing rule: mark 1337 to table 133',
    ]);
  });

  test.each([
    ['jumps twice', 'iptables -t nat -A OUTPUT -p tcp -j MESH_OUTPUT; iptables -t nat -I PREROUTING -j MESH_INBOUND'],
    ['a chain emptied', 'iptables -t nat -F MESH_OUTPUT; ip6tables -t nat -F'],
    [
      'a chain gone',
      'iptables -t nat -D PREROUTING -p tcp -j MESH_INBOUND; iptables -t nat -F MESH_INBOUND; iptables -t nat -X MESH_INBOUND',
    ],
    [
      'a rule of its own in our chain',
      'iptables -t nat -I MESH_INBOUND -s 10.0.0.1 -m comment --comment "a b" -j RETURN',
    ],
    ['routing half gone', 'ip -6 addr del ::6/128 dev lo; ip -4 rule add fwmark 9 lookup 133 protocol 213'],
  ])('repairs and removes all rules after another program has left %s', async (_, damage) => {
    const before = await state();
    await agent(standard);
    const whole = await state();
    await shell(damage);
    expect(await state()).not.toBe(whole);
    expect((await agent(standard)).exitCode).toBe(0);
    expect(await state()).toBe(whole);
    await shell(damage);
    expect((await agent(['istio-clean-iptables'])).exitCode).toBe(0);
    expect(await state()).toBe(before);
  });

  test('leaves rules, routing and addresses of others alone, and ours their place among them', async () => {
    await shell(`
      iptables -t nat -N THEIRS; iptables -t nat -A PREROUTING -p udp -j THEIRS; iptables -t nat -A OUTPUT -j THEIRS
      iptables -t mangle -A OUTPUT -m comment --comment "mesh of others" -j MARK --set-mark 1337
      iptables -t nat -A POSTROUTING -o mesh0 -m comment --comment mesh -j MASQUERADE
      ip6tables -t mangle -A PREROUTING -p tcp --dport 80 -m comment --comment mesh -j ACCEPT
      ip -4 rule add fwmark 1337 lookup 133; ip -4 route add local 192.0.2.0/24 dev lo table 133; ip -6 addr add ::7/128 dev lo`);
    const before = await state();
    const { output } = await agent(everything);
    expect(output).toContain('warn\tIPv4 nat OUTPUT: 1 of others before ours');
    await shell('iptables -t nat -A OUTPUT -p udp -j ACCEPT');
    await agent([...standard, '-o', '99']);
    const chain = (await shell('iptables-save -t nat')).match(/^-A OUTPUT .*/gm);
    expect(chain).toEqual(['-A OUTPUT -j THEIRS', '-A OUTPUT -p tcp -j MESH_OUTPUT', '-A OUTPUT -p udp -j ACCEPT']);
    await shell('iptables -t nat -D OUTPUT -p udp -j ACCEPT');
    expect((await agent(['istio-clean-iptables'])).exitCode).toBe(0);
    expect(await state()).toBe(before);
  });

  test.each([[everything], [['istio-clean-iptables']]])(
    'knows the rules of an earlier version, by a comment that others use too: %s',
    async (command) => {
      const before = await state();
      await agent(everything, { DNS_AGENT: 'true' });
      const wanted = await state();
      const older =
        "sed -e 's/--comment pilot-agent-istio-iptables/--comment mesh/' -e '/-i eth1 -p tcp/d' -e '/ -d [^ ]* -i eth1 /d'";
      for (const tool of ['iptables', 'ip6tables']) await shell(`${tool}-save | ${older} | ${tool}-restore`);
      expect((await state()).match(/--comment mesh /g)).toHaveLength(20);
      expect((await agent(command, { DNS_AGENT: 'true' })).exitCode).toBe(0);
      expect(await state()).toBe(command === everything ? wanted : before);
      await agent(['istio-clean-iptables']);
    },
  );

  test('uses the route and the address that another program has made, and does not remove them', async () => {
    await shell('ip -6 addr add ::6/128 dev lo; ip -4 route add local default dev lo table 133');
    const before = await state();
    expect((await agent(everything)).exitCode).toBe(0);
    expect((await agent(everything)).output).toContain('in place already');
    expect((await agent(['istio-clean-iptables'])).exitCode).toBe(0);
    expect(await state()).toBe(before);
  });

  test('says who holds a chain that has to stay, and answers 1', async () => {
    await agent(standard);
    await shell('iptables -t nat -N THEIRS; iptables -t nat -A THEIRS -p tcp -j MESH_REDIRECT');
    const { exitCode, output } = await agent(['istio-clean-iptables']);
    expect(exitCode).toBe(1);
    expect(output).toContain('still there: IPv4 nat: chain MESH_REDIRECT, which the chain THEIRS jumps to');
    expect((await shell('iptables-save -t nat')).match(/^-A.*/gm)).toEqual([
      '-A MESH_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
      '-A THEIRS -p tcp -j MESH_REDIRECT',
    ]);
  });

  test.runIf(isRoot)('finds rules in either packet filter, and new ones go where the old ones are', async () => {
    const before = await state();
    const legacy = { PATH: await chooseVariant(sandbox, 'legacy') };
    await agent(standard, legacy);
    const inLegacy = await state();
    expect(inLegacy).toMatch(/iptables-nft-save\nip6tables-nft-save\niptables-legacy-save\n\*nat/);
    expect((await agent(standard)).output).toContain('in place already');
    expect(await state()).toBe(inLegacy);
    expect((await agent(['istio-clean-iptables'])).exitCode).toBe(0);
    expect(await state()).toBe(before);
  });

  test.each([everything, ['istio-clean-iptables']])('runs no program for %s --dry-run', async (...command) => {
    const names = ['iptables', 'ip6tables'].flatMap((tool) => [`${tool}-save`, `${tool}-restore`]);
    const standIns = ['ip', ...names].map((name) => `cp stand-in ${name}`).join('; ');
    const script = `echo "#!/bin/sh\necho \\$0 >> ${scratch}/ran" > stand-in; chmod 755 stand-in; ${standIns}`;
    await shell(`mkdir -p ${scratch}/bin; cd ${scratch}/bin; rm -f ${scratch}/ran; ${script}`, true);
    const env = { PATH: `${scratch}/bin:/usr/bin:/bin` };
    expect(await agent([...command, '--dry-run'], env)).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('*nat'),
    });
    const ran = `cat ${scratch}/ran 2>/dev/null || :`;
    expect(await shell(ran, true)).toBe('');
    await agent(command, env);
    expect(await shell(ran, true)).toContain(`${scratch}/bin/iptables-save`);
  });

  test.each([everything, ['istio-clean-iptables']])('obeys every logging flag: %s', async (...command) => {
    const logs = `${scratch}/logs`;
    await shell(`rm -rf ${logs}; mkdir ${logs}; cd ${logs}; truncate -s 1M rotate.log
      touch rotate-2020-01-01T00-00-00.000.log`);
    const { exitCode, output } = await agent([
      ...[...command, '--log_as_json', '--log_caller', 'default', '--log_output_level', 'default:debug'],
      ...['--log_stacktrace_level', 'info', '--log_target', `${logs}/target.log`, '--log_rotate', `${logs}/rotate.log`],
      ...['--log_rotate_max_size', '1', '--log_rotate_max_backups', '1', '--log_rotate_max_age', '0'],
    ]);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: '' });
    const [target = '', rotate] = [await shell(`cat ${logs}/target.log`), await shell(`cat ${logs}/rotate.log`)];
    expect(rotate).toBe(target);
    for (const line of target.trimEnd().split('\n')) {
      const { level, caller, stack } = JSON.parse(line) as Readonly<Record<string, string>>;
      expect(caller).toMatch(/^[^/]+\/[^/]+:\d+$/);
      expect({ level, hasStack: stack !== undefined }).toEqual({ level, hasStack: level !== 'debug' });
    }
    expect(await shell(`ls ${logs}`)).toMatch(/^rotate-2(?!020)\S+\.log\nrotate\.log\ntarget\.log\n$/);
  });

  test('needs nothing of IPv6 where it is off', async () => {
    await shell('for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 > $f; done');
    const { exitCode, output } = await agent([...standard, '-x', 'fd00::/8']);
    expect(exitCode).toBe(0);
    expect(output).toContain('warn\tIPv6 is off, so "fd00::/8" has no effect');
    expect(await shell('ip6tables-save')).not.toContain('MESH');
    expect((await agent(['istio-clean-iptables'])).exitCode).toBe(0);
  });

  test('is one at a time with itself and with set-up', async () => {
    const commands = [standard, everything, standard, ['istio-clean-iptables'], everything];
    const results = await Promise.all(commands.map((command) => agent(command)));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(commands.map(() => 0));
    expect((await agent(standard)).exitCode).toBe(0);
    const after = await state();
    await agent(['istio-clean-iptables']);
    await agent(standard);
    expect(await state()).toBe(after);
  });
});
