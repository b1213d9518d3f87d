import type { CoveredMesh, RuleName, WrittenRule } from '../access/suite/coverage/covered-mesh.ts';
import { createLocator } from '../compiler/render/origins-json.ts';
import { rulePredicates } from '../compiler/rule-predicates.ts';
import type { Snapshot } from '../compiler/snapshot.ts';
import { formatPath } from '../diagnostics/json-path.ts';
import type { JsonPath } from '../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../policy/authorization-policy.ts';
import type { SourceFile } from '../source/document.ts';

/** The policies of a mesh, and their rules, for its coverage. `files` are the inputs. */
export function writtenPolicies(
  snapshot: Snapshot,
  files: readonly SourceFile[],
): Pick<CoveredMesh, 'policies' | 'ruleOf'> {
  const key = ({ namespace, name }: Pick<RuleName, 'namespace' | 'name'>): string => `${namespace}/${name}`;
  const policies = new Map(snapshot.policies.authorizationPolicies.map((policy) => [key(policy), policy]));
  const locate = createLocator(files);
  const { authorizationPolicies, peerAuthentications, requestAuthentications } = snapshot.policies;
  return {
    policies: [...authorizationPolicies, ...peerAuthentications, ...requestAuthentications].map((policy) => ({
      ...fieldAt(policy, ['metadata', 'name'], locate).field,
      field: '',
    })),
    ruleOf: (rule, place) => {
      const policy = policies.get(key(rule));
      if (policy?.spec.rules?.[rule.index] === undefined) return undefined;
      return {
        predicates: rulePredicates(policy, rule.index, place, snapshot.settings),
        fieldAt: (path) => fieldAt(policy, path, locate),
      };
    },
  };
}

function fieldAt(
  policy: Pick<AuthorizationPolicy, 'namespace' | 'name' | 'document'> & { readonly kind: string },
  path: JsonPath,
  locate: ReturnType<typeof createLocator>,
): ReturnType<WrittenRule['fieldAt']> {
  const { kind, namespace, name, document } = policy;
  const span = document.spanOf(path);
  const field = { kind, namespace, name, field: formatPath(path), file: span.file, ...locate(span) };
  return { field, value: textAt(policy, path) };
}

function textAt(policy: object, path: JsonPath): string {
  let found: unknown = policy;
  for (const step of path) found = (found as Readonly<Record<string | number, unknown>> | undefined)?.[step];
  return typeof found === 'string' ? found : '';
}
