import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from '../../testing/kubernetes/cluster.ts';
import type { Rule } from '../../testing/kubernetes/rights.ts';

/** What an account asked of an API server, as its audit log has it. */
export interface AuditedRequest {
  readonly isAllowed: boolean;
  readonly verb: string;
  readonly group: string;
  /** With its part, such as `pods/status`. */
  readonly resource: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

/**
 * All requests of an account (`namespace:name`) about resources. A server-side apply that made an object is also a request to
 * create it: the server asks its authorizer so, and its log does not tell.
 */
export function requestsOf(cluster: Cluster, account: string): readonly AuditedRequest[] {
  const lines = readFileSync(join(cluster.folder, 'audit.log'), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { user, verb, objectRef, annotations, responseStatus } = JSON.parse(line);
    if (user.username !== `system:serviceaccount:${account}` || objectRef?.resource === undefined) return [];
    const decision = annotations?.['authorization.k8s.io/decision'];
    // A request has a line before it is decided, too.
    if (decision === undefined) return [];
    const { apiGroup = '', resource: whole, subresource, name, namespace } = objectRef;
    const resource = subresource === undefined ? whole : `${whole}/${subresource}`;
    const request = { isAllowed: decision === 'allow', verb, group: apiGroup, resource, name, namespace };
    const hasMade = verb === 'patch' && responseStatus?.code === 201;
    return hasMade ? [request, { ...request, verb: 'create' }] : [request];
  });
}

/** One verb on one resource, and on one name where names are given: the least that a role can have. */
export interface Right {
  readonly text: string;
  /** Of a Role; undefined: in the whole cluster. */
  readonly namespace: string | undefined;
  /** That gives this right alone. */
  readonly rule: Rule;
  readonly covers: (request: AuditedRequest) => boolean;
}

interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

/** The rights of all roles in a manifest, each apart. */
export function rightsIn(manifest: string): readonly Right[] {
  return parseAllDocuments(manifest)
    .map((document) => document.toJS() as RoleObject)
    .flatMap(({ rules = [], metadata: { namespace } }) => rules.flatMap((rule) => rightsOf(rule, namespace)));
}

function rightsOf({ apiGroups, resources, resourceNames, verbs }: Rule, namespace: string | undefined): Right[] {
  const names = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({
          text: [verb, `${resource}.${group}`, name, namespace && `in ${namespace}`].filter(Boolean).join(' '),
          namespace,
          rule: {
            ...{ apiGroups: [group], resources: [resource], verbs: [verb] },
            ...(name !== undefined && { resourceNames: [name] }),
          },
          covers: (request: AuditedRequest) =>
            request.verb === verb &&
            request.group === group &&
            isMatch(resource, request.resource) &&
            (name === undefined || request.name === name) &&
            (namespace === undefined || request.namespace === namespace),
        })),
      ),
    ),
  );
}

function isMatch(resource: string, asked: string): boolean {
  if (!resource.startsWith('*')) return resource === asked;
  return resource === '*' ? !asked.includes('/') : asked.endsWith(resource.slice(1));
}
