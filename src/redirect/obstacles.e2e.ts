import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import type { RunningProgram } from '../testbed/program.ts';
import { repository, scratch } from '../testbed/sandbox.ts';
import { node } from '../testbed/sidecar.ts';
import { until } from '../testbed/until.ts';
import { type AgentPlace, type Lab, openLab } from './testing/lab/lab.ts';
import { parseCall } from './testing/lab/parse-call.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const standard = ['istio-iptables', '-u', '1337', '-g', '1337', '-b', '*', '-i', '*'];
const network = 'workload';

/** Tools of the older packet filter under the plain names, as a machine without nftables has them. */
const legacy = `${scratch}/legacy`;
const legacyPlace = { network, env: { PATH: `${legacy}:/usr/bin:/bin` } };

let lab: Lab;
let untouched: string;

beforeAll(async () => {
  lab = await openLab();
  await Promise.all([
    lab.listen({ who: 'proxy', network, uid: 1337, tcp: [15001, 15006] }),
    lab.listen({ who: 'app', network, uid: 1000, tcp: [8080] }),
    lab.listen({ who: 'peer', network: 'peer', uid: 1000, tcp: [80] }),
  ]);
  await lab.sandbox.must(['sh', '-ec', legacyScript]);
  untouched = await lab.state();
});
afterAll(() => lab?.close());

const legacyScript = `mkdir -p ${legacy}; for n in iptables ip6tables; do for s in '' -save -restore; do
  ln -s "$(PATH=/usr/sbin:/sbin:/bin command -v $n-legacy$s)" ${legacy}/$n$s; done; done`;

async function clean(place?: AgentPlace): Promise<void> {
  expect(await lab.agent(['istio-clean-iptables'], place)).toMatchObject({ exitCode: 0 });
}

/** Another program with the lock of the older packet filter; iptables(8). */
async function holdLock(seconds: number): Promise<RunningProgram> {
  const argv = ['flock', '/run/xtables.lock', 'sh', '-c', `echo held; exec sleep ${seconds}`];
  const program = await lab.sandbox.start(argv, join(lab.sandbox.folder, `lock-${seconds}.log`), { network });
  const isHeld = async (): Promise<true | undefined> =>
    (await lab.sandbox.must(['cat', `${scratch}/lock-${seconds}.log`])).includes('held') ? true : undefined;
  await until(isHeld, { timeoutMs: 60_000, otherwise: async () => 'the lock is not held' });
  return program;
}

