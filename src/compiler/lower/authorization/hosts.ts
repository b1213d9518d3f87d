import type { HeaderMatchIR, PermissionIR } from '../../ir/rbac.ts';
import type { StringMatchIR } from '../../ir/string-match.ts';
import { someOf } from './combine.ts';
import { patternOf, type Sense } from './pattern.ts';

/**
 * The request's host, in any case, with any port and with the dot of a fully qualified name. Where a match takes access
 * away, an authority that is none (empty, two hosts joined, with user information) matches too.
 */
export function hostMatch(value: string, sense: Sense): PermissionIR {
  const forms = formsOf(value);
  if (forms === 'any') return sense === 'takes' ? { kind: 'any' } : { ...authority, match: 'present' };
  const matches = sense === 'takes' ? [...forms, ...noHosts] : forms;
  return someOf<PermissionIR>(matches.map((match): HeaderMatchIR => ({ ...authority, match })));
}

const authority = { kind: 'header', name: ':authority' } as const;

const noHosts: readonly StringMatchIR[] = [
  { kind: 'exact', value: '' },
  { kind: 'contains', value: ',' },
  { kind: 'contains', value: '@' },
];

function formsOf(value: string): readonly StringMatchIR[] | 'any' {
  const pattern = patternOf(value);
  if (pattern.kind === 'any') return 'any';
  const form = (kind: StringMatchIR['kind'], text: string): StringMatchIR => ({ kind, value: text, ignoreCase: true });
  if (pattern.kind === 'prefix') return [form('prefix', pattern.text)];
  const isExact = pattern.kind === 'exact';
  const [, host = '', port] = /^(.*?)\.?(:\d+)?$/.exec(pattern.text) ?? [];
  if (port !== undefined) return [form(pattern.kind, host + port), form(pattern.kind, `${host}.${port}`)];
  const withPort = isExact ? 'prefix' : 'contains';
  return [
    form(pattern.kind, host),
    form(withPort, `${host}:`),
    form(pattern.kind, `${host}.`),
    form(withPort, `${host}.:`),
  ];
}
