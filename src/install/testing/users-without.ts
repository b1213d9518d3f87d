import { until } from '../../testbed/until.ts';
import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import type { AuditedRequest, Right } from './rights.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const reviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

interface User {
  readonly name: string;
  /** All that it may do. */
  readonly rights: readonly Right[];
}

/**
 * Which rights nobody would miss: the server's own authorizer lets somebody who has all the others make each of the recorded
 * requests that the right covers. Makes one user for each right, who has the rights but this one, and asks the server about it.
 */
export async function needlessRights(
  cluster: Cluster,
  rights: readonly Right[],
  requests: readonly AuditedRequest[],
): Promise<readonly string[]> {
  const asked = [...new Map(requests.map((request) => [JSON.stringify(request), request])).values()];
  const users = rights.map((right, i) => ({
    name: `without-${i}`,
    rights: rights.filter((other) => other !== right),
  }));
  await Promise.all(users.map((user) => grantAll(cluster, user)));
  const needless = await Promise.all(
    rights.map(async (right, i) => {
      const user = users[i] as User;
      await untilInForce(cluster, user, asked);
      const answers = await Promise.all(asked.filter(right.covers).map((request) => isAllowed(cluster, user, request)));
      return answers.every((answer) => answer) ? [right.text] : [];
    }),
  );
  return needless.flat();
}

/** By one role in the cluster, and one in each namespace of a Role. */
async function grantAll({ api }: Cluster, { name, rights }: User): Promise<void> {
  for (const namespace of new Set(rights.map((right) => right.namespace))) {
    const [kind, path] =
      namespace === undefined ? ['ClusterRole', `${rbac}/cluster`] : ['Role', `${rbac}/namespaces/${namespace}/`];
    const rules = rights.filter((right) => right.namespace === namespace).map(({ rule }) => rule);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }];
    await api.must('POST', `${path}roles`, { metadata: { name }, rules });
    await api.must('POST', `${path}rolebindings`, { metadata: { name }, roleRef, subjects });
  }
}

/** The authorizer learns of roles a moment later: until it lets the user do something by each role. */
async function untilInForce(cluster: Cluster, user: User, asked: readonly AuditedRequest[]): Promise<void> {
  for (const namespace of new Set(user.rights.map((right) => right.namespace))) {
    const [own, others] = [true, false].map((isOwn) =>
      user.rights.filter((right) => (right.namespace === namespace) === isOwn),
    ) as [Right[], Right[]];
    const sample = asked.find((request) => isCovered(request, own) && !isCovered(request, others));
    if (sample === undefined) throw new Error(`nothing was asked that the role in ${namespace} alone allows`);
    await until(async () => (await isAllowed(cluster, user, sample)) || undefined, {
      timeoutMs: 60_000,
      everyMs: 20,
      otherwise: async () => `${user.name} may not ${JSON.stringify(sample)}`,
    });
  }
}

function isCovered(request: AuditedRequest, rights: readonly Right[]): boolean {
  return rights.some(({ covers }) => covers(request));
}

async function isAllowed({ api }: Cluster, { name }: User, request: AuditedRequest): Promise<boolean> {
  const { verb, group, resource: whole, name: object, namespace } = request;
  const [resource = '', subresource] = whole.split('/');
  const resourceAttributes = { verb, group, resource, subresource, name: object, namespace };
  const groups = ['system:authenticated', 'system:serviceaccounts'];
  const { status } = await api.must('POST', reviews, { spec: { user: name, groups, resourceAttributes } });
  return status.allowed;
}
