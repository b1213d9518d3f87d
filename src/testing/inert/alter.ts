import { isEnum, lookupType } from '../../envoy/api/schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a message becomes; undefined: it stays. */
export type Change = (message: Json) => Json | undefined;

/** A copy of a message in which each message of the type `target` in it is changed, and how many were. */
export function alterAll(
  message: Json,
  type: string,
  target: string,
  change: Change,
): { readonly altered: Json; readonly count: number } {
  let count = 0;
  const walk = (value: Json, own: string): Json => {
    const schema = lookupType(own);
    if (isEnum(schema)) throw new Error(`${own} is an enum`);
    const entries = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
      const field = schema.fields[name];
      if (field === undefined) return [name, member];
      const each = (one: unknown): unknown => inner(one, field.type.replace(/^\./, ''));
      if (field.rule === 'repeated') return [name, (member as readonly unknown[]).map(each)];
      if (field.keyType === undefined) return [name, each(member)];
      return [name, Object.fromEntries(Object.entries(member as Json).map(([key, one]) => [key, each(one)]))];
    });
    const copy = Object.fromEntries(entries);
    const changed = own === target ? change(copy) : undefined;
    if (changed !== undefined) count++;
    return changed ?? copy;
  };
  const inner = (value: unknown, own: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (own !== 'google.protobuf.Any') return own.startsWith('google.protobuf.') ? value : walk(value as Json, own);
    const { '@type': url, ...rest } = value as Json;
    return { '@type': url, ...walk(rest, String(url).replace(/^.*\//, '')) };
  };
  return { altered: walk(message, type), count };
}
