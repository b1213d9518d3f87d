import { describe, expect, test } from 'vitest';
import { knownFields } from '../../access/lift/known.ts';
import { alterations, deciding } from './alterations.ts';

describe('alterations', () => {
  test('have another value of each field that is called inert, and of one that decides', () => {
    const inert = [...knownFields()].flatMap(([type, fields]) =>
      [...fields].flatMap(([field, bearing]) => (bearing === 'inert' ? [`${type}.${field}`] : [])),
    );
    const altered = Object.entries(alterations).flatMap(([type, fields]) =>
      Object.keys(fields).map((field) => `${type}.${field}`),
    );
    expect(altered.sort()).toEqual([...inert, `${deciding.type}.${deciding.field}`].sort());
  });
});
