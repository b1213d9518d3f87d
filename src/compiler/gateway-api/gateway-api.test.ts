import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { createAnalyser } from '../analyse.ts';
import { createObjectReader } from '../read-objects.ts';
import { gateway, listener, route, to } from './testing/standard-objects.ts';

const service = (name: string, more = ''): string => `apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: infra}
spec: {clusterIP: 10.96.0.1, selector: {app: a}, ports: [{name: http, port: 8080}${more}]}
`;

const mesh = (texts: Readonly<Record<string, string>>) =>
  Object.entries({
    gateway: gateway(listener('one', ', hostname: a.example.com'), listener('two', ', hostname: b.example.com')),
    v1: service('v1'),
    a: route('infra/a', [`{${to('v1')}}`], { hostnames: ['a.example.com'] }).slice(4),
    b: route('infra/b', [`{${to('v2')}}`], { hostnames: ['b.example.com'] }).slice(4),
    ...texts,
  }).map(([path, text]) => ({ path, text }));

describe('createStandard', () => {
  test('makes the same objects as before for listeners and routes that mean the same, and others where they do not', () => {
    const [read, analyse] = [createObjectReader(), createAnalyser(defaultSettings)];
    const madeOf = (texts: Readonly<Record<string, string>>) => {
      const bag = new DiagnosticBag();
      const policies = analyse(read(mesh(texts), bag), bag)?.policies;
      expect(bag.hasErrors).toBe(false);
      return { gateways: policies?.gateways ?? [], routes: policies?.virtualServices ?? [] };
    };
    const first = madeOf({});
    expect(first.routes.map(({ spec }) => [spec.hosts, spec.http?.[0]?.directResponse?.status])).toEqual([
      [['a.example.com'], undefined],
      [['b.example.com'], 500],
    ]);
    const unrelated = madeOf({ v3: service('v3') });
    expect(unrelated.gateways.map((it, i) => it === first.gateways[i])).toEqual([true, true]);
    expect(unrelated.routes.map((it, i) => it === first.routes[i])).toEqual([true, true]);
    const withBackend = madeOf({ v2: service('v2') });
    expect(withBackend.gateways.map((it, i) => it === first.gateways[i])).toEqual([true, true]);
    expect(withBackend.routes.map((it, i) => it === first.routes[i])).toEqual([true, false]);
    expect(withBackend.routes[1]?.spec.http?.[0]?.directResponse).toBeUndefined();
  });
});
