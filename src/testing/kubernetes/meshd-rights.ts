import type { Grant, Rule } from './rights.ts';

const core = (resource: string, verbs: readonly string[], ...resourceNames: readonly string[]): Rule => ({
  ...{ apiGroups: [''], resources: [resource], verbs },
  ...(resourceNames.length > 0 && { resourceNames }),
});
const follow = ['get', 'list', 'watch'];

/** What the reference page of `meshd serve` says it needs, beside the kinds that it follows. */
export const meshdGrants: readonly Grant[] = [
  {
    name: 'meshd',
    rules: [
      core('namespaces', follow),
      core('configmaps', [...follow, 'patch'], 'istio-ca-root-cert'),
      core('configmaps', ['create']),
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    ],
  },
  {
    name: 'meshd',
    namespace: 'mesh-system',
    rules: [
      core('secrets', [...follow, 'update'], 'cacerts', 'istio-ca-secret'),
      core('secrets', ['create']),
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
    ],
  },
];
