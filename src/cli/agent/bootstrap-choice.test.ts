import { describe, expect, test } from 'vitest';
import { chooseBootstrap } from './bootstrap-choice.ts';

type Settings = Readonly<Record<'variable' | 'flag' | 'path' | 'custom' | 'override', string>>;

const choose = ({ variable, flag, path, custom, override }: Partial<Settings>) =>
  chooseBootstrap(
    { bootstrapTemplate: variable, bootstrapOverride: override },
    flag,
    { customConfigFile: custom ?? '', bootstrapTemplatePath: path ?? '' },
    'pod',
  );

describe('chooseBootstrap', () => {
  test.each<[string, Partial<Settings>, object]>([
    ['ours where nothing is named', {}, { mustValidate: false, unused: '', watched: ['pod/labels'] }],
    [
      'MESH_BOOTSTRAP before the flag and the configuration',
      { variable: 'v', flag: 'f', path: 'p' },
      { templateFile: 'v', unused: '--templateFile, proxyBootstrapTemplatePath', mustValidate: true },
    ],
    ['the flag before the configuration', { flag: 'f', path: 'p' }, { templateFile: 'f' }],
    [
      'the template of the configuration',
      { path: 'p' },
      { templateFile: 'p', unused: '', watched: ['p', 'pod/labels'] },
    ],
    [
      'customConfigFile before every template',
      { custom: 'c', variable: 'v', flag: 'f' },
      { templateFile: undefined, unused: 'MESH_BOOTSTRAP, --templateFile', mustValidate: true },
    ],
    [
      'an override beside any of them',
      { custom: 'c', override: 'o' },
      { override: 'o', watched: ['c', 'o', 'pod/labels'], mustValidate: true },
    ],
    ['an override of ours', { override: 'o' }, { override: 'o', templateFile: undefined, mustValidate: true }],
  ])('takes %s', (_, settings, expected) => {
    expect(choose(settings)).toMatchObject(expected);
  });
});
