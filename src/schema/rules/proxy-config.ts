import type { ProxyConfig } from '../../policy/proxy-config.ts';
import type { Report, Rule } from '../rule.ts';

/** What only an injector could act on: a running proxy has its image, and its environment. */
export const proxyConfigRules: readonly Rule<ProxyConfig>[] = [warnOfInjection];

function warnOfInjection({ namespace, name, spec }: ProxyConfig, report: Report): void {
  const variables = Object.keys(spec.environmentVariables ?? {}).filter((key) => !key.startsWith('MESH_META_'));
  const fields = [
    ...(spec.image?.imageType === undefined ? [] : ['image.imageType']),
    ...variables.sort().map((key) => `environmentVariables.${key}`),
  ];
  if (fields.length === 0) return;
  const path = ['spec', variables.length === fields.length ? 'environmentVariables' : 'image'];
  const holes = { name: `${namespace}/${name}`, fields: fields.map((field) => `"${field}"`).join(', ') };
  report('proxy-config-for-injection', path, holes, { part: 'key' });
}
