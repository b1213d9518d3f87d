import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { chainIR, listenerIR, origin, proxyIR, tcpIR } from '../../testing/ir.ts';
import { createLocator, originsJson } from './origins-json.ts';
import { createRenderer } from './render.ts';
import type { EnvoyConfig } from './resource.ts';

const text = 'kind: PeerAuthentication\nspec:\n  mtls:\n    mode: STRICT\n';
const deciding = origin('PeerAuthentication', 'a', 'strict', 'spec.mtls.mode', text.indexOf('mode'));
const overridden = origin('PeerAuthentication', 'mesh-system', 'default', 'spec.mtls.mode');

const chain = chainIR('c', tcpIR('x'), { origins: { decidedBy: [deciding], overrode: [overridden] } });
const listeners = [listenerIR('quiet', 1), listenerIR('l', 2, { filterChains: [chain] })];
const proxy = proxyIR({ inbound: { listeners, routes: [], clusters: [] } });
const config = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;

describe('originsJson', () => {
  test('says for each fragment which field decided it, where that stands, and what it overrode', () => {
    expect(originsJson(config, createLocator([{ path: 'strict.yaml', text }]))).toEqual({
      format: 1,
      listeners: {
        l: [
          {
            path: 'filter_chains[0]',
            decidedBy: [
              {
                kind: 'PeerAuthentication',
                namespace: 'a',
                name: 'strict',
                field: 'spec.mtls.mode',
                file: 'strict.yaml',
                line: 4,
                column: 5,
              },
            ],
            overrode: [
              {
                kind: 'PeerAuthentication',
                namespace: 'mesh-system',
                name: 'default',
                field: 'spec.mtls.mode',
                file: 'default.yaml',
              },
            ],
          },
        ],
      },
      routes: {},
      clusters: {},
    });
  });
});
