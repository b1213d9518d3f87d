import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { parse } from '../../../source/parse.ts';
import { validate } from '../../validate.ts';

/** What is said of a path that an HTTPRoute matches. */
function told(type: string, value: string) {
  const bag = new DiagnosticBag();
  const text = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: shop}
spec:
  parentRefs: [{name: edge}]
  rules: [{matches: [{path: {type: ${type}, value: ${JSON.stringify(value)}}}]}]
`;
  for (const document of parse([{ path: 'a.yaml', text }], bag)) validate(document, bag);
  return bag.all.map(({ code, severity, message, hint }) => ({ code, severity, message, hint }));
}

describe('the path of a match of an HTTPRoute', () => {
  test.each([
    ['/é', 'requests have "é" percent-encoded', 'write "/%C3%A9"'],
    ['/a b', 'requests have " " percent-encoded', 'write "/a%20b"'],
    ['/100%', 'requests have "%" percent-encoded', 'write "/100%25"'],
    ['/a%zz', 'requests have "%" percent-encoded', 'write "/a%25zz"'],
    ['/{id}', 'requests have "{" percent-encoded', 'write "/%7Bid%7D"'],
    ['/ſ', 'requests have "ſ" percent-encoded', 'write "/%C5%BF"'],
    ['/😀', 'requests have "😀" percent-encoded', 'write "/%F0%9F%98%80"'],
    ['/a b//c', 'repeated slashes are merged', undefined],
    ['a b', 'paths begin with "/"', undefined],
  ])('%s is one of no request', (path, reason, hint) => {
    const message = `no request has the path "${path}": ${reason}`;
    for (const type of ['Exact', 'PathPrefix']) {
      expect(told(type, path)).toEqual([{ code: 'path-of-no-request', severity: 'error', message, hint }]);
    }
  });

  test('may have every character that Kubernetes takes', () => {
    expect(told('PathPrefix', "/aZ09/-._~!$&'()*+,;=:@%C3%a9")).toEqual([]);
    expect(told('RegularExpression', '/[é ]+')).toEqual([]);
  });
});
