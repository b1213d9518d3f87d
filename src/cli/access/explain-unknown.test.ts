import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh } from './testing/httpbin-mesh.ts';

const policy = (action: string, rules: readonly string[]): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: by-id, namespace: foo}
spec: {selector: {matchLabels: {app: httpbin}}, action: ${action}, rules: [${rules.join(', ')}]}
`;
const id = 'when: [{key: "request.headers[x-request-id]", values: [a]}]';
const other = 'when: [{key: "request.headers[x-request-id]", notValues: [a]}]';
const onPath = (condition: string): string => `{to: [{operation: {paths: [/a]}}], ${condition}}`;
const get = '{to: [{operation: {methods: [GET]}}]}';

const ask = async (path: string, action: string, ...rules: readonly string[]) => {
  const { out } = await run(
    `explain - --from foo/sleep --to httpbin:8000 --path ${path}`,
    httpbinMesh + policy(action, rules),
  );
  return out;
};

describe('a rule by a header whose value only the proxy knows', () => {
  test.each([
    ['ALLOW', [onPath(id)], /^403 rbac_access_denied_matched_policy\[none\]/],
    ['ALLOW', [onPath(other)], /^403 rbac_access_denied_matched_policy\[none\]/],
    ['ALLOW', [onPath(id), get], /^reaches foo\/httpbin\n/],
    ['DENY', [onPath(id)], /^reaches foo\/httpbin\n/],
    ['DENY', [onPath(id), get], /^403 rbac_access_denied_matched_policy\[ns\[foo\]-policy\[by-id\]-rule\[1\]\]/],
  ])('decides nothing of a request with another path: %s %j', async (action, rules, verdict) => {
    const out = await ask('/b', action, ...rules);
    expect(out).toMatch(verdict);
    // What it has of the header is not known, so nobody knows how much it is short of.
    expect(out).not.toContain('condition short');
  });

  test.each(['ALLOW', 'DENY'])(
    'makes a request that meets the rest of it unknown, and is named: %s',
    async (action) => {
      for (const condition of [id, other]) {
        expect(await ask('/a', action, onPath(condition), get)).toMatch(
          /^unknown: .*: the value of the header x-request-id, which ns\[foo\]-policy\[by-id\]-rule\[0\] compares\n/,
        );
      }
    },
  );
});
