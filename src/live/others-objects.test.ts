import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../source/document.ts';
import { servingNamesOf } from './others-objects.ts';

const standard = (kind: string, spec: JsonObject, namespace = 'shop'): JsonObject => ({
  ...{ apiVersion: 'gateway.networking.k8s.io/v1', kind, metadata: { name: 'a', namespace }, spec },
});
const route = (parentRefs: readonly JsonValue[], namespace?: string) =>
  standard('HTTPRoute', { parentRefs }, namespace);

describe('the names of who serves an object', () => {
  test('are those of all Gateways of a route, each once, whatever listeners it names', () => {
    const sections = Array.from({ length: 32 }, (_, i) => ({ name: 'edge', sectionName: `s-${i}` }));
    const parents = [...sections, { name: 'edge', namespace: 'shop' }, { name: 'edge', namespace: 'bank' }];
    expect(servingNamesOf(route(parents))).toEqual({
      classes: [],
      gateways: [
        { namespace: 'shop', name: 'edge' },
        { namespace: 'bank', name: 'edge' },
      ],
    });
  });

  test('are no texts that no object can be named by', () => {
    const faulty = [{ name: 'x,metadata.namespace=bank' }, { name: 'a', namespace: 'shop/gateways?watch=1&a=' }, {}, 3];
    expect(servingNamesOf(route(faulty))).toEqual({ classes: [], gateways: [] });
    expect(servingNamesOf(route([{ name: 'edge' }], 'shop/x')).gateways).toEqual([]);
    const gatewayOf = (gatewayClassName: string) => servingNamesOf(standard('Gateway', { gatewayClassName })).classes;
    expect([gatewayOf('x,y=z'), gatewayOf('own.example.com')]).toEqual([[], ['own.example.com']]);
  });
});
