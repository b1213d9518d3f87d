import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeMesh } from '../../e2e/testing/describe-mesh.ts';
import { type Lab, openLab } from './testing/lab/lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab?.close());

const conf = '/proc/sys/net/ipv6/conf';
const add = 'ip link add eth7 type veth peer name eth8';

describeMesh('the address families of a network namespace', () => {
  test.each([
    ['lo alone, IPv6 on for interfaces to come', `echo 1 > ${conf}/lo/disable_ipv6`, true],
    ['lo alone, IPv6 off for interfaces to come', `echo 1 > ${conf}/default/disable_ipv6`, false],
    ['an interface without IPv6', `${add}; for i in eth7 eth8; do echo 1 > ${conf}/$i/disable_ipv6; done`, false],
    [
      'an interface with IPv6',
      `echo 1 > ${conf}/default/disable_ipv6; ${add}; echo 0 > ${conf}/eth7/disable_ipv6`,
      true,
    ],
  ])('with %s (%s): IPv6 rules are made: %s', async (_, script, isUsed) => {
    const setUp = `PATH="$PATH:/usr/sbin:/sbin"; ${script}; exec "$@"`;
    const { stdout } = await lab.agent(['istio-iptables', '-n', '-u', '1337', '-g', '1337'], {
      through: ['unshare', '--net', 'sh', '-ec', setUp, 'sh'],
    });
    expect(stdout).toContain('iptables-restore');
    expect(stdout.includes('ip6tables')).toBe(isUsed);
  });
});
