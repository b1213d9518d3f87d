import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serviceMesh } from '../cli/agent/testing/sample-mesh.ts';
import type { ProxyCompiler } from '../contracts/compile-result.ts';
import { bootstrapText } from '../contracts/proxy-files.ts';
import type { JwtRule } from '../policy/request-authentication.ts';
import { createCompileProxy } from './compile-proxy.ts';
import type { GoodState, ProxyInputs } from './proxy-inputs.ts';

const tokens = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: foo}
spec: {jwtRules: [{issuer: i, jwksUri: "https://issuer.example/keys"}]}
`;
const faulty = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: new, namespace: foo}
spec: {action: DENI}
`;

describe('the keys of inputs in force', () => {
  let folder: string;
  let compiler: ProxyCompiler;
  let good: GoodState | undefined;
  /** Issuers of the rules that keys were last kept for. */
  let kept: readonly (string | undefined)[];
  let keys: string;

  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const renew = (more: Partial<ProxyInputs> = {}): void => {
    compiler = createCompileProxy({
      settings: { environment: {}, meshConfig: { path: join(folder, 'mesh-config'), isRequired: true } },
      policies: [join(folder, 'mesh')],
      watched: [],
      templateFile: undefined,
      identity: { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined },
      role: 'sidecar',
      fallbackSecret: '',
      onAccept: (state) => {
        good = state;
      },
      keySets: {
        fetch: async (rules: readonly JwtRule[]) => {
          kept = rules.map(({ issuer }) => issuer);
        },
        find: () => ({ text: `{"keys":[{"kty":"oct","kid":"${keys}"}]}` }),
      },
      ...more,
    });
  };
  const kidsIn = (result: Awaited<ReturnType<ProxyCompiler['renew']>>): readonly string[] | undefined =>
    result === undefined || !('files' in result)
      ? undefined
      : [...new Set(result.files.listeners.text.match(/kid-\w+/g))];
  const bootstrapOf = (result: Awaited<ReturnType<ProxyCompiler['renew']>>): unknown =>
    result !== undefined && 'files' in result ? JSON.parse(bootstrapText(result.files.bootstrap)) : undefined;
  const takeGood = async (): Promise<void> => {
    const result = await compiler.compile();
    expect(kidsIn(result)).toEqual(['kid-old']);
    if ('accept' in result) result.accept?.();
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'renew-keys-'));
    mkdirSync(join(folder, 'mesh'));
    write('mesh-config', 'rootNamespace: mesh-system\n');
    write('mesh/topology.yaml', serviceMesh);
    write('mesh/tokens.yaml', tokens);
    keys = 'kid-old';
    kept = [];
    renew();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[string, () => void]>([
    ['a new policy is faulty', () => write('mesh/new.yaml', faulty)],
    ['a new file is no YAML', () => write('mesh/new.yaml', 'kind: [')],
    ['the mesh configuration is faulty', () => write('mesh-config', 'trustDomain: {}\n')],
    [
      'the mesh configuration names sources that are not supported',
      () => write('mesh-config', 'configSources: [{address: "k8s://"}]\n'),
    ],
    ['the folder of the inputs is gone', () => renameSync(join(folder, 'mesh'), join(folder, 'away'))],
    [
      'the policy of the keys is faulty, and another new one with it',
      () => write('mesh/tokens.yaml', `${tokens.replace('issuer: i', 'isuer: j')}---\n${faulty}`),
    ],
  ])('become those of now while %s', async (_, spoil) => {
    await takeGood();
    spoil();
    expect(kidsIn(await compiler.compile())).toBeUndefined();
    keys = 'kid-new';
    expect(kidsIn(await compiler.renew())).toEqual(['kid-new']);
    expect(kept).toEqual(['i']);
  });

  test.each<[string, () => void]>([
    ['nothing else changed', () => {}],
    ['a new policy is faulty', () => write('mesh/new.yaml', faulty)],
    ['the mesh configuration is another', () => write('mesh-config', 'defaultConfig: {serviceCluster: other}\n')],
    ['the mesh configuration is faulty', () => write('mesh-config', 'trustDomain: {}\n')],
    ['the mesh configuration is gone', () => rmSync(join(folder, 'mesh-config'))],
    ['a template is faulty', () => write('templates/listeners.json.hbs', '{{#if}}')],
    ['the override of the bootstrap is gone', () => rmSync(join(folder, 'override.yaml'))],
  ])('become those of now where another thread put the inputs in force, and %s', async (_, spoil) => {
    mkdirSync(join(folder, 'templates'));
    write('templates/listeners.json.hbs', readFileSync('templates/listeners.json.hbs', 'utf8'));
    write('override.yaml', 'stats_flush_interval: 7s\n');
    write('mesh-config', 'defaultConfig: {serviceCluster: first}\n');
    const more = { templateFile: join(folder, 'templates'), bootstrapOverride: join(folder, 'override.yaml') };
    renew(more);
    await takeGood();
    renew({ ...more, good: structuredClone(good) });
    spoil();
    await compiler.compile().catch(() => undefined);
    keys = 'kid-new';
    const renewed = await compiler.renew();
    expect(kidsIn(renewed)).toEqual(['kid-new']);
    expect(bootstrapOf(renewed)).toMatchObject({ node: { cluster: 'first' }, stats_flush_interval: '7s' });
  });

  test('are nothing where no policy wants keys that are fetched, or nothing is in force', async () => {
    expect(await compiler.renew()).toBeUndefined();
    write('mesh/tokens.yaml', '');
    const result = await compiler.compile();
    if ('accept' in result) result.accept?.();
    expect(await compiler.renew()).toBeUndefined();
  });
});
