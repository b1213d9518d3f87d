import { type Table, tables } from './rule.ts';

/**
 * Rules in built-in chains as earlier versions made them, in the form of `iptables-save`. Their comment is a word that
 * others use too, so only a rule that is one of these word for word counts as ours; numbers and names are the flags'.
 */
const olderRules: Readonly<Record<Table, Readonly<Record<string, readonly string[]>>>> = {
  mangle: {
    PREROUTING: [
      '-p tcp -m mark --mark NUMBER COMMENT -j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff',
    ],
    OUTPUT: [
      '-o lo -p tcp -m mark --mark NUMBER COMMENT -j RETURN',
      '! -d LOOPBACK -o lo -p tcp -m owner OWNER COMMENT -j MARK --set-xmark NUMBER/0xffffffff',
      '-p tcp -m connmark --mark NUMBER COMMENT -j CONNMARK --restore-mark --nfmask 0xffffffff --ctmask 0xffffffff',
    ],
  },
  nat: {
    PREROUTING: ['-i NAME COMMENT -j RETURN'],
    OUTPUT: [
      '-p udp -m udp --dport 53 -m owner OWNER COMMENT -j RETURN',
      '-p udp -m udp --dport 53 COMMENT -j DNAT --to-destination (?:127\\.0\\.0\\.1|\\[::1\\]):DNS',
    ],
    POSTROUTING: ['-d LOOPBACK -p udp -m udp --dport DNS COMMENT -j SNAT --to-source (?:127\\.0\\.0\\.1|::1)'],
  },
};

const holes: Readonly<Record<string, string>> = {
  COMMENT: '-m comment --comment mesh',
  NUMBER: '0x[0-9a-f]+',
  LOOPBACK: '(?:127\\.0\\.0\\.1/32|::1/128)',
  OWNER: '--[ug]id-owner \\d+',
  NAME: '\\S+',
  DNS: '(?:15013|15053)',
};

const patterns = new Map(
  tables.flatMap((table) =>
    Object.entries(olderRules[table]).map(([chain, rules]) => [`${table} ${chain}`, rules.map(patternOf)] as const),
  ),
);

/** Whether an earlier version made this rule, or may have. */
export function isOlderRule(table: Table, chain: string, rule: string): boolean {
  return patterns.get(`${table} ${chain}`)?.some((pattern) => pattern.test(rule)) ?? false;
}

function patternOf(rule: string): RegExp {
  return new RegExp(`^${rule.replace(/\b[A-Z]{3,}\b/g, (word) => holes[word] ?? word)}$`);
}
