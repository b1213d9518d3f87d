import type { JsonPath } from '../../diagnostics/span.ts';
import type { DestinationRule, TrafficBlocks, TrafficPolicy } from '../../policy/destination-rule.ts';
import type { PolicyOrigin } from '../ir/origin.ts';
import type { EffectiveTraffic } from './effective.ts';
import type { MergedRule, Owned } from './merged-rule.ts';
import { noOrigins, originOf } from './policy-order.ts';

const blockNames = ['connectionPool', 'loadBalancer', 'outlierDetection', 'tls'] as const;
type BlockName = (typeof blockNames)[number];

/** The traffic policy of a service without a rule. */
export const noTraffic: EffectiveTraffic = { blocks: {}, origins: noOrigins };

/**
 * The blocks for one service port: the rule's, overlaid block by block by the subset's. On each of the two levels an
 * entry of `portLevelSettings` for the port replaces all four blocks, also those that it leaves out (specification,
 * `portLevelSettings`). Each origin's field holds the name of its block (for `tls` the mode's field), or is the port's
 * entry where that entry takes a block away.
 */
export function effectiveTraffic(
  rule: MergedRule | undefined,
  subset: MergedRule['subsets'][number] | undefined,
  port: number,
): EffectiveTraffic {
  const policies = [rule?.traffic, ownedTraffic(subset)].filter((policy) => policy !== undefined);
  if (policies.length === 0) return noTraffic;
  const inForce = new Map<BlockName, Block>();
  const overrode = (rule?.shadowedTraffic ?? []).flatMap(({ value, rule: owner, path }) =>
    blockNames.filter((name) => value[name] !== undefined).map((name) => blockAt(value, name, owner, path).origin),
  );
  const replace = (name: BlockName, block: Block): void => {
    const before = inForce.get(name);
    if (before?.value !== undefined) overrode.push(before.origin);
    inForce.set(name, block);
  };
  for (const { value, rule: owner, path } of policies) {
    for (const name of blockNames) {
      if (value[name] !== undefined) replace(name, blockAt(value, name, owner, path));
    }
    const index = (value.portLevelSettings ?? []).findIndex((entry) => entry.port.number === port);
    const entry = value.portLevelSettings?.[index];
    if (entry === undefined) continue;
    const entryPath = [...path, 'portLevelSettings', index];
    for (const name of blockNames) {
      if (entry[name] === undefined && inForce.get(name)?.value === undefined) continue;
      replace(name, blockAt(entry, name, owner, entryPath));
    }
  }
  const blocks = Object.fromEntries(
    [...inForce].filter(([, { value }]) => value !== undefined).map(([name, block]) => [name, block.value]),
  );
  return { blocks: blocks as TrafficBlocks, origins: { decidedBy: unique([...inForce.values()]), overrode } };
}

interface Block {
  readonly value: TrafficBlocks[BlockName];
  readonly origin: PolicyOrigin;
}

function blockAt(blocks: TrafficBlocks, name: BlockName, rule: DestinationRule, path: JsonPath): Block {
  const value = blocks[name];
  if (value === undefined) return { value, origin: originOf(rule, path) };
  const field = name === 'tls' && blocks.tls?.mode !== undefined ? [...path, name, 'mode'] : [...path, name];
  return { value, origin: originOf(rule, field) };
}

function ownedTraffic(subset: MergedRule['subsets'][number] | undefined): Owned<TrafficPolicy> | undefined {
  const value = subset?.value.trafficPolicy;
  if (subset === undefined || value === undefined) return undefined;
  return { value, rule: subset.rule, path: [...subset.path, 'trafficPolicy'] };
}

function unique(blocks: readonly Block[]): PolicyOrigin[] {
  const seen = new Map(
    blocks.map(({ origin }) => [`${origin.namespace}/${origin.name} ${origin.field.join('.')}`, origin]),
  );
  return [...seen.values()];
}
