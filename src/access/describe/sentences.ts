import type { Admission } from './admission.ts';

/** One way to reach a port. */
export interface WayIn extends Admission {
  readonly channel:
    | 'mutual TLS'
    | 'plain text'
    | 'own TLS'
    | 'TLS'
    | 'TLS with a client certificate'
    | 'TLS that is passed through';
}

/** Who is let in: one sentence for all ways that ask the same. */
export function sentencesOf(ways: readonly WayIn[]): readonly string[] {
  if (ways.length === 0) return ['nobody: no filter chain takes connections'];
  const groups = new Map<string, WayIn[]>();
  for (const way of ways) {
    const key = JSON.stringify([way.refusal, way.limits]);
    groups.set(key, [...(groups.get(key) ?? []), way]);
  }
  return [...groups.values()].map((group) => sentence(group, groups.size > 1));
}

function sentence(group: readonly WayIn[], isOneOfSeveral: boolean): string {
  const [first] = group;
  const { refusal, limits = [] } = first ?? {};
  const channels = [...new Set(group.map(({ channel }) => channelWords[channel]))].join(' or ');
  const what = group.every(({ carries }) => carries === 'requests') ? 'HTTP requests' : 'connections';
  if (refusal !== undefined) return isOneOfSeveral ? `${what} ${channels}: nobody: ${refusal}` : `nobody: ${refusal}`;
  const conditions = limits.length === 0 ? '' : `; ${limits.join('; ')}`;
  return `${what} of any client ${channels}${conditions}`;
}

const channelWords: Readonly<Record<WayIn['channel'], string>> = {
  'mutual TLS': 'with mutual TLS of the mesh',
  'plain text': 'in plain text',
  'own TLS': "with the application's own TLS",
  TLS: 'with TLS',
  'TLS with a client certificate': 'with TLS and a client certificate',
  'TLS that is passed through': 'with TLS that is passed through',
};
