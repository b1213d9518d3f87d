import type { Authorizer } from '../lift/authorizer.ts';
import type { HttpFilter, HttpManager } from '../lift/http-manager.ts';
import type { Chain } from '../lift/listener.ts';
import type { AccessRule, AccessRules, Condition } from '../lift/rbac.ts';
import { describe } from '../reason/condition-words.ts';

/** What a chain's filters ask of those that come by it. */
export interface Admission {
  readonly carries: 'requests' | 'bytes';
  /** Why nobody gets in; absent where somebody may. */
  readonly refusal?: string;
  /** In words, in the order of the filters. */
  readonly limits: readonly string[];
}

/** Tells a rule of a policy by Envoy's name of it; undefined for a rule that no policy has. */
export type RuleWords = (name: string) => { readonly label: string; readonly words: string } | undefined;

/** Reads the filters of a chain. */
export function admissionOf(chain: Chain, wordsOf: RuleWords): Admission {
  const limits: string[] = [];
  let carries: Admission['carries'] = 'bytes';
  const refused = (refusal: string): Admission => ({ carries, refusal, limits });
  if (chain.gap !== undefined) return refused(unknownAt(chain.gap));
  for (const filter of chain.filters) {
    if (filter.kind === 'tcp') return { carries, limits };
    if (filter.kind === 'unknown') return refused(unknownAt(filter.at.path.join('.')));
    if (filter.kind === 'http') {
      carries = 'requests';
      const refusal = readManager(filter.manager, wordsOf, limits);
      return refusal === undefined ? { carries, limits } : refused(refusal);
    }
    if (filter.kind === 'sni-cluster') continue;
    if (filter.kind === 'authorizer') {
      limits.push(askedOf(filter.authorizer, 'connections'));
      continue;
    }
    const words = ({ name, condition }: AccessRule): string => {
      const { label, words: wholly } = wordsOf(name) ?? { label: name, words: 'anything' };
      const onBytes = describe(condition);
      if (onBytes !== 'anything' || wholly === 'anything') return `${label} (${onBytes})`;
      return `${label} (${wholly}): its conditions about HTTP requests are ignored for connections`;
    };
    const refusal = filter.access.rules && readRules(filter.access.rules, words, 'connection', limits);
    if (refusal !== undefined) return refused(refusal);
  }
  return refused('connections are closed');
}

/** Adds what the filters ask to the limits; why nobody gets in. */
function readManager(manager: HttpManager, wordsOf: RuleWords, limits: string[]): string | undefined {
  if (manager.gap !== undefined) return unknownAt(manager.gap);
  for (const filter of manager.filters) {
    const refusal = readFilter(filter, wordsOf, limits);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function readFilter(filter: HttpFilter, wordsOf: RuleWords, limits: string[]): string | undefined {
  if (filter.kind === 'unknown') {
    limits.push(`what ${filter.gap} does to them is not known`);
    return undefined;
  }
  if (filter.gap !== undefined) return unknownAt(filter.gap);
  if (filter.kind === 'jwt') {
    const issuers = filter.providers.map(({ issuer }) => (issuer === '' ? 'any issuer' : issuer));
    limits.push(`a token, if there is one, must be valid and of ${issuers.join(' or ')}`);
    return undefined;
  }
  if (filter.kind === 'authorizer') {
    limits.push(askedOf(filter.authorizer, 'requests'));
    return undefined;
  }
  if (filter.kind === 'fault' && filter.fault !== undefined) {
    limits.push(`a share of the requests is answered with ${filter.fault.status}`);
    return undefined;
  }
  const rules = filter.kind === 'rbac' ? filter.access.rules : undefined;
  if (rules === undefined) return undefined;
  // Rules that come with the token filter are part of what makes a token valid.
  const own = rules.rules.filter(({ name }) => !name.startsWith('ns[]-'));
  if (own.length === 0 && rules.rules.length > 0) return undefined;
  const words = ({ name, condition }: AccessRule): string => {
    const known = wordsOf(name);
    return `${known?.label ?? name} (${known?.words ?? describe(condition)})`;
  };
  return readRules({ ...rules, rules: own }, words, 'request', limits);
}

function askedOf({ name, condition }: Authorizer, what: 'requests' | 'connections'): string {
  const which = condition === undefined ? what : `${what} that match its CUSTOM policies`;
  return `the external authorizer ${name} is asked about ${which}`;
}

/** A sentence has the words of so many rules. */
const told = 2;

function readRules(
  { action, rules }: AccessRules,
  wordsOf: (rule: AccessRule) => string,
  what: 'request' | 'connection',
  limits: string[],
): string | undefined {
  const gap = rules.find((rule) => rule.gap !== undefined)?.gap;
  if (gap !== undefined) return unknownAt(gap);
  const always = rules.find(({ condition }) => isAlways(condition));
  const some = [...rules.slice(0, told).map(wordsOf), ...(rules.length > told ? [`${rules.length - told} more`] : [])];
  if (action === 'LOG') return undefined;
  if (action === 'DENY') {
    if (always !== undefined) return `every ${what} is denied by ${wordsOf(always)}`;
    if (rules.length > 0) limits.push(`each ${what} that matches ${some.join(', or ')} is denied`);
    return undefined;
  }
  if (rules.length === 0) return `ALLOW policies apply, and no rule of theirs can match a ${what} here`;
  if (always === undefined) limits.push(`the ${what} must match ${some.join(', or ')}`);
  return undefined;
}

/** Whether a condition holds for whatever comes. */
function isAlways(condition: Condition): boolean {
  if (condition.kind === 'any') return true;
  if (condition.kind === 'all') return condition.of.every(isAlways);
  return condition.kind === 'some' && condition.of.some(isAlways);
}

function unknownAt(path: string): string {
  return `not known: ${path} of the configuration is not understood`;
}
