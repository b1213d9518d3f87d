import { eventually } from '../eventually.ts';
import type { Cluster } from './cluster.ts';

/** Of a Role, as its object has it. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A right that takes effect: in the named namespace, or without one in the whole cluster. */
export interface Grant {
  readonly name: string;
  readonly namespace?: string;
  readonly rules: readonly Rule[];
}

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Makes a namespace and a service account in it, where they are not there yet. */
export async function makeAccount({ api }: Cluster, namespace: string, account: string): Promise<void> {
  for (const [path, name] of [
    ['/api/v1/namespaces', namespace],
    [`/api/v1/namespaces/${namespace}/serviceaccounts`, account],
  ] as const) {
    const { status, body } = await api.ask('POST', path, { metadata: { name } });
    if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${body?.message}`);
  }
}

/** Gives a service account (`namespace/name`) rights, by a role and a binding of the same name. */
export async function grant({ api }: Cluster, account: string, { name, namespace, rules }: Grant): Promise<void> {
  const [of = '', accountName = ''] = account.split('/');
  const [kind, path] = pathOf(namespace);
  const subjects = [{ kind: 'ServiceAccount', name: accountName, namespace: of }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  await api.must('POST', `${path}roles`, { metadata: { name }, rules });
  await api.must('POST', `${path}rolebindings`, { metadata: { name }, subjects, roleRef });
  await decided(api, namespace);
}

/** Takes them away again. */
export async function revoke({ api }: Cluster, { name, namespace }: Pick<Grant, 'name' | 'namespace'>): Promise<void> {
  const [, path] = pathOf(namespace);
  await api.must('DELETE', `${path}rolebindings/${name}`);
  await api.must('DELETE', `${path}roles/${name}`);
  await decided(api, namespace);
}

let rightsSeen = 0;

/**
 * Ends when the API server decides by all changes of rights so far. It follows its own roles and bindings a moment later, each
 * kind in its order: a right of the same kind that is made now takes effect after them.
 */
async function decided(api: Cluster['api'], namespace: string | undefined): Promise<void> {
  const [kind, path] = pathOf(namespace);
  const name = `seen-${++rightsSeen}`;
  const rules = [{ apiGroups: ['seen.mesh.io'], resources: ['rights'], verbs: ['get'] }];
  const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  await api.must('POST', `${path}roles`, { metadata: { name }, rules });
  await api.must('POST', `${path}rolebindings`, { metadata: { name }, subjects, roleRef });
  const resourceAttributes = { group: 'seen.mesh.io', resource: 'rights', verb: 'get', namespace };
  const review = { spec: { user: name, resourceAttributes } };
  await eventually(async () => {
    const { status } = await api.must('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review);
    if (status?.allowed !== true) throw new Error(`the API server does not know the right of ${name} yet`);
  });
  await api.must('DELETE', `${path}rolebindings/${name}`);
  await api.must('DELETE', `${path}roles/${name}`);
}

function pathOf(namespace: string | undefined): readonly [kind: string, path: string] {
  return namespace === undefined ? ['ClusterRole', `${rbac}/cluster`] : ['Role', `${rbac}/namespaces/${namespace}/`];
}
