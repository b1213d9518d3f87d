import type { AuthorizationRule, Operation, Source } from '../../policy/authorization-policy.ts';
import type { Rule } from '../rule.ts';

/** A dash too many makes two rules of one: who may come, and what may be done, each without the other. */
export const rule: Rule = {
  code: 'rule-in-two-halves',
  id: 'MP305',
  severity: 'warning',
  category: 'authorization',
  direction: 'widens',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'a rule with sources only, next to a rule with operations only',
  why: 'a request needs to match one of the rules only: these sources may do everything, and everybody may do these operations',
  hint: 'if both were meant together, write "from" and "to" into one rule: remove the dash before the second',
  check({ snapshot, report }) {
    for (const policy of snapshot.policies.authorizationPolicies) {
      const { action = 'ALLOW', rules = [] } = policy.spec;
      // Two halves of a DENY rule take more away than one whole; more than two rules are a list of alternatives.
      const halves = action === 'ALLOW' && rules.length === 2 ? rules.map(halfOf) : [];
      const [first, second] = halves;
      if (first === undefined || second === undefined || first === second) continue;
      // Some operations for everybody, the others for whoever has shown any identity: meant so.
      if (rules.some((rule, i) => halves[i] === 'from' && rule.from?.every(({ source }) => isAnyIdentity(source))))
        continue;
      if (rules.some((rule, i) => halves[i] === 'to' && rule.to?.every(({ operation }) => isPublic(operation))))
        continue;
      report({
        ...{ object: policy, path: ['spec', 'rules', 1, second], part: 'key' },
        message: `this rule has only "${second}", and the one before it only "${second === 'to' ? 'from' : 'to'}": a request needs to match only one of them`,
        related: [{ object: policy, path: ['spec', 'rules', 0], message: 'the other half' }],
      });
    }
  },
};

function halfOf({ from = [], to = [], when = [] }: AuthorizationRule): 'from' | 'to' | undefined {
  if (when.length > 0 || from.length > 0 === to.length > 0) return undefined;
  return from.length > 0 ? 'from' : 'to';
}

/** Asks for an identity, and not for which. */
function isAnyIdentity(source: Source): boolean {
  const values = Object.values(source).flat();
  return values.length > 0 && values.every((value) => value === '*');
}

/** Last words of paths that everybody may ask for: of probes, of metrics, of logging in. */
const publicWords =
  /^(?:health|healthz|healthcheck|livez?|liveness|ready|readyz|readiness|startupz?|ping|metrics|\.well-known|login|favicon\.ico|robots\.txt)$/i;
const publicFolders = /^\/(?:\.well-known|grpc\.health\.v1\.Health)\//;

/** Whether all of its paths are ones that are usually left open to everybody on purpose. */
function isPublic({ paths = [] }: Operation): boolean {
  return (
    paths.length > 0 &&
    paths.every(
      (path) =>
        publicFolders.test(path) ||
        publicWords.test(
          path
            .replace(/\/?\*$/, '')
            .split('/')
            .at(-1) ?? '',
        ),
    )
  );
}
