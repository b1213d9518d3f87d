import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { validateConfiguration } from './validate-configuration.ts';

describe('validateConfiguration', () => {
  test.each([
    ['MeshConfig', 'trustDomain: example.com\ndefaultConfig: {proxyAdminPort: 15000}\nenableAutoMtls: true', []],
    ['MeshConfig', 'trustDomian: example.com', ['unknown-field']],
    ['MeshConfig', 'outboundTrafficPolicy: {mode: ALLOW}', ['unknown-enum-value']],
    ['MeshConfig', 'connectTimeout: 10', ['wrong-type']],
    ['ProxyConfig', 'drainDuration: 45s\nproxyMetadata: {A: b}\nstatusPort: 0', []],
    ['ProxyConfig', 'concurrency: -1', ['value-out-of-range']],
  ] as const)('checks a %s: %s', (kind, text, expected) => {
    const bag = new DiagnosticBag();
    for (const document of parse([{ path: 'a.yaml', text }], bag)) validateConfiguration(kind, document, bag);
    expect(bag.all.map(({ code }) => code)).toEqual(expected);
  });
});
