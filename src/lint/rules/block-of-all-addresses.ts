import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

const isBlock = /^((i|notI)pBlocks|(r|notR)emoteIpBlocks|source\.ip|remote\.ip)$/;

/** A block that holds every address asks for nothing. */
export const rule: Rule = {
  code: 'block-of-all-addresses',
  id: 'MP334',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an address block that every address is in',
  why: 'every client has such an address, so the condition restricts nothing',
  hint: 'write the addresses that are meant, or leave the condition out if every client is',
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      // That everybody is refused, asked about or recorded may be what is meant.
      if ((at.policy.spec.action ?? 'ALLOW') !== 'ALLOW') continue;
      for (const { value, path, isNegated } of placedValues(at, isBlock)) {
        if (!/\/0+$/.test(value)) continue;
        const version = value.includes(':') ? 'IPv6' : 'IPv4';
        report({
          ...{ object: at.policy, path },
          message: `"${value}" is every ${version} address`,
          why: isNegated ? `no client has another ${version} address: this ALLOW rule allows none of them` : undefined,
        });
      }
    }
  },
};
