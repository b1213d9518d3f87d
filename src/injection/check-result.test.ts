import { describe, expect, test } from 'vitest';
import { containersOf } from './pod.ts';
import { givenPod, givenSettings, injectedPod, injectGiven } from './testing/given-pod.ts';

describe('an injected pod', () => {
  test.each([
    [
      'is on the network of its node',
      'own',
      'spec: {hostNetwork: true}\n',
      /own": it puts the pod on its node's network/,
    ],
    ['lacks its proxy', 'sidecar', 'spec: {containers: []}\n', /sidecar": it leaves no container "mesh-proxy"/],
    [
      'lacks its redirection',
      'sidecar',
      'spec: {containers: [{name: mesh-proxy, image: a}]}\n',
      /"mesh-init", which redirects traffic.*set "redirection: false"/,
    ],
  ])('is refused if it %s', (_, name, text, message) => {
    const templates = [{ name, file: { path: 'own.hbs', text } }];
    const names = name === 'sidecar' ? '[sidecar]' : `[sidecar, ${name}]`;
    const settings = givenSettings(`injection: {templates: ${names}}\n`, { templates });
    const diagnostics = [{ code: 'injection-template', message: expect.stringMatching(message) }];
    expect(injectGiven(givenPod(), settings)).toMatchObject({ kind: 'refused', diagnostics });
  });

  test('needs no redirection of its own where something else redirects, or for a template of another name', () => {
    const alone = 'spec: {containers: [{name: mesh-proxy, image: a}]}\n';
    for (const name of ['sidecar', 'own']) {
      const templates = [{ name, file: { path: 'own.hbs', text: alone } }];
      const redirection = name === 'own';
      const settings = givenSettings(`injection: {templates: [${name}], redirection: ${redirection}}\n`, { templates });
      const names = containersOf(injectedPod(givenPod(), settings), 'containers').map((container) => container.name);
      expect(names).toEqual(['web', 'mesh-proxy']);
    }
  });

  test.each([
    ['of a template', 'spec: {initContainers: ~, containers: ~, volumes: ~}\n', {}],
    ['of a template', 'spec: {containers: [{name: mesh-proxy, env: ~, securityContext: ~, args: }]}\n', {}],
    ['of the pod', 'spec: {}\n', { env: null, securityContext: null, volumeMounts: null, readinessProbe: null }],
  ])('has what our template says where fields %s are empty: %s', (_, text, part) => {
    const proxy = { name: 'mesh-proxy', image: 'auto', ...part };
    const app = { name: 'web', image: 'shop-web:1.0.0' };
    const pod = givenPod({ spec: { containers: [app, ...(Object.keys(part).length > 0 ? [proxy] : [])] } });
    const templates = [{ name: 'own', file: { path: 'own.hbs', text } }];
    const settings = givenSettings('injection: {templates: [sidecar, own]}\n', { templates });
    expect(injectedPod(pod, settings).spec).toEqual(injectedPod(givenPod()).spec);
  });
});
