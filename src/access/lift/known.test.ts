import { describe, expect, test } from 'vitest';
import { isEnum, lookupType } from '../../envoy/api/schema.ts';
import { bearingOf, knownFields } from './known.ts';

describe('the table of known fields', () => {
  test.each([...knownFields()])('names fields alone that %s has', (type, fields) => {
    const schema = lookupType(type);
    if (isEnum(schema)) throw new Error(`${type} is an enum`);
    expect(Object.keys(schema.fields)).toEqual(expect.arrayContaining([...fields.keys()]));
  });

  test('does not know a field or a message without a row', () => {
    expect(bearingOf('envoy.config.rbac.v3.Policy', 'condition')).toBeUndefined();
    expect(bearingOf('envoy.extensions.filters.http.lua.v3.Lua', 'default_source_code')).toBeUndefined();
  });
});
