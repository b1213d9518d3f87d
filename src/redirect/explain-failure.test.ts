import { describe, expect, test } from 'vitest';
import { explainFailure } from './explain-failure.ts';

const input =
  '*nat\n-N MESH_OUTPUT\n-A MESH_OUTPUT -o lo -m owner --uid-owner 1337 -j MESH_IN_REDIRECT\n-A X -j REDIRECT\nCOMMIT\n';

/** What the tools print, by version and variant. */
describe('explainFailure', () => {
  test.each<[string, number, string, string, RegExp]>([
    [
      'iptables-restore',
      4,
      'Another app is currently holding the xtables lock. Stopped waiting after 1s.',
      'iptables-locked',
      /try again/,
    ],
    [
      'iptables-restore',
      4,
      'iptables-restore v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)',
      'net-admin-missing',
      /NET_ADMIN/,
    ],
    [
      'iptables-restore',
      4,
      'iptables-restore v1.8.9 (nf_tables): \nline 3: RULE_APPEND failed (Invalid argument): rule in chain MESH_OUTPUT',
      'iptables-failed',
      /uid 1337 may not exist in this user namespace/,
    ],
    ['ip', 2, 'RTNETLINK answers: Operation not permitted', 'net-admin-missing', /NET_ADMIN/],
    ['ip', 2, 'Error: IPv6 is disabled on this device.', 'routing-failed', /net\.ipv6\.conf\.lo\.disable_ipv6/],
    ['ip', 2, 'RTNETLINK answers: File exists', 'routing-failed', /ended with 2: RTNETLINK answers: File exists/],
    [
      'ip6tables-restore',
      3,
      "ip6tables-restore v1.8.9 (legacy): ip6tables-restore: unable to initialize table 'nat'",
      'kernel-module-missing',
      /ip6table_nat/,
    ],
    [
      'iptables-restore',
      3,
      "can't initialize iptables table `nat': Table does not exist (do you need to insmod?)",
      'kernel-module-missing',
      /iptable_nat/,
    ],
    [
      'iptables-restore',
      2,
      "iptables-restore v1.8.9 (legacy): Couldn't load match `owner':No such file or directory\nError occurred at line: 3",
      'kernel-module-missing',
      /xt_owner/,
    ],
    [
      'iptables-restore',
      1,
      'iptables-restore: line 4 failed: No chain/target/match by that name.',
      'kernel-module-missing',
      /one of: xt_REDIRECT /,
    ],
    [
      'iptables-restore',
      4,
      'iptables-restore v1.8.9 (nf_tables): \nline 3: RULE_APPEND failed (No such file or directory): rule in chain MESH_OUTPUT',
      'kernel-module-missing',
      /one of: xt_owner /,
    ],
    [
      'iptables-restore',
      1,
      'iptables-restore: line 2 failed',
      'iptables-failed',
      /iptables-restore ended with 1: iptables-restore: line 2 failed/,
    ],
  ])('explains %s %d %j', (command, exitCode, stderr, code, message) => {
    const error = explainFailure({ argv: [command], input }, { exitCode, stderr }, () => true);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test.each(['NET_ADMIN', 'NET_RAW'])('names %s, which is missing, before modules', (missing) => {
    const stderr = "iptables-restore v1.8.9 (legacy): iptables-restore: unable to initialize table 'nat'";
    const result = { exitCode: 3, stderr };
    const error = explainFailure({ argv: ['iptables-restore'], input }, result, (name) => name !== missing);
    expect(error).toMatchObject({ code: 'net-admin-missing' });
    expect(error.message).toContain(`the capability ${missing} is missing`);
  });
});
