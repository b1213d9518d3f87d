import { isPolicyKind } from '../compiler/collect.ts';
import type { PolicyChanges } from '../contracts/compile-result.ts';
import { compareStrings } from '../lib/sort.ts';
import type { MeshObject } from '../policy/object.ts';

type Objects = readonly MeshObject<string>[];

/** Which policies of `now` are other ones than `before`, by name. What the server adds (`status`, versions) is no change. */
export function policyChanges(before: Objects, now: Objects): PolicyChanges {
  const old = policiesOf(before);
  const current = policiesOf(now);
  const sorted = (names: Iterable<string>): readonly string[] => [...names].sort(compareStrings);
  const isOther = ([name, object]: readonly [string, MeshObject<string>]): boolean => {
    const other = old.get(name);
    return other !== undefined && other !== object && contentOf(other) !== contentOf(object);
  };
  return {
    added: sorted([...current.keys()].filter((name) => !old.has(name))),
    changed: sorted([...current].filter(isOther).map(([name]) => name)),
    removed: sorted([...old.keys()].filter((name) => !current.has(name))),
  };
}

function policiesOf(objects: Objects): ReadonlyMap<string, MeshObject<string>> {
  const policies = objects.filter(({ kind }) => isPolicyKind(kind));
  return new Map(policies.map((policy) => [`${policy.kind} ${policy.namespace}/${policy.name}`, policy]));
}

function contentOf({ document, labels, annotations }: MeshObject<string>): string {
  return JSON.stringify([document.value.spec, labels, annotations]);
}
