import { describe, expect, test } from 'vitest';
import { type CaseProof, findingOf, formatProofRun } from './proof-report.ts';

const proofOf = (status: number, details: string, differences: readonly string[], predicted = 403) => ({
  workload: { namespace: 'shop', name: 'cart' },
  side: 'server',
  predicted: [
    { outcome: { kind: 'answered', status: predicted, details: 'rbac_access_denied_matched_policy[none]' }, steps: [] },
  ],
  seen: { status, opener: 0, details, chain: '', route: '', cluster: '' },
  differences,
});
const caseOf = (...proofs: readonly object[]): CaseProof =>
  ({ results: proofs.map((proof) => ({ proofs: [proof], gaps: [] })) }) as unknown as CaseProof;

const denied = (rule: string): string => `rbac_access_denied_matched_policy[${rule}]`;

describe('findingOf', () => {
  test('tells of what differs, whatever the number of the rule is', () => {
    const [one, other] = [
      caseOf(proofOf(403, denied('a'), ['details'])),
      caseOf(proofOf(403, denied('b'), ['details'])),
    ];
    expect(findingOf(one)).toBe(findingOf(other));
    expect(findingOf(one)).not.toBe(findingOf(caseOf(proofOf(200, 'via_upstream', ['details']))));
    expect(findingOf(one)).not.toBe(findingOf(caseOf(proofOf(403, denied('a'), ['details'], 401))));
  });

  test('tells of what two Envoys do in different ways, before all else', () => {
    const [allowed, refused] = [proofOf(200, 'via_upstream', []), proofOf(403, denied('a'), ['status'])];
    const changed = findingOf(caseOf(allowed, refused));
    expect(changed).toBe(findingOf(caseOf(allowed, proofOf(403, denied('b'), []))));
    expect(changed).not.toBe(findingOf(caseOf(refused, allowed)));
  });

  test('is silent where nothing differs', () => {
    expect(findingOf(caseOf(proofOf(403, denied('none'), [])))).toBeUndefined();
  });
});

test('formatProofRun escapes what would move the cursor in the name and the request of a case', () => {
  const proofCase = { name: 'a\nb\u001b[31m', place: { file: 'c\u202e.yaml', line: 1 }, written: { path: '/\u009b' } };
  const one = { proofCase, results: [{ proofs: [], gaps: ['g'] }] } as unknown as CaseProof;
  expect(
    formatProofRun({ envoys: ['envoy'], seed: undefined, cases: [one] })
      .split('\n')
      .slice(0, 2),
  ).toEqual([String.raw`NOT TRIED a\u000ab\u001b[31m (c\u202e.yaml:1)`, String.raw`  request: {"path":"/\u009b"}`]);
});