describeMesh('istio-iptables before an obstacle', () => {
  test.each<[string, AgentPlace, RegExp]>([
    ['without NET_ADMIN', { through: ['setpriv', '--bounding-set', '-net_admin'] }, /NET_ADMIN is missing/],
    ['as a plain user', { uid: 1337 }, /NET_ADMIN is missing/],
    [
      'where iptables is not installed',
      { through: ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /usr/sbin; exec "$@"', 'sh'] },
      /no ip6?tables-restore: install the package iptables/,
    ],
    [
      'where one id alone is mapped, so that no rule can name the proxy',
      { through: ['unshare', '--user', '--map-root-user', '--net'] },
      /iptables-restore .*uid 1337 may not exist in this user namespace/,
    ],
  ])('says what is missing and changes nothing %s', async (_, place, words) => {
    const { exitCode, stderr } = await lab.agent(standard, place);
    expect(stderr).toMatch(words);
    expect(exitCode).toBe(3);
    expect(await lab.state()).toBe(untouched);
  });

  test.each<[string, readonly string[]]>([
    ['set-up', [...standard, '-b', '8080']],
    ['clean-up', ['istio-clean-iptables']],
  ])('%s does not take rules that it cannot read for none', async (_, command) => {
    await lab.agent(standard);
    const whole = await lab.state();
    const { exitCode, stdout, stderr } = await lab.agent(command, {
      through: ['setpriv', '--bounding-set', '-net_admin'],
    });
    expect({ exitCode, said: /nothing of ours/.test(stdout) }).toEqual({ exitCode: 3, said: false });
    expect(stderr).toMatch(/NET_ADMIN is missing/);
    expect(await lab.state()).toBe(whole);
    await clean();
  });

  test('needs no writable /proc', async () => {
    const readOnly = ['unshare', '--mount', 'sh', '-ec', 'mount -o remount,bind,ro /proc; exec "$@"', 'sh'];
    for (const mode of ['REDIRECT', 'TPROXY']) {
      const { exitCode, stderr } = await lab.agent([...standard, '-m', mode], { through: readOnly });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    }
    await clean({ through: readOnly });
    expect(await lab.state()).toBe(untouched);
  });

  test('covers IPv6 where /proc does not show that it is there', async () => {
    const hidden = ['unshare', '--mount', 'sh', '-ec', 'mount -t tmpfs tmpfs /proc/sys; exec "$@"', 'sh'];
    const { exitCode, stderr } = await lab.agent(standard, { through: hidden });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(await lab.dial('IPv6', [parseCall('peer > workload:8080')])).toEqual([
      'proxy:15006 for workload:8080 from peer',
    ]);
    await clean();
  });

  test('takes 10,000 excluded ranges from a file, and none of them when one is wrong', async () => {
    const ranges = Array.from({ length: 10_000 }, (_, i) => `10.${128 + (i >> 8)}.${i & 255}.0/24`);
    const list = `${scratch}/ranges`;
    const write = (last: string) =>
      lab.sandbox.must(['sh', '-c', `cat > ${list}`], {
        stdin: `# a range a line\n${[...ranges.slice(1), last].join('\n')}\n`,
      });
    await write('10.1.2.300/32');
    const refused = await lab.agent([...standard, '-x', `@${list}`]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('"10.1.2.300/32"') });
    expect(await lab.state()).toBe(untouched);
    await write('10.78.0.0/16');
    for (const flags of [[], ['-x', `@${list}`]]) {
      expect(await lab.agent([...standard, ...flags], { timeoutMs: 60_000 })).toMatchObject({ exitCode: 0 });
    }
    const saved = await lab.sandbox.must(['iptables-save', '-t', 'nat'], { network });
    expect(saved.match(/-A MESH_OUTPUT -d 10\.\d+\.\d+\.0\/\d+ -j RETURN/g)).toHaveLength(10_000);
    expect(await lab.dial('IPv4', ['app > peer:80', 'app > peer-excluded:80'].map(parseCall))).toEqual([
      'proxy:15001 for peer:80 from workload',
      'peer:80 for peer-excluded:80 from workload-second',
    ]);
    await clean();
    expect(await lab.state()).toBe(untouched);
  });

  test('lets one of two commands at once wait for the other', async () => {
    const both = await Promise.all([lab.agent(standard), lab.agent([...standard, '-m', 'TPROXY'])]);
    expect(both.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: '' },
      { exitCode: 0, stderr: '' },
    ]);
    const states = [await lab.state()];
    for (const mode of ['REDIRECT', 'TPROXY']) {
      await clean();
      await lab.agent([...standard, '-m', mode]);
      states.push(await lab.state());
    }
    expect(states.slice(1)).toContain(states[0]);
    await clean();
  });

  describe.skipIf(!isRoot)('with the older packet filter', () => {
    test('waits for the lock of another program', async () => {
      const lock = await holdLock(2);
      const { exitCode, stderr } = await lab.agent(standard, legacyPlace);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      // It ended before the command did.
      expect(lock.exitCode).toBe(0);
      expect(await lab.dial('IPv4', [parseCall('peer > workload:8080')])).toEqual([
        'proxy:15006 for workload:8080 from peer',
      ]);
      await clean(legacyPlace);
      expect(await lab.dial('IPv4', [parseCall('peer > workload:8080')])).toEqual([
        'app:8080 for workload:8080 from peer',
      ]);
    });

    test('gives up after its wait and says who is in the way', async () => {
      await holdLock(30);
      const script = `
        const [{ applyRedirect }, { planRedirect }] = await Promise.all(['apply', 'plan'].map((name) => import('${repository}/src/redirect/' + name + '.ts')));
        const config = { mode: 'REDIRECT', families: ['IPv4'], proxyPort: 15001, inboundPort: 15006, proxyUids: [1337], proxyGids: [1337],
          inboundPorts: 'all', excludedInboundPorts: [], outboundCidrs: 'all', excludedOutboundCidrs: [], outboundPorts: [],
          excludedOutboundPorts: [], virtualInterfaces: [], tproxyMark: 1337, tproxyTable: 133 };
        await applyRedirect(planRedirect(config), { lockWaitSeconds: 1 }).catch(({ code, message }) => console.log(code, message));`;
      const argv = [node, '--input-type=module', '-e', script];
      const { stdout, stderr } = await lab.sandbox.run(argv, legacyPlace);
      expect(stdout + stderr).toMatch(/^iptables-locked .*another program holds the lock/);
    });
  });
});

test.skipIf(!isRoot)("leaves the machine's own rules alone", async () => {
  const rules = async (): Promise<string> => {
    const saved = await Promise.all(['iptables-save', 'ip6tables-save'].map((save) => run(save)));
    return saved.map(({ stdout }) => stdout.replace(/^#.*$/gm, '').replace(/\[\d+:\d+\]/g, '')).join('');
  };
  const before = await rules();
  const own = await openLab();
  expect(await own.agent(standard)).toMatchObject({ exitCode: 0 });
  expect(await rules()).toBe(before);
  await own.close();
  expect(await rules()).toBe(before);
});
