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

describe('a document of the right format that somebody edited', () => {
  test.each([
    ['{"format": 1}', 'mesh.json has nothing at "trustDomain", expected a string: compile again'],
    [
      '{"format": 1, "trustDomain": "a", "trustDomainAliases": [], "capture": {}, "workloads": 5, "services": []}',
      'mesh.json has 5 at "workloads", expected a list of objects: compile again',
    ],
    [
      '{"format": 1, "trustDomain": "a", "trustDomainAliases": [], "capture": {}, "workloads": [], "services": [null]}',
      'mesh.json has [null] at "services", expected a list of objects: compile again',
    ],
  ])('is refused by readMeshFile: %s', (text, message) => {
    expect(() => readMeshFile(text)).toThrow(message);
  });

  test.each([
    ['{"format": 1}', 'origins.json has nothing at "listeners", expected a map of lists: compile again'],
    [
      '{"format": 1, "listeners": {}, "routes": {"a": {}}, "clusters": {}}',
      'origins.json has {"a":{}} at "routes", expected a map of lists: compile again',
    ],
  ])('is refused by readOriginsFile: %s', (text, message) => {
    expect(() => readOriginsFile(text)).toThrow(message);
  });
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
