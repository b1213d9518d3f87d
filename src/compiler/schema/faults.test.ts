import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { policyCodes } from '../../diagnostics/catalogue/policy.ts';
import { lineAndColumn, lineStarts } from '../../diagnostics/span.ts';
import { parse } from '../source/parse.ts';
import { countSkipped, validate } from './validate.ts';

const codes = Object.keys(policyCodes);

/** Cases of fixtures/err, each named for its code with an optional suffix, and the place that is reported. */
const cases: readonly (readonly [name: string, place: string])[] = [
  ['action-without-rules', '7:11'],
  ['action-without-rules-custom', '7:11'],
  ['certificate-ignored', '16:7'],
  ['client-check-ignored', '24:106'],
  ['condition-without-name', '10:12'],
  ['conflicting-alias', '10:7'],
  ['conflicting-fields', '11:7'],
  ['conflicting-fields-credential', '12:7'],
  ['conflicting-fields-hash-keys', '11:9'],
  ['conflicting-fields-locality', '15:9'],
  ['conflicting-fields-mesh-mutual', '16:7'],
  ['conflicting-fields-service-account', '12:9'],
  ['conflicting-fields-service-entry', '9:3'],
  ['conflicting-fields-several-certificates', '17:7'],
  ['conflicting-fields-skip-verify', '12:7'],
  ['conflicting-fields-text-match', '13:9'],
  ['delegate-with-binding', '7:3'],
  ['deny-of-http-only', '9:5'],
  ['duplicate-cipher-suite', '17:34'],
  ['duplicate-export-to', '10:5'],
  ['duplicate-match', '13:7'],
  ['duplicate-port-name', '16:13'],
  ['duplicate-port-name-of-service-entry', '11:11'],
  ['empty-list', '9:5'],
  ['empty-list-servers', '7:3'],
  ['empty-object', '8:3'],
  ['empty-object-connection-pool', '9:5'],
  ['empty-object-fault', '13:5'],
  ['empty-object-port-level', '10:3'],
  ['empty-object-source', '10:7'],
  ['empty-value', '11:22'],
  ['empty-value-header-prefix', '13:19'],
  ['empty-value-token-param', '9:18'],
  ['fault-without-percentage', '11:7'],
  ['host-header-conflict', '16:11'],
  ['https-redirect-ignored', '17:7'],
  ['incomplete-client-certificate', '10:13'],
  ['incomplete-server-certificate', '15:13'],
  ['incomplete-server-certificate-mutual', '15:13'],
  ['invalid-base64', '13:16'],
  ['invalid-certificate-pin', '24:165'],
  ['invalid-dry-run', '7:23'],
  ['invalid-dry-run-of-other-kind', '7:22'],
  ['invalid-duration', '11:25'],
  ['invalid-duration-cors', '14:15'],
  ['invalid-duration-too-short', '10:17'],
  ['invalid-export-to', '9:5'],
  ['invalid-failover', '12:11'],
  ['invalid-gateway-host', '13:7'],
  ['invalid-gateway-host-namespace', '13:7'],
  ['invalid-gateway-reference', '10:5'],
  ['invalid-header-name', '10:15'],
  ['invalid-header-name-pseudo', '12:9'],
  ['invalid-header-name-set', '16:11'],
  ['invalid-header-name-token', '10:13'],
  ['invalid-header-value', '16:20'],
  ['invalid-header-value-token', '11:15'],
  ['invalid-host-name', '7:9'],
  ['invalid-host-name-destination', '12:15'],
  ['invalid-host-name-wildcard', '7:9'],
  ['invalid-ip-block', '11:20'],
  ['invalid-ip-block-of-condition', '11:16'],
  ['invalid-jwks', '9:11'],
  ['invalid-label', '7:11'],
  ['invalid-label-key', '11:7'],
  ['invalid-maglev-table-size', '13:22'],
  ['invalid-name', '4:9'],
  ['invalid-name-gateway', '4:9'],
  ['invalid-path-template', '11:17'],
  ['invalid-path-template-named', '11:17'],
  ['invalid-port', '11:5'],
  ['invalid-port-of-operation', '11:17'],
  ['invalid-port-zero', '11:5'],
  ['invalid-redirect-code', '12:21'],
  ['invalid-regex', '12:16'],
  ['invalid-regex-origin', '15:16'],
  ['invalid-regex-too-large', '12:16'],
  ['invalid-service-account', '11:27'],
  ['invalid-subset-name', '9:11'],
  ['invalid-timestamp', '6:22'],
  ['invalid-trust-domain-pattern', '11:24'],
  ['invalid-uri', '9:14'],
  ['local-origin-failures-not-split', '10:7'],
  ['locality-weight-total-not-100', '14:13'],
  ['mesh-wide-host', '8:5'],
  ['missing-field', '3:1'],
  ['missing-field-cookie-name', '11:9'],
  ['missing-field-host', '6:1'],
  ['missing-field-kind', '1:1'],
  ['missing-field-port-of-setting', '10:7'],
  ['missing-field-sni-hosts', '11:7'],
  ['missing-field-spec', '1:1'],
  ['missing-issuer', '8:5'],
  ['missing-one-of', '10:7'],
  ['missing-one-of-condition-values', '10:7'],
  ['missing-one-of-hash-keys', '10:7'],
  ['missing-one-of-redirect', '10:5'],
  ['missing-provider', '7:11'],
  ['mixed-export-to', '9:5'],
  ['nested-delegate', '8:5'],
  ['no-known-cipher-suite', '24:120'],
  ['overlapping-hosts', '9:5'],
  ['overlapping-localities', '15:17'],
  ['port-level-without-selector', '7:3'],
  ['private-key-in-jwks', '8:13'],
  ['provider-without-custom', '8:3'],
  ['repeated-header-name', '14:11'],
  ['repeated-port', '15:17'],
  ['repeated-subset', '12:11'],
  ['repeated-token-location', '11:7'],
  ['retries-disabled-with-options', '15:7'],
  ['route-action-conflict', '13:5'],
  ['route-action-conflict-fault', '12:5'],
  ['route-without-action', '10:5'],
  ['selector-without-labels', '7:3'],
  ['server-target-port-ignored', '22:52'],
  ['server-without-tls', '8:5'],
  ['skipped-kinds', '-'],
  ['sni-host-not-in-hosts', '12:9'],
  ['tls-on-plaintext-port', '15:7'],
  ['tls-on-plaintext-port-tcp', '14:5'],
  ['tls-versions-reversed', '24:155'],
  ['too-many-values', '11:26'],
  ['unknown-api-group', '1:13'],
  ['unknown-api-group-of-placeholder', '1:13'],
  ['unknown-capture-group', '13:18'],
  ['unknown-cipher-suite', '17:22'],
  ['unknown-condition-key', '10:12'],
  ['unknown-enum-value', '8:11'],
  ['unknown-enum-value-action', '7:11'],
  ['unknown-enum-value-of-the-original', '10:13'],
  ['unknown-field', '8:5'],
  ['unknown-field-at-the-root', '5:1'],
  ['unknown-field-in-metadata', '5:3'],
  ['unknown-field-in-pod-template', '8:7'],
  ['unknown-field-in-subset', '10:5'],
  ['unknown-field-misplaced', '7:3'],
  ['unknown-field-with-tilde', '9:5'],
  ['unknown-kind', '2:7'],
  ['unknown-kind-of-other-group', '2:7'],
  ['unknown-protocol', '11:17'],
  ['unknown-retry-condition', '15:16'],
  ['unreachable-route', '13:5'],
  ['unreadable-header-value', '13:18'],
  ['unsupported-condition-key', '10:12'],
  ['unsupported-field', '7:3'],
  ['unsupported-field-exponential-delay', '16:9'],
  ['unsupported-field-http2-error', '15:9'],
  ['unsupported-kind-of-group', '2:7'],
  ['unsupported-version', '1:13'],
  ['unsupported-with-custom', '13:9'],
  ['unsupported-with-custom-condition', '12:12'],
  ['value-out-of-range', '11:25'],
  ['value-out-of-range-container-port', '9:22'],
  ['value-out-of-range-fault-status', '15:21'],
  ['value-out-of-range-mirror', '16:14'],
  ['value-out-of-range-percent', '10:27'],
  ['value-out-of-range-port', '11:17'],
  ['virtual-service-without-hosts', '6:1'],
  ['virtual-service-without-routes', '6:1'],
  ['weak-tls-version', '17:27'],
  ['weight-total-zero', '10:5'],
  ['wide-export-with-selector', '12:3'],
  ['wildcard-in-selector', '9:12'],
  ['wildcard-in-selector-key', '9:7'],
  ['wrong-type', '8:3'],
  ['wrong-type-api-version', '1:13'],
  ['wrong-type-empty-value', '11:9'],
  ['wrong-type-label-value', '9:16'],
  ['wrong-type-null-rule', '9:4'],
  ['wrong-type-of-service-port', '7:11'],
  ['wrong-type-port-number', '11:17'],
];

describe('validate', () => {
  test.each(cases)('reports %s once, at %s', (name, place) => {
    expect(faultsOf(name)).toEqual([[codeOf(name), place]]);
  });

  test('has a case for every code of policies', () => {
    const shown = new Set(cases.map(([name]) => codeOf(name)));
    expect(codes.filter((code) => !shown.has(code))).toEqual([]);
  });
});

/** The longest code that the name begins with. */
function codeOf(name: string): string {
  const matching = codes.filter((code) => name === code || name.startsWith(`${code}-`));
  return matching.sort((a, b) => b.length - a.length)[0] ?? 'none';
}

function faultsOf(name: string): [string, string][] {
  const path = `fixtures/err/${name}/policy.yaml`;
  const text = readFileSync(path, 'utf8');
  const bag = new DiagnosticBag();
  const documents = parse([{ path, text }], bag);
  for (const document of documents) validate(document, bag);
  countSkipped(documents, bag);
  const starts = lineStarts(text);
  return bag.all.map(({ code, span }) => {
    if (span === undefined) return [code, '-'];
    const { line, column } = lineAndColumn(starts, span.start);
    return [code, `${line}:${column}`];
  });
}
