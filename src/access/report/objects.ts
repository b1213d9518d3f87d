import type { DecidingField } from '../../contracts/origins-file.ts';

/** A field of an object and its place, for people. */
export function objectOf({ kind, namespace, name, field, file, line }: DecidingField): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return [`${kind} ${namespace === '' ? name : `${namespace}/${name}`}`, ...(field === '' ? [] : [field])]
    .join(' ')
    .concat(`, ${place}`);
}

/** Several of them, with what they overrode; empty where a default decided. */
export function decision(decidedBy: readonly DecidingField[], overrode: readonly DecidingField[] = []): string {
  const by = decidedBy.length === 0 ? '' : `, by ${decidedBy.map(objectOf).join('; ')}`;
  return overrode.length === 0 ? by : `${by}; overrides ${overrode.map(objectOf).join('; ')}`;
}
