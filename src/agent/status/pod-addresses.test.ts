import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { addressesOfWorkload } from './pod-addresses.ts';

const bootstrap = (ips?: string) => ({ node: { metadata: { INSTANCE_IPS: ips } } });

describe('addressesOfWorkload', () => {
  test.each([
    ['10.1.0.10', ['10.1.0.10']],
    ['10.1.0.10,fd00::10', ['10.1.0.10', 'fd00::10']],
    ['10.9.9.9,fd00::10', ['fd00::10']],
    ['10.9.9.9', ['127.0.0.1', '::1']],
    [undefined, ['127.0.0.1', '::1']],
  ])('of a workload at %s on a machine with 10.1.0.10 and fd00::10 are %j', (ips, expected) => {
    expect(addressesOfWorkload(bootstrap(ips), new Set(['127.0.0.1', '10.1.0.10', 'fd00::10']))).toEqual(expected);
  });

  test("looks at this machine's own interfaces", () => {
    const [own = '127.0.0.1'] = Object.values(networkInterfaces()).flatMap((list = []) => list.map((it) => it.address));
    expect(addressesOfWorkload(bootstrap(`192.0.2.1,${own}`))).toEqual([own]);
  });
});
