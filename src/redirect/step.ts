import type { Family } from './config.ts';
import { localAddresses, ownProtocol, type RoutingItem } from './rule.ts';

/** One command line to run, with its standard input. */
export interface Step {
  readonly argv: readonly string[];
  readonly input?: string;
}

/** `iptables-restore` of one family; `--noflush` keeps the rules of others. */
export function restoreStep(command: string, text: string, lockWaitSeconds: number): Step {
  return { argv: [command, '--noflush', `--wait=${lockWaitSeconds}`], input: text };
}

/** The iproute2 command that adds or deletes an item of ours. */
export function routingStep(verb: 'add' | 'del', item: RoutingItem): Step {
  const family = ipFamily(item.family);
  switch (item.kind) {
    case 'address': {
      const words = ['addr', verb, `${item.address}/${localAddresses[item.family].bits}`, 'dev', 'lo'];
      // An address has no protocol; its metric tells it from one that somebody else has added.
      return { argv: ['ip', family, ...words, ...(verb === 'add' ? ['metric', String(ownProtocol)] : [])] };
    }
    case 'route': {
      const words = ['local', 'default', 'dev', 'lo', 'table', String(item.table), 'proto', String(ownProtocol)];
      return { argv: ['ip', family, 'route', verb, ...words] };
    }
    case 'rule': {
      const words = ['fwmark', String(item.mark), 'lookup', String(item.table), 'protocol', String(ownProtocol)];
      return { argv: ['ip', family, 'rule', verb, ...words] };
    }
  }
}

export function ipFamily(family: Family): '-4' | '-6' {
  return family === 'IPv4' ? '-4' : '-6';
}

/** A step as a shell takes it. */
export function formatStep({ argv, input }: Step): string {
  const line = argv.join(' ');
  return input === undefined ? `${line}\n` : `${line} <<'END'\n${input}END\n`;
}

/** What an item is called in messages. */
export function describeRouting(item: RoutingItem): string {
  switch (item.kind) {
    case 'address':
      return `address ${item.address} of lo`;
    case 'route':
      return `${item.family} local route of table ${item.table}`;
    case 'rule':
      return `${item.family} routing rule: mark ${item.mark} to table ${item.table}`;
  }
}
