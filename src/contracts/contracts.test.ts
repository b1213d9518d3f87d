import { describe, expect, test } from 'vitest';
import { readMeshFile } from './mesh-file.ts';
import { noOrigins, readOriginsFile } from './origins-file.ts';

describe('readOriginsFile', () => {
  test('reads what was written', () => {
    expect(readOriginsFile(JSON.stringify(noOrigins))).toEqual(noOrigins);
  });

  test.each(['{"format": 2, "listeners": {}}', '{"listeners": {}, "routes": {}, "clusters": {}}', 'null', '[]'])(
    'refuses %s, which has another format',
    (text) => {
      expect(() => readOriginsFile(text)).toThrow(/^origins\.json has the format .*, expected 1: compile again$/);
    },
  );
});

describe('readMeshFile', () => {
  test('refuses a mesh.json of another format', () => {
    expect(() => readMeshFile('{"format": 0}')).toThrow('mesh.json has the format 0, expected 1');
  });

  test.each(['', '{"format": 1, "workl', 'format: 1'])(
    'says of "%s", which is no JSON, which file it is, what was expected and what to do',
    (text) => {
      expect(() => readMeshFile(text)).toThrow(
        /^mesh\.json is not JSON \(.+\), expected a document of format 1: compile again$/,
      );
    },
  );
});
