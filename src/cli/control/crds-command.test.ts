import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { definedKinds } from '../../definitions/defined-kinds.ts';
import { runInProcess } from '../testing/run-in-process.ts';
import { runMeshd } from './meshd.ts';

const meshd = (line: string) => runInProcess(runMeshd, line);
const documents = (text: string): { readonly metadata: { readonly name: string } }[] =>
  parseAllDocuments(text).map((document) => document.toJS());

describe('meshd crds', () => {
  test('prints the same definitions as YAML and as JSON, and the same bytes each time', async () => {
    const yaml = await meshd('crds');
    expect(yaml).toMatchObject({ code: 0, stderr: '' });
    const json = await meshd('crds -o json');
    const { items } = JSON.parse(json.stdout);
    expect(documents(yaml.stdout)).toEqual(items);
    expect(items).toHaveLength(definedKinds.length);
    expect((await meshd('crds')).stdout).toBe(yaml.stdout);
  });

  test('prints the kinds that were chosen, each once and in the order of their names', async () => {
    const { stdout } = await meshd('crds virtualservice AuthorizationPolicy VirtualService');
    expect(documents(stdout).map(({ metadata }) => metadata.name)).toEqual([
      'authorizationpolicies.security.mesh.io',
      'virtualservices.networking.mesh.io',
    ]);
  });

  test.each([
    [
      'crds AuthorisationPolicy',
      /^meshd: no definition for "AuthorisationPolicy": did you mean "AuthorizationPolicy"\?/,
    ],
    ['crds Pod', /^meshd: no definition for "Pod": the kinds are AuthorizationPolicy, DestinationRule, /],
    ['crds -o xml', /Allowed choices are yaml, json/],
  ])('refuses %s', async (line, message) => {
    const { code, stderr, stdout } = await meshd(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
