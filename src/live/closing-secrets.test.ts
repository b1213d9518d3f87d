import { expect, test } from 'vitest';
import type { Secret } from '../policy/topology-kinds.ts';
import { meshObject } from '../testing/objects.ts';
import { ClosingSecrets } from './closing-secrets.ts';

test('a Secret that no server used before counts as never valid for the uses that its content lacks', () => {
  const body = '-----BEGIN CERTIFICATE-----\nroot\n-----END CERTIFICATE-----\n';
  const empty: Secret = { ...meshObject('Secret', 'edge/empty'), data: {} };
  const authorities: Secret = { ...meshObject('Secret', 'edge/authorities'), data: { 'ca.crt': btoa(body) } };
  const closing = new ClosingSecrets(undefined);
  closing.accept([empty, authorities]);
  expect(closing.good).toEqual(['edge/authorities authorities']);
  const uses = ['edge/empty pair', 'edge/empty authorities', 'edge/authorities pair'];
  expect([...closing.of([empty, authorities])]).toEqual(uses);
  const without: Secret = { ...authorities, data: { 'ca.crt': '' } };
  expect([...closing.of([without])]).toEqual(['edge/authorities pair', 'edge/authorities authorities']);
  const broken: Secret = { ...authorities, data: { 'ca.crt': btoa('none') } };
  expect([...closing.of([broken])]).toEqual(['edge/authorities pair']);
});
