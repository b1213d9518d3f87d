import { describe, expect, test } from 'vitest';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { StateTexts } from './state-texts.ts';

const policy = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: foo}
spec: {action: DENY, rules: [{}]}
`;
const secret = `apiVersion: v1
kind: Secret
metadata: {name: cert, namespace: foo}
type: kubernetes.io/tls
data: {tls.crt: c2VjcmV0, tls.key: c2VjcmV0}
`;
const other = 'kind: ConfigMap\nmetadata: {name: m}\ndata: {password: secret}\n';
const listOf = (...items: readonly string[]): string =>
  `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}`;

describe('StateTexts', () => {
  const texts = new StateTexts();
  const written = (text: string): string => {
    const files = [{ path: 'a.yaml', text }];
    const objects = createObjectReader()(files, new DiagnosticBag());
    return texts.of(files, objects)[0]?.text ?? '';
  };
  const namesIn = (text: string) =>
    createObjectReader()([{ path: 'a.yaml', text }], new DiagnosticBag()).map(
      ({ name, document }) => `${name}:${text.slice(0, document.start.start).split('\n').length}`,
    );

  test('are the unchanged texts of objects', () => {
    expect(written(policy)).toBe(policy);
    const two = `${policy}---\n${policy.replace('name: a', 'name: b')}`;
    expect(written(two)).toBe(two);
  });

  test.each([
    ['a Secret', `${secret}---\n${policy}`],
    ['what is no object', `${other}# secret\n---\n${policy}`],
    ['a comment before the first document', `# secret\n---\n${policy}`],
    ['a private key', `${policy}# -----BEGIN PRIVATE KEY-----\n# secret\n`],
  ])('are without %s, each on its line', (_name, text) => {
    const result = written(text);
    expect(result).not.toMatch(/secret|c2VjcmV0|PRIVATE/i);
    expect(namesIn(result)).toEqual(namesIn(text).filter((name) => !name.startsWith('cert')));
    expect(result.split('\n').length).toBeGreaterThanOrEqual(text.split('\n').length);
  });

  test('have only the valid objects of a list, without Secrets, on its first line', () => {
    expect(written(listOf(secret))).toMatch(/^\n*$/);
    const result = written(listOf(secret, policy, other));
    expect(result).not.toMatch(/secret|c2VjcmV0/i);
    expect(namesIn(result)).toEqual(['a:1']);
    expect(namesIn(written(listOf(policy, policy.replace('name: a', 'name: b'))))).toEqual(['a:1', 'b:1']);
  });
});
