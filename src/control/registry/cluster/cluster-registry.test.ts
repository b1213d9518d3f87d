import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiRequest, KubernetesApi } from '../../../kubernetes/api.ts';
import { KubernetesError } from '../../../kubernetes/kubernetes-error.ts';
import { ClusterRegistry, type ClusterRegistryOptions } from './cluster-registry.ts';

const oldService = { path: 'kubernetes/Service/foo/old', text: '{}' };

type Changes = Partial<Pick<ClusterRegistryOptions, 'gatewayApi' | 'namespaces'>>;

/** A registry of a server whose lists fail where the path has one of these parts; the others have no object. */
function follow(silent: readonly string[], changes: Changes = {}) {
  const asked = new Set<string>();
  const failing = new Set(silent);
  const api = {
    ask: async ({ path }: ApiRequest) => {
      asked.add(path);
      if ([...failing].some((part) => path.includes(part))) throw new KubernetesError('api-unreachable', 'no answer');
      return { metadata: { resourceVersion: '1' }, items: [] };
    },
    open: async () => new PassThrough(),
  };
  const options = {
    api: api as unknown as KubernetesApi,
    namespaces: [],
    slices: true,
    known: [oldService],
    ...changes,
  };
  const registry = new ClusterRegistry({ ...options, onProblem: () => undefined });
  let given: readonly string[] | undefined;
  void registry.follow(async () => {
    given = (await registry.look())?.files.map(({ path }) => path) ?? given;
  });
  onTestFinished(() => registry.close());
  return { given: () => given, failing, asked };
}

describe('ClusterRegistry, by the clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test.each(['/services', '/pods', '/endpointslices'])(
    'waits a minute for %s, and keeps what was in force',
    async (kind) => {
      const { given, failing } = follow([kind, '/services']);
      await vi.advanceTimersByTimeAsync(59_000);
      expect(given()).toBeUndefined();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(given()).toEqual([oldService.path]);
      failing.clear();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(given()).toEqual([]);
    },
  );

  test.each(['/authorizationpolicies', '/peerauthentications', '/gateways', '/sidecars', '/namespaces'])(
    'gives nothing without %s, however long that takes',
    async (kind) => {
      const { given, failing } = follow([kind]);
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(given()).toBeUndefined();
      failing.clear();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(given()).toEqual([]);
    },
  );

  test.each(['/gatewayclasses', '/httproutes', '/referencegrants'])(
    'gives nothing without %s, if the Gateway API is read',
    async (kind) => {
      const { given, failing } = follow([kind], { gatewayApi: true });
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(given()).toBeUndefined();
      failing.clear();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(given()).toEqual([]);
    },
  );

  test('reads all GatewayClasses, also where it reads the objects of one namespace, and none unless it is to', async () => {
    const group = '/apis/gateway.networking.k8s.io/v1';
    const standard = async (gatewayApi: boolean) => {
      const { asked } = follow([], { gatewayApi, namespaces: ['foo'] });
      await vi.advanceTimersByTimeAsync(1_000);
      const paths = [...asked].map((path) => path.replace(/\?.*/, ''));
      return paths.filter((path) => path.startsWith(group)).map((path) => path.slice(group.length));
    };
    expect(await standard(true)).toEqual([
      '/gatewayclasses',
      ...['gateways', 'httproutes', 'grpcroutes', 'tlsroutes', 'referencegrants'].map((it) => `/namespaces/foo/${it}`),
    ]);
    expect(await standard(false)).toEqual([]);
  });
});
