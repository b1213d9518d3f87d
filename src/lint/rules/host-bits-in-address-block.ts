import { canonicalBlock } from '../../compiler/topology/address.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { allRulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';
import { scalarEdit } from '../scalar-edit.ts';

const isBlock = /^((not)?(remote)?ipBlocks|source\.ip|remote\.ip|destination\.ip)$/i;

/** Bits of the address that its length cuts off are ignored. */
export const rule: Rule = {
  code: 'host-bits-in-address-block',
  id: 'MP412',
  severity: 'warning',
  category: 'matching',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an address block whose address is not the first of the block',
  why: 'the rule applies to the whole block, which contains more addresses than the written one suggests',
  hint: 'write the first address of the block; if a single address is meant, write the length /32 (IPv4) or /128 (IPv6)',
  fixChanges: 'nothing',
  check({ snapshot, report }) {
    for (const at of allRulesOf(snapshot)) {
      for (const { value, path } of placedValues(at, isBlock)) {
        const block = canonicalBlock(value);
        if (block === undefined || !value.includes('/') || !block.includes('/')) continue;
        if (canonicalBlock(value.split('/')[0] ?? '') === block.split('/')[0]) continue;
        const plain = block.includes(':') ? `"${block}"` : block;
        const edits = [scalarEdit(at.policy.document.spanOf(path), value, block, plain)];
        report({
          ...{ object: at.policy, path, message: `"${value}" is the whole block "${block}"` },
          fix: { title: `Write ${block}`, edits },
        });
      }
    }
  },
};
