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

/** All requests of an account (`namespace:name`) about resources. */
export function requestsOf(cluster: Cluster, account: string): readonly AuditedRequest[] {
  const lines = readFileSync(join(cluster.folder, 'audit.log'), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { user, verb, objectRef, annotations } = JSON.parse(line);
    if (user.username !== `system:serviceaccount:${account}` || objectRef?.resource === undefined) return [];
    const decision = annotations?.['authorization.k8s.io/decision'];
    // A request has a line before it is decided, too.
    if (decision === undefined) return [];
    const { apiGroup = '', resource, subresource, name, namespace } = objectRef;
    return {
      ...{
        isAllowed: decision === 'allow',
        verb,
        group: apiGroup,
        name,
        namespace,
      },
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    };
  });
}

/** One verb on one resource, which somebody may do. */
export interface Right {
  readonly text: string;
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
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({
        text: `${verb} ${resource}.${group} ${resourceNames?.join(' ') ?? ''} ${namespace ?? ''}`.trim(),
        covers: (request: AuditedRequest) =>
          request.verb === verb &&
          request.group === group &&
          isMatch(resource, request.resource) &&
          (resourceNames === undefined || resourceNames.includes(request.name ?? '')) &&
          (namespace === undefined || request.namespace === namespace),
      })),
    ),
  );
}

function isMatch(resource: string, asked: string): boolean {
  if (!resource.startsWith('*')) return resource === asked;
  return resource === '*' ? !asked.includes('/') : asked.endsWith(resource.slice(1));
}
