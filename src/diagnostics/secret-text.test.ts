import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from './bag.ts';
import { format } from './format.ts';
import { holdsKey, isInSecret, withoutQuotes } from './secret-text.ts';

describe('isInSecret', () => {
  const others = 'kind: A\n---\nkind: B\n';
  const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
spec: {listeners: [{tls: {certificateRefs: [{kind: Secret, name: a}]}}], b: "@"}
`;
  test.each([
    ['kind: Secret\ndata: @', true],
    ['data: @\nkind: Secret\n', true],
    ['{"kind": "Secret", "data": {"a": "@"}}', true],
    ['kind: List\nitems: [{kind: Secret}, {data: "@"}]', true],
    [`${others}---\nkind: 'Secret'\nstringData:\n  k: |\n    -----BEGIN KEY-----\n    @\n`, true],
    [`${others}---\nkind: Secret\n---\nkind: C\ndata: @\n`, false],
    ['kind: A\ndata: @\n---\nkind: Secret\n', false],
    ['kind: SealedSecret\ndata: @\n', false],
    [gateway, false],
    [`${gateway}data: {}\n`, true],
    [`${gateway}kind: Secret\n`, true],
    [`kind: List\n${gateway.replaceAll('\n', '\n  ')}`, true],
    [gateway.replace('gateway.networking.k8s.io/v1', 'v1'), true],
    ['kind: SecretClass\ndata: @\n', false],
  ])('of %j is %s', (marked, expected) => {
    expect(isInSecret(marked.replace('@', ''), marked.indexOf('@'))).toBe(expected);
  });
});

describe('holdsKey', () => {
  test.each([
    [`jwks: '{"keys": [{"kty": "oct", "k": "CANARY"}]}'`, true],
    [String.raw`jwks: "{\"keys\": [{\"kty\":\"EC\",\"d\":\"CANARY\"}]}"`, true],
    ['x: "-----BEGIN EC PRIVATE KEY-----', true],
    ['lightstep: {address: a, accessToken: CANARY}', true],
    [`jwks: '{"keys": [{"kty": "EC", "kid": "k", "x": "a"}]}'`, false],
    ['- {name: x, credentialName: secret}', false],
    ['forwardOriginalToken: ', false],
  ])('of %j is %s', (line, expected) => {
    expect(holdsKey(line)).toBe(expected);
  });
});

describe('withoutQuotes', () => {
  test.each([
    ['"data" is the text "CANARY", expected an object', '"data" is the text "…", expected an object'],
    ['"tls.key" is a list, expected a text', '"tls.key" is a list, expected a text'],
    ['"tls.key" is the number 12345, expected a text', '"tls.key" is the number …, expected a text'],
    ['"data" is the text "CAN"ARY", expected x', '"data" is the text "…", expected x'],
    ['unidentified alias "CANARY"', 'unidentified alias "…"'],
  ])('makes %j %j', (message, expected) => {
    expect(withoutQuotes(message)).toBe(expected);
  });
});

test.each(['text', 'json', 'github'] as const)('the form %s shows no line of a Secret, and names its place', (form) => {
  const text = 'kind: Secret\ndata: {tls.key: [CANARY]}\n';
  const bag = new DiagnosticBag();
  bag.report('yaml-syntax', { file: 'a.yaml', start: 29, end: 30 }, { reason: 'unidentified alias "CANARY"' });
  bag.report('merge-key', { file: 'a.yaml', start: 13, end: 40 }, {});
  const printed = format(bag.all, [{ path: 'a.yaml', text }], form);
  expect(printed).not.toContain('CANARY');
  expect(printed).toMatch(/a\.yaml/);
  expect(printed).toContain('unidentified alias');
});
