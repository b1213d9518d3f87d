import { describe, expect, test } from 'vitest';
import { Fragment } from '../../envoy/api/fragment.ts';
import { isEnum, lookupType } from '../../envoy/api/schema.ts';
import { bearingOf, knownFields } from './known.ts';
import { Gaps, Message } from './message.ts';
import { unmodelledFields } from './unmodelled.ts';

describe('the table of known fields', () => {
  test.each([...knownFields()])(
    "has a row for each field that %s has in Envoy's schema, and no other",
    (type, fields) => {
      const schema = lookupType(type);
      if (isEnum(schema)) throw new Error(`${type} is an enum`);
      expect([...fields.keys()].sort()).toEqual(Object.keys(schema.fields).sort());
    },
  );

  test('calls no field two things', () => {
    const rowsOf = (type: string): number => knownFields().get(type)?.size ?? 0;
    for (const [type, text] of Object.entries(unmodelledFields)) {
      const unmodelled = text.split(' ');
      const understood = [...(knownFields().get(type)?.values() ?? [])].filter((bearing) => bearing !== 'unmodelled');
      expect(understood.length + unmodelled.length, type).toBe(rowsOf(type));
    }
  });

  test('does not know a message without rows', () => {
    expect(bearingOf('envoy.extensions.filters.http.lua.v3.Lua', 'default_source_code')).toBeUndefined();
  });

  test.each(
    [...knownFields()].flatMap(([type, fields]) =>
      [...fields].flatMap(([field, bearing]) => (bearing === 'unmodelled' ? [[type, field] as const] : [])),
    ),
  )('makes a gap of %s with %s', (type, field) => {
    const gaps = new Gaps();
    new Message(type, new Fragment({ [field]: {} }), gaps);
    expect(gaps.first).toBe(field);
  });
});
