import type { HeaderMatchIR, PermissionIR } from '../../ir/rbac.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import { canonicalAddress } from '../../topology/address.ts';
import { canonicalAuthority } from '../authority.ts';
import { bracketed } from '../names.ts';
import { allOf, someOf } from './combine.ts';
import type { RuleContext } from './context.ts';
import { patternOf, type Sense } from './pattern.ts';

type HostContext = Pick<RuleContext, 'isGateway'>;

/**
 * The request's host, in any case and with any port. Where a match gives access, the authority is one that everybody
 * reads alike, so that the host that the rule names is the one that the request is routed by; where it takes access away,
 * it holds against every spelling, and an authority that is none (empty, two hosts joined, with user information) matches
 * too.
 */
export function hostsMatch(values: readonly string[], sense: Sense, { isGateway = false }: HostContext): PermissionIR {
  // A port that is never there would leave the host open.
  const shown = sense === 'takes' && isGateway ? values.map((value) => withoutPort(value) ?? value) : values;
  const forms = shown.map((value) => formsOf(value, sense));
  const named = forms.filter((form) => form !== 'any').flat();
  if (named.length < 1 || forms.includes('any')) {
    return sense === 'takes' ? { kind: 'any' } : authority('present');
  }
  if (sense === 'takes') return someOf([...named, ...noHosts].map(authority));
  return allOf([authority(canonicalAuthority), someOf(named.map(authority))]);
}

/** The value of a rule without its port, or a beginning of one; undefined where it has none. */
function withoutPort(value: string): string | undefined {
  const host = /^((?:[^:[\]]|\[[^\]]*\])*):[0-9]*\*?$/.exec(value)?.[1];
  return host === '' ? '*' : host;
}

function authority(match: HeaderMatchIR['match']): PermissionIR {
  return { kind: 'header', name: ':authority', match };
}

const noHosts: readonly StringMatchIR[] = [
  { kind: 'exact', value: '' },
  { kind: 'contains', value: ',' },
  { kind: 'contains', value: '@' },
];

/** How an authority of the host looks. One that everybody reads alike has a colon before its port alone, and no final dot. */
function formsOf(value: string, sense: Sense): readonly StringMatchIR[] | 'any' {
  const pattern = patternOf(value);
  if (pattern.kind === 'any') return 'any';
  const form = (kind: StringMatchIR['kind'], text: string): StringMatchIR => ({ kind, value: text, ignoreCase: true });
  if (pattern.kind === 'prefix') return [form('prefix', pattern.text)];
  const isAddress = pattern.kind === 'exact' && canonicalAddress(pattern.text) !== undefined;
  const text = isAddress ? bracketed(pattern.text) : pattern.text;
  const [, host = '', port = ''] = /^(.*?)\.?(:\d+)?$/.exec(text) ?? [];
  const withPort = pattern.kind === 'exact' ? 'prefix' : 'contains';
  return (sense === 'takes' ? [host, `${host}.`] : [host]).flatMap((spelt) =>
    port === '' ? [form(pattern.kind, spelt), form(withPort, `${spelt}:`)] : [form(pattern.kind, spelt + port)],
  );
}
