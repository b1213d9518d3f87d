import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import type { Fixture } from './fixture.ts';

type Json = Readonly<Record<string, unknown>>;

/** Decides of one pod, entry or endpoint, which `what` names, whether it is removed. */
export type Choice = (what: string) => boolean;

/**
 * Choices that remove a fifth, a half, four fifths or all of what serves. Each name is decided by itself, so that the same
 * seed removes the same things, whatever else the files hold.
 */
export const removals = (): fc.Arbitrary<Choice> =>
  fc.record({ share: fc.constantFrom(0.2, 0.5, 0.8, 1), seed: fc.integer() }).map(({ share, seed }) => {
    return (what: string) => hashOf(`${seed} ${what}`) < share;
  });

/**
 * The files of a fixture without the pods, entries and endpoints that `goes` removes; of the other pods some become
 * unready.
 */
export function withFewerEndpoints({ files }: Pick<Fixture, 'files'>, goes: Choice): Fixture['files'] {
  return files.map(({ path, text, ...found }) => {
    const documents = (loadAll(text) as readonly (Json | null)[]).flatMap((it) => (it === null ? [] : fewer(it, goes)));
    const left = documents.map((it) => JSON.stringify(it)).join('\n---\n');
    return { ...found, path: path.replace(/\.json$/, '.yaml'), text: left };
  });
}

function fewer(object: Json, goes: Choice): readonly Json[] {
  const { kind, metadata } = object as { readonly kind?: string; readonly metadata?: Json };
  const name = `${kind} ${metadata?.namespace}/${metadata?.name}`;
  const without = (holder: Json, field: string, at = name): Json => {
    const list = holder[field];
    return Array.isArray(list) ? { ...holder, [field]: list.filter((_, i) => !goes(`${at} ${field} ${i}`)) } : holder;
  };
  switch (kind) {
    case 'List':
      return [{ ...object, items: (object.items as readonly Json[]).flatMap((item) => fewer(item, goes)) }];
    case 'WorkloadEntry':
      return goes(name) ? [] : [object];
    case 'Pod':
      return goes(name) ? [] : [goes(`${name} ready`) ? unready(object) : object];
    case 'ServiceEntry':
      return [{ ...object, spec: without(object.spec as Json, 'endpoints') }];
    case 'EndpointSlice':
      return goes(name) ? [] : [without(object, 'endpoints')];
    case 'Endpoints': {
      const { subsets } = without(object, 'subsets') as { readonly subsets?: readonly Json[] };
      const kept = subsets?.map((subset, i) => without(subset, 'addresses', `${name} ${i}`));
      return goes(name) ? [] : [{ ...object, ...(kept && { subsets: kept }) }];
    }
    default:
      return [object];
  }
}

function unready(pod: Json): Json {
  return { ...pod, status: { ...(pod.status as Json | undefined), conditions: [{ type: 'Ready', status: 'False' }] } };
}

/** From 0 to 1; the same for the same text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}
